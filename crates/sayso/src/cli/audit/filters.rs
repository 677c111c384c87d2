//! Which entries are wanted, as flags that several questions share.

use clap::Args;
use sayso_core::answer::outcome::OUTCOMES;
use sayso_store::index::calls::{Filter, Kinds};

use super::times;
use super::times::When;
use crate::cli::ArgumentError;

/// Which entries are wanted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
pub(super) struct Filters {
    /// Only from this time on: `30m`, `2h`, `7d` ago, a date, or RFC 3339.
    #[arg(long, value_name = "TIME", value_parser = times::since)]
    since: Option<When>,

    /// Only before this time; a date means to the end of that day.
    #[arg(long, value_name = "TIME", value_parser = times::until)]
    until: Option<When>,

    /// Only what this agent called, also where another one handed it the work.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// Only sessions that begin like this.
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Only these tools.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    tool: Vec<String>,

    /// Only what the policy said this to: allow, ask or deny.
    #[arg(long, value_name = "WORD", value_delimiter = ',', value_parser = ["allow", "ask", "deny"])]
    decision: Vec<String>,

    /// Only what ended like this: approved, auto_approved, denied, blocked, timed_out, cancelled, nobody, dry_run.
    #[arg(long, value_name = "WORD", value_delimiter = ',', value_parser = outcome)]
    outcome: Vec<String>,

    /// Only what this rule decided: its id, or where it stands (`policy.yaml:12`).
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,

    /// Only what has this text in what it is about.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,

    /// Only entries of these kinds, such as asked, decided, finished, granted, undo, mode, trouble.
    #[arg(
        long,
        value_name = "KIND",
        value_delimiter = ',',
        conflicts_with = "all_kinds"
    )]
    kind: Vec<String>,

    /// Every entry, not only one for each call.
    #[arg(long)]
    all_kinds: bool,
}

fn outcome(text: &str) -> Result<String, ArgumentError> {
    let word = text.replace('-', "_");
    let known = OUTCOMES.iter().any(|(_, known)| *known == word);
    known
        .then_some(word)
        .ok_or_else(|| ArgumentError::Outcome(text.to_owned()))
}

impl Filters {
    /// As the index is asked. Where no kinds are named, these are meant.
    pub(super) fn filter(&self, kinds: Kinds) -> Filter {
        let kinds = match (self.all_kinds, self.kind.is_empty()) {
            (true, _) => Kinds::All,
            (false, false) => Kinds::These(self.kind.clone()),
            (false, true) => kinds,
        };
        Filter {
            since: self.since.map(|when| when.0),
            until: self.until.map(|when| when.0),
            agent: self.agent.clone(),
            session: self.session.clone(),
            tools: self.tool.clone(),
            decisions: self.decision.clone(),
            outcomes: self.outcome.clone(),
            rule: self.rule.clone(),
            text: self.text.clone(),
            kinds,
        }
    }
}
