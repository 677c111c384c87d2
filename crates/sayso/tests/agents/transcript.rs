//! One session of Claude Code at a terminal, as a person sees it, for docs/agents.md: a denied call, an asked one, and one that is undone.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::stage::{Hook, Stage, bash, model, step};

const POLICY: &str = "version: 1
rules:
  - deny: {command: \"git push --force *\"}
    reason: rewrite history only by hand
";

/// Plays it, and gives what was seen.
pub fn play(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let notes = stage.workspace.join("notes.md");
    let model = model(vec![
        bash("git push --force origin main"),
        bash("touch build.log"),
        step(
            "Write",
            json!({"file_path": notes, "content": "# Notes\n\nWritten by the agent.\n"}),
        ),
    ]);
    let screen = stage.hooks_claude(Hook::Sayso, true).at_terminal(
        &model,
        &["--permission-mode", "default", "tidy up and push"],
    );
    let asked = screen.wait_for("Do you want to proceed?");
    screen.keys(&["Enter"]);
    screen.wait_for("DONE");
    std::thread::sleep(Duration::from_secs(1));
    let end = screen.text();
    assert!(stage.has("build.log") && stage.has("notes.md"), "{end}");
    let mut out = String::new();
    for (title, text) in [
        (
            "It is denied the push, and asks about the next command:",
            &asked,
        ),
        ("After yes:", &end),
    ] {
        writeln!(out, "{title}\n\n```text\n{}\n```\n", plain(&stage, text)).unwrap();
    }
    writeln!(out, "And then, in another terminal:\n\n```text").unwrap();
    for words in [
        &["undo", "--list"][..],
        &["undo", "--yes"],
        &["audit", "list"],
    ] {
        let said = stage.sayso(words);
        let said = said
            .rsplit_once('[')
            .map_or(said.as_str(), |(said, _)| said);
        writeln!(out, "$ sayso {}\n{}", words.join(" "), plain(&stage, said)).unwrap();
    }
    assert!(!stage.has("notes.md"), "it was undone");
    writeln!(out, "```").unwrap();
    out
}

/// Without what is only so on this machine, or only for show.
pub fn plain(stage: &Stage, text: &str) -> String {
    let text = text
        .replace(stage.home.to_str().unwrap(), "~")
        .replace(env!("CARGO_BIN_EXE_sayso"), "sayso");
    let is_kept = |line: &&str| {
        let empty = line.trim().is_empty();
        !empty
            && !line.contains("for shortcuts")
            && !line.contains("/effort")
            && !line.contains(['▐', '▝', '█', '✻'])
    };
    text.lines()
        .filter(is_kept)
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}
