//! The heading and the one line of a prompt, per kind of tool, and how it is shown.

use sayso_core::explain;
use sayso_core::fact::PathKind;
use sayso_core::operation::{Operation, ToolSays};
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::Style;
use sayso_core::text::json;
use sayso_core::tool::{Kind, Role};
use sayso_core::verdict::{Tier, Verdict};
use sayso_core::visible::visible;

/// The heading.
pub fn title(operation: &Operation, verdict: &Verdict) -> String {
    let text = match operation.kind() {
        Kind::FileDelete | Kind::FileRmdir => "⚠️ DELETE CONFIRMATION",
        _ if verdict.tier == Tier::Dangerous => "⚠️ DANGEROUS OPERATION",
        Kind::FileRead
        | Kind::FileGrep
        | Kind::Glob
        | Kind::List
        | Kind::FileWrite
        | Kind::FileEdit
        | Kind::FileCreate
        | Kind::FileCreateOverwrite
        | Kind::FileAppend
        | Kind::FileInsertAfter
        | Kind::FileInsertBefore
        | Kind::FileMove
        | Kind::FileCopy
        | Kind::FileMkdir => "File Operation Approval Required",
        _ => "Tool Execution Approval Required",
    };
    text.to_owned()
}

/// One line on what would happen.
pub fn description(operation: &Operation, verdict: &Verdict) -> String {
    if let ToolSays::NeedsApproval { description, .. } = operation.says() {
        return visible(description).into_owned();
    }
    let text = |role| operation.text(role).unwrap_or_default();
    let line = match operation.kind() {
        Kind::Terminal => {
            let limit = operation.argument(Role::TimeLimit).map(|node| format!(", time limit {}", json::write(node))).unwrap_or_default();
            format!("Execute terminal command: '{}' (in {}{limit})", text(Role::Command), operation.cwd())
        }
        Kind::FileEdit => format!("Edit file: {}{}", text(Role::Path), is_there(operation, verdict, "", " (there is no such file)")),
        Kind::FileWrite => format!("Write file: {}{}", text(Role::Path), is_there(operation, verdict, "", " (a new file)")),
        Kind::FileCreate => format!("Create file: {}{}", text(Role::Path), is_there(operation, verdict, " (exists already)", "")),
        Kind::FileCreateOverwrite => {
            format!("Create file and replace what is there: {}{}", text(Role::Path), is_there(operation, verdict, "", " (a new file)"))
        }
        Kind::FileDelete => format!("Delete file: {}", text(Role::Path)),
        Kind::FileMove => format!("File operation (file_move): {} to {}", text(Role::From), text(Role::To)),
        Kind::FileCopy => format!("File operation (file_copy): {} to {}", text(Role::From), text(Role::To)),
        Kind::Mcp => format!("Execute MCP tool: {} ({})", text(Role::ServerTool), text(Role::Server)),
        Kind::WebFetch => format!("Fetch: {}", text(Role::Url)),
        Kind::Delegate => format!("Hand work to the agent: {}", text(Role::Agent)),
        Kind::AgentCreate => format!("Make the agent: {}", text(Role::Agent)),
        Kind::ShareFile => format!("Hand the file {} to the agent {}", text(Role::Path), text(Role::Agent)),
        Kind::Custom | Kind::Opaque => return explain::subject(operation),
        Kind::FileGrep | Kind::Glob | Kind::List => return format!("File operation: {}", explain::subject(operation)),
        kind => format!("File operation ({}): {}", kind.word(), text(Role::Path)),
    };
    visible(&line).into_owned()
}

/// A word on whether the target stands there, by what was looked up for the verdict.
fn is_there<'a>(operation: &Operation, verdict: &Verdict, there: &'a str, missing: &'a str) -> &'a str {
    let written = operation.text(Role::Path).unwrap_or_default();
    let mut places = verdict.effects.iter().filter_map(|effect| effect.place()).filter(|place| place.written == written);
    match places.find_map(|place| place.fact.as_ref()).map(|fact| fact.kind) {
        None => "",
        Some(PathKind::Missing) => missing,
        Some(_) => there,
    }
}

/// How it is shown: by the setting, or by how much is at stake.
pub fn style(operation: &Operation, verdict: &Verdict, settings: &Resolved) -> Style {
    let must = verdict.tier != Tier::None || verdict.reasons.iter().any(|reason| reason.must_ask);
    match settings.prompt_style.as_str() {
        "modal" | "box" => Style::Modal,
        "status" => Style::Status,
        "inline" | "line" => Style::Inline,
        _ if must => Style::Modal,
        _ => match operation.kind() {
            Kind::FileDelete | Kind::FileRmdir | Kind::FileCreateOverwrite | Kind::Mcp => Style::Modal,
            _ if settings.profile == "kollabor-spec" => Style::Status,
            _ => Style::Inline,
        },
    }
}
