//! What cannot be recorded does not run: a state folder that cannot be relied on, that cannot be written, and a disk that is full.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::desk::Desk;
use crate::program::{Outcome, run};
use crate::scene::PATH;

fn calls() -> serde_json::Value {
    json!([
        {"type": "terminal", "id": "t", "command": "mkdir ran"},
        {"type": "file_mkdir", "id": "m", "path": "made"},
        {"type": "file_read", "id": "r", "file": "a.py"},
        {"type": "file_delete", "id": "d", "file": "a.py"},
    ])
}

fn desk() -> Desk {
    Desk::with(&[("a.py", "a\n")])
}

#[track_caller]
fn nothing_ran(desk: &Desk, done: &Outcome, what: &str) {
    let names: Vec<String> = desk
        .tree()
        .keys()
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(
        names,
        ["a.py"],
        "{what}: out {:?}, err {:?}",
        done.out,
        done.err
    );
    assert_ne!(done.code, 0, "{what}");
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_state_folder_that_others_can_write_is_refused() {
    for bits in [0o777, 0o702, 0o1777] {
        let desk = desk();
        let state = desk.scene.state();
        fs::create_dir_all(&state).unwrap();
        mode(&state, bits);
        let done = desk.run(&["--yolo"], &calls()).is(2, "others can write it");
        assert!(
            done.err.contains("can be written by others"),
            "{}",
            done.err
        );
        nothing_ran(&desk, &done, &format!("{bits:o}"));
    }
    let desk = desk();
    let above = desk.scene.home.join(".local");
    fs::create_dir_all(&above).unwrap();
    mode(&above, 0o777);
    let done = desk
        .run(&["--yolo"], &calls())
        .is(2, "others can replace it");
    nothing_ran(&desk, &done, "a folder above");
}

#[test]
fn a_state_folder_that_is_something_else_is_refused() {
    let desk = desk();
    let state = desk.scene.state();
    fs::create_dir_all(state.parent().unwrap()).unwrap();
    fs::write(&state, "a file").unwrap();
    let done = desk.run(&["--yolo"], &calls()).is(2, "a file");
    nothing_ran(&desk, &done, "a file");
    fs::remove_file(&state).unwrap();
    let other = desk.scene.home.join("other");
    fs::create_dir(&other).unwrap();
    symlink(&other, &state).unwrap();
    let done = desk.run(&["--yolo"], &calls()).is(2, "a link");
    nothing_ran(&desk, &done, "a link");
    assert_eq!(
        fs::read_dir(&other).unwrap().count(),
        0,
        "nothing was made where the link leads"
    );
}

#[test]
fn a_journal_that_is_a_folder_a_link_or_not_ours_is_refused() {
    for what in ["folder", "link", "open"] {
        let desk = desk();
        desk.run(
            &["--strict"],
            &json!([{"type": "file_read", "id": "r", "file": "a.py"}]),
        )
        .is(0, "the first run");
        let journal = desk.scene.state().join("journal");
        let segment = fs::read_dir(&journal)
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
            .find(|path| fs::metadata(path).unwrap().len() > 0);
        let segment = segment.unwrap();
        match what {
            "folder" => {
                fs::remove_file(&segment).unwrap();
                fs::create_dir(&segment).unwrap();
            }
            "link" => {
                fs::rename(&segment, desk.scene.home.join("moved")).unwrap();
                symlink(desk.scene.home.join("moved"), &segment).unwrap();
            }
            _ => mode(&segment, 0o666),
        }
        let done = desk.run(&["--yolo"], &calls());
        nothing_ran(&desk, &done, what);
    }
}

/// Runs the program where no file can grow, as on a full disk; folders can still be made, so what runs leaves a trace.
fn on_a_full_disk(desk: &Desk, flags: &[&str]) -> Outcome {
    let file = desk.batch("calls.json", calls().to_string());
    let mut bash = Command::new("bash");
    bash.env_clear()
        .env("PATH", PATH)
        .env("HOME", &desk.scene.home)
        .current_dir(&desk.scene.workspace);
    bash.args([
        "-c",
        "ulimit -f 0; exec \"$0\" run \"$@\"",
        env!("CARGO_BIN_EXE_sayso"),
    ]);
    run(bash.args(flags).arg(file), b"")
}

#[test]
fn on_a_full_disk_nothing_runs() {
    for flags in [
        &["--yolo"][..],
        &["--approve-all", "--json"],
        &["--answers", "y,y,y,y"],
    ] {
        let desk = desk();
        let done = on_a_full_disk(&desk, flags);
        nothing_ran(&desk, &done, "no journal yet");
        assert!([2, 20].contains(&done.code), "{}: {}", done.code, done.err);

        desk.run(
            &["--strict"],
            &json!([{"type": "file_read", "id": "r", "file": "a.py"}]),
        )
        .is(0, "there was room");
        let before = desk.record().len();
        let done = on_a_full_disk(&desk, flags);
        nothing_ran(&desk, &done, "with a journal");
        assert!([2, 20].contains(&done.code), "{}: {}", done.code, done.err);
        assert_eq!(
            desk.record().len(),
            before,
            "the record is as it was, and sound"
        );
        desk.run(&["--approve-all"], &calls())
            .is(0, "and with room again all of it runs");
    }
}

/// Runs the program with a file system of its own under its state folder; none where that is not allowed.
fn mounted(desk: &Desk, options: &str, prepare: &str) -> Option<Outcome> {
    let allowed = Command::new("unshare")
        .args(["-m", "true"])
        .output()
        .is_ok_and(|done| done.status.success());
    if !allowed {
        return None;
    }
    let state = desk.scene.state();
    fs::create_dir_all(&state).unwrap();
    mode(&state, 0o700);
    let file = desk.batch("calls.json", calls().to_string());
    let script = format!(
        "mount -t tmpfs -o mode=700,{options} none \"$1\" || exit 99; {prepare}; exec \"$0\" run --yolo \"$2\""
    );
    let mut unshare = Command::new("unshare");
    unshare
        .env_clear()
        .env("PATH", format!("{PATH}:/usr/sbin:/sbin"))
        .env("HOME", &desk.scene.home)
        .current_dir(&desk.scene.workspace);
    unshare
        .args(["-m", "bash", "-c", &script, env!("CARGO_BIN_EXE_sayso")])
        .arg(&state)
        .arg(&file);
    Some(run(&mut unshare, b"")).filter(|done| done.code != 99)
}

#[test]
fn on_a_disk_that_is_really_full_or_cannot_be_written_nothing_runs() {
    let full = "head -c 10000000 /dev/zero > \"$1/filler\" 2> /dev/null; chmod 600 \"$1/filler\"";
    for (options, prepare) in [
        ("size=64k", full),
        ("size=1m", "mount -o remount,ro \"$1\""),
        ("size=1m,nr_inodes=3", ":"),
    ] {
        let desk = desk();
        let Some(done) = mounted(&desk, options, prepare) else {
            eprintln!("skipped: no file system can be mounted here");
            return;
        };
        nothing_ran(&desk, &done, options);
        assert!(
            [2, 20].contains(&done.code),
            "{options}: {}: {}",
            done.code,
            done.err
        );
    }
}

#[test]
fn a_state_folder_without_the_right_to_write_is_refused() {
    if rustix::process::geteuid().is_root() {
        // Root can write everywhere; the mounted one above is for it.
        return;
    }
    let desk = desk();
    let state = desk.scene.state();
    fs::create_dir_all(&state).unwrap();
    mode(&state, 0o500);
    let done = desk.run(&["--yolo"], &calls()).is(2, "read-only");
    nothing_ran(&desk, &done, "read-only");
    mode(&state, 0o700);
}
