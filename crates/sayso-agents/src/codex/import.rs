//! Codex: literal calls of `prefix_rule` and `network_rule`; the strictest of all matches counts, as here. It is a program; what is no
//! literal call is not run, and told.

use sayso_core::policy::decision::Decision;

use crate::import::error::SyntaxError;
use crate::import::patterns::{any_command, words};
use crate::import::{About, File, ImportError, Imported, Reader, Rule, System, files_below};

/// A name, and arguments with their names.
type Call = (String, Vec<(String, Value)>);

/// A value in a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    List(Vec<Value>),
}

/// So many combinations of alternatives one rule may have.
const MOST: usize = 256;

/// Codex: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "codex",
    help: "Codex: `*.rules`",
    import,
    own_files: Some(|around, home| {
        let folder = around.codex.clone();
        let folder = folder.unwrap_or_else(|| home.join(".codex"));
        files_below(folder.join("rules"), "rules")
    }),
});

fn import(files: &[File]) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    for file in files {
        let mut reader = Scanner {
            text: &file.text,
            at: 0,
        };
        while let Some(found) = reader.statement() {
            let place = format!("{}:{}", file.name, found.line);
            match found.call {
                Ok((name, arguments)) if name == "prefix_rule" => {
                    prefix(&place, &found.text, &arguments, &mut out)
                }
                Ok((name, arguments)) if name == "network_rule" => {
                    network(&place, &found.text, &arguments, &mut out)
                }
                Ok((name, _)) if name == "host_executable" => {
                    out.note(
                        &place,
                        &found.text,
                        "left out: which file a program is, sayso looks up by itself; a program of the workspace asks",
                    );
                }
                Ok((name, _)) => out.note(
                    &place,
                    &found.text,
                    format!("left out: `{name}` is not known"),
                ),
                Err(source) => return Err(ImportError::NotLiteral { place, source }),
            }
        }
    }
    out.note(
        "Codex's own defaults",
        "what no rule names",
        "judged by sayso's mode: what only looks inside of the workspace is silent, the rest asks",
    );
    Ok(out)
}

fn decision(arguments: &[(String, Value)]) -> Option<Decision> {
    match arguments.iter().find(|(name, _)| name == "decision") {
        None => Some(Decision::Allow),
        Some((_, Value::Text(word))) => match word.as_str() {
            "allow" => Some(Decision::Allow),
            "prompt" => Some(Decision::Ask),
            "forbidden" | "deny" => Some(Decision::Deny),
            _ => None,
        },
        Some(_) => None,
    }
}

fn text_of<'a>(arguments: &'a [(String, Value)], key: &str) -> Option<&'a str> {
    arguments
        .iter()
        .find(|(name, _)| name == key)
        .and_then(|(_, value)| match value {
            Value::Text(text) => Some(text.as_str()),
            Value::List(_) => None,
        })
}

fn prefix(place: &str, text: &str, arguments: &[(String, Value)], out: &mut Imported) {
    let pattern = arguments
        .iter()
        .find(|(name, _)| name == "pattern")
        .map(|(_, value)| value);
    let (Some(Value::List(parts)), Some(decision)) = (pattern, decision(arguments)) else {
        return out.note(
            place,
            text,
            "left out: it has no pattern of words, or a decision that is not known",
        );
    };
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for part in parts {
        let choices: Vec<String> = match part {
            Value::Text(text) => vec![text.clone()],
            Value::List(list) => list
                .iter()
                .filter_map(|item| {
                    if let Value::Text(text) = item {
                        Some(text.clone())
                    } else {
                        None
                    }
                })
                .collect(),
        };
        all = all
            .iter()
            .flat_map(|words| {
                choices
                    .iter()
                    .map(|choice| words.iter().chain([choice]).cloned().collect())
            })
            .collect();
        if all.len() > MOST {
            return out.note(place, text, "left out: it has too many alternatives");
        }
    }
    for list in all {
        // A word with a blank in it is one word.
        let plain = list
            .iter()
            .all(|word| !word.is_empty() && !word.contains(char::is_whitespace));
        match words(&list.join(" "), true).filter(|_| plain) {
            Some(about) => {
                let reason = text_of(arguments, "justification").map(str::to_owned);
                out.push(Rule {
                    decision,
                    about,
                    except: Vec::new(),
                    agent: None,
                    reason,
                });
            }
            None if decision == Decision::Allow => out.note(
                place,
                text,
                "left out: its words have no form here, so it asks",
            ),
            None => {
                let first = list
                    .first()
                    .and_then(|word| words(word, true))
                    .unwrap_or_else(any_command);
                out.add(decision, first);
                out.note(
                    place,
                    text,
                    "for more than it says: its words have no form here, and less would be looser",
                );
            }
        }
    }
}

