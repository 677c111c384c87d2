//! What a program whose effects are not all known does besides: commands in its words are read like any other, words that lead elsewhere
//! are marked, and paths in its words are looked at.
//!
//! What must be asked is found there whatever a rule says of the program. A rule covers the rest.

mod commands;
mod leads;
mod merge;
mod named_paths;

use sayso_core::analysis::draft::{Carried, Draft, Lead};
use sayso_core::analysis::effect::{Effect, EffectKind, Manner};

use self::commands::{Carry, Place};
use self::merge::Inner;
use crate::parse::characters::last_part;
use crate::parse::placeholder;
use crate::programs;
use crate::programs::effect_builder::{self, PLAIN};
use crate::programs::rule_forms;

/// Commands of one program that are read, and how deep they may stand in each other.
const MAX_COMMANDS: usize = 8;
const MAX_DEPTH: usize = 3;

/// A command whose effects are not all known.
pub(crate) struct Command<'a> {
    pub(crate) part: usize,
    pub(crate) name: &'a str,
    /// The words behind the program.
    pub(crate) words: &'a [&'a str],
    pub(crate) folders: &'a [String],
    /// Which bytes of the text it is.
    pub(crate) at: (usize, usize),
    /// How many commands it is nested in.
    pub(crate) depth: usize,
}

/// What was found besides effects.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) leads: Vec<Lead>,
    pub(crate) carried: Vec<Carried>,
    pub(crate) runs: Vec<(String, String)>,
    /// The carried commands as ask and deny rules see them.
    pub(crate) stages: Vec<Vec<String>>,
}

/// Looks into the words of a command.
pub(crate) fn look_into(draft: &mut Draft, command: &Command<'_>) -> Found {
    let mut found = Found {
        leads: leads::of(command.name, command.words),
        ..Found::default()
    };
    let carries = commands::of(command.name, command.words);
    let mut left = carries.len();
    for carry in carries
        .iter()
        .take(MAX_COMMANDS)
        .filter(|carry| placeholder::is_literal(&carry.text))
    {
        carried(draft, command, carry, &mut found);
        left -= 1;
    }
    if command.depth >= MAX_DEPTH && !carries.is_empty() || left > 0 && carries.len() > MAX_COMMANDS
    {
        merge::make_opaque(
            draft,
            format!("`{}` runs more commands than are read", command.name),
        );
    }
    inner_leads(command, &carries, &mut found.leads);
    git_patterns(command, &mut found.leads);
    deletes(draft, command, &found.leads);
    if !programs::is_modelled(command.name) {
        code_words(command, &carries, &mut found);
        texts_in_words(draft, command, &carries, &mut found);
    }
    named_paths::list(draft, command, &carries);
    found.leads.sort_by_key(|lead| lead.word);
    found.leads.dedup_by_key(|lead| lead.word);
    found
}

/// Reads a carried command and puts what it does into the draft.
fn carried(draft: &mut Draft, command: &Command<'_>, carry: &Carry, found: &mut Found) {
    if command.depth >= MAX_DEPTH {
        return;
    }
    let text = in_folder(command, carry);
    let inner = super::analyse_inside(&text, command.depth + 1);
    let by = placeholder::shown(&runner(command, carry));
    let shown = placeholder::shown(&carry.text);
    let clear = merge::is_clear(&inner);
    if carry.certain {
        found.runs.push((by.clone(), shown.clone()));
    }
    if let Some(opaque) = &inner.opaque {
        merge::make_opaque(
            draft,
            format!(
                "`{by}` runs a command that could not be read: {}",
                opaque.reason
            ),
        );
    }
    let word = carry
        .by
        .checked_sub(1)
        .and_then(|at| command.words.get(at))
        .copied()
        .unwrap_or_default();
    let name = word.find('=').map_or(word.len(), |at| at + 1);
    if carry.hidden && !clear {
        found.leads.push(Lead {
            word: carry.by,
            name,
            does: format!("runs `{shown}`"),
        });
    }
    // What leads elsewhere in a text, or is named in it, does so for the program that runs it. Words of its own are looked at below.
    if carry.start.is_none() {
        let leads = inner.commands.iter().flat_map(|inner| &inner.leads);
        found.leads.extend(leads.take(1).map(|lead| Lead {
            word: carry.by,
            name,
            does: lead.does.clone(),
        }));
    }
    found.carried.extend(
        inner
            .commands
            .iter()
            .flat_map(|inner| inner.carried.iter().cloned()),
    );
    found.stages.extend(rule_forms::of_carried(
        &inner
            .commands
            .iter()
            .map(|inner| inner.words.clone())
            .collect::<Vec<_>>(),
    ));
    let inner = Inner {
        draft: inner,
        place: carry.place,
        by,
        text: &shown,
        certain: carry.certain,
    };
    found.carried.extend(merge::merge(draft, command, inner));
}

