//! How a run starts: which flags go together, and what to do where nobody can be asked.

use sayso_core::answer::run_mode::Run;
use sayso_core::policy::mode::Mode;
use sayso_core::policy::settings::Resolved;
use thiserror::Error;

/// What the command line says about asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--yolo`.
    pub yolo: bool,
    /// `--approve-all`.
    pub approve_all: bool,
    /// `--strict`.
    pub strict: bool,
    /// `--dry-run`.
    pub dry_run: bool,
    /// Answers are given on the command line or by another channel.
    pub answers: bool,
}

/// What is printed when everything runs unasked.
pub const YOLO_BANNER: &str =
    "[warn] YOLO mode enabled - all tool operations will execute without approval";

/// What a person has to see at each start and all the time: that less is asked about than they may think. `settings` are those in force; none
/// where the policy cannot be read.
pub fn banner(how: Run, settings: Option<&Resolved>) -> Option<String> {
    let off = "[warn] asking is off (`enabled: false`) - low and medium risk runs unasked unless a rule asks; `/settings enabled on` switches it on";
    match (how, settings) {
        (Run::Yolo, Some(settings)) if settings.yolo_covers_catastrophic => {
            Some(YOLO_BANNER.to_owned())
        }
        (Run::Yolo, _) => Some(format!("{YOLO_BANNER}; denials stay denials")),
        (Run::ApproveAll, _) => Some(
            "[warn] approve-all - what would be asked about runs unasked, in this session"
                .to_owned(),
        ),
        (Run::Interactive | Run::Nobody, Some(settings)) if settings.mode == Mode::TrustAll => {
            Some("[warn] trust-all - nothing is asked about; denials stay denials".to_owned())
        }
        (_, Some(settings)) if !settings.enabled && settings.mode != Mode::SafeOnly => {
            Some(off.to_owned())
        }
        _ => None,
    }
}

/// Why a run cannot start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the names and messages say it")]
pub enum StartError {
    #[error(
        "there is no terminal to ask on, and nothing says what to do instead\nhint: say `--strict` (deny what would be asked) or `--approve-all` (run it unasked)"
    )]
    NoTerminal,
    #[error("{} exclude each other\nhint: say one of them", .flags.join(" and "))]
    Exclusive { flags: Vec<&'static str> },
}

/// Settles how this run treats questions. The error is a message for the person; nothing may start then.
pub fn settle(flags: Flags, terminal: bool) -> Result<Run, StartError> {
    let chosen: Vec<&'static str> = [
        (flags.yolo, "--yolo"),
        (flags.approve_all, "--approve-all"),
        (flags.strict, "--strict"),
    ]
    .into_iter()
    .filter_map(|(given, name)| given.then_some(name))
    .collect();
    match chosen.as_slice() {
        ["--yolo"] => Ok(Run::Yolo),
        ["--approve-all"] => Ok(Run::ApproveAll),
        ["--strict"] => Ok(Run::Strict),
        [] if terminal || flags.answers || flags.dry_run => Ok(Run::Interactive),
        [] => Err(StartError::NoTerminal),
        _ => Err(StartError::Exclusive { flags: chosen }),
    }
}

/// The word for how a run treats questions.
pub fn word(run: Run) -> &'static str {
    match run {
        Run::Interactive => "interactive",
        Run::ApproveAll => "approve-all",
        Run::Yolo => "yolo",
        Run::Strict => "strict",
        Run::Nobody => "nobody",
    }
}
