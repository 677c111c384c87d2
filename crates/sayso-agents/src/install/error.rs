//! Why nothing was installed or taken out.

use std::io;
use std::path::PathBuf;

use sayso_core::text::visible::visible;
use sayso_gate::error::{PortError, port_error};
use sayso_store::WriteError;
use thiserror::Error as ThisError;
use toml_edit::TomlError;

use super::finding::FileFinding;
use super::program::{Doubt, ProgramError};
use super::settings_file::{LONGEST, shown};
use crate::which::{Scope, Which};

/// Why nothing was done. Its message is without the way out, which [`InstallError::hint`] says.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum InstallError {
    // The program that a hook starts.
    #[error("the program {} {problem}", shown(.path))]
    Program {
        path: PathBuf,
        problem: ProgramError,
    },
    #[error("the program {} is no good for a {starter}: {doubt}", shown(.path))]
    DoubtfulProgram {
        path: PathBuf,
        /// What starts it: a hook or a gateway.
        starter: &'static str,
        doubt: Doubt,
    },
    #[error("the path of sayso is not UTF-8")]
    ProgramNotUtf8,

    // Where settings are.
    #[error("nobody knows where your home is")]
    NoHome,
    #[error("`HOME` is not an absolute path")]
    RelativeHome,
    #[error("neither `{0}` nor `HOME` is an absolute path")]
    NoSettingsFolder(&'static str),
    #[error("nobody knows where the settings of another program are")]
    OtherProgram,
    #[error("this client has no such file")]
    NoProjectFile,
    #[error("this client has no such file")]
    NoUsualFile,
    #[error("there is no {}", shown(.0))]
    NoServers(PathBuf),
    #[error("{} has no hooks {}", .who.title(), of_scope(*.scope))]
    NoHooks { who: Which, scope: Scope },
    #[error("`{variable}` is set, so {} may read its hooks elsewhere than in {}", .who.title(), shown(.path))]
    Elsewhere {
        variable: &'static str,
        who: Which,
        path: PathBuf,
    },

    // Whether a file is safe to touch.
    #[error("the path {} is not UTF-8", shown(.0))]
    PathNotUtf8(PathBuf),
    #[error("{} is a link that leads nowhere", shown(.0))]
    DeadLink(PathBuf),
    #[error("{} leads out of the project, to {}", shown(.path), shown(.real))]
    LeadsOut { path: PathBuf, real: PathBuf },
    #[error("{} is nowhere", shown(.0))]
    Nowhere(PathBuf),
    #[error("{} is no folder", shown(.0))]
    NotFolder(PathBuf),
    #[error("{} cannot be found: {source}", shown(.path))]
    NotFound { path: PathBuf, source: io::Error },
    #[error("{} cannot be looked at: {source}", shown(.path))]
    NotExamined { path: PathBuf, source: io::Error },
    #[error("{} cannot be read: {source}", shown(.path))]
    NotRead { path: PathBuf, source: io::Error },
    #[error("{} is larger than {} MiB", shown(.0), LONGEST >> 20)]
    TooLarge(PathBuf),
    #[error("{} is no UTF-8 text, at byte {at}", shown(.path))]
    NotUtf8 { path: PathBuf, at: usize },
    #[error("{} belongs to somebody else, so it is not touched", shown(.0))]
    ForeignOwner(PathBuf),
    #[error("others can write {}{}, so what stands there counts for nothing", if *.is_above { "in " } else { "" }, shown(.path))]
    WritableByOthers { path: PathBuf, is_above: bool },

    // What it contains.
    #[error("{0}")]
    NotJson(Box<FileFinding>),
    #[error("{0}")]
    BadSettings(Box<FileFinding>),
    #[error("{} cannot be read: {}", shown(.path), .source.message())]
    NotToml { path: PathBuf, source: TomlError },
    #[error("`{name}` in the settings of {} is no table", .who.title())]
    NoTable { name: &'static str, who: Which },
    #[error("`{0}` cannot be changed without touching what is not sayso's")]
    Entangled(String),
    #[error("{} is there already, and it is not sayso's", shown(.0))]
    ForeignFile(PathBuf),
    #[error("{} is sayso's, and somebody has changed it since", shown(.0))]
    ChangedFile(PathBuf),

    // What would keep the hook from being called.
    #[error("`{key}` in {} switches the hook off, so it would not fire", shown(.path))]
    SwitchedOff { key: &'static str, path: PathBuf },
    #[error("`disableAllHooks` is set in {}, so the hook would not fire", shown(.0))]
    HooksDisabled(PathBuf),
    #[error("`{key}` is set in {}, so only an administrator's hooks {verb}", shown(.path))]
    OnlyManagedHooks {
        key: &'static str,
        path: PathBuf,
        who: Which,
        /// What its hooks do: fire or run.
        verb: &'static str,
    },
    #[error("`features.{key}` is `false` in {}, so the hook would not run", shown(.path))]
    FeatureOff { key: &'static str, path: PathBuf },

    // Trust and takeover.
    #[error("{} keeps no list of trusted hooks, so there is nothing to trust", .0.title())]
    NothingToTrust(Which),
    #[error("a hook of an administrator is trusted already")]
    TrustedAlready,
    #[error("sayso never takes over the approvals of {}", .0.title())]
    NeverTakesOver(Which),
    #[error("{} runs the tool where its hook is killed or cannot be started, so sayso never takes over there", .0.title())]
    FailsOpen(Which),
    #[error("`--takeover` goes into your own settings")]
    TakeoverScope,
    #[error(
        "`--takeover` takes a hook of this sayso that no project can switch off, and there is none"
    )]
    NoManagedHook(Which),
    #[error("`--takeover` takes a proof that the hook fires and fails closed: {0}")]
    Unproved(Unproved),

    // Carrying it out.
    #[error("{}; nothing was changed", visible(&.0.to_string()))]
    NotCarriedOut(PortError),
    #[error("the folder of installations is missing")]
    NoRecordFolder,
    #[error("{}", .0.told("what is to be remembered of the installation cannot be written"))]
    RecordNotWritten(WriteError),
    /// Of sayso's own folder, its backups or the path of a file.
    #[error("{0}")]
    Storage(PortError),
}

/// What is missing for a proof that counts.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum Unproved {
    #[error("{} was not found", .0.title())]
    NotFound(Which),
    #[error("{0}")]
    Unreadable(PortError),
    #[error("it was never tried")]
    NeverTried,
    #[error("it was tried with another version of the agent")]
    OtherVersion,
    #[error("it was tried with another sayso")]
    OtherSayso,
    #[error("the settings of the hook were changed since it was tried")]
    OtherSettings,
    #[error("it was not tried within the last 7 days")]
    TooOld,
    #[error("the hook did not fire when it was tried")]
    Silent,
    #[error("calls ran when the hook broke")]
    Open,
}

