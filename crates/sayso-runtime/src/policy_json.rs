//! The merged policy as JSON, as `sayso policy show --json` and the inbox give it.

use sayso_core::paths::{protected_names, secret_names};
use sayso_core::policy::rule::ShellRule;
use sayso_core::policy::settings::{Listed, Settings};
use sayso_core::policy::{Part, View};
use sayso_core::text::node::{Node, Value};

/// A view of the policy as a value.
pub fn view_json(view: &View) -> Node {
    let text = |text: &str| Node::text(text);
    let rules = |part: &Part| -> Node {
        let list = part.rules.all().map(|rule| {
            Node::map([
                ("id", text(&rule.id)),
                ("decision", text(rule.decision.word())),
                ("matcher", text(&rule.matcher.in_words())),
                ("source", text(&rule.source)),
            ])
        });
        Value::List(list.collect()).into()
    };
    let shell = view.general.shell.iter().flatten().map(|rule| {
        Node::map([
            ("decision", text(shell_word(rule))),
            ("pattern", text(&shell_pattern(rule))),
            ("source", text(&rule.source)),
        ])
    });
    let agents = Node::map(
        view.agents
            .iter()
            .map(|(name, part)| (name.clone(), rules(part))),
    );
    let sections = view.sections.iter().map(|(name, own)| {
        (
            name.clone(),
            Node::map([("settings", values(own)), ("lists", lists(own))]),
        )
    });
    Node::map([
        ("settings", values(&view.settings)),
        ("lists", lists(&view.settings)),
        ("rules", rules(&view.general)),
        ("shell", Value::List(shell.collect()).into()),
        ("agents", agents),
        ("agent_settings", Node::map(sections)),
    ])
}

fn values(settings: &Settings) -> Node {
    let values = settings.list_values().into_iter();
    Node::map(values.map(|(key, value, source)| {
        (
            key,
            Node::map([("value", Node::text(value)), ("source", Node::text(source))]),
        )
    }))
}

fn lists(settings: &Settings) -> Node {
    let texts = |texts: Vec<String>| -> Node {
        Value::List(texts.into_iter().map(Node::text).collect()).into()
    };
    let one = |listed: Listed| {
        Node::map([
            ("value", Node::text(listed.value)),
            ("sources", texts(listed.sources)),
        ])
    };
    let lists = settings.list_lists().into_iter();
    Node::map(lists.map(|(key, values)| {
        (
            key,
            Node::from(Value::List(values.into_iter().map(one).collect())),
        )
    }))
}

/// The names that are built in, by kind and by why.
pub fn built_in_json() -> Node {
    type Names = (&'static str, &'static [&'static str]);
    let group = |(why, patterns): Names| {
        let patterns: Node = Value::List(
            patterns
                .iter()
                .map(|pattern| Node::text(*pattern))
                .collect(),
        )
        .into();
        Node::map([("why", Node::text(why)), ("patterns", patterns)])
    };
    let list =
        |names: Vec<Names>| -> Node { Value::List(names.into_iter().map(group).collect()).into() };
    Node::map([
        ("protected", list(protected_names().collect())),
        ("secrets", list(secret_names().collect())),
    ])
}

/// The decision of a rule for shells, as one word.
pub fn shell_word(rule: &ShellRule) -> &'static str {
    match (rule.allowed, rule.approval) {
        (false, _) => "block",
        (true, true) => "ask",
        (true, false) => "allow",
    }
}

/// The pattern of a rule for shells, with where it counts.
pub fn shell_pattern(rule: &ShellRule) -> String {
    match rule.sandbox_paths.as_slice() {
        [] => rule.pattern.written.clone(),
        names => format!("{} (only in {})", rule.pattern.written, names.join(", ")),
    }
}
