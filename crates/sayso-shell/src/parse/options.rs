//! The options of a program, after a compact table: only what stands in the table is known.
//!
//! A table is a text of entries parted by blanks. An entry has the spellings of one option, parted by commas, the normal one
//! last: `-r,-R,--recursive`. It may end in one of these:
//!
//! | end | meaning |
//! |---|---|
//! | `=` | takes a value, attached or as the next word |
//! | `=<` | takes a path that is read |
//! | `=>` | takes a path that is written |
//! | `={a,b}` | takes one of these values, in full |
//! | `=+` | takes a value, and is only known with it attached: programs disagree about the next word |
//! | `=_` | takes the next word, and is only known by itself: the program does not read bundles as others do |
//! | `=-` | takes the next word, also one that starts with `-`: every program of the name does |
//! | `=?` | takes the next word if there is one |
//! | `?` | the long spelling may have a value after `=` |
//! | `~` | may have a value, attached to any spelling |
//! | `!` | takes nothing, and makes the program change something |
//! | `=!` | the same with a value |
//!
//! The spelling `-#` stands for a number such as `-20`. A next word that starts with `-` is never taken for a value, since a
//! program that does not take it either would read it as an option: the option is unknown then. The entry `+` says that options stop
//! at the first operand.
//!
//! A word with a hole (see [`super::placeholder`]) that may turn out to be an option, or several words, is unknown before `--`.

use std::borrow::Cow;
use std::iter::Peekable;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::name_map::QuickMap;
use super::placeholder::{self, LIST, NUMBER, SIGNED, TEXT};

/// What was given to a program.
#[derive(Debug, Default)]
pub(crate) struct Parsed<'a> {
    /// The options in their normal spelling.
    pub(crate) options: Vec<Given<'a>>,
    /// The other words.
    pub(crate) operands: Vec<&'a str>,
    /// How many operands stood before `--`, if it was there.
    pub(crate) before_dashes: Option<usize>,
    /// Options that stand behind an operand, and their values: files to a program that wants its options first, as most do on BSD, and
    /// all do where `POSIXLY_CORRECT` is set.
    pub(crate) late: Vec<&'a str>,
    /// The options that the table does not have, and words that may be such.
    pub(crate) unknown: Vec<&'a str>,
}

/// One option that was given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Given<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) value: Option<&'a str>,
    pub(crate) takes: Takes,
}

impl Given<'_> {
    /// Whether this option may switch a mode off: `--list=false`, `--no-list`, and `--list` for `--no-list`.
    fn takes_back(&self, mode: &str) -> bool {
        const OPPOSITES: [&str; 8] = [
            "no-", "no", "not-", "non-", "un", "disable-", "without-", "skip-",
        ];
        const NO: [&str; 9] = [
            "false", "no", "off", "0", "never", "none", "f", "n", "disabled",
        ];
        if self.name == mode {
            let value = self
                .value
                .map(|value| value.trim_start_matches('=').to_ascii_lowercase());
            let is_switch = matches!(
                self.takes,
                Takes::Nothing | Takes::Acts | Takes::LongMay | Takes::May
            );
            return is_switch && value.is_some_and(|value| NO.contains(&value.as_str()));
        }
        let (own, mode) = (
            self.name.trim_start_matches('-'),
            mode.trim_start_matches('-'),
        );
        let opposite = |one: &str, other: &str| {
            other.len() > 1
                && OPPOSITES
                    .iter()
                    .any(|start| one.strip_prefix(start) == Some(other))
        };
        opposite(own, mode) || opposite(mode, own)
    }
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Data,
    ReadPath,
    WritePath,
    /// One of these.
    OneOf(&'static str),
    /// A value, but only attached.
    Attached,
    /// The next word, but only where the option stands alone.
    Apart,
    /// The next word, whatever it starts with.
    Any,
    /// The next word, unless there is none.
    Last,
    /// Only after `=` of the long spelling.
    LongMay,
    /// Only attached.
    May,
    /// Nothing, and the program changes something.
    Acts,
    /// A value, and the program changes something.
    ActsOn,
}

