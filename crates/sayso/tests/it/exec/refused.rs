//! What was approved under other circumstances does not run: each with its own words, and the status of a denial.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{SystemTime, UNIX_EPOCH};

use sayso_store::held_operations;
use sayso_store::journal::Journal;
use serde_json::json;

use super::{call, exec, exec_of, hold, hold_asked, hold_call, refused, words};
use crate::desk::{Desk, read};
use crate::program::run;
use crate::scene::PATH;

fn now() -> i64 {
    i64::try_from(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs(),
    )
    .unwrap()
}

#[track_caller]
fn untouched(desk: &Desk, file: &str) {
    assert!(!desk.scene.workspace.join(file).exists(), "it ran");
}

#[test]
fn ids_that_are_none() {
    let desk = Desk::with(&[]);
    let id = hold(&desk, "touch made");
    let huge = "a".repeat(100_000);
    let ids = [
        "",
        " ",
        ".",
        "..",
        "../held",
        "/etc/passwd",
        "../../journal/lock",
        "0",
        "*",
        "$(id)",
        "a\nb",
        "\u{1b}[2J",
        "ü",
        "%00",
        "held",
        &huge,
        &id.to_uppercase(),
        &id[1..],
        &format!("{id} "),
        &format!("{id}.taken"),
        &format!("{id}/../{id}"),
        &format!("./{id}"),
    ];
    for hostile in ids.into_iter().filter(|hostile| *hostile != id) {
        let done = exec(&desk, hostile);
        refused(&done, "is no id of a held command");
        assert!(
            words(&done).len() < 300 && !words(&done).contains('\u{1b}'),
            "{}",
            words(&done)
        );
    }
    refused(
        &exec(&desk, OsString::from_vec(vec![0xff; 32])),
        "is no id of a held command",
    );
    refused(&exec(&desk, "0".repeat(32)), "no command is held under");
    untouched(&desk, "made");
    assert!(exec(&desk, &id).status.success());
}

#[test]
fn a_state_folder_that_is_not_there_is_not_made() {
    let desk = Desk::with(&[]);
    refused(&exec(&desk, "0".repeat(32)), "no command is held under");
    assert!(!desk.scene.state().exists());
    let id = hold(&desk, "touch made");
    fs::rename(desk.scene.state(), desk.scene.home.join("elsewhere")).unwrap();
    refused(&exec(&desk, &id), "no command is held under");
    untouched(&desk, "made");
}

#[test]
fn a_state_folder_that_others_can_write() {
    let desk = Desk::with(&[]);
    let id = hold(&desk, "touch made");
    fs::set_permissions(
        desk.scene.state().join("held"),
        fs::Permissions::from_mode(0o777),
    )
    .unwrap();
    refused(&exec(&desk, &id), "can be written by others");
    untouched(&desk, "made");
}

#[test]
fn a_file_that_was_changed_or_made_by_others() {
    let desk = Desk::with(&[]);
    let id = hold(&desk, "touch made");
    let file = desk.scene.state().join("held").join(&id);
    let text = fs::read_to_string(&file).unwrap();
    for other in [
        text.replace("touch made", "touch more"),
        text.replace("auto_approved", "approved"),
        text[1..].to_owned(),
        String::new(),
    ] {
        assert_ne!(other, text);
        fs::write(&file, other).unwrap();
        refused(&exec(&desk, &id), "is not what sayso wrote");
    }
    // Of another state folder, with another key.
    let theirs = Desk::with(&[]);
    let other = hold(&theirs, "touch made");
    fs::copy(
        theirs.scene.state().join("held").join(&other),
        desk.scene.state().join("held").join(&other),
    )
    .unwrap();
    refused(&exec(&desk, &other), "is not what sayso wrote");
    // What a digest of the record says of arguments is no digest of this.
    let entries = desk.entries("decided");
    let digest = entries[0]["args_digest"]
        .as_str()
        .unwrap()
        .strip_prefix("hmac-sha256:")
        .unwrap();
    fs::write(&file, format!("{digest}{}", &text[64..])).unwrap();
    refused(&exec(&desk, &id), "is not what sayso wrote");
    untouched(&desk, "made");
    fs::write(&file, text).unwrap();
    assert!(exec(&desk, &id).status.success(), "none of it used it up");
}

