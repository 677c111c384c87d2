//! The fields that listeners under profile `opencode` know.

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Reason;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::{Answer, Choice, Ended, Prompt};
use sayso_core::text::node::Node;

use super::super::{Event, EventKind};
use super::{Fields, Parts, nothing, number, text_or_nothing, truth};

pub(super) fn fields(event: &Event) -> Fields {
    let parts = Parts::of(event);
    let session = parts.session();
    match event.kind {
        EventKind::Requested => {
            let dangerous = parts
                .verdict
                .is_some_and(|verdict| verdict.tier != Tier::None);
            let warning = parts
                .verdict
                .filter(|_| dangerous)
                .and_then(|verdict| verdict.reasons.first());
            vec![
                ("id", parts.prompt_id()),
                ("session_id", session),
                ("call_id", parts.tool_id()),
                (
                    "operation",
                    text_or_nothing(parts.operation.map(|operation| operation.kind().word())),
                ),
                (
                    "tool",
                    text_or_nothing(parts.operation.map(Operation::tool)),
                ),
                (
                    "message",
                    text_or_nothing(parts.prompt.map(|prompt| prompt.description.as_str())),
                ),
                (
                    "details",
                    parts
                        .operation
                        .map_or_else(nothing, |operation| operation.args().clone()),
                ),
                ("is_dangerous", truth(dangerous)),
                (
                    "warning",
                    text_or_nothing(warning.map(Reason::text).as_deref()),
                ),
                (
                    "requested_at",
                    number(parts.prompt.map_or(event.at, |prompt| prompt.asked)),
                ),
            ]
        }
        EventKind::Responded => {
            let (action, pattern) = action(parts.prompt, parts.ended);
            vec![
                ("request_id", parts.prompt_id()),
                ("session_id", session),
                ("call_id", parts.tool_id()),
                ("action", Node::text(action)),
                ("pattern", text_or_nothing(pattern)),
                ("created_at", number(event.at)),
            ]
        }
        _ => vec![
            ("session_id", session),
            ("call_id", parts.tool_id()),
            ("message", parts.reason()),
            ("created_at", number(event.at)),
        ],
    }
}

/// Once, always, pattern or reject: whatever is no yes is a reject.
fn action<'a>(
    prompt: Option<&Prompt>,
    ended: Option<&'a Ended>,
) -> (&'static str, Option<&'a str>) {
    match ended {
        Some(Ended::Answered {
            answer: Answer { choice, .. },
            ..
        }) => match choice {
            Choice::Pattern { text, .. } => ("pattern", Some(text)),
            Choice::Offer(index) => {
                let scope = prompt
                    .and_then(|prompt| prompt.offers.get(*index))
                    .map(|offer| offer.scope);
                (
                    if scope == Some(Scope::Once) {
                        "once"
                    } else {
                        "always"
                    },
                    None,
                )
            }
            Choice::Deny | Choice::Quit => ("reject", None),
        },
        _ => ("reject", None),
    }
}
