//! A verdict in plain words. Every door says it in these words and no others.

use std::collections::HashSet;

use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::answer::verdict::{Confirm, Reason, Verdict};
use crate::call::operation::Operation;
use crate::call::tool::{Kind, Role};
use crate::policy::decision::Decision;
use crate::text::json;
use crate::text::node::Node;
use crate::text::redact::redact;
use crate::text::sentence;
use crate::text::visible::visible;

/// One line: the decision, and how bad it is on the one scale that people see.
pub fn headline(verdict: &Verdict) -> String {
    let decision = match (verdict.decision, verdict.confirm) {
        (Decision::Ask, Confirm::Double) => "ask twice",
        (decision, _) => decision.word(),
    };
    format!("{decision} ({})", verdict.level().words())
}

/// So much of one value, and of all arguments, stands in a subject.
const MAX_VALUE: usize = 60;
const MAX_ARGUMENTS: usize = 240;
/// So much of a long text is looked at for secrets before it is folded.
const MAX_LOOKED_AT: usize = 4096;

/// What is asked, as people read it, by the name that the caller uses: `terminal(git status)`, `file_edit(src/a.rs)`, `mcp(mail/send: to="me")`.
///
/// The arguments of tools that sayso does not know stand there without secrets, and folded.
pub fn subject(operation: &Operation) -> String {
    let kind = operation.kind();
    let ends = operation.text(Role::From).zip(operation.text(Role::To));
    let text = match kind {
        Kind::Mcp => {
            let (server, tool) = (
                operation.text(Role::Server).unwrap_or_default(),
                operation.text(Role::ServerTool).unwrap_or_default(),
            );
            match operation
                .argument(Role::Arguments)
                .map(arguments)
                .unwrap_or_default()
            {
                none if none.is_empty() => format!("mcp({server}/{tool})"),
                arguments => format!("mcp({server}/{tool}: {arguments})"),
            }
        }
        Kind::Custom => format!("{}({})", operation.tool(), arguments(operation.args())),
        Kind::FileGrep => {
            let folder = operation.text(Role::Path).unwrap_or(".");
            format!(
                "{}({} in {folder})",
                operation.tool(),
                operation.text(Role::Find).unwrap_or_default()
            )
        }
        _ => {
            let main = [
                Role::Command,
                Role::Path,
                Role::NamePattern,
                Role::Url,
                Role::Agent,
            ]
            .into_iter()
            .find_map(|role| operation.text(role));
            match ends {
                Some((from, to)) => format!("{}({from} to {to})", operation.tool()),
                None => format!("{}({})", operation.tool(), main.unwrap_or_default()),
            }
        }
    };
    visible(&text).into_owned()
}

/// What kind of tool it is, where the caller has another name for it.
pub fn kind_beside(operation: &Operation) -> Option<&'static str> {
    Some(operation.kind().word()).filter(|word| *word != operation.tool())
}

/// Names and values of arguments, without secrets: `to="me", body="It is…"`.
fn arguments(args: &Node) -> String {
    let mut out = String::new();
    for (at, entry) in args.entries().iter().enumerate() {
        let value = match entry.node.as_text() {
            Some(text) => Node::text(
                text.get(..text.floor_char_boundary(MAX_LOOKED_AT))
                    .unwrap_or_default(),
            ),
            None => entry.node.clone(),
        };
        // The name of an argument may say that its value is a secret.
        let clean = redact(&Node::map([(entry.key.clone(), value)]));
        let written = |node: &Node| match node.as_text() {
            // What is hidden in it is spelled out with the rest of the subject.
            Some(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            None => json::write_plain(node),
        };
        let shown = clean
            .entries()
            .iter()
            .map(|entry| folded(&written(&entry.node)))
            .collect::<String>();
        let next = format!(
            "{}{}={shown}",
            if at > 0 { ", " } else { "" },
            folded(&entry.key)
        );
        if out.len() + next.len() > MAX_ARGUMENTS {
            out.push_str(&format!(
                "{}and {} more",
                if at > 0 { ", " } else { "" },
                args.entries().len() - at
            ));
            break;
        }
        out.push_str(&next);
    }
    out
}

fn folded(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE) {
        None => text.to_owned(),
        Some((at, _)) => {
            // A quoted text stays one.
            let quote = if text.starts_with('"') { "\"" } else { "" };
            format!("{}…{quote}", text.get(..at).unwrap_or_default())
        }
    }
}

