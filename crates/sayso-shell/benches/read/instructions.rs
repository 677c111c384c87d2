//! Counts the instructions of each text with valgrind and compares them with the limits in `instructions.txt`.
//!
//! Unlike times, the counts hardly differ between runs and machines, so a limit can be a test. A limit is one and a half times what was
//! counted when it was written; a text of twice the size may take no more than two and a half times as many.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use crate::cases::{self, HOSTILE, NEARLY, repeat};

/// How often a case is run for one count, so that the start of the process does not matter.
const TIMES: u64 = 20;
/// How much more twice the text may take.
const STEP: f64 = 2.5;
const HALF: &str = "half of ";

fn limits_file() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/read/instructions.txt")
}

/// The text of a name, and how often it is read.
fn text(name: &str) -> Option<(String, u64)> {
    if let Some(piece) = name
        .strip_prefix(HALF)
        .and_then(|name| HOSTILE.iter().find(|(other, _)| *other == name))
    {
        return Some((repeat(piece.1, NEARLY / 2), 1));
    }
    let case = cases::all().into_iter().find(|case| case.name == name)?;
    let text = case.text();
    let times = if text.len() < 1024 { TIMES } else { 1 };
    Some((text, times))
}

/// What valgrind runs: one text and nothing else.
pub(crate) fn run_case(name: &str) -> ExitCode {
    if name != "nothing" {
        let Some((text, times)) = text(name) else {
            return ExitCode::FAILURE;
        };
        for _ in 0..times {
            drop(black_box(sayso_shell::analyse(black_box(&text))));
        }
    }
    ExitCode::SUCCESS
}

fn count(name: &str) -> Option<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args([
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
    ]);
    valgrind
        .arg(std::env::current_exe().ok()?)
        .args(["--case", name]);
    let output = valgrind
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text
        .lines()
        .find(|line| line.contains("I   refs:") || line.contains("I refs:"))?;
    line.rsplit(':')
        .next()?
        .replace(',', "")
        .trim()
        .parse()
        .ok()
}

/// The counts of all names, on all cores.
fn counts(names: &[String]) -> HashMap<String, u64> {
    let found = Mutex::new(HashMap::new());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(name) =
                    names.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    if let (Some(count), Ok(mut found)) = (count(name), found.lock()) {
                        found.insert(name.clone(), count);
                    }
                }
            });
        }
    });
    found.into_inner().unwrap_or_default()
}

fn limits() -> HashMap<String, u64> {
    let text = std::fs::read_to_string(limits_file()).unwrap_or_default();
    let line = |line: &str| {
        let (limit, name) = line.split_once("  ")?;
        Some((name.to_owned(), limit.replace('_', "").parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

fn with_marks(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    out
}

/// Counts everything and compares; or writes new limits.
pub(crate) fn check(write: bool) -> ExitCode {
    let Some(start) = count("nothing") else {
        eprintln!("SKIPPED: instructions are not counted, as valgrind does not run here");
        return ExitCode::SUCCESS;
    };
    let cases: Vec<String> = cases::all().into_iter().map(|case| case.name).collect();
    let halves: Vec<String> = HOSTILE
        .iter()
        .map(|(name, _)| format!("{HALF}{name}"))
        .collect();
    let found = counts(&[&cases[..], &halves[..]].concat());
    let of = |name: &str| found.get(name).map(|count| count.saturating_sub(start));
    if write {
        let mut out = String::from(
            "Instructions that each text may take; written by `cargo bench -p sayso-shell -- --instructions --write`.\n\n",
        );
        for name in &cases {
            let _ = writeln!(
                out,
                "{}  {name}",
                with_marks(of(name).unwrap_or_default() * 3 / 2)
            );
        }
        std::fs::write(limits_file(), out).expect("the file of limits can be written");
        return ExitCode::SUCCESS;
    }
    let (limits, mut failures) = (limits(), Vec::new());
    for name in &cases {
        match (of(name), limits.get(name)) {
            (None, _) => failures.push(format!("{name}: could not be counted")),
            (Some(_), None) => failures.push(format!("{name}: has no limit")),
            (Some(count), Some(limit)) => {
                let share = count as f64 / *limit as f64;
                println!(
                    "{:>14}  {:>3.0} % of its limit  {name}",
                    with_marks(count),
                    share * 100.0
                );
                if share > 1.0 {
                    failures.push(format!(
                        "{name}: {} instructions are {:.0} % over the limit",
                        with_marks(count),
                        (share - 1.0) * 100.0
                    ));
                }
            }
        }
    }
    for ((name, _), half) in HOSTILE.iter().zip(&halves) {
        let (Some(half), Some(whole)) = (of(half), of(&format!("64 KiB of {name}"))) else {
            continue;
        };
        let step = whole as f64 / half.max(1) as f64;
        if step > STEP {
            failures.push(format!(
                "{name}: twice the text takes {step:.1} times as many instructions"
            ));
        }
    }
    if failures.is_empty() {
        println!("{} texts keep to their limits", cases.len());
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "{}\nIf a change is worth it, `cargo bench -p sayso-shell -- --instructions --write` sets new limits.",
        failures.join("\n")
    );
    ExitCode::FAILURE
}
