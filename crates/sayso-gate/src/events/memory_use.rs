//! How much memory an event keeps alive, roughly: a queue is bounded by this, too, since one call can be 16 MiB.

use sayso_core::text::node::{Node, Value};

use super::{About, Event};
use crate::run_result::Ran;

/// What an event weighs besides its texts.
const BASE: u64 = 1024;
/// A prompt holds what is shown beside what was said.
const PROMPT: u64 = 4;

pub(super) fn weight(event: &Event) -> u64 {
    let args = event
        .operation
        .as_ref()
        .map_or(0, |operation| of_node(operation.args()));
    let more = match &event.about {
        About::Nothing | About::Verdict(_) => 0,
        About::Prompt(prompt) | About::Answer(prompt, _) => {
            PROMPT * of_node(prompt.operation.args())
        }
        About::Finished(finished) => match &finished.ran {
            Some(Ran::Done(node)) => of_node(node),
            Some(Ran::Failed { why, result }) => why.len() as u64 + of_node(result),
            Some(Ran::NotRun(why)) => why.len() as u64,
            None => 0,
        },
        About::Words(words) => words.len() as u64,
        About::Entry(entry) => of_node(entry),
    };
    BASE + args + more
}

/// The bytes of all texts of a tree.
fn of_node(node: &Node) -> u64 {
    let mut open = vec![node];
    let mut sum = 0;
    while let Some(node) = open.pop() {
        sum += size_of::<Node>() as u64;
        match &node.value {
            Value::Text(text) | Value::Number(text) => sum += text.len() as u64,
            Value::List(items) => open.extend(items),
            Value::Map(entries) => {
                for entry in entries {
                    sum += entry.key.len() as u64;
                    open.push(&entry.node);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
    sum
}
