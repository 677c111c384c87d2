//! A shell command: all of it, never cut, with what it would do in words.

use sayso_core::analysis::draft::Command;
use sayso_core::call::tool::Role;
use sayso_core::policy::terms::Network;
use sayso_core::prompt::presentation::Body;
use sayso_core::text::duration;
use sayso_core::text::json;
use sayso_core::text::visible::visible;

use super::effect_lines::Teller;
use super::{About, Made, marks, scripts};

/// So many parts of a line are told one by one.
const MOST_PARTS: usize = 20;

/// The presentation of a command.
pub(super) fn make(about: About<'_>) -> Made {
    let text = about.operation.command().unwrap_or_default();
    let teller = Teller::new(about);
    let body = Body::Command {
        lines: text
            .split('\n')
            .map(|line| visible(line).into_owned())
            .collect(),
        marks: marks::all(text, about.reading),
        folder: visible(&about.operation.cwd()).into_owned(),
        parts: teller.parts(),
        effects: teller.effects(),
    };
    let mut made = Made::of(body);
    if let Some(limit) = time_limit(about) {
        made = made.detail("time limit of the command", limit);
    }
    if let Some(words) = sandbox(about) {
        made = made.detail("sandbox", words);
    }
    for (name, value) in about.operation.environment() {
        made = made.detail("environment", visible(&format!("{name}={value}")));
    }
    made.details.extend(parts(about));
    scripts::add(about, &mut made);
    made
}

/// What a sandbox lets it do, where it has to run in one.
pub(super) fn sandbox(about: About<'_>) -> Option<String> {
    let terms = &about.verdict.terms;
    let network = match &terms.network {
        Network::Nothing => "no network".to_owned(),
        Network::Hosts(hosts) => format!("only {} of the network", hosts.join(", ")),
        Network::Everything => "the whole network".to_owned(),
    };
    let writes = if terms.write.is_empty() {
        "nothing".to_owned()
    } else {
        terms.write.join(", ")
    };
    terms
        .sandbox_required
        .then(|| visible(&format!("yes: it writes {writes}, and has {network}")).into_owned())
}

/// How long the command may run, as the policy has it or the call: agents count in seconds or in milliseconds, and only the name of the argument may tell.
pub(super) fn time_limit(about: About<'_>) -> Option<String> {
    let Some(node) = about.operation.argument(Role::TimeLimit) else {
        return about.verdict.terms.time_limit.map(duration::words);
    };
    let entry = about
        .operation
        .args()
        .entries()
        .iter()
        .find(|entry| std::ptr::eq(&entry.node, node))?;
    match node.as_whole() {
        Some(number) if entry.key.ends_with("_ms") => Some(duration::from_milliseconds(number)),
        // Whether these are seconds or milliseconds is the agent's own matter.
        _ => Some(visible(&format!("{} ({})", json::write(node), entry.key)).into_owned()),
    }
}

/// The commands of a line one by one, and which program each of them starts.
fn parts(about: About<'_>) -> Vec<(String, String)> {
    let commands = &about.reading.commands;
    let file = |index: usize| about.reading.programs.get(index)?.as_ref();
    let mut out = Vec::new();
    for (index, command) in commands.iter().enumerate().take(MOST_PARTS) {
        let program = file(index).map(|fact| match (&fact.file, fact.inside_workspace) {
            (None, _) => "its program is not found".to_owned(),
            (Some(file), true) => format!("{file}, a program of this workspace"),
            (Some(file), false) => file.clone(),
        });
        let program = program.map(|program| visible(&program).into_owned());
        match (commands.len(), program) {
            (1, None) => {}
            (1, Some(program)) => out.push(("program".to_owned(), program)),
            (_, None) => out.push((format!("part {}", index + 1), typed(command, usize::MAX))),
            (_, Some(program)) => out.push((
                format!("part {}", index + 1),
                format!("{} ({program})", typed(command, usize::MAX)),
            )),
        }
    }
    if commands.len() > MOST_PARTS {
        out.push((
            "parts".to_owned(),
            format!("and {} more", commands.len() - MOST_PARTS),
        ));
    }
    out
}

/// One command as it would be typed; one that is only known when it runs stands as it is written, with `‹…›` where not even that is known.
///
/// Only so many of its words are there; wrappers are no words.
pub(super) fn typed(command: &Command, most: usize) -> String {
    let words = command
        .wrappers
        .iter()
        .chain(command.words.iter().take(most))
        .cloned()
        .collect::<Vec<_>>();
    let typed = if command.literal {
        sayso_shell::quote(&words)
    } else {
        words.join(" ")
    };
    // The reader puts such characters in the place of what it cannot know, and refuses texts that have them.
    let is_open = |letter: char| ('\u{f0000}'..='\u{ffffd}').contains(&letter);
    let mut out = String::new();
    for (index, piece) in typed.split(is_open).enumerate() {
        if index > 0 && !out.ends_with("‹…›") {
            out.push_str("‹…›");
        }
        out.push_str(&visible(piece));
    }
    out
}
