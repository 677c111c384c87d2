//! What was brought along, as a policy file and as a report.

use std::fmt::Write as _;

use sayso_core::policy::decision::Decision;
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::text::count as nouns;
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_core::text::json;
use sayso_core::text::visible::visible;
use sayso_shell::Bash;

use super::patterns::any_command;
use super::{About, Imported, Rule};

impl Imported {
    /// Looks at each rule as a policy would. One that cannot be read is left out where it allows, and is for everything of its kind where it
    /// does not: nothing gets looser by it.
    pub(crate) fn checked(mut self) -> Imported {
        let rules = std::mem::take(&mut self.rules);
        for mut rule in rules {
            let bare = Rule {
                except: Vec::new(),
                ..rule.clone()
            };
            rule.except.retain(|about| {
                is_read(&Rule {
                    about: about.clone(),
                    ..bare.clone()
                })
            });
            if is_read(&rule) {
                self.push(rule);
                continue;
            }
            let what = matcher(&rule.about);
            if rule.decision == Decision::Allow {
                self.note(
                    "the rules",
                    &what,
                    "left out: it has no form here, so it asks",
                );
                continue;
            }
            self.note(
                "the rules",
                &what,
                "for everything of its kind: it has no form here, and less would be looser",
            );
            let about = match rule.about {
                About::Command { .. } | About::CommandRegex(_) => any_command(),
                About::Read(_) => About::Read("/**".to_owned()),
                About::Write(_) => About::Write("/**".to_owned()),
                About::Fetch(_) => About::Fetch("*://*/**".to_owned()),
                About::Mcp(_) => About::Mcp("*/*".to_owned()),
                About::Tool(_) | About::Delegate(_) => About::Tool("*".to_owned()),
            };
            self.push(Rule {
                about,
                except: Vec::new(),
                agent: None,
                ..rule
            });
        }
        self
    }
}

fn is_read(rule: &Rule) -> bool {
    let text = yaml(&Imported {
        rules: vec![rule.clone()],
        ..Imported::default()
    });
    let (layer, findings) = read(
        Source {
            name: "import",
            text: &text,
        },
        Format::Yaml,
        Origin::User,
        &Bash,
    );
    layer.is_some()
        && findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
}

/// The policy file.
pub fn yaml(imported: &Imported) -> String {
    let mut out = "version: 1\n".to_owned();
    for (key, value) in &imported.keys {
        let _ = writeln!(out, "{key}: {value}");
    }
    if !imported.rules.is_empty() {
        out.push_str("rules:\n");
    }
    for rule in &imported.rules {
        let _ = writeln!(
            out,
            "  - {}: {}",
            rule.decision.word(),
            matcher(&rule.about)
        );
        if let Some(first) = rule.except.first() {
            let _ = writeln!(out, "    except: {}", exceptions(first, &rule.except));
        }
        if let Some(agent) = &rule.agent {
            let _ = writeln!(out, "    when: {{agent: {}}}", json::quote(agent));
        }
        if let Some(reason) = &rule.reason {
            let _ = writeln!(out, "    reason: {}", json::quote(reason));
        }
    }
    out
}

fn parts(about: &About) -> (&'static str, &str, &'static str) {
    match about {
        About::Command {
            pattern,
            glob: false,
        } => ("command", pattern, ""),
        About::Command {
            pattern,
            glob: true,
        } => ("command", pattern, ", as: glob"),
        About::CommandRegex(expression) => ("command_regex", expression, ""),
        About::Read(path) => ("read", path, ""),
        About::Write(path) => ("write", path, ""),
        About::Fetch(address) => ("fetch", address, ""),
        About::Mcp(name) => ("mcp", name, ""),
        About::Tool(name) => ("tool", name, ""),
        About::Delegate(name) => ("delegate", name, ""),
    }
}

pub(crate) fn matcher(about: &About) -> String {
    let (key, value, form) = parts(about);
    format!("{{{key}: {}{form}}}", json::quote(value))
}

/// All exceptions are of one form: where one of them is a text with `*`, the others can be said as such.
fn exceptions(first: &About, all: &[About]) -> String {
    let (key, _, _) = parts(first);
    let form = all
        .iter()
        .map(|about| parts(about).2)
        .find(|form| !form.is_empty())
        .unwrap_or_default();
    let values: Vec<String> = all
        .iter()
        .map(|about| json::quote(parts(about).1))
        .collect();
    format!("{{{key}: [{}]{form}}}", values.join(", "))
}

/// What differs, for a person.
pub fn report(imported: &Imported) -> String {
    let mut out = String::new();
    let count = |decision: Decision| {
        imported
            .rules
            .iter()
            .filter(|rule| rule.decision == decision)
            .count()
    };
    let number = imported.rules.len();
    let keys: Vec<&str> = imported
        .keys
        .iter()
        .map(|(key, _)| key.as_str())
        .filter(|key| *key != "profile")
        .collect();
    if number > 0 || keys.is_empty() {
        let (deny, ask, allow) = (
            count(Decision::Deny),
            count(Decision::Ask),
            count(Decision::Allow),
        );
        let rules = nouns::count(number, "rule");
        let _ = writeln!(out, "{rules}: {deny} deny, {ask} ask, {allow} allow");
    }
    if !keys.is_empty() {
        let _ = writeln!(out, "keys that it sets: {}", visible(&keys.join(", ")));
    }
    if imported.notes.is_empty() {
        out.push_str("everything could be carried over as it was\n");
    }
    for note in &imported.notes {
        let _ = writeln!(
            out,
            "{}: `{}`\n  {}",
            visible(&note.place),
            visible(&note.what),
            visible(&note.done)
        );
    }
    out
}
