//! Rules: from an answer, by hand, from a template; changed, switched off, used up and removed.

use serde_json::json;

use super::{command, listed, outcome, sayso};
use crate::desk::Desk;

#[test]
fn r_07_an_answer_for_always_makes_a_rule_that_outlives_the_run() {
    let desk = Desk::with(&[]);
    let done = desk
        .run(&["--answers", "always"], &json!([command("sort -o x a")]))
        .out;
    assert!(
        done.contains("Auto-approval rule created: allow `sort -o x a` everywhere"),
        "{done}"
    );
    let rules = listed(&desk, "rules");
    assert_eq!(rules.len(), 1);
    assert_eq!(
        (
            rules[0]["type"].as_str(),
            rules[0]["source"].as_str(),
            rules[0]["uses"].as_u64()
        ),
        (Some("command"), Some("answer"), Some(0))
    );
    assert_eq!(outcome(&desk, "sort -o x a"), "auto_approved");
    assert_eq!(outcome(&desk, "sort -o y a"), "blocked");
    let rules = listed(&desk, "rules");
    assert_eq!(rules[0]["uses"].as_u64(), Some(1));
    assert!(rules[0]["last_used"].as_i64() > Some(0));
    // The id that the toast names is enough to take it back.
    let id = done
        .split("rules remove ")
        .nth(1)
        .unwrap()
        .split('`')
        .next()
        .unwrap();
    sayso(&desk, &["rules", "remove", id]).is(0, "remove");
    assert_eq!(outcome(&desk, "sort -o x a"), "blocked");
    assert!(listed(&desk, "rules").is_empty());
    desk.record();
}

#[test]
fn a_rule_for_a_project_holds_only_there() {
    let desk = Desk::with(&[]);
    desk.run(&["--answers", "project"], &json!([command("sort -o x a")]));
    assert_eq!(outcome(&desk, "sort -o x a"), "auto_approved");
    let other = desk.scene.home.join("other");
    std::fs::create_dir(&other).unwrap();
    let done = sayso(
        &desk,
        &["check", "-C", other.to_str().unwrap(), "--", "sort -o x a"],
    );
    assert_eq!(done.code, 10, "{}", done.out);
}

#[test]
fn r_10_r_11_rules_are_added_listed_edited_disabled_enabled_and_removed() {
    let desk = Desk::with(&[]);
    sayso(
        &desk,
        &[
            "rules",
            "add",
            "--allow",
            "sort -o x *",
            "--id",
            "sorting",
            "--reason",
            "it is only x",
        ],
    )
    .is(0, "add");
    assert_eq!(outcome(&desk, "sort -o x a"), "auto_approved");
    let rule = &listed(&desk, "rules")[0];
    for key in [
        "id",
        "type",
        "pattern",
        "source",
        "enabled",
        "created_at",
        "last_used",
        "uses",
    ] {
        assert!(!rule[key].is_null(), "{key}: {rule}");
    }
    let test = sayso(&desk, &["rules", "test", "sort -o x a"])
        .is(0, "test")
        .out;
    assert!(
        test.contains("matches  sorting") && test.contains("in the end: allow: it is only x"),
        "{test}"
    );
    sayso(&desk, &["rules", "disable", "sorting"]).is(0, "disable");
    assert_eq!(outcome(&desk, "sort -o x a"), "blocked");
    sayso(&desk, &["rules", "enable", "sort"])
        .is(2, "the beginning of a name could be another name");
    sayso(&desk, &["rules", "enable", "sorting"]).is(0, "enable");
    assert_eq!(outcome(&desk, "sort -o x a"), "auto_approved");
    sayso(
        &desk,
        &["rules", "edit", "sorting", "--pattern", "sort -o y *"],
    )
    .is(0, "edit");
    assert_eq!(outcome(&desk, "sort -o x a"), "blocked");
    assert_eq!(outcome(&desk, "sort -o y a"), "auto_approved");
    sayso(&desk, &["rules", "edit", "sorting", "--decision", "deny"]).is(0, "edit");
    assert_eq!(sayso(&desk, &["check", "--", "sort -o y a"]).code, 20);
    sayso(&desk, &["rules", "remove", "sorting"]).is(0, "remove");
    assert_eq!(sayso(&desk, &["check", "--", "sort -o y a"]).code, 10);
    let kinds: Vec<String> = desk
        .record()
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap().to_owned())
        .collect();
    for kind in ["rule_added", "disabled", "enabled", "edited", "revoked"] {
        assert!(
            kinds.iter().any(|known| known == kind),
            "{kind} is in the record: {kinds:?}"
        );
    }
    desk.record();
}

