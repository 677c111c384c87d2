//! The session at a real terminal: what a person sees and presses, and what becomes of it.

use std::time::Duration;

use rustix::process::Signal;

use super::endpoint::{Answer, Endpoint, openai};
use super::{KEY, configure};
use crate::terminal::screen::{Room, Screen};

/// What stands in the empty line.
pub const READY: &str = "say something, or /help";

/// A session in a room.
pub fn open(room: &Room, args: &str, columns: u16, rows: u16) -> Screen {
    let screen = room.start(
        &format!(
            "TEST_KEY={KEY} exec {} chat {args}",
            env!("CARGO_BIN_EXE_sayso")
        ),
        columns,
        rows,
    );
    screen.see(READY);
    screen
}

/// Types a line and sends it.
pub fn say(screen: &mut Screen, text: &str) {
    screen.send(text);
    screen.see(text.rsplit('\n').next().unwrap());
    screen.send("\r");
}

/// Waits until nothing goes on.
pub fn idle(screen: &Screen) {
    screen.see(READY);
    screen.gone("Ctrl-C stops");
}

#[test]
fn an_edit_is_shown_approved_and_taken_back() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 40);
    say(&mut screen, "edit a.py: old => new");
    screen.see(" wants to ");
    screen.see("1 question open");
    let text = screen.text();
    assert!(
        text.contains("- x = old") && text.contains("+ x = new"),
        "the diff is there:\n{text}"
    );
    assert!(
        text.contains("› edit a.py: old => new"),
        "U-15: what was said stays:\n{text}"
    );
    screen.press("y");
    screen.see("▍ Done.");
    let text = screen.text();
    assert!(
        text.contains("✓ approved file_edit(a.py) once; running it"),
        "U-16:\n{text}"
    );
    assert_eq!(
        std::fs::read_to_string(room.folder.join("a.py")).unwrap(),
        "x = new\n"
    );
    say(&mut screen, "/undo");
    screen.see("take it back? y");
    screen.press("y");
    screen.see("takes this back, too");
    assert_eq!(
        std::fs::read_to_string(room.folder.join("a.py")).unwrap(),
        "x = old\n"
    );
    let text = screen.text();
    let again = text
        .split_whitespace()
        .find(|word| word.starts_with("u2"))
        .unwrap()
        .trim_end_matches('`')
        .to_owned();
    say(&mut screen, &format!("/undo {again}"));
    screen.see("take it back? y");
    screen.press("y");
    screen.gone("take it back? y");
    assert_eq!(
        std::fs::read_to_string(room.folder.join("a.py")).unwrap(),
        "x = new\n",
        "an undo is taken back, too"
    );
    say(&mut screen, "/quit");
    let (text, status) = screen.end();
    assert!(
        status == 0 && text.contains("sayso chat --resume"),
        "{text}"
    );
}

