//! What runs until it is killed: loops that nothing ends, and programs that print without end.

use super::commands::Walk;
use super::substitution_output::literal_words;
use crate::parse::bash::tree::{Node, Script};

impl Walk<'_> {
    /// Notes a loop that nothing ends, by its first step, unless what reads its output does.
    pub(crate) fn runs_without_end(&mut self, first: usize) {
        if let Some(step) = self.steps.get_mut(first).filter(|_| !self.cut) {
            step.endless = true;
        }
    }
}

/// Whether a condition is always the same.
pub(crate) fn is_constant(condition: &Script) -> bool {
    let [node] = condition.0.as_slice() else {
        return false;
    };
    let Some(words) = literal_words(node) else {
        return false;
    };
    matches!(
        words
            .iter()
            .map(|word| &**word)
            .collect::<Vec<_>>()
            .as_slice(),
        ["true" | ":" | "false"] | ["[", "1" | "0" | "true", "]"] | ["test", "1" | "0" | "true"]
    )
}

/// Whether something in a script may end the loop around it, or makes it wait: a loop that looks again every second is what people write.
pub(crate) fn ends_itself(script: &Script) -> bool {
    script.0.iter().any(node_ends)
}

fn node_ends(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => {
            simple.words.first().is_none_or(|word| {
                word.bare().is_none_or(|name| {
                    matches!(name, "break" | "exit" | "return" | "exec" | "sleep")
                })
            }) && !simple.words.is_empty()
        }
        Node::Chain(parts) => parts.iter().any(|(_, part)| node_ends(part)),
        Node::Not(inner) => node_ends(inner),
        Node::Group(script, _) => ends_itself(script),
        Node::If {
            branches,
            otherwise,
            ..
        } => {
            branches
                .iter()
                .any(|(condition, branch)| ends_itself(condition) || ends_itself(branch))
                || otherwise.as_ref().is_some_and(ends_itself)
        }
        Node::Case { arms, .. } => arms.iter().any(|(_, arm)| ends_itself(arm)),
        // What ends these may end the loop around them, too: `break 2`, `exit`.
        Node::Loop {
            condition, body, ..
        } => ends_itself(condition) || ends_itself(body),
        Node::For { body, .. } => ends_itself(body),
        Node::Count(count) => ends_itself(&count.body),
        Node::Pipeline(_)
        | Node::Background(_)
        | Node::Subshell(..)
        | Node::Test { .. }
        | Node::Function { .. } => false,
    }
}

/// Whether a part of a pipe ends after some lines or bytes, whatever it is given: what prints to it is ended by that.
pub(crate) fn stops_early(node: &Node) -> bool {
    let Some(words) = literal_words(node) else {
        return false;
    };
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    match words.as_slice() {
        // All but the last lines are never known of an input without an end.
        ["head", rest @ ..] => !rest.iter().any(|word| {
            word.starts_with("-n-")
                || word.starts_with("-c-")
                || word.contains("=-")
                || is_negative(word, rest)
        }),
        ["sed", "-n", script, ..] | ["sed", script, ..] => {
            script.ends_with('q') && !script.contains(['/', '$'])
        }
        ["grep", "-q" | "-m1" | "-m", ..] => true,
        ["true" | ":" | "false"] => true,
        _ => false,
    }
}

/// `-5` behind `-n`: all but the last five.
fn is_negative(word: &str, rest: &[&str]) -> bool {
    word.starts_with('-')
        && rest
            .windows(2)
            .any(|pair| matches!(pair, [option, value] if matches!(*option, "-n" | "-c" | "--lines" | "--bytes") && *value == word))
}
