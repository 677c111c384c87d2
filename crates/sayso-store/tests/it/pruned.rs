//! Segments that are let go: the rest verifies, at every moment in between.

use std::fs;
use std::process::{Command, Stdio};

use sayso_store::index::Index;
use sayso_store::prune::{Keep, plan, prune};
use sayso_store::read::Reader;
use sayso_store::{Journal, Sync};

use crate::scene::{Scene, add};

/// Entries a second apart from the time 1,000,000 on, in segments of about ten.
fn many(count: i64) -> Scene {
    let scene = Scene::new();
    let journal = scene.journal().with_segments_of(2_500);
    for index in 0..count {
        journal
            .append_at(1_000_000 + index * 1000, "decided", vec![], Sync::System)
            .unwrap();
    }
    scene
}

fn segments(scene: &Scene) -> Vec<String> {
    let names = fs::read_dir(scene.state().join("journal"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    names.sort();
    names
}

#[test]
fn only_whole_segments_go_whose_entries_are_all_old_enough() {
    let scene = many(100);
    let before = segments(&scene);
    let cutoff = 1_000_000 + 35 * 1000;
    let found = plan(&scene.state(), Keep::Since(cutoff)).unwrap();
    assert!(
        !found.segments.is_empty() && found.segments.iter().all(|segment| segment.newest < cutoff),
        "{found:?}"
    );
    assert_eq!(segments(&scene), before, "a plan changes nothing");
    assert_eq!(
        prune(&scene.journal(), &found, 7).unwrap(),
        found.segments.len() as u64
    );
    assert_eq!(segments(&scene), before[found.segments.len()..]);
    let report = scene.verify();
    assert!(report.is_sound(), "{report:?}");
    let entries: Vec<_> = Reader::open(&scene.state())
        .unwrap()
        .forwards()
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(entries[0].number, found.entries() + 1);
    assert!(
        entries
            .iter()
            .filter(|entry| entry.at >= cutoff && entry.kind == "decided")
            .count()
            == 65,
        "nothing newer is gone"
    );
    // Once more: nothing is left to do, and numbers go on.
    assert!(
        plan(&scene.state(), Keep::Since(cutoff))
            .unwrap()
            .segments
            .is_empty()
    );
    let next = add(&scene.journal(), "x").number;
    assert_eq!(next, entries.last().unwrap().number + 1);
    // And again for what has become old since.
    let later = plan(&scene.state(), Keep::Since(1_000_000 + 70 * 1000)).unwrap();
    assert!(!later.segments.is_empty());
    prune(&scene.journal(), &later, 7).unwrap();
    assert!(scene.verify().is_sound());
}

#[test]
fn a_size_keeps_the_newest_and_the_segment_that_is_written_always_stays() {
    let scene = many(100);
    let bytes = scene.verify().bytes;
    let found = plan(&scene.state(), Keep::Bytes(bytes / 2)).unwrap();
    let left = bytes - found.bytes();
    assert!(
        left <= bytes / 2 && left + 2_800 > bytes / 2,
        "{left} of {bytes}"
    );
    let all = plan(&scene.state(), Keep::Bytes(0)).unwrap();
    assert_eq!(all.segments.len(), segments(&scene).len() - 1);
    prune(&scene.journal(), &all, 7).unwrap();
    assert_eq!(segments(&scene).len(), 1);
    assert!(scene.verify().is_sound());
    // One that was only begun is not what the next entry follows.
    let scene = many(30);
    let names = segments(&scene);
    let begun = scene.file(&format!("{:06}.jsonl", names.len() + 1));
    fs::write(&begun, "").unwrap();
    crate::scene::chmod(&begun, 0o600);
    let all = plan(&scene.state(), Keep::Bytes(0)).unwrap();
    assert_eq!(all.segments.len(), names.len() - 1);
    prune(&scene.journal(), &all, 7).unwrap();
    add(&scene.journal(), "x");
    assert!(scene.verify().is_sound());
}

#[test]
fn what_was_damaged_stays_with_all_behind_it() {
    let scene = many(100);
    let third = scene.file("000003.jsonl");
    let text = fs::read_to_string(&third).unwrap();
    fs::write(&third, text.replacen("decided", "decideD", 1)).unwrap();
    let found = plan(&scene.state(), Keep::Bytes(0)).unwrap();
    assert_eq!(
        (found.segments.len(), found.stopped_by.as_deref()),
        (1, Some("000003.jsonl"))
    );
    prune(&scene.journal(), &found, 7).unwrap();
    assert!(third.exists());
    let faults = scene.verify().faults;
    assert!(
        faults.iter().all(|fault| fault.file == "000003.jsonl"),
        "{faults:?}"
    );
}

#[test]
fn a_segment_that_changed_after_the_plan_is_left_alone() {
    let scene = many(50);
    let found = plan(&scene.state(), Keep::Bytes(0)).unwrap();
    let second = scene.file("000002.jsonl");
    let text = fs::read_to_string(&second).unwrap();
    fs::write(&second, &text[..text.len() - 1]).unwrap();
    let why = prune(&scene.journal(), &found, 7).unwrap_err().to_string();
    assert!(why.contains("another by now"), "{why}");
    assert!(second.exists() && !scene.first().exists());
}

#[test]
fn nothing_recorded_is_nothing_to_do() {
    let scene = Scene::new();
    assert_eq!(
        plan(&scene.state(), Keep::Bytes(0)).unwrap(),
        Default::default()
    );
    assert!(!scene.state().exists());
}

#[test]
fn the_index_follows_and_can_be_built_anew() {
    let scene = many(60);
    drop(Index::open(&scene.state(), &mut |_| {}).unwrap());
    let found = plan(&scene.state(), Keep::Bytes(5_000)).unwrap();
    prune(&scene.journal(), &found, 7).unwrap();
    drop(Index::open(&scene.state(), &mut |_| {}).unwrap());
    drop(Index::rebuild(&scene.state(), &mut |_| {}).unwrap());
    // Also where it had not taken in what went.
    fs::remove_file(scene.state().join("index.db")).unwrap();
    drop(Index::open(&scene.state(), &mut |_| {}).unwrap());
}

/// Told to a process of this test that it is to prune.
const TASK: &str = "SAYSO_TEST_PRUNES";

#[test]
fn prunes_if_told_so() {
    let Ok(state) = std::env::var(TASK) else {
        return;
    };
    let state = std::path::Path::new(&state);
    let found = plan(state, Keep::Bytes(0)).unwrap();
    println!("begins");
    prune(&Journal::open(state).unwrap(), &found, 7).unwrap();
}

#[test]
fn a_kill_at_any_moment_leaves_a_record_that_verifies() {
    for round in 0..12 {
        let scene = many(400);
        let mut writer = Command::new(std::env::current_exe().unwrap());
        writer
            .args(["--exact", "pruned::prunes_if_told_so", "--nocapture"])
            .env(TASK, scene.state());
        let mut writer = writer.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines =
            std::io::BufRead::lines(std::io::BufReader::new(writer.stdout.take().unwrap()));
        assert!(lines.any(|line| line.unwrap().contains("begins")));
        // After another number of segments each time; where it is done by then, that is one of the moments.
        let gone = || !scene.file(&format!("{round:06}.jsonl")).exists();
        while round > 0 && !gone() && writer.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let report = scene.verify();
        assert!(report.is_sound(), "{report:?}");
        add(&scene.journal(), "x");
        // Whoever comes next does the rest.
        let rest = plan(&scene.state(), Keep::Bytes(0)).unwrap();
        prune(&scene.journal(), &rest, 7).unwrap();
        assert!(scene.verify().is_sound());
        assert_eq!(segments(&scene).len(), 1);
    }
}
