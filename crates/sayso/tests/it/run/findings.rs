//! Answers to batches, and what is said of them: each sentence is true under every profile.

use serde_json::{Value, json};

use crate::desk::{Desk, column};

const PROFILES: [(&str, &str, &str); 6] = [
    ("sayso", "y", "n"),
    ("kollabor-spec", "y", "n"),
    ("llm-do", "y", "n"),
    ("forge", "a", "d"),
    ("opencode", "o", "d"),
    ("kollabor", "a", "d"),
];

fn write(name: &str) -> Value {
    json!({"type": "file_create", "id": name, "file": name, "content": "x = 1\n"})
}

fn command(id: &str, text: &str) -> Value {
    json!({"type": "terminal", "id": id, "command": text})
}

/// finding A-01: the offer for the rest of a batch says what it covers, which is what then runs.
#[test]
fn finding_a_01_the_offer_for_the_rest_says_what_runs_and_the_echo_counts_only_that() {
    let calls = json!([
        write("a.py"),
        command("r", "rm -rf node_modules"),
        write("b.py"),
        json!({"type": "file_delete", "id": "d", "file": "old.py"})
    ]);
    let new = || Desk::with(&[("node_modules/x.js", "1\n"), ("old.py", "old\n")]);

    let desk = new();
    let done = desk
        .run(&["--profile", "kollabor-spec", "--answers", "a"], &calls)
        .is(20, "the delete asks");
    assert!(
        done.out
            .contains("dangerous commands and commands that delete run without a question, too"),
        "{}",
        done.out
    );
    assert!(
        done.out
            .contains("✓ Approved 2 remaining operations; 1 other still asks you"),
        "{}",
        done.out
    );
    assert_eq!(
        (
            desk.text("node_modules/x.js"),
            desk.text("b.py").is_some(),
            desk.text("old.py").is_some()
        ),
        (None, true, true)
    );

    let desk = new();
    let done = desk
        .run(&["--answers", "r"], &calls)
        .is(20, "the command and the delete ask");
    assert!(!done.out.contains("run without a question"), "{}", done.out);
    assert!(
        done.out.contains(
            "deletes, dangers, protected and secret files, paths outside, ask rules) still asks"
        ),
        "{}",
        done.out
    );
    assert!(
        done.out
            .contains("✓ Approved 1 remaining operation; 2 others still ask you"),
        "{}",
        done.out
    );
    assert_eq!(
        (
            desk.text("node_modules/x.js").is_some(),
            desk.text("b.py").is_some(),
            desk.text("old.py").is_some()
        ),
        (true, true, true)
    );
}

/// finding A-01: what will be denied is not approved.
#[test]
fn finding_a_01_the_echo_counts_denials_apart() {
    let desk = Desk::with(&[]);
    let calls = json!([write("a.py"), command("r", "rm -rf /"), write("b.py")]);
    let done = desk
        .run(&["--answers", "r"], &calls)
        .is(20, "one is denied");
    assert!(
        done.out
            .contains("✓ Approved 1 remaining operation; 1 will be denied"),
        "{}",
        done.out
    );
}

/// finding A-05: the words of a denial reach the agent behind those of its system.
#[test]
fn finding_a_05_a_note_reaches_the_agent_under_every_profile() {
    for (profile, _, no) in PROFILES {
        let desk = Desk::with(&[]);
        let answers = format!("{no}: use the helper instead");
        let (result, code) = desk.result(
            &["--profile", profile, "--answers", &answers],
            command("c", "sort -o x.txt y.py"),
        );
        let error = result["error"].as_str().unwrap_or_default();
        assert_eq!(code, 20, "{profile}: {result}");
        assert!(
            error.contains("use the helper instead"),
            "{profile}: {result}"
        );
        let own = match profile {
            "kollabor-spec" => "Operation denied by user: use",
            "llm-do" => "Approval denied: use",
            "opencode" => "permission denied by user: use",
            _ => "denied by the person: use",
        };
        assert!(error.starts_with(own), "{profile}: {result}");
    }
}

