//! The ordered shell rules of llm-do (K-11, K-12).

use serde_json::json;

use super::{PROFILES, checked, decision, desk, reasons, seeds};

/// The seed's rules, with a default that blocks what no rule names.
fn blocking() -> String {
    let shell = seeds::text("001-shell.yaml").replace(
        "allowed: true\n    approval: true ",
        "allowed: false\n    approval: true ",
    );
    assert!(shell.contains("default:\n    allowed: false"), "{shell}");
    format!("{shell}\nsandbox: {{paths: {{output: {{root: ./output, mode: rw}}}}}}\n")
}

/// finding A-25: where `sandbox_paths` is unmet the rule does not apply, and a default that blocks is honoured in every run and profile.
#[test]
fn finding_a_25_a_rule_with_unmet_sandbox_paths_leads_to_the_default() {
    let desk = desk(
        &blocking(),
        &[("output/test_a.py", ""), ("src/test_b.py", "")],
    );
    for profile in PROFILES {
        let flags = ["--profile", profile];
        assert_eq!(
            decision(&desk, &flags, "pytest output"),
            "allow",
            "{profile}: the constraint is met"
        );
        for command in [
            "pytest src",
            "pytest output/../src",
            "pytest --rootdir=src output",
            "pytest output src",
            "pytest /etc",
            "pytest",
        ] {
            let expected = if command == "pytest" { "allow" } else { "deny" };
            assert_eq!(
                decision(&desk, &flags, command),
                expected,
                "{profile}: {command}"
            );
        }
    }
    let said = reasons(&checked(&desk, &[], "pytest src"));
    assert!(
        said.contains(
            "the shell rule `pytest` does not apply, since not all of its paths are in `output`"
        ),
        "{said}"
    );
    assert!(
        said.contains("commands that no shell rule names are blocked"),
        "{said}"
    );
    for flags in [&["--approve-all"][..], &["--strict"], &["--yolo"]] {
        let (result, code) = desk.result(
            flags,
            json!({"tool": "terminal", "args": {"command": "pytest src; touch ran"}}),
        );
        assert_eq!(code, 20, "{flags:?}: {result}");
        assert_eq!(desk.text("ran"), None);
    }
}

/// finding A-25: the rules behind it are tried first, and what they and the default say is never less than a question.
#[test]
fn finding_a_25_the_next_rules_are_tried_before_the_default() {
    let roots = "sandbox: {paths: {output: {root: ./output, mode: rw}}}\n";
    let rules = |next: &str, default: &str| {
        format!(
            "{roots}shell:\n  default: {default}\n  rules:\n    - {{pattern: pytest, approval: false, sandbox_paths: [output]}}\n{next}"
        )
    };
    let (blocks, asks, free) = ("{allowed: false}", "{approval: true}", "{approval: false}");
    let cases = [
        ("    - {pattern: pytest, approval: true}\n", blocks, "ask"),
        (
            "    - {pattern: pytest src, allowed: false}\n",
            asks,
            "deny",
        ),
        // H-59: a constraint that fails does not loosen.
        ("    - {pattern: pytest, approval: false}\n", blocks, "ask"),
        ("", blocks, "deny"),
        ("", asks, "ask"),
        ("", free, "ask"),
    ];
    for (next, default, expected) in cases {
        let desk = desk(&rules(next, default), &[("src/test_b.py", "")]);
        assert_eq!(
            decision(&desk, &[], "pytest src"),
            expected,
            "{next} {default}"
        );
    }
}

/// The seed's own blocks are a policy as they are.
#[test]
fn the_blocks_of_the_seed_are_a_policy() {
    let desk = seeds::desk(
        &["001-sandbox-paths.yaml", "001-shell.yaml"],
        &[("notes/a.txt", "a")],
    );
    for (command, expected) in [
        ("git status", "allow"),
        ("git add a", "ask"),
        ("git commit -m x", "ask"),
        ("rm a", "deny"),
        ("ls", "ask"),
    ] {
        assert_eq!(
            decision(&desk, &["--profile", "llm-do"], command),
            expected,
            "{command}"
        );
    }
}
