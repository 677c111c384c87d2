//! Lays out guarded names for [`Table`](super::table::Table) while the program is compiled, so that nothing is left to do when it starts.
//!
//! All words stand in one text, and an entry says where its own are: a pointer in each would have to be set at every start.

#![expect(
    clippy::indexing_slicing,
    reason = "this runs while the program is compiled, and a wrong index stops that"
)]

use crate::const_table::{ConstTable, Rows};

/// Patterns that are guarded for one reason.
pub(super) struct Group {
    /// The reason, in words that a person reads.
    pub why: &'static str,
    /// The patterns, already folded.
    pub patterns: &'static [&'static str],
}

/// A part of the text of a table.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub start: u16,
    pub length: u16,
}

const NOTHING: Span = Span {
    start: 0,
    length: 0,
};

impl Span {
    const fn new(start: usize, length: usize) -> Span {
        assert!(
            start + length <= u16::MAX as usize,
            "the guarded names of one table are too long together"
        );
        Span {
            start: start as u16,
            length: length as u16,
        }
    }
}

/// A pattern.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// How the first name is compared: all but a few need no walk through a glob.
    pub shape: Shape,
    /// What the first name is compared with: the name, without the wild signs that the shape stands for.
    pub fixed: Span,
    /// The first name as it is written.
    pub name: Span,
    /// The names after it, with `/` between them.
    pub others: Span,
    pub must_end: bool,
    pub why: Span,
}

const NO_ENTRY: Entry = Entry {
    shape: Shape::Literal,
    fixed: NOTHING,
    name: NOTHING,
    others: NOTHING,
    must_end: false,
    why: NOTHING,
};

/// Where in a name the fixed part of a pattern stands.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Literal,
    Start,
    End,
    Within,
    Glob,
}

/// By the first letters of a name there are so many buckets, and by those of an ending half as many.
pub(super) const BUCKETS: usize = 512;

// The lists of entries: first those that stand at any depth.
pub(super) const BY_START: usize = 0;
pub(super) const BY_ENDING: usize = BY_START + BUCKETS;
/// What starts and ends with a wild sign but has a dot between: most names have none.
pub(super) const DOTTED: usize = BY_ENDING + BUCKETS / 2;
pub(super) const ANYWHERE: usize = DOTTED + 1;
/// From here on, an entry has its one place.
pub(super) const AT_ROOT: usize = ANYWHERE + 1;
pub(super) const AT_HOME: usize = AT_ROOT + BUCKETS;
const LISTS: usize = AT_HOME + 1;

/// Entries list by list, and in each in the order of the patterns.
pub(super) struct LaidOut<const ENTRIES: usize, const LENGTH: usize> {
    pub entries: ConstTable<Entry, ENTRIES, { LISTS + 1 }>,
    /// Each reason, and its patterns after it.
    pub text: [u8; LENGTH],
}

/// How many patterns there are, and how long the text of them and their reasons is.
pub(super) const fn size(groups: &[&[Group]]) -> (usize, usize) {
    let (mut count, mut length) = (0, 0);
    let mut family = 0;
    while family < groups.len() {
        let mut group = 0;
        while group < groups[family].len() {
            let Group { why, patterns } = &groups[family][group];
            length += why.len();
            let mut pattern = 0;
            while pattern < patterns.len() {
                length += patterns[pattern].len();
                pattern += 1;
            }
            count += patterns.len();
            group += 1;
        }
        family += 1;
    }
    (count, length)
}

impl<const ENTRIES: usize, const LENGTH: usize> LaidOut<ENTRIES, LENGTH> {
    pub(super) const fn new(groups: &[&[Group]]) -> Self {
        let mut entries = Rows::<Entry, ENTRIES>::new(NO_ENTRY);
        let (mut text, mut at) = ([0; LENGTH], 0);
        let mut family = 0;
        while family < groups.len() {
            let mut group = 0;
            while group < groups[family].len() {
                let Group { why, patterns } = &groups[family][group];
                let reason = Span::new(at, why.len());
                at = write(&mut text, at, why.as_bytes());
                let mut pattern = 0;
                while pattern < patterns.len() {
                    let words = patterns[pattern].as_bytes();
                    let (list, entry) = read(words, at, reason);
                    entries.add(list as u32, entry);
                    at = write(&mut text, at, words);
                    pattern += 1;
                }
                group += 1;
            }
            family += 1;
        }
        assert!(at == LENGTH);
        LaidOut {
            entries: entries.lay_out(),
            text,
        }
    }
}

const fn write(text: &mut [u8], at: usize, word: &[u8]) -> usize {
    text.split_at_mut(at)
        .1
        .split_at_mut(word.len())
        .0
        .copy_from_slice(word);
    at + word.len()
}

/// The list that a pattern belongs into, and its entry; `at` is where it stands in the text.
const fn read(pattern: &[u8], at: usize, why: Span) -> (usize, Entry) {
    let (path, must_end) = match pattern {
        [path @ .., b'$'] => (path, true),
        path => (path, false),
    };
    let (path, at_home) = match path {
        [b'~', b'/', path @ ..] => (path, true),
        path => (path, false),
    };
    let at_root = matches!(path, [b'/', ..]);
    let path = without_slashes(path);
    // What was cut off at the front, so that what is left is found in the text again.
    let start = at + pattern.len() - must_end as usize - path.len();
    let mut end = 0;
    while end < path.len() && path[end] != b'/' {
        end += 1;
    }
    let (name, others) = path.split_at(end);
    let rest = without_slashes(others);
    let (shape, before, length) = shape(name);
    let entry = Entry {
        shape,
        fixed: Span::new(start + before, length),
        name: Span::new(start, name.len()),
        others: Span::new(start + path.len() - rest.len(), rest.len()),
        must_end,
        why,
    };
    (list(name, at_home, at_root), entry)
}

