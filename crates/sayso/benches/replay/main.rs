//! What it takes to write down a decision with all that it rests on, and to judge 100,000 of them again: `cargo bench -p sayso --bench replay`.

#![expect(
    clippy::expect_used,
    reason = "a measurement that cannot be made has nothing better to do than to stop"
)]

use std::sync::Arc;
use std::time::Instant;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::setting_words::AuditSync;
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::node::Node;
use sayso_gate::entry::{Entry, What};
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::Store as _;
use sayso_runtime::assemble::{Choice, RealWorld};
use sayso_runtime::recorder::Recorder;
use sayso_runtime::replay::history::History;
use sayso_runtime::workbench::settings;
use sayso_store::journal::Journal;
use sayso_store::read::Reader;
use sayso_store::verify::verify;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;

const MANY: u64 = 100_000;
/// Seconds that a replay of so many may take.
const BUDGET: f64 = 10.0;
/// Bytes that an entry may take on the average.
const BYTES: u64 = 1024;

/// What agents call all day.
fn calls(workspace: &str) -> Vec<Call> {
    let tool = |name: &str, args: &[(&str, &str)]| {
        Call::new(
            name,
            Node::map(args.iter().map(|(key, text)| (*key, Node::text(*text)))),
            workspace,
        )
    };
    let long = "let answer = 42; // what was asked\n".repeat(60);
    vec![
        Call::command("git status --short", workspace),
        Call::command(
            "cargo test --workspace --all-features 2>&1 | tail -20",
            workspace,
        ),
        Call::command("grep -rn 'fn main' src | head -20", workspace),
        Call::command("ls -la src && cat src/main.rs", workspace),
        tool("file_read", &[("path", "src/main.rs")]),
        tool(
            "file_edit",
            &[
                ("path", "src/main.rs"),
                ("find", "fn main() {}"),
                ("replace", "fn main() { run() }"),
            ],
        ),
        tool("file_write", &[("path", "src/lib.rs"), ("content", &long)]),
        tool("webfetch", &[("url", "https://docs.rs/serde")]),
    ]
}

fn main() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().join("ws");
    std::fs::create_dir_all(folder.join("src")).expect("a workspace");
    std::fs::write(folder.join("src/main.rs"), "fn main() {}\n").expect("a file");
    let workspace = folder.to_str().expect("a name in UTF-8");
    let home = Some(scratch.path().to_owned());
    let state = scratch.path().join("state/sayso");
    let config = scratch.path().join("config/sayso");
    let whereabouts = Whereabouts {
        home,
        state: state.clone(),
        config,
        ..Whereabouts::from_environment().expect("a home")
    };

    let policy = Policy::assemble(Vec::new(), &Overrides::default(), &sayso_shell::Bash);
    let world = RealWorld(Machine::new(whereabouts.clone()));
    let bench = Bench {
        world: &world,
        policy: &policy,
        grants: &[],
        uses: None,
        run: Run::Interactive,
        now: 0,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    };
    let entries: Vec<Entry> = calls(workspace)
        .into_iter()
        .map(|call| {
            let operation = Operation::freeze(Call {
                id: "call-0123456789abcdef-1".to_owned(),
                session: "s-0123456789".to_owned(),
                ..call
            });
            let operation = Arc::new(operation.expect("a sound call"));
            let what = What::Decided {
                verdict: Some(Arc::new(judge(&bench, &operation).verdict)),
                outcome: Outcome::AutoApproved,
                yes: None,
                note: None,
                typed: None,
                denied_by: None,
                message: String::new(),
                profile: "sayso".to_owned(),
            };
            Entry {
                at: 0,
                operation: Some(operation),
                what,
            }
        })
        .collect();
    let mut values = settings(&policy).expect("a policy").clone();
    values.audit_sync = AuditSync::None;
    let recorder = Recorder::new(Journal::open(&state).expect("a journal"), 1000, &values);
    let start = Instant::now();
    for entry in entries
        .iter()
        .cycle()
        .take(usize::try_from(MANY).expect("a small number"))
    {
        recorder.append(entry).expect("an entry");
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / MANY as f64;
    let bytes = verify(&state, None).expect("a journal").bytes / MANY;

    let reader = Reader::open(&state).expect("a journal");
    let start = Instant::now();
    let read = reader
        .forwards()
        .expect("entries")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.node().is_ok()))
        .count();
    let reading = start.elapsed().as_secs_f64();
    assert_eq!(read as u64, MANY);

    let choice = Choice::new(sayso_agents::registry::installed_paths);
    let mut history = History::new(&whereabouts, &choice);
    let start = Instant::now();
    for stored in reader.forwards().expect("entries") {
        history.take(&stored.expect("an entry"));
    }
    let replay = start.elapsed().as_secs_f64();
    assert_eq!(
        (history.tally.judged, history.tally.changes.len()),
        (MANY, 0),
        "{:?}",
        history.tally.not_judged
    );
    let met = |is: bool| if is { "met" } else { "**missed**" };
    println!("| what | is | × baseline | budget | |\n|---|--:|--:|--:|---|");
    println!("| baseline: reading {MANY} entries as values | {reading:.2} s | 1.0 | | |");
    println!(
        "| judging {MANY} entries again | {replay:.2} s | {:.1} | ≤ {BUDGET} s | {} |",
        replay / reading,
        met(replay <= BUDGET)
    );
    println!(
        "| bytes of a decision with all that it rests on, on the average | {bytes} | | ≤ {BYTES} | {} |",
        met(bytes <= BYTES)
    );
    println!(
        "| writing down a decision, of which most is looking for secrets | {each:.1} µs | | | |"
    );
}
