//! How long reading a command takes, and how it grows, as Markdown tables: `cargo bench -p sayso-shell`.
//!
//! `-- --instructions` counts instructions instead, which are the same on every run, and fails where a committed limit is passed.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the crate touches nothing; what measures it reads the clock"
)]
#![expect(
    clippy::expect_used,
    reason = "a measurement that cannot be made has nothing better to do than to stop"
)]

mod cases;
mod growth;
mod instructions;
// One way to time things in the whole repository.
#[path = "../../../sayso/benches/judge/measure.rs"]
mod measure;

use std::hint::black_box;
use std::process::ExitCode;

use measure::Table;
use sayso_core::text::digest::Digest;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if let Some(place) = arguments.iter().position(|argument| argument == "--case") {
        let name = arguments
            .get(place + 1)
            .map(String::as_str)
            .unwrap_or_default();
        return instructions::run_case(name);
    }
    if is("--instructions") {
        return instructions::check(is("--write"));
    }
    let bytes = [7u8; 200];
    let mut table = Table::new("SHA-256 of 200 bytes", || {
        black_box(Digest::of_bytes(black_box(&bytes)));
    });
    for case in cases::all() {
        let text = case.text();
        table.add(&case.name, case.budget, || {
            drop(black_box(sayso_shell::analyse(black_box(&text))))
        });
    }
    println!("{table}");
    if table.is_whole() {
        println!("{}", growth::table());
    }
    ExitCode::SUCCESS
}