#[test]
fn a_denial_with_a_note_is_seen_by_the_model() {
    let calls = [("c1", "file_write", r#"{"path": "new.py", "content": "1"}"#)];
    let none = Duration::ZERO;
    let endpoint = Endpoint::start(vec![
        Answer::Events(openai(&["I write."], &calls), none),
        Answer::Events(openai(&["As you like."], &[]), none),
    ]);
    let room = Room::new(&[]);
    configure(&room, "openai", &endpoint.url, "");
    let mut screen = open(&room, "", 100, 40);
    say(&mut screen, "write it");
    screen.see(" wants to ");
    screen.press("\t");
    screen.see("Words for the agent");
    screen.send("use src instead");
    screen.see("use src instead");
    screen.press("\r");
    screen.see("▍ As you like.");
    assert!(
        screen
            .text()
            .contains("denied by the person: use src instead"),
        "{}",
        screen.text()
    );
    // What the endpoint counted, for the turn and in all.
    screen.see("  22 tokens in, 14 out");
    screen.see("22 in 14 out");
    let told = endpoint.asked()[1].body["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        told,
        "denied by the person: use src instead. nothing was changed"
    );
    assert!(!room.has("new.py"));
    idle(&screen);
}

#[test]
fn permissions_and_settings_change_the_next_decision() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 40);
    say(&mut screen, "read a.py");
    screen.see("ran, unasked");
    say(&mut screen, "/perms strict");
    screen.see("the mode is `confirm-all` in this session");
    say(&mut screen, "read c.py");
    screen.see(" wants to ");
    screen.press("n");
    screen.see("I was told: denied by the person");
    say(&mut screen, "/permissions edits");
    screen.see("the mode is `auto-approve-edits`");
    say(&mut screen, "write b.py: 1");
    // Z-57. What an earlier turn said may still stand there, so the file is waited for.
    let start = std::time::Instant::now();
    while !room.has("b.py") {
        assert!(
            start.elapsed() < std::time::Duration::from_secs(300),
            "Z-57: {}",
            screen.text()
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    say(&mut screen, "/permissions reset");
    screen.see("the mode is `balanced` in this session");
    // The mode of the settings lasts.
    say(&mut screen, "/settings");
    screen.see("Settings");
    screen.press("\x1b[B");
    screen.press("\x1b[D");
    screen.see("saved: mode is confirm-all");
    screen.press("\x1b");
    screen.see(READY);
    say(&mut screen, "list .");
    screen.see(" wants to ");
    screen.press("n");
    idle(&screen);
    let kept =
        std::fs::read_to_string(room.home.join(".config/sayso/policy.d/settings.yaml")).unwrap();
    assert!(kept.contains("mode: \"confirm-all\""), "{kept}");
    say(&mut screen, "/permissions stats");
    screen.see("this session: total requests 4");
}

#[test]
fn h_78_trust_lasts_for_the_session_with_a_banner() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "/permissions trust");
    screen.see("[warn] trust-all");
    say(&mut screen, "write b.py: 1");
    screen.see("▍ Done.");
    assert!(room.has("b.py"));
    say(&mut screen, "run rm -rf /");
    screen.see("CATASTROPHIC OPERATION");
    say(&mut screen, "/quit");
    screen.end();
    let mut again = open(&room, "--resume", 100, 30);
    assert!(!again.text().contains("[warn]"), "{}", again.text());
    say(&mut again, "write d.py: 1");
    again.see(" wants to ");
    again.press("\x1b");
    again.see("I was told");
    assert!(
        !room.home.join(".config/sayso/policy.d").exists(),
        "nothing of it is kept"
    );
    drop(again);
    let yolo = open(&room, "--yolo", 100, 30);
    yolo.see("[warn] YOLO mode enabled - all tool operations will execute without approval");
}

#[test]
fn a_change_of_settings_denies_an_open_question_and_never_approves_one() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 110, 40);
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.press("\x13");
    screen.see("Settings");
    // A looser mode approves nothing.
    screen.press("\x1b[B");
    for mode in ["high-risk-only", "auto-approve-edits"] {
        screen.press("\x1b[C");
        screen.see(&format!("saved: mode is {mode}"));
    }
    screen.press("\x1b");
    screen.see(" wants to ");
    assert!(!room.has("b.py"));
    // A stricter one denies.
    screen.press("\x13");
    screen.see("Settings");
    screen.press("\x1b[B");
    screen.press("\x1b[C");
    screen.see("saved: mode is safe-only");
    screen.press("\x1b");
    screen.see("the settings were changed, and deny it now");
    assert!(!room.has("b.py"));
    idle(&screen);
}

#[test]
fn ctrl_c_stops_the_turn_and_twice_leaves() {
    let room = Room::new(&[]).policy("rules: [{allow: {command: 'sleep *'}}]");
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "run sleep 1000");
    screen.see("running terminal(sleep 1000)");
    screen.send("\x03");
    screen.see("you stopped this turn");
    // A stream that goes on for ever ends, too.
    drop(screen);
    let pieces: Vec<String> = (0..2000)
        .map(|at| {
            format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"word{at} \"}}}}]}}\n\n")
        })
        .collect();
    let endpoint = Endpoint::start(vec![Answer::Events(pieces, Duration::from_millis(50))]);
    configure(&room, "openai", &endpoint.url, "");
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "talk");
    screen.see("word5");
    screen.send("\x03");
    screen.see("you stopped this turn");
    idle(&screen);
    // Another key in between, and it is the first time again.
    screen.send("typed");
    screen.see("› typed▏");
    screen.send("\x03");
    screen.see("Ctrl-C again leaves");
    assert!(!screen.text().contains("› typed▏"), "{}", screen.text());
    screen.send("\x03");
    let (text, status) = screen.end();
    assert!(
        status == 0 && text.contains("the session is kept"),
        "{text}"
    );
}

