//! Whatever a model writes, nothing in what is shown can hide, move the cursor or turn the direction.

use proptest::prelude::*;
use proptest::sample::select;
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Agent, Call, ToolSays};
use sayso_core::prompt::presentation::{Body, Presentation};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::has_hidden;
use sayso_gate::presentation::{prompt_to_node, to_node};

use super::{call, judged, setup, show};
use crate::bench::Setup;
use crate::flow::room::Room;
use crate::world::WORKSPACE;

const PIECES: &[&str] = &[
    "a",
    " ",
    "ls",
    "rm -rf ~",
    "/",
    "..",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{1B}[2K\u{1B}[1G",
    "\u{1B}]8;;http://evil\u{7}",
    "\u{9B}2J",
    "\u{7}",
    "\u{8}",
    "\u{202E}",
    "\u{2066}",
    "\u{200B}",
    "\u{200D}",
    "\u{FEFF}",
    "\u{AD}",
    "\u{E0041}",
    "\u{2028}",
    "\u{85}",
    "\u{A0}",
    "\u{3164}",
    "\u{E000}",
    "\u{F0000}",
    "\u{10FFFD}",
    "‹U+202E›",
    "␛",
    "[/]",
    "[bold red]",
    "<b>",
    "\"",
    "'",
    "\\",
    "$(x)",
    "`",
    "漢",
    "🦀",
    "é",
];
const TOOLS: &[(&str, &[&str])] = &[
    ("bash", &["command", "cwd", "description", "timeout"]),
    ("file_write", &["path", "content", "note"]),
    ("file_edit", &["path", "find", "replace"]),
    ("file_append", &["path", "content"]),
    ("file_insert_after", &["path", "content", "pattern"]),
    ("file_delete", &["path", "reason"]),
    ("file_rmdir", &["path", "recursive"]),
    ("file_move", &["from", "to"]),
    ("file_read", &["path"]),
    ("file_grep", &["pattern", "path"]),
    ("glob", &["pattern"]),
    ("webfetch", &["url", "prompt"]),
    ("mcp", &["server", "tool"]),
    ("delegate", &["agent", "input"]),
    ("share_file", &["path", "agent"]),
    ("my_tool", &["x"]),
];

/// The spelling itself is made of these, and nothing else that is hidden may be left. A tab or line feed may not stand in a line either.
fn is_plain(text: &str) -> bool {
    let made_of = |letter: char| matches!(letter, '‹' | '\u{2400}'..='\u{2421}');
    let left: String = text.chars().filter(|letter| !made_of(*letter)).collect();
    !has_hidden(&left) && !left.contains(['\n', '\t'])
}

/// Every text of a body.
fn texts_of(body: &Body, out: &mut Vec<String>) {
    match body {
        Body::Text(lines) => out.extend(lines.iter().cloned()),
        Body::Content {
            path, lines, notes, ..
        } => {
            out.push(path.clone());
            out.extend(lines.iter().chain(notes).cloned());
        }
        Body::Command {
            lines,
            folder,
            parts,
            effects,
            ..
        } => {
            out.push(folder.clone());
            out.extend(parts.iter().map(|part| part.words()));
            out.extend(lines.iter().chain(effects).cloned());
        }
        Body::Structured(rows) => out.extend(
            rows.iter()
                .flat_map(|(label, value)| [label.clone(), value.clone()]),
        ),
        Body::Binary { path, .. } => out.push(path.clone()),
        Body::Diff(diff) => {
            out.push(diff.path.clone());
            out.extend(diff.notes.iter().chain(&diff.rest).cloned());
            out.extend(diff.hunks.iter().flat_map(|hunk| &hunk.before).cloned());
            out.extend(
                diff.hunks
                    .iter()
                    .flat_map(|hunk| &hunk.lines)
                    .flat_map(|line| &line.pieces)
                    .map(|piece| piece.text.clone()),
            );
        }
    }
}

fn texts(presentation: &Presentation) -> Vec<String> {
    let mut out = presentation.warnings.clone();
    out.extend(
        presentation
            .details
            .iter()
            .flat_map(|(label, value)| [label.clone(), value.clone()]),
    );
    texts_of(&presentation.body, &mut out);
    texts_of(presentation.whole(), &mut out);
    out
}

/// Every text of a value, but for what is handed on as it came.
fn texts_of_node(node: &Node, out: &mut Vec<String>) {
    match &node.value {
        Value::Text(text) => out.push(text.clone()),
        Value::List(items) => items.iter().for_each(|item| texts_of_node(item, out)),
        Value::Map(entries) => {
            let raw = ["arguments", "call_id", "session", "title"];
            for entry in entries
                .iter()
                .filter(|entry| !raw.contains(&entry.key.as_str()))
            {
                out.push(entry.key.clone());
                texts_of_node(&entry.node, out);
            }
        }
        _ => {}
    }
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(select(PIECES), 1..12).prop_map(|pieces| pieces.concat()),
        1 => prop::collection::vec(any::<char>(), 1..12).prop_map(String::from_iter),
    ]
}

fn a_call() -> impl Strategy<Value = Call> {
    let extra = prop::option::of((hostile(), hostile()));
    (
        select(TOOLS),
        prop::collection::vec(hostile(), 4),
        extra,
        hostile(),
        any::<bool>(),
        select(&["", "src/main.rs"][..]),
    )
        .prop_map(|((tool, keys), values, extra, description, says, path)| {
            let mut args: Vec<(String, Node)> = keys
                .iter()
                .zip(values)
                .map(|(key, value)| ((*key).to_owned(), Node::text(value)))
                .collect();
            if !path.is_empty()
                && let Some((_, first)) = args.iter_mut().find(|(key, _)| key == "path")
            {
                *first = Node::text(path);
            }
            args.extend(
                extra.map(|(key, value)| (key, Node::map([(value.clone(), Node::text(value))]))),
            );
            let says = if says {
                ToolSays::NeedsApproval {
                    payload: Node::text("x"),
                    description,
                }
            } else {
                ToolSays::Nothing
            };
            Call {
                says,
                ..Call::new(tool, Node::map(args), WORKSPACE)
            }
        })
}

fn world() -> Setup {
    let mut setup = setup();
    setup.world.with(
        "/ws/src/main.rs",
        "fn main() {\u{1B}[2K}\r\n\u{202E}old a\nls\n",
    );
    setup
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn u_14_nothing_that_a_model_wrote_hides(call in a_call()) {
        let setup = world();
        let Ok(operation) = sayso_core::call::operation::Operation::freeze(call.clone()) else { return Ok(()) };
        let (_, judged) = judged(&setup, call);
        let Ok(built) = sayso_gate::presentation::build(&setup.world, &operation, &judged.reading, &judged.verdict, setup.settings()) else {
            return Ok(());
        };
        let shown = built.presentation;
        let mut all = texts(&shown);
        all.push(built.sentence);
        all.extend(built.why.into_iter().map(|why| why.text));
        all.push(sayso_gate::describe::description(&operation, &judged.verdict));
        texts_of_node(&to_node(&shown), &mut all);
        for text in all {
            prop_assert!(is_plain(&text), "{:?} of {:#?}", text, operation.args());
        }
    }

    #[test]
    fn u_14_the_same_holds_for_the_whole_prompt(call in a_call(), name in hostile(), batch in hostile()) {
        let room = Room::with(&world(), Run::Interactive, &[]);
        let agent = Agent { parents: vec![name.clone()], name };
        room.call(Call { agent, batch: Some(batch), ..call });
        for prompt in room.person.seen() {
            let mut all = texts(&prompt.presentation);
            all.push(prompt.description.clone());
            all.extend(prompt.offers.iter().map(|offer| offer.words.clone()));
            all.extend(prompt.group.iter().map(|member| member.description.clone()));
            all.extend(prompt.alike.iter().flat_map(|alike| alike.differs.clone()));
            texts_of_node(&prompt_to_node(&prompt), &mut all);
            for text in all {
                prop_assert!(is_plain(&text), "{:?}", text);
            }
            let titles = ["⚠️ DELETE CONFIRMATION", "⚠️ DANGEROUS OPERATION", "File Operation Approval Required", "Tool Execution Approval Required"];
            prop_assert!(titles.contains(&prompt.title.as_str()), "{}", prompt.title);
        }
    }
}

#[test]
fn h_36_escapes_are_spelled_out() {
    let shown = show(
        &setup(),
        call(
            "bash",
            &[("command", "ls \u{1b}[2K\u{1b}[1G\u{1b}[32mecho safe")],
        ),
    );
    assert!(
        matches!(&shown.body, Body::Command { lines, .. } if lines == &["ls ␛[2K␛[1G␛[32mecho safe"])
    );
    assert!(super::warned(
        &shown,
        "`command` holds invisible characters"
    ));
}

#[test]
fn h_38_line_breaks_and_turned_texts_are_seen() {
    let shown = show(&setup(), call("bash", &[("command", "ls\nrm -rf ~")]));
    assert!(matches!(&shown.body, Body::Command { lines, .. } if lines == &["ls", "rm -rf ~"]));
    let shown = show(
        &setup(),
        call(
            "file_create",
            &[("path", "src/\u{202E}gpj.exe"), ("content", "x")],
        ),
    );
    let mut all = Vec::new();
    texts_of(&shown.body, &mut all);
    assert!(
        all.iter().any(|text| text == "src/‹U+202E›gpj.exe"),
        "{shown:#?}"
    );
    assert!(super::warned(&shown, "`path` holds invisible characters"));
}

#[test]
fn h_39_markup_stands_as_it_was_written() {
    let shown = show(
        &setup(),
        call("my_tool", &[("x", "[/][black on black]evil")]),
    );
    assert_eq!(
        super::value(super::rows(&shown), "x"),
        "\"[/][black on black]evil\""
    );
}

#[test]
fn h_42_the_prompt_names_its_object() {
    let room = Room::new("sayso", Run::Interactive, &[]);
    room.call(call("file_delete", &[("path", "docs/README.md")]));
    let prompt = &room.person.seen()[0];
    assert!(prompt.description.contains("docs/README.md"));
    assert!(
        texts(&prompt.presentation)
            .iter()
            .any(|text| text == "Delete: docs/README.md")
    );
}
