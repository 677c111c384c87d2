//! Finds the policy files that count for a workspace. A file that is there but cannot be used is an error, never an absence.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;

use crate::bounded_file::{self, Content, FileError, LastLink};
use crate::canonical::{Walker, is_within};
use crate::locations::Whereabouts;
use crate::trust;

/// A policy file that is there.
#[derive(Debug)]
pub struct PolicyFile {
    /// Where it stands.
    pub path: PathBuf,
    /// Whose it is.
    pub layer: FileLayer,
    /// What it says, or why that cannot be used.
    pub text: Result<String, PolicyFileError>,
    /// The person trusts just this content. Only a question for project files; the others are true.
    pub trusted: bool,
    /// Worth telling; the file is used.
    pub warnings: Vec<String>,
}

/// Why a policy file cannot be used.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum PolicyFileError {
    #[error("there is no such file")]
    Missing,
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("`{}` {source}", .path.display())]
    File { path: PathBuf, source: FileError },
    #[error("`{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("`{}` has more than one policy file; keep one of them", .0.display())]
    Several(PathBuf),
    #[error("`{}` is a link that leads out of the workspace, to `{target}`", .path.display())]
    LeadsOut { path: PathBuf, target: String },
    #[error("`{}` is a link that leads nowhere", .0.display())]
    LeadsNowhere(PathBuf),
    #[error("`{}` has just been replaced by a link", .0.display())]
    BecameLink(PathBuf),
    #[error("`{}` belongs to somebody else; make it yours with `chown`, or remove it", .0.display())]
    NotOwn(PathBuf),
    #[error("`{path}` can be written by others; run `chmod go-w {path}`", path = .0.display())]
    WritableByOthers(PathBuf),
    #[error("`{}` has a name that is not UTF-8", .0.display())]
    NameNotUtf8(PathBuf),
    #[error("`{}` cannot be reached", .0.display())]
    Unreachable(PathBuf),
    #[error("`{}` is not UTF-8 at byte {at}", .path.display())]
    NotUtf8 { path: PathBuf, at: usize },
}

impl PolicyFileError {
    fn look_at(path: &Path) -> impl Fn(io::Error) -> PolicyFileError {
        move |error| PolicyFileError::File {
            path: path.to_owned(),
            source: FileError::LookAt(error),
        }
    }
}

/// Whose policy it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileLayer {
    /// The administrator's.
    Managed,
    /// The person's own.
    User,
    /// What sayso wrote for the person.
    UserSettings,
    /// The project's.
    Project,
    /// Named on the command line.
    CommandLine,
}

const LONGEST: u64 = 4 * 1024 * 1024;
/// What the names of files with rules of other agents begin with.
pub const IMPORTED: &str = "imported-";
/// The agents whose rules can be brought along when sayso is installed for them, each with its file in `policy.d`.
const IMPORTED_NAMES: [(&str, &[&str]); 4] = [
    ("claude", &["imported-claude.yaml"]),
    ("codex", &["imported-codex.yaml"]),
    ("gemini", &["imported-gemini.yaml"]),
    ("opencode", &["imported-opencode.yaml"]),
];

/// The file for an agent's own rules, in sayso's configuration.
pub fn imported_file(config: &Path, agent: &str) -> Option<PathBuf> {
    let names = IMPORTED_NAMES
        .iter()
        .find(|(known, _)| *known == agent)
        .map(|(_, names)| *names);
    names
        .and_then(|names| names.first())
        .map(|name| config.join("policy.d").join(name))
}

/// All of them, there or not.
pub fn imported_files(config: &Path) -> impl Iterator<Item = PathBuf> {
    let config = config.to_owned();
    IMPORTED_NAMES
        .iter()
        .filter_map(move |(agent, _)| imported_file(&config, agent))
}
const NAMES: [&str; 3] = ["policy.yaml", "policy.yml", "policy.json"];

