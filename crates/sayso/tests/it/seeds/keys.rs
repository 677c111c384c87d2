//! Tables of keys, and the commands of a session.

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::keymap::{Action, Keymap};

use super::{lines, table, text};
use crate::terminal::screen::{Room, create};

const ONCE: Action = Action::Allow(Scope::Once);

/// A key with the words that its document has for it.
type Named = (char, String);

fn keys_of_000() -> Vec<Named> {
    table("000-responses.md")
        .iter()
        .map(|row| {
            (
                row[0].chars().next().unwrap().to_ascii_lowercase(),
                row[1].clone(),
            )
        })
        .collect()
}

/// `[y] Approve  [n] Reject`, in one line or several.
fn in_brackets(name: &str) -> Vec<Named> {
    let text = text(name);
    let parts = text
        .split('[')
        .skip(1)
        .filter_map(|part| part.split_once(']'));
    parts
        .map(|(key, words)| (key.chars().next().unwrap(), words.trim().to_owned()))
        .collect()
}

fn keys_of_002() -> Vec<Named> {
    let lines = lines("002-keys.txt");
    lines
        .iter()
        .filter_map(|line| line.split_once('\t'))
        .map(|(key, words)| (key.chars().next().unwrap(), words.to_owned()))
        .collect()
}

/// The first letter of a line is the key; `ESC` is none of a keymap, since it denies under all of them.
fn keys_of_004() -> Vec<Named> {
    let lines = lines("004-keys.txt");
    lines
        .iter()
        .skip(1)
        .filter(|line| !line.starts_with("ESC"))
        .map(|line| (line.chars().next().unwrap(), line[1..].to_owned()))
        .collect()
}

/// What the words of a document say that a key does.
fn meant(profile: &str, words: &str) -> Action {
    let starts = |list: &[&str]| list.iter().any(|start| words.starts_with(start));
    match profile {
        // 003 AC: "always" is kept; Z-28 lets the person choose how far.
        "opencode" if starts(&["Always"]) => Action::Allow(Scope::Always),
        _ if starts(&["Approve all remaining"]) => Action::Allow(Scope::Batch),
        _ if starts(&["Approve for session", "Session"]) => Action::Allow(Scope::Session),
        _ if starts(&["Approve for project"]) => Action::Allow(Scope::Project),
        _ if starts(&["Always approve edits"]) => Action::Edits,
        _ if starts(&["Always approve"]) => Action::Allow(Scope::Always),
        _ if starts(&["Trust this tool"]) => Action::ServerTool,
        _ if starts(&["Approve", "approve", "Once"]) => ONCE,
        _ if starts(&["Deny", "deny", "Reject"]) => Action::Deny,
        _ if starts(&["Stop all", "Cancel operation"]) => Action::Quit,
        _ if starts(&["View"]) => Action::View,
        _ if starts(&["Pattern"]) => Action::Pattern,
        _ => panic!("{profile}: {words}"),
    }
}

fn all() -> [(&'static str, Vec<Named>, usize); 5] {
    [
        ("kollabor-spec", keys_of_000(), 5),
        ("llm-do", in_brackets("001-keys.txt"), 4),
        ("forge", keys_of_002(), 3),
        ("opencode", in_brackets("003-keys.txt"), 4),
        ("kollabor", keys_of_004(), 7),
    ]
}

#[test]
fn every_key_of_a_table_does_what_its_words_say() {
    for (profile, keys, count) in all() {
        assert_eq!(keys.len(), count, "{profile}: {keys:?}");
        for (key, words) in keys {
            assert_eq!(
                Keymap::named(profile).key(key),
                Some(meant(profile, &words)),
                "{profile}: `{key}` {words}"
            );
        }
    }
}

/// At a real terminal, under the profile of each document: its key for one yes, and its key for no.
#[test]
fn the_keys_of_a_table_answer_at_a_terminal() {
    for (profile, keys, _) in all() {
        let key_of = |action: Action| {
            keys.iter()
                .find(|(_, words)| meant(profile, words) == action)
                .unwrap()
                .0
                .to_string()
        };
        let calls = ["f.py", "g.py"].map(create);
        let room = Room::new(&calls).policy(&format!(
            "profile: {profile}\napproval_timeout: 0\nworkspace: {{outside: ask}}"
        ));
        let mut screen = room.run();
        for (number, action) in [(1, ONCE), (2, Action::Deny)] {
            screen.see(&format!("peration {number} of 2"));
            if profile == "llm-do" {
                // It asks in lines; what is typed in the first moment does not count.
                std::thread::sleep(std::time::Duration::from_secs(1));
                screen.send(&format!("{}\r", key_of(action)));
            } else {
                screen.press(&key_of(action));
            }
        }
        let (text, status) = screen.end();
        assert!(room.has("f.py") && !room.has("g.py"), "{profile}: {text}");
        assert_eq!(status, 20, "{profile}: {text}");
    }
}

/// 004: each line of its list of commands is one of a session.
#[test]
fn the_commands_of_004_are_known_in_a_session() {
    let room = Room::new(&[]).policy("profile: kollabor");
    let lines = lines("004-commands.txt");
    let commands: Vec<&String> = lines.iter().filter(|line| line.starts_with('/')).collect();
    assert_eq!(commands.len(), 6);
    let said = [
        "kollabor",
        "confirm-all",
        "high-risk-only",
        "trust-all",
        "this session:",
        "asked about again",
    ];
    for (command, said) in commands.iter().zip(said) {
        let mut screen = room.start(
            &format!("TERM=dumb exec {} chat", env!("CARGO_BIN_EXE_sayso")),
            120,
            60,
        );
        screen.see("you: ");
        screen.send(&format!("{command}\n"));
        screen.see(said);
        assert!(
            !screen.text().contains("there is no"),
            "{command}: {}",
            screen.text()
        );
    }
}
