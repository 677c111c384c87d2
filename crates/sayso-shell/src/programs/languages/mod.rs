//! The small languages that text is piped through: the harmless part of each is understood, the rest is refused with a reason.
//!
//! A reader answers `Ok` only if every implementation of its language that may stand behind the name would read the text the same way, or
//! would give up on it, and nothing in it runs a program, touches a file or looks at the environment.

pub(crate) mod awk;
pub(crate) mod awk_files;
mod awk_tokens;
pub(crate) mod jq;
mod jq_names;
pub(crate) mod sed;

/// Why a text is not known to be harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// For the person who is asked.
    pub(crate) reason: String,
    /// The character it is about.
    pub(crate) at: usize,
    pub(crate) kind: Kind,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It runs programs.
    Runs,
    /// It reads this file, too.
    Reads(String),
    /// It writes this file.
    Writes(String),
    /// Every implementation gives up on it before it does anything.
    Broken,
    /// It is not known, or may do anything else.
    Unsure,
}

/// A refusal of something that may well be harmless but is not known.
fn unsure<T>(reason: impl Into<String>, at: usize) -> Result<T, Refusal> {
    Err(Refusal {
        reason: reason.into(),
        at,
        kind: Kind::Unsure,
    })
}

fn refuse<T>(kind: Kind, reason: impl Into<String>, at: usize) -> Result<T, Refusal> {
    Err(Refusal {
        reason: reason.into(),
        at,
        kind,
    })
}

/// A place in a text.
struct Cursor {
    text: Vec<char>,
    at: usize,
}

impl Cursor {
    fn new(text: &str) -> Self {
        Cursor {
            text: text.chars().collect(),
            at: 0,
        }
    }

    fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    /// The character so many places on.
    fn ahead(&self, places: usize) -> Option<char> {
        self.text.get(self.at + places).copied()
    }

    /// The character before this place.
    fn before(&self) -> Option<char> {
        self.text.get(self.at.checked_sub(1)?).copied()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += 1;
        Some(character)
    }

    fn eat(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        self.at += usize::from(found);
        found
    }

    /// Goes past spaces and tabs.
    fn blanks(&mut self) {
        self.take(|character| matches!(character, ' ' | '\t'));
    }

    /// Goes on while the characters fit, and answers them.
    fn take(&mut self, fits: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(character) = self.peek().filter(|character| fits(*character)) {
            taken.push(character);
            self.at += 1;
        }
        taken
    }
}

/// How a program finds the end of a regular expression that has a set in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sets {
    /// A delimiter in a set is no end.
    known: bool,
    /// A class such as `[:alpha:]` is part of a set; else its `]` ends it.
    classes: bool,
    /// A backslash in a set hides the next character.
    escapes: bool,
    /// A `]` right after the start is part of a set.
    first: bool,
}

/// As POSIX has it.
const POSIX_SETS: Sets = Sets {
    known: true,
    classes: true,
    escapes: false,
    first: true,
};
/// A delimiter ends it wherever it stands.
const NO_SETS: Sets = Sets {
    known: false,
    classes: false,
    escapes: false,
    first: false,
};

/// Every way in which a program may find the end of a set: they differ in all of these.
fn every_sets() -> impl Iterator<Item = Sets> {
    let ways = (0..8_u8).map(|bits| Sets {
        known: true,
        classes: bits & 1 == 0,
        escapes: bits & 2 != 0,
        first: bits & 4 == 0,
    });
    ways.chain([NO_SETS])
}

/// Where a part of a command ends: at the delimiter, which a backslash hides. None if there is no end, or a newline stands bare before it.
fn end_of_part(text: &[char], from: usize, delimiter: char, sets: Sets) -> Option<usize> {
    let mut at = from;
    while let Some(&character) = text.get(at) {
        match character {
            _ if character == delimiter => return Some(at),
            '\n' => return None,
            '\\' => at += 1,
            '[' if sets.known => at = end_of_set(text, at, sets)?,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the set ends that starts here.
fn end_of_set(text: &[char], start: usize, sets: Sets) -> Option<usize> {
    let mut at = start + 1;
    if text.get(at) == Some(&'^') {
        at += 1;
    }
    if text.get(at) == Some(&']') && sets.first {
        at += 1;
    }
    loop {
        match (text.get(at)?, text.get(at + 1)) {
            (']', _) => return Some(at),
            ('\n', _) => return None,
            ('\\', _) if sets.escapes => at += 2,
            ('[', Some(kind @ (':' | '.' | '='))) if sets.classes => {
                let inside = text.get(at + 2..)?;
                at += 2 + inside.windows(2).position(|pair| pair == [*kind, ']'])? + 2;
            }
            _ => at += 1,
        }
    }
}

/// Whether a text can be taken apart in another way by a program that expects other characters than UTF-8: then the last byte of
/// one that is not ASCII may swallow the next one.
fn is_doubtful_in_other_encodings(text: &str) -> bool {
    text.chars()
        .zip(text.chars().skip(1))
        .any(|(character, next)| !character.is_ascii() && matches!(next, '\\' | '|' | '{' | '}'))
}
