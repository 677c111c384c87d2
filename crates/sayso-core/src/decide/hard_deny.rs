//! What is denied whatever else the policy says.

use crate::analysis::draft::Command;
use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::{OwnPath, ProgramFact, Question, shown};
use crate::analysis::risk::Tier;
use crate::answer::run_mode::Run;
use crate::answer::runner::NoSandbox;
use crate::answer::verdict::Reason;
use crate::call::operation::ToolSays;
use crate::call::tool::{Kind, Role};
use crate::decide::excerpt::brief;
use crate::decide::judging::{Lens, reason};
use crate::decide::risk::effect_tier;
use crate::decide::{own_files_in_code, rule_match};
use crate::paths::{Odd, fold, odd};
use crate::policy::decision::Decision;
use crate::policy::name_patterns::ToolPattern;
use crate::text::sentence;

const CATASTROPHIC: &str = "catastrophic";
/// The name of the program itself.
const OWN_NAME: &str = "sayso";

/// Whether this is the one denial that `--yolo` covers in one profile. A rule may have any name, so the name alone says nothing.
pub(super) fn is_catastrophe(denial: &Reason) -> bool {
    denial.is_built_in(CATASTROPHIC)
}

/// Whether `--yolo` was said, and covers catastrophes in this profile.
pub(super) fn yolo_covers(lens: &Lens<'_>) -> bool {
    lens.case.run == Run::Yolo && lens.settings.yolo_covers_catastrophic
}

pub(super) fn reasons(lens: &Lens<'_>) -> Vec<Reason> {
    let mut out = Vec::new();
    let reading = lens.case.reading;
    for question in &reading.unanswered {
        out.push(deny(
            "unanswered",
            format!("sayso could not find out about {}", words(question)),
        ));
    }
    blocked_tools(lens, &mut out);
    if let ToolSays::Blocked { reason } = lens.case.operation.says() {
        out.push(deny(
            "tool-blocked",
            format!("the tool itself refuses: {reason}"),
        ));
    }
    if let Some(why) = no_sandbox(lens) {
        out.push(deny("sandbox", why.to_string()));
    }
    rule_match::deny_reasons(lens, &mut out);
    for danger in reading
        .dangers
        .iter()
        .filter(|danger| danger.tier == Tier::Catastrophic)
    {
        out.push(deny(CATASTROPHIC, sentence::whole(&danger.what)));
    }
    for (command, program) in reading.commands.iter().zip(&reading.programs) {
        out.extend(sayso_by_another_name(lens, command, program.as_ref()));
    }
    for (index, effect) in reading.effects.iter().enumerate() {
        if let Some((Tier::Catastrophic, what)) = effect_tier(lens, index, effect) {
            out.push(deny(CATASTROPHIC, sentence::whole(&what)));
        }
        path(lens, index, effect, &mut out);
        address(lens, effect, &mut out);
    }
    own_files_in_code::reasons(lens, &mut out);
    let danger_is_denied = lens.settings.dangerous_action == Decision::Deny;
    // Beside a catastrophe it is told only where `--yolo` covers the catastrophe: then it is what denies.
    let is_dangerous = match super::risk::tier(lens) {
        Tier::Catastrophic => yolo_covers(lens) && super::risk::has_dangerous_part(lens),
        tier => tier == Tier::Dangerous,
    };
    if danger_is_denied && is_dangerous {
        out.push(deny(
            "dangerous",
            "the policy denies what is dangerous".into(),
        ));
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
            CATASTROPHIC,
            format!(
                "`{}` is sayso, which no agent runs by another name",
                shown(word)
            ),
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
            out.push(deny("blocked-tool", format!("`{name}` is blocked")));
        }
    }
}

fn path(lens: &Lens<'_>, index: usize, effect: &Effect, out: &mut Vec<Reason>) {
    if let (Target::UnknownPath(written), None) = (&effect.target, effect.part)
        && let Some(Odd::Refuse(why)) = odd(written)
    {
        out.push(deny("odd-path", format!("`{written}`: {why}")));
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
        out.push(deny("own-files", own.why(named)));
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
        let text = if no_root {
            format!("path not in any sandbox: `{shown}`")
        } else {
            format!("`{shown}` is outside of the workspace")
        };
        out.push(deny("outside", text));
    }
    if let Some(root) = standing.root {
        if changes && !root.writable {
            out.push(Reason {
                source: root.source.clone(),
                ..deny(
                    "path-root",
                    format!("the path root `{}` is read-only", root.name),
                )
            });
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
            let text = format!(
                "the path root `{}` holds only {}",
                root.name,
                root.suffixes.join(", ")
            );
            out.push(Reason {
                source: root.source.clone(),
                ..deny("path-root", text)
            });
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
            out.push(deny("bad-address", format!("`{written}`: {why}")));
        }
        Target::Url(url)
            if url.is_private() && lens.settings.private_addresses == Decision::Deny =>
        {
            out.push(deny(
                "private-address",
                format!("`{}` is this machine or a private network", url.host),
            ));
        }
        _ => {}
    }
}

fn words(question: &Question) -> String {
    match question {
        Question::Path { path, .. } => format!("the path `{}`", brief(&shown(path))),
        Question::Below { path, .. } => format!("what lies below `{}`", brief(&shown(path))),
        Question::Tracked { folder, .. } => {
            format!("what git tracks around `{}`", brief(&shown(folder)))
        }
        Question::Names { pattern, .. } => format!("the files of `{}`", brief(&shown(pattern))),
        Question::Program { name } => format!("the program `{}`", brief(&shown(name))),
        Question::GitHelpers { folder, .. } => format!("git in `{}`", brief(&shown(folder))),
        Question::Settings { folder, .. } => format!("settings in `{}`", brief(&shown(folder))),
    }
}

fn deny(rule: &str, text: String) -> Reason {
    reason(Decision::Deny, rule, &text)
}
