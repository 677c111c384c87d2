//! Whether a rule matches one of its own examples: commands are read by the shell reader, the rest as what it names.

use std::fmt;

use crate::call::operation::Call;
use crate::call::tool;
use crate::call::url::{BadUrl, Url};
use crate::policy::command_pattern::{CommandReader, Reach};
use crate::policy::decision::Decision;
use crate::policy::glob::{Subject as PathSubject, absolute, wild};
use crate::policy::rule::{Matcher, Rule, Subject};

/// Why an example cannot be read, behind what it is.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExampleError {
    Unread,
    NoAddress(BadUrl),
    NoServerTool,
}

impl fmt::Display for ExampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExampleError::Unread => {
                f.write_str("cannot be read whole, so no allow rule matches it")
            }
            ExampleError::NoAddress(why) => write!(f, "is no address: {}", why.0),
            ExampleError::NoServerTool => f.write_str("is not `server/tool`"),
        }
    }
}

impl std::error::Error for ExampleError {}

/// Whether `text` is matched. An example that cannot be read is an error.
pub fn matches(rule: &Rule, text: &str, reader: &dyn CommandReader) -> Result<bool, ExampleError> {
    let reach = if rule.decision == Decision::Allow {
        Reach::Narrow
    } else {
        Reach::Wide
    };
    let hit = matcher(&rule.matcher, text, reach, reader)?;
    // What an exception takes out of an allow rule is over-approximated, what it takes out of a deny rule is not.
    let out = match &rule.except {
        Some(except) => matcher(
            except,
            text,
            if reach == Reach::Narrow {
                Reach::Wide
            } else {
                Reach::Narrow
            },
            reader,
        )?,
        None => false,
    };
    Ok(hit && !out)
}

fn matcher(
    matcher: &Matcher,
    text: &str,
    reach: Reach,
    reader: &dyn CommandReader,
) -> Result<bool, ExampleError> {
    // Examples stand in an imaginary workspace; patterns of workspaces and homes are tried below these.
    let path = |text: &str| match text.strip_prefix("~/") {
        Some(rest) => format!("/home/someone/{rest}"),
        None => absolute("/workspace", text),
    };
    let subject = |path: &str, glob: &crate::policy::glob::PathGlob| {
        glob.matches(PathSubject {
            path,
            workspace: "/workspace",
            home: Some("/home/someone"),
        })
    };
    Ok(match &matcher.subject {
        Subject::Command(patterns) => match reader.commands(text) {
            Some(commands) => {
                let hit = |command: &crate::analysis::draft::Command| {
                    patterns
                        .iter()
                        .any(|pattern| pattern.matches(command, reach))
                };
                if reach == Reach::Narrow {
                    commands.iter().all(hit)
                } else {
                    commands.iter().any(hit)
                }
            }
            None if reach == Reach::Narrow => {
                return Err(ExampleError::Unread);
            }
            None => reader.seen(text).iter().any(|words| {
                patterns
                    .iter()
                    .any(|pattern| pattern.matches_seen(words, reader))
            }),
        },
        Subject::CommandRegex(expression) => {
            let joined = reader.commands(text).unwrap_or_default();
            expression.is_match(text, reach)
                || joined
                    .iter()
                    .any(|command| expression.is_match(&command.words.join(" "), reach))
        }
        Subject::Read(globs) | Subject::Write(globs) | Subject::Delete(globs) => {
            let path = path(text);
            globs.iter().any(|glob| subject(&path, glob))
        }
        Subject::Fetch(patterns) => {
            let url = Url::parse(text).map_err(ExampleError::NoAddress)?;
            patterns.iter().any(|pattern| pattern.matches(&url, reach))
        }
        Subject::Mcp(patterns) => {
            let (server, tool) = text.split_once('/').ok_or(ExampleError::NoServerTool)?;
            patterns
                .iter()
                .any(|pattern| pattern.matches(server, tool, reach))
        }
        Subject::Tool(patterns) => {
            let kind = tool::find(text).map_or(tool::Kind::Custom, |row| row.kind);
            patterns.iter().any(|pattern| pattern.matches(text, kind))
        }
        Subject::Delegate(names) => names.iter().any(|name| wild(name, text)),
        Subject::Anything => reach == Reach::Wide,
    })
}

/// The call an example of a command stands for, for `sayso policy test`.
pub fn call(text: &str, workspace: &str) -> Call {
    Call::command(text, workspace)
}
