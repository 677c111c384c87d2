//! Scripts of sed, as GNU, BSD and busybox read them.

use super::{
    Cursor, Kind, NO_SETS, POSIX_SETS, Refusal, Sets, end_of_part, every_sets,
    is_doubtful_in_other_encodings, refuse, unsure,
};
use crate::parse::placeholder;

/// Reads the pieces of a script, each from an option of its own, and answers whether all of it only edits what is printed.
pub(crate) fn read(pieces: &[&str]) -> Result<(), Refusal> {
    // Where a piece ends, a backslash does not hide the newline for every sed.
    if let Some(piece) = pieces.iter().find(|piece| piece.ends_with('\\')) {
        return unsure(
            "a piece of the script ends with a backslash",
            piece.chars().count(),
        );
    }
    let script = pieces.join("\n");
    if is_doubtful_in_other_encodings(&script) {
        return unsure(
            "a character of the script reads differently in other encodings",
            0,
        );
    }
    read_as(&script, POSIX_SETS, NO_SETS)?;
    if script.contains('[') {
        // Sets mean nothing in `y`, but busybox looks for them all the same.
        for (sets, in_y) in every_sets().flat_map(|sets| [(sets, NO_SETS), (sets, sets)]) {
            match read_as(&script, sets, in_y) {
                // Such a sed stops before it does anything.
                Err(refusal) if refusal.kind == Kind::Broken => {}
                Err(Refusal { at, .. }) => {
                    return unsure("not every sed finds the same end of a set in brackets", at);
                }
                Ok(()) => {}
            }
        }
    }
    Ok(())
}

fn read_as(script: &str, sets: Sets, sets_in_y: Sets) -> Result<(), Refusal> {
    Reader {
        cursor: Cursor::new(script),
        sets,
        sets_in_y,
        blocks: 0,
        long_label: false,
    }
    .script()
}

/// A number that is only known when it runs is one nevertheless.
fn is_digit(character: char) -> bool {
    character.is_ascii_digit() || character == placeholder::NUMBER
}

struct Reader {
    cursor: Cursor,
    sets: Sets,
    sets_in_y: Sets,
    /// How many blocks are open.
    blocks: usize,
    /// A label stands on this line that for some seds reaches to its end, so that they read nothing more of the line.
    long_label: bool,
}

