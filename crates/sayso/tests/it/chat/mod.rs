//! `sayso chat`: models at endpoints that behave and that do not, and one turn without a screen.

mod at_screen;
mod attacks;
mod broken;
mod endpoint;
mod in_lines;
mod keys;
mod ledger;
mod models;
mod once;
mod permissions;
mod served;
mod settings;
mod typed_before;
mod workflows;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::terminal::screen::Room;

/// The key of all endpoints here.
const KEY: &str = "sk-secret-of-the-test";

/// `sayso chat` in a room, with no terminal.
fn chat(room: &Room, args: &[&str], piped: &str) -> Output {
    use std::io::Write as _;
    let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
    command
        .arg("chat")
        .args(args)
        .current_dir(&room.folder)
        .env_clear();
    command
        .env("HOME", &room.home)
        .env("PATH", "/usr/bin:/bin")
        .env("TEST_KEY", KEY);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(piped.as_bytes());
    child.wait_with_output().unwrap()
}

/// What the person's file says of one endpoint.
fn configure(room: &Room, api: &str, url: &str, more: &str) {
    let file = room.home.join(".config/sayso/chat.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let url = if api == "openai" {
        format!("{url}/v1")
    } else {
        url.to_owned()
    };
    std::fs::write(file, format!("model: test\nmodels:\n  test: {{api: {api}, url: '{url}', model: m1, key_env: TEST_KEY{more}}}\n"))
        .unwrap();
}

/// Everything that sayso keeps, as text.
fn everything(folder: &Path) -> String {
    let mut out = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => out.push_str(&everything(&path)),
            false => out.push_str(&String::from_utf8_lossy(
                &std::fs::read(&path).unwrap_or_default(),
            )),
        }
    }
    out
}
