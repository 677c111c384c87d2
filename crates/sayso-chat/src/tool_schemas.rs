//! The tools that a model is offered, and the call that becomes of what it wrote.

use std::collections::BTreeMap;
use std::sync::Arc;

use sayso_core::call::operation::{Agent, Call};
use sayso_core::call::tool;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};

use super::conversation::Wanted;
use super::model::Offered;
use sayso_runtime::mcp_servers::Servers;

/// Why the model's output is not a call, in words for the model. Nothing was run.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum WantedError {
    #[error("the person stopped this. nothing was run")]
    Stopped,
    #[error("there is no tool `{}`; the tools are {}. nothing was run", visible(.0), .1.join(", "))]
    NoTool(String, Vec<String>),
    #[error("the arguments of `{}` are no JSON: {}. nothing was run", .0, visible(.1))]
    NotJson(String, String),
    #[error("the arguments of `{0}` are {1}, and not an object. nothing was run")]
    NoObject(String, &'static str),
}

/// A tool of a server.
pub struct Tool {
    /// The server.
    pub server: String,
    /// What the server calls it.
    pub tool: String,
    /// As a model is told of it.
    pub offered: Offered,
}

/// A tool of sayso's own, with its arguments: name, what it means, and whether it is needed.
struct Row(
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str, bool)],
);

const ROWS: &[Row] = &[
    Row(
        "terminal",
        "Run a command with bash in the workspace. Prefer the file tools for reading and changing files.",
        &[
            ("command", "The command.", true),
            (
                "timeout",
                "Seconds it may run; 90 where nothing is said.",
                false,
            ),
        ],
    ),
    Row(
        "file_read",
        "Read a text file.",
        &[
            ("path", "The file.", true),
            ("offset", "The first line, from 1.", false),
            ("limit", "How many lines.", false),
        ],
    ),
    Row(
        "list",
        "List a folder.",
        &[
            ("path", "The folder.", false),
            ("recursive", "Also the folders below: true or false.", false),
        ],
    ),
    Row(
        "glob",
        "Find files by their names.",
        &[
            ("pattern", "Such as src/**/*.rs.", true),
            ("path", "The folder to look in.", false),
        ],
    ),
    Row(
        "file_grep",
        "Search in files.",
        &[
            ("pattern", "A regular expression.", true),
            ("path", "The file or folder.", false),
            ("include", "Only files like this, such as *.rs.", false),
        ],
    ),
    Row(
        "file_edit",
        "Replace a text in a file. The text has to occur exactly once.",
        &[
            ("path", "The file.", true),
            ("find", "The text as it stands there.", true),
            ("replace", "What comes in its place.", true),
        ],
    ),
    Row(
        "file_write",
        "Write a whole file, new or not.",
        &[("path", "The file.", true), ("content", "All of it.", true)],
    ),
    Row(
        "file_append",
        "Add to the end of a file.",
        &[
            ("path", "The file.", true),
            ("content", "What is added.", true),
        ],
    ),
    Row(
        "file_delete",
        "Delete a file.",
        &[("path", "The file.", true)],
    ),
    Row(
        "file_move",
        "Move or rename a file.",
        &[("from", "The file.", true), ("to", "Its new name.", true)],
    ),
    Row(
        "file_mkdir",
        "Make a folder.",
        &[("path", "The folder.", true)],
    ),
    Row(
        "webfetch",
        "Fetch an address of the web with GET.",
        &[("url", "The address.", true)],
    ),
];

/// sayso's own tools, as models are told of them.
fn own() -> Vec<Offered> {
    ROWS.iter()
        .map(|Row(name, about, arguments)| Offered {
            name: (*name).to_owned(),
            about: (*about).to_owned(),
            schema: schema(arguments),
        })
        .collect()
}

fn schema(arguments: &[(&str, &str, bool)]) -> Node {
    let kind = |name: &str| match name {
        "timeout" | "offset" | "limit" => "integer",
        "recursive" => "boolean",
        _ => "string",
    };
    let property = |(name, about, _): &(&str, &str, bool)| {
        (
            (*name).to_owned(),
            Node::map([
                ("type", Node::text(kind(name))),
                ("description", Node::text(*about)),
            ]),
        )
    };
    let required = arguments
        .iter()
        .filter(|(_, _, needed)| *needed)
        .map(|(name, ..)| Node::text(*name))
        .collect();
    Node::map([
        ("type", Node::text("object")),
        ("properties", Node::map(arguments.iter().map(property))),
        ("required", Value::List(required).into()),
    ])
}

/// Where calls come from.
#[derive(Clone, Debug)]
pub struct Around {
    /// The workspace, absolute.
    pub workspace: String,
    /// The agent, as the person named it.
    pub agent: String,
    /// The session.
    pub session: String,
}

