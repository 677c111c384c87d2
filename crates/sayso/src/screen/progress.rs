//! Shows a batch as it goes: each call with what was decided, what it printed, and how it ended.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::risk::Tier;
use sayso_core::answer::explain;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Reason;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::prompt::Position;
use sayso_core::text::count::count;
use sayso_core::text::node::Node;
use sayso_core::text::sentence;
use sayso_core::text::visible::{visible, visible_block};
use sayso_gate::approved::Approved;
use sayso_gate::batch::{Batch, Step};
use sayso_gate::finished::{self, Finished};
use sayso_gate::ports::Ran;
use sayso_tools::terminal::Stream;
use sayso_tui::lines::paint::{Paint, Tone};
use sayso_tui::lines::plain;

use sayso_chat::one_turn;
use sayso_runtime::report;
use sayso_runtime::runner::Told;

/// So many lines of output are shown of each call; the rest is counted.
const MOST_LINES: usize = 12;
/// So many effects of a catastrophe are told.
const MOST_EFFECTS: usize = 4;
/// A line of output is shown up to so many characters.
const LONGEST_LINE: usize = 400;
/// Lines about a call stand below its heading.
const INDENT: &str = "      ";
/// What a command printed stands behind this, and nothing else does.
const OUTPUT: &str = "      │ ";
/// How a line of ours goes on.
const GOES_ON: &str = "        ↪ ";

/// Writes what goes on, a line at a time.
pub struct Progress {
    paint: Paint,
    state: Mutex<State>,
}

struct State {
    out: Box<dyn Write + Send>,
    paint: Paint,
    place: Option<Position>,
    /// What the call is about whose turn it is, until that stands there.
    heading: Option<String>,
    shown: usize,
    hidden: usize,
    /// The start of a line that is not whole yet.
    part: Vec<u8>,
    /// The person approved the rest of the batch.
    rest: bool,
}

