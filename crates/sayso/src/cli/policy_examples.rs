//! `sayso policy examples`: whole policies for common kinds of work, to be looked at and then used.

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

use super::{Stop, say};
use crate::exit_code::Exit;

/// The examples, by name.
const EXAMPLES: [(&str, &str); 6] = [
    (
        "safe-reviewer",
        include_str!("../../../../examples/policies/safe-reviewer.yaml"),
    ),
    (
        "build-agent",
        include_str!("../../../../examples/policies/build-agent.yaml"),
    ),
    (
        "sandbox",
        include_str!("../../../../examples/policies/sandbox.yaml"),
    ),
    (
        "shell-rules",
        include_str!("../../../../examples/policies/shell-rules.yaml"),
    ),
    (
        "team-baseline",
        include_str!("../../../../examples/policies/team-baseline.yaml"),
    ),
    ("ci", include_str!("../../../../examples/policies/ci.yaml")),
];

/// The text of an example.
pub(super) fn text(name: &str) -> Result<&'static str, Stop> {
    let found = EXAMPLES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text);
    found.ok_or_else(|| {
        let names: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        Stop::hint(
            format!("there is no example `{}`", visible(name)),
            &format!("the examples are {}", names.join(", ")),
        )
    })
}

/// What an example is for: its first line.
fn about(text: &str) -> &str {
    text.lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches(['#', ' '])
}

pub(super) fn run(name: Option<&str>, as_json: bool) -> Result<Exit, Stop> {
    let examples = EXAMPLES
        .iter()
        .filter(|(known, _)| name.is_none_or(|name| name == *known));
    if let Some(name) = name {
        let text = text(name)?;
        if !as_json {
            say(text)?;
            return Ok(Exit::Allowed);
        }
    }
    if as_json {
        let one = |(name, text): &(&str, &str)| {
            Node::map([
                ("name", Node::text(*name)),
                ("about", Node::text(about(text))),
                ("policy", Node::text(*text)),
            ])
        };
        let list = Node::from(Value::List(examples.map(one).collect()));
        say(&format!(
            "{}\n",
            json::write_plain(&Node::map([("examples", list)]))
        ))?;
        return Ok(Exit::Allowed);
    }
    let mut out: String = examples
        .map(|(name, text)| format!("{name:<16}{}\n", about(text)))
        .collect();
    out.push_str("\nLook at one with `sayso policy examples NAME`, use it with `sayso policy init --example NAME`.\n");
    say(&out)?;
    Ok(Exit::Allowed)
}
