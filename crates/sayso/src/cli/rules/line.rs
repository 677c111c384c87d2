//! One rule as a person sees it: type, decision, pattern, how far it reaches and where it came from.

use sayso_core::node::{Node, Value};
use sayso_core::policy::time;
use sayso_store::rules_and_grants::Standing;
use sayso_store::rules_and_grants::What;
use sayso_store::rules_and_grants::grant_fields;

/// The keys that say what a rule is about, with the type a person knows it by.
pub(crate) const SUBJECTS: [(&str, &str); 9] = [
    ("command", "command"),
    ("command_regex", "command"),
    ("read", "path"),
    ("write", "path"),
    ("delete", "path"),
    ("fetch", "address"),
    ("mcp", "tool"),
    ("tool", "tool"),
    ("delegate", "agent"),
];

/// A rule in parts.
#[derive(Debug)]
pub(crate) struct Line {
    pub decision: String,
    /// `command`, `path`, `tool`, …
    pub kind: &'static str,
    /// `command`, `read`, `write`, …
    pub subject: &'static str,
    pub pattern: String,
    /// Where and for whom, in words.
    pub reach: String,
    pub expires: Option<i64>,
    /// How many times more.
    pub uses: Option<u64>,
}

pub(crate) fn line(one: &Standing) -> Line {
    match &one.what {
        What::Rule(rule) => {
            let line = of_rule(rule);
            Line {
                uses: line.uses.map(|most| most.saturating_sub(one.uses)),
                ..line
            }
        }
        What::Grant(spec) => of_pattern(spec, one),
    }
}

pub(super) fn of_rule(rule: &Node) -> Line {
    let (decision, matcher) = ["allow", "ask", "deny"]
        .iter()
        .find_map(|word| Some((*word, rule.get(word)?)))
        .unwrap_or(("?", rule));
    let (subject, kind, value) = SUBJECTS
        .iter()
        .find_map(|(key, kind)| Some((*key, *kind, matcher.get(key)?)))
        .unwrap_or(("?", "?", matcher));
    let when = rule.get("when");
    let condition = |name: &str| when.and_then(|when| when.get(name)).map(texts);
    let mut reach = Vec::new();
    reach.push(condition("workspace").map_or_else(
        || "everywhere".to_owned(),
        |workspace| format!("in {workspace}"),
    ));
    reach.extend(condition("agent").map(|agent| format!("for {agent}")));
    reach.extend(condition("mode").map(|mode| format!("in mode {mode}")));
    reach.extend(rule.get("except").map(|_| "with exceptions".to_owned()));
    Line {
        decision: decision.to_owned(),
        kind,
        subject,
        pattern: texts(value),
        reach: reach.join(", "),
        expires: when
            .and_then(|when| when.get("until"))
            .and_then(Node::as_text)
            .and_then(time::parse),
        uses: when
            .and_then(|when| when.get("uses"))
            .and_then(Node::as_whole),
    }
}

fn of_pattern(spec: &Node, one: &Standing) -> Line {
    let text = |name: &str| spec.get(name).and_then(Node::as_text);
    let place = text("project").map_or_else(
        || "everywhere".to_owned(),
        |workspace| format!("in {workspace}"),
    );
    let agent = text("agent")
        .filter(|agent| !agent.is_empty())
        .map(|agent| format!(", for {}", agent.replace('\u{1f}', " < ")));
    let mcp = |name: &str| {
        spec.get("mcp_tool")
            .and_then(|tool| tool.get(name))
            .and_then(Node::as_text)
    };
    let (key, pattern) = match (grant_fields::rule(spec), mcp("server"), mcp("tool")) {
        (Some((key, pattern)), ..) => (key.word(), pattern.to_owned()),
        (None, Some(server), Some(tool)) => ("mcp", format!("{server}/{tool}")),
        _ => ("?", String::new()),
    };
    let (subject, kind) = SUBJECTS
        .into_iter()
        .find(|(subject, _)| *subject == key)
        .unwrap_or(("?", "?"));
    Line {
        decision: "allow".to_owned(),
        kind,
        subject,
        pattern,
        reach: format!("{place}{}", agent.unwrap_or_default()),
        expires: one.expires,
        uses: one.uses_left,
    }
}

/// One text, or several.
fn texts(node: &Node) -> String {
    match &node.value {
        Value::List(items) => items
            .iter()
            .filter_map(Node::as_text)
            .collect::<Vec<_>>()
            .join(", "),
        _ => node.as_text().unwrap_or_default().to_owned(),
    }
}
