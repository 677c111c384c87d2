//! Which files a command may name, in whatever spelling: which of its words is the script, only the program knows.

use std::collections::BTreeSet;

use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::effect::EffectKind;
use sayso_core::analysis::fact::{MANY, ONE, PathKind};
use sayso_core::call::operation::Operation;
use sayso_core::paths::join;

use crate::binding::{Binding, MOST_FILES, Sealed};

/// So many letters of options may stand before the name of a file: `-xvfa.tar`.
const MOST_LETTERS: usize = 8;
/// A name longer than this is none.
const LONGEST: usize = 4096;
/// So many words are tried as folders that may be gone into.
const MOST_GUESSES: usize = 64;
/// So many folders are followed one after the other.
const MOST_STEPS: usize = 256;
/// Words before the name of a folder that a command goes into.
const GOES_INTO: &[&str] = &[
    "cd",
    "pushd",
    "chdir",
    "-C",
    "-D",
    "-d",
    "-chdir",
    "--chdir",
    "--cd",
    "--cwd",
    "--dir",
    "--directory",
    "--prefix",
    "--project",
    "--project-directory",
    "--rootdir",
    "--work-tree",
    "--working-directory",
];
/// Where a shell parts a text into words or commands.
const OPERATORS: &[char] = &['|', '&', ';', '(', ')', '<', '>', '{', '}', '`'];

/// Adds all files that the running parts of a command may name.
pub(crate) fn add(
    operation: &Operation,
    reading: &Reading,
    folders: &BTreeSet<String>,
    runs: impl Fn(usize) -> bool,
    out: &mut Binding,
) {
    let running: Vec<usize> = (0..reading.commands.len())
        .filter(|part| runs(*part))
        .collect();
    if running.is_empty() && reading.opaque.is_none() {
        return;
    }
    let mut names = Names {
        home: reading.surroundings.home.as_deref(),
        cwd: operation.cwd(),
        found: BTreeSet::new(),
    };
    for command in running
        .iter()
        .filter_map(|part| reading.commands.get(*part))
    {
        command.words.iter().for_each(|word| names.word(word));
    }
    for (_, value) in operation.environment() {
        names.word(&value);
    }
    if let Some(opaque) = &reading.opaque {
        for words in &opaque.seen {
            words.iter().for_each(|word| names.word(word));
        }
        raw_words(operation.command().unwrap_or_default(), |word| {
            names.word(word)
        });
    }
    // What an assignment names may also be what the line itself writes, which says nothing of what it runs.
    let mut assigned = Names {
        home: names.home,
        cwd: names.cwd.clone(),
        found: BTreeSet::new(),
    };
    raw_words(operation.command().unwrap_or_default(), |word| {
        if let Some((_, value)) = word.split_once('=') {
            assigned.word(value);
        }
    });
    let writes = reading
        .effects
        .iter()
        .filter(|effect| effect.kind == EffectKind::Write);
    let written: BTreeSet<&str> = writes
        .filter_map(|effect| effect.place()?.fact.as_ref())
        .map(|fact| fact.canonical.as_str())
        .collect();
    // In a text that could not be read, any word may be a folder that is gone into.
    let guessed = reading.opaque.is_some() && names.found.len() <= MOST_GUESSES;
    let guesses: BTreeSet<String> = names
        .found
        .iter()
        .filter(|_| guessed)
        .map(|name| join(&names.cwd, name))
        .collect();
    if (folders.len() + guesses.len()).saturating_mul(names.found.len() + assigned.found.len())
        > MOST_FILES
    {
        return out.give_up();
    }
    for path in guesses
        .iter()
        .flat_map(|folder| names.found.iter().map(|name| join(folder, name)))
    {
        out.add(Sealed::Content(path));
    }
    for folder in folders {
        for name in &names.found {
            add_name(&join(folder, name), out);
        }
        for path in assigned.found.iter().map(|name| join(folder, name)) {
            if !written.contains(path.as_str()) {
                add_name(&path, out);
            }
        }
    }
}

/// The folders that a command may run in, as far as its words say.
pub(crate) fn folders(operation: &Operation, reading: &Reading) -> BTreeSet<String> {
    let names = Names {
        home: reading.surroundings.home.as_deref(),
        cwd: operation.cwd(),
        found: BTreeSet::new(),
    };
    let mut folders = Folders::new(&names.cwd, &reading.surroundings.cwd);
    for command in &reading.commands {
        folders.found.extend(
            command
                .folders
                .iter()
                .map(|folder| join(&names.cwd, &names.at_home(folder))),
        );
        folders.follow(&command.words, &names);
    }
    for words in reading.opaque.iter().flat_map(|opaque| &opaque.seen) {
        folders.follow(words, &names);
    }
    let places = reading
        .effects
        .iter()
        .filter_map(|effect| effect.place()?.fact.as_ref());
    let here = places
        .filter(|fact| fact.kind == PathKind::Folder)
        .map(|fact| fact.canonical.clone());
    folders.found.extend(here);
    folders.found
}

