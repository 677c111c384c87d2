//! A buffer as text: what stands on the screen, and in which tones.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

/// The letters of a row, without the empty half of wide ones.
fn cells(row: &[Cell]) -> Vec<&Cell> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(cell) = row.get(at) {
        out.push(cell);
        at += cell.symbol().width().max(1);
    }
    out
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = Vec<&Cell>> {
    buffer
        .content
        .chunks(usize::from(buffer.area.width.max(1)))
        .map(cells)
}

/// What stands there, a line a row, without blanks at the ends.
pub fn text(buffer: &Buffer) -> String {
    let line = |row: Vec<&Cell>| {
        row.iter()
            .map(|cell| cell.symbol())
            .collect::<String>()
            .trim_end()
            .to_owned()
    };
    rows(buffer).map(line).collect::<Vec<_>>().join("\n")
}

/// How it looks: a letter for each cell that is not plain.
pub fn tones(buffer: &Buffer) -> String {
    let letter = |cell: &&Cell| {
        let colour = match cell.fg {
            Color::Reset => '.',
            Color::Red | Color::LightRed => 'r',
            Color::Green => 'g',
            Color::Yellow => 'y',
            Color::Cyan => 'c',
            Color::Magenta => 'm',
            Color::Blue => 'b',
            Color::DarkGray => 'd',
            _ => 'x',
        };
        match (cell.modifier.is_empty(), cell.bg) {
            (true, Color::Reset) => colour,
            (false, _) if colour == '.' => 'S',
            _ => colour.to_ascii_uppercase(),
        }
    };
    let line = |row: Vec<&Cell>| {
        row.iter()
            .map(letter)
            .collect::<String>()
            .trim_end_matches('.')
            .to_owned()
    };
    rows(buffer).map(line).collect::<Vec<_>>().join("\n")
}
