//! Filters of jq that work on their input alone.

use std::collections::HashSet;

use super::jq_names::{FUNCTIONS, KEYWORDS};
use super::{Cursor, Refusal, unsure};

/// Strings inside of strings are looked into this deep.
const DEEPEST: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A function, a keyword or the key of an object.
    Name(String),
    /// `$name`.
    Variable(String),
    /// `@name`.
    Format(String),
    /// `.name`.
    Field,
    /// A number or a string.
    Value,
    Sign(char),
}

/// Reads a filter, and answers whether it neither looks at the environment nor loads other files.
pub(crate) fn read(filter: &str) -> Result<(), Refusal> {
    let mut reader = Reader {
        cursor: Cursor::new(filter),
        tokens: Vec::new(),
    };
    reader.tokens(0)?;
    check(&reader.tokens)
}

struct Reader {
    cursor: Cursor,
    tokens: Vec<(Token, usize)>,
}

fn is_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

impl Reader {
    /// Takes the filter apart; inside of a string, up to the parenthesis that ends the part of it that is a filter.
    fn tokens(&mut self, depth: usize) -> Result<(), Refusal> {
        let mut parens = 0_usize;
        while let Some(character) = self.cursor.peek() {
            let at = self.cursor.at;
            let token = match character {
                ' ' | '\t' | '\n' => {
                    self.cursor.at += 1;
                    continue;
                }
                '#' => {
                    self.cursor
                        .take(|character| !matches!(character, '\n' | '\r'));
                    if self.cursor.before() == Some('\\') {
                        return unsure("a comment ends with a backslash", at);
                    }
                    continue;
                }
                '"' => {
                    self.text(depth)?;
                    continue;
                }
                '0'..='9' => self.number(at)?,
                '.' if self
                    .cursor
                    .ahead(1)
                    .is_some_and(|next| next.is_ascii_digit()) =>
                {
                    self.number(at)?
                }
                '.' if self.cursor.ahead(1).is_some_and(is_start) => {
                    self.cursor.at += 1;
                    self.name(at)?;
                    Token::Field
                }
                '$' | '@' => {
                    self.cursor.at += 1;
                    if !self.cursor.peek().is_some_and(is_start) {
                        return unsure(format!("`{character}` has no name"), at);
                    }
                    let name = self.name(at)?;
                    if character == '$' {
                        Token::Variable(name)
                    } else {
                        Token::Format(name)
                    }
                }
                _ if is_start(character) => Token::Name(self.name(at)?),
                '.' | '[' | ']' | '{' | '}' | '(' | ')' | ',' | ':' | ';' | '|' | '=' | '<'
                | '>' | '!' | '+' | '-' | '*' | '/' | '%' | '?' => {
                    self.cursor.at += 1;
                    // Two dots are one sign, so that a name behind them is no field.
                    if character == '.' {
                        self.cursor.eat('.');
                    }
                    parens += usize::from(character == '(');
                    if character == ')' {
                        if parens == 0 && depth > 0 {
                            self.tokens.push((Token::Sign(')'), at));
                            return Ok(());
                        }
                        parens = parens.saturating_sub(1);
                    }
                    Token::Sign(character)
                }
                _ => return unsure(format!("`{character}` is not known in jq"), at),
            };
            self.tokens.push((token, at));
        }
        if depth > 0 {
            unsure("a part of a string has no end", self.cursor.at)
        } else {
            Ok(())
        }
    }

    fn name(&mut self, at: usize) -> Result<String, Refusal> {
        let name = self
            .cursor
            .take(|character| is_start(character) || character.is_ascii_digit());
        if self.cursor.peek() == Some(':') && self.cursor.ahead(1) == Some(':') {
            return unsure("a name stands in another file", at);
        }
        Ok(name)
    }

    fn number(&mut self, at: usize) -> Result<Token, Refusal> {
        self.cursor
            .take(|character| character.is_ascii_digit() || character == '.');
        if matches!(self.cursor.peek(), Some('e' | 'E')) {
            self.cursor.at += 1;
            if matches!(self.cursor.peek(), Some('+' | '-')) {
                self.cursor.at += 1;
            }
            self.cursor.take(|character| character.is_ascii_digit());
        }
        if self.cursor.peek().is_some_and(is_start) {
            unsure("a number runs into a word", at)
        } else {
            Ok(Token::Value)
        }
    }

