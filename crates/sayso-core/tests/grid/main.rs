//! A grid of cases and policies: what the judge says of each case in every mode, kept in `expected/` to be looked through when it changes.
//!
//! `usual` has every case under the policy as it comes, a file for each part of `cases.txt`; `under` has a file for each other policy, with
//! the cases that it judges in another way. A row is: for some policies a letter for each mode (confirm-all, balanced, high-risk-only,
//! auto-approve-edits, safe-only, trust-all; · allow, ? ask, 2 ask twice, X deny); one for `--approve-all`, `--yolo`, `--strict` and nobody to
//! ask; risk/tier, terms, and the reasons in the policy's own mode, each with what it alone would decide (! must be asked) and where its rule
//! stands.
//!
//! `SAYSO_GRID=write cargo test -p sayso-core --test grid` writes it anew.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the product reads no environment and writes no file, but this test keeps what it found"
)]

mod scene;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sayso_core::analysis::draft::Command;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::{Confirm, Verdict};
use sayso_core::decide::{Case, Uses, decide};
use sayso_core::policy::command_pattern::CommandReader;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::mode::{MODES, Mode};
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::Source;
use scene::Scene;

/// One case a line; see [`scene`].
const CASES: &str = include_str!("cases.txt");
/// Policies, each behind a line `--- name`.
const POLICIES: &str = include_str!("policies.txt");
/// Policies as in [`POLICIES`], each with its own cases behind a line `===`.
const PAIRS: &str = include_str!("pairs.txt");

/// Rows as text, by the file below `expected/` that keeps them.
type Rows = BTreeMap<String, String>;

/// A reader that splits at blanks, for the words of rules.
struct Blanks;

impl CommandReader for Blanks {
    fn commands(&self, text: &str) -> Option<Vec<Command>> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Some(vec![Command {
            normal: words.clone(),
            words,
            literal: true,
            ..Command::default()
        }])
    }

    fn seen(&self, text: &str) -> Vec<Vec<String>> {
        text.split([';', '&', '|', '\n'])
            .map(|part| part.split_whitespace().map(str::to_owned).collect())
            .collect()
    }

    fn normal(&self, words: &[String]) -> Vec<String> {
        words.to_vec()
    }
}

/// Every rule was used three times.
#[derive(Debug)]
struct Thrice;

impl Uses for Thrice {
    fn count(&self, _: &str) -> u64 {
        3
    }
}

fn letter(verdict: &Verdict) -> char {
    sign(verdict.decision, verdict.confirm)
}

fn sign(decision: Decision, confirm: Confirm) -> char {
    match (decision, confirm) {
        (Decision::Allow, _) => '·',
        (Decision::Ask, Confirm::Double) => '2',
        (Decision::Ask, _) => '?',
        (Decision::Deny, _) => 'X',
    }
}

/// What stands behind each line `--- name`.
fn blocks(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("--- ")
        .skip(1)
        .map(|block| block.split_once('\n').unwrap())
}

