//! Answers on the command line: the words of the keymap, as many as there are prompts, and nothing else counts as a yes.

use serde_json::json;

use crate::desk::{Desk, column};

#[test]
fn a_word_that_is_no_answer_is_refused_before_anything_runs() {
    for list in [
        "yesterday",
        "y,maybe,y",
        "",
        "y,,y",
        "a",
        "y\u{1b}[31m",
        "ja",
        "yes!",
    ] {
        let (desk, calls) = Desk::of_the_seed();
        let before = desk.tree();
        let done = desk.run(&["--answers", list], &calls).is(2, list);
        assert!(
            done.err.contains("is no answer of the keymap `sayso`") && done.err.contains("hint:"),
            "{list}: {}",
            done.err
        );
        assert!(!done.err.contains('\u{1b}'), "{:?}", done.err);
        assert_eq!(desk.tree(), before, "{list}");
    }
}

#[test]
fn the_words_are_those_of_the_profile() {
    let (desk, calls) = Desk::of_the_seed();
    desk.run(
        &["--profile", "kollabor-spec", "--answers", "a,y,y"],
        &calls,
    )
    .is(0, "`a` is the rest there");
    let (desk, calls) = Desk::of_the_seed();
    desk.run(&["--profile", "forge", "--answers", "y"], &calls)
        .is(2, "`y` is no key of forge");
    desk.run(&["--profile", "forge", "--answers", "a,a,a,a"], &calls)
        .is(0, "`a` is a yes there");
}

#[test]
fn a_yes_with_words_is_no_yes() {
    for list in [
        "y:but only once",
        "yes please",
        "y = sure",
        "Y E S",
        "y\tok",
        "n:no,r for now",
        "q:enough",
    ] {
        let (desk, calls) = Desk::of_the_seed();
        let before = desk.tree();
        let done = desk.run(&["--answers", list], &calls).is(2, list);
        assert!(
            done.err
                .contains("only a denial and an answer that is kept can carry words"),
            "{list}: {}",
            done.err
        );
        assert_eq!(desk.tree(), before, "{list}");
    }
}

#[test]
fn with_fewer_answers_than_prompts_the_rest_is_denied() {
    let (desk, calls) = Desk::of_the_seed();
    let (results, code) = desk.results(&["--answers", "y"], &calls);
    assert_eq!(
        (column(&results["results"], "outcome"), code),
        (vec!["approved", "nobody", "nobody"], 20)
    );
    assert!(
        results["results"][1]["error"]
            .as_str()
            .unwrap()
            .contains("nobody is there to ask"),
        "{results}"
    );
    assert_eq!(desk.text("new.py"), None);
    // Half of a delete is none.
    let (desk, calls) = Desk::of_the_seed();
    desk.run(&["--answers", "y,y,y"], &calls)
        .is(20, "the second confirmation is missing");
    assert!(desk.text("old.py").is_some());
}

#[test]
fn with_more_answers_than_prompts_that_is_said() {
    let (desk, calls) = Desk::of_the_seed();
    let done = desk
        .run(&["--answers", "y,y,y,y,y,n"], &calls)
        .is(0, "all ran");
    assert!(
        done.err.contains("2 of the answers were not needed"),
        "{}",
        done.err
    );
}

#[test]
fn looking_first_decides_nothing() {
    let (desk, calls) = Desk::of_the_seed();
    desk.run(&["--answers", "v,y,?,y,view,y,y"], &calls)
        .is(0, "all ran");
    assert_eq!(desk.text("old.py"), None);
}

#[test]
fn an_answer_that_is_not_offered_is_a_denial() {
    // A delete offers neither the rest nor the session.
    for list in ["r", "s", "p", "always"] {
        let desk = Desk::with(&[("old.py", "old\n")]);
        let (result, code) = desk.result(
            &["--answers", list],
            json!({"type": "file_delete", "id": "d", "file": "old.py"}),
        );
        assert_eq!(
            (&result["success"], code),
            (&json!(false), 20),
            "{list}: {result}"
        );
        assert!(desk.text("old.py").is_some(), "{list}");
    }
}

