//! Candidates from a seed: forms of the table with any options and operands, silent rows with something changed, texts of small languages,
//! and the snippets of the oracle.

use std::collections::{BTreeMap, BTreeSet};

use sayso_shell::KnownForm;

use super::words::{
    AROUND, ASSIGNED, AWK, FEEDS, FIND, JQ, LANGUAGES, OPERANDS, OPTIONS, SED, SQLITE, VALUES,
    VARIABLES,
};
use crate::oracle::generate::{self, Dice};

/// Longer candidates say nothing that a shorter one does not.
const LONGEST: usize = 700;

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A form of the table with options and operands.
    Form,
    /// A silent row with words added, changed or moved.
    Changed,
    /// A script of awk, sed, jq or find.
    Language,
    /// Shell text.
    Shell,
}

pub struct Candidate {
    pub kind: Kind,
    pub text: String,
}

/// What all rounds draw from.
pub struct Source {
    installed: Vec<KnownForm>,
    others: Vec<KnownForm>,
    /// The options of a program in any of its forms.
    options: BTreeMap<&'static str, Vec<String>>,
    /// Lines that are silent as they are.
    silent: Vec<String>,
    rows: Vec<String>,
}

impl Source {
    /// `silent` are the rows that the judge lets pass; `is_installed` says which programs can be run here.
    pub fn new(
        silent: Vec<String>,
        rows: Vec<String>,
        is_installed: impl Fn(&str) -> bool,
    ) -> Source {
        let mut options: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let forms = sayso_shell::known_forms();
        for form in &forms {
            options
                .entry(form.words[0])
                .or_default()
                .extend(form.options.iter().cloned());
        }
        let options = options
            .into_iter()
            .map(|(name, options)| (name, options.into_iter().collect()))
            .collect();
        let (installed, others) = forms
            .into_iter()
            .partition(|form| is_installed(form.words[0]));
        Source {
            installed,
            others,
            options,
            silent,
            rows,
        }
    }

    /// How many forms can be run here, and how many there are.
    pub fn counts(&self) -> (usize, usize) {
        (
            self.installed.len(),
            self.installed.len() + self.others.len(),
        )
    }

    /// The candidates of one round.
    pub fn round(&self, seed: u64, count: usize) -> Vec<Candidate> {
        let snippets = generate::scripts(seed, count / 8, &self.rows);
        let shell = snippets.into_iter().map(|text| Candidate {
            kind: Kind::Shell,
            text,
        });
        let mut out: Vec<Candidate> = shell.collect();
        let mut dice = Dice::new(seed ^ 0xa77ac);
        dice.roll(2);
        while out.len() < count {
            let (kind, text) = match dice.roll(20) {
                0..9 => (Kind::Form, self.form(&mut dice)),
                9..17 => (Kind::Changed, self.changed(&mut dice)),
                _ => (Kind::Language, language(&mut dice)),
            };
            let text = surround(&mut dice, text);
            if text.len() <= LONGEST && !text.contains('\0') {
                out.push(Candidate { kind, text });
            }
        }
        out
    }

    fn form(&self, dice: &mut Dice) -> String {
        let list = if dice.roll(4) > 0 && !self.installed.is_empty() {
            &self.installed
        } else {
            &self.others
        };
        let form = &list[dice.roll(list.len().max(1))];
        let mut words: Vec<String> = form.words.iter().map(|word| (*word).to_owned()).collect();
        let options = dice.roll(4);
        for _ in 0..options {
            let option = self.option(dice, form.words[0], &form.options);
            words.extend(option);
        }
        for _ in 0..dice.roll(3) {
            let at = if dice.roll(4) == 0 {
                1 + dice.roll(words.len())
            } else {
                words.len()
            };
            words.insert(at, operand(dice));
        }
        words.join(" ")
    }

    /// An option of the program or of any program, in one of its spellings, as one or two words.
    fn option(&self, dice: &mut Dice, program: &str, own: &[String]) -> Vec<String> {
        let all = self.options.get(program).map_or(&[][..], Vec::as_slice);
        let list = if own.is_empty() { all } else { own };
        let option = match dice.roll(6) {
            0..3 if !list.is_empty() => list[dice.roll(list.len())].clone(),
            3 if !all.is_empty() => all[dice.roll(all.len())].clone(),
            _ => {
                let general: Vec<&str> = OPTIONS.split_ascii_whitespace().collect();
                return vec![general[dice.roll(general.len())].to_owned()];
            }
        };
        let Some(name) = option.strip_suffix('=') else {
            return vec![respelled(dice, option)];
        };
        let value = operand(dice);
        match dice.roll(5) {
            0 => vec![name.to_owned()],
            1 if !name.starts_with("--") => vec![format!("{name}{value}")],
            1 | 2 => vec![format!("{name}={value}")],
            _ => vec![name.to_owned(), value],
        }
    }