#[test]
fn z_37_a_rule_ends_by_time_and_by_uses() {
    let desk = Desk::with(&[]);
    sayso(
        &desk,
        &["rules", "add", "--allow", "sort -o x a", "--uses", "2"],
    )
    .is(0, "add");
    let outcomes: Vec<String> = (0..3).map(|_| outcome(&desk, "sort -o x a")).collect();
    assert_eq!(outcomes, ["auto_approved", "auto_approved", "blocked"]);
    sayso(
        &desk,
        &[
            "rules",
            "add",
            "--allow",
            "sort -o z a",
            "--until",
            "2001-01-01",
        ],
    )
    .is(0, "add");
    assert_eq!(outcome(&desk, "sort -o z a"), "blocked");
    sayso(
        &desk,
        &["rules", "add", "--allow", "sort -o w a", "--for", "2h"],
    )
    .is(0, "add");
    assert_eq!(outcome(&desk, "sort -o w a"), "auto_approved");
    let list = sayso(&desk, &["rules", "list"]).is(0, "list").out;
    assert_eq!(list.matches(" over ").count(), 2, "{list}");
    sayso(
        &desk,
        &["rules", "add", "--allow", "sort -o v a", "--for", "soon"],
    )
    .is(2, "no time");
}

#[test]
fn uses_of_one_rule_are_shared_by_calls_at_once() {
    let desk = Desk::with(&[]);
    sayso(
        &desk,
        &["rules", "add", "--allow", "sort -o x a", "--uses", "5"],
    )
    .is(0, "add");
    let desk = &desk;
    let allowed: usize = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|at| {
                scope.spawn(move || {
                    let file = desk.batch(
                        &format!("b{at}.json"),
                        json!([
                            command("sort -o x a"),
                            command("sort -o x a"),
                            command("sort -o x a")
                        ])
                        .to_string(),
                    );
                    let done = crate::program::run(
                        desk.program().args(["run", "--strict", "--json"]).arg(file),
                        b"",
                    );
                    done.out.matches("\"outcome\":\"auto_approved\"").count()
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).sum()
    });
    assert_eq!(allowed, 5);
}

#[test]
fn r_12_broad_rules_warn_and_want_a_yes_and_so_do_many() {
    let desk = Desk::with(&[]);
    for pattern in ["git *", "python3 *", "*", "sh *", "cargo *"] {
        let done = sayso(&desk, &["rules", "add", "--allow", pattern]).is(2, pattern);
        assert!(
            done.err.contains("allows very much") && done.err.contains("--yes"),
            "{}",
            done.err
        );
    }
    assert!(listed(&desk, "rules").is_empty());
    sayso(&desk, &["rules", "add", "--allow", "git *", "--yes"]).is(0, "meant");
    sayso(&desk, &["rules", "add", "--deny", "python3 *"]).is(0, "denials may be broad");
    for at in 0..17 {
        sayso(&desk, &["rules", "add", "--deny", &format!("tool{at} *")]).is(0, "add");
    }
    let done = sayso(&desk, &["rules", "add", "--deny", "last *"]);
    assert!(
        done.code == 0 && done.err.contains("there are 20 rules"),
        "{}",
        done.err
    );
}

#[test]
fn learned_rules_never_cover_what_always_asks() {
    let desk = Desk::with(&[("a", "x\n"), (".env", "K=1\n")]);
    for words in [
        ["--allow", "rm *"],
        ["--allow", "cat *"],
        ["--allow", "sudo *"],
    ] {
        sayso(&desk, &["rules", "add", words[0], words[1], "--yes"]).is(0, "add");
    }
    sayso(&desk, &["rules", "add", "--allow", "--read", "**", "--yes"]).is(0, "add");
    sayso(
        &desk,
        &["rules", "add", "--allow", "--delete", "**", "--yes"],
    )
    .is(0, "add");
    for text in [
        "rm -rf /",
        "rm a",
        "cat .env",
        "sudo ls",
        "cat ~/.ssh/id_rsa",
    ] {
        assert_eq!(outcome(&desk, text), "blocked", "{text}");
    }
}

#[test]
fn r_13_templates_are_shown_and_added() {
    let desk = Desk::with(&[]);
    let list = sayso(&desk, &["rules", "templates"]).is(0, "list").out;
    let names = [
        "documentation-writer",
        "tester",
        "safe-git-user",
        "read-only-reviewer",
        "build-agent",
        "ci",
    ];
    for name in names {
        assert!(list.contains(name), "{list}");
        sayso(&desk, &["rules", "templates", name]).is(0, name);
    }
    assert!(listed(&desk, "rules").is_empty());
    sayso(
        &desk,
        &["rules", "templates", "read-only-reviewer", "--add"],
    )
    .is(2, "nobody said yes");
    for name in names {
        sayso(
            &desk,
            &[
                "rules",
                "templates",
                name,
                "--add",
                "--yes",
                "--agent",
                "worker",
            ],
        )
        .is(0, name);
    }
    assert!(
        listed(&desk, "rules")
            .iter()
            .all(|rule| rule["scope"] == "everywhere, for worker")
    );
    sayso(&desk, &["rules", "templates", "nothing"]).is(2, "unknown");
}

