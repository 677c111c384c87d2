//! Why a command of the person came to nothing: what starts with `/`, and what is chosen in the settings.

use sayso_core::policy::mode::Mode;
use sayso_core::text::visible::visible;

use crate::error::SourceError;
use crate::model::configured::ModelsError;
use crate::report_lines::ReportError;
use crate::runtime::BaseError;
use crate::settings_file::SettingsFileError;

/// Why a command came to nothing.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("there is no command `{}`; /help shows them", visible(.0))]
    NoCommand(String),
    #[error("there is no `/permissions {}`", visible(.0))]
    NoPermissions(String),
    #[error("the mode is locked: it stays `{}`", .0.word())]
    LockedMode(Mode),
    #[error(
        "there is no setting `{}`\nhint: `/settings` shows them",
        visible(.0)
    )]
    NoSetting(String),
    #[error("`{}` means several of them\nhint: say the whole id", visible(.0))]
    AmbiguousSetting(String),
    #[error("`{}` {}", visible(.0), .1)]
    Misused(String, Misuse),
    #[error("`{}` is no whole number", visible(.0))]
    NoNumber(String),
    #[error("saved for later; in this session a flag or `/permissions` stands above it: {} is {}", .0, visible(.1))]
    SavedForLater(String, String),
    #[error(
        "saved, but {} stands above it: {key} is {}",
        visible(source_name),
        visible(value)
    )]
    SavedBelow {
        source_name: String,
        key: String,
        value: String,
    },
    #[error("it is gone by now")]
    Gone,
    #[error("there is no such template")]
    NoTemplate,
    #[error("nothing can be done with that")]
    NothingToDo,
    #[error("this is no rule{}", .0.as_ref().map(|error| format!(": {}", visible(&error.to_string()))).unwrap_or_default())]
    NoRule(Option<SourceError>),
    #[error(
        "that allows very much; if you mean it, use `sayso rules add`, which shows what it means"
    )]
    BroadRule,
    #[error("of this rule, nothing can be changed; take it away instead")]
    FixedRule,
    #[error("there is no home folder")]
    NoHome,
    /// The input is not a rule.
    #[error("{0}")]
    Rule(SourceError),
    /// The record, or the rules and grants in it.
    #[error("{0}")]
    Store(SourceError),
    #[error("{0}")]
    Undo(SourceError),
    #[error(transparent)]
    Base(#[from] BaseError),
    #[error(transparent)]
    Models(#[from] ModelsError),
    #[error(transparent)]
    SettingsFile(#[from] SettingsFileError),
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// What a row of the settings does not take.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum Misuse {
    #[error("cannot be changed")]
    Fact,
    #[error("needs more words, such as `add allow command cargo test *`")]
    Action,
    #[error("can be taken back with `delete`")]
    Grant,
    #[error("is {0} already")]
    SameState(String),
    #[error("takes `on`, `off`, `edit PATTERN` or `delete`")]
    Rule,
    #[error("is `on` or `off`")]
    Switch,
    #[error("is one of {}", .0.join(", "))]
    OneOf(Vec<String>),
}
