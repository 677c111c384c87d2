//! Every failure is a denial, at once, written down where it can be, and the next call goes on.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::policy::decision::Decision;
use sayso_gate::events::EventKind;
use sayso_gate::prompts::{Answerer, Prompts};
use sayso_gate::simulated::{Say, Simulated};

use super::room::Room;
use crate::bench::{Setup, call};

#[test]
fn h_79_d05_a_screen_that_breaks_denies_at_once_and_the_next_call_is_asked() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Breaks, Say::Yes(Scope::Once)],
    );
    let finished = room.call(call("bash make a"));
    assert_eq!(finished.outcome, Outcome::Blocked);
    assert!(
        finished.message.contains("the simulated screen broke"),
        "{}",
        finished.message
    );
    assert_eq!(room.call(call("bash make b")).outcome, Outcome::Approved);
}

#[test]
fn d07_d_09_without_anybody_at_the_queue_a_question_is_denied_at_once() {
    let prompts = Prompts::new();
    let room = Room::asking(
        &Setup::profile("sayso"),
        How::Interactive,
        Arc::new(prompts.clone()),
        Arc::new(Simulated::default()),
    );
    assert_eq!(room.call(call("bash make a")).outcome, Outcome::Nobody);
    let seat = prompts.join(Answerer::new("tui"));
    drop(seat);
    assert_eq!(room.call(call("bash make a")).outcome, Outcome::Nobody);
    assert_eq!(
        room.call(call("file_read README.md")).outcome,
        Outcome::AutoApproved,
        "what needs no question still runs"
    );
}

#[test]
fn d17_no_entry_no_run() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::Yes(Scope::Session)],
    );
    room.shelf.full.store(true, Ordering::SeqCst);
    for text in ["file_read README.md", "bash make a", "bash make b"] {
        let finished = room.call(call(text));
        assert_eq!(finished.outcome, Outcome::Blocked, "{text}");
        assert!(
            finished.message.contains("the disk is full"),
            "{text}: {}",
            finished.message
        );
    }
    assert!(room.ran().is_empty());
    room.shelf.full.store(false, Ordering::SeqCst);
    assert_eq!(
        room.call(call("file_read README.md")).outcome,
        Outcome::AutoApproved
    );
}

#[test]
fn h_27_a_preview_that_fails_denies() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    room.world.unreadable.store(true, Ordering::SeqCst);
    let finished = room.call(call("file_edit src/main.rs"));
    assert_eq!(
        (finished.outcome, room.person.seen().len()),
        (Outcome::Blocked, 0)
    );
    assert!(
        finished.message.contains("could not be shown"),
        "{}",
        finished.message
    );
}

#[test]
fn a_world_that_cannot_look_denies() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    room.world.blind.store(true, Ordering::SeqCst);
    assert_eq!(room.call(call("bash make a")).outcome, Outcome::Blocked);
    assert!(room.person.seen().is_empty());
}

#[test]
fn a_tool_that_fails_or_breaks_is_no_denial() {
    for breaks in [false, true] {
        let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
        if breaks {
            room.hands.breaks.store(true, Ordering::SeqCst)
        } else {
            room.hands.fails.store(true, Ordering::SeqCst)
        };
        let finished = room.call(call("bash make a"));
        assert_eq!(
            (finished.outcome, finished.succeeded()),
            (Outcome::Approved, false)
        );
        let counts = room.gate.stats.counts();
        assert_eq!(
            (
                counts.of(Outcome::Approved),
                counts.of(Outcome::Denied),
                counts.failed
            ),
            (1, 0, 1)
        );
        assert!(room.kinds().contains(&EventKind::ToolCallPost));
    }
}

#[test]
fn h_29_h_30_no_tool_is_outside_the_gate() {
    for text in [
        "my_tool x",
        "FILE_DELETE src/main.rs",
        "file_frobnicate x",
        "navigate x",
        "start_session x",
    ] {
        let room = Room::new("sayso", How::Interactive, &[]);
        assert_eq!(room.call(call(text)).outcome, Outcome::Denied, "{text}");
        assert_eq!(room.person.seen().len(), 1, "{text} is asked about");
    }
}

#[test]
fn a_malformed_call_is_denied_with_an_end_of_its_own() {
    let room = Room::new("sayso", How::Interactive, &[]);
    for bad in [
        call("bash \0"),
        call("bash   "),
        Call {
            cwd: "not absolute".to_owned(),
            ..call("bash ls")
        },
        Call {
            tool: "\u{1b}[2K".to_owned(),
            ..call("bash ls")
        },
    ] {
        let finished = room.call(bad);
        assert_eq!(finished.outcome, Outcome::Blocked);
        assert!(
            finished
                .message
                .starts_with("denied: the call is malformed"),
            "{}",
            finished.message
        );
        assert!(!finished.message.contains('\u{1b}'));
    }
    assert_eq!(room.gate.stats.counts().of(Outcome::Blocked), 4);
}

#[test]
fn plugins_only_tighten_and_one_that_breaks_denies() {
    let room = Room::new("sayso", How::Interactive, &[]);
    room.gate.add_plugin(
        "looser",
        Arc::new(|_, _| Some((Decision::Allow, "fine".to_owned()))),
    );
    assert_eq!(room.call(call("bash rm -rf /")).outcome, Outcome::Blocked);
    assert_eq!(
        room.call(call("bash make a")).outcome,
        Outcome::Denied,
        "still asked"
    );
    room.gate.add_plugin(
        "asker",
        Arc::new(|operation, _| {
            operation
                .text(sayso_core::call::tool::Role::Path)
                .map(|_| (Decision::Ask, "look twice".to_owned()))
        }),
    );
    assert_eq!(
        room.call(call("file_read README.md")).outcome,
        Outcome::Denied,
        "asked now, and nobody says yes"
    );
    assert!(
        room.person.seen().last().unwrap().offers.len() == 1,
        "a plugin's question takes a yes for once only"
    );
    room.gate
        .add_plugin("broken", Arc::new(|_, _| panic!("oh")));
    let finished = room.call(call("bash ls"));
    assert_eq!(finished.outcome, Outcome::Blocked);
    assert!(
        finished.message.contains("the plugin broke: oh"),
        "{}",
        finished.message
    );
}

#[test]
fn h_73_after_repeated_denials_alike_calls_are_not_asked_about_for_a_while() {
    let room = Room::new("sayso", How::Interactive, &[]);
    for turn in 0..8 {
        room.call(call(&format!("bash git push origin branch-{turn}")));
    }
    assert_eq!(room.person.seen().len(), 5, "then the circuit is open");
    assert_eq!(room.gate.stats.counts().of(Outcome::Blocked), 3);
    room.person.then(Say::Yes(Scope::Once));
    assert_eq!(
        room.call(call("bash make a")).outcome,
        Outcome::Approved,
        "others are asked about"
    );
}

#[test]
fn u_08_nothing_is_rendered_when_nothing_is_asked() {
    let room = Room::new("sayso", How::Interactive, &[]);
    for text in [
        "file_read README.md",
        "bash ls",
        "bash rm -rf /",
        "file_write docs/a.md",
    ] {
        room.call(call(text));
    }
    assert_eq!(room.world.looked_into.load(Ordering::SeqCst), 0);
}
