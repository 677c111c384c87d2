//! Batches with answers: all of it, a stop in the middle, the rest at once, and denials with words.

use serde_json::json;

use crate::desk::{Desk, column};

#[test]
fn seed_000_edit_create_and_delete_all_run() {
    let (desk, calls) = Desk::of_the_seed();
    let done = desk.run(&["--answers", "y,y,y,y"], &calls).is(0, "all ran");
    assert_eq!(desk.text("test.py").as_deref(), Some("new = 1\n"));
    assert_eq!(desk.text("new.py").as_deref(), Some("print('new')\n"));
    assert_eq!(desk.text("old.py"), None);
    assert!(
        done.out.contains("Completed: 3/3 operations"),
        "{}",
        done.out
    );
    assert!(
        !done.out.contains("Cancelled") && !done.out.contains("stop execution"),
        "{}",
        done.out
    );
    for (place, words) in [
        (1, "Operation 1 of 3"),
        (2, "Operation 2 of 3"),
        (3, "Operation 3 of 3"),
    ] {
        assert!(done.out.contains(words), "prompt {place}: {}", done.out);
    }
    assert!(
        done.out.contains("confirmation 1 of 2") && done.out.contains("confirmation 2 of 2"),
        "a delete asks twice: {}",
        done.out
    );
    assert_eq!(desk.entries("decided").len(), 3);
    assert_eq!(desk.entries("finished").len(), 3);
}

#[test]
fn one_yes_is_not_enough_for_a_delete() {
    let (desk, calls) = Desk::of_the_seed();
    let done = desk
        .run(&["--answers", "y,y,y,n"], &calls)
        .is(20, "the delete was refused");
    assert_eq!(desk.text("old.py").as_deref(), Some("print('old')\n"));
    assert!(
        done.out.contains("Completed: 2/3 operations"),
        "{}",
        done.out
    );
}

#[test]
fn seed_000_quitting_at_the_second_of_three_cancels_the_rest() {
    let desk = Desk::with(&[("test.py", "old old old\n")]);
    let call = |at: usize| json!({"type": "file_create", "id": format!("create_{at}"), "file": format!("{at}.py"), "content": "x = 1\n"});
    let calls = json!([call(0), call(1), call(2)]);
    let done = desk
        .run(&["--answers", "y,q"], &calls)
        .is(20, "some were refused");
    let last: Vec<&str> = done.out.lines().filter(|line| !line.is_empty()).collect();
    let at = last
        .iter()
        .position(|line| *line == "User requested to stop execution")
        .unwrap_or_else(|| panic!("{}", done.out));
    assert_eq!(
        last[at + 1..at + 3],
        [
            "Cancelled 2 remaining operations",
            "Completed: 1/3 operations"
        ]
    );
    assert_eq!(desk.text("0.py").as_deref(), Some("x = 1\n"));
    assert_eq!((desk.text("1.py"), desk.text("2.py")), (None, None));
    let ends = desk
        .entries("decided")
        .iter()
        .map(|entry| entry["outcome"].as_str().unwrap().to_owned())
        .collect::<Vec<_>>();
    assert_eq!(
        ends,
        ["approved", "cancelled", "cancelled"],
        "everything is written down"
    );
}

#[test]
fn z_27_both_views_of_a_batch_that_was_stopped() {
    let desk = Desk::with(&[]);
    let call = |at: usize| json!({"type": "file_create", "id": format!("create_{at}"), "file": format!("{at}.py"), "content": "x = 1\n"});
    let (results, code) = desk.results(
        &["--answers", "y,quit"],
        &json!([call(0), call(1), call(2), call(3)]),
    );
    assert_eq!(code, 20);
    assert_eq!(
        column(&results["results"], "tool_id"),
        ["create_0", "create_1", "create_2", "create_3"],
        "one for every call, in order"
    );
    assert_eq!(
        column(&results["results"], "outcome"),
        ["approved", "cancelled", "cancelled", "cancelled"]
    );
    assert_eq!(results["executed"], json!(["create_0"]));
    assert_eq!(
        (
            &results["cancelled"],
            &results["total"],
            &results["stopped"]
        ),
        (&json!(3), &json!(4), &json!(true))
    );
    for result in &results["results"].as_array().unwrap()[1..] {
        assert_eq!(result["success"], json!(false));
        assert!(
            result["error"]
                .as_str()
                .unwrap()
                .contains("nothing was changed"),
            "{result}"
        );
    }
}

