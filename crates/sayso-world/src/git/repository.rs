//! Finds the git repository that a folder belongs to, the odd layouts too.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::bounded_file::{self, Content, LastLink};
use crate::canonical::{End, Walker};
use crate::file_cache::LONGEST;

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

/// The repository whose root is this very folder.
pub(crate) fn at(folder: &str) -> Found {
    let root = folder.to_owned();
    let dot_git = Path::new(folder).join(".git");
    match fs::metadata(&dot_git) {
        Ok(metadata) if metadata.is_dir() => match shape(&dot_git) {
            Shape::Data(common) => {
                return Found::Repository(Repository {
                    root,
                    own: dot_git,
                    common,
                    bare: false,
                });
            }
            Shape::Unclear => return Found::Unclear(root),
            Shape::Other => {}
        },
        Ok(_) => {
            let Some(own) = named_by(&dot_git, folder) else {
                return Found::Unclear(root);
            };
            let Shape::Data(common) = shape(&own) else {
                return Found::Unclear(root);
            };
            return Found::Repository(Repository {
                root,
                own,
                common,
                bare: false,
            });
        }
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) => {}
        Err(_) => return Found::Unclear(root),
    }
    // git takes any folder of this shape for a repository, so whoever can make three names in a tree can configure git there.
    match shape(Path::new(folder)) {
        Shape::Data(common) => Found::Repository(Repository {
            own: PathBuf::from(&root),
            root,
            common,
            bare: true,
        }),
        Shape::Unclear => Found::Unclear(root),
        Shape::Other => Found::Nothing,
    }
}

impl Repository {
    /// The same with the paths of its data free of links.
    pub(crate) fn without_links(self, walker: &mut Walker) -> Found {
        let mut walk = |path: &Path| {
            let walked = walker.walk("/", path.to_str()?, false)?;
            matches!(walked.end, End::Here(_)).then(|| PathBuf::from(walked.canonical))
        };
        let own = walk(&self.own);
        // Most repositories have one folder of data, and it is enough to walk there once.
        let common = if self.common == self.own {
            own.clone()
        } else {
            walk(&self.common)
        };
        match (own, common) {
            (Some(own), Some(common)) => Found::Repository(Repository {
                own,
                common,
                ..self
            }),
            _ => Found::Unclear(self.root),
        }
    }
}

/// The folder that a `.git` file names (`gitdir: …`), as work trees and submodules have it.
fn named_by(dot_git: &Path, folder: &str) -> Option<PathBuf> {
    let text = text_of(dot_git)?;
    Some(Path::new(folder).join(text.strip_prefix("gitdir: ")?))
}

/// Whether a folder is the data of a repository.
enum Shape {
    /// It is, and this is the shared part.
    Data(PathBuf),
    /// git may take it for one, or go on to the folder above: versions and rights decide.
    Unclear,
    /// It is not.
    Other,
}

/// Only what is a repository for sure may count as one: git passes over a lookalike, and what is set further up counts then.
fn shape(own: &Path) -> Shape {
    let head = own.join("HEAD");
    let Ok(metadata) = fs::symlink_metadata(&head) else {
        return Shape::Other;
    };
    let named = own.join("commondir");
    let common = match fs::symlink_metadata(&named) {
        Ok(_) => match text_of(&named) {
            Some(text) => own.join(text),
            None => return Shape::Unclear,
        },
        Err(_) => own.to_owned(),
    };
    // git only asks whether it may pass through them, so a file that can be run would do.
    let mut folders = true;
    for name in ["objects", "refs"] {
        match fs::metadata(common.join(name)) {
            // Where it may not, it goes on with the folder above.
            Ok(metadata) => {
                folders &= metadata.is_dir() && access(common.join(name), Access::EXEC_OK).is_ok()
            }
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                return Shape::Other;
            }
            Err(_) => folders = false,
        }
    }
    if folders
        && metadata.is_file()
        && head_of(&head).is_some_and(|text| names_a_commit(text.trim_end_matches(['\n', '\r'])))
    {
        Shape::Data(common)
    } else {
        Shape::Unclear
    }
}

/// So much of a `HEAD` git looks at when it looks for a repository.
const MOST_OF_HEAD: usize = 255;

/// The start of a `HEAD` that is a regular file; it is looked at for nearly every question, so with as few calls as can be.
fn head_of(path: &Path) -> Option<String> {
    use std::io::Read as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut file = fs::OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).ok()?)
        .open(path)
        .ok()?;
    let mut start = [0; MOST_OF_HEAD];
    let length = file.read(&mut start).ok()?;
    // Of a longer one git reads the start, which may say something else.
    let bytes = start.get(..length).filter(|_| length < start.len())?;
    String::from_utf8(bytes.to_vec()).ok()
}

/// What git takes for the content of `HEAD`.
fn names_a_commit(head: &str) -> bool {
    match head.strip_prefix("ref:") {
        Some(name) => name.trim_start_matches([' ', '\t']).starts_with("refs/"),
        None => matches!(head.len(), 40 | 64) && head.bytes().all(|byte| byte.is_ascii_hexdigit()),
    }
}

fn text_of(path: &Path) -> Option<String> {
    match bounded_file::read(path, LONGEST, LastLink::Follow) {
        Content::Bytes(bytes, _) => Some(
            String::from_utf8(bytes)
                .ok()?
                .trim_end_matches(['\n', '\r'])
                .to_owned(),
        ),
        _ => None,
    }
}
