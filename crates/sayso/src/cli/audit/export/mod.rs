//! `sayso audit export`: the record for other programs and other people.

mod csv;
mod file;
mod html;
mod lines;
mod page;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sayso_store::index::Index;
use sayso_store::index::calls::Kinds;

use super::filters::Filters;
use super::index_of_record;
use crate::cli::Stop;
use crate::exit_code::Exit;
use file::Target;
use sayso_runtime::record_folder;

/// Write the record, or a part of it, for other programs (jsonl, csv) or for people (html, one page that needs nothing else).
#[derive(Debug, Args)]
#[command(
    after_help = "jsonl: the lines of the record byte for byte, so that any program can check the chain. `digest` is the SHA-256 of the bytes of a line before \
`,\"digest\":\"`, `prev` is the digest of the line before, 64 zeros for the first. Filters leave out lines, and with them links.\n\
csv: one row a call; cells that a spreadsheet would take for a formula begin with `'`.\n\
html: a report with counts, the state of the chain, and a table of calls that can be searched; the newest 5,000 unless --limit says otherwise.\n\n\
Exit status: 0 done, 1 a part of the record is not as it was written and is missing, 2 usage."
)]
pub(super) struct ExportArgs {
    /// How it is written.
    #[arg(long, value_name = "FORMAT")]
    format: Format,

    /// Write to this file, readable only for you; without it, to standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only so many, the newest; 0 for all.
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u64>,

    #[command(flatten)]
    filters: Filters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Jsonl,
    Csv,
    Html,
}

/// Rows of a page; more make browsers slow.
const MOST_ON_A_PAGE: u64 = 5_000;

pub(super) fn run(args: &ExportArgs) -> Result<Exit, Stop> {
    let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
    let mut target = match &args.output {
        Some(path) => Target::file(path, &[&whereabouts.state, &whereabouts.config])?,
        None => Target::standard_output(),
    };
    let index = index_of_record()?;
    let limit = args.limit.filter(|limit| *limit > 0);
    let all_calls = args.filters.filter(Kinds::Calls);
    let is_whole = match args.format {
        Format::Jsonl => lines::write(
            &mut target,
            index.as_ref(),
            &args.filters.filter(Kinds::All),
            limit,
        )?,
        Format::Csv => csv::write(&mut target, index.as_ref(), &all_calls, limit)?,
        Format::Html => {
            let limit = if args.limit.is_none() {
                Some(MOST_ON_A_PAGE)
            } else {
                limit
            };
            html::write(
                &mut target,
                &whereabouts.state,
                index.as_ref(),
                &all_calls,
                limit,
            )?
        }
    };
    target.finish()?;
    Ok(if is_whole {
        Exit::Allowed
    } else {
        Exit::Failed
    })
}

/// Whether nothing of the record had to be left out.
fn is_whole(index: Option<&Index>) -> Result<bool, Stop> {
    index.map_or(Ok(true), |index| {
        Ok(index.damaged().map_err(Stop::usage)?.is_empty())
    })
}
