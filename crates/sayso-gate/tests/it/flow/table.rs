//! Mode × decision × answer × batch state: each row's end, events, entries and runs, against a second way to say what must come out.

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::prompt::Round;
use sayso_gate::batch::Options;
use sayso_gate::events::EventKind;
use sayso_gate::simulated::Say;

use super::room::Room;
use crate::bench::call;

/// What the policy says of a call before anybody is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Allowed,
    Asked,
    /// Asked, and only ever once.
    Must,
    Twice,
    Denied,
    Malformed,
}

const CALLS: [(&str, Class); 12] = [
    ("file_read README.md", Class::Allowed),
    ("bash ls -la", Class::Allowed),
    ("bash cargo build", Class::Asked),
    ("file_edit src/main.rs", Class::Asked),
    ("webfetch https://example.com/", Class::Asked),
    ("file_read /home/u/other.txt", Class::Must),
    ("file_edit .git/config", Class::Must),
    ("my_tool x", Class::Must),
    ("file_delete src/main.rs", Class::Twice),
    ("bash rm -rf node_modules", Class::Twice),
    ("bash rm -rf /", Class::Denied),
    ("bash   ", Class::Malformed),
];

const HOWS: [How; 5] = [
    How::Interactive,
    How::ApproveAll,
    How::Yolo,
    How::Strict,
    How::Nobody,
];

fn says() -> Vec<Say> {
    vec![
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Session),
        Say::Yes(Scope::Project),
        Say::Yes(Scope::Always),
        Say::Yes(Scope::Batch),
        Say::Offer(99),
        Say::Pattern("cargo build *".to_owned(), Scope::Session),
        Say::Pattern("*".to_owned(), Scope::Session),
        Say::No,
        Say::NoBecause("use make".to_owned()),
        Say::Quit,
        Say::Nothing,
        Say::TakenBack,
        Say::Gone,
        Say::Breaks,
        Say::ToAnother,
        Say::ToOther,
    ]
}

/// Whether the class, in a place, takes such a yes at all.
fn offered(text: &str, class: Class, scope: Scope, in_batch: bool) -> bool {
    match scope {
        Scope::Once => true,
        Scope::Batch => in_batch && class == Class::Asked,
        // A tool that nobody knows is asked about until an answer names it.
        Scope::Session | Scope::Project | Scope::Always => {
            class == Class::Asked || text.starts_with("my_tool")
        }
    }
}

/// The end of one answer.
fn after(text: &str, class: Class, say: &Say, in_batch: bool) -> Outcome {
    match say {
        Say::Yes(scope) if offered(text, class, *scope, in_batch) => Outcome::Approved,
        Say::Yes(_) | Say::No | Say::NoBecause(_) => Outcome::Denied,
        Say::Pattern(pattern, _) if pattern == "cargo build *" && text == "bash cargo build" => {
            Outcome::Approved
        }
        Say::Offer(_) | Say::Pattern(..) | Say::Breaks | Say::ToAnother | Say::ToOther => {
            Outcome::Blocked
        }
        Say::Quit | Say::TakenBack => Outcome::Cancelled,
        Say::Nothing => Outcome::TimedOut,
        Say::Gone => Outcome::Nobody,
    }
}

/// The end of a call and how many prompts it takes, said in another way than the gate does.
fn expected(
    text: &str,
    class: Class,
    how: How,
    dry: bool,
    script: &[Say],
    in_batch: bool,
) -> (Outcome, usize) {
    match (class, how) {
        (Class::Malformed | Class::Denied, _) => (Outcome::Blocked, 0),
        (Class::Allowed, _) if !dry => (Outcome::AutoApproved, 0),
        (Class::Allowed, _) => (Outcome::DryRun, 0),
        (_, How::Strict | How::Nobody) => (Outcome::Blocked, 0),
        _ if dry => (Outcome::DryRun, 0),
        (_, How::ApproveAll | How::Yolo) => (Outcome::AutoApproved, 0),
        (Class::Twice, How::Interactive) => match after(text, class, &script[0], in_batch) {
            Outcome::Approved => (after(text, class, &script[1], in_batch), 2),
            other => (other, 1),
        },
        (Class::Asked | Class::Must, How::Interactive) => {
            (after(text, class, &script[0], in_batch), 1)
        }
    }
}

