//! Gathers git's settings from all the files that count for a repository.

use std::path::{Path, PathBuf};

use crate::bounded_file::LastLink;
use crate::git_syntax::{ConfigFile, Setting};
use crate::remembered::{Recalled, Remembered};
use crate::repository::Repository;
use crate::whereabouts::Whereabouts;

/// How deep files may include each other; git stops at 10.
const MOST_DEPTH: u32 = 8;

/// All settings, in the order git reads them.
#[derive(Debug, Default)]
pub(crate) struct Config {
    pub settings: Vec<Placed>,
    /// A file could not be read or made no sense, so there may be more.
    pub incomplete: bool,
}

/// A setting with its file.
#[derive(Debug)]
pub(crate) struct Placed {
    pub setting: Setting,
    pub file: String,
    /// It counts only under a condition (`includeIf`), which is not looked into.
    pub conditional: bool,
}

/// Reads configuration files for one pass.
pub(crate) struct ConfigReader<'a> {
    pub files: &'a Remembered<ConfigFile>,
    pub whereabouts: &'a Whereabouts,
    pub left: &'a mut u32,
}

impl Config {
    /// The values that may count for a setting without a subsection: the last certain one, and all that may replace it.
    pub(crate) fn possible(&self, section: &str, name: &str) -> Vec<&Placed> {
        let mut possible = Vec::new();
        for placed in &self.settings {
            let setting = &placed.setting;
            if setting.section == section && setting.name == name && setting.subsection.is_none() {
                if !placed.conditional {
                    possible.clear();
                }
                possible.push(placed);
            }
        }
        possible
    }
}

impl ConfigReader<'_> {
    /// The settings that count in a repository, or outside of any.
    pub(crate) fn read(&mut self, repository: Option<&Repository>) -> Config {
        let mut config = Config::default();
        let whereabouts = self.whereabouts;
        for file in &whereabouts.git_configs {
            self.add(&mut config, file, false, 0);
        }
        if let Some(repository) = repository {
            self.add(&mut config, &repository.common.join("config"), false, 0);
            // Read whether or not `extensions.worktreeConfig` is set: one helper too many is no harm.
            self.add(&mut config, &repository.own.join("config.worktree"), false, 0);
        }
        config
    }

    fn add(&mut self, config: &mut Config, path: &Path, conditional: bool, depth: u32) {
        let file = match self.files.recall(path, LastLink::Follow, self.left) {
            Recalled::Missing => return,
            Recalled::Known(file) if depth <= MOST_DEPTH => file,
            Recalled::Known(_) | Recalled::Unknown => {
                config.incomplete = true;
                return;
            }
        };
        config.incomplete |= file.broken;
        for setting in &file.settings {
            config.settings.push(Placed { setting: setting.clone(), file: path.to_string_lossy().into_owned(), conditional });
            let includes_if = setting.section == "includeif" && setting.subsection.is_some();
            let includes = setting.section == "include" && setting.subsection.is_none();
            if setting.name != "path" || !(includes || includes_if) {
                continue;
            }
            match setting.value.as_deref().and_then(|value| self.expand(value, path.parent()?)) {
                Some(included) => self.add(config, &included, conditional || includes_if, depth + 1),
                None => config.incomplete = true,
            }
        }
    }

    /// A path in a setting; none for `~somebody` and git's own folder, which only git knows.
    pub(crate) fn expand(&self, value: &str, folder: &Path) -> Option<PathBuf> {
        if value == "~" {
            return self.whereabouts.home.clone();
        }
        if let Some(below) = value.strip_prefix("~/") {
            return self.whereabouts.home.as_ref().map(|home| home.join(below));
        }
        (!value.starts_with('~') && !value.starts_with("%(")).then(|| folder.join(value))
    }
}
