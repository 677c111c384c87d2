//! `sayso policy show`: the merged policy, with the source of each value, of each entry of a list, and of each rule.

use std::io::{self, Write};

use sayso_core::paths::{protected_names, secret_names};
use sayso_core::policy::read::Origin;
use sayso_core::policy::rule::Rule;
use sayso_core::policy::settings::{Listed, Settings};
use sayso_core::policy::{Part, View};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

use super::{Place, PolicyChoice, Stop};
use crate::exit_code::Exit;
use sayso_runtime::policy_json::{built_in_json, shell_pattern, shell_word, view_json};

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

fn where_from(rule: &Rule) -> String {
    if rule.id == rule.source {
        rule.source.clone()
    } else {
        format!("{} ({})", rule.source, rule.id)
    }
}
