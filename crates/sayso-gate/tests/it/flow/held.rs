//! An approval that is held and taken up again: never wider than it was, and refused where anything has become stricter.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Agent, Call, ToolSays};
use sayso_core::policy::decision::Decision;
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_gate::approved::Approved;
use sayso_gate::batch::Options;
use sayso_gate::batch_context::Turn;
use sayso_gate::ports::Store as _;
use sayso_gate::resume::Held;
use sayso_gate::simulated::Say;

use super::room::Room;
use crate::bench::{Setup, call, freeze};

const YES: Say = Say::Yes(Scope::Once);

fn approve(room: &Room, text: &str) -> Approved {
    let call = Call {
        session: "s".to_owned(),
        id: "it".to_owned(),
        ..call(text)
    };
    pollster::block_on(room.gate.hold(call, &mut Turn::alone()))
        .unwrap_or_else(|refused| panic!("{text}: {}", refused.message))
}

/// Through the text, as another process has it.
fn hold(room: &Room, text: &str) -> Held {
    let approved = approve(room, text);
    Held::read(&room.gate.set_aside(approved).unwrap().write()).unwrap()
}

fn run(room: &Room, held: Held) -> Result<(), String> {
    let approved = room.gate.resume(held).map_err(|error| error.to_string())?;
    let finished = pollster::block_on(room.gate.run(approved));
    if finished.succeeded() {
        Ok(())
    } else {
        Err(finished.message)
    }
}

#[test]
fn what_was_approved_runs_in_another_process() {
    let room = Room::new("sayso", How::Interactive, &[YES]);
    let held = hold(&room, "bash make all");
    assert_eq!(
        (room.ran().len(), room.entries()),
        (0, vec!["asked", "decided"])
    );
    let approved = room.gate.resume(held).unwrap();
    let yes = approved.yes().unwrap();
    assert_eq!(
        (approved.outcome(), yes.scope, yes.confirmations),
        (Outcome::Approved, Scope::Once, 1)
    );
    assert!(
        approved.is_for(&freeze(call("bash make all")))
            && approved.operation().id() == "it"
            && approved.operation().session() == "s"
    );
    assert!(pollster::block_on(room.gate.run(approved)).succeeded());
    assert_eq!(
        (room.ran(), room.entries()),
        (
            vec!["bash(make all)".to_owned()],
            vec!["asked", "decided", "resumed", "finished"]
        )
    );
}

#[test]
fn what_is_kept_is_all_of_the_call() {
    let args = Node::map([
        ("command", Node::text("ls \u{1b}\"\n'ü")),
        ("timeout", Value::Number("1e1".into()).into()),
    ]);
    let whole = Call {
        agent: Agent {
            name: "child".into(),
            parents: vec!["parent".into(), "grand".into()],
        },
        session: "s".into(),
        id: "x".into(),
        batch: Some("b".into()),
        group: Some("g".into()),
        metadata: vec![("trace".into(), "1".into())],
        cwd: "/ws/src".into(),
        ..Call::new("bash", args, "/ws")
    };
    let room = Room::new("sayso", How::Yolo, &[]);
    let approved = pollster::block_on(room.gate.hold(whole.clone(), &mut Turn::alone())).unwrap();
    let held = room.gate.set_aside(approved).unwrap();
    assert_eq!(held.workspace(), "/ws");
    let again = room
        .gate
        .resume(Held::read(&held.write()).unwrap())
        .unwrap();
    let (operation, whole) = (again.operation(), freeze(whole));
    assert_eq!(operation.digest(), whole.digest());
    assert_eq!(json::write(operation.args()), json::write(whole.args()));
    let rest = |call: Call| {
        format!(
            "{:?}",
            Call {
                args: Value::Null.into(),
                ..call
            }
        )
    };
    assert_eq!(rest(operation.call()), rest(whole.call()));
}

#[test]
fn only_commands_are_held() {
    let room = Room::new("sayso", How::Yolo, &[]);
    for other in ["file_read README.md", "file_write a.txt x"] {
        let why = room.gate.set_aside(approve(&room, other)).unwrap_err();
        assert!(why.to_string().contains("only commands"), "{why}");
    }
    let says = Call {
        says: ToolSays::PreApproved,
        ..call("bash ls")
    };
    let approved = pollster::block_on(room.gate.hold(says, &mut Turn::alone())).unwrap();
    assert!(
        room.gate
            .set_aside(approved)
            .unwrap_err()
            .to_string()
            .contains("says more of it")
    );
}

#[test]
fn a_file_that_changed_after_it_was_shown() {
    for meddle in [
        (|room: &Room| room.world.write("/ws/s.sh", "rm -rf ~")) as fn(&Room),
        |room| room.world.blind.store(true, Ordering::SeqCst),
    ] {
        let room = Room::new("sayso", How::Interactive, &[YES]);
        room.world.write("/ws/s.sh", "echo harmless");
        let held = hold(&room, "bash sh ./s.sh");
        meddle(&room);
        let why = run(&room, held).unwrap_err();
        assert!(
            why.contains("changed after it was approved") || why.contains("by now"),
            "{why}"
        );
        assert!(room.ran().is_empty());
        assert_eq!(
            room.entries(),
            ["asked", "decided", "finished"],
            "its end is written down"
        );
    }
}

