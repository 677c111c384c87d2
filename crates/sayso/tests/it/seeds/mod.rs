//! The data of the documents that sayso grew from, as `corpus/seeds` holds it, given to the real program under the profile of each.

mod commands;
mod configs;
mod events;
mod files;
mod keys;

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::numbers::root;

/// A file of `corpus/seeds`.
fn text(name: &str) -> String {
    let path = root().join("corpus/seeds").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Its lines.
fn lines(name: &str) -> Vec<String> {
    text(name).lines().map(str::to_owned).collect()
}

/// The cells of the rows of a table, without its head.
fn table(name: &str) -> Vec<Vec<String>> {
    let cells = |line: &String| {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace('`', ""))
            .collect()
    };
    lines(name).iter().skip(2).map(cells).collect()
}

/// What `sayso check --jsonl` answers to calls (tool, arguments, agent), one object each.
fn verdicts(desk: &Desk, profile: &str, calls: &[(&str, Value, &str)]) -> Vec<Value> {
    let call = |(tool, args, agent): &(&str, Value, &str)| json!({"tool": tool, "args": args, "agent": agent, "cwd": desk.scene.folder()});
    let input: String = calls.iter().map(|one| format!("{}\n", call(one))).collect();
    let mut program = desk.program();
    program
        .args(["check", "--jsonl", "--profile", profile, "-C"])
        .arg(&desk.scene.workspace);
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    let answers: Vec<Value> = String::from_utf8(done.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), calls.len());
    answers
}

/// The same for commands.
fn commands_by(desk: &Desk, profile: &str, commands: &[String]) -> Vec<Value> {
    let calls: Vec<_> = commands
        .iter()
        .map(|command| ("terminal", json!({"command": command}), ""))
        .collect();
    verdicts(desk, profile, &calls)
}

fn decision(verdict: &Value) -> &str {
    verdict["decision"].as_str().unwrap_or_default()
}

/// A desk with a configuration of a document as the person's own policy, as it stands there.
fn desk(config: &str, files: &[(&str, &str)]) -> Desk {
    crate::policy::seeds::desk(&[config], files)
}
