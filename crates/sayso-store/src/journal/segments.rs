//! The files of the journal: `000001.jsonl`, `000002.jsonl` and so on, one chain over all of them.

use std::path::Path;

use crate::folder::{Folder, FolderError};

/// The folder in the state folder.
pub(crate) const JOURNAL: &str = "journal";
/// The file that is locked; it stays empty.
pub(crate) const LOCK: &str = "lock";

/// More than any journal comes to; a file with a higher number is not one of its own.
const MOST: u64 = 999_999_999;

/// The folder of the journal in a state folder; none where nothing was ever recorded.
pub(crate) fn folder(state: &Path) -> Result<Option<Folder>, FolderError> {
    match Folder::open_existing(state)? {
        Some(state) => state.inner(JOURNAL, false),
        None => Ok(None),
    }
}

/// The file name of a segment.
pub(crate) fn name(segment: u64) -> String {
    format!("{segment:06}.jsonl")
}

/// Which segment a file is; none for any other file.
fn number(file: &str) -> Option<u64> {
    let number = file.strip_suffix(".jsonl")?.parse().ok()?;
    (name(number) == file && (1..=MOST).contains(&number)).then_some(number)
}

/// The segments that are there, in order.
pub(crate) fn list(folder: &Folder) -> Result<Vec<u64>, FolderError> {
    let mut list: Vec<u64> = folder
        .names()?
        .iter()
        .filter_map(|file| number(file))
        .collect();
    list.sort_unstable();
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_names_are_segments() {
        for (file, segment) in [
            ("000001.jsonl", Some(1)),
            ("999999.jsonl", Some(999_999)),
            ("1000000.jsonl", Some(1_000_000)),
            ("000000.jsonl", None),
            ("1.jsonl", None),
            ("+00001.jsonl", None),
            ("0000001.jsonl", None),
            ("000001.jsonl.torn", None),
            ("000001-1.torn", None),
            ("lock", None),
            ("1000000000.jsonl", None),
            ("18446744073709551615.jsonl", None),
            ("99999999999999999999999.jsonl", None),
        ] {
            assert_eq!(number(file), segment, "{file}");
        }
    }
}