/// All policy files that are there, the weakest layer first.
pub fn find(whereabouts: &Whereabouts, workspace: &Path) -> Vec<PolicyFile> {
    let mut files = general(whereabouts);
    files.extend(of_project(whereabouts, workspace));
    files
}

/// Those that count in every workspace, the weakest layer first.
pub fn general(whereabouts: &Whereabouts) -> Vec<PolicyFile> {
    let own = whereabouts.config.join("policy.d");
    let mut places: Vec<(PathBuf, FileLayer, &[&str])> = vec![
        (
            whereabouts.managed.clone(),
            FileLayer::Managed,
            NAMES.as_slice(),
        ),
        (
            whereabouts.config.clone(),
            FileLayer::User,
            NAMES.as_slice(),
        ),
        (own.clone(), FileLayer::UserSettings, &["settings.yaml"]),
    ];
    if matches!(is_folder(&own), Ok(true)) {
        places.extend(
            IMPORTED_NAMES
                .iter()
                .map(|(_, names)| (own.clone(), FileLayer::UserSettings, *names)),
        );
    }
    // Only a project's file depends on where that is.
    let nowhere = Path::new("");
    places
        .iter()
        .flat_map(|(folder, layer, names)| in_folder(folder, *layer, names, whereabouts, nowhere))
        .collect()
}

/// Those of a workspace itself, which come last.
pub fn of_project(whereabouts: &Whereabouts, workspace: &Path) -> Vec<PolicyFile> {
    in_folder(
        &workspace.join(".sayso"),
        FileLayer::Project,
        &NAMES,
        whereabouts,
        workspace,
    )
}

/// A file that the person named; it may lie anywhere.
pub fn named(path: &Path) -> PolicyFile {
    let text = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(PolicyFileError::Missing),
        _ => std::path::absolute(path)
            .map_err(PolicyFileError::Io)
            .and_then(|absolute| canonical(&absolute))
            .and_then(|canonical| read_text(Path::new(&canonical)))
            .map(|(text, _)| text),
    };
    PolicyFile {
        path: path.to_owned(),
        layer: FileLayer::CommandLine,
        text,
        trusted: true,
        warnings: Vec::new(),
    }
}

/// A file that somebody named who may be an agent: it counts like a project's own, so it only tightens until the person trusts its content.
pub fn named_by_anybody(whereabouts: &Whereabouts, path: &Path) -> PolicyFile {
    let file = PolicyFile {
        layer: FileLayer::Project,
        ..named(path)
    };
    let place = std::path::absolute(path)
        .ok()
        .and_then(|absolute| canonical(&absolute).ok());
    let trusted = match (&file.text, place) {
        (Ok(text), Some(place)) => trust::is_trusted(&whereabouts.state, &place, text),
        _ => false,
    };
    PolicyFile { trusted, ..file }
}

fn in_folder(
    folder: &Path,
    layer: FileLayer,
    names: &[&str],
    whereabouts: &Whereabouts,
    workspace: &Path,
) -> Vec<PolicyFile> {
    let broken = |path: PathBuf, reason| PolicyFile {
        path,
        layer,
        text: Err(reason),
        trusted: false,
        warnings: Vec::new(),
    };
    match is_folder(folder) {
        Ok(true) => {}
        Ok(false) => return Vec::new(),
        Err(reason) => return vec![broken(folder.to_owned(), reason)],
    }
    let mut paths = Vec::new();
    for name in names {
        let path = folder.join(name);
        // The link itself is looked at: one that leads nowhere is a broken file and not an absent one.
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Ok(_) | Err(_) => paths.push(path),
        }
    }
    if paths.len() > 1 {
        let several = || PolicyFileError::Several(folder.to_owned());
        return paths
            .into_iter()
            .map(|path| broken(path, several()))
            .collect();
    }
    paths
        .into_iter()
        .map(|path| load(path, layer, whereabouts, workspace))
        .collect()
}

