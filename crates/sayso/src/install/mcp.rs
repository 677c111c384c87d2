//! Puts the gateway in front of the MCP servers in a client's own settings, and takes it away again.

use std::path::{Path, PathBuf};

use sayso_core::node::{Node, Value};
use sayso_core::visible::visible;
use sayso_tools::files::{About, Files, Settings};
use sayso_tools::making::Source;
use sayso_tools::state::State;
use toml_edit::{Array, DocumentMut, Item};

use super::foreign::shown;
use super::kept;
use super::spans::Document;
use super::{Around, Done, Edit, Plan, Refused, program, text_of};
use crate::agents::Scope;
use sayso_runtime::mcp_servers::name::checked as checked_name;

/// A client of MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum McpClient {
    /// Claude Code.
    Claude,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    Vscode,
    /// Codex.
    Codex,
    /// Any client with an `mcp.json`; say which with `--file`.
    Generic,
}

impl McpClient {
    /// The name for rules, and of the gateway's `--client`.
    pub fn name(self) -> &'static str {
        match self {
            McpClient::Claude => "claude",
            McpClient::ClaudeDesktop => "claude-desktop",
            McpClient::Cursor => "cursor",
            McpClient::Vscode => "vscode",
            McpClient::Codex => "codex",
            McpClient::Generic => "mcp",
        }
    }

    /// Every client.
    pub const ALL: [McpClient; 6] = [
        McpClient::Claude,
        McpClient::ClaudeDesktop,
        McpClient::Cursor,
        McpClient::Vscode,
        McpClient::Codex,
        McpClient::Generic,
    ];

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            McpClient::Claude => "Claude Code",
            McpClient::ClaudeDesktop => "Claude Desktop",
            McpClient::Cursor => "Cursor",
            McpClient::Vscode => "Visual Studio Code",
            McpClient::Codex => "Codex",
            McpClient::Generic => "an MCP client",
        }
    }

    /// The name of its records.
    pub fn record(self) -> String {
        format!("mcp-{}", self.name())
    }

    fn key(self) -> &'static str {
        match self {
            McpClient::Vscode => "servers",
            McpClient::Codex => "mcp_servers",
            _ => "mcpServers",
        }
    }

    /// The file with its servers.
    ///
    /// # Errors
    /// When the client has no such file.
    pub fn target(
        self,
        around: &Around,
        project: bool,
        file: Option<&Path>,
    ) -> Result<PathBuf, Refused> {
        if let Some(file) = file {
            return Ok(file.to_owned());
        }
        let home = || {
            around
                .home
                .clone()
                .ok_or_else(|| Refused::new("nobody knows where your home is"))
        };
        let here = |name: &str| Ok(around.folder.join(name));
        let nowhere = |hint: &str| Err(Refused::new("this client has no such file").hint(hint));
        match (self, project) {
            (McpClient::Claude, true) => here(".mcp.json"),
            (McpClient::Claude, false) => Ok(home()?.join(".claude.json")),
            (McpClient::ClaudeDesktop, false) => Ok(home()?.join(if cfg!(target_os = "macos") {
                "Library/Application Support/Claude/claude_desktop_config.json"
            } else {
                ".config/Claude/claude_desktop_config.json"
            })),
            (McpClient::Cursor, true) => here(".cursor/mcp.json"),
            (McpClient::Cursor, false) => Ok(home()?.join(".cursor/mcp.json")),
            (McpClient::Vscode, true) => here(".vscode/mcp.json"),
            (McpClient::Vscode, false) => Ok(home()?.join(".config/Code/User/mcp.json")),
            (McpClient::Codex, true) => here(".codex/config.toml"),
            (McpClient::Codex, false) => Ok(around
                .codex
                .clone()
                .map_or_else(|| home().map(|home| home.join(".codex")), Ok)?
                .join("config.toml")),
            (McpClient::ClaudeDesktop, true) => nowhere("leave `--project` out"),
            (McpClient::Generic, _) => nowhere("say which with `--file`"),
        }
    }
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
) -> Result<Plan, Refused> {
    if is_in {
        program::check(&around.program)?;
        if let Some(doubt) = program::doubt(&around.program, around).filter(|_| !anyway) {
            let words = format!(
                "the program {} is no good for a gateway: {doubt}",
                shown(&around.program)
            );
            return Err(Refused::new(words)
                .hint("put `sayso` where programs stand and run that one, or say `--anyway`"));
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
        return Err(Refused::new(format!("there is no {}", shown(&target)))
            .hint("add a server in the client first"));
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
    let after = match client {
        McpClient::Codex => in_toml(&target, &text, client, &mut plan, &turn)?,
        _ => in_json(&target, &text, client, &mut plan, &turn)?,
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
) -> Result<String, Refused> {
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
    let servers: Vec<Start> = match client {
        McpClient::Codex => toml_servers(client, text),
        _ => json_servers(client, text),
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
) -> Result<String, Refused> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        Refused::new(format!(
            "{} cannot be read: {}",
            shown(target),
            error.message()
        ))
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
) -> Result<Done, Refused> {
    let files = Files::open(&around.state, Settings::default())?;
    let backups = files.backups();
    let in_use = backups.in_use()?;
    let (mut steps, mut kept_in) = (Vec::new(), Vec::new());
    for edit in edits {
        for text in [&edit.file.text, &edit.after].into_iter().flatten() {
            backups.keep(&mut text.as_bytes())?;
        }
        if let State::File {
            digest: Some(digest),
            ..
        } = edit.file.state()
        {
            kept_in.push((edit.file.real.clone(), backups.path(&digest)));
        }
        let more = edit.steps(Scope::User, &steps);
        steps.extend(more);
    }
    for edit in edits {
        kept::write_record(
            &around.state,
            &client.record(),
            Scope::User,
            &edit.file.path,
        )?;
    }
    let workspace = around.folder.to_string_lossy().into_owned();
    let about = About {
        id: id.to_owned(),
        tool: "install".to_owned(),
        workspace,
        asked,
        ..About::default()
    };
    let made = files.carry_out(about, steps, None, &Source::Kept(backups));
    drop(in_use);
    super::changed(around)?;
    match made {
        Ok(made) => Ok(Done {
            id: made.id,
            backups: kept_in,
            remarks: made.remarks,
        }),
        Err(why) => Err(Refused::new(format!(
            "{}; nothing was changed",
            visible(&why)
        ))),
    }
}
