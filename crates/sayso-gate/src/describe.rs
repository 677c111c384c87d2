//! The heading and the one line of a prompt, per kind of tool, and how it is shown.

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::explain;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Operation, ToolSays};
use sayso_core::call::tool::{Kind, Role};
use sayso_core::policy::setting_words::PromptStyle;
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::Style;
use sayso_core::text::visible::visible;

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

/// One line on what would happen, in the words of the first specification (000 §6.1).
pub fn description(operation: &Operation, verdict: &Verdict) -> String {
    if let Some(words) = tools_words(operation) {
        return words;
    }
    let text = |role| operation.text(role).unwrap_or_default();
    let line = match operation.kind() {
        Kind::Terminal => {
            let limit = verdict
                .terms
                .time_limit
                .map(|seconds| format!(", timeout: {seconds}s"))
                .unwrap_or_default();
            format!(
                "Execute terminal command: '{}' (cwd: {}{limit})",
                text(Role::Command),
                operation.cwd()
            )
        }
        Kind::FileEdit => format!("Edit file: {}", text(Role::Path)),
        Kind::FileWrite => format!("Write file: {}", text(Role::Path)),
        Kind::FileCreate => format!("Create file: {}", text(Role::Path)),
        Kind::FileDelete => format!("Delete file: {}", text(Role::Path)),
        // The specification names one path; without the other nobody could tell what is meant.
        Kind::FileMove => format!("Move file: {} to {}", text(Role::From), text(Role::To)),
        Kind::FileCopy => format!("Copy file: {} to {}", text(Role::From), text(Role::To)),
        Kind::FileAppend => format!("Append to file: {}", text(Role::Path)),
        Kind::FileInsertAfter => format!("Insert into file: {}", text(Role::Path)),
        Kind::Mcp => format!(
            "Execute MCP tool: {} (server: {})",
            text(Role::ServerTool),
            text(Role::Server)
        ),
        Kind::WebFetch => format!("Fetch: {}", text(Role::Url)),
        Kind::Delegate => format!("Hand work to the agent: {}", text(Role::Agent)),
        Kind::AgentCreate => format!("Make the agent: {}", text(Role::Agent)),
        Kind::ShareFile => format!(
            "Hand the file {} to the agent {}",
            text(Role::Path),
            text(Role::Agent)
        ),
        Kind::Custom | Kind::Opaque => return explain::subject(operation),
        Kind::Glob | Kind::List => {
            return format!("File operation: {}", explain::subject(operation));
        }
        kind => format!("File operation ({}): {}", kind.word(), text(Role::Path)),
    };
    visible(&line).into_owned()
}

/// What a tool of somebody else's says of its call, as its words. Of what sayso knows itself it says what it sees.
fn tools_words(operation: &Operation) -> Option<String> {
    let ToolSays::NeedsApproval { description, .. } = operation.says() else {
        return None;
    };
    match operation.kind() {
        Kind::Custom if operation.words_of_tool().is_some() => Some(format!(
            "{} says: {}",
            visible(operation.tool()),
            visible(description)
        )),
        // Those of MCP tools are the words of the person who has described them.
        Kind::Custom | Kind::Mcp => Some(visible(description).into_owned()),
        _ => None,
    }
}

/// How it is shown: by the setting, or by how much is at stake.
pub fn style(operation: &Operation, verdict: &Verdict, settings: &Resolved) -> Style {
    let must = verdict.tier != Tier::None || verdict.reasons.iter().any(|reason| reason.must_ask);
    match settings.prompt_style {
        PromptStyle::Modal | PromptStyle::Box => Style::Modal,
        PromptStyle::Status => Style::Status,
        PromptStyle::Inline | PromptStyle::Line => Style::Inline,
        PromptStyle::Auto if must => Style::Modal,
        PromptStyle::Auto => match operation.kind() {
            Kind::FileDelete | Kind::FileRmdir | Kind::FileCreateOverwrite | Kind::Mcp => {
                Style::Modal
            }
            _ if settings.profile == "kollabor-spec" => Style::Status,
            _ => Style::Inline,
        },
    }
}
