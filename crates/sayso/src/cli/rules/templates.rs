//! `sayso rules templates`: rules for common kinds of work, to be looked at and then added.

use clap::Args;
use sayso_core::text::count::{agreed, count};
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;

use super::add::{Limits, add};
use crate::cli::remembered::{Book, confirm};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;
use sayso_runtime::rules::templates::{TEMPLATES, template};
use sayso_runtime::rules::typed::words;

/// Rules for common kinds of work: without a name all templates, with one its rules; `--add` adds them.
#[derive(Debug, Args)]
pub(super) struct TemplatesArgs {
    /// The template.
    name: Option<String>,
    /// Add its rules.
    #[arg(long, requires = "name")]
    add: bool,
    #[command(flatten)]
    limits: Limits,
    /// Do not ask.
    #[arg(long, requires = "add")]
    yes: bool,
}

pub(super) fn run(args: &TemplatesArgs) -> Result<Exit, Stop> {
    let Some(name) = &args.name else {
        let mut text = String::new();
        for (name, source) in TEMPLATES {
            let template = template(source).map_err(Stop::usage)?;
            text.push_str(&format!(
                "{name:<22}{} ({})\n",
                template.about,
                count(template.rules.len(), "rule")
            ));
        }
        text.push_str("\nLook at one with `sayso rules templates NAME`, add it with `--add`, only here with `--here`.\n");
        say(&text)?;
        return Ok(Exit::Allowed);
    };
    let Some((name, source)) = TEMPLATES.iter().find(|(known, _)| known == name) else {
        let names: Vec<&str> = TEMPLATES.iter().map(|(name, _)| *name).collect();
        return Err(Stop::hint(
            format!("there is no template `{}`", visible(name)),
            &format!("the templates are {}", names.join(", ")),
        ));
    };
    let template = template(source).map_err(Stop::usage)?;
    let mut rules = Vec::new();
    for rule in &template.rules {
        let rest = rule
            .entries()
            .iter()
            .filter(|entry| !matches!(entry.key.as_str(), "when" | "reason"));
        let rest = rest.map(|entry| (entry.key.clone(), entry.node.clone()));
        rules.push(Node::map(rest.chain(args.limits.entries(Some(rule))?)));
    }
    let list: String = rules
        .iter()
        .map(|rule| format!("  {}\n", visible(&words(rule))))
        .collect();
    say(&format!("{name}: {}\n{list}", template.about))?;
    if !args.add {
        return Ok(Exit::Allowed);
    }
    let book = Book::open()?;
    if !confirm(
        &format!(
            "Add {} {}?",
            agreed(rules.len(), "this", "these"),
            count(rules.len(), "rule")
        ),
        args.yes,
    )? {
        return Err(Stop::usage("nothing was added"));
    }
    let rules: Vec<(Node, Option<String>)> = rules.into_iter().map(|rule| (rule, None)).collect();
    let added = add(&book, &rules, name, args.yes)?;
    say(&format!("added {}\n", count(added.len(), "rule")))?;
    Ok(Exit::Allowed)
}
