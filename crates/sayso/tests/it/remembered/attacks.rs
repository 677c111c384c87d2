//! Attacks on what is remembered: nothing comes back that was taken back, nothing is lost that denies, and nothing allows more than was said.

use std::fs;

use serde_json::{Value, json};

use super::{command, listed, outcome, sayso};
use crate::desk::Desk;

/// The first file of the record.
fn journal(desk: &Desk) -> std::path::PathBuf {
    desk.scene.state().join("journal/000001.jsonl")
}

/// Takes files out of the state folder that are only there to be quick.
fn lose(desk: &Desk, names: &[&str]) {
    for name in names {
        let _ = fs::remove_file(desk.scene.state().join(name));
    }
}

#[test]
fn a_rule_that_denies_outlives_everything_but_the_record() {
    let desk = Desk::with(&[("a", "x\n")]);
    sayso(&desk, &["check", "--", "cat", "a"]).is(0, "before");
    sayso(&desk, &["rules", "add", "--deny", "--read", "a"]).is(0, "add");
    let all = [
        "generation",
        "index.db",
        "index.db-wal",
        "index.db-shm",
        "snapshot",
    ];
    for lost in [&all[..1], &all[1..4], &all[4..], &all[..4], &all] {
        lose(&desk, lost);
        sayso(&desk, &["check", "--", "cat", "a"]).is(20, &format!("{lost:?}"));
        lose(&desk, lost);
        assert_eq!(outcome(&desk, "cat a"), "blocked", "{lost:?}");
    }
    for content in [
        &b""[..],
        b"\0\0\0",
        b"\0\0\0\0\0\0\0\0",
        b"\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        fs::write(desk.scene.state().join("generation"), content).unwrap();
        sayso(&desk, &["check", "--", "cat", "a"]).is(20, &format!("{content:?}"));
        assert_eq!(outcome(&desk, "cat a"), "blocked", "{content:?}");
    }
}

#[test]
fn an_old_snapshot_with_the_old_count_is_not_used() {
    let desk = Desk::with(&[]);
    sayso(
        &desk,
        &["rules", "add", "--allow", "sort -o x *", "--id", "s"],
    )
    .is(0, "add");
    for _ in 0..2 {
        sayso(&desk, &["check", "--", "sort -o x a"]).is(0, "allowed");
    }
    let state = desk.scene.state();
    let old: Vec<_> = ["snapshot", "generation"]
        .iter()
        .map(|name| (state.join(name), fs::read(state.join(name)).unwrap()))
        .collect();
    sayso(&desk, &["rules", "remove", "s"]).is(0, "remove");
    for (path, content) in &old {
        fs::write(path, content).unwrap();
    }
    sayso(&desk, &["check", "--", "sort -o x a"]).is(10, "it was taken back");
}

#[test]
fn what_was_taken_back_stays_so_when_that_line_is_lost() {
    for (end, spoil) in [(true, true), (false, false), (false, true)] {
        let desk = Desk::with(&[]);
        desk.run(&["--answers", "always"], &json!([command("sort -o x a")]));
        let id = listed(&desk, "rules")[0]["id"].as_str().unwrap().to_owned();
        sayso(&desk, &["rules", "remove", &id]).is(0, "remove");
        if !end {
            assert_eq!(outcome(&desk, "sort -o x a"), "blocked");
        }
        let text = fs::read_to_string(journal(&desk)).unwrap();
        let line = text
            .lines()
            .find(|line| line.contains("\"kind\":\"revoked\""))
            .unwrap();
        let other = if spoil {
            format!("{}\n", line.replace("revoked", "rewoked"))
        } else {
            String::new()
        };
        fs::write(journal(&desk), text.replace(&format!("{line}\n"), &other)).unwrap();
        for _ in 0..2 {
            assert_eq!(
                outcome(&desk, "sort -o x a"),
                "blocked",
                "at the end {end}, spoiled {spoil}"
            );
            lose(&desk, &["index.db", "index.db-wal", "index.db-shm"]);
        }
        assert_eq!(listed(&desk, "rules")[0]["enabled"], false);
    }
}

