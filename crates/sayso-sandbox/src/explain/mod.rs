//! Says of a failed command what the sandbox refused it, in words, instead of leaving a mystery error.
//!
//! The output of the command is the only trace of what it tried, and whoever wrote it may have lied. So nothing is said that the profile does
//! not bear out: a path or a host is named only if the profile refuses it, whether the trouble came from that or not.

mod host;
mod line;

use std::path::{Component, Path, PathBuf};

use sayso_core::paths::{protected, secret};
use sayso_core::policy::terms::Network;
use sayso_core::text::visible::visible;

use crate::derive::{SCRATCH, SYSTEM};
use crate::profile::{Level, Profile};
use line::{Intent, Line, Trouble};

/// What was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// To read a file, or to see it at all.
    Read,
    /// To make, change or remove a file.
    Write,
    /// To reach a host.
    Network,
    /// To run a program, or something that no program may do.
    Program,
    /// To take more than there is for it.
    Limit,
}

/// One thing that the sandbox refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of thing.
    pub what: What,
    /// The path or the host, fit to be shown; empty where there is none.
    pub place: String,
    /// What happened.
    pub words: String,
    /// What can be done about it.
    pub advice: String,
}

/// How to have a command run without a sandbox.
pub(crate) const OUTSIDE: &str =
    "to allow it: allow the command with a rule, so that it runs outside of the sandbox";

/// So much of the end of an output is looked at.
const READ_BACK: usize = 64 * 1024;
/// And so much of each line.
const LONGEST_LINE: usize = 2048;
/// So much is told.
const MOST: usize = 5;

/// What the profile refused a command that ended with this code (none: by a signal), by the end of what it printed.
pub fn explain(profile: &Profile, output: &str, code: Option<i32>) -> Vec<Refusal> {
    let mut found: Vec<Refusal> = Vec::new();
    if code == Some(0) {
        return found;
    }
    let start = (output.len().saturating_sub(READ_BACK)..=output.len())
        .find(|at| output.is_char_boundary(*at))
        .unwrap_or_default();
    let end = plain(output.get(start..).unwrap_or_default());
    let mut above: Vec<&str> = Vec::new();
    // Bars of progress are drawn over themselves.
    for text in end
        .split(['\n', '\r'])
        .map(|text| cut(text, LONGEST_LINE))
        .filter(|text| !text.trim().is_empty())
    {
        // Our own words come back from programs that print the answer of the proxy.
        let refusal = if text.contains("the sandbox ") {
            None
        } else {
            line::read(text).and_then(|line| of_line(profile, &line, &above, code))
        };
        if let Some(refusal) = refusal.filter(|refusal| {
            !found
                .iter()
                .any(|known| known.what == refusal.what && known.place == refusal.place)
        }) {
            found.push(refusal);
        }
        if found.len() == MOST {
            break;
        }
        above.insert(0, text);
        above.truncate(4);
    }
    found
}

/// A host that is not in the list.
pub(crate) fn unlisted_host(host: &str) -> Refusal {
    Refusal {
        what: What::Network,
        place: host.to_owned(),
        words: format!("the sandbox refused to reach `{host}`"),
        advice: "to allow it: add it to `sandbox.hosts`".to_owned(),
    }
}

fn of_line(
    profile: &Profile,
    line: &Line<'_>,
    above: &[&str],
    code: Option<i32>,
) -> Option<Refusal> {
    let limit = |words: String, key: &str| {
        let advice = format!("to allow more: set `sandbox.{key}`");
        Refusal {
            what: What::Limit,
            place: String::new(),
            words,
            advice,
        }
    };
    match line.trouble {
        Trouble::Unreached => unreached(profile, line),
        Trouble::NoProcess => {
            profile.limits.processes.map(|most| limit(format!("the sandbox lets a command be {most} processes at once"), "processes"))
        }
        Trouble::NoMemory => {
            profile.limits.memory.map(|most| limit(format!("the sandbox lets each process take {most} MiB of memory"), "memory"))
        }
        Trouble::NoRights => Some(Refusal {
            what: What::Program,
            place: String::new(),
            words: "the sandbox lets no program take more rights, trace others or make a sandbox of its own".to_owned(),
            advice: OUTSIDE.to_owned(),
        }),
        Trouble::ReadOnly | Trouble::Missing | Trouble::Denied | Trouble::NotPermitted | Trouble::Busy => {
            let named = line::paths(line);
            let intent = line::intent(&line.small);
            if !named.is_empty() {
                return named.into_iter().find_map(|name| of_path(profile, name, line.trouble, intent, code));
            }
            // `Caused by:` comes lines after what it caused.
            above.iter().find_map(|text| {
                let intent = line::intent(&text.to_ascii_lowercase());
                let quoted = line::quoted(text).into_iter().map(|(_, name)| name).filter(|name| name.contains('/'));
                quoted.into_iter().find_map(|name| of_path(profile, name, line.trouble, intent, code))
            })
        }
    }
}

