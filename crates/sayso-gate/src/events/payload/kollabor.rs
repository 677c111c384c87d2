//! The fields that listeners under profile `kollabor` know; a call that does not run is a cancelled event there.

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::outcome::Outcome;
use sayso_core::text::node::Node;

use super::super::{Event, EventKind};
use super::{Fields, Parts, map, result, text_or_nothing, tool_data, truth};

pub(super) fn fields(event: &Event) -> Fields {
    let parts = Parts::of(event);
    let mut out = vec![
        ("tool_id", parts.tool_id()),
        ("tool_type", text_or_nothing(parts.tool_type())),
        ("tool_name", text_or_nothing(parts.tool_name())),
        ("risk_level", text_or_nothing(parts.risk().map(risk_level))),
        ("reason", parts.reason()),
    ];
    match event.kind {
        EventKind::ToolCallPre => {
            out.push(("tool_data", tool_data(&parts)));
            if let Some(outcome) = parts.outcome() {
                out.push(("cancelled", truth(!outcome.ran())));
                out.push(("permission_decision", permission_decision(&parts, outcome)));
            }
        }
        EventKind::ToolCallPost => {
            out.extend([
                ("tool_data", tool_data(&parts)),
                ("result", result(&parts)),
                ("auto_approved", truth(parts.auto_approved())),
            ]);
        }
        _ => {}
    }
    out
}

/// Three levels are known there; what is not known is high.
fn risk_level(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High | Risk::Unknown => "high",
    }
}

fn permission_decision(parts: &Parts<'_>, outcome: Outcome) -> Node {
    let decision = match outcome {
        outcome if outcome.ran() => "approved",
        Outcome::Blocked | Outcome::Nobody => "blocked",
        _ => "denied",
    };
    map(vec![
        ("decision", Node::text(decision)),
        ("allowed", truth(outcome.ran())),
        ("reason", parts.reason()),
        ("risk_level", text_or_nothing(parts.risk().map(risk_level))),
        ("auto_approved", truth(parts.auto_approved())),
    ])
}