/// The lines of a text that are cases.
fn cases(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// A policy of a person's file, of a project's file that nobody trusts if there is a second text, and of what was learned if there is a third.
fn policy(texts: &[&str], mode: Option<Mode>) -> Policy {
    let layers = texts
        .iter()
        .zip([Origin::User, Origin::UntrustedProject, Origin::Learned])
        .map(|(text, origin)| {
            let (layer, findings) = read(
                Source {
                    name: "policy",
                    text,
                },
                Format::Yaml,
                origin,
                &Blanks,
            );
            layer.unwrap_or_else(|| panic!("{findings:?}\n{text}"))
        });
    Policy::assemble(
        layers.collect(),
        &Overrides {
            mode,
            ..Overrides::default()
        },
        &Blanks,
    )
}

/// A policy as it is, and in each mode where that is looked at.
struct Judged {
    name: &'static str,
    own: Policy,
    modes: Vec<Policy>,
}

impl Judged {
    fn all() -> Vec<Judged> {
        let made = |(name, text): (&'static str, &'static str)| {
            let texts: Vec<&str> = text.split("~~~\n").collect();
            // Those with a star are looked at in every mode.
            let modes = MODES
                .iter()
                .filter(|_| name.ends_with('*'))
                .map(|(mode, _)| policy(&texts, Some(*mode)))
                .collect();
            Judged {
                name: name.trim_end_matches(" *"),
                own: policy(&texts, None),
                modes,
            }
        };
        blocks(POLICIES).map(made).collect()
    }
}

/// One row: a letter for each mode, one for each way to run, the weight, the terms that differ, and the reasons as they are told.
fn row(judged: &Judged, scene: &Scene) -> String {
    let judge = |policy: &Policy, run| {
        let case = Case {
            operation: &scene.operation,
            reading: &scene.reading,
            grants: &scene.grants,
            uses: if scene.counted { Some(&Thrice) } else { None },
            now: 1_000,
            run,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
                .containing(&scene.contains),
            trace: true,
        };
        decide(policy, &case)
    };
    let modes: String = judged
        .modes
        .iter()
        .map(|policy| letter(&judge(policy, Run::Interactive)))
        .collect();
    let modes = if modes.is_empty() {
        modes
    } else {
        format!("{modes} ")
    };
    let runs: String = [Run::ApproveAll, Run::Yolo, Run::Strict, Run::Nobody]
        .iter()
        .map(|run| letter(&judge(&judged.own, *run)))
        .collect();
    let verdict = judge(&judged.own, Run::Interactive);
    assert_eq!(verdict.digest, scene.operation.digest());
    assert!(!verdict.trace.is_empty());
    assert_eq!(
        verdict.confirm == Confirm::None,
        verdict.decision != Decision::Ask
    );
    let terms = &verdict.terms;
    let mut notes = String::new();
    for (name, paths) in [("reads", &terms.reads), ("changes", &terms.changes)] {
        if !paths.is_empty() {
            let _ = write!(notes, " {name}={}", paths.join(","));
        }
    }
    for (name, is) in [
        ("contained", terms.contained),
        ("repository", terms.repository),
    ] {
        if is {
            let _ = write!(notes, " {name}");
        }
    }
    for (name, value) in &terms.environment {
        let _ = write!(notes, " {name}={value}");
    }
    if let Some(limit) = terms.time_limit {
        let _ = write!(notes, " {limit}s");
    }
    let mut reasons = String::new();
    for reason in &verdict.reasons {
        let must = if reason.must_ask { "!" } else { "" };
        let at = reason
            .at
            .map_or(String::new(), |(start, end)| format!("@{start}-{end}"));
        let sign = sign(reason.decision, Confirm::Single);
        let source = if reason.rule.is_built_in() {
            String::new()
        } else {
            format!(" ({})", reason.rule.source())
        };
        let _ = write!(
            reasons,
            " [{sign}{must} {}{at}: {}{source}]",
            reason.rule.name(),
            reason.text()
        );
    }
    format!(
        "{modes}{runs} {}/{}{notes}{reasons}",
        verdict.risk.word(),
        verdict.tier.word()
    )
}

/// The name of a file for a title.
fn file_name(folder: &str, title: &str) -> String {
    let words: Vec<String> = title
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    format!("{folder}/{}.txt", words.join("-"))
}

/// What the judge says now.
fn rows() -> Rows {
    let mut rows = Rows::new();
    let mut add = |file: &str, case: &str, row: &str| {
        let _ = writeln!(rows.entry(file.to_owned()).or_default(), "{case}\n  {row}");
    };
    let policies = Judged::all();
    let mut part = String::new();
    for line in CASES.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix('#') {
            part = file_name("usual", title);
            continue;
        }
        let scene = Scene::read(line);
        let usual = row(&policies[0], &scene);
        add(&part, line, &usual);
        for judged in policies.iter().skip(1) {
            let other = row(judged, &scene);
            if other != usual && !usual.ends_with(&format!(" {other}")) {
                add(&file_name("under", judged.name), line, &other);
            }
        }
    }
    for (name, text) in blocks(PAIRS) {
        let (texts, lines) = text.split_once("===\n").unwrap();
        let texts: Vec<&str> = texts.split("~~~\n").collect();
        let judged = Judged {
            name,
            own: policy(&texts, None),
            modes: Vec::new(),
        };
        for line in cases(lines) {
            let case = format!("{name}: {line}");
            add("pairs.txt", &case, &row(&judged, &Scene::read(line)));
        }
    }
    rows
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grid/expected")
}

