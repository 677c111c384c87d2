//! What a person looks at before an answer: the types; the gate builds them, a screen draws them.
//!
//! Every text in here has passed [`visible`](crate::text::visible): nothing that a model wrote can hide, move the cursor or turn the direction.

use crate::text::size;
use crate::text::visible::visible;

/// What the person looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// What kind of thing it is, with its content cut to a screen.
    pub body: Body,
    /// Facts besides: the folder, the time limit, the backup, the environment, each as (label, value).
    pub details: Vec<(String, String)>,
    /// So many of the details, from the first on, decide: what else it runs, whether it can be undone. The others are only facts.
    pub deciding: usize,
    /// Warnings, the worst first.
    pub warnings: Vec<String>,
    /// Whether `sayso undo` could take the call back; none where it takes nothing away and nothing is kept.
    pub undo: Option<Undo>,
    /// How many lines of the body are not shown.
    pub hidden_lines: usize,
    /// All of it, for `view`; none where nothing was cut.
    pub full: Option<Box<Body>>,
}

/// Whether `sayso undo` can take a call back, as what will run the call has it. Every sentence about backups is made from this value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// It can, and nothing has to be kept for it: nothing is there now, or it only changes its place.
    Possible,
    /// It can: what is there now is kept at this place first.
    Kept(String),
    /// It cannot, and why.
    Impossible(String),
}

/// The kinds of presentations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Plain text, in lines.
    Text(Vec<String>),
    /// A change of a file.
    Diff(Diff),
    /// The content of a whole file, or of what is added to one that cannot be compared.
    Content {
        /// The file.
        path: String,
        /// What it is written in, by its ending.
        language: Option<&'static str>,
        /// Its lines.
        lines: Vec<String>,
        /// Its size in bytes.
        size: u64,
        /// What no line of it shows: its line breaks, its end, how it starts.
        notes: Vec<String>,
        /// What it does to a file that is there: "replaces a binary file: image/png (2.3 KB)"; none where the file is new.
        over: Option<String>,
    },
    /// A command, whole; it is wrapped by the screen and never cut.
    Command {
        /// Its lines.
        lines: Vec<String>,
        /// What the pieces of these lines are for, in the order of the text.
        marks: Vec<Mark>,
        /// The folder it runs in.
        folder: String,
        /// What each command of the line does, in the order of the line.
        parts: Vec<Part>,
        /// What it would do, in words.
        effects: Vec<String>,
    },
    /// Names and values.
    Structured(Vec<(String, String)>),
    /// A file that is no text.
    Binary {
        /// The file.
        path: String,
        /// Its media type.
        media: &'static str,
        /// Its size in bytes.
        size: u64,
    },
}

/// A piece of a line of a command, and what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which line.
    pub line: usize,
    /// The first byte of the line, as it is shown.
    pub start: usize,
    /// One past the last of them.
    pub end: usize,
    /// What it is for.
    pub meaning: Meaning,
}

/// What a piece of a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// It is read.
    Reads,
    /// It starts something.
    Runs,
    /// It is talked to.
    Connects,
    /// It is made or changed.
    Writes,
    /// It goes.
    Deletes,
    /// What it does cannot be told.
    Unclear,
    /// It is why the command is dangerous.
    Danger,
}

/// One command of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its program, as it was written.
    pub program: String,
    /// What it would do, in words.
    pub effects: Vec<String>,
}

/// A change of a file, in the order of the file; it serves a unified and a side-by-side view alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// The file.
    pub path: String,
    /// What it is written in, by its ending.
    pub language: Option<&'static str>,
    /// The changed places with the lines around them.
    pub hunks: Vec<Hunk>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// What no line of it shows: other line breaks, its end, how it starts, whether it is a program.
    pub notes: Vec<String>,
    /// The lines behind the last changed place, which stay; none where there are too many of them.
    pub rest: Vec<String>,
}

/// One changed place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first line of the old file, from 1.
    pub old_start: usize,
    /// The first line of the new file, from 1.
    pub new_start: usize,
    /// The lines between the changed place before and this one, which stay; none where there are too many of them.
    pub before: Vec<String>,
    /// Its lines.
    pub lines: Vec<DiffLine>,
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What happens to it.
    pub change: Change,
    /// Its number in the old file.
    pub old: Option<usize>,
    /// Its number in the new file.
    pub new: Option<usize>,
    /// Its text in pieces; those that differ inside of a changed line are marked.
    pub pieces: Vec<Piece>,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It stays.
    Same,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// It differs from the line that it replaces or is replaced by.
    pub emphasised: bool,
}

