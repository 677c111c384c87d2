//! Words after expansion: each word of a command becomes fields, in every way that the line's variables and the shells allow.
//!
//! What is only known when it runs becomes a hole (see [`crate::parse::placeholder`]); a quoted one is one word, an unquoted one any number of words.

use std::borrow::Cow;
use std::fmt::Arguments;

use super::variables::{Variables, all_literal};
use super::{substitution_output, trim_pattern};
use crate::parse::bash::tree::{Document, Form, Piece, Word};
use crate::parse::field::Field;
use crate::parse::placeholder::{
    self, ANY, BELOW, COMMIT, DIGITS, FRESH, HERE, HOME, LIST, NUMBER, PARTED, PIPE, SIGNED, STAR,
    TEXT,
};

/// Ways to read one command that are told apart. Beyond that, variables count as unknown.
const MOST_WAYS: usize = 24;

/// How braces and `$'…'` are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// As bash and zsh do.
    Wide,
    /// As a plain `sh` does.
    Plain,
}

/// What words are expanded with.
#[derive(Clone, Copy)]
pub(crate) struct Expander<'a> {
    pub(crate) variables: &'a Variables,
    pub(crate) document: &'a Document,
    pub(crate) dialect: Dialect,
    /// Variables that may hold several values count as unknown.
    blur: bool,
}

/// A command's words in one way to read them.
pub(crate) type Fields = Vec<Field>;

/// The words of a command that is nothing but text, as most are.
pub(crate) fn plain(words: &[Word]) -> Option<Fields> {
    if !words.iter().all(Word::is_literal) {
        return None;
    }
    let mut fields = Fields::with_capacity(words.len());
    fields.extend(words.iter().filter_map(literal));
    Some(fields)
}

/// All ways to read the words of a command.
pub(crate) fn commands(words: &[Word], variables: &Variables, document: &Document) -> Vec<Fields> {
    if let Some(fields) = plain(words) {
        return vec![fields];
    }
    let has_dialects = words.iter().any(|word| {
        word.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Braces { .. } | Piece::Decoded { .. }))
    });
    let dialects: &[Dialect] = if has_dialects {
        &[Dialect::Wide, Dialect::Plain]
    } else {
        &[Dialect::Wide]
    };
    let mut all = Vec::new();
    for &dialect in dialects {
        let expander = Expander {
            variables,
            document,
            dialect,
            blur: false,
        };
        let ways = expander.list(words).unwrap_or_else(|| {
            let blurred = Expander {
                blur: true,
                ..expander
            };
            blurred
                .list(words)
                .unwrap_or_else(|| vec![words.iter().map(unknown).collect()])
        });
        all.extend(ways);
    }
    all.dedup();
    all
}

/// All fields that a word may become, in any way.
pub(crate) fn values(word: &Word, variables: &Variables, document: &Document) -> Vec<Field> {
    commands(std::slice::from_ref(word), variables, document)
        .into_iter()
        .flatten()
        .collect()
}

/// All texts that a word may be where it is not split: the value of an assignment, the target of a redirect, an operand of a test.
pub(crate) fn texts(word: &Word, variables: &Variables, document: &Document) -> Vec<Field> {
    if let Some(field) = literal(word) {
        return vec![field];
    }
    let mut quoted = word.clone();
    quote(&mut quoted.pieces);
    let fields = values(&quoted, variables, document);
    if fields.is_empty() {
        vec![Field::plain("", word.start, word.end)]
    } else {
        fields
    }
}

fn quote(pieces: &mut [Piece]) {
    for piece in pieces {
        match piece {
            Piece::Text { quoted, .. }
            | Piece::Parameter { quoted, .. }
            | Piece::Command { quoted, .. }
            | Piece::Number { quoted, .. } => *quoted = true,
            _ => {}
        }
    }
}

fn literal(word: &Word) -> Option<Field> {
    Some(Field::plain(word.literal()?, word.start, word.end))
}

fn unknown(word: &Word) -> Field {
    Field::hole(LIST, "$…", word.start, word.end)
}

/// Fields while they are being made.
#[derive(Clone, Default)]
struct Making {
    done: Fields,
    current: Field,
    /// There is a current field, be it empty.
    open: bool,
    /// The name of a file or folder stands in it without quotes.
    parted: bool,
}

impl Making {
    fn push(&mut self, value: &str, written: Arguments<'_>) {
        self.current.push(value, written);
        self.open = true;
    }

