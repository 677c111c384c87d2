//! What can be wrong with MCP servers: their names, what the person says of them, and what they say themselves.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use sayso_core::call::operation::Malformed;
use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::visible::visible;
use sayso_store::{FolderError, WriteError};
use sayso_tools::mcp::McpError;
use thiserror::Error;

use super::servers_file::FILE;
use crate::child_process::ChildError;

/// Why a text cannot be the name of a server.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the message says it")]
pub enum NameError {
    #[error("the name of a server is up to 64 letters, digits, `_`, `.` and `-`")]
    NotPlain,
    #[error("the name of a server must not hold `__`")]
    Joined,
    #[error("the server has no plain name by its command ({0}); give it one with `--name`")]
    NotByCommand(Box<NameError>),
}

/// Why a file of the person about servers or tools cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum ConfigError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("others can write it; run `chmod go-w` on it")]
    OthersWrite,
    #[error("it is no file, or larger than 1 MiB")]
    NotASmallFile,
    #[error("{}", .0.message)]
    NotYaml(Diagnostic),
    #[error("`version: 1` is missing")]
    NoVersion,
    #[error("{0} stands where a map should")]
    NotAMap(&'static str),
    #[error("the key `{key}` is not known; there are {known}")]
    UnknownKey { key: String, known: String },
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("`{key}` is no list of texts")]
    NotTexts { key: &'static str },
    #[error("`command` is no list of a program and its arguments")]
    NoProgram,
    #[error("`workspace` is neither true nor false")]
    NotABool,
    #[error("`environment` has a value that is no text")]
    VariableNotText,
    #[error("`{0}` cannot be the name of a variable")]
    VariableName(String),
    #[error("a NUL character can stand nowhere")]
    Nul,
    #[error("a tool has no `tool: server/name`")]
    Unnamed,
    #[error("`{0}` is not `server/name`")]
    NotServerAndTool(String),
    #[error("`{0}` is described twice")]
    Twice(String),
    #[error("`{argument}: {word}` means nothing; there are {known}")]
    UnknownMeaning {
        argument: String,
        word: String,
        known: String,
    },
    #[error("`risk` can only be `high`: nothing that is said of a tool lowers it")]
    LowersRisk,
    #[error("`payload` is no list of names")]
    PayloadNotNames,
    #[error("`ask` has no `says`: what the person reads")]
    NothingToRead,
    #[error("an example has no `arguments`")]
    ExampleWithoutArguments,
    #[error("{}", .0.0)]
    ExampleMalformed(Malformed),
    #[error("an example comes to `{found}`, and not to `{wanted}`")]
    ExampleDiffers { found: String, wanted: String },
    #[error("`{name}`: {source}")]
    In {
        name: String,
        source: Box<ConfigError>,
    },
    #[error("`{}` cannot be used: {source}", .path.display())]
    Unusable {
        path: PathBuf,
        source: Box<ConfigError>,
    },
}

impl ConfigError {
    /// The same, said of this server or tool.
    pub(super) fn of(self, name: &str) -> ConfigError {
        ConfigError::In {
            name: name.to_owned(),
            source: Box::new(self),
        }
    }

    /// The same, said of this file.
    pub(super) fn in_file(self, path: impl Into<PathBuf>) -> ConfigError {
        ConfigError::Unusable {
            path: path.into(),
            source: Box::new(self),
        }
    }
}

/// Why what was approved of a server cannot be read or kept.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum PinsError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the folder of MCP servers is missing")]
    NoFolder,
    #[error("what was approved cannot be kept: {0}")]
    NotLocked(#[from] io::Error),
    #[error("{}", .0.told("what was approved cannot be kept"))]
    NotWritten(#[from] WriteError),
    #[error("what was approved of this MCP server cannot be read ({why}); remove `{}`", .path.display())]
    Damaged { path: PathBuf, why: Damage },
}

/// What is wrong with a file of what was approved.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum Damage {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{}", .0.message)]
    NotJson(Diagnostic),
    #[error("something is missing")]
    Incomplete,
}

/// Why the list of a server's tools cannot be taken, or a call of one of them.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum CatalogueError {
    #[error("{}", .0.message)]
    NotJson(Diagnostic),
    #[error("it has more than {0} tools")]
    TooMany(usize),
    #[error("the tool `{}` stands there twice", visible(.0))]
    Twice(String),
    #[error("it was judged without a look at its server")]
    JudgedBlind,
    #[error(
        "meanwhile the server says something else of the tool; call it again to see what changed"
    )]
    SaysOtherwise,
    #[error(
        "meanwhile something else was approved under this name; call it again to see what changed"
    )]
    OtherApproved,
    #[error(transparent)]
    Pins(#[from] PinsError),
}

/// Why a server of the person cannot be called.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum ServerError {
    #[error(transparent)]
    Config(Arc<ConfigError>),
    #[error("there is no MCP server `{}`; `{FILE}` in sayso's own configuration has {known}", visible(.name))]
    Unknown { name: String, known: String },
    #[error("the MCP server `{server}`: {source}")]
    NotFound {
        server: String,
        source: ProgramError,
    },
    #[error("the MCP server `{server}` cannot be used: {source}")]
    Unusable { server: String, source: UseError },
    #[error("the program of the server changed while it was asked about; call it again")]
    ProgramChanged,
    #[error("what the server says of the tool is not what was judged; call it again")]
    ToolChanged,
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
}

/// Why the program of a server is not there.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum ProgramError {
    #[error("there is no command")]
    NoCommand,
    #[error("there is no program `{}`", visible(.0))]
    NoProgram(String),
}

/// Why a server cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum UseError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Child(#[from] ChildError),
    #[error(transparent)]
    Client(#[from] McpError),
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error("it is not there")]
    NotThere,
    #[error("it ended")]
    Ended,
}
