//! What the ledger wants of a session and no other test here shows.

use std::time::{Duration, Instant};

use super::at_screen::{READY, idle, open, say};
use super::configure;
use super::endpoint::{Answer, Endpoint};
use crate::terminal::screen::Room;

#[test]
fn g_11_the_screen_is_alive_while_the_model_and_the_person_think() {
    let endpoint = Endpoint::start(vec![Answer::Silence(Duration::from_secs(120))]);
    let room = Room::new(&[]);
    configure(&room, "openai", &endpoint.url, "");
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "think");
    screen.see("thinking · 1 s · Ctrl-C stops");
    screen.send("typed meanwhile");
    screen.see("› typed meanwhile▏");
    screen.send("\x13");
    screen.see("Settings");
    screen.press("\x1b");
    screen.see("› typed meanwhile▏");
    screen.send("\r");
    screen.see("that is sent when this turn is over");
    screen.send("\x03");
    screen.see("you stopped this turn");
    // What was meant for a turn that went on is not sent after one that was stopped.
    screen.see("› typed meanwhile▏");
    assert_eq!(endpoint.asked().len(), 1);
}

#[test]
fn h_55_a_question_that_ends_leaves_nothing_behind() {
    let room = Room::new(&[]).policy("approval_timeout: 2");
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.see("I was told");
    screen.gone(" wants to ");
    idle(&screen);
    screen.send("y");
    screen.see("› y▏");
    assert!(
        !room.has("b.py"),
        "a key that comes too late answers nothing"
    );
    screen.send("\x15");
    screen.see(READY);
    // Closing it is a denial.
    say(&mut screen, "write d.py: 1");
    screen.see(" wants to ");
    screen.press("\x1b");
    idle(&screen);
    assert!(!room.has("d.py"));
}

#[test]
fn z_58_what_was_allowed_for_a_session_ends_with_it() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 40);
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.press("s");
    screen.see("in this session");
    screen.press("y");
    screen.see("▍ Done.");
    say(&mut screen, "write b.py: 1");
    screen.see("ran, unasked");
    say(&mut screen, "/quit");
    screen.end();
    let mut again = open(&room, "--resume", 100, 40);
    say(&mut again, "write b.py: 1");
    again.see(" wants to ");
    again.press("\x1b");
    idle(&again);
}

#[test]
fn c_10_rules_for_commands_and_paths_count_without_a_restart() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 40);
    say(&mut screen, "/settings add allow command touch t1");
    screen.see("Auto-approval rule created");
    say(&mut screen, "run touch t1");
    let start = Instant::now();
    while !room.has("t1") {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    idle(&screen);
    say(&mut screen, "/settings add deny write *.py");
    screen.see("deny write");
    say(&mut screen, "/permissions trust");
    screen.see("[warn] trust-all");
    say(&mut screen, "write b.py: 1");
    screen.see("I was told: denied by policy");
    assert!(!room.has("b.py"), "a denial holds in every mode");
}

#[test]
fn c_05_default_is_silent_about_what_is_medium_and_asks_about_what_is_high() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 40);
    say(&mut screen, "/security default");
    screen.see("the mode is `high-risk-only` in this session");
    say(&mut screen, "write b.py: 1");
    screen.see("ran, unasked");
    assert!(room.has("b.py"));
    say(&mut screen, "delete b.py");
    screen.see("y allow once");
    // There is help for it, and it answers nothing.
    screen.press("?");
    screen.see("deny");
    screen.press("\x1b");
    screen.press("\x1b");
    screen.see("I was told");
    assert!(room.has("b.py"));
}

#[test]
fn an_agent_has_rules_of_its_own() {
    let room = Room::new(&[]).policy("agents: {reviewer: {mode: confirm-all}}");
    let mut screen = open(&room, "--agent reviewer", 100, 30);
    screen.see("agent reviewer");
    say(&mut screen, "read a.py");
    screen.see(" wants to ");
    assert!(
        screen.text().contains("reviewer wants: file_read(a.py)"),
        "{}",
        screen.text()
    );
    screen.press("\x1b");
    idle(&screen);
    drop(screen);
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "read a.py");
    screen.see("ran, unasked");
}

#[test]
fn what_tools_brought_is_folded_and_shown_whole() {
    let room = Room::new(&[]);
    std::fs::write(
        room.folder.join("long.txt"),
        (1..=20)
            .map(|at| format!("line {at}.\n"))
            .collect::<String>(),
    )
    .unwrap();
    let mut screen = open(&room, "", 100, 40);
    say(&mut screen, "read long.txt");
    screen.see("14 more lines (Ctrl-O shows all)");
    assert!(!screen.text().contains("line 20."));
    screen.send("\x0f");
    screen.see("┆ line 20.");
    screen.send("\x0f");
    screen.gone("┆ line 20.");
    // Scrolled back, it stays there.
    screen.resize(100, 12);
    screen.gone("sayso chat in");
    screen.send("\x1b[5~");
    screen.see("↓ more below: PgDn");
    screen.send("\x1b[6~\x1b[6~\x1b[6~");
    screen.gone("↓ more below: PgDn");
}

#[test]
fn every_setting_says_what_it_means() {
    let room = Room::new(&[]);
    let mut screen = room.start(
        &format!("TERM=dumb exec {} chat", env!("CARGO_BIN_EXE_sayso")),
        200,
        100,
    );
    screen.see("you: ");
    screen.send("/settings\n");
    screen.see("`/settings NAME VALUE` changes one");
    let text = screen.text();
    let lines: Vec<&str> = text.lines().skip_while(|line| *line != "General").collect();
    let is_name = |line: &str| line.starts_with("  ") && !line.starts_with("   ");
    let names: Vec<usize> = (0..lines.len())
        .filter(|at| is_name(lines[*at]) && !lines[*at].contains("nothing here yet"))
        .collect();
    assert!(names.len() > 15, "{text}");
    for at in names {
        assert!(
            lines[at + 1].starts_with("    ") && lines[at + 1].trim().len() > 15,
            "{}:\n{text}",
            lines[at]
        );
    }
}
