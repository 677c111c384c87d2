//! What `/permissions` and `/settings` say about asking is what happens.

use std::time::{Duration, Instant};

use super::at_screen::{READY, idle, open, say};
use crate::program::run;
use crate::terminal::screen::{Room, Screen};

const PROFILES: [&str; 6] = [
    "sayso",
    "kollabor-spec",
    "llm-do",
    "forge",
    "opencode",
    "kollabor",
];

/// A session in lines, wide enough that no row is folded.
fn lines(room: &Room, args: &str) -> Screen {
    let screen = room.start(
        &format!("TERM=dumb exec {} chat {args}", env!("CARGO_BIN_EXE_sayso")),
        250,
        60,
    );
    screen.see("you: ");
    screen
}

/// The row of `/permissions show` with this name.
fn row(text: &str, name: &str) -> String {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix(name))
        .next_back()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// What `sayso check` decides about a command under a profile.
fn check(room: &Room, profile: &str, command: &str) -> i32 {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_sayso"));
    program
        .current_dir(&room.folder)
        .env_clear()
        .env("HOME", &room.home)
        .env("PATH", "/usr/bin:/bin");
    run(program.args(["check", "--profile", profile, command]), b"").code
}

/// finding A-37: `/permissions show` says what happens, computed by judging calls, under every profile and every bypass.
#[test]
fn finding_a_37_show_says_what_happens_under_every_profile_and_bypass() {
    let room = Room::new(&[]);
    for profile in PROFILES {
        for flag in ["", "--yolo", "--approve-all", "--strict"] {
            let mut screen = lines(&room, &format!("--profile {profile} {flag}"));
            screen.send("/permissions show\n");
            screen.see("workspace ");
            let text = screen.text();
            let (unasked, asks, denies) = (
                row(&text, "runs unasked"),
                row(&text, "asks "),
                row(&text, "denies"),
            );
            for probe in ["ls", "make", "git push --force", "rm -rf /"] {
                let found =
                    [&unasked, &asks, &denies].map(|row| row.contains(&format!("`{probe}`")));
                let expected = match (check(&room, profile, probe), flag) {
                    (0, _) => [true, false, false],
                    (10, "") => [false, true, false],
                    (10, "--strict") => [false, false, true],
                    (10, _) => [true, false, false],
                    // 000's test: in its profile `--yolo` covers catastrophes.
                    (_, "--yolo") if profile == "kollabor-spec" => [true, false, false],
                    _ => [false, false, true],
                };
                assert_eq!(found, expected, "{profile} {flag} `{probe}`:\n{text}");
            }
            let word = flag.trim_start_matches("--");
            assert!(
                flag.is_empty() || text.contains(&format!("mode {word}, profile {profile}")),
                "the first line, too: {text}"
            );
            if flag == "--yolo" && profile != "kollabor-spec" {
                assert!(
                    text.contains("YOLO mode enabled") && text.contains("denials stay denials"),
                    "{text}"
                );
            }
            screen.send("/quit\n");
            screen.end();
        }
    }
}

/// finding A-37: what a mode is said to mean when it is chosen is computed, too: profile `forge` asks for every tool in every mode.
#[test]
fn finding_a_37_a_chosen_mode_says_what_it_means_here() {
    let room = Room::new(&[]);
    let mut screen = lines(&room, "--profile forge --strict");
    screen.send("/permissions trust\n");
    screen.see("the mode is `trust-all` in this session");
    screen.see("denies");
    let text = screen.text();
    assert!(
        row(&text, "denies").contains("writing code"),
        "strict stands above the mode:\n{text}"
    );
    assert!(!text.contains("[warn] trust-all"), "{text}");
}

