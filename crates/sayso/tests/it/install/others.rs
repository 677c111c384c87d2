//! Agents whose hooks a row describes: put in beside those of others, once, and taken out again.

use std::fs;

use sayso_agents::install;
use sayso_agents::{Scope, Which};

use super::{Home, wish};
use crate::scene::put;

fn rows() -> impl Iterator<Item = Which> {
    sayso_agents::ALL
        .into_iter()
        .filter(|which| !matches!(*which, Which::CLAUDE | Which::CODEX | Which::GENERIC))
}

#[test]
fn each_is_put_in_once_and_taken_out_without_a_trace() {
    for which in rows() {
        let home = Home::new();
        let target = which
            .installer()
            .target(&home.around(), Scope::User)
            .unwrap();
        let shown = home
            .run(&["install", which.name(), "--anyway", "--dry-run"])
            .is(0, which.name());
        assert!(
            shown.out.contains("nothing was changed") && !target.exists(),
            "{which:?}: {}",
            shown.out
        );
        home.install(&[which.name()]).is(0, which.name());
        let text = fs::read_to_string(&target).unwrap();
        assert_eq!(
            which.installer().starts(&text),
            [env!("CARGO_BIN_EXE_sayso")],
            "{which:?}: {text}"
        );
        assert!(
            home.install(&[which.name()])
                .is(0, "again")
                .out
                .contains("nothing changes"),
            "{which:?}"
        );
        assert_eq!(fs::read_to_string(&target).unwrap(), text, "twice is once");
        home.uninstall(&[which.name()]).is(0, which.name());
        assert!(!target.exists(), "{which:?}");
        // The first folder below the home was made for it.
        let top = target
            .strip_prefix(&home.scene.home)
            .unwrap()
            .components()
            .next()
            .unwrap();
        let is_left = home.scene.home.join(top).exists() && top.as_os_str() != ".config";
        assert!(!is_left, "{which:?} leaves {top:?}");
    }
}

#[test]
fn what_others_wrote_stays_byte_for_byte() {
    let flat = "{\n  \"version\": 1,\n  \"other\": [1, 2],\n  \"hooks\": {\n    \"preToolUse\": [\n      {\"command\": \"mine\"}\n    ]\n  }\n}\n";
    let groups = "{\"model\": \"x\", \"hooks\": {\"BeforeTool\": [{\"matcher\": \"a\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}}\n";
    for which in [
        Which::CURSOR,
        Which::WINDSURF,
        Which::CRUSH,
        Which::GEMINI,
        Which::QWEN,
        Which::DROID,
    ] {
        let before = if matches!(which, Which::GEMINI | Which::QWEN | Which::DROID) {
            groups
        } else {
            flat
        };
        let home = Home::new();
        let target = which
            .installer()
            .target(&home.around(), Scope::User)
            .unwrap();
        put(&target, before);
        home.install(&[which.name()]).is(0, which.name());
        let text = fs::read_to_string(&target).unwrap();
        assert!(
            text.contains("\"mine\"")
                && text.contains(&format!("hook {} --wait 600", which.name())),
            "{which:?}: {text}"
        );
        // Somebody changes it meanwhile.
        fs::write(&target, text.replace("mine", "still mine")).unwrap();
        home.uninstall(&[which.name()]).is(0, which.name());
        assert_eq!(
            fs::read_to_string(&target).unwrap(),
            before.replace("mine", "still mine"),
            "{which:?}"
        );
    }
}

#[test]
fn times_are_in_the_units_of_the_agent_and_the_knob_is_on() {
    let home = Home::new();
    let text = |which: Which| {
        home.install(&[which.name()]).is(0, which.name());
        fs::read_to_string(
            which
                .installer()
                .target(&home.around(), Scope::User)
                .unwrap(),
        )
        .unwrap()
    };
    assert!(
        text(Which::GEMINI).contains("\"timeout\": 600000"),
        "milliseconds"
    );
    assert!(text(Which::QWEN).contains("\"timeout\": 600}"), "seconds");
    assert!(text(Which::COPILOT).contains("\"timeoutSec\": 600"));
    assert!(text(Which::CURSOR).contains("\"failClosed\": true"));
}

#[test]
fn what_would_not_fire_or_is_not_ours_is_refused() {
    let home = Home::new();
    let around = home.around();
    for (which, settings) in [
        (Which::GEMINI, "{\"hooksConfig\": {\"enabled\": false}}"),
        (Which::QWEN, "{\"disableAllHooks\": true}"),
        (Which::GEMINI, "{\"hooks\": 7}"),
        (Which::GEMINI, "{ // a remark\n}"),
        (Which::CURSOR, "{\"hooks\": {\"preToolUse\": 7}}"),
        (Which::COPILOT, "{\"version\": 1, \"hooks\": {}}"),
        (Which::OPENCODE, "export const Mine = 1;\n"),
    ] {
        let target = which.installer().target(&around, Scope::User).unwrap();
        put(&target, settings);
        home.install(&[which.name()]).is(2, settings);
        assert_eq!(fs::read_to_string(&target).unwrap(), settings);
    }
    home.install(&["generic"]).is(2, "nobody knows where");
    home.install(&["copilot", "--managed"]).is(2, "it has none");
    home.install(&["gemini", "--takeover"]).is(2, "never");
    home.install(&["gemini", "--trust"])
        .is(2, "there is nothing to trust");
    assert!(install::install(&around, wish(Which::GOOSE, Scope::Project)).is_err());
}

#[test]
fn a_plugin_that_somebody_changed_is_not_removed() {
    for which in [Which::OPENCODE, Which::CLINE] {
        let home = Home::new();
        home.install(&[which.name()]).is(0, which.name());
        let target = which
            .installer()
            .target(&home.around(), Scope::User)
            .unwrap();
        let text = fs::read_to_string(&target).unwrap() + "// mine\n";
        fs::write(&target, &text).unwrap();
        home.uninstall(&[which.name()])
            .is(2, "somebody has changed it");
        assert_eq!(fs::read_to_string(&target).unwrap(), text);
    }
}
