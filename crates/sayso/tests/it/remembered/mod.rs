//! `sayso rules` and `sayso grants` with the real program: what an answer leaves, what is added by hand, and taking it back.

mod attacks;
mod exchange;
mod grants;
mod rules;
mod suggest;

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::program::{Outcome, run};

/// `sayso WORDS`.
fn sayso(desk: &Desk, words: &[&str]) -> Outcome {
    run(
        desk.program()
            .current_dir(&desk.scene.workspace)
            .args(words),
        b"",
    )
}

/// The lines of a list as values.
fn listed(desk: &Desk, what: &str) -> Vec<Value> {
    let out = sayso(desk, &[what, "list", "--json"]).is(0, what);
    out.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn command(text: &str) -> Value {
    json!({"type": "terminal", "command": text})
}

/// How one command ends where nobody is asked.
fn outcome(desk: &Desk, text: &str) -> String {
    let (result, _) = desk.result(&["--strict"], command(text));
    result["outcome"].as_str().unwrap().to_owned()
}
