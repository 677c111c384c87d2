//! The protected paths that a person adds to the built-in ones.

use std::fmt;

use super::fold::{fold, fold_whole, has_two_forms};
use super::glob::{is_glob, means};
use super::{Odd, below_folded, components, odd};
use crate::packed::{Packed, Packer, Unpacker};

/// Paths that a policy file adds to the protected ones; it can take none away.
///
/// | written | means |
/// |---|---|
/// | `infra/prod`, `./main.py` | that place in the workspace, and everything below |
/// | `/srv/data`, `~/notes` | that place on the machine or in the home folder, and everything below |
/// | `secrets`, `*.secret` | any file or folder of that name |
/// | `**/x/*.y` | such a place at any depth of the workspace |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraProtected {
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    written: String,
    anchor: Anchor,
    /// Folded; `**` stands for any number of names.
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Root,
    Home,
    Workspace,
    Anywhere,
}

/// Why a path cannot be protected.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectedPathError {
    OtherHome,
    /// The path is odd, for this reason.
    Odd(&'static str),
    TakenAway,
    Parent,
    StarsInName,
    NoneOrAll,
}

impl fmt::Display for ProtectedPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProtectedPathError::OtherHome => "the home folder of somebody else is not known here",
            ProtectedPathError::Odd(why) => why,
            ProtectedPathError::TakenAway => "a protected path cannot be taken away again",
            ProtectedPathError::Parent => "a protected path cannot hold ..",
            ProtectedPathError::StarsInName => "** must stand alone between slashes",
            ProtectedPathError::NoneOrAll => "this would protect no path, or every path",
        })
    }
}

impl std::error::Error for ProtectedPathError {}

impl ExtraProtected {
    /// Adds one pattern, or says why it cannot be understood. What is not understood must not be passed over: it would protect nothing.
    pub fn add(&mut self, written: &str) -> Result<(), ProtectedPathError> {
        let (anchor, rest) = match written.strip_prefix('~') {
            Some("") => (Anchor::Home, ""),
            Some(rest) => (
                Anchor::Home,
                rest.strip_prefix('/')
                    .ok_or(ProtectedPathError::OtherHome)?,
            ),
            None if written.starts_with('/') => (Anchor::Root, written),
            None => match written.strip_prefix("**/") {
                Some(rest) => (Anchor::Anywhere, rest),
                None if written.contains('/') => (Anchor::Workspace, written),
                None => (Anchor::Anywhere, written),
            },
        };
        if let (Some(Odd::Refuse(why) | Odd::Ask(why)), false) =
            (odd(rest), rest.is_empty() && anchor == Anchor::Home)
        {
            return Err(ProtectedPathError::Odd(why));
        }
        if written.starts_with('!') {
            return Err(ProtectedPathError::TakenAway);
        }
        let mut names: Vec<String> = components(rest)
            .filter(|name| *name != ".")
            .map(|name| fold_whole(name).into_owned())
            .collect();
        // Everything below is meant anyway.
        while names.last().is_some_and(|name| name == "**") {
            names.pop();
        }
        if components(rest).any(|name| name == "..") {
            return Err(ProtectedPathError::Parent);
        }
        if names.iter().any(|name| name != "**" && name.contains("**")) {
            return Err(ProtectedPathError::StarsInName);
        }
        if names.iter().any(String::is_empty) || (names.is_empty() && anchor == Anchor::Anywhere) {
            return Err(ProtectedPathError::NoneOrAll);
        }
        self.patterns.push(Pattern {
            written: written.to_owned(),
            anchor,
            names,
        });
        Ok(())
    }

    /// The patterns as they were written.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(|pattern| pattern.written.as_str())
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The pattern, as it was written, that protects an absolute canonical path.
    ///
    /// Without a known home folder `~/x` holds at any depth: too much rather than nothing.
    pub fn matches(&self, canonical: &str, workspace: &str, home: Option<&str>) -> Option<&str> {
        let fits = |pattern: &&Pattern| pattern.fits(canonical, workspace, home);
        self.patterns
            .iter()
            .find(fits)
            .map(|pattern| pattern.written.as_str())
    }
}

/// By what was written: reading it again gives the same.
impl Packed for ExtraProtected {
    fn pack(&self, out: &mut Packer) {
        out.number(self.patterns.len() as u64);
        self.patterns
            .iter()
            .for_each(|pattern| pattern.written.pack(out));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let mut extra = ExtraProtected::default();
        for _ in 0..from.count()? {
            extra.add(&String::unpack(from)?).ok()?;
        }
        Some(extra)
    }
}

impl Pattern {
    fn fits(&self, canonical: &str, workspace: &str, home: Option<&str>) -> bool {
        match (self.anchor, home) {
            (Anchor::Root, _) => begins(components(canonical), &self.names),
            (Anchor::Workspace, _) => {
                under(canonical, workspace).is_some_and(|rest| begins(rest, &self.names))
            }
            (Anchor::Home, Some(home)) => {
                under(canonical, home).is_some_and(|rest| begins(rest, &self.names))
            }
            (Anchor::Home, None) => anywhere(components(canonical), &self.names),
            // The workspace's own folder was chosen by the person, so a name in its path says nothing.
            (Anchor::Anywhere, _) => match under(canonical, workspace) {
                Some(rest) => anywhere(rest, &self.names),
                None => anywhere(components(canonical), &self.names),
            },
        }
    }
}

/// The names below a folder.
fn under<'a>(path: &'a str, folder: &str) -> Option<impl Iterator<Item = &'a str> + Clone> {
    below_folded(path, folder).then(|| components(path).skip(components(folder).count()))
}

