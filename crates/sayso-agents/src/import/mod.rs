//! Policies of other agents, brought along: each file becomes rules of sayso's own, never looser than it was, with a report of what differs.
//!
//! Every system reads its rules in an order of its own (the first denial, the last match, the highest priority, the longest prefix). sayso's
//! rules have none: the strictest counts. So the order is taken out here, once: where a later rule loosens an earlier one, it becomes an
//! exception of it; where it tightens, nothing needs to be done.

pub mod error;
pub mod jsonc;
pub mod patterns;
pub mod related_systems;
pub(crate) mod write;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use sayso_core::policy::decision::Decision;

use crate::install::Around;
pub use error::ImportError;
pub use write::{report, yaml};

/// How the policy of a system is read.
pub struct Reader {
    /// The name of the system on the command line.
    pub name: &'static str,
    /// What the help of the command line says of it.
    pub help: &'static str,
    /// Makes rules of its files, which count together.
    pub import: fn(&[File]) -> Result<Imported, ImportError>,
    /// The files of the person's own rules that are there, for what `install` offers; those of a project are not among them, since what a
    /// project says is not for all of them.
    pub own_files: Option<fn(&Around, &Path) -> Vec<PathBuf>>,
}

/// A system whose policy can be brought along. The registry names all of them.
#[derive(Clone, Copy)]
pub struct System(&'static Reader);

impl System {
    /// The system that is read so.
    pub const fn new(reader: &'static Reader) -> System {
        System(reader)
    }

    /// How it is read.
    pub fn reader(self) -> &'static Reader {
        self.0
    }
}

impl fmt::Debug for System {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.name)
    }
}

/// The files in a folder whose names end so, in order.
pub fn files_below(folder: PathBuf, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).map(|entries| {
        entries
            .flatten()
            .map(|entry| entry.path())
            .collect::<Vec<_>>()
    });
    let mut files: Vec<PathBuf> = entries.unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|found| found == ending) && path.is_file());
    files.sort();
    files
}

/// Those of these files that are there.
pub fn files_there(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    paths.into_iter().filter(|path| path.is_file()).collect()
}

/// What a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// Commands, by words, or by a text in which `*` is anything.
    Command {
        /// As sayso writes it.
        pattern: String,
        /// `*` spans anything.
        glob: bool,
    },
    /// Commands, by an expression; never for an allow.
    CommandRegex(String),
    /// Files that are read.
    Read(String),
    /// Files that are changed.
    Write(String),
    /// Addresses.
    Fetch(String),
    /// A tool of an MCP server.
    Mcp(String),
    /// A tool.
    Tool(String),
    /// An agent that work is given to.
    Delegate(String),
}

/// A rule of sayso's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it decides.
    pub decision: Decision,
    /// What it is about.
    pub about: About,
    /// What it is not about all the same; of the same kind.
    pub except: Vec<About>,
    /// Only for this agent.
    pub agent: Option<String>,
    /// Its author's words.
    pub reason: Option<String>,
}

/// Something that could not be carried over as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file, and where it can be told, the place.
    pub place: String,
    /// What stood there.
    pub what: String,
    /// What was done, and why.
    pub done: String,
}

/// What comes of some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Other keys of the policy, as they are written.
    pub keys: Vec<(String, String)>,
    /// What differs.
    pub notes: Vec<Note>,
}

/// A file to be read.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name, for messages.
    pub name: String,
    /// The folder that its relative patterns start from, where the system has it so.
    pub folder: Option<String>,
    /// What is in it.
    pub text: String,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is too large, no text, or not there.
    pub fn read(path: &Path) -> Result<File, ImportError> {
        const LONGEST: u64 = 4 << 20;
        let name = path.display().to_string();
        let not_read = |source| ImportError::NotRead {
            name: name.clone(),
            source,
        };
        let size = std::fs::metadata(path).map_err(not_read)?.len();
        if size > LONGEST {
            return Err(ImportError::TooLarge { name, size });
        }
        let text = std::fs::read_to_string(path).map_err(not_read)?;
        let folder = std::fs::canonicalize(path)
            .ok()
            .and_then(|path| Some(path.parent()?.display().to_string()));
        Ok(File { name, folder, text })
    }
}

/// Makes rules of the files of a system, which count together.
///
/// # Errors
/// If a file is none of that system.
pub fn import(system: System, files: &[File]) -> Result<Imported, ImportError> {
    (system.0.import)(files).map(Imported::checked)
}

impl Imported {
    /// The rules for one agent of this machine, and nothing else of what its files say: a mode or a default would be one for everybody.
    #[must_use]
    pub fn only_for(mut self, agent: &str) -> Imported {
        for (key, value) in std::mem::take(&mut self.keys) {
            self.note(
                "the settings",
                &format!("{key}: {value}"),
                "left out: it would count for every agent; set it yourself if you want it",
            );
        }
        for mut rule in std::mem::take(&mut self.rules) {
            match (&rule.agent, rule.decision) {
                (Some(part), Decision::Allow) => {
                    let what = format!("a rule for `{part}`");
                    self.note(
                        "the rules",
                        &what,
                        "left out: it is for a part of the agent only, so it asks",
                    );
                }
                // For more than it was, which is stricter.
                _ => {
                    rule.agent = Some(agent.to_owned());
                    self.push(rule);
                }
            }
        }
        self
    }

    pub(crate) fn add(&mut self, decision: Decision, about: About) {
        self.push(Rule {
            decision,
            about,
            except: Vec::new(),
            agent: None,
            reason: None,
        });
    }

    pub(crate) fn push(&mut self, rule: Rule) {
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }

    pub(crate) fn note(&mut self, place: &str, what: &str, done: impl Into<String>) {
        self.notes.push(Note {
            place: place.to_owned(),
            what: what.to_owned(),
            done: done.into(),
        });
    }
}

/// A rule of a system in which a later one replaces an earlier one, the last first to count.
pub(crate) struct Ordered {
    pub rule: Rule,
    /// It could not be said exactly: then it is stricter than it was, and no exception of another one.
    pub exact: bool,
}

/// Takes the order out: whatever a later rule loosens is an exception of the earlier one.
pub(crate) fn without_order(list: Vec<Ordered>, out: &mut Imported) {
    let rules: Vec<Rule> = list
        .iter()
        .enumerate()
        .map(|(index, ordered)| {
            let later = list.iter().skip(index + 1);
            let loosens = |later: &&Ordered| {
                later.exact
                    && later.rule.decision < ordered.rule.decision
                    && std::mem::discriminant(&later.rule.about)
                        == std::mem::discriminant(&ordered.rule.about)
                    && (later.rule.agent.is_none() || later.rule.agent == ordered.rule.agent)
            };
            let mut rule = ordered.rule.clone();
            for one in later.filter(loosens).map(|later| later.rule.about.clone()) {
                if !rule.except.contains(&one) {
                    rule.except.push(one);
                }
            }
            rule
        })
        .collect();
    // One whose exceptions hold all of it is none.
    rules
        .into_iter()
        .filter(|rule| !rule.except.contains(&rule.about))
        .for_each(|rule| out.push(rule));
}
