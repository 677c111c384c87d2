//! `sayso audit show`: the whole story of one call.

use std::io;

use clap::Args;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_again};
use sayso_store::index::Index;
use sayso_store::index::call_history::Found;
use sayso_store::index::calls::Listed;
use sayso_store::read::{Reader, Stored};

use super::rows::outcome;
use super::{index_of_record, timeline, times};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;
use sayso_runtime::audit::call::{about, number};
use sayso_tui::lines::paint::Paint;

/// Show everything that is recorded of one call: who asked, what was decided by which rule and by whom, what ran, what was undone.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  sayso audit show 17        the call that entry 17 belongs to\n  sayso audit show edit_0    the call with this id, or whose id begins with it"
)]
pub(super) struct ShowArgs {
    /// The number of an entry (`sayso audit list` shows it), or the id of a call.
    #[arg(value_name = "ID")]
    id: String,

    /// Take the id for one of a call, even if it is a number.
    #[arg(long)]
    call: bool,

    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

/// What to do where an id is not known.
const HINT: &str = "`sayso audit list` shows the calls with their numbers";

pub(super) fn run(args: &ShowArgs) -> Result<Exit, Stop> {
    let index = index_of_record()?.ok_or_else(|| Stop::usage("nothing is recorded yet"))?;
    let entries: Vec<(Stored, Node)> = story(&index, args)?;
    let text = if args.json {
        let nodes = entries.iter().map(|(_, node)| node.clone()).collect();
        let call = entries
            .iter()
            .find_map(|(_, node)| node.get("call").cloned());
        let first = entries.first().map_or(0, |(stored, _)| stored.number);
        let node = Node::map([
            (
                "number",
                number(
                    entries
                        .iter()
                        .find(|(stored, _)| stored.kind == "decided")
                        .map_or(first, |(stored, _)| stored.number),
                ),
            ),
            ("call", call.unwrap_or_else(|| Value::Null.into())),
            ("entries", Value::List(nodes).into()),
        ]);
        format!("{}\n", json::write_plain(&node))
    } else {
        let paint = Paint::for_stream(&io::stdout());
        timeline::lines(&entries, times::now())
            .iter()
            .map(|line| format!("{}\n", paint.folded(line, "    ↪ ")))
            .collect()
    };
    say(&text)?;
    Ok(Exit::Allowed)
}

/// The entries that are meant, from the record itself.
fn story(index: &Index, args: &ShowArgs) -> Result<Vec<(Stored, Node)>, Stop> {
    let reader = Reader::open(index.state()).map_err(Stop::usage)?;
    let mut out = Vec::new();
    for number in numbers(index, args)? {
        let gone = || format!("entry {number} cannot be read any more; run `sayso audit verify`");
        let stored = reader
            .find(number)
            .map_err(Stop::usage)?
            .ok_or_else(|| Stop::usage(gone()))?;
        let node = stored.node().map_err(Stop::usage)?;
        out.push((stored, node));
    }
    Ok(out)
}

fn numbers(index: &Index, args: &ShowArgs) -> Result<Vec<u64>, Stop> {
    let shown = visible(&args.id);
    let number = args.id.trim_start_matches('#');
    if !args.call && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        let found = match number.parse() {
            Ok(number) => index.story_of(number).map_err(Stop::usage)?,
            Err(_) => None,
        };
        return found.ok_or_else(|| Stop::hint(format!("the record has no entry `{shown}`"), HINT));
    }
    match index.find(&args.id).map_err(Stop::usage)? {
        Found::Story(numbers) => Ok(numbers),
        Found::Several(calls) => {
            let now = times::now();
            let line = |listed: &Listed| {
                let id = visible(listed.call.as_deref().unwrap_or_default()).into_owned();
                let (when, outcome) = (times::relative(listed.at, now), outcome(listed));
                format!(
                    "  sayso audit show {:<8} # `{id}`, {when}, {outcome}: {}\n",
                    listed.number,
                    visible_again(&about(listed))
                )
            };
            let lines: String = calls.iter().map(line).collect();
            Err(Stop::Usage(format!(
                "sayso: `{shown}` can be several calls; the last ones:\n{lines}hint: say which one by its number\n"
            )))
        }
        Found::Nothing(near) if near.is_empty() => {
            Err(Stop::hint(format!("no call has the id `{shown}`"), HINT))
        }
        Found::Nothing(near) => {
            let near: Vec<String> = near.iter().map(|id| format!("`{}`", visible(id))).collect();
            Err(Stop::hint(
                format!(
                    "no call has the id `{shown}`; like it are {}",
                    near.join(", ")
                ),
                HINT,
            ))
        }
    }
}