/// finding A-08: a hard denial never reads as if an answer would help; what lacks only an answer does.
#[test]
fn finding_a_08_a_hard_denial_does_not_ask_for_approval() {
    for (profile, ..) in PROFILES {
        for flags in [&["--answers", "q"][..], &["--strict"]] {
            let desk = Desk::with(&[]);
            let (result, code) = desk.result(
                &[&["--profile", profile], flags].concat(),
                command("c", "rm -rf /"),
            );
            let said = result.to_string().to_lowercase();
            assert_eq!(code, 20, "{profile}: {result}");
            assert!(
                !said.contains("requires approval") && !said.contains("approval required"),
                "{profile} {flags:?}: {result}"
            );
            let shown = desk.run(
                &[&["--profile", profile], flags].concat(),
                &json!([command("c", "rm -rf /")]),
            );
            let shown = shown.out.to_lowercase();
            assert!(
                !shown.contains("requires approval") && !shown.contains("approval required"),
                "{profile} {flags:?}: {shown}"
            );
        }
    }
    let desk = Desk::with(&[]);
    let (result, _) = desk.result(
        &["--profile", "kollabor-spec", "--strict"],
        command("c", "sort -o x.txt y.py"),
    );
    assert!(
        result["error"]
            .as_str()
            .unwrap()
            .starts_with("Operation requires approval: strict mode"),
        "{result}"
    );
}

/// finding A-09: what was chosen at confirmation 1 of 2 is what confirmation 2 of 2 confirms.
#[test]
fn finding_a_09_the_scope_survives_the_second_confirmation() {
    let calls = json!([
        command("r", "rm -rf build"),
        command("s", "rm -rf dist"),
        write("b.py")
    ]);
    let desk = Desk::with(&[("build/x", "1\n"), ("dist/x", "1\n")]);
    let (results, code) = desk.results(&["--profile", "kollabor-spec", "--answers", "a,y"], &calls);
    assert_eq!(code, 0, "{results}");
    assert_eq!(
        column(&results["results"], "outcome"),
        ["approved", "auto_approved", "auto_approved"],
        "{results}"
    );
    assert_eq!(results["results"][0]["scope"], "batch", "{results}");
    let desk = Desk::with(&[("build/x", "1\n"), ("dist/x", "1\n")]);
    let shown = desk
        .run(&["--profile", "kollabor-spec", "--answers", "a,y"], &calls)
        .out;
    let second = shown.split("confirmation 2 of 2").nth(1).unwrap();
    assert!(
        second.contains("allow this and the 2 that follow in this batch"),
        "{shown}"
    );
    // A yes to one is one.
    let desk = Desk::with(&[("build/x", "1\n"), ("dist/x", "1\n")]);
    let (results, _) = desk.results(&["--profile", "kollabor-spec", "--answers", "y,y"], &calls);
    assert_eq!(
        column(&results["results"], "outcome"),
        ["approved", "nobody", "nobody"],
        "{results}"
    );
}

/// finding A-19: at the second confirmation everything but yes cancels.
#[test]
fn finding_a_19_any_other_answer_cancels_the_second_confirmation() {
    for (profile, yes, _) in PROFILES {
        for other in ["v", "?", "view", "always", "session", "all"] {
            let desk = Desk::with(&[("old.py", "old\n")]);
            let call = json!([{"type": "file_delete", "id": "d", "file": "old.py"}]);
            let answers = format!("{yes},{other},{yes}");
            let (results, code) =
                desk.results(&["--profile", profile, "--answers", &answers], &call);
            assert_eq!(
                (&results["results"][0]["outcome"], code),
                (&json!("denied"), 20),
                "{profile} {other}: {results}"
            );
            assert!(desk.text("old.py").is_some(), "{profile} {other}");
        }
    }
}

/// finding A-20: where nothing follows, the rest is this one.
#[test]
fn finding_a_20_all_at_the_last_operation_is_a_yes_for_this_one() {
    let desk = Desk::with(&[]);
    let done = desk
        .run(
            &["--profile", "kollabor-spec", "--answers", "a"],
            &json!([write("a.py")]),
        )
        .is(0, "the only one");
    assert!(
        done.out
            .contains("a  allow this once: nothing follows in this batch"),
        "{}",
        done.out
    );
    let (results, code) = desk.results(
        &["--profile", "kollabor-spec", "--answers", "n,a"],
        &json!([write("b.py"), write("c.py")]),
    );
    assert_eq!(
        (column(&results["results"], "outcome"), code),
        (vec!["denied", "approved"], 20),
        "{results}"
    );
    assert_eq!(results["results"][1]["scope"], "once", "{results}");
    for (profile, ..) in PROFILES {
        let (result, code) = desk.result(
            &["--profile", profile, "--answers", "all"],
            command("c", "sort -o x.txt a.py"),
        );
        assert_eq!(code, 0, "{profile}: {result}");
    }
}

