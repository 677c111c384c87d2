//! `sayso rules add`: a rule from the command line, with a look at how much it allows.

use std::io::{self, Write};

use clap::{ArgGroup, Args};
use sayso_core::policy::rule::Rule;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::ids::Ids;
use sayso_store::rules_and_grants::change::Change;

use super::list::warn_of_many;
use crate::cli::remembered::{Book, Shelf, confirm};
use crate::cli::{Stop, folder, now, say};
use crate::exit_code::Exit;
use crate::screen::ago::read_length;
use sayso_runtime::rules::line::SUBJECTS;
use sayso_runtime::rules::typed::{warning, words};
use sayso_runtime::rules_layer;

/// What makes a path more than one path, where a pattern is read.
pub(super) const PATTERN_SIGNS: [char; 5] = ['*', '?', '{', '}', '\\'];

/// Add a rule.
///
/// `sayso rules add --allow 'cargo test *'` is about commands; `--read`, `--write`, `--fetch`, `--mcp` and `--tool` are about the rest.
/// A rule that allows very much is shown and asked about first.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("decision").required(true).args(["allow", "ask", "deny"])))]
#[command(group(ArgGroup::new("about").required(true).args(["pattern", "read", "write", "delete", "fetch", "mcp", "tool", "delegate"])))]
pub(super) struct AddArgs {
    /// Run what matches without asking.
    #[arg(long)]
    allow: bool,
    /// Always ask for what matches.
    #[arg(long)]
    ask: bool,
    /// Never run what matches.
    #[arg(long)]
    deny: bool,
    /// Commands by their words; `*` at the end is any further words.
    pattern: Option<String>,
    /// Paths that are read, such as `docs/**`.
    #[arg(long, value_name = "PATHS")]
    read: Option<String>,
    /// Paths that are written.
    #[arg(long, value_name = "PATHS")]
    write: Option<String>,
    /// Paths that are deleted.
    #[arg(long, value_name = "PATHS")]
    delete: Option<String>,
    /// Web addresses, such as `https://docs.rs/**`.
    #[arg(long, value_name = "ADDRESS")]
    fetch: Option<String>,
    /// Tools of MCP servers, as `server/tool`.
    #[arg(long, value_name = "TOOL")]
    mcp: Option<String>,
    /// Tools by name.
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Agents that may be asked to work.
    #[arg(long, value_name = "AGENT")]
    delegate: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// A name for the rule; otherwise it gets one.
    #[arg(long, value_name = "NAME")]
    id: Option<String>,
    /// Do not ask, also where the rule allows very much.
    #[arg(long)]
    yes: bool,
}

/// Under which conditions a rule counts.
#[derive(Debug, Args)]
pub(super) struct Limits {
    /// Only in this workspace.
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    here: Option<std::path::PathBuf>,
    /// Only for this agent.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only for so long: `90s`, `15m`, `2h`, `7d`.
    #[arg(long = "for", value_name = "TIME", conflicts_with = "until")]
    duration: Option<String>,
    /// Only before this time: `2026-12-31` or `2026-12-31T18:00:00Z`.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only so many times.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    uses: Option<u64>,
    /// Why, for those who read it later.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub(super) fn run(args: &AddArgs) -> Result<Exit, Stop> {
    let book = Book::open()?;
    let decision = if args.allow {
        "allow"
    } else if args.ask {
        "ask"
    } else {
        "deny"
    };
    let given = [
        &args.pattern,
        &args.read,
        &args.write,
        &args.delete,
        &args.fetch,
        &args.mcp,
        &args.tool,
        &args.delegate,
    ];
    let keys = SUBJECTS
        .iter()
        .map(|(key, _)| *key)
        .filter(|key| *key != "command_regex");
    let (key, pattern) = keys
        .zip(given)
        .find_map(|(key, given)| Some((key, given.as_ref()?)))
        .ok_or_else(|| Stop::usage("the rule names nothing"))?;
    let mut rule = vec![(decision.to_owned(), Node::map([(key, Node::text(pattern))]))];
    rule.extend(args.limits.entries(None)?);
    let added = add(
        &book,
        &[(Node::map(rule), args.id.clone())],
        "added",
        args.yes,
    )?;
    say(&added
        .iter()
        .map(|(id, words)| format!("added rule {}: {}\n", visible(id), visible(words)))
        .collect::<String>())?;
    Ok(Exit::Allowed)
}

