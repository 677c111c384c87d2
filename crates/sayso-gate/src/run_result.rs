//! What came of a run, and the short form of it for the record: numbers and paths, never the output itself.

use sayso_core::text::node::{Node, Value};

/// So many changed paths are named.
const MOST_PATHS: usize = 16;

/// How many refusals are kept.
const MAX_REFUSED: usize = 16;

/// What came of running.
#[derive(Clone, Debug)]
pub enum Ran {
    /// The tool did its work.
    Done(Node),
    /// The tool failed; that is no denial.
    Failed {
        /// What went wrong.
        why: String,
        /// What it brought all the same, such as the output of a command; null where it brought nothing.
        result: Node,
    },
    /// It was approved and not started: what it is about had changed, or the person stopped everything.
    NotRun(String),
}

impl Ran {
    /// The tool failed and brought nothing.
    pub fn failed(why: impl Into<String>) -> Self {
        Ran::Failed {
            why: why.into(),
            result: Value::Null.into(),
        }
    }
}

/// What came of a run. A tool says it with the keys `exit_status`, `signal`, `timed_out`, `output`, `sandbox`,
/// `refused` and `changed` of its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brief {
    /// The exit status of a command.
    pub exit: Option<String>,
    /// The signal that ended a command.
    pub signal: Option<String>,
    /// It was ended by its time limit.
    pub timed_out: bool,
    /// The sandbox that a command ran in.
    pub sandbox: Option<String>,
    /// What the sandbox refused it; the first few.
    pub refused: Vec<RefusedBrief>,
    /// How many bytes the output has.
    pub output_bytes: u64,
    /// How many lines.
    pub output_lines: u64,
    /// The paths that were changed and can be taken back; the first few.
    pub changed: Vec<String>,
}

/// One thing that the sandbox refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedBrief {
    /// What kind of thing: `write`, `connect` …
    pub what: String,
    /// The path, address or host.
    pub place: String,
    /// How it is known: `kernel`, `proxy` or `words`.
    pub source: String,
    /// The program that tried it.
    pub program: Option<String>,
    /// Whether a person may be asked to let it through.
    pub offered: bool,
}

impl RefusedBrief {
    fn of(node: &Node) -> Option<RefusedBrief> {
        let text = |key: &str| node.get(key).and_then(Node::as_text).map(str::to_owned);
        Some(RefusedBrief {
            what: text("what")?,
            place: text("place")?,
            source: text("source")?,
            program: text("program"),
            offered: node.get("offered").and_then(Node::as_bool) == Some(true),
        })
    }
}

impl Brief {
    /// The short form of a result.
    pub fn of(ran: &Ran) -> Brief {
        let (Ran::Done(result) | Ran::Failed { result, .. }) = ran else {
            return Brief::default();
        };
        let text = |key: &str| result.get(key).and_then(Node::as_text);
        let exit = result
            .get("exit_status")
            .map(sayso_core::text::json::write_plain)
            .filter(|status| status.len() < 16);
        let output = text("output").unwrap_or_default();
        let left_out = result
            .get("bytes_left_out")
            .and_then(Node::as_whole)
            .unwrap_or(0);
        let changed = result.get("changed").map_or(&[][..], Node::items);
        Brief {
            exit,
            signal: text("signal").map(str::to_owned),
            timed_out: result
                .get("timed_out")
                .and_then(Node::as_bool)
                .unwrap_or(false),
            sandbox: text("sandbox").map(str::to_owned),
            refused: result
                .get("refused")
                .map_or(&[][..], Node::items)
                .iter()
                .take(MAX_REFUSED)
                .filter_map(RefusedBrief::of)
                .collect(),
            output_bytes: (output.len() as u64).saturating_add(left_out),
            output_lines: output.lines().count() as u64,
            changed: changed
                .iter()
                .filter_map(|path| path.as_text().map(str::to_owned))
                .take(MOST_PATHS)
                .collect(),
        }
    }
}
