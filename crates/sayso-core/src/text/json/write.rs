//! Writes a tree as JSON on one line.

use super::scan::Scanner;
use crate::text::node::{Entry, Node, Value};
use crate::text::visible::is_hidden;

/// What is left to write of an open list or map.
enum Rest<'a> {
    List(std::slice::Iter<'a, Node>),
    Map(std::slice::Iter<'a, Entry>),
}

/// The tree as JSON without any white space.
///
/// A number that JSON has no form for (`0x1F`, `.inf` and `+1` come from YAML) is written as text, so that the
/// result is always JSON.
pub fn write(node: &Node) -> String {
    let mut out = String::new();
    // A stack of our own: a tree made by code may be deeper than the thread's stack.
    let mut open: Vec<Rest<'_>> = Vec::new();
    open.extend(start(&mut out, node));
    while let Some(rest) = open.last_mut() {
        let next = match rest {
            Rest::List(items) => items.next().ok_or(']'),
            Rest::Map(entries) => entries.next().ok_or('}').map(|entry| {
                separate(&mut out);
                push_quoted(&mut out, &entry.key);
                out.push(':');
                &entry.node
            }),
        };
        match next {
            Ok(node) => {
                separate(&mut out);
                open.extend(start(&mut out, node));
            }
            Err(closer) => {
                out.push(closer);
                open.pop();
            }
        }
    }
    out
}

/// The same for a screen as for a program: every character that a terminal obeys or does not show is written as its number.
///
/// JSON itself only asks for that below U+0020, and some terminals obey U+009B as they obey `ESC [`.
pub fn write_plain(node: &Node) -> String {
    let text = write(node);
    if !text.contains(is_hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for character in text.chars() {
        match is_hidden(character) {
            // Such characters stand in strings only.
            true => character
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
            false => out.push(character),
        }
    }
    out
}

/// The text as a JSON string, quotes included.
///
/// U+2028 and U+2029 are escaped too: they end a line in JavaScript.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// Writes a value, or the opening of one that holds others.
fn start<'a>(out: &mut String, node: &'a Node) -> Option<Rest<'a>> {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) if is_number(number) => out.push_str(number),
        Value::Number(text) | Value::Text(text) => push_quoted(out, text),
        Value::List(items) => {
            out.push('[');
            return Some(Rest::List(items.iter()));
        }
        Value::Map(entries) => {
            out.push('{');
            return Some(Rest::Map(entries.iter()));
        }
    }
    None
}

/// Writes a comma unless something was just opened or a key was just written.
fn separate(out: &mut String) {
    if !out.ends_with(['[', '{', ':']) {
        out.push(',');
    }
}

fn is_number(text: &str) -> bool {
    let mut scanner = Scanner::new(text);
    scanner.number().is_ok() && scanner.at() == text.len()
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1F}' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)))
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Limits, json::read};

    #[test]
    fn h_36_what_a_terminal_obeys_is_written_as_its_number_and_reads_back() {
        let text = "a\u{1b}[2J\u{7f}\u{9b}2J\u{202e}b\u{200b}\u{e0041}\u{2028}ü漢🦀\"\\";
        let node = Node::map([(text, Node::text(text))]);
        let written = write_plain(&node);
        assert!(!written.chars().any(is_hidden), "{written}");
        assert!(
            written.contains("\\u009b2J\\u202eb") && written.contains("ü漢🦀"),
            "{written}"
        );
        assert_eq!(
            write(&read(&written, &Limits::default()).unwrap()),
            write(&node)
        );
    }
}