/// The text of a carried command, from the folder that its program runs in.
fn in_folder(command: &Command<'_>, carry: &Carry) -> String {
    match command.folders {
        [folder]
            if carry.place == Place::Here
                && !folder.is_empty()
                && placeholder::is_literal(folder) =>
        {
            format!(
                "cd {} && {}",
                crate::quote::quote(std::slice::from_ref(folder)),
                carry.text
            )
        }
        _ => carry.text.clone(),
    }
}

/// The program and the word that has it run something: `git submodule foreach`.
fn runner(command: &Command<'_>, carry: &Carry) -> String {
    let upto = command.words.get(..carry.by).unwrap_or(&[]);
    let (last, before) = upto
        .split_last()
        .map_or((None, upto), |(last, before)| (Some(last), before));
    let option = |word: &str| word.split('=').next().unwrap_or(word).to_owned();
    let words = before
        .iter()
        .filter(|word| !word.starts_with('-'))
        .take(2)
        .map(|word| (*word).to_owned());
    let all: Vec<String> = std::iter::once(command.name.to_owned())
        .chain(words)
        .chain(last.map(|word| option(word)))
        .collect();
    all.join(" ")
}

/// Folders that an option has the program delete.
fn deletes(draft: &mut Draft, command: &Command<'_>, leads: &[Lead]) {
    for lead in leads.iter().filter(|lead| lead.does == leads::DELETES) {
        let word = command
            .words
            .get(lead.word - 1)
            .copied()
            .unwrap_or_default();
        let attached = word.get(lead.name..).filter(|value| !value.is_empty());
        let Some(path) = attached.or_else(|| command.words.get(lead.word).copied()) else {
            continue;
        };
        for folder in command.folders {
            let target = effect_builder::target(
                draft,
                &crate::expand::directories::in_folder(folder, path),
                false,
                false,
            );
            let effect = Effect::new(EffectKind::Delete, target);
            let manner = Manner {
                recursive: true,
                ..PLAIN
            };
            draft.effects.push(Effect {
                manner,
                certain: false,
                part: Some(command.part),
                at: Some(command.at),
                ..effect
            });
        }
    }
}

/// Words that lead a carried program elsewhere: `poetry run pytest -c x`, `yarn jest --config x`.
fn inner_leads(command: &Command<'_>, carries: &[Carry], leads: &mut Vec<Lead>) {
    let runs_packages = matches!(command.name, "npm" | "pnpm" | "yarn" | "bun");
    let package = command
        .words
        .iter()
        .position(|word| !word.starts_with('-') && leads::knows(word))
        .filter(|_| runs_packages);
    for start in carries
        .iter()
        .filter_map(|carry| carry.start)
        .chain(package.map(|at| at + 1))
    {
        let Some((name, words)) = command
            .words
            .get(start - 1..)
            .and_then(<[&str]>::split_first)
        else {
            continue;
        };
        leads.extend(leads::of(name, words).into_iter().map(|lead| Lead {
            word: lead.word + start,
            ..lead
        }));
    }
}

/// Patterns for paths that git resolves by itself and of which it may show what is in the files: a rule has to write them out.
fn git_patterns(command: &Command<'_>, leads: &mut Vec<Lead>) {
    const CHANGE_ONLY: [&str; 12] = [
        "add", "rm", "mv", "commit", "checkout", "switch", "restore", "reset", "clean", "branch",
        "tag", "merge",
    ];
    let subcommand = command.words.iter().find(|word| !word.starts_with('-'));
    if command.name != "git" || subcommand.is_none_or(|word| CHANGE_ONLY.contains(word)) {
        return;
    }
    for (at, word) in command
        .words
        .iter()
        .enumerate()
        .filter(|(_, word)| programs::hides_paths(word))
    {
        if !is_data(command.words, at) {
            leads.push(Lead {
                word: at + 1,
                name: word.len(),
                does: "stands for files that only git knows".to_owned(),
            });
        }
    }
}

