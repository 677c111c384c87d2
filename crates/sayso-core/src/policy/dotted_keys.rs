//! Dotted keys: `audit.retention_days: 30` is `audit: {retention_days: 30}`.

use crate::policy::shape::{Record, Shape};
use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Entry, Node, Span, Value};

/// Spells dotted keys out, as far as their first part is a key of the record.
pub fn expand(entries: Vec<Entry>, record: &Record, findings: &mut Vec<Diagnostic>) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    for mut entry in entries {
        let parts = entry
            .key
            .split_once('.')
            .map(|(first, rest)| (first.to_owned(), rest.to_owned()));
        let field = parts.as_ref().and_then(|(first, _)| record.field(first));
        if let (Some((first, rest)), Some(field)) = (parts, field)
            && record.field(&entry.key).is_none()
            && matches!(field.shape, Shape::Record(_) | Shape::Names(_))
        {
            let inner = match &field.shape {
                Shape::Names(Shape::Record(section)) => {
                    below_name(&rest, section, entry.node, entry.key_span)
                }
                _ => vec![Entry {
                    key: rest,
                    key_span: entry.key_span,
                    node: entry.node,
                }],
            };
            entry = wrap(first, entry.key_span, inner);
        }
        if let (Some(field), Value::Map(inner)) = (record.field(&entry.key), &mut entry.node.value)
            && let Shape::Record(inner_record) = &field.shape
        {
            *inner = expand(std::mem::take(inner), inner_record, findings);
        }
        if let (Some(field), Value::Map(named)) = (record.field(&entry.key), &mut entry.node.value)
            && let Shape::Names(Shape::Record(section)) = &field.shape
        {
            for name in named {
                if let Value::Map(inner) = &mut name.node.value {
                    *inner = expand(std::mem::take(inner), section, findings);
                }
            }
        }
        insert(&mut out, entry, findings);
    }
    out
}

/// `safe-reviewer.mode: x` → `safe-reviewer: {mode: x}`. Names may hold dots, so the name ends where a key of its section follows.
fn below_name(rest: &str, section: &Record, node: Node, key_span: Span) -> Vec<Entry> {
    let split = rest.match_indices('.').find_map(|(at, _)| {
        let (name, key) = (rest.get(..at)?, rest.get(at + 1..)?);
        section
            .field(key.split('.').next()?)
            .map(|_| (name.to_owned(), key.to_owned()))
    });
    match split {
        Some((name, key)) => vec![wrap(
            name,
            key_span,
            vec![Entry {
                key,
                key_span,
                node,
            }],
        )],
        None => vec![Entry {
            key: rest.to_owned(),
            key_span,
            node,
        }],
    }
}

fn wrap(key: String, key_span: Span, inner: Vec<Entry>) -> Entry {
    let span = inner.first().map_or(key_span, |entry| entry.node.span);
    Entry {
        key,
        key_span,
        node: Node {
            value: Value::Map(inner),
            span,
        },
    }
}

/// Adds an entry; a map joins a map that is there, anything else twice is an error.
pub fn insert(out: &mut Vec<Entry>, entry: Entry, findings: &mut Vec<Diagnostic>) {
    let Some(there) = out.iter_mut().find(|there| there.key == entry.key) else {
        out.push(entry);
        return;
    };
    match (&mut there.node.value, entry.node.into_value()) {
        (Value::Map(into), Value::Map(from)) => {
            for inner in from {
                insert(into, inner, findings);
            }
        }
        (Value::List(into), Value::List(from)) => into.extend(from),
        _ => findings.push(Diagnostic::error(
            entry.key_span,
            format!("`{}` is set twice", entry.key),
        )),
    }
}
