//! The terminal tool with real processes.

mod ending;
mod environment;
mod left_behind;
mod many;
mod output;
mod places;
mod scripts;

use std::path::Path;
use std::time::Duration;

use sayso_core::text::node::{Node, Value};
use sayso_tools::result::ToolResult;
use sayso_tools::terminal::{self, Command, Outcome};

/// Long enough for anything that ends by itself, also on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(300);

fn in_folder(text: &str, folder: &Path) -> Command<'static> {
    // Tests are short; leaking keeps them readable.
    Command {
        time_limit: LONG,
        ..Command::new(text.to_owned().leak(), folder.to_owned().leak())
    }
}

fn command(text: &str) -> Command<'static> {
    in_folder(text, Path::new("/"))
}

fn run(command: Command<'_>) -> Outcome {
    terminal::run(command, &mut |_, _| {}).unwrap()
}

fn result(text: &str) -> ToolResult {
    run(command(text)).into()
}

fn output(text: &str) -> String {
    run(command(text)).output
}

fn fact<'a>(result: &'a ToolResult, name: &str) -> Option<&'a Node> {
    result
        .facts
        .iter()
        .find(|(given, _)| *given == name)
        .map(|(_, node)| node)
}

fn number(result: &ToolResult, name: &str) -> Option<u64> {
    fact(result, name).and_then(Node::as_whole)
}

/// Whether a process lives: neither gone nor dead and unwaited for.
fn lives(number: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Runs one test of this binary in a process of its own, under these variables.
pub(crate) fn alone(test: &str, variables: &[(&str, &str)]) -> String {
    let mut process = std::process::Command::new(std::env::current_exe().unwrap());
    process.args([
        "--exact",
        test,
        "--ignored",
        "--nocapture",
        "--test-threads",
        "1",
    ]);
    let out = process.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(
        out.status.success() && text.contains("1 passed"),
        "{test}: {text}\n{}",
        String::from_utf8_lossy(&out.stderr)
    );
    text
}

fn truth(node: Option<&Node>) -> Option<bool> {
    match node.map(|node| &node.value) {
        Some(Value::Bool(truth)) => Some(*truth),
        _ => None,
    }
}
