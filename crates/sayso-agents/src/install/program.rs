//! Whether this sayso stands where a hook can rely on it: nobody else can replace it, and it is still there tomorrow.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;

use super::settings_file::{check_above, shown};
use super::{Around, InstallError};

/// Where things do not last.
const PASSING: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];
/// What marks the output of a build: the tag of a cache, and what Cargo keeps beside its programs. The tag is not there where
/// the folder stood before the first build.
const BUILT: [&str; 3] = ["CACHEDIR.TAG", ".cargo-lock", ".fingerprint"];

/// Why a program is none for a hook.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum ProgramError {
    #[error("cannot be found: {0}")]
    NotFound(io::Error),
    #[error("is none that an agent could start")]
    NotStartable,
    #[error("is not named `sayso`")]
    OtherName,
    #[error("belongs to somebody else")]
    ForeignOwner,
    #[error("can be written by others")]
    WritableByOthers,
}

/// Why an agent could replace a program, or why it may be gone soon.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum Doubt {
    #[error("it stands in {}, where things do not last", shown(.0))]
    Passing(PathBuf),
    #[error("it stands in the workspace {}, where agents write", shown(.0))]
    InWorkspace(PathBuf),
    #[error("it stands in {}, which a build replaces and `clean` removes", shown(.0))]
    Built(PathBuf),
}

/// Insists that an agent can start this sayso, and that nobody else can put another in its place.
///
/// # Errors
/// What is wrong.
pub fn check(program: &Path) -> Result<(), InstallError> {
    let refuse = |problem| InstallError::Program {
        path: program.to_owned(),
        problem,
    };
    let found = fs::metadata(program).map_err(|error| refuse(ProgramError::NotFound(error)))?;
    if !program.is_absolute() || !found.is_file() || found.permissions().mode() & 0o111 == 0 {
        return Err(refuse(ProgramError::NotStartable));
    }
    // By its name it is found again.
    if program.file_name().is_none_or(|name| name != "sayso") {
        return Err(refuse(ProgramError::OtherName));
    }
    let me = rustix::process::geteuid().as_raw();
    if ![0, me].contains(&found.uid()) {
        return Err(refuse(ProgramError::ForeignOwner));
    }
    let own_group = found.gid() == me && rustix::process::getegid().as_raw() == me;
    if found.mode() & if own_group { 0o002 } else { 0o022 } != 0 {
        return Err(refuse(ProgramError::WritableByOthers));
    }
    check_above(program)
}

/// Why an agent could replace it, or why it may be gone soon: none if it stands well.
pub fn doubt(program: &Path, around: &Around) -> Option<Doubt> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let program = real(program);
    let own = std::env::temp_dir();
    let passing = PASSING
        .iter()
        .map(PathBuf::from)
        .chain([own])
        .find(|folder| program.starts_with(real(folder)));
    if let Some(folder) = passing {
        return Some(Doubt::Passing(folder));
    }
    // A home that is a workspace as well is where most programs of a person stand.
    let project = real(&around.folder);
    let is_home = around
        .home
        .as_deref()
        .is_some_and(|home| real(home).starts_with(&project));
    if program.starts_with(&project) && !is_home {
        return Some(Doubt::InWorkspace(project));
    }
    built(&program)
}

/// What says that a build made it, and may make or remove it again.
pub fn built(program: &Path) -> Option<Doubt> {
    let built = program
        .ancestors()
        .skip(1)
        .find(|folder| BUILT.iter().any(|name| folder.join(name).exists()))?;
    Some(Doubt::Built(built.to_owned()))
}