fn unreached(profile: &Profile, line: &Line<'_>) -> Option<Refusal> {
    let host = host::of(line);
    if host.as_deref().is_some_and(host::is_own) {
        return None;
    }
    match (&profile.network, host) {
        (Network::Everything, _) => None,
        (Network::Nothing, Some(host)) => Some(Refusal {
            advice: format!("to allow it: set `sandbox.hosts: [{host}]`, or `sandbox.network: true` for every host"),
            ..unlisted_host(&host)
        }),
        // It may have been the command's own machine.
        (_, None) if line.small.contains("couldn't connect") => None,
        (Network::Nothing, None) => Some(Refusal {
            what: What::Network,
            place: String::new(),
            words: "the sandbox lets the command reach no network".to_owned(),
            advice: "to allow it: list hosts in `sandbox.hosts`, or set `sandbox.network: true` for every host".to_owned(),
        }),
        (network @ Network::Hosts(_), Some(host)) if !network.reaches(&host) => Some(unlisted_host(&host)),
        (Network::Hosts(_), host) => Some(Refusal {
            what: What::Network,
            words: "the sandbox reaches its hosts through a proxy only, and the program did not use it".to_owned(),
            advice: format!("have the program use the proxy that `https_proxy` names; {OUTSIDE}"),
            place: host.unwrap_or_default(),
        }),
    }
}

/// What the profile refuses of a path that a line names.
fn of_path(
    profile: &Profile,
    name: &str,
    trouble: Trouble,
    intent: Intent,
    code: Option<i32>,
) -> Option<Refusal> {
    let path = absolute(profile, name)?;
    let level = profile.level(&path);
    let is_told = name.starts_with(['/', '~']) || name.contains('/');
    let within_private = path
        .ancestors()
        .skip(1)
        .any(|above| profile.paths.get(above) == Some(&Level::Private));
    let place = visible(&path.to_string_lossy()).into_owned();
    let refusal = |what: What, words: String| {
        Some(Refusal {
            what,
            words,
            advice: advice(profile, &path, what),
            place: place.clone(),
        })
    };
    match (trouble, level, intent) {
        (Trouble::ReadOnly, Level::Read | Level::Hidden, _) => refusal(
            What::Write,
            format!("the sandbox refused to write `{place}`"),
        ),
        (Trouble::Busy, ..) if profile.pinned.contains(&path) => refusal(
            What::Write,
            format!(
                "the sandbox refused to move or remove `{place}`, which holds something that must stay"
            ),
        ),
        (Trouble::Busy, Level::Read | Level::Hidden, _) if profile.paths.contains_key(&path) => {
            refusal(
                What::Write,
                format!("the sandbox refused to move or remove `{place}`"),
            )
        }
        (Trouble::Missing | Trouble::Denied | Trouble::NotPermitted, Level::Hidden, _)
            if within_private || is_made(&path) =>
        {
            None
        }
        (
            Trouble::Missing | Trouble::Denied | Trouble::NotPermitted,
            Level::Hidden,
            Intent::Write,
        ) => refusal(
            What::Write,
            format!("the sandbox refused to write `{place}`"),
        ),
        (Trouble::Missing | Trouble::Denied, Level::Hidden, Intent::Unknown)
            if matches!(code, Some(126 | 127)) =>
        {
            refusal(
                What::Program,
                format!("the sandbox does not show `{place}`, so it cannot be run"),
            )
        }
        (Trouble::Missing, Level::Hidden, _) => refusal(
            What::Read,
            format!("the sandbox does not show `{place}`, whether it exists or not"),
        ),
        (Trouble::Denied | Trouble::NotPermitted, Level::Hidden, _) => {
            refusal(What::Read, format!("the sandbox refused to read `{place}`"))
        }
        (Trouble::Denied | Trouble::NotPermitted, Level::Read, Intent::Write) => refusal(
            What::Write,
            format!("the sandbox refused to write `{place}`"),
        ),
        // Some programs do not say what they tried; what is said here is true of both.
        (Trouble::Denied, Level::Read, Intent::Unknown)
            if is_told && !matches!(code, Some(126 | 127)) =>
        {
            refusal(
                What::Write,
                format!("the sandbox lets `{place}` be read, but not written"),
            )
        }
        _ => None,
    }
}

