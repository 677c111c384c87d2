//! A world that is a table: files, folders and links by name, and nothing of the machine the test runs on.

use std::collections::BTreeMap;
use std::time::Duration;

use sayso_core::analysis::fact::{
    Fact, Facts, GitFact, Ignored, Link, NamesFact, OwnPath, Owner, PathFact, PathKind,
    ProgramFact, Question, SettingsFact, Surroundings,
};
use sayso_core::paths::join;
use sayso_core::text::digest::{Digest, Encoder};
use sayso_gate::error::ContentError;
use sayso_gate::ports::{Content, Tally, World};
use sayso_gate::seal::Sealed;

/// The workspace of all tests.
pub const WORKSPACE: &str = "/ws";
/// The person's home in all tests.
pub const HOME: &str = "/home/u";

/// What stands at one path.
#[derive(Clone, Debug)]
pub enum Entry {
    File,
    Folder,
    Link(String),
}

/// The table. What it does not list is missing.
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    entries: BTreeMap<String, Entry>,
    ignored: Vec<String>,
    contents: BTreeMap<String, Vec<u8>>,
    unreadable: Vec<String>,
    executables: Vec<String>,
    tallies: BTreeMap<String, Tally>,
}

impl Scripted {
    /// A small project under git, with an installed folder, secrets and links that lead out.
    pub fn project() -> Self {
        let mut world = Scripted::default();
        for folder in [
            "/",
            "/etc",
            "/home/u",
            "/ws",
            "/ws/src",
            "/ws/docs",
            "/ws/core",
            "/ws/tests",
            "/ws/node_modules",
            "/ws/.git",
            "/ws/notes",
        ] {
            world.entries.insert(folder.to_owned(), Entry::Folder);
        }
        for file in [
            "/ws/README.md",
            "/ws/docs/README.md",
            "/ws/src/main.rs",
            "/ws/core/application.py",
            "/ws/any_file.py",
            "/ws/old_file.py",
            "/ws/package.json",
            "/ws/data.json",
            "/ws/AGENTS.md",
            "/ws/.env",
            "/ws/.git/config",
            "/ws/local.cfg",
            "/ws/notes/a.txt",
            "/etc/passwd",
            "/home/u/.ssh/id_rsa",
            "/home/u/other.txt",
        ] {
            world.entries.insert(file.to_owned(), Entry::File);
        }
        world
            .link("/ws/out.md", "/home/u/other.txt")
            .link("/ws/hidden.md", "/ws/.env");
        world.ignored = vec![
            "/ws/node_modules".to_owned(),
            "/ws/local.cfg".to_owned(),
            "/ws/.env".to_owned(),
        ];
        world
    }

    /// Adds a file.
    pub fn file(&mut self, at: &str) -> &mut Self {
        self.entries.insert(at.to_owned(), Entry::File);
        self
    }

    /// Adds a file with something in it.
    pub fn with(&mut self, at: &str, content: impl AsRef<[u8]>) -> &mut Self {
        self.contents
            .insert(at.to_owned(), content.as_ref().to_vec());
        self.file(at)
    }

    /// A file can be executed.
    pub fn executable(&mut self, at: &str) -> &mut Self {
        self.executables.push(at.to_owned());
        self
    }

    /// A folder is so full.
    pub fn full(&mut self, at: &str, tally: Tally) -> &mut Self {
        self.tallies.insert(at.to_owned(), tally);
        self.folder(at)
    }

    /// Adds a file that cannot be read.
    pub fn unreadable(&mut self, at: &str) -> &mut Self {
        self.unreadable.push(at.to_owned());
        self.file(at)
    }

    /// Adds a folder.
    pub fn folder(&mut self, at: &str) -> &mut Self {
        self.entries.insert(at.to_owned(), Entry::Folder);
        self
    }

    /// Adds a link.
    pub fn link(&mut self, at: &str, to: &str) -> &mut Self {
        self.entries
            .insert(at.to_owned(), Entry::Link(to.to_owned()));
        self
    }

    fn path(&self, cwd: &str, written: &str, no_follow: bool) -> PathFact {
        let mut links = Vec::new();
        let mut canonical = String::from("/");
        let mut open: Vec<String> = names(&join(cwd, written));
        open.reverse();
        while let Some(name) = open.pop() {
            let next = join(&canonical, &name);
            match self.entries.get(&next) {
                Some(Entry::Link(to)) if links.len() < 8 && !(open.is_empty() && no_follow) => {
                    let to = join(&canonical, to);
                    links.push(Link {
                        at: next,
                        to: to.clone(),
                        dangling: !self.entries.contains_key(&to),
                    });
                    canonical = String::from("/");
                    open.extend(names(&to).into_iter().rev());
                }
                _ => canonical = next,
            }
        }
        let kind = match self.entries.get(&canonical) {
            None => PathKind::Missing,
            Some(Entry::File) => PathKind::File,
            Some(Entry::Folder) => PathKind::Folder,
            Some(Entry::Link(_)) => PathKind::Link,
        };
        let size = self
            .contents
            .get(&canonical)
            .map(|content| content.len() as u64);
        let ignored = self
            .ignored
            .iter()
            .any(|folder| sayso_core::paths::below(&canonical, folder));
        PathFact {
            ignored: if ignored { Ignored::Yes } else { Ignored::No },
            canonical,
            links,
            kind,
            hard_links: 1,
            owner: Owner::Me,
            writable_by_others: false,
            closed_to_others: false,
            case_insensitive: false,
            size,
        }
    }