#[test]
fn an_answer_never_brings_a_secret_into_the_record() {
    let desk = Desk::with(&[]);
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    for (tool, answer) in [
        ("deploy", "always"),
        ("deploy", "project"),
        ("deploy", "s"),
        ("other", "y"),
    ] {
        desk.run(
            &["--answers", answer],
            &json!([command(&format!("{tool} --token {token}"))]),
        );
        desk.run(
            &["--answers", answer],
            &json!([command(&format!(
                "{tool} -H 'Authorization: Bearer {token}' x"
            ))]),
        );
    }
    assert!(listed(&desk, "rules").is_empty());
    assert!(!fs::read_to_string(journal(&desk)).unwrap().contains(token));
}

#[test]
fn an_export_allows_no_more_than_the_rule_did() {
    let desk = Desk::with(&[]);
    desk.run(
        &["--answers", "always", "--agent", "bot*"],
        &json!([command("sort -o x a")]),
    );
    desk.run(
        &["--answers", "always", "--agent", "bot"],
        &json!([command("sort -o y a")]),
    );
    let done = sayso(&desk, &["rules", "export"]).is(0, "export");
    let rules: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(rules["rules"].as_array().unwrap().len(), 1, "{rules}");
    assert_eq!(rules["rules"][0]["when"]["agent"], "bot");
    assert!(
        done.err.contains("1 rule from answers is left out"),
        "{}",
        done.err
    );
}

#[test]
fn removing_a_rule_twice_does_not_remove_another_whose_name_begins_alike() {
    let desk = Desk::with(&[]);
    sayso(
        &desk,
        &["rules", "add", "--allow", "sort -o x *", "--id", "sort"],
    )
    .is(0, "add");
    sayso(
        &desk,
        &["rules", "add", "--deny", "sort -o y *", "--id", "sort-y"],
    )
    .is(0, "add");
    sayso(&desk, &["rules", "remove", "sort"]).is(0, "once");
    sayso(&desk, &["rules", "remove", "sort"]).is(2, "twice");
    assert_eq!(listed(&desk, "rules")[0]["id"], "sort-y");
}

#[test]
fn what_one_agent_may_in_one_place_is_not_suggested_for_all() {
    let desk = Desk::with(&[]);
    let calls: Vec<Value> = (0..5)
        .map(|at| command(&format!("cargo test -p a{at}")))
        .collect();
    desk.run(&["--answers", "y,y,y,y,y", "--agent", "one"], &json!(calls));
    let text = sayso(&desk, &["rules", "suggest"]).is(0, "suggest").out;
    let line = format!(
        "sayso rules add --allow 'cargo test -p *' --here {} --agent one\n",
        desk.scene.folder()
    );
    assert!(
        text.contains(&line) || text.contains(&line.replace(" -p", "")),
        "{text}"
    );
    desk.run(&["--answers", "y,y,y,y,y"], &json!(calls));
    let text = sayso(&desk, &["rules", "suggest"]).is(0, "suggest").out;
    assert!(
        !text.contains("--agent"),
        "others were approved, too: {text}"
    );
}

#[test]
fn a_test_of_rules_never_says_yes_to_a_script_that_was_changed() {
    let desk = Desk::with(&[("b.sh", "#!/bin/sh\necho one\n")]);
    let script = desk.scene.workspace.join("b.sh");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    desk.run(&["--answers", "always"], &json!([command("./b.sh")]));
    assert_eq!(outcome(&desk, "./b.sh"), "auto_approved");
    fs::write(&script, "#!/bin/sh\necho two\n").unwrap();
    assert_eq!(outcome(&desk, "./b.sh"), "blocked");
    sayso(&desk, &["rules", "test", "./b.sh"]).is(10, "test");
    let file: Value =
        serde_json::from_str(&sayso(&desk, &["rules", "export"]).is(0, "export").out).unwrap();
    assert_eq!(
        file["rules"],
        json!([]),
        "in a file it would hold for every script of that name"
    );
}
