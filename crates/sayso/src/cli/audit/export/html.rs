//! A report on one page: counts, the state of the chain, and the calls with everything that is recorded of them.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use sayso_core::analysis::risk::Level;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_store::index::Index;
use sayso_store::index::calls::{Filter, Listed};
use sayso_store::index::stats::Stats;
use sayso_store::read::Reader;
use sayso_store::verify::{Report, verify_telling};

use super::file::Target;
use super::page::{closing, escaped, escaped_again, escaped_block, opening};
use super::{is_whole, lines};
use crate::cli::Stop;
use crate::cli::audit::{Progress, times};
use sayso_runtime::audit::call::{about, sign};
use sayso_runtime::audit::decided_by as by;

/// Writes the page; false where a part of the record is missing.
pub(super) fn write(
    target: &mut Target,
    state: &Path,
    index: Option<&Index>,
    filter: &Filter,
    limit: Option<u64>,
) -> Result<bool, Stop> {
    let mut progress = Progress::new("verifying the record");
    let mut tell =
        |done: u64, all: u64| progress.tell(&format!("{} of {} MiB", done >> 20, all >> 20));
    let report = verify_telling(state, None, &mut tell).map_err(Stop::usage)?;
    progress.end();
    let (calls, stats, all) = match index {
        Some(index) => (
            index.last(filter, limit).map_err(Stop::usage)?,
            index.stats(filter).map_err(Stop::usage)?,
            index.count(filter).map_err(Stop::usage)?,
        ),
        None => (Vec::new(), Stats::default(), 0),
    };
    target.write_all(opening("sayso audit report").as_bytes())?;
    let now = times::now();
    let span = match (stats.first, stats.last) {
        (Some(first), Some(last)) => format!(
            "Calls from {} to {}",
            times::absolute(first),
            times::absolute(last)
        ),
        _ => "No calls".to_owned(),
    };
    let narrowed = if filter.is_open() {
        ""
    } else {
        ", narrowed down by filters"
    };
    writeln!(
        target,
        "<header><h1><span class=\"name\">sayso</span> audit report</h1><p>{}{narrowed}. Made on <time datetime=\"{}\">{}</time>; times are {}.</p></header>\n<main>",
        escaped(&span),
        sayso_runtime::audit::rfc3339(now),
        times::absolute(now),
        times::zone(now)
    )?;
    target.write_all(tiles(&stats).as_bytes())?;
    target.write_all(chain(&report).as_bytes())?;
    target.write_all(controls(&calls, all).as_bytes())?;
    let details = details(state, &calls)?;
    writeln!(target, "{HEAD}")?;
    for listed in calls.iter().rev() {
        target.write_all(row(listed, details.get(&listed.number)).as_bytes())?;
    }
    writeln!(
        target,
        "</table>\n<p id=\"none\" hidden>No call matches these filters.</p>\n</main>"
    )?;
    target.write_all(closing().as_bytes())?;
    Ok(report.is_sound() && is_whole(index)?)
}

fn tiles(stats: &Stats) -> String {
    let total = &stats.total;
    let share =
        |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.0} %"));
    let per_100 = total
        .prompts_per_100()
        .map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1}"));
    let answer = stats.answers.p50.map_or_else(String::new, |time| {
        format!(", half answered within {}", times::length(time))
    });
    let others = total.timed_out + total.cancelled + total.nobody;
    let others = if others > 0 {
        format!(", {} without an answer", grouped(others))
    } else {
        String::new()
    };
    let denied = format!(
        "{} by people, {} by policy{others}",
        grouped(total.denied),
        grouped(total.blocked)
    );
    let tile = |kind: &str, value: &str, label: &str, more: &str| {
        format!(
            "<div class=\"tile {kind}\"><dt>{label}</dt><dd><strong>{}</strong><span>{}</span></dd></div>\n",
            escaped(value),
            escaped(more)
        )
    };
    format!(
        "<dl class=\"tiles\">\n{}{}{}{}</dl>\n",
        tile(
            "",
            &grouped(total.calls),
            "calls",
            &format!("{} ran unasked", grouped(total.auto_approved))
        ),
        tile(
            "asked",
            &grouped(total.prompts),
            "prompts",
            &format!("{per_100} of 100 calls{answer}")
        ),
        tile("no", &grouped(total.denials()), "denied", &denied),
        tile(
            "yes",
            &share(total.approval_rate()),
            "approval rate",
            &format!("{} prompts answered with yes", grouped(total.approved))
        ),
    )
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn chain(report: &Report) -> String {
    let entries = grouped(report.entries);
    let note = "An end that was cut off before this report was made cannot be seen in it; compare with a head that was kept elsewhere: <code>sayso audit verify --head</code>.";
    match (report.is_sound(), report.head) {
        (true, None) => {
            "<section class=\"chain\"><h2>✓ The record is empty</h2></section>\n".to_owned()
        }
        (true, Some(head)) => format!(
            "<section class=\"chain\"><h2>✓ The chain holds</h2><p>All {entries} entries of the record were verified, through entry {}. Head:</p>\
             <p><code class=\"head\">{head}</code></p><p class=\"note\">{note}</p></section>\n",
            grouped(head.number)
        ),
        (false, _) => {
            let faults: String = report
                .faults
                .iter()
                .map(|fault| format!("<li>{}</li>", escaped(&fault.to_string())))
                .collect();
            let more = if report.more_faults > 0 {
                format!("<li>and {} more</li>", grouped(report.more_faults))
            } else {
                String::new()
            };
            format!(
                "<section class=\"chain broken\"><h2>✗ The chain does not hold</h2><p>The record was changed after it was written. \
                 {entries} entries were looked at:</p><ul>{faults}{more}</ul></section>\n"
            )
        }
    }
}

