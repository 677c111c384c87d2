//! The five workflows of the systems that this grew from, each from its beginning to its end, at a terminal.

use super::at_screen::{open, say};
use crate::terminal::screen::Room;

#[test]
fn workflow_1_first_execution() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "--profile forge", 100, 40);
    say(&mut screen, "write a.py: x = new");
    screen.see("a allow once");
    let text = screen.text();
    for wanted in ["a.py", "- x = old", "+ x = new"] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
    screen.press("a");
    screen.see("▍ Done.");
    assert!(
        screen.text().contains("approved file_write(a.py) once"),
        "{}",
        screen.text()
    );
    assert_eq!(
        std::fs::read_to_string(room.folder.join("a.py")).unwrap(),
        "x = new\n"
    );
}

#[test]
fn workflow_2_a_rule_from_the_dialog() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "--profile forge", 100, 40);
    say(&mut screen, "run cat a.py");
    screen.see("A always");
    screen.press("A");
    screen.see("Create rule for `cat a.py`");
    screen.press("y");
    screen.see("Auto-approval rule created: allow `cat a.py`");
    screen.see("▍ Done.");
    say(&mut screen, "run cat a.py");
    screen.see("ran, unasked");
    say(&mut screen, "/rules");
    screen.see("allow `cat a.py`");
}

#[test]
fn workflow_3_a_danger_is_denied() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "--profile forge", 100, 40);
    say(&mut screen, "run rm -rf ~/important/files");
    screen.see("⚠");
    assert!(
        screen.text().contains("rm -rf ~/important/files"),
        "{}",
        screen.text()
    );
    screen.press("d");
    screen.see("I was told: ");
    assert!(
        screen.text().contains("denied by the person"),
        "the agent is told:\n{}",
        screen.text()
    );
}

#[test]
fn workflow_4_rules_are_managed() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 110, 40);
    say(&mut screen, "/settings");
    screen.see("General");
    screen.press("2");
    screen.see("+ add a rule");
    screen.press("\r");
    screen.send("allow write *.py");
    screen.see("allow write *.py");
    screen.press("\r");
    screen.see("y saves this rule, any other key leaves it: allow write `*.py` everywhere");
    screen.press("y");
    screen.see("Auto-approval rule created");
    screen.press("\x1b");
    say(&mut screen, "write b.py: 1");
    screen.see("ran, unasked");
    say(&mut screen, "/settings");
    screen.see("General");
    screen.press("2");
    screen.press(" ");
    screen.see("does not count any more");
    screen.press("\x1b");
    say(&mut screen, "write d.py: 1");
    screen.see(" wants to ");
    screen.press("n");
    screen.see("I was told");
    say(&mut screen, "/settings");
    screen.see("General");
    screen.press("2");
    screen.press("e");
    for _ in 0.."*.py".len() {
        screen.send("\x7f");
    }
    screen.send("src/*.py");
    screen.see("src/*.py");
    screen.press("\r");
    screen.see("changed: ");
    screen.press("d");
    screen.see("take it away?");
    screen.press("y");
    screen.see("taken away");
    screen.press("\x1b");
    say(&mut screen, "/rules");
    screen.see("there are no rules yet");
}

#[test]
fn workflow_5_a_batch_of_three() {
    let room = Room::new(&[]);
    let three = "write b.py: 1\x1b\rwrite d.py: 2\x1b\rwrite e.py: 3";
    let mut screen = open(&room, "--profile kollabor-spec", 100, 40);
    screen.send(three);
    screen.see("write e.py: 3");
    screen.send("\r");
    screen.see("peration 1 of 3");
    screen.press("a");
    screen.see("that follow in this batch");
    screen.press("y");
    screen.see("▍ Done.");
    assert!(
        room.has("b.py") && room.has("d.py") && room.has("e.py"),
        "approve all"
    );
    for name in ["b.py", "d.py", "e.py"] {
        std::fs::remove_file(room.folder.join(name)).unwrap();
    }
    screen.send(three);
    screen.see("write e.py: 3▏");
    screen.send("\r");
    screen.see("peration 1 of 3");
    screen.press("y");
    screen.see("peration 2 of 3");
    screen.press("q");
    screen.see("you stopped this turn");
    assert!(
        screen
            .text()
            .contains("Completed: 1/3 operations, 2 cancelled"),
        "{}",
        screen.text()
    );
    assert!(
        room.has("b.py") && !room.has("d.py") && !room.has("e.py"),
        "quit"
    );
}

/// finding A-34: what is typed at "+ add a rule" is what is saved, and it is shown before: a read rule, and no command.
#[test]
fn finding_a_34_a_typed_rule_is_shown_before_it_is_saved_and_saved_as_it_was_typed() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 110, 40);
    say(&mut screen, "/settings");
    screen.see("General");
    screen.press("2");
    screen.see("+ add a rule");
    // What is no rule is told, and nothing is saved.
    for (typed, why) in [
        ("read docs/**", "is no rule"),
        ("allow", "is no rule"),
        ("allow command allow read x", "is no rule"),
    ] {
        screen.press("\r");
        screen.send(typed);
        screen.see(typed);
        screen.press("\r");
        screen.see(why);
    }
    // Any other key than y leaves it.
    screen.press("\r");
    screen.send("allow read docs/**");
    screen.see("allow read docs/**");
    screen.press("\r");
    screen.see("y saves this rule, any other key leaves it: allow read `docs/**` everywhere");
    screen.press("n");
    assert!(
        !screen.text().contains("Auto-approval rule created"),
        "{}",
        screen.text()
    );
    screen.press("\r");
    screen.send("allow read docs/**");
    screen.see("allow read docs/**");
    screen.press("\r");
    screen.see("y saves this rule");
    screen.press("y");
    screen.see("Auto-approval rule created: allow read `docs/**` everywhere");
    screen.press("\x1b");
    drop(screen);
    let list = room.start(
        &format!("{} rules list", env!("CARGO_BIN_EXE_sayso")),
        200,
        20,
    );
    list.see("SOURCE");
    let (text, _) = list.end();
    assert!(
        text.contains("read docs/**")
            && text.contains("path")
            && text.matches("allow").count() == 1,
        "{text}"
    );
}
