//! What goes with events, field by field, and that no secret goes along.

use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::text::json;
use sayso_core::text::node::Node;
use sayso_gate::events::{Event, EventKind, Names, Priority, message, payload};
use sayso_gate::simulated::Say;

use crate::bench::call;
use crate::flow::room::Room;

const ALL: [Names; 4] = [
    Names::Sayso,
    Names::KollaborSpec,
    Names::Opencode,
    Names::Kollabor,
];

fn keys(node: &Node) -> Vec<&str> {
    node.entries()
        .iter()
        .map(|entry| entry.key.as_str())
        .collect()
}

fn find(events: &[Event], kind: EventKind) -> &Event {
    events
        .iter()
        .find(|event| event.kind == kind)
        .unwrap_or_else(|| panic!("{kind:?} was not told"))
}

fn text<'a>(node: &'a Node, path: &str) -> Option<&'a str> {
    path.split('.')
        .try_fold(node, |node, key| node.get(key))?
        .as_text()
}

fn truth(node: &Node, path: &str) -> Option<bool> {
    path.split('.')
        .try_fold(node, |node, key| node.get(key))?
        .as_bool()
}

fn edit() -> Call {
    Call {
        id: "edit_0".to_owned(),
        ..call("file_edit src/main.rs")
    }
}

#[test]
fn e_01_the_fields_of_kollabor_spec() {
    let room = Room::new(
        "kollabor-spec",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::No, Say::Nothing],
    );
    room.call(edit());
    let events = room.events.take();
    let request = payload(find(&events, EventKind::Requested), Names::KollaborSpec);
    assert_eq!(
        keys(&request),
        [
            "tool_data",
            "permission_result",
            "index",
            "total",
            "timeout",
            "approval_future_id"
        ]
    );
    assert_eq!(
        keys(request.get("permission_result").unwrap()),
        ["decision", "approved", "message", "auto_approved"]
    );
    assert_eq!(
        (
            text(&request, "tool_data.type"),
            text(&request, "tool_data.id")
        ),
        (Some("file_edit"), Some("edit_0"))
    );
    assert_eq!(text(&request, "tool_data.path"), Some("src/main.rs"));
    assert_eq!(truth(&request, "permission_result.approved"), Some(false));
    assert_eq!(
        text(&request, "permission_result.decision"),
        None,
        "nothing is decided yet"
    );
    let granted = payload(find(&events, EventKind::Granted), Names::KollaborSpec);
    assert_eq!(
        keys(&granted)[..4],
        ["decision", "user_response", "approval_future_id", "tool_id"]
    );
    assert_eq!(
        (text(&granted, "decision"), text(&granted, "user_response")),
        (Some("APPROVE"), Some("y"))
    );
    assert_eq!(
        text(&granted, "approval_future_id"),
        text(&request, "approval_future_id")
    );
    let post = payload(find(&events, EventKind::ToolCallPost), Names::KollaborSpec);
    assert_eq!(
        (keys(&post), truth(&post, "auto_approved")),
        (vec!["tool_data", "result", "auto_approved"], Some(false))
    );
    assert_eq!(truth(&post, "result.success"), Some(true));

    room.call(edit());
    let denied = payload(
        find(&room.events.take(), EventKind::Denied),
        Names::KollaborSpec,
    );
    assert_eq!(
        (text(&denied, "decision"), text(&denied, "user_response")),
        (Some("DENY"), Some("N"))
    );
    assert_eq!(text(&denied, "tool_id"), Some("edit_0"));
    room.call(edit());
    let late = payload(
        find(&room.events.take(), EventKind::TimedOut),
        Names::KollaborSpec,
    );
    assert_eq!(
        (text(&late, "decision"), text(&late, "user_response")),
        (Some("TIMEOUT"), None)
    );
}

#[test]
fn g_12_the_fields_of_kollabor_and_a_denial_cancels() {
    let room = Room::new("kollabor", How::Interactive, &[Say::No]);
    let below = room.gate.events.record_as(Priority::DISPLAY);
    room.call(call("bash git push --force"));
    let events = below.take();
    for kind in [EventKind::Check, EventKind::Requested, EventKind::Denied] {
        let payload = payload(find(&events, kind), Names::Kollabor);
        assert_eq!(
            keys(&payload),
            ["tool_id", "tool_type", "tool_name", "risk_level", "reason"],
            "{kind:?}"
        );
        assert_eq!(
            (text(&payload, "tool_type"), text(&payload, "tool_name")),
            (Some("terminal"), Some("bash"))
        );
        assert!(text(&payload, "risk_level").is_some() && text(&payload, "reason").is_some());
    }
    let pre = payload(find(&events, EventKind::ToolCallPre), Names::Kollabor);
    assert_eq!(truth(&pre, "cancelled"), Some(true));
    assert_eq!(text(&pre, "permission_decision.decision"), Some("denied"));
    assert_eq!(truth(&pre, "permission_decision.allowed"), Some(false));
    let room = Room::new("sayso", How::Interactive, &[]);
    let below = room.gate.events.record_as(Priority::DISPLAY);
    room.call(call("file_read src/main.rs"));
    let events = below.take();
    let pre = payload(find(&events, EventKind::ToolCallPre), Names::Kollabor);
    assert_eq!(
        (
            truth(&pre, "cancelled"),
            text(&pre, "permission_decision.decision")
        ),
        (Some(false), Some("approved"))
    );
    let post = payload(find(&events, EventKind::ToolCallPost), Names::Kollabor);
    assert_eq!(truth(&post, "auto_approved"), Some(true));
}

