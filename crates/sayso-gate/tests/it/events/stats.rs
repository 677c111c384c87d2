//! Counts: each call once in total and once in exactly one outcome, under every system's names.

use proptest::prelude::*;
use sayso_core::answer::outcome::{OUTCOMES, Outcome};
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_gate::batch::Options;
use sayso_gate::events::Names;
use sayso_gate::simulated::Say;
use sayso_gate::stats::Counts;

use crate::bench::{Setup, call};
use crate::flow::room::Room;

fn get(counts: &Counts, names: Names, name: &str) -> u64 {
    counts
        .named_as(names)
        .into_iter()
        .find(|(known, _)| *known == name)
        .unwrap_or_else(|| panic!("{name}"))
        .1
}

fn sum(counts: &Counts, names: Names, parts: &[&str]) -> u64 {
    parts.iter().map(|name| get(counts, names, name)).sum()
}

fn agrees(counts: &Counts) {
    assert_eq!(counts.total, counts.outcomes.values().sum::<u64>());
    let spec = ["approved", "denied", "auto_approved", "dry_run"];
    assert_eq!(
        get(counts, Names::KollaborSpec, "total_requests"),
        sum(counts, Names::KollaborSpec, &spec)
    );
    let kollabor = [
        "auto_approved",
        "user_approved",
        "denied",
        "blocked",
        "dry_run",
    ];
    assert_eq!(
        get(counts, Names::Kollabor, "total_checks"),
        sum(counts, Names::Kollabor, &kollabor)
    );
    assert!(counts.double_confirmed <= counts.of(Outcome::Approved));
}

#[test]
fn s_01_every_counter_has_its_name_and_can_be_reset() {
    let counts = Counts::default();
    for (names, known) in [
        (
            Names::KollaborSpec,
            &[
                "total_requests",
                "approved",
                "denied",
                "auto_approved",
                "double_confirmed",
                "quit_requested",
            ][..],
        ),
        (
            Names::Kollabor,
            &[
                "total_checks",
                "auto_approved",
                "user_approved",
                "denied",
                "blocked",
            ],
        ),
        (
            Names::Sayso,
            &[
                "total_requests",
                "approved",
                "denied",
                "auto_approved",
                "blocked",
                "timed_out",
                "double_confirmed",
                "quit_requested",
            ],
        ),
    ] {
        for name in known {
            assert_eq!(get(&counts, names, name), 0);
        }
    }
    let room = Room::new("sayso", How::Interactive, &[]);
    room.call(call("file_read src/main.rs"));
    let copy = room.gate.stats.counts();
    room.gate.stats.reset();
    assert_eq!(
        (copy.total, room.gate.stats.counts()),
        (1, Counts::default())
    );
}

#[test]
fn u_19_the_line_for_the_log_is_there_where_the_policy_wants_it() {
    let room = Room::new("sayso", How::Interactive, &[]);
    assert_eq!(room.gate.stats_line().as_deref(), Some("no requests"));
    room.call(call("file_read src/main.rs"));
    room.call(call("file_edit src/main.rs"));
    assert_eq!(
        room.gate.stats_line().as_deref(),
        Some("total requests 2, auto approved 1, denied 1")
    );
    let silent = Room::with(
        &Setup::with("sayso", "show_approval_stats: false"),
        How::Interactive,
        &[],
    );
    assert_eq!(silent.gate.stats_line(), None);
}

#[test]
fn z_66_a_tool_that_fails_is_no_denial() {
    let room = Room::new("sayso", How::Interactive, &[]);
    room.hands
        .fails
        .store(true, std::sync::atomic::Ordering::SeqCst);
    room.call(call("file_read src/main.rs"));
    let counts = room.gate.stats.counts();
    assert_eq!(
        (
            counts.total,
            counts.of(Outcome::AutoApproved),
            counts.of(Outcome::Denied),
            counts.failed
        ),
        (1, 1, 0, 1)
    );
}

fn say() -> impl Strategy<Value = Say> {
    prop_oneof![
        Just(Say::Yes(Scope::Once)),
        Just(Say::Yes(Scope::Once)),
        Just(Say::Yes(Scope::Session)),
        Just(Say::Yes(Scope::Batch)),
        Just(Say::No),
        Just(Say::Quit),
        Just(Say::Nothing),
        Just(Say::TakenBack),
        Just(Say::Gone),
        Just(Say::ToOther),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s_02_the_sums_agree_for_any_sequence(
        how in prop::sample::select(vec![How::Interactive, How::Interactive, How::Interactive, How::Yolo, How::ApproveAll, How::Strict]),
        batches in prop::collection::vec(
            prop::collection::vec(
                prop::sample::select(vec![
                    "file_read src/main.rs", "file_edit src/main.rs", "file_delete src/main.rs", "bash rm -rf /", "bash npm test", "my_tool x",
                ]),
                1..5,
            ),
            1..5,
        ),
        says in prop::collection::vec(say(), 0..30),
    ) {
        let room = Room::new("sayso", how, &says);
        let mut outcomes = std::collections::BTreeMap::<Outcome, u64>::new();
        let mut stopped = 0;
        for texts in batches {
            let batch = pollster::block_on(room.gate.batch(texts.into_iter().map(call).collect(), Options::default()));
            stopped += u64::from(batch.stopped);
            for finished in batch.results {
                *outcomes.entry(finished.outcome).or_default() += 1;
            }
        }
        let counts = room.gate.stats.counts();
        agrees(&counts);
        for (outcome, word) in OUTCOMES {
            prop_assert_eq!(counts.of(outcome), outcomes.get(&outcome).copied().unwrap_or_default(), "{}", word);
        }
        prop_assert_eq!(counts.quit_requested, stopped);
        let ends = room.kinds().into_iter().filter(|kind| kind.is_end()).count() as u64;
        prop_assert_eq!(counts.total, ends, "as many as ends that were told");
    }
}
