//! The fields that listeners under profile `kollabor-spec` know.

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;

use super::super::{Event, EventKind};
use super::{Fields, Parts, map, nothing, number, result, text_or_nothing, tool_data, truth};

pub(super) fn fields(event: &Event) -> Fields {
    let parts = Parts::of(event);
    match event.kind {
        EventKind::Requested => {
            let prompt = parts.prompt;
            let place = prompt.and_then(|prompt| prompt.place);
            // There is no decision yet; a placeholder that says "approve" is a trap for whoever reads only that.
            let result = map(vec![
                ("decision", nothing()),
                ("approved", truth(false)),
                ("message", parts.reason()),
                ("auto_approved", truth(false)),
            ]);
            vec![
                ("tool_data", tool_data(&parts)),
                ("permission_result", result),
                ("index", number(place.map_or(1, |place| place.index))),
                ("total", number(place.map_or(1, |place| place.total))),
                (
                    "timeout",
                    number(prompt.and_then(|prompt| prompt.timeout).unwrap_or(0)),
                ),
                ("approval_future_id", parts.prompt_id()),
            ]
        }
        EventKind::ToolCallPre => vec![("tool_data", tool_data(&parts))],
        EventKind::ToolCallPost => {
            vec![
                ("tool_data", tool_data(&parts)),
                ("result", result(&parts)),
                ("auto_approved", truth(parts.auto_approved())),
            ]
        }
        kind => {
            let (decision, response) = spec_decision(kind, &parts);
            vec![
                ("decision", text_or_nothing(decision)),
                ("user_response", text_or_nothing(response)),
                ("approval_future_id", parts.prompt_id()),
                ("tool_id", parts.tool_id()),
                ("auto_approved", truth(parts.auto_approved())),
                ("message", parts.reason()),
            ]
        }
    }
}

/// The decision and the key in the words of `kollabor-spec`.
fn spec_decision(
    kind: EventKind,
    parts: &Parts<'_>,
) -> (Option<&'static str>, Option<&'static str>) {
    let scope = parts.scope();
    let denied = parts.outcome() == Some(Outcome::Denied);
    let answered = parts
        .finished
        .is_some_and(|finished| finished.prompt.is_some())
        || parts.of_entry("by").is_some();
    match kind {
        EventKind::Granted if scope == Some(Scope::Batch) => (Some("APPROVE_ALL"), Some("a")),
        EventKind::Granted => (Some("APPROVE"), scope.map(|_| "y")),
        EventKind::ApproveAll => (Some("APPROVE_ALL"), Some("a")),
        EventKind::Quit => (Some("QUIT"), Some("q")),
        EventKind::TimedOut => (Some("TIMEOUT"), None),
        EventKind::Cancelled if answered => (Some("QUIT"), None),
        EventKind::Denied | EventKind::Cancelled => (Some("DENY"), Some("N").filter(|_| denied)),
        _ => (None, None),
    }
}
