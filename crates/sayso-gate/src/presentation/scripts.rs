//! What a command runs without having it in its words: a few lines stand beside the command, more below it.

use sayso_core::answer::rule_id::RuleId;
use sayso_core::prompt::presentation::Body;
use sayso_core::text::sentence;
use sayso_core::text::visible::visible;

use super::{About, Made};
use crate::scripts::{Script, find};

/// Up to so many lines stand beside the command; more are looked at as a text of their own.
const LINES: usize = 8;
/// Longer lines as well.
const WIDEST: usize = 200;

/// Adds the scripts of a command to what is shown of it.
pub(super) fn add(about: About<'_>, made: &mut Made) {
    let found = find(about.world, about.operation, about.reading);
    made.warnings.extend(
        found
            .lacks
            .iter()
            .map(|lacks| format!("not all that it runs is shown: {lacks}")),
    );
    let scripts = found.scripts;
    let lines: Vec<Vec<String>> = scripts
        .iter()
        .map(|script| {
            script
                .shown
                .lines()
                .map(|line| visible(line).into_owned())
                .collect()
        })
        .collect();
    let all = lines.iter().flatten();
    let is_short =
        all.clone().count() <= LINES && all.clone().all(|line| line.chars().count() <= WIDEST);
    let text = about.operation.command().unwrap_or_default();
    let mut whole: Vec<String> = text
        .split('\n')
        .map(|line| visible(line).into_owned())
        .collect();
    let own = whole.len();
    for (script, lines) in scripts.iter().zip(lines) {
        let label = visible(&script.name).into_owned();
        if is_short {
            let labels = std::iter::once(label).chain(std::iter::repeat(String::new()));
            made.deciding.extend(labels.zip(lines));
        } else {
            made.details.push((
                label,
                format!("{}, in {}", count(lines.len()), visible(&script.folder)),
            ));
            whole.extend([String::new(), heading(script, lines.len())]);
            // Each line has a mark, so that none of them passes for a heading.
            whole.extend(lines.iter().map(|line| format!("│ {line}")));
        }
        let dangers = script
            .shell
            .as_deref()
            .map(|text| sayso_shell::analyse(text).dangers)
            .unwrap_or_default();
        let of_it =
            |rule: &RuleId| matches!(rule, RuleId::Script { name, .. } if *name == script.name);
        let is_told = about
            .verdict
            .reasons
            .iter()
            .any(|reason| of_it(&reason.rule) && reason.cause.deletes());
        // What an effect shows as well is said with what it is done to.
        for danger in dangers
            .iter()
            .filter(|danger| !(danger.shown_by_effect && is_told))
        {
            made.warnings.push(
                visible(&format!(
                    "in {}: {}",
                    script.name,
                    sentence::whole(&danger.what)
                ))
                .into_owned(),
            );
        }
        if let Some(lacks) = script.lacks {
            made.warnings
                .push(visible(&format!("{}: {lacks}", script.name)).into_owned());
        }
    }
    if whole.len() > own {
        made.shown = own;
        made.full = Some(Body::Text(whole));
    }
}

fn heading(script: &Script, lines: usize) -> String {
    let name = visible(&script.name);
    let folder = visible(&script.folder);
    format!("── {name} · {} · in {folder} ──", count(lines))
}

fn count(lines: usize) -> String {
    if lines == 1 {
        "1 line".to_owned()
    } else {
        format!("{lines} lines")
    }
}
