//! What stands below a prompt: the keys, what a wider answer would keep, a line that is typed, the countdown.

use std::time::Instant;

use sayso_core::prompt::{Round, Stores};
use sayso_core::visible::visible;

use crate::asking::{Asking, Mode};
use crate::fold::{self, GOES_ON, Spans, line};
use crate::legend;
use crate::patterns::place;
use crate::theme::Tone;

/// How many characters of the digest tell one call from another at a glance.
const DIGEST: usize = 12;

/// The rows below a prompt, without the last one.
pub(super) fn rows(asking: &Asking, width: usize) -> Vec<Spans> {
    let mut out = match &asking.mode {
        Mode::Confirm { offers, at } => confirm(asking, offers, *at, width),
        Mode::Pattern(entry) => entry.rows(width),
        Mode::Note { entry, .. } => {
            let mut out = fold::words(Tone::Heading, "Deny. Words for the agent:", width);
            out.extend(fold::fold(&entry.shown(), width, GOES_ON));
            out.extend(fold::flow(&[legend::entry("Enter", "deny"), legend::entry("Esc", "back")], 3, width));
            out
        }
        _ => {
            let only_shown = asking.prompt.offers.is_empty().then(|| line(Tone::Warning, "no answer can allow this: it is only shown"));
            let mut out: Vec<Spans> = only_shown.into_iter().flat_map(|row| fold::fold(&row, width, GOES_ON)).collect();
            out.extend(fold::flow(&legend::short(&asking.prompt, &asking.look), 3, width));
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

/// What a wider yes would keep, word for word, and the key that keeps it.
fn confirm(asking: &Asking, offers: &[usize], at: usize, width: usize) -> Vec<Spans> {
    let offer = |index: &usize| asking.prompt.offers.get(*index);
    let mut out = Vec::new();
    for (number, one) in offers.iter().filter_map(offer).enumerate() {
        let chosen = number == at;
        let words = match &one.stores {
            Stores::Rule(pattern) => format!("Create rule for `{}` {}?", visible(pattern), place(one.scope)),
            _ => format!("this would {}", one.words),
        };
        let row = match (offers.len(), chosen) {
            (1, _) => line(Tone::Reach, words),
            (_, true) => line(Tone::Reach, format!("▸ {} {words}", number + 1)),
            (_, false) => line(Tone::Text, format!("  {} {words}", number + 1)),
        };
        out.extend(fold::fold(&row, width, GOES_ON));
    }
    let mut keys = vec![legend::entry("y", "keep that, and allow this"), legend::entry("Esc", "back")];
    if offers.len() > 1 {
        keys.insert(1, legend::entry(&format!("1-{}", offers.len().min(9)), "choose"));
    }
    out.extend(fold::flow(&keys, 3, width));
    out
}

/// The last row: how long it waits, what does not show, and which call it is.
pub(super) fn last(asking: &Asking, width: usize, now: Instant) -> Spans {
    let mut parts = Vec::new();
    // A view of a body says itself where one is.
    let in_body = matches!(asking.mode, Mode::View { pane } if pane < asking.document.bodies());
    let (above, below) = if in_body { (0, 0) } else { (asking.document.above(), asking.document.below()) };
    let digest = asking.prompt.operation.digest().to_string();
    let digest: String = digest.chars().skip("sha256:".len()).take(DIGEST).collect();
    if above + below > 0 {
        let rows = match (above, below) {
            (_, 0) => format!("↑ {above} more"),
            (0, _) => format!("↓ {below} more (PgDn)"),
            _ => format!("↑ {above} ↓ {below} more"),
        };
        parts.push((Tone::Reach, rows));
        parts.push((Tone::Faint, format!("digest {digest}")));
    }
    if let Some(seconds) = asking.clock.seconds(now) {
        let left = format!("{}:{:02}", seconds / 60, seconds % 60);
        let tone = if seconds <= 10 { Tone::Warning } else { Tone::Faint };
        parts.push((tone, format!("denied in {left} without an answer")));
    }
    if parts.is_empty() && (asking.prompt.round == Round::Second || in_body) {
        parts.push((Tone::Faint, format!("digest {digest}")));
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
