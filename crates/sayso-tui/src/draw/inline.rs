//! A prompt below what was printed so far: in the flow of the output, or on the last rows of the screen.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::prompt::Style;

use super::Weight;
use super::footer;
use super::places;
use super::risk;
use super::title;
use crate::fold::{self, Spans, line};
use crate::prompt_state::Asking;
use crate::prompt_style::is_compact;
use crate::theme::Tone;

/// The heading of a prompt in the flow of the output.
const REQUIRED: &str = "PERMISSION REQUIRED";

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
    let keys = footer::rows(asking, usize::from(inner));
    // In a compact prompt the last row goes on behind the keys where it has room there, and no line parts them from the text.
    let is_compact = is_compact(&asking.prompt);
    let foot = |asking: &Asking| {
        let last = footer::last(asking, usize::from(inner), now);
        if is_compact {
            footer::joined(keys.clone(), last, usize::from(inner))
        } else {
            keys.iter().cloned().chain([last]).collect()
        }
    };
    let rule_rows = usize::from(!is_compact);
    let all_rows = asking.document.height(inner);
    asking.document.fit(inner, all_rows);
    let mut fixed = head.len() + foot(asking).len() + rule_rows;
    // Something of what is above stays.
    let most = usize::from(height) - 1;
    let share = if inline {
        usize::from(height) * 3 / 4
    } else {
        usize::from(height) / 2
    };
    let rows = |fixed: usize| {
        let room = most
            .checked_sub(fixed)
            .filter(|room| *room >= LEAST_TEXT.min(all_rows))?;
        Some(
            all_rows
                .min(room)
                .min(share.saturating_sub(fixed).max(LEAST_TEXT)),
        )
    };
    let mut text = rows(fixed)?;
    asking.document.fit(inner, text);
    // What is out of sight is said in the last row, which may take a row of its own now.
    fixed = head.len() + foot(asking).len() + rule_rows;
    text = rows(fixed)?;
    asking.document.fit(inner, text);
    let foot = foot(asking);
    fixed = head.len() + foot.len() + rule_rows;

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
    asking
        .document
        .draw(Rect::new(2, y, inner, text), &mut buffer, theme);
    y += text;
    if rule_rows > 0 {
        let rule = format!("{}{}", weight.joint(), "─".repeat(usize::from(width) - 1));
        fold::put(
            &mut buffer,
            0,
            y,
            usize::from(width),
            &line(weight.tone(), rule),
            theme,
        );
        y += 1;
    }
    for row in &foot {
        fold::put(&mut buffer, 2, y, usize::from(inner), row, theme);
        y += 1;
    }
    Some(buffer)
}

/// The heading, with the risk at the right.
fn head(asking: &Asking, weight: Weight, width: usize) -> Vec<Spans> {
    let [upper_left, _, _, _, flat, _] = weight.lines();
    let tone = weight.tone();
    let strong = if weight == Weight::Routine {
        Tone::Strong
    } else {
        Tone::Danger
    };
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
    let left = |title: &str| {
        vec![
            (tone, format!("{upper_left}{flat} ")),
            (strong, title.to_owned()),
            (tone, " ".to_owned()),
        ]
    };
    let titles = if is_compact(&asking.prompt) {
        sentences(asking)
    } else {
        titles(asking, weight, flat)
    };
    for title in &titles {
        let mut row = left(title);
        let used = fold::width_of(&row) + fold::width_of(&right);
        if used <= width {
            row.push((tone, flat.repeat(width - used)));
            row.extend(right);
            return vec![row];
        }
    }
    // Every row has the bar, so that none of them passes for what a program prints.
    let mark = format!("{} ", weight.lines()[5]);
    let mut out = fold::fold(
        &left(titles.last().map_or("", String::as_str)),
        width,
        &mark,
    );
    // The rest goes behind the end of the title where it has room.
    match out
        .last_mut()
        .map(|row| (fold::width_of(row) + fold::width_of(&right), row))
    {
        Some((used, row)) if used <= width => {
            row.push((tone, flat.repeat(width - used)));
            row.extend(right);
        }
        _ => {
            right.insert(0, (tone, mark.clone()));
            out.extend(fold::fold(&right, width, &mark));
        }
    }
    out
}

/// The sentence as a heading. One profile has its own words before it.
fn sentences(asking: &Asking) -> Vec<String> {
    let sentence = asking.prompt.sentence.clone();
    match asking.look.keymap.name {
        "kollabor" => vec![format!("{REQUIRED}: {sentence}"), sentence],
        _ => vec![sentence],
    }
}

/// The title, and what is left of it where there is less room.
fn titles(asking: &Asking, weight: Weight, flat: &str) -> Vec<String> {
    let title = self::title(&asking.prompt);
    match (weight, asking.prompt.style) {
        (Weight::Routine, Style::Inline) => vec![REQUIRED.to_owned()],
        (Weight::Grave, Style::Inline) => vec![format!("{REQUIRED} {flat} {title}"), title],
        (Weight::Second, _) => vec![title, super::SURE.to_owned()],
        _ => vec![title],
    }
}