impl Limits {
    /// The entries of a rule that say when it counts; those that an older rule had stay where nothing new is said.
    pub(super) fn entries(&self, before: Option<&Node>) -> Result<Vec<(String, Node)>, Stop> {
        let mut when: Vec<(String, Node)> = before
            .and_then(|rule| rule.get("when"))
            .map(Node::entries)
            .unwrap_or_default()
            .iter()
            .map(|entry| (entry.key.clone(), entry.node.clone()))
            .collect();
        let mut set = |key: &str, node: Node| {
            when.retain(|(known, _)| known != key);
            when.push((key.to_owned(), node));
        };
        if let Some(here) = &self.here {
            let workspace = folder(Some(here))?;
            if workspace.contains(PATTERN_SIGNS) {
                return Err(Stop::usage(format!(
                    "`{}` holds characters of patterns, so no rule can name it exactly",
                    visible(&workspace)
                )));
            }
            set("workspace", Node::text(workspace));
        }
        if let Some(agent) = &self.agent {
            set("agent", Node::text(agent));
        }
        if let Some(until) = &self.until {
            set("until", Node::text(until));
        }
        if let Some(duration) = &self.duration {
            let seconds = read_length(duration)
                .filter(|seconds| *seconds > 0)
                .ok_or_else(|| {
                    Stop::hint(
                        format!("`{}` is no length of time", visible(duration)),
                        "write `90s`, `15m`, `2h` or `7d`",
                    )
                })?;
            let end = jiff::Timestamp::from_second(now().saturating_add(seconds))
                .map_err(|_| Stop::usage("that is too long"))?;
            set("until", Node::text(end.to_string()));
        }
        if let Some(uses) = self.uses {
            set("uses", Value::Number(uses.to_string()).into());
        }
        let mut out = Vec::new();
        if !when.is_empty() {
            out.push(("when".to_owned(), Node::map(when)));
        }
        let reason = self
            .reason
            .as_ref()
            .map(Node::text)
            .or_else(|| before?.get("reason").cloned());
        out.extend(reason.map(|reason| ("reason".to_owned(), reason)));
        Ok(out)
    }
}

/// Adds rules, each with the id it is to have. What allows very much is asked about first; all are checked before one is written.
pub(super) fn add(
    book: &Book,
    rules: &[(Node, Option<String>)],
    source: &str,
    yes: bool,
) -> Result<Vec<(String, String)>, Stop> {
    let ids = Ids::new();
    let mut ready: Vec<(String, &Node, String)> = Vec::new();
    for (rule, id) in rules {
        let id = match id {
            Some(id) => checked_id(book, id)?,
            None => ids.next("rule"),
        };
        if ready.iter().any(|(other, ..)| *other == id) {
            return Err(Stop::usage(format!(
                "two rules have the id `{}`",
                visible(&id)
            )));
        }
        let read = read_one(rule, &id)?;
        ask_about(&read, yes)?;
        let words = words(rule);
        ready.push((id, rule, words));
    }
    for (id, rule, words) in &ready {
        book.write(&Change::RuleAdded {
            id,
            rule,
            words,
            source,
        })?;
    }
    warn_of_many(book.of(Shelf::Rules).count() + ready.len());
    Ok(ready
        .into_iter()
        .map(|(id, _, words)| (id, words))
        .collect())
}

/// Reads one rule as the policy would.
pub(super) fn read_one(rule: &Node, id: &str) -> Result<Rule, Stop> {
    let layer = rules_layer::read_rules(vec![rules_layer::with_id(rule, id)])
        .map_err(|why| Stop::usage(format!("this is no rule: {why}")))?;
    layer
        .rules
        .into_iter()
        .next()
        .ok_or_else(|| Stop::usage("this rule is disabled, so it cannot be added"))
}

/// An id that a person chose: it is typed again later, and stands in the record.
fn checked_id(book: &Book, id: &str) -> Result<String, Stop> {
    let plain = id
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.'));
    if id.is_empty() || id.len() > 64 || !plain || id.starts_with(['-', '.']) {
        return Err(Stop::hint(
            format!("`{}` cannot be an id", visible(id)),
            "use letters, digits, `-`, `_` and `.`",
        ));
    }
    if book.standing.iter().any(|one| one.id == id) {
        return Err(Stop::hint(
            format!("there is a rule `{id}` already"),
            &format!("change it with `sayso rules edit {id}`"),
        ));
    }
    Ok(id.to_owned())
}

/// Says what a broad rule means, and asks.
pub(super) fn ask_about(rule: &Rule, yes: bool) -> Result<(), Stop> {
    let Some(why) = warning(rule) else {
        return Ok(());
    };
    let _ = writeln!(io::stderr(), "sayso: warning: {why}");
    match confirm("Add it all the same?", yes)? {
        true => Ok(()),
        false => Err(Stop::hint(
            "nothing was added",
            "name the subcommand, the folder, the host or the tool",
        )),
    }
}
