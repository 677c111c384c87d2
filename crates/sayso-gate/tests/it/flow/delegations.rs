//! Work for other agents: every attachment is a question of its own, and one denial stops it all.

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::call::tool::Kind;
use sayso_core::text::node::{Node, Value};
use sayso_gate::simulated::Say;

use super::room::Room;
use crate::bench::call;

pub(super) fn delegate(attachments: &[&str]) -> Call {
    let files = attachments.iter().map(|path| Node::text(*path)).collect();
    let args = [
        ("agent", Node::text("helper")),
        ("input", Node::text("do it")),
        ("attachments", Value::List(files).into()),
    ];
    Call {
        args: Node::map(args),
        ..call("delegate helper")
    }
}

#[test]
fn us_13_one_denied_attachment_stops_the_delegation() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[
            Say::Yes(Scope::Once),
            Say::NoBecause("not that one".to_owned()),
        ],
    );
    let finished = room.call(delegate(&[
        "README.md",
        "/home/u/other.txt",
        ".env",
        "src/main.rs",
    ]));
    assert_eq!(finished.outcome, Outcome::Denied);
    assert!(
        finished.message.contains(".env") && finished.message.contains("not that one"),
        "{}",
        finished.message
    );
    assert!(room.ran().is_empty());
    let asked: Vec<_> = room
        .person
        .seen()
        .iter()
        .map(|prompt| (prompt.operation.kind(), prompt.description.clone()))
        .collect();
    assert_eq!(
        asked.len(),
        2,
        "what may simply be read is not asked about: {asked:?}"
    );
    assert!(
        asked
            .iter()
            .all(|(kind, words)| *kind == Kind::ShareFile && words.contains("helper")),
        "{asked:?}"
    );
}

#[test]
fn us_12_a_delegation_is_asked_about_after_its_attachments() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::Yes(Scope::Once)],
    );
    let finished = room.call(delegate(&["/home/u/other.txt"]));
    let kinds: Vec<Kind> = room
        .person
        .seen()
        .iter()
        .map(|prompt| prompt.operation.kind())
        .collect();
    assert_eq!(
        kinds,
        [Kind::ShareFile, Kind::Delegate],
        "{}",
        finished.message
    );
}

#[test]
fn us_13_a_kept_answer_is_for_the_same_file_and_receiver() {
    let room = Room::new("sayso", How::Interactive, &[]);
    room.call(delegate(&["/home/u/other.txt"]));
    let prompt = &room.person.seen()[0];
    assert_eq!(
        prompt.operation.text(sayso_core::call::tool::Role::Agent),
        Some("helper")
    );
    assert_eq!(
        prompt.offers.len(),
        1,
        "a file from outside is only ever shared once"
    );
}
