//! Finds the first guarded name in a path without comparing it with every guarded name.
//!
//! A pattern is one or more names with `/` between them, and means that place and everything below, wherever in the path it stands.
//! `/etc/shadow` stands only at the root and `~/bin` only in the home folder; in a name `*` and `?` are wild; `credentials$` must end the path.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::fold::{fold, fold_whole, has_two_forms, is_folded_short_name_of, parts_of_short_name};
use super::glob::{fits, is_glob, means};
use super::{below_folded, components};

/// Patterns that are guarded for one reason.
pub(super) struct Group {
    /// The reason, in words that a person reads.
    pub why: &'static str,
    /// The patterns, already folded.
    pub patterns: &'static [&'static str],
}

#[derive(Clone, Copy)]
struct Entry {
    first: Shape,
    /// The first name as it is written.
    name: &'static str,
    /// The names after it, with `/` between them.
    others: &'static str,
    must_end: bool,
    why: &'static str,
}

/// The first name of a pattern, sorted by how it is compared: all but a few need no walk through a glob.
#[derive(Clone, Copy)]
enum Shape {
    Literal(&'static str),
    Start(&'static str),
    End(&'static str),
    Within(&'static str),
    Glob(&'static str),
}

impl Shape {
    fn new(pattern: &'static str) -> Self {
        let (start, end) = (pattern.strip_suffix('*'), pattern.strip_prefix('*'));
        match (start, end, end.and_then(|rest| rest.strip_suffix('*'))) {
            _ if !is_glob(pattern) => Shape::Literal(pattern),
            (_, _, Some(text)) if !is_glob(text) && !text.is_empty() => Shape::Within(text),
            (Some(text), _, _) if !is_glob(text) => Shape::Start(text),
            (_, Some(text), _) if !is_glob(text) => Shape::End(text),
            _ => Shape::Glob(pattern),
        }
    }

    fn fits(&self, folded: &str) -> bool {
        match self {
            Shape::Literal(text) => folded == *text,
            Shape::Start(text) => folded.starts_with(text),
            Shape::End(text) => folded.ends_with(text),
            // On a name this short, setting up `str::contains` would cost more than the search.
            Shape::Within(text) => folded.as_bytes().windows(text.len()).any(|part| part == text.as_bytes()),
            Shape::Glob(pattern) => fits(pattern, folded),
        }
    }
}

/// Groups made ready for looking up. Every name of a path picks one small bucket by its first letters and one by its ending.
///
/// A process that lives for one answer makes this first, so that it is made with few allocations, and what is seldom needed only then.
pub(super) struct Table {
    groups: &'static [&'static [Group]],
    by_start: Buckets,
    by_ending: Buckets,
    /// What starts and ends with a wild sign but has a dot between: most names have none.
    dotted: Vec<Entry>,
    anywhere: Vec<Entry>,
    /// Everything that may stand at any depth, by what the short name that Windows makes of it starts or ends with.
    short: OnceLock<BTreeMap<ShortKey, Vec<Entry>>>,
    at_root: Buckets,
    at_home: Vec<Entry>,
}

const BUCKETS: usize = 512;
/// Stands for no entry.
const NONE: u16 = u16::MAX;

/// Entries by a number below [`BUCKETS`]: those of one number are a chain, in the order in which they were added.
struct Buckets {
    ends: [(u16, u16); BUCKETS],
    entries: Vec<(Entry, u16)>,
}

impl Buckets {
    fn new() -> Self {
        Buckets { ends: [(NONE, NONE); BUCKETS], entries: Vec::with_capacity(256) }
    }

    fn add(&mut self, number: usize, entry: Entry) {
        let Ok(index) = u16::try_from(self.entries.len()) else { return };
        let Some((first, last)) = self.ends.get_mut(number) else { return };
        match self.entries.get_mut(usize::from(*last)) {
            Some((_, next)) => *next = index,
            None => *first = index,
        }
        *last = index;
        self.entries.push((entry, NONE));
    }

    fn of(&self, number: usize) -> impl Iterator<Item = &Entry> {
        let mut at = self.ends.get(number).map_or(NONE, |(first, _)| *first);
        std::iter::from_fn(move || {
            let (entry, next) = self.entries.get(usize::from(at))?;
            at = *next;
            Some(entry)
        })
    }
}

/// A pattern, and where it may stand.
struct Pattern {
    entry: Entry,
    at_home: bool,
    at_root: bool,
}

impl Pattern {
    fn new(pattern: &'static str, why: &'static str) -> Pattern {
        let (path, must_end) = pattern.strip_suffix('$').map_or((pattern, false), |path| (path, true));
        let (path, at_home) = path.strip_prefix("~/").map_or((path, false), |path| (path, true));
        let at_root = path.starts_with('/');
        let (name, others) = path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_start_matches('/'), ""));
        Pattern { entry: Entry { first: Shape::new(name), name, others, must_end, why }, at_home, at_root }
    }
}

fn patterns(groups: &'static [&'static [Group]]) -> impl Iterator<Item = Pattern> {
    groups.iter().copied().flatten().flat_map(|group| group.patterns.iter().map(|pattern| Pattern::new(pattern, group.why)))
}

impl Table {
    pub(super) fn new(groups: &'static [&'static [Group]]) -> Self {
        let mut table = Table {
            groups,
            by_start: Buckets::new(),
            by_ending: Buckets::new(),
            dotted: Vec::new(),
            anywhere: Vec::new(),
            short: OnceLock::new(),
            at_root: Buckets::new(),
            at_home: Vec::new(),
        };
        for Pattern { entry, at_home, at_root } in patterns(groups) {
            match (start_bucket(entry.name), ending_bucket(entry.name)) {
                _ if at_home => table.at_home.push(entry),
                (start, _) if at_root => table.at_root.add(start.unwrap_or_default(), entry),
                (Some(number), _) => table.by_start.add(number, entry),
                (None, Some(number)) => table.by_ending.add(number, entry),
                (None, None) if entry.name.contains('.') => table.dotted.push(entry),
                (None, None) => table.anywhere.push(entry),
            }
        }
        table
    }

