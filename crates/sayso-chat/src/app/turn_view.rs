//! What a turn does, as lines on the screen: each call with its verdict, what it brought, and how it ended.

use std::fmt::Display;
use std::time::Instant;

use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::risk::Tier;
use sayso_core::answer::explain;
use sayso_core::answer::outcome::Outcome;
use sayso_core::text::node::Node;
use sayso_core::text::visible::{visible, visible_block};
use sayso_gate::batch::Completed;
use sayso_gate::finished::Finished;
use sayso_gate::ports::Ran;
use sayso_tui::chat::draw::Activity;
use sayso_tui::chat::item::Item;
use sayso_tui::fold::{Spans, line};
use sayso_tui::theme::Tone;

use super::App;
use crate::conversation::Said;
use crate::model::Piece;
use crate::settings_text::{banner, mode};
use crate::turn::Ended;
use crate::turn_events::News;
use sayso_runtime::report;
use sayso_runtime::undo::carry_out;

/// How a line of ours goes on: what stands there may have been written by others.
const GOES_ON: &str = "    ↪ ";
/// So many effects of a catastrophe are told.
const MOST_EFFECTS: usize = 4;

/// Lines of sayso's own.
pub fn note(app: &mut App, lines: Vec<Spans>) {
    app.chat.transcript.add(Item::note(lines));
}

/// Something that went wrong.
pub fn problem(app: &mut App, why: impl Display) {
    let why = why.to_string();
    let lines = visible_block(&why);
    let lines = lines.lines().enumerate().map(|(at, text)| {
        line(
            Tone::Warning,
            if at == 0 {
                format!("✗ {text}")
            } else {
                format!("{GOES_ON}{text}")
            },
        )
    });
    note(app, lines.collect());
}

/// How things stand, for the bar, and the banner where everything runs unasked.
pub fn bar(app: &mut App) {
    let settings = app.state.base.settings(&app.state.around.agent);
    let mode = mode(app.state.base.how(), settings.as_ref());
    let bar = &mut app.chat.bar;
    bar.mode = mode.to_owned();
    bar.profile = settings
        .map(|settings| settings.profile)
        .unwrap_or_default();
    bar.agent = visible(&app.state.around.agent).into_owned();
    bar.model = visible(app.state.model.name()).into_owned();
    bar.usage = app.now.usage.short().unwrap_or_default();
    app.chat.banner = banner(&app.state.base, &app.state.around.agent);
}

/// Shows what was said before.
pub fn earlier(app: &mut App) {
    let said = std::mem::take(&mut app.state.said);
    for one in &said {
        match one {
            Said::Person(text) => drop(app.chat.transcript.add(Item::person(text))),
            Said::Model(answer) => {
                if !answer.text.is_empty() {
                    let mut words = Item::words();
                    words.more(&answer.text);
                    words.whole();
                    app.chat.transcript.add(words);
                }
                for call in &answer.calls {
                    let head = vec![
                        (Tone::Faint, "• ".to_owned()),
                        (
                            Tone::Text,
                            format!("{} {}", visible(&call.tool), visible(&call.arguments)),
                        ),
                    ];
                    app.chat.transcript.add(Item::note(vec![head]));
                }
            }
            Said::Results(results) => {
                for result in results {
                    let head = if result.failed {
                        line(Tone::Warning, "  ✗ it was told:")
                    } else {
                        line(Tone::Faint, "  ✓ it was told:")
                    };
                    let mut item = Item::call(head.clone());
                    item.output(&result.text);
                    item.ends(head, Vec::new());
                    app.chat.transcript.add(item);
                }
            }
        }
    }
    app.state.said = said;
}