/// What can be done so that a path is let through. What is secret or protected is opened by name only, whatever an output says.
fn advice(profile: &Profile, path: &Path, what: What) -> String {
    let home = home(profile);
    let text = path.to_string_lossy();
    let in_work = path
        .ancestors()
        .skip(1)
        .any(|above| profile.paths.get(above) == Some(&Level::Write));
    if in_work || secret(&text, home).is_some() || protected(&text, home).is_some() {
        return "it is protected: a command that names it is asked about, and gets to it once it was approved".to_owned();
    }
    let Some(folder) = path.parent().filter(|folder| !is_broad(folder, home)) else {
        return OUTSIDE.to_owned();
    };
    let mode = if what == What::Write { "rw" } else { "ro" };
    let folder = visible(&folder.to_string_lossy()).into_owned();
    let rest = OUTSIDE.strip_prefix("to allow it: ").unwrap_or(OUTSIDE);
    format!("to allow it: add `{folder}` to `sandbox.paths` with `mode: {mode}`, or {rest}")
}

/// Whether a folder is too broad to be let through as a whole.
fn is_broad(folder: &Path, home: Option<&str>) -> bool {
    let listed = SYSTEM
        .iter()
        .chain(&SCRATCH)
        .chain(&["/", "/dev", "/proc", "/sys", "/boot", "/run", "/var"]);
    let of_system = listed.into_iter().any(|system| folder == Path::new(system));
    of_system || home.is_some_and(|home| Path::new(home).starts_with(folder))
}

/// Whether it is of what every sandbox has of its own, and the profile does not name.
pub(crate) fn is_made(path: &Path) -> bool {
    const DEVICES: [&str; 12] = [
        "null", "zero", "full", "random", "urandom", "tty", "shm", "pts", "fd", "stdin", "stdout",
        "stderr",
    ];
    path.parent().is_none()
        || path.starts_with("/proc")
        || path.strip_prefix("/dev").is_ok_and(|inner| {
            inner
                .iter()
                .next()
                .is_none_or(|first| DEVICES.iter().any(|name| first == *name))
        })
}

/// The path that a name leads to from the folder of the command, without `..`, `~` and the links of the profile.
fn absolute(profile: &Profile, name: &str) -> Option<PathBuf> {
    if name.is_empty() || name.len() > 1024 || name.contains('\0') {
        return None;
    }
    let path = match (name.strip_prefix("~/"), home(profile)) {
        (Some(rest), Some(home)) => Path::new(home).join(rest),
        (None, _) if name.starts_with('~') => return None,
        (Some(_), None) => return None,
        (None, _) => profile.cwd.join(name),
    };
    Some(without_links(profile, &path))
}

/// An absolute path without `..` and the links of the profile.
pub(crate) fn without_links(profile: &Profile, path: &Path) -> PathBuf {
    let mut path = straight(path);
    for _ in 0..8 {
        let link = path
            .ancestors()
            .find_map(|above| profile.links.get(above).map(|to| (above.to_owned(), to)));
        let Some((link, to)) = link else { break };
        let rest = path
            .strip_prefix(&link)
            .map(Path::to_owned)
            .unwrap_or_default();
        path = straight(&link.parent().unwrap_or(Path::new("/")).join(to).join(rest));
    }
    path
}

fn straight(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir => drop(out.pop()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    out
}

fn home(profile: &Profile) -> Option<&str> {
    let home = profile.environment.iter().find(|(name, _)| name == "HOME");
    home.and_then(|(_, value)| value.to_str())
        .filter(|home| home.starts_with('/'))
}

/// Without the colours and moves of a terminal.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut left = text.chars();
    while let Some(one) = left.next() {
        if one != '\u{1B}' {
            out.push(one);
        } else if left.clone().next() == Some('[') {
            // Up to the letter that ends it; what is no such sequence is left where it is.
            let length = left
                .clone()
                .take(32)
                .skip(1)
                .position(|one| matches!(one, '@'..='~'))
                .map_or(0, |at| at + 2);
            left.by_ref().take(length).for_each(drop);
        }
    }
    out
}

fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests;
