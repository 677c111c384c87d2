//! Batches: places, the rest of a batch, groups, quitting, and what a denial does to the others.

use std::future::Future as _;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::prompt::Position;
use sayso_gate::batch::{Batch, Options};
use sayso_gate::simulated::Say;

use super::room::Room;
use crate::bench::{Setup, call};

fn run(room: &Room, calls: &[Call], options: Options<'_>) -> Batch {
    let calls = calls
        .iter()
        .map(|call| Call {
            session: "s".to_owned(),
            ..call.clone()
        })
        .collect();
    pollster::block_on(room.gate.batch(calls, options))
}

fn calls(texts: &[&str]) -> Vec<Call> {
    texts.iter().map(|text| call(text)).collect()
}

fn outcomes(batch: &Batch) -> Vec<Outcome> {
    batch
        .results
        .iter()
        .map(|finished| finished.outcome)
        .collect()
}

#[test]
fn b_01_every_prompt_says_which_operation_of_how_many() {
    let room = Room::new("sayso", How::Interactive, &[]);
    run(
        &room,
        &calls(&["bash cargo build", "file_read README.md", "bash cargo test"]),
        Options::default(),
    );
    let places: Vec<_> = room
        .person
        .seen()
        .iter()
        .filter_map(|prompt| prompt.place)
        .collect();
    assert_eq!(
        places,
        [
            Position { index: 1, total: 3 },
            Position { index: 3, total: 3 }
        ]
    );
}

#[test]
fn b_02_the_rest_of_a_batch_ends_with_the_batch() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Batch)]);
    let batch = run(
        &room,
        &calls(&[
            "bash cargo build",
            "bash cargo test",
            "file_edit src/main.rs",
        ]),
        Options::default(),
    );
    assert_eq!(
        outcomes(&batch),
        [
            Outcome::Approved,
            Outcome::AutoApproved,
            Outcome::AutoApproved
        ]
    );
    assert_eq!(batch.summary(), "Completed 3/3");
    let next = run(&room, &calls(&["bash cargo test"]), Options::default());
    assert_eq!(
        outcomes(&next),
        [Outcome::Denied],
        "a new batch is asked about anew"
    );
    assert_eq!(room.person.seen().len(), 2);
    assert!(
        room.shelf
            .memory
            .entries()
            .iter()
            .all(|entry| !matches!(entry.what, sayso_gate::entry::What::Granted { .. })),
        "nothing is kept"
    );
}

#[test]
fn b_03_h_53_the_rest_never_covers_deletes_dangers_and_protected_files() {
    let texts = [
        "bash cargo build",
        "bash cargo test",
        "file_delete old_file.py",
        "bash rm -rf node_modules",
        "file_edit .git/config",
        "my_tool x",
    ];
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Batch)]);
    let batch = run(&room, &calls(&texts), Options::default());
    use Outcome::{Approved, AutoApproved, Denied};
    assert_eq!(
        outcomes(&batch),
        [Approved, AutoApproved, Denied, Denied, Denied, Denied]
    );
    assert!(
        room.person
            .seen()
            .iter()
            .skip(1)
            .all(|prompt| prompt.offer(Scope::Batch).is_none()),
        "not offered there either"
    );
}

#[test]
fn z_12_only_one_profile_lets_the_rest_cover_a_danger() {
    let texts = [
        "bash cargo build",
        "bash rm -rf node_modules",
        "file_delete old_file.py",
    ];
    let room = Room::new("kollabor-spec", How::Interactive, &[Say::Yes(Scope::Batch)]);
    let batch = run(&room, &calls(&texts), Options::default());
    assert_eq!(
        outcomes(&batch),
        [Outcome::Approved, Outcome::AutoApproved, Outcome::Denied],
        "a delete by a file tool still asks (Z-10)"
    );
}

