//! The sentence of each cause.

use std::fmt;

use super::{Bypass, Cause, Failure, NoAnswer};
use crate::analysis::draft::Carried;
use crate::analysis::effect::EffectKind;
use crate::analysis::fact::{Question, shown};
use crate::answer::excerpt::brief;
use crate::policy::decision::Decision;
use crate::text::count::{agreed, count};
use crate::text::redact::redact_text;
use crate::text::sentence::whole;

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Recorded(text) | Cause::Said(text) | Cause::McpOdd(text) => f.write_str(text),
            Cause::PluginBroke(how) => write!(f, "the plugin broke: {how}"),
            Cause::Failed(failure) => failure.fmt(f),
            Cause::Rule { decision, pattern } => write!(f, "{} {pattern}", decision.word()),
            Cause::ReadsDenied { pattern } => write!(f, "it also reads what `{pattern}` denies"),
            Cause::MoreReadsDenied { rules } => write!(
                f,
                "it also reads what {} {}",
                count(*rules, "more rule"),
                agreed(*rules, "denies", "deny")
            ),
            Cause::HighRiskPattern(pattern) => {
                write!(f, "it matches the high-risk pattern `{pattern}`")
            }
            Cause::NotCovered {
                pattern,
                word,
                does,
            } => f.write_str(&redact_text(&format!(
                "the rule `{pattern}` does not cover `{word}`, which {does}: it does not write it out"
            ))),
            Cause::NotCoveredInside { pattern, inner, by } => f.write_str(&redact_text(&format!(
                "the rule `{pattern}` allows nothing that must be asked of `{inner}`, which `{by}` runs"
            ))),
            Cause::ShellBlocks(pattern) => write!(f, "command blocked: {pattern}"),
            Cause::ShellAsks(pattern) => write!(f, "`{pattern}` needs approval"),
            Cause::ShellAllows(pattern) => write!(f, "`{pattern}` is pre-approved"),
            Cause::ShellDefault(decision) => write!(
                f,
                "commands that no shell rule names {}",
                match decision {
                    Decision::Deny => "are blocked",
                    Decision::Ask => "need approval",
                    Decision::Allow => "are free",
                }
            ),
            Cause::ShellUnmet(overridden) => overridden.fmt(f),
            Cause::SafeCommand(pattern) => write!(f, "`{pattern}` is one of your safe commands"),
            Cause::SafeCommandNotHere { pattern, why } => write!(
                f,
                "`{pattern}` is one of your safe commands, which does not count here: {why}"
            ),
            Cause::AllowedBefore => f.write_str("you allowed this before"),
            Cause::Path { path, what } => what.write(path, f),
            Cause::Damage(damage) => damage.fmt(f),
            Cause::Root { name, what } => what.write(name, f),
            Cause::NotInAnyRoot(path) => write!(f, "path not in any sandbox: `{path}`"),
            Cause::OddPath { written, why } => write!(f, "`{written}`: {why}"),
            Cause::UnknownPath(written) => {
                write!(f, "which file `{written}` is shows only when it runs")
            }
            Cause::OwnFile {
                own,
                named,
                in_code,
            } => {
                f.write_str(&own.why(named))?;
                f.write_str(if *in_code {
                    " (code that is not analysed names it)"
                } else {
                    ""
                })
            }
            Cause::Search(found) => found.fmt(f),
            Cause::Carried { effect, why } => f.write_str(&redact_text(&carried(effect, *why))),
            Cause::RunsOutside { folder } => {
                write!(f, "it runs in `{folder}`, which is outside of the workspace")
            }
            Cause::ClimbsFromLink => f.write_str(
                "it goes up from a folder that is reached through a link, which shells do in two ways",
            ),
            Cause::Danger(note) | Cause::Note(note) => f.write_str(&whole(note)),
            Cause::DangersDenied => f.write_str("the policy denies what is dangerous"),
            Cause::SaysoRenamed { word } => {
                write!(f, "`{word}` is sayso, which no agent runs by another name")
            }
            Cause::Opaque(why) => write!(f, "it could not be analysed whole: {why}"),
            Cause::OpenWords { program } => {
                write!(f, "which words `{program}` gets shows only when it runs")
            }
            Cause::Program(untrusted) => untrusted.fmt(f),
            Cause::BlockedTool(name) => write!(f, "`{name}` is blocked"),
            Cause::ToolRefuses(why) => write!(f, "the tool itself refuses: {why}"),
            Cause::ToolAsks => f.write_str("the tool itself asks for approval"),
            Cause::ToolPreApproved => f.write_str("the tool was approved when it was set up"),
            Cause::UnknownTool(name) => write!(f, "sayso does not know the tool `{name}`"),
            Cause::McpChanged => {
                f.write_str("this MCP tool is not the one that was seen under its name before")
            }
            Cause::BadAddress { written, why } => write!(f, "`{written}`: {why}"),
            Cause::PrivateAddress { host } => {
                write!(f, "`{host}` is this machine or a private network")
            }
            Cause::Unanswered(question) => {
                write!(f, "sayso could not find out about {}", asked(question))
            }
            Cause::NoSandbox(why) => why.fmt(f),
            Cause::Bypass(bypass) => {
                write!(f, "everything that is not denied runs under {}", bypass.word())
            }
            Cause::NoAnswer(why) => f.write_str(match why {
                NoAnswer::SafeOnly => "safe-only mode denies what would be asked",
                NoAnswer::SafeCommandsOnly => "only safe commands run here",
                NoAnswer::Strict => "strict mode: approval required",
                NoAnswer::Nobody => "nobody is there to ask",
            }),
            Cause::Contained => f.write_str(
                "what it does is not known, so it runs bounded: it can change the workspace only, and has no network and no secrets",
            ),
            Cause::NothingKnown => f.write_str("nothing is known of what this would do"),
            Cause::NothingKnownOfIt => f.write_str("nothing is known of it"),
            Cause::Kind(kind) => f.write_str(of_kind(*kind)),
            Cause::DefaultDenies => f.write_str("the policy's default denies it"),
            Cause::DefaultAllows => f.write_str("the policy's default allows it"),
            Cause::AsksForEverything => f.write_str("this mode asks for everything"),
            Cause::SwitchedOff => f.write_str("asking is switched off for low and medium risk"),
            Cause::RiskAllowed(risk) => write!(f, "{} risk is allowed in this mode", risk.word()),
            Cause::TrustedTool => f.write_str("the tool is trusted"),
            Cause::SafeCommandListed => f.write_str("the command is on the list of safe ones"),
            Cause::SafePath => f.write_str("a new or changed text that nothing runs"),
            Cause::IgnoredByGit => f.write_str("git ignores this file, so it may be private"),
            Cause::Edit => f.write_str("edits in the workspace are allowed in this mode"),
            Cause::OnlyLooks => f.write_str("it only looks, inside of the workspace"),
            Cause::NewCopy => f.write_str("it copies to a new name in the workspace"),
            Cause::NewFolder => f.write_str("it makes an empty folder in the workspace"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::PolicyBroken(why) => write!(f, "the policy cannot be read: {why}"),
            Failure::NoPolicy => f.write_str("there is no policy"),
            Failure::NoSandbox(why) => f.write_str(why),
        }
    }
}

