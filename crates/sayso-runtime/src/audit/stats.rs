//! The counts of the record as JSON.

use sayso_core::text::node::{Node, Value};
use sayso_store::index::stats::{Counts, Stats};

use super::call::{null, number};
use super::rfc3339;

/// The counts as a value.
pub fn as_node(stats: &Stats) -> Node {
    let time = |at: Option<i64>| at.map_or_else(null, |at| Node::text(rfc3339(at)));
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    let rules = stats
        .asks_by_rule
        .iter()
        .map(|(rule, count)| Node::map([("rule", Node::text(rule)), ("asks", number(count))]));
    let most = stats.most_asked.iter().map(|(tool, what, count, yes)| {
        Node::map([
            ("tool", Node::text(tool)),
            ("what", Node::text(what)),
            ("asks", number(count)),
            ("approved", number(yes)),
        ])
    });
    let agents = stats.by_agent.iter().map(|(agent, counts)| {
        let mut node = vec![("agent", Node::text(agent))];
        node.extend(counts_of(counts));
        Node::map(node)
    });
    let mut node = vec![("first", time(stats.first)), ("last", time(stats.last))];
    node.extend(counts_of(&stats.total));
    node.extend([
        (
            "time_to_answer",
            Node::map([
                ("answers", number(stats.answers.count)),
                ("p50_ms", stats.answers.p50.map_or_else(null, number)),
                ("p95_ms", stats.answers.p95.map_or_else(null, number)),
            ]),
        ),
        ("asks_by_rule", list(rules.collect())),
        ("most_asked", list(most.collect())),
        ("by_agent", list(agents.collect())),
    ]);
    Node::map(node)
}

fn counts_of(counts: &Counts) -> Vec<(&'static str, Node)> {
    let rate = |rate: Option<f64>| rate.map_or_else(null, |rate| number(format!("{rate:.2}")));
    vec![
        ("calls", number(counts.calls)),
        ("prompts", number(counts.prompts)),
        ("approved", number(counts.approved)),
        ("approval_rate_percent", rate(counts.approval_rate())),
        ("prompts_per_100_calls", rate(counts.prompts_per_100())),
        ("denials", number(counts.denials())),
        ("auto_approved", number(counts.auto_approved)),
        ("denied", number(counts.denied)),
        ("blocked", number(counts.blocked)),
        ("timed_out", number(counts.timed_out)),
        ("cancelled", number(counts.cancelled)),
        ("nobody", number(counts.nobody)),
        ("dry_run", number(counts.dry_run)),
        ("failed", number(counts.failed)),
        ("undone", number(counts.undone)),
    ]
}