/// finding A-09: a program that says yes to the second confirmation confirms what was chosen at the first, and nothing narrower.
/// finding A-20: all at the only operation is a yes for this one.
#[test]
fn finding_a_09_and_a_20_hold_for_programs_that_answer() {
    let texts = [
        "bash rm -rf build",
        "bash rm -rf node_modules",
        "bash cargo build",
    ];
    for second in [Scope::Once, Scope::Batch] {
        let room = Room::new(
            "kollabor-spec",
            How::Interactive,
            &[Say::Yes(Scope::Batch), Say::Yes(second)],
        );
        room.world.write("/ws/build", "x");
        room.world.write("/ws/node_modules", "x");
        let batch = run(&room, &calls(&texts), Options::default());
        assert_eq!(
            outcomes(&batch),
            [
                Outcome::Approved,
                Outcome::AutoApproved,
                Outcome::AutoApproved
            ],
            "{second:?}"
        );
        assert_eq!(batch.results[0].yes.as_ref().unwrap().scope, Scope::Batch);
        let seen = room.person.seen();
        assert_eq!(
            seen[1].offers,
            [seen[0].offers[seen[0].offer(Scope::Batch).unwrap()].clone()]
        );
    }
    let room = Room::new("kollabor-spec", How::Interactive, &[Say::Yes(Scope::Batch)]);
    let batch = run(&room, &calls(&["bash cargo build"]), Options::default());
    assert_eq!(
        batch.results[0].yes.as_ref().map(|yes| yes.scope),
        Some(Scope::Once)
    );
}

#[test]
fn b_04_z_27_h_80_quitting_gives_every_call_a_result_in_order() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::Quit],
    );
    let texts = [
        "bash cargo build",
        "bash cargo test",
        "file_read README.md",
        "bash   ",
        "bash cargo doc",
    ];
    let batch = run(&room, &calls(&texts), Options::default());
    use Outcome::{Approved, Blocked, Cancelled};
    assert_eq!(
        outcomes(&batch),
        [Approved, Cancelled, Cancelled, Blocked, Cancelled]
    );
    assert_eq!(
        batch
            .results
            .iter()
            .map(|finished| finished.id.is_empty())
            .collect::<Vec<_>>(),
        [false; 5]
    );
    assert_eq!(batch.executed().count(), 1);
    assert_eq!(
        batch.answered().count(),
        3,
        "the two that were answered, and the malformed one"
    );
    assert!(
        batch.stopped
            && batch
                .summary()
                .starts_with("Cancelled 2 remaining / Completed 1/5"),
        "{}",
        batch.summary()
    );
    assert_eq!(room.ran().len(), 1);
}

#[test]
fn seed_000_quit_after_the_second_of_three_leaves_two_answered() {
    let room = Room::new(
        "kollabor-spec",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::Quit],
    );
    let batch = run(
        &room,
        &calls(&["bash make a", "bash make b", "bash make c"]),
        Options::default(),
    );
    assert_eq!(batch.answered().count(), 2);
    assert_eq!(batch.results[1].message, "User requested to stop execution");
}

#[test]
fn seed_000_a_batch_of_edit_create_and_delete_all_runs() {
    let script = [
        Say::Yes(Scope::Batch),
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Once),
    ];
    let room = Room::new("kollabor-spec", How::Interactive, &script);
    let batch = run(
        &room,
        &calls(&[
            "file_edit core/application.py",
            "file_create src/new.py",
            "file_delete old_file.py",
        ]),
        Options::default(),
    );
    // The edit is of a protected file, which only ever takes a yes for once.
    let ran = batch.executed().count();
    assert!(ran < 3, "approve-all is not offered on a protected file");
    let script = [
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Once),
    ];
    let room = Room::new("kollabor-spec", How::Interactive, &script);
    let batch = run(
        &room,
        &calls(&[
            "file_edit core/application.py",
            "file_create src/new.py",
            "file_delete old_file.py",
        ]),
        Options::default(),
    );
    assert_eq!(batch.executed().count(), 3, "{:?}", outcomes(&batch));
}

#[test]
fn b_05_a_denial_or_a_timeout_skips_one_and_goes_on() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::No, Say::Nothing, Say::Breaks, Say::Yes(Scope::Once)],
    );
    let batch = run(
        &room,
        &calls(&["bash make a", "bash make b", "bash make c", "bash make d"]),
        Options::default(),
    );
    use Outcome::{Approved, Blocked, Denied, TimedOut};
    assert_eq!(outcomes(&batch), [Denied, TimedOut, Blocked, Approved]);
    assert!(!batch.stopped);
}

