//! What the rounds came to, for the screen and for the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Violations of a kind beyond these are counted and not kept.
const KEPT: usize = 1_000;
/// How many examples of a kind are shown.
const SHOWN: usize = 15;

/// One violation.
#[derive(Debug)]
pub struct Found {
    pub kind: &'static str,
    pub shell: &'static str,
    pub text: String,
    pub what: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut: String = self.what.chars().take(300).collect();
        write!(f, "{}: {:?} {} ({cut})", self.kind, self.text, self.shell)
    }
}

#[derive(Debug, Default)]
pub struct Tally {
    pub seed: u64,
    /// Forms of the table whose program is installed, and all.
    pub forms: (usize, usize),
    pub rounds: usize,
    pub seconds: u64,
    pub judged: usize,
    /// Those of them that a rule might carry.
    pub carried: usize,
    pub allowed: usize,
    /// Silent, but the program is not there.
    pub not_installed: usize,
    /// By shell.
    pub run: BTreeMap<&'static str, usize>,
    pub started: usize,
    pub late: usize,
    /// The shell ended before it came to them.
    pub lost: usize,
    pub violations: Vec<Found>,
    /// How many violations there were of each kind.
    pub found: BTreeMap<&'static str, usize>,
}

impl Tally {
    pub fn new(seed: u64, forms: (usize, usize)) -> Tally {
        Tally {
            seed,
            forms,
            ..Tally::default()
        }
    }

    pub fn add(&mut self, other: Tally) {
        self.rounds += other.rounds;
        self.judged += other.judged;
        self.carried += other.carried;
        self.allowed += other.allowed;
        self.not_installed += other.not_installed;
        self.started += other.started;
        self.late += other.late;
        self.lost += other.lost;
        for (shell, count) in other.run {
            *self.run.entry(shell).or_default() += count;
        }
        for one in other.violations {
            let count = self.found.entry(one.kind).or_default();
            *count += 1;
            if *count <= KEPT {
                self.violations.push(one);
            }
        }
    }

    /// All violations.
    pub fn total(&self) -> usize {
        self.found.values().sum()
    }

    fn runs(&self) -> usize {
        self.run.values().sum()
    }

    /// One line while it goes on.
    pub fn progress(&self) -> String {
        format!(
            "{:>5} s  judged {:>8}  allowed {:>7}  run {:>6}  violations {}",
            self.seconds,
            self.judged,
            self.allowed,
            self.runs(),
            self.total()
        )
    }

    /// The figures, by name.
    fn figures(&self) -> Vec<(String, String)> {
        let plain = |name: &str, count: usize| (name.to_owned(), count.to_string());
        let mut out = vec![
            ("seed".to_owned(), self.seed.to_string()),
            ("duration".to_owned(), format!("{} s", self.seconds)),
            plain("rounds", self.rounds),
            (
                "forms of the table".to_owned(),
                format!(
                    "{}, of which {} can be run here",
                    self.forms.1, self.forms.0
                ),
            ),
            plain("candidates judged", self.judged),
            plain("of them commands that a rule might carry", self.carried),
            plain("silently allowed", self.allowed),
            plain("allowed, program not installed", self.not_installed),
            plain("run", self.runs()),
        ];
        out.extend(
            self.run
                .iter()
                .map(|(shell, count)| (format!("run by {shell}"), count.to_string())),
        );
        out.extend([
            plain("programs started by them", self.started),
            plain("runs stopped after two seconds", self.late),
            plain("never reached by their shell", self.lost),
            plain("violations", self.total()),
        ]);
        out
    }

    /// The page of the report.
    pub fn page(&self) -> String {
        let mut out = String::from(
            "# Attack kit\n\n\
             Candidates from every form of the table of programs, from changed silent rows, from texts of small languages and from random \
             shell text are judged. The silent ones are run by real shells, under a tracer, in a sandbox without a network. A violation is a \
             program started, a file written, a secret or foreign file opened, or a connection that the verdict did not list.\n\n",
        );
        let minutes = self.seconds.div_ceil(60) + 5;
        out.push_str(&format!(
            "`SAYSO_ATTACK_SEED={} SAYSO_ATTACK_ROUNDS={} ./test --attack {minutes}`\n\n",
            self.seed, self.rounds
        ));
        out.push_str("| figure | value |\n|---|---|\n");
        self.figures()
            .iter()
            .for_each(|(name, value)| out.push_str(&format!("| {name} | {value} |\n")));
        if self.total() > 0 {
            out.push_str(&format!("\n```text\n{}```\n", self.examples()));
        }
        out
    }

    /// The shortest examples of each kind of violation.
    fn examples(&self) -> String {
        let mut kinds: BTreeMap<&str, BTreeSet<(usize, &str, &str, &str)>> = BTreeMap::new();
        for found in &self.violations {
            kinds.entry(found.kind).or_default().insert((
                found.text.len(),
                &found.text,
                found.shell,
                &found.what,
            ));
        }
        let shown = crate::oracle::number("SAYSO_ATTACK_SHOW", SHOWN);
        let mut out = String::new();
        for (kind, list) in kinds {
            out.push_str(&format!(
                "{} × {kind}:\n",
                self.found.get(kind).copied().unwrap_or(list.len())
            ));
            for (_, text, shell, what) in list.iter().take(shown) {
                let cut: String = what.chars().take(600).collect();
                out.push_str(&format!("  {text:?} {shell}\n    {cut}\n"));
            }
        }
        out
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.figures()
            .iter()
            .try_for_each(|(name, value)| writeln!(f, "{name}: {value}"))?;
        write!(f, "{}", self.examples())
    }
}
