//! `sayso rules export` and `import`: rules as a policy file has them, to be kept, shared and taken in again.

use sayso_core::text::count as nouns;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use clap::Args;
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::text::count::agreed;
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits as TextLimits, json, yaml};
use sayso_shell::Bash;
use sayso_store::rules_and_grants::{Standing, What};
use sayso_world::policy_files;

use super::add::{PATTERN_SIGNS, add};
use crate::cli::remembered::{Book, Shelf, confirm};
use crate::cli::{Stop, say};
use crate::exit_code::Exit;
use sayso_runtime::rules::typed::words;
use sayso_runtime::rules_layer;

/// Write all rules as a policy file in JSON, to standard output or to a new file.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The file to write; it must not be there yet.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Add the rules of a policy file (YAML or JSON), as `export` writes it. Everything else in the file is left alone.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// The file.
    file: PathBuf,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

pub(super) fn export(args: &ExportArgs) -> Result<Exit, Stop> {
    let book = Book::open()?;
    let rules: Vec<Node> = book.of(Shelf::Rules).filter_map(exported).collect();
    let count = rules.len();
    let left = book.of(Shelf::Rules).count().saturating_sub(count);
    if left > 0 {
        let _ = writeln!(
            std::io::stderr(),
            "sayso: warning: {} from answers {} left out: in a file it would allow more",
            nouns::count(left, "rule"),
            agreed(left, "is", "are")
        );
    }
    // One rule a line: a file that people compare and put under version control.
    let lines: Vec<String> = rules
        .iter()
        .map(|rule| format!("    {}", json::write_plain(rule)))
        .collect();
    let text = format!("{{\n  \"rules\": [\n{}\n  ]\n}}\n", lines.join(",\n"));
    let Some(path) = &args.output else {
        say(&text)?;
        return Ok(Exit::Allowed);
    };
    let shown = visible(&path.display().to_string()).into_owned();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| Stop::usage(format!("cannot write `{shown}`: {error}")))?;
    say(&format!(
        "wrote {} to {shown}\n",
        nouns::count(count, "rule")
    ))?;
    Ok(Exit::Allowed)
}

/// A rule with all that a policy file can say of it; none where the file would allow more than the rule does.
fn exported(one: &Standing) -> Option<Node> {
    let mut rule = match &one.what {
        What::Rule(rule) => rules_layer::with_id(rule, &one.id),
        What::Grant(spec) => of_answer(spec, one)?,
    };
    if !one.enabled {
        let entries = rule
            .entries()
            .iter()
            .map(|entry| (entry.key.clone(), entry.node.clone()));
        rule = Node::map(entries.chain([("enabled".to_owned(), Value::Bool(false).into())]));
    }
    Some(rule)
}

/// A pattern of an answer as a rule. A file names workspaces and agents by patterns, and knows nothing of scripts that were shown.
fn of_answer(spec: &Node, one: &Standing) -> Option<Node> {
    let text = |name: &str| {
        spec.get(name)
            .and_then(Node::as_text)
            .filter(|text| !text.is_empty())
    };
    let (project, agent) = (text("project"), text("agent"));
    let is_pattern = [project, agent]
        .into_iter()
        .flatten()
        .any(|name| name.contains(PATTERN_SIGNS));
    if is_pattern
        || agent.is_some_and(|agent| agent.contains('\u{1f}'))
        || spec.get("seal").is_some()
    {
        return None;
    }
    let mut when: Vec<(&str, Node)> = Vec::new();
    when.extend(project.map(|project| ("workspace", Node::text(project))));
    when.extend(agent.map(|agent| ("agent", Node::text(agent))));
    if let Some(end) = one.expires {
        when.push((
            "until",
            Node::text(jiff::Timestamp::from_second(end).ok()?.to_string()),
        ));
    }
    when.extend(
        one.uses_left
            .map(|left| ("uses", Value::Number(left.to_string()).into())),
    );
    let pattern = Node::map([("command", Node::text(text("pattern")?))]);
    let mut entries = vec![("id", Node::text(&one.id)), ("allow", pattern)];
    if !when.is_empty() {
        entries.push(("when", Node::map(when)));
    }
    Some(Node::map(entries))
}

pub(super) fn import(args: &ImportArgs) -> Result<Exit, Stop> {
    let book = Book::open()?;
    let path = std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone());
    let shown = visible(&args.file.display().to_string()).into_owned();
    let text = policy_files::named(&path).text.map_err(|why| {
        Stop::usage(format!(
            "cannot read `{shown}`: {}",
            visible(&why.to_string())
        ))
    })?;
    let is_json = path
        .extension()
        .is_some_and(|extension| extension == "json");
    let source = Source {
        name: &shown,
        text: &text,
    };
    let format = if is_json { Format::Json } else { Format::Yaml };
    let (_, findings) = read(source, format, Origin::Learned, &Bash);
    let wrong: String = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.render(source))
        .collect();
    if !wrong.is_empty() {
        return Err(Stop::Usage(format!("{wrong}sayso: nothing was added\n")));
    }
    let tree = if is_json {
        json::read(&text, &TextLimits::default())
    } else {
        yaml::read(&text, &TextLimits::default())
    };
    let tree = tree.map_err(|finding| Stop::Usage(finding.render(source)))?;
    let Some(rules) = tree
        .get("rules")
        .map(Node::items)
        .filter(|rules| !rules.is_empty())
    else {
        return Err(Stop::hint(
            format!("there are no rules in `{shown}`"),
            "a policy file has them under `rules:`",
        ));
    };
    let mut taken = Vec::new();
    let mut known = 0;
    for rule in rules {
        let id = rule.get("id").and_then(Node::as_text).map(str::to_owned);
        let is_known = id
            .as_ref()
            .is_some_and(|id| book.standing.iter().any(|one| one.id == *id));
        let is_off = rule.get("enabled").and_then(Node::as_bool) == Some(false);
        match is_known || is_off {
            true => known += 1,
            false => taken.push((without_id(rule), id)),
        }
    }
    let list: String = taken
        .iter()
        .map(|(rule, _)| format!("  {}\n", visible(&words(rule))))
        .collect();
    let passed = if known > 0 {
        format!("{known} are here already or disabled, and are passed over\n")
    } else {
        String::new()
    };
    if taken.is_empty() {
        say(&format!("nothing to add: {passed}"))?;
        return Ok(Exit::Allowed);
    }
    let _ = write!(std::io::stderr(), "{list}{passed}");
    if !confirm(
        &format!(
            "Add {} {}?",
            agreed(taken.len(), "this", "these"),
            nouns::count(taken.len(), "rule")
        ),
        args.yes,
    )? {
        return Err(Stop::usage("nothing was added"));
    }
    let added = add(&book, &taken, "import", args.yes)?;
    say(&format!(
        "added {} from {shown}\n",
        nouns::count(added.len(), "rule")
    ))?;
    Ok(Exit::Allowed)
}

fn without_id(rule: &Node) -> Node {
    Node::map(
        rule.entries()
            .iter()
            .filter(|entry| entry.key != "id")
            .map(|entry| (entry.key.clone(), entry.node.clone())),
    )
}
