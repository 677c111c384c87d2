//! Colours and the width of the screen, where a terminal has them: a prompt must read the same without.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

use super::fold;

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// What counts.
    Strong,
    /// What is beside the matter.
    Faint,
    /// Danger, and lines that go.
    Red,
    /// Lines that come, and what went well.
    Green,
    /// A question, and warnings.
    Yellow,
    /// Headings of changes.
    Blue,
    /// A catastrophe that was denied.
    Alarm,
}

/// Paints text, or leaves it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    colours: bool,
    /// How many characters a line of the screen holds; none where there is no screen.
    width: Option<usize>,
}

/// A terminal that does not say how wide it is.
const USUAL_WIDTH: usize = 80;

impl Paint {
    /// Text as it is.
    pub const PLAIN: Paint = Paint {
        colours: false,
        width: None,
    };

    /// With colours or without, for a screen of this width, or for none.
    pub const fn of(colours: bool, width: Option<usize>) -> Paint {
        Paint { colours, width }
    }

    /// Colours if this is a terminal and `NO_COLOR` is not set.
    pub fn for_stream(stream: &(impl IsTerminal + AsFd)) -> Paint {
        if !stream.is_terminal() {
            return Paint::PLAIN;
        }
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let width = tcgetwinsize(stream).map_or(0, |size| usize::from(size.ws_col));
        Paint::of(
            wanted && able,
            Some(if width == 0 { USUAL_WIDTH } else { width }),
        )
    }

    /// The line as the lines of the screen that it fills. Each but the first starts with the mark: were it left to the terminal, a long
    /// text could start a line that looks like one of ours.
    pub fn folded(self, line: &str, mark: &str) -> String {
        self.width
            .map_or_else(|| line.to_owned(), |width| fold::folded(line, width, mark))
    }

    /// How many characters fit a line; none where there is no screen and nothing has to be cut.
    pub fn cut_at(self) -> Option<usize> {
        self.width
    }

    /// The text in a tone. It must have passed [`visible`](sayso_core::text::visible) before.
    pub fn tone(self, tone: Tone, text: &str) -> String {
        if !self.colours || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Red => "31",
            Tone::Green => "32",
            Tone::Yellow => "33",
            Tone::Blue => "36",
            Tone::Alarm => "1;97;41",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_codes() {
        assert_eq!(Paint::PLAIN.tone(Tone::Red, "x"), "x");
        let coloured = Paint::of(true, None);
        assert_eq!(coloured.tone(Tone::Red, "x"), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(coloured.tone(Tone::Red, ""), "");
    }
}
