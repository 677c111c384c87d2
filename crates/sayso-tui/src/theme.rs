//! Colours by name: what a piece of the screen means, and how that looks with colours and without.
//!
//! Only the sixteen colours of the terminal are used, so that they fit whatever the person has chosen for light or dark. Without colours
//! there are bold, underlined and reversed letters; nothing is told by a colour alone, there is always a mark or a word beside it.

use ratatui::style::{Color, Modifier, Style};

/// What a piece of the screen means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Text as it is.
    Text,
    /// What counts.
    Strong,
    /// What is beside the matter: line numbers, places of rules.
    Faint,
    /// The frame of a routine prompt, and its title.
    Frame,
    /// The frame of a grave prompt, and its title.
    Danger,
    /// A warning in words, and a danger inside of a command.
    Warning,
    /// The key of an answer.
    Key,
    /// What an answer would store.
    Reach,
    /// Something that went well.
    Good,
    /// The heading of a file or of a changed place.
    Heading,
    /// A line that comes.
    Added,
    /// What is new inside of a changed line.
    AddedPart,
    /// A line that goes.
    Removed,
    /// What is old inside of a changed line.
    RemovedPart,
    /// Characters that are spelled out, since they would hide or move something.
    Spelled,
    /// What a search has found.
    Found,
    /// What a search has found and the view stands at.
    FoundHere,
    /// The bar that says how things stand: nothing of anybody else's is in this tone.
    Bar,
    /// The same, where everything runs unasked.
    BarDanger,
    /// A word of a language.
    Keyword,
    /// A text inside of code.
    Quoted,
    /// A number inside of code.
    Number,
    /// A remark inside of code.
    Comment,
    /// The name of a function or of a program.
    Name,
    /// The name of a type, an attribute, an option of a command.
    Type,
    /// A variable or a constant.
    Variable,
    /// A sign between words: `|`, `&&`, `>`.
    Operator,
}

/// How tones look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    colours: bool,
}

impl Theme {
    /// With the colours of the terminal.
    pub const COLOURS: Theme = Theme { colours: true };
    /// With bold, underlined and reversed letters only.
    pub const PLAIN: Theme = Theme { colours: false };

    /// Whether there are colours.
    pub fn has_colours(self) -> bool {
        self.colours
    }

    /// How a tone looks.
    pub fn style(self, tone: Tone) -> Style {
        if self.colours {
            coloured(tone)
        } else {
            plain(tone)
        }
    }
}

fn coloured(tone: Tone) -> Style {
    let style = Style::new();
    match tone {
        Tone::Text => style,
        Tone::Strong => style.add_modifier(Modifier::BOLD),
        Tone::Faint | Tone::Comment => style.fg(Color::DarkGray),
        Tone::Frame => style.fg(Color::Yellow),
        Tone::Danger => style.fg(Color::Red).add_modifier(Modifier::BOLD),
        Tone::Warning => style.fg(Color::LightRed).add_modifier(Modifier::BOLD),
        Tone::Key => style.fg(Color::Cyan).add_modifier(Modifier::BOLD),
        Tone::Reach => style.fg(Color::Yellow).add_modifier(Modifier::BOLD),
        Tone::Good | Tone::Added => style.fg(Color::Green),
        Tone::Heading => style.fg(Color::Cyan),
        Tone::AddedPart => style
            .fg(Color::Green)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        Tone::Removed => style.fg(Color::Red),
        Tone::RemovedPart => style
            .fg(Color::Red)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        Tone::Spelled => style.fg(Color::Magenta).add_modifier(Modifier::BOLD),
        Tone::Found => style.fg(Color::Black).bg(Color::Yellow),
        Tone::FoundHere => style
            .fg(Color::Black)
            .bg(Color::LightYellow)
            .add_modifier(Modifier::BOLD),
        Tone::Bar => style.add_modifier(Modifier::REVERSED),
        Tone::BarDanger => style
            .fg(Color::Red)
            .add_modifier(Modifier::REVERSED | Modifier::BOLD),
        Tone::Keyword => style.fg(Color::Magenta),
        Tone::Quoted => style.fg(Color::Green),
        Tone::Number | Tone::Variable => style.fg(Color::Yellow),
        Tone::Name => style.fg(Color::Blue),
        Tone::Type => style.fg(Color::Cyan),
        Tone::Operator => style.fg(Color::Magenta),
    }
}

fn plain(tone: Tone) -> Style {
    let style = Style::new();
    match tone {
        Tone::Strong | Tone::Key | Tone::Reach | Tone::Heading | Tone::Warning => {
            style.add_modifier(Modifier::BOLD)
        }
        Tone::Danger => style.add_modifier(Modifier::BOLD),
        Tone::AddedPart | Tone::RemovedPart | Tone::Spelled => {
            style.add_modifier(Modifier::UNDERLINED)
        }
        Tone::Found | Tone::Bar => style.add_modifier(Modifier::REVERSED),
        Tone::BarDanger | Tone::FoundHere => {
            style.add_modifier(Modifier::REVERSED | Modifier::BOLD)
        }
        _ => style,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_theme_without_colours_has_none() {
        for tone in [
            Tone::Text,
            Tone::Danger,
            Tone::Added,
            Tone::RemovedPart,
            Tone::Found,
            Tone::FoundHere,
            Tone::Keyword,
            Tone::Key,
        ] {
            let style = Theme::PLAIN.style(tone);
            assert_eq!((style.fg, style.bg), (None, None), "{tone:?}");
        }
        assert_eq!(Theme::COLOURS.style(Tone::Danger).fg, Some(Color::Red));
    }
}
