//! `sayso undo`: takes back what sayso's file tools changed, one change or a whole batch.

use std::io::{self, Write};

use clap::Args;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_block};
use sayso_tools::files::{Files, Settings};
use sayso_tools::undo::{self, Plan, Undone};

use super::{SAY_YES, Stop, confirmed, say};
use crate::exit_code::Exit;
use sayso_runtime::record_folder;
use sayso_runtime::undo::{carry_out, plan};
use sayso_tui::lines::paint::Paint;

/// Take back a file change that sayso made: it shows what it will do, and refuses where something changed since.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  sayso undo               takes back the last change\n  sayso undo u12           takes back the change `u12`, as results and `--list` name it\n  sayso undo edit_0        takes back the change of the call `edit_0`\n  sayso undo batch-…       takes back a whole batch\n  sayso undo --list        shows what can be taken back\n\n\
Exit status: 0 done, 1 something stands against it, 2 usage, 20 you said no."
)]
pub(super) struct UndoArgs {
    /// The id of a change (`u12`), of a call or of a batch; without it, the last change.
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Do it without asking.
    #[arg(long, short)]
    yes: bool,

    /// Show what can be taken back, the newest first.
    #[arg(long, conflicts_with_all = ["id", "yes"])]
    list: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl UndoArgs {
    /// Whether it changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        self.list
    }
}

pub(super) fn run(args: &UndoArgs) -> Result<Exit, Stop> {
    let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
    let files = Files::open(&whereabouts.state, Settings::default()).map_err(Stop::usage)?;
    for left in files.recover().left {
        let _ = writeln!(
            io::stderr(),
            "sayso: an earlier run was cut off, and something is left: {}",
            visible(&left)
        );
    }
    if args.list {
        return list(&files, args.json);
    }
    let plan = plan(&files, args.id.as_deref())
        .map_err(|why| Stop::hint(why, "`sayso undo --list` shows what can be taken back"))?;
    if !args.json {
        say(&shown(&plan))?;
    }
    if !plan.conflicts.is_empty() {
        if args.json {
            say(&format!("{}\n", json::write_plain(&as_node(&plan, None))))?;
        }
        return Ok(Exit::Failed);
    }
    if !args.yes && !confirmed("take it back? [y/N] ", SAY_YES)? {
        say("nothing was changed\n")?;
        return Ok(Exit::Denied);
    }
    let done = carry_out(&whereabouts, &files, &plan).map_err(Stop::usage)?;
    match args.json {
        true => say(&format!(
            "{}\n",
            json::write_plain(&as_node(&plan, Some(&done)))
        ))?,
        false => {
            // What was shown already is not said again.
            let news = done
                .words
                .iter()
                .filter(|line| !plan.words.iter().any(|(_, words)| words == *line));
            let words: String = news
                .map(|line| format!("  {}\n", visible_block(line)))
                .collect();
            say(&format!(
                "{words}done; `sayso undo {}` takes this back, too\n",
                done.id
            ))?;
        }
    }
    Ok(Exit::Allowed)
}

fn shown(plan: &Plan) -> String {
    let mut out = String::from("this would\n");
    for (path, words) in &plan.words {
        out.push_str(&format!(
            "  {}: {}\n",
            visible(&path.display().to_string()),
            visible(words)
        ));
    }
    if plan.words.is_empty() {
        out = "everything is back as it was already\n".to_owned();
    }
    for conflict in &plan.conflicts {
        out.push_str(&format!(
            "\n{}: {}\n{}",
            visible(&conflict.path.display().to_string()),
            visible(&conflict.why),
            visible_block(&conflict.diff)
        ));
        if !conflict.diff.ends_with('\n') && !conflict.diff.is_empty() {
            out.push('\n');
        }
    }
    if !plan.conflicts.is_empty() {
        out.push_str("\nnothing was changed: it would lose what came after\n");
    }
    let paint = Paint::for_stream(&io::stdout());
    out.lines()
        .map(|line| format!("{}\n", paint.folded(line, "    ↪ ")))
        .collect()
}

fn as_node(plan: &Plan, done: Option<&Undone>) -> Node {
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    let step = |(path, words): &(std::path::PathBuf, String)| {
        Node::map([
            ("path", Node::text(path.display().to_string())),
            ("what", Node::text(words)),
        ])
    };
    let conflict = |conflict: &undo::Conflict| {
        Node::map([
            ("path", Node::text(conflict.path.display().to_string())),
            ("why", Node::text(&conflict.why)),
            ("diff", Node::text(&conflict.diff)),
        ])
    };
    Node::map([
        (
            "id",
            done.map_or_else(|| Value::Null.into(), |done| Node::text(&done.id)),
        ),
        (
            "call",
            done.map_or_else(|| Value::Null.into(), |done| Node::text(&done.call)),
        ),
        ("done", Value::Bool(done.is_some()).into()),
        (
            "undoes",
            list(
                plan.changes
                    .iter()
                    .map(|change| Node::text(&change.id))
                    .collect(),
            ),
        ),
        ("steps", list(plan.words.iter().map(step).collect())),
        (
            "conflicts",
            list(plan.conflicts.iter().map(conflict).collect()),
        ),
    ])
}

/// What can be taken back, the newest first.
fn list(files: &Files, as_json: bool) -> Result<Exit, Stop> {
    let changes = undo::standing(files.changes().finished());
    let paths = |change: &sayso_tools::changes::Change| -> Vec<String> {
        change
            .steps
            .iter()
            .map(|step| step.path.display().to_string())
            .collect()
    };
    if as_json {
        let rows = changes.iter().rev().map(|change| {
            Node::map([
                ("id", Node::text(change.handle())),
                ("call", Node::text(&change.id)),
                (
                    "batch",
                    change
                        .batch
                        .as_deref()
                        .map_or_else(|| Value::Null.into(), Node::text),
                ),
                ("tool", Node::text(&change.tool)),
                (
                    "paths",
                    Value::List(paths(change).iter().map(Node::text).collect()).into(),
                ),
                ("can_be_undone", Value::Bool(change.unkept.is_none()).into()),
            ])
        });
        say(&format!(
            "{}\n",
            json::write_plain(&Value::List(rows.collect()).into())
        ))?;
        return Ok(Exit::Allowed);
    }
    let mut out = String::new();
    for change in changes.iter().rev() {
        let kept = if change.unkept.is_some() {
            " (cannot be undone)"
        } else {
            ""
        };
        out.push_str(&format!(
            "{}  {}  {}{kept}\n",
            change.handle(),
            visible(&change.tool),
            visible(&paths(change).join(", "))
        ));
    }
    if out.is_empty() {
        out.push_str("there is nothing to undo\n");
    }
    say(&out)?;
    Ok(Exit::Allowed)
}
