//! `sayso audit replay` and `sayso audit prune` through the real program.

use std::fs;

use sayso_store::{Journal, Sync};
use serde_json::{Value, json};

use crate::desk::{Desk, read};
use crate::program::{Outcome, run};

fn audit(desk: &Desk, words: &[&str]) -> Outcome {
    run(desk.program().arg("audit").args(words), b"")
}

/// A day of work: what was allowed, asked and answered, denied, and could not be kept.
fn history() -> Desk {
    let desk = Desk::with(&[("a.py", "a\n"), ("b.py", "b\n")]);
    let long = "x = 1\n".repeat(2000);
    let calls = json!([
        {"type": "file_read", "id": "r", "file": "a.py"},
        {"type": "terminal", "id": "ls", "command": "ls -la"},
        {"type": "terminal", "id": "m1", "command": "make one"},
        {"type": "terminal", "id": "m2", "command": "make two"},
        {"type": "file_write", "id": "w", "file": "c.py", "content": long},
        {"type": "terminal", "id": "bad", "command": "rm -rf /"},
        {"type": "deploy", "id": "s", "password": "ghp_0123456789abcdefghijABCDEFGHIJ012345"},
        {"type": "terminal", "id": "mal", "command": ["x"]},
        {"type": "terminal", "id": "long", "command": format!("echo {}", "a".repeat(600))},
    ]);
    desk.run(&["--answers", "y,n,y,y,y,y,y"], &calls);
    desk
}

fn policy(desk: &Desk, name: &str, text: &str) -> String {
    desk.batch(name, text).display().to_string()
}

fn change<'a>(answer: &'a Value, was: &str, would: &str) -> &'a Value {
    let changes = answer["changes"].as_array().unwrap();
    changes
        .iter()
        .find(|change| change["was"] == was && change["would"] == would)
        .unwrap_or_else(|| panic!("{was} → {would}: {answer:#}"))
}

#[test]
fn under_the_same_policy_nothing_changes_and_what_cannot_be_told_is_counted() {
    let desk = history();
    let done = audit(&desk, &["replay"]).is(0, "judged");
    assert!(
        done.out
            .starts_with("6 of 9 calls judged again\nnothing would change\n"),
        "{}",
        done.out
    );
    for why in [
        "the arguments hold secrets",
        "the arguments were too long",
        "malformed",
    ] {
        assert!(
            done.out.contains(&format!("1  {why}")) || done.out.contains(why),
            "{why}: {}",
            done.out
        );
    }
    let answer = read(&audit(&desk, &["replay", "--json"]));
    assert_eq!(
        (&answer["calls"], &answer["judged"]),
        (&json!(9), &json!(6))
    );
    assert_eq!(
        (&answer["prompts_before"], &answer["prompts_after"]),
        (&json!(3), &json!(3)),
        "{answer:#}"
    );
    assert_eq!(answer["not_judged"].as_array().unwrap().len(), 3);
    // What the machine looks like now does not matter.
    for name in ["a.py", "b.py", "c.py"] {
        fs::remove_file(desk.scene.workspace.join(name)).unwrap();
    }
    fs::create_dir(desk.scene.workspace.join("a.py")).unwrap();
    assert_eq!(read(&audit(&desk, &["replay", "--json"])), answer);
}

#[test]
fn another_policy_shows_what_changes_both_ways() {
    let desk = history();
    let file = policy(
        &desk,
        "other.yaml",
        "rules:\n  - allow: {command: \"make *\"}\n  - deny: {read: \"a.py\"}\n  - ask: {command: \"ls *\"}\n",
    );
    let answer = read(&audit(&desk, &["replay", "--policy", &file, "--json"]));
    let looser = change(&answer, "ask", "allow");
    assert_eq!(
        (&looser["count"], &looser["refused"]),
        (&json!(2), &json!(1)),
        "one of them was refused: {looser:#}"
    );
    assert!(
        looser["rule"].as_str().unwrap().contains("other.yaml:2"),
        "{looser}"
    );
    assert_eq!(looser["examples"][0]["call"], "m1");
    assert_eq!(
        change(&answer, "allow", "deny")["examples"][0]["what"],
        "file_read(a.py)"
    );
    assert_eq!(change(&answer, "allow", "ask")["examples"][0]["call"], "ls");
    let done = audit(&desk, &["replay", "--policy", &file]).is(0, "judged");
    for words in [
        "would be stricter: 2 calls",
        "would be looser: 2 calls",
        "! you said no to 1 of them",
        "prompts: 3 → 2 (50.0 → 33.3 in 100 calls)",
    ] {
        assert!(done.out.contains(words), "{words}: {}", done.out);
    }
    // The record is as it was, and nothing was run or asked.
    assert_eq!(desk.entries("decided").len(), 9);
}

