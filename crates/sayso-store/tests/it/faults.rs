//! A full disk, a limit on files, a folder that cannot be written: a clear error, and the record as it was.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use sayso_core::text::node::Node;
use sayso_store::{Journal, Sync};

use crate::scene::{Scene, add, chmod};
use crate::writer;

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_the_record_stays_whole() {
    let scene = Scene::new();
    let writer = writer::command(&scene.state(), 50);
    // 50 KiB (dash and bash count in blocks of 512 or 1024 bytes).
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "ulimit -f 50; exec \"$@\"", "sh"])
        .arg(writer.get_program())
        .args(writer.get_args());
    shell.envs(
        writer
            .get_envs()
            .filter_map(|(key, value)| Some((key, value?))),
    );
    let out = shell.output().unwrap();
    let errors = String::from_utf8(out.stderr).unwrap();
    let acknowledged = writer::acknowledged(&String::from_utf8(out.stdout).unwrap());
    assert!(
        errors.contains("only a part of the entry found room") || errors.contains("ulimit"),
        "{errors}"
    );
    assert!(!acknowledged.is_empty());
    let report = scene.verify();
    assert!(report.is_sound() && report.torn.is_none(), "{report:?}");
    assert_eq!(report.entries, acknowledged.len() as u64);
    assert_eq!(add(&scene.journal(), "more").number, report.entries + 1);
    assert!(scene.torn_files().is_empty());
}

/// A disk of one megabyte, for as long as this lives.
struct Tiny<'a>(&'a Path);

impl Tiny<'_> {
    fn mount(path: &Path) -> Option<Tiny<'_>> {
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m,mode=700", "sayso-test"])
            .arg(path)
            .output();
        done.is_ok_and(|out| out.status.success())
            .then_some(Tiny(path))
    }
}

impl Drop for Tiny<'_> {
    fn drop(&mut self) {
        // Also while a process that another test just starts still has its files open.
        let _unmounted = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_record_stays_whole() {
    let scene = Scene::new();
    let disk = scene.outside().join("disk");
    fs::create_dir(&disk).unwrap();
    let Some(_tiny) = Tiny::mount(&disk) else {
        println!("NOT CHECKED: a full disk; mounting one takes root");
        return;
    };
    let state = disk.join("sayso");
    let journal = Journal::open(&state).unwrap();
    let text = "x".repeat(10_000);
    let add = |journal: &Journal| {
        journal.append(
            "decided",
            vec![("command", Node::text(text.as_str()))],
            Sync::Disk,
        )
    };
    let mut count = 0;
    let error = loop {
        match add(&journal) {
            Ok(_) => count += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert!(
        error.contains("full") || error.contains("only a part"),
        "{error}"
    );
    for _ in 0..3 {
        add(&journal).unwrap_err().to_string();
    }
    let report = sayso_store::verify::verify(&state, None).unwrap();
    assert!(
        report.is_sound() && report.torn.is_none() && report.entries == count,
        "{report:?}"
    );
    // With room again, everything goes on.
    let remount = |options| {
        Command::new("mount")
            .args(["-o", options])
            .arg(&disk)
            .output()
            .unwrap()
            .status
            .success()
    };
    assert!(remount("remount,size=2m"));
    assert_eq!(add(&journal).unwrap().number, count + 1);
    // Read-only, as a disk becomes that has errors.
    drop(journal);
    // A process that another test just starts has all our files open for a moment.
    let tries = (0..500).any(|_| {
        remount("remount,ro") || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    });
    assert!(tries);
    assert!(
        Journal::open(&state)
            .and_then(|journal| add(&journal))
            .is_err()
    );
    assert!(
        sayso_store::verify::verify(&state, None)
            .unwrap()
            .is_sound()
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let scene = Scene::new();
    scene.fill(2);
    let journal_folder = scene.state().join("journal");
    chmod(&scene.first(), 0o400);
    chmod(&journal_folder, 0o500);
    if rustix::process::geteuid().is_root() {
        // Root writes anyway; then the entry has to be there.
        assert_eq!(add(&scene.journal(), "x").number, 3);
    } else {
        let error = scene
            .journal()
            .append("x", vec![], Sync::System)
            .unwrap_err()
            .to_string();
        assert!(error.contains("Permission denied"), "{error}");
    }
    assert!(scene.verify().is_sound());
    chmod(&journal_folder, 0o700);
}

#[test]
fn a_file_that_goes_away_under_an_open_journal_is_noticed() {
    let scene = Scene::new();
    let journal = scene.journal();
    add(&journal, "one");
    let text = scene.text();
    fs::remove_file(scene.first()).unwrap();
    // Whatever was kept in mind of it is not used.
    assert_eq!(add(&journal, "new").number, 1);
    fs::rename(scene.first(), scene.file("aside")).unwrap();
    fs::write(scene.first(), text).unwrap();
    chmod(&scene.first(), 0o600);
    assert_eq!(add(&journal, "two").number, 2);
    assert!(scene.verify().is_sound());
}

#[test]
fn a_lock_or_folder_that_was_replaced_is_noticed() {
    let scene = Scene::new();
    let journal = scene.journal();
    add(&journal, "one");
    fs::remove_file(scene.file("lock")).unwrap();
    // Others would lock another file now, and write at the same time.
    assert_eq!(add(&scene.journal(), "two").number, 2);
    let error = journal
        .append("x", vec![], Sync::System)
        .unwrap_err()
        .to_string();
    assert!(error.contains("start sayso again"), "{error}");
    let journal = scene.journal();
    fs::remove_dir_all(scene.state()).unwrap();
    let error = journal
        .append("x", vec![], Sync::System)
        .unwrap_err()
        .to_string();
    assert!(error.contains("start sayso again"), "{error}");
    assert_eq!(add(&scene.journal(), "anew").number, 1);
}

#[test]
fn what_is_no_file_in_place_of_a_segment_is_refused() {
    let scene = Scene::new();
    scene.journal();
    fs::create_dir(scene.first()).unwrap();
    scene
        .journal()
        .append("x", vec![], Sync::System)
        .unwrap_err()
        .to_string();
    fs::remove_dir(scene.first()).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(scene.first())
            .status()
            .unwrap()
            .success()
    );
    let error = scene
        .journal()
        .append("x", vec![], Sync::System)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("regular file") || error.contains("written by others"),
        "{error}"
    );
    fs::remove_file(scene.first()).unwrap();
    let elsewhere = scene.outside().join("elsewhere");
    fs::write(&elsewhere, "").unwrap();
    std::os::unix::fs::symlink(&elsewhere, scene.first()).unwrap();
    let error = scene
        .journal()
        .append("x", vec![], Sync::System)
        .unwrap_err()
        .to_string();
    assert!(error.contains("link"), "{error}");
    assert_eq!(fs::read(&elsewhere).unwrap(), b"");
}
