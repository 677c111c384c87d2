//! sayso with the real agents: each does what a scripted model tells it, and what runs is what the policy allows.
//!
//! `./test --agents` installs the agents and starts this; without them it says that it did nothing. Words on its command line choose
//! cases by their names. With `SAYSO_WRITE_NUMBERS` it writes the table of what it saw to docs/agents.md, and else compares it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod acp;
mod cases_acp;
mod cases_claude;
mod cases_codex;
mod cases_inbox;
mod cases_mcp;
mod cases_others;
mod cases_screen;
mod claude;
mod codex;
mod editor;
mod others;
mod screen;
mod stage;
mod table;
mod transcript;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// One thing that an agent is made to do.
#[derive(Clone)]
pub struct Case {
    /// The agent, and how it runs.
    pub row: &'static str,
    /// What is tried.
    pub column: &'static str,
    /// Tries it, insists on what has to hold everywhere, and says in a word what happened.
    pub run: fn(&Path) -> String,
}

fn main() -> ExitCode {
    let Some(agents) = std::env::var_os("SAYSO_AGENTS").map(PathBuf::from) else {
        println!("SKIPPED: nothing was tried with the real agents; run `./test --agents`");
        return ExitCode::SUCCESS;
    };
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let is_wanted = |case: &Case| {
        wanted
            .iter()
            .all(|word| format!("{}: {}", case.row, case.column).contains(word.as_str()))
    };
    let cases: Vec<Case> = [
        cases_claude::all(),
        cases_inbox::all(),
        cases_screen::all(),
        cases_codex::all(),
        cases_others::all(),
        cases_mcp::all(),
        cases_acp::all(&agents),
    ]
    .into_iter()
    .flatten()
    .filter(is_wanted)
    .collect();
    let (mut seen, mut failed) = (Vec::new(), 0);
    for case in &cases {
        let start = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| (case.run)(&agents)));
        let words = done.unwrap_or_else(|_| {
            failed += 1;
            "FAILED".to_owned()
        });
        println!(
            "{}: {}: {words} ({} ms)",
            case.row,
            case.column,
            start.elapsed().as_millis()
        );
        seen.push((case.row, case.column, words));
    }
    let (of_mcp, seen): (Vec<_>, Vec<_>) = seen
        .into_iter()
        .partition(|(row, ..)| cases_mcp::ROWS.contains(row));
    if failed == 0
        && of_mcp.len() == cases_mcp::all().len()
        && std::env::var_os("SAYSO_WRITE_NUMBERS").is_some()
    {
        cases_mcp::write(&agents, &of_mcp);
    }
    let (editors, seen): (Vec<_>, Vec<_>) = seen
        .into_iter()
        .partition(|(row, _, _)| cases_acp::ROWS.contains(row));
    if failed == 0 && wanted.is_empty() {
        table::check(&agents, &seen);
    }
    if failed == 0 && (wanted.is_empty() || wanted == ["acp"]) {
        table::check_editors(&editors);
    }
    if failed == 0 && wanted == ["inbox"] && std::env::var_os("SAYSO_WRITE_NUMBERS").is_some() {
        table::write_inbox(&agents);
    }
    println!("{} cases with real agents, {failed} failed", cases.len());
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
