//! Calls that are begun: what needs nobody is decided at once, a question waits apart, and each call has one end.

use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::call::tool::Kind;
use sayso_core::text::node::Node;
use sayso_gate::approved::Approved;
use sayso_gate::begin::Begun;
use sayso_gate::finished::Finished;
use sayso_gate::gate::Gate;
use sayso_gate::ports::Ran;
use sayso_gate::simulated::Say;

use super::delegations::delegate;
use super::room::Room;
use crate::bench::call;

fn alone(text: &str) -> Call {
    Call {
        session: "s".to_owned(),
        ..call(text)
    }
}

fn ask(gate: &Arc<Gate>, call: Call) -> Result<Approved, Box<Finished>> {
    match gate.begin(call) {
        Begun::Asks(question) => pollster::block_on(question.answer()),
        decided => panic!("it is not asked about: {decided:?}"),
    }
}

#[test]
fn what_needs_nobody_is_decided_at_once_and_ends_when_its_caller_says_so() {
    let Room {
        gate, hands, shelf, ..
    } = Room::new("sayso", How::Interactive, &[]);
    let gate = Arc::new(gate);
    let Begun::Approved(approved) = gate.begin(alone("file_read README.md")) else {
        panic!("it is allowed");
    };
    let started = gate.start(approved).unwrap();
    assert_eq!(shelf.memory.entries().len(), 1, "decided, and not finished");
    let finished = gate.finish(started, Ran::Done(Node::text("done")));
    assert_eq!(finished.outcome, Outcome::AutoApproved);
    assert_eq!(shelf.memory.entries().len(), 2);
    assert!(hands.ran.lock().unwrap().is_empty(), "the caller runs it");
    let denied = gate.begin(alone("terminal rm -rf /"));
    assert!(matches!(denied, Begun::Refused(finished) if finished.outcome == Outcome::Blocked));
}

#[test]
fn a_question_waits_until_it_is_asked_and_one_that_is_dropped_takes_the_call_back() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::NoBecause("no".to_owned())],
    );
    let (gate, person, shelf) = (Arc::new(room.gate), room.person, room.shelf);
    let dropped = gate.begin(alone("terminal make a"));
    assert!(person.seen().is_empty() && shelf.memory.entries().is_empty());
    drop(dropped);
    assert_eq!(shelf.memory.entries().len(), 1, "it was taken back");
    let Begun::Asks(question) = gate.begin(alone("terminal make a")) else {
        panic!("it is asked about");
    };
    drop(question.answer());
    assert_eq!(shelf.memory.entries().len(), 2, "nor was that one asked");
    let approved = ask(&gate, alone("terminal make b")).unwrap();
    assert!(approved.yes().is_some() && person.seen().len() == 1);
    let refused = ask(&gate, alone("terminal make c")).unwrap_err();
    assert_eq!(refused.outcome, Outcome::Denied);
    // Twice taken back, asked and decided twice.
    assert_eq!(shelf.memory.entries().len(), 6);
}

#[test]
fn files_that_go_along_with_a_delegation_are_asked_about_too() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::Yes(Scope::Once)],
    );
    let gate = Arc::new(room.gate);
    let approved = ask(&gate, delegate(&["/home/u/other.txt"]));
    assert!(approved.is_ok());
    let seen = room.person.seen();
    let kinds: Vec<Kind> = seen.iter().map(|prompt| prompt.operation.kind()).collect();
    assert_eq!(kinds, [Kind::ShareFile, Kind::Delegate]);
}