/// finding A-16: 004's `A` switches the mode for the session, in the bar and in `/permissions`; the next session starts as before.
#[test]
fn finding_a_16_always_edits_switches_the_mode_of_the_session() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "--profile kollabor", 120, 40);
    screen.see("confirm-all");
    say(&mut screen, "write b.py: 1");
    screen.see(" wants to ");
    screen.press("A");
    screen.see("the session goes on in mode `auto-approve-edits`");
    screen.press("y");
    screen.see("the mode is `auto-approve-edits` in this session");
    idle(&screen);
    say(&mut screen, "/permissions show");
    screen.see("workspace ");
    let text = screen.text();
    assert!(
        row(&text, "mode").contains("auto-approve-edits") && !text.contains("· confirm-all"),
        "{text}"
    );
    assert!(
        row(&text, "runs unasked").contains("writing code"),
        "{text}"
    );
    say(&mut screen, "write d.py: 1");
    until(&screen, || room.has("d.py"));
    idle(&screen);
    // Z-58: it is of this session only.
    say(&mut screen, "/quit");
    screen.end();
    let again = open(&room, "--profile kollabor", 120, 40);
    assert!(
        !again.text().contains("auto-approve-edits"),
        "{}",
        again.text()
    );
}

/// finding A-16: the same in lines.
#[test]
fn finding_a_16_always_edits_switches_the_mode_in_lines() {
    let room = Room::new(&[]);
    let mut screen = lines(&room, "--profile kollabor");
    screen.send("write b.py: 1\n");
    screen.see("Your answer:");
    std::thread::sleep(Duration::from_millis(600));
    screen.send("A\n");
    until(&screen, || {
        screen
            .text()
            .contains("the session goes on in mode `auto-approve-edits`")
    });
    std::thread::sleep(Duration::from_millis(600));
    screen.send("y\n");
    screen.see("the mode is `auto-approve-edits` in this session");
    screen.send("/permissions show\n");
    screen.see("mode          auto-approve-edits");
}

fn until(screen: &Screen, what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn settings(room: &Room) -> String {
    std::fs::read_to_string(room.home.join(".config/sayso/policy.d/settings.yaml"))
        .unwrap_or_default()
}

/// finding A-42: asking is switched off only with a second word, and a banner says so from then on, at each start and at every front end.
#[test]
fn finding_a_42_asking_is_switched_off_with_a_confirmation_and_a_banner() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 120, 40);
    say(&mut screen, "/settings enabled off");
    screen.see("switch it off? y");
    screen.press("n");
    screen.see("nothing was changed");
    assert!(!settings(&room).contains("enabled"), "{}", settings(&room));
    // On the screen of the settings.
    screen.send("\x13");
    screen.see("▸ Ask");
    screen.press(" ");
    screen.see("y switches it off");
    screen.press("\x1b[B");
    screen.press("\x1b");
    screen.see(READY);
    assert!(!settings(&room).contains("enabled"), "{}", settings(&room));
    say(&mut screen, "/settings enabled off");
    screen.see("switch it off? y");
    screen.press("y");
    screen.see("saved: enabled is off");
    screen.see("[warn] asking is off");
    say(&mut screen, "/quit");
    screen.end();
    // Each start says so: the screen, lines, and one turn.
    let mut again = open(&room, "", 120, 40);
    again.see("[warn] asking is off");
    say(&mut again, "/settings enabled on");
    again.see("saved: enabled is on");
    again.gone("[warn] asking is off");
}

/// finding A-42: the same in lines, and `sayso run` says so at its start.
#[test]
fn finding_a_42_lines_and_run_say_that_asking_is_off() {
    let room = Room::new(&[]);
    let mut screen = lines(&room, "");
    screen.send("/settings enabled off\n");
    screen.see("switch it off? [y/N]:");
    std::thread::sleep(Duration::from_millis(300));
    screen.send("\n");
    screen.see("nothing was changed");
    assert!(!settings(&room).contains("enabled"), "{}", settings(&room));
    screen.send("/settings enabled off\n");
    until(&screen, || {
        screen.text().matches("switch it off? [y/N]:").count() == 2
    });
    std::thread::sleep(Duration::from_millis(300));
    screen.send("y\n");
    screen.see("[warn] asking is off");
    assert!(settings(&room).contains("enabled: false"));
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_sayso"));
    program
        .current_dir(&room.folder)
        .env_clear()
        .env("HOME", &room.home)
        .env("PATH", "/usr/bin:/bin");
    let done = run(
        program.args(["run", "--strict", "-"]),
        b"[{\"tool\": \"file_read\", \"args\": {\"path\": \"a.py\"}}]",
    );
    assert!(done.err.contains("[warn] asking is off"), "{done:?}");
}