#[test]
fn one_that_waited_too_long() {
    let desk = Desk::with(&[]);
    let id = hold(&desk, "touch made");
    let text = held_operations::take(&desk.scene.state(), &id, now()).unwrap();
    let journal = Journal::open(&desk.scene.state()).unwrap();
    refused(
        &exec(
            &desk,
            held_operations::put(&journal, &text, now() - 15 * 60).unwrap(),
        ),
        "more than 15 minutes",
    );
    refused(
        &exec(
            &desk,
            held_operations::put(&journal, &text, now() + 3600).unwrap(),
        ),
        "more than 15 minutes",
    );
    untouched(&desk, "made");
    assert!(
        exec(
            &desk,
            held_operations::put(&journal, &text, now() - 60).unwrap()
        )
        .status
        .success()
    );
}

#[test]
fn a_text_that_another_version_wrote() {
    let desk = Desk::with(&[]);
    let id = hold(&desk, "touch made");
    let text = held_operations::take(&desk.scene.state(), &id, now()).unwrap();
    let journal = Journal::open(&desk.scene.state()).unwrap();
    for other in [
        String::new(),
        "{}".to_owned(),
        "{}\n{}".to_owned(),
        text.replace("\"yolo\"", "\"x\"")
            .replace("\"how\"", "\"who\""),
        text.replace("\"outcome\":\"auto_approved\"", "\"outcome\":\"denied\""),
        text.replace("\"digest\":\"sha256:", "\"digest\":\"sha1:"),
    ] {
        let done = exec(
            &desk,
            held_operations::put(&journal, &other, now()).unwrap(),
        );
        refused(&done, "is not written as this version of sayso writes it");
    }
    let other = text.replace("touch made", "touch more");
    refused(
        &exec(
            &desk,
            held_operations::put(&journal, &other, now()).unwrap(),
        ),
        "it is not what was approved",
    );
    untouched(&desk, "made");
    untouched(&desk, "more");
}

#[test]
fn a_policy_that_was_tightened() {
    for (policy, why) in [
        (
            "rules: [{deny: {command: \"sort *\"}}]\n",
            "it is denied by now",
        ),
        (
            "rules: [{ask: {command: \"sort *\"}}]\n",
            "it has to be asked about by now",
        ),
        ("mode: confirm-all\n", "it has to be asked about by now"),
        ("rules: [\n", "the policy cannot be read"),
    ] {
        let desk = Desk::with(&[("a", "x\n")]);
        let allow = "rules: [{allow: {command: \"sort *\"}}]\n";
        desk.scene.user_policy(allow);
        let id = hold_asked(&desk, "sort -o made a");
        assert_eq!(desk.entries("asked").len(), 0, "a rule allowed it");
        desk.scene.user_policy(policy);
        let done = exec(&desk, &id);
        refused(&done, why);
        untouched(&desk, "made");
        desk.scene.user_policy(allow);
        refused(&exec(&desk, &id), "each runs once");
        if !why.contains("cannot be read") {
            let finished = desk.entries("finished");
            assert_eq!(
                (finished.len(), &finished[0]["started"]),
                (1, &json!(false)),
                "the record says that it did not start"
            );
        }
    }
}

#[test]
fn what_a_person_said_yes_to_is_denied_by_now() {
    let desk = Desk::with(&[("a", "x\n")]);
    desk.scene.user_policy("rules: []\n");
    let (denied, twice, asked) = (
        hold_asked(&desk, "sort -o made a"),
        hold_asked(&desk, "sort -o made a"),
        hold_asked(&desk, "sort -o made a"),
    );
    desk.scene
        .user_policy("rules: [{deny: {command: \"sort *\"}}]\n");
    refused(&exec(&desk, denied), "it is denied by now");
    desk.scene
        .user_policy("rules: [{ask: {command: \"sort *\"}}]\n");
    let done = exec(&desk, asked);
    assert_eq!(
        done.status.code(),
        Some(0),
        "a question was answered: {}",
        words(&done)
    );
    refused(&exec(&desk, twice), "changed after it was approved");
}

