//! Every function that makes a sentence for a person, with the values it is computed from.
//!
//! `SAYSO_WRITE_REPORTS=1 cargo test -p sayso --test tidy sentences` writes the page again.

use crate::code::{code, lines};
use crate::{File, files, root};

const PAGE: &str = "docs/reports/sentences.md";

/// A literal with this many words counts as a sentence.
const MIN_WORDS: usize = 3;

/// Where sentences for people are made, and which value each place reads. The value that acts is the
/// only source: a sentence beside it could drift.
const PLACES: [(&str, &str); 23] = [
    (
        "crates/sayso-core/src/answer/explain.rs",
        "the verdict and the frozen operation",
    ),
    (
        "crates/sayso-core/src/answer/decided_by.rs",
        "who answered, as the record keeps it",
    ),
    (
        "crates/sayso-core/src/answer/rest_of_batch.rs",
        "the setting that the judge reads for a batch grant",
    ),
    (
        "crates/sayso-core/src/answer/learned_rule.rs",
        "the rule that would be stored",
    ),
    (
        "crates/sayso-core/src/answer/scope.rs",
        "the scope of the answer",
    ),
    (
        "crates/sayso-core/src/prompt/mod.rs",
        "the offer that would be stored, and its scope",
    ),
    (
        "crates/sayso-core/src/prompt/presentation.rs",
        "the body that is shown, and what undo keeps",
    ),
    (
        "crates/sayso-core/src/answer/cause/",
        "the effect, fact, rule or grant that decided",
    ),
    (
        "crates/sayso-core/src/prompt/patterns.rs",
        "why the gate refuses the pattern, and what the record holds",
    ),
    (
        "crates/sayso-core/src/decide/",
        "what the entry of `safe_commands` and the command are",
    ),
    ("crates/sayso-gate/src/describe.rs", "the frozen operation"),
    (
        "crates/sayso-gate/src/offers/mod.rs",
        "the grant key or rule that the answer stores",
    ),
    (
        "crates/sayso-gate/src/pipeline/remaining_calls.rs",
        "the verdicts on the calls that remain",
    ),
    ("crates/sayso-gate/src/finished.rs", "how the call ended"),
    (
        "crates/sayso-gate/src/presentation/",
        "the reading, its facts and the outlook of the door",
    ),
    (
        "crates/sayso-tui/src/",
        "the prompt, its clock, and the keymap that reads the keys",
    ),
    (
        "crates/sayso-runtime/src/outlook.rs",
        "the tools that would run the call, and their backups",
    ),
    (
        "crates/sayso-runtime/src/ask_inbox.rs",
        "the settings in force, and where an inbox runs",
    ),
    (
        "crates/sayso/src/screen/",
        "the prompt, the answer, and the counts of the batch",
    ),
    (
        "crates/sayso-agents/src/hook/",
        "the verdict, the answer, and where a person can answer",
    ),
    (
        "crates/sayso-inbox/src/",
        "the posted prompt and its one deadline",
    ),
    (
        "crates/sayso/src/cli/",
        "what the command has just read or done",
    ),
    (
        "crates/sayso-chat/src/",
        "the settings in force, and the outcome of each call",
    ),
];

/// One function that makes sentences.
struct Function {
    name: String,
    /// What it takes, as it is declared.
    inputs: String,
    /// The first sentence in it.
    sentence: String,
}

/// The place of a file, if sentences are made in it.
fn place(file: &File) -> Option<usize> {
    let is_source = file.is_rust() || file.name.ends_with(".js");
    let index = PLACES
        .iter()
        .position(|(place, _)| file.name.starts_with(place))?;
    let is_test = file.name.contains("/tests/");
    (is_source && !is_test).then_some(index)
}

/// The functions of a file that hold a sentence.
fn functions(file: &File) -> Vec<Function> {
    let product = file.text.split("#[cfg(test)]").next().unwrap_or_default();
    let bare = code(product);
    let starts: Vec<usize> = lines(&bare)
        .filter(|(_, line)| is_start(line, file))
        .map(|(number, _)| number)
        .collect();
    let written: Vec<&str> = product.lines().collect();
    let mut out = Vec::new();
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(written.len(), |next| next - 1);
        let body = written.get(start - 1..end).unwrap_or_default();
        let Some(sentence) = body.iter().find_map(|line| sentence(line)) else {
            continue;
        };
        let head = body.join(" ");
        out.push(Function {
            name: name(&head),
            inputs: inputs(&head),
            sentence,
        });
    }
    out
}

/// The variants of error types, each with its sentence and with what it holds.
fn errors(file: &File) -> Vec<Function> {
    let product = file.text.split("#[cfg(test)]").next().unwrap_or_default();
    let parts = product.split("#[error(").skip(1);
    let read = |part: &str| {
        let (attribute, rest) = part.split_once(")]\n")?;
        let text = attribute.split('"').nth(1)?.trim();
        let declared = rest.trim_start().trim_start_matches("pub ");
        let declared = declared.trim_start_matches("struct ");
        let end = declared.find(|c: char| !c.is_alphanumeric())?;
        let (name, held) = declared.split_at(end);
        let close = match held.trim_start().chars().next()? {
            '(' => ')',
            '{' => '}',
            _ => ',',
        };
        let held = held
            .split(close)
            .next()?
            .trim()
            .trim_start_matches(['(', '{']);
        let inputs: Vec<&str> = held.split_whitespace().collect();
        is_sentence(text).then(|| Function {
            name: name.to_owned(),
            inputs: inputs.join(" ").trim_end_matches(',').to_owned(),
            sentence: text.to_owned(),
        })
    };
    parts.filter_map(read).collect()
}

