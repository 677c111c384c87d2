//! Whether this process runs below an agent, as far as that can be seen: by the variables that agents set, and by the processes above it.
//!
//! Whoever leaves its process tree behind on purpose is not seen any more; what an agent may start at all is the gate's to say.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sayso_store::Folder;

/// Variables that agents set for what they run.
const MARKS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "QWEN_CODE",
    "COPILOT_CLI",
    "OPENCODE",
    "CLINE_ACTIVE",
    "CURSOR_AGENT",
];
/// Commands of sayso below which everything is what an agent wanted.
const RUNNERS: &[&str] = &["exec", "run", "chat", "sandbox", "sandbox-inner", "mcp", "acp"];
/// So far up it is looked.
const MOST: usize = 64;
const FOLDER: &str = "hooks";
const PREFIX: &str = "process-";

/// A process, and when it started: a number alone is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    id: u32,
    started: u64,
    parent: u32,
}

impl Process {
    fn of(id: u32) -> Option<Process> {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name of a process may hold anything, a `)` among it.
        let mut rest = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace();
        Some(Process { id, parent: rest.nth(1)?.parse().ok()?, started: rest.nth(17)?.parse().ok()? })
    }

    /// The first words of its command line.
    fn words(self) -> Vec<String> {
        let mut bytes = Vec::new();
        let read = fs::File::open(format!("/proc/{}/cmdline", self.id)).and_then(|file| file.take(4096).read_to_end(&mut bytes));
        let words = bytes.split(|byte| *byte == 0).take(3).map(|word| String::from_utf8_lossy(word).into_owned());
        if read.is_ok() { words.collect() } else { Vec::new() }
    }

    /// Whether it is this very program.
    fn is_sayso(self) -> bool {
        let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        let own = identity(Path::new("/proc/self/exe"));
        own.is_some() && own == identity(Path::new(&format!("/proc/{}/exe", self.id)))
    }

    fn is_named(self, name: &str) -> bool {
        let program = fs::read_link(format!("/proc/{}/exe", self.id)).ok().map(|path| path.to_string_lossy().into_owned());
        let mut words = self.words().into_iter().take(2).chain(program);
        words.any(|word| word.rsplit('/').next().is_some_and(|last| last.starts_with(name)))
    }
}

/// A process and those above it, the nearest first.
fn from(id: u32) -> impl Iterator<Item = Process> {
    let first = Process::of(id);
    std::iter::successors(first, |process| (process.parent > 1).then(|| Process::of(process.parent)).flatten()).take(MOST)
}

/// The processes above this one, the nearest first.
fn above() -> impl Iterator<Item = Process> {
    from(std::process::id()).skip(1)
}

/// Keeps which process the agent is that starts this hook. Where that cannot be seen, nothing is kept.
///
/// # Errors
/// When it cannot be written.
pub fn remember(state: &Path, agent: &str) -> Result<(), String> {
    let Some(found) = above().find(|process| process.is_named(agent)) else { return Ok(()) };
    let folder = Folder::open(state)?.inner(FOLDER, true)?.ok_or("the folder of hooks is missing")?;
    for name in folder.names()?.iter().filter(|name| name.starts_with(PREFIX)) {
        let gone = kept(&folder, name).is_none_or(|(id, started, _)| Process::of(id).is_none_or(|process| process.started != started));
        if gone {
            folder.remove(name)?;
        }
    }
    // Two sessions of one process write the same.
    let name = format!("{PREFIX}{}", found.id);
    match folder.create_new(&name)? {
        Some(mut file) => {
            write!(file, "{} {} {agent}", found.id, found.started).map_err(|error| format!("could not write `{name}`: {error}"))
        }
        None => Ok(()),
    }
}

fn kept(folder: &Folder, name: &str) -> Option<(u32, u64, String)> {
    let mut text = String::new();
    folder.read(name).ok()??.take(256).read_to_string(&mut text).ok()?;
    let mut words = text.split(' ');
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?.to_owned()))
}

/// The agent that this process runs below, in words.
pub fn agent_above(state: &Path) -> Option<String> {
    if let Some(mark) = MARKS.iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        return Some(format!("an agent, by the variable `{mark}`"));
    }
    agent_among(state, above())
}

/// The agent that another process of this person runs below, or is, in words. One that cannot be looked at counts as an agent's.
pub fn agent_over(state: &Path, id: u32) -> Option<String> {
    let unseen = || format!("process {id} cannot be looked at");
    let Ok(environment) = fs::read(format!("/proc/{id}/environ")) else { return Some(unseen()) };
    let has = |name: &str, line: &[u8]| line.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.len() > 1 && rest.starts_with(b"="));
    if let Some(mark) = MARKS.iter().find(|name| environment.split(|byte| *byte == 0).any(|line| has(name, line))) {
        return Some(format!("an agent, by the variable `{mark}`"));
    }
    if Process::of(id).is_none() {
        return Some(unseen());
    }
    agent_among(state, from(id))
}

/// Whether another process is this very program.
pub fn is_this_program(id: u32) -> bool {
    Process::of(id).is_some_and(Process::is_sayso)
}

fn agent_among(state: &Path, mut processes: impl Iterator<Item = Process>) -> Option<String> {
    let folder = Folder::open_existing(state).ok().flatten().and_then(|state| state.inner(FOLDER, false).ok().flatten());
    processes.find_map(|process| {
        let known = folder.as_ref().and_then(|folder| kept(folder, &format!("{PREFIX}{}", process.id)));
        if let Some((_, _, agent)) = known.filter(|(id, started, _)| (*id, *started) == (process.id, process.started)) {
            return Some(format!("`{agent}`, process {}", process.id));
        }
        let runs = process.words().get(1).is_some_and(|word| RUNNERS.contains(&word.as_str()));
        (runs && process.is_sayso()).then(|| format!("a command that sayso runs for an agent, process {}", process.id))
    })
}