fn controls(calls: &[Listed], all: u64) -> String {
    let options = |of: &dyn Fn(&Listed) -> Option<String>| {
        let mut values: Vec<String> = calls.iter().filter_map(of).collect();
        values.sort_unstable();
        values.dedup();
        values
            .iter()
            .map(|value| format!("<option value=\"{0}\">{0}</option>", escaped(value)))
            .collect::<String>()
    };
    let shown = calls.len() as u64;
    let of = if shown < all {
        format!("The newest {} of {} calls.", grouped(shown), grouped(all))
    } else {
        String::new()
    };
    format!(
        "<h2 class=\"title\">Calls</h2><p class=\"note\">{of}</p>\n<div class=\"controls\" hidden>\
         <label>Search <input type=\"search\" id=\"search\" placeholder=\"command, path, rule, note\"></label>\
         <label>Outcome <select id=\"outcome\"><option value=\"\">all</option>{}</select></label>\
         <label>Tool <select id=\"tool\"><option value=\"\">all</option>{}</select></label>\
         <label>Agent <select id=\"agent\"><option value=\"\">all</option>{}</select></label>\
         <span id=\"count\" role=\"status\"></span></div>\n",
        options(&|listed| listed.outcome.clone()),
        options(&|listed| listed.tool.clone()),
        options(&|listed| listed.agent.clone())
    )
}

const HEAD: &str = "<table id=\"calls\"><thead><tr><th data-key=\"number\">Entry</th><th data-key=\"number\">Time</th><th data-key=\"agent\">Agent</th>\
<th data-key=\"tool\">Tool</th><th data-key=\"outcome\">Outcome</th><th data-key=\"risk\">Risk</th><th data-key=\"rule\">Rule</th>\
<th data-key=\"what\">What</th></tr></thead>";

fn row(listed: &Listed, entry: Option<&Entry>) -> String {
    let cell = |text: &Option<String>| escaped(text.as_deref().unwrap_or_default());
    let outcome = listed.outcome.as_deref().unwrap_or(&listed.kind);
    let class = match outcome {
        "approved" => "yes",
        "auto_approved" => "unasked",
        "denied" | "blocked" => "no",
        "timed_out" | "cancelled" | "nobody" => "nobody",
        _ => "other",
    };
    let sign = listed.outcome.as_deref().map_or('·', sign);
    let mut after = String::new();
    if listed.succeeded == Some(false) {
        after.push_str("<span class=\"after\">failed</span>");
    }
    if listed.undone.is_some() {
        after.push_str("<span class=\"after\">undone</span>");
    }
    let (agent, tool, rule) = (cell(&listed.agent), cell(&listed.tool), cell(&listed.rule));
    // Without the entry itself nothing is known of a danger.
    let level = entry.map_or_else(|| level(listed.risk.as_deref(), None), |entry| entry.level);
    let (risk, what) = (level.map_or("", Level::word), escaped_again(&about(listed)));
    let outcome = escaped(outcome);
    format!(
        "<tbody data-number=\"{number}\" data-agent=\"{agent}\" data-tool=\"{tool}\" data-outcome=\"{outcome}\" data-risk=\"{risk}\" data-rule=\"{rule}\">\
         <tr class=\"call\"><td data-label=\"entry\">{number}</td><td data-label=\"time\"><time datetime=\"{time}\">{local}</time></td>\
         <td data-label=\"agent\">{agent}</td><td data-label=\"tool\">{tool}</td>\
         <td data-label=\"outcome\"><span class=\"badge {class}\">{sign} {words}</span>{after}</td><td data-label=\"risk\">{risk}</td>\
         <td data-label=\"rule\">{rule}</td><td data-label=\"what\" class=\"what\">{what}</td></tr>\
         <tr class=\"more\"><td colspan=\"8\">{details}</td></tr></tbody>\n",
        number = listed.number,
        time = sayso_runtime::audit::rfc3339(listed.at),
        local = times::absolute(listed.at),
        words = outcome.replace('_', " "),
        details = entry.map_or("", |entry| entry.details.as_str()),
    )
}

