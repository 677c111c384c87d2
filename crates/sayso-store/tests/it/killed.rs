//! kill -9 in a loop over writers that run at once: what was acknowledged is there, and the chain holds.

use std::fs;
use std::io::Read as _;
use std::process::{Child, Stdio};
use std::time::Duration;

use sayso_store::read::Reader;

use crate::scene::{Scene, add};
use crate::writer;

const KILLS: u64 = 500;
const AT_ONCE: usize = 4;

#[test]
fn nothing_acknowledged_is_lost_when_writers_are_killed() {
    let scene = Scene::new();
    let prints = |slot: u64| scene.outside().join(format!("printed-{slot}"));
    let start = |slot: u64| {
        writer::command(&scene.state(), 0)
            .stdout(fs::File::create(prints(slot)).unwrap())
            .spawn()
            .unwrap()
    };
    let mut writers: Vec<Child> = Vec::new();
    let mut started = 0;
    let mut kills = 0;
    while kills < KILLS {
        while writers.len() < AT_ONCE {
            writers.push(start(started));
            started += 1;
        }
        // A different moment each time: from before the first entry to the middle of many.
        std::thread::sleep(Duration::from_micros(kills * 7919 % 30_000));
        let mut writer = writers.remove(usize::try_from(kills).unwrap() % AT_ONCE);
        writer.kill().unwrap();
        let mut errors = String::new();
        writer
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .unwrap();
        writer.wait().unwrap();
        assert_eq!(errors, "");
        kills += 1;
    }
    for mut writer in writers {
        writer.kill().unwrap();
        writer.wait().unwrap();
        kills += 1;
    }
    // The first entry after all that puts the last torn line aside.
    add(&scene.journal(), "after");
    let report = scene.verify();
    assert!(report.is_sound() && report.torn.is_none(), "{report:?}");
    let reader = Reader::open(&scene.state()).unwrap();
    let stored: Vec<_> = reader
        .forwards()
        .unwrap()
        .map(|entry| {
            entry
                .map(|entry| (entry.number, entry.digest.to_string(), entry.kind))
                .unwrap()
        })
        .collect();
    let mut acknowledged = 0;
    for slot in 0..started {
        for (number, digest) in writer::acknowledged(&fs::read_to_string(prints(slot)).unwrap()) {
            let (there, has, _) = &stored[usize::try_from(number).unwrap() - 1];
            assert_eq!((*there, has.as_str()), (number, digest.as_str()));
            acknowledged += 1;
        }
    }
    let told = stored.iter().filter(|(_, _, kind)| kind == "torn").count();
    let aside = scene.torn_files().len();
    assert!(
        told <= aside,
        "{told} torn lines are told, {aside} were put aside"
    );
    println!(
        "{kills} kills: {acknowledged} entries acknowledged, all there; {} in {} segments, {aside} torn lines put aside, chain holds",
        stored.len(),
        report.segments
    );
    assert!(acknowledged > 0);
}

#[test]
fn a_writer_that_is_stopped_does_not_lose_anything_either() {
    let scene = Scene::new();
    let out = writer::command(&scene.state(), 20)
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(
        writer::acknowledged(&String::from_utf8(out.stdout).unwrap()).len(),
        20
    );
    assert_eq!(scene.verify().entries, 20);
}