#[test]
fn bad_words_are_told() {
    let desk = Desk::with(&[]);
    for words in [
        &["rules", "add", "--allow"][..],
        &["rules", "add", "git status"],
        &["rules", "add", "--allow", "--deny", "git status"],
        &["rules", "add", "--allow", "a | b"],
        &["rules", "add", "--allow", "git status", "--uses", "0"],
        &["rules", "add", "--allow", "git status", "--id", "a b"],
        &["rules", "add", "--allow", "git status", "--id", "-x"],
        &["rules", "add", "--allow", "--read", "a/../b"],
        &["rules", "remove", "nothing"],
        &["rules", "edit", "nothing"],
        &["rules", "import", "nothing.json"],
        &["grants", "revoke"],
        &["grants", "revoke", "nothing"],
        &["grants", "expire", "nothing", "--in", "2h"],
    ] {
        sayso(&desk, words).is(2, &words.join(" "));
    }
    sayso(
        &desk,
        &["rules", "add", "--allow", "git status", "--id", "twice"],
    )
    .is(0, "add");
    sayso(
        &desk,
        &["rules", "add", "--allow", "git log", "--id", "twice"],
    )
    .is(2, "the id is taken");
}

#[test]
fn a_damaged_index_is_built_anew_and_a_denying_rule_still_counts() {
    let desk = Desk::with(&[]);
    sayso(
        &desk,
        &["rules", "add", "--deny", "sort *", "--id", "no-sort"],
    )
    .is(0, "add");
    let file = desk.scene.state().join("index.db");
    std::fs::write(
        &file,
        b"this is no database at all, and long enough to be looked at",
    )
    .unwrap();
    assert_eq!(sayso(&desk, &["check", "--", "sort -o x a"]).code, 20);
    assert_eq!(outcome(&desk, "sort -o x a"), "blocked");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(listed(&desk, "rules").len(), 1);
    // Neither does it matter if everything but the journal is lost.
    for name in ["index.db", "generation", "snapshot"] {
        // Not all of them have to be there.
        let _ = std::fs::remove_file(desk.scene.state().join(name));
    }
    assert_eq!(sayso(&desk, &["check", "--", "sort -o x a"]).code, 20);
    // Where the rules cannot be read at all, nothing is judged without them.
    std::fs::remove_file(&file).unwrap();
    let _ = std::fs::remove_file(desk.scene.state().join("snapshot"));
    std::fs::create_dir(&file).unwrap();
    let done = sayso(&desk, &["check", "--", "git status"]);
    assert!(
        done.code == 2 && done.err.contains("everything is denied"),
        "{} {}",
        done.code,
        done.err
    );
}

#[test]
fn a_snapshot_is_used_only_as_long_as_everything_is_as_it_was() {
    let desk = Desk::with(&[]);
    let check =
        |words: &[&str]| sayso(&desk, &[&["check"], words, &["--", "sort -o x a"]].concat()).code;
    assert_eq!(check(&[]), 10);
    assert!(
        !desk.scene.state().join("snapshot").exists(),
        "nothing is made for somebody who only asks"
    );
    sayso(
        &desk,
        &["rules", "add", "--allow", "sort -o x a", "--id", "r"],
    )
    .is(0, "add");
    assert_eq!((check(&[]), check(&[])), (0, 0));
    assert!(desk.scene.state().join("snapshot").exists());
    sayso(&desk, &["rules", "disable", "r"]).is(0, "disable");
    assert_eq!((check(&[]), check(&[])), (10, 10));
    sayso(&desk, &["rules", "enable", "r"]).is(0, "enable");
    assert_eq!(check(&["--mode", "confirm-all"]), 0);
    desk.scene
        .user_policy("rules:\n  - deny: {command: \"sort *\"}\n");
    assert_eq!((check(&[]), check(&[])), (20, 20));
    desk.scene
        .user_policy("rules:\n  - deny: {command: \"sorr *\"}\n");
    assert_eq!((check(&[]), check(&[])), (0, 0));
    desk.scene
        .project_policy("rules:\n  - ask: {command: \"sort *\"}\n", false);
    assert_eq!((check(&[]), check(&[])), (10, 10));
    desk.scene.user_policy("rules: 5\n");
    assert_eq!(
        (check(&[]), check(&[])),
        (2, 2),
        "what is broken is told each time"
    );
    // A snapshot that somebody damaged is no snapshot.
    desk.scene.user_policy("mode: balanced\n");
    assert_eq!(check(&[]), 10);
    let file = desk.scene.state().join("snapshot");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    assert_eq!((check(&[]), check(&[])), (10, 10));
}
