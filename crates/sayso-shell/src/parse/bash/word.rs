//! Words: quotes, escapes, globs, tildes and everything that starts with `$`.

use super::Reading;
use super::cursor::{Cursor, is_meta};
use super::grammar::Until;
use super::rewritten;
use super::tree::{Piece, Word};

impl Cursor<'_> {
    /// A word.
    pub(super) fn word(&mut self) -> Reading<Word> {
        self.word_in(Place::Argument)
    }

    /// The value of an assignment: no braces, and no file names.
    pub(super) fn value(&mut self) -> Reading<Word> {
        self.word_in(Place::Value)
    }

    fn word_in(&mut self, place: Place) -> Reading<Word> {
        let start = self.at;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut first = true;
        loop {
            if self.continued() {
                self.at += 2;
                continue;
            }
            let Some(character) = self.character() else {
                break;
            };
            let byte = u8::try_from(character).unwrap_or(b'x');
            if matches!(byte, b'<' | b'>') && self.ahead(1) == Some(b'(') {
                if !first || place == Place::Value {
                    return self.refuse("a process substitution stands inside of a word");
                }
                push_piece(&mut pieces, self.process()?);
                first = false;
                continue;
            }
            if character.is_ascii() && is_meta(byte) {
                break;
            }
            match character {
                '\'' => {
                    let text = self.single_quotes()?;
                    push_piece(&mut pieces, Piece::Text { text, quoted: true });
                }
                '"' => self.double_quotes(&mut pieces)?,
                '\\' => {
                    self.at += 1;
                    let Some(escaped) = self.character() else {
                        return self.refuse("a backslash stands at the end");
                    };
                    push_piece(
                        &mut pieces,
                        Piece::Text {
                            text: escaped.to_string(),
                            quoted: true,
                        },
                    );
                    self.at += escaped.len_utf8();
                }
                '$' | '`' => {
                    self.dollar(false, &mut pieces)?;
                }
                '*' | '?' if place == Place::Value => push_text(&mut pieces, character),
                '*' | '?' => {
                    let wild = self.wild(character);
                    pieces.push(wild);
                }
                '[' if place == Place::Argument && self.closes_bracket() => {
                    let bracket = self.bracket()?;
                    pieces.push(bracket);
                }
                '~' if first || place == Place::Value && ends_with(&pieces, ':') => {
                    let tilde = self.tilde(place)?;
                    pieces.push(tilde);
                }
                '~' if ends_with(&pieces, '=')
                    || ends_with(&pieces, ':')
                    || !starts_plain(&pieces) =>
                {
                    return self.refuse("a `~` that bash expands or not, by what stands before it");
                }
                '=' if !first && !starts_plain(&pieces) || first && place == Place::Value => {
                    return self
                        .refuse("a word that starts with `=` is read differently by other shells");
                }
                // One shell looks for a program by `=name`; behind `==` there is none, so that it refuses the line.
                '=' if first && place == Place::Argument && !self.is_equals_text() => {
                    return self
                        .refuse("a word that starts with `=` is read differently by other shells");
                }
                // `$x{a,b}` is `$xa $xb`: braces come first.
                '{' if place == Place::Argument
                    && matches!(pieces.last(), Some(Piece::Parameter { .. }))
                    && !self.behind_brace() =>
                {
                    return self.refuse("braces behind a name");
                }
                '{' if place == Place::Argument => {
                    let brace = self.brace()?;
                    match brace {
                        Piece::Text {
                            text,
                            quoted: false,
                        } => text
                            .chars()
                            .for_each(|character| push_text(&mut pieces, character)),
                        other => pieces.push(other),
                    }
                }
                '{' | '}' if place == Place::Value => return self.refuse("braces in a value"),
                '!' if self.ahead(1) == Some(b'!') => {
                    return self.refuse("`!!` may repeat a command");
                }
                _ => {
                    // Most of a word means itself.
                    let run = self
                        .rest()
                        .bytes()
                        .take_while(|byte| {
                            byte.is_ascii_alphanumeric() || b"_./-,+%@".contains(byte)
                        })
                        .count();
                    let length = run.max(character.len_utf8());
                    push_run(&mut pieces, self.rest().get(..length).unwrap_or_default());
                    self.at += length;
                }
            }
            // The arms above that take one plain character have moved on by themselves, but for a wildcard in a value.
            if place == Place::Value && matches!(character, '*' | '?') {
                self.at += 1;
            }
            first = false;
        }
        let end = self.at;
        Ok(Word { pieces, start, end })
    }

    fn wild(&mut self, character: char) -> Piece {
        self.at += 1;
        Piece::Wild(character.to_string())
    }

    /// Whether a `[` has its `]` in the same word, with nothing but plain characters between.
    fn closes_bracket(&self) -> bool {
        // A set of characters is short; the bound keeps a word of nothing but `[` cheap.
        const MOST: usize = 128;
        let inner = self
            .rest()
            .bytes()
            .skip(1)
            .take_while(|byte| !is_meta(*byte))
            .take(MOST);
        for (count, byte) in inner.enumerate() {
            match byte {
                _ if count + 1 == MOST => return true,
                b']' if count > 0 => return true,
                b'\'' | b'"' | b'\\' | b'$' | b'`' => return true,
                _ => {}
            }
        }
        false
    }

    fn bracket(&mut self) -> Reading<Piece> {
        let rest = self.rest();
        let length = rest
            .bytes()
            .skip(2)
            .position(|byte| byte == b']')
            .map(|at| at + 3)
            .unwrap_or(0);
        let text = rest.get(..length).unwrap_or("");
        // Where a set ends that has a `[` in it, or a `]` behind its sign, few know.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!^:".contains(&byte);
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        if inner.is_empty() || matches!(inner, "!" | "^") || !inner.bytes().all(plain) {
            return self.refuse("a set of characters in a file name that is not plain");
        }
        self.at += length;
        Ok(Piece::Wild(text.to_owned()))
    }

    /// `~` and `~/…`; other homes and the folders of `~+` and `~-` are not known.
    fn tilde(&mut self, place: Place) -> Reading<Piece> {
        let next = self.ahead(1);
        let ends = next.is_none_or(|byte| {
            byte == b'/' || is_meta(byte) || byte == b':' && place == Place::Value
        });
        if !ends {
            return self.refuse("a folder by `~` that is only known when it runs");
        }
        self.at += 1;
        Ok(Piece::Home)
    }

    /// Whether a `}` stands before this place.
    fn behind_brace(&self) -> bool {
        self.at
            .checked_sub(1)
            .and_then(|before| self.text.as_bytes().get(before))
            == Some(&b'}')
    }

    /// Whether the `=` here is text in every shell: alone, as in tests, or several, as in `echo === files ===`.
    fn is_equals_text(&self) -> bool {
        self.rest().starts_with("==") || self.ahead(1).is_none_or(is_meta)
    }

    fn single_quotes(&mut self) -> Reading<String> {
        let rest = self.text.get(self.at + 1..).unwrap_or("");
        let Some(length) = rest.find('\'') else {
            return self.refuse("a quote is not closed");
        };
        self.at += length + 2;
        Ok(rest.get(..length).unwrap_or("").to_owned())
    }

    fn double_quotes(&mut self, pieces: &mut Vec<Piece>) -> Reading<()> {
        let opened = self.at;
        self.at += 1;
        // Quotes around nothing still make a word.
        push_quoted(pieces, "");
        loop {
            let Some(character) = self.character() else {
                return self.refuse_at(opened, self.text.len(), "a quote is not closed");
            };
            match character {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' if self.continued() => self.at += 2,
                '\\' if matches!(self.ahead(1), Some(b'$' | b'`' | b'"' | b'\\')) => {
                    push_quoted(
                        pieces,
                        self.text.get(self.at + 1..self.at + 2).unwrap_or_default(),
                    );
                    self.at += 2;
                }
                '$' | '`' => self.dollar(true, pieces)?,
                _ => self.quoted_run(b"\"\\$`", pieces),
            }
        }
    }

    /// Takes the character here, and all behind it that are none of these.
    pub(super) fn quoted_run(&mut self, ends: &[u8], pieces: &mut Vec<Piece>) {
        let rest = self.rest();
        let length = 1 + rest
            .bytes()
            .skip(1)
            .take_while(|byte| !ends.contains(byte))
            .count();
        push_quoted(pieces, rest.get(..length).unwrap_or_default());
        self.at += length;
    }

    /// Everything that starts with `$` or a backtick.
    pub(super) fn dollar(&mut self, is_quoted: bool, pieces: &mut Vec<Piece>) -> Reading<()> {
        if self.peek() == Some(b'`') {
            let script = self.backticks(is_quoted)?;
            pieces.push(Piece::Command {
                script,
                quoted: is_quoted,
            });
            return Ok(());
        }
        match self.ahead(1) {
            Some(b'(') if self.ahead(2) == Some(b'(') => {
                self.at += 1;
                pieces.push(self.arithmetic(is_quoted)?);
            }
            Some(b'(') => {
                let script = self.substitution()?;
                pieces.push(Piece::Command {
                    script,
                    quoted: is_quoted,
                });
            }
            Some(b'{') => pieces.push(self.braced_parameter(is_quoted)?),
            Some(b'\'') if !is_quoted => pieces.push(self.decoded()?),
            Some(b'"') if !is_quoted => {
                return self.refuse("a text in `$\"…\"` is translated when it runs");
            }
            Some(b'[') => return self.refuse("`$[` is an old form of arithmetic"),
            Some(byte)
                if byte.is_ascii_alphanumeric() || byte == b'_' || b"?#$!@*-".contains(&byte) =>
            {
                pieces.push(self.plain_parameter(is_quoted)?);
            }
            // Other shells read more behind a `$` than this one: only what means itself everywhere may follow.
            next => {
                let plain = match next {
                    None => true,
                    Some(b'"' | b'\'') => is_quoted,
                    Some(byte) => byte.is_ascii_whitespace() || b"/.,:%)|\\];&<>".contains(&byte),
                };
                if !plain {
                    return self.refuse("a `$` that other shells read differently");
                }
                self.at += 1;
                push_piece(
                    pieces,
                    Piece::Text {
                        text: "$".into(),
                        quoted: is_quoted,
                    },
                );
            }
        }
        Ok(())
    }

    /// `` `…` ``. A backslash there is taken off before `$`, a backtick and another backslash, and the rest is read as it stands.
    fn backticks(&mut self, quoted: bool) -> Reading<super::tree::Script> {
        let start = self.at + 1;
        let rest = self.text.get(start..).unwrap_or("");
        let Some((inner, length)) = unescaped(rest) else {
            return self.refuse("a backtick is not closed");
        };
        // Shells disagree about what is left of `\"` there.
        if quoted
            && rest
                .get(..length)
                .is_some_and(|written| written.contains('"') && written.contains('\\'))
        {
            return self.refuse("a backslash and a quote between quoted backticks");
        }
        let mut cursor = Cursor::new(&inner)?;
        cursor.depth = self.depth + 1;
        let moved = |refusal: super::Refusal| super::Refusal {
            start: refusal.start + start,
            end: refusal.end + start,
            ..refusal
        };
        let script = cursor
            .deeper(|cursor| cursor.script(Until::End))
            .map_err(moved)?;
        if !cursor.pending.is_empty() || !cursor.bodies.is_empty() {
            return self.refuse("a heredoc between backticks");
        }
        self.at = start + length + 1;
        Ok(script)
    }

    fn process(&mut self) -> Reading<Piece> {
        let fed = self.peek() == Some(b'>');
        Ok(Piece::Process {
            script: self.substitution()?,
            fed,
        })
    }

    /// `$( … )`, `<( … )` and `>( … )`, from the sign to behind the parenthesis. Heredocs across its border follow rules that few know.
    pub(super) fn substitution(&mut self) -> Reading<super::tree::Script> {
        self.at += 2;
        if !self.pending.is_empty() {
            return self.refuse("a command stands inside of a line with a heredoc");
        }
        let script = self.script(Until::Parenthesis)?;
        if !self.pending.is_empty() {
            return self.refuse("a heredoc inside of a substitution has no body");
        }
        if rewritten::may_join_commands(&script) {
            return self.refuse("a command stands behind a heredoc inside of a substitution");
        }
        self.at += 1;
        Ok(script)
    }
}

