//! Puts the gateway in front of the MCP servers in a client's own settings, and takes it away again.

use std::path::{Path, PathBuf};

use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use toml_edit::{Array, DocumentMut, Item};

use super::install_record::write_record;
use super::json_edits::Document;
use super::settings_file::shown;
use super::{Around, Done, Edit, InstallError, Plan, change_files, program, text_of};
use crate::which::Scope;
use sayso_runtime::mcp_servers::name::checked as checked_name;

/// What is to be known of a client of MCP servers.
#[derive(Debug)]
pub struct ClientFacts {
    /// Its name on the command line.
    pub word: &'static str,
    /// The name for rules, and of the gateway's `--client`.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What the help of the command line says of it.
    pub help: &'static str,
    /// Under which key its settings name the servers.
    pub key: &'static str,
    /// Its settings are TOML, not JSON.
    pub is_toml: bool,
    /// The settings that name its servers: the person's, or the project's.
    pub target: fn(&Around, bool) -> Result<PathBuf, InstallError>,
}

/// A client of MCP servers. The registry names all of them.
#[derive(Clone, Copy, Debug)]
pub struct McpClient(&'static ClientFacts);

impl McpClient {
    /// The client with these facts.
    pub const fn new(facts: &'static ClientFacts) -> McpClient {
        McpClient(facts)
    }

    /// What is to be known of it.
    pub fn facts(self) -> &'static ClientFacts {
        self.0
    }

    /// The name for rules, and of the gateway's `--client`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// The name of its records.
    pub fn record(self) -> String {
        format!("mcp-{}", self.name())
    }

    fn key(self) -> &'static str {
        self.0.key
    }

    /// The settings that name its servers.
    ///
    /// # Errors
    /// When nobody knows where they are.
    pub fn target(
        self,
        around: &Around,
        project: bool,
        file: Option<&Path>,
    ) -> Result<PathBuf, InstallError> {
        match file {
            Some(file) => Ok(file.to_owned()),
            None => (self.0.target)(around, project),
        }
    }
}

/// The home folder, for settings that are in it.
///
/// # Errors
/// When it is not known.
pub fn home(around: &Around) -> Result<PathBuf, InstallError> {
    around.home.clone().ok_or(InstallError::NoHome)
}

/// A server as a client starts it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Start {
    command: String,
    args: Vec<String>,
}

impl Start {
    /// The same behind the gateway.
    fn wrapped(&self, own: &str, name: &str, client: McpClient) -> Start {
        let mut args: Vec<String> = [
            "mcp",
            "--name",
            name,
            "--client",
            client.name(),
            "--",
            &self.command,
        ]
        .map(str::to_owned)
        .to_vec();
        args.extend(self.args.iter().cloned());
        Start {
            command: own.to_owned(),
            args,
        }
    }

    fn is_wrapped(&self) -> bool {
        Path::new(&self.command)
            .file_name()
            .is_some_and(|name| name == "sayso")
            && self.args.first().is_some_and(|word| word == "mcp")
    }

    /// The same without the gateway.
    fn bare(&self) -> Option<Start> {
        let at = self
            .args
            .iter()
            .position(|word| word == "--")
            .filter(|_| self.is_wrapped())?;
        let (command, args) = self.args.get(at + 1..)?.split_first()?;
        Some(Start {
            command: command.clone(),
            args: args.to_vec(),
        })
    }
}

/// What has to be done to put the gateway in front of all servers, or to take it away.
///
/// # Errors
/// Why it cannot be done.
pub fn plan(
    around: &Around,
    client: McpClient,
    project: bool,
    file: Option<&Path>,
    anyway: bool,
    is_in: bool,
) -> Result<Plan, InstallError> {
    if is_in {
        program::check(&around.program)?;
        if let Some(doubt) = program::doubt(&around.program, around).filter(|_| !anyway) {
            return Err(InstallError::DoubtfulProgram {
                path: around.program.clone(),
                starter: "gateway",
                doubt,
            });
        }
    }
    let target = client.target(around, project, file)?;
    let file = super::open(
        around,
        if project { Scope::Project } else { Scope::User },
        &target,
    )?;
    let mut plan = Plan::default();
    let Some(text) = file.text.clone() else {
        return Err(InstallError::NoServers(target));
    };
    let own = text_of(&around.program)?;
    let turn = |name: &str, start: &Start, plan: &mut Plan| match (is_in, start.is_wrapped()) {
        (true, true) | (false, false) => None,
        (true, false) => match checked_name(name) {
            Ok(name) => Some(start.wrapped(own, &name, client)),
            Err(why) => {
                plan.warnings.push(format!(
                    "the server `{}` stays as it is: {why}",
                    visible(name)
                ));
                None
            }
        },
        (false, true) => start.bare(),
    };
    let after = if client.0.is_toml {
        in_toml(&target, &text, client, &mut plan, &turn)?
    } else {
        in_json(&target, &text, client, &mut plan, &turn)?
    };
    plan.change(file, Some(after), Some(text), Vec::new());
    Ok(plan)
}

type Turn<'a> = &'a dyn Fn(&str, &Start, &mut Plan) -> Option<Start>;

