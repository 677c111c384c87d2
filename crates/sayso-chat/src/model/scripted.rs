//! The model that is built in: it follows the words of the person, one call a line, and tells what came of it. It needs nothing installed,
//! and it thinks nothing.

use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};

use super::{Model, ModelError, Offered, Piece, Reply, Request, Told, Usage};
use crate::conversation::{Answer, Brought, Said, Wanted};

/// What the person calls it.
pub const NAME: &str = "scripted";

/// What it says when it is not told anything that it knows.
const HELP: &str = "I am the model that comes with sayso: I follow a script and think nothing, so that you can try everything without a key.\n\n\
Each line is one call of a tool, and several lines are one batch:\n\n\
```\n\
read FILE            list FOLDER            find TEXT\n\
run COMMAND          fetch ADDRESS\n\
write FILE: TEXT     edit FILE: OLD => NEW\n\
append FILE: TEXT    delete FILE            move FROM => TO\n\
call TOOL {JSON}     say TEXT               tour\n\
```\n\n\
A model that thinks: `sayso chat --model anthropic:NAME`, `--model openai:NAME`, or one of your own in `chat.yaml`.";

/// The steps of the tour: what it says, and what it calls.
const TOUR: &[(&str, &str)] = &[
    (
        "First I look around. That only reads, so it runs **unasked**.",
        "list .",
    ),
    (
        "Now I write a file. You are asked, and you see what would be in it.",
        "write sayso-tour.py: print('hello')",
    ),
    (
        "An edit comes with a diff.",
        "edit sayso-tour.py: hello => nothing runs without your say-so",
    ),
    (
        "A command whose effects are known is judged by its effects.",
        "run cat sayso-tour.py",
    ),
    ("A deletion is asked about twice.", "delete sayso-tour.py"),
    (
        "And this is a catastrophe: it is denied in every mode, and nobody is asked.",
        "run rm -rf /",
    ),
];

/// The model.
#[derive(Debug, Default)]
pub struct Scripted;

impl Model for Scripted {
    fn name(&self) -> &str {
        NAME
    }

    fn answer(&self, request: &Request<'_>, told: Told<'_>) -> Result<Reply, ModelError> {
        let answer = next(request.said, request.tools);
        for piece in answer.text.split_inclusive(' ') {
            told(Piece::Text(piece.to_owned()));
        }
        for call in &answer.calls {
            told(Piece::Call(call.tool.clone()));
        }
        Ok(Reply {
            answer,
            usage: Usage::default(),
            is_cut: false,
        })
    }
}

/// What the person said last, and what was done since.
fn next(said: &[Said], tools: &[Offered]) -> Answer {
    let start = said
        .iter()
        .rposition(|one| matches!(one, Said::Person(_)))
        .unwrap_or_default();
    let Some((Said::Person(asked), since)) = said.get(start..).and_then(<[Said]>::split_first)
    else {
        return words(HELP.to_owned());
    };
    let rounds = since
        .iter()
        .filter(|one| matches!(one, Said::Results(_)))
        .count();
    if asked.trim() == "tour" {
        return match TOUR.get(rounds) {
            Some((say, line)) => Answer { text: (*say).to_owned(), calls: calls(line, rounds, tools) },
            None => words(
                "That was the tour. `/audit` shows what was written down, `/undo` takes back, `/permissions` shows the mode.".to_owned(),
            ),
        };
    }
    if let Some(Said::Results(results)) = since.last() {
        return words(told_back(results));
    }
    if let Some(text) = asked.trim().strip_prefix("say ") {
        return words(text.to_owned());
    }
    match calls(asked, 0, tools) {
        calls if calls.is_empty() => words(HELP.to_owned()),
        calls => Answer {
            text: String::new(),
            calls,
        },
    }
}

fn words(text: String) -> Answer {
    Answer {
        text,
        calls: Vec::new(),
    }
}

/// What came of the calls, as a model would say it.
fn told_back(results: &[Brought]) -> String {
    let (failed, done): (Vec<&Brought>, Vec<&Brought>) =
        results.iter().partition(|result| result.failed);
    let mut out = match (done.len(), failed.len()) {
        (_, 0) => "Done.".to_owned(),
        (0, _) => "Nothing of that was done.".to_owned(),
        (done, failed) => format!("{done} done, {failed} not."),
    };
    for result in failed {
        let first = result.text.lines().next().unwrap_or_default();
        out.push_str(&format!("\n- I was told: {first}"));
    }
    out
}

