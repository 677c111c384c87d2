//! What of a call's arguments is stored: without secrets, short enough to keep, and next to a keyed digest of all of it.
//!
//! Arguments come from outside and may be anything. They are made smaller before secrets are looked for, so that a file of many megabytes
//! costs no more than a short one, and once more after it. `args_cut` says that something was left out; each part says how long it was.

use std::collections::HashSet;

use sayso_core::text::json;
use sayso_core::text::node::{Entry, Node, Span, Value};
use sayso_core::text::redact::{REDACTED, redact, redact_text};

use crate::journal::{Journal, JournalError};

/// What is kept of arguments. Entries themselves are always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Everything but secrets, cut to what an entry has room for.
    Redacted,
    /// Everything, up to 256 KiB: the person asked for it.
    Full,
    /// Nothing but the digest: `audit: off`.
    Nothing,
}

/// What a tree may take.
struct Room {
    /// Bytes of one text, as JSON writes it.
    text: usize,
    /// Bytes of everything, as JSON writes it.
    all: usize,
}

/// In an entry of at most 1 KiB.
const STORED: Room = Room {
    text: 400,
    all: 440,
};
const FULL: Room = Room {
    text: 256 << 10,
    all: 256 << 10,
};
/// What secrets are looked for in.
const LOOKED_AT: Room = Room {
    text: 16 << 10,
    all: 64 << 10,
};
/// A secret that was cut in two may not be known for one any more: so much before such a cut is never stored.
const MARGIN: usize = 4 << 10;
/// Deeper parts are left out.
const DEEPEST: usize = 32;
/// A number that is longer is stored as a text.
const LONGEST_NUMBER: usize = 32;
/// A key that is longer is left out with its value.
const LONGEST_KEY: usize = 128;

/// The fields that an entry has for the arguments of a call: `args` (unless nothing is kept), `args_cut` and `args_digest`.
///
/// What stands under one of the keys in `exclude`, at any depth and in small or large letters, is hidden like a secret.
///
/// # Errors
/// When there is no key to make the digest with.
pub fn arguments(
    journal: &Journal,
    args: &Node,
    kept: Kept,
    exclude: &[String],
) -> Result<Vec<(&'static str, Node)>, JournalError> {
    let mut fields = Vec::with_capacity(3);
    if kept != Kept::Nothing {
        let (stored, cut) = stored(args, kept, exclude);
        fields.push(("args", stored));
        if cut {
            fields.push(("args_cut", Value::Bool(true).into()));
        }
    }
    fields.push(("args_digest", Node::text(journal.key()?.digest(args))));
    Ok(fields)
}

/// A text from outside as a field: without secrets, and cut with its length said.
pub fn text(text: &str) -> Node {
    // Most are short, plain and hold no secret: nothing of them is cut.
    let is_plain = text.len() + 2 <= STORED.text && text.chars().all(is_written_as_it_is);
    match is_plain
        .then(|| redact_text(text))
        .filter(|clean| clean == text)
    {
        Some(clean) => Node::text(clean),
        None => stored(&Node::text(text), Kept::Redacted, &[]).0,
    }
}

/// The arguments as they are stored, and whether anything was left out.
fn stored(args: &Node, kept: Kept, exclude: &[String]) -> (Node, bool) {
    if kept == Kept::Full {
        let mut cutter = Cutter::new(FULL, exclude, Pass::Only);
        let node = cutter.node(args, 0);
        return (node, cutter.cut);
    }
    let mut first = Cutter::new(LOOKED_AT, exclude, Pass::First);
    let smaller = redact(&first.node(args, 0));
    let mut second = Cutter::new(STORED, &[], Pass::Second);
    let node = second.node(&smaller, 0);
    (node, first.cut || second.cut)
}

/// Makes a tree smaller.
struct Cutter<'a> {
    room: Room,
    exclude: &'a [String],
    pass: Pass,
    cut: bool,
}

/// The first of two passes writes into the span of each part how long it was, and the second tells it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    First,
    Second,
    Only,
}

impl<'a> Cutter<'a> {
    fn new(room: Room, exclude: &'a [String], pass: Pass) -> Self {
        Cutter {
            room,
            exclude,
            pass,
            cut: false,
        }
    }

