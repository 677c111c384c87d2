//! Every key of every keymap at a painted prompt, and what it decides.

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::keymap::{Action, KEYMAPS, Keymap};

use super::screen::{Room, Screen, command, create};

fn room(keymap: &str, calls: &[String]) -> Room {
    Room::new(calls).policy(&format!(
        "keymap: {keymap}\nprompt_style: inline\napproval_timeout: 0"
    ))
}

fn key(keymap: &Keymap, action: Action) -> String {
    keymap.key_of(action).map(String::from).unwrap_or_default()
}

/// What the screen says about which one of the batch it is.
fn place(number: usize, total: usize) -> String {
    format!("operation {number} of {total}")
}

/// Once, no, Esc, what is no key, Enter, view, help, words for a denial, and the end of the batch.
fn the_plain_keys(name: &str) {
    let keymap = Keymap::named(name);
    let calls: Vec<String> = (1..=6)
        .map(|number| create(&format!("f{number}.py")))
        .collect();
    let room = room(name, &calls);
    let mut screen = room.run();
    let once = key(keymap, Action::Allow(Scope::Once));
    // What is no key, and Enter, decide nothing.
    screen.at(&place(1, 6), "z");
    screen.see("none of the keys");
    screen.press("\r");
    screen.see("Enter decides nothing");
    screen.press(&once);
    screen.at(&place(2, 6), &key(keymap, Action::Deny));
    screen.at(&place(3, 6), "\u{1b}");
    screen.at(&place(4, 6), &key(keymap, Action::View));
    screen.see("back to the question");
    screen.press("\u{1b}");
    screen.at(" wants to ", &key(keymap, Action::Help));
    screen.see(&format!("keys of the keymap `{name}`"));
    screen.press("x");
    screen.at(&place(4, 6), "\t");
    screen.see("Words for the agent");
    screen.send("not ");
    screen.send("this one");
    screen.see("> not this one");
    screen.press("\r");
    screen.see("denied by the person: not this one");
    // Where a capital goes no further, it is the same key (Z-04).
    let capital = once.to_uppercase();
    let folds = keymap.key(capital.chars().next().unwrap()) == Some(Action::Allow(Scope::Once));
    screen.at(&place(5, 6), if folds { &capital } else { &once });
    screen.at(&place(6, 6), &key(keymap, Action::Quit));
    let (text, status) = screen.end();
    let there: Vec<bool> = (1..=6)
        .map(|number| room.has(&format!("f{number}.py")))
        .collect();
    assert_eq!(there, [true, false, false, false, true, false], "{text}");
    assert!(text.contains("User requested to stop execution"), "{text}");
    assert_eq!(status, 20);
}

/// Every wider yes shows its reach, goes back, and counts with a second key.
fn the_wider_keys(name: &str) {
    let keymap = Keymap::named(name);
    let calls: Vec<String> = (1..=9)
        .map(|number| command(&format!("sort -o o{number}.txt a.py")))
        .collect();
    let room = room(name, &calls);
    let mut screen = room.run();
    let mut number = 1;
    for (scope, reach) in [
        (Scope::Session, "in this session"),
        (Scope::Project, "in this project"),
        (Scope::Always, "everywhere"),
    ] {
        let Some(key) = keymap.key_of(Action::Allow(scope)) else {
            continue;
        };
        screen.at(&place(number, 9), &key.to_string());
        screen.see(reach);
        back_and_forth(&mut screen, &key.to_string());
        screen.see(reach);
        screen.press("y");
        number += 1;
        screen.see(&place(number, 9));
    }
    if let Some(key) = keymap.key_of(Action::Pattern) {
        screen.at(&place(number, 9), &key.to_string());
        screen.see("Enter pattern");
        screen.press("\u{1b}");
        screen.see("pattern…");
    }
    if let Some(key) = keymap.key_of(Action::Allow(Scope::Batch)) {
        screen.at(&place(number, 9), &key.to_string());
        screen.see("that follow in this batch");
        screen.press("y");
        let (text, status) = screen.end();
        assert!(text.contains("Completed: 9/9"), "{text}");
        assert_eq!(status, 0, "{text}");
    } else {
        screen.at(&place(number, 9), &key(keymap, Action::Quit));
        let (text, _) = screen.end();
        assert!(
            text.contains(&format!("Completed: {}/9", number - 1)),
            "{text}"
        );
    }
}