fn add_name(path: &str, out: &mut Binding) {
    let set = || {
        path.split_once('[')
            .is_some_and(|(_, behind)| behind.contains(']'))
    };
    if path.contains(['*', '?']) || set() {
        out.add_pattern(pattern(path));
    }
    out.add(Sealed::Content(path.to_owned()));
}

/// A pattern as the world is asked about it; a set of characters is any character.
fn pattern(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find(['*', '?', '[']) {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let mut letters = behind.chars();
        match letters.next() {
            Some('*') => out.push(MANY),
            Some('[') => {
                out.push(ONE);
                // The first letter of a set may be a `]` itself.
                let set = letters.as_str();
                let end = set
                    .char_indices()
                    .skip(1)
                    .find(|(_, letter)| *letter == ']')
                    .map(|(end, _)| end);
                rest = end.and_then(|end| set.get(end + 1..)).unwrap_or_default();
                continue;
            }
            _ => out.push(ONE),
        }
        rest = letters.as_str();
    }
    out.push_str(rest);
    out
}

/// The words of a text, parted at everything that could part it; with the quotes as borders, and as nothing.
fn raw_words(text: &str, mut word: impl FnMut(&str)) {
    let borders = |letter: char| letter.is_whitespace() || OPERATORS.contains(&letter);
    let quote = |letter: char| matches!(letter, '"' | '\'' | '\\');
    let unbraced = text.replace("${HOME}", "$HOME").replace("${PWD}", "$PWD");
    unbraced
        .split(|letter| borders(letter) || quote(letter))
        .for_each(&mut word);
    unbraced
        .replace(quote, "")
        .split(borders)
        .for_each(&mut word);
}

/// The names of files in words.
struct Names<'a> {
    home: Option<&'a str>,
    cwd: String,
    found: BTreeSet<String>,
}

impl Names<'_> {
    /// Every name that a word may hold: itself, behind the letters of an option, and between `=`, `:`, `,` and `@`.
    fn word(&mut self, word: &str) {
        if word.len() >= LONGEST {
            return;
        }
        self.name(word);
        let option = word.starts_with(['-', '+']) && !word.starts_with("--");
        for (at, _) in word
            .char_indices()
            .skip(1)
            .take(if option { MOST_LETTERS } else { 0 })
        {
            self.name(word.get(at..).unwrap_or_default());
        }
        if word.contains(['=', ':', ',', '@']) {
            word.split(['=', ':', ',', '@'])
                .for_each(|piece| self.name(piece));
            self.name(word.split_once('=').map_or("", |(_, value)| value));
        }
    }

    fn name(&mut self, name: &str) {
        if !name.is_empty() && name != "-" && !name.contains(['\0', '\n']) {
            self.found.insert(self.at_home(name));
        }
    }

    /// A name with the home and the folder written out.
    fn at_home(&self, name: &str) -> String {
        let below = |start: &str| {
            name.strip_prefix(start)
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let home = || ["~", "$HOME", "${HOME}"].into_iter().find_map(below);
        let here = || ["$PWD", "${PWD}", "~+"].into_iter().find_map(below);
        match (home().zip(self.home), here()) {
            (Some((rest, home)), _) => format!("{home}{rest}"),
            (_, Some(rest)) => format!("{}{rest}", self.cwd),
            _ => name.to_owned(),
        }
    }
}

/// The folders that a command may run in.
struct Folders {
    start: String,
    last: String,
    found: BTreeSet<String>,
}

impl Folders {
    fn new(cwd: &str, real: &str) -> Self {
        let found = [cwd, real]
            .into_iter()
            .filter(|folder| folder.starts_with('/'))
            .map(str::to_owned)
            .collect();
        Folders {
            start: cwd.to_owned(),
            last: cwd.to_owned(),
            found,
        }
    }

    /// Into a folder from where it started, or from the folder before.
    fn go(&mut self, folder: &str) {
        self.found.insert(join(&self.start, folder));
        if self.found.len() < MOST_STEPS {
            self.last = join(&self.last, folder);
            self.found.insert(self.last.clone());
        }
    }

    /// Into all folders that the words of a command say.
    fn follow(&mut self, words: &[String], names: &Names<'_>) {
        for (word, next) in words.iter().zip(words.iter().skip(1)) {
            if GOES_INTO.contains(&word.as_str()) {
                self.go(&names.at_home(next));
            }
        }
        for word in words {
            let attached = word.strip_prefix("-C").filter(|folder| !folder.is_empty());
            let equal = || {
                word.split_once('=')
                    .filter(|(option, _)| GOES_INTO.contains(option))
                    .map(|(_, folder)| folder)
            };
            attached
                .or_else(equal)
                .into_iter()
                .for_each(|folder| self.go(&names.at_home(folder)));
        }
    }
}
