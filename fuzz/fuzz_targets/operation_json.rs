//! Any JSON as a call, through the whole gate, in a world that answers nothing: never a panic, and never allowed on a guess.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::explain;
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Agent, Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::World;
use sayso_shell::Bash;

static POLICY: LazyLock<Policy> =
    LazyLock::new(|| Policy::assemble(Vec::new(), &Overrides::default(), &Bash));

/// Answers nothing.
struct Silent;

impl World for Silent {
    fn answer(&self, _: &str, _: &str, _: &[Question]) -> Facts {
        Facts::default()
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Ok(node) = json::read(&text, &Limits::default()) else {
        return;
    };
    // What was read can be written, and reads back the same.
    let again = json::write(&node);
    assert_eq!(
        json::read(&again, &Limits::default())
            .map(|node| json::write(&node))
            .ok()
            .as_deref(),
        Some(again.as_str())
    );
    let Ok(operation) = Operation::freeze(call(&node)) else {
        return;
    };
    for run in [Run::Interactive, Run::Nobody] {
        let bench = Bench {
            world: &Silent,
            policy: &POLICY,
            grants: &[],
            uses: None,
            run,
            now: 0,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: true,
        };
        let judged = judge(&bench, &operation);
        let decision = judged.verdict.decision;
        assert!(
            judged.reading.unanswered.is_empty() || decision == Decision::Deny,
            "{operation:?} was not denied"
        );
        assert!(
            judged.reading.opaque.is_none() || decision != Decision::Allow,
            "{operation:?} was allowed unread"
        );
        assert!(
            run != Run::Nobody || decision != Decision::Ask,
            "{operation:?} asks nobody"
        );
        assert_eq!(judged.verdict.digest, operation.digest());
        let _ = (
            explain::headline(&judged.verdict),
            explain::lines(&operation, &judged.verdict),
        );
    }
});

fn call(node: &Node) -> Call {
    let text = |key: &str| node.get(key).and_then(Node::as_text);
    let args = node
        .get("args")
        .cloned()
        .unwrap_or_else(|| Value::Null.into());
    let mut call = Call::new(
        text("tool").unwrap_or("terminal"),
        args,
        text("workspace").unwrap_or("/home/u/ws"),
    );
    if let Some(cwd) = text("cwd") {
        call.cwd = cwd.to_owned();
    }
    call.agent = Agent {
        name: text("agent").unwrap_or_default().to_owned(),
        parents: Vec::new(),
    };
    call
}
