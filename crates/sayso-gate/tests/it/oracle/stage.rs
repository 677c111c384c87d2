//! The world of the sandbox as the judge is told of it: what stands there, which names a pattern stands for, what a search would show.

use sayso_core::analysis::fact::{
    BelowFact, Fact, Facts, MANY, NamesFact, ONE, PathFact, Question, Search, from_home,
    is_pattern, shown,
};
use sayso_core::paths::{below, join};
use sayso_gate::ports::World;

use crate::world::{HOME, Scripted};

pub const FOLDERS: [&str; 9] = [
    "/ws",
    "/ws/src",
    "/ws/out",
    "/ws/.git",
    "/ws/bin",
    "/etc",
    "/tmp",
    "/home/u",
    "/home/u/.ssh",
];
/// Some have names that are words of a shell, options, or more than one word.
pub const FILES: [&str; 23] = [
    "/ws/a",
    "/ws/b",
    "/ws/a.md",
    "/ws/notes.md",
    "/ws/README.md",
    "/ws/src/a",
    "/ws/src/b",
    "/ws/src/a.md",
    "/ws/out/a",
    "/ws/.env",
    "/ws/.git/config",
    "/ws/-rf",
    "/ws/--output=out",
    "/ws/-oEVIL",
    "/ws/a b",
    "/ws/*",
    "/ws/$(EVIL)",
    "/ws/a\nb",
    "/etc/passwd",
    "/etc/shadow",
    "/home/u/a",
    "/home/u/.bashrc",
    "/home/u/.ssh/id_rsa",
];
pub const PROGRAMS: [&str; 3] = ["/ws/EVIL", "/ws/bin/cat", "/home/u/EVIL"];
/// A link that leads out of the workspace.
pub const LINK: (&str, &str) = ("/ws/link", "/etc");

/// The world as the recorder makes it.
pub fn list() -> Vec<Vec<u8>> {
    let line = |kind: char, path: &str| format!("{kind}{path}").into_bytes();
    let mut out: Vec<Vec<u8>> = FOLDERS.iter().map(|path| line('d', path)).collect();
    out.extend(FILES.iter().map(|path| line('f', path)));
    out.extend(PROGRAMS.iter().map(|path| line('x', path)));
    out.push(line('l', &format!("{}\0{}", LINK.0, LINK.1)));
    out
}

/// The same for the judge.
pub struct Stage(Scripted);

impl Stage {
    pub fn new() -> Self {
        let mut world = Scripted::default();
        for path in ["/", "/home"].iter().chain(&FOLDERS) {
            world.folder(path);
        }
        for path in FILES.iter().chain(&PROGRAMS) {
            world.file(path);
        }
        world.link(LINK.0, LINK.1);
        Stage(world)
    }

    fn path(&self, cwd: &str, path: &str, no_follow: bool) -> Option<PathFact> {
        let question = Question::Path {
            path: path.to_owned(),
            no_follow,
        };
        self.0.answer(cwd, "/ws", &[question]).path(0).cloned()
    }

    /// The files of a pattern, as a shell would write them.
    fn names(&self, cwd: &str, pattern: &str) -> NamesFact {
        let mut fact = NamesFact {
            incomplete: pattern.contains([MANY; 2].iter().collect::<String>().as_str()),
            ..NamesFact::default()
        };
        let mut found = vec![if pattern.starts_with('/') {
            "/".to_owned()
        } else {
            String::new()
        }];
        for part in pattern.split('/').filter(|part| !part.is_empty()) {
            let parts = |start: &String| -> Vec<String> {
                let glue = |name: &str| {
                    if start.is_empty() || start.ends_with('/') {
                        format!("{start}{name}")
                    } else {
                        format!("{start}/{name}")
                    }
                };
                if !is_pattern(part) {
                    return vec![glue(part)];
                }
                let folder = self
                    .path(cwd, if start.is_empty() { "." } else { start }, false)
                    .map(|fact| fact.canonical);
                children(&folder.unwrap_or_default())
                    .iter()
                    .filter(|name| fits(part, name))
                    .map(|name| glue(name))
                    .collect()
            };
            found = found.iter().flat_map(parts).collect();
        }
        let exists = |name: &String| {
            self.path(cwd, name, true)
                .is_some_and(|fact| fact.kind != sayso_core::analysis::fact::PathKind::Missing)
        };
        found.retain(exists);
        if found.is_empty() {
            found.push(shown(pattern));
        }
        for name in found {
            if let (Some(followed), Some(itself)) =
                (self.path(cwd, &name, false), self.path(cwd, &name, true))
            {
                if itself.kind == sayso_core::analysis::fact::PathKind::Link {
                    fact.links.push((name.clone(), itself));
                }
                fact.files.push((name, followed));
            }
        }
        fact
    }

