//! `sayso rules`: what was learned from answers or added by hand, and lasts.

pub(crate) mod add;
mod edit;
mod exchange;
mod list;
mod suggest;
pub(crate) mod templates;
mod test;

use clap::{Args, Subcommand};

use super::Stop;
use crate::exit_code::Exit;

/// Rules that last: list, add, change, test, suggest.
///
/// A rule is a pattern with `allow`, `ask` or `deny` that outlives its session: from an answer ("always"), added here, or from a template.
/// Such rules count like those of your own policy file, except that they never cover what always asks: dangers, deletes, secrets, protected
/// files and what lies outside of the workspace. Every change is an entry of the record.
#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    #[command(subcommand)]
    command: RulesCommand,
}

impl RulesArgs {
    /// Whether it changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        let command = &self.command;
        matches!(
            command,
            RulesCommand::List(_)
                | RulesCommand::Test(_)
                | RulesCommand::Suggest(_)
                | RulesCommand::Export(_)
        )
    }
}

#[derive(Debug, Subcommand)]
enum RulesCommand {
    List(list::ListArgs),
    Add(add::AddArgs),
    Edit(edit::EditArgs),
    /// Let a rule not count for now.
    Disable(edit::Which),
    /// Let a disabled rule count again.
    Enable(edit::Which),
    /// Remove a rule.
    Remove(edit::Which),
    Test(test::TestArgs),
    Suggest(suggest::SuggestArgs),
    Templates(templates::TemplatesArgs),
    Import(exchange::ImportArgs),
    Export(exchange::ExportArgs),
}

pub(super) fn run(args: &RulesArgs) -> Result<Exit, Stop> {
    match &args.command {
        RulesCommand::List(args) => list::run(args),
        RulesCommand::Add(args) => add::run(args),
        RulesCommand::Edit(args) => edit::run(args),
        RulesCommand::Disable(which) => edit::switch(which, edit::Switch::Disable),
        RulesCommand::Enable(which) => edit::switch(which, edit::Switch::Enable),
        RulesCommand::Remove(which) => edit::switch(which, edit::Switch::Remove),
        RulesCommand::Test(args) => test::run(args),
        RulesCommand::Suggest(args) => suggest::run(args),
        RulesCommand::Templates(args) => templates::run(args),
        RulesCommand::Import(args) => exchange::import(args),
        RulesCommand::Export(args) => exchange::export(args),
    }
}
