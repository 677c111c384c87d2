//! Says of a failed command what the sandbox refused it, in words, instead of leaving a mystery error.
//!
//! What the kernel and the proxy refused comes first. The program's output may lie: what only it says is quoted as its words, is said only
//! where the profile bears it out, and never comes with a way to open a secret, a protected path or anything to be written.

mod host;
mod line;
mod seen;

use std::path::{Component, Path, PathBuf};

use sayso_core::paths::{protected, secret};
use sayso_core::policy::terms::Network;
use sayso_core::text::visible::visible;

use crate::derive::{SCRATCH, SYSTEM};
use crate::profile::{Level, Profile};
use crate::refusal::{Kind, Refusal, Refused, Source};
use line::{Intent, Line, Trouble};

/// A refusal with its sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// What was refused.
    pub refusal: Refusal,
    /// What happened.
    pub words: String,
    /// What can be done about it; empty where nothing is offered.
    pub advice: String,
}

impl Explained {
    /// One line for the agent.
    pub fn line(&self) -> String {
        match self.advice.as_str() {
            "" => self.words.clone(),
            advice => format!("{}; {advice}", self.words),
        }
    }
}

/// How to have a command run without a sandbox.
pub(crate) const OUTSIDE: &str =
    "to allow it: allow the command with a rule, so that it runs outside of the sandbox";

const NO_NETWORK: &str = "the sandbox lets the command reach no network";
const LIST_HOSTS: &str =
    "to allow it: list hosts in `sandbox.hosts`, or set `sandbox.network: true` for every host";
const USE_PROXY: &str = "have the program use the proxy that `https_proxy` names";

/// How much of a line is quoted.
const MAX_QUOTE: usize = 200;
/// So much of the end of an output is looked at.
const READ_BACK: usize = 64 * 1024;
/// And so much of each line.
const LONGEST_LINE: usize = 2048;
/// So much is told.
const MOST: usize = 5;

/// What was refused to a command that ended with this code (none: by a signal): first what was seen, then what only the end of its output
/// says. Nothing of a command that ended well.
pub fn explain(
    profile: &Profile,
    output: &str,
    code: Option<i32>,
    seen: &[Refusal],
) -> Vec<Explained> {
    if code == Some(0) {
        return Vec::new();
    }
    let told = of_output(profile, output, code);
    seen::with_words(profile, seen, told)
}

/// What the output of a command says, as far as the profile bears it out.
fn of_output(profile: &Profile, output: &str, code: Option<i32>) -> Vec<Explained> {
    let mut found: Vec<Explained> = Vec::new();
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
        let is_new = |told: &Explained| {
            let what = &told.refusal.what;
            !found.iter().any(|known| known.refusal.what == *what)
        };
        if let Some(mut told) = refusal.filter(is_new) {
            told.words = format!("the program says `{}`; {}", quote(text), told.words);
            found.push(told);
        }
        if found.len() == MOST {
            break;
        }
        above.insert(0, text);
        above.truncate(4);
    }
    found
}

fn quote(text: &str) -> String {
    shown(cut(text.trim(), MAX_QUOTE))
}

/// A text that cannot end the quote that it stands in.
fn shown(text: &str) -> String {
    visible(&text.replace('`', "'")).into_owned()
}

fn told(what: Refused, words: impl Into<String>, advice: impl Into<String>) -> Option<Explained> {
    Some(Explained {
        refusal: Refusal::known_by(Source::Words, what),
        words: words.into(),
        advice: advice.into(),
    })
}

/// A host that is not in the list.
pub(crate) fn unlisted_host(host: &str) -> Explained {
    let what = Refused::Host {
        name: host.to_owned(),
        port: None,
    };
    Explained {
        refusal: Refusal::known_by(Source::Proxy, what),
        words: format!("the sandbox refused to reach `{host}`"),
        advice: "to allow it: add it to `sandbox.hosts`".to_owned(),
    }
}

fn of_line(
    profile: &Profile,
    line: &Line<'_>,
    above: &[&str],
    code: Option<i32>,
) -> Option<Explained> {
    match line.trouble {
        Trouble::Unreached => unreached(profile, line),
        Trouble::NoProcess => {
            let most = profile.limits.processes?;
            told(
                Refused::Limit("processes"),
                format!("the sandbox lets a command be {most} processes at once"),
                "to allow more: set `sandbox.processes`",
            )
        }
        Trouble::NoMemory => {
            let most = profile.limits.memory?;
            told(
                Refused::Limit("memory"),
                format!("the sandbox lets each process take {most} MiB of memory"),
                "to allow more: set `sandbox.memory`",
            )
        }
        Trouble::NoRights => told(
            Refused::SystemCall(""),
            "the sandbox lets no program take more rights, trace others or make a sandbox of its own",
            "",
        ),
        Trouble::ReadOnly
        | Trouble::Missing
        | Trouble::Denied
        | Trouble::NotPermitted
        | Trouble::Busy => {
            let named = line::paths(line);
            let intent = line::intent(&line.small);
            if !named.is_empty() {
                return named
                    .into_iter()
                    .find_map(|name| of_path(profile, name, line.trouble, intent, code));
            }
            // `Caused by:` comes lines after what it caused.
            above.iter().find_map(|text| {
                let intent = line::intent(&text.to_ascii_lowercase());
                let quoted = line::quoted(text)
                    .into_iter()
                    .map(|(_, name)| name)
                    .filter(|name| name.contains('/'));
                quoted
                    .into_iter()
                    .find_map(|name| of_path(profile, name, line.trouble, intent, code))
            })
        }
    }
}

