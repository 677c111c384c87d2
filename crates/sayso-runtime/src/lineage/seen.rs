//! The agents whose hooks were seen: each one's process, its session, its terminal and its control group.

use std::io::Read as _;
use std::path::Path;

use sayso_core::text::digest::Digest;
use sayso_store::{Folder, FolderError, WriteError};
use thiserror::Error;

use super::process::{Process, above};

const FOLDER: &str = "hooks";
const PREFIX: &str = "process-";
/// So many are kept; those that have ended make room.
const MAX_RECORDS: usize = 64;

/// An agent that started a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub id: u32,
    pub started: u64,
    pub agent: String,
    pub session: u32,
    pub terminal: i64,
    /// A digest of its control group.
    pub group: String,
}

impl Seen {
    fn read(folder: &Folder, name: &str) -> Option<Seen> {
        let mut text = String::new();
        folder
            .read(name)
            .ok()??
            .take(512)
            .read_to_string(&mut text)
            .ok()?;
        Seen::from_text(&text)
    }

    fn from_text(text: &str) -> Option<Seen> {
        let mut words = text.split(' ');
        let (id, started, agent) = (
            words.next()?.parse().ok()?,
            words.next()?.parse().ok()?,
            words.next()?.to_owned(),
        );
        // Earlier versions kept no more than this.
        let session = words
            .next()
            .and_then(|word| word.parse().ok())
            .unwrap_or_default();
        let terminal = words
            .next()
            .and_then(|word| word.parse().ok())
            .unwrap_or_default();
        Some(Seen {
            id,
            started,
            agent,
            session,
            terminal,
            group: words.next().unwrap_or_default().to_owned(),
        })
    }

    fn text(&self) -> String {
        format!(
            "{} {} {} {} {} {}",
            self.id, self.started, self.agent, self.session, self.terminal, self.group
        )
    }

    pub fn is(&self, process: Process) -> bool {
        (self.id, self.started) == (process.id, process.started)
    }

    /// Whether it is at the terminal of this agent, which is still there.
    fn shares_terminal(&self, process: Process) -> bool {
        let lives = || Process::of(self.id).is_some_and(|agent| self.is(agent));
        process.terminal != 0 && process.terminal == self.terminal && lives()
    }

    /// Whether it has no terminal and is in the control group of a person, which the agent could have made; services of the system are others.
    fn is_lost(&self, process: Process, group: &str) -> bool {
        process.terminal == 0
            && !self.group.is_empty()
            && group.lines().any(|line| line.contains("/user.slice/"))
    }

    /// Whether a process left the tree of this agent: it is younger, init has adopted it, it has no terminal of a person, and it still shares
    /// the agent's control group or terminal, or is in another group that a person can make.
    pub fn has_left(&self, chain: &[Process]) -> bool {
        let Some(first) = chain.first() else {
            return false;
        };
        let young = chain
            .iter()
            .take_while(|process| process.started >= self.started && process.id != 1)
            .count();
        let Some(outermost) = young.checked_sub(1).and_then(|at| chain.get(at)) else {
            return false;
        };
        let is_adopted = chain.get(young).is_some_and(|above| above.adopts());
        let at_terminal =
            first.terminal != 0 && first.terminal != self.terminal && first.session != self.session;
        let group = outermost.control_group().unwrap_or_default();
        is_adopted
            && !at_terminal
            && (digest(&group) == self.group
                || self.shares_terminal(*first)
                || self.is_lost(*first, &group))
    }
}

fn digest(group: &str) -> String {
    Digest::of_bytes(group.as_bytes())
        .hex()
        .iter()
        .take(16)
        .map(|digit| char::from(*digit))
        .collect()
}

/// Why the process of an agent was not kept.
#[derive(Debug, Error)]
pub enum SeenError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the folder of hooks is missing")]
    NoFolder,
    #[error("{}", .source.told(&format!("could not write `{name}`")))]
    NotWritten { name: String, source: WriteError },
}

