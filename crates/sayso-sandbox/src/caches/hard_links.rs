//! Installed packages whose files are hard links to a cache: whatever is written there is written into the cache.
//!
//! uv and pnpm install so. A command cannot make such links itself, since the cache is another mount.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Where an environment of Python keeps its packages.
const LIBRARIES: [&str; 2] = ["lib", "lib64"];

/// Whether a folder of installed packages (of Python, or `.pnpm`) shares files with a cache: of each package, a file that is installed
/// as it was downloaded tells.
pub(crate) fn shares_files(folder: &Path) -> bool {
    if folder.ends_with(".pnpm") {
        let packages = folders(folder).map(|version| version.join("node_modules"));
        let plain = packages.flat_map(|modules| folders(&modules).collect::<Vec<_>>());
        return plain
            .flat_map(|package| with_scope(&package))
            .any(|package| is_shared(&package.join("package.json")));
    }
    let libraries = LIBRARIES
        .iter()
        .flat_map(|name| folders(&folder.join(name)));
    let packages = libraries.flat_map(|python| folders(&python.join("site-packages")));
    packages
        .filter(|package| {
            package
                .extension()
                .is_some_and(|ending| ending == "dist-info")
        })
        .any(|package| is_shared(&package.join("METADATA")))
}

fn folders(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
}

/// A package, or those of a scope (`@types/…`).
fn with_scope(package: &Path) -> Vec<PathBuf> {
    let is_scope = package
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with('@'));
    if is_scope {
        folders(package).collect()
    } else {
        vec![package.to_owned()]
    }
}

fn is_shared(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok_and(|found| found.is_file() && found.nlink() > 1)
}
