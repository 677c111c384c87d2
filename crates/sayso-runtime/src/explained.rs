//! A verdict with everything behind it: the word that made it so, the parts of the command and what each of them does.

use std::collections::HashSet;

use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::answer::explain;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::policy::command_pattern::{CommandPattern, Form, Reach};
use sayso_core::policy::decision::Decision;
use sayso_core::text::visible::visible;
use sayso_gate::pipeline::Judged;

/// Places in the text that are pointed at; of more, nobody looks at any.
const MOST_CARETS: usize = 4;

/// The lines behind the verdict, for `--explain`.
pub fn lines(operation: &Operation, judged: &Judged) -> Vec<String> {
    let mut out = vec![explain::first_line(operation, &judged.verdict)];
    reasons(
        operation.command().unwrap_or_default(),
        &judged.verdict,
        &mut out,
    );
    if judged.reading.commands.is_empty() {
        explain::effects(&judged.verdict, &mut out);
    }
    parts(judged, &mut out);
    proposals(judged, &mut out);
    out
}

/// The reasons: with the line of the command and a mark under the word that made it so, where there is one.
fn reasons(text: &str, verdict: &Verdict, out: &mut Vec<String>) {
    let mut marked: Vec<(usize, usize)> = Vec::new();
    let mut said = HashSet::new();
    for reason in &verdict.reasons {
        let line = explain::because(reason);
        // The same words twice are no second reason, whichever check they come from.
        if !said.insert(reason.text()) {
            continue;
        }
        let place = reason.at.filter(|at| {
            reason.decision > Decision::Allow && marked.len() < MOST_CARETS && !marked.contains(at)
        });
        if let Some(lines) = place.and_then(|place| caret(text, place)) {
            out.extend(lines);
            marked.extend(place);
        }
        out.push(line);
    }
}

/// The line of a place, and the mark under it.
fn caret(text: &str, (start, end): (usize, usize)) -> Option<[String; 2]> {
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let line_end = text
        .get(start..)?
        .find('\n')
        .map_or(text.len(), |at| start + at);
    let marked = text.get(start..end.min(line_end))?;
    // Columns count what is shown, where a control character is longer than one.
    let indent = visible(text.get(line_start..start)?).chars().count();
    let width = visible(marked).chars().count().max(1);
    Some([
        format!("    {}", visible(text.get(line_start..line_end)?)),
        format!("    {}{}", " ".repeat(indent), "^".repeat(width)),
    ])
}

/// Every command of the line with its effects.
fn parts(judged: &Judged, out: &mut Vec<String>) {
    let reading = &judged.reading;
    if reading.commands.is_empty() {
        return;
    }
    out.push("  parts:".to_owned());
    for (number, command) in reading.commands.iter().enumerate() {
        let words = if command.words.is_empty() {
            "(no command)".to_owned()
        } else {
            command.words.join(" ")
        };
        let behind = if command.wrappers.is_empty() {
            String::new()
        } else {
            format!("  behind {}", command.wrappers.join(", "))
        };
        out.push(format!(
            "    {}. {}{}",
            number + 1,
            visible(&words),
            visible(&behind)
        ));
        let mut said: Vec<String> = Vec::new();
        for effect in judged
            .verdict
            .effects
            .iter()
            .filter(|effect| effect.part == Some(number))
        {
            let line = format!("       {}", explain::effect(effect));
            if !is_no_news(effect) && !said.contains(&line) {
                said.push(line);
            }
        }
        if said.is_empty() {
            said.push("       touches no file and nothing else".to_owned());
        }
        out.extend(said);
    }
}

fn is_no_news(effect: &Effect) -> bool {
    effect.kind == EffectKind::Run && effect.manner.known_program
}

/// What an answer "always" could store, where one may be given at all.
fn proposals(judged: &Judged, out: &mut Vec<String>) {
    let verdict = &judged.verdict;
    if verdict.decision != Decision::Ask || verdict.reasons.iter().any(|reason| reason.must_ask) {
        return;
    }
    let asks = |number: usize| {
        let part = |effect: &&Effect| {
            effect.part == Some(number) && !is_no_news(effect) && effect.kind != EffectKind::Read
        };
        judged.reading.effects.iter().any(|effect| part(&effect))
    };
    for (_, command) in judged
        .reading
        .commands
        .iter()
        .enumerate()
        .filter(|(number, _)| asks(*number))
    {
        for pattern in sayso_shell::proposals(command) {
            // A pattern is only shown if it would do what it promises.
            let fits = CommandPattern::parse(&pattern, Form::Words, &sayso_shell::Bash).is_ok_and(
                |parsed| parsed.matches(command, Reach::Narrow) && !parsed.is_overly_broad(),
            );
            if fits {
                out.push(format!("  always could be: allow `{}`", visible(&pattern)));
            }
        }
    }
}
