//! Every row of `corpus/paths/classes.yaml` against the tables of paths.

use sayso_core::paths::{Odd, active, odd, prose_in, protected, secret};
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, yaml};

#[test]
fn every_path_of_the_corpus_is_in_its_class() {
    let text = include_str!("../../../../corpus/paths/classes.yaml");
    let rows = yaml::read(text, &Limits::policy()).unwrap();
    let mut failures = Vec::new();
    for row in rows.items() {
        let word = |key: &str| row.get(key).and_then(Node::as_text);
        let line = text
            .get(..row.span.start as usize)
            .unwrap_or_default()
            .lines()
            .count();
        if let Some(written) = word("written") {
            let got = match odd(written) {
                Some(Odd::Refuse(_)) => "refuse",
                Some(Odd::Ask(_)) => "ask",
                None => "none",
            };
            if word("odd") != Some(got) {
                failures.push(format!("classes.yaml:{line}: {written:?} is {got}"));
            }
            continue;
        }
        let path = word("path").unwrap();
        let home = word("home");
        let classes = [
            ("protected", protected(path, home).is_some()),
            ("secret", secret(path, home).is_some()),
            ("active", active(path)),
            ("prose", prose_in(path, word("workspace").unwrap())),
        ];
        for (class, got) in classes {
            if row.get(class).and_then(Node::as_bool) != Some(got) {
                failures.push(format!("classes.yaml:{line}: {path:?}: {class} is {got}"));
            }
        }
    }
    assert!(rows.items().len() > 300, "only {} rows", rows.items().len());
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
