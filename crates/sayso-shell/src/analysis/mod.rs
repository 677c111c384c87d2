//! Reads a text and puts together its draft: each command of the text in turn, and then what they do together.

mod carried;
mod command;
mod environment;
mod redirect_effects;
mod stale_lists;

use sayso_core::analysis::draft::{Command, Danger, Draft, Opaque};
use sayso_core::analysis::effect::{Effect, EffectKind, Manner, Target};
use sayso_core::analysis::fact::{Question, Shows};
use sayso_core::analysis::risk::Tier;

use self::command::plain;
use crate::expand::commands;
use crate::parse::bash::tree::Document;
use crate::parse::bash::{self, Refusal};
use crate::parse::placeholder;
use crate::programs::effect_builder::PLAIN;
use crate::programs::known;
use crate::unparsed::{other_shells, redirects, words};
use crate::{LONGEST, danger};

/// See [`crate::analyse`].
pub(crate) fn analyse(text: &str) -> Draft {
    analyse_inside(text, 0)
}

/// The same for a text that stands in so many other commands.
pub(crate) fn analyse_inside(text: &str, depth: usize) -> Draft {
    if text.len() > LONGEST {
        let reason = "the command is longer than 64 KiB".to_owned();
        return opaque(
            text,
            Refusal {
                reason,
                start: 0,
                end: text.len(),
            },
        );
    }
    let read = bash::read(text)
        .and_then(|document| Ok((commands::steps(&document, text, known)?, document)));
    let (steps, document) = match read {
        Ok((steps, _)) if steps.is_empty() && is_only_comments(text) => {
            let mut draft = Draft::default();
            let manner = Manner {
                known_program: true,
                ..PLAIN
            };
            draft.effects.push(Effect {
                manner,
                part: Some(0),
                at: Some((0, text.len())),
                ..Effect::new(EffectKind::Run, Target::Command)
            });
            draft.commands.push(Command {
                literal: true,
                ..Command::default()
            });
            return draft;
        }
        Ok((steps, _)) if steps.is_empty() => {
            return opaque(
                text,
                Refusal {
                    reason: "there is no command".to_owned(),
                    start: 0,
                    end: text.len(),
                },
            );
        }
        Ok(read) => read,
        Err(refusal) => return opaque(text, refusal),
    };
    let together = steps.len() > 1
        || steps
            .iter()
            .any(|step| !step.writes.is_empty() || !step.reads.is_empty());
    let mut draft = Draft {
        effects: Vec::with_capacity(2 * steps.len()),
        questions: Vec::with_capacity(2 * steps.len()),
        commands: Vec::with_capacity(steps.len()),
        ..Draft::default()
    };
    if steps.iter().any(|step| {
        step.folders
            .list()
            .iter()
            .any(|folder| placeholder::below_top(folder).is_some())
    }) {
        draft.top = Some(draft.ask(Question::GitHelpers {
            folder: ".".to_owned(),
            shows: Shows::default(),
        }));
    }
    for (part, step) in steps.into_iter().enumerate() {
        if let Err(refusal) = plain(&mut draft, part, step, depth) {
            return opaque(text, refusal);
        }
    }
    stale_lists::forget_lists(&mut draft);
    draft.ordered = stale_lists::is_ordered(text);
    if draft.opaque.is_some() {
        show_inside(text, &mut draft);
    } else if together && (acts(&draft) || text.contains('|') && feeds(&draft)) {
        // What several commands do together: a download into a shell, a device behind a redirect. Bodies of heredocs are data here.
        let bare = without_bodies(text, &document);
        add_dangers(&mut draft, danger::of_text(&bare, &words::look(&bare)));
    }
    if draft.opaque.is_none() && text.contains("<<") && danger::run_their_input(&draft.commands) {
        add_dangers(&mut draft, danger::of_text(text, &words::look(text)));
    }
    draft
}

/// Whether every line is a comment. `#!` names a program where a text is started as a file.
fn is_only_comments(text: &str) -> bool {
    let comment = |line: &str| line.is_empty() || line.starts_with("# ") || line == "#";
    text.contains('#')
        && text
            .lines()
            .all(|line| comment(line.trim_matches([' ', '\t'])))
        && !text.contains(['\\', '\r'])
}

/// Whether any part does more than look and run a program of the table: only then can several parts do harm together.
fn acts(draft: &Draft) -> bool {
    draft.commands.iter().any(|command| command.interprets)
        || draft.effects.iter().any(|effect| match effect.kind {
            EffectKind::Read => !matches!(effect.target, Target::Path(_)),
            EffectKind::Run => false,
            // Errors that nobody wants to see go there in every other line.
            EffectKind::Write => effect
                .place()
                .is_none_or(|place| place.written != "/dev/null"),
            _ => true,
        })
}

/// Whether a program that is not fully known may obey what another one prints: `printf … | make -f -`.
fn feeds(draft: &Draft) -> bool {
    draft
        .commands
        .iter()
        .any(|command| !command.modelled && danger::run_their_input(std::slice::from_ref(command)))
}

/// The text with the bodies of its heredocs taken out.
fn without_bodies(text: &str, document: &Document) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for body in &document.bodies {
        out.push_str(text.get(at..body.start).unwrap_or_default());
        at = body.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// A text that could not be read: only what can be seen in it is kept.
fn opaque(text: &str, refusal: Refusal) -> Draft {
    let refusal = match other_shells::named(text) {
        Some(shell) => Refusal {
            reason: format!("it looks like {shell}, which is not read"),
            ..refusal
        },
        None => refusal,
    };
    let seen = words::look(text);
    let dangers = danger::of_text(text, &seen);
    let effects = vec![Effect::unknown(refusal.reason.clone())];
    let mut draft = Draft {
        effects,
        dangers,
        ..Draft::default()
    };
    redirects::list(&mut draft, text, &seen);
    draft.opaque = Some(Opaque {
        reason: refusal.reason,
        start: refusal.start,
        end: refusal.end,
        seen: words::rows(text, seen),
    });
    draft
}

/// Puts in what can be seen of the script inside a command.
fn show_inside(text: &str, draft: &mut Draft) {
    let seen = words::look(text);
    redirects::list(draft, text, &seen);
    add_dangers(draft, danger::of_text(text, &seen));
    if let Some(opaque) = &mut draft.opaque {
        opaque.end = text.len();
        opaque.seen = words::rows(text, seen);
    }
}

/// Adds dangers that the draft does not name yet.
fn add_dangers(draft: &mut Draft, dangers: Vec<Danger>) {
    for danger in dangers {
        let known = |other: &Danger| other.what == danger.what;
        // A recursive delete that an effect shows is told once, and a rule for the effect can settle it.
        let shown = danger.tier == Tier::Dangerous
            && draft
                .dangers
                .iter()
                .any(|other| other.shown_by_effect && known(other));
        if !shown && !draft.dangers.iter().any(known) {
            draft.dangers.push(danger);
        }
    }
}
