//! Every row below `corpus` that has a verdict, through the library and through `sayso check --jsonl`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use sayso::expected;
use sayso::expected::{Expected, Row};
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::decide::{Case, decide};
use sayso_core::snapshot::{pack, unpack};
use sayso_core::text::diagnostic::Source;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_gate::pipeline::{Bench, judge};
use sayso_runtime::assemble::RealWorld;
use sayso_runtime::report;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;

use crate::known_programs::{NOTHING, known_programs};
use crate::scene::{NOW, Scene};

/// Fewer rows than this mean that a file was lost.
const LEAST_ROWS: usize = 1000;

/// More rows than this that the program cannot be asked are too many.
const MOST_SKIPPED: usize = 20;

/// The folders of `corpus` that hold rows with a verdict.
const FOLDERS: [&str; 3] = ["verdicts", "shell", "bypasses"];

pub fn files() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let folders = FOLDERS
        .iter()
        .map(|folder| corpus.join(folder))
        .filter(|folder| folder.is_dir());
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| {
            fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
        })
        .collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
    });
    files.sort();
    files
}

pub fn read(path: &Path) -> Expected {
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .unwrap()
        .to_str()
        .unwrap();
    let name = format!(
        "corpus/{folder}/{}",
        path.file_name().unwrap().to_str().unwrap()
    );
    let text = fs::read_to_string(path).unwrap();
    expected::read(Source {
        name: &name,
        text: &text,
    })
    .unwrap_or_else(|findings| panic!("{findings}"))
}

/// The call of a row in its scene.
pub fn call(scene: &Scene, row: &Row) -> Call {
    let mut call = row.call(scene.folder());
    scene.fill_node(&mut call.args);
    call
}

/// What the library says: the answer of `check --json`, and how it differs from the row.
fn by_library(scene: &Scene, rows: &[Row]) -> Vec<(Node, Vec<String>)> {
    let loaded = scene.load();
    let findings: String = loaded
        .files
        .iter()
        .filter(|file| file.is_broken())
        .map(sayso_runtime::assemble::ReadFile::render)
        .collect();
    assert!(
        findings.is_empty(),
        "the policy of the scene is broken:\n{findings}"
    );
    let world = scene.world();
    let bench = Bench {
        world: &world,
        policy: &loaded.policy,
        grants: &[],
        uses: None,
        run: Run::Interactive,
        now: NOW,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    };
    // A policy that was packed says the same of every row.
    let (packed, _) = unpack(pack(&loaded.policy, &[])).unwrap();
    rows.iter()
        .map(|row| {
            let id = Value::Number(row.line.to_string()).into();
            match Operation::freeze(call(scene, row)) {
                Ok(operation) => {
                    let judged = judge(&bench, &operation);
                    let reading = &judged.reading;
                    let case = Case {
                        operation: &operation,
                        reading,
                        grants: &[],
                        uses: None,
                        now: NOW,
                        run: Run::Interactive,
                        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
                        trace: false,
                    };
                    // What the verdict rests on is noted by whoever asked for it.
                    let expected = Verdict {
                        evidence: None,
                        ..judged.verdict.clone()
                    };
                    assert_eq!(decide(&packed, &case), expected, "{}", row.name);
                    let differences =
                        row.differences(judged.verdict.decision.word(), Some(&judged));
                    (report::json(&id, &judged), differences)
                }
                Err(malformed) => (
                    report::malformed(&id, &malformed),
                    row.differences("deny", None),
                ),
            }
        })
        .collect()
}

