//! The machine: answers all questions of an operation in one bounded pass.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::fact::{
    BelowFact, Counts, Fact, Facts, Ignored, NamesFact, OwnPath, PathFact, PathKind, ProgramFact, Question, Search, Setting, SettingsFact,
    Shows, Surroundings, below_top, from_home, is_pattern,
};
use sayso_core::paths::{common, made_or_kept_by_tools, relative};

use crate::below::{Ground, is_odd, is_odd_in_list, is_odd_whole, look};
use crate::bounded_file::LastLink;
use crate::canonical::{End, Walked, Walker, ancestor, is_within, lexical, parent};
use crate::case::CaseRules;
use crate::git_config::{Config, ConfigReader};
use crate::git_fact::{by_environment, elsewhere, git_fact};
use crate::git_index::{Indexes, Tracked};
use crate::git_password::holds_password;
use crate::git_syntax::ConfigFile;
use crate::ignore::IgnoreFiles;
use crate::ignore_pattern::Patterns;
use crate::names::{Limits, Listed, Names};
use crate::path_fact::path_fact;
use crate::program::program_fact;
use crate::remembered::{FILES_PER_PASS, FILES_PER_SEARCH, Recalled, Remembered};
use crate::repository::{self, Found, Repository};
use crate::settings::settings_upwards;
use crate::whereabouts::Whereabouts;

/// Questions beyond this many stay unanswered.
const MOST_QUESTIONS: usize = 4096;

/// Names that all patterns and searches of one pass may look at together.
const MOST_NAMES: usize = 200_000;

/// Programs that are kept; one more makes room.
const MOST_PROGRAMS: usize = 256;

/// Answers questions about this machine. Made once; a long-lived process keeps what it read of files that have not changed since.
pub struct Machine {
    whereabouts: Whereabouts,
    patterns: Remembered<Patterns>,
    configs: Remembered<ConfigFile>,
    indexes: Indexes,
    case: CaseRules,
    standing: Mutex<Option<Standing>>,
    programs: Mutex<HashMap<(String, String), (Instant, ProgramFact)>>,
    contains: bool,
}

/// How long what does not depend on the operation is taken to be the same.
const SHORT: Duration = Duration::from_millis(50);

/// Home and sayso's own places, for one workspace.
///
/// They are kept for [`SHORT`] and not looked up for every operation. That is safe only because no operation can change them: each of
/// these places, and each link on the way to one, is itself one of sayso's own paths, which no agent may change. A change by the person
/// counts a moment later. The workspace, the working folder and every path of a question can be changed by an agent between two
/// operations, so they are walked each time.
#[derive(Clone)]
struct Standing {
    since: Instant,
    workspace: String,
    home: Option<String>,
    own: Vec<OwnPath>,
    sound: bool,
}

impl Machine {
    /// A machine with these places.
    pub fn new(whereabouts: Whereabouts) -> Self {
        Machine {
            patterns: Remembered::new(Patterns::parse).with_steady(whereabouts.git_ignore.iter().cloned().collect()),
            configs: Remembered::new(ConfigFile::parse).with_steady(whereabouts.git_configs.clone()),
            indexes: Indexes::default(),
            case: CaseRules::default(),
            standing: Mutex::new(None),
            programs: Mutex::new(HashMap::new()),
            contains: false,
            whereabouts,
        }
    }

    /// The same machine, where whoever runs operations can do it in an OS sandbox.
    pub fn containing(self, contains: bool) -> Self {
        Machine { contains, ..self }
    }

    /// The places this machine was made with.
    pub fn whereabouts(&self) -> &Whereabouts {
        &self.whereabouts
    }

