//! Puts the hook of sayso into an agent's own settings, and takes it out again.
//!
//! A plan is made first and shown; carrying it out changes every file whole or not at all, only if it still is what was shown, and keeps
//! what was there.

pub mod error;
pub mod finding;
pub mod flat_hooks;
pub mod form;
pub mod grouped_hooks;
pub mod install_record;
pub mod installed_paths;
pub mod json_edits;
pub mod mcp_client;
pub mod program;
pub mod settings_file;
pub mod switches;
pub mod table;

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use sayso_gate::error::port_error;
use sayso_store::rules_and_grants::generation::Generation;
use sayso_tools::attributes::Attributes;
use sayso_tools::build::Source;
use sayso_tools::changes::Step;
use sayso_tools::files::{About, Files, Settings};
use sayso_tools::path_state::State;

use crate::which::{Scope, Which};
pub use error::InstallError;
use form::Form;
use grouped_hooks::{Hooks, places};
use install_record::{Kept, KeptFile};
use json_edits::Document;
use settings_file::{Foreign, shown, state_of};
use switches::Switches;

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Around {
    /// The person's home.
    pub home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, where some agents keep their settings.
    pub config: Option<PathBuf>,
    /// What an administrator sets: `/etc`.
    pub etc: PathBuf,
    /// The project.
    pub folder: PathBuf,
    /// sayso's own folder.
    pub state: PathBuf,
    /// The sayso that hooks start.
    pub program: PathBuf,
    /// Where programs are looked for.
    pub path: Vec<PathBuf>,
    /// The time, in seconds since 1970.
    pub now: i64,
}

/// How the hook of an agent comes into its settings.
pub trait Installer: fmt::Debug + Sync {
    /// Whose settings.
    fn who(&self) -> Which;

    /// The file that the hook stands in.
    ///
    /// # Errors
    /// When nobody knows where that is.
    fn target(&self, around: &Around, scope: Scope) -> Result<PathBuf, InstallError>;

    /// What has to be done to install the hook; the program was looked at.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn install(&self, around: &Around, wish: Wish) -> Result<Plan, InstallError>;

    /// What has to be done to take it out.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn uninstall(&self, around: &Around, scope: Scope) -> Result<Plan, InstallError>;

    /// The programs that settings start as a hook of sayso.
    fn starts(&self, text: &str) -> Vec<String>;

    /// All files that the agent may read hooks from, those that count most first.
    fn files(&self, around: &Around) -> Vec<(PathBuf, Scope)> {
        let scopes = [Scope::Managed, Scope::User, Scope::Project];
        scopes
            .into_iter()
            .filter_map(|scope| Some((self.target(around, scope).ok()?, scope)))
            .collect()
    }

    /// The form that its hooks are written in, where a table describes them.
    fn form(&self) -> Option<Form> {
        None
    }

    /// Settings that can switch its hooks off.
    fn switches(&self) -> &Switches;
}

/// What the person wants.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Whose settings.
    pub who: &'static dyn Installer,
    /// For whom.
    pub scope: Scope,
    /// The agent's own approvals are switched off.
    pub takeover: bool,
    /// The hook is trusted in the person's name, where the agent keeps that.
    pub trust: bool,
    /// A program that may not last will do.
    pub anyway: bool,
}

/// A file that changes.
#[derive(Clone, Debug)]
pub struct Edit {
    /// As it is.
    pub file: Foreign,
    /// Its new text; none if it goes.
    pub after: Option<String>,
    /// Its text without sayso; none if it would not be there.
    pub base: Option<String>,
    /// Folders that were made for it, by this or by an earlier change.
    pub made: Vec<PathBuf>,
}

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The file that the hook stands in.
    pub target: PathBuf,
    /// The files that change.
    pub edits: Vec<Edit>,
    /// What the person has to know, because something is not as it should be.
    pub warnings: Vec<String>,
    /// What is good to know.
    pub notes: Vec<String>,
    /// What is remembered for the day it is taken back; none if that day is today.
    pub kept: Option<Kept>,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Done {
    /// The id that takes it back.
    pub id: String,
    /// Where the files lie as they were.
    pub backups: Vec<(PathBuf, PathBuf)>,
    /// Remarks.
    pub remarks: Vec<String>,
}

/// What has to be done to install the hook.
///
/// # Errors
/// Why it cannot be done.
pub fn install(around: &Around, wish: Wish) -> Result<Plan, InstallError> {
    program::check(&around.program)?;
    if let Some(doubt) = program::doubt(&around.program, around).filter(|_| !wish.anyway) {
        return Err(InstallError::DoubtfulProgram {
            path: around.program.clone(),
            starter: "hook",
            doubt,
        });
    }
    wish.who.install(around, wish)
}

