//! Words that lead a program to other code, another project or another configuration, by the table in `leads.txt`.
//!
//! Options stand in groups that say what they name: `x:` code, `p:` a project, `c:` a configuration, `o:` a source of packages, `t:` a
//! target or an account, `d:` a folder that is deleted; `s:` shows secrets, `u:` publishes, `r:` deletes files; `v:` options with a value that lead nowhere (`-*`: letters are never combined), and `ok:` options that only look like the start of another. A long option counts in
//! any case, with or without dashes inside, and abbreviated; a letter also among others. `-exec` is a long option with one dash.
//! `-D*` means all that start so, `~x` a word with `x` in it, a word without a dash exactly this word, `SHELL=` for a variable, `+` for a word that starts with it. `-r?/` counts only where the value
//! has a `/`, `-p!no:` not where it starts with `no:`.

use sayso_core::analysis::draft::Lead;

use crate::parse::characters::last_part;
use crate::parse::placeholder;
use crate::programs;
use crate::programs::row_index::RowIndex;

/// What an option does whose value is a folder that the program empties.
pub(super) const DELETES: &str = "names a folder that is deleted";

/// Which words of a program a row is about.
#[derive(Clone, Copy)]
enum Region {
    BeforeDashes,
    BeforeSubcommand,
    BehindDashes,
    Subcommands(&'static str),
}

struct Row {
    entries: Vec<Entry>,
    /// Letters of options with a value: what is attached to them is no option.
    valued: Vec<char>,
    valued_words: Vec<&'static str>,
    exempt: Vec<&'static str>,
}

struct Entry {
    spelling: Spelling,
    condition: Condition,
    does: &'static str,
}

enum Spelling {
    /// In any case and without dashes.
    Long(&'static str),
    /// A long option that one dash is enough for, and that is never abbreviated.
    SingleDash(&'static str),
    Letter(char),
    Prefix(&'static str),
    Variable(&'static str),
    Plus,
    /// A word with an `@` inside: a package of a version.
    Version,
    Word(&'static str),
    /// A word that has this somewhere in it.
    Containing(&'static str),
}

enum Condition {
    Always,
    Contains(&'static str),
    NotStart(&'static str),
}

static TABLE: &str = include_str!("leads.txt");
static INDEX: RowIndex<512, 1025> = RowIndex::new(TABLE);

/// The rows of a program: which words each is about, and its options, which are taken apart when they are needed.
fn rows(name: &str) -> impl Iterator<Item = (Region, &'static str)> + use<'_> {
    INDEX.lines_of(name).map(|line| {
        let (region, options) = line.split_once(';').unwrap_or((line, ""));
        let region = match region.trim() {
            "" => Region::BeforeDashes,
            "^" => Region::BeforeSubcommand,
            "--" => Region::BehindDashes,
            names => Region::Subcommands(names),
        };
        (region, options)
    })
}

fn row(options: &'static str) -> Row {
    let mut row = Row {
        entries: Vec::new(),
        valued: Vec::new(),
        valued_words: Vec::new(),
        exempt: Vec::new(),
    };
    let mut group = "";
    for token in options.split_ascii_whitespace() {
        match token {
            "x:" | "p:" | "c:" | "o:" | "t:" | "d:" | "s:" | "u:" | "r:" | "v:" | "ok:" => {
                group = token
            }
            _ if group == "ok:" => row.exempt.push(token),
            _ if group == "v:" => {
                row.valued
                    .extend(token.strip_prefix('-').and_then(single_letter));
                row.valued_words.push(token);
            }
            _ => row.entries.push(entry(token, does(group))),
        }
    }
    row
}

fn does(group: &str) -> &'static str {
    match group {
        "x:" => "names other code to run",
        "p:" => "names another project or folder",
        "d:" => DELETES,
        "o:" => "names another source of packages",
        "t:" => "names another target or account",
        "s:" => "shows secrets",
        "u:" => "publishes",
        "r:" => "deletes files",
        _ => "names another configuration",
    }
}

fn entry(token: &'static str, does: &'static str) -> Entry {
    let (token, condition) = match (token.split_once('?'), token.split_once('!')) {
        (Some((token, "\\s")), _) => (token, Condition::Contains(" ")),
        (Some((token, text)), _) => (token, Condition::Contains(text)),
        (None, Some((token, text))) => (token, Condition::NotStart(text)),
        (None, None) => (token, Condition::Always),
    };
    let one_dash = token
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'));
    let spelling = match (token, one_dash) {
        ("+", _) => Spelling::Plus,
        ("@", _) => Spelling::Version,
        (_, None) if token.ends_with('=') => Spelling::Variable(token.trim_end_matches('=')),
        _ if token.ends_with('*') => Spelling::Prefix(token.trim_end_matches('*')),
        (_, Some(rest)) => single_letter(rest).map_or(Spelling::SingleDash(rest), Spelling::Letter),
        (_, None) if token.starts_with("--") => Spelling::Long(token),
        (_, None) => token
            .strip_prefix('~')
            .map_or(Spelling::Word(token), Spelling::Containing),
    };
    Entry {
        spelling,
        condition,
        does,
    }
}

fn single_letter(text: &str) -> Option<char> {
    let mut letters = text.chars();
    letters.next().filter(|_| letters.next().is_none())
}

/// The letters of a long option without its dashes, in one case.
fn letters(option: &str) -> impl Iterator<Item = char> + '_ {
    option
        .chars()
        .filter(|letter| !matches!(letter, '-' | '_'))
        .flat_map(char::to_lowercase)
}

impl Row {
    fn is_exempt(&self, option: &str) -> bool {
        self.exempt
            .iter()
            .any(|exempt| letters(exempt).eq(letters(option)))
    }
}

/// Whether an option is this one, and whether it is whole or cut short.
fn fits(name: &str, given: &str) -> Option<Length> {
    let mut name = letters(name);
    let mut length = 0;
    for letter in letters(given) {
        if name.next() != Some(letter) {
            return None;
        }
        length += letter.len_utf8();
    }
    Some(if name.next().is_none() {
        Length::Whole
    } else {
        Length::Cut(length)
    })
}

enum Length {
    Whole,
    /// To so many bytes.
    Cut(usize),
}

/// Whether the table has a row for a program.
pub(crate) fn knows(name: &str) -> bool {
    name != "*" && INDEX.lines_of(last_part(name)).next().is_some()
}

/// The words of a command that lead elsewhere. `words` are those behind the program; places count from the program.
pub(crate) fn of(name: &str, words: &[&str]) -> Vec<Lead> {
    let base = last_part(name);
    let general = || programs::find(base).is_some() && !programs::is_modelled(base);
    let own = if rows(base).next().is_some() {
        base
    } else if general() {
        "*"
    } else {
        return Vec::new();
    };
    // `tar cIf` has letters without a dash in its first word.
    let bundle = words
        .first()
        .filter(|word| matches!(base, "tar" | "gtar" | "bsdtar") && !word.starts_with('-'))
        .map(|word| format!("-{word}"));
    let dashed: Vec<&str> = bundle
        .as_deref()
        .into_iter()
        .chain(words.iter().copied().skip(usize::from(bundle.is_some())))
        .collect();
    let mut leads: Vec<Lead> = rows(own)
        .flat_map(|(region, options)| of_row(region, options, &dashed))
        .collect();
    for lead in leads
        .iter_mut()
        .filter(|lead| bundle.is_some() && lead.word == 1)
    {
        lead.name -= 1;
    }
    leads.sort_by_key(|lead| lead.word);
    leads.dedup_by_key(|lead| lead.word);
    leads
}

fn of_row(region: Region, options: &'static str, words: &[&str]) -> Vec<Lead> {
    let dashes = words
        .iter()
        .position(|word| *word == "--")
        .unwrap_or(words.len());
    // Most rows are about other subcommands.
    if matches!(region, Region::Subcommands(names) if super::subcommand(names, words).is_none()) {
        return Vec::new();
    }
    let row = row(options);
    let region = match region {
        Region::BehindDashes => dashes..words.len(),
        Region::BeforeDashes | Region::Subcommands(_) => 0..dashes,
        Region::BeforeSubcommand => 0..before_subcommand(&row, words).min(dashes),
    };
    let lead = |at: usize| {
        let word = words.get(at).copied()?;
        let next = words.get(at + 1).copied().unwrap_or_default();
        let found = row
            .entries
            .iter()
            .find_map(|entry| Some((entry, entry.name_in(word, next, &row)?)));
        found.map(|(entry, name)| Lead {
            word: at + 1,
            name,
            does: entry.does.to_owned(),
        })
    };
    region.filter_map(lead).collect()
}

/// How many words stand before the subcommand: options, and the values of those that are known to have one.
fn before_subcommand(row: &Row, words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        let has_value = |entry: &Entry| {
            entry
                .name_in(word, "", row)
                .is_some_and(|name| name == word.len() && !word.ends_with('='))
        };
        at += if row.valued_words.contains(word) || row.entries.iter().any(has_value) {
            2
        } else {
            1
        };
    }
    at
}

impl Entry {
    /// How many bytes of a word name this option, if they do and the value counts.
    fn name_in(&self, word: &str, next: &str, row: &Row) -> Option<usize> {
        let name = self.spelled_in(word, row)?;
        let attached = word.get(name..).unwrap_or_default();
        let value = if attached.is_empty() && !word.ends_with('=') {
            next
        } else {
            attached
        };
        let counts = match self.condition {
            Condition::Always => true,
            Condition::Contains(text) => value.contains(text) || !placeholder::is_literal(value),
            Condition::NotStart(text) => !value.starts_with(text),
        };
        counts.then_some(name)
    }

    fn spelled_in(&self, word: &str, row: &Row) -> Option<usize> {
        let (option, with_sign) = word
            .split_once('=')
            .map_or((word, word.len()), |(option, _)| (option, option.len() + 1));
        match &self.spelling {
            Spelling::Long(name) => {
                let given = option.strip_prefix("--")?;
                let counts = match fits(name, given)? {
                    Length::Whole => true,
                    Length::Cut(length) => length > 1 && !row.is_exempt(given),
                };
                counts.then_some(with_sign)
            }
            Spelling::SingleDash(name) => {
                let given = option
                    .strip_prefix("--")
                    .or_else(|| option.strip_prefix('-'))?;
                (given == *name).then_some(with_sign)
            }
            Spelling::Letter(letter) => {
                let letters = word
                    .strip_prefix('-')
                    .filter(|letters| !letters.starts_with('-'))?;
                let stops = |other: char| {
                    !other.is_ascii_alphabetic()
                        || row.valued.contains(&other)
                        || row.valued.contains(&'*')
                };
                let at = letters.find(|other: char| other == *letter || stops(other))?;
                (letters.get(at..)?.starts_with(*letter) && !row.is_exempt(word))
                    .then_some(at + 1 + letter.len_utf8())
            }
            Spelling::Word(exactly) => (word == *exactly).then_some(word.len()),
            Spelling::Containing(part) => (!word.starts_with('-')
                && word.to_ascii_lowercase().contains(part))
            .then_some(word.len()),
            Spelling::Prefix(start) => word.starts_with(start).then_some(start.len()),
            Spelling::Variable(name) => {
                let given = option.trim_end_matches([':', '?', '+', '!']);
                (given == *name && word.contains('=')).then_some(with_sign)
            }
            Spelling::Version => {
                (!word.starts_with('-')).then_some(word.find('@').filter(|at| *at > 0)? + 1)
            }
            // `+10` of an editor is a line.
            Spelling::Plus => word
                .strip_prefix('+')
                .filter(|rest| rest.bytes().any(|byte| !byte.is_ascii_digit()))
                .map(|_| 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TABLE, of, row, rows};

    fn leads(text: &str) -> Vec<String> {
        let words: Vec<&str> = text.split(' ').collect();
        let (name, rest) = words.split_first().unwrap();
        of(name, rest)
            .into_iter()
            .map(|lead| words[lead.word][..lead.name].to_owned())
            .collect()
    }

    #[test]
    fn finding_j_07_an_option_that_leads_elsewhere_is_known_in_every_spelling() {
        for (text, option) in [
            ("make -C sub", "-C"),
            ("make -kCsub", "-kC"),
            ("make --direc=sub", "--direc="),
            ("make SHELL=./x", "SHELL="),
            ("make SHELL:=./x", "SHELL:="),
            ("cargo +nightly test", "+"),
            (
                "cargo test --manifest-path=x/Cargo.toml",
                "--manifest-path=",
            ),
            ("go test -exec ./x", "-exec"),
            ("go test --exec=./x", "--exec="),
            ("npm run build --script_shell ./x", "--script_shell"),
            ("npm run build -- --config evil.js", "--config"),
            ("jest --root-dir=sub", "--root-dir="),
            ("pytest -p evil", "-p"),
            ("pytest -xp evil", "-xp"),
            ("./gradlew -I x.gradle test", "-I"),
            ("docker --log-level debug -H tcp://x ps", "-H"),
            ("docker compose -f x.yml up", "-f"),
            ("kubectl get pods --kubeconfig x", "--kubeconfig"),
            ("mvn -Dexec.executable=x test", "-Dexec."),
            ("tar cIf ./x a b", "cI"),
            ("npm config set script-shell ./x", "script-shell"),
            ("kubectl get pods,secrets -o yaml", "pods,secrets"),
            ("cargo publish --allow-dirty", "publish"),
            ("git push https://x.example/y main", "https://x.example/y"),
            ("docker compose config", "config"),
            ("make CC=/tmp/x all", "CC="),
        ] {
            assert_eq!(leads(text), [option], "{text}");
        }
        for text in [
            "make -j8 VERBOSE=1",
            "make -jC",
            "npm run build -- --mode=production",
            "pytest -k a -x tests/ -rpP",
            "pytest -p no:cacheprovider",
            "go test ./... -run TestX -count=1",
            "go build -ldflags -s",
            "cargo test --all -- --config x",
            "docker run alpine curl -H x",
            "mvn -q -DskipTests -ntp -rf x -fae test",
            "gradle -Pconfig=x test",
            "cmake -DCMAKE_BUILD_TYPE=Release -B build",
            "terraform apply -auto-approve",
            "kubectl get pods -nstaging -ojsonpath=x",
            "vim +10 x",
            "pip install --pre x",
            "prog --config x",
            "make CC=clang all",
            "git push origin main",
            "docker exec envoy ls",
            "cargo build --release",
            "gh pr view 3",
        ] {
            assert!(leads(text).is_empty(), "{text}: {:?}", leads(text));
        }
    }

    #[test]
    fn every_row_names_an_option() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = lines
            .flat_map(|line| line.split(';').next().unwrap().split_ascii_whitespace())
            .collect();
        assert!(
            names
                .iter()
                .all(|name| rows(name).all(|(_, options)| !row(options).entries.is_empty()))
        );
        assert!(names.len() > 300, "{}", names.len());
    }
}
