//! What holds for an effect that no rule and no grant covers: the defaults of the policy, then mode × risk.

use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::{Ignored, PathKind};
use crate::analysis::risk::Risk;
use crate::answer::cause::{Cause, RootCause};
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::call::operation::ToolSays;
use crate::call::tool::Kind;
use crate::decide::judging::{Lens, of_root, reason};
use crate::decide::risk::effect_risk;
use crate::decide::rule_conditions::is_trusted;
use crate::decide::safe_commands;
use crate::decide::shell_rules::shell_opinion;
use crate::paths::{active_in, made_or_kept_by_tools, relative};
use crate::policy::command_pattern::Reach;
use crate::policy::decision::Decision;
use crate::policy::glob::Subject as PathSubject;
use crate::policy::mode::Mode;

pub(super) fn decide(lens: &Lens<'_>, index: usize, whole: Risk) -> Reason {
    let Some(effect) = lens.case.reading.effects.get(index) else {
        return reason(Decision::Ask, Check::Default, Cause::NothingKnownOfIt);
    };
    // What the tool says of it stands beside this, as the tool's words: a reason is always sayso's own.
    if let ToolSays::NeedsApproval { .. } = lens.case.operation.says() {
        return reason(Decision::Ask, Check::ToolAsks, Cause::ToolAsks);
    }
    let mode = mode(lens);
    let shell = effect
        .part
        .and_then(|part| Some((part, lens.case.reading.commands.get(part)?)))
        .and_then(|(part, command)| shell_opinion(lens, part, command));
    if let Some((decision, reason)) = shell
        && decision > Decision::Allow
        && !(reason.is(Check::ShellDefault)
            && decision == Decision::Ask
            && is_switched_off(lens, index, effect, whole))
    {
        return reason;
    }
    if let Some(root) = lens.standing(index).and_then(|standing| standing.root) {
        let asks = effect.kind == EffectKind::Read && root.read_approval
            || effect.kind == EffectKind::Write && root.write_approval;
        if asks {
            return of_root(Decision::Ask, root, RootCause::NeedsApproval);
        }
    }
    let risk = effect_risk(lens, index, effect);
    // The lists of a profile are for what would be asked. What somebody listed themselves is what they except from their denial.
    let stated = stated(lens, effect);
    let is_excepted = || is_trusted(lens) || safe_commands::allows(lens, effect, true).is_some();
    if stated == Some(Decision::Deny) && !is_excepted() {
        return reason(Decision::Deny, Check::Default, Cause::DefaultDenies);
    }
    if mode == Mode::ConfirmAll {
        return reason(Decision::Ask, Check::ConfirmAll, Cause::AsksForEverything);
    }
    if is_trusted(lens) {
        return reason(Decision::Allow, Check::TrustedTool, Cause::TrustedTool);
    }
    if let Some(reason) = safe_commands::allows(lens, effect, false) {
        return reason;
    }
    if is_safe_write(lens, index, effect) {
        return reason(Decision::Allow, Check::SafePath, Cause::SafePath);
    }
    if is_private_by_git(lens, index, effect) {
        return reason(Decision::Ask, Check::Ignored, Cause::IgnoredByGit);
    }
    if let Some(decision) = stated {
        return match decision {
            // A default of the policy lets through what is ordinary, never what is risky.
            Decision::Allow if risk > Risk::Medium => {
                reason(Decision::Ask, Check::Default, why_asked(effect))
            }
            Decision::Ask if is_switched_off(lens, index, effect, whole) => {
                reason(Decision::Allow, Check::Disabled, Cause::SwitchedOff)
            }
            Decision::Allow => reason(Decision::Allow, Check::Default, Cause::DefaultAllows),
            Decision::Ask => reason(Decision::Ask, Check::Default, why_asked(effect)),
            Decision::Deny => reason(Decision::Deny, Check::Default, Cause::DefaultDenies),
        };
    }
    by_mode(lens, mode, index, effect, risk, whole)
}

/// The mode in force. Switched off, sayso still asks for high risk.
fn mode(lens: &Lens<'_>) -> Mode {
    match lens.settings.mode {
        Mode::ConfirmAll | Mode::Balanced | Mode::AutoApproveEdits if !lens.settings.enabled => {
            Mode::HighRiskOnly
        }
        mode => mode,
    }
}

/// Whether a prompt that only a default wants is left out (`enabled: false`).
fn is_switched_off(lens: &Lens<'_>, index: usize, effect: &Effect, whole: Risk) -> bool {
    !lens.settings.enabled
        && lens.settings.mode != Mode::SafeOnly
        && whole <= Risk::Medium
        && effect_risk(lens, index, effect) <= Risk::Medium
}

fn by_mode(
    lens: &Lens<'_>,
    mode: Mode,
    index: usize,
    effect: &Effect,
    risk: Risk,
    whole: Risk,
) -> Reason {
    match mode {
        Mode::HighRiskOnly if risk <= Risk::Medium && whole <= Risk::Medium => {
            reason(Decision::Allow, Check::Risk, Cause::RiskAllowed(risk))
        }
        Mode::HighRiskOnly => reason(Decision::Ask, Check::Risk, why_asked(effect)),
        Mode::AutoApproveEdits if is_edit(lens, index, effect) => {
            reason(Decision::Allow, Check::Edit, Cause::Edit)
        }
        _ if risk == Risk::Low && whole_is_low(lens, whole) => {
            reason(Decision::Allow, Check::ReadOnly, Cause::OnlyLooks)
        }
        _ if copies_to_new_name(lens, index, effect) => {
            reason(Decision::Allow, Check::NewCopy, Cause::NewCopy)
        }
        _ if makes_new_folder(lens, index, effect) => {
            reason(Decision::Allow, Check::NewFolder, Cause::NewFolder)
        }
        _ => reason(Decision::Ask, Check::Default, why_asked(effect)),
    }
}

