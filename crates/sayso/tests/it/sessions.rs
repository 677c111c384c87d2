//! Whole working sessions: how often a person is asked per 100 calls, with the answers that a person would keep.
//!
//! A file of `corpus/sessions` has the scene of a corpus file and `calls`. A call is a `command` or a `tool` with `args`; `grant` says what a
//! person answers if it asks: nothing for "once", `exact` for "this again", a number for "commands that start with so many words", `file` for
//! "this file with any content". A question that must be asked is only ever answered for once.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::mode::Mode;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, yaml};
use sayso_gate::pipeline::{Bench, Judged, judge};

use crate::numbers::{files, name, shown};
use crate::scene::{NOW, Scene};

/// What a person adds to the policy for fewer prompts.
pub const CONTAINED: &str = "sandbox: {auto_allow: run-in-workspace}\n";

const SESSION: &str = "the session";
/// Every mode, from the one that asks most to the one that asks nothing.
const MODES: [Mode; 6] = [
    Mode::ConfirmAll,
    Mode::Balanced,
    Mode::HighRiskOnly,
    Mode::AutoApproveEdits,
    Mode::SafeOnly,
    Mode::TrustAll,
];
/// Whether answers are kept, and whether a sandbox stands in for questions (`sandbox.auto_allow: run-in-workspace`).
const HABITS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];
/// The ways that most people work in, with the answers they keep: a mode, and whether there is such a sandbox.
const WAYS: [(Mode, bool); 4] = [
    (Mode::Balanced, false),
    (Mode::AutoApproveEdits, false),
    (Mode::Balanced, true),
    (Mode::AutoApproveEdits, true),
];

/// What one session came to.
struct Count {
    calls: usize,
    prompts: usize,
    denied: usize,
    asked: Vec<String>,
}

fn call(scene: &Scene, node: &Node) -> Call {
    let text = |key: &str| node.get(key).and_then(Node::as_text);
    let mut call = match (text("command"), text("tool")) {
        (Some(command), None) => Call::command(command, scene.folder()),
        (None, Some(tool)) => Call::new(
            tool,
            node.get("args")
                .cloned()
                .unwrap_or_else(|| Node::map::<String>([])),
            scene.folder(),
        ),
        _ => panic!("a call has either `command` or `tool`: {node:?}"),
    };
    scene.fill_node(&mut call.args);
    Call {
        session: SESSION.to_owned(),
        ..call
    }
}

/// What a person keeps of an answer.
fn grant(node: &Node, operation: &Operation, judged: &Judged) -> Option<Grant> {
    if judged.verdict.reasons.iter().any(|reason| reason.must_ask) {
        return None;
    }
    let key = match &node.get("grant")?.value {
        Value::Number(words) => {
            let [command] = judged.reading.commands.as_slice() else {
                return None;
            };
            let words = command.words.get(..words.parse().ok()?)?.to_vec();
            GrantKey::Command {
                words,
                folder: operation.cwd(),
            }
        }
        Value::Text(word) if word == "exact" => GrantKey::Exact(operation.digest()),
        Value::Text(word) if word == "file" => {
            let place = judged.reading.effects.first()?.place()?;
            GrantKey::AnyContent {
                kind: operation.kind(),
                path: place.fact.as_ref()?.canonical.clone(),
            }
        }
        other => panic!("an answer that is not known: {other:?}"),
    };
    Some(Grant {
        id: String::new(),
        key,
        reach: Reach::Session(SESSION.to_owned()),
        agent: operation.agent().name.clone(),
        expires: None,
        uses_left: None,
        seal: None,
        risk: judged.verdict.risk,
    })
}

fn play(path: &Path, mode: Mode, keeps: bool, contained: bool) -> Count {
    let text = fs::read_to_string(path).unwrap();
    let keys = yaml::read(&text, &Limits::policy())
        .unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
    let mut scene = Scene::of(&keys);
    scene.mode = Some(mode.word().to_owned());
    if contained {
        scene.add_to_policy(CONTAINED);
    }
    let (loaded, world) = (scene.load(), scene.world());
    let mut grants: Vec<Grant> = Vec::new();
    let calls = keys.get("calls").map_or(&[][..], Node::items);
    let mut count = Count {
        calls: calls.len(),
        prompts: 0,
        denied: 0,
        asked: Vec::new(),
    };
    for node in calls {
        let operation = Operation::freeze(call(&scene, node))
            .unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
        let bench = Bench {
            world: &world,
            policy: &loaded.policy,
            grants: &grants,
            uses: None,
            run: Run::Interactive,
            now: NOW,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
                .containing(&contained),
            trace: false,
        };
        let judged = judge(&bench, &operation);
        match judged.verdict.decision {
            Decision::Allow => {}
            Decision::Ask => {
                count.prompts += 1;
                let shown = operation.command().unwrap_or(operation.tool()).to_owned();
                let path = operation
                    .args()
                    .get("path")
                    .and_then(Node::as_text)
                    .map(|path| format!(" {path}"))
                    .unwrap_or_default();
                count.asked.push(format!("{shown}{path}"));
                grants.extend(grant(node, &operation, &judged).filter(|_| keeps));
            }
            Decision::Deny => count.denied += 1,
        }
    }
    count
}

