//! Suggestions: counted from the record, never added by themselves (Z-34).

use serde_json::{Value, json};

use super::{command, listed, sayso};
use crate::desk::Desk;

#[test]
fn z_34_what_was_approved_again_and_again_is_suggested_and_not_added() {
    let desk = Desk::with(&[]);
    let tests = ["--lib", "--all", "-p a", "-p b", "--release", "--doc"];
    let mut calls: Vec<Value> = tests
        .iter()
        .map(|option| command(&format!("cargo test {option}")))
        .collect();
    calls.extend((0..5).map(|at| command(&format!("cargo build -p crate{at}"))));
    calls.push(command("cargo build -p bad"));
    calls.extend((0..5).map(|at| command(&format!("rm -rf target{at}"))));
    let answers = [vec!["y"; 11], vec!["n"], vec!["y"; 10]].concat().join(",");
    desk.run(&["--answers", &answers], &json!(calls));
    let text = sayso(&desk, &["rules", "suggest"]).is(0, "suggest").out;
    assert!(
        text.contains("you approved `cargo test …` 6 times, never denied it"),
        "{text}"
    );
    assert!(
        text.contains("sayso rules add --allow 'cargo test *'"),
        "{text}"
    );
    assert!(
        !text.contains("`cargo build …`"),
        "one of them was denied: {text}"
    );
    assert!(!text.contains("rm "), "what always asks is no rule: {text}");
    assert!(
        listed(&desk, "rules").is_empty(),
        "nothing is added by itself"
    );
    let lines = sayso(&desk, &["rules", "suggest", "--json"])
        .is(0, "json")
        .out;
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        (
            first["pattern"].as_str(),
            first["approved"].as_u64(),
            first["denied"].as_u64()
        ),
        (Some("cargo test *"), Some(6), Some(0))
    );
    // What the suggestion says to run works, and then it is no longer suggested.
    sayso(&desk, &["rules", "add", "--allow", "cargo test *"]).is(0, "add");
    let text = sayso(&desk, &["rules", "suggest"]).is(0, "suggest").out;
    assert!(!text.contains("cargo test"), "{text}");
}

#[test]
fn nothing_is_suggested_where_nothing_was_recorded() {
    let desk = Desk::with(&[]);
    let text = sayso(&desk, &["rules", "suggest"]).is(0, "suggest").out;
    assert!(text.starts_with("nothing to suggest"), "{text}");
    sayso(&desk, &["rules", "suggest", "--since", "yesterday"]).is(2, "no time");
}
