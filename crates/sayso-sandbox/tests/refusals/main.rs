//! What a sandbox refuses is noticed as it happens, with real programs: as whoever runs the tests and, as root, as another user once more.
//!
//! `cargo test -p sayso-sandbox --test refusals [-- NAME]`. There is no harness: the program starts itself inside of the sandbox.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

#[cfg(target_os = "linux")]
mod desk;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod programs;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    use sayso_sandbox::backend::{Backend, Name};
    use sayso_sandbox::init::{INNER_COMMAND, run};

    let words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|word| word == INNER_COMMAND) {
        std::process::exit(run(&words[1..]).into());
    }
    if let Err(why) = Backend::named(Name::Bubblewrap) {
        eprintln!("NOT CHECKED: what a sandbox refuses: {why}");
        return;
    }
    let only = words
        .iter()
        .filter_map(|word| word.to_str())
        .find(|word| !word.starts_with('-'));
    let chosen: Vec<&desk::Test> = [files::TESTS, programs::TESTS, network::TESTS]
        .into_iter()
        .flatten()
        .filter(|(name, _)| only.is_none_or(|only| name.contains(only)))
        .collect();
    let failed: Vec<&str> = chosen
        .iter()
        .filter(|(name, test)| {
            let ended = std::panic::catch_unwind(test);
            println!(
                "test {name} ... {}",
                if ended.is_ok() { "ok" } else { "FAILED" }
            );
            ended.is_err()
        })
        .map(|(name, _)| *name)
        .collect();
    println!(
        "{} of {} failed as {}",
        failed.len(),
        chosen.len(),
        desk::user()
    );
    let other = desk::is_root().then(desk::as_another_user);
    assert!(failed.is_empty() && other != Some(false), "{failed:?}");
}
