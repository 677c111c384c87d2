//! Kills the program at every moment of a batch: nothing ran that is not written down, nothing is half done, and the next run clears up.
//!
//! `SAYSO_KILLS` says how many kills.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::{Desk, read};

/// Kills where nobody says otherwise.
const KILLS: usize = 200;
/// How many times the calls of a round come.
const TIMES: usize = 2;

/// Content that is long enough to be written in pieces, if it were.
fn long(word: &str) -> String {
    format!("{word}\n").repeat(3000)
}

/// What a call changes: the file, and what it holds before and after; none where it is not there.
pub(super) struct Wanted {
    id: String,
    file: String,
    before: Option<String>,
    after: Option<String>,
}

/// The calls of a round with what they change; commands leave their id in a log.
pub(super) struct Round {
    pub(super) calls: Value,
    wanted: Vec<Wanted>,
    commands: Vec<String>,
}

/// The calls of a round, each on files of its own: all tools, or only one.
pub(super) fn round(desk: &Desk, name: &str, only: Option<&str>) -> Round {
    let (mut calls, mut wanted, mut commands) = (Vec::new(), Vec::new(), Vec::new());
    for time in 0..TIMES {
        let mut add =
            |tool: &str, arguments: Value, files: &[(&str, Option<String>, Option<String>)]| {
                let id = format!("{name}-{tool}-{time}");
                if only.is_some_and(|only| only != tool) {
                    return;
                }
                let mut call = json!({"type": tool, "id": id});
                call.as_object_mut()
                    .unwrap()
                    .extend(arguments.as_object().unwrap().clone());
                calls.push(call);
                if tool == "terminal" {
                    commands.push(id.clone());
                }
                for (file, before, after) in files {
                    if let Some(text) = before {
                        desk.scene.file(file, text);
                    }
                    wanted.push(Wanted {
                        id: id.clone(),
                        file: (*file).to_owned(),
                        before: before.clone(),
                        after: after.clone(),
                    });
                }
            };
        let at = |file: &str| format!("{name}/{time}/{file}");
        let old = || Some(long("old"));
        let edited = long("old").replacen("old\n", "new\n", 1);
        add(
            "file_create",
            json!({"file": at("new.py"), "content": long("new")}),
            &[(&at("new.py"), None, Some(long("new")))],
        );
        add(
            "file_edit",
            json!({"file": at("edit.py"), "find": "first", "replace": "changed"}),
            &[(
                &at("edit.py"),
                Some(format!("first\n{edited}")),
                Some(format!("changed\n{edited}")),
            )],
        );
        let line = format!("echo {name}-terminal-{time} >> log");
        add("terminal", json!({"command": line}), &[]);
        add(
            "file_create_overwrite",
            json!({"file": at("over.py"), "content": long("new")}),
            &[(&at("over.py"), old(), Some(long("new")))],
        );
        let ends = [(at("from.py"), old(), None), (at("to.py"), None, old())];
        let ends: Vec<(&str, _, _)> = ends
            .iter()
            .map(|(file, before, after)| (file.as_str(), before.clone(), after.clone()))
            .collect();
        add(
            "file_move",
            json!({"file": at("from.py"), "to": at("to.py")}),
            &ends,
        );
        add(
            "file_delete",
            json!({"file": at("gone.py")}),
            &[(&at("gone.py"), old(), None)],
        );
        let deep = at("made/for/it.py");
        add(
            "file_write",
            json!({"file": deep, "content": long("new")}),
            &[(&deep, None, Some(long("new")))],
        );
    }
    Round {
        calls: Value::Array(calls),
        wanted,
        commands,
    }
}

/// What was found after one kill.
pub(super) struct Found {
    decided: usize,
    finished: usize,
    pub(super) ran: usize,
}

/// Looks at everything a kill left. What ran is looked at before the record, so that nothing can be written down in between.
pub(super) fn look(desk: &Desk, round: &Round) -> Found {
    let Round {
        wanted, commands, ..
    } = round;
    let now: Vec<Option<String>> = wanted.iter().map(|one| desk.text(&one.file)).collect();
    let log = desk.text("log").unwrap_or_default();
    let (mut decided, mut finished) = (BTreeSet::new(), BTreeMap::new());
    for entry in desk.record() {
        let call = entry["call"].as_str().unwrap_or_default().to_owned();
        match entry["kind"].as_str().unwrap() {
            "decided" => {
                assert!(
                    ["approved", "auto_approved"].contains(&entry["outcome"].as_str().unwrap()),
                    "{entry}"
                );
                decided.insert(call);
            }
            "undo" => {
                decided.insert(call);
            }
            "finished" => {
                assert!(
                    decided.contains(&call),
                    "it ended before it was decided: {entry}"
                );
                finished.insert(call, entry["succeeded"].clone());
            }
            _ => {}
        }
    }
    let mut ran = BTreeSet::new();
    for (one, now) in wanted.iter().zip(&now) {
        assert!(
            *now == one.before || *now == one.after,
            "`{}` is neither old nor new: {:?} bytes",
            one.file,
            now.as_ref().map(String::len)
        );
        if *now != one.before {
            assert!(
                decided.contains(&one.id),
                "`{}` ran without an entry",
                one.id
            );
            ran.insert(&one.id);
        }
        if let Some(succeeded) = finished.get(&one.id) {
            assert_eq!(
                (now, succeeded),
                (&one.after, &json!(true)),
                "`{}` is said to have run",
                one.id
            );
        }
    }
    for id in log.lines() {
        assert!(
            decided.contains(id),
            "the command `{id}` ran without an entry"
        );
    }
    for id in commands {
        let times = log.lines().filter(|line| line == id).count();
        assert!(times <= 1, "`{id}` ran {times} times");
        assert!(
            times == 1 || !finished.contains_key(id),
            "`{id}` is said to have run"
        );
        if times == 1 {
            ran.insert(id);
        }
    }
    let of_these = |id: &String| commands.contains(id) || wanted.iter().any(|one| one.id == *id);
    Found {
        decided: decided.iter().filter(|id| of_these(id)).count(),
        finished: finished.keys().filter(|id| of_these(id)).count(),
        ran: ran.len(),
    }
}