    /// A string, with the filters inside of it as if they stood in parentheses.
    fn text(&mut self, depth: usize) -> Result<(), Refusal> {
        let start = self.cursor.at;
        if depth >= DEEPEST {
            return unsure("strings stand too deep in strings", start);
        }
        self.tokens.push((Token::Value, start));
        self.cursor.at += 1;
        loop {
            match self.cursor.next() {
                Some('"') => return Ok(()),
                Some('\\') => match self.cursor.next() {
                    Some('(') => {
                        self.tokens.push((Token::Sign('('), self.cursor.at));
                        self.tokens(depth + 1)?;
                    }
                    Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') => {}
                    _ => return unsure("a backslash in a string is not known", self.cursor.at),
                },
                Some(_) => {}
                None => return unsure("a string has no end", start),
            }
        }
    }
}

/// The functions and arguments that a filter defines.
fn defined(tokens: &[(Token, usize)]) -> HashSet<&str> {
    let mut names = HashSet::new();
    let mut rest = tokens.iter().map(|(token, _)| token);
    while let Some(token) = rest.next() {
        if *token == Token::Name("def".to_owned()) {
            for token in rest
                .by_ref()
                .take_while(|token| **token != Token::Sign(':'))
            {
                if let Token::Name(name) = token {
                    names.insert(name.as_str());
                }
            }
        }
    }
    names
}

fn check(tokens: &[(Token, usize)]) -> Result<(), Refusal> {
    let defined = defined(tokens);
    // What is open: brackets, and `i` for an `if` whose parts may have commas of their own.
    let mut opens = Vec::new();
    let mut before: Option<&Token> = None;
    for (index, (token, at)) in tokens.iter().enumerate() {
        match token {
            Token::Name(name) => {
                let in_object =
                    opens.last() == Some(&'{') && matches!(before, Some(Token::Sign('{' | ',')));
                let after = tokens.get(index + 1).map(|(token, _)| token);
                let is_key = in_object && matches!(after, Some(Token::Sign(':' | ',' | '}')));
                match name.as_str() {
                    _ if is_key => {}
                    "import" | "include" => {
                        return unsure(format!("`{name}` of jq loads another file"), *at);
                    }
                    "env" => return unsure("`env` of jq shows the environment", *at),
                    "modulemeta" | "get_search_list" => {
                        return unsure(format!("`{name}` of jq looks for other files"), *at);
                    }
                    "if" => opens.push('i'),
                    "end" => {
                        if opens.pop() != Some('i') {
                            return unsure("an `end` has no `if`", *at);
                        }
                    }
                    name if KEYWORDS.contains(&name)
                        || FUNCTIONS.contains(&name)
                        || defined.contains(name) => {}
                    _ => return unsure(format!("`{name}` is no known function of jq"), *at),
                }
            }
            Token::Variable(name) if matches!(name.as_str(), "ENV" | "__prog_args") => {
                return unsure(format!("`${name}` of jq shows the environment"), *at);
            }
            Token::Format(name) => {
                if !matches!(
                    name.as_str(),
                    "text"
                        | "json"
                        | "html"
                        | "uri"
                        | "urid"
                        | "csv"
                        | "tsv"
                        | "sh"
                        | "base64"
                        | "base64d"
                        | "base32"
                        | "base32d"
                ) {
                    return unsure(format!("the format `@{name}` of jq is not known"), *at);
                }
            }
            Token::Sign(sign @ ('(' | '[' | '{')) => opens.push(*sign),
            Token::Sign(sign @ (')' | ']' | '}')) => {
                let fits = matches!(
                    (opens.pop(), sign),
                    (Some('('), ')') | (Some('['), ']') | (Some('{'), '}')
                );
                if !fits {
                    return unsure(format!("a `{sign}` has no start"), *at);
                }
            }
            Token::Variable(_) | Token::Field | Token::Value | Token::Sign(_) => {}
        }
        before = Some(token);
    }
    if opens.is_empty() {
        Ok(())
    } else {
        unsure(
            "something in the filter has no end",
            tokens.last().map_or(0, |(_, at)| *at),
        )
    }
}
