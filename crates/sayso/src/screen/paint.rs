//! Colours, where a terminal shows them: a prompt must read the same without.

use std::io::IsTerminal;

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
}

/// Paints text, or leaves it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint(bool);

impl Paint {
    /// Text as it is.
    pub const PLAIN: Paint = Paint(false);

    /// Colours if this is a terminal and `NO_COLOR` is not set.
    pub fn for_stream(stream: &impl IsTerminal) -> Paint {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Paint(wanted && able && stream.is_terminal())
    }

    /// The text in a tone. It must have passed [`visible`](sayso_core::visible) before.
    pub fn tone(self, tone: Tone, text: &str) -> String {
        if !self.0 || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Red => "31",
            Tone::Green => "32",
            Tone::Yellow => "33",
            Tone::Blue => "36",
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
        assert_eq!(Paint(true).tone(Tone::Red, "x"), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(Paint(true).tone(Tone::Red, ""), "");
    }
}
