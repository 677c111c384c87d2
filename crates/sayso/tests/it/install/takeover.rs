//! The agent's own approvals are switched off only where it is proved that nothing runs without sayso, and they come back exactly.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use sayso_agents::install;
use sayso_agents::install::{Around, Wish};
use sayso_agents::{Scope, Which};
use sayso_core::text::digest::Digest;
use serde_json::{Value, json};

use super::{Home, wish};
use crate::scene::{NOW, put};

const SETTINGS: &str = "{\n  \"permissions\": {\"defaultMode\": \"plan\", \"deny\": [\"Read(x)\"]},\n  \"model\": \"opus\"\n}\n";

fn taking_over() -> Wish {
    Wish {
        takeover: true,
        ..wish(Which::CLAUDE, Scope::User)
    }
}

/// A world where everything is in place: an agent, a hook that no project can switch off, and a proof.
fn proved(settings: &str) -> (Home, Around) {
    let home = Home::with_claude(settings);
    home.agent("claude", "echo '2.1.325 (Claude Code)'");
    let around = home.around();
    let plan = install::install(&around, wish(Which::CLAUDE, Scope::Managed)).unwrap();
    install::carry_out(&around, Which::CLAUDE, Scope::Managed, &plan, "hook", false).unwrap();
    proof(&around, |_| ());
    (home, around)
}

fn managed(around: &Around) -> std::path::PathBuf {
    around
        .etc
        .join("claude-code/managed-settings.d/50-sayso.json")
}

/// Writes the proof, as `sayso doctor` does.
fn proof(around: &Around, change: impl Fn(&mut Value)) {
    let digest = Digest::of_bytes(&fs::read(managed(around)).unwrap()).to_string();
    let mut proof = json!({
        "agent": "claude", "version": "2.1.325", "sayso": around.program, "settings": digest, "at": NOW - 60, "fires": true, "fails_closed": true,
    });
    change(&mut proof);
    let path = around.state.join("canary/claude.json");
    put(&path, &proof.to_string());
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn with_a_proof_it_is_done_and_taken_back_exactly() {
    for settings in [
        SETTINGS,
        "{}\n",
        "{\"permissions\": {}}",
        "{\"permissions\": {\"defaultMode\": \"acceptEdits\"}}",
        "",
    ] {
        let (home, around) = proved(settings);
        let plan = install::install(&around, taking_over()).unwrap();
        assert!(
            plan.warnings
                .iter()
                .any(|words| words.contains("will not ask by itself any more")),
            "{plan:?}"
        );
        install::carry_out(&around, Which::CLAUDE, Scope::User, &plan, "one", false).unwrap();
        let root: Value =
            serde_json::from_str(&fs::read_to_string(home.claude()).unwrap()).unwrap();
        assert_eq!(
            root["permissions"]["defaultMode"], "bypassPermissions",
            "{settings}"
        );
        assert!(root.get("hooks").is_none(), "the hook stands elsewhere");
        let again = install::install(&around, taking_over()).unwrap();
        assert!(again.edits.is_empty(), "{again:?}");
        let plan = Which::CLAUDE
            .installer()
            .uninstall(&around, Scope::User)
            .unwrap();
        install::carry_out(&around, Which::CLAUDE, Scope::User, &plan, "two", false).unwrap();
        assert_eq!(fs::read_to_string(home.claude()).unwrap(), settings);
    }
}

#[test]
fn a_file_that_was_changed_since_gets_only_that_back() {
    let (home, around) = proved(SETTINGS);
    let plan = install::install(&around, taking_over()).unwrap();
    install::carry_out(&around, Which::CLAUDE, Scope::User, &plan, "one", false).unwrap();
    let text = fs::read_to_string(home.claude())
        .unwrap()
        .replace("opus", "other");
    put(&home.claude(), &text);
    let plan = Which::CLAUDE
        .installer()
        .uninstall(&around, Scope::User)
        .unwrap();
    assert_eq!(
        plan.edits[0].after.as_deref(),
        Some(SETTINGS.replace("opus", "other").as_str())
    );
    // Whoever has chosen another mode meanwhile keeps it.
    put(
        &home.claude(),
        &text.replace("bypassPermissions", "default"),
    );
    let plan = Which::CLAUDE
        .installer()
        .uninstall(&around, Scope::User)
        .unwrap();
    assert!(plan.edits.is_empty(), "{plan:?}");
    // And one that nobody remembers is told, and left.
    put(&home.claude(), &text);
    fs::remove_dir_all(around.state.join("installed")).unwrap();
    let plan = Which::CLAUDE
        .installer()
        .uninstall(&around, Scope::User)
        .unwrap();
    assert!(
        plan.edits.is_empty()
            && plan
                .warnings
                .iter()
                .any(|words| words.contains("everything runs unasked")),
        "{plan:?}"
    );
}

#[test]
fn without_a_whole_and_fresh_proof_it_is_refused() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 12] = [
        ("not one of this sayso", |proof| {
            proof["agent"] = "codex".into()
        }),
        ("another version", |proof| {
            proof["version"] = "2.1.324".into()
        }),
        ("another sayso", |proof| {
            proof["sayso"] = "/opt/sayso".into()
        }),
        ("were changed since", |proof| {
            proof["settings"] = "sha256:00".into()
        }),
        ("not tried within", |proof| {
            proof["at"] = (NOW - 7 * 24 * 3600 - 1).into()
        }),
        ("not tried within", |proof| proof["at"] = (NOW + 60).into()),
        ("not one of this sayso", |proof| proof["at"] = "now".into()),
        ("did not fire", |proof| proof["fires"] = false.into()),
        ("not one of this sayso", |proof| {
            proof["fires"] = "true".into()
        }),
        ("calls ran", |proof| proof["fails_closed"] = false.into()),
        ("not one of this sayso", |proof| {
            drop(proof.as_object_mut().unwrap().remove("fails_closed"))
        }),
        ("not one of this sayso", |proof| *proof = json!([])),
    ];
    for (words, change) in changes {
        let (home, around) = proved(SETTINGS);
        proof(&around, change);
        let refused = install::install(&around, taking_over()).unwrap_err();
        assert!(
            refused.lines().contains(words) && refused.lines().contains("sayso doctor"),
            "{words}: {}",
            refused.lines()
        );
        assert_eq!(fs::read_to_string(home.claude()).unwrap(), SETTINGS);
    }
    let (_home, around) = proved(SETTINGS);
    fs::remove_file(around.state.join("canary/claude.json")).unwrap();
    assert!(
        install::install(&around, taking_over())
            .unwrap_err()
            .lines()
            .contains("never tried")
    );
    let (home, around) = proved(SETTINGS);
    home.agent("claude", "exit 1");
    assert!(
        install::install(&around, taking_over())
            .unwrap_err()
            .lines()
            .contains("not found")
    );
    let (_home, around) = proved(SETTINGS);
    fs::write(around.state.join("canary/claude.json"), "{").unwrap();
    install::install(&around, taking_over()).unwrap_err();
}