/// What it said before.
fn expected() -> Rows {
    let mut rows = Rows::new();
    let files = ["", "usual", "under"]
        .iter()
        .flat_map(|part| std::fs::read_dir(folder().join(part)).into_iter().flatten())
        .map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.is_file()) {
        let name = file.strip_prefix(folder()).unwrap().to_str().unwrap();
        rows.insert(name.to_owned(), std::fs::read_to_string(&file).unwrap());
    }
    rows
}

fn write(rows: &Rows) {
    let _ = std::fs::remove_dir_all(folder());
    for (file, text) in rows {
        let file = folder().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

#[test]
fn the_judge_says_of_every_case_what_it_said_before() {
    let now = rows();
    if std::env::var("SAYSO_GRID").is_ok_and(|word| word == "write") {
        write(&now);
    }
    let before = expected();
    let names = |rows: &Rows| -> Vec<String> { rows.keys().cloned().collect() };
    assert_eq!(names(&before), names(&now), "the files in `expected`");
    for (file, now) in &now {
        let before = &before[file];
        let differs = before
            .lines()
            .zip(now.lines())
            .find(|(before, now)| before != now);
        assert!(
            before == now,
            "{file}: the judge says something else now; first: {differs:#?}"
        );
    }
}

#[test]
fn the_strictest_of_two_agents_decides() {
    let texts = [
        "version: 1\nrules: [{allow: {command: \"make *\"}}]\nagents: {careful: {rules: [{deny: {command: \"make *\"}}]}}\n",
    ];
    for (line, decision) in [
        ("make all | agent builder | run", Decision::Allow),
        ("make all | agent builder careful | run", Decision::Deny),
        ("make all | agent careful builder | run", Decision::Deny),
    ] {
        let scene = Scene::read(line);
        let Scene {
            operation,
            reading,
            grants,
            ..
        } = &scene;
        let case = Case {
            operation,
            reading,
            grants,
            uses: None,
            now: 0,
            run: Run::Interactive,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        let verdict = decide(&policy(&texts, None), &case);
        assert_eq!(verdict.decision, decision, "{line}");
        assert!(verdict.trace.is_empty());
    }
}

#[test]
fn the_trace_tells_what_was_said_and_what_bounds() {
    let texts = ["version: 1\nsandbox: {auto_allow: run-in-workspace}\n"];
    for (line, run, told) in [
        ("make all | run", Run::Yolo, "--yolo was said for this run"),
        (
            "make all | run | contains",
            Run::Interactive,
            "contained: a sandbox bounds it",
        ),
        (
            "make all | run | grant exact",
            Run::Interactive,
            "grant: you allowed this before",
        ),
        (
            "cat a | run known | read a",
            Run::Interactive,
            "must ask: none",
        ),
        (
            "rm a | run known | delete a",
            Run::Interactive,
            "must ask: it deletes `/home/u/ws/a` [delete, built-in]",
        ),
    ] {
        let Scene {
            operation,
            reading,
            grants,
            contains,
            ..
        } = &Scene::read(line);
        let case = Case {
            operation,
            reading,
            grants,
            uses: None,
            now: 0,
            run,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY.containing(contains),
            trace: true,
        };
        let trace = decide(&policy(&texts, None), &case).trace;
        assert!(trace.iter().any(|step| step == told), "{line}: {trace:#?}");
    }
}

#[test]
fn who_trusts_all_and_says_strict_means_the_stricter() {
    let Scene {
        operation,
        reading,
        grants,
        ..
    } = &Scene::read("make all | run");
    for (run, decision) in [
        (Run::Interactive, Decision::Allow),
        (Run::Strict, Decision::Deny),
        (Run::Nobody, Decision::Allow),
    ] {
        let case = Case {
            operation,
            reading,
            grants,
            uses: None,
            now: 0,
            run,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        assert_eq!(
            decide(&policy(&["version: 1\n"], Some(Mode::TrustAll)), &case).decision,
            decision,
            "{run:?}"
        );
    }
}
