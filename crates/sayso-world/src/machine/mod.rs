//! The machine: answers all questions of an operation in one bounded pass.

mod answer_pass;
mod tracked_names;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::analysis::fact::{Facts, OwnPath, ProgramFact, Question, Surroundings};
use sayso_core::analysis::own_files::{InstalledPath, OwnReason};

use crate::canonical::{End, Walker, lexical};
use crate::case_rules::CaseRules;
use crate::file_cache::{FILES_PER_PASS, FILES_PER_SEARCH, Remembered};
use crate::git::index::Indexes;
use crate::git::syntax::ConfigFile;
use crate::ignore::pattern::Patterns;
use crate::locations::Whereabouts;
use crate::machine::answer_pass::Pass;

/// Questions beyond this many stay unanswered.
const MOST_QUESTIONS: usize = 4096;

/// Names that all patterns and searches of one pass may look at together.
const MOST_NAMES: usize = 200_000;

/// Programs that are kept; one more makes room.
pub(crate) const MOST_PROGRAMS: usize = 256;

/// Answers questions about this machine. Made once; a long-lived process keeps what it read of files that have not changed since.
pub struct Machine {
    pub(crate) whereabouts: Whereabouts,
    pub(crate) patterns: Remembered<Patterns>,
    pub(crate) configs: Remembered<ConfigFile>,
    pub(crate) indexes: Indexes,
    pub(crate) case: CaseRules,
    standing: Mutex<Option<Standing>>,
    pub(crate) programs: Mutex<HashMap<(String, String), (Instant, ProgramFact)>>,
    installed: Vec<InstalledPath>,
}

/// How long what does not depend on the operation is taken to be the same.
pub(crate) const SHORT: Duration = Duration::from_millis(50);

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
            patterns: Remembered::new(Patterns::parse)
                .with_steady(whereabouts.git_ignore.iter().cloned().collect()),
            configs: Remembered::new(ConfigFile::parse)
                .with_steady(whereabouts.git_configs.clone()),
            indexes: Indexes::default(),
            case: CaseRules::default(),
            standing: Mutex::new(None),
            programs: Mutex::new(HashMap::new()),
            installed: Vec::new(),
            whereabouts,
        }
    }

    /// The same machine, where sayso is installed at these paths.
    pub fn guarding(self, installed: &[InstalledPath]) -> Self {
        Machine {
            installed: installed.to_vec(),
            ..self
        }
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
        let answers = questions.iter().enumerate().map(|(index, question)| {
            if sound && index < MOST_QUESTIONS {
                pass.answer(question)
            } else {
                None
            }
        });
        let answers = answers.collect();
        Facts {
            surroundings: pass.surroundings,
            answers,
        }
    }

    /// Where the operation happens, and whether all of that is certain.
    fn surroundings(
        &self,
        walker: &mut Walker,
        cwd: &str,
        workspace: &str,
    ) -> (Surroundings, bool) {
        let mut sound = true;
        let mut folder = |path: &str| match walker.walk("/", path, false) {
            // A folder that is not there (yet) is as good as an empty one; a file in its place is not.
            Some(walked) if path.starts_with('/') && is_folder_or_missing(&walked.end) => {
                walked.canonical
            }
            _ => {
                sound = false;
                // Even then nothing may count as inside by accident, and nothing is below `/dev/null`.
                if path.starts_with('/') {
                    lexical("/", path)
                } else {
                    "/dev/null".to_owned()
                }
            }
        };
        let (workspace, cwd) = (folder(workspace), folder(cwd));
        let standing = self.standing(walker, &workspace);
        (
            Surroundings {
                workspace,
                cwd,
                home: standing.home,
                own: standing.own,
            },
            sound && standing.sound,
        )
    }

    fn standing(&self, walker: &mut Walker, workspace: &str) -> Standing {
        // What is kept is put in whole, so a panic elsewhere leaves nothing half done.
        let mut kept = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept
            .as_ref()
            .filter(|known| known.workspace == workspace && known.since.elapsed() < SHORT)
        {
            return known.clone();
        }
        // Before looking, so that it counts from the oldest of the answers.
        let since = Instant::now();
        let home = self.whereabouts.home.as_deref().and_then(Path::to_str);
        let home = home
            .and_then(|home| walker.walk("/", home, false))
            .map(|walked| walked.canonical);
        let places = &self.whereabouts;
        let project = Path::new(workspace).join(".sayso");
        let mut own = Vec::new();
        let mut sound = true;
        let always = [
            (&places.config, false),
            (&places.state, true),
            (&places.managed, false),
            (&places.binary, false),
            (&project, false),
        ];
        for (path, private) in always
            .into_iter()
            .chain(places.log.iter().map(|log| (log, true)))
        {
            // A name that cannot be told to the judge would go unprotected.
            sound &= path.is_absolute()
                && path.to_str().is_some_and(|path| {
                    add_own(&mut own, walker, path, private, &OwnReason::Sayso)
                });
        }
        for InstalledPath { path, reason } in &self.installed {
            if path.starts_with('/') {
                // Where it cannot be found out, the path as it is written counts.
                add_own(&mut own, walker, path, false, reason);
            } else {
                own.push(OwnPath {
                    path: path.clone(),
                    private: false,
                    exists: false,
                    reason: reason.clone(),
                });
            }
        }
        let fresh = Standing {
            since,
            workspace: workspace.to_owned(),
            home,
            own,
            sound,
        };
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
fn add_own(
    own: &mut Vec<OwnPath>,
    walker: &mut Walker,
    path: &str,
    private: bool,
    reason: &OwnReason,
) -> bool {
    let walked = walker.walk("/", path, false);
    let certain = walked.is_some();
    let (canonical, links, exists) = match walked {
        Some(walked) => (
            walked.canonical,
            walked.links,
            !matches!(walked.end, End::Missing(_)),
        ),
        None => (lexical("/", path), Vec::new(), true),
    };
    for path in links.into_iter().map(|link| link.at).chain([canonical]) {
        if !own
            .iter()
            .any(|known: &OwnPath| known.path == path && known.private == private)
        {
            own.push(OwnPath {
                path,
                private,
                exists,
                reason: reason.clone(),
            });
        }
    }
    certain
}
