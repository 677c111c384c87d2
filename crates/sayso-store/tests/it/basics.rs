//! Entries are added, are lines of JSON, and form one chain.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};
use sayso_store::Sync;
use sayso_store::verify::Head;

use crate::scene::{Scene, add};

#[test]
fn entries_are_lines_that_carry_each_other() {
    let scene = Scene::new();
    let appended = scene.fill(3);
    assert_eq!(
        appended.iter().map(|one| one.number).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    let mut prev = "0".repeat(64);
    for (line, appended) in scene.text().lines().zip(&appended) {
        let node = json::read(line, &Limits::default()).unwrap();
        let text = |key: &str| node.get(key).unwrap().as_text().unwrap().to_owned();
        assert_eq!(node.get("n").unwrap().as_whole(), Some(appended.number));
        assert_eq!((text("prev"), text("kind")), (prev, "decided".to_owned()));
        // The digest is of the stored bytes before it.
        let (body, _) = line.rsplit_once(",\"digest\":").unwrap();
        assert_eq!(Digest::of_bytes(body.as_bytes()), appended.digest);
        prev = text("digest");
    }
    let report = scene.verify();
    assert!(report.is_sound(), "{report:?}");
    let last = appended.last().unwrap();
    assert_eq!(
        (report.entries, report.head),
        (
            3,
            Some(Head {
                number: last.number,
                digest: last.digest
            })
        )
    );
    assert_eq!(report.bytes, scene.text().len() as u64);
}

#[test]
fn another_journal_goes_on_where_the_first_stopped() {
    let scene = Scene::new();
    let (one, other) = (scene.journal(), scene.journal());
    for index in 0..20 {
        add(if index % 3 == 0 { &one } else { &other }, "x");
    }
    let report = scene.verify();
    assert!(report.is_sound() && report.entries == 20, "{report:?}");
}

#[test]
fn threads_share_one_journal() {
    let scene = Scene::new();
    let journal = scene.journal();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                (0..50).for_each(|index| assert!(add(&journal, &index.to_string()).number > 0))
            });
        }
    });
    let report = scene.verify();
    assert!(report.is_sound() && report.entries == 400, "{report:?}");
}

#[test]
fn files_are_for_their_owner_only() {
    let scene = Scene::new();
    scene.fill(1);
    scene.journal().key().unwrap();
    let mode = |path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(scene.state()), 0o700);
    assert_eq!(mode(scene.state().join("journal")), 0o700);
    for file in [
        scene.first(),
        scene.file("lock"),
        scene.state().join("digest.key"),
    ] {
        assert_eq!(mode(file.clone()), 0o600, "{file:?}");
    }
}

#[test]
fn names_that_would_break_a_line_are_refused() {
    let scene = Scene::new();
    let journal = scene.journal();
    for name in [
        "n", "prev", "digest", "back", "", "A", "a b", "a\"", "ä", "a\n",
    ] {
        journal
            .append("x", vec![(name, Node::text(""))], Sync::System)
            .unwrap_err()
            .to_string();
    }
    journal
        .append(
            "x",
            vec![("a", Node::text("")), ("a", Node::text(""))],
            Sync::System,
        )
        .unwrap_err()
        .to_string();
    for kind in ["", "A", "a\"", "a\nb"] {
        journal
            .append(kind, vec![], Sync::System)
            .unwrap_err()
            .to_string();
    }
    assert!(
        journal
            .append(
                "x",
                vec![("a", Node::text("y".repeat(2 << 20)))],
                Sync::System
            )
            .unwrap_err()
            .to_string()
            .contains("too long")
    );
    let deep = (0..500).fold(Node::text("x"), |node, _| {
        sayso_core::text::node::Value::List(vec![node]).into()
    });
    assert!(
        journal
            .append("x", vec![("a", deep)], Sync::System)
            .unwrap_err()
            .to_string()
            .contains("deep")
    );
    add(&journal, "fine");
    assert_eq!(scene.verify().entries, 1);
}

#[test]
fn a_clock_that_goes_back_is_told_and_numbers_grow() {
    let scene = Scene::new();
    let journal = scene.journal();
    for at in [1_000, 2_000, 1_500, 1_500, 1_600, -5, i64::MIN + 1, 0] {
        journal.append_at(at, "x", vec![], Sync::Disk).unwrap();
    }
    let text = scene.text();
    let back: Vec<&str> = text
        .lines()
        .map(|line| {
            line.split_once(",\"back\":")
                .map_or("", |(_, rest)| rest.split([',', '}']).next().unwrap())
        })
        .collect();
    assert_eq!(
        back,
        ["", "", "500", "", "", "1605", "9223372036854775802", ""]
    );
    let report = scene.verify();
    assert!(report.is_sound() && report.entries == 8, "{report:?}");
}
