//! What a killed writer leaves at the end is put aside, and the record says so.

use std::fs;

use sayso_core::text::digest::Digest;
use sayso_store::read::Reader;

use crate::scene::{Scene, add};

#[test]
fn a_line_torn_anywhere_is_put_aside() {
    let scene = Scene::new();
    scene.fill(3);
    let whole = fs::read(scene.first()).unwrap();
    let second = whole
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .nth(1)
        .unwrap()
        .0
        + 1;
    for cut in second..=whole.len() {
        let scene = Scene::new();
        scene.fill(0);
        fs::write(scene.first(), &whole[..cut]).unwrap();
        let torn = cut > second && cut < whole.len();
        let report = scene.verify();
        assert!(report.is_sound(), "cut at {cut}: {report:?}");
        assert_eq!(
            report.torn,
            torn.then(|| ("000001.jsonl".to_owned(), (cut - second) as u64))
        );
        let kept = if cut == whole.len() { 3 } else { 2 };
        assert_eq!(report.entries, kept);
        assert_eq!(
            Reader::open(&scene.state()).unwrap().head().unwrap(),
            report.head
        );

        assert_eq!(
            add(&scene.journal(), "next").number,
            kept + 1 + u64::from(torn)
        );
        let report = scene.verify();
        assert!(
            report.is_sound() && report.torn.is_none(),
            "cut at {cut}: {report:?}"
        );
        assert_eq!(scene.torn_files().len(), usize::from(torn));
        if torn {
            let entry = Reader::open(&scene.state())
                .unwrap()
                .find(3)
                .unwrap()
                .unwrap();
            let node = entry.node().unwrap();
            assert_eq!(entry.kind, "torn");
            assert_eq!(
                node.get("bytes").unwrap().as_whole(),
                Some((cut - second) as u64)
            );
            let aside = fs::read(scene.file(node.get("file").unwrap().as_text().unwrap())).unwrap();
            assert_eq!(aside, &whole[second..cut]);
            assert_eq!(
                format!("sha256:{}", node.get("sha256").unwrap().as_text().unwrap()),
                Digest::of_bytes(&aside).to_string()
            );
        }
    }
}

#[test]
fn an_open_journal_puts_aside_what_another_left() {
    let scene = Scene::new();
    let journal = scene.journal();
    add(&journal, "one");
    let mut bytes = fs::read(scene.first()).unwrap();
    bytes.extend_from_slice(b"{\"v\":1,\"n\":2,\"at");
    fs::write(scene.first(), &bytes).unwrap();
    assert_eq!(add(&journal, "two").number, 3);
    assert!(scene.verify().is_sound());
    assert_eq!(scene.torn_files(), ["000001-1.torn"]);
}

#[test]
fn garbage_of_many_kinds_is_put_aside() {
    for garbage in [
        &b"\0"[..],
        &[0; 10_000],
        b"\n",
        b"{}\n",
        b"\n\n\n",
        b"x\ny\nz",
        &[b'x'; 2 << 20],
        &[0xFF; 70_000],
    ] {
        let scene = Scene::new();
        scene.fill(5);
        let mut bytes = fs::read(scene.first()).unwrap();
        bytes.extend_from_slice(garbage);
        fs::write(scene.first(), &bytes).unwrap();
        assert_eq!(add(&scene.journal(), "next").number, 7);
        let report = scene.verify();
        assert_eq!(report.entries, 7);
        // A killed writer leaves no line feed: where there are some, something else has happened.
        assert_eq!(report.is_sound(), !garbage.contains(&b'\n'), "{report:?}");
        assert_eq!(fs::read(scene.file("000001-1.torn")).unwrap(), garbage);
    }
}

#[test]
fn a_first_line_that_is_torn_starts_again_at_one() {
    let scene = Scene::new();
    scene.fill(0);
    for torn in ["{", "{\"v\":1,\"n\":1,\"at\":17"] {
        fs::write(scene.first(), torn).unwrap();
        assert_eq!(add(&scene.journal(), "x").number, 2);
        assert!(scene.verify().is_sound());
    }
    assert_eq!(scene.torn_files(), ["000001-1.torn", "000001-2.torn"]);
}

#[test]
fn more_damage_than_a_writer_can_leave_is_an_error() {
    let scene = Scene::new();
    scene.fill(2);
    let mut bytes = fs::read(scene.first()).unwrap();
    bytes.extend(std::iter::repeat_n(b'x', 20 << 20));
    fs::write(scene.first(), &bytes).unwrap();
    let error = scene
        .journal()
        .append("x", vec![], sayso_store::Sync::System)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("damaged") && error.contains("sayso audit verify"),
        "{error}"
    );
    assert_eq!(
        fs::read(scene.first()).unwrap(),
        bytes,
        "nothing is touched"
    );
}

#[test]
fn entries_of_a_newer_version_are_left_alone() {
    let scene = Scene::new();
    scene.fill(2);
    let text = scene.text().replace("{\"v\":1,\"n\":2", "{\"v\":2,\"n\":2");
    fs::write(scene.first(), &text).unwrap();
    let error = scene
        .journal()
        .append("x", vec![], sayso_store::Sync::System)
        .unwrap_err()
        .to_string();
    assert!(error.contains("version 2"), "{error}");
    assert_eq!(scene.text(), text);
    assert!(scene.verify().faults[0].to_string().contains("version 2"));
}
