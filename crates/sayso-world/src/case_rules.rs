//! Finds out, without writing, whether a file system takes `A` and `a` for the same name.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Mutex, PoisonError};

use crate::canonical::{Walker, parent};
use crate::platform;

/// What is known of each device.
#[derive(Default)]
pub(crate) struct CaseRules {
    insensitive: Mutex<HashMap<u64, bool>>,
}

impl CaseRules {
    /// Whether names in this existing folder (absolute, free of links) are taken without regard to case.
    pub(crate) fn insensitive(&self, walker: &Walker, folder: &str) -> bool {
        // Where nothing can be tried, the usual answer of the platform has to do.
        let usual = platform::USUALLY_INSENSITIVE;
        let Some(device) = walker.device_of(folder) else {
            return usual;
        };
        let known = self
            .insensitive
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&device)
            .copied();
        if let Some(known) = known {
            return known;
        }
        let Some(found) = try_upwards(walker, folder, device) else {
            return usual;
        };
        self.insensitive
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(device, found);
        found
    }
}

/// Tries the nearest folder upwards whose name has letters and stands on the same device.
fn try_upwards(walker: &Walker, folder: &str, device: u64) -> Option<bool> {
    let mut path = folder;
    while path != "/" {
        let above = parent(path);
        if walker.device_of(above) != Some(device) {
            return None;
        }
        if let Some(other) = swapped(path) {
            return same_file(path, &other);
        }
        path = above;
    }
    None
}

/// Whether two names lead to the same file; none if the first one is not there or the second cannot be looked at.
fn same_file(path: &str, other: &str) -> Option<bool> {
    let one = fs::symlink_metadata(path).ok()?;
    match fs::symlink_metadata(other) {
        Ok(two) => Some(one.dev() == two.dev() && one.ino() == two.ino()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(false),
        Err(_) => None,
    }
}

/// The path with the case of its last component's letters turned round; none if it has no letters.
fn swapped(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/')?;
    if !name.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let turn = |letter: char| {
        if letter.is_ascii_lowercase() {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        }
    };
    Some(format!(
        "{folder}/{}",
        name.chars().map(turn).collect::<String>()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_turned_in_the_last_component_only() {
        assert_eq!(swapped("/a/.Env-1é").as_deref(), Some("/a/.eNV-1é"));
        assert_eq!(swapped("/a/123"), None);
    }

    #[test]
    fn two_names_of_one_file_look_like_one_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        fs::write(at("a"), "").unwrap();
        assert_eq!(
            same_file(&at("a"), &at("A")),
            Some(platform::USUALLY_INSENSITIVE)
        );
        fs::write(at("b"), "").unwrap();
        assert_eq!(same_file(&at("a"), &at("b")), Some(false));
        fs::hard_link(at("a"), at("c")).unwrap();
        assert_eq!(same_file(&at("a"), &at("c")), Some(true));
        assert_eq!(same_file(&at("nothing"), &at("a")), None);
    }

    #[test]
    fn h_19_what_is_known_of_a_device_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        let path = path.to_str().unwrap();
        let walker = Walker::default();
        let rules = CaseRules::default();
        let device = walker.device_of(path).unwrap();
        rules.insensitive.lock().unwrap().insert(device, true);
        assert!(rules.insensitive(&walker, path));
        assert_eq!(
            CaseRules::default().insensitive(&walker, path),
            platform::USUALLY_INSENSITIVE
        );
    }
}
