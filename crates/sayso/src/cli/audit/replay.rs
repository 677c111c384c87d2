//! `sayso audit replay`: what another policy would have said to the calls of the past.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::policy::decision::Decision;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_again};
use sayso_store::read::{Reader, Stored};

use super::times;
use super::times::When;
use crate::cli::{PolicyChoice, Stop, say};
use crate::exit_code::Exit;
use sayso_runtime::assemble;
use sayso_runtime::record_folder;
use sayso_runtime::replay::history::{Change, Changed, History, Tally};

/// So many changes are shown each way.
const MOST_SHOWN: usize = 10;
/// How often progress is shown.
const EVERY: u64 = 2000;

/// Judge what was recorded under another policy, and show what would change.
///
/// The file stands in place of your own policy file; managed and project files count as they are now. Without a file, the calls are judged
/// by the policy as it is now. Nothing runs, and nothing is asked of the machine: what it said then was recorded with each call.
#[derive(Debug, Args)]
#[command(
    after_help = "Answers that were kept (grants) are left out on both sides: a call that one of them allowed is compared by what the policy alone said.\n\n\
Examples:\n  sayso audit replay --policy stricter.yaml\n  sayso audit replay --policy new.yaml --since 7d --json\n\n\
Exit status: 0 done, 2 usage or a policy that cannot be read."
)]
pub(super) struct ReplayArgs {
    #[command(flatten)]
    choice: PolicyChoice,

    /// Only calls since then: `2h`, `7d`, a date, or a time.
    #[arg(long, value_name = "TIME", value_parser = times::since, allow_hyphen_values = true)]
    since: Option<When>,

    /// Only the last so many calls.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ReplayArgs) -> Result<Exit, Stop> {
    let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
    let folder = super::super::folder(args.choice.folder.as_deref())?;
    let choice = args.choice.flags();
    // A policy that cannot be read would deny everything, which is no answer to the question.
    let loaded = assemble::load_instead(&whereabouts, std::path::Path::new(&folder), &choice);
    if let Some(named) = loaded.files.iter().find(|file| file.is_broken()) {
        return Err(Stop::Usage(format!(
            "{}sayso: this policy cannot be read, so nothing is judged by it\n",
            named.render()
        )));
    }
    let reader = Reader::open(&whereabouts.state).map_err(Stop::usage)?;
    let mut history = History::new(&whereabouts, &choice);
    let mut progress = Progress::new(reader.head().ok().flatten().map_or(0, |head| head.number));
    let since = args.since.map_or(i64::MIN, |When(at)| at);
    let mut take = |entry: Result<Stored, _>| {
        match entry {
            Ok(stored) if stored.at >= since => history.take(&stored),
            Ok(_) => {}
            Err(_) => history.tally.damaged += 1,
        }
        progress.step();
    };
    match args.limit {
        // The last ones stand at the end, and are judged in the order in which they came.
        Some(limit) => {
            let calls = reader.backwards().map_err(Stop::usage)?.filter(|entry| {
                entry
                    .as_ref()
                    .map_or(true, |stored| stored.kind == "decided")
            });
            let last: Vec<_> = calls
                .take(usize::try_from(limit).unwrap_or(usize::MAX))
                .collect();
            last.into_iter().rev().for_each(take);
        }
        None => reader.forwards().map_err(Stop::usage)?.for_each(&mut take),
    }
    progress.clear();
    let tally = history.tally;
    for workspace in &tally.broken {
        let _ = writeln!(
            io::stderr(),
            "sayso: warning: the policy for `{}` cannot be read, so all its calls would be denied",
            visible(workspace)
        );
    }
    match args.json {
        true => say(&format!("{}\n", json::write_plain(&as_node(&tally))))?,
        false => say(&shown(&tally))?,
    }
    Ok(Exit::Allowed)
}

fn shown(tally: &Tally) -> String {
    let mut out = match tally.calls {
        0 => "no calls were recorded\n".to_owned(),
        calls => format!(
            "{} of {} judged again\n",
            tally.judged,
            counted(calls, "call")
        ),
    };
    let (stricter, looser): (Vec<_>, Vec<_>) = tally
        .changes
        .iter()
        .partition(|(change, _)| change.would > change.was);
    if tally.changes.is_empty() && tally.judged > 0 {
        out.push_str("nothing would change\n");
    }
    for (title, mut changes) in [("would be stricter", stricter), ("would be looser", looser)] {
        if changes.is_empty() {
            continue;
        }
        changes.sort_by_key(|(_, changed)| std::cmp::Reverse(changed.count));
        let total: u64 = changes.iter().map(|(_, changed)| changed.count).sum();
        out.push_str(&format!("\n{title}: {}\n", counted(total, "call")));
        for (change, changed) in changes.iter().take(MOST_SHOWN) {
            out.push_str(&shown_change(change, changed));
        }
        if changes.len() > MOST_SHOWN {
            out.push_str(&format!(
                "  and {} more kinds; `--json` has all\n",
                changes.len() - MOST_SHOWN
            ));
        }
    }
    if tally.more > 0 {
        out.push_str(&format!(
            "\n{} would change in other ways\n",
            counted(tally.more, "call")
        ));
    }
    if tally.judged > 0 {
        let (before, after) = (tally.asked_before, tally.asked_after);
        out.push_str(&format!(
            "\nprompts: {before} → {after} ({} → {} in 100 calls)\n",
            of_hundred(before, tally.judged),
            of_hundred(after, tally.judged)
        ));
    }
    if tally.by_grant > 0 {
        let calls = counted(tally.by_grant, "call");
        out.push_str(&format!("{calls} had been allowed by an answer that was kept; compared is what the policy alone says\n"));
    }
    let not_judged: u64 = tally.not_judged.values().sum();
    if not_judged > 0 {
        out.push_str(&format!("\nnot judged: {}\n", counted(not_judged, "call")));
        for (why, count) in &tally.not_judged {
            out.push_str(&format!("  {count:>6}  {}\n", why.words()));
        }
    }
    if tally.damaged > 0 {
        out.push_str(&format!(
            "\n{} of the record cannot be read; run `sayso audit verify`\n",
            counted(tally.damaged, "line")
        ));
    }
    out
}

