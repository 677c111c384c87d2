//! The record is locked, its disk full, or no longer writable, while hooks ask and programs submit: nothing is allowed without its entry.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Hook, Served};
use crate::desk::Desk;
use crate::hook::is_denied;

const POLICY: &str = "version: 1\nhooks: {ask: inbox}\n";

/// Whether anything stands in the record that says yes to a call.
fn was_allowed(served: &Served) -> bool {
    let yes = |entry: &Value| {
        matches!(
            entry["outcome"].as_str(),
            Some("approved" | "auto_approved")
        )
    };
    served.desk.entries("decided").iter().any(yes)
}

fn lock(served: &Served) -> File {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(served.desk.scene.state().join("journal/lock"))
        .unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn an_answer_while_the_record_is_locked_allows_nothing() {
    let served = Served::new();
    // So that there is a record with a lock.
    served.submit("rm -rf /").is(200);
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let asked = served.prompt();
    let held = lock(&served);
    // A yes comes: it does not count as long as it cannot be written down. Another call does not even get as far as asking.
    let hook = yes_without_a_record(&served, &asked, hook, "locked");
    let other = served.hook("claude", "Bash", json!({"command": "make other"}));
    let submitted = std::thread::scope(|scope| {
        let submitted = scope.spawn(|| served.submit("cat a.txt"));
        // On a busy machine the inbox, which waits for the lock as well, may be the one that is too late.
        let said = other.said();
        let late = said
            .to_string()
            .contains("the inbox did not answer in time");
        is_denied(&said, if late { "in time" } else { "locked" });
        submitted.join().unwrap()
    });
    assert!(
        submitted.status >= 500 || submitted.json()["state"] == "denied",
        "{submitted:?}"
    );
    drop(held);
    assert!(!was_allowed(&served));
    // With the lock gone, everything goes on.
    goes_on(&served, &asked, hook);
    assert_eq!(served.submit("cat a.txt").is(200)["state"], "allowed");
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    served.yes(&served.prompt()).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
}

/// Somebody says yes while nothing can be written: that does not count, or the hook that has to write it down denies. A hook that waits on
/// comes back.
fn yes_without_a_record(
    served: &Served,
    asked: &Value,
    mut hook: Hook,
    words: &str,
) -> Option<Hook> {
    let yes = served.yes(asked);
    if yes.status == 200 {
        is_denied(&hook.said(), words);
        return None;
    }
    assert!(yes.status >= 500, "{yes:?}");
    assert!(hook.is_waiting(), "it was told nothing");
    Some(hook)
}

/// What waits is answered now.
fn goes_on(served: &Served, asked: &Value, hook: Option<Hook>) {
    if let Some(hook) = hook {
        served.yes(asked).is(200);
        assert_eq!(hook.said()["permissionDecision"], "allow");
    }
}

/// A small disk for the state of sayso, for as long as this lives.
struct Disk(PathBuf);

impl Disk {
    fn mount(path: &Path) -> Option<Disk> {
        std::fs::create_dir_all(path).unwrap();
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m,mode=700", "sayso-test"])
            .arg(path)
            .output();
        done.is_ok_and(|out| out.status.success())
            .then(|| Disk(path.to_owned()))
    }

    /// Leaves no room at all.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filler");
        std::fs::write(&path, "").unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        while std::io::Write::write_all(&mut file, &[0; 4096]).is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// An inbox whose state lies on a disk of its own; none where this user may mount none.
fn on_a_disk() -> Option<(Disk, Served)> {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let Some(disk) = Disk::mount(&desk.scene.state()) else {
        println!(
            "NOT CHECKED: a full disk and one that cannot be written, as this user may mount none"
        );
        return None;
    };
    desk.scene.user_policy(POLICY);
    Some((disk, Served::start(desk)))
}

/// While nothing can be written: a yes to an open prompt, a new question, and a call that needs none, and none of them is allowed.
fn nothing_is_allowed(
    served: &Served,
    words: &str,
    break_it: impl FnOnce(),
) -> (Value, Option<Hook>) {
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let asked = served.prompt();
    break_it();
    let hook = yes_without_a_record(served, &asked, hook, words);
    is_denied(
        &served
            .hook("claude", "Bash", json!({"command": "make other"}))
            .said(),
        words,
    );
    // Also what nobody has to be asked about.
    is_denied(
        &served
            .hook("claude", "Bash", json!({"command": "cat a.txt"}))
            .said(),
        words,
    );
    assert!(served.get("/v1/health").status < 500, "it still answers");
    (asked, hook)
}

#[test]
fn with_a_full_disk_everything_is_denied_and_later_goes_on() {
    let Some((disk, served)) = on_a_disk() else {
        return;
    };
    let mut filler = None;
    let (asked, hook) = nothing_is_allowed(&served, "", || filler = Some(disk.fill()));
    let submitted = served.submit("cat a.txt");
    assert!(
        submitted.status >= 500 || submitted.json()["state"] == "denied",
        "{submitted:?}"
    );
    assert!(!was_allowed(&served));
    std::fs::remove_file(filler.unwrap()).unwrap();
    goes_on(&served, &asked, hook);
    assert_eq!(served.submit("cat a.txt").is(200)["state"], "allowed");
    assert!(was_allowed(&served));
}

#[test]
fn with_a_record_that_cannot_be_written_everything_is_denied() {
    let Some((_disk, served)) = on_a_disk() else {
        return;
    };
    served.submit("rm -rf /").is(200);
    let journal = served.desk.scene.state().join("journal");
    let mount = |options: &[&str]| {
        Command::new("mount")
            .args(options)
            .arg(&journal)
            .output()
            .unwrap()
            .status
            .success()
    };
    let (asked, hook) = nothing_is_allowed(&served, "", || {
        assert!(mount(&["--bind", journal.to_str().unwrap()]) && mount(&["-o", "remount,bind,ro"]));
    });
    assert!(!was_allowed(&served));
    // What the inbox has open already it may still write; then there is an entry, and else no yes.
    let submitted = served.submit("cat a.txt");
    assert_eq!(
        submitted.status == 200 && submitted.json()["state"] == "allowed",
        was_allowed(&served),
        "{submitted:?}"
    );
    assert!(
        Command::new("umount")
            .arg("-l")
            .arg(&journal)
            .status()
            .unwrap()
            .success()
    );
    goes_on(&served, &asked, hook);
    assert_eq!(served.submit("cat a.txt").is(200)["state"], "allowed");
}
