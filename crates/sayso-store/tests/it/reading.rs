//! Entries are read forwards, backwards and by what they are about, with damage in between.

use std::fs;

use sayso_core::text::node::Node;
use sayso_store::Sync;
use sayso_store::read::Reader;

use crate::scene::Scene;

fn numbers(
    entries: impl Iterator<Item = Result<sayso_store::read::Stored, sayso_store::read::ReadError>>,
) -> Vec<Option<u64>> {
    entries
        .map(|entry| entry.ok().map(|entry| entry.number))
        .collect()
}

#[test]
fn nothing_recorded_is_no_error() {
    let scene = Scene::new();
    for _ in 0..2 {
        let reader = Reader::open(&scene.state()).unwrap();
        assert!(
            reader.forwards().unwrap().next().is_none()
                && reader.backwards().unwrap().next().is_none()
        );
        assert!(reader.head().unwrap().is_none() && reader.find(1).unwrap().is_none());
        scene.journal();
    }
}

#[test]
fn long_and_short_lines_come_both_ways() {
    let scene = Scene::new();
    let journal = scene.journal();
    let lengths = [
        0, 10, 65_000, 65_536, 70_000, 3, 500_000, 1_000_000, 1, 131_072, 200,
    ];
    for length in lengths {
        journal
            .append(
                "x",
                vec![("text", Node::text("y".repeat(length)))],
                Sync::System,
            )
            .unwrap();
    }
    let reader = Reader::open(&scene.state()).unwrap();
    let forwards: Vec<_> = reader.forwards().unwrap().map(Result::unwrap).collect();
    for (stored, length) in forwards.iter().zip(lengths) {
        assert_eq!(
            stored
                .node()
                .unwrap()
                .get("text")
                .unwrap()
                .as_text()
                .unwrap()
                .len(),
            length
        );
    }
    let mut backwards: Vec<_> = reader.backwards().unwrap().map(Result::unwrap).collect();
    backwards.reverse();
    assert_eq!(forwards, backwards);
    assert_eq!(forwards.len(), lengths.len());
    assert!(scene.verify().is_sound());
}

#[test]
fn damage_is_an_error_in_its_place() {
    let scene = Scene::new();
    scene.fill(6);
    let mut lines: Vec<String> = scene
        .text()
        .split_inclusive('\n')
        .map(str::to_owned)
        .collect();
    lines[2] = lines[2].replace("command", "commend");
    lines[4] = format!("{}\n", "x".repeat(3 << 20));
    fs::write(scene.first(), lines.concat()).unwrap();
    let reader = Reader::open(&scene.state()).unwrap();
    assert_eq!(
        numbers(reader.forwards().unwrap()),
        [Some(1), Some(2), None, Some(4), None, Some(6)]
    );
    let backwards = numbers(reader.backwards().unwrap());
    assert_eq!(
        backwards.iter().flatten().copied().collect::<Vec<_>>(),
        [6, 4, 2, 1]
    );
    assert!(
        reader.find(3).unwrap().is_none(),
        "what was changed is not shown as an entry"
    );
    assert_eq!(reader.find(4).unwrap().unwrap().number, 4);
    let error = reader
        .forwards()
        .unwrap()
        .nth(2)
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(error.contains("`000001.jsonl`, line 3"), "{error}");
}

#[test]
fn nothing_looks_damaged_while_others_write() {
    let scene = Scene::new();
    scene.fill(1);
    let writers: Vec<_> = (0..3)
        .map(|_| {
            let mut command = crate::writer::command(&scene.state(), 100);
            std::thread::spawn(move || command.output().unwrap())
        })
        .collect();
    let reader = Reader::open(&scene.state()).unwrap();
    let mut rounds = 0;
    while rounds < 3 || writers.iter().any(|writer| !writer.is_finished()) {
        assert!(reader.forwards().unwrap().all(|entry| entry.is_ok()));
        assert!(
            reader
                .backwards()
                .unwrap()
                .take(50)
                .all(|entry| entry.is_ok())
        );
        let report = scene.verify();
        assert!(report.is_sound() && report.torn.is_none(), "{report:?}");
        rounds += 1;
    }
    for writer in writers {
        assert!(writer.join().unwrap().status.success());
    }
    assert_eq!(scene.verify().entries, 301);
}

#[test]
fn the_story_of_one_call_is_found() {
    let scene = Scene::new();
    let journal = scene.journal();
    let append = |kind: &str, id: &str| {
        journal
            .append(kind, vec![("id", Node::text(id))], Sync::System)
            .unwrap()
    };
    append("decided", "a");
    append("decided", "b\"\n");
    append("finished", "a");
    append("finished", "b\"\n");
    journal
        .append(
            "note",
            vec![("deeper", Node::map([("id", Node::text("a"))]))],
            Sync::System,
        )
        .unwrap();
    let reader = Reader::open(&scene.state()).unwrap();
    assert_eq!(
        numbers(reader.about("id", "a").unwrap()),
        [Some(1), Some(3)]
    );
    assert_eq!(
        numbers(reader.about("id", "b\"\n").unwrap()),
        [Some(2), Some(4)]
    );
    assert_eq!(numbers(reader.about("id", "c").unwrap()), []);
}