fn check(room: &Room, text: &str, outcome: Outcome, prompts: usize, what: &str) {
    let kinds = room.kinds();
    let ends: Vec<&EventKind> = kinds.iter().filter(|kind| kind.is_end()).collect();
    assert_eq!(ends, [&EventKind::of(outcome)], "{what}: exactly one end");
    assert_eq!(room.person.seen().len(), prompts, "{what}: prompts");
    let count = |kind: EventKind| kinds.iter().filter(|one| **one == kind).count();
    assert_eq!(
        (count(EventKind::Requested), count(EventKind::Responded)),
        (prompts, prompts),
        "{what}: {kinds:?}"
    );
    assert_eq!(kinds.first(), Some(&EventKind::ToolCallPre), "{what}");
    assert_eq!(
        count(EventKind::ToolCallPost),
        usize::from(outcome.ran()),
        "{what}"
    );
    assert_eq!(
        room.ran().len(),
        usize::from(outcome.ran()),
        "{what}: {text} runs exactly when it was approved"
    );
    let entries = room.entries();
    assert_eq!(
        entries.iter().filter(|word| **word == "decided").count(),
        1,
        "{what}: {entries:?}"
    );
    assert_eq!(
        entries.last() == Some(&"finished"),
        outcome.ran(),
        "{what}: {entries:?}"
    );
    let counts = room.gate.stats.counts();
    assert_eq!(
        (counts.total, counts.of(outcome), counts.failed),
        (1, 1, 0),
        "{what}: {counts:?}"
    );
    assert_eq!(
        counts.double_confirmed,
        u64::from(prompts == 2 && outcome == Outcome::Approved),
        "{what}"
    );
    assert_eq!(
        counts.quit_requested,
        u64::from(kinds.contains(&EventKind::Quit)),
        "{what}"
    );
    let rounds: Vec<Round> = room
        .person
        .seen()
        .iter()
        .map(|prompt| prompt.round)
        .collect();
    assert!(
        rounds.is_empty()
            || rounds == [Round::Only]
            || rounds == [Round::First]
            || rounds == [Round::First, Round::Second],
        "{what}"
    );
}

#[test]
fn every_way_a_call_can_go_ends_as_it_must() {
    let mut rows = 0;
    for (text, class) in CALLS {
        for how in HOWS {
            for dry in [false, true] {
                for first in says() {
                    for second in if class == Class::Twice && first == Say::Yes(Scope::Once) {
                        says()
                    } else {
                        vec![Say::No]
                    } {
                        let script = [first.clone(), second];
                        let room = Room::new("sayso", how, &script);
                        let room = if dry {
                            Room {
                                gate: room.gate.dry(),
                                ..room
                            }
                        } else {
                            room
                        };
                        let finished = room.call(call(text));
                        let what = format!("{text} under {how:?}, dry {dry}, {script:?}");
                        let (outcome, prompts) = expected(text, class, how, dry, &script, false);
                        assert_eq!(finished.outcome, outcome, "{what}: {}", finished.message);
                        check(&room, text, outcome, prompts, &what);
                        assert_eq!(
                            finished.message.is_empty(),
                            outcome.ran() || outcome == Outcome::DryRun,
                            "{what}: {}",
                            finished.message
                        );
                        let approved_by_person = finished.yes.is_some();
                        assert_eq!(approved_by_person, outcome == Outcome::Approved, "{what}");
                        rows += 1;
                    }
                }
            }
        }
    }
    // In a batch, as the first of three: its own end is as alone, and the others follow from it.
    for (text, class) in CALLS {
        for first in says() {
            for second in if class == Class::Twice && first == Say::Yes(Scope::Once) {
                says()
            } else {
                vec![Say::No]
            } {
                let script: Vec<Say> = [first.clone(), second].into_iter().collect();
                rows += batch_row(text, class, &script);
            }
        }
    }
    eprintln!("{rows} rows: mode x decision x answer x batch state, all as expected");
    assert!(rows > 2500, "only {rows} rows");
}

/// The call, then one that is asked, then one that is asked twice; the person approves what is left to ask.
fn batch_row(text: &str, class: Class, script: &[Say]) -> usize {
    let (outcome, prompts) = expected(text, class, How::Interactive, false, script, true);
    let mut said: Vec<Say> = script.iter().take(prompts).cloned().collect();
    let rest = matches!(said.as_slice(), [Say::Yes(Scope::Batch)]) && outcome == Outcome::Approved;
    let stops = matches!(said.last(), Some(Say::Quit)) && outcome == Outcome::Cancelled;
    said.extend([
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Once),
    ]);
    let room = Room::new("sayso", How::Interactive, &said);
    let calls: Vec<Call> = [text, "bash cargo test --all", "file_delete old_file.py"]
        .iter()
        .map(|text| call(text))
        .collect();
    let calls = calls
        .into_iter()
        .map(|call| Call {
            session: "s".to_owned(),
            ..call
        })
        .collect();
    let batch = pollster::block_on(room.gate.batch(calls, Options::default()));
    let what = format!("batch: {text} {script:?}");
    let outcomes: Vec<Outcome> = batch
        .results
        .iter()
        .map(|finished| finished.outcome)
        .collect();
    let second = if rest {
        Outcome::AutoApproved
    } else {
        Outcome::Approved
    };
    let wanted = if stops {
        vec![outcome, Outcome::Cancelled, Outcome::Cancelled]
    } else {
        vec![outcome, second, Outcome::Approved]
    };
    assert_eq!(
        outcomes,
        wanted,
        "{what}: {:?}",
        batch
            .results
            .iter()
            .map(|finished| &finished.message)
            .collect::<Vec<_>>()
    );
    assert_eq!(batch.stopped, stops, "{what}");
    // The delete is asked twice whatever was approved before it.
    let later = if stops { 0 } else { usize::from(!rest) + 2 };
    assert_eq!(room.person.seen().len(), prompts + later, "{what}");
    assert_eq!(
        room.kinds().iter().filter(|kind| kind.is_end()).count(),
        3,
        "{what}"
    );
    assert_eq!(room.gate.stats.counts().total, 3, "{what}");
    1
}
