//! What the views show, read back from the cells of the screen.

mod hostile;
mod moving;
mod properties;
mod snapshots;

use ratatui::buffer::{Buffer, CellWidth as _};
use ratatui::layout::Rect;
use sayso_core::prompt::presentation::{Body, Change, Diff, DiffLine, Hunk, Piece};

use super::*;
use crate::key::Key;

/// The rows of a view at a size, as a terminal would show them.
pub(super) fn screen(view: &mut BodyView, width: u16, height: u16, theme: Theme) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    view.draw(area, &mut buffer, theme);
    rows(&buffer)
}

/// The rows of a buffer; the cells behind a wide character are none of their own.
pub(super) fn rows(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    (area.top()..area.bottom())
        .map(|y| {
            let mut out = String::new();
            let mut x = area.left();
            while x < area.right() {
                let cell = &buffer[(x, y)];
                out.push_str(cell.symbol());
                x += cell.symbol().cell_width().max(1);
            }
            out
        })
        .collect()
}

/// Plain screens, one line each, with blanks at the end left out.
pub(super) fn plain(view: &mut BodyView, width: u16, height: u16) -> Vec<String> {
    screen(view, width, height, Theme::PLAIN)
        .into_iter()
        .map(|row| row.trim_end().to_owned())
        .collect()
}

pub(super) fn press(view: &mut BodyView, keys: &str) {
    keys.chars().for_each(|key| {
        assert!(
            view.key(&if key == '\n' {
                Key::Enter
            } else {
                Key::Char(key)
            }),
            "{key:?}"
        )
    });
}

pub(super) fn piece(text: &str, emphasised: bool) -> Piece {
    Piece {
        text: text.to_owned(),
        emphasised,
    }
}

pub(super) fn line(change: Change, old: usize, new: usize, text: &str) -> DiffLine {
    let number = |number: usize| (number > 0).then_some(number);
    DiffLine {
        change,
        old: number(old),
        new: number(new),
        pieces: vec![piece(text, false)],
    }
}

/// A change of every n-th line of a file.
pub(super) fn edits(lines: usize, every: usize) -> Diff {
    let mut hunks = Vec::new();
    for at in (every..=lines).step_by(every) {
        let same = |number: usize| {
            line(
                Change::Same,
                number,
                number,
                &format!("    let same_{number} = {number};"),
            )
        };
        let mut inner = vec![same(at - 1)];
        inner.push(line(
            Change::Removed,
            at,
            0,
            &format!("    let old_{at} = compute({at}, \"text\");"),
        ));
        let mut new = line(Change::Added, 0, at, "");
        new.pieces = vec![
            piece("    let ", false),
            piece(&format!("new_{at}"), true),
            piece(&format!(" = compute({at}, \"text\");"), false),
        ];
        inner.push(new);
        inner.push(same(at + 1));
        let before = (at.saturating_sub(every).max(1) + if at > every { 2 } else { 0 }..at - 1)
            .map(|number| format!("    between {number}"));
        hunks.push(Hunk {
            old_start: at - 1,
            new_start: at - 1,
            before: before.collect(),
            lines: inner,
        });
    }
    let count = hunks.len();
    Diff {
        path: "src/main.rs".to_owned(),
        language: Some("rust"),
        hunks,
        added: count,
        removed: count,
        notes: Vec::new(),
        rest: vec!["}".to_owned()],
    }
}

pub(super) fn content(lines: usize) -> Body {
    let lines: Vec<String> = (1..=lines)
        .map(|number| format!("line {number} of the file"))
        .collect();
    Body::Content {
        path: "notes.txt".to_owned(),
        language: None,
        size: 1,
        lines,
        notes: Vec::new(),
        over: None,
    }
}
