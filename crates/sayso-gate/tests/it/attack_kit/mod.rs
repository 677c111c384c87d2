//! The attack kit: candidates are judged in bulk, and those that would be silent are run by real shells, under a tracer, in a sandbox
//! without a network. `./test --attack [MINUTES]` calls it.
//!
//! `SAYSO_ATTACK_MINUTES` says how long it goes on, `SAYSO_ATTACK_SEED` which candidates it takes, `SAYSO_ATTACK_ROUNDS` how many rounds are
//! enough, and `SAYSO_ATTACK_WORKERS` how many threads share them. A round is the same for the same seed and number.

mod candidates;
mod carried;
mod field;
mod hazards;
mod log;
mod report;
mod round;
mod verdict;
mod words;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use candidates::Source;
use field::{Field, SHELLS};
use hazards::Hazard;
use report::Tally;
use round::Worker;

use crate::oracle::{number, rows};
use crate::traced::judge::Judge;

/// Everyday commands that only look.
const SILENT: &str = include_str!("../../../../sayso-shell/tests/table_rows/silent.txt");
const ASKS: &str = include_str!("../../../../sayso-shell/tests/table_rows/asks.txt");

/// What all workers draw from: every row of the corpora, and those that are silent in the planted project.
fn source(field: &Field) -> Source {
    let judge = Judge::new(&field.ground);
    let mut rows = rows::commands();
    rows.extend(
        SILENT
            .lines()
            .chain(ASKS.lines())
            .filter(|line| !line.is_empty())
            .map(str::to_owned),
    );
    let silent = rows
        .iter()
        .filter(|text| judge.is_silent(text))
        .cloned()
        .collect();
    Source::new(silent, rows, |name| field::find_program(name).is_some())
}

/// Runs rounds until there are enough or the time is over.
fn attack(seed: u64, rounds: usize, minutes: usize, workers: usize) -> Result<Tally, String> {
    let source = source(&Field::new(Hazard::None)?);
    let (start, next) = (Instant::now(), AtomicUsize::new(0));
    let whole = Mutex::new(Tally::new(seed, source.counts()));
    let work = || -> Result<(), String> {
        let worker = Worker::new()?;
        while start.elapsed() < Duration::from_secs(60 * minutes as u64) {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            if turn >= rounds {
                break;
            }
            let tally = worker.round(&source, seed, turn)?;
            tally
                .violations
                .iter()
                .for_each(|one| eprintln!("round {turn}: {one}"));
            let mut whole = whole
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            whole.add(tally);
            whole.seconds = start.elapsed().as_secs();
            eprintln!("{}", whole.progress());
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().try_for_each(|handle| {
            handle
                .join()
                .unwrap_or_else(|_| Err("a worker broke off".to_owned()))
        })
    })?;
    Ok(whole
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner))
}

#[test]
#[ignore = "takes minutes: `./test --attack` calls it"]
fn attack_kit_finds_nothing() {
    let (seed, minutes) = (
        number("SAYSO_ATTACK_SEED", 27) as u64,
        number("SAYSO_ATTACK_MINUTES", 10),
    );
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (rounds, workers) = (
        number("SAYSO_ATTACK_ROUNDS", usize::MAX),
        number("SAYSO_ATTACK_WORKERS", cores),
    );
    let tally = attack(seed, rounds, minutes, workers)
        .unwrap_or_else(|reason| panic!("the attack kit cannot run here: {reason}"));
    eprintln!("{tally}");
    if std::env::var("SAYSO_WRITE_REPORTS").is_ok_and(|value| value == "1") {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports/attack.md");
        std::fs::write(path, tally.page()).expect("the report can be written");
    }
    assert!(tally.total() == 0, "{} violations", tally.total());
}

/// What really runs, and what must be found in it, whatever the verdict on it would be.
#[test]
fn the_attack_kit_bites_in_every_shell() {
    let field = match Field::new(Hazard::None) {
        Ok(field) => field,
        Err(reason) => return eprintln!("SKIPPED: the attack kit was not tried: {reason}"),
    };
    let rows = [
        ("cat README.md > made", "wrote what is not listed"),
        ("sh evil.sh", "wrote what is not listed"),
        (". ./evil.sh", "started what is not listed"),
        (
            "rm list.txt; git checkout -q list.txt",
            "wrote what is not listed",
        ),
        ("cat .env", "opened a secret or a file outside"),
        ("read x < key-link", "opened a secret or a file outside"),
        ("env sort README.md", "started what is not listed"),
        ("sleep 60", "late"),
        ("ls", ""),
    ];
    let cases: Vec<(usize, String)> = (0..SHELLS.len())
        .flat_map(|shell| {
            rows.iter()
                .map(move |(text, _)| (shell, (*text).to_owned()))
        })
        .collect();
    let runs = match field.run(&cases) {
        Ok(runs) => runs,
        Err(reason) => return eprintln!("SKIPPED: the attack kit was not tried: {reason}"),
    };
    let judge = Judge::new(&field.ground);
    for (index, ((shell, text), run)) in cases.iter().zip(&runs).enumerate() {
        let (name, kind) = (SHELLS[*shell].0, rows[index % rows.len()].1);
        let trace = run
            .as_ref()
            .unwrap_or_else(|| panic!("{name} never came to {text}"));
        assert_eq!(trace.late, kind == "late", "{text} in {name}");
        // The judge is asked about a text that lists nothing of what ran.
        let found = judge.violations("true", text, trace);
        let found: Vec<&str> = found
            .iter()
            .map(|one| one.kind)
            .chain(verdict::opened(&field, trace).iter().map(|one| one.0))
            .collect();
        assert!(
            kind.is_empty() || kind == "late" || found.contains(&kind),
            "{text} in {name}: {found:?} {trace:?}"
        );
    }
}