/// One effect in words: the rest of a sentence that starts with "it" ("deletes /ws/build with everything below"), or a note with a subject of its
/// own; [`sentence::whole`] makes a sentence of both.
pub fn effect(effect: &Effect) -> String {
    let target = match &effect.target {
        Target::Nothing | Target::Command => String::new(),
        Target::Path(place) => {
            let path = place
                .fact
                .as_ref()
                .map_or(place.written.as_str(), |fact| fact.canonical.as_str());
            let links = place
                .fact
                .as_ref()
                .is_some_and(|fact| !fact.links.is_empty());
            if links {
                format!(" {path} (through the link {})", place.written)
            } else {
                format!(" {path}")
            }
        }
        Target::UnknownPath(written) => {
            format!(" a file that is only known when it runs ({written})")
        }
        Target::Url(url) => format!(" {}", url.written),
        Target::Host(host) => format!(" {host}"),
        Target::Tool(name) => format!(" (the tool {name})"),
        Target::McpTool { server, tool } => format!(" ({tool} of the MCP server {server})"),
        Target::Agent(name) => format!(" {name}"),
    };
    // Where the target is no thing of its own, the note says it all: it is no "code" that asks another machine for something.
    if target.is_empty()
        && matches!(
            effect.kind,
            EffectKind::Run | EffectKind::Unknown | EffectKind::Environment | EffectKind::Privilege
        )
        && let Some(note) = &effect.note
    {
        return visible(note).into_owned();
    }
    let (sure, unsure) = verbs(effect);
    let mut out = if effect.certain {
        format!("{sure}{target}")
    } else {
        format!("may {unsure}{target}")
    };
    if effect.manner.recursive && effect.kind != EffectKind::Read {
        out.push_str(" with everything below");
    }
    if let Some(note) = effect.note.as_deref().filter(|note| *note != out) {
        out.push_str(&format!(": {note}"));
    }
    visible(&out).into_owned()
}

/// The verb of an effect: "deletes", and "delete" behind "may".
fn verbs(effect: &Effect) -> (&'static str, &'static str) {
    match effect.kind {
        EffectKind::Read => ("reads", "read"),
        EffectKind::Write if effect.manner.moved_away => ("moves away", "move away"),
        EffectKind::Write if effect.manner.makes_folder => ("makes the folder", "make the folder"),
        EffectKind::Write if effect.manner.overwrite => ("replaces", "replace"),
        EffectKind::Write if effect.manner.repository => {
            ("changes git's data in", "change git's data in")
        }
        EffectKind::Write => ("writes", "write"),
        EffectKind::Delete => ("deletes", "delete"),
        EffectKind::Run if effect.manner.known_program => {
            ("runs a program that does nothing else", "run a program")
        }
        EffectKind::Run if matches!(effect.target, Target::Agent(_)) => {
            ("sets another agent to work:", "set another agent to work:")
        }
        EffectKind::Run => ("runs code", "run code"),
        EffectKind::Connect => ("connects to", "connect to"),
        EffectKind::Environment => ("changes the environment", "change the environment"),
        EffectKind::Privilege => ("gains rights", "gain rights"),
        EffectKind::Signal => ("signals a process", "signal a process"),
        EffectKind::Unknown => ("does more than can be told", "do more than can be told"),
    }
}

/// The decision and what is asked.
pub fn first_line(operation: &Operation, verdict: &Verdict) -> String {
    format!("{}  {}", headline(verdict), subject(operation))
}

/// One reason with its place.
pub fn because(reason: &Reason) -> String {
    format!(
        "  because {} [{}]",
        visible(&reason.text()),
        visible(&reason.rule.place())
    )
}

/// What it would do, line by line. That a program with listed effects runs is no news, and one sentence is enough for each thing.
pub fn effects(verdict: &Verdict, out: &mut Vec<String>) {
    for one in verdict
        .effects
        .iter()
        .filter(|one| !(one.kind == EffectKind::Run && one.manner.known_program))
    {
        let line = format!("  {}", sentence::whole(&effect(one)));
        if !out.contains(&line) {
            out.push(line);
        }
    }
}

/// The whole explanation, line by line: what, why, what it would do.
pub fn lines(operation: &Operation, verdict: &Verdict) -> Vec<String> {
    let mut out = vec![first_line(operation, verdict)];
    let (mut others, mut told) = (Vec::new(), HashSet::new());
    for reason in &verdict.reasons {
        // The same words twice are no second reason, whichever check they come from.
        if !told.insert((reason.decision, reason.text())) {
            continue;
        }
        if reason.decision == verdict.decision {
            out.push(because(reason))
        } else {
            others.push(because(reason))
        }
    }
    out.append(&mut others);
    effects(verdict, &mut out);
    out
}

/// What an agent is told when its call is denied.
pub fn denial(verdict: &Verdict, note: Option<&str>) -> String {
    let why = verdict
        .reasons
        .first()
        .map_or_else(|| "no reason was given".to_owned(), Reason::text);
    let note = note
        .map(|note| format!(" The person says: {}.", visible(note)))
        .unwrap_or_default();
    format!("denied: {}.{note} Nothing was changed.", visible(&why))
}
