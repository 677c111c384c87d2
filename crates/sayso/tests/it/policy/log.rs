//! The log that a policy names (`audit.log`, kollabor's `audit_log_path`).

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{decision, sayso, seeds};
use crate::desk::Desk;

fn desk() -> (Desk, PathBuf) {
    let desk = seeds::desk(&["004-config.json"], &[("a.txt", "a\n")]);
    let log = desk.scene.home.join(".kollabor-cli/logs/permissions.log");
    (desk, log)
}

fn calls() -> Value {
    json!([
        {"tool": "terminal", "args": {"command": "ls"}},
        {"tool": "terminal", "args": {"command": "rm -rf /"}},
        {"tool": "file_write", "args": {"path": "b.txt", "content": "b\n"}},
    ])
}

/// finding A-03: kollabor's own file is a policy; its log is a file beside the record, which stays where it is.
#[test]
fn finding_a_03_the_log_of_kollabor_is_a_file_and_the_record_stays() {
    let (desk, log) = desk();
    assert_eq!(
        sayso(&desk, &["policy", "check"]).is(0, "as it is").out,
        "1 file: 0 errors, 0 warnings\n"
    );
    desk.run(&["--approve-all"], &calls());
    assert!(log.is_file(), "{}", log.display());
    assert_eq!(log.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let lines: Vec<Value> = std::fs::read_to_string(&log)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let decided: Vec<&Value> = lines
        .iter()
        .filter(|line| line["kind"] == "decided")
        .collect();
    assert_eq!(decided.len(), 3, "{lines:?}");
    assert_eq!(decided[1]["outcome"], "blocked", "{lines:?}");
    assert!(
        decided
            .iter()
            .all(|line| line["time"].is_string() && line["tool"].is_string()),
        "{lines:?}"
    );
    assert_eq!(
        desk.entries("decided").len(),
        3,
        "the record is in the state folder"
    );
    assert!(!log.with_file_name("journal").exists());
}

/// finding A-03: a log that is there is appended to.
#[test]
fn finding_a_03_an_existing_log_is_appended_to() {
    let (desk, log) = desk();
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    std::fs::write(&log, "old line\n").unwrap();
    desk.run(&["--approve-all"], &calls());
    let first = std::fs::read_to_string(&log).unwrap();
    assert!(
        first.starts_with("old line\n{") && first.contains("\"decided\""),
        "{first}"
    );
    desk.run(&["--approve-all"], &calls());
    assert!(std::fs::read_to_string(&log).unwrap().starts_with(&first));
    assert_eq!(desk.text("b.txt").as_deref(), Some("b\n"));
}

/// finding A-03: what cannot be logged does not run, and says why.
#[test]
fn finding_a_03_what_cannot_be_logged_does_not_run() {
    let spoil: [fn(&std::path::Path); 3] = [
        |log| std::fs::create_dir_all(log).unwrap(),
        |log| {
            std::fs::create_dir_all(log.parent().unwrap()).unwrap();
            symlink("/etc/hostname", log).unwrap();
        },
        |log| std::fs::write(log.parent().unwrap().parent().unwrap(), "a file").unwrap(),
    ];
    for spoil in spoil {
        let (desk, log) = desk();
        let before = std::fs::read("/etc/hostname").ok();
        spoil(&log);
        let done = desk.run(&["--yolo"], &calls());
        assert_ne!(done.code, 0, "{}", done.out);
        let said = format!("{}{}", done.out, done.err);
        assert!(
            said.contains("permissions.log` cannot be written")
                && said.contains("`audit_log_path`"),
            "{said}"
        );
        assert_eq!(desk.text("b.txt"), None);
        assert_eq!(std::fs::read("/etc/hostname").ok(), before);
    }
}

/// finding A-03: no agent reads or changes the log.
#[test]
fn finding_a_03_the_log_belongs_to_sayso() {
    let (desk, log) = desk();
    for tool in ["file_write", "file_delete", "file_read"] {
        let path = format!("path={}", log.display());
        let content = if tool == "file_write" {
            &["--arg", "content=x"][..]
        } else {
            &[]
        };
        let done = sayso(
            &desk,
            &[&["check", "--tool", tool, "--arg", &path], content].concat(),
        );
        assert_eq!(done.code, 20, "{tool}: {}", done.out);
    }
    assert_eq!(
        decision(&desk, &[], "rm ~/.kollabor-cli/logs/permissions.log"),
        "deny"
    );
}

/// finding A-03: the import says what becomes of the log, and a switched-off log is not written.
#[test]
fn finding_a_03_import_says_what_becomes_of_the_log() {
    let (desk, log) = desk();
    let file = desk.scene.config().join("policy.json");
    let done = sayso(
        &desk,
        &[
            "policy",
            "import",
            "--from",
            "kollabor",
            file.to_str().unwrap(),
        ],
    )
    .is(0, "imported");
    assert!(
        done.err
            .contains("decisions are also written to `~/.kollabor-cli/logs/permissions.log`"),
        "{}",
        done.err
    );
    assert!(
        !done.err.contains("everything could be carried over"),
        "{}",
        done.err
    );
    let text = seeds::text("004-config.json").replace(
        "\"audit_log_enabled\": true",
        "\"audit_log_enabled\": false",
    );
    std::fs::write(&file, text).unwrap();
    desk.run(&["--approve-all"], &calls());
    assert!(!log.exists());
}

/// finding A-03: `audit.path` is a folder, and a file there says which key a log has.
#[test]
fn finding_a_03_a_file_as_the_folder_of_the_record_is_told() {
    let desk = super::desk("version: 1\naudit: {path: \"~/x.log\"}\n", &[]);
    std::fs::write(desk.scene.home.join("x.log"), "old\n").unwrap();
    let done = sayso(&desk, &["check", "--", "ls"]).is(2, "no folder");
    assert!(done.err.contains("`audit.log`"), "{}", done.err);
}
