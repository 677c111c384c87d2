//! `sayso undo`: takes back what file tools and contained commands changed: one change, a batch, a session, or a part of them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_block};
use sayso_tools::files::{Files, Settings};
use sayso_tools::hunks::Hunk;
use sayso_tools::path_state::State;
use sayso_tools::undo::{self, Part, Plan, Undone};

use super::audit::times::{When, since};
use super::{SAY_YES, Stop, confirmed, say};
use crate::exit_code::Exit;
use sayso_runtime::record_folder;
use sayso_runtime::undo::{Wanted, carry_out, plan_part};
use sayso_tui::lines::paint::Paint;

/// Take back what file tools and contained commands changed: it shows what it will do, and refuses where something changed since.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  sayso undo                             takes back the last change\n  sayso undo u12                         takes back the change `u12`, as results and `--list` name it\n  sayso undo edit_0                      takes back the change of the call `edit_0`\n  sayso undo batch-…                     takes back a whole batch\n  sayso undo --session S                 takes back all of a session, the newest change first\n  sayso undo --since 10m                 takes back all of the last ten minutes\n  sayso undo --since 14:30               takes back all since then\n  sayso undo u12 --show                  shows the change with its numbered hunks\n  sayso undo u12 --file src/main.rs      takes back what it did to this file or folder\n  sayso undo u12 --file a.rs --hunk 2    takes back one hunk, if it still fits\n  sayso undo --list                      shows what can be taken back\n\n\
What cannot be taken back: what went over the network, processes, what is outside of the workspace, and pipes, sockets and devices.\n\
Exit status: 0 done, 1 something stands against it, 2 usage, 20 you said no."
)]
pub(super) struct UndoArgs {
    /// The id of a change (`u12`), of a call or of a batch; without it, the last change.
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// The last change.
    #[arg(long, conflicts_with_all = ["id", "since", "session"])]
    last: bool,

    /// All changes since a time: `10m`, `2h`, `14:30`, a date, or RFC 3339.
    #[arg(long, value_name = "T", value_parser = since, conflicts_with_all = ["id", "session"])]
    since: Option<When>,

    /// All changes of a session, as one that can itself be undone.
    #[arg(long, value_name = "S", conflicts_with = "id")]
    session: Option<String>,

    /// Only what it did to this file or folder; may be given more than once.
    #[arg(long, value_name = "F")]
    file: Vec<PathBuf>,

    /// Only this hunk of the file, by its number in `--show`; may be given more than once.
    #[arg(long, value_name = "N", requires = "file")]
    hunk: Vec<usize>,

    /// Only show it, with numbered hunks.
    #[arg(long, conflicts_with = "yes")]
    show: bool,

    /// Do it without asking.
    #[arg(long, short)]
    yes: bool,

    /// Show what can be taken back, the newest first.
    #[arg(long, conflicts_with_all = ["id", "yes", "last", "since", "session", "file", "show"])]
    list: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What no undo of a command takes back.
const BEYOND: &str = "not taken back: what went over the network, what its processes did, and what is outside of the workspace";

impl UndoArgs {
    /// Whether it changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        self.list || self.show
    }

    fn wanted(&self) -> Wanted<'_> {
        match (&self.id, self.since, &self.session) {
            (Some(id), ..) => Wanted::Id(id),
            (_, Some(When(since)), _) => {
                let since = Duration::from_millis(u64::try_from(since).unwrap_or(0));
                Wanted::Since(SystemTime::UNIX_EPOCH + since)
            }
            (.., Some(session)) => Wanted::Session(session),
            _ => Wanted::Last,
        }
    }

    fn part(&self) -> Result<Part, Stop> {
        let files = self.file.iter().map(|file| real(file));
        Ok(Part {
            files: files.collect::<io::Result<_>>().map_err(Stop::usage)?,
            hunks: self.hunk.clone(),
        })
    }
}