    /// Everything below a folder.
    fn below(&self, folder: &str) -> Vec<(String, PathFact)> {
        let inside = |at: &&String| at.as_str() != folder && sayso_core::paths::below(at, folder);
        self.entries
            .keys()
            .filter(inside)
            .map(|at| (at.clone(), self.path("/", at, true)))
            .collect()
    }

    /// The files that an absolute pattern with one `*` in its last name stands for.
    fn fitting(&self, pattern: &str) -> Vec<(String, PathFact)> {
        let Some((start, end)) = pattern
            .split_once('\u{1}')
            .filter(|(start, _)| start.starts_with('/'))
        else {
            return Vec::new();
        };
        let fits = |at: &&String| {
            at.strip_prefix(start)
                .and_then(|rest| rest.strip_suffix(end))
                .is_some_and(|name| !name.contains('/'))
        };
        self.entries
            .keys()
            .filter(fits)
            .map(|at| (at.clone(), self.path("/", at, true)))
            .collect()
    }
}

fn names(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

impl World for Scripted {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        let answers = questions.iter().map(|question| {
            Some(match question {
                Question::Path { path, no_follow } => Fact::Path(self.path(cwd, path, *no_follow)),
                Question::Below { .. } | Question::Tracked { .. } => {
                    Fact::Below(Default::default())
                }
                Question::Names { pattern, .. }
                    if pattern.starts_with('/') && pattern.ends_with("/\u{1}\u{1}") =>
                {
                    let files = self.below(pattern.trim_end_matches(['\u{1}', '/']));
                    Fact::Names(NamesFact {
                        files,
                        incomplete: true,
                        ..NamesFact::default()
                    })
                }
                Question::Names { pattern, .. } => {
                    let name = sayso_core::analysis::fact::shown(pattern);
                    let fact = self.path(cwd, &name, false);
                    let mut files = self.fitting(pattern);
                    if files.is_empty() {
                        files.push((name, fact));
                    }
                    Fact::Names(NamesFact {
                        files,
                        incomplete: true,
                        ..NamesFact::default()
                    })
                }
                Question::Program { name } => {
                    let file = if name.contains('/') {
                        join(cwd, name)
                    } else {
                        format!("/usr/bin/{name}")
                    };
                    let inside_workspace = sayso_core::paths::below(&file, workspace);
                    Fact::Program(ProgramFact {
                        file: Some(file),
                        changeable: inside_workspace,
                        inside_workspace,
                    })
                }
                Question::Settings { .. } => Fact::Settings(SettingsFact::default()),
                Question::GitHelpers { .. } => Fact::Git(GitFact {
                    root: Some(workspace.to_owned()),
                    helpers: Vec::new(),
                    incomplete: false,
                }),
            })
        });
        let own = |path: &str, private: bool| OwnPath {
            path: path.to_owned(),
            private,
            exists: true,
            reason: Default::default(),
        };
        let surroundings = Surroundings {
            workspace: workspace.to_owned(),
            cwd: cwd.to_owned(),
            home: Some(HOME.to_owned()),
            own: vec![
                own("/home/u/.config/sayso", false),
                own("/home/u/.local/state/sayso", true),
                own("/ws/.sayso", false),
            ],
        };
        Facts {
            surroundings,
            answers: answers.collect(),
        }
    }
    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        let mut encoder = Encoder::new("scripted");
        for file in files {
            let (Sealed::Content(at)
            | Sealed::Identity(at)
            | Sealed::Which(at)
            | Sealed::Bytes(at, _)) = file;
            encoder.text(&format!("{at}: {:?}", self.entries.get(at)));
            if let Sealed::Content(at) = file {
                encoder.text(&format!("{:?}", self.contents.get(at)));
            }
            if let Sealed::Bytes(at, digest) = file
                && self
                    .contents
                    .get(at)
                    .is_some_and(|bytes| Digest::of_bytes(bytes) != *digest)
            {
                return None;
            }
        }
        Some(encoder.finish())
    }

    fn tally(&self, path: &str, _: usize, _: Duration) -> Option<Tally> {
        self.tallies.get(path).copied()
    }

    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, ContentError> {
        if self.unreadable.iter().any(|at| at == path) {
            return Err(ContentError::failed("permission denied"));
        }
        match self.entries.get(path) {
            None => Ok(None),
            Some(Entry::File) => {
                let bytes = self.contents.get(path).cloned().unwrap_or_default();
                let size = bytes.len() as u64;
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                Ok(Some(Content {
                    bytes: bytes.into_iter().take(most).collect(),
                    size,
                    executable: Some(self.executables.iter().any(|at| at == path)),
                }))
            }
            Some(_) => Err(ContentError::failed("not a file")),
        }
    }
}