/// Words with signs that only code has.
fn code_words(command: &Command<'_>, carries: &[Carry], found: &mut Found) {
    const SIGNS: [&str; 6] = ["$(", "`", "&&", "; ", " | ", " || "];
    // Such a program is there to run the command or code behind it.
    let runs_words = commands::knows(command.name) && carries.iter().any(|carry| !carry.hidden);
    for (at, word) in command.words.iter().enumerate().filter(|_| !runs_words) {
        if SIGNS.iter().any(|sign| word.contains(sign)) && !is_data(command.words, at) {
            found.leads.push(Lead {
                word: at + 1,
                name: word.len(),
                does: "looks like code".to_owned(),
            });
        }
    }
}

/// Words that look like a command, of a program of which no row says what it does with them.
fn texts_in_words(draft: &mut Draft, command: &Command<'_>, carries: &[Carry], found: &mut Found) {
    let is_read = |text: &str| carries.iter().any(|carry| carry.text == text);
    let mut budget = MAX_COMMANDS;
    for (at, word) in command.words.iter().enumerate() {
        let text = word
            .split_once('=')
            .filter(|(name, _)| !name.contains(' '))
            .map_or(*word, |(_, value)| value);
        let starts_program = text
            .split_once(' ')
            .is_some_and(|(first, _)| rule_forms::is_program(first));
        if !starts_program
            || is_read(text)
            || is_data(command.words, at)
            || !placeholder::is_literal(text)
            || command.depth >= MAX_DEPTH
        {
            continue;
        }
        budget = budget.saturating_sub(1);
        if budget == 0 {
            return;
        }
        let inner = super::analyse_inside(text, command.depth + 1);
        let by = last_part(command.name).to_owned();
        let inner = Inner {
            draft: inner,
            place: Place::Away,
            by,
            text,
            certain: false,
        };
        found.carried.extend(merge::merge(draft, command, inner));
    }
}

/// Whether a word is text for people or a pattern: the value of an option that says so.
fn is_data(words: &[&str], at: usize) -> bool {
    const OPTIONS: [&str; 30] = [
        "-m",
        "-k",
        "-t",
        "-run",
        "-skip",
        "-bench",
        "-g",
        "--message",
        "--title",
        "--body",
        "--notes",
        "--description",
        "--comment",
        "--subject",
        "--text",
        "--label",
        "--grep",
        "--testNamePattern",
        "--test-name-pattern",
        "--filter",
        "--format",
        "--query",
        "--name",
        "--jq",
        "--template",
        "--reason",
        "--summary",
        "--prompt",
        "--expr",
        "--desc",
    ];
    let option = |word: &&str| OPTIONS.contains(&word.split('=').next().unwrap_or(word));
    let own = words
        .get(at)
        .filter(|word| word.starts_with('-') && word.contains('='));
    own.is_some_and(option)
        || at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|word| !word.contains('=') && option(word))
}

/// Where the words behind a subcommand start: `run` and `image/ls` in a list of names. An empty list is the program itself.
fn subcommand(names: &str, words: &[&str]) -> Option<usize> {
    if names.is_empty() {
        return Some(0);
    }
    // An option may have a value, so the subcommand is one of the first few words.
    let upto = words
        .iter()
        .position(|word| *word == "--")
        .unwrap_or(words.len());
    let plain: Vec<(usize, &str)> = words
        .iter()
        .copied()
        .enumerate()
        .take(upto)
        .filter(|(_, word)| !word.starts_with(['-', '+']) || matches!(*word, "-r" | "--recursive"))
        .take(4)
        .collect();
    names
        .split_ascii_whitespace()
        .find_map(|name| match name.split_once('/') {
            Some((first, second)) => plain.windows(2).find_map(|pair| {
                matches!(pair, [(_, a), (_, b)] if *a == first && *b == second)
                    .then_some(pair.last()?.0 + 1)
            }),
            None => plain
                .iter()
                .find(|(_, word)| *word == name)
                .map(|(at, _)| at + 1),
        })
}
