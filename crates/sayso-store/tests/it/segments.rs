//! One chain over many files.

use std::fs;

use sayso_core::text::node::{Node, Value};
use sayso_store::Sync;
use sayso_store::read::Reader;
use sayso_store::verify::What;

use crate::scene::{Scene, add};

/// Entries in segments of about ten.
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

#[test]
fn a_full_segment_is_followed_by_another() {
    let scene = many(100);
    let report = scene.verify();
    assert!(
        report.is_sound() && report.entries == 100 && report.segments > 5,
        "{report:?}"
    );
    // The first line of a segment names the last digest of the one before.
    let last = |number| {
        fs::read_to_string(segment(&scene, number))
            .unwrap()
            .lines()
            .last()
            .unwrap()
            .to_owned()
    };
    let digest = last(1).rsplit_once("\"digest\":\"").unwrap().1[..64].to_owned();
    assert!(
        fs::read_to_string(segment(&scene, 2))
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .contains(&format!("\"prev\":\"{digest}\""))
    );
    // Another journal goes on in the last.
    assert_eq!(add(&scene.journal(), "x").number, 101);
    assert_eq!(scene.verify().segments, report.segments);
}

#[test]
fn journals_that_are_open_follow_to_the_next_segment() {
    let scene = Scene::new();
    let (one, other) = (
        scene.journal().with_segments_of(1_000),
        scene.journal().with_segments_of(1_000),
    );
    for _ in 0..20 {
        add(&one, "x");
        add(&other, "y");
        add(&other, "z");
    }
    let report = scene.verify();
    assert!(
        report.is_sound() && report.entries == 60 && report.segments > 10,
        "{report:?}"
    );
}

#[test]
fn a_segment_that_is_gone_cut_or_swapped_is_told() {
    let scene = many(60);
    fs::remove_file(segment(&scene, 3)).unwrap();
    let faults = scene.verify().faults;
    assert_eq!(faults[0].to_string(), "`000003.jsonl`: the file is missing");
    assert!(
        matches!(faults[1].what, What::Missing(..)) && faults[1].file == "000004.jsonl",
        "{faults:?}"
    );
    assert_eq!(faults.len(), 2);

    let scene = many(60);
    let bytes = fs::read(segment(&scene, 2)).unwrap();
    fs::write(segment(&scene, 2), &bytes[..bytes.len() - 100]).unwrap();
    let faults = scene.verify().faults;
    assert_eq!(
        (faults[0].file.as_str(), &faults[0].what),
        ("000002.jsonl", &What::CutShort)
    );
    assert!(
        Reader::open(&scene.state())
            .unwrap()
            .forwards()
            .unwrap()
            .any(|entry| entry.is_err())
    );
    assert!(
        Reader::open(&scene.state())
            .unwrap()
            .backwards()
            .unwrap()
            .any(|entry| entry.is_err())
    );

    let scene = many(60);
    fs::rename(segment(&scene, 2), scene.file("aside")).unwrap();
    fs::rename(segment(&scene, 3), segment(&scene, 2)).unwrap();
    fs::rename(scene.file("aside"), segment(&scene, 3)).unwrap();
    assert_eq!(scene.verify().faults[0].file, "000002.jsonl");

    let scene = many(60);
    fs::remove_file(segment(&scene, 1)).unwrap();
    let faults = scene.verify().faults;
    assert_eq!(faults[0].what, What::MissingSegment);
    assert!(matches!(faults[1].what, What::Missing(1, _)), "{faults:?}");
}

#[test]
fn a_beginning_that_was_pruned_is_excused_by_an_entry_that_says_so() {
    let scene = many(60);
    let gone = fs::read_to_string(segment(&scene, 2)).unwrap();
    let number = gone
        .lines()
        .last()
        .unwrap()
        .split_once("\"n\":")
        .unwrap()
        .1
        .split_once(',')
        .unwrap()
        .0
        .to_owned();
    let head = gone
        .lines()
        .last()
        .unwrap()
        .rsplit_once("\"digest\":\"")
        .unwrap()
        .1[..64]
        .to_owned();
    fs::remove_file(segment(&scene, 1)).unwrap();
    fs::remove_file(segment(&scene, 2)).unwrap();
    let journal = scene.journal();
    let pruned = |through: &str, head: &str| {
        let fields = vec![
            ("through", Value::Number(through.to_owned()).into()),
            ("head", Node::text(head)),
        ];
        journal.append("pruned", fields, Sync::System).unwrap();
    };
    pruned(&number, &"1".repeat(64));
    pruned("3", &head);
    assert_eq!(scene.verify().faults.len(), 3);
    pruned(&number, &head);
    let report = scene.verify();
    assert!(report.is_sound(), "{report:?}");
    // But not what goes after that.
    fs::remove_file(segment(&scene, 3)).unwrap();
    assert!(!scene.verify().is_sound());
}

#[test]
fn a_segment_that_was_only_begun_is_used() {
    for begun in ["", "{\"v\":1,\"n"] {
        let scene = many(20);
        let last = scene.verify().segments;
        fs::write(segment(&scene, last + 1), begun).unwrap();
        crate::scene::chmod(&segment(&scene, last + 1), 0o600);
        let number = add(&scene.journal(), "x").number;
        assert_eq!(number, if begun.is_empty() { 21 } else { 22 });
        let report = scene.verify();
        assert!(
            report.is_sound() && report.segments == last + 1,
            "{report:?}"
        );
        assert!(
            fs::read_to_string(segment(&scene, last + 1))
                .unwrap()
                .lines()
                .count()
                > 0
        );
    }
}

#[test]
fn entries_are_found_over_all_segments() {
    let scene = many(100);
    let reader = Reader::open(&scene.state()).unwrap();
    for number in 1..=100 {
        assert_eq!(reader.find(number).unwrap().unwrap().number, number);
    }
    assert!(reader.find(0).unwrap().is_none() && reader.find(101).unwrap().is_none());
    let forwards: Vec<u64> = reader
        .forwards()
        .unwrap()
        .map(|entry| entry.unwrap().number)
        .collect();
    let mut backwards: Vec<u64> = reader
        .backwards()
        .unwrap()
        .map(|entry| entry.unwrap().number)
        .collect();
    backwards.reverse();
    assert_eq!((&forwards, forwards.len()), (&backwards, 100));
}
