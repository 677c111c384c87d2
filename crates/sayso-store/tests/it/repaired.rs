//! A record whose end is damaged takes entries again, and tells of the damage for ever.

use std::fs;

use sayso_store::index::Index;
use sayso_store::index::health::{Health, health};
use sayso_store::read::Reader;
use sayso_store::repair::repair;
use sayso_store::verify::What;
use sayso_store::{Journal, Sync};

use crate::scene::{Scene, add, chmod};

fn many(count: u64) -> Scene {
    let scene = Scene::new();
    let journal = scene.journal().with_segments_of(2_500);
    for index in 0..count {
        add(&journal, &format!("command {index}"));
    }
    scene
}

fn segment(scene: &Scene, number: u64) -> std::path::PathBuf {
    scene.file(&format!("{number:06}.jsonl"))
}

/// Junk in place of the last segment, and the one before cut: nothing tells any more what the next entry follows.
fn without_an_end(scene: &Scene) -> u64 {
    let last = scene.verify().segments;
    fs::write(segment(scene, last), "junk\n".repeat(7)).unwrap();
    let bytes = fs::read(segment(scene, last - 1)).unwrap();
    fs::write(segment(scene, last - 1), &bytes[..bytes.len() - 30]).unwrap();
    last
}

#[test]
fn appends_work_again_and_nothing_that_was_there_is_changed() {
    let scene = many(60);
    let last = without_an_end(&scene);
    let error = scene
        .journal()
        .append("x", vec![], Sync::System)
        .unwrap_err()
        .to_string();
    assert!(error.contains("sayso doctor --repair"), "{error}");
    let before: Vec<_> = (1..=last)
        .map(|number| fs::read(segment(&scene, number)).unwrap())
        .collect();
    let repaired = repair(&scene.state()).unwrap().unwrap();
    let after: Vec<_> = (1..=last)
        .map(|number| fs::read(segment(&scene, number)).unwrap())
        .collect();
    assert_eq!(before, after);
    // Its number is greater than any that was lost: those of the last segment and the one that was cut.
    assert!(repaired.number > 52, "{}", repaired.number);
    let numbers: Vec<u64> = (0..30)
        .map(|_| add(&scene.journal().with_segments_of(2_500), "more").number)
        .collect();
    assert_eq!(numbers[0], repaired.number + 1);
    for _ in 0..2 {
        let report = scene.verify();
        let whats: Vec<&What> = report.faults.iter().map(|fault| &fault.what).collect();
        assert!(whats.contains(&&What::CutShort), "{whats:?}");
        assert_eq!(
            whats.iter().filter(|what| ***what == What::NoEntry).count(),
            7,
            "{whats:?}"
        );
        assert_eq!(
            whats
                .iter()
                .filter(|what| matches!(what, What::Repaired(_)))
                .count(),
            1
        );
        assert!(
            report
                .faults
                .iter()
                .all(|fault| fault.number.is_none_or(|number| number <= repaired.number)),
            "the rest holds"
        );
        assert_eq!(report.head.unwrap().number, *numbers.last().unwrap());
    }
    // Everything whole can still be read.
    let reader = Reader::open(&scene.state()).unwrap();
    let entries: Vec<_> = reader.forwards().unwrap().filter_map(Result::ok).collect();
    let told = entries
        .iter()
        .find(|entry| entry.kind == "repaired")
        .unwrap()
        .node()
        .unwrap();
    let good = told.get("last").unwrap().as_whole().unwrap();
    assert_eq!(
        entries.iter().filter(|entry| entry.number <= good).count() as u64,
        good
    );
    assert_eq!(reader.find(numbers[3]).unwrap().unwrap().number, numbers[3]);
}

#[test]
fn a_record_with_nothing_wrong_is_left_alone() {
    let scene = many(30);
    assert_eq!(repair(&scene.state()).unwrap(), None);
    // A torn end is nothing wrong.
    let last = scene.verify().segments;
    fs::write(
        segment(&scene, last),
        fs::read_to_string(segment(&scene, last)).unwrap() + "{\"v\":1,",
    )
    .unwrap();
    assert_eq!(repair(&scene.state()).unwrap(), None);
    add(&scene.journal(), "x");
    let empty = Scene::new();
    assert_eq!(repair(&empty.state()).unwrap(), None);
    assert!(!empty.state().exists());
}

