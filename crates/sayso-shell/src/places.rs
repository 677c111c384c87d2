//! Which paths a machine or a person cannot do without, as far as their text tells.

use sayso_core::paths::{raw_device, vital};

/// What the loss of a path would mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Worth {
    /// Nothing is known of it.
    Plain,
    /// A folder of the system or of a person, or all of them.
    Vital,
}

/// The worth of a path as it is written in a command, with `~`, `$HOME` and globs.
pub(crate) fn worth(written: &str) -> Worth {
    let tidy = tidy(written);
    let plain = tidy.as_str();
    let home = ["$HOME", "${HOME}", "$env:HOME", "%USERPROFILE%"];
    let vital = vital(plain) || home.contains(&plain) || (plain.starts_with('~') && !plain.contains('/'));
    if vital { Worth::Vital } else { Worth::Plain }
}

/// The path without empty and `.` components, with `..` taken back, and without a last component that stands for everything.
fn tidy(written: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if written.starts_with('/') => {}
            _ => parts.push(part),
        }
    }
    let everything = |part: &&str| part.contains('*') && part.chars().all(|character| "*.?{},[]!^".contains(character));
    while written.contains('/') && parts.last().is_some_and(everything) {
        parts.pop();
    }
    let path = parts.join("/");
    if written.starts_with('/') { format!("/{path}") } else { path }
}

/// Whether a path is a disk or memory itself, so that writing it overwrites everything.
pub(crate) fn is_raw_device(path: &str) -> bool {
    raw_device(&tidy(path))
}