    /// Answers each question, in order. What cannot be found out, or not for sure, is `None`; if `cwd` or `workspace` is not absolute,
    /// or something else than a folder stands there, that is everything.
    pub fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        let mut walker = Walker::default();
        let (surroundings, sound) = self.surroundings(&mut walker, cwd, workspace);
        let mut pass = Pass {
            machine: self,
            walker,
            surroundings,
            left: FILES_PER_PASS,
            left_for_searches: FILES_PER_SEARCH,
            names_left: MOST_NAMES,
            found: HashMap::new(),
            configs: HashMap::new(),
            ignore: HashMap::new(),
        };
        let answers = questions.iter().enumerate().map(
            |(index, question)| {
                if sound && index < MOST_QUESTIONS { pass.answer(question) } else { None }
            },
        );
        let answers = answers.collect();
        Facts { surroundings: pass.surroundings, answers }
    }

    /// Where the operation happens, and whether all of that is certain.
    fn surroundings(&self, walker: &mut Walker, cwd: &str, workspace: &str) -> (Surroundings, bool) {
        let mut sound = true;
        let mut folder = |path: &str| match walker.walk("/", path, false) {
            // A folder that is not there (yet) is as good as an empty one; a file in its place is not.
            Some(walked) if path.starts_with('/') && is_folder_or_missing(&walked.end) => walked.canonical,
            _ => {
                sound = false;
                // Even then nothing may count as inside by accident, and nothing is below `/dev/null`.
                if path.starts_with('/') { lexical("/", path) } else { "/dev/null".to_owned() }
            }
        };
        let (workspace, cwd) = (folder(workspace), folder(cwd));
        let standing = self.standing(walker, &workspace);
        (Surroundings { workspace, cwd, home: standing.home, own: standing.own, contains: self.contains }, sound && standing.sound)
    }

    fn standing(&self, walker: &mut Walker, workspace: &str) -> Standing {
        // What is kept is put in whole, so a panic elsewhere leaves nothing half done.
        let mut kept = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.as_ref().filter(|known| known.workspace == workspace && known.since.elapsed() < SHORT) {
            return known.clone();
        }
        // Before looking, so that it counts from the oldest of the answers.
        let since = Instant::now();
        let home = self.whereabouts.home.as_deref().and_then(Path::to_str);
        let home = home.and_then(|home| walker.walk("/", home, false)).map(|walked| walked.canonical);
        let places = &self.whereabouts;
        let project = Path::new(workspace).join(".sayso");
        let mut own = Vec::new();
        let mut sound = true;
        for (path, private) in
            [(&places.config, false), (&places.state, true), (&places.managed, false), (&places.binary, false), (&project, false)]
        {
            // A name that cannot be told to the judge would go unprotected.
            sound &= path.is_absolute() && path.to_str().is_some_and(|path| add_own(&mut own, walker, path, private));
        }
        let fresh = Standing { since, workspace: workspace.to_owned(), home, own, sound };
        // What could not be found out may be there at the next try.
        *kept = sound.then(|| fresh.clone());
        fresh
    }
}

fn is_folder_or_missing(end: &End) -> bool {
    match end {
        End::Here(metadata) => metadata.is_dir(),
        End::Missing(_) => true,
        End::PerProcess => false,
    }
}

/// Adds the place a path leads to, and each link on the way: who can turn a link can put other files in the place of ours.
fn add_own(own: &mut Vec<OwnPath>, walker: &mut Walker, path: &str, private: bool) -> bool {
    let walked = walker.walk("/", path, false);
    let certain = walked.is_some();
    let (canonical, links, exists) = match walked {
        Some(walked) => (walked.canonical, walked.links, !matches!(walked.end, End::Missing(_))),
        None => (lexical("/", path), Vec::new(), true),
    };
    for path in links.into_iter().map(|link| link.at).chain([canonical]) {
        if !own.iter().any(|known: &OwnPath| known.path == path && known.private == private) {
            own.push(OwnPath { path, private, exists });
        }
    }
    certain
}

/// The folder to look for a repository from: what is missing has none, and may be very long.
fn nearest_folder(walked: &Walked) -> &str {
    match &walked.end {
        End::Here(metadata) if metadata.is_dir() => &walked.canonical,
        End::Here(_) | End::PerProcess => parent(&walked.canonical),
        End::Missing(count) => ancestor(&walked.canonical, *count),
    }
}

/// What one pass has found out so far.
struct Pass<'a> {
    machine: &'a Machine,
    walker: Walker,
    surroundings: Surroundings,
    /// How many files may still be read.
    left: u32,
    /// The same for searches, which meet the ignore files of all folders.
    left_for_searches: u32,
    /// How many names may still be looked at.
    names_left: usize,
    /// The repository of each folder.
    found: HashMap<String, Found>,
    /// The configuration by the root of the repository; the empty text is outside of any.
    configs: HashMap<String, Config>,
    ignore: HashMap<String, IgnoreFiles>,
}

