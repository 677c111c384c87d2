//! Batches that cannot be read: an error with its place, exit status 2, and nothing runs, not even the calls before it.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use crate::desk::Desk;
use crate::program::{noise, run};

/// A call before the fault, which must not run.
const FIRST: &str = r#"{"type": "terminal", "id": "first", "command": "touch ran"}"#;

#[track_caller]
fn refused(name: &str, text: impl AsRef<[u8]>, wanted: &[&str]) {
    let desk = Desk::with(&[]);
    let file = desk.batch(name, &text);
    let shown = String::from_utf8_lossy(text.as_ref())
        .chars()
        .take(80)
        .collect::<String>();
    let done = run(desk.program().args(["run", "--yolo"]).arg(&file), b"").is(2, &shown);
    for words in wanted {
        let words = words.replace("{file}", file.to_str().unwrap());
        assert!(
            done.err.contains(&words),
            "{shown}: no `{words}` in {}",
            done.err
        );
    }
    assert_eq!(done.out, "", "{shown}");
    assert!(desk.tree().is_empty(), "{shown}: something ran");
    assert!(!desk.scene.state().exists(), "{shown}: something was begun");
}

#[test]
fn what_is_malformed_is_told_with_line_and_column() {
    let json = format!("[{FIRST},\n {{\"type\": \"file_read\", \"file\": }}\n]");
    refused("a.json", json, &["{file}:2:32: error"]);
    refused("a.json", format!("[{FIRST},"), &["{file}:1:"]);
    refused("a.json", format!("[{FIRST}] and more"), &["{file}:1:"]);
    refused("a.json", "[{'type': 'file_read'}]", &["{file}:1:3"]);
    refused(
        "a.json",
        format!("[{FIRST}, {{\"type\": \"x\", \"type\": \"y\"}}]"),
        &["{file}:1:"],
    );
    let lines = format!("{FIRST}\n\n{{\"type\": \"file_read\"\n");
    refused("a.jsonl", lines, &["{file}:3:"]);
    refused(
        "a.jsonl",
        format!("{FIRST}\n  nonsense\n"),
        &["{file}:2:3: error"],
    );
    let yaml = "- type: terminal\n  command: touch ran\n- type: [file_read\n";
    refused("a.yaml", yaml, &["{file}:"]);
    refused(
        "a.yaml",
        "- type: terminal\n\tcommand: touch ran\n",
        &["{file}:1:", "found a tab"],
    );
    refused(
        "a.yaml",
        "- type: terminal\n  command: touch ran\n  command: touch other\n",
        &["{file}:3:"],
    );
}

#[test]
fn what_is_no_call_is_told_with_its_place() {
    refused(
        "a.json",
        format!("[{FIRST},\n  7]"),
        &["{file}:2:3: error: a call is an object"],
    );
    refused(
        "a.json",
        format!("[{FIRST}, [{FIRST}]]"),
        &["{file}:1:", "a call is an object"],
    );
    refused("a.json", "\"text\"", &["{file}:1:1", "a call is an object"]);
    refused(
        "a.jsonl",
        format!("{FIRST}\nnull\n"),
        &["{file}:2:1", "a call is an object"],
    );
    refused(
        "a.yaml",
        "just some text\n",
        &["{file}:1:1", "a call is an object"],
    );
    refused(
        "a.json",
        format!("[{FIRST},\n{{\"id\": \"x\", \"file\": \"a\"}}]"),
        &["{file}:2:1", "names no tool", "hint:"],
    );
    refused(
        "a.json",
        format!("[{FIRST}, {{\"type\": null}}]"),
        &["names no tool"],
    );
    refused(
        "a.json",
        format!("[{FIRST},\n {{\"type\": 5}}]"),
        &["{file}:2:11", "`type` is a number, not text"],
    );
    refused(
        "a.json",
        format!("[{FIRST}, {{\"tool\": \"file_read\", \"file\": \"a\"}}]"),
        &["no key `file`", "`args`"],
    );
    refused(
        "a.yaml",
        "- tool: terminal\n  args: {command: touch ran}\n  cwd: [1]\n",
        &["{file}:3:", "`cwd` is a list, not text"],
    );
}

