//! What the gate adds to a call and what an open prompt weighs, as a Markdown table: `cargo bench -p sayso --bench gate`.

#![expect(
    clippy::expect_used,
    reason = "a measurement that cannot be made has nothing better to do than to stop"
)]

#[path = "../judge/measure.rs"]
mod measure;

use std::future::Future as _;
use std::hint::black_box;
use std::sync::Arc;

use measure::Table;
use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_gate::approved::Approved;
use sayso_gate::entry::Entry;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::{Ask, Later, Ran, Run, Store};
use sayso_gate::prompts::{Answerer, Prompts};
use sayso_runtime::assemble::RealWorld;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;

/// The gate may add so much to an allowed call, in nanoseconds.
const OVERHEAD: f64 = 100e3;
/// So many prompts may be open.
const PROMPTS: usize = 10_000;

/// Runs nothing.
struct NoTool;

impl Run for NoTool {
    fn capabilities(&self) -> sayso_core::answer::runner::RunnerCapabilities<'_> {
        sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
    }

    fn run<'a>(&'a self, _: Approved) -> Later<'a, Ran> {
        Box::pin(async { Ran::Done(Node::text("")) })
    }
}

/// Keeps nothing.
#[derive(Default)]
struct NoStore(Arc<Vec<Grant>>);

impl Store for NoStore {
    fn grants(&self) -> Arc<Vec<Grant>> {
        Arc::clone(&self.0)
    }

    fn remember(&self, _: Grant) -> Result<(), sayso_gate::error::StoreError> {
        Ok(())
    }

    fn take(&self, _: &str) -> bool {
        true
    }

    fn append(&self, _: &Entry) -> Result<(), sayso_gate::error::StoreError> {
        Ok(())
    }
}

/// Says yes at once.
struct Yes;

impl Ask for Yes {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        let index = prompt.offer(Scope::Once).unwrap_or_default();
        let answer = prompt.answer(sayso_core::prompt::Choice::Offer(index));
        Box::pin(async move {
            Ended::Answered {
                answer,
                by: "bench".into(),
            }
        })
    }
}

fn world(home: &std::path::Path) -> RealWorld {
    let whereabouts = Whereabouts {
        home: Some(home.to_path_buf()),
        ..Whereabouts::from_environment().expect("a home")
    };
    RealWorld(Machine::new(whereabouts))
}

fn gate(home: &std::path::Path, ask: Arc<dyn Ask>) -> Gate {
    let ports = Ports {
        world: Arc::new(world(home)),
        ask,
        run: Arc::new(NoTool),
        store: Arc::new(NoStore::default()),
    };
    Gate::new(ports, Arc::new(policy()), How::Interactive, Arc::new(|| 0))
}

fn policy() -> Policy {
    Policy::assemble(Vec::new(), &Overrides::default(), &sayso_shell::Bash)
}

fn main() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().join("ws");
    std::fs::create_dir_all(folder.join("src")).expect("a workspace");
    std::fs::write(folder.join("src/main.rs"), "fn main() {}\n").expect("a file");
    let workspace = folder.to_str().expect("a name in UTF-8").to_owned();
    let read = || {
        Call::new(
            "file_read",
            Node::map([("path", Node::text("src/main.rs"))]),
            workspace.clone(),
        )
    };
    let command = |text: &str| Call::command(text, workspace.clone());

    let mut table = Table::new("SHA-256 of 200 bytes", {
        let bytes = [7u8; 200];
        move || {
            black_box(Digest::of_bytes(black_box(&bytes)));
        }
    });
    let asking = gate(scratch.path(), Arc::new(Yes));
    let policy = policy();
    let real = world(scratch.path());
    for (name, call) in [
        ("file_read", read()),
        ("`ls -la src`", command("ls -la src")),
    ] {
        let operation = Operation::freeze(call.clone()).expect("a sound call");
        let bench = Bench {
            world: &real,
            policy: &policy,
            grants: &[],
            uses: None,
            run: How::Interactive,
            now: 0,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        table.add(
            &format!("judged only, {name}, on the real machine"),
            None,
            || drop(black_box(judge(&bench, &operation))),
        );
        table.add(
            &format!("through the gate, {name}, allowed, all but tool and store"),
            Some(OVERHEAD),
            || {
                drop(black_box(pollster::block_on(asking.call(call.clone()))));
            },
        );
    }
    let build = command("cargo build");
    table.add(
        "through the gate, `cargo build`, asked and answered at once",
        None,
        || {
            drop(black_box(pollster::block_on(asking.call(build.clone()))));
        },
    );
    println!("{table}");
    if table.is_whole() {
        println!("{}", open_prompts(scratch.path(), &workspace));
    }
}

/// Opens very many prompts through the gate and says what they weigh.
fn open_prompts(home: &std::path::Path, workspace: &str) -> String {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("bench"));
    let gate = gate(home, Arc::new(prompts.clone()));
    let before = resident();
    let mut waiting: Vec<_> = (0..PROMPTS)
        .map(|number| {
            Box::pin(gate.call(Call {
                session: "s".to_owned(),
                ..Call::command(format!("make target-{number}"), workspace)
            }))
        })
        .collect();
    let waker = std::task::Waker::noop();
    let mut context = std::task::Context::from_waker(waker);
    for call in &mut waiting {
        assert!(
            call.as_mut().poll(&mut context).is_pending(),
            "every call waits for its answer"
        );
    }
    eprintln!(
        "a waiting call is a future of {} bytes",
        waiting
            .first()
            .map_or(0, |call| std::mem::size_of_val(&**call))
    );
    let (open, weight) = (seat.pending().len(), resident().saturating_sub(before));
    format!(
        "{open} open prompts weigh {:.1} MB (budget 100 MB): {:.1} KiB each",
        weight as f64 / 1e6,
        weight as f64 / 1024.0 / open as f64
    )
}

/// Bytes of memory that this process holds.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok())
        .unwrap_or_default()
        * 4096
}