impl Progress {
    /// Writes to `out`.
    pub fn new(out: Box<dyn Write + Send>, paint: Paint) -> Self {
        let state = State {
            out,
            paint,
            place: None,
            heading: None,
            shown: 0,
            hidden: 0,
            part: Vec::new(),
            rest: false,
        };
        Progress {
            paint,
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn of a call comes, or it has its end.
    pub fn step(&self, step: Step<'_>) {
        let mut state = self.state();
        match step {
            Step::Starts(place, call) => {
                state.place = Some(place);
                state.heading = Some(subject(call));
                (state.shown, state.hidden) = (0, 0);
            }
            Step::Ends(_, finished) => self.end(&mut state, finished),
        }
    }

    /// For a runner, which tells this what runs.
    pub fn told(self: &Arc<Self>) -> Told {
        let (start, output) = (Arc::clone(self), Arc::clone(self));
        Told {
            start: Box::new(move |approved| start.start(approved)),
            output: Box::new(move |stream, bytes| output.output(stream, bytes)),
        }
    }

    /// Something starts to run.
    fn start(&self, approved: &Approved) {
        let mut state = self.state();
        let operation = approved.operation();
        self.head(&mut state);
        if let Some(yes) = approved.yes().filter(|yes| yes.scope == Scope::Batch) {
            state.rest = true;
            if let Some((_, words)) = yes.kept.as_deref() {
                state.line(&self.paint.tone(Tone::Green, words));
            }
        } else if let Some(yes) = approved.yes() {
            state.line(
                &self
                    .paint
                    .tone(Tone::Faint, &finished::echo(operation, Some(yes))),
            );
            if let Some(kept) = yes.kept.as_deref().filter(|_| yes.scope > Scope::Session) {
                let (id, words) = kept;
                let short = id.rsplit('-').next().unwrap_or(id);
                let list = if words.starts_with("Auto-approval rule") {
                    "rules remove"
                } else {
                    "grants revoke"
                };
                let line = format!(
                    "{} (`sayso {list} {}` takes it back)",
                    visible(words),
                    visible(short)
                );
                state.line(&self.paint.tone(Tone::Green, &line));
            }
        }
        if state.rest {
            state.line(&format!("Executing: {}...", visible(operation.id())));
        }
    }

    /// A command printed something.
    fn output(&self, _: Stream, bytes: &[u8]) {
        let mut state = self.state();
        for byte in bytes {
            match byte {
                b'\n' => {
                    let line = std::mem::take(&mut state.part);
                    self.show(&mut state, &line);
                }
                // A line without an end is not collected without an end.
                _ if state.part.len() < 4 * LONGEST_LINE => state.part.push(*byte),
                _ => {}
            }
        }
    }

    fn show(&self, state: &mut State, line: &[u8]) {
        if state.shown >= MOST_LINES {
            state.hidden += 1;
            return;
        }
        state.shown += 1;
        let text = String::from_utf8_lossy(line);
        let mut shown: String = text.chars().take(LONGEST_LINE).collect();
        if text.chars().count() > LONGEST_LINE {
            shown.push('…');
        }
        let shown = visible(shown.trim_end_matches('\r')).into_owned();
        let line = self.paint.tone(Tone::Faint, &format!("{OUTPUT}{shown}"));
        state.put(&line, OUTPUT);
    }

    fn head(&self, state: &mut State) {
        let Some(subject) = state.heading.take() else {
            return;
        };
        let place = state.place.map_or(String::new(), |place| {
            format!("[{}/{}] ", place.index, place.total)
        });
        let line = format!(
            "{}{}",
            self.paint.tone(Tone::Faint, &place),
            self.paint.tone(Tone::Strong, &subject)
        );
        state.put(&line, GOES_ON);
    }

    fn end(&self, state: &mut State, finished: &Finished) {
        self.head(state);
        let part = std::mem::take(&mut state.part);
        if !part.is_empty() {
            self.show(state, &part);
        }
        let result = match &finished.ran {
            Some(Ran::Done(result) | Ran::Failed { result, .. }) => Some(result),
            _ => None,
        };
        let text = |key: &str| {
            result
                .and_then(|result| result.get(key))
                .and_then(Node::as_text)
                .unwrap_or_default()
        };
        if state.shown == 0 && state.hidden == 0 {
            let lines: Vec<String> = text("output").lines().map(str::to_owned).collect();
            lines
                .iter()
                .for_each(|line| self.show(state, line.as_bytes()));
        }
        if state.hidden > 0 {
            let hidden = state.hidden;
            state.line(&self.paint.tone(
                Tone::Faint,
                &format!("│ … [{}]", count(hidden, "more line")),
            ));
        }
        let (tone, line) = match &finished.ran {
            Some(Ran::Done(node)) if finished.outcome == Outcome::AutoApproved => {
                let bounded = node.get("sandboxed").and_then(Node::as_bool) == Some(true);
                (
                    Tone::Green,
                    format!(
                        "✓ ran, unasked{}",
                        if bounded { ", in a sandbox" } else { "" }
                    ),
                )
            }
            Some(Ran::Done(_)) => (Tone::Green, "✓ ran".to_owned()),
            Some(Ran::Failed { why, .. }) => {
                (Tone::Red, format!("✗ failed: {}", visible_block(why)))
            }
            Some(Ran::NotRun(why)) => (Tone::Red, format!("✗ {}", visible_block(why))),
            None if finished.held.is_some() => (
                Tone::Green,
                format!("held: {}", finished.held.as_deref().unwrap_or_default()),
            ),
            None if finished.outcome == Outcome::DryRun => (Tone::Yellow, dry(finished)),
            None => (Tone::Red, format!("✗ {}", visible_block(&finished.message))),
        };
        if finished.outcome == Outcome::Blocked && finished.ran.is_none() {
            self.notice(state, finished);
        }
        let line = match text("change") {
            "" => line,
            id => format!("{line} (`sayso undo {}` takes it back)", visible(id)),
        };
        state.line(&self.paint.tone(tone, &line));
    }

    /// What is denied as a catastrophe is not asked about, so nobody would see that it was tried: it is told apart from all other ends.
    fn notice(&self, state: &mut State, finished: &Finished) {
        let Some(verdict) = finished
            .verdict
            .as_deref()
            .filter(|verdict| verdict.tier == Tier::Catastrophic)
        else {
            return;
        };
        state.line(&self.paint.tone(
            Tone::Alarm,
            " ⚠ CATASTROPHIC OPERATION: denied, and nobody is asked about it ",
        ));
        let does = |effect: &&Effect| !matches!(effect.kind, EffectKind::Run | EffectKind::Read);
        let mut effects = verdict.effects.iter().filter(does);
        for effect in effects.by_ref().take(MOST_EFFECTS) {
            state.line(&self.paint.tone(
                Tone::Red,
                &format!("⚠ {}", sentence::whole(&explain::effect(effect))),
            ));
        }
        let more = effects.count();
        if more > 0 {
            state.line(
                &self
                    .paint
                    .tone(Tone::Red, &format!("⚠ and {more} more like this")),
            );
        }
    }

    /// Whole lines of somebody else, in their place among these.
    pub fn say(&self, lines: &[String]) {
        let mut state = self.state();
        for line in plain::folded(lines, self.paint) {
            let _ = writeln!(state.out, "{line}");
        }
    }

    /// The last lines of a batch.
    pub fn summary(&self, batch: &Batch, stats: Option<&str>) {
        let mut state = self.state();
        let quit = batch
            .results
            .iter()
            .any(|finished| finished.outcome == Outcome::Cancelled && finished.verdict.is_some());
        // The call at which the person stopped is cancelled with the rest: one of three that ran leaves two.
        let cancelled = batch
            .results
            .iter()
            .filter(|finished| finished.outcome == Outcome::Cancelled)
            .count();
        let mut lines = vec![String::new()];
        if quit {
            lines.push("User requested to stop execution".to_owned());
        }
        if cancelled > 0 {
            lines.push(format!(
                "Cancelled {}",
                count(cancelled, "remaining operation")
            ));
        }
        let held = batch
            .results
            .iter()
            .filter(|finished| finished.held.is_some())
            .count();
        if held > 0 {
            lines.push(format!(
                "Held: {held}; `sayso exec ID` runs one, once and within {} minutes",
                sayso_store::held_operations::LIFE / 60
            ));
        }
        lines.push(report::completed(batch.counts()));
        lines.extend(stats.map(|stats| self.paint.tone(Tone::Faint, stats)));
        for line in lines {
            let _ = writeln!(state.out, "{line}");
        }
        let _ = state.out.flush();
    }
}

impl one_turn::Progress for Progress {
    fn step(&self, step: Step<'_>) {
        Progress::step(self, step);
    }

    fn say(&self, lines: &[String]) {
        Progress::say(self, lines);
    }
}

/// What a call is about, as people read it; one that is malformed has only its name.
fn subject(call: &Call) -> String {
    let named = || format!("{} (malformed)", visible(&call.tool));
    // What is nested too deep must not even be copied.
    if call.is_too_deep() {
        return named();
    }
    Operation::freeze(call.clone())
        .map_or_else(|_| named(), |operation| explain::subject(&operation))
}

/// What a dry run would have done.
fn dry(finished: &Finished) -> String {
    let verdict = finished.verdict.as_deref();
    let decision = verdict.map_or("", |verdict| verdict.decision.word());
    let why = verdict
        .and_then(|verdict| verdict.reasons.first())
        .map(Reason::text)
        .unwrap_or_default();
    format!("not run (--dry-run): {decision}, {}", visible(&why))
}

impl State {
    fn line(&mut self, text: &str) {
        self.put(&format!("{INDENT}{text}"), GOES_ON);
    }

    /// One line, or several where it is wider than the screen or holds breaks; each but the first starts with the mark, so that nothing
    /// that a program or an agent wrote starts a line by itself.
    fn put(&mut self, text: &str, mark: &str) {
        let pieces: Vec<String> = text
            .split('\n')
            .map(|piece| self.paint.folded(piece, mark))
            .collect();
        // Nobody is left to tell if the screen is gone; the results still come.
        let _ = writeln!(self.out, "{}", pieces.join(&format!("\n{mark}")));
    }
}
