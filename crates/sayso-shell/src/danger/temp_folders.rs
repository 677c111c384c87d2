//! Folders that a text makes for itself: `tmp=$(mktemp -d)`, and `rm -rf "$tmp"` at its end, take nothing away that was there before.

use crate::unparsed::split::{After, Segment};
use crate::unparsed::words::head;

/// Names that are followed.
const MOST_NAMES: usize = 16;

/// The variables of a text that hold what `mktemp` has made, and never anything else.
pub(crate) fn names(segments: &[Segment]) -> Vec<&str> {
    let mut made: Vec<&str> = Vec::new();
    let mut other: Vec<&str> = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        let sets_names = matches!(
            head(&segment.words),
            Some(
                "read"
                    | "for"
                    | "mapfile"
                    | "readarray"
                    | "printf"
                    | "getopts"
                    | "unset"
                    | "select"
            )
        );
        for word in &segment.words {
            let Some((name, value)) = word.split_once('=').filter(|(name, _)| is_name(name)) else {
                other.extend(Some(word.as_str()).filter(|_| sets_names));
                continue;
            };
            let opens = || {
                segments
                    .get(at + 1)
                    .filter(|next| next.after == After::Opened)
                    .and_then(|next| head(&next.words))
            };
            let by_mktemp = ["$(mktemp ", "`mktemp ", "$(mktemp)"]
                .iter()
                .any(|start| value.starts_with(start))
                || value == "$" && opens() == Some("mktemp");
            // A value in quotes is seen twice: once whole, once in pieces.
            let piece = segment.rough && matches!(value, "$" | "");
            if by_mktemp {
                made.push(name);
            } else if !piece {
                other.push(name);
            }
        }
    }
    made.retain(|name| !other.contains(name));
    made.sort_unstable();
    made.dedup();
    made.truncate(MOST_NAMES);
    made
}

/// Whether a command is an `rm` of nothing but such folders.
pub(crate) fn removes_only(segment: &Segment, fresh: &[&str]) -> bool {
    if fresh.is_empty() {
        return false;
    }
    let mut words = segment
        .words
        .iter()
        .map(String::as_str)
        .skip_while(|word| matches!(*word, "{" | "then" | "do" | "!" | "trap"));
    let mut removed = words
        .by_ref()
        .skip_while(|word| *word == "rm")
        .filter(|word| !word.starts_with('-'))
        .peekable();
    let is_rm = segment.words.iter().any(|word| word == "rm")
        && head(&segment.words).is_some_and(|head| matches!(head, "rm" | "{" | "then"));
    is_rm
        && removed.peek().is_some()
        && removed.all(|word| fresh.iter().any(|name| is_variable(word, name)))
}

fn is_variable(word: &str, name: &str) -> bool {
    let bare = word.strip_prefix('$').map(|rest| {
        rest.strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or(rest)
    });
    bare.is_some_and(|bare| {
        bare == name
            || bare
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(":?"))
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
