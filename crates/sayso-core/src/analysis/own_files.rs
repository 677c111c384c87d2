//! Where sayso is installed: files of other programs that start it, and settings that could switch it off.
//!
//! They count as sayso's own. An agent that may change one of them needs a single yes to be rid of the gate.

use crate::analysis::fact::OwnPath;
use crate::packed::packed;
use crate::paths::{below_folded, components, fold};

/// Why a path counts as sayso's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OwnReason {
    /// It is a file, a folder or the program of sayso.
    #[default]
    Sayso,
    /// It starts sayso in the program of this name.
    Installed(String),
    /// Settings of the program of this name, in which sayso is installed: a key in them can switch its hooks off.
    SwitchesOff(String),
}

packed! { enum OwnReason { Sayso, Installed(program), SwitchesOff(program) } }

/// A path that counts as sayso's own besides its folders, as the program that reads it names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledPath {
    /// Absolute; a relative one names such a file in any folder, and a `*` at the start of its last name any start of a name.
    pub path: String,
    /// Why it counts.
    pub reason: OwnReason,
}

packed! { struct InstalledPath { path, reason } }

impl OwnPath {
    /// Whether a path is this one, or below it. Names are compared under every folding: on this file system or another, `.SAYSO` may be
    /// the same folder.
    pub fn holds(&self, path: &str) -> bool {
        if self.is_anywhere() {
            ends_with(path, &self.path).is_some()
        } else {
            below_folded(path, &self.path)
        }
    }

    /// Whether something stands there that goes away with a folder.
    pub fn is_taken_along(&self, folder: &str) -> bool {
        self.exists && !self.is_anywhere() && below_folded(&self.path, folder)
    }

    /// Whether a path is the folder that holds it: who puts another one there, or copies a tree into it, replaces it.
    pub fn is_replaced_through(&self, folder: &str) -> bool {
        let Some((parent, _)) = self
            .path
            .rsplit_once('/')
            .filter(|(parent, _)| !parent.is_empty())
        else {
            return false;
        };
        match self.is_anywhere() {
            true => ancestors(parent).any(|parent| ends_with(folder, parent) == Some(0)),
            false => self.exists && self.reason != OwnReason::Sayso && same(parent, folder),
        }
    }

    /// In words: why no agent may touch it, and where a person changes it.
    pub fn why(&self, path: &str) -> String {
        match &self.reason {
            OwnReason::Sayso => format!("`{path}` belongs to sayso, and no agent may touch it"),
            OwnReason::Installed(program) => {
                format!(
                    "`{path}` starts sayso in {program}, and no agent may change it; you can, in an editor or with `sayso uninstall`"
                )
            }
            OwnReason::SwitchesOff(program) if !self.holds(path) => {
                format!(
                    "`{path}` holds settings that can switch sayso off in {program}, and no agent may replace it; you can, in an editor"
                )
            }
            OwnReason::SwitchesOff(program) => {
                format!(
                    "`{path}` can switch sayso off in {program}, and no agent may change it; you can, in an editor"
                )
            }
        }
    }

    fn is_anywhere(&self) -> bool {
        !self.path.starts_with('/')
    }
}

/// A relative path, and each folder on the way to it.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| {
        path.rsplit_once('/').map(|(parent, _)| parent)
    })
}

fn same(one: &str, other: &str) -> bool {
    below_folded(one, other) && below_folded(other, one)
}

/// Whether the names of a relative path stand one behind the other in a path: how many names follow them there.
fn ends_with(path: &str, name: &str) -> Option<usize> {
    let is_name = |found: &str, wanted: &str| match wanted.strip_prefix('*') {
        Some(end) => fold(found).ends_with(end),
        None => found == wanted || fold(found) == fold(wanted),
    };
    let mut rest = components(path);
    let wanted = components(name).count();
    loop {
        let here = rest.clone();
        rest.next()?;
        let mut names = here.clone();
        if components(name).all(|wanted| names.next().is_some_and(|found| is_name(found, wanted))) {
            return Some(here.count() - wanted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(path: &str, reason: OwnReason) -> OwnPath {
        OwnPath {
            path: path.to_owned(),
            private: false,
            exists: true,
            reason,
        }
    }

    #[test]
    fn a_relative_path_is_found_in_any_folder() {
        let own = own(
            ".claude/settings.json",
            OwnReason::SwitchesOff("Claude Code".to_owned()),
        );
        for path in [
            "/ws/.claude/settings.json",
            "/ws/a/b/.CLAUDE/Settings.json",
            "/.claude/settings.json",
            "/ws/.claude/settings.json/x",
        ] {
            assert!(own.holds(path), "{path}");
        }
        for path in [
            "/ws/.claude/settings.jsonx",
            "/ws/claude/settings.json",
            "/ws/.claude",
            "/ws/.claude/x/settings.json",
            "/",
            "",
        ] {
            assert!(!own.holds(path), "{path}");
        }
        assert!(own.is_replaced_through("/ws/.claude") && own.is_replaced_through("/ws/.Claude"));
        assert!(!own.is_replaced_through("/ws") && !own.is_replaced_through("/ws/.claude/skills"));
        assert!(!own.is_taken_along("/ws/.claude"));
    }

    #[test]
    fn the_last_name_may_have_any_start() {
        let own = own(".codex/*.toml", OwnReason::SwitchesOff("Codex".to_owned()));
        assert!(own.holds("/ws/.codex/config.toml") && own.holds("/ws/.codex/work.config.TOML"));
        assert!(!own.holds("/ws/.codex/notes.md") && !own.holds("/ws/x.toml"));
    }

    #[test]
    fn a_file_is_replaced_through_its_folder_alone() {
        let own = own(
            "/home/u/.claude/settings.json",
            OwnReason::Installed("Claude Code".to_owned()),
        );
        assert!(own.is_replaced_through("/home/u/.claude") && !own.is_replaced_through("/home/u"));
        assert!(own.is_taken_along("/home/u/.claude") && own.is_taken_along("/home/u"));
    }
}
