//! A file of somebody else's that is to be changed: where it really is, whether it is safe to touch, and what stands in it.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sayso_core::text::digest::Digest;
use sayso_core::text::visible::visible;
use sayso_tools::attributes::Attributes;
use sayso_tools::open_nofollow::{self, Spot};
use sayso_tools::path_state::State;

use super::InstallError;

/// The longest settings that are read.
pub const LONGEST: usize = 4 << 20;

const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// A file that is to be changed.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// As the agent names it.
    pub path: PathBuf,
    /// Where it really is, without links.
    pub real: PathBuf,
    /// What stands in it; none if it is missing.
    pub text: Option<String>,
    /// Its permissions; none if it is missing.
    pub mode: Option<u32>,
    /// Folders above it that are missing, the outermost first.
    pub missing: Vec<PathBuf>,
    /// Whether it has other names.
    pub has_other_names: bool,
}

impl Foreign {
    /// Looks at it.
    ///
    /// # Errors
    /// When it is no file of the person's own, others could write it, or it cannot be read.
    pub fn open(path: &Path) -> Result<Foreign, InstallError> {
        let own = || path.to_owned();
        if fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Foreign::missing(path);
        }
        let real = fs::canonicalize(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => InstallError::DeadLink(own()),
            _ => not_found(path)(error),
        })?;
        check_above(&real)?;
        if real != path {
            check_above(path)?;
        }
        let spot = Spot::of(&real).map_err(|trouble| InstallError::storage(trouble.to_string()))?;
        let (file, found) = open_nofollow::file(&spot.folder, &spot.name, &real)
            .map_err(|trouble| InstallError::storage(trouble.to_string()))?;
        let found_here = file
            .metadata()
            .map_err(|source| InstallError::NotExamined {
                path: own(),
                source,
            })?;
        check_own(&real, &found_here, false)?;
        let mut bytes = Vec::new();
        file.take(LONGEST as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| InstallError::NotRead {
                path: own(),
                source,
            })?;
        if bytes.len() > LONGEST {
            return Err(InstallError::TooLarge(own()));
        }
        let text = String::from_utf8(bytes).map_err(|error| InstallError::NotUtf8 {
            path: own(),
            at: error.utf8_error().valid_up_to() + 1,
        })?;
        let mode = Some(open_nofollow::mode(&found));
        Ok(Foreign {
            path: path.to_owned(),
            real,
            text: Some(text),
            mode,
            missing: Vec::new(),
            has_other_names: found_here.nlink() > 1,
        })
    }

    fn missing(path: &Path) -> Result<Foreign, InstallError> {
        let there = path
            .ancestors()
            .skip(1)
            .find(|above| fs::symlink_metadata(above).is_ok());
        let there = there.ok_or_else(|| InstallError::Nowhere(path.to_owned()))?;
        let real = fs::canonicalize(there).map_err(not_found(there))?;
        if !real.is_dir() {
            return Err(InstallError::NotFolder(there.to_owned()));
        }
        let rest = path.strip_prefix(there).unwrap_or(path);
        let whole = real.join(rest);
        check_above(&whole)?;
        if whole != path {
            check_above(path)?;
        }
        let above = |folder: &&Path| folder.starts_with(&real) && **folder != real;
        let mut missing: Vec<PathBuf> = whole
            .ancestors()
            .skip(1)
            .filter(above)
            .map(Path::to_owned)
            .collect();
        missing.reverse();
        Ok(Foreign {
            path: path.to_owned(),
            real: whole,
            text: None,
            mode: None,
            missing,
            has_other_names: false,
        })
    }

    /// Its text, or none for a file that is missing; whatever is wrong with it counts as missing. For files that are only looked at.
    pub fn glance(path: &Path) -> Option<String> {
        let file = fs::metadata(path)
            .ok()
            .filter(fs::Metadata::is_file)
            .and_then(|_| fs::File::open(path).ok())?;
        let mut text = String::new();
        file.take(LONGEST as u64).read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// What stands there now, for a change that must not lose anything.
    pub fn state(&self) -> State {
        match (&self.text, self.mode) {
            (Some(text), Some(mode)) => state_of(text, mode),
            _ => State::Absent,
        }
    }
}

fn not_found(path: &Path) -> impl FnOnce(std::io::Error) -> InstallError {
    let path = path.to_owned();
    |source| InstallError::NotFound { path, source }
}

/// A file with this text.
pub fn state_of(text: &str, mode: u32) -> State {
    State::File {
        digest: Some(Digest::of_bytes(text.as_bytes())),
        size: text.len() as u64,
        mode,
        attributes: Attributes::default(),
    }
}

/// The path as a message shows it.
pub fn shown(path: &Path) -> String {
    format!("`{}`", visible(&path.to_string_lossy()))
}

/// Insists that nobody but the person and the system can replace a file: by writing in a folder above it, or by owning one.
///
/// # Errors
/// Which folder it is.
pub fn check_above(path: &Path) -> Result<(), InstallError> {
    for folder in path.ancestors().skip(1) {
        match fs::metadata(folder) {
            Ok(found) => check_own(folder, &found, true)?,
            // What is missing is made by us.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => {
                return Err(InstallError::NotExamined {
                    path: folder.to_owned(),
                    source,
                });
            }
        }
    }
    Ok(())
}

/// Insists that something belongs to the person and can be written by nobody else; a folder above may belong to the system.
///
/// # Errors
/// What is wrong.
pub fn check_own(path: &Path, found: &fs::Metadata, is_above: bool) -> Result<(), InstallError> {
    let me = rustix::process::geteuid().as_raw();
    if found.uid() != me && !(is_above && found.uid() == 0) {
        return Err(InstallError::ForeignOwner(path.to_owned()));
    }
    // Many systems give each person a group of their own.
    let own_group = found.gid() == me && rustix::process::getegid().as_raw() == me;
    let writers = if own_group {
        OTHERS_WRITE
    } else {
        OTHERS_WRITE | GROUP_WRITES
    };
    if found.mode() & writers != 0 && !(is_above && found.mode() & STICKY != 0) {
        return Err(InstallError::WritableByOthers {
            path: path.to_owned(),
            is_above,
        });
    }
    Ok(())
}
