//! Gathers git's settings from all the files that count for a repository.

use std::path::{Path, PathBuf};

use sayso_core::analysis::fact::GitScope;

use crate::bounded_file::LastLink;
use crate::canonical::{Walker, is_within};
use crate::file_cache::{Recalled, Remembered};
use crate::git::index::Indexes;
use crate::git::repository::Repository;
use crate::git::syntax::{ConfigFile, Setting};
use crate::locations::Whereabouts;

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
    /// Whose word it is.
    pub scope: GitScope,
    /// It counts only under a condition (`includeIf`), which is not looked into.
    pub conditional: bool,
}

/// Reads configuration files for one pass.
pub(crate) struct ConfigReader<'a> {
    pub files: &'a Remembered<ConfigFile>,
    pub indexes: &'a Indexes,
    pub whereabouts: &'a Whereabouts,
    pub walker: &'a mut Walker,
    /// Free of links.
    pub workspace: &'a str,
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
            self.add(&mut config, file, GitScope::Person, false, 0);
        }
        if let Some(repository) = repository {
            self.add(
                &mut config,
                &repository.common.join("config"),
                GitScope::Repository,
                false,
                0,
            );
            // Read whether or not `extensions.worktreeConfig` is set: one helper too many is no harm.
            self.add(
                &mut config,
                &repository.own.join("config.worktree"),
                GitScope::Repository,
                false,
                0,
            );
        }
        config
    }

    fn add(
        &mut self,
        config: &mut Config,
        path: &Path,
        scope: GitScope,
        conditional: bool,
        depth: u32,
    ) {
        let file = match self.files.recall(path, LastLink::Follow, self.left) {
            Recalled::Missing => return,
            Recalled::Known(file) if depth <= MOST_DEPTH => file,
            Recalled::Known(_) | Recalled::Unknown => {
                config.incomplete = true;
                return;
            }
        };
        config.incomplete |= file.broken;
        let scope = if scope == GitScope::Person && self.may_be_written(path, depth) {
            GitScope::Repository
        } else {
            scope
        };
        for setting in &file.settings {
            config.settings.push(Placed {
                setting: setting.clone(),
                file: path.to_string_lossy().into_owned(),
                scope,
                conditional,
            });
            let includes_if = setting.section == "includeif" && setting.subsection.is_some();
            let includes = setting.section == "include" && setting.subsection.is_none();
            if setting.name != "path" || !(includes || includes_if) {
                continue;
            }
            match setting
                .value
                .as_deref()
                .and_then(|value| self.expand(value, path.parent()?))
            {
                Some(included) => self.add(
                    config,
                    &included,
                    scope,
                    conditional || includes_if,
                    depth + 1,
                ),
                None => config.incomplete = true,
            }
        }
    }

    /// Whether a file that the person's configuration leads to is an ordinary one of the workspace, where agents may write: where a
    /// file lies can take trust away, and never gives it. The person's own files are protected by their names, unless they are links.
    fn may_be_written(&mut self, path: &Path, depth: u32) -> bool {
        let (files, workspace) = (self.files, self.workspace);
        files.steadily(path, workspace, || self.is_in_workspace(path, depth))
    }

    fn is_in_workspace(&mut self, path: &Path, depth: u32) -> bool {
        let Some(walked) = path
            .to_str()
            .and_then(|path| self.walker.walk("/", path, false))
        else {
            return true;
        };
        is_within(&walked.canonical, self.workspace) && (depth > 0 || !walked.links.is_empty())
    }

    /// A path in a setting; none for `~somebody` and git's own folder, which only git knows, and for what is no text.
    pub(crate) fn expand(&self, value: &str, folder: &Path) -> Option<PathBuf> {
        if value.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        if value == "~" {
            return self.whereabouts.home.clone();
        }
        if let Some(below) = value.strip_prefix("~/") {
            return self.whereabouts.home.as_ref().map(|home| home.join(below));
        }
        (!value.starts_with('~') && !value.starts_with("%(")).then(|| folder.join(value))
    }
}
