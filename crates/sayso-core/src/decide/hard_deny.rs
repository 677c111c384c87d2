//! What is denied whatever else the policy says.

use crate::analysis::draft::Command;
use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::{OwnPath, ProgramFact, shown};
use crate::analysis::risk::Tier;
use crate::answer::cause::{Cause, PathCause, RootCause, ShownPath};
use crate::answer::rule_id::Check;
use crate::answer::run_mode::Run;
use crate::answer::runner::NoSandbox;
use crate::answer::verdict::Reason;
use crate::call::operation::ToolSays;
use crate::call::tool::{Kind, Role};
use crate::decide::judging::{Lens, of_root, reason};
use crate::decide::risk::effect_tier;
use crate::decide::{own_files_in_code, rule_match};
use crate::paths::{Odd, fold, odd};
use crate::policy::decision::Decision;
use crate::policy::name_patterns::ToolPattern;

/// The name of the program itself.
const OWN_NAME: &str = "sayso";

/// Whether `--yolo` was said, and covers catastrophes in this profile.
pub(super) fn yolo_covers(lens: &Lens<'_>) -> bool {
    lens.case.run == Run::Yolo && lens.settings.yolo_covers_catastrophic
}

pub(super) fn reasons(lens: &Lens<'_>) -> Vec<Reason> {
    let mut out = Vec::new();
    let reading = lens.case.reading;
    for question in &reading.unanswered {
        out.push(deny(Check::Unanswered, Cause::Unanswered(question.clone())));
    }
    blocked_tools(lens, &mut out);
    if let ToolSays::Blocked { reason } = lens.case.operation.says() {
        out.push(deny(Check::ToolBlocked, Cause::ToolRefuses(reason.clone())));
    }
    if let Some(why) = no_sandbox(lens) {
        out.push(deny(Check::Sandbox, Cause::NoSandbox(why.clone())));
    }
    rule_match::deny_reasons(lens, &mut out);
    for danger in reading
        .dangers
        .iter()
        .filter(|danger| danger.tier == Tier::Catastrophic)
    {
        out.push(deny(
            Check::Catastrophic,
            Cause::Danger(danger.what.clone()),
        ));
    }
    for (command, program) in reading.commands.iter().zip(&reading.programs) {
        out.extend(sayso_by_another_name(lens, command, program.as_ref()));
    }
    for (index, effect) in reading.effects.iter().enumerate() {
        if let Some((Tier::Catastrophic, damage)) = effect_tier(lens, index, effect) {
            out.push(deny(Check::Catastrophic, Cause::Damage(damage)));
        }
        path(lens, index, effect, &mut out);
        address(lens, effect, &mut out);
    }
    own_files_in_code::reasons(lens, &mut out);
    let danger_is_denied = lens.settings.dangerous_action == Decision::Deny;
    // Beside a catastrophe this reason is added only if `--yolo` covers the catastrophe: then the danger denies the call.
    let is_dangerous = match super::risk::tier(lens) {
        Tier::Catastrophic => yolo_covers(lens) && super::risk::has_dangerous_part(lens),
        tier => tier == Tier::Dangerous,
    };
    if danger_is_denied && is_dangerous {
        out.push(deny(Check::Dangerous, Cause::DangersDenied));
    }
    out
}

/// Why the runner cannot give the sandbox that the policy requires for such a call.
fn no_sandbox<'a>(lens: &Lens<'a>) -> Option<&'a NoSandbox> {
    let runner = lens.case.runner;
    let missing = match lens.case.operation.kind() {
        Kind::Terminal => runner.no_sandbox,
        Kind::Custom | Kind::Mcp => runner.no_sandbox_for_tools,
        _ => None,
    };
    missing.filter(|_| lens.settings.sandbox_require)
}

/// Under its own name it was looked at by its words; under another one nobody knows what they mean.
fn sayso_by_another_name(
    lens: &Lens<'_>,
    command: &Command,
    program: Option<&ProgramFact>,
) -> Option<Reason> {
    let file = program?.file.as_deref()?;
    let own = lens
        .case
        .reading
        .surroundings
        .own
        .iter()
        .any(|own| own.path == file);
    let word = command.words.first().map_or("", String::as_str);
    let (name, real) = (
        word.rsplit('/').next().unwrap_or_default(),
        file.rsplit('/').next().unwrap_or_default(),
    );
    let is_sayso = own || fold(real) == OWN_NAME;
    (is_sayso && fold(name) != OWN_NAME).then(|| {
        deny(
            Check::Catastrophic,
            Cause::SaysoRenamed { word: shown(word) },
        )
    })
}