#[test]
fn a_policy_that_is_stricter_by_now() {
    let allow = "rules: [{allow: {command: \"make *\"}}]\n";
    for (policy, why) in [
        ("rules: [{deny: {command: \"make *\"}}]\n", "denied by now"),
        (
            "rules: [{allow: {command: \"make *\"}}, {ask: {command: \"make all\"}}]\n",
            "asked about by now",
        ),
        ("rules: []\n", "asked about by now"),
        ("mode: safe-only\n", "denied by now"),
    ] {
        let room = Room::with(&Setup::with("sayso", allow), How::Interactive, &[]);
        let held = hold(&room, "bash make all");
        room.gate
            .set_policy(Arc::new(Setup::with("sayso", policy).policy))
            .unwrap();
        let said = run(&room, held).unwrap_err();
        assert!(said.contains(why), "{policy}: {said}");
        assert!(room.ran().is_empty());
    }
    // A yes of a person is an answer to what is asked by now; one is none to what needs two.
    for (policy, runs) in [
        ("rules: [{ask: {command: \"*\"}}]\n", true),
        ("double_confirm_deletes: true\n", false),
    ] {
        let room = Room::with(
            &Setup::with("sayso", "double_confirm_deletes: false\n"),
            How::Interactive,
            &[YES],
        );
        let held = hold(
            &room,
            if runs {
                "bash make all"
            } else {
                "bash rm README.md"
            },
        );
        room.gate
            .set_policy(Arc::new(Setup::with("sayso", policy).policy))
            .unwrap();
        assert_eq!(run(&room, held).is_ok(), runs, "{policy}");
    }
}

#[test]
fn a_plugin_counts_also_later() {
    for (decision, runs) in [(Decision::Deny, false), (Decision::Ask, true)] {
        let room = Room::new("sayso", How::Interactive, &[YES]);
        let held = hold(&room, "bash make all");
        room.gate.add_plugin(
            "careful",
            Arc::new(move |_, _| Some((decision, "not now".to_owned()))),
        );
        assert_eq!(run(&room, held).is_ok(), runs, "{decision:?}");
    }
}

pub(super) fn grant(key: GrantKey, reach: Reach, uses_left: Option<u64>) -> Grant {
    Grant {
        id: "g".into(),
        key,
        reach,
        agent: String::new(),
        expires: None,
        uses_left,
        risk: Risk::Unknown,
        seal: None,
    }
}

pub(super) fn exact() -> GrantKey {
    GrantKey::Exact(freeze(call("bash make all")).digest())
}

#[test]
fn an_answer_given_before_allows_it_as_long_as_it_stands() {
    let room = Room::new("sayso", How::Strict, &[]);
    room.shelf
        .remember(grant(exact(), Reach::Always, None))
        .unwrap();
    run(&room, hold(&room, "bash make all")).unwrap();
    let held = hold(&room, "bash make all");
    room.shelf.memory.revoke("g");
    assert!(run(&room, held).unwrap_err().contains("taken back"));
    assert_eq!(room.ran().len(), 1);
}

#[test]
fn an_answer_that_was_used_up_for_it_or_ended_with_its_session_counts() {
    let room = Room::new("sayso", How::Strict, &[]);
    room.shelf
        .remember(grant(exact(), Reach::Always, Some(1)))
        .unwrap();
    let held = hold(&room, "bash make all");
    assert!(room.shelf.grants().is_empty());
    run(&room, held).unwrap();
    room.shelf
        .remember(grant(exact(), Reach::Session("s".into()), None))
        .unwrap();
    let held = hold(&room, "bash make all");
    room.shelf.memory.end_session("s");
    run(&room, held).unwrap();
    // Also where the mode turns every question into a denial; an ask rule that is new was never answered.
    room.shelf
        .remember(grant(exact(), Reach::Session("s".into()), None))
        .unwrap();
    let held = hold(&room, "bash make all");
    room.gate
        .set_policy(Arc::new(
            Setup::with("sayso", "rules: [{ask: {command: \"make *\"}}]\n").policy,
        ))
        .unwrap();
    assert!(run(&room, held).is_err());
    assert_eq!(room.ran().len(), 2);
}

