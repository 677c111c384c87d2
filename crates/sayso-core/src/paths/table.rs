//! Finds the first guarded name in a path without comparing it with every guarded name.
//!
//! A pattern is one or more names with `/` between them, and means that place and everything below, wherever in the path it stands.
//! `/etc/shadow` stands only at the root and `~/bin` only in the home folder; in a name `*` and `?` are wild; `credentials$` must end the path.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::fold::{fold, fold_whole, has_two_forms, is_folded_short_name_of, parts_of_short_name};
use super::glob::{means, wild};
use super::layout::{
    ANYWHERE, AT_HOME, AT_ROOT, BY_ENDING, BY_START, DOTTED, Entry, LaidOut, Shape, Span,
    pair_bucket, start_bucket,
};
use super::{below_folded, components};
use crate::const_table::bucket;

/// Groups made ready for looking up. Every name of a path picks one small list by its first letters and one by its ending.
///
/// A process that lives for one answer has no time to make this, so that [`table!`] makes it when the program is compiled, but for what is
/// seldom needed.
pub(super) struct Table {
    text: &'static str,
    entries: &'static [Entry],
    starts: &'static [u16],
    /// Everything that may stand at any depth, by what the short name that Windows makes of it starts or ends with.
    short: OnceLock<BTreeMap<ShortKey, Vec<&'static Entry>>>,
}

/// The table of some lists of groups, which are constants.
macro_rules! table {
    ($($groups:expr),*) => {{
        const LISTED: &[&[$crate::paths::layout::Group]] = &[$($groups),*];
        const SIZE: (usize, usize) = $crate::paths::layout::size(LISTED);
        const LAID_OUT: &$crate::paths::layout::LaidOut<{ SIZE.0 }, { SIZE.1 }> = &$crate::paths::layout::LaidOut::new(LISTED);
        $crate::paths::table::Table::new(LAID_OUT)
    }};
}

pub(super) use table;

impl Table {
    /// For [`table!`].
    #[allow(clippy::panic, reason = "the program is not made then")]
    pub(super) const fn new<const ENTRIES: usize, const LENGTH: usize>(
        laid_out: &'static LaidOut<ENTRIES, LENGTH>,
    ) -> Self {
        let Ok(text) = std::str::from_utf8(&laid_out.text) else {
            panic!("patterns are cut only at ASCII")
        };
        Table {
            text,
            entries: &laid_out.entries.rows,
            starts: &laid_out.entries.starts,
            short: OnceLock::new(),
        }
    }

    pub(super) fn of(&self, span: Span) -> &'static str {
        let start = usize::from(span.start);
        self.text
            .get(start..start + usize::from(span.length))
            .unwrap_or_default()
    }

    pub(super) fn list(&self, number: usize) -> &'static [Entry] {
        bucket(self.entries, self.starts, number)
    }

    fn short(&self) -> &BTreeMap<ShortKey, Vec<&'static Entry>> {
        self.short.get_or_init(|| {
            let mut entries: Vec<&Entry> = (BY_START..AT_ROOT)
                .flat_map(|number| self.list(number))
                .collect();
            // As they stand in the text, so that of two the same counts as for a long name.
            entries.sort_by_key(|entry| entry.name.start);
            let mut short: BTreeMap<ShortKey, Vec<&Entry>> = BTreeMap::new();
            for entry in entries {
                short
                    .entry(short_key(self.of(entry.name)))
                    .or_default()
                    .push(entry);
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
        self.find_at_root(path)
            .or_else(|| self.find_at_home(path, home?))
            .or_else(|| self.find_at_any_depth(path))
    }

    fn find_at_root(&self, path: &str) -> Option<&'static str> {
        let mut names = components(path);
        let first = fold(names.next()?);
        self.look(AT_ROOT + start_bucket(first.as_bytes())?, &first, &names)
    }

    fn find_at_home(&self, path: &str, home: &str) -> Option<&'static str> {
        if self.list(AT_HOME).is_empty() || !below_folded(path, home) {
            return None;
        }
        let mut names = components(path);
        let first = names.nth(components(home).count())?;
        self.look(AT_HOME, &fold(first), &names)
    }

    fn find_at_any_depth(&self, path: &str) -> Option<&'static str> {
        // Asked once for the whole path, since the answer is nearly always no.
        let may_be_short = path.contains('~') || !path.is_ascii();
        let mut names = components(path);
        while let Some(name) = names.next() {
            let forms = [
                Some(fold(name)),
                has_two_forms(name).then(|| fold_whole(name)),
            ];
            for folded in forms.iter().flatten() {
                let short = || {
                    if may_be_short {
                        self.find_short(folded, &names)
                    } else {
                        None
                    }
                };
                let found = self.find_name(folded, &names).or_else(short);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    pub(super) fn find_name<'a>(
        &self,
        folded: &str,
        rest: &(impl Iterator<Item = &'a str> + Clone),
    ) -> Option<&'static str> {
        let by_start = || self.look(BY_START + start_bucket(folded.as_bytes())?, folded, rest);
        let with_dot = || {
            let (_, ending) = folded.rsplit_once('.')?;
            let by_ending = || self.look(BY_ENDING + pair_bucket(ending.as_bytes())?, folded, rest);
            by_ending().or_else(|| self.look(DOTTED, folded, rest))
        };
        by_start()
            .or_else(with_dot)
            .or_else(|| self.look(ANYWHERE, folded, rest))
    }

    /// Short names start like what they stand for, but for dots and blanks, or else have its ending.
    fn find_short<'a>(
        &self,
        folded: &str,
        rest: &(impl Iterator<Item = &'a str> + Clone),
    ) -> Option<&'static str> {
        let (stem, ending) = parts_of_short_name(folded)?;
        let keys = [
            stem.chars().next().map(starts_with),
            ending.chars().next().map(ShortKey::Ending),
            Some(ShortKey::Any),
        ];
        let entries = keys
            .into_iter()
            .flatten()
            .filter_map(|key| self.short().get(&key))
            .flatten()
            .copied();
        self.first_of(entries, rest, |entry| {
            is_folded_short_name_of(folded, self.of(entry.name))
        })
    }

    fn look<'a>(
        &self,
        list: usize,
        folded: &str,
        rest: &(impl Iterator<Item = &'a str> + Clone),
    ) -> Option<&'static str> {
        self.first_of(self.list(list), rest, |entry| {
            entry.shape.fits(self.of(entry.fixed), folded)
        })
    }

    /// The reason of the first entry that fits, and whose further names fit `rest`.
    fn first_of<'a>(
        &self,
        entries: impl IntoIterator<Item = &'static Entry>,
        rest: &(impl Iterator<Item = &'a str> + Clone),
        fits: impl Fn(&Entry) -> bool,
    ) -> Option<&'static str> {
        let goes_on =
            |entry: &Entry| continues(self.of(entry.others), rest.clone(), entry.must_end);
        entries
            .into_iter()
            .find(|entry| fits(entry) && goes_on(entry))
            .map(|entry| self.of(entry.why))
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
    if sign.is_alphanumeric() {
        ShortKey::Start(sign)
    } else {
        ShortKey::Odd
    }
}

