//! `sayso watch` painted on a real terminal: prompts come, are answered by a key or elsewhere, the window changes, the terminal is lost.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use super::Served;
use crate::desk::Desk;
use crate::hook::is_denied;
use crate::terminal::screen::Screen;

fn watch(served: &Served, columns: u16, rows: u16) -> Screen {
    let folder = served.desk.scene.workspace.as_path();
    let screen = Screen::start(
        folder,
        &served.desk.scene.home,
        &format!("exec {} watch", env!("CARGO_BIN_EXE_sayso")),
        columns,
        rows,
    );
    screen.see("watching; prompts appear here");
    while served.get("/v1/me").is(200)["watching"] == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    screen
}

/// With a policy that never ends a prompt by itself: a screen that waits for the countdown would never look up.
fn served() -> Served {
    Served::with(
        Desk::with(&[("a.txt", "one\n")]),
        "hooks: {ask: auto}\napproval_timeout: 0\n",
    )
}

#[test]
fn a_prompt_is_painted_and_answered_by_a_key() {
    let served = served();
    let mut screen = watch(&served, 100, 40);
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    screen.see(" wants to ");
    for words in ["make all", "Claude", "allow once"] {
        screen.see(words);
    }
    screen.press("y");
    assert_eq!(hook.said()["permissionDecision"], "allow");
    screen.gone(" wants to ");
    // The next one is denied with words.
    let hook = served.hook("claude", "Bash", json!({"command": "make other"}));
    screen.at("make other", "\t");
    screen.see("Words for the agent");
    screen.send("use cargo");
    std::thread::sleep(Duration::from_millis(600));
    screen.send("\r");
    is_denied(&hook.said(), "use cargo");
    // Ctrl-C leaves, and answers nothing.
    let mut hook = served.hook("claude", "Bash", json!({"command": "make third"}));
    screen.see("make third");
    screen.send("\u{3}");
    let (text, _) = screen.end();
    assert!(!text.contains(" wants to "), "{text}");
    assert!(
        hook.is_waiting() && served.prompts().len() == 1,
        "it is open for others"
    );
    served
        .answer(&served.prompt(), json!({"choice": "deny"}))
        .is(200);
    is_denied(&hook.said(), "");
}

#[test]
fn one_that_is_answered_elsewhere_goes_away_and_the_next_comes() {
    let served = served();
    let screen = watch(&served, 100, 40);
    let first = served.hook("claude", "Bash", json!({"command": "make first"}));
    screen.see("make first");
    let second = served.hook("claude", "Bash", json!({"command": "make second"}));
    while served.prompts().len() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let prompt = served
        .prompts()
        .into_iter()
        .find(|prompt| prompt["preview"]["lines"] == json!(["make first"]))
        .unwrap();
    served.yes(&prompt).is(200);
    assert_eq!(first.said()["permissionDecision"], "allow");
    screen.see("it was answered elsewhere by a program with the token");
    screen.see("make second");
    // Several that wait are listed.
    let third = served.hook("claude", "Bash", json!({"command": "make third"}));
    while served.prompts().len() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let prompt = served
        .prompts()
        .into_iter()
        .find(|prompt| prompt["preview"]["lines"] == json!(["make second"]))
        .unwrap();
    let fourth = served.hook("claude", "Bash", json!({"command": "make fourth"}));
    while served.prompts().len() < 3 {
        std::thread::sleep(Duration::from_millis(5));
    }
    served.answer(&prompt, json!({"choice": "deny"})).is(200);
    screen.see("2 prompts are open");
    screen.see("make fourth");
    second.said();
    [third, fourth].into_iter().for_each(super::Hook::kill);
}

#[test]
fn a_window_of_another_size_shows_it_again_and_a_danger_takes_the_screen() {
    let served = served();
    let mut screen = watch(&served, 100, 40);
    let hook = served.hook("claude", "Bash", json!({"command": "rm a.txt"}));
    screen.see("confirmation 1 of 2");
    for (columns, rows) in [(60, 30), (140, 50), (80, 24)] {
        screen.resize(columns, rows);
        screen.press("z");
        screen.see("decides nothing");
        screen.press("\u{1b}[A");
        let text = screen.text();
        assert_eq!(
            text.matches("confirmation 1 of 2").count(),
            1,
            "{columns}x{rows}:\n{text}"
        );
    }
    screen.press("y");
    screen.see("confirmation 2 of 2");
    screen.press("n");
    is_denied(&hook.said(), "");
    screen.gone("confirmation");
}

#[test]
fn a_lost_terminal_ends_the_watch_and_answers_nothing() {
    let served = served();
    for how in ["lost", "hung up"] {
        let mut screen = watch(&served, 100, 40);
        let mut hook = served.hook("claude", "Bash", json!({"command": "make all"}));
        screen.see("make all");
        if how == "lost" {
            screen.lose();
        } else {
            screen.signal(Signal::HUP);
        }
        screen.status();
        while served.get("/v1/me").is(200)["watching"] != 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(
            hook.is_waiting() && served.prompts().len() == 1,
            "{how}: it is open for others"
        );
        served
            .answer(&served.prompt(), json!({"choice": "deny"}))
            .is(200);
        is_denied(&hook.said(), "");
    }
    // Nobody watches any more, so a hook leaves the question to the agent's own dialog.
    assert_eq!(
        served
            .hook("claude", "Bash", json!({"command": "make all"}))
            .said()["permissionDecision"],
        "ask"
    );
}

/// finding A-11: `sayso watch` keeps a rule for an edit that an agent's hook asks about, with scope and width as two choices.
#[test]
fn finding_a_11_watch_keeps_a_rule_for_the_folder_of_an_edit() {
    let served = served();
    served.desk.scene.file("src/a.py", "x\n");
    served.desk.scene.file("src/b.py", "x\n");
    let edit = |name: &str| json!({"file_path": format!("{}/{name}", served.desk.scene.folder()), "old_string": "x", "new_string": "y"});
    let mut screen = watch(&served, 100, 40);
    let hook = served.hook("claude", "Edit", edit("src/a.py"));
    screen.at("src/a.py", "s");
    screen.see("Create rule for Edit on src/a.py?");
    screen.see("Create rule for Edit on src/**?");
    screen.press("\t");
    screen.see("how far: in this project");
    screen.press("2");
    screen.see("▸ 2 Create rule for Edit on src/**?");
    screen.press("y");
    assert_eq!(hook.said()["permissionDecision"], "allow");
    assert_eq!(
        served.hook("claude", "Edit", edit("src/b.py")).said()["permissionDecision"],
        "allow",
        "nobody is asked again"
    );
    let rules = served.get("/v1/rules").is(200);
    assert!(
        rules["rules"][0]["words"]
            .as_str()
            .unwrap()
            .contains("`src/**` in this project"),
        "{rules}"
    );
    screen.send("\u{3}");
    screen.end();
}