#[test]
fn one_yes_is_none_to_what_needs_two() {
    let desk = Desk::with(&[("dir/a", "x\n")]);
    desk.scene.user_policy("double_confirm_deletes: false\n");
    let hold = |answers: &str| hold_call(&desk, &["--answers", answers], call("rm dir/a"));
    let once = hold("y");
    desk.scene.user_policy("double_confirm_deletes: true\n");
    refused(&exec(&desk, once), "it has to be asked about by now");
    assert!(desk.text("dir/a").is_some());
    let done = exec(&desk, hold("y,y"));
    assert_eq!(done.status.code(), Some(0), "{}", words(&done));
    untouched(&desk, "dir/a");
}

#[test]
fn the_flags_that_chose_the_policy_count_still() {
    let desk = Desk::with(&[("a", "x\n")]);
    let extra = desk.batch("extra.yaml", "rules: [{allow: {command: \"sort *\"}}]\n");
    let flags = ["--strict", "--policy", extra.to_str().unwrap()];
    let id = hold_call(&desk, &flags, call("sort -o made a"));
    let done = exec(&desk, id);
    assert_eq!(done.status.code(), Some(0), "{}", words(&done));
    let id = hold_call(&desk, &flags, call("sort -o more a"));
    fs::write(&extra, "rules: [{deny: {command: \"sort *\"}}]\n").unwrap();
    refused(&exec(&desk, id), "it is denied by now");
    untouched(&desk, "more");
}

#[test]
fn a_script_that_changed_since_it_was_shown() {
    let desk = Desk::with(&[("build.sh", "echo good\n")]);
    let change = |text: &str| fs::write(desk.scene.workspace.join("build.sh"), text).unwrap();
    let (same, other, gone) = (
        hold_asked(&desk, "bash build.sh"),
        hold_asked(&desk, "bash build.sh"),
        hold_asked(&desk, "bash build.sh"),
    );
    assert_eq!(exec(&desk, same).stdout, b"good\n");
    change("touch hijacked\n");
    refused(&exec(&desk, other), "changed after it was approved");
    fs::remove_file(desk.scene.workspace.join("build.sh")).unwrap();
    refused(&exec(&desk, gone), "changed after it was approved");
    untouched(&desk, "hijacked");
    let finished = desk.entries("finished");
    assert_eq!(
        finished
            .iter()
            .filter(|entry| entry["started"] == json!(false))
            .count(),
        2
    );
}

#[test]
fn w13_a_script_that_the_script_runs_and_that_changed_since() {
    let long = "# a long script\n".repeat(6000);
    for (first, command) in [
        ("sh b.sh\n", "sh a.sh"),
        ("cd sub\n./b.sh\n", "sh a.sh"),
        ("exec ./b.sh\n", "bash -euo pipefail a.sh"),
    ] {
        let desk = Desk::with(&[
            ("a.sh", first),
            ("b.sh", &format!("{long}echo good\n")),
            ("sub/b.sh", "echo good\n"),
        ]);
        for name in ["b.sh", "sub/b.sh"] {
            fs::set_permissions(
                desk.scene.workspace.join(name),
                fs::Permissions::from_mode(0o755),
            )
            .unwrap();
        }
        let (same, other) = (hold_asked(&desk, command), hold_asked(&desk, command));
        assert_eq!(exec(&desk, same).stdout, b"good\n", "{command}");
        for name in ["b.sh", "sub/b.sh"] {
            fs::write(
                desk.scene.workspace.join(name),
                format!("{long}touch hijacked\n"),
            )
            .unwrap();
        }
        refused(&exec(&desk, other), "changed after it was approved");
        untouched(&desk, "hijacked");
    }
}