fn anywhere<'a>(names: impl Iterator<Item = &'a str> + Clone, wanted: &[String]) -> bool {
    let mut rest = names;
    loop {
        if begins(rest.clone(), wanted) {
            return true;
        }
        if rest.next().is_none() {
            return false;
        }
    }
}

/// Whether the first names are the wanted ones. Where `**` stood, the first place that fits is as good as any later one.
fn begins<'a>(names: impl Iterator<Item = &'a str> + Clone, wanted: &[String]) -> bool {
    let mut rest = names;
    for (place, pattern) in wanted.iter().enumerate() {
        if pattern == "**" {
            return anywhere(rest, wanted.get(place + 1..).unwrap_or_default());
        }
        if !rest.next().is_some_and(|name| is_named(pattern, name)) {
            return false;
        }
    }
    true
}

fn is_named(pattern: &str, name: &str) -> bool {
    let folded = fold(name);
    let compare = |form: &str| {
        if is_glob(pattern) || form.contains('~') {
            means(pattern, form)
        } else {
            pattern == form
        }
    };
    compare(&folded) || (has_two_forms(name) && compare(&fold_whole(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extra(patterns: &[&str]) -> ExtraProtected {
        let mut extra = ExtraProtected::default();
        for pattern in patterns {
            assert_eq!(extra.add(pattern), Ok(()), "{pattern}");
        }
        extra
    }

    #[test]
    fn p_05_each_kind_of_pattern_protects() {
        for (pattern, yes, no) in [
            ("infra/prod", "/ws/infra/prod/a.tf", "/ws/x/infra/prod"),
            ("infra/prod", "/ws/INFRA/Prod", "/ws/infra/production"),
            ("./main.py", "/ws/main.py", "/ws/sub/main.py"),
            ("core/", "/ws/core/x", "/ws/score/x"),
            ("core/**", "/ws/core/x", "/ws/encore/x"),
            ("main.py", "/ws/sub/main.py", "/ws/main.pyc"),
            ("/srv/data", "/srv/data/x", "/srv/database"),
            ("~/notes", "/home/u/notes/x", "/home/v/notes"),
            ("~", "/home/u/x", "/home/v"),
            ("*.secret", "/ws/a/b.secret/c", "/ws/b.secrets"),
            ("*.secret", "/ws/b.SECRET", "/ws/secret"),
            ("x?.y", "/ws/x1.y", "/ws/x.y"),
            ("**/x/*.y", "/ws/a/b/x/c.y", "/ws/a/x/b/c.y"),
            ("**/x/*.y", "/ws/x/c.y/d", "/ws/x/c.yy"),
            ("a/**/b", "/ws/a/c/d/b/e", "/ws/c/a/b"),
            ("a/*/b", "/ws/a/c/b", "/ws/a/c/d/b"),
            ("a/**/b/*/c", "/ws/a/b/b/x/c", "/ws/a/b/c"),
        ] {
            let extra = extra(&[pattern]);
            assert_eq!(
                extra.matches(yes, "/ws", Some("/home/u")),
                Some(pattern),
                "{pattern} {yes}"
            );
            assert_eq!(
                extra.matches(no, "/ws", Some("/home/u")),
                None,
                "{pattern} {no}"
            );
        }
    }

    #[test]
    fn p_18_a_star_stays_in_its_component() {
        assert_eq!(
            extra(&["infra/*.tf"]).matches("/ws/infra/a/b.tf", "/ws", None),
            None
        );
    }

    #[test]
    fn names_above_the_workspace_do_not_count() {
        assert_eq!(
            extra(&["build"]).matches("/home/build/ws/x", "/home/build/ws", None),
            None
        );
        assert!(
            extra(&["build"])
                .matches("/home/build/other", "/home/build/ws", None)
                .is_some()
        );
    }

    #[test]
    fn an_unknown_home_protects_more() {
        assert!(
            extra(&["~/notes"])
                .matches("/home/v/notes/x", "/ws", None)
                .is_some()
        );
    }

    #[test]
    fn h_76_windows_spellings_do_not_slip_past() {
        let extra = extra(&["infra/prod", ".hidden"]);
        for path in [
            "/ws/infra/prod.",
            "/ws/infra/prod:x",
            "/ws/infra/PROD ",
            "/ws/HIDDEN~1",
            "/ws/infra/pro\u{200b}d",
        ] {
            assert!(extra.matches(path, "/ws", None).is_some(), "{path}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for pattern in [
            "",
            "~/a\\b",
            "a/../b",
            "!x",
            "a\\b",
            "$HOME/x",
            "~root/x",
            "**",
            "**/",
            "a/x**",
            "{a,b}",
            "C:/x",
            "a\0",
            "%X%",
            "file:///x",
            ".",
        ] {
            assert!(ExtraProtected::default().add(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn other_names_with_two_forms_are_others() {
        let extra = extra(&["prod"]);
        assert!(!extra.is_empty() && ExtraProtected::default().is_empty());
        for path in ["/ws/other:x", "/ws/\u{e9}", "/ws/x:y"] {
            assert_eq!(extra.matches(path, "/ws", None), None, "{path}");
        }
        assert!(extra.matches("/ws/prod:x", "/ws", None).is_some());
    }

    #[test]
    fn what_is_packed_comes_back() {
        let extra = extra(&["infra/prod", "*.secret"]);
        let mut out = Packer::new();
        extra.pack(&mut out);
        let bytes = std::sync::Arc::new(out.finish());
        let back = ExtraProtected::unpack(&mut Unpacker::new(&bytes)).unwrap();
        assert_eq!(back.matches("/ws/a.secret", "/ws", None), Some("*.secret"));
        assert_eq!(
            back.matches("/ws/infra/prod", "/ws", None),
            Some("infra/prod")
        );
    }
}
