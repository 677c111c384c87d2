//! The agents that sayso has a hook for: which of them there are on this machine, and in which versions.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::canary::started;

/// An agent that sayso has a hook for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

/// From here on a hook of Claude Code that fails can be a denial.
pub const BLOCKS_SINCE: [u32; 3] = [2, 1, 295];

/// All of them.
pub const ALL: [Which; 2] = [Which::Claude, Which::Codex];

impl Which {
    /// Its name: on the command line, in the record, and of its program.
    pub fn name(self) -> &'static str {
        match self {
            Which::Claude => "claude",
            Which::Codex => "codex",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Which::Claude => "Claude Code",
            Which::Codex => "Codex",
        }
    }

    /// The agent of this name.
    pub fn of(name: &str) -> Option<Which> {
        ALL.into_iter().find(|which| which.name() == name)
    }

    /// What its hooks never see.
    pub fn not_seen(self) -> &'static str {
        match self {
            Which::Claude => {
                "files named with `@` in a prompt, what you type behind `!`, and, unless they are an administrator's, sessions with `--bare` or \
                 `--safe-mode` and projects that set `disableAllHooks`"
            }
            Which::Codex => {
                "what is typed into a running command, its own web search, and everything while its hook is killed, late, or not trusted by you"
            }
        }
    }

    /// Whether this version knows a hook that blocks when it fails.
    pub fn blocks_since(self, version: &str) -> bool {
        let numbers: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
        self == Which::Claude && numbers.as_slice() >= BLOCKS_SINCE.as_slice()
    }
}

/// Whose settings of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person's, for every project.
    User,
    /// The person's, for one project, or the project's own.
    Project,
    /// An administrator's, for everybody on the machine.
    Managed,
}

impl Scope {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
            Scope::Managed => "managed",
        }
    }

    /// Whose they are, said to the person.
    pub fn whose(self) -> &'static str {
        match self {
            Scope::User => "yours",
            Scope::Project => "the project's",
            Scope::Managed => "the administrator's",
        }
    }
}

/// The first program of that name that can be started, as a shell would find it.
pub fn program(which: Which, path: &[PathBuf]) -> Option<PathBuf> {
    let candidates = path.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(which.name()));
    candidates.into_iter().find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What the program says of its version: the first word that begins with a digit.
///
/// # Errors
/// When it does not start, or says nothing of the kind.
pub fn version(program: &Path) -> Result<String, String> {
    let said = started::ask(program, "--version")?;
    let word = said.split_whitespace().find(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
    let plain = |word: &&str| word.len() < 40 && word.chars().all(|sign| sign.is_ascii_alphanumeric() || ".-+".contains(sign));
    word.filter(plain).map(str::to_owned).ok_or_else(|| "it does not say its version".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, blocks) in [
            ("2.1.295", true),
            ("2.1.1000", true),
            ("2.2", true),
            ("3.0.0-beta", true),
            ("2.1.294", false),
            ("2.1", false),
            ("", false),
            ("x", false),
        ] {
            assert_eq!(Which::Claude.blocks_since(version), blocks, "{version}");
            assert!(!Which::Codex.blocks_since(version));
        }
    }
}