fn network(place: &str, text: &str, arguments: &[(String, Value)], out: &mut Imported) {
    let (Some(host), Some(decision)) = (text_of(arguments, "host"), decision(arguments)) else {
        return out.note(
            place,
            text,
            "left out: it has no host, or a decision that is not known",
        );
    };
    let plain = host
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || ".-".contains(letter))
        && !host.is_empty();
    match (plain, decision) {
        (true, Decision::Allow)
            if matches!(text_of(arguments, "protocol"), None | Some("https")) =>
        {
            out.add(decision, About::Fetch(format!("https://{host}/**")));
        }
        (true, Decision::Ask | Decision::Deny) => {
            out.add(decision, About::Fetch(format!("*://{host}/**")))
        }
        (_, Decision::Allow) => out.note(
            place,
            text,
            "left out: only https to a plain host can be allowed here, so it asks",
        ),
        (false, _) => {
            out.add(decision, About::Fetch("*://*/**".to_owned()));
            out.note(
                place,
                text,
                "for every host: the pattern has no form here, and less would be looser",
            );
        }
    }
}

/// A statement at the top of the file.
struct Statement {
    line: usize,
    text: String,
    call: Result<Call, SyntaxError>,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed =
                rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ';');
            let comment = if trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else {
                0
            };
            let step = rest.len() - trimmed.len() + comment;
            if step == 0 {
                return;
            }
            self.at += step;
        }
    }

    fn statement(&mut self) -> Option<Statement> {
        self.skip();
        if self.rest().is_empty() {
            return None;
        }
        let start = self.at;
        let line = self
            .text
            .get(..start)
            .unwrap_or_default()
            .matches('\n')
            .count()
            + 1;
        let call = self.call();
        if call.is_err() {
            self.at = self.text.len();
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Statement {
            line,
            text: text.chars().take(120).collect(),
            call,
        })
    }

    fn call(&mut self) -> Result<Call, SyntaxError> {
        let name = self.name().ok_or(SyntaxError::NoCall)?;
        self.expect('(')?;
        let mut arguments = Vec::new();
        loop {
            self.skip();
            if self.take(')') {
                return Ok((name, arguments));
            }
            let key = self.name().ok_or(SyntaxError::NoName)?;
            self.expect('=')?;
            arguments.push((key, self.value(0)?));
            self.skip();
            if !self.take(',') {
                self.expect(')')?;
                return Ok((name, arguments));
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        self.skip();
        let rest = self.rest();
        let end = rest
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
            .unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| !name.is_empty())?.to_owned();
        self.at += end;
        Some(name)
    }

    fn take(&mut self, letter: char) -> bool {
        self.skip();
        let found = self.rest().starts_with(letter);
        self.at += if found { letter.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, letter: char) -> Result<(), SyntaxError> {
        if self.take(letter) {
            Ok(())
        } else {
            Err(SyntaxError::Missing(letter))
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.skip();
        let Some(first) = self.rest().chars().next() else {
            return Err(SyntaxError::NoValue);
        };
        match first {
            '[' if depth < 8 => {
                self.at += 1;
                let mut list = Vec::new();
                while !self.take(']') {
                    list.push(self.value(depth + 1)?);
                    if !self.take(',') {
                        self.expect(']')?;
                        break;
                    }
                }
                Ok(Value::List(list))
            }
            '"' | '\'' => self.quoted(first).map(Value::Text),
            _ => Err(SyntaxError::OtherValue),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, SyntaxError> {
        let mut out = String::new();
        let mut letters = self.rest().char_indices().skip(1);
        while let Some((index, letter)) = letters.next() {
            match letter {
                '\n' => return Err(SyntaxError::OpenText),
                letter if letter == quote => {
                    let end = index + quote.len_utf8();
                    self.at += end;
                    return Ok(out);
                }
                '\\' => match letters.next().map(|(_, letter)| letter) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some(letter @ ('\\' | '"' | '\'')) => out.push(letter),
                    _ => return Err(SyntaxError::UnknownEscape),
                },
                letter => out.push(letter),
            }
        }
        Err(SyntaxError::OpenText)
    }
}
