//! `sayso policy test`: the examples of all rules, and files of expected verdicts.

use std::path::PathBuf;

use sayso_core::answer::run_mode::Run;
use sayso_core::answer::runner::RunnerCapabilities;
use sayso_core::call::operation::Operation;
use sayso_core::policy::Policy;
use sayso_core::policy::read::Origin;
use sayso_core::text::count::count;
use sayso_core::text::diagnostic::Source;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::pipeline::{Bench, judge};
use sayso_world::policy_files;

use super::{Place, PolicyChoice, Stop, now, say};
use crate::exit_code::Exit;
use crate::expected;
use crate::expected::Row;

/// How many examples the rules of a policy have, for all agents and for single ones: as it counts, or with what may only tighten.
fn examples(policy: &Policy, with_all: bool) -> usize {
    let views = policy.views();
    let view = if with_all {
        views
            .iter()
            .max_by_key(|view| view.general.rules.all().count())
    } else {
        views.first()
    };
    let parts = view
        .into_iter()
        .flat_map(|view| view.agents.values().chain([&view.general]));
    parts
        .flat_map(|part| part.rules.all())
        .map(|rule| rule.examples.len())
        .sum()
}

/// One row that was tried.
struct Tried {
    file: String,
    row: Row,
    differences: Vec<String>,
}

pub(super) fn run(choice: &PolicyChoice, files: &[PathBuf], as_json: bool) -> Result<Exit, Stop> {
    // Examples are checked when a policy is read, so an open place has passed them.
    let place = Place::open(choice)?;
    place.insist()?;
    let examples = examples(&place.loaded.policy, false);
    // Those of a file that is not trusted were checked as well; they only stand in the view in which it tightens.
    let untrusted = self::examples(&place.loaded.policy, true).saturating_sub(examples);
    let untrusted_file = place
        .loaded
        .files
        .iter()
        .find(|file| file.origin == Origin::UntrustedProject);
    let (world, contains) = (place.world(), place.contains());
    let bench = Bench {
        world: &world,
        policy: &place.loaded.policy,
        grants: &[],
        uses: None,
        run: Run::Interactive,
        now: now(),
        runner: RunnerCapabilities::JUDGE_ONLY.containing(&contains),
        trace: false,
    };
    let mut tried = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let text = policy_files::named(path)
            .text
            .map_err(|why| Stop::usage(format!("`{name}`: {why}")))?;
        let rows = expected::read(Source {
            name: &name,
            text: &text,
        })
        .map_err(|error| Stop::Usage(error.to_string()))?
        .rows;
        for row in rows {
            let differences = match Operation::freeze(row.call(&place.folder)) {
                Ok(operation) => {
                    let judged = judge(&bench, &operation);
                    row.differences(judged.verdict.decision.word(), Some(&judged))
                }
                Err(_) => row.differences("deny", None),
            };
            tried.push(Tried {
                file: name.clone(),
                row,
                differences,
            });
        }
    }
    let failed: Vec<&Tried> = tried
        .iter()
        .filter(|tried| !tried.differences.is_empty())
        .collect();
    let mut text = String::new();
    if as_json {
        let list = failed.iter().map(|tried| {
            Node::map([
                ("file", Node::text(&tried.file)),
                ("line", Value::Number(tried.row.line.to_string()).into()),
                ("row", Node::text(&tried.row.name)),
                (
                    "differences",
                    Value::List(tried.differences.iter().map(Node::text).collect()).into(),
                ),
            ])
        });
        let number = |count: usize| -> Node { Value::Number(count.to_string()).into() };
        let report = Node::map([
            ("examples", number(examples + untrusted)),
            ("untrusted_examples", number(untrusted)),
            ("rows", number(tried.len())),
            ("failed", number(failed.len())),
            ("failures", Value::List(list.collect()).into()),
        ]);
        text.push_str(&json::write_plain(&report));
    } else {
        for tried in &failed {
            text.push_str(&format!(
                "{}:{}: {}\n",
                visible(&tried.file),
                tried.row.line,
                visible(&tried.row.name)
            ));
            for difference in &tried.differences {
                text.push_str(&format!("  {}\n", visible(difference)));
            }
        }
        if let Some(file) = untrusted_file.filter(|_| untrusted > 0) {
            let (name, are) = (
                visible(&file.name),
                if untrusted == 1 {
                    "1 of the examples is"
                } else {
                    &format!("{untrusted} of the examples are")
                },
            );
            text.push_str(&format!(
                "{are} from `{name}`, which is not trusted: its rules only tighten\nhint: read it, then run `sayso policy trust`\n"
            ));
        }
        let examples = examples + untrusted;
        text.push_str(&format!(
            "{} and {} as expected, {} not",
            count(examples, "example"),
            count(tried.len() - failed.len(), "row"),
            failed.len()
        ));
    }
    text.push('\n');
    say(&text)?;
    Ok(if failed.is_empty() {
        Exit::Allowed
    } else {
        Exit::Failed
    })
}
