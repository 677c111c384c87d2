//! A body as lines in one text: what each line is, its numbers, its marks, and which lines belong together.

use std::ops::Range;

use crate::theme::Tone;

use crate::cells::{is_ascii, piece, steady};

/// Longer lines are laid out in pieces of about this many bytes, so that no line is ever wrapped whole.
const LONGEST: usize = 4096;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The name of the file, or of the kind of thing.
    Heading,
    /// Something that no line of a file shows.
    Note,
    /// The numbers of a changed place.
    Place,
    /// Says how many lines are folded.
    Fold,
    /// A line of a diff that stays, shown with a changed place.
    Same,
    /// A line that comes.
    Added,
    /// A line that goes.
    Removed,
    /// A line between changed places; it is shown only when it is unfolded.
    Between,
    /// Text as it is.
    Plain,
    /// The first line of a command.
    Command,
    /// A further line of a command.
    More,
    /// Where a command runs, and what it does.
    Under,
}

/// One line, or a piece of a long one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    /// Its number in the old file; 0 for none.
    pub old: u32,
    /// Its number in the new file; 0 for none.
    pub new: u32,
    /// Which line of the body it is, or is a piece of.
    pub whole: u32,
    /// It goes on from the piece before.
    pub continues: bool,
    pub ascii: bool,
}

/// A piece of the text that stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub tone: Tone,
}

/// Lines that belong together, by their index.
#[derive(Clone, Debug)]
pub(super) enum Section {
    /// Lines as they come.
    Lines(Range<u32>),
    /// A changed place: its heading, then its lines.
    Hunk {
        heading: Range<u32>,
        lines: Range<u32>,
    },
    /// What stays between changed places: the line that stands for it, and the lines; none where nobody has them.
    Between {
        label: Range<u32>,
        lines: Range<u32>,
    },
}

/// A whole body.
#[derive(Default)]
pub(super) struct Document {
    /// All lines, one behind the other, without breaks.
    pub text: String,
    pub lines: Vec<Line>,
    /// In the order of the lines; none reaches from one line into another.
    pub spans: Vec<Span>,
    pub sections: Vec<Section>,
    /// How many lines the body has that a person should see: all but those that say something about others.
    pub counted: u32,
    /// How many columns the numbers take, old and new.
    pub digits: (u16, u16),
    /// What it is written in.
    pub language: Option<&'static str>,
}

/// Line numbers, old and new; 0 is none.
pub(super) type Numbers = (u32, u32);

/// Stands for no line of the body.
pub(super) const NONE: u32 = u32::MAX;

impl Kind {
    /// The sign in front of it. No text can have one of its own, since it starts behind it.
    pub fn sign(self) -> &'static str {
        match self {
            Kind::Heading => "▸",
            Kind::Note => "!",
            Kind::Place | Kind::Same | Kind::Between | Kind::Plain => " ",
            Kind::Fold => "⋯",
            Kind::Added => "+",
            Kind::Removed => "-",
            Kind::Command => "$",
            Kind::More => ">",
            Kind::Under => "•",
        }
    }

    /// How it looks where nothing else is said.
    pub fn tone(self) -> Tone {
        match self {
            Kind::Heading | Kind::Place => Tone::Heading,
            Kind::Note => Tone::Warning,
            Kind::Fold => Tone::Faint,
            Kind::Added => Tone::Added,
            Kind::Removed => Tone::Removed,
            Kind::Command | Kind::More => Tone::Strong,
            Kind::Same | Kind::Between | Kind::Plain | Kind::Under => Tone::Text,
        }
    }

    /// Whether it is a line of a file, with numbers.
    pub fn is_of_file(self) -> bool {
        matches!(
            self,
            Kind::Same | Kind::Added | Kind::Removed | Kind::Between
        )
    }

    /// Whether it is broken between words.
    pub fn is_prose(self) -> bool {
        matches!(
            self,
            Kind::Heading | Kind::Note | Kind::Fold | Kind::Plain | Kind::Under
        )
    }

    /// Whether it counts as a line that a person should see.
    fn counts(self) -> bool {
        !matches!(
            self,
            Kind::Heading | Kind::Note | Kind::Place | Kind::Fold | Kind::Between
        )
    }
}

impl Document {
    /// The text of a line.
    pub fn text_of(&self, line: &Line) -> &str {
        self.text.get(line.start..line.end).unwrap_or_default()
    }

    /// The number of the next line.
    pub fn next(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(NONE)
    }

    /// Makes room for so many lines, and bytes in them: a large change is not copied from one place to the next while it grows.
    pub fn expect(&mut self, lines: usize, bytes: usize) {
        self.lines.reserve(lines);
        self.text.reserve(bytes);
    }

    /// Adds a line and gives the indexes of its pieces.
    pub fn push(&mut self, kind: Kind, text: &str) -> Range<u32> {
        self.push_marked(kind, (0, 0), text, &[])
    }

    /// Adds lines of one kind.
    pub fn push_all<'a>(&mut self, kind: Kind, lines: impl IntoIterator<Item = &'a String>) {
        for line in lines {
            self.push(kind, line);
        }
    }

    /// Adds a line with numbers, and with pieces that stand out, by their bytes in the text.
    pub fn push_marked(
        &mut self,
        kind: Kind,
        numbers: Numbers,
        text: &str,
        marks: &[(Range<usize>, Tone)],
    ) -> Range<u32> {
        let first = self.next();
        let begin = self.text.len();
        let whole = if kind.counts() { self.counted } else { NONE };
        self.counted += u32::from(kind.counts());
        // Nearly all lines are short and plain.
        if text.len() <= LONGEST && is_ascii(text) {
            self.text.push_str(text);
            let spans = marks
                .iter()
                .filter(|(range, _)| range.start < range.end && range.end <= text.len());
            self.spans.extend(spans.map(|(range, tone)| Span {
                start: begin + range.start,
                end: begin + range.end,
                tone: *tone,
            }));
            let end = self.text.len();
            self.lines.push(Line {
                start: begin,
                end,
                kind,
                old: numbers.0,
                new: numbers.1,
                whole,
                continues: false,
                ascii: true,
            });
            return first..self.next();
        }
        let spelled = steady(text);
        self.text
            .push_str(spelled.as_ref().map_or(text, |spelled| &spelled.text));
        let place = |at: usize| begin + spelled.as_ref().map_or(at, |spelled| spelled.place(at));
        let mut start = begin;
        loop {
            let rest = self.text.get(start..).unwrap_or_default();
            let end = start + piece(rest, LONGEST);
            let ascii = self.text.get(start..end).is_some_and(is_ascii);
            let continues = start > begin;
            // Each piece has its own part of what stands out.
            for (range, tone) in marks {
                let (from, to) = (place(range.start).max(start), place(range.end).min(end));
                if from < to {
                    self.spans.push(Span {
                        start: from,
                        end: to,
                        tone: *tone,
                    });
                }
            }
            self.lines.push(Line {
                start,
                end,
                kind,
                old: numbers.0,
                new: numbers.1,
                whole,
                continues,
                ascii,
            });
            start = end;
            if start >= self.text.len() {
                return first..self.next();
            }
        }
    }

    /// Adds lines that stand for themselves.
    pub fn section(&mut self, from: u32) {
        let lines = from..self.next();
        if !lines.is_empty() {
            self.sections.push(Section::Lines(lines));
        }
    }

    /// What stands out in a line.
    pub fn spans_of(&self, line: &Line) -> impl Iterator<Item = &Span> {
        let first = self.spans.partition_point(|span| span.start < line.start);
        let end = line.end;
        self.spans
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take_while(move |span| span.start < end)
    }
}
