//! `$name` and `${…}`: the forms that only look at a value. Those that assign, refer or evaluate are refused.

use super::Reading;
use super::cursor::Cursor;
use super::tree::{Form, Piece};

impl Cursor<'_> {
    /// `$name`, `$1`, `$?`.
    pub(super) fn plain_parameter(&mut self, quoted: bool) -> Reading<Piece> {
        self.at += 1;
        let rest = self.rest();
        let first = self.peek().unwrap_or(b'?');
        let length = if first.is_ascii_alphabetic() || first == b'_' {
            rest.bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count()
        } else {
            1
        };
        let name = rest.get(..length).unwrap_or("").to_owned();
        self.at += length;
        // One shell takes a piece of the value by `$x[2,5]`, and changes it by `$x:h`.
        let modifies = self.peek() == Some(b':')
            && self
                .ahead(1)
                .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'&');
        if self.peek() == Some(b'[') || modifies {
            return self.refuse("what stands behind a name is read differently by other shells");
        }
        let form = if matches!(name.as_str(), "?" | "#" | "$") {
            Form::Count
        } else {
            Form::Plain
        };
        Ok(Piece::Parameter { name, form, quoted })
    }

    /// `${…}`.
    pub(super) fn braced_parameter(&mut self, quoted: bool) -> Reading<Piece> {
        let start = self.at;
        self.at += 2;
        let counts = self.peek() == Some(b'#')
            && self
                .ahead(1)
                .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if counts {
            self.at += 1;
        }
        let rest = self.rest();
        let first = self.peek();
        let length = match first {
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => rest
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count(),
            Some(byte) if byte.is_ascii_digit() => {
                rest.bytes().take_while(u8::is_ascii_digit).count()
            }
            Some(b'@' | b'*' | b'?') => 1,
            _ => {
                return self.refuse_at(
                    start,
                    self.at + 1,
                    "an expansion that refers to another name or is not known",
                );
            }
        };
        let name = rest.get(..length).unwrap_or("").to_owned();
        self.at += length;
        let list = self.subscript()?;
        if counts {
            return if self.take("}") {
                Ok(Piece::Parameter {
                    name,
                    form: Form::Count,
                    quoted,
                })
            } else {
                self.refuse("an expansion that is not known")
            };
        }
        let form = match self.form()? {
            // Behind a subscript the name alone does not tell the value.
            Form::Plain | Form::Cut { .. } if list => Form::List,
            Form::Changed(pieces) | Form::Or(pieces) if list => {
                if pieces.is_empty() {
                    Form::List
                } else {
                    return self.refuse_at(
                        start,
                        self.at,
                        "an expansion of a whole list that is not plain",
                    );
                }
            }
            form => form,
        };
        if !self.take("}") {
            return self.refuse_at(
                start,
                self.at,
                "an expansion that is not closed or not known",
            );
        }
        Ok(Piece::Parameter { name, form, quoted })
    }

    /// `[@]`, `[*]` and `[0]`; anything else is evaluated.
    fn subscript(&mut self) -> Reading<bool> {
        if self.peek() != Some(b'[') {
            return Ok(false);
        }
        let rest = self.rest();
        let length = rest.find(']').unwrap_or(0);
        let inner = rest.get(1..length).unwrap_or("");
        let plain = inner == "@"
            || inner == "*"
            || !inner.is_empty()
                && inner.len() < 6
                && inner.bytes().all(|byte| byte.is_ascii_digit());
        if !plain {
            return self.refuse("a subscript is evaluated when it runs");
        }
        self.at += length + 1;
        Ok(true)
    }

    fn form(&mut self) -> Reading<Form> {
        let rest = self.rest();
        if rest.starts_with('}') {
            return Ok(Form::Plain);
        }
        for operator in [
            ":-", ":+", ":?", "-", "+", "?", "##", "#", "%%", "%", "//", "/#", "/%", "/", "^^",
            "^", ",,", ",",
        ] {
            if self.take(operator) {
                let pieces = self.inner_word()?;
                if let ("##" | "#" | "%%" | "%", [Piece::Text { text, .. }]) =
                    (operator, pieces.as_slice())
                    && text.chars().all(|letter| {
                        letter.is_ascii_alphanumeric() || "_./-,:@+=*?".contains(letter)
                    })
                {
                    return Ok(Form::Cut {
                        operator,
                        pattern: text.clone(),
                    });
                }
                return Ok(if matches!(operator, ":-" | "-") {
                    Form::Or(pieces)
                } else {
                    Form::Changed(pieces)
                });
            }
        }
        // `${name:1:2}` with plain numbers; an expression there would be evaluated.
        if rest.starts_with(':') {
            let length = rest.find('}').unwrap_or(0);
            let numbers = rest.get(1..length).unwrap_or("");
            let plain = |part: &str| {
                !part.is_empty()
                    && part
                        .trim_start()
                        .trim_start_matches('-')
                        .bytes()
                        .all(|byte| byte.is_ascii_digit())
            };
            if !numbers.is_empty()
                && numbers.split(':').count() <= 2
                && numbers.split(':').all(plain)
            {
                self.at += length;
                return Ok(Form::Changed(Vec::new()));
            }
        }
        self.refuse("an expansion that assigns, evaluates or is not known")
    }

    /// What stands behind an operator: plain characters, parameters and commands. Quotes there follow rules that few know.
    fn inner_word(&mut self) -> Reading<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        loop {
            let Some(character) = self.character() else {
                return self.refuse("an expansion is not closed");
            };
            match character {
                '}' => break,
                '$' if self.ahead(1) == Some(b'(') && self.ahead(2) != Some(b'(') => {
                    let script = self.substitution()?;
                    pieces.push(Piece::Command {
                        script,
                        quoted: false,
                    });
                }
                '$' if self
                    .ahead(1)
                    .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_') =>
                {
                    let piece = self.plain_parameter(false)?;
                    pieces.push(piece);
                }
                '$' if self.ahead(1) == Some(b'{') => {
                    let piece = self.deeper(|cursor| cursor.braced_parameter(false))?;
                    pieces.push(piece);
                }
                '\'' | '"' | '\\' | '`' | '$' | '{' | '\n' | '<' | '>' => {
                    return self.refuse("quotes or operators inside of `${…}`");
                }
                _ => {
                    text.push(character);
                    self.at += character.len_utf8();
                }
            }
        }
        if !text.is_empty() {
            pieces.push(Piece::Text {
                text,
                quoted: false,
            });
        }
        Ok(pieces)
    }
}