/// Whether there is a folder; an error if something else, or something unreachable, stands in its place.
fn is_folder(folder: &Path) -> Result<bool, PolicyFileError> {
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(PolicyFileError::look_at(folder)(error)),
        Ok(_) => {}
    }
    match fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(_) => Err(PolicyFileError::NotAFolder(folder.to_owned())),
        Err(error) => Err(PolicyFileError::look_at(folder)(error)),
    }
}

fn load(
    path: PathBuf,
    layer: FileLayer,
    whereabouts: &Whereabouts,
    workspace: &Path,
) -> PolicyFile {
    let mut warnings = Vec::new();
    let read = match layer {
        FileLayer::Project => read_inside(&path, workspace),
        _ => read_guarded(&path, whereabouts.uid),
    };
    let mut trusted = layer != FileLayer::Project && read.is_ok();
    if let (FileLayer::Project, Ok((text, canonical))) = (layer, &read) {
        trusted = trust::is_trusted(&whereabouts.state, canonical, text);
        if let Err(reason) = trust::list(&whereabouts.state) {
            warnings.push(format!("no project file is trusted: {reason}"));
        }
    }
    PolicyFile {
        path,
        layer,
        text: read.map(|(text, _)| text),
        trusted,
        warnings,
    }
}

/// A project file, which may not be a way to look at files outside of the project.
fn read_inside(path: &Path, workspace: &Path) -> Result<(String, String), PolicyFileError> {
    let canonical = canonical(path)?;
    if !is_within(&canonical, &self::canonical(workspace)?) {
        return Err(PolicyFileError::LeadsOut {
            path: path.to_owned(),
            target: canonical,
        });
    }
    let (text, _) = read_text(Path::new(&canonical))?;
    Ok((text, canonical))
}

/// A file that only the person or the administrator can have written.
fn read_guarded(path: &Path, uid: u32) -> Result<(String, String), PolicyFileError> {
    let canonical = canonical(path)?;
    let (text, metadata) = read_text(Path::new(&canonical))?;
    guarded(Path::new(&canonical), &metadata, uid)?;
    let folders = [path.parent(), Path::new(&canonical).parent()];
    for folder in folders.into_iter().flatten() {
        let metadata = fs::metadata(folder).map_err(PolicyFileError::look_at(folder))?;
        guarded(folder, &metadata, uid)?;
    }
    Ok((text, canonical))
}

fn guarded(path: &Path, metadata: &Metadata, uid: u32) -> Result<(), PolicyFileError> {
    if metadata.uid() != uid && metadata.uid() != 0 {
        return Err(PolicyFileError::NotOwn(path.to_owned()));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(PolicyFileError::WritableByOthers(path.to_owned()));
    }
    Ok(())
}

fn canonical(path: &Path) -> Result<String, PolicyFileError> {
    let text = path
        .to_str()
        .ok_or_else(|| PolicyFileError::NameNotUtf8(path.to_owned()))?;
    let walked = Walker::default().walk("/", text, false);
    walked
        .map(|walked| walked.canonical)
        .ok_or_else(|| PolicyFileError::Unreachable(path.to_owned()))
}

fn read_text(path: &Path) -> Result<(String, Metadata), PolicyFileError> {
    let path_of = || path.to_owned();
    match bounded_file::read(path, LONGEST, LastLink::Refuse) {
        Content::Missing => Err(PolicyFileError::LeadsNowhere(path_of())),
        Content::Link => Err(PolicyFileError::BecameLink(path_of())),
        Content::Unusable(source) => Err(PolicyFileError::File {
            path: path_of(),
            source,
        }),
        Content::Bytes(bytes, metadata) => match String::from_utf8(bytes) {
            Ok(text) => Ok((text, metadata)),
            Err(error) => Err(PolicyFileError::NotUtf8 {
                path: path_of(),
                at: error.utf8_error().valid_up_to(),
            }),
        },
    }
}

#[cfg(test)]
mod tests;