    fn short(&self) -> &BTreeMap<ShortKey, Vec<Entry>> {
        self.short.get_or_init(|| {
            let mut short: BTreeMap<ShortKey, Vec<Entry>> = BTreeMap::new();
            for Pattern { entry, .. } in patterns(self.groups).filter(|pattern| !pattern.at_home && !pattern.at_root) {
                short.entry(short_key(entry.name)).or_default().push(entry);
            }
            short
        })
    }

    /// The reason why a path is guarded.
    pub(super) fn find(&self, path: &str, home: Option<&str>) -> Option<&'static str> {
        // Where a backslash does not part names, this only looks at more names than there are.
        if path.contains('\\') {
            return self.find(&path.replace('\\', "/"), home);
        }
        self.find_at_root(path).or_else(|| self.find_at_home(path, home?)).or_else(|| self.find_at_any_depth(path))
    }

    fn find_at_root(&self, path: &str) -> Option<&'static str> {
        let mut names = components(path);
        let first = fold(names.next()?);
        look(self.at_root.of(start_bucket(&first)?), &first, &names)
    }

    fn find_at_home(&self, path: &str, home: &str) -> Option<&'static str> {
        if self.at_home.is_empty() || !below_folded(path, home) {
            return None;
        }
        let mut names = components(path);
        let first = names.nth(components(home).count())?;
        look(&self.at_home, &fold(first), &names)
    }

    fn find_at_any_depth(&self, path: &str) -> Option<&'static str> {
        // Asked once for the whole path, since the answer is nearly always no.
        let may_be_short = path.contains('~') || !path.is_ascii();
        let mut names = components(path);
        while let Some(name) = names.next() {
            let forms = [Some(fold(name)), has_two_forms(name).then(|| fold_whole(name))];
            for folded in forms.iter().flatten() {
                let short = || if may_be_short { self.find_short(folded, &names) } else { None };
                let found = self.find_name(folded, &names).or_else(short);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    fn find_name<'a>(&self, folded: &str, rest: &(impl Iterator<Item = &'a str> + Clone)) -> Option<&'static str> {
        let in_bucket = |buckets: &Buckets, number: Option<usize>| look(buckets.of(number?), folded, rest);
        let with_dot = || {
            let (_, ending) = folded.rsplit_once('.')?;
            in_bucket(&self.by_ending, pair_bucket(ending)).or_else(|| look(&self.dotted, folded, rest))
        };
        in_bucket(&self.by_start, start_bucket(folded)).or_else(with_dot).or_else(|| look(&self.anywhere, folded, rest))
    }

    /// Short names start like what they stand for, but for dots and blanks, or else have its ending.
    fn find_short<'a>(&self, folded: &str, rest: &(impl Iterator<Item = &'a str> + Clone)) -> Option<&'static str> {
        let (stem, ending) = parts_of_short_name(folded)?;
        let keys = [stem.chars().next().map(starts_with), ending.chars().next().map(ShortKey::Ending), Some(ShortKey::Any)];
        let entries = keys.into_iter().flatten().filter_map(|key| self.short().get(&key)).flatten();
        first_of(entries, rest, |entry| is_folded_short_name_of(folded, entry.name))
    }
}

/// Where a pattern stands among those for short names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ShortKey {
    /// By its first letter or digit.
    Start(char),
    /// It starts with another sign, for which a short name has `_`.
    Odd,
    /// It starts with `*`, so only its ending tells.
    Ending(char),
    /// Nothing of it tells.
    Any,
}

fn starts_with(sign: char) -> ShortKey {
    if sign.is_alphanumeric() { ShortKey::Start(sign) } else { ShortKey::Odd }
}

