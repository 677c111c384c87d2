//! What the version before wrote is read as it was written: its record, index, rules, snapshot, changes and backups.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::desk::Desk;
use crate::program::run;

/// Copies a folder with the rights that sayso's own files have; git keeps none.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::Permissions::from_mode(0o700)).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).unwrap();
            fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
}

fn desk() -> Desk {
    let desk = Desk::with(&[("a.txt", "hello\n")]);
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version_before");
    copy(
        &fixture.join("state"),
        &desk.scene.home.join(".local/state/sayso"),
    );
    let config = desk.scene.home.join(".config/sayso");
    fs::create_dir_all(&config).unwrap();
    fs::copy(fixture.join("policy.yaml"), config.join("policy.yaml")).unwrap();
    desk
}

/// What the program prints for these words, which must come to this status.
fn printed(desk: &Desk, words: &[&str], status: i32) -> String {
    let outcome = run(desk.program().args(words), b"");
    assert_eq!(outcome.code, status, "{words:?}: {outcome:?}");
    outcome.out + &outcome.err
}

#[test]
fn the_record_of_the_version_before_is_whole_and_read() {
    let desk = desk();
    let holds = printed(&desk, &["audit", "verify"], 0);
    assert!(holds.contains("the chain holds: 14 entries"), "{holds}");
    // With the index as it was, and with one that is made anew.
    for words in [
        &["audit", "list"][..],
        &["audit", "index"],
        &["audit", "list"],
    ] {
        let text = printed(&desk, words, 0);
        if words[1] == "list" {
            for row in [
                "auto_approved     the policy",
                "denied            --answers",
                "blocked           the rule at",
                "approved, failed  --answers",
            ] {
                assert!(text.contains(row), "{row}: {text}");
            }
        }
    }
    let replayed = printed(&desk, &["audit", "replay"], 0);
    assert!(replayed.contains("5 of 5 calls judged again"), "{replayed}");
    assert!(replayed.contains("nothing would change"), "{replayed}");
    let changes = printed(&desk, &["undo", "--list"], 0);
    assert!(changes.contains("u1  file_create"), "{changes}");
}

#[test]
fn rules_and_answers_of_the_version_before_count() {
    let desk = desk();
    let rules = printed(&desk, &["rules", "list"], 0);
    for rule in ["cargo test *", "npm publish *", "./configure"] {
        assert!(rules.contains(rule), "{rule}: {rules}");
    }
    for (command, status, source) in [
        ("cargo test --all", 0, "rule-3bbaca23c191c71a-1-649b099a"),
        ("npm publish x", 20, "rule-0ba048e771610ef8-1-439bcbb3"),
        ("make deploy", 10, "policy.yaml:3"),
        ("git push --force origin main", 20, "policy.yaml:4"),
    ] {
        let told = printed(&desk, &["check", command], status);
        assert!(told.contains(source), "{command}: {told}");
    }
}
