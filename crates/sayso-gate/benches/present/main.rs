//! How long it takes until there is something to look at, as a Markdown table: `cargo bench -p sayso-gate --bench present`.
//!
//! Every time stands beside its ratio to a baseline of the same run, since absolute times tell more of the machine than of the code.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a measurement that cannot be made has nothing better to do than to stop"
)]

// One way to measure for all benches.
#[path = "../../../sayso/benches/judge/measure.rs"]
mod measure;
mod one_file;

use std::hint::black_box;

use measure::Table;
use one_file::OneFile;
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::Source;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::presentation::{build, to_node};
use sayso_shell::Bash;

const LINES: usize = 10_000;
const EDITS: usize = 300;

fn main() {
    let old: String = (0..LINES).map(line).collect();
    let new: String = (0..LINES)
        .map(|index| {
            if index % (LINES / EDITS) == 7 {
                changed(index)
            } else {
                line(index)
            }
        })
        .collect();
    let other: String = (0..LINES)
        .map(|index| {
            format!(
                "    nothing of this was there before: {}\n",
                index * 7919 % 1000
            )
        })
        .collect();
    let alike_old: String = (0..LINES)
        .map(|index| format!("{}\n", index * 31 % 7))
        .collect();
    let alike_new: String = (0..LINES)
        .map(|index| format!("{}\n", index * 17 % 5))
        .collect();
    let bytes = old.clone().into_bytes();
    let mut table = Table::new("SHA-256 of a file of 10,000 lines", move || {
        black_box(Digest::of_bytes(black_box(&bytes)));
    });
    let everywhere = [
        ("path", "src/main.rs"),
        ("find", "value"),
        ("replace", "worth"),
    ];
    let mut edit: Vec<(&str, Node)> = everywhere
        .iter()
        .map(|(key, text)| (*key, Node::text(*text)))
        .collect();
    edit.push((
        "replace_all",
        sayso_core::text::node::Value::Bool(true).into(),
    ));
    let write =
        |path: &str, content: &str| call("file_write", &[("path", path), ("content", content)]);
    let rows = [
        (
            "first screen of a diff of 10,000 lines with 300 edits",
            write("src/main.rs", &new),
            &old,
            Some(20e6),
        ),
        (
            "10,000 lines that have nothing in common",
            write("src/main.rs", &other),
            &old,
            Some(100e6),
        ),
        (
            "10,000 lines that are nearly all alike",
            write("src/main.rs", &alike_new),
            &alike_old,
            Some(500e6),
        ),
        (
            "an edit that changes every line of 10,000",
            Call::new("file_edit", Node::map(edit), "/ws"),
            &old,
            Some(100e6),
        ),
        (
            "a new file of 10,000 lines",
            write("src/new.rs", &new),
            &old,
            Some(20e6),
        ),
        (
            "a command",
            Call::command(
                "git push && rm -r build && curl https://example.com | tee out.txt",
                "/ws",
            ),
            &old,
            Some(100e3),
        ),
        (
            "a tool with an argument of 700 KB",
            call("my_tool", &[("x", &new)]),
            &old,
            Some(50e6),
        ),
    ];
    let policy = policy();
    for (name, call, content, budget) in rows {
        let world = OneFile(content.clone());
        let operation = Operation::freeze(call).expect("a sound call");
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
        let judged = judge(&bench, &operation);
        let settings = &policy.views()[0].general.settings;
        let show = || {
            build(
                &world,
                &operation,
                &judged.reading,
                &judged.verdict,
                settings,
            )
            .expect("something to look at")
        };
        table.add(name, budget, || drop(black_box(show())));
        if name.contains("300 edits") {
            let shown = show().presentation;
            table.add("the same for a program", Some(20e6), || {
                drop(black_box(to_node(black_box(&shown))))
            });
        }
    }
    println!("{table}");
    if table.is_whole() {
        println!(
            "A screen is 50 lines or 2,000 characters; all of it is built, and the screen is what is cut from it."
        );
    }
}

fn line(index: usize) -> String {
    format!(
        "    let value_{index} = compute({}, \"some text\", {});\n",
        index % 97,
        index * 31 % 1009
    )
}

fn changed(index: usize) -> String {
    format!(
        "    let value_{index} = compute({}, \"another text\", {});\n",
        index % 97,
        index * 31 % 1009 + 1
    )
}

fn call(tool: &str, args: &[(&str, &str)]) -> Call {
    Call::new(
        tool,
        Node::map(args.iter().map(|(key, text)| (*key, Node::text(*text)))),
        "/ws",
    )
}

fn policy() -> Policy {
    let source = Source {
        name: "policy.yaml",
        text: "profile: sayso\n",
    };
    let (layer, _) = read(source, Format::Yaml, Origin::User, &Bash);
    Policy::assemble(
        vec![layer.expect("a sound policy")],
        &Overrides::default(),
        &Bash,
    )
}
