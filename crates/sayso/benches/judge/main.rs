//! How long a verdict takes and what a policy weighs, as a Markdown table: `cargo bench -p sayso --bench judge`.
//!
//! Every time stands beside its ratio to a baseline of the same run, since absolute times tell more of the machine than of the code.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement that cannot be made has nothing better to do than to stop"
)]

mod measure;
mod policies;
mod scratch;

use std::hint::black_box;

use measure::Table;
use policies::{Kinds, policy, text};
use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::decide::{Case, decide};
use sayso_core::policy::Policy;
use sayso_core::policy::read::Format;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::World;
use scratch::Scratch;

/// 200 characters in one plain command.
const LONG: &str = "grep -rn --include='*.rs' --exclude-dir=target -e judgement -e pipeline -e surroundings src/decide src/policy src/paths src/text src/operation.rs src/verdict.rs src/effect.rs src/fact.rs src/grant.rs";
/// 200 characters of several commands.
const COMPOUND: &str = "cd src && git status --short | head -n 20 && cargo test --workspace --quiet 2>&1 | tail -n 40; for f in a b c; do wc -l \"$f.rs\"; done; grep -rn judgement . || echo 'nothing was found in this folder' ..";

fn main() {
    // First, while nothing freed lies around that would be used again unseen.
    let memory = policies::memory();
    let scratch = Scratch::new();
    let mut table = Table::new("SHA-256 of 200 bytes", {
        let bytes = [7u8; 200];
        move || {
            black_box(Digest::of_bytes(black_box(&bytes)));
        }
    });
    decide_alone(&mut table, &scratch);
    whole_check(&mut table, &scratch);
    loading(&mut table);
    println!("{table}");
    if table.is_whole() {
        println!("{memory}\n\n{}", scratch.jsonl());
    }
}

/// A world that answers the same again, as if nothing on the machine had changed.
struct Frozen(Facts);

impl World for Frozen {
    fn answer(&self, _: &str, _: &str, _: &[Question]) -> Facts {
        self.0.clone()
    }
}

fn operation(call: Call) -> Operation {
    Operation::freeze(call).expect("a sound call")
}

fn edit(workspace: &str) -> Call {
    let args = [
        ("path", "src/main.rs"),
        ("find", "fn main() {}"),
        ("replace", "fn main() { run() }"),
    ];
    Call::new(
        "file_edit",
        Node::map(args.map(|(key, value)| (key, Node::text(value)))),
        workspace,
    )
}

fn bench<'a>(world: &'a dyn World, policy: &'a Policy) -> Bench<'a> {
    Bench {
        world,
        policy,
        grants: &[],
        uses: None,
        run: Run::Interactive,
        now: 0,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    }
}

fn decide_alone(table: &mut Table, scratch: &Scratch) {
    let world = scratch.world();
    let plain = policy(0, Kinds::Mixed);
    let calls = [
        (
            "git status",
            Call::command("git status", scratch.workspace()),
        ),
        ("file_edit", edit(scratch.workspace())),
    ];
    for (name, call) in calls {
        let operation = operation(call);
        let reading = judge(&bench(&world, &plain), &operation).reading;
        let case = Case {
            operation: &operation,
            reading: &reading,
            grants: &[],
            uses: None,
            now: 0,
            run: Run::Interactive,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        for (kinds, counts) in [
            (Kinds::Mixed, &[0, 10, 100, 1_000, 10_000][..]),
            (Kinds::Commands, &[1_000, 10_000]),
            (Kinds::Paths, &[1_000, 10_000]),
            (Kinds::OneProgram, &[1_000]),
        ] {
            for &count in counts {
                let policy = policy(count, kinds);
                let budget = (count <= 1_000 && kinds != Kinds::OneProgram).then_some(10e3);
                let row = format!(
                    "decide alone, `{name}`, {} {}",
                    policies::number(count),
                    kinds.words()
                );
                table.add(&row, budget, || {
                    drop(black_box(decide(black_box(&policy), black_box(&case))))
                });
            }
        }
    }
}

fn whole_check(table: &mut Table, scratch: &Scratch) {
    let real = scratch.world();
    let policy = policy(1_000, Kinds::Mixed);
    for (name, call, budget) in [
        (
            "`git status`",
            Call::command("git status", scratch.workspace()),
            10e3,
        ),
        ("`file_edit`", edit(scratch.workspace()), 10e3),
        (
            "a plain command of 200 characters",
            Call::command(LONG, scratch.workspace()),
            35e3,
        ),
        (
            "a compound of 200 characters",
            Call::command(COMPOUND, scratch.workspace()),
            35e3,
        ),
    ] {
        let operation = operation(call);
        let draft = operation.command().map_or_else(
            || sayso_core::analysis::tool_effects::draft(&operation),
            sayso_shell::analyse,
        );
        let frozen = Frozen(real.answer(&operation.cwd(), operation.workspace(), &draft.questions));
        if let Some(text) = operation.command() {
            let row = format!("reading the shell, {name}");
            table.add(&row, Some(if budget > 10e3 { 25e3 } else { 5e3 }), || {
                drop(black_box(sayso_shell::analyse(black_box(text))))
            });
        }
        let row = format!("check in process, {name}, 1,000 rules");
        table.add(&row, Some(budget), || {
            drop(black_box(judge(
                &bench(&frozen, &policy),
                black_box(&operation),
            )))
        });
        let row = format!("check on the real machine, {name}, 1,000 rules");
        table.add(&row, None, || {
            drop(black_box(judge(
                &bench(&real, &policy),
                black_box(&operation),
            )))
        });
    }
}

fn loading(table: &mut Table) {
    for (name, format) in [("YAML", Format::Yaml), ("JSON", Format::Json)] {
        let source = text(1_000, Kinds::Mixed, format);
        let row = format!(
            "load a policy of 1,000 rules from {name} ({} KiB)",
            source.len() / 1024
        );
        table.add(&row, Some(15e6), || {
            drop(black_box(policies::load(black_box(&source), format)))
        });
    }
}