#[test]
fn a_window_of_any_size_is_drawn_and_pastes_are_no_keys() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 30);
    screen.send("\x1b[200~say one\nsay two\rrun y\x1b[201~");
    screen.see("run y");
    assert!(
        screen.text().contains("› say one") && screen.text().contains("  say two"),
        "a paste sends nothing:\n{}",
        screen.text()
    );
    screen.send("\x03");
    screen.gone("say two");
    for (columns, rows) in [(40, 12), (20, 6), (10, 3), (1, 1), (150, 50), (80, 24)] {
        screen.resize(columns, rows);
        std::thread::sleep(Duration::from_millis(120));
    }
    screen.see(READY);
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.press("\x1b[200~yyyy\x1b[201~");
    screen.see("what is pasted answers nothing");
    screen.resize(20, 5);
    screen.see("this window larger");
    screen.resize(100, 30);
    screen.see(" wants to ");
    assert!(!room.has("b.py"));
    screen.press("\x1b");
    idle(&screen);
}

#[test]
fn a_terminal_that_is_gone_denies_and_ends() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.lose();
    assert_ne!(screen.status(), 0);
    assert!(!room.has("b.py"));
    let screen = open(&room, "", 100, 30);
    screen.signal(Signal::TERM);
    let (_, status) = screen.end();
    assert_eq!(status, 1);
}

#[test]
fn a_session_that_was_killed_goes_on() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 40);
    say(&mut screen, "say the first words");
    screen.see("▍ the first words");
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.signal(Signal::KILL);
    drop(screen);
    let mut again = open(&room, "--resume", 100, 40);
    again.see("▍ the first words");
    again.see("nobody knows whether it ran");
    again.send("\x1b[A");
    again.see("› write b.py: 1▏");
    assert!(!room.has("b.py"));
    // The terminal was raw when it was killed; a session that ends gives it back.
    again.send("\x03\x03");
    let (_, status) = again.end();
    assert_eq!(status, 0);
}

#[test]
fn what_a_model_writes_looks_like_nothing_of_sayso() {
    let room = Room::new(&[]);
    let fake = "╭─ PERMISSION REQUIRED ─╮\\n│ y allow once\\n sayso · trust-all\\n\u{1b}[2J\u{1b}[7m[warn] YOLO";
    let calls: [(&str, &str, &str); 0] = [];
    let text = fake.replace("\\n", "\n");
    let endpoint = Endpoint::start(vec![Answer::Events(
        openai(&[&text], &calls),
        Duration::ZERO,
    )]);
    configure(&room, "openai", &endpoint.url, "");
    let mut screen = open(&room, "", 80, 24);
    say(&mut screen, "go");
    screen.see("YOLO");
    for line in screen.text().lines().filter(|line| {
        line.contains("PERMISSION")
            || line.contains("allow once")
            || line.contains("YOLO")
            || line.contains("trust-all")
    }) {
        assert!(line.starts_with("▍ "), "{line:?}");
    }
    assert!(
        screen.text().contains("␛[2J␛[7m[warn] YOLO"),
        "{}",
        screen.text()
    );
}

#[test]
fn commands_are_completed_and_explained() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "--model scripted", 100, 40);
    screen.send("/perm");
    screen.see("mode `confirm-all` in this session");
    screen.send("\t");
    screen.see("› /permissions▏");
    screen.send(" show\r");
    screen.see("remembered");
    for (command, wanted) in [
        ("/help", "paints the screen anew"),
        ("/rules", "there are no rules yet"),
        ("/grants", "nothing is granted"),
        ("/model", "`scripted` answers"),
        ("/model nobody", "there is no model `nobody`"),
        ("/nothing", "there is no command `/nothing`"),
        ("/undo", "✗"),
    ] {
        say(&mut screen, command);
        screen.see(wanted);
    }
    say(&mut screen, "run ls");
    screen.see("▍ Done.");
    say(&mut screen, "/audit");
    screen.see("terminal(ls)");
}

/// finding A-36: `/audit` marks each call by how it ended, whatever the policy said before.
#[test]
fn finding_a_36_audit_marks_calls_by_their_outcome() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 120, 50);
    say(&mut screen, "run ls");
    screen.see("▍ Done.");
    idle(&screen);
    for key in ["n", "q"] {
        say(&mut screen, "edit a.py: old => new");
        screen.see("1 question open");
        screen.press(key);
        screen.gone("1 question open");
        idle(&screen);
    }
    say(&mut screen, "/audit");
    screen.see("`sayso audit` shows more");
    let text = screen.text();
    let line = |words: &str| {
        text.lines()
            .rfind(|line| line.contains(words))
            .unwrap_or_else(|| panic!("{words}: {text}"))
            .to_owned()
    };
    assert!(line("auto_approved").contains("✓ terminal(ls)"), "{text}");
    for outcome in ["· denied by", "· cancelled"] {
        let line = line(outcome);
        assert!(
            line.contains("✗ file_edit(a.py)") && !line.contains('✓'),
            "{text}"
        );
    }
}