#[test]
fn the_file_stands_in_place_of_the_persons_own() {
    let desk = Desk::with(&[("a.py", "a\n")]);
    desk.scene
        .user_policy("rules:\n  - deny: {read: \"a.py\"}\n");
    desk.run(
        &["--strict"],
        &json!([{"type": "file_read", "file": "a.py"}]),
    );
    let file = policy(&desk, "empty.yaml", "version: 1\n");
    let answer = read(&audit(&desk, &["replay", "--policy", &file, "--json"]));
    assert_eq!(change(&answer, "deny", "allow")["count"], 1);
    assert_eq!(
        read(&audit(&desk, &["replay", "--json"]))["changes"],
        json!([])
    );
    // What a run was started with counts as it did: nobody could be asked in it.
    desk.run(
        &["--strict"],
        &json!([{"type": "terminal", "command": "make x"}]),
    );
    assert_eq!(
        read(&audit(&desk, &["replay", "--json"]))["changes"],
        json!([])
    );
}

#[test]
fn kept_answers_are_left_out_on_both_sides() {
    let desk = Desk::with(&[]);
    let calls = json!([{"type": "terminal", "command": "make x"}, {"type": "terminal", "command": "make x"}]);
    desk.run(&["--answers", "s,s"], &calls);
    let answer = read(&audit(&desk, &["replay", "--json"]));
    assert_eq!(
        (
            &answer["changes"],
            &answer["by_grant"],
            &answer["prompts_before"]
        ),
        (&json!([]), &json!(1), &json!(2)),
        "{answer:#}"
    );
    let file = policy(
        &desk,
        "deny.yaml",
        "rules:\n  - deny: {command: \"make *\"}\n",
    );
    let answer = read(&audit(&desk, &["replay", "--policy", &file, "--json"]));
    let rules: Vec<&str> = answer["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["rule_before"].as_str().unwrap())
        .collect();
    assert_eq!(
        (rules.len(), rules.contains(&"a kept answer")),
        (2, true),
        "{answer:#}"
    );
}

#[test]
fn a_rule_for_a_few_uses_is_used_up_by_the_calls_in_their_order() {
    let desk = Desk::with(&[]);
    let calls: Value = (0..4)
        .map(|number| json!({"type": "terminal", "id": format!("m{number}"), "command": "make x"}))
        .collect();
    desk.run(&["--answers", "n,n,n,n"], &calls);
    let file = policy(
        &desk,
        "twice.yaml",
        "rules:\n  - allow: {command: \"make *\"}\n    when: {uses: 2}\n",
    );
    for words in [
        &["replay", "--policy", &file, "--json"][..],
        &["replay", "--policy", &file, "--limit", "9", "--json"],
    ] {
        let answer = read(&audit(&desk, words));
        let looser = change(&answer, "ask", "allow");
        assert_eq!(
            (
                &looser["count"],
                &looser["examples"][0]["call"],
                &looser["examples"][1]["call"]
            ),
            (&json!(2), &json!("m0"), &json!("m1"))
        );
    }
}

#[test]
fn a_part_of_the_history_can_be_taken() {
    let desk = history();
    assert_eq!(
        read(&audit(&desk, &["replay", "--limit", "2", "--json"]))["calls"],
        2
    );
    assert_eq!(
        read(&audit(&desk, &["replay", "--since", "1h", "--json"]))["calls"],
        9
    );
    assert_eq!(
        read(&audit(
            &desk,
            &["replay", "--since", "2099-01-01", "--json"]
        ))["calls"],
        0
    );
    for bad in ["soon", "", "-1d"] {
        let done = audit(&desk, &["replay", "--since", bad]);
        assert!(
            done.code == 2 && done.err.contains("is no time"),
            "{bad}: {}",
            done.err
        );
    }
}

#[test]
fn bad_input_is_told() {
    let desk = Desk::with(&[]);
    let done = audit(&desk, &["replay"]).is(0, "no record");
    assert!(done.out.contains("no calls were recorded"), "{}", done.out);
    assert!(!desk.scene.state().exists(), "looking makes nothing");
    let done = audit(&desk, &["replay", "--policy", "nowhere.yaml"]);
    assert!(
        done.code == 2 && done.err.contains("nowhere.yaml"),
        "{}",
        done.err
    );
    let broken = policy(&desk, "broken.yaml", "rules: [{allow: {comand: ls}}]\n");
    let done = audit(&desk, &["replay", "--policy", &broken]);
    assert!(
        done.code == 2 && done.err.contains("comand") && done.err.contains("cannot be read"),
        "{}",
        done.err
    );
    // Entries of an older sayso, of one with the record off, and a damaged line.
    let desk = history();
    let journal = Journal::open(&desk.scene.state()).unwrap();
    let text = |text: &str| sayso_core::text::node::Node::text(text);
    let older = vec![
        ("tool", text("terminal")),
        ("decision", text("allow")),
        ("args", text("x")),
        ("workspace", text("/w")),
    ];
    journal.append("decided", older, Sync::System).unwrap();
    journal
        .append(
            "decided",
            vec![("tool", text("terminal")), ("decision", text("allow"))],
            Sync::System,
        )
        .unwrap();
    let file = desk.scene.state().join("journal/000001.jsonl");
    let lines = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        lines.replacen("\"call\":\"ls\"", "\"call\":\"sl\"", 1),
    )
    .unwrap();
    let done = audit(&desk, &["replay"]).is(0, "the rest is judged");
    for words in [
        "an older sayso wrote the entry",
        "arguments were not kept",
        "1 line of the record cannot be read",
    ] {
        assert!(done.out.contains(words), "{words}: {}", done.out);
    }
}

