//! One flow: the judge in `sayso-core` has one caller, so that no door can decide a call in another way.

use crate::code::{code, lines};
use crate::{File, files};

/// The one caller. Replay and `sayso check` come to it through `pipeline::judge`.
const CALLER: &str = "crates/sayso-gate/src/pipeline/judge.rs::verdict";

/// Each place that calls the judge or gives it another name, as `file::function`.
fn callers(file: &File) -> Vec<String> {
    let code = code(&file.text);
    let mut out = Vec::new();
    let mut function = "";
    for (_, line) in lines(&code) {
        if let Some((_, name)) = line.split_once("fn ") {
            function = name.split(['(', '<']).next().unwrap_or_default();
        }
        if calls(line) || line.contains("decide as ") || line.contains("decide::*") {
            out.push(format!("{}::{function}", file.name));
        }
    }
    out
}

/// Whether a line calls the judge: by its bare name or by its module, and not a method or a function of another module.
fn calls(line: &str) -> bool {
    line.match_indices("decide(").any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        before.ends_with("decide::")
            || !before.ends_with("fn ")
                && !before.ends_with(|c: char| c.is_alphanumeric() || "_.:".contains(c))
    })
}

fn is_product(file: &&File) -> bool {
    file.is_rust() && file.krate().is_some() && file.name.contains("/src/")
}

#[test]
fn the_judge_has_one_caller() {
    let files = files();
    let found: Vec<String> = files.iter().filter(is_product).flat_map(callers).collect();
    assert_eq!(found, [CALLER]);
}

#[test]
fn the_check_of_callers_bites() {
    let found = |text: &str| {
        callers(&File {
            name: "a.rs".to_owned(),
            text: text.to_owned(),
        })
    };
    for text in [
        "fn door() {\n    let verdict = decide(&policy, &case);\n}",
        "fn door<T>() {\n    sayso_core::decide::decide(policy, case)\n}",
        "fn door() { run(decide(policy, case)) }",
        "fn door() {\n    use sayso_core::decide::decide as settle;\n}",
        "fn door() {\n    use sayso_core::decide::*;\n}",
    ] {
        assert_eq!(found(text), ["a.rs::door"], "{text}");
    }
    for text in [
        "fn decide(policy: &Policy) {}",
        "self.decide(operation)",
        "defaults::decide(lens, index)",
        "// decide(policy)\nundecide()",
        "use sayso_core::decide::{Case, decide};",
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}
