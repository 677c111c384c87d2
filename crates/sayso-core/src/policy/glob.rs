//! Patterns of paths: `*` and `?` stay inside one component, `**` spans any number of them, `{a,b}` are alternatives.
//!
//! Nothing is compiled: a pattern is its components, and matching is linear in the path for every pattern people write.

use crate::packed::{Packed, Packer, Unpacker};
use crate::paths::{alternatives_of, below, join};
use crate::policy::pattern_error::PatternError;

pub use crate::paths::wild;

/// A pattern of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathGlob {
    /// As it was written.
    pub written: String,
    /// What it is relative to.
    pub anchor: Anchor,
    alternatives: Vec<Vec<Part>>,
}

/// What a pattern is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The workspace.
    Workspace,
    /// The root of the file system.
    Root,
    /// The person's home.
    Home,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    AnyDepth,
    Literal(String),
    Wild(String),
}

/// A path split for matching, relative to each anchor.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The absolute path.
    pub path: &'a str,
    /// The workspace.
    pub workspace: &'a str,
    /// The person's home.
    pub home: Option<&'a str>,
}

impl PathGlob {
    /// Reads a pattern.
    pub fn parse(written: &str) -> Result<PathGlob, PatternError> {
        if written.is_empty() {
            return Err(PatternError::Empty);
        }
        if written.contains('\0') || written.contains('\\') {
            return Err(PatternError::BackslashOrNul);
        }
        let (anchor, rest) = if let Some(rest) = written.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else if written == "~" {
            (Anchor::Home, "")
        } else if written.starts_with('~') {
            return Err(PatternError::HomeOfOthers);
        } else if let Some(rest) = written.strip_prefix('/') {
            (Anchor::Root, rest)
        } else {
            (Anchor::Workspace, written)
        };
        let mut alternatives = Vec::new();
        for alternative in alternatives_of(rest)? {
            alternatives.push(parts(&alternative)?);
        }
        Ok(PathGlob {
            written: written.to_owned(),
            anchor,
            alternatives,
        })
    }

    /// Whether it names paths outside of the workspace, as the rule for "outside" demands.
    pub fn is_absolute(&self) -> bool {
        self.anchor != Anchor::Workspace
    }

    /// Whether it covers everything below its anchor.
    pub fn is_everything(&self) -> bool {
        self.alternatives.iter().any(|parts| {
            !parts.is_empty()
                && parts
                    .iter()
                    .all(|part| matches!(part, Part::AnyDepth) || *part == Part::Wild("*".into()))
        })
    }

    /// Whether it names one path, without wildcards or alternatives.
    pub fn is_literal(&self) -> bool {
        let [parts] = self.alternatives.as_slice() else {
            return false;
        };
        parts.iter().all(|part| matches!(part, Part::Literal(_)))
    }

    /// Whether the path matches.
    pub fn matches(&self, subject: Subject<'_>) -> bool {
        self.components(subject).is_some_and(|components| {
            self.alternatives
                .iter()
                .any(|parts| matches(parts, &components, Depth::Exact))
        })
    }

    /// Whether something at or below the path could match: what a recursive effect on it reaches.
    pub fn reaches_below(&self, subject: Subject<'_>) -> bool {
        match self.components(subject) {
            Some(components) => self
                .alternatives
                .iter()
                .any(|parts| matches(parts, &components, Depth::Below)),
            // The path is above the anchor: then everything of the pattern is below it.
            None => self
                .base(subject)
                .is_some_and(|base| below(&base, subject.path)),
        }
    }

    /// Whether the path and everything below it matches: what allowing a recursive effect takes.
    pub fn covers_below(&self, subject: Subject<'_>) -> bool {
        let Some(components) = self.components(subject) else {
            return false;
        };
        // No pattern names this component, so only `**` can match it, at any depth.
        const NOBODY: &str = "\u{1}";
        let deep = || {
            components
                .iter()
                .copied()
                .chain([NOBODY, NOBODY])
                .collect::<Vec<_>>()
        };
        self.alternatives.iter().any(|parts| {
            matches(parts, &components, Depth::Exact) && matches(parts, &deep(), Depth::Exact)
        })
    }

    /// Whether the path matches when the file system takes `A` and `a` for the same name.
    pub fn matches_folded(&self, subject: Subject<'_>) -> bool {
        let (path, workspace, home) = (
            subject.path.to_lowercase(),
            subject.workspace.to_lowercase(),
            subject.home.map(str::to_lowercase),
        );
        let lower = Subject {
            path: &path,
            workspace: &workspace,
            home: home.as_deref(),
        };
        PathGlob::parse(&self.written.to_lowercase()).is_ok_and(|glob| glob.matches(lower))
    }