fn blocked_tools(lens: &Lens<'_>, out: &mut Vec<Reason>) {
    let operation = lens.case.operation;
    let mcp = operation
        .text(Role::Server)
        .zip(operation.text(Role::ServerTool));
    for name in &lens.settings.blocked_tools {
        let called = ToolPattern::parse(name)
            .is_ok_and(|pattern| pattern.matches(operation.tool(), operation.kind()));
        // Blocking over-approximates: an MCP tool is meant by its own name, too.
        let by_server = mcp.is_some_and(|(server, tool)| {
            name == tool
                || *name == format!("{server}/{tool}")
                || *name == format!("mcp__{server}__{tool}")
        });
        if called || by_server {
            out.push(deny(Check::BlockedTool, Cause::BlockedTool(name.clone())));
        }
    }
}

fn path(lens: &Lens<'_>, index: usize, effect: &Effect, out: &mut Vec<Reason>) {
    if let (Target::UnknownPath(written), None) = (&effect.target, effect.part)
        && let Some(Odd::Refuse(why)) = odd(written)
    {
        let written = written.clone();
        out.push(deny(Check::OddPath, Cause::OddPath { written, why }));
    }
    let Some(standing) = lens.standing(index) else {
        return;
    };
    let shown = &standing.fact.canonical;
    let changes = matches!(effect.kind, EffectKind::Write | EffectKind::Delete);
    // To take away everything is a catastrophe of its own, whether or not it would take sayso's files along.
    let told_as_catastrophe = |own: &OwnPath| {
        !own.holds(shown)
            && matches!(
                effect_tier(lens, index, effect),
                Some((Tier::Catastrophic, _))
            )
    };
    let touched = |own: &&OwnPath| {
        (changes || own.private && effect.kind == EffectKind::Read) && !told_as_catastrophe(own)
    };
    if let Some(own) = standing.own.filter(touched) {
        let named = if own.path.starts_with('/') {
            &own.path
        } else {
            shown
        };
        let cause = Cause::OwnFile {
            own: own.clone(),
            named: named.clone(),
            in_code: false,
        };
        out.push(deny(Check::OwnFiles, cause));
    }
    if standing.sink {
        return;
    }
    let file_tool = lens.case.operation.kind() != Kind::Terminal;
    let no_root = !lens.settings.roots.is_empty() && standing.root.is_none() && file_tool;
    let touches = matches!(
        effect.kind,
        EffectKind::Read | EffectKind::Write | EffectKind::Delete
    );
    if touches && lens.settings.outside_workspace == Decision::Deny && (!standing.inside || no_root)
    {
        let cause = if no_root {
            Cause::NotInAnyRoot(shown.clone())
        } else {
            let path = ShownPath {
                canonical: shown.clone(),
                written: None,
            };
            let what = PathCause::Outside;
            Cause::Path { path, what }
        };
        out.push(deny(Check::Outside, cause));
    }
    if let Some(root) = standing.root {
        if changes && !root.writable {
            out.push(of_root(Decision::Deny, root, RootCause::ReadOnly));
        }
        let suffix_fits = root.suffixes.is_empty()
            || root
                .suffixes
                .iter()
                .any(|suffix| shown.ends_with(suffix.as_str()));
        if touches
            && file_tool
            && !suffix_fits
            && standing.fact.kind != crate::analysis::fact::PathKind::Folder
        {
            let what = RootCause::HoldsOnly(root.suffixes.clone());
            out.push(of_root(Decision::Deny, root, what));
        }
    }
}

fn address(lens: &Lens<'_>, effect: &Effect, out: &mut Vec<Reason>) {
    if effect.kind != EffectKind::Connect || lens.case.operation.kind() != Kind::WebFetch {
        return;
    }
    match &effect.target {
        Target::Host(written) => {
            let why = effect.note.as_deref().unwrap_or("it cannot be read");
            let cause = Cause::BadAddress {
                written: written.clone(),
                why: why.to_owned(),
            };
            out.push(deny(Check::BadAddress, cause));
        }
        Target::Url(url)
            if url.is_private() && lens.settings.private_addresses == Decision::Deny =>
        {
            let host = url.host.clone();
            out.push(deny(Check::PrivateAddress, Cause::PrivateAddress { host }));
        }
        _ => {}
    }
}

fn deny(check: Check, cause: Cause) -> Reason {
    reason(Decision::Deny, check, cause)
}
