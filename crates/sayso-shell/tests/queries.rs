//! Rows that only ask a program about itself, against what the real programs did (`tests/queries/run.py` runs them and writes the list).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use common::looks;
use sayso_shell::analyse;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/programs/queries")
}

/// All rows of the table: a program and a form.
fn rows() -> BTreeSet<(String, String)> {
    let mut rows = BTreeSet::new();
    for line in fs::read_to_string(folder().join("rows.txt"))
        .unwrap()
        .lines()
        .filter(|line| !line.is_empty())
    {
        let (names, forms) = line.split_once(':').unwrap();
        for name in names.split_whitespace() {
            rows.extend(
                forms
                    .split('|')
                    .map(|form| (name.to_owned(), form.trim().to_owned())),
            );
        }
    }
    for name in fs::read_to_string(folder().join("standard.txt"))
        .unwrap()
        .split_whitespace()
    {
        rows.extend(["--help", "--version"].map(|form| (name.to_owned(), form.to_owned())));
    }
    rows
}

/// What each row did, over all programs of that name.
fn runs() -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut runs: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for line in fs::read_to_string(folder().join("runs.tsv"))
        .unwrap()
        .lines()
    {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, form, package, did, _] = fields.as_slice() else {
            panic!("{line}")
        };
        assert!(package.contains(' '), "{line}: a package and its version");
        let did = did.split(',').map(str::to_owned);
        runs.entry(((*name).to_owned(), (*form).to_owned()))
            .or_default()
            .extend(did);
    }
    runs
}

fn only_tells(did: &BTreeSet<String>) -> bool {
    did.iter().all(|what| {
        matches!(
            what.as_str(),
            "answered" | "refused" | "records" | "helpers" | "loads"
        )
    })
}

fn command((name, form): &(String, String)) -> String {
    format!(
        "{name} {}",
        form.replace("WORDS", "bash")
            .replace("WORD", "bash")
            .replace("FORMULA", "wget")
    )
}

#[test]
fn finding_j_02_rows_that_are_not_proven_are_listed_by_name() {
    let (rows, runs) = (rows(), runs());
    for run in runs.keys() {
        assert!(rows.contains(run), "{run:?} is no row of the table");
    }
    let never: Vec<String> = rows
        .iter()
        .filter(|row| !runs.contains_key(*row))
        .map(|(name, form)| format!("{name} {form}"))
        .collect();
    let more: Vec<String> = runs
        .iter()
        .filter(|(_, did)| !only_tells(did))
        .map(|((name, form), _)| format!("{name} {form}"))
        .collect();
    let listed = format!(
        "# Never run: these ask where their input is fed or a file is named.\n{}\n\n# Do more than tell, so they ask.\n{}\n",
        never.join("\n"),
        more.join("\n")
    );
    let path = folder().join("not-proven.txt");
    if std::env::var_os("SAYSO_QUERIES").is_some() {
        fs::write(&path, &listed).unwrap();
    }
    println!(
        "{} rows: {} were run, {} of them do more than tell, {} were never run",
        rows.len(),
        runs.len(),
        more.len(),
        never.len()
    );
    assert_eq!(
        fs::read_to_string(path).unwrap_or_default(),
        listed,
        "SAYSO_QUERIES=write writes it anew"
    );
}

#[test]
fn finding_j_02_a_program_that_reads_its_input_or_runs_something_asks() {
    let runs = runs();
    for row in runs
        .iter()
        .filter(|(_, did)| !only_tells(did))
        .map(|(row, _)| row)
    {
        let text = command(row);
        for text in [
            text.clone(),
            format!("echo x | {text}"),
            format!("{text} < a.sh"),
        ] {
            assert!(!looks(&analyse(&text)), "{text}");
        }
    }
}

#[test]
fn finding_j_02_a_program_that_was_never_run_asks_where_its_input_is_fed() {
    let (rows, runs) = (rows(), runs());
    for row in rows.iter().filter(|row| !runs.contains_key(*row)) {
        let text = command(row);
        for fed in [
            format!("echo x | {text}"),
            format!("cat a.sh | timeout 5 {text} | cat"),
            format!("{text} < a.sh"),
            format!("{text} 0< a.sh"),
            format!("{text} <> a.sh"),
            format!("{text} <<< 'rm x'"),
            format!("{text} <<X\nrm x\nX"),
            format!("{{ {text}; }} < a.sh"),
            format!("( {text} ) <<< x"),
            format!("while true; do {text}; done < a.sh"),
            format!("if true; then {text}; fi < a.sh"),
            format!("for x in 1 2; do {text}; done < a.sh"),
            format!("echo x | ( cd . && {text} )"),
            format!("echo x | {{ {text}; }}"),
            format!("echo x | bash -c '{text}'"),
            format!("exec < a.sh; {text}"),
            format!("echo x > >({text})"),
            format!("echo x | find . -maxdepth 0 -exec {text} \\;"),
        ] {
            assert!(!looks(&analyse(&fed)), "{fed}");
        }
    }
}

#[test]
fn finding_j_02_parts_of_another_program_have_their_own_options() {
    for text in [
        "busybox sh --version",
        "busybox sh --version < a.sh",
        "echo id | busybox ash --version",
        "toybox sh --version",
        "busybox vi --version",
    ] {
        assert!(!looks(&analyse(text)), "{text}");
    }
}

#[test]
fn finding_j_02_proven_rows_stay_silent_whatever_their_input_is() {
    for text in [
        "python3 --version | head -1",
        "gcc --version 2>&1 | head -n 1",
        "make --version; cmake --version; ssh -V",
        "tar --version | head -1",
        "diff <(bash --version) <(zsh --version)",
        "echo x | gcc --version",
        "v=$(git --version); echo $v",
    ] {
        assert!(looks(&analyse(text)), "{text}: {:?}", analyse(text).effects);
    }
}
