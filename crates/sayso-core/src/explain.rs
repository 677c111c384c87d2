//! A verdict in plain words. Every door says it in these words and no others.

use crate::effect::{Effect, EffectKind, Target};
use crate::operation::Operation;
use crate::tool::{Kind, Role};
use crate::verdict::{Confirm, Decision, Reason, Tier, Verdict};
use crate::visible::visible;

/// One line: the decision, the risk, and the danger if there is one.
pub fn headline(verdict: &Verdict) -> String {
    let decision = match (verdict.decision, verdict.confirm) {
        (Decision::Ask, Confirm::Double) => "ask twice",
        (decision, _) => decision.word(),
    };
    match verdict.tier {
        Tier::None => format!("{decision} ({} risk)", verdict.risk.word()),
        tier => format!("{decision} ({} risk, {})", verdict.risk.word(), tier.word()),
    }
}

/// What is asked, as people read it: `terminal(git status)`, `file_edit(src/a.rs)`.
pub fn subject(operation: &Operation) -> String {
    let kind = operation.kind();
    let ends = operation.text(Role::From).zip(operation.text(Role::To));
    let text = match kind {
        Kind::Mcp => {
            let (server, tool) = (operation.text(Role::Server).unwrap_or_default(), operation.text(Role::ServerTool).unwrap_or_default());
            format!("mcp({server}/{tool})")
        }
        Kind::Custom => format!(
            "{}({})",
            operation.tool(),
            operation.args().entries().iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>().join(", ")
        ),
        Kind::FileGrep => {
            let folder = operation.text(Role::Path).unwrap_or(".");
            format!("file_grep({} in {folder})", operation.text(Role::Find).unwrap_or_default())
        }
        _ => {
            let main =
                [Role::Command, Role::Path, Role::NamePattern, Role::Url, Role::Agent].into_iter().find_map(|role| operation.text(role));
            match ends {
                Some((from, to)) => format!("{}({from} to {to})", kind.word()),
                None => format!("{}({})", kind.word(), main.unwrap_or_default()),
            }
        }
    };
    visible(&text).into_owned()
}

/// One effect in words, as the rest of a sentence that starts with "it": "deletes /ws/build with everything below".
pub fn effect(effect: &Effect) -> String {
    let target = match &effect.target {
        Target::Nothing | Target::Command => String::new(),
        Target::Path(place) => {
            let path = place.fact.as_ref().map_or(place.written.as_str(), |fact| fact.canonical.as_str());
            let links = place.fact.as_ref().is_some_and(|fact| !fact.links.is_empty());
            if links { format!(" {path} (through the link {})", place.written) } else { format!(" {path}") }
        }
        Target::UnknownPath(written) => format!(" a file that is only known when it runs ({written})"),
        Target::Url(url) => format!(" {}", url.written),
        Target::Host(host) => format!(" {host}"),
        Target::Tool(name) => format!(" (the tool {name})"),
        Target::McpTool { server, tool } => format!(" ({tool} of the MCP server {server})"),
        Target::Agent(name) => format!(" {name}"),
    };
    let (sure, unsure) = verbs(effect);
    let mut out = if effect.certain { format!("{sure}{target}") } else { format!("may {unsure}{target}") };
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
        EffectKind::Write if effect.manner.repository => ("changes git's data in", "change git's data in"),
        EffectKind::Write => ("writes", "write"),
        EffectKind::Delete => ("deletes", "delete"),
        EffectKind::Run if effect.manner.known_program => ("runs a program that does nothing else", "run a program"),
        EffectKind::Run if matches!(effect.target, Target::Agent(_)) => ("sets another agent to work:", "set another agent to work:"),
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

/// One reason with its place. A rule without a name goes by its place, which is then told once.
pub fn because(reason: &Reason) -> String {
    let place = if reason.rule == reason.source { reason.source.clone() } else { format!("{}, {}", reason.rule, reason.source) };
    format!("  because {} [{}]", visible(&reason.text), visible(&place))
}

/// What it would do, line by line. That a program with listed effects runs is no news, and one sentence is enough for each thing.
pub fn effects(verdict: &Verdict, out: &mut Vec<String>) {
    for one in verdict.effects.iter().filter(|one| !(one.kind == EffectKind::Run && one.manner.known_program)) {
        let line = format!("  it {}", effect(one));
        if !out.contains(&line) {
            out.push(line);
        }
    }
}

/// The whole explanation, line by line: what, why, what it would do.
pub fn lines(operation: &Operation, verdict: &Verdict) -> Vec<String> {
    let mut out = vec![first_line(operation, verdict)];
    out.extend(verdict.reasons.iter().map(because));
    effects(verdict, &mut out);
    out
}

/// What an agent is told when its call is denied.
pub fn denial(verdict: &Verdict, note: Option<&str>) -> String {
    let why = verdict.reasons.first().map_or("no reason was given", |reason| reason.text.as_str());
    let note = note.map(|note| format!(" The person says: {}.", visible(note))).unwrap_or_default();
    format!("denied: {}.{note} Nothing was changed.", visible(why))
}
