//! What a script of the system would start by name from a folder on the `PATH` that agents write to: a planted `gzip` runs where `zcat` does.

use std::collections::HashSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use sayso_core::analysis::fact::{ProgramFact, Surroundings};

use crate::bounded_file::{LastLink, open};
use crate::canonical::{Walker, is_within};
use crate::locations::Whereabouts;
use crate::program::is_program;

/// Of a script, so much is looked through; behind that it may name anything.
const MOST_TEXT: u64 = 256 * 1024;
/// So many names of a folder are looked at.
const MOST_NAMES: usize = 4096;
/// Where everybody may write.
const SHARED: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run/user"];

/// The program in such a folder that the script names; none if the file is no script, or names none.
pub(crate) fn by_script(
    file: &str,
    surroundings: &Surroundings,
    whereabouts: &Whereabouts,
    walker: &mut Walker,
) -> Option<ProgramFact> {
    let folders = open_folders(surroundings, whereabouts, walker);
    if folders.is_empty() {
        return None;
    }
    let mut text = Vec::new();
    open(Path::new(file), LastLink::Follow)
        .ok()?
        .take(MOST_TEXT)
        .read_to_end(&mut text)
        .ok()?;
    if !text.starts_with(b"#!") {
        return None;
    }
    let all = text.len() as u64 == MOST_TEXT;
    let text = String::from_utf8_lossy(&text);
    let words: HashSet<&str> = names_in(&text).collect();
    for folder in folders {
        for (count, entry) in fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .enumerate()
        {
            let name = entry.file_name();
            let named =
                all || count >= MOST_NAMES || name.to_str().is_none_or(|name| words.contains(name));
            if named && is_program(&entry.path()) {
                let file = entry.path().to_string_lossy().into_owned();
                return Some(ProgramFact {
                    inside_workspace: is_within(&file, &surroundings.workspace),
                    file: Some(file),
                    changeable: true,
                });
            }
        }
    }
    None
}

/// Folders on the `PATH` that lie in the workspace or where everybody may write, free of links.
fn open_folders(
    surroundings: &Surroundings,
    whereabouts: &Whereabouts,
    walker: &mut Walker,
) -> Vec<String> {
    let is_open = |folder: &String| {
        is_within(folder, &surroundings.workspace)
            || SHARED
                .iter()
                .any(|shared| is_within(folder, shared) && folder != shared)
    };
    let found = whereabouts
        .path
        .iter()
        .filter_map(|element| walker.walk(&surroundings.cwd, element.to_str()?, false));
    found
        .map(|walked| walked.canonical)
        .filter(is_open)
        .collect()
}

/// The words of a text that may be names of programs, with and without a sign that belongs to what stands before: `${X:-gzip}`.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !is_of_name(letter));
    let values = text.split("${").skip(1).filter_map(|rest| {
        let name = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        rest.get(name..)?
            .trim_start_matches([':', '-', '=', '+', '?'])
            .split(|letter: char| !is_of_name(letter))
            .next()
    });
    words
        .flat_map(|word| [word, word.trim_matches(['.', '+', '-'])])
        .chain(values)
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || "._+-".contains(letter)
}
