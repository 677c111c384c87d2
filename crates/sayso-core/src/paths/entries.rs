//! Asks about many entries of one folder: what their folder's own names have to do with it is found out once.

use std::borrow::Cow;

use super::fold::{fold, fold_whole, has_two_forms};
use super::glob::means;
use super::layout::{
    ANYWHERE, AT_HOME, AT_ROOT, BY_ENDING, BY_START, DOTTED, pair_bucket, start_bucket,
};
use super::secret::may_be_by_words;
use super::table::Table;
use super::{below_folded, components, protected, secret};

/// A folder whose entries are asked about.
#[derive(Clone, Copy, Debug)]
pub struct Entries {
    /// No guarded place is this folder, above it, or begun by its names, so that an entry's own name tells all.
    by_name_alone: bool,
}

impl Entries {
    /// The entries of a folder, whose path is absolute and in normal form.
    pub fn of(folder: &str, home: Option<&str>) -> Entries {
        let is_plain = folder.is_ascii() && !folder.contains(['~', '\\']);
        let is_above_home = home.is_some_and(|home| below_folded(home, folder));
        let in_system = components(folder)
            .next()
            .is_none_or(|first| matches!(&*fold(first), "dev" | "proc"));
        let tables = [&secret::TABLE, &protected::TABLE];
        let by_name_alone = is_plain
            && !is_above_home
            && !in_system
            && tables
                .into_iter()
                .all(|table| !table.is_begun_by(folder, home));
        Entries { by_name_alone }
    }

    /// The entries of a folder in this one.
    pub fn below(&self, name: &str, folder: &str, home: Option<&str>) -> Entries {
        let begins = |table: &Table| {
            forms(name)
                .iter()
                .flatten()
                .any(|form| table.begins(&anywhere(form), form, std::iter::empty()))
        };
        if !self.by_name_alone || self.may_be_guarded(name) {
            return Entries::of(folder, home);
        }
        // Nothing above counts, so only what begins with the folder itself does.
        Entries {
            by_name_alone: ![&secret::TABLE, &protected::TABLE].into_iter().any(begins),
        }
    }

    /// Whether an entry of this name may be protected or secret: if not, it is neither.
    pub fn may_be_guarded(&self, name: &str) -> bool {
        !self.by_name_alone
            || !name.is_ascii()
            || name.contains(['~', '\\'])
            || may_be_by_words(name)
            || [&secret::TABLE, &protected::TABLE]
                .into_iter()
                .any(|table| table.has_name(name))
    }
}

impl Table {
    /// Whether a path is guarded, or an entry below it can be because of its names and not of the entry's alone.
    fn is_begun_by(&self, folder: &str, home: Option<&str>) -> bool {
        let at_root = || {
            let mut names = components(folder);
            let first = fold(names.next()?);
            Some(self.begins(
                &[start_bucket(first.as_bytes()).map(|bucket| AT_ROOT + bucket)],
                &first,
                names,
            ))
        };
        let at_home = || {
            let mut names = components(folder);
            let home = home.filter(|home| below_folded(folder, home))?;
            let first = names.nth(components(home).count())?;
            Some(self.begins(&[Some(AT_HOME)], &fold(first), names))
        };
        let at_any_depth = || {
            let mut names = components(folder);
            while let Some(name) = names.next() {
                if forms(name)
                    .iter()
                    .flatten()
                    .any(|form| self.begins(&anywhere(form), form, names.clone()))
                {
                    return true;
                }
            }
            false
        };
        self.find(folder, home).is_some()
            || at_root().unwrap_or_default()
            || at_home().unwrap_or_default()
            || at_any_depth()
    }

    /// Whether a pattern of these lists goes on where these names end.
    fn begins<'a>(
        &self,
        lists: &[Option<usize>],
        first: &str,
        rest: impl Iterator<Item = &'a str> + Clone,
    ) -> bool {
        lists
            .iter()
            .flatten()
            .flat_map(|list| self.list(*list))
            .any(|entry| {
                let others = self.of(entry.others);
                let mut names = rest.clone();
                let fits = |wanted: &str, name: &str| {
                    means(wanted, &fold(name)) || means(wanted, &fold_whole(name))
                };
                !others.is_empty()
                    && entry.shape.fits(self.of(entry.fixed), first)
                    && components(others)
                        .all(|wanted| names.next().is_none_or(|name| fits(wanted, name)))
            })
    }

    /// Whether a name by itself is a guarded one, at any depth.
    fn has_name(&self, name: &str) -> bool {
        forms(name)
            .iter()
            .flatten()
            .any(|form| self.find_name(form, &std::iter::empty()).is_some())
    }
}

