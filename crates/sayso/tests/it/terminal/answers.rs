//! What a person types at a prompt of `sayso run`, and what that decides.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Terminal;

/// A workspace with a batch in it, and a home.
struct Room {
    _scratch: tempfile::TempDir,
    folder: PathBuf,
    home: PathBuf,
}

const EDIT: &str =
    r#"{"type": "file_edit", "id": "edit_0", "file": "a.py", "find": "old", "replace": "new"}"#;
const CREATE: &str =
    r#"{"type": "file_create", "id": "create_0", "file": "b.py", "content": "print(1)\n"}"#;
const DELETE: &str = r#"{"type": "file_delete", "id": "delete_0", "file": "c.py"}"#;

impl Room {
    fn new(calls: &[&str]) -> Room {
        let scratch = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (folder, home) = (root.join("ws"), root.join("home"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::create_dir(&home).unwrap();
        std::fs::write(folder.join("a.py"), "x = old\n").unwrap();
        std::fs::write(folder.join("c.py"), "gone\n").unwrap();
        std::fs::write(
            folder.join("calls.json"),
            format!("[{}]", calls.join(",\n")),
        )
        .unwrap();
        Room {
            _scratch: scratch,
            folder,
            home,
        }
    }

    fn policy(self, text: &str) -> Room {
        let file = self.home.join(".config/sayso/policy.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("version: 1\n{text}\n")).unwrap();
        self
    }

    fn run(&self) -> Terminal {
        Terminal::start(&self.folder, &self.home, &["run", "calls.json"])
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    fn path(&self, name: &str) -> PathBuf {
        Path::new(&self.folder).join(name)
    }
}

#[test]
fn a_yes_runs_it_and_a_no_carries_its_words() {
    let room = Room::new(&[EDIT, CREATE]);
    let mut terminal = room.run();
    terminal.answer("Your answer: ", "yes");
    terminal.answer("Your answer: ", "n use c.py instead");
    let (shown, status) = terminal.end();
    assert_eq!(room.text("a.py"), "x = new\n");
    assert!(!room.path("b.py").exists());
    assert!(
        shown.contains("approved file_edit(a.py) once; running it"),
        "{shown}"
    );
    assert!(
        shown.contains("denied by the person: use c.py instead. nothing was changed"),
        "{shown}"
    );
    assert!(shown.contains("Completed: 1/2 operations"), "{shown}");
    assert_eq!(status, 20);
}

#[test]
fn i_04_what_is_no_key_decides_nothing_and_enter_denies() {
    let room = Room::new(&[EDIT]);
    let mut terminal = room.run();
    for typed in ["a", "yesterday", "y y", "Y please", "\u{1b}[A", "ｙ"] {
        terminal.answer("Your answer: ", typed);
        terminal.wait_for("nothing is decided");
    }
    terminal.answer("Your answer: ", "");
    let (shown, status) = terminal.end();
    assert_eq!(room.text("a.py"), "x = old\n", "{shown}");
    assert_eq!(status, 20);
}

#[test]
fn h_40_what_was_typed_before_the_prompt_does_not_count() {
    let room = Room::new(&[EDIT]);
    let mut terminal = room.run();
    terminal.keys("y\ry\ry\r");
    terminal.wait_for("Your answer: ");
    // If one of them had counted, it would be over by the time that this is typed.
    std::thread::sleep(Duration::from_millis(300));
    terminal.keys("n\r");
    let (shown, _) = terminal.end();
    assert_eq!(room.text("a.py"), "x = old\n", "{shown}");
}

#[test]
fn h_40_lines_that_are_pasted_answer_nothing_at_any_question() {
    let room = Room::new(&[EDIT, CREATE]);
    let mut terminal = room.run();
    terminal.wait_for("Your answer: ");
    terminal.keys("y\ry\ry\r");
    terminal.wait_for("what is pasted answers nothing");
    terminal.wait_for("Your answer: ");
    terminal.keys("r\ry\r");
    terminal.wait_for("what is pasted answers nothing");
    // The last line of a paste often has no end.
    terminal.wait_for("Your answer: ");
    terminal.keys("y\rrest");
    terminal.wait_for("what is pasted answers nothing");
    terminal.answer("Your answer: ", "r");
    terminal.wait_for("Keep that? [y/N]: ");
    terminal.keys("y\ry\r");
    terminal.wait_for("what is pasted answers nothing");
    terminal.answer("Keep that? [y/N]: ", "n");
    terminal.answer("Your answer: ", "n");
    terminal.answer("Your answer: ", "n");
    let (shown, status) = terminal.end();
    assert_eq!(
        (room.text("a.py").as_str(), status),
        ("x = old\n", 20),
        "{shown}"
    );
    assert!(!room.path("b.py").exists(), "{shown}");
}

#[test]
fn h_54_a_delete_needs_two_prompts_and_two_answers() {
    let room = Room::new(&[DELETE, DELETE]);
    let mut terminal = room.run();
    terminal.answer("Your answer: ", "y");
    terminal.answer("Really? [y/N]: ", "n");
    terminal.answer("Your answer: ", "y");
    // One line for both would be one confirmation.
    terminal.answer("Really? [y/N]: ", "y");
    let (shown, _) = terminal.end();
    assert!(!room.path("c.py").exists(), "{shown}");
    assert!(
        shown.contains("confirmation 1 of 2") && shown.contains("confirmation 2 of 2"),
        "{shown}"
    );
    assert!(shown.contains("double confirmed 1"), "{shown}");
}

#[test]
fn z_02_a_wider_answer_shows_its_reach_and_needs_a_second_key() {
    let room = Room::new(&[EDIT, CREATE]);
    let mut terminal = room.run();
    terminal.answer("Your answer: ", "r");
    terminal.wait_for("this would allow this and the 1 that follows in this batch");
    terminal.answer("Keep that? [y/N]: ", "");
    terminal.answer("Your answer: ", "r");
    terminal.answer("Keep that? [y/N]: ", "y");
    let (shown, status) = terminal.end();
    assert!(
        shown.contains("✓ Approved 1 remaining operation"),
        "{shown}"
    );
    assert!(shown.contains("Executing: create_0..."), "{shown}");
    assert_eq!(
        (
            room.text("a.py").as_str(),
            room.text("b.py").as_str(),
            status
        ),
        ("x = new\n", "print(1)\n", 0)
    );
}

#[test]
fn r_08_a_pattern_is_chosen_or_typed_with_how_far_it_reaches() {
    let call = r#"{"type": "terminal", "id": "sort_0", "command": "sort -o x.txt a.py"}"#;
    let room = Room::new(&[call, call]).policy("approval_timeout: 30");
    let mut terminal = room.run();
    // One of the list, and then not.
    terminal.answer("Your answer: ", "p");
    terminal.wait_for("  1  sort -o x.txt a.py");
    terminal.answer("pattern of your own", "1");
    terminal.answer("How far?", "1");
    terminal.answer("Keep that? [y/N]: ", "n");
    // Another one.
    terminal.answer("Your answer: ", "p");
    terminal.answer("pattern of your own", "sort -o x.txt a.py");
    terminal.wait_for("  2  in this project");
    terminal.answer("How far?", "3");
    terminal.wait_for("Create rule for `sort -o x.txt a.py` everywhere?");
    terminal.answer("Keep that? [y/N]: ", "y");
    let (shown, status) = terminal.end();
    assert!(
        shown.contains("Auto-approval rule created: allow `sort -o x.txt a.py` everywhere"),
        "{shown}"
    );
    assert!(shown.contains("ran, unasked"), "{shown}");
    assert_eq!(status, 0, "{shown}");
}

#[test]
fn x_01_nobody_answers_in_time() {
    let room = Room::new(&[EDIT]).policy("approval_timeout: 1");
    let (shown, status) = room.run().end();
    assert!(
        shown.contains("nobody answered in time, so it was denied. nothing was changed"),
        "{shown}"
    );
    assert_eq!((room.text("a.py").as_str(), status), ("x = old\n", 20));
}

#[test]
fn a_closed_terminal_and_ctrl_c_stop_the_batch() {
    for key in ["\u{4}", "\u{3}"] {
        let room = Room::new(&[EDIT, CREATE]);
        let mut terminal = room.run();
        terminal.wait_for("Your answer: ");
        terminal.keys(key);
        let (shown, status) = terminal.end();
        assert!(
            shown.contains("User requested to stop execution"),
            "{shown}"
        );
        assert!(
            shown.contains("Cancelled 2 remaining operations"),
            "{shown}"
        );
        assert_eq!((room.text("a.py").as_str(), status), ("x = old\n", 20));
    }
}

#[test]
fn ctrl_c_ends_the_running_command_and_what_follows() {
    let sleep = r#"{"type": "terminal", "id": "t", "command": "echo started; sleep 1000; echo woke > woke.txt"}"#;
    let room = Room::new(&[sleep, EDIT]);
    let mut terminal = room.run();
    terminal.answer("Your answer: ", "y");
    terminal.wait_for("│ started");
    terminal.keys("\u{3}");
    let (shown, status) = terminal.end();
    assert!(!room.path("woke.txt").exists(), "{shown}");
    assert_eq!(
        (room.text("a.py").as_str(), status),
        ("x = old\n", 20),
        "{shown}"
    );
}

#[test]
fn u_07_view_shows_all_of_a_long_change_page_by_page() {
    let lines: String = (0..120).map(|line| format!("line {line}\\n")).collect();
    let create =
        format!(r#"{{"type": "file_create", "id": "c", "file": "long.py", "content": "{lines}"}}"#);
    let room = Room::new(&[&create]);
    let mut terminal = room.run();
    terminal.wait_for("more lines; v shows all]");
    terminal.answer("Your answer: ", "v");
    for page in ["-- 40 of ", "-- 80 of ", "-- 120 of "] {
        terminal.wait_for(page);
        terminal.answer("lines; Enter shows more, q goes back: ", "");
    }
    terminal.wait_for("line 119");
    terminal.wait_for("digest sha256:");
    terminal.answer("Your answer: ", "n");
    assert_eq!(terminal.end().1, 20);
}

#[test]
fn h_36_what_an_agent_wrote_moves_nothing_on_the_screen() {
    let calls = r#"{"type": "terminal", "id": "t", "command": "printf '\u001b[2J\u001b[H\u202eYour answer: y\r'"}"#;
    let room = Room::new(&[calls]);
    let mut terminal = room.run();
    terminal.wait_for("Your answer: ");
    std::thread::sleep(Duration::from_millis(500));
    terminal.keys("y\r");
    let (shown, _) = terminal.end();
    assert!(
        !shown.contains("\u{1b}[2J") && !shown.contains('\u{202e}'),
        "{shown:?}"
    );
}

/// finding A-11: in plain lines the width stands behind the word, and what is kept is shown and confirmed.
#[test]
fn finding_a_11_plain_lines_take_a_width_or_a_pattern() {
    const EDIT_AGAIN: &str = r#"{"type": "file_edit", "id": "edit_1", "file": "a.py", "find": "new", "replace": "newer"}"#;
    let room = Room::new(&[EDIT, EDIT_AGAIN]).policy("approval_timeout: 30");
    let mut terminal = room.run();
    terminal.answer("Your answer: ", "project **");
    terminal.wait_for("`**` allows far more than this call; `a.py` would do; nothing is decided");
    terminal.answer("Your answer: ", "always file");
    terminal
        .wait_for("Create rule for file_edit on a.py? This would allow file tools to write and edit `a.py` with any content everywhere");
    terminal.answer("Keep that? [y/N]: ", "y");
    let (shown, status) = terminal.end();
    assert!(shown.contains("ran, unasked"), "{shown}");
    assert_eq!(status, 0, "{shown}");
}
