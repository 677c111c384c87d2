//! `sayso audit`: questions to the record.

mod export;
mod filters;
mod head;
mod index;
mod list;
mod prune;
mod replay;
pub(crate) mod rows;
mod show;
pub(crate) mod stats;
mod tail;
mod timeline;
pub(in crate::cli) mod times;
mod verify;

use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use sayso_core::text::visible::visible;
use sayso_store::index::Index;
use sayso_store::read::Reader;

use super::Stop;
use crate::exit_code::Exit;
use sayso_runtime::record_folder;

/// Ask the record: what was called, decided and run, and whether the record still is what was written.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    #[command(subcommand)]
    command: AuditCommand,
}

impl AuditArgs {
    /// Whether it changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        !matches!(self.command, AuditCommand::Prune(_))
    }
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Tail(tail::TailArgs),
    Stats(stats::StatsArgs),
    Export(export::ExportArgs),
    Verify(verify::VerifyArgs),
    Head(head::HeadArgs),
    Index(index::IndexArgs),
    Prune(prune::PruneArgs),
    Replay(replay::ReplayArgs),
}

pub(super) fn run(args: &AuditArgs) -> Result<Exit, Stop> {
    match &args.command {
        AuditCommand::List(args) => list::run(args),
        AuditCommand::Show(args) => show::run(args),
        AuditCommand::Tail(args) => tail::run(args),
        AuditCommand::Stats(args) => stats::run(args),
        AuditCommand::Export(args) => export::run(args),
        AuditCommand::Verify(args) => verify::run(args),
        AuditCommand::Head(args) => head::run(args),
        AuditCommand::Index(args) => index::run(args),
        AuditCommand::Prune(args) => prune::run(args),
        AuditCommand::Replay(args) => replay::run(args),
    }
}

/// The folder of the record.
fn state() -> Result<PathBuf, Stop> {
    Ok(record_folder::whereabouts().map_err(Stop::usage)?.state)
}

/// The index, caught up; none where nothing was ever recorded. Damage in the record is told.
fn index_of_record() -> Result<Option<Index>, Stop> {
    let state = state()?;
    if Reader::open(&state)
        .map_err(Stop::usage)?
        .backwards()
        .map_err(Stop::usage)?
        .next()
        .is_none()
    {
        return Ok(None);
    }
    let mut progress = Progress::new("indexing the record");
    let index = Index::open(&state, &mut |count| {
        progress.tell(&format!("{count} entries"))
    })
    .map_err(Stop::usage)?;
    progress.end();
    warn_of_damage(&index)?;
    Ok(Some(index))
}

fn warn_of_damage(index: &Index) -> Result<(), Stop> {
    let damaged = index.damaged().map_err(Stop::usage)?;
    let Some(first) = damaged.first() else {
        return Ok(());
    };
    let more = damaged.len() - 1;
    let more = if more == 0 {
        String::new()
    } else {
        format!(", and {more} more")
    };
    // Nothing is left to tell if the warning itself cannot be written.
    let _ = writeln!(
        io::stderr(),
        "sayso: warning: a part of the record is not as it was written and is left out: {}{more}",
        visible(first)
    );
    Ok(())
}

/// Where long work stands, on one line of the terminal that goes away again.
struct Progress {
    what: &'static str,
    is_shown: bool,
}

impl Progress {
    fn new(what: &'static str) -> Self {
        Progress {
            what,
            is_shown: false,
        }
    }

    fn tell(&mut self, how_far: &str) {
        if io::stderr().is_terminal() {
            self.is_shown = true;
            let _ = write!(io::stderr(), "\r\u{1b}[K{}: {how_far}", self.what);
        }
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// What is said where there is no record.
const NOTHING: &str = "nothing is recorded yet\n";