fn leftovers(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(".sayso-") {
            found.push(entry.path().display().to_string());
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(leftovers(&entry.path()));
        }
    }
    found
}

/// The next run clears up, and what was made can be taken back.
pub(super) fn next_run(desk: &Desk, name: &str, Round { wanted, .. }: &Round, undo: bool) {
    let mark = format!("{name}/mark.py");
    let call = json!({"type": "file_create", "id": format!("{name}-mark"), "file": mark, "content": "x\n"});
    let (result, code) = desk.result(&["--approve-all"], call);
    assert_eq!(
        (&result["success"], code),
        (&json!(true), 0),
        "the next run works: {result}"
    );
    assert_eq!(
        leftovers(&desk.scene.workspace),
        [""; 0],
        "the next run clears up"
    );
    for one in wanted {
        let now = desk.text(&one.file);
        assert!(
            now == one.before || now == one.after,
            "`{}` is neither old nor new after the next run",
            one.file
        );
    }
    // Each call that moved something did so whole: one end or the other.
    for pair in wanted
        .chunks(2)
        .filter(|pair| pair[0].id == pair[1..].first().map_or("", |one| one.id.as_str()))
    {
        assert_ne!(
            desk.text(&pair[0].file).is_some(),
            desk.text(&pair[1].file).is_some(),
            "`{}`",
            pair[0].id
        );
    }
    if !undo {
        return;
    }
    let prefix = format!("{name}-");
    // The newest first: what came later may stand in a folder that the one before has made.
    let mut batches: Vec<String> = Vec::new();
    for change in desk
        .changes()
        .iter()
        .filter(|change| change["call"].as_str().unwrap().starts_with(&prefix))
    {
        let batch = change["batch"].as_str().unwrap();
        if !batches.iter().any(|other| other == batch) {
            batches.push(batch.to_owned());
        }
    }
    for batch in batches {
        let undone = read(
            &desk
                .undo(&[&batch, "--yes", "--json"])
                .is(0, "what stands can be undone"),
        );
        assert_eq!(undone["done"], json!(true));
    }
    for one in wanted {
        assert_eq!(
            desk.text(&one.file),
            one.before,
            "`{}` is as it was before all of it",
            one.file
        );
    }
}

/// How a run was met.
#[derive(Default)]
struct Sum {
    kills: usize,
    before: usize,
    within: usize,
    after: usize,
    ended: usize,
    ran: usize,
}

fn rounds(worker: usize, kills: usize) -> Sum {
    let mut sum = Sum::default();
    let mut desk = Desk::with(&[]);
    let mut whole = Duration::ZERO;
    let mut round_number = 0;
    while sum.kills < kills {
        // A new world now and then: the first entry of a journal is written another way than the next.
        if round_number % 25 == 0 {
            desk = Desk::with(&[]);
        }
        let name = format!("w{worker}r{round_number}");
        let round = round(&desk, &name, None);
        let count = round.calls.as_array().unwrap().len();
        let file = desk.batch("killed.json", round.calls.to_string());
        let mut program = desk.program();
        program
            .args(["run", "--approve-all"])
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let start = Instant::now();
        let mut child = program.spawn().unwrap();
        if round_number == 0 {
            // One run to its end says how long one takes.
            assert!(child.wait().unwrap().success());
            whole = start.elapsed();
        } else {
            // Steps that no power of two meets in the same places, from at once to a little behind the end.
            let part = (round_number * 617 + worker * 331) % 1000;
            thread::sleep(whole.mul_f64(part as f64 / 950.0));
            let ended = child.try_wait().unwrap().is_some();
            child.kill().unwrap();
            child.wait().unwrap();
            if ended {
                sum.ended += 1;
                // The machine may be less busy by now.
                whole = whole.mul_f64(0.95);
            } else {
                sum.kills += 1;
            }
        }
        let found = look(&desk, &round);
        if round_number > 0 {
            sum.ran += found.ran;
            match (found.decided, found.finished) {
                (0, _) => sum.before += 1,
                (_, finished) if finished == count => sum.after += 1,
                _ => sum.within += 1,
            }
        }
        next_run(&desk, &name, &round, round_number % 5 == 0);
        round_number += 1;
        assert!(
            round_number < 20 * kills + 200,
            "most runs end before they can be killed"
        );
    }
    sum
}

#[test]
fn killed_at_any_moment_nothing_ran_unrecorded_and_nothing_is_half_done() {
    let kills = std::env::var("SAYSO_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(KILLS);
    let workers = 2;
    let start = Instant::now();
    let handles: Vec<_> = (0..workers)
        .map(|worker| thread::spawn(move || rounds(worker, kills.div_ceil(workers))))
        .collect();
    let mut sum = Sum::default();
    for handle in handles {
        let one = handle.join().unwrap();
        sum.kills += one.kills;
        sum.before += one.before;
        sum.within += one.within;
        sum.after += one.after;
        sum.ended += one.ended;
        sum.ran += one.ran;
    }
    println!(
        "{} kills: {} before the first entry, {} within the batch, {} after its last entry ({} ended by themselves); {} calls had run, none without its entry, none half done; {:.1} s",
        sum.kills,
        sum.before,
        sum.within,
        sum.after,
        sum.ended,
        sum.ran,
        start.elapsed().as_secs_f64()
    );
    assert!(sum.kills >= kills);
}