    fn node(&mut self, node: &Node, depth: usize) -> Node {
        let before = self.before(node);
        let value = match &node.value {
            Value::Text(text) => Value::Text(self.text(text, before)),
            Value::Number(number) if number.len() > LONGEST_NUMBER => {
                Value::Text(self.text(number, before))
            }
            Value::Number(_) | Value::Null | Value::Bool(_) => {
                self.take(before.max(5));
                node.value.clone()
            }
            Value::List(_) | Value::Map(_) if depth >= DEEPEST => {
                self.cut = true;
                Value::Text("… (deeper)".to_owned())
            }
            Value::List(items) => Value::List(self.list(items, before, depth)),
            Value::Map(entries) => Value::Map(self.map(entries, before, depth)),
        };
        let span = if self.pass == Pass::First {
            Span::new(0, before)
        } else {
            Span::default()
        };
        Node { value, span }
    }

    /// How long a part was before anything was cut: what the first cutter wrote down, or what it is.
    fn before(&self, node: &Node) -> usize {
        let is = match &node.value {
            Value::Text(text) | Value::Number(text) => text.len(),
            Value::List(items) => items.len(),
            Value::Map(entries) => entries.len(),
            Value::Null | Value::Bool(_) => 0,
        };
        if self.pass == Pass::Second {
            is.max(node.span.end as usize)
        } else {
            is
        }
    }

    fn text(&mut self, text: &str, before: usize) -> String {
        let most = self.room.text.min(self.room.all);
        // Behind the first cutter, a text that was cut may end in half a secret.
        let was_cut = self.pass == Pass::Second && before > LOOKED_AT.text;
        let shown = if was_cut {
            text.len().saturating_sub(MARGIN)
        } else {
            text.len()
        };
        let mut cost = 2;
        let mut end = 0;
        for (at, character) in text.char_indices() {
            let next = at + character.len_utf8();
            cost += escaped(character);
            if cost > most || next > shown {
                break;
            }
            end = next;
        }
        self.take(cost);
        let kept = text.get(..end).unwrap_or_default();
        if end == text.len() {
            return kept.to_owned();
        }
        self.cut = true;
        if self.pass == Pass::First {
            return kept.to_owned();
        }
        format!("{kept}… ({before} bytes)")
    }

    fn list(&mut self, items: &[Node], before: usize, depth: usize) -> Vec<Node> {
        let mut out = Vec::new();
        for item in items {
            if self.room.all == 0 {
                break;
            }
            self.take(1);
            out.push(self.node(item, depth + 1));
        }
        if out.len() < before {
            self.cut = true;
            if self.pass != Pass::First {
                out.push(Node::text(format!("… ({} more)", before - out.len())));
            }
        }
        out
    }

    fn map(&mut self, entries: &[Entry], before: usize, depth: usize) -> Vec<Entry> {
        let mut out: Vec<Entry> = Vec::new();
        let mut names = HashSet::new();
        for entry in entries {
            if self.room.all == 0 {
                break;
            }
            if entry.key.len() > LONGEST_KEY {
                continue;
            }
            self.take(entry.key.len() + 4);
            let node = if self
                .exclude
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&entry.key))
            {
                Node::text(REDACTED)
            } else {
                self.node(&entry.node, depth + 1)
            };
            // Two keys that held secrets may look the same now.
            let key = unused(&names, &entry.key);
            names.insert(key.clone());
            out.push(Entry {
                key,
                key_span: Span::default(),
                node,
            });
        }
        if out.len() < before {
            self.cut = true;
            if self.pass != Pass::First {
                let node = Node::text(format!("({} more)", before - out.len()));
                out.push(Entry {
                    key: unused(&names, "…"),
                    key_span: Span::default(),
                    node,
                });
            }
        }
        out
    }

    fn take(&mut self, bytes: usize) {
        self.room.all = self.room.all.saturating_sub(bytes);
    }
}

/// The name, or the name with a number behind it that is not in use.
fn unused(names: &HashSet<String>, name: &str) -> String {
    if !names.contains(name) {
        return name.to_owned();
    }
    (2..)
        .map(|count: u64| format!("{name} ({count})"))
        .find(|name| !names.contains(name))
        .unwrap_or_default()
}

/// How many bytes JSON takes for a character.
fn escaped(character: char) -> usize {
    if is_written_as_it_is(character) {
        1
    } else {
        json::write_plain(&Node::text(character)).len() - 2
    }
}

fn is_written_as_it_is(character: char) -> bool {
    matches!(character, ' ' | '!' | '#'..='[' | ']'..='~')
}