#[test]
fn z_10_the_rest_at_once_never_covers_a_delete() {
    let files = [("a.py", "a\n"), ("b.py", "b\n"), ("gone.py", "gone\n")];
    let calls = json!([
        {"type": "file_edit", "id": "edit_0", "file": "a.py", "find": "a", "replace": "A"},
        {"type": "file_edit", "id": "edit_1", "file": "b.py", "find": "b", "replace": "B"},
        {"type": "terminal", "id": "terminal_2", "command": "printf made > c.py"},
        {"type": "file_delete", "id": "delete_3", "file": "gone.py"},
    ]);
    let desk = Desk::with(&files);
    let done = desk
        .run(&["--answers", "r"], &calls)
        .is(20, "nobody was there for the delete");
    assert!(
        done.out
            .contains("✓ Approved 2 remaining operations; 1 other still asks you"),
        "{}",
        done.out
    );
    for id in ["edit_0", "edit_1", "terminal_2"] {
        assert!(
            done.out.contains(&format!("Executing: {id}...")),
            "{id}: {}",
            done.out
        );
    }
    assert!(!done.out.contains("Executing: delete_3"), "{}", done.out);
    assert_eq!(desk.text("gone.py").as_deref(), Some("gone\n"));
    let texts = ["a.py", "b.py", "c.py"].map(|name| desk.text(name).unwrap());
    assert_eq!(texts, ["A\n", "B\n", "made"]);

    let desk = Desk::with(&files);
    desk.run(&["--answers", "r,y,y"], &calls)
        .is(0, "the delete was asked about by itself");
    assert_eq!(desk.text("gone.py"), None);
}

#[test]
fn a_denial_ends_the_batch_only_where_that_is_wanted() {
    let (desk, calls) = Desk::of_the_seed();
    let (results, code) = desk.results(&["--answers", "n,y,y,y"], &calls);
    assert_eq!(
        (column(&results["results"], "outcome"), code),
        (vec!["denied", "approved", "approved"], 20)
    );
    assert_eq!(desk.text("test.py").as_deref(), Some("old = 1\n"));

    let (desk, calls) = Desk::of_the_seed();
    let before = desk.tree();
    let (results, code) = desk.results(&["--deny-aborts", "--answers", "n,y,y,y"], &calls);
    assert_eq!(
        (column(&results["results"], "outcome"), code),
        (vec!["denied", "cancelled", "cancelled"], 20)
    );
    assert_eq!(results["stopped"], json!(true));
    assert_eq!(desk.tree(), before);
}

#[test]
fn the_words_of_a_denial_reach_the_agent_and_the_record() {
    for list in [
        "n:use the other file",
        "no use the other file",
        "deny=use the other file",
    ] {
        let (desk, calls) = Desk::of_the_seed();
        let (results, _) = desk.results(&["--answers", &format!("{list},q")], &calls);
        let first = &results["results"][0];
        assert_eq!(first["note"], json!("use the other file"), "{list}");
        assert_eq!(first["outcome"], json!("denied"), "{list}");
        assert_eq!(
            first["error"],
            json!("denied by the person: use the other file. nothing was changed"),
            "{list}"
        );
        assert_eq!(
            desk.entries("decided")[0]["note"],
            json!("use the other file"),
            "{list}"
        );
    }
}

#[test]
fn a_call_that_fails_does_not_stop_the_others() {
    let desk = Desk::with(&[("a.py", "a\n")]);
    let calls = json!([
        {"type": "file_edit", "id": "edit_0", "file": "a.py", "find": "missing", "replace": "x"},
        {"type": "terminal", "id": "terminal_1", "command": "exit 3"},
        {"type": "file_read", "id": "read_2", "file": "a.py"},
    ]);
    let (results, code) = desk.results(&["--approve-all"], &calls);
    assert_eq!(code, 1, "a tool failed: {results}");
    let list = results["results"].as_array().unwrap();
    assert_eq!(
        list.iter()
            .map(|result| result["success"].as_bool().unwrap())
            .collect::<Vec<_>>(),
        [false, false, true]
    );
    assert!(
        list[0]["error"]
            .as_str()
            .unwrap()
            .contains("nothing was changed"),
        "{}",
        list[0]
    );
    assert_eq!(list[1]["exit_status"], json!(3));
    assert_eq!(
        list[2]["output"].as_str().unwrap().matches('a').count(),
        1,
        "{}",
        list[2]
    );
}
