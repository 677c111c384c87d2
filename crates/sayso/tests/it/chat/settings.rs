//! All tabs of the settings at a terminal: what is changed there counts for the next decision, and is written down.

use std::time::{Duration, Instant};

use super::at_screen::{READY, idle, open, say};
use crate::terminal::screen::{Room, Screen};

/// Opens the settings at a tab.
fn tab(screen: &mut Screen, number: &str, sign: &str) {
    screen.send("\x13");
    screen.see("Settings");
    screen.send(number);
    screen.see(sign);
}

fn close(screen: &mut Screen) {
    screen.press("\x1b");
    screen.see(READY);
}

fn until(screen: &Screen, what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn z_38_asking_that_is_off_still_asks_about_high_risk() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 110, 40);
    tab(&mut screen, "1", "▸ Ask");
    screen.press(" ");
    screen.see("y switches it off");
    screen.press("y");
    screen.see("saved: enabled is off");
    close(&mut screen);
    say(&mut screen, "write b.py: 1");
    until(&screen, || room.has("b.py"));
    idle(&screen);
    say(&mut screen, "delete c.py");
    screen.see("y allow once");
    screen.press("\x1b");
    screen.see("I was told");
    say(&mut screen, "run rm -rf /");
    screen.see("CATASTROPHIC OPERATION");
    let kept =
        std::fs::read_to_string(room.home.join(".config/sayso/policy.d/settings.yaml")).unwrap();
    assert!(kept.contains("enabled: false"), "{kept}");
    // C-09: it is in the record, with what it was before.
    let audit = crate::chat::everything(&room.home.join(".local/state/sayso/journal"));
    assert!(
        audit.contains("\"settings\"") && audit.contains("\"enabled\""),
        "{audit}"
    );
}

#[test]
fn a_timeout_a_style_and_keys_count_at_once() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 110, 40);
    tab(&mut screen, "1", "▸ Ask");
    for _ in 0..3 {
        screen.send("\x1b[B");
    }
    screen.see("▸ Timeout");
    screen.press("\r");
    screen.send("\x15x");
    screen.see("> x▏");
    screen.press("\r");
    screen.see("`x` is no whole number");
    screen.press("\r");
    screen.send("\x1577");
    screen.see("> 77▏");
    screen.press("\r");
    screen.see("saved: approval_timeout is 77");
    screen.press("\x1b[B");
    screen.press("\x1b[C");
    screen.see("saved: prompt_style is modal");
    screen.press("\x1b[B");
    screen.press("\x1b[C");
    screen.see("saved: keymap is ");
    close(&mut screen);
    say(&mut screen, "write b.py: 1");
    screen.see("denied in 1:1");
    assert!(
        screen.text().contains("╮"),
        "it is in front of everything:\n{}",
        screen.text()
    );
    screen.press("\x1b");
    idle(&screen);
}

#[test]
fn grants_are_taken_back_and_the_record_is_exported() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 110, 40);
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.press("s");
    screen.see("in this session");
    screen.press("y");
    until(&screen, || room.has("b.py"));
    idle(&screen);
    std::fs::remove_file(room.folder.join("b.py")).unwrap();
    say(&mut screen, "/permissions clear");
    screen.see("is asked about again");
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.press("\x1b");
    idle(&screen);
    tab(&mut screen, "4", "Keep (days)");
    screen.send("\x1b[B");
    screen.see("▸ export as html");
    screen.press("\r");
    screen.see("written to ");
    let exported = std::fs::read_dir(&room.home)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "html"));
    let page = std::fs::read_to_string(exported.unwrap()).unwrap();
    assert!(page.contains("file_write"), "{page}");
    screen.send("5");
    screen.see("On this machine");
    screen.send("\x1b[B");
    screen.see("▸ Run unasked");
    screen.press("\x1b[C");
    screen.see("saved: sandbox.auto_allow is run-in-workspace");
    screen.press("\x1b[D");
    screen.see("saved: sandbox.auto_allow is never");
    close(&mut screen);
}

#[test]
fn words_behind_the_command_change_one_at_once() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 110, 40);
    say(&mut screen, "/settings mode confirm-all");
    screen.see("✓ saved: mode is confirm-all");
    say(&mut screen, "read a.py");
    screen.see(" wants to ");
    screen.press("\x1b");
    idle(&screen);
    say(&mut screen, "/settings mode trust-all");
    screen.see("✗ `mode` is one of");
    say(&mut screen, "/permissions edits");
    screen.see("auto-approve-edits");
    say(&mut screen, "/settings mode balanced");
    screen.see("in this session a flag or `/permissions` stands above it");
}
