//! The bus by itself and under a gate: order, queues, panics, handles; no observer stops or slows a call.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_gate::events::{
    About, EventKind, Kinds, LONGEST_QUEUE, MOST_PANICS, PRIORITIES, Priority,
};
use sayso_gate::simulated::Say;

use crate::bench::call;
use crate::flow::room::Room;

const LONG: Duration = Duration::from_secs(300);

fn room(script: &[Say]) -> Room {
    Room::new("sayso", How::Interactive, script)
}

/// Stands still until it is let go, or the test is over.
fn gateway() -> (Sender<()>, Mutex<Receiver<()>>) {
    let (go, wait) = channel();
    (go, Mutex::new(wait))
}

#[test]
fn priorities_are_ordered_and_the_gate_stands_at_900() {
    assert!(PRIORITIES.windows(2).all(|pair| pair[0].0 > pair[1].0));
    assert_eq!((Priority::SYSTEM.0, Priority::SECURITY.0), (1000, 900));
    assert!(Priority::SYSTEM.is_above_gate() && !Priority::SECURITY.is_above_gate());
}

#[test]
fn observers_stand_in_the_order_of_their_priority() {
    let room = room(&[]);
    let observe = |name: &str, priority| {
        room.gate
            .events
            .observe(name, priority, Kinds::ALL, |_| {})
            .unwrap()
    };
    let _handles = [
        observe("screen", Priority::DISPLAY),
        observe("host", Priority::SYSTEM),
        observe("other screen", Priority::DISPLAY),
        observe("between", Priority(300)),
    ];
    let names: Vec<String> = room
        .gate
        .events
        .observers()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        ["recorder", "host", "between", "screen", "other screen"]
    );
}

#[test]
fn each_observer_hears_in_order_what_it_wants() {
    let room = room(&[Say::Yes(Scope::Once), Say::No]);
    let (all, ends) = (
        Arc::new(Mutex::new(Vec::new())),
        Arc::new(Mutex::new(Vec::new())),
    );
    let (into_all, into_ends) = (Arc::clone(&all), Arc::clone(&ends));
    let events = &room.gate.events;
    let _one = events
        .observe("all", Priority::SYSTEM, Kinds::ALL, move |event| {
            into_all.lock().unwrap().push(event.kind)
        })
        .unwrap();
    let _two = events
        .observe("ends", Priority::DISPLAY, Kinds::ends(), move |event| {
            into_ends.lock().unwrap().push(event.kind)
        })
        .unwrap();
    for text in [
        "file_read src/main.rs",
        "file_edit src/main.rs",
        "file_edit src/main.rs",
        "bash rm -rf /",
    ] {
        room.call(call(text));
    }
    assert!(events.flush(LONG));
    assert_eq!(*all.lock().unwrap(), room.kinds());
    assert_eq!(
        *ends.lock().unwrap(),
        [
            EventKind::Granted,
            EventKind::Granted,
            EventKind::Denied,
            EventKind::Denied
        ]
    );
}

#[test]
fn an_observer_that_panics_is_counted_and_unplugged_and_stops_nothing() {
    let room = room(&[]);
    let breaks = room
        .gate
        .events
        .observe("breaks", Priority::SYSTEM, Kinds::ALL, |_| {
            panic!("it breaks")
        })
        .unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&heard);
    let _other = room
        .gate
        .events
        .observe(
            "other",
            Priority::DISPLAY,
            [EventKind::Updated],
            move |event| {
                if let About::Words(words) = &event.about {
                    into.lock().unwrap().push(words.clone());
                }
            },
        )
        .unwrap();
    for _ in 0..3 {
        assert_eq!(
            room.call(call("file_read src/main.rs")).outcome,
            Outcome::AutoApproved
        );
        assert!(room.gate.events.flush(LONG));
    }
    assert_eq!(breaks.panics(), MOST_PANICS);
    // It is out before the others are told, and they are told by its thread.
    while heard.lock().unwrap().is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(
        *heard.lock().unwrap(),
        ["the observer `breaks` broke 3 times and is told no more"]
    );
    assert!(
        room.gate
            .events
            .observers()
            .iter()
            .all(|(name, _)| name != "breaks")
    );
}

