//! Whether this sayso stands where a hook can rely on it: nobody else can replace it, and it is still there tomorrow.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::settings_file::{check_above, shown};
use super::{Around, Refused};

/// Where things do not last.
const PASSING: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];
/// What marks the output of a build: the tag of a cache, and what Cargo keeps beside its programs. The tag is not there where
/// the folder stood before the first build.
const BUILT: [&str; 3] = ["CACHEDIR.TAG", ".cargo-lock", ".fingerprint"];

/// Insists that an agent can start this sayso, and that nobody else can put another in its place.
///
/// # Errors
/// What is wrong.
pub fn check(program: &Path) -> Result<(), Refused> {
    let refuse = |what: &str| Refused::new(format!("the program {} {what}", shown(program)));
    let found =
        fs::metadata(program).map_err(|error| refuse(&format!("cannot be found: {error}")))?;
    if !program.is_absolute() || !found.is_file() || found.permissions().mode() & 0o111 == 0 {
        return Err(refuse("is none that an agent could start"));
    }
    // By its name it is found again.
    if program.file_name().is_none_or(|name| name != "sayso") {
        return Err(refuse("is not named `sayso`"));
    }
    let me = rustix::process::geteuid().as_raw();
    if ![0, me].contains(&found.uid()) {
        return Err(refuse("belongs to somebody else"));
    }
    let own_group = found.gid() == me && rustix::process::getegid().as_raw() == me;
    if found.mode() & if own_group { 0o002 } else { 0o022 } != 0 {
        return Err(refuse("can be written by others").hint("run `chmod go-w` on it"));
    }
    check_above(program)
}

/// Why an agent could replace it, or why it may be gone soon: none if it stands well.
pub fn doubt(program: &Path, around: &Around) -> Option<String> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let program = real(program);
    let own = std::env::temp_dir();
    let passing = PASSING
        .iter()
        .map(PathBuf::from)
        .chain([own])
        .find(|folder| program.starts_with(real(folder)));
    if let Some(folder) = passing {
        return Some(format!(
            "it stands in {}, where things do not last",
            shown(&folder)
        ));
    }
    // A home that is a workspace as well is where most programs of a person stand.
    let project = real(&around.folder);
    let is_home = around
        .home
        .as_deref()
        .is_some_and(|home| real(home).starts_with(&project));
    if program.starts_with(&project) && !is_home {
        return Some(format!(
            "it stands in the workspace {}, where agents write",
            shown(&project)
        ));
    }
    built(&program)
}

/// What says that a build made it, and may make or remove it again.
pub fn built(program: &Path) -> Option<String> {
    let built = program
        .ancestors()
        .skip(1)
        .find(|folder| BUILT.iter().any(|name| folder.join(name).exists()))?;
    Some(format!(
        "it stands in {}, which a build replaces and `clean` removes",
        shown(built)
    ))
}
