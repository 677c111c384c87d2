//! The results for programs: one shape for every call, and an exit status that says the worst of it.

use serde_json::{Value, json};

use crate::desk::Desk;

/// The shape that agents know, and what sayso adds.
fn check_shape(result: &Value) {
    let keys = [
        "tool_id",
        "tool_type",
        "success",
        "output",
        "error",
        "execution_time",
        "outcome",
        "decision",
        "approved",
        "auto_approved",
        "message",
        "user_response",
        "user_response_word",
        "by",
        "note",
        "risk",
        "rule",
        "source",
        "scope",
        "digest",
    ];
    for key in keys {
        assert!(result.get(key).is_some(), "no `{key}`: {result}");
    }
    assert!(
        result["tool_id"].is_string() && result["tool_type"].is_string(),
        "{result}"
    );
    assert!(
        result["output"].is_string() && result["error"].is_string(),
        "{result}"
    );
    assert!(
        result["success"].is_boolean() && result["execution_time"].is_number(),
        "{result}"
    );
    assert_eq!(
        result["error"].as_str().unwrap().is_empty(),
        result["success"].as_bool().unwrap(),
        "an error has words: {result}"
    );
}

#[test]
fn every_result_has_the_same_shape() {
    let desk = Desk::with(&[("a.py", "a\n"), ("b.py", "b\n")]);
    let calls = json!([
        {"type": "file_read", "id": "silent", "file": "a.py"},
        {"type": "file_edit", "id": "approved", "file": "a.py", "find": "a", "replace": "A"},
        {"type": "file_edit", "id": "failed", "file": "a.py", "find": "missing", "replace": "A"},
        {"type": "terminal", "id": "printed", "command": "touch it; echo out; echo err >&2; false"},
        {"type": "file_edit", "id": "denied", "file": "b.py", "find": "b", "replace": "B"},
        {"type": "file_edit", "id": "malformed", "find": "b", "replace": "B"},
        {"type": "terminal", "id": "catastrophe", "command": format!("rm -rf {}", desk.scene.home.display())},
        {"type": "file_edit", "id": "stopped", "file": "b.py", "find": "b", "replace": "B2"},
        {"type": "file_read", "id": "cancelled", "file": "b.py"},
    ]);
    let (results, code) = desk.results(&["--answers", "y,y,y,n,q"], &calls);
    assert_eq!(code, 20, "refusals count before failures");
    let list = results["results"].as_array().unwrap();
    list.iter().for_each(check_shape);
    let row = |result: &Value| {
        format!(
            "{} {} {}",
            result["tool_id"].as_str().unwrap(),
            result["outcome"].as_str().unwrap(),
            result["success"]
        )
    };
    let rows: Vec<String> = list.iter().map(row).collect();
    let wanted = [
        "silent auto_approved true",
        "approved approved true",
        "failed approved false",
        "printed approved false",
        "denied denied false",
        "malformed blocked false",
        "catastrophe blocked false",
        "stopped cancelled false",
        "cancelled cancelled false",
    ];
    assert_eq!(rows, wanted);
    assert_eq!(
        list[1]["change"],
        json!("u1"),
        "the id that undoes it: {}",
        list[1]
    );
    assert_eq!(list[1]["by"], json!("--answers"));
    assert_eq!(list[1]["user_response"], json!("y"));
    assert_eq!(list[1]["user_response_word"], json!("once"));
    assert_eq!(list[4]["user_response_word"], json!("deny"));
    assert_eq!(list[3]["exit_status"], json!(1));
    assert!(
        ["out\n", "err\n"]
            .iter()
            .all(|text| list[3]["output"].as_str().unwrap().contains(text)),
        "{}",
        list[3]
    );
    assert_eq!(list[6]["decision"], json!("deny"));
    assert_eq!(
        results["executed"],
        json!(["silent", "approved", "failed", "printed"])
    );
    let counts =
        ["cancelled", "failed", "refused", "total"].map(|key| results[key].as_u64().unwrap());
    assert_eq!(counts, [2, 2, 5, 9], "{results}");
}

#[test]
fn json_stands_alone_on_standard_output() {
    let (desk, calls) = Desk::of_the_seed();
    let done = desk.run(&["--yolo", "--json"], &calls).is(0, "all ran");
    assert_eq!(done.out.lines().count(), 1, "{}", done.out);
    assert!(serde_json::from_str::<Value>(&done.out).is_ok());
    let (desk, calls) = Desk::of_the_seed();
    let done = desk
        .run(&["--answers", "y,n,n", "--json"], &calls)
        .is(20, "some were refused");
    assert!(
        serde_json::from_str::<Value>(&done.out).is_ok(),
        "prompts are not in it: {}",
        done.out
    );
}

#[test]
fn the_exit_status_says_the_worst() {
    let ok = json!({"type": "file_read", "id": "ok", "file": "a.py"});
    let bad = json!({"type": "file_read", "id": "bad", "file": "missing.py"});
    let asks = json!({"type": "terminal", "id": "asks", "command": "touch marker"});
    for (calls, wanted) in [
        (json!([]), 0),
        (json!([ok]), 0),
        (json!([ok, bad]), 1),
        (json!([asks, ok]), 20),
        (json!([bad, asks]), 20),
    ] {
        let desk = Desk::with(&[("a.py", "a\n")]);
        desk.run(&["--strict"], &calls)
            .is(wanted, &calls.to_string());
    }
}

#[test]
fn what_a_tool_prints_cannot_write_on_the_screen() {
    let desk = Desk::with(&[("a.txt", "\u{1b}]0;title\u{7}\u{202e}evil\n")]);
    let calls = json!([
        {"type": "file_read", "id": "\u{1b}[2Jread", "file": "a.txt"},
        {"type": "terminal", "id": "print", "command": "printf '\\033[31mred\\n'; printf '\\r\\rover\\n'"},
        {"type": "terminal", "id": "name", "command": "false '\u{1b}[31m\u{202e}'"},
    ]);
    let done = desk.run(&["--yolo"], &calls);
    let odd = done
        .out
        .chars()
        .chain(done.err.chars())
        .find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
    assert_eq!(odd, None, "{:?}", done.out);
}
