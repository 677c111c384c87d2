//! The execution oracle: silent commands are really run, with the real programs, and every program they start and every file they write is
//! traced. All of it must be among what the verdict listed.
//!
//! `SAYSO_TRACED_CASES` says how many commands are run, and `SAYSO_ORACLE_SEED` which ones. They find the programs of `programs.txt`; with
//! `SAYSO_TRACED_PROGRAMS=all` they find all that is installed.

pub(crate) mod ground;
pub(crate) mod judge;
pub(crate) mod trace;

use std::collections::{BTreeMap, HashSet};

use ground::Ground;
use judge::{Judge, Violation};

use crate::oracle::{generate, number, rows};

/// How many commands share one start of the sandbox.
const BATCH: usize = 100;
/// How many are run when nothing else is said.
const USUAL: usize = 300;
/// Everyday commands that only look.
const SILENT: &str = include_str!("../../../../sayso-shell/tests/table_rows/silent.txt");

/// Different commands that are silent, made from the corpora and the grammar of the other oracle.
fn silent_commands(judge: &Judge, seed: u64, count: usize) -> (Vec<String>, usize) {
    let mut pool = rows::commands();
    pool.extend(
        SILENT
            .lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned),
    );
    pool.retain(|text| judge.is_silent(text));
    let mut known: HashSet<String> = HashSet::new();
    let (mut out, mut judged) = (Vec::new(), 0);
    // A third are the rows as they are, if there are as many.
    let step = (pool.len() / (count / 3).max(1)).max(1);
    for text in pool
        .iter()
        .skip(seed as usize % step)
        .step_by(step)
        .take(count / 3)
    {
        if known.insert(text.clone()) {
            out.push(text.clone());
        }
    }
    for turn in 0..400 {
        for text in generate::scripts(seed.wrapping_mul(1_000).wrapping_add(turn), 1_000, &pool) {
            judged += 1;
            if out.len() < count && !known.contains(&text) && judge.is_silent(&text) {
                known.insert(text.clone());
                out.push(text);
            }
        }
        if out.len() >= count {
            break;
        }
    }
    (out, judged)
}

fn report(violations: &[Violation]) -> String {
    let mut kinds: BTreeMap<&str, Vec<&Violation>> = BTreeMap::new();
    for violation in violations {
        kinds.entry(violation.kind).or_default().push(violation);
    }
    let mut out = String::new();
    for (kind, mut list) in kinds {
        list.sort_by_key(|violation| violation.text.len());
        out.push_str(&format!("{} × {kind}:\n", list.len()));
        for violation in list.iter().take(number("SAYSO_ORACLE_SHOW", 12)) {
            out.push_str(&format!("  {:?}\n    {}\n", violation.text, violation.what));
        }
    }
    out
}

#[test]
fn silent_commands_start_and_write_only_what_is_listed() {
    let (count, seed) = (
        number("SAYSO_TRACED_CASES", USUAL),
        number("SAYSO_ORACLE_SEED", 7),
    );
    let ground = match Ground::new() {
        Ok(ground) => ground,
        Err(reason) => return skipped(&reason),
    };
    let start = std::time::Instant::now();
    let judge = Judge::new(&ground);
    let (texts, judged) = silent_commands(&judge, seed as u64, count);
    let (mut started, mut programs, mut written, mut late, mut violations) =
        (0, HashSet::new(), 0, 0, Vec::new());
    for texts in texts.chunks(BATCH) {
        let traces = match ground.run(texts) {
            Ok(traces) => traces,
            Err(reason) if started == 0 => return skipped(&reason),
            Err(reason) => panic!("{reason}"),
        };
        for (text, trace) in texts.iter().zip(&traces) {
            started += trace.started.len();
            written += trace.written.len();
            late += usize::from(trace.late);
            programs.extend(
                trace
                    .started
                    .iter()
                    .map(|program| program.name().to_owned()),
            );
            violations.extend(judge.violations(text, text, trace));
        }
    }
    eprintln!(
        "{} silent commands from seed {seed} ({judged} were judged for them), {} s: {started} programs were started, {} different ones, \
         {written} files were opened for writing, {late} commands were stopped; {} violations",
        texts.len(),
        start.elapsed().as_secs(),
        programs.len(),
        violations.len()
    );
    assert_eq!(texts.len(), count, "there are not enough silent commands");
    assert!(started > count / 2, "only {started} programs were started");
    assert!(
        violations.is_empty(),
        "silent commands did more than was listed:\n{}",
        report(&violations)
    );
}

#[test]
fn the_tracer_bites() {
    let ground = match Ground::new() {
        Ok(ground) => ground,
        Err(reason) => return skipped(&reason),
    };
    // What really runs, and what the judge is told instead.
    let rows = [
        (
            "cat README.md; sort README.md",
            "cat README.md",
            "started what is not listed",
        ),
        (
            "env sh -c 'cat README.md'",
            "cat README.md",
            "started what is not listed",
        ),
        (
            "cat README.md > made",
            "cat README.md",
            "wrote what is not listed",
        ),
        (
            "mkdir made-folder",
            "mkdir other-folder",
            "wrote what is not listed",
        ),
        (
            "cp README.md made-copy",
            "cp README.md other-copy",
            "wrote what is not listed",
        ),
        ("rm list.txt", "rm other", "wrote what is not listed"),
        (
            "chmod 600 data.csv",
            "chmod 600 README.md",
            "wrote what is not listed",
        ),
    ];
    let texts: Vec<String> = rows.iter().map(|(text, ..)| (*text).to_owned()).collect();
    let traces = match ground.run(&texts) {
        Ok(traces) => traces,
        Err(reason) => return skipped(&reason),
    };
    let judge = Judge::new(&ground);
    for ((text, told, kind), trace) in rows.iter().zip(&traces) {
        let found = judge.violations(told, text, trace);
        assert!(
            found.iter().any(|violation| violation.kind == *kind),
            "{text}: {found:?}\n{trace:?}"
        );
        let found = judge.violations(text, text, trace);
        assert!(found.is_empty(), "{text} is listed as it is: {found:?}");
    }
}

/// finding W-26: commands find the known programs and no other one, whatever is installed.
#[test]
fn finding_w_26_commands_find_only_known_programs() {
    let ground = match Ground::new() {
        Ok(ground) => ground,
        Err(reason) => return skipped(&reason),
    };
    let installed = std::fs::read_dir("/usr/bin")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let is_plain = |name: &String| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let unknown: Vec<String> = installed
        .filter(|name| is_plain(name) && !ground::is_known(name))
        .take(20)
        .collect();
    let texts: Vec<String> = unknown
        .iter()
        .flat_map(|name| [name.clone(), format!("/usr/bin/{name}")])
        .chain(["ls".to_owned()])
        .collect();
    let traces = match ground.run(&texts) {
        Ok(traces) => traces,
        Err(reason) => return skipped(&reason),
    };
    let (ls, others) = traces.split_last().unwrap();
    assert_eq!(ls.started.len(), 1, "{ls:?}");
    if !ground::is_whole_machine() {
        assert!(
            others.iter().all(|trace| trace.started.is_empty()),
            "{others:?}"
        );
    }
}

fn skipped(reason: &str) {
    eprintln!("SKIPPED: silent commands were not really run: {reason}");
}
