//! All of a prompt on the whole screen, to look at, and what the keys do.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Weight;
use super::footer;
use super::modal;
use super::risk;
use super::title;
use crate::fold::{self, line};
use crate::legend;
use crate::prompt_state::{Asking, Mode};
use crate::theme::Tone;

/// The rows of a view that are no text: the frame and the keys.
const AROUND: u16 = 2;

/// All of it. Nothing can be answered here.
pub(super) fn view(
    asking: &mut Asking,
    pane: usize,
    width: u16,
    height: u16,
    now: Instant,
) -> Option<Buffer> {
    let theme = asking.look.theme;
    let bodies = asking.bodies().bodies();
    let is_body = pane < bodies;
    let inner = width - 4;
    let other = match (is_body, bodies) {
        (false, _) => "the call",
        (true, _) if pane + 1 < bodies => "the next one",
        (true, _) => "details",
    };
    let mut keys = vec![legend::entry("↑↓ PgUp PgDn", "scroll")];
    if is_body {
        keys.extend([
            legend::entry("/", "search"),
            legend::entry("[ ]", "changes"),
            legend::entry("s", "side by side"),
        ]);
        keys.push(legend::entry("z", "unfold"));
    }
    keys.extend([
        legend::entry("Tab", other),
        legend::entry("Esc", "back to the question"),
    ]);
    let keys = fold::flow(&keys, 3, usize::from(inner));
    let high = height
        .checked_sub(AROUND + 1 + u16::try_from(keys.len()).ok()?)
        .filter(|high| *high > 0)?;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let area = Rect::new(0, 0, width, high + AROUND);
    modal::frame(
        &mut buffer,
        area,
        Weight::of(&asking.prompt),
        &title(&asking.prompt),
        &risk(asking),
        theme,
    );
    let text = Rect::new(2, 1, inner, high);
    let place = if is_body {
        let body = asking.bodies().body(pane)?;
        body.draw(text, &mut buffer, theme);
        line(Tone::Strong, body.status())
    } else {
        asking.details.draw(text, &mut buffer, theme);
        Vec::new()
    };
    let mut last = place;
    let rest = footer::last(
        asking,
        usize::from(inner).saturating_sub(fold::width_of(&last) + 3),
        now,
    );
    if !last.is_empty() && !rest.is_empty() {
        last.push((Tone::Faint, " · ".to_owned()));
    }
    last.extend(rest);
    for (row, y) in keys.iter().chain([&last]).zip(area.bottom()..) {
        fold::put(&mut buffer, 2, y, usize::from(inner), row, theme);
    }
    Some(buffer)
}

/// What the keys do.
pub(super) fn help(asking: &mut Asking, width: u16, height: u16) -> Option<Buffer> {
    let theme = asking.look.theme;
    let Mode::Help { block, top } = &mut asking.mode else {
        return None;
    };
    let high = height.checked_sub(AROUND + 1).filter(|high| *high > 0)?;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let rows = block.height(width - 4);
    *top = (*top).min(rows.saturating_sub(usize::from(high)));
    let area = Rect::new(
        0,
        0,
        width,
        high.min(u16::try_from(rows).unwrap_or(high)) + AROUND,
    );
    modal::frame(&mut buffer, area, Weight::Routine, "Help", "", theme);
    block.draw(
        *top,
        Rect::new(2, 1, width - 4, area.height - AROUND),
        &mut buffer,
        theme,
    );
    let mut keys = vec![legend::entry("any other key", "back to the question")];
    if rows > usize::from(high) {
        keys.insert(0, legend::entry("↑ ↓", "scroll"));
    }
    let keys = fold::flow(&keys, 3, usize::from(width - 4));
    fold::put(
        &mut buffer,
        2,
        area.bottom(),
        usize::from(width - 4),
        keys.first().unwrap_or(&Vec::new()),
        theme,
    );
    Some(buffer)
}
