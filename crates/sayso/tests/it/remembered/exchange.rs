//! Rules out to a file and in again.

use serde_json::{Value, json};

use super::{command, listed, outcome, sayso};
use crate::desk::Desk;

fn without(rules: Vec<Value>, keys: &[&str]) -> Vec<Value> {
    let strip = |mut rule: Value| {
        for key in keys {
            rule.as_object_mut().unwrap().remove(*key);
        }
        rule
    };
    rules.into_iter().map(strip).collect()
}

#[test]
fn what_is_exported_can_be_imported() {
    let desk = Desk::with(&[]);
    sayso(
        &desk,
        &[
            "rules",
            "add",
            "--allow",
            "sort -o x *",
            "--id",
            "one",
            "--reason",
            "because \"it\" is ours",
        ],
    )
    .is(0, "add");
    sayso(
        &desk,
        &[
            "rules",
            "add",
            "--deny",
            "--write",
            "secret/**",
            "--id",
            "two",
            "--agent",
            "a",
            "--uses",
            "3",
        ],
    )
    .is(0, "add");
    sayso(
        &desk,
        &[
            "rules",
            "add",
            "--ask",
            "--fetch",
            "https://example.com/**",
            "--id",
            "three",
            "--until",
            "2099-01-01",
        ],
    )
    .is(0, "add");
    desk.run(&["--answers", "always"], &json!([command("sort -o z a")]));
    let file = desk.scene.home.join("rules.json");
    let path = file.to_str().unwrap();
    sayso(&desk, &["rules", "export", "--output", path]).is(0, "export");
    sayso(&desk, &["rules", "export", "--output", path]).is(2, "nothing is written over");

    let other = Desk::with(&[]);
    sayso(&other, &["rules", "import", path]).is(2, "nobody said yes");
    sayso(&other, &["rules", "import", path, "--yes"]).is(0, "import");
    let gone = ["source", "created_at", "words"];
    assert_eq!(
        without(listed(&other, "rules"), &gone),
        without(listed(&desk, "rules"), &gone)
    );
    assert_eq!(outcome(&other, "sort -o z a"), "auto_approved");
    // A second time adds nothing.
    let again = sayso(&other, &["rules", "import", path, "--yes"]).is(0, "import");
    assert!(again.out.contains("nothing to add"), "{}", again.out);
    let text = sayso(&other, &["rules", "export"]).is(0, "export").out;
    let (one, two): (Value, Value) = (
        serde_json::from_str(&text).unwrap(),
        serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap(),
    );
    assert_eq!(one, two);
}

#[test]
fn a_bad_file_adds_nothing() {
    let desk = Desk::with(&[]);
    for (name, text) in [
        ("a.json", "{"),
        (
            "b.json",
            "{\"rules\": [{\"allow\": {\"command\": \"git status\"}}, {\"allow\": {\"command\": \"a | b\"}}]}",
        ),
        ("c.yaml", "rules: 5\n"),
        ("d.yaml", "mode: balanced\n"),
        (
            "e.yaml",
            "rules:\n  - allow: {command: git status}\n    allw: 1\n",
        ),
        (
            "f.yaml",
            "rules:\n  - {id: x, deny: {command: a}}\n  - {id: x, deny: {command: b}}\n",
        ),
        ("g.json", "\u{0}"),
    ] {
        let file = desk.batch(name, text);
        sayso(&desk, &["rules", "import", file.to_str().unwrap(), "--yes"]).is(2, name);
    }
    assert!(listed(&desk, "rules").is_empty());
}
