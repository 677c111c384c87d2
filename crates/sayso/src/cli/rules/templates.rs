//! `sayso rules templates`: rules for common kinds of work, to be looked at and then added.

use clap::Args;
use sayso_core::text::count::{agreed, count};
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits as TextLimits, yaml};

use super::add::{Limits, add, words};
use crate::cli::book::{Book, confirm};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;

/// The templates, by name.
const TEMPLATES: [(&str, &str); 6] = [
    (
        "documentation-writer",
        include_str!("../../templates/documentation-writer.yaml"),
    ),
    ("tester", include_str!("../../templates/tester.yaml")),
    (
        "safe-git-user",
        include_str!("../../templates/safe-git-user.yaml"),
    ),
    (
        "read-only-reviewer",
        include_str!("../../templates/read-only-reviewer.yaml"),
    ),
    (
        "build-agent",
        include_str!("../../templates/build-agent.yaml"),
    ),
    ("ci", include_str!("../../templates/ci.yaml")),
];

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

/// A template: what it is for, and its rules.
pub(super) struct Template {
    about: String,
    rules: Vec<Node>,
}

/// All templates: name, what each is for, and its rules.
pub(crate) fn all() -> Vec<(&'static str, String, Vec<Node>)> {
    TEMPLATES
        .iter()
        .filter_map(|(name, text)| {
            template(text)
                .ok()
                .map(|read| (*name, read.about, read.rules))
        })
        .collect()
}

/// Reads a template, which is a policy file with a word on what it is for.
fn template(text: &str) -> Result<Template, Stop> {
    let about = text
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches(['#', ' '])
        .to_owned();
    let tree =
        yaml::read(text, &TextLimits::default()).map_err(|finding| Stop::usage(finding.message))?;
    Ok(Template {
        about,
        rules: tree
            .get("rules")
            .map(Node::items)
            .unwrap_or_default()
            .to_vec(),
    })
}

pub(super) fn run(args: &TemplatesArgs) -> Result<Exit, Stop> {
    let Some(name) = &args.name else {
        let mut text = String::new();
        for (name, source) in TEMPLATES {
            let template = template(source)?;
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
    let template = template(source)?;
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