    /// A silent row with some of its words changed.
    fn changed(&self, dice: &mut Dice) -> String {
        let row = &self.silent[dice.roll(self.silent.len().max(1))];
        let mut words: Vec<String> = row.split(' ').map(str::to_owned).collect();
        let program = words[0].clone();
        for _ in 0..=dice.roll(2) {
            let at = 1 + dice.roll(words.len());
            match dice.roll(8) {
                0..3 => {
                    let option = self.option(dice, &program, &[]);
                    words.splice(at.min(words.len())..at.min(words.len()), option);
                }
                3 | 4 if at < words.len() => words[at] = operand(dice),
                5 => words.push(operand(dice)),
                6 if at < words.len() => {
                    let word = std::mem::take(&mut words[at]);
                    words[at] = respelled(dice, word);
                }
                7 if at < words.len() => {
                    let word = words.remove(at);
                    words.push(word);
                }
                _ => {}
            }
        }
        words.join(" ")
    }
}

/// An option negated, taken back, shortened, doubled or as it is.
fn respelled(dice: &mut Dice, option: String) -> String {
    let negated = || match option.strip_prefix("--no-") {
        Some(name) => format!("--{name}"),
        None => option.strip_prefix("--").map_or_else(
            || option.replacen('-', "+", 1),
            |name| format!("--no-{name}"),
        ),
    };
    match dice.roll(10) {
        0 => negated(),
        1 => format!("{option} {}", negated()),
        2 if option.len() > 4 && option.is_ascii() => {
            option[..3 + dice.roll(option.len() - 3)].to_owned()
        }
        3 => format!("{option}={}", operand(dice)),
        4 if option.len() == 2 => format!(
            "{option}{}",
            ["n", "e", "x", "w", "i", "o", "f", "c"][dice.roll(8)]
        ),
        _ => option,
    }
}

fn operand(dice: &mut Dice) -> String {
    let words: Vec<&str> = OPERANDS.split_ascii_whitespace().collect();
    // Most candidates should be ordinary but for one word.
    let at = if dice.roll(2) == 0 {
        dice.roll(18)
    } else {
        dice.roll(words.len())
    };
    words[at].to_owned()
}

fn language(dice: &mut Dice) -> String {
    let (language, programs) = LANGUAGES[dice.roll(LANGUAGES.len())];
    let words: Vec<&str> = match language {
        "awk" => AWK,
        "sed" => SED,
        "jq" => JQ,
        "sqlite" => SQLITE,
        _ => FIND,
    }
    .split_ascii_whitespace()
    .collect();
    let picked: Vec<String> = (0..=dice.roll(6))
        .map(|_| words[dice.roll(words.len())].replace('_', " "))
        .collect();
    let program = programs[dice.roll(programs.len())];
    if matches!(language, "find" | "sqlite") {
        return format!("{program} {}", picked.join(" "));
    }
    let glue = if language == "sed" {
        [";", " ", "\n"][dice.roll(3)]
    } else {
        " "
    };
    let mut script = picked.join(glue);
    if language == "awk" && dice.roll(2) == 0 {
        script = format!("{{ {script} }}");
    }
    let input = [
        "list.txt",
        "README.md",
        "data.json",
        "data.csv",
        "",
        "list.txt README.md",
    ][dice.roll(6)];
    format!("{program} '{script}' {input}")
}

/// The text, often fed or with something around it.
fn surround(dice: &mut Dice, text: String) -> String {
    let mut text = text;
    if dice.roll(5) == 0 {
        text = FEEDS[dice.roll(FEEDS.len())].replace('¤', &text);
    }
    if dice.roll(12) == 0 {
        let (names, values): (Vec<&str>, Vec<&str>) = (
            VARIABLES.split_ascii_whitespace().collect(),
            VALUES.split_ascii_whitespace().collect(),
        );
        let around = dice
            .pick(&ASSIGNED)
            .replace("¤N", dice.pick(&names))
            .replace("¤V", dice.pick(&values));
        text = around.replace('¤', &text);
    }
    if dice.roll(4) == 0 {
        let around = AROUND[dice.roll(AROUND.len())];
        let inner = if around.contains("'¤'") {
            text.replace('\'', "'\\''")
        } else {
            text
        };
        text = around.replace('¤', &inner);
    }
    text
}

#[test]
fn the_same_seed_gives_the_same_candidates() {
    let source = || {
        Source::new(
            vec!["ls src".to_owned(), "git log -3".to_owned()],
            vec!["ls".to_owned()],
            |name| name == "ls",
        )
    };
    let texts = |seed: u64| {
        source()
            .round(seed, 400)
            .into_iter()
            .map(|candidate| candidate.text)
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(3), texts(3));
    assert_ne!(texts(3), texts(4));
    let mut different = texts(5);
    different.sort();
    different.dedup();
    assert!(different.len() > 350, "{}", different.len());
}