/// Keeps which process the agent is that starts this hook. Where that cannot be seen, nothing is kept.
///
/// # Errors
/// When it cannot be written.
pub fn remember(state: &Path, agent: &str) -> Result<(), SeenError> {
    let Some(found) = above().find(|process| process.is_named(agent)) else {
        return Ok(());
    };
    let folder = Folder::open(state)?
        .inner(FOLDER, true)?
        .ok_or(SeenError::NoFolder)?;
    let name = format!("{PREFIX}{}", found.id);
    match Seen::read(&folder, &name) {
        Some(seen) if seen.is(found) => return Ok(()),
        Some(_) => folder.remove(&name)?,
        None => {}
    }
    make_room(&folder)?;
    let group = found
        .control_group()
        .map(|group| digest(&group))
        .unwrap_or_default();
    let Process {
        id,
        started,
        session,
        terminal,
        ..
    } = found;
    let seen = Seen {
        id,
        started,
        agent: agent.to_owned(),
        session,
        terminal,
        group,
    };
    // Two hooks of one process write the same.
    folder
        .put(&name, seen.text().as_bytes(), false)
        .map_err(|source| SeenError::NotWritten { name, source })
}

fn make_room(folder: &Folder) -> Result<(), FolderError> {
    let names: Vec<String> = folder
        .names()?
        .into_iter()
        .filter(|name| name.starts_with(PREFIX))
        .collect();
    if names.len() < MAX_RECORDS {
        return Ok(());
    }
    for name in &names {
        let lives = Seen::read(folder, name)
            .is_some_and(|seen| Process::of(seen.id).is_some_and(|process| seen.is(process)));
        if !lives {
            folder.remove(name)?;
        }
    }
    Ok(())
}

/// All agents that were seen.
pub(super) fn all(state: &Path) -> Vec<Seen> {
    let folder = Folder::open_existing(state)
        .ok()
        .flatten()
        .and_then(|state| state.inner(FOLDER, false).ok().flatten());
    let Some(folder) = folder else {
        return Vec::new();
    };
    let names = folder.names().unwrap_or_default();
    names
        .iter()
        .filter(|name| name.starts_with(PREFIX))
        .filter_map(|name| Seen::read(&folder, name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let seen = Seen {
            id: 7,
            started: 99,
            agent: "claude".into(),
            session: 5,
            terminal: 34816,
            group: "ab".into(),
        };
        assert_eq!(Seen::from_text(&seen.text()), Some(seen));
        assert_eq!(
            Seen::from_text("7 99 codex").map(|seen| (seen.id, seen.agent)),
            Some((7, "codex".to_owned()))
        );
        assert_eq!(Seen::from_text("x"), None);
    }

    #[test]
    fn only_what_was_adopted_after_the_agent_started_has_left_it() {
        let own = Process::of(std::process::id()).unwrap();
        let group = own.control_group().map(|group| digest(&group)).unwrap();
        let agent = Seen {
            id: 1_000_000,
            started: own.started,
            agent: "claude".into(),
            session: 0,
            terminal: 0,
            group,
        };
        let init = Process {
            id: 1,
            parent: 0,
            session: 0,
            terminal: 0,
            started: 0,
        };
        let orphan = Process {
            terminal: 0,
            parent: 1,
            ..own
        };
        assert!(agent.has_left(&[orphan, init]));
        let at_another_terminal = Process {
            terminal: 34817,
            session: 9,
            ..orphan
        };
        assert!(
            !agent.has_left(&[at_another_terminal, init]),
            "a person's terminal"
        );
        let shell = Process {
            id: 2,
            parent: 1,
            session: 2,
            terminal: 0,
            started: 1,
        };
        assert!(
            !agent.has_left(&[orphan, shell, init]),
            "started by something older than the agent"
        );
        assert!(
            !Seen {
                started: own.started + 1,
                ..agent.clone()
            }
            .has_left(&[orphan, init]),
            "older than the agent"
        );
        assert!(
            !Seen {
                group: "other".into(),
                ..agent
            }
            .has_left(&[orphan, init]),
            "in another control group"
        );
    }
}
