//! Catastrophes: what destroys something that cannot be brought back is marked by its effect, whatever carries it; and so is what was
//! really run in reported incidents.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::run_mode::Run;
use sayso_core::policy::decision::Decision;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, yaml};

use crate::corpus::{call, files, name, read};
use crate::scene::Scene;

/// Fewer than this mean that a file was lost.
const LEAST_CATASTROPHES: usize = 530;
const LEAST_INCIDENTS: usize = 60;

/// finding J-12: every catastrophe is marked as dangerous or catastrophic, and none is allowed.
#[test]
fn finding_j_12_every_catastrophe_is_marked_by_its_effect() {
    let (mut plain, mut tiers) = (Vec::new(), BTreeMap::new());
    for path in files()
        .into_iter()
        .filter(|path| name(path).starts_with("catastrophes-"))
    {
        let expected = read(&path);
        let scene = Scene::of(&expected.scene);
        for row in expected.rows.iter().filter(|row| !row.is_harmless()) {
            let verdict = scene.judge(call(&scene, row), &[], Run::Interactive);
            *tiers.entry(verdict.tier).or_insert(0) += 1;
            if verdict.tier == Tier::None || verdict.decision == Decision::Allow {
                plain.push(format!("{}:{}: {}", name(&path), row.line, row.name));
            }
        }
    }
    println!("{tiers:?}");
    assert!(
        tiers.values().sum::<usize>() >= LEAST_CATASTROPHES,
        "{tiers:?}"
    );
    assert!(
        plain.is_empty(),
        "{} without a mark:\n{}",
        plain.len(),
        plain.join("\n")
    );
}

/// finding J-12: of what was run in reported incidents nothing is silent, and the grave is marked.
#[test]
fn finding_j_12_incidents_that_were_reported_are_asked_about_and_the_grave_are_marked() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/incidents/incidents.yaml");
    let keys = yaml::read(&fs::read_to_string(path).unwrap(), &Limits::policy()).unwrap();
    let Some(Value::List(rows)) = keys.get("rows").map(|rows| &rows.value) else {
        panic!("no rows")
    };
    let scene = Scene::of(&keys);
    let mut wrong = Vec::new();
    for row in rows {
        let text = |key: &str| {
            row.get(key)
                .and_then(Node::as_text)
                .unwrap_or_else(|| panic!("no `{key}` in {row:?}"))
        };
        assert!(
            text("address").starts_with("https://")
                && !text("title").is_empty()
                && !text("lost").is_empty(),
            "{row:?}"
        );
        let grave = row.get("grave").is_none();
        let verdict = scene.judge(scene.command(text("command")), &[], Run::Interactive);
        if verdict.decision == Decision::Allow || grave && verdict.tier == Tier::None {
            wrong.push(format!(
                "{}: {:?} {:?}",
                text("command"),
                verdict.decision,
                verdict.tier
            ));
        }
    }
    assert!(
        rows.len() >= LEAST_INCIDENTS,
        "only {} incidents",
        rows.len()
    );
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}