#[test]
fn what_was_said_for_the_run_is_said_for_what_it_holds() {
    let room = Room::new("sayso", How::Yolo, &[]);
    let text = room
        .gate
        .set_aside(approve(&room, "bash make all"))
        .unwrap()
        .write();
    let other = Room::new("sayso", How::Interactive, &[]);
    run(&other, Held::read(&text).unwrap()).unwrap();
    // It is for that operation only, and denials stay denials.
    other
        .gate
        .set_policy(Arc::new(
            Setup::with("sayso", "rules: [{deny: {command: \"make *\"}}]\n").policy,
        ))
        .unwrap();
    assert!(
        run(&other, Held::read(&text).unwrap())
            .unwrap_err()
            .contains("denied by now")
    );
    let changed = text.replace("make all", "make bad");
    assert!(
        run(&other, Held::read(&changed).unwrap())
            .unwrap_err()
            .contains("not what was approved")
    );
    let digest = freeze(call("bash make all")).digest().to_string();
    let changed = text.replace(&digest, &Digest::of_bytes(b"x").to_string());
    assert!(
        run(&other, Held::read(&changed).unwrap())
            .unwrap_err()
            .contains("not what was approved")
    );
}

#[test]
fn what_cannot_be_recorded_is_not_taken_up() {
    let room = Room::new("sayso", How::Interactive, &[YES]);
    let held = hold(&room, "bash make all");
    room.shelf.full.store(true, Ordering::SeqCst);
    assert!(
        run(&room, held)
            .unwrap_err()
            .contains("could not be recorded")
    );
    assert!(room.ran().is_empty());
}

#[test]
fn no_part_of_the_text_can_be_missing_or_odd() {
    let room = Room::new("sayso", How::Interactive, &[YES]);
    let text = hold(&room, "bash make all").write();
    for key in [
        "id",
        "tool",
        "args",
        "cwd",
        "workspace",
        "agent",
        "parents",
        "session",
        "metadata",
        "digest",
        "outcome",
        "how",
        "risk",
        "contained",
        "seals",
    ] {
        assert!(
            Held::read(&text.replacen(&format!("\"{key}\":"), "\"other\":", 1)).is_err(),
            "{key}"
        );
        assert!(
            Held::read(&text.replacen(
                &format!("\"{key}\":"),
                &format!("\"{key}\":7,\"x{key}\":"),
                1
            ))
            .is_err()
                || key == "args",
            "{key}"
        );
    }
    // A call of an MCP server is never held, whatever a text says.
    let mcp = text.replacen("\"id\":", "\"schema\":\"\",\"id\":", 1);
    assert!(mcp != text && Held::read(&mcp).is_err());
    for odd in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        &text[1..],
        &format!("{text}x"),
        &"[".repeat(100_000),
    ] {
        assert!(Held::read(odd).is_err());
    }
    for (good, bad) in [
        ("\"approved\"", "\"denied\""),
        ("\"once\"", "\"twice\""),
        ("\"all\"", "\"none\""),
        ("\"confirmations\":1", "\"confirmations\":900"),
    ] {
        assert!(
            text.contains(good) && Held::read(&text.replace(good, bad)).is_err(),
            "{bad}"
        );
    }
}

#[test]
fn a_batch_is_held_call_by_call() {
    let room = Room::new("sayso", How::Interactive, &[YES, Say::No, YES]);
    let calls = vec![
        call("bash make a"),
        call("bash make b"),
        call("bash make c"),
    ];
    let kept = std::sync::Mutex::new(Vec::new());
    let keep = |text: &str| {
        let mut kept = kept.lock().unwrap();
        kept.push(text.to_owned());
        if kept.len() == 2 {
            Err(sayso_gate::error::port_error("the disk is full"))
        } else {
            Ok(format!("id{}", kept.len()))
        }
    };
    let batch = pollster::block_on(room.gate.batch(
        calls,
        Options {
            keep: Some(&keep),
            ..Options::default()
        },
    ));
    let held: Vec<_> = batch
        .results
        .iter()
        .map(|finished| finished.held.as_deref())
        .collect();
    assert_eq!(held, [Some("id1"), None, None]);
    assert!(
        batch.results[2]
            .message
            .contains("could not be held: the disk is full"),
        "{}",
        batch.results[2].message
    );
    assert_eq!((batch.executed().count(), room.ran().len()), (0, 0));
    let first = kept.lock().unwrap()[0].clone();
    run(&room, Held::read(&first).unwrap()).unwrap();
    assert_eq!(room.ran(), ["bash(make a)"]);
}

/// The version before wrote these.
#[test]
fn what_the_version_before_held_is_taken_up() {
    let asked = include_str!("../../fixtures/held-asked.json");
    let room = Room::new("sayso", How::Interactive, &[]);
    run(&room, Held::read(asked).unwrap()).unwrap();
    assert_eq!(room.ran(), ["bash(make all)"]);
    let whole = include_str!("../../fixtures/held-whole.json");
    let again = room.gate.resume(Held::read(whole).unwrap()).unwrap();
    let call = again.operation().call();
    assert_eq!(call.metadata, [("trace".to_owned(), "1".to_owned())]);
    assert_eq!(call.agent.parents, ["parent", "grand"]);
    assert_eq!(
        (call.batch.as_deref(), call.group.as_deref()),
        (Some("b"), Some("g"))
    );
}
