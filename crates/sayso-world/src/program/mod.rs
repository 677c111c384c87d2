//! Finds the file that a program name starts, and tells who else could have put it there.

mod script_helpers;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use sayso_core::analysis::fact::{ProgramFact, Surroundings};

use crate::canonical::{End, Walked, Walker, is_within, parent};
use crate::locations::Whereabouts;
use crate::path_fact::writable_by_others;
use crate::program::script_helpers::by_script;

/// Answers for one command word. None if it could not be found out.
pub(crate) fn program_fact(
    name: &str,
    surroundings: &Surroundings,
    whereabouts: &Whereabouts,
    walker: &mut Walker,
) -> Option<ProgramFact> {
    let fact = find(name, surroundings, whereabouts, walker)?;
    let started = fact.file.as_deref().filter(|_| !fact.inside_workspace);
    let started = started.and_then(|file| by_script(file, surroundings, whereabouts, walker));
    Some(started.unwrap_or(fact))
}

fn find(
    name: &str,
    surroundings: &Surroundings,
    whereabouts: &Whereabouts,
    walker: &mut Walker,
) -> Option<ProgramFact> {
    if name.is_empty() || name.contains('\0') {
        return None;
    }
    let cwd = &surroundings.cwd;
    if name.contains('/') {
        let walked = walker.walk(cwd, name, false)?;
        return Some(describe(walked, false, surroundings, whereabouts));
    }
    let mut relative = false;
    for element in &whereabouts.path {
        // What such an element means changes with every `cd`, and the agent can usually write there.
        relative |= !element.is_absolute();
        let candidate = Path::new(cwd).join(element).join(name);
        if is_program(&candidate) {
            let walked = walker.walk(cwd, candidate.to_str()?, false)?;
            return Some(describe(walked, relative, surroundings, whereabouts));
        }
    }
    // Whoever puts a file of that name in place decides what runs.
    Some(ProgramFact {
        file: None,
        changeable: true,
        inside_workspace: false,
    })
}

pub(crate) fn is_program(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn describe(
    walked: Walked,
    relative: bool,
    surroundings: &Surroundings,
    whereabouts: &Whereabouts,
) -> ProgramFact {
    let inside_workspace = is_within(&walked.canonical, &surroundings.workspace);
    let End::Here(found) = &walked.end else {
        return ProgramFact {
            file: None,
            changeable: true,
            inside_workspace,
        };
    };
    // Every link on the way could be turned elsewhere as easily as the file could be replaced.
    let is_changeable = |path: &str| is_changeable(path, surroundings, whereabouts.uid);
    let changeable = relative
        || is_changeable(&walked.canonical)
        || walked.links.iter().any(|link| is_changeable(&link.at));
    let file = whereabouts
        .binary
        .to_str()
        .filter(|_| is_sayso(found, whereabouts))
        .unwrap_or(&walked.canonical)
        .to_owned();
    ProgramFact {
        file: Some(file),
        changeable,
        inside_workspace,
    }
}

/// Whether a file with several names is sayso itself.
fn is_sayso(found: &fs::Metadata, whereabouts: &Whereabouts) -> bool {
    let same = |binary: fs::Metadata| (binary.dev(), binary.ino()) == (found.dev(), found.ino());
    found.nlink() > 1 && fs::metadata(&whereabouts.binary).is_ok_and(same)
}

/// Whether the path or a folder above it belongs to anybody but the administrator, or is open to others. For an administrator's own
/// sayso everything belongs to the administrator, so there the agent's usual places stand in for ownership.
fn is_changeable(path: &str, surroundings: &Surroundings, uid: u32) -> bool {
    if uid == 0 {
        let home = surroundings.home.as_deref().filter(|home| *home != "/");
        let agents = [
            home,
            Some(surroundings.workspace.as_str()),
            Some("/tmp"),
            Some("/var/tmp"),
            Some("/private/tmp"),
        ];
        if agents
            .into_iter()
            .flatten()
            .any(|folder| is_within(path, folder))
        {
            return true;
        }
    }
    let mut path = path;
    loop {
        let safe = fs::symlink_metadata(path)
            .is_ok_and(|metadata| metadata.uid() == 0 && !writable_by_others(&metadata));
        if !safe {
            return true;
        }
        if path == "/" {
            return false;
        }
        path = parent(path);
    }
}