impl Plan {
    /// Nothing yet, for the hook in this file.
    pub(crate) fn of(target: &Path) -> Plan {
        Plan {
            target: target.to_owned(),
            ..Plan::default()
        }
    }

    /// Adds the change of a file, if it is one; what it was without sayso is remembered.
    pub(crate) fn change(
        &mut self,
        file: Foreign,
        after: Option<String>,
        base: Option<String>,
        made: Vec<PathBuf>,
    ) {
        if file.text == after {
            return;
        }
        if file.real != file.path {
            self.notes.push(format!(
                "{} leads to {}, which is the file that changes",
                shown(&file.path),
                shown(&file.real)
            ));
        }
        if file.has_other_names {
            let words = format!(
                "{} has other names, too; those keep the old text and are another file then",
                shown(&file.real)
            );
            self.warnings.push(words);
        }
        self.edits.push(Edit {
            file,
            after,
            base,
            made,
        });
    }
}

impl Edit {
    /// What has to be done, behind steps for other files.
    pub(crate) fn steps(&self, scope: Scope, earlier: &[Step]) -> Vec<Step> {
        let gone = |path: &Path| {
            earlier
                .iter()
                .any(|step| step.path == path && step.after == State::Absent)
        };
        let is_made = |path: &Path| {
            earlier
                .iter()
                .any(|step| step.path == path && matches!(step.after, State::Folder { .. }))
        };
        let (file_mode, folder_mode) = if scope == Scope::Managed {
            (0o644, 0o755)
        } else {
            (0o600, 0o700)
        };
        let put = |after: State| Step::put(self.file.real.clone(), self.file.state(), after);
        let folder = |mode: u32| State::Folder {
            mode,
            inside: Some(Vec::new()),
            attributes: Attributes::default(),
        };
        let Some(text) = &self.after else {
            // Folders that were made for it go with it, as long as there is nothing else in them.
            let mut steps = vec![put(State::Absent)];
            let mut last = self.file.real.clone();
            for made in self.made.iter().rev() {
                let only = fs::read_dir(made).map(|entries| {
                    entries
                        .flatten()
                        .all(|entry| entry.path() == last || gone(&entry.path()))
                });
                let Some(mode) = fs::symlink_metadata(made)
                    .ok()
                    .filter(|_| only.unwrap_or(false))
                    .map(|found| found.mode() & 0o7777)
                else {
                    break;
                };
                steps.push(Step::put(made.clone(), folder(mode), State::Absent));
                last.clone_from(made);
            }
            return steps;
        };
        let missing = self.file.missing.iter().filter(|path| !is_made(path));
        let made = missing.map(|path| Step::put(path.clone(), State::Absent, folder(folder_mode)));
        made.chain([put(state_of(text, self.file.mode.unwrap_or(file_mode)))])
            .collect()
    }
}

/// Carries a plan out: all of it or nothing, and only if every file still is as it was when the plan was made.
///
/// # Errors
/// Why nothing was changed.
pub fn carry_out(
    around: &Around,
    who: Which,
    scope: Scope,
    plan: &Plan,
    id: &str,
    asked: bool,
) -> Result<Done, InstallError> {
    let kept = |kept| Kept::write(&around.state, who, scope, &plan.target, kept);
    let before = Kept::read(&around.state, who, scope, &plan.target)?;
    let done = change_files(around, scope, &plan.edits, id, asked, &|| {
        // First: what relaxes an agent must never be there without the way back.
        kept(plan.kept.as_ref())
    });
    if let Err(InstallError::NotCarriedOut(_)) = done {
        // Without it, taking out goes by what stands in the files, which is right as well.
        let _ = kept(before.as_ref());
    }
    done
}

/// Changes files: each whole or none at all. What is to be remembered of it is written down before.
pub(crate) fn change_files(
    around: &Around,
    scope: Scope,
    edits: &[Edit],
    id: &str,
    asked: bool,
    remember: &dyn Fn() -> Result<(), InstallError>,
) -> Result<Done, InstallError> {
    let files = Files::open(&around.state, Settings::default()).map_err(InstallError::storage)?;
    let backups = files.backups();
    let in_use = backups.in_use().map_err(InstallError::storage)?;
    let (mut steps, mut kept_in) = (Vec::new(), Vec::new());
    for edit in edits {
        for text in [&edit.file.text, &edit.after].into_iter().flatten() {
            let kept = backups.keep(&mut text.as_bytes());
            kept.map_err(InstallError::storage)?;
        }
        if let State::File {
            digest: Some(digest),
            ..
        } = edit.file.state()
        {
            kept_in.push((edit.file.real.clone(), backups.path(&digest)));
        }
        let more = edit.steps(scope, &steps);
        steps.extend(more);
    }
    remember()?;
    let about = About {
        id: id.to_owned(),
        tool: "install".to_owned(),
        workspace: around.folder.to_string_lossy().into_owned(),
        asked,
        ..About::default()
    };
    let made = files.carry_out(about, steps, None, &Source::Kept(backups));
    drop(in_use);
    changed(around)?;
    let made = made.map_err(|why| InstallError::NotCarriedOut(port_error(why)))?;
    Ok(Done {
        id: made.id,
        backups: kept_in,
        remarks: made.remarks,
    })
}

