//! Attacks on what is remembered, one test for each class (bypasses, group A) that is not already one beside it.

use std::sync::Arc;

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Agent, Call, Operation};
use sayso_gate::entry::What;
use sayso_gate::ports::Store as _;
use sayso_gate::prompts::{Answerer, Prompts};
use sayso_gate::simulated::{Say, Simulated};

use super::room::Room;
use crate::bench::{NOW, Setup, by, call, freeze};

fn grant(key: GrantKey, reach: Reach) -> Grant {
    Grant {
        id: "g".into(),
        key,
        reach,
        agent: String::new(),
        expires: None,
        uses_left: None,
        risk: Risk::Unknown,
        seal: None,
    }
}

fn with_grant(grant: Grant) -> Room {
    let room = Room::new("sayso", How::Interactive, &[]);
    room.shelf.memory.remember(grant).unwrap();
    room
}

fn exact(text: &str) -> GrantKey {
    GrantKey::Exact(freeze(call(text)).digest())
}

#[test]
fn a05_an_answer_for_one_file_or_host_is_for_that_one() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Session), Say::Yes(Scope::Session)],
    );
    assert_eq!(
        room.call(call("file_edit src/main.rs")).outcome,
        Outcome::Approved
    );
    assert_eq!(
        room.call(call("webfetch https://example.com/a")).outcome,
        Outcome::Approved
    );
    for other in [
        "file_edit any_file.py",
        "file_write src/main.rs",
        "webfetch https://example.com/b",
        "webfetch https://evil.example/a",
    ] {
        assert_eq!(room.call(call(other)).outcome, Outcome::Denied, "{other}");
    }
}

#[test]
fn a06_an_answer_does_not_travel() {
    let of = |call: Call| Call {
        session: "s".to_owned(),
        ..call
    };
    let base = || of(by("builder", call("bash make a")));
    let reaches = [
        Reach::Session("s".into()),
        Reach::Project("/ws".into()),
        Reach::Always,
    ];
    for reach in reaches {
        let key = GrantKey::Exact(Operation::freeze(base()).unwrap().digest());
        let kept = Grant {
            agent: "builder".into(),
            ..grant(key, reach.clone())
        };
        assert_eq!(
            pollster::block_on(with_grant(kept.clone()).gate.call(base())).outcome,
            Outcome::AutoApproved,
            "{reach:?}"
        );
        for (what, other) in [
            (
                "another folder",
                Call {
                    cwd: "/ws/src".into(),
                    ..base()
                },
            ),
            (
                "another workspace",
                Call {
                    workspace: "/other".into(),
                    cwd: "/ws".into(),
                    ..base()
                },
            ),
            ("another agent", of(by("tester", call("bash make a")))),
            ("no agent", of(call("bash make a"))),
        ] {
            assert_ne!(
                pollster::block_on(with_grant(kept.clone()).gate.call(other)).outcome,
                Outcome::AutoApproved,
                "{reach:?}: {what}"
            );
        }
    }
    let once = Grant {
        agent: "builder".into(),
        ..grant(exact("bash make a"), Reach::Once("call-1".into()))
    };
    assert_ne!(
        pollster::block_on(with_grant(once).gate.call(Call {
            id: "call-2".into(),
            ..base()
        }))
        .outcome,
        Outcome::AutoApproved
    );
}

#[test]
fn a06_a_sub_agent_has_no_more_than_its_parents() {
    let setup = Setup::with("sayso", "agents: {reviewer: {mode: safe-only}}");
    let room = Room::with(&setup, How::Interactive, &[Say::Yes(Scope::Once)]);
    let agent = Agent {
        name: "helper".into(),
        parents: vec!["reviewer".into()],
    };
    assert_eq!(
        room.call(Call {
            agent,
            ..call("bash make a")
        })
        .outcome,
        Outcome::Blocked,
        "its parent may not even ask"
    );
}