#[test]
fn what_is_piped_in_answers_nothing() {
    let (desk, calls) = Desk::of_the_seed();
    let before = desk.tree();
    let file = desk.batch("calls.json", calls.to_string());
    let done = crate::program::run(desk.program().arg("run").arg(file), b"y\ny\ny\ny\n")
        .is(2, "no terminal");
    assert!(done.err.contains("no terminal"), "{}", done.err);
    assert_eq!(desk.tree(), before);
}

/// finding A-11: `--answers` takes a scope with a width, a number or a pattern behind it, under every keymap.
#[test]
fn finding_a_11_a_kept_answer_takes_its_width() {
    let edit =
        |path: &str| json!({"type": "edit_file", "path": path, "find": "x", "replace": "xx"});
    let calls = json!([
        edit("src/a.py"),
        edit("src/a.py"),
        edit("src/b.py"),
        edit("lib/c.py")
    ]);
    let prefix = "allow file tools to write and edit";
    for (answer, asked, stored) in [
        (
            "project file,n,n",
            vec!["approved", "auto_approved", "denied", "denied"],
            format!("{prefix} `src/a.py` with any content in this project"),
        ),
        (
            "project folder,n",
            vec!["approved", "auto_approved", "auto_approved", "denied"],
            format!("{prefix} `src/**` in this project"),
        ),
        (
            "always:2,n",
            vec!["approved", "auto_approved", "auto_approved", "denied"],
            format!("{prefix} `src/**` everywhere"),
        ),
        (
            "always **/*.py",
            vec![
                "approved",
                "auto_approved",
                "auto_approved",
                "auto_approved",
            ],
            format!("{prefix} `**/*.py` everywhere"),
        ),
        (
            "project {src,lib}/*.py",
            vec![
                "approved",
                "auto_approved",
                "auto_approved",
                "auto_approved",
            ],
            format!("{prefix} `{{src,lib}}/*.py` in this project"),
        ),
    ] {
        let desk = Desk::with(&[
            ("src/a.py", "x\n"),
            ("src/b.py", "x\n"),
            ("lib/c.py", "x\n"),
        ]);
        let (results, _) = desk.results(&["--answers", answer], &calls);
        assert_eq!(
            column(&results["results"], "outcome"),
            asked,
            "{answer}: {results}"
        );
        let granted = desk.entries("granted");
        assert!(
            granted[0]["words"].as_str().unwrap().starts_with(&stored),
            "{answer}: {granted:?}"
        );
    }
    for profile in [
        "sayso",
        "kollabor-spec",
        "llm-do",
        "forge",
        "opencode",
        "kollabor",
    ] {
        let desk = Desk::with(&[
            ("src/a.py", "x\n"),
            ("src/b.py", "x\n"),
            ("lib/c.py", "x\n"),
        ]);
        let (results, _) = desk.results(
            &["--profile", profile, "--answers", "project folder,deny"],
            &calls,
        );
        assert_eq!(
            column(&results["results"], "outcome"),
            ["approved", "auto_approved", "auto_approved", "denied"],
            "{profile}: {results}"
        );
    }
    // A pattern that is refused, and a width that is not offered, decide nothing but a denial.
    for (answer, why) in [
        ("always **", "`src/**` would do"),
        ("project /etc/**", "outside"),
        ("always", ""),
    ] {
        let desk = Desk::with(&[("src/a.py", "x\n")]);
        let (results, _) = desk.results(&["--answers", answer], &json!([edit("src/a.py")]));
        let error = results["results"][0]["error"].to_string();
        assert!(error.contains(why), "{answer}: {results}");
        assert_eq!(
            desk.text("src/a.py").unwrap() == "x\n",
            !why.is_empty(),
            "{answer}"
        );
    }
}
