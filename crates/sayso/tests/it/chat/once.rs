//! One turn without a screen: what is printed where, what the exit status says, and what the model is told.

use super::endpoint::{Answer, Endpoint, openai};
use super::{KEY, chat, configure};
use crate::terminal::screen::Room;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_built_in_model_needs_nothing_and_the_answer_stands_alone() {
    let room = Room::new(&[]);
    let output = chat(&room, &["--strict"], "read a.py\n");
    assert_eq!(
        (text(&output.stdout).as_str(), output.status.code()),
        ("Done.\n", Some(0))
    );
    assert!(
        text(&output.stderr).contains("file_read(a.py)")
            && text(&output.stderr).contains("x = old"),
        "{}",
        text(&output.stderr)
    );
    let output = chat(&room, &["--strict", "hello"], "");
    assert!(
        text(&output.stdout).contains("I follow a script"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn the_exit_status_is_that_of_run() {
    let room = Room::new(&[]);
    for (args, piped, status) in [
        (vec!["--strict"], "write b.py: x", 20),
        (vec!["--approve-all"], "write b.py: x", 0),
        (vec!["--strict"], "read none.txt", 1),
        (vec!["--yolo"], "run rm -rf /", 20),
        (vec!["--strict", "--yolo"], "read a.py", 2),
        (vec!["--strict"], "", 2),
        (vec!["--strict", "--model", "nobody"], "read a.py", 2),
        (vec!["--strict", "--model", "anthropic:x"], "read a.py", 2),
    ] {
        let output = chat(&room, &args, piped);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{args:?} {piped}: {}",
            text(&output.stderr)
        );
    }
    assert!(room.has("b.py"));
    let output = chat(&room, &["--yolo"], "read a.py");
    assert!(
        text(&output.stderr).contains("[warn] YOLO mode enabled"),
        "C-04"
    );
}

#[test]
fn a_denial_goes_back_to_the_model_with_its_reason() {
    let calls = [("c", "file_write", r#"{"path": "new.py", "content": "1"}"#)];
    let none = std::time::Duration::ZERO;
    let endpoint = Endpoint::start(vec![
        Answer::Events(openai(&[], &calls), none),
        Answer::Events(openai(&["ok"], &[]), none),
    ]);
    let room = Room::new(&[]);
    configure(&room, "openai", &endpoint.url, "");
    let output = chat(&room, &["--strict", "write it"], "");
    assert_eq!(output.status.code(), Some(20));
    let told = endpoint.asked()[1].body["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        told.starts_with("denied by policy: ") && told.ends_with("nothing was changed"),
        "{told}"
    );
    assert!(!room.has("new.py"));
}

#[test]
fn what_the_model_writes_moves_nothing_on_the_screen() {
    let room = Room::new(&[]);
    let output = chat(&room, &["--strict"], "say a\u{1b}[2Jb\u{202e}c\u{7}");
    assert_eq!(text(&output.stdout), "a␛[2Jb‹U+202E›c␇\n");
}

#[test]
fn sessions_go_on_and_are_listed() {
    let none = std::time::Duration::ZERO;
    let endpoint = Endpoint::start(vec![
        Answer::Events(openai(&["first"], &[]), none),
        Answer::Events(openai(&["second"], &[]), none),
    ]);
    let room = Room::new(&[]);
    configure(&room, "openai", &endpoint.url, "");
    assert_eq!(chat(&room, &["--strict", "one"], "").status.code(), Some(0));
    let output = chat(&room, &["--strict", "--resume", "--", "two"], "");
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(0), "second\n"),
        "{}",
        text(&output.stderr)
    );
    let messages = endpoint.asked()[1].body["messages"].clone();
    let words: Vec<&str> = messages.as_array().unwrap()[1..]
        .iter()
        .map(|one| one["content"].as_str().unwrap())
        .collect();
    assert_eq!(words, ["one", "first", "two"]);
    let listed = text(&chat(&room, &["--list"], "").stdout);
    assert!(
        listed.lines().count() == 1 && listed.contains("one"),
        "{listed}"
    );
    assert!(text(&chat(&room, &["--list", "--json"], "").stdout).contains("\"first\":\"one\""));
    assert_eq!(
        chat(&room, &["--strict", "--resume", "nothing", "x"], "")
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_key_reaches_no_child_and_no_record() {
    let none = std::time::Duration::ZERO;
    let calls = [(
        "c",
        "terminal",
        r#"{"command": "env; cat /proc/$PPID/environ | tr '\\0' '\\n' | grep -c TEST_KEY"}"#,
    )];
    let endpoint = Endpoint::start(vec![
        Answer::Events(openai(&[], &calls), none),
        Answer::Events(openai(&["ok"], &[]), none),
    ]);
    let room = Room::new(&[]);
    configure(&room, "openai", &endpoint.url, "");
    let output = chat(&room, &["--yolo", "--json", "go"], "");
    let out = text(&output.stdout);
    assert!(out.contains("PATH="), "{out}");
    assert!(!out.contains(KEY) && !out.contains("TEST_KEY="), "{out}");
}

#[test]
fn what_runs_in_a_session_cannot_change_what_the_person_decides() {
    let room = Room::new(&[]);
    let program = env!("CARGO_BIN_EXE_sayso");
    // As far around the reader as one can get: everything runs, and the words are put together when it runs.
    let command = format!(
        "run perl -e 'exec \"{program}\", \"ru\".\"les\", \"add\", \"--allow\", \"--yes\", \"git *\"'"
    );
    let output = chat(&room, &["--yolo", "--json"], &command);
    let out = text(&output.stdout);
    assert!(
        out.contains("this is for people") || out.contains("\"approved\":false"),
        "{out}"
    );
    let rules = std::process::Command::new(program)
        .args(["rules", "list", "--json"])
        .env_clear()
        .env("HOME", &room.home)
        .output()
        .unwrap();
    assert_eq!(text(&rules.stdout), "", "nothing was added");
}
