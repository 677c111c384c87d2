//! Enter, second confirmations and records of answers, at terminals that take lines and at painted ones.

use std::time::Duration;

use super::Terminal;
use super::screen::{Room, create};

const DELETE: &str = r#"{"type": "file_delete", "id": "delete_0", "file": "c.py"}"#;
const PROFILES: [(&str, &str); 6] = [
    ("sayso", "y"),
    ("kollabor-spec", "y"),
    ("llm-do", "y"),
    ("forge", "a"),
    ("opencode", "o"),
    ("kollabor", "a"),
];

fn in_lines(room: &Room) -> Terminal {
    Terminal::start(&room.folder, &room.home, &["run", "calls.json"])
}

/// finding A-02: an empty line denies under every profile.
#[test]
fn finding_a_02_enter_alone_denies_in_lines_under_every_profile() {
    for (profile, _) in PROFILES {
        let room = Room::new(&[create("f.py")]).policy(&format!("profile: {profile}"));
        let mut terminal = in_lines(&room);
        terminal.wait_for("Enter  deny");
        terminal.answer("Your answer: ", "");
        let (shown, status) = terminal.end();
        assert_eq!(
            (room.has("f.py"), status),
            (false, 20),
            "{profile}: {shown}"
        );
    }
}

/// finding A-02: Enter decides nothing on a painted prompt, under every profile.
#[test]
fn finding_a_02_enter_approves_no_painted_prompt() {
    for (profile, _) in PROFILES
        .into_iter()
        .filter(|(profile, _)| *profile != "llm-do")
    {
        let room = Room::new(&[create("f.py")])
            .policy(&format!("profile: {profile}\napproval_timeout: 0"));
        let mut screen = room.run();
        screen.at("f.py", "\r");
        screen.see("Enter decides nothing");
        screen.press("\u{1b}");
        let (text, status) = screen.end();
        assert_eq!((room.has("f.py"), status), (false, 20), "{profile}: {text}");
    }
}

/// finding A-02: where the person let Enter approve, a sentence that was typed too early ends that.
#[test]
fn finding_a_02_a_sentence_typed_too_early_and_enter_never_approve() {
    let policy = "profile: kollabor-spec\nenter_approves: true\napproval_timeout: 0";
    // Without anything in between it does approve, and the legend says so.
    let room = Room::new(&[create("f.py")]).policy(policy);
    let mut terminal = in_lines(&room);
    terminal.wait_for("Enter  allow this once");
    terminal.answer("Your answer: ", "");
    let (shown, _) = terminal.end();
    assert!(room.has("f.py"), "{shown}");

    for sentence in ["please also", "fix the tests\r"] {
        let room = Room::new(&[create("f.py")]).policy(policy);
        let mut terminal = in_lines(&room);
        terminal.keys(sentence);
        terminal.wait_for("Enter denies from here on");
        terminal.wait_for("Your answer: ");
        std::thread::sleep(Duration::from_millis(900));
        terminal.keys("\r");
        let (shown, status) = terminal.end();
        assert_eq!(
            (room.has("f.py"), status),
            (false, 20),
            "{sentence:?}: {shown}"
        );
    }
    // A line that is no answer does the same.
    let room = Room::new(&[create("f.py")]).policy(policy);
    let mut terminal = in_lines(&room);
    terminal.answer("Your answer: ", "maybe later");
    terminal.wait_for("Enter denies from here on");
    terminal.answer("Your answer: ", "");
    let (shown, _) = terminal.end();
    assert!(!room.has("f.py"), "{shown}");

    let room = Room::new(&[create("f.py")]).policy(policy);
    let mut screen = room.run();
    screen.send("please also fix the tests");
    screen.see("f.py");
    std::thread::sleep(Duration::from_millis(900));
    assert!(
        !screen.text().contains("Enter allow once"),
        "{}",
        screen.text()
    );
    screen.press("\r");
    screen.see("Enter decides nothing");
    screen.press("n");
    screen.end();
    assert!(!room.has("f.py"));
}

/// finding A-19: at the second confirmation of a delete any other key cancels, in lines and painted, under every profile.
#[test]
fn finding_a_19_any_other_key_cancels_the_second_delete_prompt() {
    for (profile, yes) in PROFILES {
        let room = Room::new(&[DELETE.to_owned()])
            .policy(&format!("profile: {profile}\napproval_timeout: 0"));
        let mut terminal = in_lines(&room);
        terminal.answer("Your answer: ", yes);
        terminal.wait_for("anything else cancels");
        terminal.answer(&format!("Really? [{yes}/N]: "), "x");
        let (shown, status) = terminal.end();
        assert_eq!((room.has("c.py"), status), (true, 20), "{profile}: {shown}");
        if profile == "llm-do" {
            continue;
        }
        let mut screen = room.run();
        screen.at("confirmation 1 of 2", yes);
        screen.at("any other key cancel", "v");
        let (text, status) = screen.end();
        assert_eq!((room.has("c.py"), status), (true, 20), "{profile}: {text}");
    }
}

/// finding A-21: the record has the key that was pressed on a painted prompt, and the word that was typed in a line.
#[test]
fn finding_a_21_the_record_has_what_was_pressed_and_typed() {
    let recorded = |room: &Room| {
        let mut journal = String::new();
        for entry in walkdir(&room.home.join(".local/state/sayso")) {
            journal.push_str(&String::from_utf8_lossy(&std::fs::read(entry).unwrap()));
        }
        journal
    };
    let room = Room::new(&[create("f.py"), create("g.py")]).policy("profile: kollabor-spec");
    let mut terminal = in_lines(&room);
    terminal.answer("Your answer: ", "yes");
    terminal.answer("Your answer: ", "");
    terminal.end();
    let journal = recorded(&room);
    assert!(
        journal.contains(r#""user_response":"yes","user_response_word":"once""#),
        "{journal}"
    );
    assert!(
        journal.contains(r#""user_response":"Enter","user_response_word":"deny""#),
        "{journal}"
    );
    let room = Room::new(&[create("f.py"), create("g.py")]).policy("profile: kollabor-spec");
    let mut screen = room.run();
    screen.at("operation 1 of 2", "y");
    screen.at("operation 2 of 2", "\u{1b}");
    screen.end();
    let journal = recorded(&room);
    assert!(
        journal.contains(r#""user_response":"y","user_response_word":"once""#),
        "{journal}"
    );
    assert!(
        journal.contains(r#""user_response":"Esc","user_response_word":"deny""#),
        "{journal}"
    );
}

fn walkdir(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            out.extend(walkdir(&entry.path()));
        } else if entry.path().extension().is_some_and(|end| end == "jsonl") {
            out.push(entry.path());
        }
    }
    out
}