/// finding A-21: the record and the results have what was typed, and the word for it.
#[test]
fn finding_a_21_the_record_has_the_key_and_the_word_of_an_answer() {
    for (profile, yes, no) in PROFILES {
        let desk = Desk::with(&[("a.py", "1\n")]);
        let calls = json!([
            command("c", "sort -o x.txt a.py"),
            command("d", "sort -o y.txt a.py"),
            command("e", "sort -o z.txt a.py")
        ]);
        let answers = format!("{yes},{no},quit");
        let (results, _) = desk.results(&["--profile", profile, "--answers", &answers], &calls);
        let wanted = ([yes, no, "quit"], ["once", "deny", "quit"]);
        let found = (
            column(&results["results"], "user_response"),
            column(&results["results"], "user_response_word"),
        );
        assert_eq!(
            (found.0.as_slice(), found.1.as_slice()),
            (&wanted.0[..], &wanted.1[..]),
            "{profile}: {results}"
        );
        let entries = Value::Array(desk.entries("decided"));
        assert_eq!(
            column(&entries, "user_response"),
            wanted.0,
            "{profile}: {entries}"
        );
        assert_eq!(
            column(&entries, "user_response_word"),
            wanted.1,
            "{profile}: {entries}"
        );
        let list = crate::program::run(desk.program().args(["audit", "list", "--json"]), b"");
        let lines: Vec<&str> = list
            .out
            .lines()
            .filter(|line| line.contains("user_response_word"))
            .collect();
        assert!(
            lines.len() == 3
                && list.out.contains(&format!(
                    "\"user_response\":\"{yes}\",\"user_response_word\":\"once\""
                )),
            "{profile}: {}",
            list.out
        );
    }
}

/// finding A-22: what failed is not completed, and one is one.
#[test]
fn finding_a_22_counts_are_true_and_agree_with_their_nouns() {
    let desk = Desk::with(&[("a.py", "1\n")]);
    let done = desk
        .run(
            &["--answers", "y"],
            &json!([command("c", "sort -o x.txt no-such-file")]),
        )
        .is(1, "it fails");
    assert!(
        done.out.contains("Completed: 0/1 operation, 1 failed"),
        "{}",
        done.out
    );
    let done = desk
        .run(
            &["--answers", "y"],
            &json!([command("c", "sort -o x.txt a.py")]),
        )
        .is(0, "it runs");
    assert!(
        done.out.contains("Completed: 1/1 operation\n"),
        "{}",
        done.out
    );
    let done = desk
        .run(
            &["--answers", "y,q"],
            &json!([write("b.py"), write("c.py")]),
        )
        .is(20, "stopped");
    assert!(
        done.out.contains("Cancelled 1 remaining operation\n")
            && done.out.contains("Completed: 1/2 operations"),
        "{}",
        done.out
    );
    desk.run(
        &["--answers", "always"],
        &json!([command("c", "sort -o z.txt a.py")]),
    )
    .is(0, "kept");
    let grants = crate::program::run(desk.program().args(["grants", "list"]), b"").out;
    assert!(grants.contains("1 rule lasts for longer"), "{grants}");
    let unused = desk
        .run(&["--answers", "y,y"], &json!([write("d.py")]))
        .is(0, "one too many");
    assert!(
        unused.err.contains("1 of the answers was not needed"),
        "{}",
        unused.err
    );
}

/// finding A-23: every answer that a line takes stands in the legend, with its word where it has no key.
#[test]
fn finding_a_23_the_legend_names_the_words_without_a_key() {
    let desk = Desk::with(&[("a.py", "1\n")]);
    let calls = json!([command("c", "sort -o x.txt a.py")]);
    for (profile, words) in [
        ("sayso", &["project", "always"][..]),
        ("kollabor-spec", &["project", "always"]),
        ("llm-do", &["project", "always"]),
        ("forge", &["session", "project"]),
        ("opencode", &["session", "project"]),
        ("kollabor", &["always"]),
    ] {
        let shown = desk
            .run(&["--profile", profile, "--answers", "quit"], &calls)
            .out;
        let line = shown
            .lines()
            .find(|line| line.contains("as words: go further"))
            .unwrap_or_else(|| panic!("{profile}: {shown}"));
        for word in words {
            assert!(line.contains(word), "{profile} {word}: {shown}");
            let desk = Desk::with(&[("a.py", "1\n")]);
            desk.run(&["--profile", profile, "--answers", word], &calls)
                .is(0, word);
        }
    }
    let shown = desk
        .run(&["--profile", "kollabor-spec", "--answers", "quit"], &calls)
        .out;
    assert!(
        shown.contains("  s  allow exactly terminal(sort -o x.txt a.py) in this session"),
        "{shown}"
    );
    let help = crate::program::run(desk.program().args(["run", "--help"]), b"").out;
    assert!(
        ["session", "project", "always", "rest", "quit"]
            .iter()
            .all(|word| help.contains(word)),
        "{help}"
    );
}