impl Bypass {
    /// The flag or the mode.
    pub fn word(self) -> &'static str {
        match self {
            Bypass::Yolo => "--yolo",
            Bypass::ApproveAll => "--approve-all",
            Bypass::TrustAll => "trust-all",
        }
    }
}

/// What there is to say of an effect without a note.
fn of_kind(kind: EffectKind) -> &'static str {
    match kind {
        EffectKind::Read => "it reads files",
        EffectKind::Write => "it changes files",
        EffectKind::Delete => "it deletes files",
        EffectKind::Run => "it runs a program",
        EffectKind::Connect => "it talks to another machine",
        EffectKind::Environment => "it changes the environment",
        EffectKind::Privilege => "it gains rights",
        EffectKind::Signal => "it signals a process",
        EffectKind::Unknown => "what it does is not known",
    }
}

/// Whether a sentence says no more than such a one.
pub(super) fn is_of_a_kind(text: &str) -> bool {
    const KINDS: [EffectKind; 9] = [
        EffectKind::Read,
        EffectKind::Write,
        EffectKind::Delete,
        EffectKind::Run,
        EffectKind::Connect,
        EffectKind::Environment,
        EffectKind::Privilege,
        EffectKind::Signal,
        EffectKind::Unknown,
    ];
    KINDS.into_iter().any(|kind| of_kind(kind) == text)
}

fn carried(effect: &Carried, why: Option<&str>) -> String {
    let Carried {
        kind,
        command,
        by,
        certain,
        path,
    } = effect;
    let (verb, what) = match kind {
        EffectKind::Delete => ("deletes", ""),
        EffectKind::Write => ("writes", ", which is protected by its name: "),
        _ => ("reads", ", which is secret by its name: "),
    };
    let path = shown(path);
    let why = why.unwrap_or_default();
    if *certain {
        format!("`{by}` runs `{command}`, which {verb} `{path}`{what}{why}")
    } else {
        format!("a word of `{by}` may be run as a command: `{command}` {verb} `{path}`{what}{why}")
    }
}

fn asked(question: &Question) -> String {
    let named = |what: &str, name: &str| format!("{what} `{}`", brief(&shown(name)));
    match question {
        Question::Path { path, .. } => named("the path", path),
        Question::Below { path, .. } => named("what lies below", path),
        Question::Tracked { folder, .. } => named("what git tracks around", folder),
        Question::Names { pattern, .. } => named("the files of", pattern),
        Question::Program { name } => named("the program", name),
        Question::GitHelpers { folder, .. } => named("git in", folder),
        Question::Settings { folder, .. } => named("settings in", folder),
    }
}
