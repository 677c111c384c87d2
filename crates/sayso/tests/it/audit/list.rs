//! The list of calls: what it shows, what filters leave, and that it fits the screen.

use sayso_store::Journal;
use serde_json::Value;

use super::{audit, desk, now, objects, out, put, rows};
use crate::at_terminal::at_terminal;
use crate::desk::Desk;

#[test]
fn the_newest_call_stands_last_and_each_says_how_it_ended() {
    let desk = desk();
    let lines = rows(&desk, &["list"]);
    assert_eq!(lines.len(), 4, "{lines:#?}");
    for (line, words) in lines.iter().zip([
        [
            "builder",
            "terminal",
            "✓ auto_approved",
            "read-only",
            "cat app.py",
        ],
        ["builder", "file_edit", "✓ approved", "default", "app.py"],
        [
            "builder",
            "terminal",
            "✗ denied",
            "dangerous",
            "git push -f origin main",
        ],
        [
            "builder",
            "terminal",
            "✗ blocked",
            "catastrophic",
            "rm -rf /",
        ],
    ]) {
        assert!(words.iter().all(|word| line.contains(word)), "{line}");
        assert!(line.contains("now") || line.contains(" ago"), "{line}");
    }
    let absolute = rows(&desk, &["list", "--absolute", "-n", "1"]);
    assert!(
        absolute.len() == 1
            && absolute[0].contains("rm -rf /")
            && absolute[0].contains(":")
            && !absolute[0].contains("ago"),
        "{absolute:?}"
    );
    desk.undo(&["fix", "--yes"]).is(0, "undo");
    assert!(out(&desk, &["list"]).contains("✓ approved, undone"));
}

#[test]
fn json_has_the_same_keys_in_every_line() {
    let desk = desk();
    let found = objects(&desk, &["list", "--json", "--all-kinds"]);
    assert_eq!(found.len(), desk.record().len());
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert!(found.iter().all(|one| keys(one) == keys(&found[0])));
    let fix = found
        .iter()
        .find(|one| one["call"] == "fix" && one["kind"] == "decided")
        .unwrap();
    for (key, wanted) in [
        ("decision", "ask"),
        ("outcome", "approved"),
        ("tool", "file_edit"),
        ("agent", "builder"),
        ("by", "--answers"),
        ("risk", "medium"),
        ("rule", "default"),
        ("source", "built-in"),
        ("what", "file_edit(app.py)"),
    ] {
        assert_eq!(fix[key], wanted, "{key}");
    }
    assert_eq!(fix["succeeded"], true);
    assert!(
        fix["milliseconds"].is_u64() && fix["number"].is_u64() && fix["undone"].is_null(),
        "{fix}"
    );
    assert!(fix["time"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn filters() {
    let desk = desk();
    let calls = |words: &[&str]| -> Vec<String> {
        let words = [&["list", "--json"], words].concat();
        objects(&desk, &words)
            .iter()
            .map(|one| one["call"].as_str().unwrap_or("-").to_owned())
            .collect()
    };
    assert_eq!(calls(&["--tool", "file_edit"]), ["fix"]);
    assert_eq!(
        calls(&[
            "--tool",
            "file_edit,terminal",
            "--outcome",
            "approved,denied"
        ]),
        ["fix", "push"]
    );
    assert_eq!(
        calls(&["--outcome", "auto-approved"]),
        ["look"],
        "a dash is as good"
    );
    assert_eq!(calls(&["--decision", "ask"]), ["fix", "push"]);
    assert_eq!(calls(&["--rule", "catastrophic"]), ["root"]);
    assert_eq!(
        calls(&["--rule", "built-in"]),
        ["look", "fix", "push", "root"]
    );
    assert_eq!(calls(&["--text", "APP.py"]), ["look", "fix"]);
    assert_eq!(
        calls(&["--agent", "builder", "--limit", "2"]),
        ["push", "root"]
    );
    assert!(calls(&["--agent", "nobody"]).is_empty());
    assert_eq!(calls(&["--since", "1h"]).len(), 4);
    assert!(
        calls(&["--until", "1h"]).is_empty()
            && calls(&["--since", "2000-01-01", "--until", "2000-12-31"]).is_empty()
    );
    assert_eq!(calls(&["--limit", "0"]).len(), 4);
    assert_eq!(
        calls(&["--kind", "granted,finished"]),
        ["look", "fix", "fix"]
    );
    let session = objects(&desk, &["list", "--json"])[0]["session"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(calls(&["--session", &session[..10]]).len(), 4);
    assert!(calls(&["--session", "x"]).is_empty());
    assert_eq!(
        out(&desk, &["list", "--agent", "nobody"]),
        "no entry matches these filters\n"
    );
}

#[test]
fn the_last_hundred_of_many_and_relative_times() {
    let desk = Desk::with(&[]);
    let journal = Journal::open(&desk.scene.state()).unwrap();
    let now = now();
    for index in 0..3000_i64 {
        let ago = (3000 - index) * 60_000;
        put(
            &journal,
            &format!("c{index}"),
            now - ago,
            &[
                ("tool", "terminal"),
                ("outcome", "auto_approved"),
                ("what", "terminal(ls)"),
            ],
        );
    }
    let lines = rows(&desk, &["list"]);
    assert_eq!(lines.len(), 100);
    assert!(
        lines[99].contains(" 3000 ") || lines[99].trim_start().starts_with("3000 "),
        "{}",
        lines[99]
    );
    assert!(
        lines[99].contains("min ago") && rows(&desk, &["list", "-n", "0"])[0].contains("days ago")
    );
    assert_eq!(rows(&desk, &["list", "--since", "10m30s"]).len(), 10);
    assert_eq!(rows(&desk, &["list", "-n", "7"]).len(), 7);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let desk = Desk::with(&[]);
    let journal = Journal::open(&desk.scene.state()).unwrap();
    let long = format!(
        "terminal({})",
        "echo a very long command with 漢字 and more; ".repeat(9)
    );
    for index in 0..5 {
        let agent = ["", "builder", "a-very-long-name-of-an-agent < another-one"][index % 3];
        let fields = [
            ("tool", "terminal"),
            ("agent", agent),
            ("session", "run-0123456789abcdef"),
            ("outcome", "auto_approved"),
            ("rule", "a-rule-with-a-very-long-name"),
            ("what", &long),
        ];
        put(&journal, &format!("c{index}"), now(), &fields);
    }
    for columns in [40, 80, 120, 200] {
        let seen = at_terminal(&desk.scene, &["audit", "list"], columns, &[]);
        assert_eq!(seen.code, 0, "{}", seen.text);
        let lines: Vec<&str> = seen.text.lines().collect();
        assert_eq!(lines.len(), 6, "{columns}: {}", seen.text);
        for line in &lines[1..] {
            let width: usize = line
                .chars()
                .map(|character| if character > '\u{2fff}' { 2 } else { 1 })
                .sum();
            assert!(width <= usize::from(columns), "{columns}: {width}: {line}");
            assert!(line.ends_with('…') && line.contains("✓"), "{line}");
        }
    }
    let piped = audit(&desk, &["list"]).out;
    assert!(
        piped.contains("and more; echo a very long")
            && piped.contains("a-rule-with-a-very-long-name"),
        "nothing is cut in a pipe"
    );
}
