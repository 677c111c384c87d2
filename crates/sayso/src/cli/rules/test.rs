//! `sayso rules test`: which rules match a command, and what becomes of it in the end.

use clap::Args;
use sayso_core::answer::grant::{Grant, GrantKey};
use sayso_core::answer::learned_rule::LearnedRule;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::runner::RunnerCapabilities;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::command_pattern::Reach;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::rule::Subject;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::pipeline::{Bench, judge};
use sayso_store::rules_and_grants::{Standing, What};

use crate::cli::remembered::{Book, Shelf};
use crate::cli::{Place, PolicyChoice, Stop, now, say};
use crate::exit_code::Exit;
use sayso_runtime::rules::line::line;
use sayso_runtime::{grant_cache, rules_layer};

/// Say which rules match a command, and what the whole policy says of it. Nothing runs.
#[derive(Debug, Args)]
pub(super) struct TestArgs {
    #[command(flatten)]
    choice: PolicyChoice,
    /// The command line.
    #[arg(value_name = "COMMAND")]
    command: String,
    /// The agent that would run it.
    #[arg(long, value_name = "NAME", default_value = "")]
    agent: String,
    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &TestArgs) -> Result<Exit, Stop> {
    let book = Book::open()?;
    let place = Place::open(&args.choice)?;
    place.insist()?;
    let agent = sayso_core::call::operation::Agent {
        name: args.agent.clone(),
        parents: Vec::new(),
    };
    let call = Call {
        agent,
        ..Call::command(&args.command, &place.folder)
    };
    let operation = Operation::freeze(call).map_err(|malformed| Stop::usage(malformed.0))?;
    let (world, contains) = (place.world(), place.contains());
    // Whether scripts are still those that were shown is looked at when something runs; here such a grant is left out.
    let grants: Vec<Grant> = place
        .loaded
        .grants
        .iter()
        .filter(|grant| grant.seal.is_none())
        .cloned()
        .collect();
    let policy = &place.loaded.policy;
    let bench = Bench {
        world: &world,
        policy,
        grants: &grants,
        uses: None,
        run: Run::Interactive,
        now: now(),
        runner: RunnerCapabilities::JUDGE_ONLY.containing(&contains),
        trace: false,
    };
    let judged = judge(&bench, &operation);
    let matching: Vec<&Standing> = book
        .of(Shelf::Rules)
        .filter(|rule| matches(rule, &args.command))
        .collect();
    let verdict = &judged.verdict;
    let reason = verdict.weightiest();
    if args.json {
        let rules = matching
            .iter()
            .map(|rule| super::list::as_json(rule))
            .collect();
        let mut map = vec![
            ("decision", Node::text(verdict.decision.word())),
            ("rules", Value::List(rules).into()),
        ];
        map.extend(reason.map(|reason| ("rule", Node::text(reason.rule.name()))));
        map.extend(reason.map(|reason| ("why", Node::text(reason.text()))));
        say(&format!("{}\n", json::write_plain(&Node::map(map))))?;
        return Ok(exit(verdict.decision));
    }
    let mut text = String::new();
    for rule in &matching {
        let state = if rule.enabled { "" } else { " (disabled)" };
        let line = line(rule);
        text.push_str(&format!(
            "matches  {}  {} `{}` {}{state}\n",
            visible(rule.short()),
            visible(&line.decision),
            visible(&line.pattern),
            visible(&line.reach)
        ));
    }
    if matching.is_empty() {
        text.push_str("no rule matches\n");
    }
    let why = reason
        .map(|reason| {
            format!(
                ": {} ({})",
                visible(&reason.text()),
                visible(&reason.rule.source())
            )
        })
        .unwrap_or_default();
    text.push_str(&format!("in the end: {}{why}\n", verdict.decision.word()));
    say(&text)?;
    Ok(exit(verdict.decision))
}

fn exit(decision: Decision) -> Exit {
    Exit::from(decision)
}

/// Whether the pattern of a rule fits a part of the command; conditions and what always asks are for the verdict.
pub(super) fn matches(rule: &Standing, command: &str) -> bool {
    let draft = sayso_shell::analyse(command);
    let patterns = match &rule.what {
        What::Rule(_) => {
            let enabled = Standing {
                enabled: true,
                ..rule.clone()
            };
            let layer = rules_layer::layer(std::slice::from_ref(&enabled))
                .ok()
                .flatten();
            let rules = layer.map(|layer| layer.rules).unwrap_or_default();
            rules
                .into_iter()
                .flat_map(|rule| match rule.matcher.subject {
                    Subject::Command(patterns) => patterns
                        .into_iter()
                        .map(|pattern| (pattern, rule.decision))
                        .collect(),
                    _ => Vec::new(),
                })
                .collect::<Vec<_>>()
        }
        What::Grant(_) => {
            let enabled = Standing {
                enabled: true,
                ..rule.clone()
            };
            let grants: Vec<Grant> = grant_cache::grants(std::slice::from_ref(&enabled));
            grants
                .into_iter()
                .filter_map(|grant| match grant.key {
                    GrantKey::Rule(rule) => match rule.as_ref() {
                        LearnedRule::Command(pattern) => Some((pattern.clone(), Decision::Allow)),
                        _ => None,
                    },
                    _ => None,
                })
                .collect()
        }
    };
    patterns.iter().any(|(pattern, decision)| {
        let reach = if *decision == Decision::Allow {
            Reach::Narrow
        } else {
            Reach::Wide
        };
        draft
            .commands
            .iter()
            .any(|command| pattern.matches(command, reach))
    })
}
