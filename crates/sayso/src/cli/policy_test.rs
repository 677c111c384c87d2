//! `sayso policy test`: the examples of all rules, and files of expected verdicts.

use std::path::PathBuf;

use sayso_core::decide::Run;
use sayso_core::diagnostic::Source;
use sayso_core::node::{Node, Value};
use sayso_core::operation::Operation;
use sayso_core::text::json;
use sayso_core::visible::visible;
use sayso_gate::pipeline::{Bench, judge};
use sayso_world::policy_files;

use super::{Place, PolicyChoice, Stop, now, say};
use crate::exit_code::Exit;
use crate::expected::{self, Row};

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
    let examples: usize =
        place.loaded.policy.views().iter().take(1).flat_map(|view| view.general.rules.all()).map(|rule| rule.examples.len()).sum();
    let world = place.world();
    let bench =
        Bench { world: &world, policy: &place.loaded.policy, grants: &[], uses: None, run: Run::Interactive, now: now(), trace: false };
    let mut tried = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let text = policy_files::named(path).text.map_err(|why| Stop::usage(format!("`{name}`: {why}")))?;
        let rows = expected::read(Source { name: &name, text: &text }).map_err(Stop::Usage)?.rows;
        for row in rows {
            let differences = match Operation::freeze(row.call(&place.folder)) {
                Ok(operation) => {
                    let judged = judge(&bench, &operation);
                    row.differences(judged.verdict.decision.word(), Some(&judged))
                }
                Err(_) => row.differences("deny", None),
            };
            tried.push(Tried { file: name.clone(), row, differences });
        }
    }
    let failed: Vec<&Tried> = tried.iter().filter(|tried| !tried.differences.is_empty()).collect();
    let mut text = String::new();
    if as_json {
        let list = failed.iter().map(|tried| {
            Node::map([
                ("file", Node::text(&tried.file)),
                ("line", Value::Number(tried.row.line.to_string()).into()),
                ("row", Node::text(&tried.row.name)),
                ("differences", Value::List(tried.differences.iter().map(Node::text).collect()).into()),
            ])
        });
        let number = |count: usize| -> Node { Value::Number(count.to_string()).into() };
        let report = Node::map([
            ("examples", number(examples)),
            ("rows", number(tried.len())),
            ("failed", number(failed.len())),
            ("failures", Value::List(list.collect()).into()),
        ]);
        text.push_str(&json::write_plain(&report));
    } else {
        for tried in &failed {
            text.push_str(&format!("{}:{}: {}\n", visible(&tried.file), tried.row.line, visible(&tried.row.name)));
            for difference in &tried.differences {
                text.push_str(&format!("  {}\n", visible(difference)));
            }
        }
        text.push_str(&format!("{examples} examples and {} rows as expected, {} not", tried.len() - failed.len(), failed.len()));
    }
    text.push('\n');
    say(&text)?;
    Ok(if failed.is_empty() { Exit::Allowed } else { Exit::Failed })
}