/// What the record says of a call beyond the list.
struct Entry {
    /// Ready for the page.
    details: String,
    /// How bad it was.
    level: Option<Level>,
}

fn level(risk: Option<&str>, tier: Option<&str>) -> Option<Level> {
    Level::from_words(risk?, tier.unwrap_or("none"))
}

/// What the record says of these calls beyond the row.
fn details(state: &Path, calls: &[Listed]) -> Result<HashMap<u64, Entry>, Stop> {
    let numbers: Vec<u64> = calls.iter().map(|listed| listed.number).collect();
    let by_number: HashMap<u64, &Listed> =
        calls.iter().map(|listed| (listed.number, listed)).collect();
    let mut out = HashMap::new();
    let reader = Reader::open(state).map_err(Stop::usage)?;
    lines::each(&reader, Some(&numbers), |entry| {
        if let Ok(stored) = entry
            && let (Ok(node), Some(listed)) = (stored.node(), by_number.get(&stored.number))
        {
            let text = |key: &str| node.get(key).and_then(Node::as_text);
            out.insert(
                stored.number,
                Entry {
                    details: detail(&node, listed),
                    level: level(text("risk"), text("tier")),
                },
            );
        }
        Ok(())
    })?;
    Ok(out)
}

/// What stands in the row or below already, and what is nothing to read.
const NOT_SHOWN: [&str; 15] = [
    "v", "n", "at", "prev", "kind", "tool", "agent", "outcome", "rule", "risk", "tier", "what",
    "args", "args_cut", "facts",
];
/// What is read first.
const FIRST: [&str; 9] = [
    "why",
    "source",
    "decision",
    "by",
    "scope",
    "confirmations",
    "note",
    "message",
    "cwd",
];

fn detail(node: &Node, listed: &Listed) -> String {
    let mut out = String::from("<dl>");
    let mut push = |name: &str, value: &str| {
        out.push_str(&format!(
            "<dt>{}</dt><dd>{}</dd>",
            escaped(name),
            escaped(value)
        ))
    };
    let mut entries: Vec<_> = node
        .entries()
        .iter()
        .filter(|entry| !NOT_SHOWN.contains(&entry.key.as_str()))
        .collect();
    entries.sort_by_key(|entry| {
        FIRST
            .iter()
            .position(|name| *name == entry.key)
            .unwrap_or(FIRST.len())
    });
    for entry in entries {
        let value = entry
            .node
            .as_text()
            .map_or_else(|| json::write_plain(&entry.node), str::to_owned);
        let value = if entry.key == "by" {
            by::of_call(listed).unwrap_or(value)
        } else {
            value
        };
        push(&entry.key.replace('_', " "), &value);
    }
    if let Some(asked) = listed.asked {
        push(
            "asked",
            &format!(
                "{}, answered after {}",
                times::absolute(asked),
                times::length(listed.at.saturating_sub(asked))
            ),
        );
    }
    if let Some(ended) = listed.ended {
        let went = if listed.succeeded == Some(true) {
            "went well"
        } else {
            "failed"
        };
        let took = listed
            .milliseconds
            .and_then(|time| i64::try_from(time).ok())
            .map(|time| format!(" after {}", times::length(time)));
        push(
            "ran",
            &format!(
                "{went}{}, ended {}",
                took.unwrap_or_default(),
                times::absolute(ended)
            ),
        );
    }
    if let Some(undone) = listed.undone {
        push("undone", &times::absolute(undone));
    }
    out.push_str("</dl>");
    if let Some(args) = node.get("args") {
        let cut = matches!(
            node.get("args_cut").map(|node| &node.value),
            Some(Value::Bool(true))
        );
        out.push_str(if cut {
            "<h3>Arguments, cut</h3>"
        } else {
            "<h3>Arguments</h3>"
        });
        let lines: Vec<String> = args.entries().iter().map(argument).collect();
        let text = if lines.is_empty() {
            json::write_plain(args)
        } else {
            lines.join("\n")
        };
        out.push_str(&format!("<pre>{}</pre>", escaped_block(&text)));
    }
    out
}

fn argument(entry: &sayso_core::text::node::Entry) -> String {
    let value = entry
        .node
        .as_text()
        .map_or_else(|| json::write_plain(&entry.node), str::to_owned);
    // A name is one line, so that none can be made up by a value or by another name.
    format!(
        "{}: {}",
        entry.key.replace('\n', "␊"),
        value.replace('\n', "\n    ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_groups() {
        assert_eq!(
            [0, 12, 999, 1000, 1_234_567].map(grouped),
            ["0", "12", "999", "1,000", "1,234,567"]
        );
    }
}