impl Presentation {
    /// Only a body.
    pub fn of(body: Body) -> Self {
        Presentation {
            body,
            details: Vec::new(),
            deciding: 0,
            warnings: Vec::new(),
            undo: None,
            hidden_lines: 0,
            full: None,
        }
    }

    /// All of the body, whether or not the screen shows it.
    pub fn whole(&self) -> &Body {
        self.full.as_deref().unwrap_or(&self.body)
    }
}

impl Undo {
    /// Whether `sayso undo` can take the call back.
    pub fn is_possible(&self) -> bool {
        !matches!(self, Undo::Impossible(_))
    }

    /// The sentence for a person.
    pub fn words(&self) -> String {
        match self {
            Undo::Possible => "`sayso undo` can take it back.".to_owned(),
            Undo::Kept(place) => format!(
                "`sayso undo` can take it back (backup: {}).",
                visible(place)
            ),
            Undo::Impossible(why) => format!("`sayso undo` cannot take it back: {}.", visible(why)),
        }
    }
}

/// The line above the content of a file: "new file a.py (7 bytes, python)", or what it does to the file that is there.
pub fn content_heading(
    path: &str,
    size: u64,
    language: Option<&str>,
    over: Option<&str>,
) -> String {
    let language = language
        .map(|language| format!(", {language}"))
        .unwrap_or_default();
    let what = format!("{path} ({}{language})", size::words(size));
    match over {
        None => format!("new file {what}"),
        Some(over) => format!("{what} {over}"),
    }
}

impl Meaning {
    const ALL: [Meaning; 7] = [
        Meaning::Reads,
        Meaning::Runs,
        Meaning::Connects,
        Meaning::Writes,
        Meaning::Deletes,
        Meaning::Unclear,
        Meaning::Danger,
    ];

    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Meaning::Reads => "reads",
            Meaning::Runs => "runs",
            Meaning::Connects => "connects",
            Meaning::Writes => "writes",
            Meaning::Deletes => "deletes",
            Meaning::Unclear => "unclear",
            Meaning::Danger => "danger",
        }
    }

    /// The meaning of a word.
    pub fn from_word(word: &str) -> Option<Meaning> {
        Meaning::ALL
            .into_iter()
            .find(|meaning| meaning.word() == word)
    }
}

impl Part {
    /// "runs `rm` · deletes /ws/build with everything below".
    pub fn words(&self) -> String {
        let mut out = format!("runs `{}`", self.program);
        for effect in &self.effects {
            out.push_str(" · ");
            out.push_str(effect);
        }
        out
    }
}

impl Hunk {
    /// "@@ -3,7 +3,8 @@".
    pub fn heading(&self) -> String {
        let count = |not: Change| self.lines.iter().filter(|line| line.change != not).count();
        let range = |start: usize, count: usize| match count {
            // A place of no lines is named by the line before it.
            0 => format!("{},0", start.saturating_sub(1)),
            1 => start.to_string(),
            _ => format!("{start},{count}"),
        };
        format!(
            "@@ -{} +{} @@",
            range(self.old_start, count(Change::Added)),
            range(self.new_start, count(Change::Removed))
        )
    }
}

impl Change {
    /// The sign in front of a line.
    pub fn sign(self) -> char {
        match self {
            Change::Same => ' ',
            Change::Removed => '-',
            Change::Added => '+',
        }
    }
}

/// The warning of a grave prompt that does not show all of its body; none where it does.
pub fn cut_warning(hidden_lines: usize) -> Option<String> {
    let lines = if hidden_lines == 1 {
        "1 line is".to_owned()
    } else {
        format!("{hidden_lines} lines are")
    };
    (hidden_lines > 0)
        .then(|| format!("{lines} not on the screen: look at all of it before you say yes"))
}

impl DiffLine {
    /// Its text.
    pub fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect()
    }
}

impl Body {
    /// The word used in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Body::Text(_) => "text",
            Body::Diff(_) => "diff",
            Body::Content { .. } => "file_content",
            Body::Command { .. } => "command",
            Body::Structured(_) => "structured",
            Body::Binary { .. } => "binary",
        }
    }
}
