//! What a person looks at, kind by kind, over a world whose files have contents.

mod as_values;
mod backups;
mod commands;
mod deletions;
mod diffs;
mod edits;
mod files;
mod hostile;
mod long;
mod scripts;
mod sentences;
mod structured;
mod words;

use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::prompt::presentation::{Body, Change, Diff, DiffLine, Presentation};
use sayso_core::text::Limits;
use sayso_core::text::node::Node;
use sayso_gate::pipeline::{Bench, Judged, judge};
use sayso_gate::presentation::{Built, build};

use crate::bench::{NOW, Setup, freeze};
use crate::world::WORKSPACE;

/// A setup with the default profile.
pub fn setup() -> Setup {
    Setup::profile("sayso")
}

/// A call with texts for arguments.
pub fn call(tool: &str, args: &[(&str, &str)]) -> Call {
    Call::new(
        tool,
        Node::map(args.iter().map(|(key, value)| (*key, Node::text(*value)))),
        WORKSPACE,
    )
}

/// A call with arguments from JSON.
pub fn call_json(tool: &str, args: &str) -> Call {
    Call::new(
        tool,
        sayso_core::text::json::read(args, &Limits::default()).expect("JSON"),
        WORKSPACE,
    )
}

pub fn judged(setup: &Setup, call: Call) -> (Operation, Judged) {
    let operation = freeze(call);
    let bench = Bench {
        world: &setup.world,
        policy: &setup.policy,
        grants: &[],
        uses: None,
        run: Run::Interactive,
        now: NOW,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    };
    let judged = judge(&bench, &operation);
    (operation, judged)
}

/// What is shown for a call, or why nothing is.
pub fn try_show(setup: &Setup, call: Call) -> Result<Presentation, String> {
    try_build(setup, call).map(|built| built.presentation)
}

/// The same with the sentence, and why it asks.
pub fn try_build(setup: &Setup, call: Call) -> Result<Built, String> {
    let (operation, judged) = judged(setup, call);
    build(
        &setup.world,
        &operation,
        &judged.reading,
        &judged.verdict,
        setup.settings(),
    )
    .map_err(|error| error.to_string())
}

pub fn show(setup: &Setup, call: Call) -> Presentation {
    try_show(setup, call).expect("a presentation")
}

pub fn diff_of(presentation: &Presentation) -> &Diff {
    match presentation.whole() {
        Body::Diff(diff) => diff,
        other => panic!("no diff: {other:#?}"),
    }
}

/// The lines of a diff with their signs and numbers: `-2:old`, `+2:new`, ` 1:same`.
pub fn short(diff: &Diff) -> Vec<String> {
    let line = |line: &DiffLine| {
        let (sign, number) = match line.change {
            Change::Same => (' ', line.new),
            Change::Removed => ('-', line.old),
            Change::Added => ('+', line.new),
        };
        format!("{sign}{}:{}", number.unwrap_or_default(), line.text())
    };
    diff.hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(line)
        .collect()
}

/// The rows of names and values.
pub fn rows(presentation: &Presentation) -> &[(String, String)] {
    match presentation.whole() {
        Body::Structured(rows) => rows,
        other => panic!("no names and values: {other:#?}"),
    }
}

/// The first detail or row with a name.
pub fn value<'a>(rows: &'a [(String, String)], name: &str) -> &'a str {
    rows.iter()
        .find(|(label, _)| label == name)
        .map_or_else(|| panic!("no {name} in {rows:#?}"), |(_, value)| value)
}

pub fn warned(presentation: &Presentation, part: &str) -> bool {
    presentation
        .warnings
        .iter()
        .any(|warning| warning.contains(part))
}
