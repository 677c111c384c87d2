//! Calls that were recorded, judged again: under the same policy nothing changes, whatever the call.

use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::Operation;
use sayso_core::decide::Uses;
use sayso_gate::entry::{Entry, What};
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::Store as _;
use sayso_runtime::recorder::Recorder;
use sayso_runtime::replay::history::{History, Tally};
use sayso_runtime::replay::recorded_call::Why;
use sayso_runtime::workbench::settings;
use sayso_store::journal::Journal;
use sayso_store::read::Reader;

use crate::corpus;
use crate::scene::{NOW, Scene};

/// No rule was used yet.
#[derive(Debug)]
struct Unused;

impl Uses for Unused {
    fn count(&self, _: &str) -> u64 {
        0
    }
}

/// Records the decision on each operation, as a gate does.
fn record(scene: &Scene, operations: Vec<Operation>, run: Run) {
    let loaded = scene.load();
    let policy = loaded.policy;
    let recorder = Recorder::new(
        Journal::open(&scene.state()).unwrap(),
        1000,
        settings(&policy).unwrap(),
    );
    let world = scene.world();
    let bench = Bench {
        world: &world,
        policy: &policy,
        grants: &[],
        uses: Some(&Unused),
        run,
        now: NOW,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    };
    for operation in operations {
        let verdict = judge(&bench, &operation).verdict;
        let what = What::Decided {
            verdict: Some(Arc::new(verdict)),
            outcome: Outcome::Blocked,
            yes: None,
            note: None,
            typed: None,
            denied_by: None,
            message: String::new(),
            profile: "sayso".to_owned(),
        };
        recorder
            .append(&Entry {
                at: NOW,
                operation: Some(Arc::new(operation)),
                what,
            })
            .unwrap();
    }
}

fn replay(scene: &Scene) -> (Tally, u64) {
    let (whereabouts, choice) = (scene.whereabouts(), scene.choice());
    let mut history = History::new(&whereabouts, &choice);
    let mut bytes = 0;
    for stored in Reader::open(&scene.state()).unwrap().forwards().unwrap() {
        let stored = stored.unwrap();
        bytes += stored.text.len() as u64 + 1;
        history.take(&stored);
    }
    (history.tally, bytes)
}

#[test]
fn the_whole_corpus_under_the_same_policy_changes_nothing() {
    let (mut calls, mut judged, mut bytes, mut failures) = (0, 0, 0, Vec::new());
    let mut not_judged = std::collections::BTreeMap::<Why, u64>::new();
    for path in corpus::files() {
        let expected = corpus::read(&path);
        // The verdicts once more for a run in which nobody can be asked.
        let strict = path
            .parent()
            .is_some_and(|folder| folder.ends_with("verdicts"));
        for run in [Run::Interactive, Run::Strict]
            .into_iter()
            .take(1 + usize::from(strict))
        {
            let scene = Scene::of(&expected.scene);
            let operations = expected
                .rows
                .iter()
                .filter_map(|row| Operation::freeze(corpus::call(&scene, row)).ok())
                .collect();
            record(&scene, operations, run);
            // The facts count and not the machine: what a call was about may be gone.
            for name in std::fs::read_dir(&scene.workspace)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                if !name.ends_with(".sayso") {
                    let _gone = if name.is_dir() {
                        std::fs::remove_dir_all(&name)
                    } else {
                        std::fs::remove_file(&name)
                    };
                }
            }
            let (tally, length) = replay(&scene);
            failures.extend(
                tally
                    .changes
                    .iter()
                    .map(|change| format!("{}: {run:?}: {change:#?}", corpus::name(&path))),
            );
            (calls, judged, bytes) = (calls + tally.calls, judged + tally.judged, bytes + length);
            for (why, count) in tally.not_judged {
                *not_judged.entry(why).or_default() += count;
            }
        }
    }
    println!(
        "{judged} of {calls} judged again, {} bytes an entry; not judged: {not_judged:?}",
        bytes / calls
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        judged * 100 >= calls * 95,
        "{judged} of {calls}: {not_judged:?}"
    );
    assert!(bytes / calls <= 1024, "{} bytes an entry", bytes / calls);
}

#[test]
fn facts_that_are_not_as_they_were_written_are_never_an_answer() {
    use sayso_core::text::node::Node;
    use sayso_core::text::{Limits, json};
    let scene = Scene::empty();
    scene.file("src/a.rs", "x\n");
    let calls = [
        "rm -rf src/*",
        "git status",
        "grep -rn x .",
        "cat src/a.rs /etc/passwd",
    ];
    let operations = calls
        .iter()
        .map(|text| Operation::freeze(scene.command(text)).unwrap())
        .collect();
    record(&scene, operations, Run::Interactive);
    let policy = scene.load().policy;
    let mut odd = 0;
    for stored in Reader::open(&scene.state()).unwrap().forwards().unwrap() {
        let text = stored.unwrap().text;
        let (before, facts) = text.split_once("\"facts\":").unwrap();
        let (facts, _) = facts.rsplit_once(",\"digest\"").unwrap();
        // Every part of the facts in turn is something else.
        for (at, _) in facts.char_indices() {
            for other in ["0", "\"", "[", "{}", "null", ":", "x", ""] {
                let line = format!(
                    "{before}\"facts\":{}{other}{}}}",
                    &facts[..at],
                    facts.get(at + 1..).unwrap_or_default()
                );
                let Ok(node) = json::read(&line, &Limits::default()) else {
                    continue;
                };
                odd += 1;
                let Ok(past) =
                    sayso_runtime::replay::recorded_call::past(&node, &mut |_| Vec::new())
                else {
                    continue;
                };
                let bench = Bench {
                    world: &past.world,
                    policy: &policy,
                    grants: &[],
                    uses: None,
                    run: past.run,
                    now: NOW,
                    runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
                    trace: false,
                };
                let _judged = judge(&bench, &past.operation);
            }
        }
        let whole: Node = json::read(&text, &Limits::default()).unwrap();
        assert!(sayso_runtime::replay::recorded_call::past(&whole, &mut |_| Vec::new()).is_ok());
    }
    assert!(odd > 100, "{odd}");
}