impl Reader {
    fn script(mut self) -> Result<(), Refusal> {
        loop {
            match self.cursor.peek() {
                Some('\n') => {
                    self.long_label = false;
                    self.cursor.at += 1;
                }
                Some(' ' | '\t' | ';') => self.cursor.at += 1,
                Some('#') => self.comment()?,
                Some(_) => self.command()?,
                None if self.blocks > 0 => {
                    return refuse(Kind::Broken, "a `{` has no `}`", self.cursor.at);
                }
                None => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Refusal> {
        self.cursor.take(|character| character != '\n');
        if self.cursor.before() == Some('\\') {
            return unsure("a comment ends with a backslash", self.cursor.at);
        }
        Ok(())
    }

    fn command(&mut self) -> Result<(), Refusal> {
        let addressed = self.addresses()?;
        let at = self.cursor.at;
        let Some(command) = self.cursor.next() else {
            return refuse(Kind::Broken, "an address has no command", at);
        };
        match command {
            '{' => {
                self.blocks += 1;
                return Ok(());
            }
            '}' if addressed || self.blocks == 0 => return unsure("a `}` has no `{`", at),
            '}' => self.blocks -= 1,
            'p' | 'P' | 'd' | 'D' | '=' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | 'z' => {}
            'q' | 'Q' | 'l' => {
                self.cursor.blanks();
                self.number();
            }
            's' => self.substitute()?,
            'y' => {
                let delimiter = self.delimiter()?;
                self.part(delimiter, self.sets_in_y)?;
                self.part(delimiter, NO_SETS)?;
            }
            'a' | 'i' | 'c' => return self.text(command),
            ':' if addressed => return unsure("a label has an address", at),
            ':' | 'b' | 't' | 'T' => return self.label(command),
            'w' | 'W' => {
                self.writes(&format!("the command `{command}` of sed writes a file"), at)?
            }
            'r' | 'R' => {
                return refuse(
                    Kind::Reads(self.file()),
                    format!("the command `{command}` of sed reads another file"),
                    at,
                );
            }
            'e' => return refuse(Kind::Runs, "the command `e` of sed runs a program", at),
            _ => return unsure(format!("the command `{command}` of sed is not known"), at),
        }
        self.end_of_command()
    }

    /// What must follow a command: nothing more, or the next one behind `;` or in a new line.
    fn end_of_command(&mut self) -> Result<(), Refusal> {
        self.cursor.blanks();
        match self.cursor.peek() {
            None | Some(';' | '\n' | '#' | '}') => Ok(()),
            Some(character) => unsure(
                format!("`{character}` stands after a command of sed"),
                self.cursor.at,
            ),
        }
    }

    /// The file that a command names: the rest of the line.
    fn file(&mut self) -> String {
        self.cursor.blanks();
        self.cursor.take(|character| character != '\n')
    }

    /// Writes a file, unless it is the output of the program itself.
    fn writes(&mut self, reason: &str, at: usize) -> Result<(), Refusal> {
        let path = self.file();
        if matches!(path.as_str(), "/dev/stdout" | "/dev/stderr") {
            Ok(())
        } else {
            refuse(Kind::Writes(path), reason, at)
        }
    }

    /// The addresses of a command, and whether there are any.
    fn addresses(&mut self) -> Result<bool, Refusal> {
        let start = self.cursor.at;
        if self.address()? {
            self.cursor.blanks();
            if self.cursor.eat(',') {
                self.cursor.blanks();
                let at = self.cursor.at;
                let counted = self.cursor.eat('+') || self.cursor.eat('~');
                let found = if counted {
                    !self.number().is_empty()
                } else {
                    self.address()?
                };
                if !found {
                    return unsure("an address is missing after `,`", at);
                }
                self.cursor.blanks();
            }
        }
        if self.cursor.eat('!') {
            self.cursor.blanks();
        }
        Ok(self.cursor.at > start)
    }

    fn address(&mut self) -> Result<bool, Refusal> {
        match self.cursor.peek() {
            Some('$') => self.cursor.at += 1,
            Some(character) if is_digit(character) => {
                self.number();
                if self.cursor.eat('~') && self.number().is_empty() {
                    return unsure("a step is missing after `~`", self.cursor.at);
                }
            }
            Some('/') => {
                self.cursor.at += 1;
                self.pattern('/')?;
            }
            Some('\\') => {
                self.cursor.at += 1;
                let delimiter = self.delimiter()?;
                self.pattern(delimiter)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The rest of an address that is a regular expression.
    fn pattern(&mut self, delimiter: char) -> Result<(), Refusal> {
        self.part(delimiter, self.sets)?;
        self.cursor.take(|character| matches!(character, 'I' | 'M'));
        Ok(())
    }

    fn number(&mut self) -> String {
        self.cursor.take(is_digit)
    }

    fn delimiter(&mut self) -> Result<char, Refusal> {
        let at = self.cursor.at;
        match self.cursor.next() {
            // A digit could stand in a number that is not known yet.
            Some(delimiter)
                if delimiter.is_ascii_graphic()
                    && !matches!(delimiter, '\\' | '[' | ']' | '0'..='9') =>
            {
                Ok(delimiter)
            }
            _ => unsure("the delimiter is an odd one", at),
        }
    }

    /// Goes past a part and the delimiter behind it.
    fn part(&mut self, delimiter: char, sets: Sets) -> Result<(), Refusal> {
        let start = self.cursor.at;
        let Some(end) = end_of_part(&self.cursor.text, start, delimiter, sets) else {
            return refuse(Kind::Broken, format!("a `{delimiter}` has no end"), start);
        };
        self.cursor.at = end + 1;
        if self.long_label
            && self
                .cursor
                .text
                .get(start..end)
                .is_some_and(|part| part.contains(&'\n'))
        {
            return unsure(
                "not every sed ends the label before it at the same place",
                start,
            );
        }
        Ok(())
    }

    fn substitute(&mut self) -> Result<(), Refusal> {
        let delimiter = self.delimiter()?;
        self.part(delimiter, self.sets)?;
        self.part(delimiter, NO_SETS)?;
        loop {
            let at = self.cursor.at;
            match self.cursor.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M') => self.cursor.at += 1,
                Some(flag) if is_digit(flag) => self.cursor.at += 1,
                Some('e') => return refuse(Kind::Runs, "the flag `e` of `s` runs a program", at),
                Some('w') => {
                    self.cursor.at += 1;
                    return self.writes("the flag `w` of `s` writes a file", at);
                }
                // No sed has a flag that is no letter, and each stops there.
                Some(flag) if flag.is_ascii_punctuation() && !matches!(flag, ';' | '}' | '#') => {
                    return refuse(Kind::Broken, format!("`{flag}` is no flag of `s`"), at);
                }
                _ => return Ok(()),
            }
        }
    }

    /// A label: for some seds it ends at `;` or `}`, for others only with the line.
    fn label(&mut self, command: char) -> Result<(), Refusal> {
        self.cursor.blanks();
        let label = self.cursor.take(|character| {
            character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
        });
        self.cursor.blanks();
        match self.cursor.peek() {
            _ if command == ':' && label.is_empty() => {
                unsure("a label has no name", self.cursor.at)
            }
            None | Some('\n') => Ok(()),
            Some('}') if command == ':' => {
                unsure("not every sed ends a label at `}`", self.cursor.at)
            }
            Some(';' | '}') => {
                self.long_label = true;
                Ok(())
            }
            Some(character) => unsure(
                format!("`{character}` stands after a label"),
                self.cursor.at,
            ),
        }
    }

    /// The text of `a`, `i` or `c`: up to the end of the line, or of the last line that a backslash joins to it.
    fn text(&mut self, command: char) -> Result<(), Refusal> {
        self.cursor.blanks();
        let at = self.cursor.at;
        let strange = |at: usize| {
            unsure(
                format!("not every sed reads the text of `{command}` the same way"),
                at,
            )
        };
        if self.cursor.eat('\\') && !self.cursor.eat('\n') {
            self.cursor.blanks();
            if matches!(self.cursor.peek(), None | Some('\n' | '\\')) {
                return strange(at);
            }
        } else if self.cursor.at == at && matches!(self.cursor.peek(), None | Some('\n')) {
            return strange(at);
        }
        while let Some(character) = self.cursor.peek().filter(|character| *character != '\n') {
            self.cursor.at += if character == '\\' { 2 } else { 1 };
        }
        let lines = self
            .cursor
            .text
            .get(at..self.cursor.at)
            .is_some_and(|text| text.contains(&'\n'));
        if self.long_label && lines {
            return strange(at);
        }
        Ok(())
    }
}
