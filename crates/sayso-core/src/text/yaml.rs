//! YAML 1.2 with the core schema, cut down to what reads the same to everyone.
//!
//! One document, no anchors, aliases, tags or directives, text keys that stand once. `yes`, `no`, `on` and `off` are
//! text, and so is everything in quotes. Numbers keep their source text.

mod errors;
mod positions;
mod scalar;

use super::Limits;
use super::build::{Builder, Place, too_many};
use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Node, Span, Value};
use positions::Positions;
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads one YAML document; a text without any value is [`Value::Null`].
pub fn read(text: &str, limits: &Limits) -> Result<Node, Diagnostic> {
    let builder = Builder::new(text, limits)?;
    check_characters(text)?;
    check_separators(text, limits)?;
    // The parser holds assertions about its own state. None is known to fail, but a gate may not fall over a text.
    catch_unwind(AssertUnwindSafe(|| {
        Reader {
            text,
            positions: Positions::new(text),
            builder,
        }
        .run()
    }))
    .unwrap_or_else(|_| {
        Err(Diagnostic::error(
            Span::default(),
            "this text cannot be read as YAML",
        ))
    })
}

struct Reader<'a> {
    text: &'a str,
    positions: Positions<'a>,
    builder: Builder<'a>,
}

impl<'a> Reader<'a> {
    fn run(mut self) -> Result<Node, Diagnostic> {
        let mut parser: Parser<'a, StrInput<'a>> = Parser::new_from_str(self.text);
        let mut documents = 0;
        while let Some(result) = parser.next_event() {
            let (event, place) = result.map_err(|error| {
                errors::from_parser(&error, self.text, &self.positions, &self.builder)
            })?;
            let span = self.span(place);
            match event {
                Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
                Event::StreamEnd => break,
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(
                            Diagnostic::error(span, "more than one document in the text")
                                .hint("keep one document a file"),
                        );
                    }
                    self.check_directives(span)?;
                }
                Event::Alias(_) => return Err(errors::alias(self.text, span)),
                Event::Scalar(content, style, anchor, tag) => {
                    self.check_decoration(anchor, tag.is_some(), span)?;
                    self.scalar(&content, style, span)?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.check_decoration(anchor, tag.is_some(), span)?;
                    self.check_key(span, "a list")?;
                    self.builder.open_list(self.first_dash(span))?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.check_decoration(anchor, tag.is_some(), span)?;
                    self.check_key(span, "a map")?;
                    self.builder.open_map(span)?;
                }
                Event::SequenceEnd => self.close(span, b']'),
                Event::MappingEnd => self.close(span, b'}'),
            }
        }
        Ok(self.builder.finish().unwrap_or(Node {
            value: Value::Null,
            span: Span::default(),
        }))
    }

    fn span(&self, place: saphyr_parser::Span) -> Span {
        Span::new(
            self.positions.byte(place.start.index()),
            self.positions.byte(place.end.index()),
        )
    }

    fn scalar(&mut self, content: &str, style: ScalarStyle, place: Span) -> Result<(), Diagnostic> {
        let span = scalar::as_written(self.text, style, content, place);
        let value = match style {
            ScalarStyle::Plain => scalar::plain(content),
            _ => Value::Text(content.to_owned()),
        };
        if self.builder.place() != Place::Key {
            return self.builder.scalar(value, span);
        }
        match value {
            // A number is a key by its source text: people write ports and years without quotes.
            Value::Text(key) | Value::Number(key) => self.builder.key(key, span),
            _ if content.is_empty() => Err(Diagnostic::error(place, "a value without a key")),
            _ => Err(Diagnostic::error(
                span,
                format!("`{content}` is not text, and a key must be"),
            )
            .hint("put the key in quotes")),
        }
    }

    /// Ends a flow collection at its bracket, a block collection at its last value.
    fn close(&mut self, span: Span, bracket: u8) {
        let start = span.start as usize;
        let closed = self.text.as_bytes().get(start) == Some(&bracket);
        self.builder.close(closed.then_some(start + 1));
    }

    /// The place of the first `-` of a list: for one that is not indented below its key, the parser gives that of
    /// its first item.
    fn first_dash(&self, span: Span) -> Span {
        let start = span.start as usize;
        if span.start != span.end || self.builder.place() != Place::Value {
            return span;
        }
        let line = self
            .text
            .get(..start)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |newline| newline + 1);
        let indented = self.text.get(line..).unwrap_or("");
        let dash = line + indented.len() - indented.trim_start_matches(' ').len();
        if self.text.as_bytes().get(dash) == Some(&b'-') {
            Span::new(dash, dash + 1)
        } else {
            span
        }
    }

    fn check_key(&self, span: Span, what: &str) -> Result<(), Diagnostic> {
        if self.builder.place() == Place::Key {
            return Err(Diagnostic::error(span, format!("{what} as a key"))
                .hint("a key is a word or a text in quotes"));
        }
        Ok(())
    }

    fn check_decoration(&self, anchor: usize, tagged: bool, span: Span) -> Result<(), Diagnostic> {
        if anchor == 0 && !tagged {
            return Ok(());
        }
        // The span begins with whichever of the two is written first.
        match self.text.as_bytes().get(span.start as usize) {
            Some(b'!') => Err(errors::tag(self.text, span)),
            _ => Err(errors::anchor(self.text, span)),
        }
    }

    /// Directives can change what tags mean and which YAML this is; the parser takes them without an event.
    fn check_directives(&self, document: Span) -> Result<(), Diagnostic> {
        let before = self.text.get(..document.start as usize).unwrap_or("");
        let mut start = 0;
        for line in before.split_inclusive('\n') {
            if line.starts_with('%') {
                let span = Span::new(start, start + line.trim_end().len());
                return Err(Diagnostic::error(
                    span,
                    format!("the directive `{}` is not read", line.trim_end()),
                )
                .hint("remove the line"));
            }
            start += line.len();
        }
        Ok(())
    }
}

/// Refuses raw characters that YAML does not print, and a lone carriage return: it ends a line for the parser (and with
/// it a comment), but not for every editor.
fn check_characters(text: &str) -> Result<(), Diagnostic> {
    for (at, character) in text.char_indices() {
        let span = Span::new(at, at + character.len_utf8());
        match character {
            '\t' | '\n' | ' '..='~' | '\u{85}' => {}
            '\r' if text.as_bytes().get(at + 1) == Some(&b'\n') => {}
            '\r' => {
                return Err(
                    Diagnostic::error(span, "a carriage return without a line feed")
                        .hint("end lines with a line feed"),
                );
            }
            '\u{FEFF}' if at == 0 => {
                return Err(Diagnostic::error(span, "a byte order mark before the text")
                    .hint("save the file as UTF-8 without a byte order mark"));
            }
            '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => {
                let message = format!(
                    "the character U+{:04X} stands in the text",
                    u32::from(character)
                );
                return Err(Diagnostic::error(span, message).hint(format!(
                    "write it as `\\u{:04X}` in double quotes, or remove it",
                    u32::from(character)
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a text whose separators alone pass the limit on values: the parser holds a bracketed list in memory as a
/// whole before it tells us of the first item.
fn check_separators(text: &str, limits: &Limits) -> Result<(), Diagnostic> {
    let separators = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b',' | b'[' | b'{'));
    match separators.map(|(at, _)| at).nth(limits.nodes) {
        Some(at) => Err(too_many(limits.nodes, Span::new(at, at + 1))),
        None => Ok(()),
    }
}
