//! Reads JSON text into a tree, without recursion and in one pass.

use super::scan::Scanner;
use crate::text::Limits;
use crate::text::build::{Builder, Place};
use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Node, Span, Value};

/// What may come next, after white space.
#[derive(Clone, Copy)]
enum Expected {
    /// A value; the comma before it, if there is one, is what is wrong when the list ends here.
    Value { comma: Option<usize> },
    /// The first item of a list, or its end.
    ItemOrEnd,
    /// A key; the comma before it is what is wrong when the map ends here.
    Key { comma: usize },
    /// The first key of a map, or its end.
    KeyOrEnd,
    /// After a value: a comma, the end of what is open, or the end of the text.
    Next,
}

/// Reads one JSON document.
///
/// Numbers keep their source text, keys are compared after unescaping, and every value and key has its byte span.
pub fn read(text: &str, limits: &Limits) -> Result<Node, Diagnostic> {
    read_from(Scanner::new(text), text, limits)
}

/// The same for JSON with comments and commas before closing brackets, as editors have it.
pub fn read_with_comments(text: &str, limits: &Limits) -> Result<Node, Diagnostic> {
    read_from(Scanner::with_comments(text), text, limits)
}

fn read_from(scanner: Scanner<'_>, text: &str, limits: &Limits) -> Result<Node, Diagnostic> {
    let mut reader = Reader {
        builder: Builder::new(text, limits)?,
        scanner,
    };
    if text.starts_with('\u{FEFF}') {
        return Err(
            Diagnostic::error(Span::new(0, 3), "a byte order mark before the text")
                .hint("save the file as UTF-8 without a byte order mark"),
        );
    }
    let mut expected = Expected::Value { comma: None };
    loop {
        reader.scanner.skip_space();
        match reader.step(expected)? {
            Some(next) => expected = next,
            None => break,
        }
    }
    let Reader { builder, scanner } = reader;
    builder
        .finish()
        .ok_or_else(|| scanner.unexpected("a value"))
}

struct Reader<'a> {
    builder: Builder<'a>,
    scanner: Scanner<'a>,
}

impl Reader<'_> {
    /// Takes one part of the text; `None` at the end of the document.
    fn step(&mut self, expected: Expected) -> Result<Option<Expected>, Diagnostic> {
        let next = self.scanner.peek();
        match (expected, next) {
            (Expected::ItemOrEnd, Some(b']')) | (Expected::KeyOrEnd, Some(b'}')) => self.close(),
            (Expected::Value { comma: Some(_) }, Some(b']'))
            | (Expected::Key { .. }, Some(b'}'))
                if self.scanner.may_end_with_comma() =>
            {
                self.close()
            }
            (Expected::Value { comma: Some(comma) }, Some(b']'))
            | (Expected::Key { comma }, Some(b'}')) => Err(Diagnostic::error(
                Span::new(comma, comma + 1),
                "a comma with nothing after it",
            )
            .hint("remove the comma")),
            (Expected::Value { .. } | Expected::ItemOrEnd, _) => self.value(next).map(Some),
            (Expected::Key { .. } | Expected::KeyOrEnd, Some(b'"')) => self.key().map(Some),
            (Expected::Key { .. }, _) => Err(self.scanner.unexpected("a key in double quotes")),
            (Expected::KeyOrEnd, _) => {
                Err(self.scanner.unexpected("a key in double quotes or `}`"))
            }
            (Expected::Next, _) => self.next(next),
        }
    }

    fn value(&mut self, next: Option<u8>) -> Result<Expected, Diagnostic> {
        let start = self.scanner.at();
        match next {
            Some(b'{') => {
                self.scanner.advance();
                self.builder.open_map(self.scanner.since(start))?;
                return Ok(Expected::KeyOrEnd);
            }
            Some(b'[') => {
                self.scanner.advance();
                self.builder.open_list(self.scanner.since(start))?;
                return Ok(Expected::ItemOrEnd);
            }
            Some(b'"') => {
                let text = self.scanner.text()?;
                self.builder
                    .scalar(Value::Text(text), self.scanner.since(start))?;
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.scanner.number()?;
                self.builder
                    .scalar(Value::Number(number.to_owned()), self.scanner.since(start))?;
            }
            Some(b'a'..=b'z' | b'A'..=b'Z') => {
                let value = self.scanner.word()?;
                self.builder.scalar(value, self.scanner.since(start))?;
            }
            _ => return Err(self.scanner.unexpected("a value")),
        }
        Ok(Expected::Next)
    }

    fn key(&mut self) -> Result<Expected, Diagnostic> {
        let start = self.scanner.at();
        let key = self.scanner.text()?;
        self.builder.key(key, self.scanner.since(start))?;
        self.scanner.skip_colon()?;
        Ok(Expected::Value { comma: None })
    }

    fn next(&mut self, next: Option<u8>) -> Result<Option<Expected>, Diagnostic> {
        let at = self.scanner.at();
        match (self.builder.place(), next) {
            (Place::Root, None) => Ok(None),
            (Place::Root, Some(_)) => Err(self.scanner.unexpected("the end of the text")),
            (Place::Item, Some(b',')) => {
                self.scanner.advance();
                Ok(Some(Expected::Value { comma: Some(at) }))
            }
            (Place::Key | Place::Value, Some(b',')) => {
                self.scanner.advance();
                Ok(Some(Expected::Key { comma: at }))
            }
            (Place::Item, Some(b']')) | (Place::Key | Place::Value, Some(b'}')) => self.close(),
            (Place::Item, _) => Err(self.scanner.unexpected("`,` or `]`")),
            (Place::Key | Place::Value, _) => Err(self.scanner.unexpected("`,` or `}`")),
        }
    }

    fn close(&mut self) -> Result<Option<Expected>, Diagnostic> {
        self.scanner.advance();
        self.builder.close(Some(self.scanner.at()));
        Ok(Some(Expected::Next))
    }
}