/// Shows a piece of news.
pub fn hear(app: &mut App, news: News) {
    match news {
        News::Piece(Piece::Text(text)) => {
            let number = match app.now.words {
                Some(number) => number,
                None => {
                    let number = app.chat.transcript.add(Item::words());
                    app.now.words = Some(number);
                    number
                }
            };
            if let Some(item) = app.chat.transcript.item(number) {
                item.more(&text);
            }
            doing(app, "writing");
        }
        News::Piece(Piece::Call(tool)) => {
            doing(app, &format!("writing a call of {}", visible(&tool)))
        }
        News::Piece(Piece::Again(why)) => {
            if let Some(item) = app
                .now
                .words
                .and_then(|number| app.chat.transcript.item(number))
            {
                item.again();
            }
            doing(app, &format!("asking again: {}", visible(&why)));
        }
        News::Answered(usage, is_cut) => {
            app.now.usage.add(usage);
            if let Some(item) = app
                .now
                .words
                .take()
                .and_then(|number| app.chat.transcript.item(number))
            {
                item.whole();
            }
            app.chat.transcript.drop_empty();
            if is_cut {
                problem(
                    app,
                    "the answer reached its longest length, and ends in the middle",
                );
            }
        }
        News::Refused(tool, why) => problem(app, format!("{}: {why}", visible(&tool))),
        News::Starts(place, subject) => {
            let counted = if place.total > 1 {
                format!("[{}/{}] ", place.index, place.total)
            } else {
                String::new()
            };
            app.now.subject = format!("{counted}{subject}");
            let head = vec![
                (Tone::Key, "◌ ".to_owned()),
                (
                    Tone::Text,
                    format!(
                        "{} wants: {}",
                        visible(&app.state.around.agent),
                        app.now.subject
                    ),
                ),
            ];
            app.now.call = Some(app.chat.transcript.add(Item::call(head)));
        }
        News::Runs(words) => {
            doing(app, &format!("running {}", app.now.subject.clone()));
            let lines: Vec<Spans> = words
                .into_iter()
                .map(|text| line(Tone::Good, format!("✓ {text}")))
                .collect();
            if !lines.is_empty() {
                // It stands before what the call brings, and behind what was wanted.
                let number = app.now.call.take();
                let wanted = line(
                    Tone::Faint,
                    format!(
                        "• {} wanted: {}",
                        visible(&app.state.around.agent),
                        app.now.subject
                    ),
                );
                if let Some(item) = number.and_then(|number| app.chat.transcript.item(number)) {
                    item.ends(wanted, Vec::new());
                }
                note(app, lines);
                let head = vec![
                    (Tone::Key, "◌ ".to_owned()),
                    (Tone::Text, app.now.subject.clone()),
                ];
                if number.is_some() {
                    app.now.call = Some(app.chat.transcript.add(Item::call(head)));
                }
            }
        }
        News::Output(text) => {
            if let Some(item) = app
                .now
                .call
                .and_then(|number| app.chat.transcript.item(number))
            {
                item.output(&text);
            }
        }
        News::Ends(finished) => ends(app, &finished),
        News::Doing(words) => doing(app, &words),
        News::Missing(why) => problem(app, &why),
        News::Sandbox(words) => app.chat.bar.sandbox = words,
        News::Asked(..) | News::Over(..) => {}
    }
}

fn doing(app: &mut App, words: &str) {
    let since = app
        .chat
        .activity
        .as_ref()
        .map_or_else(Instant::now, |activity| activity.since);
    app.chat.activity = Some(Activity {
        words: words.to_owned(),
        since,
    });
}