    fn close(&mut self) {
        if placeholder::has_names_below(&self.current.value)
            && placeholder::below(&self.current.value).is_none()
        {
            self.current.value = LIST.to_string();
        }
        if std::mem::take(&mut self.parted) {
            self.current
                .push(PARTED.encode_utf8(&mut [0; 4]), format_args!(""));
        }
        if std::mem::take(&mut self.open) {
            self.done.push(std::mem::take(&mut self.current));
        }
    }

    /// Adds an unquoted value as most shells do: blanks part it.
    fn push_split(&mut self, value: &str) {
        let mut parts = value.split([' ', '\t', '\n']).peekable();
        while let Some(part) = parts.next() {
            if !part.is_empty() {
                self.push(part, format_args!("{part}"));
            }
            if parts.peek().is_some() {
                self.close();
            }
        }
    }
}

/// Every way to read some words together with every way to read those that follow; none if there are too many.
fn together(mut ways: Vec<Fields>, mut more: Vec<Fields>) -> Option<Vec<Fields>> {
    if ways.len() * more.len() > MOST_WAYS {
        return None;
    }
    if let ([way], [fields]) = (ways.as_mut_slice(), more.as_mut_slice()) {
        way.append(fields);
        return Some(ways);
    }
    Some(
        ways.iter()
            .flat_map(|way| {
                more.iter()
                    .map(move |fields| way.iter().chain(fields).cloned().collect())
            })
            .collect(),
    )
}