#[allow(clippy::panic, reason = "the program is not made then")]
const fn list(name: &[u8], at_home: bool, at_root: bool) -> usize {
    match (start_bucket(name), ending_bucket(name)) {
        _ if at_home => AT_HOME,
        (Some(bucket), _) if at_root => AT_ROOT + bucket,
        (None, _) if at_root => {
            panic!("a guarded name at the root starts with two letters, else it is never found")
        }
        (Some(bucket), _) => BY_START + bucket,
        (None, Some(bucket)) => BY_ENDING + bucket,
        (None, None) if ending(name).is_some() => DOTTED,
        (None, None) => ANYWHERE,
    }
}

const fn without_slashes(mut path: &[u8]) -> &[u8] {
    while let [b'/', rest @ ..] = path {
        path = rest;
    }
    path
}

/// The shape of a name, how many signs stand before its fixed part, and how long that is.
const fn shape(name: &[u8]) -> (Shape, usize, usize) {
    match name {
        [b'*', text @ .., b'*'] if !is_glob(text) && !text.is_empty() => {
            (Shape::Within, 1, text.len())
        }
        [text @ .., b'*'] if !is_glob(text) => (Shape::Start, 0, text.len()),
        [b'*', text @ ..] if !is_glob(text) => (Shape::End, 1, text.len()),
        text if is_glob(text) => (Shape::Glob, 0, text.len()),
        text => (Shape::Literal, 0, text.len()),
    }
}

const fn is_glob(mut name: &[u8]) -> bool {
    while let [first, rest @ ..] = name {
        if matches!(first, b'*' | b'?') {
            return true;
        }
        name = rest;
    }
    false
}

/// By the first two letters, those after the dot for the many names with a leading one; none if a pattern has a wild sign there.
pub(super) const fn start_bucket(name: &[u8]) -> Option<usize> {
    match name {
        [b'.', rest @ ..] => match pair_bucket(rest) {
            Some(bucket) => Some(bucket + BUCKETS / 2),
            None => None,
        },
        name => pair_bucket(name),
    }
}

/// By the first two letters of a pattern's ending; none if there is no ending, or a wild one.
const fn ending_bucket(pattern: &[u8]) -> Option<usize> {
    match ending(pattern) {
        Some(ending) if !is_glob(ending) => pair_bucket(ending),
        _ => None,
    }
}

/// What stands after the last dot.
const fn ending(mut name: &[u8]) -> Option<&[u8]> {
    let mut ending = None;
    while let [first, rest @ ..] = name {
        if *first == b'.' {
            ending = Some(rest);
        }
        name = rest;
    }
    ending
}

/// By the first two letters, in one half of the buckets.
pub(super) const fn pair_bucket(text: &[u8]) -> Option<usize> {
    match text {
        [first, second, ..] if is_letter(*first) && is_letter(*second) => {
            Some((*first as usize * 5 + *second as usize) % (BUCKETS / 2))
        }
        _ => None,
    }
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii() && !matches!(byte, b'*' | b'?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_compared_with_the_least_work() {
        for name in ["a", "a.b"] {
            assert!(
                matches!(shape(name.as_bytes()), (Shape::Literal, 0, length) if length == name.len()),
                "{name}"
            );
        }
        for name in ["a*", "a.b*", "*"] {
            assert!(
                matches!(shape(name.as_bytes()), (Shape::Start, 0, length) if length == name.len() - 1),
                "{name}"
            );
        }
        for name in ["*a", "*.b"] {
            assert!(
                matches!(shape(name.as_bytes()), (Shape::End, 1, length) if length == name.len() - 1),
                "{name}"
            );
        }
        for name in ["*a*", "*.b*"] {
            assert!(
                matches!(shape(name.as_bytes()), (Shape::Within, 1, length) if length == name.len() - 2),
                "{name}"
            );
        }
        for name in ["a*b", "*a*b", "a?", "*a*b*", "?a*", "**"] {
            assert!(
                matches!(shape(name.as_bytes()), (Shape::Glob, 0, length) if length == name.len()),
                "{name}"
            );
        }
    }

    #[test]
    fn no_two_lists_are_the_same() {
        let lists = [
            BY_START, BY_ENDING, DOTTED, ANYWHERE, AT_ROOT, AT_HOME, LISTS,
        ];
        let sizes: Vec<usize> = lists.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(sizes, [BUCKETS, BUCKETS / 2, 1, 1, BUCKETS, 1]);
    }

    #[test]
    fn a_name_stands_in_a_small_list() {
        let anywhere = |name: &str| list(name.as_bytes(), false, false);
        let (ab, pe) = ((97 * 5 + 98) % 256, (112 * 5 + 101) % 256);
        assert_eq!(
            (anywhere("abc"), anywhere(".abc"), anywhere("ab*")),
            (BY_START + ab, BY_START + 256 + ab, BY_START + ab)
        );
        assert_eq!(
            (anywhere("*.pem"), anywhere("*.x.pem"), anywhere("?.pe*")),
            (BY_ENDING + pe, BY_ENDING + pe, DOTTED)
        );
        assert_eq!(
            (
                anywhere("*.p"),
                anywhere("*.*x"),
                anywhere("*a"),
                anywhere("a*")
            ),
            (DOTTED, DOTTED, ANYWHERE, ANYWHERE)
        );
        assert_eq!(
            (list(b"abc", false, true), list(b"*a", true, false)),
            (AT_ROOT + ab, AT_HOME)
        );
    }

    #[test]
    #[should_panic = "never found"]
    fn a_name_at_the_root_that_would_never_be_found_stops_the_build() {
        list(b"*a", false, true);
    }
}
