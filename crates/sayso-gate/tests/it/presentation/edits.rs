//! What an edit, an append and an insertion would write, and what is said where that cannot be told.

use sayso_core::prompt::presentation::Body;

use super::{call, call_json, diff_of, setup, short, show, warned};
use crate::bench::Setup;

fn with(content: &str) -> Setup {
    let mut setup = setup();
    setup.world.with("/ws/a.py", content);
    setup
}

fn lines(body: &Body) -> &[String] {
    match body {
        Body::Text(lines) => lines,
        other => panic!("no text: {other:#?}"),
    }
}

#[test]
fn an_edit_shows_the_file_as_it_would_be() {
    for (content, args, expected) in [
        (
            "a\nold\nb\n",
            r#""find": "old", "replace": "new""#,
            vec![" 1:a", "-2:old", "+2:new", " 3:b"],
        ),
        (
            "a\nold\nb\n",
            r#""old_string": "a\nold", "new_string": """#,
            vec!["-1:a", "-2:old", "+1:", " 2:b"],
        ),
        (
            "x\ny\nx\n",
            r#""find": "x", "replace": "z", "replace_all": true"#,
            vec!["-1:x", "+1:z", " 2:y", "-3:x", "+3:z"],
        ),
        (
            "x\ny\nx\n",
            r#""find": "x", "replace": "z", "expected_replacements": 2"#,
            vec!["-1:x", "+1:z", " 2:y", "-3:x", "+3:z"],
        ),
        (
            "x\ny\n",
            r#""find": "x", "replace": "z", "replace_all": "maybe""#,
            vec!["-1:x", "+1:z", " 2:y"],
        ),
        (
            "x\ny\n",
            r#""find": "x", "replace": "$1\\n""#,
            vec!["-1:x", "+1:$1\\n", " 2:y"],
        ),
        ("7\n", r#""find": 7, "replace": 8"#, vec!["-1:7", "+1:8"]),
    ] {
        let shown = show(
            &with(content),
            call_json("file_edit", &format!(r#"{{"path": "a.py", {args}}}"#)),
        );
        assert_eq!(short(diff_of(&shown)), expected, "{args}");
    }
}

#[test]
fn an_edit_that_cannot_be_told_shows_its_texts_whole() {
    for (content, args, warning) in [
        (
            "a\n",
            r#""find": "old", "replace": "new""#,
            "does not occur",
        ),
        (
            "x\nx\nx\n",
            r#""find": "x", "replace": "new""#,
            "occurs 3 times",
        ),
        (
            "aaa\n",
            r#""find": "aa", "replace": "new""#,
            "occurs more than once",
        ),
        (
            "x\nx\n",
            r#""find": "x", "replace": "new", "replace_all": 1"#,
            "occurs 2 times",
        ),
        (
            "x\nx\n",
            r#""find": "x", "replace": "new", "replace_all": false"#,
            "occurs 2 times",
        ),
        (
            "x\nx\n",
            r#""find": "x", "replace": "new", "expected_replacements": 3"#,
            "not 3 times",
        ),
        (
            "x\nx\n",
            r#""find": "x", "replace": "new", "expected_replacements": 1"#,
            "not 1 times",
        ),
        ("x\nx\n", r#""find": "", "replace": "new""#, "is empty"),
    ] {
        let shown = show(
            &with(content),
            call_json("file_edit", &format!(r#"{{"path": "a.py", {args}}}"#)),
        );
        assert!(warned(&shown, warning), "{args}: {:#?}", shown.warnings);
        assert_eq!(
            lines(&shown.body).last().map(String::as_str),
            Some("+ new"),
            "{args}"
        );
    }
}

#[test]
fn nothing_in_the_texts_passes_for_a_heading() {
    let find = "a\nthe text that replaces it:\n+ harmless";
    let shown = show(
        &with("x\n"),
        call(
            "file_edit",
            &[("path", "a.py"), ("find", find), ("replace", "evil")],
        ),
    );
    assert_eq!(
        lines(&shown.body),
        [
            "the text that is looked for:",
            "- a",
            "- the text that replaces it:",
            "- + harmless",
            "the text that replaces it:",
            "+ evil"
        ]
    );
}

#[test]
fn a_text_in_a_million_places_does_not_fill_the_memory() {
    let big = "b".repeat(1 << 20);
    let shown = show(
        &with(&"a".repeat(1 << 20)),
        call_json(
            "file_edit",
            &format!(r#"{{"path": "a.py", "find": "a", "replace": "{big}", "replace_all": true}}"#),
        ),
    );
    assert!(warned(&shown, "too large to be compared"));
}

#[test]
fn an_edit_of_a_missing_file_says_so() {
    let shown = show(
        &setup(),
        call(
            "file_edit",
            &[("path", "new.py"), ("find", "a"), ("replace", "b")],
        ),
    );
    assert!(warned(&shown, "there is no such file"));
    assert_eq!(lines(&shown.body).len(), 4);
    let shown = show(
        &setup(),
        call(
            "file_edit",
            &[("path", "new.py"), ("find", ""), ("replace", "b")],
        ),
    );
    assert!(matches!(&shown.body, Body::Content { lines, .. } if lines == &["b"]));
}

#[test]
fn appends_and_insertions() {
    let append = |content: &str, text: &str| {
        show(
            &with(content),
            call("file_append", &[("path", "a.py"), ("content", text)]),
        )
    };
    assert_eq!(short(diff_of(&append("a\n", "b\n"))), [" 1:a", "+2:b"]);
    assert_eq!(
        short(diff_of(&append("a", "b"))),
        ["-1:a", "+1:ab"],
        "no line break is made up"
    );

    let insert = |tool: &str, at: &str| {
        let args = format!(r#"{{"path": "a.py", "content": "new", {at}}}"#);
        short(diff_of(&show(
            &with("one\ntwo\nthree\n"),
            call_json(tool, &args),
        )))
    };
    let after_two = [" 1:one", " 2:two", "+3:new", " 4:three"];
    assert_eq!(insert("file_insert_after", r#""pattern": "tw""#), after_two);
    assert_eq!(
        insert("file_insert_after", r#""pattern": "two\n""#),
        after_two
    );
    assert_eq!(insert("file_insert_after", r#""line": 2"#), after_two);
    assert_eq!(
        insert("file_insert_before", r#""pattern": "three""#),
        after_two
    );
    assert_eq!(
        insert("file_insert_before", r#""insert_line": 3"#),
        after_two
    );
    assert_eq!(
        insert("file_insert_after", r#""line": 0"#),
        ["+1:new", " 2:one", " 3:two", " 4:three"]
    );
    for (at, warning) in [
        (r#""pattern": "e""#, "more than once"),
        (r#""pattern": "zzz""#, "does not occur"),
        (r#""pattern": """#, "does not occur"),
        (r#""line": 9"#, "has 3 lines"),
        (r#""description": "x""#, "does not say where"),
    ] {
        let args = format!(r#"{{"path": "a.py", "content": "new", {at}}}"#);
        let shown = show(
            &with("one\ntwo\nthree\n"),
            call_json("file_insert_after", &args),
        );
        assert!(warned(&shown, warning), "{at}: {:#?}", shown.warnings);
        assert_eq!(lines(&shown.body).last().map(String::as_str), Some("+ new"));
    }
}
