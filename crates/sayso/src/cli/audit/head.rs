//! `sayso audit head`: the last entry, to be kept where nobody who can write the record can change it.

use clap::Args;
use sayso_core::text::json;
use sayso_core::text::node::Node;
use sayso_store::read::Reader;

use super::{NOTHING, state};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;
use sayso_runtime::audit::call::{null, number};

/// Print the head of the record: `NUMBER:DIGEST` of its last entry.
#[derive(Debug, Args)]
#[command(
    after_help = "Keep it elsewhere (a mail, another machine, a commit): `sayso audit verify --head NUMBER:DIGEST` then also finds an end that was cut off and a record that was written anew, which no record shows by itself."
)]
pub(super) struct HeadArgs {
    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &HeadArgs) -> Result<Exit, Stop> {
    let head = Reader::open(&state()?)
        .and_then(|reader| reader.head())
        .map_err(Stop::usage)?;
    if args.json {
        let (entry, digest) = head.map_or_else(
            || (null(), null()),
            |head| (number(head.number), Node::text(head.digest.to_string())),
        );
        let text = head.map_or_else(null, |head| Node::text(head.to_string()));
        say(&format!(
            "{}\n",
            json::write_plain(&Node::map([
                ("number", entry),
                ("digest", digest),
                ("head", text)
            ]))
        ))?;
        return Ok(Exit::Allowed);
    }
    say(&head.map_or_else(|| NOTHING.to_owned(), |head| format!("{head}\n")))?;
    Ok(Exit::Allowed)
}
