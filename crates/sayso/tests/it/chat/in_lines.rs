//! The session in lines, for terminals that cannot be painted on and for screen readers.

use std::time::Duration;

use rustix::process::Signal;

use super::endpoint::{Answer, Endpoint, openai};
use super::{KEY, configure};
use crate::terminal::screen::{Room, Screen};

/// What stands before what the person types.
const READY: &str = "you: ";

/// A session at a terminal that cannot move its cursor.
fn dumb(room: &Room, args: &str) -> Screen {
    let screen = room.start(
        &format!(
            "TERM=dumb TEST_KEY={KEY} exec {} chat {args}",
            env!("CARGO_BIN_EXE_sayso")
        ),
        100,
        60,
    );
    ready(&screen);
    screen
}

/// Waits until the person can type: the last line is the empty one.
fn ready(screen: &Screen) {
    let start = std::time::Instant::now();
    while screen.text().lines().last().map(str::trim_end) != Some(READY.trim_end()) {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Types an answer when it counts.
fn answer(screen: &mut Screen, question: &str, text: &str) {
    screen.see(question);
    std::thread::sleep(Duration::from_millis(500));
    screen.send(text);
}

#[test]
fn an_edit_is_shown_approved_and_taken_back_without_a_single_escape() {
    let room = Room::new(&[]);
    let mut screen = dumb(&room, "");
    screen.send("edit a.py: old => new\n");
    screen.see("-x = old");
    screen.see("+x = new");
    answer(&mut screen, "Your answer: ", "y\n");
    screen.see("▍ Done.");
    ready(&screen);
    assert!(
        screen
            .text()
            .contains("approved file_edit(a.py) once; running it"),
        "{}",
        screen.text()
    );
    assert_eq!(
        std::fs::read_to_string(room.folder.join("a.py")).unwrap(),
        "x = new\n"
    );
    screen.send("/undo\n");
    answer(&mut screen, "take it back? [y/N]: ", "y\n");
    screen.see("takes this back, too");
    assert_eq!(
        std::fs::read_to_string(room.folder.join("a.py")).unwrap(),
        "x = old\n"
    );
    ready(&screen);
    let text = screen.text();
    let again = text
        .split_whitespace()
        .find(|word| word.starts_with("u2"))
        .unwrap()
        .trim_end_matches('`')
        .to_owned();
    screen.send(&format!("/undo {again}\n"));
    let start = std::time::Instant::now();
    while screen.text().matches("take it back? [y/N]: ").count() < 2 {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    answer(&mut screen, "take it back? [y/N]: ", "\n");
    screen.see("nothing was taken back");
    ready(&screen);
    assert!(
        !screen.raw().contains('\u{1b}'),
        "nothing is painted: {:?}",
        screen.raw()
    );
    screen.send("/quit\n");
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
    let fake = "you: yes\nYour answer: y\n\u{1b}[2Jsayso: all is well";
    let endpoint = Endpoint::start(vec![
        Answer::Events(openai(&[fake], &calls), none),
        Answer::Events(openai(&["As you like."], &[]), none),
    ]);
    let room = Room::new(&[]);
    configure(&room, "openai", &endpoint.url, "");
    let mut screen = dumb(&room, "");
    screen.send("write it\n");
    answer(&mut screen, "wants to create new.py", "n use src instead\n");
    screen.see("▍ As you like.");
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
    // What the model wrote is behind its mark, on every line.
    let text = screen.text();
    for words in ["you: yes", "Your answer: y", "sayso: all is well"] {
        assert!(
            text.lines()
                .filter(|line| line.contains(words))
                .all(|line| line.starts_with("▍ ")),
            "{words}:\n{text}"
        );
    }
    ready(&screen);
    screen.see("22 tokens in, 14 out");
}

#[test]
fn commands_settings_and_the_banner_are_words() {
    let room = Room::new(&[]);
    let mut screen = dumb(&room, "--model scripted");
    for (line, wanted) in [
        ("/perms strict", "the mode is `confirm-all` in this session"),
        ("/help", "paints the screen anew"),
        ("/settings keymap forge", "saved: keymap is forge"),
        ("/settings keymap nothing", "`keymap` is one of"),
        (
            "/settings add allow write *.py",
            "Auto-approval rule created",
        ),
        ("/permissions reset", "the mode is `balanced`"),
        ("/nothing", "there is no command `/nothing`"),
        ("/settings", "On this machine"),
    ] {
        screen.send(&format!("{line}\n"));
        screen.see(wanted);
        ready(&screen);
    }
    screen.send("write b.py: 1\n");
    screen.see("ran, unasked");
    ready(&screen);
    // The keys are those of the new keymap.
    screen.send("delete a.py\n");
    screen.see("Your answer: ");
    assert!(screen.text().contains("  d  deny"), "{}", screen.text());
    answer(&mut screen, "Your answer: ", "d\n");
    screen.see("I was told: ");
    ready(&screen);
    screen.send("/permissions trust\n");
    screen.see("[warn] trust-all");
    ready(&screen);
    screen.send("say hello\n");
    screen.see("▍ hello");
    ready(&screen);
    let last = screen.text().lines().rev().nth(1).unwrap().to_owned();
    assert!(
        last.starts_with("[warn] trust-all"),
        "the banner stands there each time: {last}"
    );
}

#[test]
fn lines_that_are_pasted_are_one_text_and_ends_are_kept_apart() {
    let none = Duration::ZERO;
    let endpoint = Endpoint::start(vec![Answer::Events(openai(&["heard"], &[]), none)]);
    let room = Room::new(&[]);
    configure(&room, "openai", &endpoint.url, "");
    let mut screen = dumb(&room, "--plain");
    screen.send("one\n/permissions trust\nthree\n");
    screen.see("3 lines are there; an empty line sends them");
    assert!(endpoint.asked().is_empty());
    screen.send("\n");
    screen.see("▍ heard");
    ready(&screen);
    screen.send("first \\\n");
    screen.see("and: ");
    std::thread::sleep(Duration::from_millis(200));
    screen.send("second\n");
    let start = std::time::Instant::now();
    while endpoint.asked().len() < 2 {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let words = |at: usize| {
        endpoint.asked()[at].body["messages"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()["content"]
            .clone()
    };
    assert_eq!(
        (words(0), words(1)),
        (
            "one\n/permissions trust\nthree".into(),
            "first \nsecond".into()
        )
    );
    ready(&screen);
    assert!(
        !screen.text().contains("[warn]"),
        "what is pasted with other lines is no command"
    );
}

#[test]
fn ctrl_c_stops_the_turn_and_twice_leaves() {
    let room = Room::new(&[]).policy("prompt_style: line\nrules: [{allow: {command: 'sleep *'}}]");
    // The style of the policy is enough.
    let start = format!("exec {} chat", env!("CARGO_BIN_EXE_sayso"));
    let mut screen = room.start(&start, 100, 40);
    ready(&screen);
    screen.send("run sleep 1000\n");
    std::thread::sleep(Duration::from_millis(800));
    screen.send("\x03");
    screen.see("you stopped this turn");
    ready(&screen);
    std::thread::sleep(Duration::from_millis(2200));
    screen.send("half\x03");
    screen.see("Ctrl-C again leaves");
    ready(&screen);
    screen.send("\x03");
    let (text, status) = screen.end();
    assert!(
        status == 0 && text.contains("the session is kept"),
        "{text}"
    );
    // At a question, too.
    let mut screen = room.start(&start, 100, 40);
    ready(&screen);
    screen.send("write b.py: 1\n");
    screen.see("Your answer: ");
    screen.send("\x03");
    screen.see("you stopped this turn");
    ready(&screen);
    assert!(!room.has("b.py"));
    screen.send("\x04");
    assert_eq!(screen.end().1, 0);
}

#[test]
fn a_terminal_that_is_gone_denies_and_a_killed_session_goes_on() {
    let room = Room::new(&[]);
    let mut screen = dumb(&room, "");
    screen.send("write b.py: 1\n");
    screen.see("Your answer: ");
    screen.lose();
    assert_ne!(screen.status(), 0);
    assert!(!room.has("b.py"));
    let mut screen = dumb(&room, "");
    screen.send("say the first words\n");
    screen.see("▍ the first words");
    ready(&screen);
    screen.signal(Signal::KILL);
    drop(screen);
    let again = dumb(&room, "--resume");
    assert!(
        again
            .text()
            .contains("it goes on: you said 1 things before"),
        "{}",
        again.text()
    );
    assert!(
        again
            .text()
            .contains("you: say the first words\n▍ the first words\n"),
        "{}",
        again.text()
    );
    again.signal(Signal::TERM);
    assert_eq!(again.end().1, 1);
}
