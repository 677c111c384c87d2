//! sayso's rules in the words of other agents, for where sayso is not in front of them: never looser, with a report of what cannot be said.
//!
//! What an allow cannot be said exactly is left out there, so that the agent asks. A denial or a question that cannot be said exactly is said
//! wider where that is possible; where it is not, the report says so, since nothing there stands for it.

use std::fmt;

use sayso_core::paths::alternatives_of;
use sayso_core::policy::command_pattern::Form;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::rule::{Rule, Subject};

use crate::import::Note;

/// How rules are written for a system.
pub struct Writer {
    /// The name of the system on the command line.
    pub name: &'static str,
    /// What the help of the command line says of it.
    pub help: &'static str,
    /// Writes them.
    pub(crate) write: fn(&[Part<'_>], &mut Exported),
}

/// A system whose rules can be written. The registry names all of them.
#[derive(Clone, Copy)]
pub struct System(&'static Writer);

impl System {
    /// The system that is written so.
    pub const fn new(writer: &'static Writer) -> System {
        System(writer)
    }

    /// How it is written.
    pub fn writer(self) -> &'static Writer {
        self.0
    }
}

impl fmt::Debug for System {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.name)
    }
}

/// A file of another system, and what it does not say.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The file.
    pub text: String,
    /// What differs.
    pub notes: Vec<Note>,
}

/// One thing that a rule is about, one pattern each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    /// These words, and further ones if it is open.
    Words {
        words: String,
        open: bool,
    },
    /// A text in which `*` is anything.
    Glob(String),
    Read(String),
    Write(String),
    /// A host, and whether all of it is meant.
    Host {
        host: String,
        whole: bool,
    },
    Mcp {
        server: String,
        tool: String,
    },
    Tool(String),
    Delegate(String),
    // What has no form in any of them.
    CommandRegex,
    CommandPattern,
    Address,
    Deletion,
    Anything,
}

/// A rule, taken apart.
pub(crate) struct Part<'a> {
    pub rule: &'a Rule,
    pub thing: Thing,
    /// It is said wider than it is, since its exceptions and conditions cannot be said.
    wider: bool,
}

/// Writes rules for a system.
pub fn export(system: System, rules: &[Rule]) -> Exported {
    let mut out = Exported::default();
    let mut parts: Vec<Part<'_>> = Vec::new();
    for rule in rules {
        let narrowed = rule.except.is_some() || !rule.when.is_always();
        if narrowed && rule.decision == Decision::Allow {
            out.note(
                rule,
                "left out: its exceptions or conditions have no form there, so it asks",
            );
            continue;
        }
        parts.extend(things(rule).into_iter().map(|thing| Part {
            rule,
            thing,
            wider: narrowed,
        }));
    }
    for part in parts.iter().filter(|part| part.wider) {
        out.note(
            part.rule,
            "wider: its exceptions or conditions have no form there",
        );
    }
    (system.0.write)(&parts, &mut out);
    out
}

impl Exported {
    fn note(&mut self, rule: &Rule, done: &str) {
        let note = Note {
            place: rule.source.clone(),
            what: format!("{} {}", rule.decision.word(), rule.matcher.in_words()),
            done: done.to_owned(),
        };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Notes what could not be said.
    pub(crate) fn cannot(&mut self, rule: &Rule) {
        let done = match rule.decision {
            Decision::Allow => "left out: it has no form there, so it asks",
            Decision::Ask | Decision::Deny => {
                "NOT SAID: it has no form there, and nothing stands for it; keep sayso in front of it"
            }
        };
        self.note(rule, done);
    }
}

fn things(rule: &Rule) -> Vec<Thing> {
    let strict = rule.decision != Decision::Allow;
    match &rule.matcher.subject {
        Subject::Command(patterns) => patterns
            .iter()
            .flat_map(|pattern| {
                let texts = if pattern.form() == Form::Words || pattern.form() == Form::Prefix {
                    alternatives_of(&pattern.written).unwrap_or_default()
                } else {
                    vec![pattern.written.clone()]
                };
                let form = pattern.form();
                texts
                    .into_iter()
                    .map(move |text| command(&text, form, strict))
                    .collect::<Vec<_>>()
            })
            .collect(),
        Subject::Read(paths) => paths
            .iter()
            .flat_map(|path| alternatives_of(&path.written).unwrap_or_default())
            .map(Thing::Read)
            .collect(),
        Subject::Write(paths) => paths
            .iter()
            .flat_map(|path| alternatives_of(&path.written).unwrap_or_default())
            .map(Thing::Write)
            .collect(),
        Subject::Fetch(addresses) => addresses
            .iter()
            .map(|address| host(&address.written))
            .collect(),
        Subject::Mcp(names) => names
            .iter()
            .filter_map(|name| name.written.split_once('/'))
            .map(|(server, tool)| Thing::Mcp {
                server: server.to_owned(),
                tool: tool.to_owned(),
            })
            .collect(),
        Subject::Tool(names) => names
            .iter()
            .map(|name| Thing::Tool(name.written.clone()))
            .collect(),
        Subject::Delegate(names) => names.iter().cloned().map(Thing::Delegate).collect(),
        Subject::CommandRegex(_) => vec![Thing::CommandRegex],
        Subject::Delete(_) => vec![Thing::Deletion],
        Subject::Anything => vec![Thing::Anything],
    }
}

fn command(text: &str, form: Form, strict: bool) -> Thing {
    let text = text.trim();
    match form {
        Form::Prefix => Thing::Words {
            words: text.to_owned(),
            open: true,
        },
        Form::Exact => Thing::Words {
            words: text.to_owned(),
            open: false,
        },
        Form::Glob => Thing::Glob(text.to_owned()),
        Form::Words => {
            let (words, open) = match text.strip_suffix(" *") {
                Some(words) => (words, true),
                None if text == "*" => ("", true),
                None => (text, false),
            };
            match () {
                () if !words.contains(['*', '?', '\'', '"']) => Thing::Words {
                    words: words.to_owned(),
                    open,
                },
                // There a `*` spans anything: more than in an allow of ours, and no less than in a denial.
                () if strict && !text.contains('?') => Thing::Glob(text.to_owned()),
                () => Thing::CommandPattern,
            }
        }
    }
}

fn host(written: &str) -> Thing {
    let rest = written.split_once("://").map_or(written, |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, "**"));
    let plain = host
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || ".-*".contains(letter));
    if plain {
        Thing::Host {
            host: host.to_owned(),
            whole: path == "**",
        }
    } else {
        Thing::Address
    }
}
