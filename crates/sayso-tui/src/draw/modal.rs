//! A prompt in front of everything: a frame on a screen of its own.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Weight;
use super::footer;
use super::places;
use super::risk;
use super::title;
use crate::fold::{self, Spans, line};
use crate::prompt_state::Asking;
use crate::theme::{Theme, Tone};

/// Wider lines are hard to read.
const WIDEST: u16 = 110;
/// So many rows of the text have to show.
const LEAST_TEXT: usize = 3;

/// Draws it; nothing where there is no room.
pub(super) fn draw(asking: &mut Asking, width: u16, height: u16, now: Instant) -> Option<Buffer> {
    let theme = asking.look.theme;
    let wide = width.min(WIDEST);
    let inner = wide - 4;
    let places = fold::flow(&places(&asking.prompt), 3, usize::from(inner));
    let foot = footer::rows(asking, usize::from(inner));
    // The frame, the line above the keys, the last row.
    let fixed = places.len() + foot.len() + 4;
    let room = usize::from(height)
        .checked_sub(fixed)
        .filter(|room| *room >= LEAST_TEXT)?;
    let text = asking.document.height(inner).clamp(LEAST_TEXT, room);
    let high = u16::try_from(fixed + text).unwrap_or(height).min(height);
    let area = Rect::new((width - wide) / 2, (height - high) / 2, wide, high);

    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let weight = Weight::of(&asking.prompt);
    frame(
        &mut buffer,
        area,
        weight,
        &title(&asking.prompt),
        &risk(asking),
        theme,
    );
    let (x, most) = (area.x + 2, usize::from(inner));
    let mut y = area.y + 1;
    let put = |rows: &[Spans], y: &mut u16, buffer: &mut Buffer| {
        for row in rows {
            fold::put(buffer, x, *y, most, row, theme);
            *y += 1;
        }
    };
    put(&places, &mut y, &mut buffer);
    let text = u16::try_from(text).unwrap_or_default();
    asking
        .document
        .draw(Rect::new(x, y, inner, text), &mut buffer, theme);
    y += text;
    rule(&mut buffer, area, y, weight, theme);
    y += 1;
    put(&foot, &mut y, &mut buffer);
    let last = footer::last(asking, most, now);
    put(&[last], &mut y, &mut buffer);
    Some(buffer)
}

/// A frame with a title and something at its right.
pub(super) fn frame(
    buffer: &mut Buffer,
    area: Rect,
    weight: Weight,
    title: &str,
    right: &str,
    theme: Theme,
) {
    let [
        upper_left,
        upper_right,
        lower_left,
        lower_right,
        flat,
        upright,
    ] = weight.lines();
    let tone = weight.tone();
    let most = usize::from(area.width);
    let across = flat.repeat(most.saturating_sub(2));
    let (top, bottom) = (area.y, area.bottom().saturating_sub(1));
    fold::put(
        buffer,
        area.x,
        top,
        most,
        &line(tone, format!("{upper_left}{across}{upper_right}")),
        theme,
    );
    fold::put(
        buffer,
        area.x,
        bottom,
        most,
        &line(tone, format!("{lower_left}{across}{lower_right}")),
        theme,
    );
    for y in top + 1..bottom {
        fold::put(buffer, area.x, y, 1, &line(tone, upright), theme);
        fold::put(buffer, area.right() - 1, y, 1, &line(tone, upright), theme);
    }
    let strong = if weight == Weight::Routine {
        Tone::Strong
    } else {
        Tone::Danger
    };
    let end = fold::put(
        buffer,
        area.x + 2,
        top,
        most.saturating_sub(4),
        &line(strong, format!(" {title} ")),
        theme,
    );
    let cells = u16::try_from(fold::width(right) + 2).unwrap_or(u16::MAX);
    let start = area.right().saturating_sub(cells.saturating_add(2));
    if !right.is_empty() && start > end {
        fold::put(
            buffer,
            start,
            top,
            usize::from(cells),
            &line(strong, format!(" {right} ")),
            theme,
        );
    }
}

fn rule(buffer: &mut Buffer, area: Rect, y: u16, weight: Weight, theme: Theme) {
    let (left, right) = match weight {
        Weight::Routine => (weight.joint(), "┤"),
        Weight::Grave => (weight.joint(), "┨"),
        Weight::Second => (weight.joint(), "╢"),
    };
    let across = "─".repeat(usize::from(area.width).saturating_sub(2));
    fold::put(
        buffer,
        area.x,
        y,
        usize::from(area.width),
        &line(weight.tone(), format!("{left}{across}{right}")),
        theme,
    );
}