#[test]
fn an_observer_that_stalls_misses_events_and_stops_nothing() {
    let room = room(&[]);
    let (go, wait) = gateway();
    let count = Arc::new(Mutex::new(0));
    let into = Arc::clone(&count);
    let stalls = room
        .gate
        .events
        .observe("stalls", Priority::SYSTEM, Kinds::ALL, move |_| {
            let _ = wait.lock().unwrap().recv();
            *into.lock().unwrap() += 1;
        })
        .unwrap();
    let calls = LONGEST_QUEUE / 2;
    for _ in 0..calls {
        assert_eq!(
            room.call(call("file_read src/main.rs")).outcome,
            Outcome::AutoApproved
        );
    }
    assert_eq!(
        room.ran().len(),
        calls,
        "all of them ran while somebody stood still"
    );
    assert!(stalls.missed() > 0);
    assert!(
        !room.gate.events.flush(Duration::from_millis(5)),
        "it is not through"
    );
    let said =
        room.events.events().into_iter().filter(
            |event| matches!(&event.about, About::Words(words) if words.contains("too slow")),
        );
    assert_eq!(said.count(), 1, "it is said once");
    drop(go);
    assert!(room.gate.events.flush(LONG));
    assert_eq!(
        *count.lock().unwrap() as u64 + stalls.missed() + 1,
        room.kinds().len() as u64,
        "all but its own notice"
    );
}

#[test]
fn a_queue_is_bounded_by_bytes_too() {
    let room = room(&[]);
    let (go, wait) = gateway();
    let stalls = room
        .gate
        .events
        .observe("stalls", Priority::SYSTEM, Kinds::ALL, move |_| {
            wait.lock().unwrap().recv().unwrap_or_default()
        })
        .unwrap();
    let large = "x".repeat(8 * 1024 * 1024);
    for _ in 0..5 {
        room.call(call(&format!("my_tool {large}")));
    }
    assert!(room.kinds().len() < LONGEST_QUEUE && stalls.missed() > 0);
    drop(go);
}

#[test]
fn dropping_the_handle_ends_it_even_while_it_stalls() {
    let room = room(&[]);
    let (go, wait) = gateway();
    let (said, heard) = channel();
    let observing = room
        .gate
        .events
        .observe("stalls", Priority::SYSTEM, Kinds::ALL, move |_| {
            said.send(()).unwrap();
            let _ = wait.lock().unwrap().recv();
        })
        .unwrap();
    room.call(call("file_read src/main.rs"));
    heard.recv_timeout(LONG).unwrap();
    drop(observing);
    assert_eq!(room.gate.events.observers().len(), 1);
    room.call(call("file_read src/main.rs"));
    drop(go);
    // The thread ends with what it had in hand: the channel closes and brings nothing more.
    assert!(
        heard
            .recv_timeout(LONG)
            .is_err_and(|why| why == std::sync::mpsc::RecvTimeoutError::Disconnected)
    );
}

#[test]
fn what_is_kept_stays_until_the_gate_is_gone() {
    let room = room(&[]);
    let (said, heard) = channel();
    room.gate
        .events
        .observe("kept", Priority::SYSTEM, Kinds::ends(), move |event| {
            said.send(event.kind).unwrap()
        })
        .unwrap()
        .keep();
    room.call(call("file_read src/main.rs"));
    assert_eq!(heard.recv_timeout(LONG).unwrap(), EventKind::Granted);
    drop(room);
    assert!(
        heard
            .recv_timeout(LONG)
            .is_err_and(|why| why == std::sync::mpsc::RecvTimeoutError::Disconnected)
    );
}

#[test]
fn an_observer_may_call_the_gate() {
    let room = Arc::new(room(&[Say::No]));
    let (said, heard) = channel();
    let inside = Arc::downgrade(&room);
    let _observing = room
        .gate
        .events
        .observe(
            "curious",
            Priority::DISPLAY,
            [EventKind::Denied],
            move |_| {
                let Some(room) = inside.upgrade() else { return };
                let counts = room.gate.stats.counts();
                let recorder = room.gate.events.record();
                room.call(call("file_read src/main.rs"));
                said.send((counts.total, recorder.kinds().len())).unwrap();
            },
        )
        .unwrap();
    assert_eq!(
        room.call(call("file_edit src/main.rs")).outcome,
        Outcome::Denied
    );
    assert_eq!(heard.recv_timeout(LONG).unwrap(), (1, 4));
}
