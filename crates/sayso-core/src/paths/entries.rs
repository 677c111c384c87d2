//! Asks about many entries of one folder: what their folder's own names have to do with it is found out once.

use super::fold::{fold, fold_whole, has_two_forms};
use super::glob::means;
use super::laid_out::{AT_HOME, AT_ROOT};
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
        let in_system = components(folder).next().is_none_or(|first| matches!(&*fold(first), "dev" | "proc"));
        let tables = [&secret::TABLE, &protected::TABLE];
        let by_name_alone = is_plain && !is_above_home && !in_system && tables.into_iter().all(|table| !table.is_begun_by(folder, home));
        Entries { by_name_alone }
    }

    /// Whether an entry of this name may be protected or secret: if not, it is neither.
    pub fn may_be_guarded(&self, name: &str) -> bool {
        !self.by_name_alone
            || !name.is_ascii()
            || name.contains(['~', '\\'])
            || [&secret::TABLE, &protected::TABLE].into_iter().any(|table| table.has_name(name))
    }
}

impl Table {
    /// Whether a path is guarded, or an entry below it can be because of its names and not of the entry's alone.
    fn is_begun_by(&self, folder: &str, home: Option<&str>) -> bool {
        let at_root =
            || components(folder).next().is_some_and(|first| self.begins(AT_ROOT..AT_HOME, &fold(first), components(folder).skip(1)));
        let at_home = || {
            let mut names = components(folder);
            home.filter(|home| below_folded(folder, home))
                .and_then(|home| names.nth(components(home).count()))
                .is_some_and(|first| self.begins(AT_HOME..AT_HOME + 1, &fold(first), names))
        };
        let anywhere = || {
            let mut names = components(folder);
            while let Some(name) = names.next() {
                let forms = [Some(fold(name)), has_two_forms(name).then(|| fold_whole(name))];
                if forms.iter().flatten().any(|form| self.begins(0..AT_ROOT, form, names.clone())) {
                    return true;
                }
            }
            false
        };
        self.find(folder, home).is_some() || at_root() || at_home() || anywhere()
    }

    /// Whether a pattern of these lists goes on where these names end.
    fn begins<'a>(&self, lists: std::ops::Range<usize>, first: &str, rest: impl Iterator<Item = &'a str> + Clone) -> bool {
        lists.flat_map(|list| self.list(list)).any(|entry| {
            let others = self.of(entry.others);
            let mut names = rest.clone();
            !others.is_empty()
                && entry.shape.fits(self.of(entry.fixed), first)
                && components(others)
                    .all(|wanted| names.next().is_none_or(|name| means(wanted, &fold(name)) || means(wanted, &fold_whole(name))))
        })
    }

    /// Whether a name by itself is a guarded one, at any depth.
    fn has_name(&self, name: &str) -> bool {
        let forms = [Some(fold(name)), has_two_forms(name).then(|| fold_whole(name))];
        forms.iter().flatten().any(|form| self.find_name(form, &std::iter::empty()).is_some())
    }
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
                (0..=AT_HOME).flat_map(|list| table.list(list)).flat_map(|entry| [table.of(entry.name), table.of(entry.others)])
            })
            .flat_map(|names| components(names).map(|name| name.replace(['*', '?'], "1")).collect::<Vec<_>>())
            .collect();
        names.extend(
            "src a.rs Main.RS .GIT home u ws etc dev proc self fd 1 x:.env .env.example ENV~1 \u{e9}.pem secrets.rs .env. "
                .split(' ')
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
                for second in names.iter().filter(|second| !entries.may_be_guarded(second)) {
                    let path = join(&folder, second);
                    assert!(secret(&path, Some(HOME)).is_none() && protected(&path, Some(HOME)).is_none(), "{path}");
                }
            }
        }
    }

    #[test]
    fn an_ordinary_folder_is_told_by_names_alone() {
        for folder in ["/home/u/ws/src", "/srv/ws", "/tmp/x/ws/a/b", "/home/u/projects"] {
            let entries = Entries::of(folder, Some(HOME));
            assert!(entries.by_name_alone, "{folder}");
            assert!(!entries.may_be_guarded("main.rs") && entries.may_be_guarded(".env"));
        }
        for folder in ["/", "/home", HOME, "/home/u/.config", "/ws/.env", "/proc/1", "/dev", "/ws/\u{e9}", "/ws/ENV~1"] {
            assert!(!Entries::of(folder, Some(HOME)).by_name_alone, "{folder}");
        }
    }
}