fn short_key(pattern: &str) -> ShortKey {
    let name = pattern.trim_start_matches(['.', ' ']);
    match name.chars().next() {
        Some('*') => match name
            .rsplit_once('.')
            .and_then(|(_, ending)| ending.chars().next())
        {
            Some(sign) if !matches!(sign, '*' | '?') => ShortKey::Ending(sign),
            _ => ShortKey::Any,
        },
        Some('?') | None => ShortKey::Any,
        Some(sign) => starts_with(sign),
    }
}

impl Shape {
    pub(super) fn fits(self, fixed: &str, folded: &str) -> bool {
        match self {
            Shape::Literal => folded == fixed,
            Shape::Start => folded.starts_with(fixed),
            Shape::End => folded.ends_with(fixed),
            // On a name this short, setting up `str::contains` would cost more than the search.
            Shape::Within => folded
                .as_bytes()
                .windows(fixed.len())
                .any(|part| part == fixed.as_bytes()),
            Shape::Glob => wild(fixed, folded),
        }
    }
}

fn continues<'a>(others: &str, mut rest: impl Iterator<Item = &'a str>, must_end: bool) -> bool {
    let goes_on = components(others).all(|wanted| {
        rest.next()
            .is_some_and(|name| means(wanted, &fold(name)) || means(wanted, &fold_whole(name)))
    });
    goes_on && !(must_end && rest.next().is_some())
}

/// Checks that no pattern of a list is lost in its table: each finds an example of itself.
#[cfg(test)]
pub(super) fn check_that_every_pattern_is_found(table: &Table, groups: &[&[super::layout::Group]]) {
    for pattern in groups
        .iter()
        .copied()
        .flatten()
        .flat_map(|group| group.patterns)
    {
        let example = pattern.trim_end_matches('$').replace(['*', '?'], "x");
        let path = match example.strip_prefix("~/") {
            Some(rest) => format!("/home/u/{rest}"),
            None if example.starts_with('/') => example,
            None => format!("/home/u/job/{example}"),
        };
        assert!(
            table.find(&path, Some("/home/u")).is_some(),
            "{pattern} is lost"
        );
        assert!(
            components(pattern).all(|name| fold_whole(name) == name),
            "{pattern} is not folded"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Group;

    const GROUPS: &[Group] = &[
        Group {
            why: "plain",
            patterns: &[".git", "venv", ".env*", ".config/gh", "last$", "req*.txt"],
        },
        Group {
            why: "wild",
            patterns: &[
                "*.pem",
                "*secret*.json",
                "*.sh.*",
                "/etc/cron*",
                "/proc/*/mem",
                "~/bin",
            ],
        },
    ];

    #[test]
    fn each_kind_of_pattern_is_found() {
        let table = table!(GROUPS);
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
            "/x/.config/gh:y/h",
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
        for path in [
            "/",
            "/a/.gitignore",
            "/venvs",
            "/x/last/y",
            "/gh",
            "/.config",
            "/a/etc/cron",
            "/x/bin",
            "/a.pem.x",
            "/pem",
            "/proc/mem",
        ] {
            assert_eq!(found(path), None, "{path}");
        }
    }
}