impl InstallError {
    pub(crate) fn storage(
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> InstallError {
        InstallError::Storage(port_error(error))
    }

    /// The way out.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Program {
                problem: ProgramError::WritableByOthers,
                ..
            } => "run `chmod go-w` on it",
            Self::DoubtfulProgram { .. } => {
                "put `sayso` where programs stand and run that one, or say `--anyway`"
            }
            Self::OtherProgram => {
                "let it start `sayso hook generic --wait 600` before each call: docs/guide/hooks.md says what it sends and gets"
            }
            Self::NoProjectFile => "leave `--project` out",
            Self::NoUsualFile => "say which with `--file`",
            Self::NoServers { .. } => "add a server in the client first",
            Self::Elsewhere { .. } => {
                "unset it, or put the hook there by hand, as `--dry-run` shows it without the variable"
            }
            Self::LeadsOut { .. } => "remove the link",
            Self::ForeignOwner { .. } => "run sayso as the one whom it belongs to",
            Self::WritableByOthers { path, .. } => {
                return Some(format!(
                    "look at it, then run `chmod go-w` on {}",
                    shown(path)
                ));
            }
            Self::ForeignFile { .. } => "move it away",
            Self::ChangedFile { .. } => "look at it, and remove it by hand",
            Self::SwitchedOff { .. } => "take that out first",
            Self::HooksDisabled { .. } => "take that key out first",
            Self::OnlyManagedHooks { who, .. } => {
                let who = who.name();
                return Some(format!(
                    "an administrator can run `sayso install {who} --managed`"
                ));
            }
            Self::FeatureOff { .. } => "take that line out first",
            Self::TrustedAlready => "leave out `--trust`",
            Self::NeverTakesOver { .. } => "leave out `--takeover`; its approvals stay as they are",
            Self::FailsOpen(who) => {
                let who = who.title();
                return Some(format!(
                    "leave out `--takeover`; the approvals of {who} stay as they are"
                ));
            }
            Self::TakeoverScope => "leave out `--project` and `--managed`",
            Self::NoManagedHook(who) => {
                let who = who.name();
                return Some(format!(
                    "run `sayso install {who} --managed` as an administrator first"
                ));
            }
            Self::Unproved(_) => "`sayso doctor --agents` tries it",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// Whole lines for the person: the message, and the way out.
    pub fn lines(&self) -> String {
        match (self, self.hint()) {
            (Self::BadSettings(found), _) => format!("{found}sayso: nothing was changed\n"),
            (Self::NotJson(found), _) => format!(
                "{found}sayso: nothing was changed\nsayso: agents take nothing from a file like that, so a hook in it would not fire\n"
            ),
            (_, Some(hint)) => format!("sayso: {self}\nhint: {hint}\n"),
            (_, None) => format!("sayso: {self}\n"),
        }
    }
}

fn of_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Managed => "of an administrator",
        Scope::User | Scope::Project => "of a project that sayso would set",
    }
}