#[test]
fn a07_an_old_answer_ends() {
    for (grant, outcome) in [
        (
            Grant {
                expires: Some(NOW),
                ..grant(exact("bash make a"), Reach::Always)
            },
            Outcome::Denied,
        ),
        (
            Grant {
                expires: Some(NOW + 1),
                ..grant(exact("bash make a"), Reach::Always)
            },
            Outcome::AutoApproved,
        ),
        (
            Grant {
                uses_left: Some(0),
                ..grant(exact("bash make a"), Reach::Always)
            },
            Outcome::Denied,
        ),
    ] {
        assert_eq!(
            with_grant(grant.clone()).call(call("bash make a")).outcome,
            outcome,
            "{grant:?}"
        );
    }
    let room = with_grant(Grant {
        uses_left: Some(2),
        ..grant(exact("bash make a"), Reach::Always)
    });
    let outcomes: Vec<Outcome> = (0..3)
        .map(|_| room.call(call("bash make a")).outcome)
        .collect();
    assert_eq!(
        outcomes,
        [
            Outcome::AutoApproved,
            Outcome::AutoApproved,
            Outcome::Denied
        ],
        "used up"
    );
}

#[test]
fn a10_no_answer_overrides_a_denial_an_ask_rule_or_a_must() {
    let setup = Setup::with(
        "sayso",
        "rules: [{deny: {command: \"make *\"}}, {ask: {command: \"cargo *\"}}]",
    );
    for (text, outcome) in [
        ("bash make a", Outcome::Blocked),
        ("bash cargo build", Outcome::Denied),
        ("bash cat .env", Outcome::Denied),
        ("file_delete src/main.rs", Outcome::Denied),
        ("bash rm -rf node_modules", Outcome::Denied),
        ("bash rm -rf /", Outcome::Blocked),
    ] {
        let room = Room::with(&setup, How::Interactive, &[]);
        room.shelf
            .memory
            .remember(grant(exact(text), Reach::Always))
            .unwrap();
        assert_eq!(room.call(call(text)).outcome, outcome, "{text}");
    }
}

#[test]
fn a12_a_tool_that_is_new_is_asked_about() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    assert_eq!(
        room.call(call("shiny_new_tool x")).outcome,
        Outcome::Approved
    );
    assert_eq!(
        room.call(call("shiny_new_tool x")).outcome,
        Outcome::Denied,
        "again, and again"
    );
}

#[test]
fn a13_an_empty_list_allows_nothing() {
    for user in [
        "safe_commands: []",
        "rules: []",
        "trusted_tools: []",
        "trusted_mcp_servers: []",
    ] {
        let room = Room::with(&Setup::with("sayso", user), How::Interactive, &[]);
        for text in ["bash make a", "my_tool x", "mcp server/tool"] {
            assert_eq!(
                room.call(call(text)).outcome,
                Outcome::Denied,
                "{user}: {text}"
            );
        }
    }
}

#[test]
fn a14_who_answered_is_written_down_by_the_name_the_door_vouches_for() {
    let prompts = Prompts::new();
    let room = Room::asking(
        &Setup::profile("sayso"),
        How::Interactive,
        Arc::new(prompts.clone()),
        Arc::new(Simulated::default()),
    );
    for (choice, approved) in [
        (sayso_core::prompt::Choice::Offer(0), true),
        (sayso_core::prompt::Choice::Deny, false),
    ] {
        let seat = prompts.join(Answerer::new("user:1000@tty3"));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let version = seat.version();
                if seat.pending().is_empty() {
                    seat.wait(version, std::time::Duration::from_secs(10));
                }
                let open = seat.pending();
                seat.answer(open[0].answer(choice.clone())).unwrap();
            });
            room.call(call("bash make a"));
        });
        let entries = room.shelf.memory.entries();
        let decided = entries.iter().rev().find_map(|entry| match &entry.what {
            What::Decided { yes, denied_by, .. } => Some((yes.clone(), denied_by.clone())),
            _ => None,
        });
        let (yes, denied_by) = decided.unwrap();
        let name = if approved {
            yes.map(|yes| yes.by)
        } else {
            denied_by
        };
        assert_eq!(name.map(|by| by.text()).as_deref(), Some("user:1000@tty3"));
    }
}
