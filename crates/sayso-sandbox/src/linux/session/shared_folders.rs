//! The folders that a session's sandboxes share, made ready for the mounts of one of them.
//!
//! What commands have put there must not lead a mount elsewhere, so every name on the way to one is a folder before bubblewrap comes there,
//! and nothing of the session runs meanwhile. Sockets in them are hidden: who listens there belongs to another sandbox.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::SHARED;
use crate::linux::error::SetupError;
use crate::linux::mount_check;
use crate::linux::start::Planned;
use crate::plan::Step;
use crate::workspace_scan;

/// Makes the folders of a session; they are open to every process in its sandbox, and the folder above to nobody else.
pub(super) fn make(session: &Path) -> io::Result<()> {
    for (name, _) in SHARED {
        let folder = session.join(name);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if !fs::symlink_metadata(&folder)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        fs::set_permissions(&folder, Permissions::from_mode(0o1777))?;
    }
    Ok(())
}

/// Makes the places of mounts in them, and hides the sockets there.
pub(crate) fn make_ready(planned: &mut Planned) -> Result<(), SetupError> {
    let places: Vec<PathBuf> = planned.steps.iter().filter_map(place).collect();
    let mut hidden = Vec::new();
    for (shown, folder) in &planned.handles.shared {
        for place in &places {
            if let Ok(rest) = place.strip_prefix(shown)
                && !rest.as_os_str().is_empty()
            {
                let above = rest.parent().unwrap_or(Path::new(""));
                folders(folder, above).map_err(|source| SetupError::Place {
                    path: place.clone(),
                    source,
                })?;
                if fs::symlink_metadata(folder.join(rest)).is_ok_and(|found| found.is_symlink()) {
                    return Err(SetupError::Changed(place.clone()));
                }
            }
        }
        for socket in workspace_scan::sockets(folder) {
            if let Ok(rest) = socket.strip_prefix(folder) {
                hidden.push(Step::HideFile(shown.join(rest)));
            }
        }
    }
    if hidden.is_empty() {
        return Ok(());
    }
    let end = planned
        .steps
        .iter()
        .position(|step| *step == Step::SealRoot)
        .unwrap_or(planned.steps.len());
    planned.steps.splice(end..end, hidden);
    planned.mounted = mount_check::expected(&planned.steps, &planned.handles, &planned.mountinfo)?;
    Ok(())
}

/// Makes folders below another one, and follows no link.
fn folders(top: &Path, below: &Path) -> io::Result<()> {
    let mut at = top.to_owned();
    for part in below.components() {
        at.push(part);
        match DirBuilder::new().mode(0o755).create(&at) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if !fs::symlink_metadata(&at)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
    }
    Ok(())
}

/// Where a step mounts something.
fn place(step: &Step) -> Option<PathBuf> {
    match step {
        Step::ReadOnly(path)
        | Step::Writable(path)
        | Step::Pinned(path)
        | Step::Private(path)
        | Step::HideFolder(path)
        | Step::HideFile(path)
        | Step::KeepAbsent(path)
        | Step::StandIn(path) => Some(path.clone()),
        Step::Link(link, _) => Some(link.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_on_the_way_to_a_mount_is_refused() {
        let session = tempfile::tempdir().unwrap();
        make(session.path()).unwrap();
        let tmp = session.path().join("tmp");
        folders(&tmp, Path::new("a/b")).unwrap();
        assert!(tmp.join("a/b").is_dir());
        std::os::unix::fs::symlink("/etc", tmp.join("link")).unwrap();
        assert!(folders(&tmp, Path::new("link/c")).is_err());
        assert!(!Path::new("/etc/c").exists());
    }
}