    /// The first literal component, for an index; none if the pattern can start anywhere.
    pub fn first_literal(&self) -> Option<&str> {
        let [parts] = self.alternatives.as_slice() else {
            return None;
        };
        match (self.anchor, parts.first()) {
            (Anchor::Workspace, Some(Part::Literal(name))) => Some(name),
            _ => None,
        }
    }

    fn base(&self, subject: Subject<'_>) -> Option<String> {
        match self.anchor {
            Anchor::Workspace => Some(subject.workspace.to_owned()),
            Anchor::Root => Some("/".to_owned()),
            Anchor::Home => subject.home.map(str::to_owned),
        }
    }

    fn components<'a>(&self, subject: Subject<'a>) -> Option<Vec<&'a str>> {
        let rest = match self.anchor {
            Anchor::Workspace => crate::paths::relative(subject.path, subject.workspace)?,
            Anchor::Root => subject.path,
            Anchor::Home => crate::paths::relative(subject.path, subject.home?)?,
        };
        Some(rest.split('/').filter(|part| !part.is_empty()).collect())
    }
}

/// By what was written: reading it again gives the same.
impl Packed for PathGlob {
    fn pack(&self, out: &mut Packer) {
        self.written.pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        PathGlob::parse(&String::unpack(from)?).ok()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// The whole path matches the whole pattern.
    Exact,
    /// The path is a possible beginning of a match.
    Below,
}

/// Two-pointer matching with one backtrack point (the last `**`), so the cost is at most components × parts.
fn matches(parts: &[Part], components: &[&str], depth: Depth) -> bool {
    let (mut part, mut component) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        if component == components.len() {
            if depth == Depth::Below {
                // The rest of the pattern, if any, is satisfied by names below the path.
                return true;
            }
            return parts.iter().skip(part).all(|rest| *rest == Part::AnyDepth);
        }
        let Some(name) = components.get(component) else {
            return false;
        };
        match parts.get(part) {
            Some(Part::AnyDepth) => {
                retry = Some((part + 1, component));
                part += 1;
                continue;
            }
            Some(Part::Literal(text)) if text == name => {
                part += 1;
                component += 1;
                continue;
            }
            Some(Part::Wild(text)) if wild(text, name) => {
                part += 1;
                component += 1;
                continue;
            }
            _ => {}
        }
        match retry {
            Some((after, at)) => {
                retry = Some((after, at + 1));
                part = after;
                component = at + 1;
            }
            None => return false,
        }
    }
}

fn parts(pattern: &str) -> Result<Vec<Part>, PatternError> {
    let mut parts = Vec::new();
    for name in pattern.split('/') {
        match name {
            "" | "." => {}
            ".." => return Err(PatternError::Parent),
            "**" => {
                if parts.last() != Some(&Part::AnyDepth) {
                    parts.push(Part::AnyDepth);
                }
            }
            _ if name.contains("**") => {
                return Err(PatternError::StarsInName {
                    name: name.to_owned(),
                });
            }
            _ if name.contains(['*', '?']) => parts.push(Part::Wild(name.to_owned())),
            _ => parts.push(Part::Literal(name.to_owned())),
        }
    }
    Ok(parts)
}