impl Takes {
    /// The value that stands in the next word. What starts with `-` stays, and is read as an option.
    fn next_word<'a>(self, rest: &mut Peekable<impl Iterator<Item = &'a str>>) -> Option<&'a str> {
        match self {
            Takes::Nothing | Takes::Acts | Takes::LongMay | Takes::May | Takes::Attached => None,
            Takes::Any => rest.next_if(|word| !placeholder::may_be_several(word)),
            _ => rest.next_if(|word| {
                (!word.starts_with('-') || self == Takes::Data && is_negative(word))
                    && !placeholder::may_be_several(word)
            }),
        }
    }

    /// Whether the option may have this value, or none.
    fn fits(self, value: Option<&str>) -> bool {
        match (self, value) {
            (Takes::Nothing | Takes::Acts, value) => value.is_none(),
            (Takes::LongMay | Takes::May | Takes::Last, value) => {
                value.is_none_or(placeholder::is_literal)
            }
            (Takes::OneOf(values), Some(value)) => values.split(',').any(|one| one == value),
            // An optional value may be a path or a program to some; what it is must be seen.
            (
                Takes::Data
                | Takes::Any
                | Takes::Attached
                | Takes::Apart
                | Takes::ReadPath
                | Takes::WritePath,
                Some(value),
            ) => placeholder::is_literal(value) || !value.contains(LIST),
            (_, value) => value.is_some(),
        }
    }
}

impl Parsed<'_> {
    /// Whether an option was given, by its normal spelling.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.options.iter().any(|given| given.name == name)
    }

    /// Whether an option was given that makes the program only look, and nothing that may take it back: a word that is not known, the option
    /// again with a value that says no, or its opposite.
    pub(crate) fn keeps_mode(&self, name: &str) -> bool {
        self.has(name)
            && self.unknown.is_empty()
            && !self.options.iter().any(|given| given.takes_back(name))
    }

    /// Whether one of these modes was given, and none of them is taken back.
    pub(crate) fn keeps_one_mode(&self, names: &[&str]) -> bool {
        let given = || names.iter().filter(|name| self.has(name));
        given().next().is_some() && given().all(|name| self.keeps_mode(name))
    }

    /// Whether every value that an option was given fits.
    pub(crate) fn every_value(&self, name: &str, fits: impl Fn(&str) -> bool) -> bool {
        self.options
            .iter()
            .filter(|given| given.name == name)
            .filter_map(|given| given.value)
            .all(fits)
    }

    /// The last value of an option.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .rev()
            .find(|given| given.name == name)
            .and_then(|given| given.value)
    }
}

/// Reads words after a table.
///
/// The reading goes on after something unknown, as well as it can, since deny rules and dangers want to see the rest.
/// With `pattern`, words with a wildcard are operands.
pub(crate) fn read<'a>(table: &'static str, words: &[&'a str], pattern: bool) -> Parsed<'a> {
    read_both(table, "", words, pattern)
}

/// The same after two tables: the options of a subcommand, and those that every subcommand of the program has.
pub(crate) fn read_both<'a>(
    table: &'static str,
    common: &'static str,
    words: &[&'a str],
    pattern: bool,
) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let mut rest = words.iter().copied().peekable();
    let stops = table.starts_with("+ ");
    // A command without options needs no index.
    let has_options = words.iter().any(|word| word.starts_with('-'));
    let index_of = |table: &'static str| {
        if has_options && !table.is_empty() {
            index(table)
        } else {
            &NO_INDEX
        }
    };
    let table = Table {
        text: table,
        index: index_of(table),
        common: index_of(common),
    };
    while let Some(word) = rest.next() {
        let behind = !parsed.operands.is_empty();
        let before = rest.len();
        if behind && stops || !word.starts_with('-') || word == "-" || (pattern && is_pattern(word))
        {
            // The names that a pattern of files stands for are looked at later.
            let may_be_number = word.starts_with(SIGNED) && table.has_digits();
            if !placeholder::is_literal(word)
                && (word.starts_with(TEXT) || word.contains(LIST) || may_be_number)
            {
                parsed.unknown.push(word);
            }
            parsed.operands.push(word);
        } else if word == "--" {
            parsed.before_dashes = Some(parsed.operands.len());
            parsed.operands.extend(rest);
            break;
        } else if word.starts_with("--") || table.has_whole(word) {
            read_long(table, word, &mut rest, &mut parsed);
        } else {
            read_short(table, word, &mut rest, &mut parsed);
        }
        if behind && word.starts_with('-') && word != "-" && !stops {
            parsed.late.push(word);
            // At most one word was taken along.
            if rest.len() < before {
                parsed
                    .late
                    .extend(parsed.options.last().and_then(|given| given.value));
            }
        }
    }
    parsed
}