    /// What a search shows; more than it may, if in doubt.
    fn search(&self, cwd: &str, path: &str, search: Search, only: &[String]) -> BelowFact {
        let folder = self
            .path(cwd, path, false)
            .map_or_else(|| join(cwd, path), |fact| fact.canonical);
        let inside = |other: &&&str| is_pattern(path) || below(other, &folder);
        let secrets = ["/ws/.env", "/ws/link", "/etc/shadow", "/home/u/.ssh/id_rsa"];
        // Only names of these patterns, in any case; a link is followed whatever its name is.
        let small = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let signs = |pattern: &String| {
            pattern
                .to_lowercase()
                .replace('*', &MANY.to_string())
                .replace('?', &ONE.to_string())
        };
        let wanted = |path: &&&str| {
            only.is_empty()
                || only
                    .iter()
                    .any(|pattern| fits_any(&signs(pattern), &small(path)))
        };
        let secrets = secrets
            .iter()
            .filter(inside)
            .filter(wanted)
            .filter(|path| search.hidden || !path.contains("/."));
        let secrets = secrets.map(|path| (*path).to_owned());
        let is_odd = |path: &&&str| {
            search.words && path.contains([' ', '\n', '*', '$'])
                || search.whole && (path.contains(['\n', '"', '\'', '\\']) || path.contains("/-"))
        };
        let odd = FILES.iter().filter(inside).filter(wanted).filter(is_odd);
        BelowFact {
            secrets: secrets.collect(),
            odd: odd.map(|path| (*path).to_owned()).collect(),
            ..BelowFact::default()
        }
    }
}

/// The names in a folder.
fn children(folder: &str) -> Vec<String> {
    let start = format!("{}/", folder.trim_end_matches('/'));
    let all = FOLDERS
        .iter()
        .chain(&FILES)
        .chain(&PROGRAMS)
        .chain(std::iter::once(&LINK.0));
    let mut names: Vec<String> = all
        .filter_map(|path| path.strip_prefix(&start))
        .filter_map(|rest| rest.split('/').next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Whether a pattern of a shell stands for a name, too; it leaves hidden ones out.
fn fits(pattern: &str, name: &str) -> bool {
    (!name.starts_with('.') || pattern.starts_with('.')) && fits_any(pattern, name)
}

/// The same with hidden ones.
fn fits_any(pattern: &str, name: &str) -> bool {
    fn rest(pattern: &[char], name: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some((&MANY, more)) => (0..=name.len()).any(|taken| rest(more, &name[taken..])),
            Some((&ONE, more)) => !name.is_empty() && rest(more, &name[1..]),
            Some((letter, more)) => name.first() == Some(letter) && rest(more, &name[1..]),
        }
    }
    let letters = |text: &str| text.chars().collect::<Vec<char>>();
    rest(&letters(pattern), &letters(name))
}

impl World for Stage {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        let whole =
            |path: &str| from_home(path, Some(HOME)).unwrap_or_else(|| "/nowhere".to_owned());
        let mut answers = Vec::new();
        for question in questions {
            let question = match question {
                Question::Path { path, no_follow } => Question::Path {
                    path: whole(path),
                    no_follow: *no_follow,
                },
                Question::Program { name } => Question::Program { name: whole(name) },
                Question::GitHelpers { folder, shows } => Question::GitHelpers {
                    folder: whole(folder),
                    shows: *shows,
                },
                Question::Settings { folder, settings } => Question::Settings {
                    folder: whole(folder),
                    settings: settings.clone(),
                },
                Question::Tracked { .. } => {
                    answers.push(Some(Fact::Below(Default::default())));
                    continue;
                }
                Question::Names { pattern, .. } => {
                    answers.push(Some(Fact::Names(self.names(cwd, &whole(pattern)))));
                    continue;
                }
                Question::Below { path, search, only } => {
                    answers.push(Some(Fact::Below(self.search(
                        cwd,
                        &whole(path),
                        *search,
                        only,
                    ))));
                    continue;
                }
            };
            answers.extend(self.0.answer(cwd, workspace, &[question]).answers);
        }
        Facts {
            answers,
            ..self.0.answer(cwd, workspace, &[])
        }
    }
}

#[test]
fn a_pattern_stands_for_what_a_shell_finds() {
    let stage = Stage::new();
    let names = |pattern: &str| {
        let pattern = pattern
            .replace('*', &MANY.to_string())
            .replace('?', &ONE.to_string());
        stage
            .names("/ws", &pattern)
            .files
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names("*.md"), ["README.md", "a.md", "notes.md"]);
    assert_eq!(names("src/?"), ["src/a", "src/b"]);
    assert_eq!(names("s*/a*"), ["src/a", "src/a.md"]);
    assert_eq!(names(".e*"), [".env"]);
    assert_eq!(names("/etc/s*"), ["/etc/shadow"]);
    assert_eq!(names("nothing*"), ["nothing*"]);
}
