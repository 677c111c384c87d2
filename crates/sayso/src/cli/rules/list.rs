//! `sayso rules list`: every rule that lasts, with where it came from and how much it was used.

use std::io::{self, Write};

use clap::Args;
use sayso_core::text::count::count;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_store::rules_and_grants::Standing;

use crate::cli::remembered::{Book, Shelf};
use crate::cli::{Stop, now};
use crate::exit_code::Exit;
use crate::screen::ago::ago;
use crate::screen::columns::columns;
use sayso_runtime::rules::line::{Line, line};
use sayso_tui::lines::paint::Paint;

/// More rules than this are hard to keep in mind.
const MANY: usize = 20;

/// List all rules: id, type, pattern, source, and how much each was used.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Answer as JSON, one rule a line.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ListArgs) -> Result<Exit, Stop> {
    let book = Book::open()?;
    let rules: Vec<&Standing> = book.of(Shelf::Rules).collect();
    let mut out = io::stdout().lock();
    if args.json {
        for rule in rules {
            writeln!(out, "{}", json::write_plain(&as_json(rule)))?;
        }
        return Ok(Exit::Allowed);
    }
    if rules.is_empty() {
        writeln!(
            out,
            "There are no rules yet. An answer for a project or for always makes one; `sayso rules add` does, too."
        )?;
        return Ok(Exit::Allowed);
    }
    let head = [
        "ID",
        "DECISION",
        "PATTERN",
        "WHERE",
        "COUNTS",
        "USES",
        "LAST USED",
        "CREATED",
        "SOURCE",
        "TYPE",
    ];
    let rows: Vec<Vec<String>> = rules.iter().map(|rule| row(rule)).collect();
    for line in columns(&head, &rows, Paint::for_stream(&io::stdout()).cut_at()) {
        writeln!(out, "{line}")?;
    }
    drop(out);
    warn_of_many(rules.len());
    Ok(Exit::Allowed)
}

/// Says when there are so many that nobody knows them all.
pub(super) fn warn_of_many(count: usize) {
    if count >= MANY {
        let hint = "`sayso rules list` shows which were never used";
        let _ = writeln!(
            io::stderr(),
            "sayso: warning: there are {count} rules; few people can say what so many allow\nhint: {hint}"
        );
    }
}

fn row(rule: &Standing) -> Vec<String> {
    let now = now().saturating_mul(1000);
    let Line {
        decision,
        kind,
        subject,
        pattern,
        reach,
        expires,
        uses,
    } = line(rule);
    let is_over = rule.is_over(now / 1000)
        || expires.is_some_and(|end| end.saturating_mul(1000) <= now)
        || uses == Some(0);
    let counts = match (rule.enabled, is_over) {
        (false, _) => "disabled".to_owned(),
        (true, true) => "over".to_owned(),
        (true, false) => match (expires, uses) {
            (Some(end), _) => format!("ends {}", ago(end.saturating_mul(1000), now)),
            (None, Some(uses)) => count(uses, "more time"),
            (None, None) => "yes".to_owned(),
        },
    };
    let pattern = if subject == kind {
        pattern
    } else {
        format!("{subject} {pattern}")
    };
    vec![
        rule.short().to_owned(),
        decision,
        pattern,
        reach,
        counts,
        rule.uses.to_string(),
        rule.last_used
            .map_or_else(|| "never".to_owned(), |at| ago(at, now)),
        ago(rule.created, now),
        rule.source.clone(),
        kind.to_owned(),
    ]
}

pub(super) fn as_json(rule: &Standing) -> Node {
    let number = |number: i64| -> Node { Value::Number(number.to_string()).into() };
    let line = line(rule);
    let mut map = vec![
        ("id", Node::text(&rule.id)),
        ("type", Node::text(line.kind)),
        ("subject", Node::text(line.subject)),
        ("decision", Node::text(line.decision)),
        ("pattern", Node::text(line.pattern)),
        ("scope", Node::text(line.reach)),
        ("source", Node::text(&rule.source)),
        ("enabled", Value::Bool(rule.enabled).into()),
        ("created_at", number(rule.created)),
        ("uses", Value::Number(rule.uses.to_string()).into()),
        ("words", Node::text(&rule.words)),
    ];
    map.extend(rule.last_used.map(|at| ("last_used", number(at))));
    map.extend(line.expires.map(|end| ("expires_at", number(end))));
    map.extend(
        line.uses
            .map(|uses| ("uses_left", Value::Number(uses.to_string()).into())),
    );
    Node::map(map)
}