fn short_key(pattern: &str) -> ShortKey {
    let name = pattern.trim_start_matches(['.', ' ']);
    match name.chars().next() {
        Some('*') => match name.rsplit_once('.').and_then(|(_, ending)| ending.chars().next()) {
            Some(sign) if !matches!(sign, '*' | '?') => ShortKey::Ending(sign),
            _ => ShortKey::Any,
        },
        Some('?') | None => ShortKey::Any,
        Some(sign) => starts_with(sign),
    }
}

fn look<'a, 'e>(
    entries: impl IntoIterator<Item = &'e Entry>,
    folded: &str,
    rest: &(impl Iterator<Item = &'a str> + Clone),
) -> Option<&'static str> {
    first_of(entries, rest, |entry| entry.first.fits(folded))
}

/// The reason of the first entry that fits, and whose further names fit `rest`.
fn first_of<'a, 'e>(
    entries: impl IntoIterator<Item = &'e Entry>,
    rest: &(impl Iterator<Item = &'a str> + Clone),
    fits: impl Fn(&Entry) -> bool,
) -> Option<&'static str> {
    let goes_on = |entry: &Entry| continues(entry.others, rest.clone(), entry.must_end);
    entries.into_iter().find(|entry| fits(entry) && goes_on(entry)).map(|entry| entry.why)
}

fn continues<'a>(others: &str, mut rest: impl Iterator<Item = &'a str>, must_end: bool) -> bool {
    let goes_on =
        components(others).all(|wanted| rest.next().is_some_and(|name| means(wanted, &fold(name)) || means(wanted, &fold_whole(name))));
    goes_on && !(must_end && rest.next().is_some())
}

/// By the first two letters, those after the dot for the many names with a leading one; none if a pattern has a wild sign there.
fn start_bucket(name: &str) -> Option<usize> {
    match name.strip_prefix('.') {
        Some(rest) => Some(pair_bucket(rest)? + BUCKETS / 2),
        None => pair_bucket(name),
    }
}

/// By the first two letters of a pattern's ending; none if there is no ending, or a wild one.
fn ending_bucket(pattern: &str) -> Option<usize> {
    let (_, ending) = pattern.rsplit_once('.')?;
    if is_glob(ending) { None } else { pair_bucket(ending) }
}

fn pair_bucket(text: &str) -> Option<usize> {
    let [first, second, ..] = *text.as_bytes() else { return None };
    let is_letter = |byte: u8| byte.is_ascii() && !matches!(byte, b'*' | b'?');
    (is_letter(first) && is_letter(second)).then(|| (usize::from(first) * 5 + usize::from(second)) % (BUCKETS / 2))
}

/// Checks that no pattern of a list is lost in its table: each finds an example of itself.
#[cfg(test)]
pub(super) fn check_that_every_pattern_is_found(groups: &'static [&'static [Group]]) {
    let table = Table::new(groups);
    for pattern in groups.iter().copied().flatten().flat_map(|group| group.patterns) {
        let example = pattern.trim_end_matches('$').replace(['*', '?'], "x");
        let path = match example.strip_prefix("~/") {
            Some(rest) => format!("/home/u/{rest}"),
            None if example.starts_with('/') => example,
            None => format!("/home/u/job/{example}"),
        };
        assert!(table.find(&path, Some("/home/u")).is_some(), "{pattern} is lost");
        assert!(components(pattern).all(|name| fold_whole(name) == name), "{pattern} is not folded");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: &[Group] = &[
        Group { why: "plain", patterns: &[".git", "venv", ".env*", ".config/gh", "last$", "req*.txt"] },
        Group { why: "wild", patterns: &["*.pem", "*secret*.json", "*.sh.*", "/etc/cron*", "/proc/*/mem", "~/bin"] },
    ];

    #[test]
    fn each_kind_of_pattern_is_found() {
        let table = Table::new(&[GROUPS]);
        let found = |path| table.find(path, Some("/home/u"));
        for path in [
            "/a/.git",
            "/a/.git/b",
            "/a/VENV/x",
            "/.environment",
            "/x/.config/gh/h",
            "/x/last",
            "/req-dev.txt",
            "/GIT~1/x",
            "/a/.git:x/y",
            "/a\\.git\\x",
        ] {
            assert_eq!(found(path), Some("plain"), "{path}");
        }
        for path in [
            "/a.pem",
            "/a.pem/x",
            "/my-secret.x.json",
            "/x.sh.bak",
            "/etc/cron.d/x",
            "/proc/1/mem",
            "/HOME/u/bin/x",
            "/x:y.pem",
            "/SRV~1.PEM",
        ] {
            assert_eq!(found(path), Some("wild"), "{path}");
        }
        for path in
            ["/", "/a/.gitignore", "/venvs", "/x/last/y", "/gh", "/.config", "/a/etc/cron", "/x/bin", "/a.pem.x", "/pem", "/proc/mem"]
        {
            assert_eq!(found(path), None, "{path}");
        }
    }
}
