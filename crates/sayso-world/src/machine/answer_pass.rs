//! One pass over the machine: each question of an operation, with what the ones before it have found out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::PoisonError;
use std::time::Instant;

use sayso_core::analysis::fact::{
    BelowFact, Counts, Fact, Ignored, NamesFact, PathFact, PathKind, ProgramFact, Question, Search,
    Setting, SettingsFact, Shows, Surroundings, below_top, from_home, is_pattern,
};
use sayso_core::paths::{common, made_or_kept_by_tools, relative};

use crate::canonical::{End, Walked, Walker, ancestor, is_within, parent};
use crate::file_patterns::{Limits, Listed, Names};
use crate::git::config::{Config, ConfigReader};
use crate::git::fact::{by_environment, elsewhere, git_fact};
use crate::git::password::holds_password;
use crate::git::repository::{self, Found, Repository};
use crate::ignore::IgnoreFiles;
use crate::machine::tracked_names::may_track;
use crate::machine::{MOST_PROGRAMS, Machine, SHORT};
use crate::path_fact::path_fact;
use crate::program::program_fact;
use crate::project_settings::settings_upwards;
use crate::search::{Ground, is_odd, is_odd_whole, look};

/// The folder to look for a repository from: what is missing has none, and may be very long.
pub(crate) fn nearest_folder(walked: &Walked) -> &str {
    match &walked.end {
        End::Here(metadata) if metadata.is_dir() => &walked.canonical,
        End::Here(_) | End::PerProcess => parent(&walked.canonical),
        End::Missing(count) => ancestor(&walked.canonical, *count),
    }
}

/// What one pass has found out so far.
pub(crate) struct Pass<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) walker: Walker,
    pub(crate) surroundings: Surroundings,
    /// How many files may still be read.
    pub(crate) left: u32,
    /// The same for searches, which meet the ignore files of all folders.
    pub(crate) left_for_searches: u32,
    /// How many names may still be looked at.
    pub(crate) names_left: usize,
    /// The repository of each folder.
    pub(crate) found: HashMap<String, Found>,
    /// The configuration by the root of the repository; the empty text is outside of any.
    pub(crate) configs: HashMap<String, Config>,
    pub(crate) ignore: HashMap<String, IgnoreFiles>,
}