fn ends(app: &mut App, finished: &Finished) {
    let subject = std::mem::take(&mut app.now.subject);
    let result = match &finished.ran {
        Some(Ran::Done(result) | Ran::Failed { result, .. }) => Some(result),
        _ => None,
    };
    let text = |key: &str| {
        result
            .and_then(|result| result.get(key))
            .and_then(Node::as_text)
            .unwrap_or_default()
            .to_owned()
    };
    let (good, how) = match &finished.ran {
        Some(Ran::Done(node)) => {
            let bounded = node.get("sandboxed").and_then(Node::as_bool) == Some(true);
            let unasked = if finished.outcome == Outcome::AutoApproved {
                ", unasked"
            } else {
                ""
            };
            (
                true,
                format!(
                    "ran{unasked}{}",
                    if bounded { ", in a sandbox" } else { "" }
                ),
            )
        }
        Some(Ran::Failed { why, .. }) => (false, format!("failed: {why}")),
        Some(Ran::NotRun(why)) => (false, why.clone()),
        None => (false, finished.message.clone()),
    };
    let (tone, sign) = if good {
        (Tone::Good, "✓ ")
    } else {
        (Tone::Warning, "✗ ")
    };
    let head = vec![(tone, sign.to_owned()), (Tone::Strong, subject)];
    let mut lines = catastrophe(finished);
    let undo = match text("change") {
        id if id.is_empty() => String::new(),
        id => format!(" · /undo {} takes it back", visible(&id)),
    };
    let how = visible_block(&how);
    let end_tone = if good { Tone::Faint } else { Tone::Warning };
    lines.extend(how.lines().enumerate().map(|(at, one)| match at {
        0 => line(end_tone, format!("  {one}{undo}")),
        _ => line(end_tone, format!("{GOES_ON}{one}")),
    }));
    if let Some(item) = app
        .now
        .call
        .take()
        .and_then(|number| app.chat.transcript.item(number))
    {
        if !item.has_output() {
            item.output(&text("output"));
        }
        item.ends(head, lines);
    }
    doing(app, "thinking");
}

/// What is denied as a catastrophe is not asked about, so nobody would see that it was tried: it is told apart from all other ends.
fn catastrophe(finished: &Finished) -> Vec<Spans> {
    let Some(verdict) = finished
        .verdict
        .as_deref()
        .filter(|verdict| verdict.tier == Tier::Catastrophic && finished.ran.is_none())
    else {
        return Vec::new();
    };
    let mut out = vec![line(
        Tone::Danger,
        "  ⚠ CATASTROPHIC OPERATION: denied, and nobody is asked about it",
    )];
    let does = |effect: &&Effect| !matches!(effect.kind, EffectKind::Run | EffectKind::Read);
    out.extend(
        verdict
            .effects
            .iter()
            .filter(does)
            .take(MOST_EFFECTS)
            .map(|effect| line(Tone::Warning, format!("  ⚠ it {}", explain::effect(effect)))),
    );
    out
}

/// The turn is over.
pub fn over(app: &mut App, ended: &Ended) {
    app.chat.activity = None;
    (app.now.words, app.now.call) = (None, None);
    app.chat.transcript.drop_empty();
    // What it cost stands below each turn; the bar has all of them together, where there is room.
    if let Some(words) = ended.usage.words() {
        note(app, vec![line(Tone::Faint, format!("  {words}"))]);
    }
    match &ended.trouble {
        None => {}
        Some(trouble) if trouble.is_stopped() => {
            app.chat.notice = None;
            let completed = ended.calls.iter().filter(|one| one.succeeded()).count();
            let failed = ended
                .calls
                .iter()
                .filter(|one| matches!(one.ran, Some(Ran::Failed { .. })))
                .count();
            let cancelled = ended
                .calls
                .iter()
                .filter(|one| one.outcome == Outcome::Cancelled)
                .count();
            let mut lines = vec![line(Tone::Warning, "you stopped this turn")];
            if !ended.calls.is_empty() {
                let counts = Completed {
                    completed,
                    failed,
                    total: ended.calls.len(),
                };
                lines.push(line(
                    Tone::Faint,
                    format!("  {}, {cancelled} cancelled", report::completed(counts)),
                ));
            }
            note(app, lines);
        }
        Some(trouble) => problem(app, trouble),
    }
}

/// Takes a change back.
pub fn undo(app: &mut App, (files, plan): &(sayso_tools::files::Files, sayso_tools::undo::Plan)) {
    match carry_out(app.state.base.whereabouts(), files, plan) {
        Ok(done) => {
            let mut lines: Vec<Spans> = done
                .words
                .iter()
                .map(|words| line(Tone::Good, format!("✓ {}", visible(words))))
                .collect();
            lines.push(line(
                Tone::Faint,
                format!("  /undo {} takes this back, too", visible(&done.id)),
            ));
            note(app, lines);
        }
        Err(why) => problem(app, &why),
    }
}
