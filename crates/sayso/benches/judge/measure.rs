//! Times a closure: many batches, of which the fastest and the middle one count.

use std::fmt;
use std::time::{Duration, Instant};

/// How long a batch should take: far above the grain of the clock, far below the slice of a scheduler.
const BATCH: Duration = Duration::from_millis(2);
const BATCHES: usize = 101;

/// Nanoseconds of one call.
#[derive(Clone, Copy)]
struct Time {
    min: f64,
    median: f64,
}

struct Row {
    name: String,
    time: Time,
    /// Nanoseconds.
    budget: Option<f64>,
}

/// All measurements of a run, with the baseline first.
pub(crate) struct Table {
    rows: Vec<Row>,
    /// Only rows whose name holds this are measured.
    filter: Option<String>,
}

impl Table {
    pub(crate) fn new<T>(name: &str, baseline: impl FnMut() -> T) -> Self {
        // cargo adds `--bench` by itself.
        let filter = std::env::args()
            .skip(1)
            .find(|argument| !argument.starts_with('-'));
        Table {
            rows: vec![Row {
                name: format!("baseline: {name}"),
                time: time(baseline),
                budget: None,
            }],
            filter,
        }
    }

    /// Whether everything is measured.
    pub(crate) fn is_whole(&self) -> bool {
        self.filter.is_none()
    }

    pub(crate) fn add<T>(&mut self, name: &str, budget: Option<f64>, call: impl FnMut() -> T) {
        if self
            .filter
            .as_deref()
            .is_some_and(|part| !name.contains(part))
        {
            return;
        }
        eprintln!("measuring: {name}");
        self.rows.push(Row {
            name: name.to_owned(),
            time: time(call),
            budget,
        });
    }
}

/// What a call makes is put away when the clock stands still, at least the last of a batch.
fn time<T>(mut call: impl FnMut() -> T) -> Time {
    // The first calls warm caches and tell how many fit into a batch.
    let start = Instant::now();
    let mut calls = 0u32;
    while start.elapsed() < BATCH * 4 {
        call();
        calls += 1;
    }
    let per_batch = (calls / 4).max(1);
    let batches = if per_batch == 1 { BATCHES / 3 } else { BATCHES };
    let mut times: Vec<f64> = (0..batches)
        .map(|_| {
            let start = Instant::now();
            let mut made = None;
            (0..per_batch).for_each(|_| made = Some(call()));
            let took = start.elapsed();
            drop(made);
            took.as_nanos() as f64 / f64::from(per_batch)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    Time {
        min: at(0),
        median: at(times.len() / 2),
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.rows.first().map_or(1.0, |row| row.time.median);
        writeln!(f, "| what | min | median | × baseline | budget | |")?;
        writeln!(f, "|---|--:|--:|--:|--:|---|")?;
        for Row { name, time, budget } in &self.rows {
            let ratio = time.median / base;
            let (limit, word) = match budget {
                Some(most) => (format!("≤ {}", unit(*most)), verdict(*time, *most)),
                None => (String::new(), ""),
            };
            writeln!(
                f,
                "| {name} | {} | {} | {ratio:.1} | {limit} | {word} |",
                unit(time.min),
                unit(time.median)
            )?;
        }
        Ok(())
    }
}

/// Other processes make the middle batch slower, and hardly the fastest: where the two differ in their verdict, both are told.
fn verdict(time: Time, most: f64) -> &'static str {
    match (time.min <= most, time.median <= most) {
        (_, true) => "met",
        (true, false) => "met by min, missed by median",
        (false, false) => "**missed**",
    }
}

fn unit(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.1} µs", n / 1e3),
        n => format!("{:.1} ms", n / 1e6),
    }
}
