//! Lists, pipelines and simple commands.

use super::Reading;
use super::cursor::{Cursor, is_meta};
use super::heredoc::Pending;
use super::tree::{
    Assigned, Assignment, Joint, Node, Redirect, RedirectKind, Script, Simple, Word,
};

/// Where a script ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// At the end of the text.
    End,
    /// At `)`.
    Parenthesis,
    /// At one of these reserved words.
    Words(&'static [&'static str]),
    /// At `;;`, `;&`, `;;&` or `esac`.
    Arm,
}

/// Words that are never the name of a command when they stand without quotes.
const RESERVED: [&str; 21] = [
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do",
    "done", "in", "function", "coproc", "{", "}", "!", "[[", "]]",
];

impl Cursor<'_> {
    /// Commands up to an end, which is not consumed.
    pub(super) fn script(&mut self, until: Until) -> Reading<Script> {
        self.deeper(|cursor| {
            let mut nodes = Vec::new();
            loop {
                cursor.lines()?;
                if cursor.ends(until) {
                    return Ok(Script(nodes));
                }
                if cursor.peek().is_none() {
                    return cursor.refuse("the command is not finished");
                }
                let node = cursor.chain()?;
                cursor.blanks();
                match cursor.peek() {
                    Some(b'&') if cursor.ahead(1) != Some(b'&') => {
                        cursor.at += 1;
                        nodes.push(Node::Background(Box::new(node)));
                    }
                    Some(b';')
                        if cursor.ahead(1) != Some(b';') && cursor.ahead(1) != Some(b'&') =>
                    {
                        cursor.at += 1;
                        nodes.push(node);
                    }
                    _ => {
                        nodes.push(node);
                        if cursor.peek() != Some(b'\n') && !cursor.ends(until) {
                            return cursor.refuse(
                                "something stands behind a command that does not belong to it",
                            );
                        }
                    }
                }
            }
        })
    }

    fn ends(&self, until: Until) -> bool {
        match until {
            Until::End => self.peek().is_none(),
            Until::Parenthesis => self.peek() == Some(b')'),
            Until::Words(words) => self.keyword().is_some_and(|word| words.contains(&word)),
            Until::Arm => {
                self.rest().starts_with(";;")
                    || self.rest().starts_with(";&")
                    || self.keyword() == Some("esac")
            }
        }
    }

    /// The reserved word that stands here, if one does.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        const LONGEST: usize = 8;
        if !self
            .peek()
            .is_some_and(|first| b"itefcswud{}![]".contains(&first))
        {
            return None;
        }
        let length = self
            .rest()
            .bytes()
            .take(LONGEST + 1)
            .take_while(|byte| !is_meta(*byte))
            .count();
        let here = self.rest().get(..length)?;
        RESERVED.iter().copied().find(|word| *word == here)
    }

    /// Takes a reserved word.
    pub(super) fn expect(&mut self, word: &'static str) -> Reading<()> {
        self.lines()?;
        if self.keyword() == Some(word) {
            self.at += word.len();
            return Ok(());
        }
        self.refuse(format!("`{word}` is missing"))
    }

    fn chain(&mut self) -> Reading<Node> {
        let first = self.pipeline()?;
        let Some(mut joint) = self.joint() else {
            return Ok(first);
        };
        let mut parts = vec![(Joint::First, first)];
        loop {
            self.lines()?;
            parts.push((joint, self.pipeline()?));
            match self.joint() {
                Some(next) => joint = next,
                None => return Ok(Node::Chain(parts)),
            }
        }
    }

    /// Takes what joins two parts of a chain.
    fn joint(&mut self) -> Option<Joint> {
        self.blanks();
        if self.take("&&") {
            Some(Joint::And)
        } else if self.take("||") {
            Some(Joint::Or)
        } else {
            None
        }
    }

    fn pipeline(&mut self) -> Reading<Node> {
        // `!` stands before a pipeline and runs nothing itself; `time` is read as a wrapper, which it is in other shells.
        let mut negated = false;
        while self.keyword() == Some("!") {
            self.at += 1;
            negated = true;
            self.blanks();
        }
        let outside = self.negated;
        self.negated |= negated;
        let mut node = self.command()?;
        let mut parts = Vec::new();
        while let Some(errors) = self.pipe()? {
            if errors {
                Self::sends_errors(&mut node);
            }
            parts.push(std::mem::replace(&mut node, self.command()?));
        }
        if !parts.is_empty() {
            parts.push(node);
            node = Node::Pipeline(parts);
        }
        self.negated = outside;
        Ok(if negated {
            Node::Not(Box::new(node))
        } else {
            node
        })
    }

    /// Takes a `|` or `|&` and the line ends behind it. Answers whether errors go there as well, if there was one.
    fn pipe(&mut self) -> Reading<Option<bool>> {
        self.blanks();
        if self.peek() != Some(b'|') || self.ahead(1) == Some(b'|') {
            return Ok(None);
        }
        self.at += 1;
        let errors = self.peek() == Some(b'&');
        self.at += usize::from(errors);
        self.lines()?;
        Ok(Some(errors))
    }

    /// `|&` is `2>&1 |`. What several commands print together is no list that anybody trusts.
    fn sends_errors(node: &mut Node) {
        if let Node::Simple(simple) = node {
            let (kind, start, end) = (RedirectKind::Duplicate, simple.end, simple.end);
            simple.redirects.push(Redirect {
                kind,
                both: false,
                descriptor: Some(2),
                start,
                end,
            });
        }
    }

    fn command(&mut self) -> Reading<Node> {
        if let Some(node) = self.compound()? {
            return Ok(node);
        }
        self.simple()
    }

    fn simple(&mut self) -> Reading<Node> {
        let mut simple = Simple {
            start: self.at,
            ..Simple::default()
        };
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            let process = self.rest().starts_with("<(") || self.rest().starts_with(">(");
            if self.peek().is_none_or(is_meta) && !process {
                break;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            // In some shells `&>` ends the command, and what follows is another one.
            if simple.redirects.iter().any(|redirect| redirect.both) {
                return self.refuse("what stands behind `&>` is read differently by other shells");
            }
            simple.words.push(self.word()?);
            simple.end = self.at;
        }
        if self.peek() == Some(b'(') {
            if simple.words.len() != 1 {
                return self.refuse("`(` stands inside of a command");
            }
            return self.function(&simple);
        }
        simple.end = simple
            .end
            .max(simple.redirects.last().map_or(0, |redirect| redirect.end))
            .max(simple.start);
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty() {
            return self.refuse("a command is missing");
        }
        Ok(Node::Simple(simple))
    }

    /// `name() { …; }` and `name() ( … )`, from the parenthesis on.
    fn function(&mut self, simple: &Simple) -> Reading<Node> {
        let name = simple
            .words
            .first()
            .and_then(Word::bare)
            .filter(|name| crate::parse::characters::is_name(name))
            .map(str::to_owned);
        let plain =
            simple.assignments.is_empty() && simple.redirects.is_empty() && self.pending.is_empty();
        let (Some(name), true) = (name, plain) else {
            return self.refuse("a function is defined");
        };
        self.at += 1;
        self.blanks();
        if !self.take(")") {
            return self.refuse("a function is defined");
        }
        self.lines()?;
        let starts = self.keyword() == Some("{") || self.peek() == Some(b'(');
        match if starts { self.compound()? } else { None } {
            Some(body @ (Node::Group(..) | Node::Subshell(..))) => Ok(Node::Function {
                name,
                body: Box::new(body),
            }),
            _ => self.refuse("a function is defined"),
        }
    }

    /// `name=…` at the front of a command.
    fn assignment(&mut self) -> Reading<Option<Assignment>> {
        let rest = self.rest();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let name = rest.get(..length).unwrap_or("");
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            return Ok(None);
        }
        let after = rest.get(length..).unwrap_or("");
        if after.starts_with('[') {
            return self.refuse("a subscript is evaluated when it runs");
        }
        let appends = after.starts_with("+=");
        if !appends && !after.starts_with('=') {
            return Ok(None);
        }
        let name = name.to_owned();
        self.at += length + if appends { 2 } else { 1 };
        if self.peek() == Some(b'(') {
            let values = self.array()?;
            return Ok(Some(Assignment {
                name,
                appends,
                value: Assigned::List(values),
            }));
        }
        let value = self.value()?;
        Ok(Some(Assignment {
            name,
            appends,
            value: Assigned::One(value),
        }))
    }

    /// `( words )` behind `name=`.
    fn array(&mut self) -> Reading<Vec<Word>> {
        // Where the body of a heredoc starts that stands before a list of values over several lines, few know.
        if !self.pending.is_empty() {
            return self.refuse("a list of values stands behind a heredoc");
        }
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.lines()?;
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    return Ok(words);
                }
                Some(b'[') => return self.refuse("a subscript is evaluated when it runs"),
                Some(byte) if is_meta(byte) => {
                    return self.refuse("an operator stands in a list of values");
                }
                None => return self.refuse("a list of values is not closed"),
                Some(_) => words.push(self.word()?),
            }
        }
    }

    /// All redirects here, behind a compound command.
    pub(super) fn redirects(&mut self) -> Reading<Vec<Redirect>> {
        let mut all = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => all.push(redirect),
                None => return Ok(all),
            }
        }
    }

    /// A redirect, if one stands here.
    fn redirect(&mut self) -> Reading<Option<Redirect>> {
        let start = self.at;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let operator = self.rest().get(digits..).unwrap_or("");
        let both = digits == 0 && operator.starts_with("&>");
        if !both && !operator.starts_with(['<', '>']) {
            return Ok(None);
        }
        if operator.starts_with("<(") || operator.starts_with(">(") {
            // A process substitution is a word.
            return if digits == 0 {
                Ok(None)
            } else {
                self.refuse("a number stands before a process substitution")
            };
        }
        if digits > 1 {
            return self.refuse("a file descriptor above 9");
        }
        // `<1-9>` is a pattern of names in one shell.
        if operator.starts_with('<')
            && operator
                .as_bytes()
                .get(1)
                .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-')
        {
            return self.refuse("`<` before a number is read differently by other shells");
        }
        // It is for reading as well, and the input is meant where no number says otherwise.
        let opens_both = operator.starts_with("<>").then_some(0);
        self.at += digits;
        let kind = self.redirect_kind()?;
        let descriptor = self
            .text
            .as_bytes()
            .get(start)
            .filter(|byte| byte.is_ascii_digit())
            .map(|byte| byte - b'0')
            .or(opens_both);
        Ok(Some(Redirect {
            kind,
            both,
            descriptor,
            start,
            end: self.at,
        }))
    }

    fn redirect_kind(&mut self) -> Reading<RedirectKind> {
        for operator in [
            "&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">",
        ] {
            if !self.take(operator) {
                continue;
            }
            return match operator {
                "<<" | "<<-" => self.heredoc(operator == "<<-"),
                "<&" | ">&" => self.duplicate(),
                _ => {
                    self.blanks();
                    if self.peek() == Some(b'!') {
                        return self.refuse("`>!` is read differently by other shells");
                    }
                    let word = self.one_word()?;
                    Ok(match operator {
                        "<<<" => RedirectKind::HereString(word),
                        "<" => RedirectKind::Read(word),
                        _ => RedirectKind::Write(word),
                    })
                }
            };
        }
        self.refuse("a redirect is not known")
    }

    /// `>&2`, `2>&1`, `>&-`; `>& file` writes the file.
    fn duplicate(&mut self) -> Reading<RedirectKind> {
        let wide = self
            .text
            .get(..self.at)
            .is_some_and(|before| before.ends_with(">&"));
        let rest = self.rest();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_digit() || *byte == b'-')
            .count();
        let target = rest.get(..length).unwrap_or("");
        let ends = rest
            .as_bytes()
            .get(length)
            .is_none_or(|byte| is_meta(*byte));
        let plain =
            target == "-" || target.len() == 1 && target.bytes().all(|byte| byte.is_ascii_digit());
        if plain && ends {
            self.at += length;
            return Ok(RedirectKind::Duplicate);
        }
        if !wide || !target.is_empty() {
            return self.refuse("a file descriptor that is not plain");
        }
        self.blanks();
        let word = self.one_word()?;
        // `>& $x` duplicates or writes, whatever `$x` turns out to be.
        if word.literal().is_none() {
            return self.refuse("a redirect that is only known when it runs");
        }
        Ok(RedirectKind::Write(word))
    }

    /// A word where exactly one is needed.
    pub(super) fn one_word(&mut self) -> Reading<Word> {
        if self.peek().is_none_or(is_meta)
            && !self.rest().starts_with("<(")
            && !self.rest().starts_with(">(")
        {
            return self.refuse("a word is missing");
        }
        self.word()
    }

    fn heredoc(&mut self, strip_tabs: bool) -> Reading<RedirectKind> {
        self.blanks();
        let (delimiter, quoted) = self.heredoc_delimiter()?;
        let number = self.bodies.len() + self.pending.len();
        self.pending.push(Pending {
            delimiter,
            quoted,
            strip_tabs,
        });
        Ok(RedirectKind::HereDocument(number))
    }
}
