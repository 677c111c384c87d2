//! `sayso install mcp CLIENT` and `sayso uninstall mcp CLIENT`: the gateway in front of a client's MCP servers, shown before anything changes.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::ids::Ids;
use sayso_store::journal::{Journal, Sync};

use super::install::{How, around_of, change_node, stop};
use super::install_shown as shown;
use super::{SAY_YES, Stop, confirmed, say};
use crate::exit_code::Exit;
use sayso_agents::install::Plan;
use sayso_agents::install::mcp_client as mcp;
use sayso_agents::install::mcp_client::McpClient;
use sayso_tui::lines::paint::Paint;

/// Put the gateway in front of a client's MCP servers (`sayso install mcp CLIENT`): it shows the change first, and asks.
#[derive(Debug, Args)]
#[command(
    after_help = "Every server that the client starts is started by `sayso mcp` instead; nothing else in the file changes, and installing again changes nothing.\n\
`sayso uninstall mcp CLIENT` takes the gateway away again; `sayso undo` brings the file back as it was.\n\n\
Examples:\n  sayso install mcp claude --project --dry-run\n  sayso install mcp cursor\n  sayso install mcp generic --file ./mcp.json\n\n\
Exit status: 0 done, or nothing to do; 2 something stands against it; 20 you said no."
)]
pub(super) struct InstallMcpArgs {
    /// Whose servers.
    #[arg(value_name = "CLIENT")]
    client: McpClient,

    /// The servers of this project, and not yours.
    #[arg(long)]
    project: bool,

    /// The file with the servers.
    #[arg(long, value_name = "FILE", conflicts_with = "project")]
    file: Option<PathBuf>,

    #[command(flatten)]
    how: How,

    /// Use this sayso though it stands where it may be replaced or removed.
    #[arg(long)]
    anyway: bool,
}

/// `install mcp` is `install-mcp`, and `uninstall mcp` is `uninstall-mcp`.
pub(super) fn joined(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    if let [_, verb, what, ..] = words.as_mut_slice()
        && (*verb == "install" || *verb == "uninstall")
        && *what == "mcp"
    {
        verb.push("-mcp");
        words.remove(2);
    }
    words
}

pub(super) fn run(args: &InstallMcpArgs, is_in: bool) -> Result<Exit, Stop> {
    let around = around_of(args.how.folder.as_deref())?;
    let file = args
        .file
        .as_ref()
        .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    let plan = mcp::plan(
        &around,
        args.client,
        args.project,
        file.as_deref(),
        args.anyway,
        is_in,
    )
    .map_err(stop)?;
    if args.how.json && !args.how.yes && !args.how.dry_run && !plan.edits.is_empty() {
        return Err(Stop::hint(
            "nobody can be asked between lines of JSON",
            "say `--yes` or `--dry-run`",
        ));
    }
    if !args.how.json {
        say(&before(&plan)?)?;
    }
    let nothing_to_do = args.how.dry_run || plan.edits.is_empty();
    if !nothing_to_do && !args.how.yes && !confirmed("change this? [y/N] ", SAY_YES)? {
        say("nothing was changed\n")?;
        return Ok(Exit::Denied);
    }
    let mut undo = None;
    if nothing_to_do {
        if args.how.dry_run && !args.how.json && !plan.edits.is_empty() {
            say("nothing was changed: this only shows it\n")?;
        }
    } else {
        let verb = if is_in { "install" } else { "uninstall" };
        let id = Ids::new().next(verb);
        let journal = Journal::open(&around.state).map_err(Stop::usage)?;
        // Written down first, as every change is.
        let fields = vec![
            ("call", Node::text(&id)),
            (
                "user",
                Value::Number(rustix::process::geteuid().as_raw().to_string()).into(),
            ),
            ("agent", Node::text(format!("mcp {}", args.client.name()))),
            (
                "files",
                Value::List(plan.edits.iter().map(change_node).collect()).into(),
            ),
        ];
        journal
            .append(verb, fields, Sync::Disk)
            .map_err(Stop::usage)?;
        let done = mcp::carry_out(&around, args.client, &plan.edits, &id, !args.how.yes);
        let finished = vec![
            ("call", Node::text(&id)),
            ("succeeded", Value::Bool(done.is_ok()).into()),
        ];
        journal
            .append("finished", finished, Sync::System)
            .map_err(Stop::usage)?;
        undo = Some(done.map_err(stop)?.id);
    }
    match (&undo, args.how.json) {
        (_, true) => say(&format!(
            "{}\n",
            json::write_plain(&as_node(args.client, &plan, undo.as_deref())?)
        ))?,
        (Some(id), false) => say(&format!(
            "done\n`sayso undo {id}` takes this back; restart the client, so that it starts its servers anew\n"
        ))?,
        (None, false) => {}
    }
    Ok(Exit::Allowed)
}

fn before(plan: &Plan) -> Result<String, Stop> {
    let mut out = String::new();
    for edit in &plan.edits {
        let paint = Paint::for_stream(&std::io::stdout());
        out.push_str(
            &shown::unified(
                &edit.file.real,
                edit.file.text.as_deref(),
                edit.after.as_deref(),
                paint,
            )
            .map_err(Stop::usage)?,
        );
        out.push('\n');
    }
    if plan.edits.is_empty() {
        out.push_str("nothing changes in the settings of the client\n");
    }
    out.extend(
        plan.warnings
            .iter()
            .map(|words| format!("! {}\n", visible(words))),
    );
    out.extend(
        plan.notes
            .iter()
            .map(|words| format!("- {}\n", visible(words))),
    );
    Ok(out)
}

fn as_node(client: McpClient, plan: &Plan, undo: Option<&str>) -> Result<Node, Stop> {
    let texts =
        |all: &[String]| -> Node { Value::List(all.iter().map(Node::text).collect()).into() };
    let mut files = Vec::new();
    for edit in &plan.edits {
        let diff = shown::unified(
            &edit.file.real,
            edit.file.text.as_deref(),
            edit.after.as_deref(),
            Paint::PLAIN,
        )
        .map_err(Stop::usage)?;
        files.push(Node::map([
            ("path", Node::text(edit.file.path.to_string_lossy())),
            ("diff", Node::text(diff)),
        ]));
    }
    Ok(Node::map([
        ("client", Node::text(client.name())),
        ("changes", Value::Bool(!plan.edits.is_empty()).into()),
        ("done", Value::Bool(undo.is_some()).into()),
        ("files", Value::List(files).into()),
        ("warnings", texts(&plan.warnings)),
        ("notes", texts(&plan.notes)),
        ("undo", undo.map_or_else(|| Value::Null.into(), Node::text)),
    ]))
}
