//! What stands where a profile says something, and whether it still is there when the sandbox is set up.

use std::fs;
use std::path::PathBuf;

use super::error::SetupError;
use crate::plan::{Kind, Seen, Step};
use crate::profile::Profile;
use crate::symlinks;

/// What stands at the paths of a profile.
pub fn look(profile: &Profile) -> Seen {
    let kind = |path: &PathBuf| match fs::symlink_metadata(profile.source(path)) {
        Ok(found) if found.is_symlink() => Kind::Link,
        Ok(found) if found.is_dir() => Kind::Folder,
        Ok(_) => Kind::File,
        Err(_) => Kind::Missing,
    };
    profile
        .paths
        .keys()
        .map(|path| (path.clone(), kind(path)))
        .collect()
}

/// Whether everything that is shown still is where its name says: a link that has come on the way would be followed by the mount.
///
/// # Errors
/// What is not.
pub(crate) fn check(steps: &[Step]) -> Result<(), SetupError> {
    let shown_there = steps.iter().filter_map(|step| match step {
        Step::ReadOnly(path) | Step::Writable(path) | Step::Pinned(path) => Some(path),
        Step::Own(from, _) | Step::ReadOnlyAt(from, _) => Some(from),
        _ => None,
    });
    match shown_there
        .into_iter()
        .find(|path| symlinks::open(path).is_none())
    {
        Some(path) => Err(SetupError::Changed(path.clone())),
        None => check_own_folders(steps),
    }
}

/// What is mounted in a folder of the session's own, where earlier commands could have put links on the way.
fn check_own_folders(steps: &[Step]) -> Result<(), SetupError> {
    let own = steps.iter().filter_map(|step| match step {
        Step::Own(from, to) => Some((from, to)),
        _ => None,
    });
    for (from, to) in own {
        let inside = steps.iter().filter_map(mounted_at);
        for place in inside.filter(|place| *place != to && place.starts_with(to)) {
            let Ok(rest) = place.strip_prefix(to) else {
                continue;
            };
            let mut at = from.clone();
            for name in rest.components() {
                at.push(name);
                if fs::symlink_metadata(&at).is_ok_and(|found| found.is_symlink()) {
                    return Err(SetupError::Changed(at));
                }
            }
        }
    }
    Ok(())
}

fn mounted_at(step: &Step) -> Option<&PathBuf> {
    match step {
        Step::ReadOnly(path)
        | Step::Writable(path)
        | Step::Pinned(path)
        | Step::Private(path)
        | Step::HideFolder(path)
        | Step::HideFile(path)
        | Step::KeepAbsent(path)
        | Step::StandIn(path)
        | Step::Own(_, path)
        | Step::ReadOnlyAt(_, path) => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_has_come_on_the_way_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir_all(at("other/b")).unwrap();
        let steps = [Step::ReadOnly(at("a/b")), Step::KeepAbsent(at("a/none"))];
        assert!(check(&steps).is_ok());
        fs::rename(at("a"), at("old")).unwrap();
        assert!(check(&steps).is_err());
        std::os::unix::fs::symlink("other", at("a")).unwrap();
        assert!(check(&steps).is_err());
        assert!(check(&steps[1..]).is_ok());
        fs::rename(at("a"), at("link")).unwrap();
        assert!(check(&[Step::Writable(at("link"))]).is_err());
    }
}
