//! `sayso audit`: looks at the record and looks after it.

mod prune;
mod replay;
mod since;

use clap::{Args, Subcommand};

use super::Stop;
use crate::exit_code::Exit;

/// Look at the record of everything that was asked, decided and run.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    Prune(prune::PruneArgs),
    Replay(replay::ReplayArgs),
}

pub(super) fn run(args: &AuditArgs) -> Result<Exit, Stop> {
    match &args.command {
        AuditCommand::Prune(args) => prune::run(args),
        AuditCommand::Replay(args) => replay::run(args),
    }
}