impl Pass<'_> {
    fn answer(&mut self, question: &Question) -> Option<Fact> {
        let written = match question {
            Question::Path { path, .. } | Question::Below { path, .. } => path,
            Question::Names { pattern, .. } => pattern,
            Question::Program { name } => name,
            Question::GitHelpers { folder, .. } | Question::Settings { folder, .. } => folder,
        };
        let path = match below_top(written) {
            Some(rest) => format!("{}{rest}", self.top()),
            None => from_home(written, self.surroundings.home.as_deref())?,
        };
        match question {
            Question::Path { no_follow, .. } => self.path(&path, *no_follow).map(Fact::Path),
            Question::Below { search, only, .. } => self.below(&path, *search, only).map(Fact::Below),
            Question::Names { .. } => self.names(&path).map(Fact::Names),
            Question::Program { .. } => self.program(&path).map(Fact::Program),
            Question::GitHelpers { shows, .. } => self.git(&path, *shows),
            Question::Settings { settings, .. } => self.settings(&path, settings).map(Fact::Settings),
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
        let mut fact = path_fact(walked, &self.walker, &self.machine.case, self.machine.whereabouts.uid)?;
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
        let settled = |element: &std::path::PathBuf| element.is_absolute() && !element.starts_with(workspace);
        let plain = !name.contains('/') && machine.whereabouts.path.iter().all(settled);
        let key = (name.to_owned(), self.surroundings.workspace.clone());
        let mut programs = machine.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, fact)) = programs.get(&key).filter(|_| plain)
            && since.elapsed() < SHORT
        {
            return Some(fact.clone());
        }
        let fact = program_fact(name, &self.surroundings, &machine.whereabouts, &mut self.walker)?;
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
        let mut fact = NamesFact { incomplete, ..NamesFact::default() };
        for name in names {
            match self.path(&name, false) {
                Some(found) => {
                    if !found.links.is_empty()
                        && let Some(link) = self.path(&name, true).filter(|link| link.kind == PathKind::Link)
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
            let itself = sayso_core::fact::shown(pattern);
            let found = self.path(&itself, false)?;
            fact.files.push((itself, found));
        }
        Some(fact)
    }

    fn list(&mut self, pattern: &str) -> Option<Listed> {
        let Surroundings { cwd, workspace, .. } = &self.surroundings;
        Names { walker: &mut self.walker, cwd, workspace, limits: Limits::new(&mut self.names_left) }.list(pattern)
    }

    /// Outside of the workspace nothing is looked at: that asks in any case, and an answer would tell what is there.
    fn below(&mut self, path: &str, search: Search, only: &[String]) -> Option<BelowFact> {
        let (folders, incomplete) = if is_pattern(path) {
            let listed = self.list(path)?;
            (listed.names, listed.incomplete)
        } else {
            (vec![path.to_owned()], false)
        };
        let mut fact = BelowFact { incomplete, ..BelowFact::default() };
        let only: Vec<String> = only.iter().map(|pattern| pattern.to_lowercase()).collect();
        for folder in folders {
            // The name that the search starts with is part of every name it hands on.
            let odd = search.words && is_odd(&folder) || search.whole && is_odd_whole(&folder, true);
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

    fn below_one(&mut self, path: &str, search: Search, only: &[String], fact: &mut BelowFact) -> Option<()> {
        let walked = self.walker.walk(&self.surroundings.cwd, path, false)?;
        let inside = is_within(&walked.canonical, &self.surroundings.workspace);
        let is_folder = matches!(&walked.end, End::Here(metadata) if metadata.is_dir());
        // What packages brought may be searched without a question, but not what links lead to from there, or what its names become.
        if !inside && is_folder && common(&walked.canonical).is_some() && (search.follow || search.words || search.whole) {
            fact.incomplete = true;
        }
        if !inside || !is_folder {
            return Some(());
        }
        if search.words || search.whole {
            fact.odd.extend(self.tracked_odd(&walked.canonical, search, only));
        }
        let (top, readings) = if search.tracked { self.tracked_around(&walked.canonical) } else { (None, Vec::new()) };
        let (workspace, home) = (self.surroundings.workspace.clone(), self.surroundings.home.clone());
        let mut names_left = self.names_left;
        let pass = RefCell::new(self);
        let mut private = |path: &str, folder: &str| match path {
            _ if made_or_kept_by_tools(path, &workspace) => false,
            // git's own data is in no work tree, and every search from the top reads it: only what it says counts.
            _ if path.contains("/.git/") => holds_password(Path::new(path)),
            _ => matches!(pass.borrow_mut().ignored_in_search(path, folder), Ignored::Yes | Ignored::Unknown),
        };
        let mut tracked = |path: &str| top.as_deref().and_then(|top| relative(path, top)).is_none_or(|path| may_track(&readings, path));
        let mut left_out = |path: &str, folder: &str| pass.borrow_mut().ignored_where_it_is(path, folder);
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
        let Found::Repository(repository) = self.repository(folder) else { return false };
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
            let outermost = !is_within(path, &self.surroundings.workspace) || is_within(&self.surroundings.workspace, &repository.root);
            if answer != Ignored::No || outermost || repository.root == "/" {
                return answer;
            }
            folder = parent(&repository.root).to_owned();
        }
    }

    fn ignored_by(&mut self, repository: &Repository, path: &str, is_folder: bool, existing: usize) -> Ignored {
        let machine = self.machine;
        if !self.ignore.contains_key(&repository.root) {
            let config = self.take_config(Some(repository));
            let elsewhere = elsewhere(repository, &config, &mut self.walker).is_some();
            let files = IgnoreFiles::open(repository, &config, &mut self.reader(), &machine.patterns, elsewhere);
            self.configs.insert(repository.root.clone(), config);
            self.ignore.insert(repository.root.clone(), files);
        }
        let Some(files) = self.ignore.get_mut(&repository.root) else { return Ignored::Unknown };
        files.status(repository, path, is_folder, existing, &machine.patterns, &mut self.left)
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
        let mut fact = git_fact(&found, &config, &mut self.reader(), &folder.canonical, shows);
        fact.helpers.extend(self.machine.whereabouts.git_elsewhere.as_ref().map(by_environment));
        self.configs.insert(repository.map_or_else(String::new, |repository| repository.root.clone()), config);
        Some(Fact::Git(fact))
    }

    fn settings(&mut self, folder: &str, settings: &[Setting]) -> Option<SettingsFact> {
        let walked = self.walker.walk(&self.surroundings.cwd, folder, false)?;
        if matches!(walked.end, End::PerProcess) {
            return None;
        }
        // Many programs go upwards by the name they were started in, and not by where a link leads.
        if let Some(link) = walked.links.first() {
            return Some(SettingsFact { found: Some(link.at.clone()) });
        }
        let newer = settings.iter().any(|setting| setting.counts == Counts::WithNewerGo);
        let go = if newer { self.program("go")?.file } else { None };
        Some(settings_upwards(nearest_folder(&walked), settings, &self.surroundings, go.as_deref()))
    }

    /// The repository that `folder` (absolute, free of links) belongs to: the nearest one upwards.
    fn repository(&mut self, folder: &str) -> Found {
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

    /// The work tree that a folder belongs to, with its index in both readings: by which names of objects it is to be read, it does not tell. No
    /// work tree where that cannot be told, and then all may be tracked.
    fn tracked_around(&mut self, folder: &str) -> (Option<String>, Vec<Recalled<Tracked>>) {
        let Found::Repository(repository) = self.repository(folder) else { return (None, Vec::new()) };
        let (index, indexes) = (repository.own.join("index"), &self.machine.indexes);
        let kinds = [&indexes.tracked_sha1, &indexes.tracked_sha256];
        (Some(repository.root), kinds.map(|kind| kind.recall(&index, LastLink::Follow, &mut self.left)).into())
    }

    /// A name that git tracks around a folder and that may become other words where it is handed on: a list of git has it also where there is
    /// no such file. Where the index cannot be read, the index itself is named.
    fn tracked_odd(&mut self, folder: &str, search: Search, only: &[String]) -> Option<String> {
        let Found::Repository(repository) = self.repository(folder) else { return None };
        let index = repository.own.join("index");
        let indexes = &self.machine.indexes;
        // Both readings count here, too.
        let readings = [&indexes.sha1, &indexes.sha256].map(|kind| kind.recall(&index, LastLink::Follow, &mut self.left));
        let inside = relative(folder, &repository.root).unwrap_or_default();
        let mut read = false;
        for reading in readings {
            let Recalled::Known(known) = reading else {
                if matches!(reading, Recalled::Missing) {
                    return None;
                }
                continue;
            };
            let Some(names) = &known.odd else { continue };
            read = true;
            let listed = |name: &&String| {
                let seen = if search.tracked { listed_in(name, inside) } else { Some(name.as_str()) };
                seen.is_some_and(|name| is_odd_in_list(name, search, only))
            };
            if let Some(name) = names.iter().find(listed) {
                return Some(format!("{}/{name}", repository.root));
            }
        }
        (!read).then(|| index.to_string_lossy().into_owned())
    }

    fn reader(&mut self) -> ConfigReader<'_> {
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
    fn take_config(&mut self, repository: Option<&Repository>) -> Config {
        let key = repository.map_or("", |repository| repository.root.as_str());
        if let Some(config) = self.configs.remove(key) {
            return config;
        }
        self.reader().read(repository)
    }
}

/// A path of an index as a list in a folder of the work tree prints it; none if it is not below. In other letters than these, a folder may be
/// spelled in two ways, and then the whole path stands for it.
fn listed_in<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() || !folder.is_ascii() {
        return Some(path);
    }
    let (start, rest) = path.split_at_checked(folder.len())?;
    rest.strip_prefix('/').filter(|_| start.eq_ignore_ascii_case(folder))
}

/// Whether one of the readings of an index has a path below the work tree; also if none of them could be read.
fn may_track(readings: &[Recalled<Tracked>], path: &str) -> bool {
    let mut read = readings.iter().any(|reading| matches!(reading, Recalled::Missing));
    for reading in readings {
        if let Recalled::Known(known) = reading
            && let Some(tracks) = known.has(path)
        {
            read = true;
            if tracks {
                return true;
            }
        }
    }
    !read
}
