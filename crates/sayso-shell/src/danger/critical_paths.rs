//! Which paths a machine or a person cannot do without, as far as their text tells.

use sayso_core::paths::{join, raw_device, secret, vital};

/// Alternatives in braces that are looked at.
const MOST_ALTERNATIVES: usize = 32;
/// No system opens a longer path.
const LONGEST: usize = 4096;

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
    if written.len() > LONGEST {
        return Worth::Plain;
    }
    if let Some((before, list, after)) = braces(written) {
        let vital = |part: &str| is_vital(&format!("{before}{part}{after}"));
        return if list.split(',').take(MOST_ALTERNATIVES).any(vital) {
            Worth::Vital
        } else {
            Worth::Plain
        };
    }
    if is_vital(written) {
        Worth::Vital
    } else {
        Worth::Plain
    }
}

/// The first list in braces: `/{bin,etc}`.
fn braces(written: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = written.split_once('{')?;
    let (list, after) = rest.split_once('}')?;
    (!before.ends_with('$') && list.contains(',')).then_some((before, list, after))
}

fn is_vital(written: &str) -> bool {
    // Most words are a single name, which stays as it is; only a path with folders is made tidy.
    if !written.as_bytes().contains(&b'/') {
        return is_home(written) || is_drive(written);
    }
    let tidy = tidy(written);
    let plain = tidy.as_str();
    let other_disk = plain
        .strip_prefix("/mnt/")
        .is_some_and(|disk| disk.len() == 1);
    vital(plain) || other_disk || is_home(plain) || is_drive(plain)
}

/// The home of the person, or another one, by a name that the shell puts in.
fn is_home(plain: &str) -> bool {
    const NAMES: [&str; 13] = [
        "$HOME",
        "$ENV{HOME}",
        "$env:HOME",
        "$env:USERPROFILE",
        "$env:HOMEPATH",
        "$env:SystemRoot",
        "$env:SystemDrive",
        "$env:windir",
        "%USERPROFILE%",
        "%HOMEPATH%",
        "%SystemRoot%",
        "%SystemDrive%",
        "%windir%",
    ];
    if !plain.starts_with(['$', '%', '~']) {
        return false;
    }
    let with_default = plain.strip_prefix("${HOME").is_some_and(|rest| {
        rest.ends_with('}') && rest.starts_with([':', '}', '-', '?', '%', '#'])
    });
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(plain))
        || with_default
        || (plain.starts_with('~') && !plain.contains('/'))
}

/// A whole disk of Windows, or a folder there that it cannot do without. The backslash is gone where a shell has read the word.
fn is_drive(plain: &str) -> bool {
    let mut letters = plain.chars();
    if !(letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':'))
    {
        return false;
    }
    let rest = letters
        .as_str()
        .trim_matches(|letter| "/\\*.".contains(letter));
    [
        "",
        "windows",
        "users",
        "program files",
        "programdata",
        "windows\\system32",
        "windows/system32",
        "windowssystem32",
    ]
    .iter()
    .any(|name| name.eq_ignore_ascii_case(rest))
}

/// Whether a path is vital when the variables in it are empty: `"$X"/`, `/usr/$X`.
pub(crate) fn root_if_empty(written: &str) -> bool {
    if !written.contains('$') || written.len() > LONGEST {
        return false;
    }
    let mut rest = written;
    let mut without = String::with_capacity(written.len());
    while let Some((before, after)) = rest.split_once('$') {
        without.push_str(before);
        rest = match after.strip_prefix('{') {
            Some(inner) => {
                let (name, after) = inner.split_once('}').unwrap_or((inner, ""));
                // Such a variable is never empty, or the command does not run.
                if name.contains(":?") {
                    return false;
                }
                without.push_str(name.split_once(":-").map_or("", |(_, instead)| instead));
                after
            }
            None => after.trim_start_matches(|letter: char| {
                letter.is_ascii_alphanumeric() || letter == '_' || letter == '…'
            }),
        };
    }
    without.push_str(rest);
    without.starts_with(['/', '~']) && worth(&without) == Worth::Vital
}

/// The path without empty and `.` components, with `..` taken back, and without a last component that stands for everything.
fn tidy(written: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            // Above a home are all homes.
            ".." if parts.len() == 1 && parts.first().is_some_and(|first| is_home(first)) => {
                return "/".to_owned();
            }
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if written.starts_with('/') => {}
            _ => parts.push(part),
        }
    }
    while written.contains('/') && parts.last().is_some_and(|part| is_everything(part)) {
        parts.pop();
    }
    let path = parts.join("/");
    if written.starts_with('/') {
        format!("/{path}")
    } else {
        path
    }
}

/// Whether a pattern fits about every name: `*`, `.*`, `[a-z]*`.
fn is_everything(part: &str) -> bool {
    let mut set = false;
    part.contains('*')
        && part.chars().all(|letter| {
            let inside = set;
            set = (set || letter == '[') && letter != ']';
            inside || "*.?{},[]!^".contains(letter)
        })
}

/// Whether a path is a disk or memory itself, so that writing it overwrites everything.
pub(crate) fn is_raw_device(path: &str) -> bool {
    raw_device(&tidy(path))
}

/// The path of a secret that a word names, by itself or behind the `@` and `=` of an option: `f=@~/.ssh/id_rsa`.
pub(crate) fn secret_in(word: &str) -> Option<&str> {
    const HOME: &str = "/home/me";
    let word = word.strip_prefix("file://").unwrap_or(word);
    if word.is_empty() || word.len() > LONGEST || word.contains([' ', '\n']) || word.contains("://")
    {
        return None;
    }
    let path = word
        .rsplit_once(['@', '=', '<'])
        .map_or(word, |(_, path)| path);
    // The type of a form's part, and what a copy is called on another machine.
    let path = path.split(';').next().unwrap_or(path);
    if path.is_empty()
        || path
            .split('/')
            .next()
            .is_some_and(|first| first.contains(':'))
    {
        return None;
    }
    let home = ["~", "$HOME", "${HOME}"]
        .iter()
        .find_map(|name| path.strip_prefix(name)?.strip_prefix('/'));
    let whole = match home {
        Some(rest) => join(HOME, rest),
        None => join("/nowhere/here", path),
    };
    secret(whole.trim_end_matches(['*', '/']), Some(HOME))
        .is_some()
        .then_some(path)
}
