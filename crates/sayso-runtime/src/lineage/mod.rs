//! Whether this process runs below an agent, as far as that can be seen: by the variables that agents set, by the processes above it and
//! what they were started with, and by the agents whose hooks were seen.
//!
//! A process that left the agent's tree is still seen while it shares its control group and has no terminal, or one that a process kept
//! which left the tree. Where an agent was seen before, a process that a service of the system starts (`systemd-run`, `at`, `cron`, a
//! multiplexer that nobody is attached to) has no person in front of it, and counts as an agent's.

mod attended;
mod process;
mod seen;

use std::path::Path;

use process::{Process, above, from};
pub use seen::remember;

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
/// Programs below which everything is an agent's. Editors are none of them: a person works in their terminals.
const PROGRAMS: &[&str] = &[
    "claude",
    "codex",
    "gemini",
    "qwen",
    "copilot",
    "opencode",
    "cline",
    "cursor-agent",
    "droid",
    "crush",
    "goose",
];
/// Commands of sayso below which everything is what an agent wanted.
const RUNNERS: &[&str] = &[
    "exec",
    "run",
    "chat",
    "sandbox",
    "sandbox-inner",
    "sandbox-session",
    "mcp",
    "acp",
];

/// The nearest process above this one that is the agent of this name.
pub fn process_of(agent: &str) -> Option<u32> {
    above()
        .find(|process| process.is_named(agent))
        .map(|process| process.id)
}

/// The agent that this process runs below, in words.
pub fn agent_above(state: &Path) -> Option<String> {
    if let Some(mark) = MARKS
        .iter()
        .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
    {
        return Some(by_variable(mark));
    }
    let own = Process::of(std::process::id());
    agent_among(state, own, above().collect())
}

/// What an agent may have had start this process, in words, where an agent was seen before and no person is in front of it.
pub fn agent_behind_this(state: &Path) -> Option<String> {
    let chain: Vec<Process> = from(std::process::id()).collect();
    agent_behind(state, &chain)
}

/// The agent that another process of this person runs below, or is, in words. One that cannot be looked at counts as an agent's.
pub fn agent_over(state: &Path, id: u32) -> Option<String> {
    let chain: Vec<Process> = from(id).collect();
    match chain.first().map(|first| first.variable(MARKS)) {
        Some(Ok(_)) => {
            agent_among(state, None, chain.clone()).or_else(|| agent_behind(state, &chain))
        }
        _ => Some(format!("process {id} cannot be looked at")),
    }
}

fn agent_behind(state: &Path, chain: &[Process]) -> Option<String> {
    if seen::all(state).is_empty() {
        return None;
    }
    if let Some(starter) = attended::starter(chain) {
        return Some(starter);
    }
    // Nobody sits at a terminal that a process of an agent keeps, and nobody logs in from below one.
    let terminal = chain.first().map_or(0, |first| first.terminal);
    let keepers = attended::keepers(terminal)
        .into_iter()
        .filter(|keeper| !attended::is_for_people(*keeper));
    let kept = keepers
        .map(|keeper| from(keeper.id).collect())
        .find_map(|above| agent_among(state, None, above));
    kept.or_else(|| {
        let above: Vec<Process> = from(attended::origin_of_login(chain)?.id).collect();
        agent_among(state, None, above.clone()).or_else(|| attended::starter(&above))
    })
}

/// Whether another process is this very program.
pub fn is_this_program(id: u32) -> bool {
    Process::of(id).is_some_and(Process::is_sayso)
}

fn by_variable(mark: &str) -> String {
    format!("an agent, by the variable `{mark}`")
}

/// The agent among processes that started each other, the nearest first; `own` is the one that they started, if it is not among them.
fn agent_among(state: &Path, own: Option<Process>, processes: Vec<Process>) -> Option<String> {
    let seen = seen::all(state);
    let found = processes.iter().find_map(|process| {
        if let Some(seen) = seen.iter().find(|seen| seen.is(*process)) {
            return Some(format!("`{}`, process {}", seen.agent, process.id));
        }
        let runs = process
            .words()
            .get(1)
            .is_some_and(|word| RUNNERS.contains(&word.as_str()));
        if runs && process.is_sayso() {
            return Some(format!(
                "a command that sayso runs for an agent, process {}",
                process.id
            ));
        }
        if let Some(name) = process.is_one_of(PROGRAMS) {
            return Some(format!("`{name}`, process {}", process.id));
        }
        // The environment of another person's process says nothing here, and cannot be read.
        process.variable(MARKS).ok().flatten().map(by_variable)
    });
    found.or_else(|| {
        let chain: Vec<Process> = own.into_iter().chain(processes).collect();
        let left = seen.iter().find(|seen| seen.has_left(&chain))?;
        Some(format!(
            "`{}`, process {}, whose tree it has left",
            left.agent, left.id
        ))
    })
}