/// Esc goes back, and so does any other key but `y`; a yes of the question itself is none here.
fn back_and_forth(screen: &mut Screen, key: &str) {
    screen.press("x");
    screen.see("only y keeps that");
    screen.press("\u{1b}");
    screen.see("help");
    screen.press(key);
}

macro_rules! keymaps {
    ($($test:ident, $wide:ident, $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                the_plain_keys($name);
            }

            #[test]
            fn $wide() {
                the_wider_keys($name);
            }
        )*

        #[test]
        fn i_01_every_keymap_is_tried() {
            let tried = [$($name),*];
            assert!(KEYMAPS.iter().all(|keymap| tried.contains(&keymap.name)) && tried.len() == KEYMAPS.len());
        }
    };
}

keymaps! {
    i_01_keys_of_sayso, z_02_wider_keys_of_sayso, "sayso";
    i_01_keys_of_kollabor_spec, z_02_wider_keys_of_kollabor_spec, "kollabor-spec";
    i_01_keys_of_llm_do, z_02_wider_keys_of_llm_do, "llm-do";
    i_01_keys_of_forge, z_02_wider_keys_of_forge, "forge";
    i_01_keys_of_opencode, z_02_wider_keys_of_opencode, "opencode";
    i_01_keys_of_kollabor, z_02_wider_keys_of_kollabor, "kollabor";
}

/// Z-58: `A` is for every edit of the workspace, in this session; a delete, a protected file and a command are none.
#[test]
fn the_key_for_all_edits_of_kollabor() {
    let edit =
        r#"{"type": "file_edit", "id": "e", "file": "a.py", "find": "old", "replace": "new"}"#
            .to_owned();
    let protected =
        r#"{"type": "file_write", "id": "p", "file": ".env", "content": "A=1\n"}"#.to_owned();
    let delete = r#"{"type": "file_delete", "id": "d", "file": "c.py"}"#.to_owned();
    let room = room(
        "kollabor",
        &[
            create("f1.py"),
            create("f2.py"),
            edit,
            command("sort -o o.txt a.py"),
            protected,
            delete,
        ],
    );
    let mut screen = room.run();
    screen.see(&place(1, 6));
    assert!(
        screen.text().contains("A all edits…") && !screen.text().contains("t this tool…"),
        "{}",
        screen.text()
    );
    // A small letter is another key.
    screen.press("?");
    screen.see("every write and edit of files in this workspace");
    screen.press("x");
    screen.at(&place(1, 6), "A");
    screen.see("every write and edit of files in this workspace");
    back_and_forth(&mut screen, "A");
    screen.press("y");
    // The next that is asked about is the command.
    screen.see(&place(4, 6));
    assert!(room.has("f1.py") && room.has("f2.py"));
    assert_eq!(
        std::fs::read_to_string(room.folder.join("a.py")).unwrap(),
        "x = new\n"
    );
    assert!(!screen.text().contains("A all edits…"), "{}", screen.text());
    screen.press("d");
    screen.at(&place(5, 6), "d");
    screen.at("confirmation 1 of 2", "d");
    let (text, _) = screen.end();
    assert!(
        !room.has("o.txt") && !room.has(".env") && room.has("c.py"),
        "{text}"
    );
}

#[test]
fn the_key_for_a_tool_of_a_server_of_kollabor() {
    let call = |number: u32| {
        format!(
            r#"{{"type": "mcp_tool", "id": "m{number}", "server": "github", "tool": "get_issue", "arguments": {{"number": {number}}}}}"#
        )
    };
    let room = room("kollabor", &[call(1), call(2), create("f.py")]);
    let command = serde_json::json!(crate::mcp::small());
    let servers =
        format!("version: 1\nservers:\n  github:\n    command: {command}\n    workspace: true\n");
    std::fs::write(room.home.join(".config/sayso/servers.yaml"), servers).unwrap();
    let tools = serde_json::json!([{"name": "get_issue", "description": "An issue.", "inputSchema": {"type": "object"}}]);
    std::fs::write(room.folder.join("tools.json"), tools.to_string()).unwrap();
    let mut screen = room.run();
    screen.see(&place(1, 3));
    screen.see("t this tool…");
    assert!(
        screen.text().contains("t this tool…") && !screen.text().contains("A all edits…"),
        "{}",
        screen.text()
    );
    screen.press("t");
    screen.see("every call of get_issue of the MCP server github in this session");
    screen.press("y");
    // The second call is of the same tool.
    screen.at(&place(3, 3), "t");
    screen.see("not offered here");
    screen.press("d");
    screen.end();
    assert!(!room.has("f.py"));
}
