//! Measures, and prints one table with the ratio to a baseline of the same run.

use std::fmt;
use std::time::{Duration, Instant};

/// How long a batch should take.
const BATCH: Duration = Duration::from_millis(4);
const BATCHES: usize = 51;
/// How often something is measured that takes seconds.
const ROUNDS: usize = 3;

/// What a value may be.
#[derive(Clone, Copy)]
pub(crate) enum Budget {
    AtMost(f64),
    AtLeast(f64),
}

struct Row {
    name: String,
    /// The fastest batch, where there are batches: other processes hardly make it slower.
    min: String,
    value: String,
    /// Nanoseconds of one, where it is a time or a rate.
    nanoseconds: Option<f64>,
    budget: String,
    verdict: &'static str,
}

/// All measurements of a run, with the baseline first.
pub(crate) struct Table {
    rows: Vec<Row>,
    filter: Option<String>,
}

impl Table {
    pub(crate) fn new(name: &str, baseline: impl FnMut()) -> Self {
        // cargo adds `--bench` by itself.
        let filter = std::env::args()
            .skip(1)
            .find(|argument| !argument.starts_with('-'));
        let mut table = Table {
            rows: Vec::new(),
            filter: None,
        };
        table.time(&format!("baseline: {name}"), None, baseline);
        Table { filter, ..table }
    }

    /// Whether a row of this name is measured.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.filter
            .as_deref()
            .is_none_or(|part| name.contains(part))
    }

    /// A number that was counted.
    pub(crate) fn value(&mut self, name: &str, value: f64, budget: Budget) {
        self.push(
            name,
            format!("{value:.0}"),
            None,
            value,
            Some(budget),
            |value| format!("{value:.0}"),
        );
    }

    /// The time of one call, in the middle of many.
    pub(crate) fn time(&mut self, name: &str, most: Option<f64>, mut call: impl FnMut()) {
        if !self.wants(name) {
            return;
        }
        eprintln!("measuring: {name}");
        let start = Instant::now();
        let mut calls = 0_u32;
        while start.elapsed() < BATCH * 4 {
            call();
            calls += 1;
        }
        let per_batch = (calls / 4).max(1);
        let mut times: Vec<f64> = (0..BATCHES)
            .map(|_| {
                let start = Instant::now();
                (0..per_batch).for_each(|_| call());
                start.elapsed().as_nanos() as f64 / f64::from(per_batch)
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let median = times.get(BATCHES / 2).copied().unwrap_or_default();
        self.push(
            name,
            unit(median),
            Some(median),
            median,
            most.map(Budget::AtMost),
            unit,
        );
        if let (Some(row), Some(min)) = (self.rows.last_mut(), times.first()) {
            row.min = unit(*min);
        }
    }

    /// How many of something are done in a second, by the best of a few rounds.
    pub(crate) fn rate(&mut self, name: &str, count: u64, budget: Budget, mut call: impl FnMut()) {
        if !self.wants(name) {
            return;
        }
        eprintln!("measuring: {name}");
        let round = |_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64()
        };
        let seconds = (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min);
        let rate = count as f64 / seconds;
        self.push(
            name,
            format!("{rate:.0}/s"),
            Some(1e9 / rate),
            rate,
            Some(budget),
            |rate| format!("{rate:.0}/s"),
        );
    }

    fn push(
        &mut self,
        name: &str,
        value: String,
        nanoseconds: Option<f64>,
        is: f64,
        budget: Option<Budget>,
        words: impl Fn(f64) -> String,
    ) {
        let (budget, met) = match budget {
            Some(Budget::AtMost(most)) => (format!("≤ {}", words(most)), Some(is <= most)),
            Some(Budget::AtLeast(least)) => (format!("≥ {}", words(least)), Some(is >= least)),
            None => (String::new(), None),
        };
        let verdict = met.map_or("", |met| if met { "met" } else { "**missed**" });
        self.rows.push(Row {
            name: name.to_owned(),
            min: String::new(),
            value,
            nanoseconds,
            budget,
            verdict,
        });
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self
            .rows
            .first()
            .and_then(|row| row.nanoseconds)
            .unwrap_or(1.0);
        writeln!(out, "| what | min | measured | × baseline | budget | |")?;
        writeln!(out, "|---|--:|--:|--:|--:|---|")?;
        for Row {
            name,
            min,
            value,
            nanoseconds,
            budget,
            verdict,
        } in &self.rows
        {
            let ratio = nanoseconds.map_or(String::new(), |time| ratio(time / base));
            writeln!(
                out,
                "| {name} | {min} | {value} | {ratio} | {budget} | {verdict} |"
            )?;
        }
        Ok(())
    }
}

fn unit(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.1} µs", n / 1e3),
        n => format!("{:.1} ms", n / 1e6),
    }
}

fn ratio(ratio: f64) -> String {
    if ratio < 0.1 {
        format!("{ratio:.3}")
    } else {
        format!("{ratio:.1}")
    }
}