impl Expander<'_> {
    /// All ways to read these words together; none if there are too many.
    fn list(&self, words: &[Word]) -> Option<Vec<Fields>> {
        let mut ways: Vec<Fields> = vec![Vec::new()];
        for word in words {
            match literal(word) {
                Some(field) => {
                    let fields = std::iter::repeat_n(field, ways.len());
                    ways.iter_mut()
                        .zip(fields)
                        .for_each(|(way, field)| way.push(field));
                }
                None => ways = together(ways, self.word(word)?)?,
            }
        }
        Some(ways)
    }

    fn word(&self, word: &Word) -> Option<Vec<Fields>> {
        let mut ways: Vec<Fields> = vec![Vec::new()];
        if word
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Braces { .. }))
        {
            for pieces in self.braces(&word.pieces)? {
                ways = together(ways, self.pieces(pieces.iter().copied())?)?;
            }
        } else {
            ways = self.pieces(word.pieces.iter())?;
        }
        for field in ways.iter_mut().flatten() {
            (field.start, field.end) = (word.start, word.end);
        }
        Some(ways)
    }

    /// Each word that braces make of one.
    fn braces<'p>(&self, pieces: &'p [Piece]) -> Option<Vec<Vec<&'p Piece>>> {
        const MOST_WORDS: usize = 128;
        let mut words: Vec<Vec<&Piece>> = vec![Vec::new()];
        for piece in pieces {
            match piece {
                Piece::Braces { choices, .. } if self.dialect == Dialect::Wide => {
                    if words.len() * choices.len() > MOST_WORDS {
                        return None;
                    }
                    words = words
                        .iter()
                        .flat_map(|word| {
                            choices
                                .iter()
                                .map(move |choice| word.iter().copied().chain(choice).collect())
                        })
                        .collect();
                }
                piece => words.iter_mut().for_each(|word| word.push(piece)),
            }
        }
        // A word of nothing is left out by one shell and kept by another.
        let nothing = |word: &Vec<&Piece>| {
            word.iter().all(
                |piece| matches!(piece, Piece::Text { text, quoted: false } if text.is_empty()),
            )
        };
        if words.len() > 1 && words.iter().any(nothing) {
            return None;
        }
        Some(words)
    }

    fn pieces<'p>(&self, pieces: impl Iterator<Item = &'p Piece> + Clone) -> Option<Vec<Fields>> {
        let mut ways = vec![Making::default()];
        let empty = |piece: &Piece| matches!(piece, Piece::Text { text, .. } if text.is_empty());
        let alone = pieces.clone().filter(|piece| !empty(piece)).count() == 1;
        let only = pieces.clone().count() == 1;
        // An empty text behind a list makes a word of its own where the list is empty.
        let last = pieces.clone().last();
        let is_last = |piece: &Piece| last.is_some_and(|last| std::ptr::eq(last, piece));
        for piece in pieces {
            match piece {
                // Text before or behind a name from a list makes it another name, of which nothing is known.
                Piece::Parameter {
                    name,
                    form: Form::Plain | Form::Or(_),
                    quoted,
                } if !is_list(name) && !alone && self.variables.has_names_below(name) => {
                    let value = if *quoted { TEXT } else { LIST };
                    ways.iter_mut().for_each(|way| {
                        way.push(value.encode_utf8(&mut [0; 4]), format_args!("${name}"))
                    });
                }
                Piece::Parameter {
                    name,
                    form: Form::Plain,
                    quoted,
                } if !is_list(name) && self.variables.is_unknown(name) => {
                    let value = if *quoted { TEXT } else { LIST };
                    ways.iter_mut().for_each(|way| {
                        way.push(value.encode_utf8(&mut [0; 4]), format_args!("${name}"))
                    });
                }
                Piece::Parameter {
                    name,
                    form: Form::Plain,
                    quoted,
                } if !is_list(name) => {
                    ways = self.parameter(ways, name, None, *quoted, format_args!("${name}"))?;
                }
                Piece::Parameter {
                    name,
                    form: Form::Or(other),
                    quoted,
                } if !is_list(name) => {
                    let other = match other.as_slice() {
                        [] => String::new(),
                        [Piece::Text { text, .. }] if !text.contains('~') => text.clone(),
                        _ => TEXT.to_string(),
                    };
                    ways =
                        self.parameter(ways, name, Some(other), *quoted, format_args!("${name}"))?;
                }
                Piece::Parameter {
                    name,
                    form: Form::Cut { operator, pattern },
                    quoted,
                } if !is_list(name)
                    && trim_pattern::values(&self.variables.get(name), operator, pattern)
                        .is_some() =>
                {
                    let values = trim_pattern::values(&self.variables.get(name), operator, pattern)
                        .unwrap_or_default();
                    ways =
                        self.with_values(ways, values.into(), *quoted, format_args!("${name}"))?;
                }
                Piece::Home => {
                    ways = self.parameter(ways, "HOME", None, true, format_args!("~"))?
                }
                Piece::Parameter {
                    name,
                    form: Form::List,
                    quoted: true,
                } if alone && is_last(piece) && self.variables.list(name).is_some() => {
                    ways.iter_mut().for_each(|way| way.open = false);
                    for value in self.variables.list(name).unwrap_or_default() {
                        for way in &mut ways {
                            way.push(&value, format_args!("{}", placeholder::shown(&value)));
                            way.close();
                        }
                    }
                }
                Piece::Parameter {
                    name,
                    form: Form::Plain,
                    quoted: true,
                } if alone
                    && is_last(piece)
                    && name == "@"
                    && self.variables.list(name).is_some() =>
                {
                    ways.iter_mut().for_each(|way| way.open = false);
                    for value in self.variables.list(name).unwrap_or_default() {
                        for way in &mut ways {
                            way.push(&value, format_args!("{}", placeholder::shown(&value)));
                            way.close();
                        }
                    }
                }
                Piece::Command {
                    script,
                    quoted: false,
                } if substitution_output::listed_names(script).is_some() => {
                    let names = substitution_output::listed_names(script).unwrap_or_default();
                    for way in &mut ways {
                        // Each name is a word of its own; together with other text, it is not known which.
                        if way.open || !only {
                            way.push(LIST.encode_utf8(&mut [0; 4]), format_args!("$(…)"));
                            continue;
                        }
                        for name in &names {
                            way.push(name, format_args!("$(…)"));
                            way.close();
                        }
                    }
                }
                piece => {
                    let (value, written) = self.piece(piece);
                    let parted = matches!(piece, Piece::Command { quoted: false, .. })
                        && value.contains(HERE);
                    for way in &mut ways {
                        way.push(&value, format_args!("{written}"));
                        way.parted |= parted;
                    }
                }
            }
        }
        ways.iter_mut().for_each(Making::close);
        Some(ways.into_iter().map(|way| way.done).collect())
    }

    /// A piece that can only be one thing, and how it is written.
    fn piece<'p>(&self, piece: &'p Piece) -> (Cow<'p, str>, Cow<'p, str>) {
        let unknown = |quoted: bool| if quoted { TEXT } else { LIST };
        let (hole, written) = match piece {
            Piece::Text { text, .. } => return (text.into(), text.into()),
            Piece::Braces { written, .. } => {
                // Where braces are text, wildcards in them still stand for names.
                return (
                    written
                        .replace('*', &STAR.to_string())
                        .replace('?', &ANY.to_string())
                        .into(),
                    written.into(),
                );
            }
            Piece::Decoded { text, written } => {
                let text = if self.dialect == Dialect::Wide {
                    text
                } else {
                    written
                };
                return (text.into(), text.into());
            }
            Piece::Wild(text) => (if text == "*" { STAR } else { ANY }, text.into()),
            Piece::Process { .. } => (PIPE, "<(…)".into()),
            Piece::Number { names, signed, .. } => {
                // A number is one word, even with a sign.
                let plain = !signed && names.iter().all(|name| self.variables.is_counted(name));
                let counted = names.iter().all(|name| self.variables.is_counted(name));
                (
                    if plain {
                        NUMBER
                    } else if counted {
                        SIGNED
                    } else {
                        TEXT
                    },
                    "$((…))".into(),
                )
            }
            Piece::Command {
                script,
                quoted: true,
            } if substitution_output::one_name(script).is_some() => {
                return (
                    substitution_output::one_name(script)
                        .unwrap_or_default()
                        .into(),
                    "$(…)".into(),
                );
            }
            Piece::Command { script, quoted } => {
                match substitution_output::known_output(script, self.document, self.variables) {
                    Some(text) if *quoted || text.contains([HERE, NUMBER, COMMIT]) => {
                        return (text.into(), "$(…)".into());
                    }
                    _ => (unknown(*quoted), "$(…)".into()),
                }
            }
            Piece::Parameter { name, form, quoted } => {
                let hole = match form {
                    Form::Count => NUMBER,
                    Form::Changed(_) | Form::Cut { .. } => unknown(*quoted),
                    Form::Plain | Form::Or(_) | Form::List => LIST,
                };
                (hole, format!("${name}").into())
            }
            Piece::Home => (TEXT, "~".into()),
        };
        (hole.to_string().into(), written)
    }

    /// A variable's values in every way so far; `other` holds where it has none.
    fn parameter(
        &self,
        ways: Vec<Making>,
        name: &str,
        other: Option<String>,
        quoted: bool,
        written: Arguments<'_>,
    ) -> Option<Vec<Making>> {
        let mut values = self.variables.get(name);
        if let Some(other) = other {
            values.to_mut().push(other);
        }
        self.with_values(ways, values, quoted, written)
    }

    /// One of these values in every way so far.
    fn with_values(
        &self,
        ways: Vec<Making>,
        mut values: Cow<'_, [String]>,
        quoted: bool,
        written: Arguments<'_>,
    ) -> Option<Vec<Making>> {
        if self.blur
            && (values.len() > 1 || !all_literal(&values))
            && values.iter().all(|value| value.chars().count() != 1)
        {
            values = vec![TEXT.to_string()].into();
        }
        let mut out = Vec::with_capacity(ways.len() * values.len());
        for way in ways {
            for (value, mut quoted_way) in values.iter().zip(std::iter::repeat_n(way, values.len()))
            {
                if quoted {
                    quoted_way.push(value, written);
                    out.push(quoted_way);
                    continue;
                }
                if value.is_empty() {
                    out.push(quoted_way);
                } else if self.variables.parts_elsewhere() {
                    quoted_way.push(LIST.encode_utf8(&mut [0; 4]), written);
                    out.push(quoted_way);
                } else if is_plain_pattern(value) {
                    // One shell leaves it as it stands, which is one file at most.
                    quoted_way.push(
                        &value
                            .replace('*', &STAR.to_string())
                            .replace('?', &ANY.to_string()),
                        written,
                    );
                    quoted_way.parted = true;
                    out.push(quoted_way);
                } else if value.contains([TEXT, LIST, DIGITS])
                    || value.contains(['*', '?', '[', '\\'])
                {
                    quoted_way.push(LIST.encode_utf8(&mut [0; 4]), written);
                    out.push(quoted_way);
                } else if value.contains([' ', '\t', '\n']) {
                    // zsh does not part it.
                    let mut split = quoted_way.clone();
                    split.push_split(value);
                    quoted_way.push(value, written);
                    out.extend([split, quoted_way]);
                } else {
                    quoted_way.push(value, written);
                    quoted_way.parted |= value.contains([HOME, HERE, STAR, ANY, FRESH]);
                    out.push(quoted_way);
                }
            }
            if out.len() > MOST_WAYS {
                return None;
            }
        }
        Some(out)
    }
}

/// Whether a value is one pattern of names, with nothing in it that would make it several.
fn is_plain_pattern(value: &str) -> bool {
    value.contains(['*', '?'])
        && !value.contains([TEXT, LIST, BELOW])
        && !value.contains(|letter: char| letter.is_whitespace() || "[\\".contains(letter))
}

/// Whether a name stands for all arguments of the script.
fn is_list(name: &str) -> bool {
    matches!(name, "@" | "*")
}
