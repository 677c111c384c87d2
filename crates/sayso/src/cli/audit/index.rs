//! `sayso audit index`: builds the index anew.

use clap::Args;
use sayso_core::text::count::count;
use sayso_core::text::json;
use sayso_core::text::node::Node;
use sayso_store::index::Index;
use sayso_store::index::calls::{Filter, Kinds};
use sayso_store::read::Reader;

use super::{NOTHING, Progress, state, warn_of_damage};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;
use sayso_runtime::audit::call::number;

/// Build the index of the record anew. It holds nothing that the record does not; a damaged file is kept aside.
#[derive(Debug, Args)]
pub(super) struct IndexArgs {
    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &IndexArgs) -> Result<Exit, Stop> {
    let state = state()?;
    let is_empty = Reader::open(&state)
        .map_err(Stop::usage)?
        .backwards()
        .map_err(Stop::usage)?
        .next()
        .is_none();
    let mut entries = 0;
    if !is_empty {
        let mut progress = Progress::new("indexing the record");
        let index = Index::rebuild(&state, &mut |count| {
            progress.tell(&format!("{count} entries"))
        })
        .map_err(Stop::usage)?;
        progress.end();
        warn_of_damage(&index)?;
        entries = index
            .count(&Filter {
                kinds: Kinds::All,
                ..Filter::default()
            })
            .map_err(Stop::usage)?;
    }
    say(&match (args.json, is_empty) {
        (true, _) => format!(
            "{}\n",
            json::write_plain(&Node::map([("entries", number(entries))]))
        ),
        (false, true) => NOTHING.to_owned(),
        (false, false) => format!("indexed {}\n", count(entries, "entry")),
    })?;
    Ok(Exit::Allowed)
}
