//! Every call has exactly one end, whatever happens to it, and who is told of it can change nothing.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::node::Node;
use sayso_gate::batch::Options;
use sayso_gate::events::{About, Event, EventKind, Kinds, Priority};
use sayso_gate::ports::{Ask, Later};
use sayso_gate::simulated::{Say, Simulated};

use crate::bench::{Setup, call};
use crate::flow::room::Room;

/// How many ends each call has, by id.
fn ends(events: &[Event]) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for event in events {
        let id = match (&event.operation, &event.about) {
            (Some(operation), _) => operation.id().to_owned(),
            (None, About::Finished(finished)) => finished.id.clone(),
            _ => continue,
        };
        *out.entry(id).or_default() += usize::from(event.kind.is_end());
    }
    out
}

#[test]
fn e_01_every_call_has_exactly_one_end() {
    let says = [
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Session),
        Say::No,
        Say::NoBecause("why".to_owned()),
        Say::Nothing,
        Say::TakenBack,
        Say::Gone,
        Say::Breaks,
        Say::ToAnother,
        Say::ToOther,
        Say::Quit,
    ];
    for how in [
        How::Interactive,
        How::Yolo,
        How::ApproveAll,
        How::Strict,
        How::Nobody,
    ] {
        for say in &says {
            let room = Room::new("sayso", how, &[say.clone(), say.clone()]);
            let bad = Call::new("bash", Node::text("no map"), "/ws");
            let calls = [
                "file_edit src/main.rs",
                "file_read src/main.rs",
                "bash rm -rf /",
                "my_tool x",
            ]
            .map(call);
            let calls = calls
                .into_iter()
                .chain([bad])
                .enumerate()
                .map(|(index, call)| Call {
                    id: index.to_string(),
                    ..call
                });
            let batch = pollster::block_on(room.gate.batch(calls.collect(), Options::default()));
            let ends = ends(&room.events.events());
            assert_eq!(ends.len(), 5, "{how:?} {say:?}");
            assert!(
                ends.values().all(|count| *count == 1),
                "{how:?} {say:?}: {ends:?}"
            );
            for (finished, event) in batch.results.iter().zip(
                room.events
                    .events()
                    .iter()
                    .filter(|event| event.kind.is_end()),
            ) {
                assert_eq!(event.kind, EventKind::of(finished.outcome));
                assert_eq!(
                    event.kind == EventKind::Granted,
                    finished.outcome.ran(),
                    "Z-52: granted only for approvals"
                );
            }
        }
    }
}

/// Somebody who never answers.
struct Silent;

impl Ask for Silent {
    fn ask<'a>(&'a self, _: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(std::future::pending())
    }
}

#[test]
fn x_04_a_call_whose_caller_goes_away_ends_as_taken_back() {
    let room = Room::asking(
        &Setup::profile("sayso"),
        How::Interactive,
        Arc::new(Silent),
        Arc::new(Simulated::default()),
    );
    {
        let mut waiting = Box::pin(room.gate.call(Call {
            id: "1".to_owned(),
            ..call("file_edit src/main.rs")
        }));
        assert!(
            waiting
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_pending()
        );
        assert_eq!(room.gate.stats.counts().total, 0);
    }
    assert_eq!(
        room.kinds(),
        [
            EventKind::ToolCallPre,
            EventKind::Check,
            EventKind::Requested,
            EventKind::Cancelled
        ]
    );
    assert_eq!(room.gate.stats.counts().of(Outcome::Cancelled), 1);
    assert_eq!(room.entries(), ["asked", "decided"]);
    assert!(room.ran().is_empty());
}

#[test]
fn g_12_below_the_gate_a_call_is_told_of_when_it_is_decided_and_above_it_at_once() {
    let room = Room::new("sayso", How::Interactive, &[Say::No, Say::Yes(Scope::Once)]);
    let below = room.gate.events.record_as(Priority::SECURITY);
    room.call(call("file_edit src/main.rs"));
    use EventKind::{Check, Denied, Requested, Responded, ToolCallPre};
    assert_eq!(
        room.kinds(),
        [ToolCallPre, Check, Requested, Responded, Denied]
    );
    assert_eq!(
        below.kinds(),
        [Check, Requested, Responded, ToolCallPre, Denied]
    );
    let outcome = |event: &Event| match &event.about {
        About::Finished(finished) => Some(finished.outcome),
        _ => None,
    };
    assert_eq!(
        below
            .events()
            .iter()
            .find(|event| event.kind == ToolCallPre)
            .and_then(outcome),
        Some(Outcome::Denied)
    );
    assert_eq!(room.events.events().first().and_then(outcome), None);
    for text in ["file_edit src/main.rs", "file_read src/main.rs"] {
        room.events.take();
        below.take();
        room.call(call(text));
        for recorder in [&room.events, &below] {
            assert_eq!(
                recorder
                    .kinds()
                    .iter()
                    .filter(|kind| **kind == ToolCallPre)
                    .count(),
                1,
                "once for everybody"
            );
        }
    }
}

/// An observer gets a shared, unchangeable value. What it can do is copy it, and a copy is another value.
#[test]
fn e_04_z_54_h_26_an_observer_changes_neither_decision_nor_arguments() {
    fn is_frozen(event: &Event) -> &Event {
        event
    }
    let room = Room::new("sayso", How::Interactive, &[Say::No]);
    let _observing = room
        .gate
        .events
        .observe("eager", Priority::SYSTEM, Kinds::ALL, |event: &Event| {
            let mut copy = is_frozen(event).clone();
            copy.kind = EventKind::Granted;
            if let About::Finished(finished) = &mut copy.about {
                Arc::make_mut(finished).outcome = Outcome::Approved;
            }
            if let About::Verdict(verdict) = &mut copy.about {
                Arc::make_mut(verdict).decision = sayso_core::policy::decision::Decision::Allow;
            }
        })
        .unwrap();
    let finished = room.call(Call {
        id: "1".to_owned(),
        ..call("file_edit src/main.rs")
    });
    assert!(room.gate.events.flush(std::time::Duration::from_secs(20)));
    assert_eq!(finished.outcome, Outcome::Denied);
    assert!(room.ran().is_empty());
    let events = room.events.events();
    let digests: Vec<_> = events
        .iter()
        .filter_map(|event| event.operation.as_ref())
        .map(|operation| operation.digest())
        .collect();
    assert!(
        digests
            .iter()
            .all(|digest| Some(*digest) == finished.digest),
        "all events are about one frozen operation"
    );
    let operation = events
        .first()
        .and_then(|event| event.operation.clone())
        .unwrap();
    assert!(
        events
            .iter()
            .filter_map(|event| event.operation.as_ref())
            .all(|other| Arc::ptr_eq(other, &operation))
    );
}

#[test]
fn the_end_of_an_asked_call_names_its_prompt() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once), Say::No]);
    for _ in 0..2 {
        let finished = room.call(call("file_edit src/main.rs"));
        assert_eq!(
            finished.prompt.as_deref(),
            room.person.seen().last().map(|prompt| prompt.id.as_str())
        );
    }
    assert_eq!(room.call(call("file_read src/main.rs")).prompt, None);
}
