//! What the systems that sayso grew from were tested for, each under its profile (ledger 3.19, 3.7, 3.13).

use std::sync::Arc;

use sayso_core::answer::grant::GrantKey;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, ToolSays};
use sayso_core::prompt::Choice;
use sayso_core::text::node::Node;
use sayso_gate::ports::Store as _;
use sayso_gate::prompts::{Answerer, Prompts};
use sayso_gate::simulated::{Say, Simulated};

use super::room::Room;
use crate::bench::{Setup, call};

#[test]
fn seed_000_a_request_is_there_while_it_waits_and_gone_when_it_was_answered() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let room = Room::asking(
        &Setup::profile("kollabor-spec"),
        How::Interactive,
        Arc::new(prompts.clone()),
        Arc::new(Simulated::default()),
    );
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| room.call(call("bash make a")));
        while seat.pending().is_empty() {
            seat.wait(seat.version(), std::time::Duration::from_millis(20));
        }
        let open = seat.pending();
        assert_eq!(open[0].timeout, Some(30));
        seat.answer(open[0].answer(Choice::Offer(0))).unwrap();
        assert_eq!(waiting.join().unwrap().outcome, Outcome::Approved);
    });
    assert!(prompts.is_empty());
}

#[test]
fn seed_000_a_timeout_is_its_own_outcome() {
    let room = Room::new("kollabor-spec", How::Interactive, &[Say::Nothing]);
    let finished = room.call(call("bash make a"));
    assert_eq!(
        (finished.outcome, finished.message.as_str()),
        (Outcome::TimedOut, "Operation timed out awaiting approval")
    );
}

#[test]
fn seed_000_counters_exist_under_their_names() {
    let room = Room::new(
        "kollabor-spec",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::Yes(Scope::Once), Say::No],
    );
    for text in ["bash ls -la", "file_delete old_file.py", "bash make a"] {
        room.call(call(text));
    }
    let counts = room.gate.stats.counts();
    let named: std::collections::BTreeMap<&str, u64> = counts.named().into_iter().collect();
    for (name, count) in [
        ("total_requests", 3),
        ("approved", 1),
        ("denied", 1),
        ("auto_approved", 1),
        ("double_confirmed", 1),
        ("quit_requested", 0),
    ] {
        assert_eq!(named.get(name), Some(&count), "{name}: {named:?}");
    }
    room.gate.stats.reset();
    assert_eq!(room.gate.stats.counts().total, 0);
}

#[test]
fn seed_001_the_matrix_of_what_a_tool_says_and_the_mode() {
    let says = [
        ("pre-approved", ToolSays::PreApproved),
        (
            "request",
            ToolSays::NeedsApproval {
                payload: Node::text("p"),
                description: "Send a mail".into(),
            },
        ),
        (
            "blocked",
            ToolSays::Blocked {
                reason: "never".into(),
            },
        ),
    ];
    use Outcome::{Approved, AutoApproved, Blocked};
    for ((name, says), row) in says.into_iter().zip([
        [AutoApproved, AutoApproved, AutoApproved],
        [Approved, AutoApproved, Blocked],
        [Blocked; 3],
    ]) {
        for (how, outcome) in [How::Interactive, How::ApproveAll, How::Strict]
            .into_iter()
            .zip(row)
        {
            let room = Room::new("llm-do", how, &[Say::Yes(Scope::Once)]);
            let finished = room.call(Call {
                says: says.clone(),
                ..call("send_email x")
            });
            assert_eq!(
                finished.outcome, outcome,
                "{name} under {how:?}: {}",
                finished.message
            );
        }
    }
}

#[test]
fn seed_001_a_session_answer_is_by_the_tools_own_payload() {
    let says = |payload: &str| ToolSays::NeedsApproval {
        payload: Node::text(payload),
        description: format!("Send to {payload}"),
    };
    let send = |payload: &str, body: &str| Call {
        says: says(payload),
        ..call(&format!("send_email {body}"))
    };
    let room = Room::new("llm-do", How::Interactive, &[Say::Yes(Scope::Session)]);
    assert_eq!(room.call(send("anna", "one")).outcome, Outcome::Approved);
    assert_eq!(
        room.call(send("anna", "two")).outcome,
        Outcome::AutoApproved,
        "the body is no part of the payload"
    );
    assert_eq!(room.call(send("bert", "one")).outcome, Outcome::Denied);
    assert_eq!(
        room.person.seen()[0].description,
        "send_email says: Send to anna"
    );
}

