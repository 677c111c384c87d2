//! Runs the examples of the documents: every `console` block is played in a scratch workspace and compared with what it shows.
//!
//! A line `$ command` is run by the shell; the lines below it are its output. `...` stands for anything, within a line or for whole lines.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing test may panic anywhere"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents() -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = [
        "README.md",
        "SECURITY.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
    ]
    .iter()
    .map(|name| root().join(name))
    .collect();
    let mut open = vec![root().join("docs")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// The fenced blocks of a language, with the line each starts at.
fn blocks(text: &str, language: &str) -> Vec<(usize, Vec<String>)> {
    let mut out = Vec::new();
    let mut current: Option<(usize, Vec<String>)> = None;
    for (number, line) in text.lines().enumerate() {
        match &mut current {
            Some((start, lines)) if line.starts_with("```") => {
                out.push((*start, std::mem::take(lines)));
                current = None;
            }
            Some((_, lines)) => lines.push(line.to_owned()),
            None if line == format!("```{language}") => current = Some((number + 2, Vec::new())),
            None => {}
        }
    }
    out
}

/// Whether a line is as shown, where `...` stands for anything.
fn line_fits(shown: &str, got: &str) -> bool {
    let mut rest = got;
    let parts: Vec<&str> = shown.split("...").collect();
    for (index, part) in parts.iter().enumerate() {
        let at = match index {
            0 => rest.starts_with(part).then_some(0),
            _ if index == parts.len() - 1 && !part.is_empty() => {
                rest.ends_with(part).then(|| rest.len() - part.len())
            }
            _ => rest.find(part),
        };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || shown.ends_with("...")
}

fn output_fits(shown: &[String], got: &[&str]) -> bool {
    match shown.split_first() {
        None => got.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=got.len()).any(|skipped| output_fits(rest, &got[skipped..]))
        }
        Some((line, rest)) => got
            .split_first()
            .is_some_and(|(first, others)| line_fits(line, first) && output_fits(rest, others)),
    }
}

fn scratch() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().unwrap();
    let workspace = scratch.path().join("workspace");
    std::fs::create_dir_all(workspace.join("src")).unwrap();
    std::fs::create_dir_all(scratch.path().join("home")).unwrap();
    std::fs::write(workspace.join("src/main.rs"), "fn main() {}\n").unwrap();
    scratch
}

fn play(scratch: &Path, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_sayso"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let home = scratch.join("home");
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(scratch.join("workspace"))
        .env("PATH", path)
        .env("HOME", &home)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_STATE_HOME")
        .env_remove("SAYSO_MODE")
        .env_remove("SAYSO_PROFILE")
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn every_console_example_shows_what_really_happens() {
    let mut played = 0;
    let mut wrong = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        let scratch = scratch();
        for (start, lines) in blocks(&text, "console") {
            let mut at = 0;
            while at < lines.len() {
                let command = lines[at].strip_prefix("$ ").unwrap_or_else(|| {
                    panic!("{}:{}: not a command", document.display(), start + at)
                });
                let end = (at + 1..lines.len())
                    .find(|line| lines[*line].starts_with("$ "))
                    .unwrap_or(lines.len());
                let got = play(scratch.path(), command);
                played += 1;
                if !output_fits(&lines[at + 1..end], &got.lines().collect::<Vec<_>>()) {
                    wrong.push(format!(
                        "{}:{}: `{command}` printed:\n{got}",
                        document.display(),
                        start + at
                    ));
                }
                at = end;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        played >= 10,
        "only {played} examples were found, so the search for them is broken"
    );
}

#[test]
fn every_policy_in_the_documents_can_be_read() {
    let mut read = 0;
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for (start, lines) in blocks(&text, "yaml") {
            let scratch = scratch();
            std::fs::write(
                scratch.path().join("workspace/example.yaml"),
                lines.join("\n"),
            )
            .unwrap();
            let got = play(scratch.path(), "sayso policy check example.yaml");
            assert!(
                got.contains(" 0 errors"),
                "{}:{start}:\n{got}",
                document.display()
            );
            read += 1;
        }
    }
    assert!(read >= 3, "only {read} policies were found");
}

#[test]
fn links_between_the_documents_lead_somewhere() {
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if target.contains("://") || target.starts_with('#') {
                continue;
            }
            let file = document
                .parent()
                .unwrap()
                .join(target.split('#').next().unwrap());
            // The table of benchmarks is made by a run; every other target has to be there.
            assert!(
                file.exists(),
                "{} links to {target}, which is not there",
                document.display()
            );
        }
    }
}