/// Everything that a model may call in a turn.
#[derive(Default)]
pub struct Tools {
    /// As it is told of them.
    pub offered: Vec<Offered>,
    /// What the names of tools of MCP servers stand for. Nothing that a model writes names a server by itself.
    served: BTreeMap<String, (String, String)>,
    servers: Option<Arc<Servers>>,
}

impl Tools {
    /// sayso's own tools, and those of MCP servers.
    pub fn of(servers: Arc<Servers>, served: Vec<Tool>) -> Tools {
        let mut out = Tools {
            offered: own(),
            served: BTreeMap::new(),
            servers: Some(servers),
        };
        for tool in served {
            out.served
                .insert(tool.offered.name.clone(), (tool.server, tool.tool));
            out.offered.push(tool.offered);
        }
        out
    }

    /// The call that a model wants, under an id of ours: what a model writes names no call in the record.
    ///
    /// # Errors
    /// Why there is none, in words for the model. Nothing could have run.
    pub fn call(&self, wanted: &Wanted, id: String, around: &Around) -> Result<Call, WantedError> {
        let served = self.served.get(&wanted.tool);
        let own = || {
            tool::find(&wanted.tool)
                .filter(|known| ROWS.iter().any(|row| row.0 == known.name))
                .map(|known| known.name)
        };
        let Some(name) = served.map(|_| wanted.tool.as_str()).or_else(own) else {
            return Err(WantedError::NoTool(
                wanted.tool.clone(),
                self.offered.iter().map(|tool| tool.name.clone()).collect(),
            ));
        };
        let tool = || name.to_owned();
        let args = json::read(&wanted.arguments, &Limits::default())
            .map_err(|finding| WantedError::NotJson(tool(), finding.message))?;
        if !matches!(args.value, Value::Map(_)) {
            return Err(WantedError::NoObject(tool(), args.kind_word()));
        }
        let (name, args) = match served {
            None => (name, args),
            Some((server, tool)) => (
                "mcp",
                Node::map([
                    ("server", Node::text(server)),
                    ("tool", Node::text(tool)),
                    ("arguments", args),
                ]),
            ),
        };
        let call = Call {
            id,
            cwd: around.workspace.clone(),
            agent: Agent {
                name: around.agent.clone(),
                parents: Vec::new(),
            },
            session: around.session.clone(),
            ..Call::new(name, args, around.workspace.clone())
        };
        Ok(match &self.servers {
            Some(servers) if served.is_some() => servers.known(call),
            _ => call,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_is_one_that_the_gate_knows() {
        for Row(name, _, arguments) in ROWS {
            let known = tool::find(name).unwrap();
            for (argument, ..) in *arguments {
                assert!(
                    known
                        .arguments
                        .iter()
                        .any(|one| one.names.contains(argument)),
                    "{name} {argument}"
                );
            }
            for needed in known.arguments.iter().filter(|one| one.required) {
                assert!(
                    arguments
                        .iter()
                        .any(|(argument, _, must)| *must && needed.names.contains(argument)),
                    "{name}: {:?}",
                    needed.names
                );
            }
        }
    }

    #[test]
    fn what_is_no_call_is_told_to_the_model() {
        let tools = Tools {
            offered: own(),
            ..Tools::default()
        };
        let around = Around {
            workspace: "/w".to_owned(),
            agent: "chat".to_owned(),
            session: "s".to_owned(),
        };
        let wanted = |tool: &str, arguments: &str| Wanted {
            id: "1".to_owned(),
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
        };
        for (tool, arguments, says) in [
            ("no\u{1b}tool", "{}", "there is no tool `no␛tool`"),
            ("delegate", "{}", "there is no tool"),
            (
                "mcp",
                "{\"server\": \"s\", \"tool\": \"t\"}",
                "there is no tool",
            ),
            ("mcp__s__t", "{}", "there is no tool"),
            ("terminal", "{\"command\": ", "are no JSON"),
            (
                "terminal",
                "{\"command\":\"a\",\"command\":\"b\"}",
                "are no JSON",
            ),
            ("terminal", "[1]", "are a list"),
        ] {
            let error = tools
                .call(&wanted(tool, arguments), "x".to_owned(), &around)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(says) && error.ends_with("nothing was run"),
                "{tool} {arguments}: {error}"
            );
        }
        let call = tools
            .call(
                &wanted("bash", "{\"command\": \"ls\"}"),
                "x".to_owned(),
                &around,
            )
            .unwrap();
        assert_eq!(
            (
                call.tool.as_str(),
                call.id.as_str(),
                call.agent.name.as_str()
            ),
            ("terminal", "x", "chat")
        );
    }
}
