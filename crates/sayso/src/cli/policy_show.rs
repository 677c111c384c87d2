//! `sayso policy show`: the merged policy, with the source of each value, of each entry of a list, and of each rule.

use std::io::{self, Write};

use sayso_core::paths::{protected_names, secret_names};
use sayso_core::policy::read::Origin;
use sayso_core::policy::rule::{Rule, ShellRule};
use sayso_core::policy::settings::{Listed, Settings};
use sayso_core::policy::{Part, View};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

use super::{Place, PolicyChoice, Stop};
use crate::exit_code::Exit;

/// What holds in every policy, and no file takes away: names that are protected, and names of secrets.
const BUILT_IN: &str = "built-in";

pub(super) fn run(choice: &PolicyChoice, as_json: bool) -> Result<Exit, Stop> {
    let place = Place::open(choice)?;
    place.insist()?;
    let views = place.loaded.policy.views();
    let mut out = io::stdout().lock();
    if as_json {
        let list: Vec<Node> = views.iter().map(view_json).collect();
        let answer = Node::map([
            ("views", Value::List(list).into()),
            ("built_in", built_in_json()),
        ]);
        writeln!(out, "{}", json::write_plain(&answer))?;
        return Ok(Exit::Allowed);
    }
    for file in &place.loaded.files {
        let standing = match file.origin {
            Origin::Managed => "managed",
            Origin::User => "yours",
            Origin::Learned => "learned from your answers",
            Origin::Project => "the project's, trusted",
            Origin::UntrustedProject => "the project's, not trusted: it can only tighten",
            _ => "from the command line",
        };
        writeln!(out, "# {} ({standing})", visible(&file.name))?;
    }
    for (number, view) in views.iter().enumerate() {
        if views.len() > 1 {
            let name = if number == 0 {
                "as you set it"
            } else {
                "with what may only tighten; the stricter verdict counts"
            };
            writeln!(out, "\n## View {}: {name}", number + 1)?;
        }
        show_view(&mut out, view)?;
    }
    show_built_in(&mut out)?;
    Ok(Exit::Allowed)
}

fn show_view(out: &mut impl Write, view: &View) -> io::Result<()> {
    writeln!(out)?;
    show_settings(out, &view.settings)?;
    show_rules(out, "rules", &view.general)?;
    for (name, part) in &view.agents {
        writeln!(out, "\nfor the agent {}:", visible(name))?;
        if let Some(own) = view.sections.get(name) {
            show_settings(out, own)?;
        }
        show_rules(out, &format!("rules for {}", visible(name)), part)?;
    }
    Ok(())
}

fn show_settings(out: &mut impl Write, settings: &Settings) -> io::Result<()> {
    for (key, value, source) in settings.list_values() {
        writeln!(
            out,
            "{key:<28} {:<20} # {}",
            visible(&value),
            visible(&source)
        )?;
    }
    for (key, values) in settings.list_lists() {
        writeln!(out, "{}:", label(key))?;
        for Listed { value, sources } in values {
            writeln!(
                out,
                "  {:<46} # {}",
                visible(&value),
                visible(&sources.join(", "))
            )?;
        }
    }
    Ok(())
}

/// A key with the other name that it goes by.
fn label(key: &str) -> String {
    match key {
        "safe_path_regexes" => format!("{key} (safe_file_patterns)"),
        _ => key.to_owned(),
    }
}

fn show_built_in(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "\nprotected, in every policy (besides `protected_paths`):"
    )?;
    for (why, patterns) in protected_names() {
        writeln!(out, "  {} # {BUILT_IN}: {why}", patterns.join(", "))?;
    }
    writeln!(
        out,
        "\nsecrets, in every policy (reading them is asked about):"
    )?;
    for (why, patterns) in secret_names() {
        writeln!(out, "  {} # {BUILT_IN}: {why}", patterns.join(", "))?;
    }
    Ok(())
}

fn show_rules(out: &mut impl Write, title: &str, part: &Part) -> io::Result<()> {
    if part.rules.is_empty() && part.shell.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}:")?;
    for rule in part.rules.all() {
        let line = format!("{:<6}{}", rule.decision.word(), rule.matcher.in_words());
        writeln!(
            out,
            "  {:<60} # {}",
            visible(&line),
            visible(&where_from(rule))
        )?;
    }
    for rule in part.shell.iter().flatten() {
        let line = format!("{:<6}shell: {}", shell_word(rule), shell_pattern(rule));
        writeln!(out, "  {:<60} # {}", visible(&line), visible(&rule.source))?;
    }
    Ok(())
}

fn shell_word(rule: &ShellRule) -> &'static str {
    match (rule.allowed, rule.approval) {
        (false, _) => "block",
        (true, true) => "ask",
        (true, false) => "allow",
    }
}

fn shell_pattern(rule: &ShellRule) -> String {
    match rule.sandbox_paths.as_slice() {
        [] => rule.pattern.written.clone(),
        names => format!("{} (only in {})", rule.pattern.written, names.join(", ")),
    }
}

fn where_from(rule: &Rule) -> String {
    if rule.id == rule.source {
        rule.source.clone()
    } else {
        format!("{} ({})", rule.source, rule.id)
    }
}

/// A view of the policy as a value.
pub(crate) fn view_json(view: &View) -> Node {
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
pub(crate) fn built_in_json() -> Node {
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
