//! `sayso grants`: what answers allow, for how long; and taking it back.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use sayso_core::text::count::{agreed, count};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_store::rules_and_grants::change::Change;
use sayso_store::rules_and_grants::{Standing, What};

use super::remembered::{Book, Shelf, confirm};
use super::{Stop, folder, now, say};
use crate::exit_code::Exit;
use crate::screen::ago::{ago, read_length};

/// What your answers allow: list it, take it back, let it end earlier.
#[derive(Debug, Args)]
pub(super) struct GrantsArgs {
    #[command(subcommand)]
    command: GrantsCommand,
}

impl GrantsArgs {
    /// Whether it changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        matches!(self.command, GrantsCommand::List { .. })
    }
}

#[derive(Debug, Subcommand)]
enum GrantsCommand {
    /// List what was granted, by session and by project.
    List {
        /// Only this session.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Only this project.
        #[arg(long, value_name = "DIR")]
        project: Option<std::path::PathBuf>,
        /// Answer as JSON, one grant a line.
        #[arg(long)]
        json: bool,
    },
    /// Take grants back. It counts at once, also for agents that are at work.
    Revoke {
        /// Their ids, or the beginnings of them.
        #[arg(required_unless_present_any = ["all", "session"])]
        ids: Vec<String>,
        /// All of them.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
        /// All of this session.
        #[arg(long, value_name = "ID", conflicts_with_all = ["ids", "all"])]
        session: Option<String>,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Let a grant end: after some time, or after some uses. It never ends later than before.
    Expire {
        /// Its id, or the beginning of it.
        id: String,
        /// After so long: `15m`, `2h`, `7d`.
        #[arg(long = "in", value_name = "TIME", required_unless_present = "uses")]
        after: Option<String>,
        /// After so many uses.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        uses: Option<u64>,
    },
}

pub(super) fn run(args: &GrantsArgs) -> Result<Exit, Stop> {
    let book = Book::open()?;
    match &args.command {
        GrantsCommand::List {
            session,
            project,
            json,
        } => {
            let project = project
                .as_deref()
                .map(|path| folder(Some(path)))
                .transpose()?;
            list(&book, session.as_deref(), project.as_deref(), *json)
        }
        GrantsCommand::Revoke {
            ids,
            all,
            session,
            yes,
        } => revoke(&book, ids, *all, session.as_deref(), *yes),
        GrantsCommand::Expire { id, after, uses } => expire(&book, id, after.as_deref(), *uses),
    }
}

/// Where a grant holds: a session, a project, or everywhere.
fn place(one: &Standing) -> (String, Option<&str>) {
    let What::Grant(spec) = &one.what else {
        return ("everywhere".to_owned(), None);
    };
    let text = |name: &str| spec.get(name).and_then(Node::as_text);
    match (text("session"), text("project")) {
        (Some(session), _) => (format!("session {session}"), Some(session)),
        (None, Some(project)) => (format!("project {project}"), Some(project)),
        (None, None) => ("everywhere".to_owned(), None),
    }
}

fn list(
    book: &Book,
    session: Option<&str>,
    project: Option<&str>,
    as_json: bool,
) -> Result<Exit, Stop> {
    let wanted = |one: &&Standing| {
        let named = place(one);
        let is = |prefix: &str, given: Option<&str>| {
            given.is_none_or(|given| named.0.starts_with(prefix) && named.1 == Some(given))
        };
        is("session ", session) && is("project ", project) && !one.is_over(now())
    };
    let mut grants: Vec<&Standing> = book.of(Shelf::Grants).filter(wanted).collect();
    grants.sort_by_key(|one| (place(one).0, one.created));
    let mut out = io::stdout().lock();
    if as_json {
        for grant in grants {
            writeln!(out, "{}", json::write_plain(&in_json(grant)))?;
        }
        return Ok(Exit::Allowed);
    }
    let rules = book.of(Shelf::Rules).count();
    if grants.is_empty() {
        writeln!(out, "Nothing is granted beyond single answers.")?;
    }
    let mut before = String::new();
    let now = now().saturating_mul(1000);
    for grant in grants {
        let (named, _) = place(grant);
        if named != before {
            writeln!(out, "{}", visible(&named))?;
            before = named;
        }
        let mut facts = vec![format!("given {}", ago(grant.created, now))];
        facts.extend(agent(grant).map(|agent| format!("to {agent}")));
        facts.extend(
            grant
                .expires
                .map(|end| format!("ends {}", ago(end.saturating_mul(1000), now))),
        );
        facts.extend(
            grant
                .uses_left
                .map(|left| format!("{} left", count(left, "use"))),
        );
        facts.push(grant.last_used.map_or_else(
            || "never used".to_owned(),
            |at| format!("used {}, last {}", count(grant.uses, "time"), ago(at, now)),
        ));
        writeln!(
            out,
            "  {}  {}",
            visible(grant.short()),
            visible(&grant.words)
        )?;
        writeln!(out, "            {}", visible(&facts.join(", ")))?;
    }
    if rules > 0 {
        writeln!(
            out,
            "{} {} for longer: `sayso rules list`",
            count(rules, "rule"),
            agreed(rules, "lasts", "last")
        )?;
    }
    Ok(Exit::Allowed)
}

/// The agent that has it; none for everybody without a name.
fn agent(one: &Standing) -> Option<String> {
    let What::Grant(spec) = &one.what else {
        return None;
    };
    spec.get("agent")
        .and_then(Node::as_text)
        .filter(|agent| !agent.is_empty())
        .map(|agent| agent.replace('\u{1f}', " < "))
}

fn in_json(grant: &Standing) -> Node {
    let number = |number: i64| -> Node { Value::Number(number.to_string()).into() };
    let (named, value) = place(grant);
    let scope = named.split(' ').next().unwrap_or_default().to_owned();
    let mut map = vec![
        ("id", Node::text(&grant.id)),
        (
            "scope",
            Node::text(if scope == "everywhere" {
                "always"
            } else {
                scope.as_str()
            }),
        ),
        ("words", Node::text(&grant.words)),
        ("created_at", number(grant.created)),
        ("uses", Value::Number(grant.uses.to_string()).into()),
    ];
    map.extend(value.map(|value| ("of", Node::text(value))));
    map.extend(agent(grant).map(|agent| ("agent", Node::text(agent))));
    map.extend(grant.expires.map(|end| ("expires_at", number(end))));
    map.extend(
        grant
            .uses_left
            .map(|left| ("uses_left", Value::Number(left.to_string()).into())),
    );
    map.extend(grant.last_used.map(|at| ("last_used", number(at))));
    if let What::Grant(spec) = &grant.what {
        map.push(("covers", spec.clone()));
    }
    Node::map(map)
}

fn revoke(
    book: &Book,
    ids: &[String],
    all: bool,
    session: Option<&str>,
    yes: bool,
) -> Result<Exit, Stop> {
    let found: Vec<&Standing> = match (all, session) {
        (true, _) => book.of(Shelf::Grants).collect(),
        (_, Some(session)) => {
            let of_session: Vec<&Standing> = book
                .of(Shelf::Grants)
                .filter(|one| place(one).0 == format!("session {session}"))
                .collect();
            if of_session.is_empty() {
                return Err(Stop::hint(
                    format!("the session `{}` has no grants", visible(session)),
                    "`sayso grants list` shows all of them",
                ));
            }
            of_session
        }
        _ => ids
            .iter()
            .map(|id| book.find(Shelf::Grants, id))
            .collect::<Result<_, _>>()?,
    };
    if found.is_empty() {
        say("nothing is granted\n")?;
        return Ok(Exit::Allowed);
    }
    if ids.is_empty() && !confirm(&format!("Take back {}?", count(found.len(), "grant")), yes)? {
        return Err(Stop::usage("nothing was taken back"));
    }
    for grant in found {
        book.write(&Change::Removed(&grant.id))?;
        say(&format!(
            "taken back: {} {}\n",
            visible(grant.short()),
            visible(&grant.words)
        ))?;
    }
    Ok(Exit::Allowed)
}

fn expire(book: &Book, id: &str, after: Option<&str>, uses: Option<u64>) -> Result<Exit, Stop> {
    let grant = book.find(Shelf::Grants, id)?;
    let seconds = match after {
        None => None,
        Some(text) => Some(read_length(text).ok_or_else(|| {
            Stop::hint(
                format!("`{}` is no length of time", visible(text)),
                "write `15m`, `2h` or `7d`",
            )
        })?),
    };
    let expires = seconds.map(|seconds| now().saturating_add(seconds));
    book.write(&Change::Limited {
        id: &grant.id,
        expires,
        uses,
    })?;
    let mut ends = Vec::new();
    ends.extend(after.map(|after| format!("in {after}")));
    ends.extend(uses.map(|uses| format!("after {uses} uses")));
    say(&format!(
        "{} ends {}, or before: {}\n",
        visible(grant.short()),
        visible(&ends.join(" or ")),
        visible(&grant.words)
    ))?;
    Ok(Exit::Allowed)
}
