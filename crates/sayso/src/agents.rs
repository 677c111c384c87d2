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
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// Copilot CLI.
    Copilot,
    /// opencode.
    Opencode,
    /// Cline.
    Cline,
    /// Cursor.
    Cursor,
    /// Windsurf.
    Windsurf,
    /// Droid of Factory.
    Droid,
    /// Crush.
    Crush,
    /// Goose.
    Goose,
    /// Any program that can start a command with JSON on its input.
    Generic,
}

/// From here on a hook of Claude Code that fails can be a denial.
pub const BLOCKS_SINCE: [u32; 3] = [2, 1, 295];

/// All of them.
pub const ALL: [Which; 13] = [
    Which::Claude,
    Which::Codex,
    Which::Gemini,
    Which::Qwen,
    Which::Copilot,
    Which::Opencode,
    Which::Cline,
    Which::Cursor,
    Which::Windsurf,
    Which::Droid,
    Which::Crush,
    Which::Goose,
    Which::Generic,
];

/// What is to be known of an agent.
struct Facts {
    name: &'static str,
    title: &'static str,
    /// Its program; none where there is none to look for.
    program: Option<&'static str>,
    /// Whether it was run with sayso, and not only written for.
    was_run: bool,
    /// What its hooks never see.
    not_seen: &'static str,
}

impl Which {
    fn facts(self) -> &'static Facts {
        match self {
            Which::Claude => &CLAUDE,
            Which::Codex => &CODEX,
            Which::Gemini => &GEMINI,
            Which::Qwen => &QWEN,
            Which::Copilot => &COPILOT,
            Which::Opencode => &OPENCODE,
            Which::Cline => &CLINE,
            Which::Cursor => &CURSOR,
            Which::Windsurf => &WINDSURF,
            Which::Droid => &DROID,
            Which::Crush => &CRUSH,
            Which::Goose => &GOOSE,
            Which::Generic => &GENERIC,
        }
    }

    /// Its name: on the command line and in the record.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// The agent of this name.
    pub fn of(name: &str) -> Option<Which> {
        ALL.into_iter().find(|which| which.name() == name)
    }

    /// Whether it was run with sayso, and not only written for.
    pub fn was_run(self) -> bool {
        self.facts().was_run
    }

    /// What its hooks never see.
    pub fn not_seen(self) -> &'static str {
        self.facts().not_seen
    }

    /// Whether this version knows a hook that blocks when it fails.
    pub fn blocks_since(self, version: &str) -> bool {
        let numbers: Vec<u32> = version
            .split('.')
            .map_while(|part| part.parse().ok())
            .collect();
        self == Which::Claude && numbers.as_slice() >= BLOCKS_SINCE.as_slice()
    }
}

const CLAUDE: Facts = Facts {
    name: "claude",
    title: "Claude Code",
    program: Some("claude"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and, unless they are an administrator's, sessions with `--bare` or `--safe-mode` and projects that set `disableAllHooks`",
};

const CODEX: Facts = Facts {
    name: "codex",
    title: "Codex",
    program: Some("codex"),
    was_run: true,
    not_seen: "what is typed into a running command, its own web search, and everything while its hook is killed, late, or not trusted by you",
};

const GEMINI: Facts = Facts {
    name: "gemini",
    title: "Gemini CLI",
    program: Some("gemini"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and everything in a folder that you do not trust in it, where a project switches hooks off, or while its hook is killed or late",
};

const QWEN: Facts = Facts {
    name: "qwen",
    title: "Qwen Code",
    program: Some("qwen"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and everything with `--bare` or `--safe-mode`, where a project sets `disableAllHooks`, or while its hook is killed or late",
};

const COPILOT: Facts = Facts {
    name: "copilot",
    title: "Copilot CLI",
    program: Some("copilot"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and everything while its hook is late",
};

const OPENCODE: Facts = Facts {
    name: "opencode",
    title: "opencode",
    program: Some("opencode"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and everything with `--pure` or where the plugin cannot be loaded",
};

const CLINE: Facts = Facts {
    name: "cline",
    title: "Cline",
    program: Some("cline"),
    was_run: true,
    not_seen: "everything where its plugin cannot be loaded, or where a project brings a plugin of the same name",
};

const CURSOR: Facts = Facts {
    name: "cursor",
    title: "Cursor",
    program: Some("cursor-agent"),
    was_run: false,
    not_seen: "whatever it does without its documented hooks: it was never run with sayso",
};

const WINDSURF: Facts = Facts {
    name: "windsurf",
    title: "Windsurf",
    program: Some("windsurf"),
    was_run: false,
    not_seen: "whatever it does without its documented hooks, and everything while its hook is killed or late: it was never run with sayso",
};

const DROID: Facts = Facts {
    name: "droid",
    title: "Droid",
    program: Some("droid"),
    was_run: false,
    not_seen: "whatever it does without its documented hooks, and everything while its hook is killed or late: it was never run with sayso",
};

const CRUSH: Facts = Facts {
    name: "crush",
    title: "Crush",
    program: Some("crush"),
    was_run: false,
    not_seen: "what its sub-agents do, and everything while its hook is killed or late: it was never run with sayso",
};

const GOOSE: Facts = Facts {
    name: "goose",
    title: "Goose",
    program: Some("goose"),
    was_run: false,
    not_seen: "whatever it does without its documented hooks, and everything while its hook is killed or late: it was never run with sayso",
};

const GENERIC: Facts = Facts {
    name: "generic",
    title: "any other program",
    program: None,
    was_run: false,
    not_seen: "whatever that program does without asking",
};

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
    let name = which.facts().program?;
    let candidates = path
        .iter()
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name));
    candidates.into_iter().find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What the program says of its version: the first word that begins with a digit.
///
/// # Errors
/// When it does not start, or says nothing of the kind.
pub fn version(program: &Path) -> Result<String, String> {
    let said = started::ask(program, "--version")?;
    // It may end a sentence.
    let mut words = said
        .split_whitespace()
        .map(|word| word.trim_end_matches(['.', ',']));
    let word = words.find(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
    let plain = |word: &&str| {
        word.len() < 40
            && word
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || ".-+".contains(sign))
    };
    word.filter(plain)
        .map(str::to_owned)
        .ok_or_else(|| "it does not say its version".to_owned())
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
