//! `sayso audit stats`: how often people are asked, what for, and what they say.

use std::io;

use clap::Args;
use sayso_core::text::count::count;
use sayso_core::text::json;
use sayso_core::text::visible::{visible, visible_again};
use sayso_store::index::calls::Kinds;
use sayso_store::index::stats::{Counts, Stats};

use super::filters::Filters;
use super::{NOTHING, index_of_record, times};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;
use sayso_tui::lines::paint::Paint;

/// Count calls, prompts, approvals and denials; what is asked most, by which rules, and how long answers take.
#[derive(Debug, Args)]
#[command(
    after_help = "A call counts as prompted where a prompt was recorded, or where it ended as only an answer or its absence can end it (approved, denied, timed_out). The approval rate is of prompts. Times to answer are of prompts that were recorded and answered."
)]
pub(super) struct StatsArgs {
    /// Answer as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filters: Filters,
}

pub(super) fn run(args: &StatsArgs) -> Result<Exit, Stop> {
    let filter = args.filters.filter(Kinds::Calls);
    let stats = match index_of_record()? {
        Some(index) => index.stats(&filter).map_err(Stop::usage)?,
        None if !args.json => {
            say(NOTHING)?;
            return Ok(Exit::Allowed);
        }
        None => Stats::default(),
    };
    if args.json {
        say(&format!(
            "{}\n",
            json::write_plain(&sayso_runtime::audit::stats::as_node(&stats))
        ))?;
        return Ok(Exit::Allowed);
    }
    let paint = Paint::for_stream(&io::stdout());
    say(&lines(&stats)
        .iter()
        .map(|line| format!("{}\n", paint.folded(line, "    ↪ ")))
        .collect::<String>())?;
    Ok(Exit::Allowed)
}

fn lines(stats: &Stats) -> Vec<String> {
    let total = &stats.total;
    let labelled = |label: &str, value: String| format!("{label:<22} {value}");
    let percent =
        |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1} %"));
    let mut out = Vec::new();
    if let (Some(first), Some(last)) = (stats.first, stats.last) {
        out.push(labelled("from", times::absolute(first)));
        out.push(labelled("to", times::absolute(last)));
    }
    out.push(labelled("calls", total.calls.to_string()));
    out.push(labelled("  ran unasked", total.auto_approved.to_string()));
    out.push(labelled("prompts", total.prompts.to_string()));
    out.push(labelled(
        "  per 100 calls",
        total
            .prompts_per_100()
            .map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1}")),
    ));
    out.push(labelled(
        "  approved",
        format!("{} ({})", total.approved, percent(total.approval_rate())),
    ));
    out.push(labelled("denials", total.denials().to_string()));
    let denials = [
        ("  by a person", total.denied),
        ("  by policy", total.blocked),
        ("  not answered", total.timed_out),
        ("  stopped", total.cancelled),
        ("  nobody to ask", total.nobody),
    ];
    out.extend(
        denials
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(label, count)| labelled(label, count.to_string())),
    );
    for (label, count) in [
        ("only judged (dry run)", total.dry_run),
        ("ran and failed", total.failed),
        ("undone", total.undone),
    ] {
        if count > 0 {
            out.push(labelled(label, count.to_string()));
        }
    }
    if let (Some(half), Some(most)) = (stats.answers.p50, stats.answers.p95) {
        let of = stats.answers.count;
        out.push(labelled(
            "time to answer",
            format!(
                "half within {}, 95 % within {} ({})",
                times::length(half),
                times::length(most),
                count(of, "answer")
            ),
        ));
    }
    if !stats.asks_by_rule.is_empty() {
        out.extend([String::new(), "asked because of".to_owned()]);
        out.extend(
            stats
                .asks_by_rule
                .iter()
                .map(|(rule, count)| format!("{count:>7}  {}", or_none(rule))),
        );
    }
    if !stats.most_asked.is_empty() {
        out.extend([String::new(), "asked most".to_owned()]);
        let line = |(_, what, count, yes): &(String, String, u64, u64)| {
            format!(
                "{count:>7}  {} ({yes} × yes)",
                if what.is_empty() {
                    or_none(what)
                } else {
                    visible_again(what)
                }
            )
        };
        out.extend(stats.most_asked.iter().map(line));
    }
    if stats.by_agent.iter().any(|(agent, _)| !agent.is_empty()) {
        out.extend([String::new(), "by agent".to_owned()]);
        let line = |(agent, counts): &(String, Counts)| {
            let Counts {
                calls,
                prompts,
                approved,
                ..
            } = counts;
            format!(
                "{calls:>7}  {}: {}, {approved} approved, {}",
                or_none(agent),
                count(prompts, "prompt"),
                count(counts.denials(), "denial")
            )
        };
        out.extend(stats.by_agent.iter().map(line));
    }
    out
}

fn or_none(text: &str) -> String {
    if text.is_empty() {
        "(none)".to_owned()
    } else {
        visible(text).into_owned()
    }
}