fn per_hundred(count: usize, calls: usize) -> f64 {
    count as f64 * 100.0 / calls as f64
}

/// Prompts per 100 calls in each mode, without and with answers that are kept, without and with a sandbox.
fn by_mode(files: &[PathBuf]) -> String {
    let mut table = String::from(
        "Prompts per 100 calls of all sessions in each mode. Answers: none is kept, or a person keeps those that the sessions name (a command by\n\
         its first words, a file, exactly this again), each for its session. The sandbox is `sandbox.auto_allow: run-in-workspace`.\n\n\
         | mode | no answer kept | answers kept | no answer kept, sandbox | answers kept, sandbox |\n|---|--:|--:|--:|--:|\n",
    );
    for mode in MODES {
        let mut cells = Vec::new();
        for (keeps, contained) in HABITS {
            let (mut calls, mut prompts, mut denied) = (0, 0, 0);
            for path in files {
                let count = play(path, mode, keeps, contained);
                (calls, prompts, denied) = (
                    calls + count.calls,
                    prompts + count.prompts,
                    denied + count.denied,
                );
                let asks = mode != Mode::SafeOnly;
                assert!(
                    !asks || count.denied == 0,
                    "{}: a working session has nothing that is denied",
                    path.display()
                );
            }
            let denials = if denied > 0 {
                format!(", {:.1} denied", per_hundred(denied, calls))
            } else {
                String::new()
            };
            cells.push(format!("{:.1}{denials}", per_hundred(prompts, calls)));
        }
        let _ = writeln!(table, "| {} | {} |", mode.word(), cells.join(" | "));
    }
    table
}

/// Adds the number and its tables.
pub fn report(out: &mut String, contained: usize, harmful: usize) {
    let files = files("sessions");
    if files.is_empty() {
        return;
    }
    let mut table = format!(
        "\n## Sessions\n\n{}\nPrompts of each session, with the answers that a person would keep; in brackets per 100 calls.\n\n",
        by_mode(&files)
    );
    table.push_str("| session | calls | balanced | auto-approve-edits | balanced, sandbox | auto-approve-edits, sandbox |\n|---|--:|--:|--:|--:|--:|\n");
    let (mut calls, mut prompts, mut asked) = (0, [0; 4], String::new());
    for path in &files {
        let counts = WAYS.map(|(mode, contained)| play(path, mode, true, contained));
        let cell = |count: &Count| {
            format!(
                "{} ({:.0})",
                count.prompts,
                per_hundred(count.prompts, count.calls)
            )
        };
        let cells = counts.iter().map(cell).collect::<Vec<_>>().join(" | ");
        let _ = writeln!(table, "| {} | {} | {cells} |", name(path), counts[0].calls);
        calls += counts[0].calls;
        for (sum, count) in prompts.iter_mut().zip(&counts) {
            *sum += count.prompts;
        }
        let list: Vec<String> = counts[0]
            .asked
            .iter()
            .map(|call| format!("- {}", shown(call)))
            .collect();
        let _ = writeln!(asked, "### {}\n\n{}\n", name(path), list.join("\n"));
    }
    let _ = writeln!(
        out,
        "- **Prompts per 100 calls of a working session: {:.1}** in mode `balanced`, {:.1} in `auto-approve-edits` ({calls} calls in {} sessions).",
        per_hundred(prompts[0], calls),
        per_hundred(prompts[1], calls),
        files.len()
    );
    let _ = writeln!(
        out,
        "- With `sandbox.auto_allow: run-in-workspace` (off by default): **{:.1}** in `balanced`, **{:.1}** in `auto-approve-edits`.\n  Of the {harmful} harmful rows about {} run then without a question, each in the sandbox, none without one.",
        per_hundred(prompts[2], calls),
        per_hundred(prompts[3], calls),
        // A few depend on where this program lies on the machine.
        contained.next_multiple_of(100)
    );
    let _ = write!(
        out,
        "{table}\nWhat was asked for in mode `balanced`, with the answers that are kept:\n\n{asked}"
    );
}
