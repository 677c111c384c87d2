//! A file of the index that cannot be used is kept aside: nothing is deleted that somebody may want to look at.

use crate::folder::Folder;

use super::FILE;

/// Gives the file another name. Its side files belong to it and go with it.
pub(super) fn put_aside(folder: &Folder) -> Result<(), String> {
    let names = folder.names()?;
    if !names.iter().any(|name| name == FILE) {
        return Ok(());
    }
    // Two are enough to look at: an index says nothing that the journal does not.
    let aside = if names.iter().any(|name| name == "index.db.aside-1") {
        "index.db.aside-2"
    } else {
        "index.db.aside-1"
    };
    for side in ["-wal", "-shm"] {
        folder.remove(&format!("{aside}{side}"))?;
        if names.contains(&format!("{FILE}{side}")) {
            folder.rename(&format!("{FILE}{side}"), &format!("{aside}{side}"))?;
        }
    }
    folder.rename(FILE, aside)
}