#[test]
fn seed_003_the_four_answers() {
    let once = Room::new("opencode", How::Interactive, &[Say::Yes(Scope::Once)]);
    assert_eq!(
        (
            once.call(call("bash make a")).outcome,
            once.call(call("bash make a")).outcome
        ),
        (Outcome::Approved, Outcome::Denied)
    );
    let always = Room::new("opencode", How::Interactive, &[Say::Yes(Scope::Always)]);
    assert_eq!(
        (
            always.call(call("bash make a")).outcome,
            always.call(call("bash make a")).outcome
        ),
        (Outcome::Approved, Outcome::AutoApproved)
    );
    assert!(
        always
            .shelf
            .memory
            .grants()
            .iter()
            .any(|grant| matches!(grant.key, GrantKey::Rule(_))),
        "Always is a rule that stays"
    );
    let pattern = Room::new(
        "opencode",
        How::Interactive,
        &[Say::Pattern("cargo build *".into(), Scope::Session)],
    );
    assert_eq!(
        (
            pattern.call(call("bash cargo build a")).outcome,
            pattern.call(call("bash cargo build b")).outcome
        ),
        (Outcome::Approved, Outcome::AutoApproved)
    );
    let deny = Room::new("opencode", How::Interactive, &[Say::No]);
    assert_eq!(
        deny.call(call("bash make a")).message,
        "permission denied by user"
    );
    assert!(
        deny.shelf.memory.grants().is_empty(),
        "a denial is never kept (R-15)"
    );
}

#[test]
fn seed_002_deny_with_a_reason_reaches_the_agent() {
    let room = Room::new(
        "forge",
        How::Interactive,
        &[Say::NoBecause("edit the config instead".into())],
    );
    let finished = room.call(call("my_tool x"));
    assert!(
        finished.message.contains("edit the config instead"),
        "{}",
        finished.message
    );
    assert_eq!(finished.note.as_deref(), Some("edit the config instead"));
}

#[test]
fn seed_004_a_denial_cancels_and_is_told_with_its_reason() {
    let room = Room::new("kollabor", How::Interactive, &[Say::No]);
    room.call(call("bash make a"));
    let last = room.events.events().pop().unwrap();
    assert_eq!(last.kind, sayso_gate::events::EventKind::Denied);
}

#[test]
fn ledger_3_13_every_error_ends_in_a_denial_and_the_batch_goes_on() {
    let script = [
        Say::Nothing,
        Say::Breaks,
        Say::ToAnother,
        Say::TakenBack,
        Say::Gone,
        Say::Offer(77),
        Say::Yes(Scope::Once),
    ];
    let room = Room::new("kollabor-spec", How::Interactive, &script);
    let calls = (0..7)
        .map(|number| call(&format!("bash make {number}")))
        .collect();
    let batch = pollster::block_on(
        room.gate
            .batch(calls, sayso_gate::batch::Options::default()),
    );
    use Outcome::{Approved, Blocked, Cancelled, Nobody, TimedOut};
    let outcomes: Vec<Outcome> = batch
        .results
        .iter()
        .map(|finished| finished.outcome)
        .collect();
    assert_eq!(
        outcomes,
        [
            TimedOut, Blocked, Blocked, Cancelled, Nobody, Blocked, Approved
        ]
    );
    assert_eq!(room.ran().len(), 1);
}

#[test]
fn h_54_z_24_a_delete_takes_two_prompts_and_two_fresh_answers() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let room = Room::asking(
        &Setup::profile("sayso"),
        How::Interactive,
        Arc::new(prompts.clone()),
        Arc::new(Simulated::default()),
    );
    let next = || {
        while seat.pending().is_empty() {
            seat.wait(seat.version(), std::time::Duration::from_millis(20));
        }
        seat.pending()[0].clone()
    };
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| room.call(call("file_delete old_file.py")));
        let first = next();
        let yes = first.answer(Choice::Offer(0));
        seat.answer(yes.clone()).unwrap();
        let second = next();
        assert_ne!(first.id, second.id);
        assert!(room.ran().is_empty(), "one yes deletes nothing");
        assert!(
            seat.answer(yes).is_err(),
            "the first answer again is no answer to the second prompt"
        );
        seat.answer(second.answer(Choice::Offer(0))).unwrap();
        assert_eq!(
            waiting.join().unwrap().yes.map(|yes| yes.confirmations),
            Some(2)
        );
    });
    assert_eq!(
        (room.ran().len(), room.gate.stats.counts().double_confirmed),
        (1, 1)
    );
}
