//! `trust-all` in a file (Z-09).

use serde_json::json;

use super::{decision, desk, sayso, seeds};
use crate::desk::Desk;
use crate::hook;

fn trusting() -> Desk {
    let desk = seeds::desk(
        &["004-config.json"],
        &[("Makefile", "all:\n\ttouch made\n")],
    );
    let text = seeds::text("004-config.json").replace("\"confirm_all\"", "\"trust_all\"");
    std::fs::write(desk.scene.config().join("policy.json"), text).unwrap();
    desk
}

/// finding A-15: `approval_mode: trust_all` in the person's own file asks nothing, keeps denials, and warns at each start.
#[test]
fn finding_a_15_trust_all_of_ones_own_file_counts_and_warns() {
    let desk = trusting();
    for command in ["make", "rm -r x", "git push --force"] {
        assert_eq!(decision(&desk, &[], command), "allow", "{command}");
    }
    assert_eq!(decision(&desk, &[], "rm -rf /"), "deny");
    let warning = "warning: the mode is trust-all";
    for _ in 0..2 {
        let done = desk
            .run(
                &[],
                &json!([{"tool": "terminal", "args": {"command": "ls > made"}}]),
            )
            .is(0, "runs without a terminal");
        assert!(
            done.err.contains(warning) && done.err.contains("policy.json:4"),
            "{}",
            done.err
        );
        assert!(desk.text("made").is_some());
    }
    assert!(sayso(&desk, &["check", "--", "ls"]).err.contains(warning));
    assert!(
        sayso(&desk, &["policy", "check"])
            .is(0, "a warning")
            .out
            .contains("`trust-all` asks nothing")
    );
    let payload = hook::event(&desk, "SessionStart", "", json!({}));
    assert!(
        hook::raw(&desk, "claude", payload.to_string().as_bytes())
            .err
            .contains(warning)
    );
    assert_eq!(
        hook::decided(&desk, "claude", "Bash", json!({"command": "make"})).0,
        "allow"
    );
}

/// finding A-15: in every other file it is left out, with a warning, and never denies everything.
#[test]
fn finding_a_15_trust_all_elsewhere_does_not_count() {
    for trusted in [false, true] {
        let desk = desk("version: 1\n", &[]);
        desk.scene
            .project_policy("version: 1\nmode: trust-all\n", trusted);
        assert_eq!(decision(&desk, &[], "make"), "ask", "trusted: {trusted}");
        assert_eq!(decision(&desk, &[], "ls"), "allow", "trusted: {trusted}");
        assert!(
            sayso(&desk, &["policy", "check"])
                .is(0, "a warning")
                .out
                .contains("`trust-all` does not count here")
        );
    }
    let desk = desk("version: 1\n", &[]);
    let file = desk.batch("other.yaml", "version: 1\nmode: trust-all\n");
    assert_eq!(
        decision(&desk, &["--policy", file.to_str().unwrap()], "make"),
        "ask"
    );
    desk.scene
        .user_policy("version: 1\nagents: {x: {mode: trust-all}}\n");
    assert_eq!(decision(&desk, &["--agent", "x"], "make"), "ask");
}