#[test]
fn a_hook_that_a_project_could_switch_off_is_not_enough() {
    let home = Home::with_claude(SETTINGS);
    home.agent("claude", "echo 2.1.325");
    let around = home.around();
    let refused = install::install(&around, taking_over()).unwrap_err();
    assert!(
        refused.lines().contains("no project can switch off")
            && refused.lines().contains("--managed"),
        "{}",
        refused.lines()
    );
    for scope in [Scope::Project, Scope::Managed] {
        install::install(
            &around,
            Wish {
                scope,
                ..taking_over()
            },
        )
        .unwrap_err();
    }
    // One of another sayso, one that does not block, one that others can write.
    let spoil: [&dyn Fn(&Around); 3] = [
        &|around| {
            put(
                &managed(around),
                &fs::read_to_string(managed(around))
                    .unwrap()
                    .replace("/sayso hook", "/x/sayso hook"),
            )
        },
        &|around| {
            put(
                &managed(around),
                &fs::read_to_string(managed(around))
                    .unwrap()
                    .replace("\"block\"", "\"continue\""),
            )
        },
        &|around| fs::set_permissions(managed(around), fs::Permissions::from_mode(0o666)).unwrap(),
    ];
    for spoil in spoil {
        let (_home, around) = proved(SETTINGS);
        spoil(&around);
        proof(&around, |_| ());
        assert!(
            install::install(&around, taking_over())
                .unwrap_err()
                .lines()
                .contains("there is none")
        );
    }
}
