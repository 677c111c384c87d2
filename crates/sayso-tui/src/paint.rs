//! Frames as bytes for a terminal: only the rows that are different, and every letter at its place even where a terminal counts its width
//! in another way.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use crate::draw::{Frame, Surface};

/// What a terminal shows of ours.
#[derive(Debug, Default)]
pub struct Painter {
    shown: Option<Frame>,
    /// The rows of the screen, for what stands at its bottom.
    rows: u16,
}

impl Painter {
    /// The bytes that bring a frame to the screen of so many rows.
    pub fn paint(&mut self, frame: Frame, rows: u16) -> Vec<u8> {
        let mut out = String::new();
        let same = self.shown.as_ref().is_some_and(|shown| {
            shown.surface == frame.surface
                && shown.buffer.area == frame.buffer.area
                && self.rows == rows
        });
        if !same {
            match (
                self.shown.as_ref().map(|shown| shown.surface),
                frame.surface,
            ) {
                // The screen is ours already.
                (Some(Surface::Whole), Surface::Whole) => out.push_str("\x1b[0m\x1b[2J"),
                _ => {
                    out.push_str(&self.cleared());
                    open(&mut out, &frame);
                }
            }
        }
        let before = self.shown.take().filter(|_| same);
        rows_of(&mut out, &frame, before.as_ref(), rows);
        self.shown = Some(frame);
        self.rows = rows;
        out.into_bytes()
    }

    /// The bytes that take everything of ours off the screen, and leave the cursor where the output goes on.
    pub fn clear(&mut self) -> Vec<u8> {
        let mut out = self.cleared();
        out.push_str("\x1b[0m\x1b[?25h");
        out.into_bytes()
    }

    /// The screen is not as it was left: the next frame is painted whole.
    pub fn forget(&mut self) {
        if let Some(shown) = &mut self.shown {
            // The size of no frame.
            shown.buffer = Buffer::default();
        }
    }

    fn cleared(&mut self) -> String {
        match self.shown.take().map(|shown| shown.surface) {
            None => String::new(),
            Some(Surface::Whole) => "\x1b[0m\x1b[2J\x1b[?1049l".to_owned(),
            // The cursor stands where the output ended, and there is nothing of anybody else's below it.
            Some(Surface::Here | Surface::Bottom) => "\x1b[0m\r\x1b[J".to_owned(),
        }
    }
}

/// Makes room.
fn open(out: &mut String, frame: &Frame) {
    out.push_str("\x1b[?25l");
    match frame.surface {
        Surface::Whole => out.push_str("\x1b[?1049h\x1b[2J"),
        Surface::Here | Surface::Bottom => {
            let below = usize::from(frame.buffer.area.height.saturating_sub(1));
            out.push('\r');
            out.push_str(&"\n".repeat(below));
            if below > 0 {
                out.push_str(&format!("\x1b[{below}A"));
            }
        }
    }
}

/// The rows that are different. The cursor ends where it was: at the top of what is in the flow.
fn rows_of(out: &mut String, frame: &Frame, before: Option<&Frame>, rows: u16) {
    let area = frame.buffer.area;
    out.push_str("\x1b7");
    for y in 0..area.height {
        let row = row(&frame.buffer, y);
        if before.is_some_and(|before| self::row(&before.buffer, y) == row) {
            continue;
        }
        match frame.surface {
            Surface::Whole => out.push_str(&format!("\x1b[{};1H", y + 1)),
            Surface::Bottom => out.push_str(&format!(
                "\x1b[{};1H",
                rows.saturating_sub(area.height) + y + 1
            )),
            Surface::Here => {
                out.push_str("\x1b8\x1b7\r");
                if y > 0 {
                    out.push_str(&format!("\x1b[{y}B"));
                }
            }
        }
        letters(out, row);
    }
    out.push_str("\x1b8");
}

fn row(buffer: &Buffer, y: u16) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    let start = usize::from(y) * width;
    buffer.content.get(start..start + width).unwrap_or_default()
}

fn letters(out: &mut String, row: &[Cell]) {
    let end = row
        .iter()
        .rposition(|cell| cell.symbol() != " " || is_marked(cell))
        .map_or(0, |last| last + 1);
    let mut style = None;
    let mut skip = 0;
    let mut sure = true;
    for (x, cell) in row.iter().enumerate().take(end) {
        // The second half of a wide letter.
        if skip > 0 {
            skip -= 1;
            continue;
        }
        if !sure {
            out.push_str(&format!("\x1b[{}G", x + 1));
        }
        let wanted = (cell.fg, cell.bg, cell.modifier);
        if style != Some(wanted) {
            out.push_str(&codes(cell));
            style = Some(wanted);
        }
        let width = unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1);
        skip = width - 1;
        // Terminals agree about the width of these, and of no others.
        sure = cell
            .symbol()
            .chars()
            .all(|one| one.is_ascii() || ('\u{2500}'..='\u{257f}').contains(&one));
        if !sure {
            // One that takes fewer cells than we do would let what stood there before show through.
            out.push_str(&format!("{:width$}\x1b[{}G", "", x + 1));
        }
        out.push_str(cell.symbol());
    }
    out.push_str("\x1b[0m\x1b[K");
}

fn is_marked(cell: &Cell) -> bool {
    cell.bg != Color::Reset
        || cell
            .modifier
            .intersects(Modifier::REVERSED | Modifier::UNDERLINED)
}

fn codes(cell: &Cell) -> String {
    let mut out = "\x1b[0".to_owned();
    for (modifier, code) in [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
    ] {
        if cell.modifier.contains(modifier) {
            out.push(';');
            out.push_str(code);
        }
    }
    for (colour, base) in [(cell.fg, 30), (cell.bg, 40)] {
        out.push_str(&colour_code(colour, base));
    }
    out.push('m');
    out
}

/// A colour by its number among those of the terminal.
fn colour_code(colour: Color, base: u16) -> String {
    let bright = base + 60;
    let code = match colour {
        Color::Reset => return String::new(),
        Color::Black => base,
        Color::Red => base + 1,
        Color::Green => base + 2,
        Color::Yellow => base + 3,
        Color::Blue => base + 4,
        Color::Magenta => base + 5,
        Color::Cyan => base + 6,
        Color::Gray => base + 7,
        Color::DarkGray => bright,
        Color::LightRed => bright + 1,
        Color::LightGreen => bright + 2,
        Color::LightYellow => bright + 3,
        Color::LightBlue => bright + 4,
        Color::LightMagenta => bright + 5,
        Color::LightCyan => bright + 6,
        Color::White => bright + 7,
        Color::Indexed(number) => return format!(";{};5;{number}", base + 8),
        Color::Rgb(red, green, blue) => return format!(";{};2;{red};{green};{blue}", base + 8),
    };
    format!(";{code}")
}
