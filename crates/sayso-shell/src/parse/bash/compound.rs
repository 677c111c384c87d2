//! Compound commands: groups, conditions, loops and `case`.

use super::Reading;
use super::cursor::{Cursor, is_meta};
use super::grammar::Until;
use super::tree::{Node, Word};

impl Cursor<'_> {
    /// A compound command, if one starts here.
    pub(super) fn compound(&mut self) -> Reading<Option<Node>> {
        if self.peek() == Some(b'(') {
            return self.parenthesis().map(Some);
        }
        let node = match self.keyword() {
            None => return Ok(None),
            Some("{") => self.group()?,
            Some("if") => self.condition()?,
            Some(word @ ("while" | "until")) => {
                self.at += word.len();
                let condition = self.script(Until::Words(&["do"]))?;
                let body = self.body()?;
                Node::Loop {
                    condition,
                    body,
                    redirects: self.redirects()?,
                }
            }
            Some("for") => self.for_loop()?,
            Some("case") => self.case()?,
            Some("[[") => {
                self.at += 2;
                let (words, numbers) = self.conditional()?;
                Node::Test {
                    words,
                    numbers,
                    redirects: self.redirects()?,
                }
            }
            Some("function") => return self.refuse("a function is defined"),
            Some("coproc" | "select") => return self.refuse("a construct that is not read"),
            Some(word) => return self.refuse(format!("`{word}` stands where a command should")),
        };
        self.ends_command()?;
        Ok(Some(node))
    }

    /// Behind a compound command only an operator, a line end or the end may stand.
    fn ends_command(&mut self) -> Reading<()> {
        self.blanks();
        match self.peek() {
            None | Some(b'\n' | b';' | b'&' | b'|' | b')') => Ok(()),
            Some(_) => {
                self.refuse("something stands behind a construct that does not belong to it")
            }
        }
    }

    fn parenthesis(&mut self) -> Reading<Node> {
        if self.ahead(1) == Some(b'(') {
            return self.refuse("`((` is arithmetic in one shell and a command in another");
        }
        self.at += 1;
        let script = self.script(Until::Parenthesis)?;
        if script.0.is_empty() {
            return self.refuse("a command is missing");
        }
        self.at += 1;
        let node = Node::Subshell(script, self.redirects()?);
        self.ends_command()?;
        Ok(node)
    }

    fn group(&mut self) -> Reading<Node> {
        self.at += 1;
        let script = self.script(Until::Words(&["}"]))?;
        if script.0.is_empty() {
            return self.refuse("a command is missing");
        }
        self.expect("}")?;
        Ok(Node::Group(script, self.redirects()?))
    }

    fn condition(&mut self) -> Reading<Node> {
        self.at += 2;
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.filled(Until::Words(&["then"]))?;
            self.expect("then")?;
            let branch = self.filled(Until::Words(&["elif", "else", "fi"]))?;
            branches.push((condition, branch));
            match self.keyword() {
                Some("elif") => self.at += 4,
                Some("else") => {
                    self.at += 4;
                    otherwise = Some(self.filled(Until::Words(&["fi"]))?);
                    self.expect("fi")?;
                    break;
                }
                _ => {
                    self.expect("fi")?;
                    break;
                }
            }
        }
        Ok(Node::If {
            branches,
            otherwise,
            redirects: self.redirects()?,
        })
    }

    fn filled(&mut self, until: Until) -> Reading<super::tree::Script> {
        let script = self.script(until)?;
        if script.0.is_empty() {
            self.refuse("a command is missing")
        } else {
            Ok(script)
        }
    }

    /// `do … done`.
    pub(super) fn body(&mut self) -> Reading<super::tree::Script> {
        self.expect("do")?;
        let body = self.filled(Until::Words(&["done"]))?;
        self.expect("done")?;
        Ok(body)
    }

    fn for_loop(&mut self) -> Reading<Node> {
        // A line end behind the words of a loop starts the body of a heredoc in some shells and not in others.
        if !self.pending.is_empty() {
            return self.refuse("a loop stands behind a heredoc");
        }
        self.at += 3;
        self.blanks();
        if self.rest().starts_with("((") {
            return self.counting_loop();
        }
        let rest = self.rest();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let name = rest.get(..length).unwrap_or("").to_owned();
        let fits = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && rest
                .as_bytes()
                .get(length)
                .is_some_and(|byte| is_meta(*byte));
        if !fits {
            return self.refuse("the variable of a loop is not plain");
        }
        self.at += length;
        self.lines()?;
        let words = if self.keyword() == Some("in") {
            self.at += 2;
            Some(self.words_of_line()?)
        } else {
            None
        };
        self.blanks();
        if self.peek() == Some(b';') {
            self.at += 1;
        }
        let body = self.body()?;
        Ok(Node::For {
            name,
            words,
            body,
            redirects: self.redirects()?,
        })
    }

    fn words_of_line(&mut self) -> Reading<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b';' | b'\n') | None => return Ok(words),
                Some(byte) if is_meta(byte) => {
                    return self.refuse("an operator stands among the words of a loop");
                }
                Some(_) => words.push(self.word()?),
            }
        }
    }

    fn case(&mut self) -> Reading<Node> {
        self.at += 4;
        self.blanks();
        let word = self.one_word()?;
        self.lines()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.lines()?;
            if self.keyword() == Some("esac") {
                self.at += 4;
                break;
            }
            if self.peek() == Some(b'(') {
                self.at += 1;
            }
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.one_word()?);
                self.blanks();
                match self.peek() {
                    Some(b'|') if self.ahead(1) != Some(b'|') => self.at += 1,
                    Some(b')') => {
                        self.at += 1;
                        break;
                    }
                    _ => return self.refuse("a pattern of `case` is not closed"),
                }
            }
            let body = self.script(Until::Arm)?;
            arms.push((patterns, body));
            // The last arm may go without an end of its own.
            if self.take(";;&") || self.take(";;") || self.take(";&") {
                continue;
            }
            if self.keyword() != Some("esac") {
                return self.refuse("an arm of `case` is not closed");
            }
        }
        Ok(Node::Case {
            word,
            arms,
            redirects: self.redirects()?,
        })
    }
}