fn read_long<'a>(
    table: Table,
    word: &'a str,
    rest: &mut Peekable<impl Iterator<Item = &'a str>>,
    parsed: &mut Parsed<'a>,
) {
    let (name, attached) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    let Some((normal, takes)) = table.find(name) else {
        parsed.unknown.push(word);
        // An abbreviation is not known, but for deny rules it is what it stands for.
        let full = only_one_with_prefix(table.text, name).unwrap_or(name);
        parsed.options.push(Given {
            name: full.into(),
            value: attached,
            takes: Takes::Data,
        });
        return;
    };
    let value = attached.or_else(|| takes.next_word(rest));
    // What takes the next word or nothing must not have an option there: it may or may not be taken.
    let doubtful = takes == Takes::Last && value.is_none() && rest.peek().is_some();
    if doubtful || !takes.fits(value) {
        parsed.unknown.push(word);
    }
    parsed.options.push(Given {
        name: normal.into(),
        value,
        takes,
    });
}

fn read_short<'a>(
    table: Table,
    word: &'a str,
    rest: &mut Peekable<impl Iterator<Item = &'a str>>,
    parsed: &mut Parsed<'a>,
) {
    let body = word.get(1..).unwrap_or("");
    if body
        .chars()
        .all(|character| character.is_ascii_digit() || character == NUMBER)
        && let Some((normal, takes)) = table.find("-#")
    {
        parsed.options.push(Given {
            name: normal.into(),
            value: Some(body),
            takes,
        });
        return;
    }
    for (at, letter) in body.char_indices() {
        let after = body.get(at + letter.len_utf8()..).unwrap_or("");
        let Some((normal, takes)) = table.find_letter(letter) else {
            parsed.unknown.push(word);
            parsed.options.push(Given {
                name: format!("-{letter}").into(),
                value: None,
                takes: Takes::Nothing,
            });
            continue;
        };
        let value = match takes {
            Takes::Nothing | Takes::Acts | Takes::LongMay => None,
            _ if !after.is_empty() => Some(after),
            _ => takes.next_word(rest),
        };
        let alone = word.len() == 2 || takes != Takes::Apart;
        // A value that may turn out empty would make the option take the next word.
        let may_be_empty = value.is_some_and(|value| {
            value == after && !value.is_empty() && value.chars().all(|character| character == TEXT)
        });
        if !alone || may_be_empty || !takes.fits(value) {
            parsed.unknown.push(word);
        }
        parsed.options.push(Given {
            name: normal.into(),
            value,
            takes,
        });
        if value.is_some() {
            break;
        }
    }
}

/// A number below zero, which no program has as an option where it takes a value.
fn is_negative(word: &str) -> bool {
    word.len() > 1
        && word
            .strip_prefix('-')
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What a table says of each spelling, sorted by it.
type Index = Vec<(&'static str, (&'static str, Takes))>;

static NO_INDEX: Index = Index::new();

/// A table that is ready to be looked up in.
#[derive(Clone, Copy)]
struct Table {
    text: &'static str,
    index: &'static Index,
    /// Looked up where the first has none.
    common: &'static Index,
}