/// The calls of the lines that say one.
fn calls(text: &str, round: usize, tools: &[Offered]) -> Vec<Wanted> {
    let lines = text.lines().filter_map(|line| {
        any(line.trim(), tools)
            .or_else(|| call(line.trim()).map(|(tool, args)| (tool.to_owned(), args)))
    });
    let named = |(at, (tool, args)): (usize, (String, Node))| Wanted {
        id: format!("script_{round}_{at}"),
        tool,
        arguments: json::write(&args),
    };
    lines.enumerate().map(named).collect()
}

/// A call of anything that is offered, as a real model could write it.
fn any(line: &str, tools: &[Offered]) -> Option<(String, Node)> {
    let rest = line.strip_prefix("call ")?.trim();
    let (tool, args) = rest.split_once(' ').unwrap_or((rest, "{}"));
    let tool = tools.iter().find(|offered| offered.name == tool)?;
    Some((
        tool.name.clone(),
        json::read(args, &Limits::default()).unwrap_or_else(|_| Value::Null.into()),
    ))
}

fn call(line: &str) -> Option<(&'static str, Node)> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    let text = |text: &str| Node::text(text.replace("\\n", "\n"));
    let named = |rest: &str| {
        rest.split_once(':')
            .map(|(file, text)| (file.trim().to_owned(), text.trim().to_owned()))
    };
    let one = |key: &'static str| Node::map([(key, Node::text(rest))]);
    Some(match verb {
        _ if rest.is_empty() && verb != "list" => return None,
        "read" => ("file_read", one("path")),
        "list" => (
            "list",
            Node::map([("path", Node::text(if rest.is_empty() { "." } else { rest }))]),
        ),
        "find" => ("file_grep", one("pattern")),
        "run" => ("terminal", one("command")),
        "fetch" => ("webfetch", one("url")),
        "delete" => ("file_delete", one("path")),
        "write" | "append" => {
            let (file, content) = named(rest)?;
            let tool = if verb == "write" {
                "file_write"
            } else {
                "file_append"
            };
            (
                tool,
                Node::map([
                    ("path", Node::text(file)),
                    ("content", text(&format!("{content}\n"))),
                ]),
            )
        }
        "edit" => {
            let (file, change) = named(rest)?;
            let (old, new) = change.split_once("=>")?;
            (
                "file_edit",
                Node::map([
                    ("path", Node::text(file)),
                    ("find", text(old.trim())),
                    ("replace", text(new.trim())),
                ]),
            )
        }
        "move" => {
            let (from, to) = rest.split_once("=>")?;
            (
                "file_move",
                Node::map([
                    ("from", Node::text(from.trim())),
                    ("to", Node::text(to.trim())),
                ]),
            )
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(said: &[Said]) -> Answer {
        next(said, &[])
    }

    #[test]
    fn lines_are_calls_and_anything_else_is_explained() {
        let answer = after(&[Said::Person(
            "read a.txt\nrun ls -la\nedit a.txt: x => y: z".to_owned(),
        )]);
        let made: Vec<(&str, &str)> = answer
            .calls
            .iter()
            .map(|call| (call.tool.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(made[0], ("file_read", "{\"path\":\"a.txt\"}"));
        assert_eq!(made[2].0, "file_edit");
        assert!(made[2].1.contains("\"replace\":\"y: z\""), "{made:?}");
        for other in [
            "hello",
            "",
            "read",
            "write x",
            "edit a: b",
            "call nothing {}",
        ] {
            let answer = after(&[Said::Person(other.to_owned())]);
            assert!(
                answer.calls.is_empty() && answer.text.contains("think nothing"),
                "{other}"
            );
        }
        assert_eq!(
            after(&[Said::Person("say **hi**".to_owned())]).text,
            "**hi**"
        );
    }

    #[test]
    fn a_denial_is_told_back_and_the_tour_goes_on() {
        let person = Said::Person("delete a".to_owned());
        let model = Said::Model(after(std::slice::from_ref(&person)));
        let denied = Brought {
            id: "x".to_owned(),
            text: "denied by the person: keep it. nothing was changed".to_owned(),
            failed: true,
        };
        let answer = after(&[person, model, Said::Results(vec![denied.clone()])]);
        assert!(
            answer
                .text
                .contains("I was told: denied by the person: keep it"),
            "{}",
            answer.text
        );
        let mut said = vec![Said::Person("tour".to_owned())];
        for (words, _) in TOUR {
            let answer = after(&said);
            assert_eq!(&answer.text, words);
            said.extend([Said::Model(answer), Said::Results(vec![denied.clone()])]);
        }
        assert!(after(&said).calls.is_empty());
    }
}