fn shown_change(change: &Change, changed: &Changed) -> String {
    let Change {
        was,
        would,
        rule_before,
        rule,
        source,
    } = change;
    let mut out = format!(
        "  {:>6}  {} → {}: by `{}`",
        changed.count,
        past(*was),
        future(*would),
        visible(rule)
    );
    if !RuleId::from_recorded(rule, source).is_built_in() && source != rule {
        out.push_str(&format!(" ({})", visible(source)));
    }
    if rule_before != rule {
        out.push_str(&format!(", was `{}`", visible(rule_before)));
    }
    out.push('\n');
    if changed.refused > 0 && *would == Decision::Allow {
        let of = if changed.refused == changed.count {
            "you said no to all of them".to_owned()
        } else {
            format!("you said no to {} of them", changed.refused)
        };
        out.push_str(&format!("          ! {of}\n"));
    }
    for example in &changed.examples {
        let what: String = visible_again(&example.what).chars().take(100).collect();
        out.push_str(&format!("          {} (entry {})\n", what, example.number));
    }
    out
}

fn past(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allowed",
        Decision::Ask => "asked",
        Decision::Deny => "denied",
    }
}

fn future(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "would be allowed",
        Decision::Ask => "would ask",
        Decision::Deny => "would be denied",
    }
}

fn counted(count: u64, word: &str) -> String {
    sayso_core::text::count::count(count, word)
}

/// So many in a hundred, with one digit.
fn of_hundred(count: u64, all: u64) -> String {
    let tenths = count.saturating_mul(1000) / all.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn as_node(tally: &Tally) -> Node {
    let number = |number: u64| -> Node { Value::Number(number.to_string()).into() };
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    let change = |(change, changed): (&Change, &Changed)| {
        let examples = changed.examples.iter().map(|example| {
            Node::map([
                ("entry", number(example.number)),
                ("call", Node::text(&example.call)),
                ("what", Node::text(&example.what)),
            ])
        });
        Node::map([
            ("was", Node::text(change.was.word())),
            ("would", Node::text(change.would.word())),
            ("rule_before", Node::text(&change.rule_before)),
            ("rule", Node::text(&change.rule)),
            ("source", Node::text(&change.source)),
            ("count", number(changed.count)),
            ("refused", number(changed.refused)),
            ("examples", list(examples.collect())),
        ])
    };
    let not_judged = tally
        .not_judged
        .iter()
        .map(|(why, count)| {
            Node::map([("why", Node::text(why.words())), ("count", number(*count))])
        })
        .collect();
    Node::map([
        ("calls", number(tally.calls)),
        ("judged", number(tally.judged)),
        ("changes", list(tally.changes.iter().map(change).collect())),
        ("more_changes", number(tally.more)),
        ("prompts_before", number(tally.asked_before)),
        ("prompts_after", number(tally.asked_after)),
        (
            "prompts_before_per_100",
            Value::Number(of_hundred(tally.asked_before, tally.judged)).into(),
        ),
        (
            "prompts_after_per_100",
            Value::Number(of_hundred(tally.asked_after, tally.judged)).into(),
        ),
        ("by_grant", number(tally.by_grant)),
        ("not_judged", list(not_judged)),
        ("damaged_lines", number(tally.damaged)),
    ])
}

/// A line on the terminal that says how far it is.
struct Progress {
    shown: bool,
    done: u64,
    all: u64,
}

impl Progress {
    fn new(all: u64) -> Self {
        Progress {
            shown: io::stderr().is_terminal() && all > EVERY,
            done: 0,
            all,
        }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.shown && self.done.is_multiple_of(EVERY) {
            let percent = self.done.saturating_mul(100) / self.all.max(1);
            let filled = usize::try_from(percent / 5).unwrap_or(20).min(20);
            // Nobody misses it where it cannot be written.
            let _ = write!(
                io::stderr(),
                "\r[{}{}] {percent:>3} %",
                "█".repeat(filled),
                "·".repeat(20 - filled)
            );
        }
    }

    fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r{:40}\r", "");
        }
    }
}