#[test]
fn a_program_of_the_same_name_that_comes_first_by_now() {
    let desk = Desk::with(&[("Makefile", "all:\n\ttrue\n")]);
    let bin = desk.scene.workspace.join("bin");
    fs::create_dir(&bin).unwrap();
    let ids = [
        hold_asked(&desk, "make"),
        hold_call(&desk, &["--strict"], call("ls")),
    ];
    for name in ["make", "ls"] {
        fs::write(bin.join(name), "#!/bin/sh\ntouch hijacked\n").unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    for id in ids {
        let done = exec_of(&desk, id)
            .env("PATH", format!("{}:{PATH}", bin.display()))
            .output()
            .unwrap();
        assert_eq!(
            (done.status.code(), done.stdout.as_slice()),
            (Some(20), &b""[..]),
            "{}",
            words(&done)
        );
    }
    untouched(&desk, "hijacked");
}

#[test]
fn a_target_that_became_a_link() {
    let desk = Desk::with(&[("a", "x\n")]);
    desk.scene
        .user_policy("rules: [{allow: {command: \"sort *\"}}]\n");
    let id = hold_call(&desk, &["--strict"], call("sort -o out a"));
    std::os::unix::fs::symlink(
        desk.scene.home.join(".bashrc"),
        desk.scene.workspace.join("out"),
    )
    .unwrap();
    refused(&exec(&desk, id), "by now");
    assert!(!desk.scene.home.join(".bashrc").exists());
}

#[test]
fn a_folder_that_is_gone() {
    let desk = Desk::with(&[("inner/a", "")]);
    let call = || json!({"tool": "terminal", "id": "it", "args": {"command": "touch made"}, "cwd": "inner"});
    let ids = [
        hold_call(&desk, &["--approve-all"], call()),
        hold_call(&desk, &["--answers", "y"], call()),
    ];
    fs::rename(
        desk.scene.workspace.join("inner"),
        desk.scene.workspace.join("other"),
    )
    .unwrap();
    for id in ids {
        let done = exec(&desk, id);
        assert_eq!(
            (done.status.code(), done.stdout.as_slice()),
            (Some(20), &b""[..]),
            "{}",
            words(&done)
        );
        assert!(words(&done).contains("it was not run"), "{}", words(&done));
    }
    untouched(&desk, "other/made");
}

#[test]
fn an_answer_that_was_taken_back() {
    let desk = Desk::with(&[("a", "x\n")]);
    desk.run(&["--answers", "always,y"], &json!([call("sort -o made a")]))
        .is(0, "kept");
    let hold = || hold_call(&desk, &["--strict"], call("sort -o made a"));
    let (first, second) = (hold(), hold());
    let done = exec(&desk, first);
    assert_eq!(done.status.code(), Some(0), "{}", words(&done));
    fs::remove_file(desk.scene.workspace.join("made")).unwrap();
    let rules =
        read(&run(desk.program().args(["rules", "list", "--json"]), b"").is(0, "the rules"))
            .to_string();
    let id = rules
        .split("\"id\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap_or_else(|| panic!("{rules}"));
    run(desk.program().args(["rules", "remove", id]), b"").is(0, "taken back");
    refused(
        &exec(&desk, second),
        "the answer that allowed it was taken back",
    );
    untouched(&desk, "made");
}

#[test]
fn what_cannot_be_recorded_does_not_run() {
    let desk = Desk::with(&[]);
    // From here on the policy comes from a snapshot.
    assert!(exec(&desk, hold(&desk, "true")).status.success());
    let id = hold(&desk, "touch made");
    let segment = desk.scene.state().join("journal/000001.jsonl");
    fs::rename(&segment, segment.with_extension("away")).unwrap();
    fs::create_dir(&segment).unwrap();
    let done = exec(&desk, &id);
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(20), &b""[..])
    );
    assert!(
        words(&done).contains("could not be recorded"),
        "{}",
        words(&done)
    );
    untouched(&desk, "made");
}
