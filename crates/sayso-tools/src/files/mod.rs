//! The file tools: they open what was judged and nothing else, write whole or not at all, and keep what they take away.

mod call;
mod copy;
mod error;
mod external_changes;
mod forecast;
mod glob;
mod grep;
mod list;
mod make_folder;
mod output;
mod pattern;
mod read;
mod relocate;
mod remove;
mod walk;
mod write;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Kind;
use sayso_core::text::node::{Node, Value};

use crate::backups::{Backups, Limits};
use crate::build::Source;
use crate::change_error::ChangeError;
use crate::changes::{Change, Changes, Step, new_name};
use crate::keep_rules::Rules;
use crate::listing_cache::Listings;
use crate::open_nofollow::Spot;
use crate::path_state::State;
use crate::prune::prune;
use crate::recover::{Recovered, recover};
use crate::replace::apply;
use crate::result::ToolResult;
use crate::tree::{self, Looking};
use crate::undoable::Keep;
use crate::workspace_change::Kept;
use call::Call;
pub use error::FileToolError;
pub use forecast::{check, promise};

/// What the file tools work with: the backups and the changes of one state folder.
#[derive(Debug)]
pub struct Files {
    backups: Backups,
    changes: Changes,
    listings: Listings,
    umask: u32,
}

/// How much is kept, and how safely.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How much is kept.
    pub limits: Limits,
    /// Whether what is written must outlast a loss of power; a killed process loses nothing either way.
    pub sync: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            limits: Limits::default(),
            sync: true,
        }
    }
}

/// Whose change it is.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The id of the operation.
    pub id: String,
    /// The batch it came in.
    pub batch: Option<String>,
    /// The session.
    pub session: String,
    /// The tool.
    pub tool: String,
    /// The workspace.
    pub workspace: String,
    /// The names of the changes that it takes back.
    pub undoes: Vec<String>,
    /// The names of the changes of which it takes a part back.
    pub undoes_part_of: Vec<String>,
    /// A person was asked about it.
    pub asked: bool,
}

impl About {
    /// What an operation belongs to.
    pub fn of(operation: &Operation, asked: bool) -> About {
        About {
            id: operation.id().to_owned(),
            batch: operation.batch().map(str::to_owned),
            session: operation.session().to_owned(),
            tool: operation.tool().to_owned(),
            workspace: operation.workspace().to_owned(),
            undoes: Vec::new(),
            undoes_part_of: Vec::new(),
            asked,
        }
    }

    /// The change with these steps, under a new name and number.
    pub(crate) fn into_change(
        self,
        changes: &Changes,
        steps: Vec<Step>,
        unkept: Option<String>,
    ) -> Change {
        let About {
            mut id,
            batch,
            session,
            tool,
            workspace,
            undoes,
            undoes_part_of,
            asked,
        } = self;
        if id.is_empty() {
            id = sayso_own_files::random();
        }
        let (name, number, left_out) = (new_name(), changes.next_number(), Vec::new());
        Change {
            name,
            number,
            id,
            batch,
            session,
            tool,
            workspace,
            undoes,
            undoes_part_of,
            unkept,
            left_out,
            listing: None,
            awaited: false,
            is_command: false,
            asked,
            steps,
        }
    }
}

/// A change that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// The id that undoes it.
    pub id: String,
    /// The paths that it changed.
    pub paths: Vec<PathBuf>,
    /// Remarks for the person and the agent.
    pub remarks: Vec<String>,
    /// Why it cannot be undone.
    pub unkept: Option<String>,
}

