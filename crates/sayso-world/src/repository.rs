//! Finds the git repository that a folder belongs to, the odd layouts too.

use std::fs;
use std::path::{Path, PathBuf};

use crate::bounded_file::{self, Content, LastLink};
use crate::canonical::parent;
use crate::remembered::LONGEST;

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The folder that holds `.git`, or the bare repository itself.
    pub root: String,
    /// Its own data; for a further work tree a folder below that of the main one.
    pub own: PathBuf,
    /// The data that all work trees share: configuration, hooks, exclude file.
    pub common: PathBuf,
    /// There is no `.git`: the folder itself looks like the data of a repository.
    pub bare: bool,
}

/// What a folder belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// No repository.
    Nothing,
    /// A repository.
    Repository(Repository),
    /// Something that names a repository but does not lead to one; where it stands.
    Unclear(String),
}

/// The repository that `folder` (absolute, free of links) belongs to, the nearest one upwards.
pub(crate) fn find(folder: &str) -> Found {
    let mut folder = folder;
    loop {
        match at(folder) {
            Found::Nothing if folder == "/" => return Found::Nothing,
            Found::Nothing => folder = parent(folder),
            found => return found,
        }
    }
}

/// The repository whose root is this very folder.
fn at(folder: &str) -> Found {
    let root = folder.to_owned();
    let dot_git = Path::new(folder).join(".git");
    match fs::metadata(&dot_git) {
        Ok(metadata) if metadata.is_dir() => {
            if let Some(common) = shared_data(&dot_git) {
                return Found::Repository(Repository { root, own: dot_git, common, bare: false });
            }
        }
        Ok(_) => {
            let Some(own) = named_by(&dot_git, folder) else { return Found::Unclear(root) };
            let Some(common) = shared_data(&own) else { return Found::Unclear(root) };
            return Found::Repository(Repository { root, own, common, bare: false });
        }
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {}
        Err(_) => return Found::Unclear(root),
    }
    // git takes any folder of this shape for a repository, so whoever can make three names in a tree can configure git there.
    match shared_data(Path::new(folder)) {
        Some(common) => Found::Repository(Repository { own: PathBuf::from(&root), root, common, bare: true }),
        None => Found::Nothing,
    }
}

/// The folder that a `.git` file names (`gitdir: …`), as work trees and submodules have it.
fn named_by(dot_git: &Path, folder: &str) -> Option<PathBuf> {
    let text = text_of(dot_git)?;
    Some(Path::new(folder).join(text.strip_prefix("gitdir: ")?))
}

/// The shared data of a repository, if the folder looks like one. What `HEAD` says is not looked at: that only finds more.
fn shared_data(own: &Path) -> Option<PathBuf> {
    fs::symlink_metadata(own.join("HEAD")).ok()?;
    let named = own.join("commondir");
    let common = match fs::symlink_metadata(&named) {
        Ok(_) => own.join(text_of(&named)?),
        Err(_) => own.to_owned(),
    };
    let is_folder = |name: &str| fs::metadata(common.join(name)).is_ok_and(|metadata| metadata.is_dir());
    (is_folder("objects") && is_folder("refs")).then_some(common)
}

fn text_of(path: &Path) -> Option<String> {
    match bounded_file::read(path, LONGEST, LastLink::Follow) {
        Content::Bytes(bytes, _) => Some(String::from_utf8(bytes).ok()?.trim_end_matches(['\n', '\r']).to_owned()),
        _ => None,
    }
}
