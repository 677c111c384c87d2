//! What will come of a call, said by what acts at each door: sayso's own tools where they run it, and the backups where an agent does.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Kind;
use sayso_core::prompt::presentation::Undo;
use sayso_core::text::digest::Digest;
use sayso_core::text::visible::visible;
use sayso_gate::error::ContentError;
use sayso_gate::ports::{Content, Copies, Outlook, Tally, World};
use sayso_gate::seal::Sealed;
use sayso_sandbox::backend::Backend;
use sayso_tools::files::{self, Files, Settings};
use sayso_tools::undoable::Keep;
use thiserror::Error;

use crate::assemble::RealWorld;

/// Commands that a person is asked about run as they are, here and through `sayso exec`.
const NO_BACKUP_OF_COMMANDS: &str = "sayso makes no backup of what a command deletes or overwrites";
const NO_BACKUP_OF_OTHERS: &str = "sayso makes no backup of what this tool changes";

/// The real machine, where sayso's own tools run what is approved.
pub struct OwnToolsWorld {
    /// The machine.
    pub world: RealWorld,
    /// The tools that keep backups.
    pub files: Arc<Files>,
    /// Which other tools can be run.
    pub others: Others,
}

/// Nothing here can run a tool.
#[derive(Clone, Debug, Error)]
#[error("nothing here can run the tool `{}`", visible(.0))]
pub struct NoRunner(String);

/// Which tools there are besides sayso's own.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// Functions of the host, by name.
    pub host: BTreeSet<String>,
    /// There are MCP servers.
    pub servers: bool,
}

impl Others {
    /// Whether a call of a tool that is not sayso's own can be run.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn can_run(&self, operation: &Operation) -> Result<(), NoRunner> {
        let runs =
            self.host.contains(operation.tool()) || operation.kind() == Kind::Mcp && self.servers;
        match runs {
            true => Ok(()),
            false => Err(NoRunner(operation.tool().to_owned())),
        }
    }
}

impl OwnToolsWorld {
    fn failure(&self, operation: &Operation, verdict: &Verdict) -> Option<String> {
        match operation.kind() {
            Kind::Terminal if verdict.terms.sandbox_required => {
                Backend::full().err().map(|why| why.to_string())
            }
            Kind::Terminal if !Path::new(&operation.cwd()).is_dir() => {
                Some(format!("there is no folder `{}`", operation.cwd()))
            }
            Kind::Terminal | Kind::WebFetch => None,
            kind if files::is_file_tool(kind) => {
                let failed = files::check(&self.files, operation, verdict).err();
                failed.map(|why| why.to_string())
            }
            _ => self
                .others
                .can_run(operation)
                .err()
                .map(|why| why.to_string()),
        }
    }

    fn undo(&self, operation: &Operation, verdict: &Verdict) -> Undo {
        match operation.kind() {
            // The workspace is kept while it runs.
            Kind::Terminal if verdict.terms.contained => Undo::Possible,
            Kind::Terminal => Undo::Impossible(NO_BACKUP_OF_COMMANDS.to_owned()),
            kind if files::is_file_tool(kind) => promised(
                &self.world,
                &self.files,
                files::promise(&self.files, operation, verdict),
            ),
            _ => Undo::Impossible(NO_BACKUP_OF_OTHERS.to_owned()),
        }
    }
}

impl World for OwnToolsWorld {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.world.answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        self.world.seal(files)
    }

    fn seal_keeping(&self, files: &[Sealed]) -> Option<(Digest, Copies)> {
        self.world.seal_keeping(files)
    }

    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, ContentError> {
        self.world.content(path, most)
    }

    fn tally(&self, path: &str, entries: usize, time: Duration) -> Option<Tally> {
        self.world.tally(path, entries, time)
    }

    fn outlook(&self, operation: &Operation, verdict: &Verdict) -> Outlook {
        Outlook {
            undo: self.undo(operation, verdict),
            failure: self.failure(operation, verdict),
        }
    }
}

/// The real machine, where an agent runs what is approved and a hook keeps the files before.
pub struct HookWorld {
    /// The machine.
    pub world: RealWorld,
    /// What the other calls of the same event change: all of it is kept together.
    pub beside: Arc<OnceLock<Vec<PathBuf>>>,
}

impl World for HookWorld {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.world.answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        self.world.seal(files)
    }

    fn seal_keeping(&self, files: &[Sealed]) -> Option<(Digest, Copies)> {
        self.world.seal_keeping(files)
    }

    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, ContentError> {
        self.world.content(path, most)
    }

    fn tally(&self, path: &str, entries: usize, time: Duration) -> Option<Tally> {
        self.world.tally(path, entries, time)
    }

    fn outlook(&self, operation: &Operation, verdict: &Verdict) -> Outlook {
        let own = changed_files(std::slice::from_ref(verdict));
        let undo = match operation.kind() {
            Kind::Terminal => Undo::Impossible(NO_BACKUP_OF_COMMANDS.to_owned()),
            _ if own.is_empty() => Undo::Impossible(NO_BACKUP_OF_OTHERS.to_owned()),
            _ => match Files::open(&self.world.0.whereabouts().state, Settings::default()) {
                Ok(files) => {
                    let mut paths: Vec<PathBuf> = own
                        .into_iter()
                        .chain(self.beside.get().into_iter().flatten().cloned())
                        .collect();
                    paths.sort_unstable();
                    paths.dedup();
                    promised(&self.world, &files, files.promise_awaited(&paths))
                }
                Err(why) => Undo::Impossible(why.to_string()),
            },
        };
        Outlook {
            undo,
            failure: None,
        }
    }
}

/// The files that file tools would change, by the paths that were judged: what a hook keeps before.
pub fn changed_files(verdicts: &[Verdict]) -> Vec<PathBuf> {
    let changes = |effect: &&Effect| {
        matches!(effect.kind, EffectKind::Write | EffectKind::Delete) && effect.manner.file_tool
    };
    let effects = verdicts
        .iter()
        .flat_map(|verdict| verdict.effects.iter().filter(changes));
    let mut paths: Vec<PathBuf> = effects
        .filter_map(|effect| Some(PathBuf::from(&effect.place()?.fact.as_ref()?.canonical)))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The same promise, for a person.
fn promised(world: &RealWorld, files: &Files, keep: Keep) -> Undo {
    match keep {
        Keep::NotThere => Undo::Possible,
        Keep::Kept(place) => Undo::Kept(short(world, &place)),
        other => Undo::Impossible(other.reason(files.backups().limits()).unwrap_or_default()),
    }
}

/// Where a backup lies, as short as it still says which: nobody reads 64 digits.
fn short(world: &RealWorld, place: &Path) -> String {
    let home = world.0.whereabouts().home.as_deref();
    let below_home = home
        .and_then(|home| place.strip_prefix(home).ok())
        .map(|rest| format!("~/{}", rest.display()));
    let text = below_home.unwrap_or_else(|| place.display().to_string());
    let digits = place.file_name().map_or(0, |name| name.len());
    let cut = text.len().saturating_sub(digits.saturating_sub(12));
    text.get(..cut)
        .filter(|_| digits > 12)
        .map_or(text.clone(), |start| format!("{start}…"))
}