impl Files {
    /// The tools with a state folder, which must not lie in a workspace.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub fn open(state: &Path, settings: Settings) -> Result<Files, ChangeError> {
        Ok(Files {
            backups: Backups::open(state.join("backups"), settings.limits, settings.sync)?,
            changes: Changes::open(state.join("changes"), settings.sync)?,
            listings: Listings::new(state.join("listings")),
            umask: umask(),
        })
    }

    /// The backups.
    pub fn backups(&self) -> &Backups {
        &self.backups
    }

    /// The changes.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Says beforehand whether what stands at a path could be kept, so that taking it away can be undone.
    pub fn promise(&self, path: &Path) -> Keep {
        self.backups.promise(path)
    }

    /// Clears up after processes that were cut off. To be called before anything else.
    pub fn recover(&self) -> Recovered {
        self.recover_knowing(Rules::NONE)
    }

    /// The same, where it is known what git ignores in the workspace of a command that was cut off.
    pub fn recover_knowing(&self, rules: Rules<'_>) -> Recovered {
        recover(self.kept(), rules)
    }

    /// Where all that is kept lies.
    pub(crate) fn kept(&self) -> Kept<'_> {
        Kept {
            changes: &self.changes,
            backups: &self.backups,
            listings: &self.listings,
        }
    }

    /// Forgets changes that are too old, and backups that nobody needs any more.
    pub fn prune(&self) {
        prune(&self.changes, &self.backups, SystemTime::now());
        self.listings
            .prune(self.backups.limits().days, SystemTime::now());
    }

    /// The last listings of the workspaces in which commands ran.
    pub fn listings(&self) -> &Listings {
        &self.listings
    }

    /// Writes a change down and carries it out: all of its steps or none.
    ///
    /// # Errors
    /// If a step cannot be carried out; then nothing was changed.
    pub fn carry_out(
        &self,
        about: About,
        steps: Vec<Step>,
        unkept: Option<String>,
        source: &Source<'_>,
    ) -> Result<Made, ChangeError> {
        let change = about.into_change(&self.changes, steps, unkept);
        let open = self.changes.begin(&change)?;
        let mut remarks = Vec::new();
        for (index, step) in change.steps.iter().enumerate() {
            let why = match apply(step, source, &self.backups) {
                Ok(more) => {
                    remarks.extend(more);
                    if change.steps.len() > 1 {
                        open.set_progress(index + 1);
                    }
                    continue;
                }
                Err(why) => why,
            };
            let taken_back =
                change
                    .steps
                    .iter()
                    .take(index)
                    .enumerate()
                    .rev()
                    .map(|(index, step)| {
                        apply(
                            &step.reversed(),
                            &Source::Kept(&self.backups),
                            &self.backups,
                        )?;
                        open.set_progress(index);
                        Ok::<_, ChangeError>(())
                    });
            let stuck = taken_back.into_iter().find_map(Result::err);
            return Err(match stuck {
                None => {
                    open.discard();
                    why
                }
                Some(stuck) => {
                    // It cannot be told besides: the change is left for the next recovery.
                    let _ = open.finish();
                    ChangeError::Stuck {
                        why: Box::new(why),
                        stuck: Box::new(stuck),
                    }
                }
            });
        }
        remarks.extend(open.finish().err().map(|why| why.to_string()));
        if self.backups.held() > self.backups.limits().total {
            self.prune();
        }
        let paths = change
            .steps
            .iter()
            .flat_map(|step| [Some(step.path.clone()), step.moved_to.clone()])
            .flatten()
            .collect();
        Ok(Made {
            id: change.handle(),
            paths,
            remarks,
            unkept: change.unkept,
        })
    }

    /// What stands at a place, kept as it is seen; and if it cannot be kept, why.
    fn keep(&self, spot: &Spot) -> Result<(State, Option<String>), ChangeError> {
        let refused = self
            .backups
            .refuses(tree::measure(spot)?)
            .and_then(|keep| keep.reason(self.backups.limits()));
        let read = if refused.is_some() {
            0
        } else {
            self.backups.limits().file
        };
        let state = tree::look(
            spot,
            Looking {
                backups: &self.backups,
                keep: refused.is_none(),
                read,
            },
        )?;
        if refused.is_none() {
            self.backups.flush()?;
        }
        Ok((state, refused))
    }
}

/// Runs a call of a file tool that was approved. The paths it opens are those of the verdict.
pub fn run(kit: &Files, operation: &Operation, verdict: &Verdict) -> ToolResult {
    if verdict.digest != operation.digest() {
        return ToolResult::failed("what was judged is another call. nothing was changed");
    }
    let call = Call {
        kit,
        operation,
        verdict,
    };
    let looked = match operation.kind() {
        Kind::FileRead => Some(read::read(&call)),
        Kind::FileGrep => Some(grep::grep(&call)),
        Kind::List => Some(list::list(&call)),
        Kind::Glob => Some(glob::glob(&call)),
        _ => None,
    };
    if let Some(result) = looked {
        return result.unwrap_or_else(|why| ToolResult::failed(why.to_string()));
    }
    let changed = match operation.kind() {
        Kind::FileWrite
        | Kind::FileEdit
        | Kind::FileCreate
        | Kind::FileCreateOverwrite
        | Kind::FileAppend
        | Kind::FileInsertAfter
        | Kind::FileInsertBefore => write::write(&call),
        Kind::FileDelete => remove::delete(&call),
        Kind::FileRmdir => remove::rmdir(&call),
        Kind::FileMove => relocate::relocate(&call),
        Kind::FileCopy => copy::copy(&call),
        Kind::FileMkdir => make_folder::mkdir(&call),
        other => Err(FileToolError::NoFileTool(other.word())),
    };
    changed.unwrap_or_else(|why| ToolResult::failed(format!("{why}. nothing was changed")))
}

/// Whether this kind is one of the tools here.
pub fn is_file_tool(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::FileRead
            | Kind::FileGrep
            | Kind::List
            | Kind::Glob
            | Kind::FileWrite
            | Kind::FileEdit
            | Kind::FileCreate
            | Kind::FileCreateOverwrite
            | Kind::FileAppend
            | Kind::FileInsertAfter
            | Kind::FileInsertBefore
            | Kind::FileDelete
            | Kind::FileRmdir
            | Kind::FileMove
            | Kind::FileCopy
            | Kind::FileMkdir
    )
}

/// The result of a change: what was done, what to know besides, and the id that undoes it.
fn changed(done: String, made: Made) -> ToolResult {
    let mut output = done;
    for remark in &made.remarks {
        output.push_str(&format!("\n{remark}"));
    }
    match made.unkept {
        Some(why) => ToolResult::done(format!("{output}\nthis cannot be undone: {why}")),
        None => {
            let paths = made
                .paths
                .iter()
                .map(|path| Node::text(path.to_string_lossy()))
                .collect();
            ToolResult::done(output)
                .with("change", Node::text(made.id))
                .with("changed", Value::List(paths))
        }
    }
}

/// Which permissions new files do not get.
fn umask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|value| u32::from_str_radix(value.trim(), 8).ok())
        .unwrap_or(0o022)
}
