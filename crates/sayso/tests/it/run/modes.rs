//! The modes of a run: which go together, what each runs, and what none of them may.

use serde_json::json;

use crate::desk::{Desk, column};

#[test]
fn yolo_asks_nothing_and_still_denies_a_catastrophe() {
    let (desk, mut calls) = Desk::of_the_seed();
    // The home of this world, which is a scratch folder.
    let home = desk.scene.home.to_str().unwrap().to_owned();
    calls
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "terminal", "id": "terminal_3", "command": format!("rm -rf {home}")}));
    let done = desk
        .run(&["--yolo"], &calls)
        .is(20, "the catastrophe was refused");
    assert!(
        done.err.contains(
            "[warn] YOLO mode enabled - all tool operations will execute without approval"
        ),
        "{}",
        done.err
    );
    assert!(
        !done.out.contains("Operation 1 of") && !done.out.contains("YOLO mode"),
        "no prompts: {}",
        done.out
    );
    assert!(
        done.out.contains("Completed: 3/4 operations"),
        "{}",
        done.out
    );
    assert_eq!(
        (desk.text("test.py").as_deref(), desk.text("old.py")),
        (Some("new = 1\n"), None)
    );
    let modes = desk.entries("mode");
    assert_eq!(
        (modes.len(), &modes[0]["to"]),
        (1, &json!("yolo")),
        "{modes:?}"
    );
    let decided = desk.entries("decided");
    assert_eq!(decided[3]["outcome"], json!("blocked"));
    assert_eq!(decided[3]["tier"], json!("catastrophic"));
}

#[test]
fn strict_denies_what_would_ask_and_runs_what_only_looks() {
    let (desk, mut calls) = Desk::of_the_seed();
    calls
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "file_read", "id": "read_3", "file": "test.py"}));
    let before = desk.tree();
    let (results, code) = desk.results(&["--strict"], &calls);
    assert_eq!(code, 20);
    assert_eq!(
        column(&results["results"], "outcome"),
        ["blocked", "blocked", "blocked", "auto_approved"]
    );
    assert_eq!(results["refused"], json!(3));
    assert!(
        results["results"][0]["error"]
            .as_str()
            .unwrap()
            .contains("nothing was changed"),
        "{results}"
    );
    assert_eq!(desk.tree(), before);
}

#[test]
fn approve_all_runs_what_would_ask_and_says_so_in_the_record() {
    let (desk, calls) = Desk::of_the_seed();
    let done = desk.run(&["--approve-all"], &calls).is(0, "all ran");
    assert!(!done.err.contains("YOLO"), "{}", done.err);
    assert!(
        done.out.contains("Completed: 3/3 operations"),
        "{}",
        done.out
    );
    assert_eq!(desk.entries("mode")[0]["to"], json!("approve-all"));
    assert_eq!(desk.text("old.py"), None);
}

#[test]
fn approve_all_does_not_lift_a_denial() {
    let desk = Desk::with(&[]);
    desk.scene
        .user_policy("version: 1\nrules:\n  - deny: {command: \"touch *\"}\n");
    for flag in ["--approve-all", "--yolo"] {
        let (result, code) = desk.result(
            &[flag],
            json!({"type": "terminal", "id": "t", "command": "touch marker"}),
        );
        assert_eq!(
            (&result["outcome"], code),
            (&json!("blocked"), 20),
            "{flag}"
        );
        assert_eq!(desk.text("marker"), None, "{flag}");
    }
}

#[test]
fn two_modes_together_are_refused() {
    for flags in [
        ["--yolo", "--strict"],
        ["--approve-all", "--strict"],
        ["--yolo", "--approve-all"],
    ] {
        let (desk, calls) = Desk::of_the_seed();
        let before = desk.tree();
        let done = desk.run(&flags, &calls).is(2, "two modes");
        assert!(
            flags.iter().all(|flag| done.err.contains(flag))
                && done.err.contains("exclude each other"),
            "{}",
            done.err
        );
        assert_eq!(desk.tree(), before);
        assert!(!desk.scene.state().exists(), "nothing was even begun");
    }
}

#[test]
fn us_15_d_08_without_a_terminal_a_mode_must_be_said() {
    let (desk, calls) = Desk::of_the_seed();
    let before = desk.tree();
    for flags in [&[][..], &["--json"], &["--deny-aborts"]] {
        let done = desk.run(flags, &calls).is(2, "no terminal");
        assert!(
            done.err.contains("no terminal")
                && done.err.contains("--strict")
                && done.err.contains("--approve-all"),
            "{}",
            done.err
        );
        assert_eq!(done.out, "");
    }
    assert_eq!(desk.tree(), before);
    assert!(!desk.scene.state().exists());
}

#[test]
fn a_dry_run_shows_and_runs_nothing() {
    let (desk, mut calls) = Desk::of_the_seed();
    calls
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "terminal", "id": "terminal_3", "command": "touch marker"}));
    let before = desk.tree();
    let done = desk
        .run(&["--dry-run"], &calls)
        .is(0, "a dry run refuses nothing");
    assert_eq!(desk.tree(), before);
    assert!(
        done.out.contains("not run (--dry-run)") && done.out.contains("Completed: 0/4 operations"),
        "{}",
        done.out
    );
    for flag in ["--yolo", "--approve-all", "--strict"] {
        let done = desk.run(&["--dry-run", flag], &calls);
        assert_eq!(desk.tree(), before, "{flag}: {}", done.out);
    }
    let (results, _) = desk.results(&["--dry-run"], &calls);
    assert_eq!(results["executed"], json!([]));
    assert!(desk.changes().is_empty(), "there is nothing to undo");
}