fn unreached(profile: &Profile, line: &Line<'_>) -> Option<Explained> {
    let host = host::of(line);
    if host.as_deref().is_some_and(host::is_own) {
        return None;
    }
    let what = |name: String| Refused::Host { name, port: None };
    match (&profile.network, host) {
        (Network::Everything, _) => None,
        (Network::Nothing, Some(host)) => {
            let advice = format!(
                "to allow it: set `sandbox.hosts: [{host}]`, or `sandbox.network: true` for every host"
            );
            told(what(host), NO_NETWORK, advice)
        }
        // It may have been the command's own machine.
        (_, None) if line.small.contains("couldn't connect") => None,
        (Network::Nothing, None) => told(Refused::Network, NO_NETWORK, LIST_HOSTS),
        (network @ Network::Hosts(_), Some(host)) if !network.reaches(&host) => {
            let words = format!("the sandbox does not reach `{host}`");
            told(what(host), words, "to allow it: add it to `sandbox.hosts`")
        }
        (Network::Hosts(_), host) => told(
            host.map_or(Refused::Network, what),
            "the sandbox reaches its hosts through a proxy only, and the program did not use it",
            USE_PROXY,
        ),
    }
}

/// What the profile refuses of a path that a line names.
fn of_path(
    profile: &Profile,
    name: &str,
    trouble: Trouble,
    intent: Intent,
    code: Option<i32>,
) -> Option<Explained> {
    let path = absolute(profile, name)?;
    let level = profile.level(&path);
    let names_folder = name.starts_with(['/', '~']) || name.contains('/');
    let within_private = path
        .ancestors()
        .skip(1)
        .any(|above| profile.paths.get(above) == Some(&Level::Private));
    let place = shown(&path.to_string_lossy());
    let write = || {
        let words = format!("the sandbox does not let `{place}` be written");
        told(Refused::Write(path.clone()), words, "")
    };
    let stays = || {
        let words = format!("the sandbox does not let `{place}` be moved or removed");
        told(Refused::Delete(path.clone()), words, "")
    };
    let hidden = |what: fn(PathBuf) -> Refused, words: String| {
        // An output makes nothing be opened that is secret or protected.
        let advice = match is_guarded(profile, &path) {
            true => String::new(),
            false => advice(profile, &path, Kind::Read),
        };
        told(what(path.clone()), words, advice)
    };
    match (trouble, level, intent) {
        (Trouble::ReadOnly, Level::Read | Level::Hidden, _) => write(),
        (Trouble::Busy, ..) if profile.pinned.contains(&path) => stays(),
        (Trouble::Busy, Level::Read | Level::Hidden, _) if profile.paths.contains_key(&path) => {
            stays()
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
        ) => write(),
        (Trouble::Missing | Trouble::Denied, Level::Hidden, Intent::Unknown)
            if matches!(code, Some(126 | 127)) =>
        {
            hidden(
                Refused::Exec,
                format!("the sandbox does not show `{place}`, so it cannot be run"),
            )
        }
        (Trouble::Missing | Trouble::Denied | Trouble::NotPermitted, Level::Hidden, _) => hidden(
            Refused::Read,
            format!("the sandbox does not show `{place}`, whether it exists or not"),
        ),
        (Trouble::Denied | Trouble::NotPermitted, Level::Read, Intent::Write) => write(),
        // Some programs do not say what they tried; what is said here is true of both.
        (Trouble::Denied, Level::Read, Intent::Unknown)
            if names_folder && !matches!(code, Some(126 | 127)) =>
        {
            let words = format!("the sandbox lets `{place}` be read, but not written");
            told(Refused::Write(path.clone()), words, "")
        }
        _ => None,
    }
}

/// Whether a path is secret, protected or in the workspace: it is opened by its name only.
fn is_guarded(profile: &Profile, path: &Path) -> bool {
    let (home, text) = (home(profile), path.to_string_lossy());
    let in_work = path
        .ancestors()
        .skip(1)
        .any(|above| profile.paths.get(above) == Some(&Level::Write));
    in_work || secret(&text, home).is_some() || protected(&text, home).is_some()
}

/// Whether a person may be asked to let it through: never what is secret or protected, and what only the program's words say neither if it
/// changes something.
pub fn is_offered(profile: &Profile, refusal: &Refusal) -> bool {
    let is_guarded = refusal
        .what
        .path()
        .is_some_and(|path| is_guarded(profile, path));
    let is_harmless = match refusal.what.kind() {
        Kind::Read | Kind::Network | Kind::Limit => true,
        Kind::Write | Kind::Program => refusal.source != Source::Words,
    };
    is_harmless && !is_guarded && !refusal.also_outside
}

/// What can be done so that a path is let through.
fn advice(profile: &Profile, path: &Path, what: Kind) -> String {
    let home = home(profile);
    if is_guarded(profile, path) {
        return "it is protected: a command that names it is asked about, and gets to it once it was approved".to_owned();
    }
    let Some(folder) = path.parent().filter(|folder| !is_broad(folder, home)) else {
        return OUTSIDE.to_owned();
    };
    let mode = if what == Kind::Write { "rw" } else { "ro" };
    let folder = shown(&folder.to_string_lossy());
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
