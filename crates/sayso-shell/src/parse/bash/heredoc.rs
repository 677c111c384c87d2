//! Heredocs: the delimiter, and the body behind the line.

use super::Reading;
use super::cursor::{Cursor, is_meta};
use super::tree::{Piece, Word};
use super::word::push_quoted;

/// A heredoc whose body has not been read yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
}

impl Cursor<'_> {
    /// The delimiter, and whether any of it is quoted.
    pub(super) fn heredoc_delimiter(&mut self) -> Reading<(String, bool)> {
        let mut delimiter = String::new();
        let mut quoted = false;
        while let Some(byte) = self.peek() {
            match byte {
                _ if is_meta(byte) => break,
                b'\'' | b'"' => {
                    quoted = true;
                    let rest = self.text.get(self.at + 1..).unwrap_or("");
                    let Some(length) = rest.find(byte as char) else {
                        return self.refuse("a quote is not closed");
                    };
                    let inner = rest.get(..length).unwrap_or("");
                    if inner.contains(['\n', '\\', '$', '`']) {
                        return self.refuse("the delimiter of a heredoc is not plain");
                    }
                    delimiter.push_str(inner);
                    self.at += length + 2;
                }
                b'\\'
                    if self
                        .ahead(1)
                        .is_some_and(|next| next.is_ascii_alphanumeric() || next == b'_') =>
                {
                    quoted = true;
                    self.at += 1;
                }
                _ if byte.is_ascii_alphanumeric() || b"_-.!+@%".contains(&byte) => {
                    delimiter.push(byte as char);
                    self.at += 1;
                }
                _ => return self.refuse("the delimiter of a heredoc is not plain"),
            }
        }
        if delimiter.is_empty() {
            return self.refuse("a heredoc has no delimiter");
        }
        Ok((delimiter, quoted))
    }

    /// Reads the bodies that start here, behind a line end.
    pub(super) fn heredoc_bodies(&mut self) -> Reading<()> {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.heredoc_body(&pending)?;
            self.bodies.push(body);
        }
        Ok(())
    }

    fn heredoc_body(&mut self, pending: &Pending) -> Reading<Word> {
        let start = self.at;
        let mut at = start;
        let mut text = String::new();
        loop {
            let rest = self.text.get(at..).unwrap_or("");
            let Some(length) = rest.find('\n').or((!rest.is_empty()).then_some(rest.len())) else {
                return self.refuse_at(
                    start,
                    self.text.len(),
                    format!("the heredoc does not end with `{}`", pending.delimiter),
                );
            };
            let line = rest.get(..length).unwrap_or("");
            let stripped = if pending.strip_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            let ended = rest.len() == length;
            at += length + usize::from(!ended);
            if stripped == pending.delimiter {
                break;
            }
            if ended {
                return self.refuse_at(
                    start,
                    self.text.len(),
                    format!("the heredoc does not end with `{}`", pending.delimiter),
                );
            }
            text.push_str(stripped);
            text.push('\n');
        }
        let end = at;
        self.at = at;
        if pending.quoted {
            return Ok(Word {
                pieces: vec![Piece::Text { text, quoted: true }],
                start,
                end,
            });
        }
        // A continued line could join a line with the delimiter, and tabs are taken off before it is looked at; both are rare.
        if text.contains("\\\n") {
            return self.refuse_at(start, end, "a line of a heredoc is continued");
        }
        let mut inner = Cursor::new(&text).map_err(|refusal| super::Refusal {
            start,
            end,
            ..refusal
        })?;
        inner.depth = self.depth + 1;
        let pieces = inner.expanding_text().map_err(|refusal| super::Refusal {
            start,
            end,
            ..refusal
        })?;
        Ok(Word { pieces, start, end })
    }

    /// The body of a heredoc whose delimiter is not quoted: like double quotes, but quotes are plain text.
    fn expanding_text(&mut self) -> Reading<Vec<Piece>> {
        let mut pieces = Vec::new();
        while let Some(character) = self.character() {
            match character {
                '\\' => {
                    let next = self.ahead(1);
                    if matches!(next, Some(b'$' | b'`' | b'\\')) {
                        self.at += 1;
                    }
                    let Some(taken) = self.character() else { break };
                    push_quoted(&mut pieces, taken.encode_utf8(&mut [0; 4]));
                    self.at += taken.len_utf8();
                }
                '$' | '`' => self.dollar(true, &mut pieces)?,
                _ => self.quoted_run(b"\\$`", &mut pieces),
            }
        }
        if !self.pending.is_empty() || !self.bodies.is_empty() {
            return self.refuse("a heredoc stands inside of a heredoc");
        }
        Ok(pieces)
    }
}
