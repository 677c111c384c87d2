//! Policies of other agents, brought along: each file becomes rules of sayso's own, never looser than it was, with a report of what differs.
//!
//! Every system reads its rules in an order of its own (the first denial, the last match, the highest priority, the longest prefix). sayso's
//! rules have none: the strictest counts. So the order is taken out here, once: where a later rule loosens an earlier one, it becomes an
//! exception of it; where it tightens, nothing needs to be done.

mod claude;
mod codex;
mod gemini;
mod jsonc;
mod opencode;
mod patterns;
mod seeds;
mod smaller;
mod write;
mod zed;

use std::path::Path;

use sayso_core::policy::decision::Decision;

pub use write::{report, yaml};

/// A system whose policy can be brought along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum System {
    /// Claude Code: `settings.json`.
    Claude,
    /// Codex: `*.rules`.
    Codex,
    /// Gemini CLI: `policies/*.toml`.
    Gemini,
    /// opencode: `opencode.json`.
    Opencode,
    /// Zed: `settings.json`.
    Zed,
    /// Roo Code: `settings.json` of the editor.
    Roo,
    /// Cline: a file with `allow` and `deny`.
    Cline,
    /// goose: `permission.yaml`.
    Goose,
    /// crush: `crush.json`.
    Crush,
    /// kollabor: its keys are sayso's, too.
    Kollabor,
    /// The specification of kollabor.
    KollaborSpec,
    /// llm-do.
    LlmDo,
    /// forge.
    Forge,
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
    pub fn read(path: &Path) -> Result<File, String> {
        const LONGEST: u64 = 4 << 20;
        let name = path.display().to_string();
        let size = std::fs::metadata(path)
            .map_err(|error| format!("`{name}` cannot be read: {error}"))?
            .len();
        if size > LONGEST {
            return Err(format!("`{name}` is too large: {size} bytes"));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("`{name}` cannot be read: {error}"))?;
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
pub fn import(system: System, files: &[File]) -> Result<Imported, String> {
    let imported = match system {
        System::Claude => claude::import(files),
        System::Codex => codex::import(files),
        System::Gemini => gemini::import(files),
        System::Opencode => opencode::import(files),
        System::Zed => zed::import(files),
        System::Roo => smaller::roo(files),
        System::Cline => smaller::cline(files),
        System::Goose => smaller::goose(files),
        System::Crush => smaller::crush(files),
        System::Kollabor => seeds::import(files, "kollabor"),
        System::KollaborSpec => seeds::import(files, "kollabor-spec"),
        System::LlmDo => seeds::import(files, "llm-do"),
        System::Forge => seeds::import(files, "forge"),
    };
    imported.map(Imported::checked)
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

    fn add(&mut self, decision: Decision, about: About) {
        self.push(Rule {
            decision,
            about,
            except: Vec::new(),
            agent: None,
            reason: None,
        });
    }

    fn push(&mut self, rule: Rule) {
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }

    fn note(&mut self, place: &str, what: &str, done: impl Into<String>) {
        self.notes.push(Note {
            place: place.to_owned(),
            what: what.to_owned(),
            done: done.into(),
        });
    }
}

/// A rule of a system in which a later one replaces an earlier one, the last first to count.
struct Ordered {
    rule: Rule,
    /// It could not be said exactly: then it is stricter than it was, and no exception of another one.
    exact: bool,
}

/// Takes the order out: whatever a later rule loosens is an exception of the earlier one.
fn without_order(list: Vec<Ordered>, out: &mut Imported) {
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
