//! Every key of every keymap at a painted prompt, and what it decides.

use sayso_core::keymap::{Action, KEYMAPS, Keymap};
use sayso_core::prompt::Scope;

use super::screen::{Room, Screen, command, create};

fn room(keymap: &str, calls: &[String]) -> Room {
    Room::new(calls).policy(&format!("keymap: {keymap}\nprompt_style: inline\napproval_timeout: 0"))
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
    let calls: Vec<String> = (1..=6).map(|number| create(&format!("f{number}.py"))).collect();
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
    screen.at("PERMISSION REQUIRED", &key(keymap, Action::Help));
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
    let there: Vec<bool> = (1..=6).map(|number| room.has(&format!("f{number}.py"))).collect();
    assert_eq!(there, [true, false, false, false, true, false], "{text}");
    assert!(text.contains("User requested to stop execution"), "{text}");
    assert_eq!(status, 20);
}

/// Every wider yes shows its reach, goes back, and counts with a second key.
fn the_wider_keys(name: &str) {
    let keymap = Keymap::named(name);
    let calls: Vec<String> = (1..=9).map(|number| command(&format!("sort -o o{number}.txt a.py"))).collect();
    let room = room(name, &calls);
    let mut screen = room.run();
    let mut number = 1;
    for (scope, reach) in [(Scope::Session, "in this session"), (Scope::Project, "in this project"), (Scope::Always, "everywhere")] {
        let Some(key) = keymap.key_of(Action::Allow(scope)) else { continue };
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
        assert!(text.contains(&format!("Completed: {}/9", number - 1)), "{text}");
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