impl Table {
    /// The entry of a spelling: its normal spelling and what it takes.
    fn find(self, name: &str) -> Option<(&'static str, Takes)> {
        let of = |index: &'static Index| {
            let at = index
                .binary_search_by_key(&name, |(spelling, _)| spelling)
                .ok()?;
            index.get(at).map(|(_, entry)| *entry)
        };
        of(self.index).or_else(|| of(self.common))
    }

    /// The entry of one letter behind a `-`.
    fn find_letter(self, letter: char) -> Option<(&'static str, Takes)> {
        let of = |index: &'static Index| {
            let at = index
                .binary_search_by(|(spelling, _)| spelling.chars().cmp(['-', letter]))
                .ok()?;
            index.get(at).map(|(_, entry)| *entry)
        };
        of(self.index).or_else(|| of(self.common))
    }

    /// Whether a number behind a `-` is an option, or may be one.
    fn has_digits(self) -> bool {
        self.text
            .split_ascii_whitespace()
            .flat_map(|entry| takes(entry).0.split(','))
            .any(|name| {
                name.strip_prefix('-')
                    .and_then(|name| name.chars().next())
                    .is_some_and(|first| first == '#' || first.is_ascii_digit())
            })
    }

    /// Whether a word with one dash and several letters is a spelling of its own, as programs that read no bundles have them.
    fn has_whole(self, word: &str) -> bool {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        name.len() > 2 && self.find(name).is_some()
    }
}

/// The index of a table, made when it is first used. Tables are constants, so there are only so many.
fn index(table: &'static str) -> &'static Index {
    static INDEXES: LazyLock<RwLock<QuickMap<(usize, usize), &'static Index>>> =
        LazyLock::new(RwLock::default);
    let key = (table.as_ptr().addr(), table.len());
    if let Some(index) = INDEXES
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&key)
    {
        return index;
    }
    let mut made = Index::new();
    for entry in table.split_ascii_whitespace() {
        let (names, takes) = takes(entry);
        let normal = names.rsplit(',').next().unwrap_or(names);
        for name in names.split(',') {
            made.push((name, (normal, takes)));
        }
    }
    // Of two entries for one spelling, the first counts.
    made.sort_by_key(|(name, _)| *name);
    made.dedup_by_key(|(name, _)| *name);
    let made: &'static Index = Box::leak(Box::new(made));
    INDEXES
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .entry(key)
        .or_insert(made)
}

fn takes(entry: &'static str) -> (&'static str, Takes) {
    if let Some((names, values)) = entry
        .strip_suffix('}')
        .and_then(|entry| entry.split_once("={"))
    {
        return (names, Takes::OneOf(values));
    }
    let ends = [
        ("=<", Takes::ReadPath),
        ("=>", Takes::WritePath),
        ("=+", Takes::Attached),
        ("=_", Takes::Apart),
        ("=-", Takes::Any),
        ("=?", Takes::Last),
        ("=!", Takes::ActsOn),
        ("!", Takes::Acts),
        ("=", Takes::Data),
        ("?", Takes::LongMay),
        ("~", Takes::May),
    ];
    ends.iter()
        .find_map(|(end, takes)| Some((entry.strip_suffix(end)?, *takes)))
        .unwrap_or((entry, Takes::Nothing))
}

fn only_one_with_prefix(table: &'static str, prefix: &str) -> Option<&'static str> {
    if prefix.len() < 3 {
        return None;
    }
    let mut fits = table.split_ascii_whitespace().filter_map(|entry| {
        let names = takes(entry).0;
        names
            .split(',')
            .any(|spelling| spelling.starts_with(prefix))
            .then(|| names.rsplit(',').next().unwrap_or(names))
    });
    let only = fits.next()?;
    fits.next().is_none().then_some(only)
}

/// Whether a word that looks like an option is an operand in a pattern, since it has a wildcard.
pub(crate) fn is_pattern(word: &str) -> bool {
    word.starts_with('-') && word.contains(['*', '?'])
}