/// The absolute path of a file that may be gone, without links on the way to it.
fn real(path: &Path) -> io::Result<PathBuf> {
    let path: PathBuf = std::path::absolute(path)?.components().collect();
    let there = path
        .ancestors()
        .skip(1)
        .find_map(|above| Some((above, above.canonicalize().ok()?)));
    Ok(match there {
        Some((above, real)) => real.join(path.strip_prefix(above).unwrap_or(Path::new(""))),
        None => path,
    })
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
    let plan = plan_part(&files, args.wanted(), &args.part()?)
        .map_err(|why| Stop::hint(why, "`sayso undo --list` shows what can be taken back"))?;
    if !args.json {
        say(&shown(&plan))?;
    }
    if args.show {
        let hunks = hunks(&files, &plan, &args.part()?);
        match args.json {
            true => say(&format!(
                "{}\n",
                json::write_plain(&with_hunks(&plan, &hunks))
            ))?,
            false => say(&hunk_lines(&hunks))?,
        }
        return Ok(if plan.conflicts.is_empty() {
            Exit::Allowed
        } else {
            Exit::Failed
        });
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
    if plan.is_whole && plan.changes.iter().any(|change| change.is_command) {
        out.push_str(&format!("  {BEYOND}\n"));
    }
    if plan.words.is_empty() {
        out = "everything is back as it was already\n".to_owned();
    }
    for conflict in &plan.conflicts {
        let path = visible(&conflict.path.display().to_string()).into_owned();
        out.push_str(&format!("\n{path}: {}\n", visible(&conflict.why)));
        for diff in [&conflict.texts.change, &conflict.texts.since] {
            if !diff.is_empty() {
                out.push_str(visible_block(diff).trim_end_matches('\n'));
                out.push('\n');
            }
        }
        if !conflict.texts.fitting.is_empty() {
            let numbers = conflict.texts.fitting.iter();
            let numbers: Vec<String> = numbers.map(|number| format!("--hunk {number}")).collect();
            out.push_str(&format!(
                "what still fits can be taken back: `--file {path} {}`\n",
                numbers.join(" ")
            ));
        }
    }
    if !plan.conflicts.is_empty() {
        out.push_str("\nnothing was changed: it would lose what came after\n");
        let free = plan.words.iter().map(|(path, _)| path).filter(|path| {
            plan.conflicts
                .iter()
                .all(|conflict| conflict.path != **path)
        });
        if free.count() > 0 {
            out.push_str("the rest can be taken back with `--file`\n");
        }
    }
    let paint = Paint::for_stream(&io::stdout());
    out.lines()
        .map(|line| format!("{}\n", paint.folded(line, "    ↪ ")))
        .collect()
}

fn as_node(plan: &Plan, done: Option<&Undone>) -> Node {
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    let number = |number: &usize| -> Node { Value::Number(number.to_string()).into() };
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
            ("diff", Node::text(&conflict.texts.since)),
            ("change", Node::text(&conflict.texts.change)),
            (
                "hunks",
                list(conflict.texts.fitting.iter().map(number).collect()),
            ),
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
        (
            "beyond",
            match plan.changes.iter().any(|change| change.is_command) {
                true => Node::text(BEYOND),
                false => Value::Null.into(),
            },
        ),
        ("steps", list(plan.words.iter().map(step).collect())),
        (
            "conflicts",
            list(plan.conflicts.iter().map(conflict).collect()),
        ),
    ])
}

/// The hunks of each file that is changed and not made or removed as a whole.
fn hunks(files: &Files, plan: &Plan, part: &Part) -> Vec<(PathBuf, Vec<Hunk>)> {
    let is_wanted =
        |path: &Path| part.files.is_empty() || part.files.iter().any(|file| path.starts_with(file));
    let is_file = |state: &State| matches!(state, State::File { .. });
    let steps = plan.changes.iter().flat_map(|change| &change.steps);
    let mut paths: Vec<&PathBuf> = steps
        .filter(|step| is_file(&step.before) && is_file(&step.after) && is_wanted(&step.path))
        .map(|step| &step.path)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| (path.clone(), undo::hunks_in(files, &plan.changes, path)))
        .filter(|(_, hunks)| !hunks.is_empty())
        .collect()
}

fn hunk_lines(all: &[(PathBuf, Vec<Hunk>)]) -> String {
    let mut out = String::new();
    for (path, hunks) in all {
        let path = visible(&path.display().to_string()).into_owned();
        for hunk in hunks {
            out.push_str(&format!(
                "\n{path}, hunk {}:\n{}\n",
                hunk.number,
                visible_block(hunk.diff.trim_end_matches('\n'))
            ));
        }
    }
    out
}

fn with_hunks(plan: &Plan, all: &[(PathBuf, Vec<Hunk>)]) -> Node {
    let hunk = |path: &Path, hunk: &Hunk| {
        Node::map([
            ("path", Node::text(path.display().to_string())),
            ("hunk", Value::Number(hunk.number.to_string()).into()),
            ("diff", Node::text(&hunk.diff)),
        ])
    };
    let rows = all
        .iter()
        .flat_map(|(path, hunks)| hunks.iter().map(move |one| hunk(path, one)));
    Node::map([
        ("plan", as_node(plan, None)),
        ("hunks", Value::List(rows.collect()).into()),
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
                ("session", Node::text(&change.session)),
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
