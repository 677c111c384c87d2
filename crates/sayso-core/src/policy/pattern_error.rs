//! Why a pattern of a rule is refused.

use std::fmt;

use crate::paths::BracesError;

/// Why a pattern is refused: one of paths, commands, addresses or tools, in a policy file or at a prompt.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    Braces(BracesError),
    // Of a path.
    Empty,
    BackslashOrNul,
    HomeOfOthers,
    Parent,
    StarsInName {
        name: String,
    },
    RelativeWorkspace,
    /// Only a rule of a policy file reaches there.
    OutsideWorkspace {
        path: String,
    },
    // Of a command.
    NoWords,
    ControlCharacter,
    OperatorOfShell(char),
    OpenQuote,
    // Of an address.
    CharacterInAddress,
    Scheme(String),
    DomainPrefix,
    Port(String),
    NoHost,
    StarInLabel,
    // Of a tool.
    NotServerAndTool,
    CharacterInMcpName,
    NoToolName,
    /// A pattern of tools is for a policy file.
    SeveralTools,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PatternError::Braces(error) => return error.fmt(f),
            PatternError::Empty => "the pattern is empty",
            PatternError::BackslashOrNul => "a path pattern holds no backslash and no NUL",
            PatternError::HomeOfOthers => "`~name` is not known here; write the absolute path",
            PatternError::Parent => "a path pattern holds no `..`",
            PatternError::StarsInName { name } => {
                return write!(f, "`**` stands alone between slashes, not in `{name}`");
            }
            PatternError::RelativeWorkspace => "a workspace is named by an absolute pattern",
            PatternError::OutsideWorkspace { path } => {
                return write!(
                    f,
                    "`{path}` is not a path in the workspace; only a rule of your own policy file reaches outside"
                );
            }
            PatternError::NoWords => "the pattern has no words",
            PatternError::ControlCharacter => "the pattern holds a control character",
            PatternError::OperatorOfShell(sign) => {
                return write!(
                    f,
                    "`{sign}` has no place in a pattern, which is about one command"
                );
            }
            PatternError::OpenQuote => "a quote is not closed",
            PatternError::CharacterInAddress => {
                "an address pattern holds no blanks, backslashes or control characters"
            }
            PatternError::Scheme(scheme) => return write!(f, "`{scheme}` is not http or https"),
            PatternError::DomainPrefix => "write the host alone, without `domain:`",
            PatternError::Port(port) => return write!(f, "`{port}` is not a port"),
            PatternError::NoHost => "the pattern names no plain host",
            PatternError::StarInLabel => {
                "`*` in a host stands for whole labels, as in `*.example.com`"
            }
            PatternError::NotServerAndTool => {
                "an MCP pattern is `server/tool`, such as `github/get_*`"
            }
            PatternError::CharacterInMcpName => {
                "an MCP pattern names a server and a tool in plain characters"
            }
            PatternError::NoToolName => "a tool pattern is a name",
            PatternError::SeveralTools => {
                "name one tool; a pattern of tools is for your own policy file"
            }
        })
    }
}

impl std::error::Error for PatternError {}

impl From<BracesError> for PatternError {
    fn from(error: BracesError) -> Self {
        PatternError::Braces(error)
    }
}
