//! How much of the valid commands in the corpora the reader reads, and why it does not read the rest.
//!
//! Bash says what is valid (`bash -n`). Read means the grammar: what a command does that was read may still not be known.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

use sayso_core::text::node::Node;
use sayso_core::text::visible::is_hidden;
use sayso_core::text::{Limits, yaml};

use crate::numbers::{files, name, shown};

/// Counts of one kind of rows.
#[derive(Default)]
struct Count {
    read: usize,
    refused: usize,
    invalid: usize,
}

impl Count {
    fn share(&self) -> f64 {
        self.read as f64 * 100.0 / (self.read + self.refused).max(1) as f64
    }
}

/// Whether bash takes a text for a script, without running anything of it.
fn is_valid(text: &str) -> bool {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-n", "-c", text])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    !text.contains('\0') && bash.status().is_ok_and(|status| status.success())
}

/// The reason without what it quotes of the text, so that the same reasons count together.
fn plain(reason: &str) -> String {
    if reason.starts_with("the character U+") {
        return "a character that is not plain text".to_owned();
    }
    let mut out = String::new();
    for (index, part) in reason.split('`').enumerate() {
        out.push_str(if index % 2 == 0 { part } else { "`…`" });
    }
    out
}

/// A text in which nothing is hidden, for a page that people read; the ends of lines are shown by the list.
fn spelled(text: &str) -> String {
    let letter = |letter: char| match letter {
        '\n' | '\t' => letter.to_string(),
        hidden if is_hidden(hidden) => format!("‹U+{:04X}›", u32::from(hidden)),
        plain => plain.to_string(),
    };
    text.chars().map(letter).collect()
}

/// Adds the shares, and the list of what is not read.
pub fn report(out: &mut String, rest: &mut String) {
    let (mut work, mut attacks) = (Count::default(), Count::default());
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for corpus in ["verdicts", "shell", "bypasses", "sessions"] {
        for path in files(corpus) {
            let text = fs::read_to_string(&path).unwrap();
            let keys = yaml::read(&text, &Limits::policy())
                .unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
            for row in keys
                .get("rows")
                .or_else(|| keys.get("calls"))
                .map_or(&[][..], Node::items)
            {
                let Some(command) = row
                    .get("command")
                    .and_then(Node::as_text)
                    .filter(|text| !text.trim().is_empty())
                else {
                    continue;
                };
                let command = ["{workspace}", "{home}", "{outside}"]
                    .iter()
                    .fold(command.to_owned(), |text, key| text.replace(key, "/x"));
                let harmless = row.get("harmless").and_then(Node::as_bool).unwrap_or(false)
                    || corpus == "sessions";
                let count = if harmless { &mut work } else { &mut attacks };
                match sayso_shell::refusal(&command) {
                    None => count.read += 1,
                    Some(_) if !is_valid(&command) => count.invalid += 1,
                    Some(reason) => {
                        count.refused += 1;
                        let mark = if harmless { ", harmless" } else { "" };
                        reasons.entry(plain(&reason)).or_default().push(format!(
                            "{} ({}{mark})",
                            shown(&spelled(&command)),
                            name(&path)
                        ));
                    }
                }
            }
        }
    }
    let all = Count {
        read: work.read + attacks.read,
        refused: work.refused + attacks.refused,
        invalid: work.invalid + attacks.invalid,
    };
    let _ = writeln!(
        out,
        "- **Read to the last byte: {:.1} %** of the {} valid commands that people work with (harmless rows and sessions), {:.1} % of all {} valid\n  commands with the attacks on the reader itself. {} rows are no scripts for bash either.",
        work.share(),
        work.read + work.refused,
        all.share(),
        all.read + all.refused,
        all.invalid
    );
    let mut list: Vec<_> = reasons.into_iter().collect();
    list.sort_by_key(|(reason, texts)| (std::cmp::Reverse(texts.len()), reason.clone()));
    let _ = writeln!(rest, "## Valid commands that are not read, by reason\n");
    for (reason, texts) in list {
        let _ = writeln!(
            rest,
            "- {} × {reason}: {}{}",
            texts.len(),
            texts.iter().take(3).cloned().collect::<Vec<_>>().join(", "),
            if texts.len() > 3 { ", …" } else { "" }
        );
    }
    rest.push('\n');
    assert!(
        work.share() >= 99.0,
        "only {:.2} % of the valid commands that people work with are read:\n{rest}",
        work.share()
    );
}
