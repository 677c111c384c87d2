//! Codex: its hooks, and its trust in them, which is handled in the open.

use std::fs;
use std::os::unix::fs::symlink;

use sayso_agents::codex::trust;
use sayso_agents::install;
use sayso_agents::{Scope, Which};

use super::{Home, commands, own, wish};
use crate::scene::put;

const CONFIG: &str =
    "# mine\nmodel = \"gpt-x\"   # why\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";

fn home_with(hooks: Option<&str>, config: &str) -> Home {
    let home = Home::new();
    put(&home.config(), config);
    if let Some(hooks) = hooks {
        put(&home.codex(), hooks);
    }
    home
}

#[test]
fn without_trust_it_says_that_the_hook_does_not_run() {
    let home = home_with(None, CONFIG);
    let done = home.install(&["codex"]).is(0, "install");
    assert!(
        done.out
            .contains("does NOT run the hook until you accept it"),
        "{}",
        done.out
    );
    assert!(
        done.out.contains("Codex runs the tool"),
        "no word for a hook that must not fail: {}",
        done.out
    );
    for event in [
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "SessionStart",
        "SessionEnd",
    ] {
        assert_eq!(commands(&home.codex(), event), [own("codex")], "{event}");
    }
    assert!(
        !fs::read_to_string(home.codex())
            .unwrap()
            .contains("onFailure"),
        "Codex does not know that word"
    );
    assert_eq!(
        fs::read_to_string(home.config()).unwrap(),
        CONFIG,
        "nothing is trusted in silence"
    );
    home.uninstall(&["codex"]).is(0, "uninstall");
    assert!(!home.codex().exists());
    assert_eq!(fs::read_to_string(home.config()).unwrap(), CONFIG);
}

#[test]
fn with_trust_it_is_in_the_diff_and_goes_again() {
    let home = home_with(None, CONFIG);
    let shown = home
        .run(&["install", "codex", "--anyway", "--trust", "--dry-run"])
        .is(0, "dry run");
    assert!(
        shown.out.contains("+trusted_hash = \"sha256:") && shown.out.contains("in your name"),
        "{}",
        shown.out
    );
    assert!(!home.codex().exists());
    home.install(&["codex", "--trust"]).is(0, "install");
    let text = fs::read_to_string(home.config()).unwrap();
    assert!(text.starts_with(CONFIG), "{text}");
    let document = trust::read("x", &text).unwrap();
    let path = home.codex();
    for (event, seconds) in [
        ("PreToolUse", 600),
        ("PermissionRequest", 600),
        ("PostToolUse", 600),
        ("SessionStart", 600),
        ("SessionEnd", 3),
    ] {
        let key = trust::key(path.to_str().unwrap(), event, 0, 0);
        assert_eq!(
            trust::of(&document, &key).hash,
            Some(trust::hash(event, &own("codex"), seconds)),
            "{event}"
        );
    }
    let again = home.install(&["codex", "--trust"]).is(0, "again");
    assert!(again.out.contains("nothing changes"), "{}", again.out);
    home.uninstall(&["codex"]).is(0, "uninstall");
    assert_eq!(fs::read_to_string(home.config()).unwrap(), CONFIG);
    assert!(!home.codex().exists());
}

#[test]
fn trust_can_be_given_later_and_a_changed_file_keeps_its_changes() {
    let home = home_with(None, CONFIG);
    home.install(&["codex"]).is(0, "install");
    home.install(&["codex", "--trust"]).is(0, "trust");
    let text = fs::read_to_string(home.config()).unwrap();
    assert!(text.contains("trusted_hash"));
    fs::write(
        home.config(),
        text.replace("gpt-x", "gpt-y") + "\n[last]\nx = 1 # end\n",
    )
    .unwrap();
    home.uninstall(&["codex"]).is(0, "uninstall");
    let expected = CONFIG.replace("gpt-x", "gpt-y") + "\n[last]\nx = 1 # end\n";
    assert_eq!(fs::read_to_string(home.config()).unwrap(), expected);
    assert!(!home.codex().exists(), "it was made by sayso");
}

#[test]
fn a_hook_that_was_switched_off_is_told() {
    let home = home_with(None, CONFIG);
    let key = format!("{}:pre_tool_use:0:0", home.codex().display());
    put(
        &home.config(),
        &format!("{CONFIG}\n[hooks.state.\"{key}\"]\nenabled = false\n"),
    );
    let done = home.install(&["codex", "--trust"]).is(0, "install");
    assert!(
        done.out.contains("switched off in `/hooks`"),
        "{}",
        done.out
    );
    assert!(
        fs::read_to_string(home.config())
            .unwrap()
            .contains("enabled = false"),
        "that was the person's"
    );
}

#[test]
fn hooks_of_others_stay_and_a_new_place_is_told() {
    let hooks = "{\n  \"description\": \"mine\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/sayso hook codex\"}, {\"type\": \"command\", \"command\": \"a\"}]},\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"b\"}]}\n    ]\n  }\n}\n";
    let home = home_with(Some(hooks), "");
    let path = home.codex().display().to_string();
    put(
        &home.config(),
        &format!("[hooks.state.\"{path}:pre_tool_use:0:1\"]\ntrusted_hash = \"sha256:00\"\n"),
    );
    let done = home.install(&["codex"]).is(0, "install");
    assert_eq!(
        commands(&home.codex(), "PreToolUse"),
        ["a".to_owned(), "b".to_owned(), own("codex")]
    );
    assert!(
        done.out.contains("1 other hooks move to another place"),
        "{}",
        done.out
    );
}

