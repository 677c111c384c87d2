//! The record for other programs: the stored lines, and rows for spreadsheets.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use sayso_core::text::digest::Digest;
use sayso_store::Journal;

use super::{audit, desk, file, now, out, put};
use crate::desk::Desk;

#[test]
fn lines_are_those_of_the_record_and_can_be_checked_by_their_rule() {
    let desk = desk();
    let stored = fs::read_to_string(file(&desk)).unwrap();
    let exported = out(&desk, &["export", "--format", "jsonl"]);
    assert_eq!(exported, stored);
    // As the help says it: no JSON is needed.
    let mut before = "0".repeat(64);
    for line in exported.lines() {
        let (body, digest) = line.rsplit_once(",\"digest\":\"").unwrap();
        assert_eq!(
            Digest::of_bytes(body.as_bytes()).to_string(),
            format!("sha256:{}", digest.trim_end_matches("\"}"))
        );
        assert!(body.contains(&format!("\"prev\":\"{before}\"")));
        before = digest.trim_end_matches("\"}").to_owned();
    }
    let some = out(
        &desk,
        &["export", "--format", "jsonl", "--tool", "file_edit"],
    );
    let wanted = desk
        .record()
        .iter()
        .filter(|entry| entry["tool"] == "file_edit")
        .count();
    assert_eq!(
        some.lines().count(),
        wanted,
        "asked, granted, decided, finished"
    );
    assert!(some.lines().all(|line| stored.contains(line)));
    assert_eq!(
        out(&desk, &["export", "--format", "jsonl", "-n", "2"]),
        stored
            .lines()
            .rev()
            .take(2)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    );
}

#[test]
fn a_damaged_line_is_left_out_and_told() {
    let desk = desk();
    let text = fs::read_to_string(file(&desk)).unwrap();
    fs::write(file(&desk), text.replacen("cat app.py", "cat .env  ", 1)).unwrap();
    let done = audit(&desk, &["export", "--format", "jsonl"]).is(1, "damage");
    assert_eq!(done.out.lines().count(), text.lines().count() - 1);
    assert!(
        done.err.contains("line 1") && !done.out.contains(".env"),
        "{}",
        done.err
    );
    audit(&desk, &["index"]).is(0, "anew");
    audit(&desk, &["export", "--format", "csv"]).is(1, "damage");
}

/// A reader of CSV as RFC 4180 has it.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let (mut quoted, mut characters) = (false, text.chars().peekable());
    while let Some(character) = characters.next() {
        let row = rows.last_mut().unwrap();
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                row.last_mut().unwrap().push(characters.next().unwrap())
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\r' if !quoted => {}
            '\n' if !quoted => rows.push(vec![String::new()]),
            other => row.last_mut().unwrap().push(other),
        }
    }
    assert_eq!(rows.pop().unwrap(), [""], "it ends with a line feed");
    rows
}

#[test]
fn csv_keeps_columns_and_makes_no_formulas() {
    let desk = Desk::with(&[]);
    let journal = Journal::open(&desk.scene.state()).unwrap();
    let hostile = [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "a,b",
        "a\"b",
        "a\nb",
        "a;b",
        "＝1",
        " =1",
        "plain",
        "",
        "\u{202e}=1",
    ];
    for text in hostile {
        let fields = [
            "agent", "tool", "rule", "source", "by", "what", "session", "outcome", "decision",
            "risk",
        ]
        .map(|name| (name, text));
        put(&journal, text, now(), &fields);
    }
    let rows = read_csv(&out(&desk, &["export", "--format", "csv"]));
    assert_eq!(rows.len(), hostile.len() + 1);
    assert_eq!(rows[0][0], "number");
    for row in &rows {
        assert_eq!(row.len(), rows[0].len(), "{row:?}");
        for cell in row {
            assert!(
                !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '＝']),
                "{cell:?}"
            );
            assert!(
                !cell.chars().any(char::is_control) && !cell.contains('\u{202e}'),
                "{cell:?}"
            );
        }
    }
    let what = rows[0].iter().position(|title| title == "what").unwrap();
    assert_eq!(
        (
            rows[1][what].as_str(),
            rows[7][what].as_str(),
            rows[8][what].as_str()
        ),
        ("'=1+1", "a,b", "a\"b")
    );
}

#[test]
fn a_file_is_made_for_its_owner_only_or_not_at_all() {
    let desk = desk();
    let target = desk.scene.workspace.join("record.csv");
    let to = |path: &str| audit(&desk, &["export", "--format", "csv", "--output", path]);
    to("record.csv").is(0, "a new one");
    assert_eq!(
        fs::metadata(&target).unwrap().permissions().mode() & 0o777,
        0o600
    );
    fs::write(&target, "old").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
    to("record.csv").is(0, "a plain one is replaced");
    assert_eq!(
        fs::metadata(&target).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(
        fs::read_to_string(&target)
            .unwrap()
            .starts_with("number,time")
    );
    let precious = desk.scene.workspace.join("app.py");
    let before = fs::read_to_string(&precious).unwrap();
    symlink("app.py", desk.scene.workspace.join("link.csv")).unwrap();
    symlink("nowhere", desk.scene.workspace.join("dangling.csv")).unwrap();
    fs::create_dir(desk.scene.workspace.join("folder")).unwrap();
    let state = desk.scene.state();
    symlink(&state, desk.scene.workspace.join("state")).unwrap();
    fs::create_dir_all(desk.scene.config()).unwrap();
    let journal = state.join("journal/000001.jsonl");
    let stored = fs::read(&journal).unwrap();
    for path in [
        "link.csv",
        "dangling.csv",
        "folder",
        "folder/",
        "missing/x.csv",
        "",
        "/",
        "..",
        "/dev/null",
        journal.to_str().unwrap(),
        state.join("x.csv").to_str().unwrap(),
        "state/x.csv",
        "state/journal/000001.jsonl",
        desk.scene.config().join("policy.yaml").to_str().unwrap(),
    ] {
        let error = to(path).is(2, path).err;
        assert!(
            error.starts_with("sayso: ") || error.starts_with("error: "),
            "{error}"
        );
    }
    assert_eq!(fs::read(&journal).unwrap(), stored);
    assert_eq!(fs::read_to_string(&precious).unwrap(), before);
    let names: Vec<String> = fs::read_dir(&desk.scene.workspace)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        !names.iter().any(|name| name.ends_with(".part")),
        "nothing half written is left: {names:?}"
    );
}
