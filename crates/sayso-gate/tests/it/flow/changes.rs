//! What changes between the question and the run is a new question; an approval is used up by running.

use std::sync::{Arc, Mutex};

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::{Choice, Ended, Prompt};
use sayso_gate::batch_context::Turn;
use sayso_gate::host::{Answer, Asker};
use sayso_gate::ports::{Ask, Later};
use sayso_gate::simulated::{Say, Simulated};

use super::room::{Living, Room};
use crate::bench::{Setup, call};

/// Somebody who always says yes, while the world changes behind their back.
struct Meddler {
    world: Mutex<Option<Arc<Living>>>,
    asked: Mutex<Vec<Arc<Prompt>>>,
    meddle: fn(&Living, usize),
}

impl Ask for Meddler {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(Arc::clone(&prompt));
        (self.meddle)(self.world.lock().unwrap().as_ref().unwrap(), asked.len());
        let answer = prompt.answer(Choice::Offer(0));
        Box::pin(async move {
            Ended::Answered {
                answer,
                by: "somebody".into(),
            }
        })
    }
}

fn room(meddle: fn(&Living, usize)) -> (Room, Arc<Meddler>) {
    let meddler = Arc::new(Meddler {
        world: Mutex::default(),
        asked: Mutex::default(),
        meddle,
    });
    let room = Room::asking(
        &Setup::profile("sayso"),
        How::Interactive,
        Arc::clone(&meddler) as _,
        Arc::new(Simulated::default()),
    );
    *meddler.world.lock().unwrap() = Some(Arc::clone(&room.world));
    room.world.write("/ws/s.sh", "echo harmless");
    (room, meddler)
}

#[test]
fn w13_d02_a_script_that_is_rewritten_while_it_is_asked_about_is_a_new_question() {
    for command in [
        "bash sh ./s.sh",
        "bash ./s.sh",
        "bash sh -x s.sh a",
        "bash python3 s.sh",
        "bash node --require=./s.sh x",
        "bash sh < s.sh",
        "bash . ./s.sh",
    ] {
        let (room, meddler) = room(|world, turn| {
            if turn == 1 {
                world.write("/ws/s.sh", "echo something else");
            }
        });
        let finished = room.call(call(command));
        assert_eq!(
            finished.outcome,
            Outcome::Approved,
            "{command}: {}",
            finished.message
        );
        assert_eq!(
            meddler.asked.lock().unwrap().len(),
            2,
            "{command} is asked about again"
        );
    }
}

#[test]
fn w13_a_script_that_turns_into_what_is_denied_is_denied() {
    for command in ["bash sh ./s.sh", "bash sh -x s.sh a", "bash . ./s.sh"] {
        let (room, meddler) = room(|world, turn| {
            if turn == 1 {
                world.write("/ws/s.sh", "rm -rf ~");
            }
        });
        let finished = room.call(call(command));
        assert_eq!(
            finished.outcome,
            Outcome::Blocked,
            "{command}: {}",
            finished.message
        );
        assert_eq!(
            meddler.asked.lock().unwrap().len(),
            1,
            "{command} is not asked about again"
        );
    }
}

#[test]
fn h_21_a_target_that_turns_into_a_link_is_a_new_question() {
    let (room, meddler) = room(|world, turn| {
        if turn == 1 {
            world.link("/ws/src/main.rs", "/home/u/other.txt");
        }
    });
    room.call(call("file_edit src/main.rs"));
    let asked = meddler.asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    assert!(
        asked[1]
            .verdict
            .reasons
            .iter()
            .any(|reason| reason.must_ask),
        "and the new question is about a file outside"
    );
}

#[test]
fn h_25_a_file_that_changes_under_a_shown_diff_is_a_new_question() {
    let (room, meddler) =
        room(|world, turn| world.write("/ws/src/main.rs", &format!("an old one, number {turn}")));
    let finished = room.call(call("file_edit src/main.rs"));
    assert_eq!(
        meddler.asked.lock().unwrap().len(),
        3,
        "asked anew as long as it changes, three times at most"
    );
    assert_eq!(
        (finished.outcome, room.ran().len()),
        (Outcome::Blocked, 0),
        "{}",
        finished.message
    );
    assert!(
        finished.message.contains("kept changing"),
        "{}",
        finished.message
    );
}

#[test]
fn what_is_remembered_from_an_outdated_question_does_not_count() {
    let (room, _) = room(|world, turn| {
        if turn == 1 {
            world.write("/ws/s.sh", "other");
        }
    });
    room.call(call("bash sh ./s.sh"));
    assert!(
        room.entries()
            .iter()
            .filter(|word| **word == "granted")
            .count()
            == 0
    );
}

#[test]
fn a_08_a_grant_for_a_script_ends_when_the_script_changes() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Session)]);
    room.world.write("/ws/s.sh", "echo harmless");
    assert_eq!(
        room.call(call("bash python3 s.sh")).outcome,
        Outcome::Approved
    );
    assert_eq!(
        room.call(call("bash python3 s.sh")).outcome,
        Outcome::AutoApproved,
        "the same script again"
    );
    room.world.write("/ws/s.sh", "rm -rf ~");
    assert_eq!(
        room.call(call("bash python3 s.sh")).outcome,
        Outcome::Denied,
        "another script is asked about, and nobody says yes"
    );
    assert_eq!(room.person.seen().len(), 2);
}

#[test]
fn d_15_h_43_z_68_an_approval_runs_once_and_only_for_what_it_was_given_to() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    let approved =
        pollster::block_on(room.gate.hold(call("bash cargo build"), &mut Turn::alone())).unwrap();
    let freeze = |text: &str| Operation::freeze(call(text)).unwrap();
    assert!(approved.is_for(&freeze("bash cargo build")));
    assert!(
        !approved.is_for(&freeze("bash cargo build --release")),
        "another argument"
    );
    let elsewhere = sayso_core::call::operation::Call {
        cwd: "/ws/src".to_owned(),
        ..call("bash cargo build")
    };
    assert!(
        !approved.is_for(&Operation::freeze(elsewhere).unwrap()),
        "another folder"
    );
    // Yes runs it, without a second check that refuses; and the value is gone with the run.
    let finished = pollster::block_on(room.gate.run(approved));
    assert!(finished.succeeded());
    assert_eq!(
        room.call(call("bash cargo build")).outcome,
        Outcome::Denied,
        "approve-once is never kept (R-15)"
    );
}

#[test]
fn h_26_what_changes_between_the_answer_and_the_run_stops_the_run() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    room.world.write("/ws/s.sh", "echo harmless");
    let approved =
        pollster::block_on(room.gate.hold(call("bash sh ./s.sh"), &mut Turn::alone())).unwrap();
    room.world.write("/ws/s.sh", "rm -rf ~");
    let finished = pollster::block_on(room.gate.run(approved));
    assert!(room.ran().is_empty() && !finished.succeeded());
    assert!(
        finished.message.contains("changed after it was approved"),
        "{}",
        finished.message
    );
}

#[test]
fn a_script_that_comes_after_a_call_was_judged_is_judged_before_the_yes_counts() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    let judged = room
        .gate
        .judge_calls(&[call("bash sh ./new.sh")])
        .unwrap()
        .remove(0);
    room.world.write("/ws/new.sh", "rm -rf ~");
    let answer = room.gate.answer_judged(judged, &|_, _| Ok(Asker::Gate));
    let Answer::Refuse(finished) = answer else {
        panic!("what it runs by now is denied");
    };
    assert_eq!(finished.outcome, Outcome::Blocked, "{}", finished.message);
}
