//! Everything of a tree that an undo gives back, for comparing it byte for byte.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use sayso_core::text::digest::Digest;
use sayso_tools::attributes::Attributes;

/// Names, kinds, permissions, contents, targets and extended attributes of all that is below a folder, and of the folder itself.
pub fn digest(top: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![top.to_owned()];
    all.insert(PathBuf::new(), of(top));
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            all.insert(path.strip_prefix(top).unwrap().to_owned(), of(&path));
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                open.push(path);
            }
        }
    }
    all
}

fn of(path: &Path) -> String {
    let metadata = fs::symlink_metadata(path).unwrap();
    let mode = metadata.permissions().mode() & 0o7777;
    let attributes = || {
        let attributes = Attributes::of(File::open(path).unwrap()).unwrap();
        let pairs: Vec<_> = attributes.pairs().unwrap().collect();
        format!("{pairs:?}")
    };
    match () {
        () if metadata.is_dir() => format!("folder {mode:o} {}", attributes()),
        () if metadata.is_symlink() => {
            let target = fs::read_link(path).unwrap();
            format!("link {:?}", target.as_os_str().as_bytes())
        }
        () if metadata.is_file() => format!(
            "file {mode:o} {} {}",
            Digest::of_bytes(&fs::read(path).unwrap()),
            attributes()
        ),
        () => format!("special {:o}", metadata.mode()),
    }
}

/// How two trees differ, for a message.
pub fn difference(then: &BTreeMap<PathBuf, String>, now: &BTreeMap<PathBuf, String>) -> String {
    let gone = then
        .iter()
        .filter(|(path, what)| now.get(*path) != Some(what))
        .map(|(path, what)| format!("- {} {what}", path.display()));
    let new = now
        .iter()
        .filter(|(path, what)| then.get(*path) != Some(what))
        .map(|(path, what)| format!("+ {} {what}", path.display()));
    gone.chain(new).collect::<Vec<_>>().join("\n")
}