#[test]
fn links_are_looked_behind_as_codex_does() {
    let home = home_with(None, CONFIG);
    let (real, link) = (home.scene.home.join("real"), home.scene.home.join("link"));
    put(&real.join("config.toml"), CONFIG);
    symlink(&real, &link).unwrap();
    let mut program = home.scene.program();
    program
        .env("CODEX_HOME", &link)
        .args(["install", "codex", "--trust", "--anyway", "--yes"]);
    crate::program::run(&mut program, b"").is(0, "install");
    let text = fs::read_to_string(real.join("config.toml")).unwrap();
    assert!(
        text.contains(&format!(
            "[hooks.state.\"{}/hooks.json:pre_tool_use:0:0\"]",
            real.display()
        )),
        "{text}"
    );
}

#[test]
fn what_keeps_hooks_from_running_is_refused() {
    for (config, word) in [
        ("[features]\nhooks = false\n", "features.hooks"),
        ("features.codex_hooks = false\n", "features.codex_hooks"),
        ("features = { hooks = false }\n", "features.hooks"),
    ] {
        let home = home_with(None, config);
        let refused = home.install(&["codex"]).is(2, config);
        assert!(refused.err.contains(word), "{}", refused.err);
        assert!(!home.codex().exists());
    }
    let home = home_with(Some("{\"hooks\": {}, \"other\": 1}\n"), CONFIG);
    let refused = home.install(&["codex"]).is(2, "unknown key");
    assert!(
        refused
            .err
            .contains("hooks.json:1:15: error: Codex takes no key `other`"),
        "{}",
        refused.err
    );
    let home = home_with(None, CONFIG);
    let around = home.around();
    put(
        &around.etc.join("codex/requirements.toml"),
        "allow_managed_hooks_only = true\n",
    );
    assert!(
        install::install(&around, wish(Which::CODEX, Scope::User))
            .unwrap_err()
            .lines()
            .contains("allow_managed_hooks_only")
    );
    put(
        &around.etc.join("codex/config.toml"),
        "[features]\nhooks = false\n",
    );
    assert!(
        install::install(&around, wish(Which::CODEX, Scope::Managed))
            .unwrap_err()
            .lines()
            .contains("features.hooks")
    );
}

#[test]
fn for_everybody_no_trust_is_needed() {
    let home = home_with(None, CONFIG);
    let around = home.around();
    let plan = install::install(&around, wish(Which::CODEX, Scope::Managed)).unwrap();
    assert!(plan.warnings.is_empty(), "{plan:?}");
    install::carry_out(&around, Which::CODEX, Scope::Managed, &plan, "one", false).unwrap();
    assert_eq!(
        commands(&around.etc.join("codex/hooks.json"), "SessionStart"),
        [own("codex")]
    );
    let mine = install::install(&around, wish(Which::CODEX, Scope::User)).unwrap();
    assert!(mine.edits.is_empty(), "{mine:?}");
    let trusting = install::Wish {
        trust: true,
        ..wish(Which::CODEX, Scope::Managed)
    };
    assert!(install::install(&around, trusting).is_err());
}

#[test]
fn a_project_has_to_be_trusted_too() {
    let home = home_with(None, CONFIG);
    let done = home.install(&["codex", "--project"]).is(0, "install");
    assert!(
        done.out.contains("only once you trust the project"),
        "{}",
        done.out
    );
    assert_eq!(
        commands(
            &home.scene.workspace.join(".codex/hooks.json"),
            "PreToolUse"
        ),
        [own("codex")]
    );
    home.uninstall(&["codex", "--project"]).is(0, "uninstall");
    assert!(!home.scene.workspace.join(".codex").exists());
}

#[test]
fn broken_settings_are_named_with_their_place() {
    for (config, place) in [
        ("a = 1\nb = \n", "config.toml:2:"),
        ("[x\n", "config.toml:1:"),
        ("a = 1\na = 2\n", "config.toml:2:"),
    ] {
        let home = home_with(None, config);
        for words in [&["codex"][..], &["codex", "--trust"]] {
            let refused = home.install(words).is(2, config);
            assert!(refused.err.contains(place), "{}", refused.err);
        }
        assert_eq!(fs::read_to_string(home.config()).unwrap(), config);
        assert!(!home.codex().exists());
    }
    for config in ["hooks = 1\n", "[hooks]\nstate = \"x\"\n"] {
        let home = home_with(None, config);
        home.install(&["codex", "--trust"]).is(2, config);
        assert!(!home.codex().exists(), "all of it or nothing");
    }
}

#[test]
fn codex_is_never_taken_over() {
    let home = home_with(None, CONFIG);
    let refused = home.install(&["codex", "--takeover"]).is(2, "takeover");
    assert!(refused.err.contains("never takes over"), "{}", refused.err);
    assert!(!home.codex().exists());
}

#[test]
fn a_home_without_codex_gets_both_files_and_is_empty_again_afterwards() {
    let home = Home::new();
    assert!(!home.codex().parent().unwrap().exists());
    home.install(&["codex", "--trust"])
        .is(0, "both files need the same folder");
    assert!(home.codex().exists() && home.config().exists());
    home.uninstall(&["codex"]).is(0, "uninstall");
    assert!(
        !home.codex().parent().unwrap().exists(),
        "the folder was made for them"
    );
}
