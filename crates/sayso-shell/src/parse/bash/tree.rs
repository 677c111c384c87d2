//! What was written, as a tree: commands, words and the pieces of words. It never leaves this crate.

use std::borrow::Cow;

/// A whole text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) script: Script,
    /// The bodies of heredocs, as words; a quoted delimiter makes a body one text.
    pub(crate) bodies: Vec<Word>,
}

/// Commands one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script(pub(crate) Vec<Node>);

/// A command with everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A program or builtin with its words.
    Simple(Simple),
    /// Commands whose output is the next one's input.
    Pipeline(Vec<Node>),
    /// `a && b || c`: the parts in order, each with what stands before it.
    Chain(Vec<(Joint, Node)>),
    /// `! a`.
    Not(Box<Node>),
    /// `a &`.
    Background(Box<Node>),
    /// `( … )`.
    Subshell(Script, Vec<Redirect>),
    /// `{ …; }`.
    Group(Script, Vec<Redirect>),
    /// `if`: conditions with their branches, and the rest.
    If {
        branches: Vec<(Script, Script)>,
        otherwise: Option<Script>,
        redirects: Vec<Redirect>,
    },
    /// `while` and `until`.
    Loop {
        condition: Script,
        body: Script,
        redirects: Vec<Redirect>,
    },
    /// `for name in words`; no words means the script's own arguments.
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: Script,
        redirects: Vec<Redirect>,
    },
    /// `for ((name = …; …; …))`.
    Count(Count),
    /// `name() { …; }`, by the group or subshell that it runs.
    Function { name: String, body: Box<Node> },
    /// `case`.
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, Script)>,
        redirects: Vec<Redirect>,
    },
    /// `[[ … ]]`, by the words it looks at, and those among them that it compares as numbers.
    Test {
        words: Vec<Word>,
        numbers: Vec<Word>,
        redirects: Vec<Redirect>,
    },
}

/// A loop over numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) name: String,
    /// Variables that its arithmetic looks at.
    pub(crate) names: Vec<String>,
    /// The number may be below zero.
    pub(crate) signed: bool,
    pub(crate) body: Script,
    pub(crate) redirects: Vec<Redirect>,
}

/// What stands before a part of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// Nothing: it is the first.
    First,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// Assignments, words and redirects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// `name=value`, `name+=value` or `name=(values)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) appends: bool,
    pub(crate) value: Assigned,
}

/// What is assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Assigned {
    One(Word),
    List(Vec<Word>),
}

/// A redirect of a file descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    /// `&>`, which in some shells sends the command to the background instead.
    pub(crate) both: bool,
    /// The number before it, if there is one.
    pub(crate) descriptor: Option<u8>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// `< word`.
    Read(Word),
    /// `> word`, `>> word`, `>| word`, `&> word`, `&>> word`, `<> word`.
    Write(Word),
    /// `>&2`, `2>&1`, `<&0`, `>&-`.
    Duplicate,
    /// `<<< word`.
    HereString(Word),
    /// `<<X`, by the number of its body in [`Document::bodies`].
    HereDocument(usize),
}

/// A word: its pieces, and the bytes it was written with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text that stays as it is.
    Text { text: String, quoted: bool },
    /// `*`, `?` or `[…]`, which stand for file names.
    Wild(String),
    /// `~` at the start of the word: the person's home.
    Home,
    /// `$name`, `${name}` and its forms.
    Parameter {
        name: String,
        form: Form,
        quoted: bool,
    },
    /// `$( … )` and backticks.
    Command { script: Script, quoted: bool },
    /// `<( … )` and `>( … )`.
    Process {
        script: Script,
        /// It reads what is written to it: `>(…)`.
        fed: bool,
    },
    /// `$(( … ))`: digits come out, and perhaps a sign, as long as these variables hold plain numbers.
    Number {
        names: Vec<String>,
        signed: bool,
        quoted: bool,
    },
    /// `{a,b}` and `{1..3}`: a word for each in most shells, and text in some.
    Braces {
        choices: Vec<Vec<Piece>>,
        written: String,
    },
    /// `$'…'`: decoded in most shells, and a `$` before a quoted text in some.
    Decoded { text: String, written: String },
}

/// How a parameter is expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The value.
    Plain,
    /// A number: `${#name}`, `$?`, `$#`.
    Count,
    /// All values of a list, as words of their own: `"${name[@]}"`.
    List,
    /// The value, or these pieces if there is none: `${name:-text}`.
    Or(Vec<Piece>),
    /// The value without what a plain pattern takes off its start (`#`, `##`) or its end (`%`, `%%`).
    Cut {
        operator: &'static str,
        pattern: String,
    },
    /// The value, or something made of it and of these pieces.
    Changed(Vec<Piece>),
}

impl Word {
    /// Whether the word is nothing but text.
    pub(crate) fn is_literal(&self) -> bool {
        self.pieces
            .iter()
            .all(|piece| matches!(piece, Piece::Text { .. }))
    }

    /// The text of a word that is nothing but text.
    pub(crate) fn literal(&self) -> Option<Cow<'_, str>> {
        match self.pieces.as_slice() {
            [Piece::Text { text, .. }] => return Some(text.into()),
            _ if !self.is_literal() => return None,
            _ => {}
        }
        let texts = self.pieces.iter().map(|piece| match piece {
            Piece::Text { text, .. } => text.as_str(),
            _ => "",
        });
        Some(texts.collect::<String>().into())
    }

    /// The text, if the word stands there without any quotes.
    pub(crate) fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [
                Piece::Text {
                    text,
                    quoted: false,
                },
            ] => Some(text),
            _ => None,
        }
    }
}
