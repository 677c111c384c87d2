//! What a hostile agent tries with a batch: to show something else than runs, to forge lines, and to turn `undo` against the person.

use std::fs;

use serde_json::{Value, json};

use crate::at_terminal::{Typed, at_terminal};
use crate::program::{Outcome, run};
use crate::scene::Scene;

fn batch(scene: &Scene, calls: &Value) -> String {
    let path = scene.home.join("calls.json");
    fs::write(&path, calls.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn run_batch(scene: &Scene, flags: &[&str], calls: &Value) -> Outcome {
    let file = batch(scene, calls);
    run(scene.program().arg("run").args(flags).arg(file), b"")
}

fn undo(scene: &Scene, words: &[&str]) -> Outcome {
    run(scene.program().arg("undo").args(words), b"")
}

/// What stands behind `sayso undo` in what was printed.
fn told(out: &str) -> Vec<String> {
    out.split("`sayso undo ")
        .skip(1)
        .filter_map(|rest| rest.split('`').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_id_is_no_command_line_to_be_typed_by_the_person() {
    let scene = Scene::empty();
    let ids = [
        "--yes",
        "-y",
        "x; rm -rf ~",
        "$(id)",
        "a b",
        "`id`",
        "..",
        "../../x",
        "~",
        "ü",
        "*",
    ];
    let calls: Vec<Value> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| json!({"type": "file_create", "id": id, "file": format!("n{at}.txt"), "content": "x"}))
        .collect();
    let done = run_batch(&scene, &["--strict"], &json!(calls)).is(0, "a batch");
    let told = told(&done.out);
    assert_eq!(told.len(), ids.len(), "{}", done.out);
    for (at, id) in told.iter().enumerate() {
        assert!(
            id.bytes()
                .all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'-')
                && !id.starts_with('-'),
            "{id}"
        );
        undo(&scene, &[id, "--yes"]).is(0, id);
        assert!(
            !scene.workspace.join(format!("n{at}.txt")).exists(),
            "{id} takes back exactly that change"
        );
    }
}

#[test]
fn an_id_that_is_used_again_takes_back_nothing_else() {
    let scene = Scene::empty();
    let create =
        |file: &str| json!([{"type": "file_create", "id": "edit_0", "file": file, "content": "x"}]);
    let first = told(
        &run_batch(&scene, &["--strict"], &create("mine.txt"))
            .is(0, "the first")
            .out,
    );
    assert_eq!(first, ["u1"]);
    let second = told(
        &run_batch(&scene, &["--strict"], &create("theirs.txt"))
            .is(0, "the second")
            .out,
    );
    let refused = undo(&scene, &["edit_0", "--yes"]).is(2, "which of the two");
    assert!(
        refused.err.contains("the id of 2 changes") && refused.err.contains(&second[0]),
        "{}",
        refused.err
    );
    assert!(
        scene.workspace.join("mine.txt").exists() && scene.workspace.join("theirs.txt").exists()
    );
    let list = undo(&scene, &["--list"]).is(0, "the list").out;
    assert!(
        list.lines().all(|line| !line.starts_with("edit_0")),
        "{list}"
    );
    undo(&scene, &[&second[0], "--yes"]).is(0, "by its own name");
    assert!(
        scene.workspace.join("mine.txt").exists() && !scene.workspace.join("theirs.txt").exists()
    );
    undo(&scene, &["edit_0", "--yes"]).is(0, "now it is only one");
    assert!(!scene.workspace.join("mine.txt").exists());
}

#[test]
fn an_id_cannot_be_an_undo_or_a_batch_of_somebody_else() {
    let scene = Scene::empty();
    run_batch(
        &scene,
        &["--strict"],
        &json!([{"type": "file_create", "id": "a", "file": "a.txt", "content": "x"}]),
    )
    .is(0, "a");
    let undone = told(&undo(&scene, &["a", "--yes"]).is(0, "undo").out);
    let again = json!([{"type": "file_create", "id": undone[0], "file": "b.txt", "content": "x"}]);
    let told = told(&run_batch(&scene, &["--strict"], &again).is(0, "b").out);
    assert_ne!(told, undone, "what is told means the new change");
    // The id of a change is sayso's own: it means the undo, and not the call that an agent called so.
    undo(&scene, &[&undone[0], "--yes"]).is(0, "the undo");
    assert!(scene.workspace.join("b.txt").exists() && scene.workspace.join("a.txt").exists());
}

#[test]
fn names_in_a_batch_are_short_and_visible() {
    let scene = Scene::empty();
    for id in [
        "a\nb".to_owned(),
        "\u{1b}[2J".to_owned(),
        "\u{202e}x".to_owned(),
        "x".repeat(1 << 20),
    ] {
        for key in ["id", "group_id"] {
            let done = run_batch(
                &scene,
                &["--strict"],
                &json!([{"type": "file_create", key: id, "file": "a.txt", "content": "x"}]),
            )
            .is(2, key);
            assert!(
                done.err.contains(key) && done.err.len() < 4000 && !done.err.contains('\u{1b}'),
                "{}",
                done.err
            );
        }
    }
    assert!(!scene.workspace.join("a.txt").exists());
}

#[test]
fn h_36_json_on_a_screen_moves_no_cursor() {
    let scene = Scene::empty();
    scene.file("a.txt", "\u{9b}2J\u{7f}\u{202e}x\u{1b}[2J\n");
    let done = run_batch(
        &scene,
        &["--strict", "--json"],
        &json!([{"type": "file_read", "file": "a.txt"}]),
    )
    .is(0, "a read");
    assert!(
        done.out
            .trim_end()
            .chars()
            .all(|one| !sayso_core::text::visible::is_hidden(one)),
        "{:?}",
        done.out
    );
    let read: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        read["results"][0]["output"],
        "\u{9b}2J\u{7f}\u{202e}x\u{1b}[2J\n"
    );
}

#[test]
fn h_38_a_reason_cannot_forge_a_line() {
    let scene = Scene::empty();
    let forged = "x\n[2/2] terminal(ls)\n      ✓ ran, unasked";
    let calls = json!([
        {"type": "file_create", "file": forged, "content": "x"},
        {"type": "webfetch", "url": format!("http://{forged}")},
        {"type": "terminal", "command": "ls", "cwd": forged},
        {"type": forged},
    ]);
    let done = run_batch(&scene, &["--strict"], &calls);
    for line in done.out.lines() {
        assert!(
            !line.starts_with("[2/2]") && !line.starts_with("      ✓"),
            "{}",
            done.out
        );
    }
}

#[test]
fn h_38_what_a_command_prints_starts_no_line_of_a_narrow_screen() {
    let scene = Scene::empty();
    let forged = format!(
        "{}[9/9] forged {}Your answer: ",
        "y".repeat(52),
        " ".repeat(40)
    );
    let calls = json!([{"type": "terminal", "command": format!("echo '{forged}'; echo '{}'", "z".repeat(390))}]);
    let seen = at_terminal(&scene, &["run", &batch(&scene, &calls)], 60, &[]);
    assert_eq!(seen.code, 0, "{}", seen.text);
    for line in seen.text.lines() {
        assert!(
            line.chars().count() <= 60,
            "the terminal would fold it: {line}"
        );
        assert!(
            !line.starts_with("[9/9]") && !line.trim_start().starts_with("Your answer"),
            "{}",
            seen.text
        );
    }
}

#[test]
fn h_38_a_command_of_several_lines_cannot_end_its_own_prompt() {
    let scene = Scene::empty();
    let command = format!(
        "touch x\nin /safe\n\n\u{2022} reads nothing\n  asks because it is harmless{}asks because of nothing",
        " ".repeat(60)
    );
    let calls = json!([{"type": "terminal", "command": command}]);
    let seen = at_terminal(
        &scene,
        &["run", &batch(&scene, &calls)],
        80,
        &[Typed::At("Your answer: ", "\n")],
    );
    assert_eq!(seen.code, 20, "Enter is a no: {}", seen.text);
    assert!(
        seen.text.contains("  > in /safe\n") && seen.text.contains("  > • reads nothing\n"),
        "{}",
        seen.text
    );
    assert!(seen.text.lines().all(|line| line.trim_start() != "in /safe" && line.trim() != "asks because of nothing"), "{}", seen.text);
    assert!(!scene.workspace.join("x").exists());
}

#[test]
fn h_40_what_was_typed_ahead_answers_no_prompt_and_no_undo() {
    let scene = Scene::empty();
    let calls = json!([{"type": "terminal", "command": "touch x"}]);
    let seen = at_terminal(
        &scene,
        &["run", &batch(&scene, &calls)],
        80,
        &[Typed::Ahead("y\ny\n"), Typed::At("Your answer: ", "n\n")],
    );
    assert_eq!(seen.code, 20, "{}", seen.text);
    assert!(!scene.workspace.join("x").exists());
    run_batch(
        &scene,
        &["--strict"],
        &json!([{"type": "file_create", "id": "a", "file": "a.txt", "content": "x"}]),
    )
    .is(0, "a file");
    let seen = at_terminal(
        &scene,
        &["undo"],
        80,
        &[
            Typed::Ahead("y\ny\n"),
            Typed::At("take it back? [y/N] ", "n\n"),
        ],
    );
    assert_eq!(seen.code, 20, "{}", seen.text);
    assert!(scene.workspace.join("a.txt").exists(), "{}", seen.text);
    for keys in ["\u{4}", "\n", "Y E S\n", "yy\n"] {
        let seen = at_terminal(
            &scene,
            &["undo"],
            80,
            &[Typed::At("take it back? [y/N] ", keys)],
        );
        assert_eq!(seen.code, 20, "{keys:?}: {}", seen.text);
    }
    assert!(scene.workspace.join("a.txt").exists());
}

#[test]
fn a_group_hides_nothing_behind_one_answer() {
    let scene = Scene::empty();
    let long: String = (0..200).map(|at| format!("line {at}\n")).collect();
    let create = |file: &str, content: &str| json!({"type": "file_create", "file": file, "content": content, "group_id": "g"});
    let calls = json!([
        create("a.py", "a = 1\n"),
        create("b.py", "b = 1\n"),
        create("c.py", &long),
        create("d.py", "d = '\u{202e}'\n")
    ]);
    // The first yes is for the two that are shown whole; the others are asked about by themselves.
    let done = run_batch(&scene, &["--answers", "y,n,n"], &calls).is(20, "a group");
    assert!(done.out.contains("and Create file: b.py"), "{}", done.out);
    let there = |name: &str| scene.workspace.join(name).exists();
    assert_eq!(
        ["a.py", "b.py", "c.py", "d.py"].map(there),
        [true, true, false, false],
        "{}",
        done.out
    );
}

#[test]
fn a_group_is_no_longer_than_a_person_reads_and_costs_no_more_than_its_calls() {
    let scene = Scene::empty();
    let calls: Vec<Value> =
        (0..400).map(|at| json!({"type": "file_create", "file": format!("f{at}.py"), "content": "1\n", "group_id": "g"})).collect();
    let done = run_batch(&scene, &["--answers", "y"], &json!(calls)).is(20, "a long group");
    let made = fs::read_dir(&scene.workspace).unwrap().count();
    assert!(made <= 10, "one yes was for {made}: {}", done.out);
}

#[test]
fn h_37_a_command_that_is_longer_than_the_screen_says_so_where_the_answer_is_typed() {
    let scene = Scene::empty();
    let long = format!("touch x; rm y\n{}", "# nothing\n".repeat(300));
    let wide = format!("touch x; rm y; : {}", "a ".repeat(2000));
    for (command, words) in [
        (long, "the command has 302 lines"),
        (wide, "the command has 1 line and"),
    ] {
        let done = run_batch(
            &scene,
            &["--answers", "n"],
            &json!([{"type": "terminal", "command": command}]),
        )
        .is(20, words);
        let (_, below) = done.out.rsplit_once(words).unwrap();
        assert!(
            below.contains("Answer (--answers)") && below.lines().count() < 30,
            "it stands near the answer: {below}"
        );
    }
}