/// A pattern of the policy can lift the risk of a command that is harmless by its effects.
fn whole_is_low(lens: &Lens<'_>, whole: Risk) -> bool {
    whole == Risk::Low
        || !lens.case.operation.command().is_some_and(|text| {
            lens.settings
                .medium_risk
                .iter()
                .any(|pattern| pattern.is_match(text, Reach::Wide))
        })
}

fn stated(lens: &Lens<'_>, effect: &Effect) -> Option<Decision> {
    let settings = lens.settings;
    if effect.part.is_some() && !effect.manner.redirect {
        return settings.default_command;
    }
    if effect.manner.argument && settings.default_mcp.is_some() {
        return settings.default_mcp;
    }
    match (&effect.target, effect.kind) {
        (Target::McpTool { .. }, _) => settings.default_mcp,
        (Target::Agent(_), _) => settings.default_delegate,
        (_, EffectKind::Read) => settings.default_read,
        (_, EffectKind::Write | EffectKind::Delete) => settings.default_write,
        (_, EffectKind::Connect) => settings.default_fetch,
        _ => None,
    }
}

/// A file tool writes a text that nothing later runs or obeys, in the workspace, through no link.
fn is_safe_write(lens: &Lens<'_>, index: usize, effect: &Effect) -> bool {
    let settings = lens.settings;
    let Some(standing) = lens.standing(index) else {
        return false;
    };
    if effect.kind != EffectKind::Write
        || !effect.manner.file_tool
        || effect.manner.overwrite
        || effect.manner.moved_away
        || effect.manner.makes_folder
    {
        return false;
    }
    let path = standing.fact.canonical.as_str();
    let around = &lens.case.reading.surroundings;
    let subject = PathSubject {
        path,
        workspace: &around.workspace,
        home: around.home.as_deref(),
    };
    let listed = || {
        settings.safe_paths.iter().any(|glob| glob.matches(subject))
            || relative(path, &around.workspace).is_some_and(|rest| {
                settings
                    .safe_path_regexes
                    .iter()
                    .any(|expression| expression.is_match(rest, Reach::Narrow))
            })
    };
    settings.auto_approve_safe_paths
        && standing.in_workspace
        && standing.protected.is_none()
        && standing.secret.is_none()
        && is_plain_file(standing.fact)
        && !active_in(path, &around.workspace)
        && listed()
}

/// Nothing or a regular file with one name, reached through no link.
fn is_plain_file(fact: &crate::analysis::fact::PathFact) -> bool {
    matches!(fact.kind, PathKind::Missing | PathKind::File)
        && fact.hard_links <= 1
        && fact.links.is_empty()
}

fn is_edit(lens: &Lens<'_>, index: usize, effect: &Effect) -> bool {
    let Some(standing) = lens.standing(index) else {
        return false;
    };
    lens.case.operation.kind().is_file_edit()
        && effect.kind == EffectKind::Write
        && standing.inside
        && standing.protected.is_none()
        && is_plain_file(standing.fact)
}

fn makes_new_folder(lens: &Lens<'_>, index: usize, effect: &Effect) -> bool {
    let Some(standing) = lens.standing(index) else {
        return false;
    };
    effect.kind == EffectKind::Write
        && effect.manner.makes_folder
        && effect.manner.file_tool
        && standing.in_workspace
        && standing.protected.is_none()
        && standing.fact.links.is_empty()
        && matches!(standing.fact.kind, PathKind::Missing | PathKind::Folder)
}

/// A copy in the workspace, onto a name where nothing stands and that nothing runs or obeys.
fn copies_to_new_name(lens: &Lens<'_>, index: usize, effect: &Effect) -> bool {
    let Some(standing) = lens.standing(index) else {
        return false;
    };
    lens.settings.auto_approve_copies
        && lens.case.operation.kind() == Kind::FileCopy
        && effect.kind == EffectKind::Write
        && standing.in_workspace
        && standing.protected.is_none()
        && standing.fact.links.is_empty()
        && standing.fact.kind == PathKind::Missing
        && !active_in(
            &standing.fact.canonical,
            &lens.case.reading.surroundings.workspace,
        )
}

/// A file that git is told to leave alone and that is not something built or installed: local settings, notes, dumps.
fn is_private_by_git(lens: &Lens<'_>, index: usize, effect: &Effect) -> bool {
    let Some(standing) = lens.standing(index) else {
        return false;
    };
    let private = matches!(standing.fact.ignored, Ignored::Yes | Ignored::Unknown);
    effect.kind == EffectKind::Read
        && !effect.manner.listing
        && standing.in_workspace
        && private
        && (standing.fact.kind == PathKind::File
            || effect.manner.recursive && standing.fact.kind == PathKind::Folder)
        && !made_or_kept_by_tools(
            &standing.fact.canonical,
            &lens.case.reading.surroundings.workspace,
        )
}

/// What there is to say of an effect that asks.
pub(super) fn why_asked(effect: &Effect) -> Cause {
    match &effect.note {
        Some(note) => Cause::Note(note.clone()),
        None => Cause::Kind(effect.kind),
    }
}