#[test]
fn a_damage_in_the_middle_is_closed_once_and_told_for_ever() {
    let scene = many(30);
    let text = fs::read_to_string(scene.first()).unwrap();
    let change = |from: &str, to: &str| {
        fs::write(
            scene.first(),
            fs::read_to_string(scene.first())
                .unwrap()
                .replacen(from, to, 1),
        )
        .unwrap()
    };
    change("command 3", "command X");
    let before = scene.verify();
    assert_eq!((before.faults.len(), before.unsettled), (1, 1));
    let repaired = repair(&scene.state()).unwrap().unwrap();
    assert_eq!(repaired.number, 31);
    let first = fs::read_to_string(segment(&scene, before.segments + 1)).unwrap();
    assert!(
        first.contains("\"kind\":\"repaired\",\"last\":3,\"faults\":1,\"file\":\"000001.jsonl\""),
        "{first}"
    );
    add(&scene.journal(), "x");
    let after = scene.verify();
    assert_eq!(
        (
            after.faults.len(),
            after.unsettled,
            after.head.unwrap().number
        ),
        (2, 0, 32),
        "{after:?}"
    );
    assert_eq!(repair(&scene.state()).unwrap(), None, "once");
    // What is damaged later is another matter; what is damaged before it, too.
    let last = segment(&scene, before.segments + 1);
    fs::write(
        &last,
        fs::read_to_string(&last)
            .unwrap()
            .replacen("\"command\":\"x\"", "\"command\":\"y\"", 1),
    )
    .unwrap();
    assert_eq!(scene.verify().unsettled, 1);
    assert!(repair(&scene.state()).unwrap().is_some());
    assert_eq!(scene.verify().unsettled, 0);
    // Put back as it was, only the words about it are left.
    fs::write(scene.first(), text).unwrap();
    assert!(
        scene
            .verify()
            .faults
            .iter()
            .any(|fault| matches!(fault.what, What::Repaired(_)))
    );
}

#[test]
fn a_beginning_that_is_gone_is_closed_too() {
    let scene = many(60);
    fs::remove_file(scene.first()).unwrap();
    assert_eq!(scene.verify().unsettled, 2);
    assert!(repair(&scene.state()).unwrap().is_some());
    let report = scene.verify();
    assert_eq!(
        (report.unsettled, report.faults.len()),
        (0, 3),
        "{report:?}"
    );
    assert_eq!(repair(&scene.state()).unwrap(), None);
}

#[test]
fn megabytes_of_junk_at_the_end_are_stepped_over() {
    let scene = many(5);
    let mut bytes = fs::read(scene.first()).unwrap();
    bytes.extend(std::iter::repeat_n(0_u8, 5 << 20));
    fs::write(scene.first(), &bytes).unwrap();
    scene
        .journal()
        .append("x", vec![], Sync::System)
        .unwrap_err()
        .to_string();
    assert_eq!(repair(&scene.state()).unwrap().unwrap().number, 7);
    add(&scene.journal(), "x");
    assert_eq!(fs::read(scene.first()).unwrap(), bytes);
}

#[test]
fn a_newer_version_is_no_damage() {
    let scene = many(3);
    let text = fs::read_to_string(scene.first()).unwrap();
    let newer = text
        .lines()
        .last()
        .unwrap()
        .replacen("\"v\":1", "\"v\":2", 1);
    fs::write(scene.first(), format!("{text}{newer}\n")).unwrap();
    for error in [
        repair(&scene.state()).unwrap_err().to_string(),
        scene
            .journal()
            .append("x", vec![], Sync::System)
            .unwrap_err()
            .to_string(),
    ] {
        assert!(
            error.contains("version 2") && error.contains("use the newer one"),
            "{error}"
        );
    }
    assert!(
        fs::read_to_string(scene.first())
            .unwrap()
            .starts_with(&text),
        "nothing is lost"
    );
}

#[test]
fn a_forged_repair_is_a_fault_like_any_other() {
    let scene = many(5);
    let fields = vec![(
        "last",
        sayso_core::text::node::Value::Number("5".to_owned()).into(),
    )];
    scene
        .journal()
        .append("repaired", fields, Sync::System)
        .unwrap();
    assert_eq!(scene.verify().faults.len(), 1);
}

#[test]
fn the_state_of_the_index_is_told_without_changing_it() {
    let scene = Scene::new();
    assert_eq!(health(&scene.state()).unwrap(), Health::Missing);
    scene.fill(5);
    assert_eq!(health(&scene.state()).unwrap(), Health::Missing);
    drop(Index::open(&scene.state(), &mut |_| {}).unwrap());
    assert_eq!(health(&scene.state()).unwrap(), Health::Sound(0));
    scene.fill(3);
    assert_eq!(health(&scene.state()).unwrap(), Health::Sound(3));
    let file = scene.state().join("index.db");
    for junk in [
        vec![7_u8; 9000],
        b"SQLite format 3\0 but no more".to_vec(),
        Vec::new(),
    ] {
        for side in ["index.db-wal", "index.db-shm"] {
            let _gone = fs::remove_file(scene.state().join(side));
        }
        fs::write(&file, &junk).unwrap();
        chmod(&file, 0o600);
        assert!(
            matches!(health(&scene.state()).unwrap(), Health::Damaged(_)),
            "{} bytes",
            junk.len()
        );
        assert_eq!(fs::read(&file).unwrap(), junk);
    }
    drop(Index::open(&scene.state(), &mut |_| {}).unwrap());
    assert_eq!(health(&scene.state()).unwrap(), Health::Sound(0));
    // An index of another record.
    fs::remove_dir_all(scene.state().join("journal")).unwrap();
    scene.fill(1);
    assert!(matches!(
        health(&scene.state()).unwrap(),
        Health::Damaged(_)
    ));
    drop(Journal::open(&scene.state()).unwrap());
}
