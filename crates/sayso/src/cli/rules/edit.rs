//! `sayso rules edit`, `disable`, `enable` and `remove`: changes of one rule, each of them in the record.

use clap::Args;
use sayso_core::learned::LearnedRule;
use sayso_core::node::Node;
use sayso_core::prompt::Scope;
use sayso_core::visible::visible;
use sayso_store::rules_and_grants::What;
use sayso_store::rules_and_grants::change::Change;
use sayso_store::rules_and_grants::grant_fields;

use super::add::{Limits, ask_about, read_one, words};
use super::line::SUBJECTS;
use crate::cli::book::{Book, Shelf, confirm};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;

/// Change a rule: its pattern, its decision, its conditions. What is not named stays as it is.
#[derive(Debug, Args)]
pub(super) struct EditArgs {
    /// The rule's id; of one that sayso made, the beginning is enough.
    id: String,
    /// The new pattern.
    #[arg(long, value_name = "PATTERN")]
    pattern: Option<String>,
    /// The new decision.
    #[arg(long, value_name = "WORD", value_parser = ["allow", "ask", "deny"])]
    decision: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// Do not ask, also where the rule allows very much.
    #[arg(long)]
    yes: bool,
}

/// One rule.
#[derive(Debug, Args)]
pub(super) struct Which {
    /// The rule's id; of one that sayso made, the beginning is enough.
    #[arg(required = true)]
    ids: Vec<String>,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Switch {
    Disable,
    Enable,
    Remove,
}

pub(super) fn switch(which: &Which, switch: Switch) -> Result<Exit, Stop> {
    let book = Book::open()?;
    // All of them are found before one is changed.
    let found = which
        .ids
        .iter()
        .map(|id| book.find(Shelf::Rules, id))
        .collect::<Result<Vec<_>, _>>()?;
    for rule in found {
        let (change, done) = match switch {
            Switch::Disable => (Change::Disabled(&rule.id), "disabled"),
            Switch::Enable => (Change::Enabled(&rule.id), "enabled"),
            Switch::Remove => (Change::Removed(&rule.id), "removed"),
        };
        book.write(&change)?;
        say(&format!(
            "{done} rule {}: {}\n",
            visible(&rule.id),
            visible(&rule.words)
        ))?;
    }
    Ok(Exit::Allowed)
}

pub(super) fn run(args: &EditArgs) -> Result<Exit, Stop> {
    let book = Book::open()?;
    let rule = book.find(Shelf::Rules, &args.id)?;
    let (spec, words) = match &rule.what {
        What::Rule(before) => {
            let after = edited(before, args)?;
            ask_about(&read_one(&after, &rule.id)?, args.yes)?;
            let words = words(&after);
            (after, words)
        }
        What::Grant(before) => of_answer(before, args)?,
    };
    book.write(&Change::Edited {
        id: &rule.id,
        spec: &spec,
        words: &words,
    })?;
    say(&format!(
        "changed rule {}: {}\n",
        visible(&rule.id),
        visible(&words)
    ))?;
    Ok(Exit::Allowed)
}

/// A rule with the changes in it.
fn edited(before: &Node, args: &EditArgs) -> Result<Node, Stop> {
    let decisions = ["allow", "ask", "deny"];
    let (decision, matcher) = decisions
        .iter()
        .find_map(|word| Some((*word, before.get(word)?)))
        .ok_or_else(|| Stop::usage("this rule cannot be changed"))?;
    let matcher = match &args.pattern {
        None => matcher.clone(),
        Some(pattern) => Node::map(matcher.entries().iter().map(|entry| {
            let is_pattern = SUBJECTS.iter().any(|(key, _)| *key == entry.key);
            (
                entry.key.clone(),
                if is_pattern {
                    Node::text(pattern)
                } else {
                    entry.node.clone()
                },
            )
        })),
    };
    let mut after = vec![(
        args.decision.as_deref().unwrap_or(decision).to_owned(),
        matcher,
    )];
    after.extend(args.limits.entries(Some(before))?);
    let settled = |key: &str| {
        decisions.contains(&key) || matches!(key, "when" | "reason" | "match" | "not_match")
    };
    after.extend(
        before
            .entries()
            .iter()
            .filter(|entry| !settled(&entry.key))
            .map(|entry| (entry.key.clone(), entry.node.clone())),
    );
    Ok(Node::map(after))
}

/// A pattern that an answer made. It stays bound to what was shown with the answer: agent, place and risk.
fn of_answer(before: &Node, args: &EditArgs) -> Result<(Node, String), Stop> {
    let Some(pattern) = args.pattern.as_ref().filter(|_| {
        args.decision.is_none() && args.limits.entries(None).is_ok_and(|set| set.is_empty())
    }) else {
        return Err(Stop::hint(
            "of a rule that an answer made, only the pattern can be changed",
            "remove it and add another with `sayso rules add`",
        ));
    };
    let (key, _) =
        grant_fields::rule(before).ok_or_else(|| Stop::usage("this rule cannot be changed"))?;
    let rule = Node::map([("allow", Node::map([(key.word(), Node::text(pattern))]))]);
    let read = read_one(&rule, "edited")?;
    // An answer never reaches outside of the workspace, whatever is written into it later.
    let learned = LearnedRule::parse(key, pattern, &sayso_shell::Bash).map_err(Stop::usage)?;
    ask_about(&read, args.yes)?;
    if read.matcher.is_overly_broad()
        && !confirm("It was an answer to one call. Do you mean it?", args.yes)?
    {
        return Err(Stop::usage("nothing was changed"));
    }
    Ok((
        grant_fields::with_pattern(before, pattern),
        learned.words(scope_of(before)),
    ))
}

/// How far an answer reaches.
fn scope_of(spec: &Node) -> Scope {
    match (spec.get("session"), spec.get("project")) {
        (Some(_), _) => Scope::Session,
        (None, Some(_)) => Scope::Project,
        (None, None) => Scope::Always,
    }
}
