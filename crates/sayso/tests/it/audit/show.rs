//! The story of one call.

use serde_json::{Value, json};

use super::{audit, desk, objects, out, value};
use crate::desk::Desk;

#[test]
fn everything_that_is_recorded_of_a_call() {
    let desk = desk();
    desk.undo(&["fix", "--yes"]).is(0, "undo");
    let text = out(&desk, &["show", "fix"]);
    let mut rest = text.as_str();
    for part in [
        "file_edit(app.py)\n",
        "call          fix",
        "agent         builder",
        "session       run-",
        "batch         batch-",
        "granted: allow exactly file_edit(app.py) with this content in this session  20",
        "grant         grant-",
        "✓ approved by --answers (session), confirmed once  20",
        "policy        ask, medium risk",
        "because       it changes files [default, built-in]",
        "profile       sayso",
        "arguments",
        "find  old",
        "their digest  hmac-sha256:",
        "✓ ran, and went well after ",
        "undone  20",
        "takes back    fix",
    ] {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("`{part}` is missing or out of order in:\n{text}"));
        rest = &rest[at + part.len()..];
    }
    assert!(text.contains(" ago)") || text.contains("(now)"), "{text}");
    let denied = out(&desk, &["show", "push"]);
    assert!(
        denied.contains("✗ denied by --answers")
            && denied.contains("note          use a branch")
            && denied.contains("dangerous"),
        "{denied}"
    );
    assert!(out(&desk, &["show", "root"]).contains("✗ blocked"));
}

#[test]
fn json_has_the_entries_as_they_were_written() {
    let desk = desk();
    let shown = value(&desk, &["show", "fix", "--json"]);
    let record = desk.record();
    let wanted: Vec<&Value> = record
        .iter()
        .filter(|entry| entry["call"] == "fix")
        .collect();
    assert_eq!(
        shown["entries"]
            .as_array()
            .unwrap()
            .iter()
            .collect::<Vec<_>>(),
        wanted
    );
    assert_eq!(shown["call"], "fix");
    let decided = wanted
        .iter()
        .find(|entry| entry["kind"] == "decided")
        .unwrap();
    assert_eq!(shown["number"], decided["n"]);
    // Each entry of it leads to the whole of it.
    for entry in &wanted {
        assert_eq!(
            value(&desk, &["show", &entry["n"].to_string(), "--json"]),
            shown
        );
    }
    assert_eq!(
        value(&desk, &["show", "fi", "--json"]),
        shown,
        "the beginning of an id is enough"
    );
}

#[test]
fn ids_that_nobody_or_several_have() {
    let desk = desk();
    let unknown = audit(&desk, &["show", "fixed"]).is(2, "unknown");
    assert!(
        unknown
            .err
            .contains("no call has the id `fixed`; like it are `fix`")
            && unknown.err.contains("hint: "),
        "{}",
        unknown.err
    );
    for (id, words) in [
        ("999", "no entry `999`"),
        ("99999999999999999999999", "no entry"),
        ("\u{1b}[2J", "no call has the id `␛[2J`"),
        ("", "no call has the id ``"),
    ] {
        let found = audit(&desk, &["show", id]).is(2, id);
        assert!(
            found.err.contains(words) && !found.err.contains('\u{1b}'),
            "{}",
            found.err
        );
    }
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_read", "id": "fix", "file": "app.py"}]),
    )
    .is(0, "the same id once more");
    let several = audit(&desk, &["show", "fix"]).is(2, "ambiguous");
    let calls: Vec<Value> = objects(&desk, &["list", "--json"])
        .into_iter()
        .filter(|one| one["call"] == "fix")
        .collect();
    assert_eq!(calls.len(), 2);
    for call in &calls {
        assert!(
            several
                .err
                .contains(&format!("sayso audit show {}", call["number"])),
            "{}",
            several.err
        );
        let shown = value(&desk, &["show", &call["number"].to_string(), "--json"]);
        assert!(
            shown["entries"]
                .as_array()
                .unwrap()
                .iter()
                .all(|entry| entry["tool"] == call["tool"]),
            "{shown}"
        );
    }
}

#[test]
fn a_number_can_be_an_id() {
    let desk = Desk::with(&[("a.py", "a\n")]);
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_read", "id": "77", "file": "a.py"}]),
    )
    .is(0, "run");
    audit(&desk, &["show", "77"]).is(2, "there is no such entry");
    assert!(out(&desk, &["show", "77", "--call"]).contains("call          77"));
    assert!(
        out(&desk, &["show", "#2"]).contains("call          77"),
        "the first entry tells the mode"
    );
}

#[test]
fn an_entry_of_no_call_is_shown_alone() {
    let desk = desk();
    let journal = sayso_store::Journal::open(&desk.scene.state()).unwrap();
    let fields = vec![
        ("from", sayso_core::text::node::Node::text("balanced")),
        ("to", sayso_core::text::node::Node::text("trust-all")),
    ];
    let appended = journal
        .append("mode", fields, sayso_store::Sync::System)
        .unwrap();
    let shown = out(&desk, &["show", &appended.number.to_string()]);
    assert!(
        shown.starts_with("mode\n") && shown.contains("to            trust-all"),
        "{shown}"
    );
}
