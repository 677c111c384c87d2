//! Which variables a script may set, found before it is walked: what a loop sets in one round is there in the next.

use crate::parse::bash::tree::{Assigned as Value, Node, Piece, Script, Simple, Word};

/// The parameters that are followed, and the list of them all.
pub(super) const PARAMETERS: [&str; 10] = ["@", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// The names that are set, each with whether only plain numbers are.
#[derive(Debug, Default)]
pub(crate) struct Assigned {
    pub(crate) names: Vec<(String, bool)>,
    /// It may set any variable.
    pub(crate) everything: bool,
}

impl Assigned {
    /// Puts in what a script sets.
    pub(crate) fn script(&mut self, script: &Script) {
        script.0.iter().for_each(|node| self.node(node));
    }

    fn add(&mut self, name: &str, number: bool) {
        match self.names.iter_mut().find(|(known, _)| known == name) {
            Some((_, numbers)) => *numbers &= number,
            None => self.names.push((name.to_owned(), number)),
        }
    }

    pub(crate) fn node(&mut self, node: &Node) {
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Pipeline(parts) => parts.iter().for_each(|part| self.node(part)),
            Node::Chain(parts) => parts.iter().for_each(|(_, part)| self.node(part)),
            Node::Not(inner) | Node::Background(inner) => self.node(inner),
            Node::Subshell(script, _) | Node::Group(script, _) => self.script(script),
            Node::If {
                branches,
                otherwise,
                ..
            } => {
                for (condition, branch) in branches {
                    self.script(condition);
                    self.script(branch);
                }
                otherwise.iter().for_each(|script| self.script(script));
            }
            Node::Loop {
                condition, body, ..
            } => {
                self.script(condition);
                self.script(body);
            }
            Node::For { name, body, .. } => {
                self.add(name, false);
                self.script(body);
            }
            Node::Count(count) => {
                self.add(&count.name, !count.signed);
                self.script(&count.body);
            }
            Node::Function { body, .. } => self.node(body),
            Node::Case { arms, .. } => arms.iter().for_each(|(_, script)| self.script(script)),
            Node::Test { .. } => {}
        }
    }

    fn simple(&mut self, simple: &Simple) {
        for assignment in &simple.assignments {
            let number = match &assignment.value {
                Value::One(word) => !assignment.appends && is_number(word),
                Value::List(_) => false,
            };
            self.add(&assignment.name, number);
        }
        // What is evaluated, and names that are only known when it runs, may be any.
        let first = simple
            .words
            .first()
            .map(|word| word.literal().unwrap_or_default());
        let sets = matches!(
            first.as_deref(),
            Some(
                "" | "read"
                    | "printf"
                    | "export"
                    | "declare"
                    | "typeset"
                    | "local"
                    | "readonly"
                    | "unset"
                    | "let"
                    | "mapfile"
                    | "readarray"
                    | "getopts"
                    | "command"
                    | "builtin"
                    | "time"
                    | "exec"
            )
        );
        self.everything |= matches!(first.as_deref(), Some("eval" | "source" | "." | "trap"));
        self.everything |= sets && simple.words.iter().any(|word| word.literal().is_none());
        // The parameters of the line or of a function are others from here on: `shift`, `set -- x`.
        let moves = |word: &Word| {
            word.literal()
                .is_some_and(|text| matches!(&*text, "shift" | "set"))
        };
        if simple.words.iter().take(3).any(moves) {
            for name in PARAMETERS {
                self.add(name, false);
            }
        }
        // `read`, `printf -v`, `export` and their like set the names among their words.
        for word in simple.words.iter().skip(1) {
            if let Some(text) = word.literal() {
                let name = text.split('=').next().unwrap_or_default();
                if crate::parse::characters::is_name(name) {
                    self.add(name, false);
                }
            }
        }
    }
}

/// Whether a value is a plain number whatever else happens: digits, or arithmetic, which is only read over numbers.
fn is_number(word: &Word) -> bool {
    !word.pieces.is_empty()
        && word.pieces.iter().all(|piece| match piece {
            Piece::Text { text, .. } => {
                !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
            }
            Piece::Number { signed, .. } => !signed,
            _ => false,
        })
}