impl Pass<'_> {
    pub(crate) fn answer(&mut self, question: &Question) -> Option<Fact> {
        let written = match question {
            Question::Path { path, .. } | Question::Below { path, .. } => path,
            Question::Names { pattern, .. } => pattern,
            Question::Program { name } => name,
            Question::GitHelpers { folder, .. }
            | Question::Tracked { folder, .. }
            | Question::Settings { folder, .. } => folder,
        };
        let path = match below_top(written) {
            Some(rest) => format!("{}{rest}", self.top()),
            None => from_home(written, self.surroundings.home.as_deref())?,
        };
        match question {
            Question::Path { no_follow, .. } => self.path(&path, *no_follow).map(Fact::Path),
            Question::Below { search, only, .. } => {
                self.below(&path, *search, only).map(Fact::Below)
            }
            Question::Tracked { reach, .. } => self.tracked_secrets(&path, reach).map(Fact::Below),
            Question::Names { .. } => self.names(&path).map(Fact::Names),
            Question::Program { .. } => self.program(&path).map(Fact::Program),
            Question::GitHelpers { shows, .. } => self.git(&path, *shows),
            Question::Settings { settings, .. } => {
                self.settings(&path, settings).map(Fact::Settings)
            }
        }
    }

    /// The top of the repository that the operation's folder belongs to, without a `/` at its end. Whether git sees it so is told with the
    /// question for git's helpers.
    fn top(&mut self) -> String {
        let cwd = self.surroundings.cwd.clone();
        match self.repository(&cwd) {
            Found::Repository(Repository { root, .. }) | Found::Unclear(root) => root,
            Found::Nothing => cwd,
        }
    }

    fn path(&mut self, path: &str, no_follow: bool) -> Option<PathFact> {
        let walked = self.walker.walk(&self.surroundings.cwd, path, no_follow)?;
        let per_process = matches!(walked.end, End::PerProcess);
        let nearest = nearest_folder(&walked).to_owned();
        let mut fact = path_fact(
            walked,
            &self.walker,
            &self.machine.case,
            self.machine.whereabouts.uid,
        )?;
        if !per_process {
            fact.ignored = self.ignored(&fact.canonical, fact.kind == PathKind::Folder, nearest);
        }
        Some(fact)
    }

    /// What a plain name starts is kept for [`SHORT`]: finding it takes a look at every folder on its path. A `PATH` that leads into the
    /// workspace is looked through each time, since there the last operation may have put another program.
    fn program(&mut self, name: &str) -> Option<ProgramFact> {
        let machine = self.machine;
        let workspace = Path::new(&self.surroundings.workspace);
        let settled =
            |element: &std::path::PathBuf| element.is_absolute() && !element.starts_with(workspace);
        let plain = !name.contains('/') && machine.whereabouts.path.iter().all(settled);
        let key = (name.to_owned(), self.surroundings.workspace.clone());
        let mut programs = machine
            .programs
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((since, fact)) = programs.get(&key).filter(|_| plain)
            && since.elapsed() < SHORT
        {
            return Some(fact.clone());
        }
        let fact = program_fact(
            name,
            &self.surroundings,
            &machine.whereabouts,
            &mut self.walker,
        )?;
        if plain {
            if programs.len() >= MOST_PROGRAMS {
                programs.clear();
            }
            programs.insert(key, (Instant::now(), fact.clone()));
        }
        Some(fact)
    }

    /// The files that a pattern stands for, or else the pattern itself, as a shell takes it.
    fn names(&mut self, pattern: &str) -> Option<NamesFact> {
        let Listed { names, incomplete } = self.list(pattern)?;
        let mut fact = NamesFact {
            incomplete,
            ..NamesFact::default()
        };
        for name in names {
            match self.path(&name, false) {
                Some(found) => {
                    if !found.links.is_empty()
                        && let Some(link) = self
                            .path(&name, true)
                            .filter(|link| link.kind == PathKind::Link)
                    {
                        fact.links.push((name.clone(), link));
                    }
                    fact.files.push((name, found));
                }
                // Links in circles, or a folder that was changed meanwhile.
                None => fact.incomplete = true,
            }
        }
        if fact.files.is_empty() && !fact.incomplete {
            let itself = sayso_core::analysis::fact::shown(pattern);
            let found = self.path(&itself, false)?;
            fact.files.push((itself, found));
        }
        Some(fact)
    }

    fn list(&mut self, pattern: &str) -> Option<Listed> {
        let Surroundings { cwd, workspace, .. } = &self.surroundings;
        Names {
            walker: &mut self.walker,
            cwd,
            workspace,
            limits: Limits::new(&mut self.names_left),
        }
        .list(pattern)
    }

    /// Outside of the workspace nothing is looked at: that asks in any case, and an answer would tell what is there.
    fn below(&mut self, path: &str, search: Search, only: &[String]) -> Option<BelowFact> {
        let (folders, incomplete) = if is_pattern(path) {
            let listed = self.list(path)?;
            (listed.names, listed.incomplete)
        } else {
            (vec![path.to_owned()], false)
        };
        let mut fact = BelowFact {
            incomplete,
            ..BelowFact::default()
        };
        let only: Vec<String> = only.iter().map(|pattern| pattern.to_lowercase()).collect();
        for folder in folders {
            // The name that the search starts with is part of every name it hands on.
            let odd =
                search.words && is_odd(&folder) || search.whole && is_odd_whole(&folder, true);
            if odd && fact.odd.is_empty() {
                fact.odd.push(folder.clone());
            }
            if self.below_one(&folder, search, &only, &mut fact).is_none() {
                // One of many that cannot be told (links in circles) leaves the others as they are.
                fact.incomplete = is_pattern(path).then_some(true)?;
            }
        }
        Some(fact)
    }

    fn below_one(
        &mut self,
        path: &str,
        search: Search,
        only: &[String],
        fact: &mut BelowFact,
    ) -> Option<()> {
        let walked = self.walker.walk(&self.surroundings.cwd, path, false)?;
        let inside = is_within(&walked.canonical, &self.surroundings.workspace);
        let is_folder = matches!(&walked.end, End::Here(metadata) if metadata.is_dir());
        // What packages brought may be searched without a question, but not what links lead to from there, or what its names become.
        if !inside
            && is_folder
            && common(&walked.canonical).is_some()
            && (search.follow || search.words || search.whole)
        {
            fact.incomplete = true;
        }
        if !inside || !is_folder {
            return Some(());
        }
        if search.words || search.whole {
            fact.odd
                .extend(self.tracked_odd(&walked.canonical, search, only));
        }
        let (top, readings) = if search.tracked {
            self.tracked_around(&walked.canonical)
        } else {
            (None, Vec::new())
        };
        let (workspace, home) = (
            self.surroundings.workspace.clone(),
            self.surroundings.home.clone(),
        );
        let mut names_left = self.names_left;
        let pass = RefCell::new(self);
        let mut private = |path: &str, folder: &str| match path {
            _ if made_or_kept_by_tools(path, &workspace) => false,
            // git's own data is in no work tree, and every search from the top reads it: only what it says counts.
            _ if path.contains("/.git/") => holds_password(Path::new(path)),
            _ => matches!(
                pass.borrow_mut().ignored_in_search(path, folder),
                Ignored::Yes | Ignored::Unknown
            ),
        };
        let mut tracked = |path: &str| {
            top.as_deref()
                .and_then(|top| relative(path, top))
                .is_none_or(|path| may_track(&readings, path))
        };
        let mut left_out =
            |path: &str, folder: &str| pass.borrow_mut().ignored_where_it_is(path, folder);
        let ground = Ground {
            only,
            workspace: &workspace,
            home: home.as_deref(),
            private: &mut private,
            left_out: &mut left_out,
            tracked: &mut tracked,
            left: &mut names_left,
        };
        look(&walked.canonical, ground, search, fact);
        let this = pass.into_inner();
        this.names_left = names_left;
        Some(())
    }

    /// Whether git ignores a file that a search meets. A search may read more ignore files than all other questions.
    fn ignored_in_search(&mut self, path: &str, folder: &str) -> Ignored {
        std::mem::swap(&mut self.left, &mut self.left_for_searches);
        let answer = self.ignored(path, false, folder.to_owned());
        std::mem::swap(&mut self.left, &mut self.left_for_searches);
        answer
    }

    /// Whether git ignores a file by the repository that it is in, whatever others around that say.
    fn ignored_where_it_is(&mut self, path: &str, folder: &str) -> bool {
        let Found::Repository(repository) = self.repository(folder) else {
            return false;
        };
        std::mem::swap(&mut self.left, &mut self.left_for_searches);
        let answer = self.ignored_by(&repository, path, path == folder, folder.len());
        std::mem::swap(&mut self.left, &mut self.left_for_searches);
        answer == Ignored::Yes
    }

    /// A repository made inside of another one does not bring back what the outer one ignores, up to the workspace's own repository:
    /// else `git init` in an ignored folder would be a way to open it. Repositories further out (dotfiles that ignore `*`) don't count.
    fn ignored(&mut self, path: &str, is_folder: bool, nearest: String) -> Ignored {
        let existing = nearest.len();
        let mut folder = nearest;
        let mut answer = Ignored::NoRepository;
        loop {
            let repository = match self.repository(&folder) {
                Found::Nothing => return answer,
                Found::Unclear(_) => return Ignored::Unknown,
                Found::Repository(repository) => repository,
            };
            answer = self.ignored_by(&repository, path, is_folder, existing);
            let outermost = !is_within(path, &self.surroundings.workspace)
                || is_within(&self.surroundings.workspace, &repository.root);
            if answer != Ignored::No || outermost || repository.root == "/" {
                return answer;
            }
            folder = parent(&repository.root).to_owned();
        }
    }

    fn ignored_by(
        &mut self,
        repository: &Repository,
        path: &str,
        is_folder: bool,
        existing: usize,
    ) -> Ignored {
        let machine = self.machine;
        if !self.ignore.contains_key(&repository.root) {
            let config = self.take_config(Some(repository));
            let elsewhere = elsewhere(repository, &config, &mut self.walker).is_some();
            let files = IgnoreFiles::open(
                repository,
                &config,
                &mut self.reader(),
                &machine.patterns,
                elsewhere,
            );
            self.configs.insert(repository.root.clone(), config);
            self.ignore.insert(repository.root.clone(), files);
        }
        let Some(files) = self.ignore.get_mut(&repository.root) else {
            return Ignored::Unknown;
        };
        files.status(
            repository,
            path,
            is_folder,
            existing,
            &machine.patterns,
            &mut self.left,
        )
    }

    fn git(&mut self, folder: &str, shows: Shows) -> Option<Fact> {
        let folder = self.walker.walk(&self.surroundings.cwd, folder, false)?;
        if matches!(folder.end, End::PerProcess) {
            return None;
        }
        let found = self.repository(nearest_folder(&folder));
        let repository = match &found {
            Found::Repository(repository) => Some(repository),
            _ => None,
        };
        let config = self.take_config(repository);
        let mut fact = git_fact(
            &found,
            &config,
            &mut self.reader(),
            &folder.canonical,
            shows,
        );
        fact.helpers.extend(
            self.machine
                .whereabouts
                .git_elsewhere
                .as_ref()
                .map(by_environment),
        );
        self.configs.insert(
            repository.map_or_else(String::new, |repository| repository.root.clone()),
            config,
        );
        Some(Fact::Git(fact))
    }

    fn settings(&mut self, folder: &str, settings: &[Setting]) -> Option<SettingsFact> {
        let walked = self.walker.walk(&self.surroundings.cwd, folder, false)?;
        if matches!(walked.end, End::PerProcess) {
            return None;
        }
        // Many programs go upwards by the name they were started in, and not by where a link leads.
        if let Some(link) = walked.links.first() {
            return Some(SettingsFact {
                found: Some(link.at.clone()),
            });
        }
        let newer = settings
            .iter()
            .any(|setting| setting.counts == Counts::WithNewerGo);
        let go = if newer {
            self.program("go")?.file
        } else {
            None
        };
        Some(settings_upwards(
            nearest_folder(&walked),
            settings,
            &self.surroundings,
            go.as_deref(),
        ))
    }

    /// The repository that `folder` (absolute, free of links) belongs to: the nearest one upwards.
    pub(crate) fn repository(&mut self, folder: &str) -> Found {
        let mut climbed = Vec::new();
        let mut current = folder;
        let found = loop {
            if let Some(found) = self.found.get(current) {
                break found.clone();
            }
            climbed.push(current.to_owned());
            match repository::at(current) {
                Found::Nothing if current != "/" => current = parent(current),
                Found::Repository(repository) => break repository.without_links(&mut self.walker),
                found => break found,
            }
        };
        for folder in climbed {
            self.found.insert(folder, found.clone());
        }
        found
    }

    pub(crate) fn reader(&mut self) -> ConfigReader<'_> {
        let machine = self.machine;
        ConfigReader {
            files: &machine.configs,
            indexes: &machine.indexes,
            whereabouts: &machine.whereabouts,
            walker: &mut self.walker,
            workspace: &self.surroundings.workspace,
            left: &mut self.left,
        }
    }

    /// The configuration of a repository; the caller puts it back, since others of this pass may need it.
    pub(crate) fn take_config(&mut self, repository: Option<&Repository>) -> Config {
        let key = repository.map_or("", |repository| repository.root.as_str());
        if let Some(config) = self.configs.remove(key) {
            return config;
        }
        self.reader().read(repository)
    }
}
