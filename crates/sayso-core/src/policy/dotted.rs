//! Dotted keys: `audit.retention_days: 30` is `audit: {retention_days: 30}`.

use crate::diagnostic::Diagnostic;
use crate::node::{Entry, Node, Value};
use crate::policy::shape::{Record, Shape};

/// Spells dotted keys out, as far as their first part is a key of the record.
pub fn expand(entries: Vec<Entry>, record: &Record, findings: &mut Vec<Diagnostic>) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    for mut entry in entries {
        let parts = entry.key.split_once('.').map(|(first, rest)| (first.to_owned(), rest.to_owned()));
        if let Some((first, rest)) = parts
            && record.field(&entry.key).is_none()
            && record.field(&first).is_some_and(|field| matches!(field.shape, Shape::Record(_) | Shape::Names(_)))
        {
            let span = entry.node.span;
            let inner = Entry { key: rest, key_span: entry.key_span, node: entry.node };
            entry = Entry { key: first, key_span: entry.key_span, node: Node { value: Value::Map(vec![inner]), span } };
        }
        if let (Some(field), Value::Map(inner)) = (record.field(&entry.key), &mut entry.node.value)
            && let Shape::Record(inner_record) = &field.shape
        {
            *inner = expand(std::mem::take(inner), inner_record, findings);
        }
        insert(&mut out, entry, findings);
    }
    out
}

/// Adds an entry; a map joins a map that is there, anything else twice is an error.
pub fn insert(out: &mut Vec<Entry>, entry: Entry, findings: &mut Vec<Diagnostic>) {
    let Some(there) = out.iter_mut().find(|there| there.key == entry.key) else {
        out.push(entry);
        return;
    };
    match (&mut there.node.value, entry.node.value) {
        (Value::Map(into), Value::Map(from)) => {
            for inner in from {
                insert(into, inner, findings);
            }
        }
        (Value::List(into), Value::List(from)) => into.extend(from),
        _ => findings.push(Diagnostic::error(entry.key_span, format!("`{}` is set twice", entry.key))),
    }
}
