//! Heads of the record that are handed to a program of the person's.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::desk::Desk;

fn script(desk: &Desk, text: &str) -> String {
    let path = desk.scene.home.join("keep-head");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn reads(count: usize) -> serde_json::Value {
    (0..count)
        .map(|_| json!({"type": "file_read", "file": "a.txt"}))
        .collect()
}

#[test]
fn every_few_entries_the_head_is_handed_on_and_verifies() {
    let desk = Desk::with(&[("a.txt", "a\n")]);
    let kept = desk.scene.home.join("kept");
    let program = script(
        &desk,
        &format!(
            "read line; echo \"$1 $2 $line $(pwd)\" >> '{}'",
            kept.display()
        ),
    );
    desk.scene.user_policy(&format!(
        "audit: {{head_every: 2, head_command: [{program}, 'an argument; $(x)']}}\n"
    ));
    desk.run(&["--approve-all"], &reads(3))
        .is(0, "eight entries, with the mode and the end");
    let text = fs::read_to_string(&kept).unwrap();
    let last = text.lines().last().unwrap();
    let words: Vec<&str> = last.rsplitn(4, ' ').collect();
    assert!(
        last.starts_with("an argument; $(x) "),
        "no shell has looked at it: {last}"
    );
    let (head, folder) = (words[1], words[0]);
    assert_eq!(
        (words[2], folder),
        (head, "/"),
        "as an argument and on standard input: {last}"
    );
    let record = desk.record();
    let number: usize = head.split_once(':').unwrap().0.parse().unwrap();
    assert_eq!(
        number,
        record.len(),
        "the last one gets through before the run ends: {text}"
    );
    assert_eq!(
        head.split_once(":sha256:").unwrap().1,
        record[number - 1]["digest"].as_str().unwrap()
    );
    assert!(desk.entries("trouble").is_empty());
}

#[test]
fn what_fails_is_told_once_and_recorded_and_the_calls_run() {
    for (name, text) in [("failed", "exit 3"), ("cannot be started", "")] {
        let desk = Desk::with(&[("a.txt", "a\n")]);
        let program = if text.is_empty() {
            "/no/such/program".to_owned()
        } else {
            script(&desk, text)
        };
        desk.scene.user_policy(&format!(
            "audit: {{head_every: 1, head_command: [{program}]}}\n"
        ));
        let done = desk
            .run(&["--approve-all"], &reads(5))
            .is(0, "the calls run");
        assert_eq!(
            done.err.matches("could not be kept elsewhere").count(),
            1,
            "{}",
            done.err
        );
        assert!(done.err.contains(name), "{}", done.err);
        let troubles = desk.entries("trouble");
        assert_eq!(troubles.len(), 1);
        assert!(
            troubles[0]["message"].as_str().unwrap().contains(name),
            "{troubles:?}"
        );
    }
}

#[test]
fn a_program_is_named_by_its_whole_path() {
    for command in ["[keep]", "[./keep]", "[]", "['']"] {
        let desk = Desk::with(&[("a.txt", "a\n")]);
        desk.scene.user_policy(&format!(
            "audit: {{head_every: 1, head_command: {command}}}\n"
        ));
        let done = desk.run(&["--approve-all"], &reads(1));
        assert!(
            done.code == 2 && done.err.contains("absolute path"),
            "{command}: {}",
            done.err
        );
    }
}