#[test]
fn e_09_e_10_the_fields_of_opencode() {
    for (say, action) in [
        (Say::Yes(Scope::Once), "once"),
        (Say::Yes(Scope::Session), "always"),
        (Say::No, "reject"),
        (Say::Nothing, "reject"),
    ] {
        let room = Room::new("opencode", How::Interactive, &[say]);
        room.call(edit());
        let events = room.events.take();
        let asked = payload(find(&events, EventKind::Requested), Names::Opencode);
        assert_eq!(
            (text(&asked, "session_id"), text(&asked, "call_id")),
            (Some("s"), Some("edit_0"))
        );
        assert_eq!(
            (text(&asked, "operation"), text(&asked, "details.path")),
            (Some("file_edit"), Some("src/main.rs"))
        );
        assert!(
            truth(&asked, "is_dangerous").is_some()
                && asked.get("requested_at").and_then(Node::as_whole).is_some()
        );
        let said = payload(find(&events, EventKind::Responded), Names::Opencode);
        assert_eq!(text(&said, "request_id"), text(&asked, "id"));
        assert_eq!(text(&said, "action"), Some(action));
        assert!(said.get("created_at").and_then(Node::as_whole).is_some());
        assert!(message(find(&events, EventKind::Check), Names::Opencode).is_none());
        let told = message(find(&events, EventKind::Requested), Names::Opencode).unwrap();
        assert_eq!(text(&told, "type"), Some("permission.requested"));
    }
}

#[test]
fn our_own_fields_are_all_that_is_known() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::NoBecause("not now".to_owned())],
    );
    room.call(edit());
    let events = room.events.take();
    let denied = payload(find(&events, EventKind::Denied), Names::Sayso);
    for (key, value) in [
        ("event", "denied"),
        ("id", "edit_0"),
        ("tool", "file_edit"),
        ("session", "s"),
        ("outcome", "denied"),
        ("note", "not now"),
        ("decision", "ask"),
    ] {
        assert_eq!(text(&denied, key), Some(value), "{key}");
    }
    assert!(text(&denied, "digest").is_some_and(|digest| digest.len() > 60));
    let responded = payload(find(&events, EventKind::Responded), Names::Sayso);
    assert_eq!(
        (text(&responded, "answer"), text(&responded, "by")),
        (Some("deny"), Some("simulated"))
    );
}

#[test]
fn arguments_cannot_pass_for_the_type_and_the_id() {
    let room = Room::new("kollabor-spec", How::Interactive, &[]);
    let args = Node::map([
        ("command", Node::text("ls")),
        ("type", Node::text("safe")),
        ("id", Node::text("other")),
    ]);
    room.call(Call {
        id: "real".to_owned(),
        ..Call::new("bash", args, "/ws")
    });
    for event in room.events.events() {
        let payload = payload(&event, Names::KollaborSpec);
        if payload.get("tool_data").is_some() {
            assert_eq!(
                (
                    text(&payload, "tool_data.type"),
                    text(&payload, "tool_data.id")
                ),
                (Some("bash"), Some("real"))
            );
            assert_eq!(
                text(&payload, "tool_data.tool_kind"),
                Some("terminal"),
                "what sayso takes it for"
            );
        }
    }
}

#[test]
fn h_66_z_48_no_secret_goes_along() {
    const SECRET: &str = "Qj7hunter2";
    let with = |tool: &str, key: &str, value: String| {
        Call::new(tool, Node::map([(key, Node::text(value))]), "/ws")
    };
    for say in [
        Say::Yes(Scope::Once),
        Say::NoBecause(format!("the password={SECRET} is old")),
        Say::Nothing,
    ] {
        let room = Room::new("sayso", How::Interactive, &vec![say; 12]);
        let below = room.gate.events.record_as(Priority::DISPLAY);
        for call in [
            with(
                "bash",
                "command",
                format!("curl -H 'Authorization: Bearer {SECRET}' https://example.com/x"),
            ),
            with(
                "bash",
                "command",
                format!("API_TOKEN={SECRET} ./deploy --password {SECRET}"),
            ),
            with(
                "webfetch",
                "url",
                format!("https://me:{SECRET}@example.com/?token={SECRET}"),
            ),
            with("my_tool", "password", SECRET.to_owned()),
            with(
                "my_tool",
                "input",
                format!("{{\"client_secret\": \"{SECRET}\"}}"),
            ),
        ] {
            room.call(call);
        }
        for event in room.events.events().iter().chain(&below.events()) {
            for names in ALL {
                let told = json::write(&payload(event, names));
                assert!(!told.contains(SECRET), "{:?} {names:?}: {told}", event.kind);
            }
        }
    }
}

/// Every kind that can be told has a payload under every name, and it is JSON.
#[test]
fn every_payload_is_json() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Session), Say::Quit, Say::TakenBack],
    );
    for text in [
        "my_tool x",
        "file_edit src/main.rs",
        "file_edit src/main.rs",
        "bash rm -rf /",
    ] {
        room.call(call(text));
    }
    room.call(Call::new("bash", Node::text("no map"), "/ws"));
    for event in room.events.events() {
        for names in ALL {
            let text = json::write(&payload(&event, names));
            assert!(
                json::read(&text, &sayso_core::text::Limits::default()).is_ok(),
                "{text}"
            );
        }
    }
}
