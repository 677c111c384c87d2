//! The tokens of an awk program, where a slash is told from the start of a regular expression only if no awk could see it otherwise.

use super::{Cursor, Kind, Refusal, Sets, end_of_part, refuse, unsure};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword, a variable or a function.
    Name(String),
    Number,
    /// A string as it is written, without the quotes.
    Text(String),
    Regex,
    Newline,
    /// An operator or a bracket.
    Sign(&'static str),
}

/// A token and where it starts.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) at: usize,
}

/// What a slash means after a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slash {
    Division,
    Regex,
    Doubt,
}

/// Longer ones first, since every awk takes the longest.
const SIGNS: [&str; 41] = [
    "**=", "**", "++", "--", "+=", "-=", "*=", "%=", "^=", "==", "!=", "<=", ">=", ">>", "&&",
    "||", "|&", "!~", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "%", "^", "!", "<",
    ">", "|", "?", ":", "~", "$", "=", "/",
];

/// The names of functions that only work on their arguments.
pub(super) const FUNCTIONS: [&str; 33] = [
    "length", "substr", "index", "split", "sub", "gsub", "gensub", "match", "sprintf", "sin",
    "cos", "atan2", "exp", "log", "sqrt", "int", "rand", "srand", "tolower", "toupper", "strftime",
    "systime", "mktime", "and", "or", "xor", "lshift", "rshift", "compl", "strtonum", "asort",
    "asorti", "fflush",
];

/// Words that have a meaning of their own.
pub(super) const KEYWORDS: [&str; 21] = [
    "BEGIN",
    "END",
    "function",
    "if",
    "else",
    "while",
    "for",
    "do",
    "break",
    "continue",
    "next",
    "nextfile",
    "exit",
    "return",
    "delete",
    "in",
    "print",
    "printf",
    "BEGINFILE",
    "ENDFILE",
    "func",
];

/// Takes a program apart.
///
/// Answers the tokens up to the end, or up to what could not be read, with the refusal of that.
pub(super) fn tokens(program: &str, sets: Sets) -> (Vec<Placed>, Result<(), Refusal>) {
    let mut reader = Reader {
        cursor: Cursor::new(program),
        sets,
        slash: Slash::Regex,
        heads: Vec::new(),
        head: false,
    };
    let mut tokens = Vec::new();
    loop {
        match reader.token() {
            Ok(Some(placed)) => tokens.push(placed),
            Ok(None) => return (tokens, Ok(())),
            Err(refusal) => return (tokens, Err(refusal)),
        }
    }
}

struct Reader {
    cursor: Cursor,
    sets: Sets,
    slash: Slash,
    /// For each open parenthesis, whether it belongs to an `if`, `while` or `for`.
    heads: Vec<bool>,
    /// The token before was such a word.
    head: bool,
}

impl Reader {
    fn token(&mut self) -> Result<Option<Placed>, Refusal> {
        self.space()?;
        let at = self.cursor.at;
        let Some(character) = self.cursor.peek() else {
            return Ok(None);
        };
        let head = std::mem::take(&mut self.head);
        let (token, slash) = match character {
            '\n' => {
                self.cursor.at += 1;
                (Token::Newline, Slash::Regex)
            }
            '"' => (self.text()?, Slash::Division),
            '0'..='9' => (self.number()?, Slash::Division),
            '.' if self
                .cursor
                .ahead(1)
                .is_some_and(|next| next.is_ascii_digit()) =>
            {
                (self.number()?, Slash::Division)
            }
            'a'..='z' | 'A'..='Z' | '_' => self.name(),
            '/' if self.slash == Slash::Regex => (self.regex()?, Slash::Doubt),
            '/' if self.slash == Slash::Doubt => {
                return unsure("a `/` may divide or start a regular expression", at);
            }
            _ => self.sign(head)?,
        };
        self.slash = slash;
        Ok(Some(Placed { token, at }))
    }

