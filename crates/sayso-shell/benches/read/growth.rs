//! How the time grows when a text is doubled: about twice is linear, four times is square.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::cases::{HOSTILE, NEARLY, repeat};

/// The fastest of some calls.
fn fastest(text: &str) -> Duration {
    let time = || {
        let start = Instant::now();
        drop(black_box(sayso_shell::analyse(black_box(text))));
        start.elapsed()
    };
    (0..7).map(|_| time()).min().unwrap_or_default()
}

/// A row for each kind of hostile text.
pub(crate) fn table() -> String {
    let sizes = [NEARLY / 8, NEARLY / 4, NEARLY / 2, NEARLY];
    let mut out = String::from(
        "| repeated | 8 KiB | 16 KiB | 32 KiB | 64 KiB | largest step |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for (name, piece) in HOSTILE {
        let times: Vec<f64> = sizes
            .iter()
            .map(|size| fastest(&repeat(piece, *size)).as_secs_f64() * 1e3)
            .collect();
        let step = times
            .iter()
            .zip(times.iter().skip(1))
            .map(|(one, two)| two / one)
            .fold(0.0, f64::max);
        let shown: Vec<String> = times.iter().map(|time| format!("{time:.2} ms")).collect();
        let _ = writeln!(out, "| {name} | {} | × {step:.1} |", shown.join(" | "));
    }
    out
}
