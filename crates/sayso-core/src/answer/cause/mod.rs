//! Why a check or a rule says what it says, as data. The sentence is made where a person reads it or where it is recorded.

mod path;
mod program;
mod sentence;
mod shell;

pub use path::{Damage, Found, Guard, PathCause, RootCause, ShownPath};
pub use program::Untrusted;
pub use shell::{Overridden, Unmet};

use crate::analysis::draft::Carried;
use crate::analysis::effect::EffectKind;
use crate::analysis::fact::{OwnPath, Question};
use crate::analysis::risk::Risk;
use crate::answer::rule_id::RuleId;
use crate::answer::runner::NoSandbox;
use crate::policy::decision::Decision;

/// Why, as data; [`Cause::text`] makes the sentence.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The sentence itself, out of a record, a held approval or another program.
    Recorded(String),
    /// In the words of a rule's author or of a plugin.
    Said(String),
    PluginBroke(String),
    /// sayso itself cannot judge.
    Failed(Failure),

    // Rules.
    Rule {
        decision: Decision,
        pattern: String,
    },
    ReadsDenied {
        pattern: String,
    },
    MoreReadsDenied {
        rules: usize,
    },
    HighRiskPattern(String),
    NotCovered {
        pattern: String,
        word: String,
        does: String,
    },
    NotCoveredInside {
        pattern: String,
        inner: String,
        by: String,
    },
    ShellBlocks(String),
    ShellAsks(String),
    ShellAllows(String),
    ShellDefault(Decision),
    ShellUnmet(Box<Overridden>),
    SafeCommand(String),
    SafeCommandNotHere {
        pattern: String,
        why: &'static str,
    },
    AllowedBefore,

    // Paths.
    Path {
        path: ShownPath,
        what: PathCause,
    },
    Damage(Damage),
    Root {
        name: String,
        what: RootCause,
    },
    NotInAnyRoot(String),
    OddPath {
        written: String,
        why: &'static str,
    },
    UnknownPath(String),
    OwnFile {
        own: OwnPath,
        named: String,
        in_code: bool,
    },
    Search(Found),
    Carried {
        effect: Carried,
        why: Option<&'static str>,
    },
    RunsOutside {
        folder: String,
    },
    ClimbsFromLink,

    // Commands, tools and addresses.
    /// What the analysis calls dangerous, with a verb: "formats a disk".
    Danger(String),
    DangersDenied,
    SaysoRenamed {
        word: String,
    },
    Opaque(String),
    OpenWords {
        program: String,
    },
    Program(Untrusted),
    BlockedTool(String),
    ToolRefuses(String),
    ToolAsks,
    ToolPreApproved,
    UnknownTool(String),
    McpChanged,
    McpOdd(String),
    BadAddress {
        written: String,
        why: String,
    },
    PrivateAddress {
        host: String,
    },
    Unanswered(Question),
    NoSandbox(NoSandbox),

    // Modes and defaults.
    Bypass(Bypass),
    NoAnswer(NoAnswer),
    Contained,
    NothingKnown,
    NothingKnownOfIt,
    /// What the analysis says of an effect, with a verb: "builds the project".
    Note(String),
    /// No more than which kind of thing would happen.
    Kind(EffectKind),
    DefaultDenies,
    DefaultAllows,
    AsksForEverything,
    SwitchedOff,
    RiskAllowed(Risk),
    TrustedTool,
    SafeCommandListed,
    SafePath,
    IgnoredByGit,
    Edit,
    OnlyLooks,
    NewCopy,
    NewFolder,
}

/// Why sayso itself cannot judge.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    PolicyBroken(String),
    NoPolicy,
    /// The policy requires a sandbox that this machine does not have.
    NoSandbox(String),
}

/// What lets everything run unasked.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    Yolo,
    ApproveAll,
    TrustAll,
}

/// Why no person is asked although an answer is needed.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    SafeOnly,
    SafeCommandsOnly,
    Strict,
    Nobody,
}

/// Whether a sentence of these names a path, so that a person has read it, and not only one that starts like it.
pub fn names_path(sentence: &str, path: &str) -> bool {
    ["`", " (written as "]
        .iter()
        .any(|end| sentence.contains(&format!("`{path}{end}")))
}

impl Cause {
    /// The sentence, where this rule or check gives it as its reason.
    pub fn text(&self, rule: &RuleId) -> String {
        match (rule, self) {
            // It has the whole sentence, with the script that it is about.
            (_, Cause::Recorded(_)) => self.to_string(),
            (RuleId::Script { name, rule }, _) => format!("in {name}: {}", self.text(rule)),
            (_, Cause::Failed(_)) => self.to_string(),
            // Words of a call are without secrets and not too long; a rule is quoted as it was written.
            (RuleId::BuiltIn(_) | RuleId::OtherBuiltIn(_), _) => {
                super::excerpt::sentence(self.to_string())
            }
            _ => self.to_string(),
        }
    }

    /// Whether it says no more than which kind of thing would happen, so that any closer reason says it better.
    pub fn is_general(&self) -> bool {
        match self {
            Cause::Kind(_) => true,
            Cause::Note(_) | Cause::Recorded(_) | Cause::Said(_) => {
                sentence::is_of_a_kind(&self.to_string())
            }
            _ => false,
        }
    }

    /// Whether it says that something is deleted for certain.
    pub fn deletes(&self) -> bool {
        match self {
            Cause::Path { what, .. } => matches!(
                what,
                PathCause::Delete { recursive, certain } if *certain || !recursive
            ),
            Cause::Damage(damage) => damage.deletes(),
            Cause::Kind(kind) => *kind == EffectKind::Delete,
            Cause::Danger(_) | Cause::Note(_) | Cause::Said(_) | Cause::Recorded(_) => {
                self.to_string().starts_with("it deletes ")
            }
            _ => false,
        }
    }
}