/// Lets every copy of the policy be made anew: where sayso is installed is part of it.
fn changed(around: &Around) -> Result<(), InstallError> {
    Generation::open(&around.state)
        .and_then(|mut generation| generation.grow(&around.state))
        .map(drop)
        .map_err(InstallError::storage)
}

/// What stands in a file but for sayso: exactly what was there, as long as nobody has changed it since.
pub(crate) fn exactly(kept: Option<&Kept>, file: &Foreign) -> Option<KeptFile> {
    kept?
        .files
        .iter()
        .find(|kept| kept.path == file.real && kept.is_as_left(file.text.as_deref()))
        .cloned()
}

/// The text without sayso: exactly as it was, or by taking out what is ours. `is_ours` says that the whole file is, and `give_back` puts back
/// what else was changed.
pub(crate) fn without(
    kept: Option<&Kept>,
    hooks: &Hooks<'_>,
    file: &Foreign,
    is_ours: bool,
    give_back: impl FnOnce(&mut Document) -> Result<(), InstallError>,
) -> Result<Option<String>, InstallError> {
    if let Some(known) = exactly(kept, file) {
        return Ok(known.before);
    }
    let Some(text) = &file.text else {
        return Ok(None);
    };
    let mut document = Document::new(text_of(&file.path)?, Some(text));
    let (root, untouched) = (document.read()?, document.text.clone());
    give_back(&mut document)?;
    if places(hooks.who, &root).is_empty() && document.text == untouched {
        return Ok(Some(text.clone()));
    }
    hooks.take_out(&mut document)?;
    let was_missing = is_ours
        || kept.is_some_and(|kept| {
            kept.files
                .iter()
                .any(|kept| kept.path == file.real && kept.before.is_none())
        });
    let is_empty = document.read()?.entries().is_empty();
    Ok((!(was_missing && is_empty)).then_some(document.text))
}

/// The folders that were made for a file, by an earlier change and by this one.
pub(crate) fn made_for(kept: Option<&Kept>, file: &Foreign) -> Vec<PathBuf> {
    let known = kept.and_then(|kept| kept.files.iter().find(|kept| kept.path == file.real));
    let mut made: Vec<PathBuf> = known.map(|known| known.made.clone()).unwrap_or_default();
    made.extend(
        file.missing
            .iter()
            .filter(|path| !made.contains(path))
            .cloned()
            .collect::<Vec<_>>(),
    );
    made.sort_by_key(|path| path.as_os_str().len());
    made
}

/// The file of a scope. One of a project has to stand in it: its links are made by whoever made the project.
pub(crate) fn open(around: &Around, scope: Scope, target: &Path) -> Result<Foreign, InstallError> {
    let file = Foreign::open(target)?;
    let project = fs::canonicalize(&around.folder).unwrap_or_else(|_| around.folder.clone());
    if scope == Scope::Project && !file.real.starts_with(&project) {
        return Err(InstallError::LeadsOut {
            path: target.to_owned(),
            real: file.real,
        });
    }
    Ok(file)
}

/// Handlers that start sayso in a way that is not ours: they are the person's, and may let a call run that sayso denies.
pub(crate) fn oddities(who: Which, root: &Node, file: &Path) -> Vec<String> {
    let own = places(who, root);
    let mut all = Vec::new();
    for event in root.get("hooks").map(Node::entries).unwrap_or_default() {
        for (group, node) in event.node.items().iter().enumerate() {
            for (handler, node) in node
                .get("hooks")
                .map(Node::items)
                .unwrap_or_default()
                .iter()
                .enumerate()
            {
                let command = node
                    .get("command")
                    .and_then(Node::as_text)
                    .unwrap_or_default();
                let is_own = own.contains(&grouped_hooks::Place {
                    event: event.key.clone(),
                    group,
                    handler,
                });
                if command.contains("sayso") && !is_own {
                    let words = format!(
                        "{} starts sayso in another way, too, and that stays: `{}`",
                        shown(file),
                        visible(command)
                    );
                    all.push(words);
                }
            }
        }
    }
    all
}

/// A path as text, for settings that name it.
pub(crate) fn text_of(path: &Path) -> Result<&str, InstallError> {
    path.to_str()
        .ok_or_else(|| InstallError::PathNotUtf8(path.to_owned()))
}
