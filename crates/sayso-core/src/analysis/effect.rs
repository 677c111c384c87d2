//! What an operation would do, in parts that the policy can judge one by one.

use crate::analysis::fact::PathFact;

/// One thing an operation would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What is done.
    pub kind: EffectKind,
    /// Whether it happens for sure when the operation runs, or only may happen.
    pub certain: bool,
    /// To what it is done.
    pub target: Target,
    /// How it is done, where that matters to a rule.
    pub manner: Manner,
    /// Which command of the line does it (an index into [`Reading::commands`](crate::analysis::draft::Reading)); none for tools that are no shell.
    pub part: Option<usize>,
    /// Plain words on why, for the person: "runs the project's own code".
    pub note: Option<String>,
    /// Which bytes of the command text show it, from the first to behind the last.
    pub at: Option<(usize, usize)>,
}

/// What is done to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectKind {
    /// Looks at a file or folder.
    Read,
    /// Makes or changes a file or folder, or moves it away.
    Write,
    /// Removes a file or folder.
    Delete,
    /// Starts a program or an agent whose own effects are not all known.
    Run,
    /// Talks to another machine.
    Connect,
    /// Changes the environment of later commands.
    Environment,
    /// Gains rights.
    Privilege,
    /// Signals a process.
    Signal,
    /// Something that is not known.
    Unknown,
}

/// What an effect is done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing that can be named.
    Nothing,
    /// A file or folder.
    Path(Place),
    /// A file or folder that is only known at run time (`> "$OUT"`), with the text that names it.
    UnknownPath(String),
    /// A URL that could be read whole.
    Url(crate::call::url::Url),
    /// A host, or a URL that could not be read, as written.
    Host(String),
    /// The command with index [`Effect::part`].
    Command,
    /// A tool by the name it was called with.
    Tool(String),
    /// A tool of an MCP server.
    McpTool {
        /// The server's name at the door.
        server: String,
        /// The tool's name.
        tool: String,
    },
    /// Another agent.
    Agent(String),
}

/// A path as it was written, and after [`settle`](crate::analysis::draft::Draft::settle) what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// As the caller wrote it.
    pub written: String,
    /// Which [`Question`](crate::analysis::fact::Question) asks for it.
    pub question: usize,
    /// The answer; none until it is settled, and then none only if the world did not answer.
    pub fact: Option<PathFact>,
}

/// How an effect is done. All false is the plain case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// Everything below the target too.
    pub recursive: bool,
    /// Replaces what is there, asked for by a tool that is for just that (`file_create_overwrite`).
    pub overwrite: bool,
    /// The target goes somewhere else (the source of a move).
    pub moved_away: bool,
    /// Done by a redirect, which no rule for the command covers.
    pub redirect: bool,
    /// Done by a file tool, with the content in the call, and not by a command.
    pub file_tool: bool,
    /// Only makes a folder.
    pub makes_folder: bool,
    /// Changes who may use it, and not what is in it.
    pub permissions: bool,
    /// A write that a git subcommand makes in its own repository data.
    pub repository: bool,
    /// Comes from an option or form that the table of programs does not list; a rule covers it only by spelling the option out.
    pub unlisted: bool,
    /// Runs a program whose effects are all listed; only such a run can be called read-only.
    pub known_program: bool,
    /// Only its name and what is known of it unopened are shown, by the shell that looks for the names of a pattern or by a program such as
    /// `ls`: where nothing is there, nothing is read, and a file's secret stays in it.
    pub listing: bool,
    /// A word that is an option on most systems and a file on some, or another reading of a path: where there is no such file, it means
    /// nothing.
    pub maybe_option: bool,
    /// Deletes a name that is not there, and that nothing before it in the line could have made.
    pub absent: bool,
    /// A word of a program whose effects are not all known names it: it counts only where the path is there, and is outside of the
    /// workspace, secret or protected.
    pub named: bool,
    /// Follows from an argument of a tool of an MCP server: a rule for the tool covers it, too.
    pub argument: bool,
}

impl Effect {
    /// A certain effect with nothing special about it.
    pub fn new(kind: EffectKind, target: Target) -> Self {
        Effect {
            kind,
            certain: true,
            target,
            manner: Manner::default(),
            part: None,
            note: None,
            at: None,
        }
    }

    /// An effect that is not known, with the reason.
    pub fn unknown(note: impl Into<String>) -> Self {
        Effect {
            certain: false,
            note: Some(note.into()),
            ..Effect::new(EffectKind::Unknown, Target::Nothing)
        }
    }

    /// The settled place, if the target is a path.
    pub fn place(&self) -> Option<&Place> {
        match &self.target {
            Target::Path(place) => Some(place),
            _ => None,
        }
    }
}

impl EffectKind {
    /// The word used in JSON and in messages.
    pub fn word(self) -> &'static str {
        match self {
            EffectKind::Read => "read",
            EffectKind::Write => "write",
            EffectKind::Delete => "delete",
            EffectKind::Run => "run",
            EffectKind::Connect => "connect",
            EffectKind::Environment => "environment",
            EffectKind::Privilege => "privilege",
            EffectKind::Signal => "signal",
            EffectKind::Unknown => "unknown",
        }
    }
}
