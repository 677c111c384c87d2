//! A project's file that nobody has trusted yet.

use serde_json::Value;

use super::{checked, desk, sayso};
use crate::desk::{Desk, read};

fn project() -> Desk {
    let desk = desk("version: 1\n", &[("Makefile", "all:\n")]);
    let rules = "version: 1\nrules:\n  - allow: {command: \"make *\"}\n    match: [\"make test\", make]\n    not_match: [ls, rm x]\n";
    desk.scene.project_policy(rules, false);
    desk
}

/// finding W-13: `policy test` checks the examples of a file that is not trusted, and says that it is not.
#[test]
fn finding_w_13_policy_test_counts_the_examples_of_an_untrusted_file() {
    let desk = project();
    let done = sayso(&desk, &["policy", "test"]).is(0, "all as expected");
    assert!(
        done.out.contains("4 of the examples are from ")
            && done.out.contains("which is not trusted"),
        "{}",
        done.out
    );
    assert!(
        done.out.contains("sayso policy trust")
            && done
                .out
                .contains("4 examples and 0 rows as expected, 0 not"),
        "{}",
        done.out
    );
    let json = read(&sayso(&desk, &["policy", "test", "--json"]).is(0, "as JSON"));
    assert_eq!(
        (&json["examples"], &json["untrusted_examples"]),
        (&Value::from(4), &Value::from(4))
    );
    sayso(&desk, &["policy", "trust", "--yes"]).is(0, "trusted");
    let done = sayso(&desk, &["policy", "test"]).is(0, "all as expected");
    assert_eq!(done.out, "4 examples and 0 rows as expected, 0 not\n");
    desk.scene.project_policy(
        "version: 1\nrules:\n  - {allow: {command: \"make *\"}, match: [ls]}\n",
        false,
    );
    sayso(&desk, &["policy", "test"]).is(2, "an example of an untrusted file that is not met");
}

/// finding W-13: `check` says that a rule of a file that is not trusted would allow, and how to trust it.
#[test]
fn finding_w_13_check_says_what_an_untrusted_rule_would_do() {
    let desk = project();
    let done = sayso(&desk, &["check", "--", "make test"]).is(10, "asks");
    let said = "would allow this (`allow command: make *`, ";
    assert!(
        done.out.contains(said)
            && done.out.contains("policy.yaml:3")
            && done.out.contains("`sayso policy trust`"),
        "{}",
        done.out
    );
    let json = checked(&desk, &[], "make test");
    assert_eq!(
        (&json["decision"], &json["untrusted"]["decision"]),
        (&Value::from("ask"), &Value::from("allow"))
    );
    for command in ["ls", "unknown-program"] {
        let done = sayso(&desk, &["check", "--", command]);
        assert!(!done.out.contains("trusted"), "{command}: {}", done.out);
    }
    sayso(&desk, &["policy", "trust", "--yes"]).is(0, "trusted");
    let done = sayso(&desk, &["check", "--", "make test"]).is(0, "allows");
    assert!(!done.out.contains("trusted"), "{}", done.out);
}