/// The absolute path of a written one, for rules that look at the text too.
pub fn absolute(cwd: &str, written: &str) -> String {
    join(cwd, written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str) -> bool {
        PathGlob::parse(pattern).unwrap().matches(Subject {
            path,
            workspace: "/ws",
            home: Some("/home/me"),
        })
    }

    #[test]
    fn patterns_are_anchored_and_component_wise() {
        for (pattern, path) in [
            ("docs/**", "/ws/docs/a/b.md"),
            ("docs/**", "/ws/docs"),
            ("**/*.pem", "/ws/a/b/k.pem"),
            ("**/*.pem", "/ws/k.pem"),
            ("src/*.rs", "/ws/src/a.rs"),
            ("src/{a,b}.rs", "/ws/src/b.rs"),
            ("**", "/ws/x/y"),
            ("a/**/z", "/ws/a/z"),
            ("a/**/z", "/ws/a/b/c/z"),
            ("/etc/*", "/etc/hosts"),
            ("/**", "/any/thing"),
            ("~/notes/*", "/home/me/notes/x"),
            ("a?c", "/ws/aéc"),
        ] {
            assert!(check(pattern, path), "{pattern} should match {path}");
        }
        for (pattern, path) in [
            ("docs/**", "/ws/mydocs/a"),
            ("docs/**", "/ws-evil/docs/a"),
            ("src/*.rs", "/ws/src/a/b.rs"),
            ("*.md", "/ws/a/b.md"),
            ("docs/**", "/etc/docs/a"),
            ("**", "/elsewhere"),
            ("~/x", "/ws/x"),
        ] {
            assert!(!check(pattern, path), "{pattern} should not match {path}");
        }
    }

    #[test]
    fn h_60_a_star_does_not_cross_a_slash() {
        assert!(!check("src/*.go", "/ws/src/a/b.go"));
        assert!(!check("cat/*.txt", "/ws/cat/a/b.txt"));
    }

    #[test]
    fn what_a_recursive_effect_reaches_is_known() {
        let reaches = |pattern: &str, path: &str| {
            PathGlob::parse(pattern).unwrap().reaches_below(Subject {
                path,
                workspace: "/ws",
                home: None,
            })
        };
        assert!(reaches("docs/signed/**", "/ws/docs"));
        assert!(reaches("docs/signed/**", "/ws"));
        assert!(reaches("docs/signed/**", "/"));
        assert!(reaches("**/*.pem", "/ws/a"));
        assert!(!reaches("docs/signed/**", "/ws/src"));
    }

    #[test]
    fn bad_patterns_are_refused() {
        for pattern in [
            "", "a/../b", "a**b", "{a", "a}", "{a,{b}}", "~root/x", "a\\b",
        ] {
            assert!(PathGlob::parse(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn h_75_hostile_patterns_stay_cheap() {
        let pattern = "*a".repeat(200) + "b";
        let text = "a".repeat(20_000);
        assert!(!wild(&pattern, &text));
    }

    #[test]
    fn what_covers_everything_is_known() {
        let everything = |pattern: &str| PathGlob::parse(pattern).unwrap().is_everything();
        for pattern in ["**", "*", "**/*", "/**", "~/**", "{a,**}"] {
            assert!(everything(pattern), "{pattern}");
        }
        for pattern in ["a/**", "**/a", "*.rs", "/", "?"] {
            assert!(!everything(pattern), "{pattern}");
        }
    }

    #[test]
    fn what_covers_a_folder_covers_itself_and_all_below() {
        let covers = |pattern: &str, path: &str| {
            PathGlob::parse(pattern).unwrap().covers_below(Subject {
                path,
                workspace: "/ws",
                home: Some("/home/me"),
            })
        };
        assert!(
            covers("docs/**", "/ws/docs") && covers("**", "/ws") && covers("docs/**", "/ws/docs/a")
        );
        assert!(
            !covers("docs/*", "/ws/docs")
                && !covers("docs", "/ws/docs")
                && !covers("docs/*/**", "/ws/docs")
        );
        assert!(!covers("docs/*/*", "/ws/docs") && !covers("docs/**", "/elsewhere"));
    }

    #[test]
    fn letters_of_either_case_may_be_the_same() {
        let folded = |pattern: &str, path: &str| {
            PathGlob::parse(pattern).unwrap().matches_folded(Subject {
                path,
                workspace: "/WS",
                home: Some("/home/me"),
            })
        };
        assert!(folded("Docs/**", "/ws/docs/A") && folded("~/X", "/HOME/me/x"));
        assert!(!folded("docs/**", "/ws/other"));
    }

    #[test]
    fn one_sign_is_one_character_of_any_width() {
        for (pattern, text) in [
            ("a?c", "abc"),
            ("a?c", "aéc"),
            ("a?c", "a漢c"),
            ("a?c", "a🎉c"),
            ("??", "漢b"),
            ("*?c", "xx漢c"),
        ] {
            assert!(wild(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("a?c", "ac"),
            ("?", "ab"),
            ("?", "漢字"),
            ("a*", "ba"),
            ("*a", "ab"),
            ("", "a"),
            ("a", ""),
        ] {
            assert!(!wild(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_packed_comes_back() {
        for pattern in ["docs/**", "~/x", "/etc/*", "a//./b"] {
            let made = PathGlob::parse(pattern).unwrap();
            let mut out = Packer::new();
            made.pack(&mut out);
            let bytes = std::sync::Arc::new(out.finish());
            assert_eq!(
                PathGlob::unpack(&mut Unpacker::new(&bytes)),
                Some(made),
                "{pattern}"
            );
        }
        assert!(check("a//./b", "/ws/a/b") && check("./a", "/ws/a"));
        assert_eq!(absolute("/ws", "a/../b"), "/ws/b");
    }
}