    /// Goes past blanks, joined lines and comments.
    fn space(&mut self) -> Result<(), Refusal> {
        loop {
            match (self.cursor.peek(), self.cursor.ahead(1)) {
                (Some(' ' | '\t'), _) => self.cursor.at += 1,
                (Some('\\'), Some('\n')) => {
                    let in_word = |character: Option<char>| {
                        character.is_some_and(|one| !matches!(one, ' ' | '\t' | ',' | '{' | ';'))
                    };
                    if in_word(self.cursor.before()) {
                        return unsure(
                            "a line is joined to the next one inside of a word",
                            self.cursor.at,
                        );
                    }
                    self.cursor.at += 2;
                }
                (Some('#'), _) => {
                    self.cursor.take(|character| character != '\n');
                    if self.cursor.before() == Some('\\') {
                        return unsure("a comment ends with a backslash", self.cursor.at);
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    fn text(&mut self) -> Result<Token, Refusal> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        loop {
            match (self.cursor.next(), self.cursor.peek()) {
                (Some('"'), _) => {
                    let text = self
                        .cursor
                        .text
                        .get(start + 1..self.cursor.at - 1)
                        .unwrap_or(&[]);
                    return Ok(Token::Text(text.iter().collect()));
                }
                (None | Some('\n'), _) | (Some('\\'), None | Some('\n')) => {
                    return unsure("a string has no end in its line", start);
                }
                (Some('\\'), _) => self.cursor.at += 1,
                _ => {}
            }
        }
    }

    fn number(&mut self) -> Result<Token, Refusal> {
        let at = self.cursor.at;
        self.cursor
            .take(|character| character.is_ascii_digit() || character == '.');
        let sign = usize::from(matches!(self.cursor.ahead(1), Some('+' | '-')));
        if matches!(self.cursor.peek(), Some('e' | 'E'))
            && self
                .cursor
                .ahead(1 + sign)
                .is_some_and(|next| next.is_ascii_digit())
        {
            self.cursor.at += 1 + sign;
            self.cursor.take(|character| character.is_ascii_digit());
        }
        match self.cursor.peek() {
            Some(next) if next.is_ascii_alphanumeric() || next == '_' || next == '.' => {
                unsure("a number runs into a word", at)
            }
            _ => Ok(Token::Number),
        }
    }

    fn name(&mut self) -> (Token, Slash) {
        let name = self
            .cursor
            .take(|character| character.is_ascii_alphanumeric() || character == '_');
        self.head = matches!(name.as_str(), "if" | "while" | "for");
        let slash = match name.as_str() {
            "print" | "printf" | "return" | "exit" | "in" | "do" | "else" => Slash::Regex,
            word if KEYWORDS.contains(&word)
                || FUNCTIONS.contains(&word)
                || matches!(word, "switch" | "case") =>
            {
                Slash::Doubt
            }
            _ => Slash::Division,
        };
        (Token::Name(name), slash)
    }

    fn regex(&mut self) -> Result<Token, Refusal> {
        let start = self.cursor.at;
        let Some(end) = end_of_part(&self.cursor.text, start + 1, '/', self.sets) else {
            return refuse(Kind::Broken, "a regular expression has no end", start);
        };
        if self
            .cursor
            .text
            .get(start..end)
            .is_some_and(|part| part.contains(&'\n'))
        {
            return unsure("a regular expression goes over several lines", start);
        }
        self.cursor.at = end + 1;
        Ok(Token::Regex)
    }

    fn sign(&mut self, head: bool) -> Result<(Token, Slash), Refusal> {
        let at = self.cursor.at;
        let here = |sign: &&&str| {
            sign.chars()
                .enumerate()
                .all(|(index, character)| self.cursor.ahead(index) == Some(character))
        };
        let Some(sign) = SIGNS.iter().find(here).copied() else {
            let character = self.cursor.peek().unwrap_or(' ');
            return unsure(format!("`{character}` is not known in awk"), at);
        };
        self.cursor.at += sign.len();
        let slash = match sign {
            "]" => Slash::Division,
            "++" | "--" | "$" => Slash::Doubt,
            "(" => {
                self.heads.push(head);
                Slash::Regex
            }
            ")" if self.heads.pop() == Some(false) => Slash::Division,
            ")" => Slash::Doubt,
            "/" => {
                // `/=` is the same in a division: one more sign.
                self.cursor.eat('=');
                Slash::Regex
            }
            _ => Slash::Regex,
        };
        Ok((Token::Sign(sign), slash))
    }
}
