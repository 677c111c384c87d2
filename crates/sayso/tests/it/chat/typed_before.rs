//! What was typed in earlier sessions comes back, from a file that may hold anything.

use std::os::unix::fs::PermissionsExt as _;

use super::at_screen::{READY, open, say};
use crate::terminal::screen::Room;

#[test]
fn what_was_typed_comes_back_in_the_next_session() {
    let room = Room::new(&[]);
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "say the older words");
    screen.see("▍ the older words");
    say(&mut screen, "say the newer words");
    screen.see("▍ the newer words");
    say(&mut screen, " say a secret");
    screen.see("▍ a secret");
    say(&mut screen, "/quit");
    assert_eq!(screen.end().1, 0);
    let file = room.home.join(".local/state/sayso/chat-history.jsonl");
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(
        !std::fs::read_to_string(&file).unwrap().contains("secret"),
        "what starts with a blank is not kept"
    );
    let mut screen = open(&room, "", 100, 30);
    for wanted in ["/quit", "say the newer words", "say the older words"] {
        screen.send("\x1b[A");
        screen.see(&format!("› {wanted}▏"));
    }
    for _ in 0..3 {
        screen.send("\x1b[B");
    }
    screen.see(READY);
    screen.send("\x12old");
    screen.see("find > old▏");
    screen.see("› say the older words");
    screen.send("\r");
    screen.see("› say the older words▏");
    screen.send("\r");
    screen.see("▍ the older words");
}

#[test]
fn a_hostile_file_moves_nothing() {
    let room = Room::new(&[]);
    let state = room.home.join(".local/state/sayso");
    std::fs::create_dir_all(&state).unwrap();
    let file = state.join("chat-history.jsonl");
    std::fs::write(
        &file,
        b"\xff\xfe\n{}\n\"say \\u001b[2J\\u202eevil\\r\"\n[[[[\n\"half",
    )
    .unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut screen = open(&room, "", 100, 30);
    screen.send("\x1b[A");
    screen.see("› say ␛[2J‹U+202E›evil␍▏");
    screen.send("\x1b[A");
    screen.send("x");
    screen.see("evil␍x▏");
    assert!(
        screen.text().contains("sayso chat in"),
        "nothing was cleared:\n{}",
        screen.text()
    );
    drop(screen);
    // One that is no file, and one that is huge: a session starts all the same.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "say hello");
    screen.see("▍ hello");
    drop(screen);
    std::fs::remove_dir(&file).unwrap();
    std::fs::File::create(&file)
        .unwrap()
        .set_len(40 << 30)
        .unwrap();
    open(&room, "", 100, 30);
}
