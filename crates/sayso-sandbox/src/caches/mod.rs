//! Download caches in the sandbox: what was downloaded once is read again, and nothing there is ever changed by a command.
//!
//! Of a cache only its data is shown, read-only; the folder that it is in is the command's own. With a folder for the session
//! ([`prepare`]), that folder stands in its place and holds links to the data, so that tools can add to it: whatever a tool writes
//! replaces a link in the session's own folder. No file system layers are used: changing a lower layer that is in use is undefined.

mod find;
mod hard_links;
mod session_folder;
mod table;

use std::path::{Path, PathBuf};

use crate::profile::{Level, Profile};
use crate::symlinks;

pub use find::variables;
pub(crate) use find::{Cache, Places, find};
pub(crate) use hard_links::shares_files;
pub use session_folder::{CachesError, prepare};

use table::Share;

/// Where the data is shown if the session's own folder stands at its place. Only in the sandbox is anything there.
pub(crate) const ASIDE: &str = "/run/sayso-caches";

impl Cache {
    /// Where a part is shown besides its own place.
    fn aside(&self, part: &Path) -> PathBuf {
        let aside = Path::new(ASIDE).join(self.name()).join(part);
        aside.components().collect()
    }

    /// Lets the data be read, and gives a place to write to. `session` is the session's folder for caches, if there is one.
    pub(crate) fn add_to(&self, profile: &mut Profile, session: Option<&Path>) {
        let own = session
            .map(|folder| folder.join(self.name()))
            .filter(|own| symlinks::open(own).is_some());
        let is_there = symlinks::open(&self.place).is_some();
        if let Some(own) = &own {
            profile.placed.insert(self.place.clone(), own.clone());
        }
        if own.is_some() || is_there && profile.level(&self.place) != Level::Private {
            profile.paths.insert(self.place.clone(), Level::Private);
        }
        for part in &self.parts {
            match part.share {
                Share::Aside { variable } => {
                    let name = part.path.file_name().map(Path::new).unwrap_or(&part.path);
                    let aside = self.aside(name);
                    let above = aside.parent().unwrap_or(Path::new(ASIDE)).to_owned();
                    profile.environment.retain(|(known, _)| known != variable);
                    profile.environment.push((variable.into(), above.into()));
                    shown_aside(profile, aside, part);
                }
                Share::InPlace => self.shown_in_place(profile, part),
                _ if own.is_some() => shown_aside(profile, self.aside(&part.path), part),
                _ => self.shown_in_place(profile, part),
            }
        }
    }

    fn shown_in_place(&self, profile: &mut Profile, part: &find::Found) {
        let path = self.place.join(&part.path);
        // A folder of the session's own has no room for links of the machine.
        if part.source == path {
            profile.paths.insert(path, Level::Read);
        } else if !profile.placed.contains_key(&self.place) {
            profile.links.extend(symlinks::on_the_way(&path));
            profile.raise(part.source.clone(), Level::Read);
        }
        for secret in &part.hidden {
            profile.lower(secret, Level::Hidden);
        }
    }
}

fn shown_aside(profile: &mut Profile, aside: PathBuf, part: &find::Found) {
    let hidden = part.hidden.iter();
    let hidden = hidden.filter_map(|path| path.strip_prefix(&part.source).ok());
    profile.paths.insert(aside.clone(), Level::Read);
    for path in hidden {
        profile.paths.insert(aside.join(path), Level::Hidden);
    }
    profile.placed.insert(aside, part.source.clone());
}

#[cfg(test)]
mod tests;
