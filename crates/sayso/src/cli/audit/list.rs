//! `sayso audit list`: the last calls, one a line.

use std::io;

use clap::Args;
use sayso_store::index::calls::Kinds;

use super::filters::Filters;
use super::rows::{Row, as_json, table};
use super::{NOTHING, index_of_record, times};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;
use sayso_tui::lines::paint::Paint;

/// List the last calls: when, who, what, and how it was decided. The newest stands last, next to your prompt.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  sayso audit list --since 2h --outcome denied,blocked\n  sayso audit list --tool terminal --text 'git push' --json\n\n\
The number in front is what `sayso audit show` takes. On a narrow terminal columns are left out and long text is cut; nothing is cut in a pipe."
)]
pub(super) struct ListArgs {
    /// So many at most; 0 for all.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100)]
    limit: u64,

    /// Show dates and times instead of how long ago it was.
    #[arg(long)]
    absolute: bool,

    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filters: Filters,
}

pub(super) fn run(args: &ListArgs) -> Result<Exit, Stop> {
    let filter = args.filters.filter(Kinds::Calls);
    let Some(index) = index_of_record()? else {
        say(if args.json { "" } else { NOTHING })?;
        return Ok(Exit::Allowed);
    };
    let limit = (args.limit > 0).then_some(args.limit);
    let found = index.last(&filter, limit).map_err(Stop::usage)?;
    if args.json {
        let lines: String = found
            .iter()
            .map(|listed| format!("{}\n", as_json(listed)))
            .collect();
        say(&lines)?;
        return Ok(Exit::Allowed);
    }
    if found.is_empty() {
        say("no entry matches these filters\n")?;
        return Ok(Exit::Allowed);
    }
    let now = times::now();
    let time = |at| {
        if args.absolute {
            times::absolute(at)
        } else {
            times::relative(at, now)
        }
    };
    let rows: Vec<Row> = found
        .iter()
        .map(|listed| Row::of(listed, time(listed.at)))
        .collect();
    say(&table(&rows, Paint::for_stream(&io::stdout())))?;
    Ok(Exit::Allowed)
}
