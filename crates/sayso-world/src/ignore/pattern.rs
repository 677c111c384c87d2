//! The patterns of one ignore file, read and matched as git does.

use std::cell::Cell;

use crate::ignore::wildcard::{self, Manner, Outcome};

/// The patterns of one file, in order.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    list: Vec<Pattern>,
}

/// What the patterns say of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Nothing.
    Nothing,
    /// It is ignored.
    Ignore,
    /// It is not (`!`).
    Keep,
    /// A pattern was too hard to match.
    Unknown,
}

#[derive(Debug)]
struct Pattern {
    text: Vec<u8>,
    /// How many bytes at the start are no wildcards.
    literal: usize,
    negated: bool,
    folder_only: bool,
    /// No slash but a trailing one: the name is matched, at any depth.
    name_only: bool,
    /// `*` and then no wildcards.
    ends_with: bool,
}

impl Patterns {
    /// Reads an ignore file; there is nothing in one that could be wrong.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Patterns {
            list: bytes
                .split(|byte| *byte == b'\n')
                .filter_map(Pattern::parse)
                .collect(),
        }
    }

    /// What the last matching pattern says. `path` is relative to the folder of the file; `effort` is how many steps may be taken.
    pub(crate) fn say(&self, path: &[u8], is_folder: bool, fold: bool, effort: &Cell<u32>) -> Said {
        for pattern in self.list.iter().rev() {
            match pattern.matches(path, is_folder, fold, effort) {
                Outcome::Match if pattern.negated => return Said::Keep,
                Outcome::Match => return Said::Ignore,
                Outcome::TooHard => return Said::Unknown,
                _ => {}
            }
        }
        Said::Nothing
    }
}

impl Pattern {
    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            return None;
        }
        // git holds lines as C strings.
        let line = line.split(|byte| *byte == 0).next().unwrap_or_default();
        let line = without_trailing_spaces(line);
        let (negated, text) = line
            .strip_prefix(b"!")
            .map_or((false, line), |rest| (true, rest));
        let ends_with = text
            .strip_prefix(b"*")
            .is_some_and(|rest| !rest.iter().any(is_special));
        let (folder_only, text) = text
            .strip_suffix(b"/")
            .map_or((false, text), |rest| (true, rest));
        Some(Pattern {
            literal: text.iter().position(is_special).unwrap_or(text.len()),
            negated,
            folder_only,
            name_only: !text.contains(&b'/'),
            ends_with,
            text: text.to_vec(),
        })
    }

    fn matches(&self, path: &[u8], is_folder: bool, fold: bool, effort: &Cell<u32>) -> Outcome {
        let Some(fewer) = effort.get().checked_sub(1) else {
            return Outcome::TooHard;
        };
        effort.set(fewer);
        if self.folder_only && !is_folder {
            return Outcome::No;
        }
        if self.name_only {
            self.matches_name(path, fold, effort)
        } else {
            self.matches_path(path, fold, effort)
        }
    }

    fn matches_name(&self, path: &[u8], fold: bool, effort: &Cell<u32>) -> Outcome {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if self.literal == self.text.len() {
            return outcome(same(&self.text, name, fold));
        }
        if self.ends_with {
            let end = self.text.get(1..).unwrap_or_default();
            let start = name.len().checked_sub(end.len());
            return outcome(
                start
                    .and_then(|start| name.get(start..))
                    .is_some_and(|tail| same(end, tail, fold)),
            );
        }
        wildcard::matches(
            &self.text,
            name,
            Manner {
                pathname: false,
                fold,
            },
            effort,
        )
    }

    fn matches_path(&self, path: &[u8], fold: bool, effort: &Cell<u32>) -> Outcome {
        let (text, literal) = match self.text.strip_prefix(b"/") {
            Some(rest) => (rest, self.literal.saturating_sub(1)),
            None => (self.text.as_slice(), self.literal),
        };
        // As in git, the wildcard part is matched on its own: a `**` right after the literal part counts as one at the start.
        let (Some((start, pattern)), Some((head, rest))) = (
            text.split_at_checked(literal),
            path.split_at_checked(literal),
        ) else {
            return Outcome::No;
        };
        if !same(start, head, fold) {
            return Outcome::No;
        }
        wildcard::matches(
            pattern,
            rest,
            Manner {
                pathname: true,
                fold,
            },
            effort,
        )
    }
}

fn outcome(matched: bool) -> Outcome {
    if matched { Outcome::Match } else { Outcome::No }
}

fn same(one: &[u8], other: &[u8], fold: bool) -> bool {
    if fold {
        one.eq_ignore_ascii_case(other)
    } else {
        one == other
    }
}

fn is_special(byte: &u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

/// Spaces at the end do not count unless a backslash stands before them.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += match byte {
            b' ' => {
                at += 1;
                continue;
            }
            b'\\' if at + 1 >= line.len() => return line,
            b'\\' => 2,
            _ => 1,
        };
        end = at;
    }
    line.get(..end).unwrap_or(line)
}