/// The text between backticks with its backslashes taken off, and how many bytes it was written with; none if it is not closed.
fn unescaped(text: &str) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '`' => return Some((inner, at)),
            '\\' => {
                let (_, escaped) = characters.next()?;
                if !matches!(escaped, '$' | '`' | '\\') {
                    inner.push('\\');
                }
                inner.push(escaped);
            }
            character => inner.push(character),
        }
    }
    None
}

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Argument,
    Value,
}

/// Adds text that stands in quotes.
pub(super) fn push_quoted(pieces: &mut Vec<Piece>, more: &str) {
    if let Some(Piece::Text { text, quoted: true }) = pieces.last_mut() {
        text.push_str(more);
    } else {
        pieces.push(Piece::Text {
            text: more.to_owned(),
            quoted: true,
        });
    }
}

/// Adds a piece; text joins text that is quoted alike.
fn push_piece(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (
            Some(Piece::Text { text, quoted: true }),
            Piece::Text {
                text: more,
                quoted: true,
            },
        ) => text.push_str(&more),
        (_, piece) => pieces.push(piece),
    }
}

/// Adds text that stands without quotes.
fn push_run(pieces: &mut Vec<Piece>, run: &str) {
    match pieces.last_mut() {
        Some(Piece::Text {
            text,
            quoted: false,
        }) => text.push_str(run),
        _ => pieces.push(Piece::Text {
            text: run.to_owned(),
            quoted: false,
        }),
    }
}

/// Adds a character that stands without quotes.
fn push_text(pieces: &mut Vec<Piece>, character: char) {
    match pieces.last_mut() {
        Some(Piece::Text {
            text,
            quoted: false,
        }) => text.push(character),
        _ => pieces.push(Piece::Text {
            text: character.to_string(),
            quoted: false,
        }),
    }
}

/// Whether a word starts with text that is not quoted.
fn starts_plain(pieces: &[Piece]) -> bool {
    matches!(pieces.first(), Some(Piece::Text { text, quoted: false }) if !text.is_empty())
}

/// Whether what stands there so far ends with this character, unquoted.
fn ends_with(pieces: &[Piece], character: char) -> bool {
    matches!(pieces.last(), Some(Piece::Text { text, quoted: false }) if text.ends_with(character))
}
