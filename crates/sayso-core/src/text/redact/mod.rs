//! Takes secrets out of what is told, logged and stored: the record keeps a digest of the whole, and the person still sees all of it.
//!
//! It errs on the side of hiding. What nobody can recognise (a password that is a plain word at a place that says nothing) stays.
//! There is no expression engine in here: short-lived processes that write one entry come through, and compiling costs more than they do.

mod names;
mod options;
mod shapes;
mod urls;
mod values;

use crate::text::node::{Entry, Node, Value};
use names::Sort;

/// What stands where a secret stood.
pub const REDACTED: &str = "[redacted]";

/// Deeper than any text that is read; a tree made by code that goes deeper is cut.
const DEEPEST: usize = 128;

/// How often the result is looked at again; taking one secret out can show another.
const MOST_PASSES: usize = 8;

/// A place in the text, from its first byte to behind its last.
type Place = (usize, usize);

/// The tree without secrets.
pub fn redact(node: &Node) -> Node {
    inside(node, 0)
}

/// The text without secrets. Doing it twice changes nothing more.
pub fn redact_text(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..MOST_PASSES {
        match pass(&text) {
            Some(next) if next != text => text = next,
            _ => return text,
        }
    }
    // Nobody writes like that who does not want to be misread.
    REDACTED.to_owned()
}

/// Whether a key of a map, a header, a variable or an option names a secret.
pub fn names_secret(name: &str) -> bool {
    names::sort(name).is_some()
}

/// The text without the secrets that show; none where nothing does, as nearly always.
fn pass(text: &str) -> Option<String> {
    let mut places = Vec::new();
    shapes::find(text, &mut places);
    urls::find(text, &mut places);
    values::find(text, &mut places);
    options::find(text, &mut places);
    (!places.is_empty()).then(|| replace(text, places))
}

fn replace(text: &str, mut places: Vec<Place>) -> String {
    places.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut places = places
        .into_iter()
        .filter(|(start, end)| start < end)
        .peekable();
    while let Some((start, mut end)) = places.next() {
        // What overlaps or touches is one secret.
        while let Some((_, further)) = places.next_if(|(next, _)| *next <= end) {
            end = end.max(further);
        }
        out.push_str(text.get(at..start).unwrap_or_default());
        out.push_str(REDACTED);
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

fn inside(node: &Node, depth: usize) -> Node {
    if depth > DEEPEST {
        return Node::text(REDACTED);
    }
    let value = match &node.value {
        Value::Text(text) => Value::Text(redact_text(text)),
        Value::List(items) => Value::List(list(items, depth)),
        Value::Map(entries) => Value::Map(map(entries, depth)),
        Value::Null | Value::Bool(_) | Value::Number(_) => node.value.clone(),
    };
    Node {
        value,
        span: node.span,
    }
}

/// A list may be the words of a command: what follows `--password` is one.
fn list(items: &[Node], depth: usize) -> Vec<Node> {
    let mut named = false;
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        out.push(if named {
            hidden(item, depth)
        } else {
            inside(item, depth + 1)
        });
        named = item
            .as_text()
            .is_some_and(|text| match text.strip_prefix("--") {
                Some(option) => !option.contains(['=', ' ']) && names::sort(option).is_some(),
                None => text
                    .strip_suffix(':')
                    .is_some_and(|header| !header.contains(' ') && names::sort(header).is_some()),
            });
    }
    out
}

fn map(entries: &[Entry], depth: usize) -> Vec<Entry> {
    // `{name: PASSWORD, value: …}` is a pair, too.
    let named = entries.iter().any(|entry| {
        ["name", "key", "header", "field", "variable"]
            .iter()
            .any(|key| entry.key.eq_ignore_ascii_case(key))
            && entry
                .node
                .as_text()
                .is_some_and(|text| names::sort(text.trim_end_matches(':')).is_some())
    });
    let node = |entry: &Entry| match names::sort(&entry.key) {
        Some(Sort::Several) if matches!(entry.node.value, Value::Number(_)) => entry.node.clone(),
        Some(_) => hidden(&entry.node, depth),
        None if named
            && ["value", "values", "content", "data"]
                .iter()
                .any(|key| entry.key.eq_ignore_ascii_case(key)) =>
        {
            hidden(&entry.node, depth)
        }
        None => inside(&entry.node, depth + 1),
    };
    // A key can hold a secret itself, where somebody took an address for a name.
    entries
        .iter()
        .map(|entry| Entry {
            key: redact_text(&entry.key),
            key_span: entry.key_span,
            node: node(entry),
        })
        .collect()
}

/// A value that is a secret: its shape stays, its texts and numbers go.
fn hidden(node: &Node, depth: usize) -> Node {
    if depth > DEEPEST {
        return Node::text(REDACTED);
    }
    let value = match &node.value {
        Value::Text(text) if text.is_empty() => node.value.clone(),
        Value::Null | Value::Bool(_) => node.value.clone(),
        Value::Text(_) | Value::Number(_) => Value::Text(REDACTED.to_owned()),
        Value::List(items) => {
            Value::List(items.iter().map(|item| hidden(item, depth + 1)).collect())
        }
        Value::Map(entries) => Value::Map(
            entries
                .iter()
                .map(|entry| Entry {
                    key: redact_text(&entry.key),
                    key_span: entry.key_span,
                    node: hidden(&entry.node, depth + 1),
                })
                .collect(),
        ),
    };
    Node {
        value,
        span: node.span,
    }
}

#[cfg(test)]
mod tests;