/// A name as it is compared; some have two forms.
fn forms(name: &str) -> [Option<Cow<'_, str>>; 2] {
    [
        Some(fold(name)),
        has_two_forms(name).then(|| fold_whole(name)),
    ]
}

/// The lists in which a name can stand that has no place of its own.
fn anywhere(folded: &str) -> [Option<usize>; 4] {
    let by_ending = folded
        .rsplit_once('.')
        .and_then(|(_, ending)| pair_bucket(ending.as_bytes()));
    let by_start = start_bucket(folded.as_bytes());
    [
        by_start.map(|bucket| BY_START + bucket),
        by_ending.map(|bucket| BY_ENDING + bucket),
        Some(DOTTED),
        Some(ANYWHERE),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::join;
    use super::*;

    const HOME: &str = "/home/u";

    /// Every name that stands in a pattern, with its wild signs filled, and some that stand in none.
    fn names() -> Vec<String> {
        let mut names: Vec<String> = [&secret::TABLE, &protected::TABLE]
            .into_iter()
            .flat_map(|table| {
                (0..=AT_HOME)
                    .flat_map(|list| table.list(list))
                    .flat_map(|entry| [table.of(entry.name), table.of(entry.others)])
            })
            .flat_map(|names| {
                components(names)
                    .map(|name| name.replace(['*', '?'], "1"))
                    .collect::<Vec<_>>()
            })
            .collect();
        names.extend(
            "src a.rs Main.RS .GIT home u ws etc dev proc self fd 1 x:.env .env.example ENV~1 \u{e9}.pem secrets.rs .env. "
                .split_whitespace()
                .map(str::to_owned),
        );
        names.sort();
        names.dedup();
        names
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn what_is_guarded_is_never_left_out(picked in prop::collection::vec(any::<prop::sample::Index>(), 1..7), at in 0..4usize) {
            let names = names();
            let start = ["/", "/home/u", "/home/u/ws", "/srv/ws/src"][at];
            let mut folder = start.to_owned();
            let picked: Vec<&String> = picked.iter().map(|index| index.get(&names)).collect();
            for name in &picked[..picked.len() - 1] {
                folder = join(&folder, name);
            }
            let path = join(&folder, picked[picked.len() - 1]);
            let is_guarded = secret(&path, Some(HOME)).is_some() || protected(&path, Some(HOME)).is_some();
            prop_assert!(!is_guarded || Entries::of(&folder, Some(HOME)).may_be_guarded(picked[picked.len() - 1]), "{}", path);
        }
    }

    #[test]
    fn places_of_two_names_and_places_with_one_root_are_seen() {
        let names = names();
        for first in &names {
            for above in ["/home/u", "/", "/srv/ws"] {
                let folder = join(above, first);
                let entries = Entries::of(&folder, Some(HOME));
                let from_above = Entries::of(above, Some(HOME)).below(first, &folder, Some(HOME));
                assert!(
                    entries.by_name_alone || !from_above.by_name_alone,
                    "{folder}"
                );
                for second in names
                    .iter()
                    .filter(|second| !entries.may_be_guarded(second))
                {
                    let path = join(&folder, second);
                    assert!(
                        secret(&path, Some(HOME)).is_none()
                            && protected(&path, Some(HOME)).is_none(),
                        "{path}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_ordinary_folder_is_told_by_names_alone() {
        for folder in [
            "/home/u/ws/src",
            "/srv/ws",
            "/tmp/x/ws/a/b",
            "/home/u/projects",
        ] {
            let entries = Entries::of(folder, Some(HOME));
            assert!(entries.by_name_alone, "{folder}");
            assert!(!entries.may_be_guarded("main.rs") && entries.may_be_guarded(".env"));
        }
        for folder in [
            "/",
            "/home",
            HOME,
            "/home/u/.config",
            "/ws/.env",
            "/proc/1",
            "/dev",
            "/ws/\u{e9}",
            "/ws/ENV~1",
            "/ws/.config/pip:x",
        ] {
            assert!(!Entries::of(folder, Some(HOME)).by_name_alone, "{folder}");
        }
    }
}