#[test]
fn a_batch_cannot_say_who_it_is() {
    for (key, hint) in [
        ("workspace", "-C DIR"),
        ("agent", "--agent NAME"),
        ("session", "leave it out"),
    ] {
        for shape in [
            r#""type": "terminal", "command": "touch ran""#,
            r#""tool": "terminal", "args": {"command": "touch ran"}"#,
        ] {
            let text = format!("[{FIRST},\n {{{shape}, \"{key}\": \"/else\"}}]");
            refused(
                "a.json",
                text,
                &[
                    "{file}:2:",
                    &format!("a batch cannot say its own `{key}`"),
                    hint,
                ],
            );
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    refused(
        "a.json",
        b"[{\"type\": \"terminal\", \"command\": \"touch ran \xff\"}]",
        &["{file}", "is not UTF-8 text (byte 45)"],
    );
    refused(
        "a.jsonl",
        [FIRST.as_bytes(), b"\n\xc3\n"].concat(),
        &["is not UTF-8"],
    );
    refused("a.json", noise(100_000, 7), &["is not UTF-8"]);
    let mut wide: Vec<u8> = FIRST.encode_utf16().flat_map(u16::to_le_bytes).collect();
    wide.splice(0..0, [0xff, 0xfe]);
    refused("a.json", wide, &["is not UTF-8"]);
    refused(
        "a.json",
        format!("[{FIRST}, {{\"type\": \"file_read\", \"file\": \"a\0b\"}}]"),
        &["{file}:1:"],
    );
    refused(
        "a.json",
        format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        &["{file}:1:"],
    );
}

#[test]
fn a_file_that_cannot_be_read_is_told() {
    let desk = Desk::with(&[("inner/x", "")]);
    let missing = run(
        desk.program().args(["run", "--strict", "missing.json"]),
        b"",
    )
    .is(2, "missing");
    assert!(
        missing.err.contains("cannot read `missing.json`") && missing.err.contains("hint:"),
        "{}",
        missing.err
    );
    run(desk.program().args(["run", "--strict", "inner"]), b"").is(2, "a folder");
    run(desk.program().args(["run", "--strict"]), b"").is(2, "no file named");
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff\x1b[31m.json");
    let done = run(desk.program().args(["run", "--strict"]).arg(odd), b"").is(2, "an odd name");
    assert!(!done.err.contains('\u{1b}'), "{:?}", done.err);
    let broken = run(desk.program().args(["run", "--strict", "-"]), b"[{").is(2, "standard input");
    assert!(broken.err.contains("standard input:1:"), "{}", broken.err);
}

#[test]
fn an_empty_batch_is_done_at_once() {
    for (name, text) in [
        ("a.json", "[]"),
        ("a.jsonl", "\n\n"),
        ("a.yaml", ""),
        ("a.yaml", "# nothing\n"),
        ("a.jsonl", ""),
        ("a.yaml", "[]"),
    ] {
        let desk = Desk::with(&[]);
        let file = desk.batch(name, text);
        let done = run(desk.program().args(["run", "--strict"]).arg(file), b"").is(0, name);
        assert!(
            done.out.contains("Completed: 0/0 operations"),
            "{name}: {}",
            done.out
        );
    }
    // JSON knows no empty text.
    refused("a.json", "", &["{file}:1:1"]);
}

#[test]
fn a_batch_that_is_too_large_is_refused() {
    let desk = Desk::with(&[]);
    let path = desk.scene.home.join("large.json");
    fs::File::create(&path)
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    let done = run(desk.program().args(["run", "--yolo"]).arg(path), b"").is(2, "too large");
    assert!(done.err.contains("larger than 64 MiB"), "{}", done.err);
    let endless = fs::File::open("/dev/zero").unwrap();
    let done = desk
        .program()
        .args(["run", "--yolo", "-"])
        .stdin(endless)
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(2));
}
