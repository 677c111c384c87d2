//! Puts a tree together from the parts a reader finds, and holds it to the limits and to unique keys.

use super::{DEEPEST, Limits};
use crate::text::diagnostic::{Diagnostic, Source};
use crate::text::node::{Entry, Node, Span, Value};
use std::collections::HashSet;

/// Up to this many keys are compared one by one; beyond, a set keeps the reading linear.
const FEW: usize = 8;

/// A tree in the making: lists and maps are opened and closed, values fall into the innermost open one.
pub(super) struct Builder<'a> {
    text: &'a str,
    limits: Limits,
    nodes: usize,
    open: Vec<Open>,
    root: Option<Node>,
}

enum Open {
    List {
        start: usize,
        items: Vec<Node>,
    },
    Map {
        start: usize,
        entries: Vec<Entry>,
        seen: HashSet<String>,
        key: Option<(String, Span)>,
    },
}

/// What the builder can take next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The one value of the document.
    Root,
    /// An item of a list.
    Item,
    /// A key of a map.
    Key,
    /// The value of the key that was just given.
    Value,
}

impl<'a> Builder<'a> {
    /// A builder for a text; an error if the text is too long.
    pub fn new(text: &'a str, limits: &Limits) -> Result<Self, Diagnostic> {
        if text.len() > limits.bytes {
            let message = format!(
                "text of {} bytes, more than the {} that are read",
                text.len(),
                limits.bytes
            );
            return Err(Diagnostic::error(Span::default(), message));
        }
        let limits = Limits {
            depth: limits.depth.min(DEEPEST),
            ..*limits
        };
        Ok(Builder {
            text,
            limits,
            nodes: 0,
            open: Vec::new(),
            root: None,
        })
    }

    /// Where the next part goes.
    pub fn place(&self) -> Place {
        match self.open.last() {
            None => Place::Root,
            Some(Open::List { .. }) => Place::Item,
            Some(Open::Map { key: None, .. }) => Place::Key,
            Some(Open::Map { key: Some(_), .. }) => Place::Value,
        }
    }

    /// Adds a value that holds no others.
    pub fn scalar(&mut self, value: Value, span: Span) -> Result<(), Diagnostic> {
        self.count(span)?;
        self.put(Node { value, span });
        Ok(())
    }

    /// Opens a list; the span is that of what opened it.
    pub fn open_list(&mut self, opener: Span) -> Result<(), Diagnostic> {
        self.descend(opener)?;
        self.open.push(Open::List {
            start: opener.start as usize,
            items: Vec::new(),
        });
        Ok(())
    }

    /// Opens a map; the span is that of what opened it.
    pub fn open_map(&mut self, opener: Span) -> Result<(), Diagnostic> {
        self.descend(opener)?;
        self.open.push(Open::Map {
            start: opener.start as usize,
            entries: Vec::new(),
            seen: HashSet::new(),
            key: None,
        });
        Ok(())
    }

    /// Gives the key for the next value of the innermost map.
    pub fn key(&mut self, name: String, span: Span) -> Result<(), Diagnostic> {
        let Some(Open::Map {
            entries, seen, key, ..
        }) = self.open.last_mut()
        else {
            return Ok(());
        };
        let known = if entries.len() <= FEW {
            entries.iter().any(|entry| entry.key == name)
        } else {
            if seen.is_empty() {
                seen.extend(entries.iter().map(|entry| entry.key.clone()));
            }
            !seen.insert(name.clone())
        };
        if known {
            let first = entries
                .iter()
                .find(|entry| entry.key == name)
                .map_or(0, |entry| entry.key_span.start);
            let (line, _) = Source {
                name: "",
                text: self.text,
            }
            .line_column(first as usize);
            return Err(
                Diagnostic::error(span, format!("the key `{name}` stands twice"))
                    .hint(format!("keep one of the two; the first is on line {line}")),
            );
        }
        *key = Some((name, span));
        Ok(())
    }

    /// Closes the innermost list or map; `end` is one past its last byte, or `None` to end it with its last part.
    pub fn close(&mut self, end: Option<usize>) {
        let node = match self.open.pop() {
            None => return,
            Some(Open::List { start, items }) => {
                let last = items.last().map_or(start, |item| item.span.end as usize);
                Node {
                    value: Value::List(items),
                    span: Span::new(start, end.unwrap_or(last).max(start)),
                }
            }
            Some(Open::Map { start, entries, .. }) => {
                let last = entries
                    .last()
                    .map_or(start, |entry| entry.node.span.end as usize);
                Node {
                    value: Value::Map(entries),
                    span: Span::new(start, end.unwrap_or(last).max(start)),
                }
            }
        };
        self.put(node);
    }

    /// The finished tree, if there was a value and everything that was opened is closed.
    pub fn finish(self) -> Option<Node> {
        if self.open.is_empty() {
            self.root
        } else {
            None
        }
    }

    /// The error for a value that stands too deep.
    pub fn too_deep(&self, span: Span) -> Diagnostic {
        Diagnostic::error(
            span,
            format!(
                "more than {} lists and maps inside each other",
                self.limits.depth
            ),
        )
    }

    fn descend(&mut self, span: Span) -> Result<(), Diagnostic> {
        if self.open.len() >= self.limits.depth {
            return Err(self.too_deep(span));
        }
        self.count(span)
    }

    fn count(&mut self, span: Span) -> Result<(), Diagnostic> {
        if self.nodes >= self.limits.nodes {
            return Err(too_many(self.limits.nodes, span));
        }
        self.nodes += 1;
        Ok(())
    }

    fn put(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => {
                // The readers give a key before every value; a value without one has nowhere to go.
                if let Some((key, key_span)) = key.take() {
                    entries.push(Entry {
                        key,
                        key_span,
                        node,
                    });
                }
            }
        }
    }
}

/// The error for a text with more values than the limit.
pub(super) fn too_many(limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("more than {limit} values"))
}