#[test]
fn hostile_text_in_a_call_moves_no_cursor() {
    let desk = Desk::with(&[]);
    desk.run(
        &["--answers", "n,n"],
        &json!([{"type": "terminal", "command": "make '\u{1b}[2J\u{202e}x\u{7}'"}]),
    );
    let file = policy(
        &desk,
        "allow.yaml",
        "rules:\n  - deny: {command: \"make *\"}\n",
    );
    let done = audit(&desk, &["replay", "--policy", &file]).is(0, "judged");
    assert!(done.out.contains("would be denied"), "{}", done.out);
    assert!(
        done.out
            .chars()
            .all(|letter| letter == '\n' || !letter.is_control() && letter != '\u{202e}'),
        "{:?}",
        done.out
    );
}

#[test]
fn what_is_old_is_pruned_and_the_rest_verifies() {
    let desk = Desk::with(&[("a.py", "a\n")]);
    let journal = Journal::open(&desk.scene.state())
        .unwrap()
        .with_segments_of(2_000);
    for index in 0..60 {
        journal
            .append_at(1_000_000 + index, "decided", vec![], Sync::System)
            .unwrap();
    }
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_read", "file": "a.py"}]),
    )
    .is(0, "today");
    let folder = desk.scene.state().join("journal");
    let count = || {
        fs::read_dir(&folder)
            .unwrap()
            .filter(|entry| {
                entry
                    .as_ref()
                    .unwrap()
                    .path()
                    .extension()
                    .is_some_and(|end| end == "jsonl")
            })
            .count()
    };
    let before = count();
    let plan = read(&audit(&desk, &["prune", "--dry-run", "--json"]));
    assert_eq!(
        (plan["removed"].as_bool(), plan["files"].as_u64()),
        (Some(false), Some(before as u64 - 1)),
        "{plan}"
    );
    assert_eq!(count(), before);
    let done = audit(&desk, &["prune"]);
    assert!(
        done.code == 2 && done.err.contains("--yes"),
        "nobody is there to say so: {}",
        done.err
    );
    assert_eq!(count(), before);
    let done = audit(&desk, &["prune", "--keep-days", "30", "--yes"]).is(0, "pruned");
    assert!(done.out.contains("done;"), "{}", done.out);
    assert_eq!(count(), 1);
    assert!(
        desk.record()
            .iter()
            .filter(|entry| entry["kind"] == "pruned")
            .count()
            >= 1,
        "and it verifies"
    );
    let done = audit(&desk, &["prune", "--yes"]).is(0, "nothing to do");
    assert!(done.out.contains("nothing is old enough"), "{}", done.out);
    desk.scene.user_policy("audit: {retention_days: 1}\n");
    audit(&desk, &["prune", "--yes"]).is(0, "nothing to do");
    for bad in [
        &["--keep-size", "much"][..],
        &["--keep-size", "9999999999999G"],
        &["--keep-days", "-1"],
        &["--keep-days", "1", "--keep-size", "1M"],
        &["--before", "x"],
    ] {
        assert_eq!(audit(&desk, &[&["prune"], bad].concat()).code, 2, "{bad:?}");
    }
}