/// What the program answers to the same calls, a line each.
fn by_program(scene: &Scene, rows: &[&Row]) -> Vec<String> {
    let mut input = String::new();
    for row in rows {
        let call = call(scene, row);
        let line = Node::map([
            ("id", Value::Number(row.line.to_string()).into()),
            ("tool", Node::text(&call.tool)),
            ("args", call.args),
            ("cwd", Node::text(&call.cwd)),
            ("agent", Node::text(&call.agent.name)),
        ]);
        input.push_str(&json::write(&line));
        input.push('\n');
    }
    let mut program = scene.program();
    program.env("PATH", known_programs());
    program
        .args(["check", "--jsonl", "-C"])
        .arg(&scene.workspace)
        .args(scene.flags());
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let done = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

pub fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_row_of_the_corpus_gets_its_verdict_from_the_library() {
    let (mut count, mut failures, mut needless, mut harmless) = (0, Vec::new(), 0, 0);
    for path in files() {
        let Expected { scene: keys, rows } = read(&path);
        let scene = Scene::of(&keys);
        count += rows.len();
        println!("{}: {} rows", name(&path), rows.len());
        for (row, (_, differences)) in rows.iter().zip(by_library(&scene, &rows)) {
            harmless += usize::from(row.is_harmless());
            needless += usize::from(row.is_harmless() && row.decision() != "allow");
            if !differences.is_empty() {
                failures.push(format!(
                    "{}:{}: {}: {}",
                    name(&path),
                    row.line,
                    row.name,
                    differences.join("; ")
                ));
            }
        }
    }
    println!("{count} rows; {harmless} harmless, {needless} of them interrupt a person");
    assert!(count >= LEAST_ROWS, "only {count} rows");
    assert!(
        failures.is_empty(),
        "{} of {count} rows differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// finding W-26: a row gets the same verdict where every program that it names is installed, and where none is.
#[test]
fn finding_w_26_no_row_depends_on_what_is_installed() {
    let mut failures = Vec::new();
    for path in files() {
        let Expected { scene: keys, rows } = read(&path);
        let scene = Scene::of(&keys);
        let policy = scene.load().policy;
        let bare = RealWorld(Machine::new(Whereabouts {
            path: vec![NOTHING.into()],
            ..scene.whereabouts()
        }));
        let full = scene.world();
        for row in &rows {
            let Ok(operation) = Operation::freeze(call(&scene, row)) else {
                continue;
            };
            let decision = |world: &RealWorld| {
                let bench = Bench {
                    world,
                    policy: &policy,
                    grants: &[],
                    uses: None,
                    run: Run::Interactive,
                    now: NOW,
                    runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
                    trace: false,
                };
                let verdict = judge(&bench, &operation).verdict;
                (verdict.decision, verdict.risk, verdict.tier)
            };
            let (without, with) = (decision(&bare), decision(&full));
            if without != with {
                failures.push(format!(
                    "{}:{}: {}: {without:?} without programs, {with:?} with",
                    name(&path),
                    row.line,
                    row.name
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} rows differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn the_program_answers_every_row_like_the_library() {
    let (mut count, mut all, mut failures, mut skipped) = (0, 0, Vec::new(), Vec::new());
    for path in files() {
        let Expected { scene: keys, rows } = read(&path);
        all += rows.len();
        if keys.get("managed").is_some() {
            // Nothing can tell the program of another managed folder than the system's.
            skipped.push(format!(
                "{}: all {} rows, for their managed policy",
                name(&path),
                rows.len()
            ));
            continue;
        }
        let scene = Scene::of(&keys);
        let library = by_library(&scene, &rows);
        // The program has no way to be told of parents: identity comes from the door.
        let told: Vec<(&Row, &Node)> = rows
            .iter()
            .zip(&library)
            .filter(|(row, _)| row.call("/").agent.parents.is_empty())
            .map(|(row, (node, _))| (row, node))
            .collect();
        if told.len() < rows.len() {
            skipped.push(format!(
                "{}: {} rows, for the parents of their agent",
                name(&path),
                rows.len() - told.len()
            ));
        }
        let answers = by_program(
            &scene,
            &told.iter().map(|(row, _)| *row).collect::<Vec<_>>(),
        );
        assert_eq!(
            answers.len(),
            told.len(),
            "{}: an answer for each line",
            name(&path)
        );
        count += told.len();
        for ((row, library), answer) in told.iter().zip(&answers) {
            if json::write_plain(library) != *answer {
                failures.push(format!(
                    "{}:{}: {}\n  library {}\n  program {answer}",
                    name(&path),
                    row.line,
                    row.name,
                    json::write_plain(library)
                ));
            }
        }
    }
    println!(
        "{count} of {all} rows through the program; not through it:\n{}",
        skipped.join("\n")
    );
    assert!(
        all - count <= MOST_SKIPPED,
        "{} rows are skipped:\n{}",
        all - count,
        skipped.join("\n")
    );
    assert!(
        failures.is_empty(),
        "{} of {count} rows differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
