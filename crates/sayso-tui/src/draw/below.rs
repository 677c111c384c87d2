//! A prompt below what was printed so far: in the flow of the output, or on the last rows of the screen.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::prompt::Style;

use super::{Weight, foot, places, risk, title};
use crate::asking::Asking;
use crate::fold::{self, Spans, line};
use crate::theme::Tone;

/// So many rows of the text have to show, where there are so many.
const LEAST_TEXT: usize = 3;

/// Draws it; nothing where there is no room.
pub(super) fn draw(asking: &mut Asking, width: u16, height: u16, now: Instant) -> Option<Buffer> {
    let theme = asking.look.theme;
    let weight = Weight::of(&asking.prompt);
    let inline = asking.prompt.style == Style::Inline;
    // A bar at the left tells all of it from what programs print.
    let inner = width - 2;
    let head = head(asking, weight, usize::from(width));
    let foot = foot::rows(asking, usize::from(inner));
    // The line above the keys, and the last row.
    let fixed = head.len() + foot.len() + 2;
    // Something of what is above stays.
    let most = usize::from(height) - 1;
    let wanted = asking.document.height(inner);
    let room = most.checked_sub(fixed).filter(|room| *room >= LEAST_TEXT.min(wanted))?;
    let share = if inline { usize::from(height) * 3 / 4 } else { usize::from(height) / 2 };
    let text = wanted.min(room).min(share.saturating_sub(fixed).max(LEAST_TEXT));

    let high = u16::try_from(fixed + text).unwrap_or(height);
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, high));
    let mut y = 0;
    for row in &head {
        fold::put(&mut buffer, 0, y, usize::from(width), row, theme);
        y += 1;
    }
    let bar = line(weight.tone(), weight.lines()[5]);
    for y in y..high {
        fold::put(&mut buffer, 0, y, 1, &bar, theme);
    }
    let text = u16::try_from(text).unwrap_or_default();
    asking.document.draw(Rect::new(2, y, inner, text), &mut buffer, theme);
    y += text;
    let rule = format!("{}{}", weight.joint(), "─".repeat(usize::from(width) - 1));
    fold::put(&mut buffer, 0, y, usize::from(width), &line(weight.tone(), rule), theme);
    y += 1;
    for row in foot.iter().chain([&foot::last(asking, usize::from(inner), now)]) {
        fold::put(&mut buffer, 2, y, usize::from(inner), row, theme);
        y += 1;
    }
    Some(buffer)
}

/// The heading, with the risk at the right.
fn head(asking: &Asking, weight: Weight, width: usize) -> Vec<Spans> {
    let [upper_left, _, _, _, flat, _] = weight.lines();
    let tone = weight.tone();
    let strong = if weight == Weight::Routine { Tone::Strong } else { Tone::Danger };
    let mut right: Spans = Vec::new();
    for place in places(&asking.prompt) {
        right.push((tone, format!("{flat} ")));
        right.extend(place);
        right.push((tone, " ".to_owned()));
    }
    let risk = risk(asking);
    if !risk.is_empty() {
        right.push((tone, format!("{flat} ")));
        right.push((strong, risk));
        right.push((tone, " ".to_owned()));
    }
    right.push((tone, flat.to_owned()));
    let left = |title: &str| vec![(tone, format!("{upper_left}{flat} ")), (strong, title.to_owned()), (tone, " ".to_owned())];
    let titles = titles(asking, weight, flat);
    for title in &titles {
        let mut row = left(title);
        let used = fold::width_of(&row) + fold::width_of(&right);
        if used <= width {
            row.push((tone, flat.repeat(width - used)));
            row.extend(right);
            return vec![row];
        }
    }
    let mut out = fold::fold(&left(titles.last().map_or("", String::as_str)), width, "  ");
    out.extend(fold::fold(&right, width, "  "));
    out
}

/// The title, and what is left of it where there is less room.
fn titles(asking: &Asking, weight: Weight, flat: &str) -> Vec<String> {
    const REQUIRED: &str = "PERMISSION REQUIRED";
    let title = self::title(&asking.prompt);
    match (weight, asking.prompt.style) {
        (Weight::Routine, Style::Inline) => vec![REQUIRED.to_owned()],
        (Weight::Grave, Style::Inline) => vec![format!("{REQUIRED} {flat} {title}"), title],
        (Weight::Second, _) => vec![title, super::SURE.to_owned()],
        _ => vec![title],
    }
}
