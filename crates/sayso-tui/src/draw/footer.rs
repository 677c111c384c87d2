//! What stands below a prompt: the keys, what a wider answer would keep, a line that is typed, the countdown.

use std::time::Instant;

use sayso_core::text::visible::visible;

use crate::fold::{self, GOES_ON, Spans, line};
use crate::legend;
use crate::prompt_state::{Asking, Mode};
use crate::prompt_style::is_compact;
use crate::theme::Tone;

/// The rows below a prompt, without the last one.
pub(super) fn rows(asking: &Asking, width: usize) -> Vec<Spans> {
    let mut out = match &asking.mode {
        Mode::Confirm(confirm) => confirm.rows(&asking.prompt, width),
        Mode::Pattern(entry) => entry.rows(&asking.prompt, width),
        Mode::Note { entry, .. } => {
            let mut out = fold::words(Tone::Heading, "Deny. Words for the agent:", width);
            out.extend(fold::fold(&entry.shown(), width, GOES_ON));
            out.extend(fold::flow(
                &[legend::entry("Enter", "deny"), legend::entry("Esc", "back")],
                3,
                width,
            ));
            out
        }
        _ => {
            let only_shown = asking
                .prompt
                .offers
                .is_empty()
                .then(|| line(Tone::Warning, "no answer can allow this: it is only shown"));
            let mut out: Vec<Spans> = only_shown
                .into_iter()
                .flat_map(|row| fold::fold(&row, width, GOES_ON))
                .collect();
            let keys = legend::short(&asking.prompt, &asking.look, asking.enter_approves());
            match is_compact(&asking.prompt) {
                // The countdown goes on in the row of the keys.
                true => out.extend(fold::flow(&legend::compact(keys), 2, width)),
                false => out.extend(fold::flow(&keys, 3, width)),
            }
            out
        }
    };
    if let Some(notice) = &asking.notice {
        let mut notice = fold::words(Tone::Warning, &format!("› {}", visible(notice)), width);
        notice.append(&mut out);
        out = notice;
    }
    out
}

/// The last row: how long it waits, and what does not show.
pub(super) fn last(asking: &Asking, width: usize, now: Instant) -> Spans {
    let mut parts = Vec::new();
    // A view of a body says itself where one is.
    let bodies = asking.viewed.as_ref().unwrap_or(&asking.document).bodies();
    let (above, below) = match asking.mode {
        Mode::View { pane } if pane < bodies => (0, 0),
        Mode::View { .. } => (asking.details.above(), asking.details.below()),
        _ => (asking.document.above(), asking.document.below()),
    };
    if above + below > 0 {
        let rows = match (above, below) {
            (_, 0) => format!("↑ {above} more"),
            (0, _) => format!("↓ {below} more (PgDn)"),
            _ => format!("↑ {above} ↓ {below} more"),
        };
        parts.push((Tone::Reach, rows));
    }
    if let Some(seconds) = asking.clock.seconds(now) {
        let left = format!("{}:{:02}", seconds / 60, seconds % 60);
        let tone = if seconds <= 10 {
            Tone::Warning
        } else {
            Tone::Faint
        };
        let words = match is_compact(&asking.prompt) {
            true => format!("denied in {left}"),
            false => format!("denied in {left} without an answer"),
        };
        parts.push((tone, words));
    }
    let mut out: Spans = Vec::new();
    let mut used = 0;
    for (tone, text) in parts {
        let gap = if out.is_empty() { "" } else { " · " };
        let cells = fold::width(gap) + fold::width(&text);
        if used + cells > width {
            continue;
        }
        used += cells;
        out.push((Tone::Faint, gap.to_owned()));
        out.push((tone, text));
    }
    out
}

/// The rows with the last one beside the keys, where it has room there, if need be in fewer words.
pub(super) fn joined(mut rows: Vec<Spans>, last: Spans, width: usize) -> Vec<Spans> {
    if last.is_empty() {
        return rows;
    }
    const GAP: usize = 2;
    let shorter = last
        .iter()
        .map(|(tone, text)| (*tone, shortened(text)))
        .collect();
    for words in [&last, &shorter] {
        if let Some(row) = rows
            .last_mut()
            .filter(|row| fold::width_of(row) + GAP + fold::width_of(words) <= width)
        {
            row.push((Tone::Text, " ".repeat(GAP)));
            row.extend(words.iter().cloned());
            return rows;
        }
    }
    rows.push(last);
    rows
}

/// "4:59 left" for "denied in 4:59".
fn shortened(text: &str) -> String {
    text.strip_prefix("denied in ")
        .map_or_else(|| text.to_owned(), |left| format!("{left} left"))
}
