//! New entries are seen as they come, also from other processes, across segments, and behind what a killed writer left.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::process::Stdio;

use sayso_store::read::Follow;

use crate::scene::{Scene, add};
use crate::writer;

fn numbers(follow: &mut Follow) -> Vec<u64> {
    follow
        .look()
        .unwrap()
        .into_iter()
        .map(|entry| entry.unwrap().number)
        .collect()
}

#[test]
fn everything_that_comes_is_seen_once() {
    let scene = Scene::new();
    let mut early = Follow::from_end(&scene.state()).unwrap();
    assert!(numbers(&mut early).is_empty(), "nothing was ever recorded");
    let journal = scene.journal().with_segments_of(1500);
    for index in 0..5 {
        add(&journal, &format!("{index}"));
    }
    let mut late = Follow::from_end(&scene.state()).unwrap();
    assert!(numbers(&mut late).is_empty());
    assert_eq!(numbers(&mut early), [1, 2, 3, 4, 5]);
    for number in 6..60 {
        add(&journal, "x");
        if number % 7 == 0 {
            let seen = numbers(&mut early);
            assert_eq!(seen.last(), Some(&number), "{seen:?}");
        }
    }
    assert_eq!(
        numbers(&mut late),
        (6..60).collect::<Vec<u64>>(),
        "across many segments"
    );
    assert!(scene.verify().segments > 3);
}

#[test]
fn half_a_line_comes_when_it_is_whole_or_never() {
    let scene = Scene::new();
    scene.fill(2);
    let mut follow = Follow::from_end(&scene.state()).unwrap();
    let mut file = OpenOptions::new().append(true).open(scene.first()).unwrap();
    file.write_all(b"{\"v\":1,\"n\":3,\"at\":17").unwrap();
    assert!(numbers(&mut follow).is_empty());
    let mut behind = Follow::from_end(&scene.state()).unwrap();
    scene.fill(1);
    assert_eq!(
        numbers(&mut follow),
        [3, 4],
        "the note that it was put aside, and the entry"
    );
    assert_eq!(numbers(&mut behind), [3, 4]);
}

#[test]
fn damage_and_another_journal_are_told() {
    let scene = Scene::new();
    scene.fill(1);
    let mut follow = Follow::from_end(&scene.state()).unwrap();
    let mut file = OpenOptions::new().append(true).open(scene.first()).unwrap();
    file.write_all(b"this is no entry\n").unwrap();
    let seen = follow.look().unwrap();
    assert!(seen.len() == 1 && seen[0].is_err(), "{seen:?}");
    fs::write(scene.first(), "").unwrap();
    assert!(follow.look().unwrap_err().to_string().contains("shorter"));
    fs::remove_file(scene.first()).unwrap();
    assert!(
        follow
            .look()
            .unwrap_err()
            .to_string()
            .contains("taken away")
    );
}

#[test]
fn what_other_processes_write_is_seen() {
    let scene = Scene::new();
    let mut follow = Follow::from_end(&scene.state()).unwrap();
    let mut writers: Vec<_> = (0..3)
        .map(|_| {
            writer::command(&scene.state(), 100)
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut seen = Vec::new();
    while writers
        .iter_mut()
        .any(|writer| writer.try_wait().unwrap().is_none())
    {
        seen.extend(numbers(&mut follow));
    }
    seen.extend(numbers(&mut follow));
    assert_eq!(seen, (1..=300).collect::<Vec<u64>>());
}
