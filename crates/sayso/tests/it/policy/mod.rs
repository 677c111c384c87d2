//! Policies as people bring them: what the program makes of each key, list and file, and what it says about them.

mod log;
mod messages;
mod runtime;
mod safe_commands;
pub mod seeds;
mod shell_rules;
mod shown;
mod trust_all;
mod untrusted;

use crate::desk::{Desk, read};
use crate::program::{Outcome, run};
use serde_json::Value;

/// A desk with these files and the person's own policy.
pub fn desk(policy: &str, files: &[(&str, &str)]) -> Desk {
    let desk = Desk::with(files);
    desk.scene.user_policy(policy);
    desk
}

/// The program with these words.
pub fn sayso(desk: &Desk, words: &[&str]) -> Outcome {
    run(desk.program().args(words), b"")
}

/// What `sayso check --json` says of a command, with flags before it.
pub fn checked(desk: &Desk, flags: &[&str], command: &str) -> Value {
    let words = [&["check", "--json"][..], flags, &["--", command]].concat();
    read(&sayso(desk, &words))
}

/// The decision on a command.
pub fn decision(desk: &Desk, flags: &[&str], command: &str) -> String {
    checked(desk, flags, command)["decision"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// All six profiles.
pub const PROFILES: [&str; 6] = [
    "sayso",
    "kollabor-spec",
    "llm-do",
    "forge",
    "opencode",
    "kollabor",
];

/// The texts of all reasons, one a line.
pub fn reasons(checked: &Value) -> String {
    let texts = checked["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| reason["text"].as_str().unwrap());
    texts.collect::<Vec<_>>().join("\n")
}