#[test]
fn z_26_a_denial_ends_the_batch_where_that_is_wanted() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::NoBecause("not today".to_owned())],
    );
    let batch = run(
        &room,
        &calls(&["bash make a", "bash make b"]),
        Options {
            deny_aborts: true,
            ..Options::default()
        },
    );
    assert_eq!(outcomes(&batch), [Outcome::Denied, Outcome::Cancelled]);
    assert!(batch.results[0].message.contains("not today"));
}

#[test]
fn b_07_calls_of_a_group_are_one_question_and_nothing_is_grouped_by_guessing() {
    let grouped = |text: &str, group: &str| Call {
        group: Some(group.to_owned()),
        ..call(text)
    };
    let list = [
        grouped("bash make a", "g"),
        grouped("bash make b", "g"),
        call("bash make c"),
        grouped("bash rm -rf node_modules", "g"),
    ];
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::No, Say::No],
    );
    let batch = run(&room, &list, Options::default());
    use Outcome::{Approved, AutoApproved, Denied};
    assert_eq!(
        outcomes(&batch),
        [Approved, AutoApproved, Denied, Denied],
        "a danger leaves the group"
    );
    let seen = room.person.seen();
    assert_eq!(seen[0].group.len(), 1);
    assert!(
        seen[0].group[0].description.contains("make b"),
        "{:?}",
        seen[0].group
    );
    assert!(
        seen[0]
            .offers
            .iter()
            .all(|offer| offer.scope == Scope::Once),
        "one answer for several is for these and no more"
    );

    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::NoBecause("neither".to_owned())],
    );
    let batch = run(&room, &list[..2], Options::default());
    assert_eq!(outcomes(&batch), [Denied, Denied]);
    assert_eq!(
        (room.person.seen().len(), batch.results[1].note.as_deref()),
        (1, Some("neither"))
    );
}

#[test]
fn every_member_of_a_group_is_shown_whole() {
    let edit = |path: &str| Call {
        group: Some("g".to_owned()),
        ..call(&format!("file_edit {path}"))
    };
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    let batch = run(
        &room,
        &[edit("src/main.rs"), edit("package.json")],
        Options::default(),
    );
    assert_eq!(outcomes(&batch), [Outcome::Approved, Outcome::AutoApproved]);
    let member = &room.person.seen()[0].group[0];
    assert_eq!(
        member.presentation.whole().word(),
        "diff",
        "what would change in it is there, and not only its name"
    );
}

#[test]
fn x_04_a_batch_that_is_dropped_ends_every_call_of_it() {
    let prompts = sayso_gate::prompts::Prompts::new();
    let _seat = prompts.join(sayso_gate::prompts::Answerer::new("tui"));
    let person = std::sync::Arc::new(sayso_gate::simulated::Simulated::default());
    let room = Room::asking(
        &Setup::profile("sayso"),
        How::Interactive,
        std::sync::Arc::new(prompts.clone()),
        person,
    );
    {
        let mut batch = Box::pin(room.gate.batch(
            calls(&["bash ls", "bash make a", "bash make b", "bash make c"]),
            Options::default(),
        ));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(batch.as_mut().poll(&mut context).is_pending());
        assert_eq!(prompts.len(), 1);
    }
    assert!(prompts.is_empty());
    let counts = room.gate.stats.counts();
    assert_eq!(
        (
            counts.total,
            counts.of(Outcome::AutoApproved),
            counts.of(Outcome::Cancelled)
        ),
        (4, 1, 3)
    );
}

#[test]
fn a_grouped_yes_is_used_up() {
    let grouped = |text: &str| Call {
        group: Some("g".to_owned()),
        ..call(text)
    };
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once), Say::No]);
    let list = [
        grouped("bash make a"),
        grouped("bash make b"),
        call("bash make b"),
    ];
    let batch = run(&room, &list, Options::default());
    assert_eq!(
        outcomes(&batch),
        [Outcome::Approved, Outcome::AutoApproved, Outcome::Denied]
    );
}

#[test]
fn z_11_a_batch_is_no_session_and_a_session_no_batch() {
    let room = Room::with(
        &Setup::profile("sayso"),
        How::Interactive,
        &[Say::Yes(Scope::Session), Say::No],
    );
    run(&room, &calls(&["bash make a"]), Options::default());
    let batch = run(
        &room,
        &calls(&["bash make a", "bash make b"]),
        Options::default(),
    );
    assert_eq!(outcomes(&batch), [Outcome::AutoApproved, Outcome::Denied]);
}