fn in_json(
    target: &Path,
    text: &str,
    client: McpClient,
    plan: &mut Plan,
    turn: Turn<'_>,
) -> Result<String, InstallError> {
    let mut document = Document::new(text_of(target)?, Some(text));
    let root = document.read()?;
    let names: Vec<String> = root
        .get(client.key())
        .map_or(&[][..], Node::entries)
        .iter()
        .map(|entry| entry.key.clone())
        .collect();
    if names.is_empty() {
        plan.notes
            .push(format!("{} names no servers", shown(target)));
    }
    for name in names {
        // Read again: every change moves what follows.
        let root = document.read()?;
        let Some(server) = root
            .get(client.key())
            .and_then(|servers| servers.get(&name))
        else {
            continue;
        };
        let texts = |key: &str| {
            server
                .get(key)
                .map_or(&[][..], Node::items)
                .iter()
                .map(|item| item.as_text().map(str::to_owned))
                .collect::<Option<Vec<_>>>()
        };
        let (Some(command), Some(args)) =
            (server.get("command").and_then(Node::as_text), texts("args"))
        else {
            plan.notes.push(not_started(&name));
            continue;
        };
        let start = Start {
            command: command.to_owned(),
            args,
        };
        if let Some(start) = turn(&name, &start, plan) {
            document.set(
                &[client.key(), &name, "command"],
                Node::text(&start.command),
            )?;
            document.set(
                &[client.key(), &name, "args"],
                Value::List(start.args.iter().map(Node::text).collect()).into(),
            )?;
        }
    }
    Ok(document.text)
}

/// The programs that a client's settings start as a gateway.
pub fn gateways(client: McpClient, text: &str) -> Vec<String> {
    let servers: Vec<Start> = if client.0.is_toml {
        toml_servers(client, text)
    } else {
        json_servers(client, text)
    };
    servers
        .into_iter()
        .filter(Start::is_wrapped)
        .map(|start| start.command)
        .collect()
}

fn json_servers(client: McpClient, text: &str) -> Vec<Start> {
    let Ok(root) = Document::new("", Some(text)).read() else {
        return Vec::new();
    };
    let start = |server: &Node| {
        let args = server
            .get("args")
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(Node::as_text)
            .map(str::to_owned)
            .collect();
        Some(Start {
            command: server.get("command").and_then(Node::as_text)?.to_owned(),
            args,
        })
    };
    root.get(client.key())
        .map_or(&[][..], Node::entries)
        .iter()
        .filter_map(|entry| start(&entry.node))
        .collect()
}

fn toml_servers(client: McpClient, text: &str) -> Vec<Start> {
    let Ok(document) = text.parse::<DocumentMut>() else {
        return Vec::new();
    };
    let start = |server: &Item| {
        let table = server.as_table_like()?;
        let args = table.get("args").and_then(Item::as_array);
        let args = args.map_or(Vec::new(), |args| {
            args.iter()
                .filter_map(|word| word.as_str().map(str::to_owned))
                .collect()
        });
        Some(Start {
            command: table.get("command").and_then(Item::as_str)?.to_owned(),
            args,
        })
    };
    let servers = document.get(client.key()).and_then(Item::as_table_like);
    servers.map_or(Vec::new(), |servers| {
        servers
            .iter()
            .filter_map(|(_, server)| start(server))
            .collect()
    })
}

/// A server that the client only talks to.
fn not_started(name: &str) -> String {
    format!(
        "the server `{}` is not started by the client; `sayso mcp --url` stands in front of it by itself",
        visible(name)
    )
}

fn in_toml(
    target: &Path,
    text: &str,
    client: McpClient,
    plan: &mut Plan,
    turn: Turn<'_>,
) -> Result<String, InstallError> {
    let mut document: DocumentMut = text.parse().map_err(|source| InstallError::NotToml {
        path: target.to_owned(),
        source,
    })?;
    let Some(servers) = document
        .get_mut(client.key())
        .and_then(Item::as_table_like_mut)
    else {
        plan.notes
            .push(format!("{} names no servers", shown(target)));
        return Ok(text.to_owned());
    };
    for (name, server) in servers.iter_mut() {
        let name = name.get().to_owned();
        let Some(table) = server.as_table_like_mut() else {
            continue;
        };
        let args = table.get("args").and_then(Item::as_array);
        let args: Option<Vec<String>> = args.map_or(Some(Vec::new()), |args| {
            args.iter()
                .map(|word| word.as_str().map(str::to_owned))
                .collect()
        });
        let (Some(command), Some(args)) = (table.get("command").and_then(Item::as_str), args)
        else {
            plan.notes.push(not_started(&name));
            continue;
        };
        let start = Start {
            command: command.to_owned(),
            args,
        };
        if let Some(start) = turn(&name, &start, plan) {
            table.insert("command", toml_edit::value(start.command));
            table.insert(
                "args",
                toml_edit::value(start.args.iter().collect::<Array>()),
            );
        }
    }
    Ok(document.to_string())
}

/// Carries a plan out: the file changes whole or not at all, only if it still is what was shown, and what was there is kept.
///
/// # Errors
/// Why nothing was changed.
pub fn carry_out(
    around: &Around,
    client: McpClient,
    edits: &[Edit],
    id: &str,
    asked: bool,
) -> Result<Done, InstallError> {
    let (state, name) = (&around.state, client.record());
    change_files(around, Scope::User, edits, id, asked, &|| {
        let record = |edit: &Edit| write_record(state, &name, Scope::User, &edit.file.path);
        edits.iter().try_for_each(record)
    })
}