fn is_start(line: &str, file: &File) -> bool {
    let line = line.trim_start();
    match file.is_rust() {
        true => {
            line.contains("fn ") && line.contains('(') && !line.starts_with("///") && is_head(line)
        }
        false => {
            line.starts_with("function ")
                || line.starts_with("export function ")
                || line.starts_with("async function ")
        }
    }
}

fn is_head(line: &str) -> bool {
    line.split("fn ").next().is_some_and(|before| {
        before.split_whitespace().all(|word| {
            word.starts_with("pub") || ["const", "async", "crate)", "super)"].contains(&word)
        })
    })
}

fn name(head: &str) -> String {
    let rest = head
        .split_once("fn ")
        .or_else(|| head.split_once("function "))
        .map_or(head, |(_, rest)| rest);
    rest.split(['(', '<'])
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// The parameters of a function, up to the bracket that closes them.
fn inputs(head: &str) -> String {
    let rest = head
        .split_once("fn ")
        .or_else(|| head.split_once("function "))
        .map_or(head, |(_, rest)| rest);
    let Some((_, rest)) = rest.split_once('(') else {
        return String::new();
    };
    let mut depth = 1;
    let end = rest.char_indices().find(|(_, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    let inside = rest
        .get(..end.map_or(rest.len(), |(at, _)| at))
        .unwrap_or_default();
    inside
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .trim_end_matches(',')
        .to_owned()
}

/// The first literal of a line that reads as a sentence.
fn sentence(line: &str) -> Option<String> {
    let line = line.trim_start();
    if ["//", "#[", "assert", "debug_assert"]
        .iter()
        .any(|start| line.starts_with(start))
    {
        return None;
    }
    line.split(['"', '`'])
        .skip(1)
        .step_by(2)
        .map(str::trim)
        .find(|text| is_sentence(text))
        .map(str::to_owned)
}

fn is_sentence(text: &str) -> bool {
    let is_word = |word: &&str| {
        word.len() > 1
            && word
                .chars()
                .all(|c| c.is_alphabetic() || ",.;:'’".contains(c))
    };
    text.split(' ').filter(is_word).count() >= MIN_WORDS
}

fn page(files: &[File]) -> String {
    let mut out = String::from(
        "# Sentences and the values behind them\n\n\
         Every function and every error that makes a sentence for a person, with what it takes. A sentence is computed from the value that\n\
         acts, so it cannot drift; `mutants/sentences.py` changes twelve of these values, one at a time: a test fails for each.\n\
         This page is generated: `SAYSO_WRITE_REPORTS=1 cargo test -p sayso --test tidy sentences`.\n",
    );
    for (index, (folder, value)) in PLACES.iter().enumerate() {
        out.push_str(&format!("\n## {folder}\n\nRead from: {value}.\n\n| function | takes | first sentence |\n|---|---|---|\n"));
        for file in files.iter().filter(|file| place(file) == Some(index)) {
            let short = file
                .name
                .strip_prefix(folder)
                .filter(|rest| !rest.is_empty());
            for found in functions(file).into_iter().chain(errors(file)) {
                let at = short.map_or(found.name.clone(), |short| {
                    format!("{short} {}", found.name)
                });
                out.push_str(&format!(
                    "| `{at}` | {} | {} |\n",
                    cell(&found.inputs),
                    cell(&found.sentence)
                ));
            }
        }
    }
    out
}

/// A text as one cell of a table, folded where it is long.
fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('`', "'");
    match text.char_indices().nth(100) {
        Some((at, _)) => format!("`{}…`", text.get(..at).unwrap_or_default()),
        None if text.is_empty() => String::new(),
        None => format!("`{text}`"),
    }
}

#[test]
fn the_page_of_sentences_is_current() {
    let text = page(&files());
    if std::env::var_os("SAYSO_WRITE_REPORTS").is_some() {
        return std::fs::write(root().join(PAGE), text).unwrap();
    }
    let written = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    assert!(
        written == text,
        "{PAGE} is not current: SAYSO_WRITE_REPORTS=1 cargo test -p sayso --test tidy sentences"
    );
}

#[test]
fn functions_and_their_inputs_are_read() {
    let text = "fn a(x: &str) -> u8 {\n    1\n}\n\npub fn says(verdict: &Verdict, n: (u8, u8)) -> String {\n    format!(\"it cannot be undone\")\n}\n";
    let found = functions(&File {
        name: "x.rs".to_owned(),
        text: text.to_owned(),
    });
    let found: Vec<_> = found
        .iter()
        .map(|one| {
            (
                one.name.as_str(),
                one.inputs.as_str(),
                one.sentence.as_str(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [(
            "says",
            "verdict: &Verdict, n: (u8, u8)",
            "it cannot be undone"
        )]
    );
}
