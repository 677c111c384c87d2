//! Claude Code: what is put into its settings, what stays, and what comes back.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use sayso_agents::install;
use sayso_agents::{Scope, Which};
use serde_json::Value;

use super::{Home, commands, mode, own, wish};
use crate::scene::put;

const EVENTS: [&str; 8] = [
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "SessionStart",
    "UserPromptSubmit",
    "Stop",
    "SessionEnd",
];

/// Settings as a person has them: tabs, a hook of their own, a key, no line end at the end.
const MINE: &str = "{\n\t\"model\": \"opus\",\n\t\"env\": {\"SERVICE_TOKEN\": \"tok-1234567890abcdefghij\"},\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\": \"Bash\",\n\t\t\t\t\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]\n\t\t\t}\n\t\t],\n\t\t\"PreCompact\": []\n\t},\n\t\"z\": 1.0\n}";

#[test]
fn every_event_is_hooked_and_fails_closed() {
    let home = Home::new();
    let done = home.install(&["claude"]).is(0, "install");
    assert!(done.out.contains("+++ "), "{}", done.out);
    let root: Value = serde_json::from_str(&fs::read_to_string(home.claude()).unwrap()).unwrap();
    assert_eq!(
        root["hooks"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect::<std::collections::BTreeSet<_>>(),
        EVENTS.into()
    );
    for event in EVENTS {
        let groups = root["hooks"][event].as_array().unwrap();
        assert_eq!(groups.len(), 1, "{event}");
        assert_eq!(groups[0]["matcher"], "*");
        let handler = &groups[0]["hooks"][0];
        assert_eq!(
            (handler["type"].as_str(), handler["command"].as_str()),
            (Some("command"), Some(own("claude").as_str()))
        );
        let blocks = event.starts_with("Pre") || event == "PermissionRequest";
        assert_eq!(
            handler["onFailure"].as_str(),
            blocks.then_some("block"),
            "{event}"
        );
        assert_eq!(
            handler["statusMessage"].is_string(),
            event == "PreToolUse",
            "finding W-07: {handler}"
        );
        assert!(
            handler["timeout"].as_u64().unwrap() > 25 || event == "SessionEnd",
            "longer than sayso takes"
        );
    }
    assert_eq!(
        (mode(&home.claude()), mode(home.claude().parent().unwrap())),
        (0o600, 0o700)
    );
}

#[test]
fn what_was_there_stays_and_comes_back_byte_for_byte() {
    let home = Home::with_claude(MINE);
    fs::set_permissions(home.claude(), fs::Permissions::from_mode(0o640)).unwrap();
    let done = home.install(&["claude"]).is(0, "install");
    let text = fs::read_to_string(home.claude()).unwrap();
    assert!(
        text.starts_with(&MINE[..MINE.find("\"hooks\": [").unwrap()]),
        "{text}"
    );
    assert!(
        text.contains("\t\t\t{\"matcher\": \"*\"") && text.ends_with("\t\"z\": 1.0\n}"),
        "{text}"
    );
    assert_eq!(
        commands(&home.claude(), "PreToolUse"),
        ["mine".to_owned(), own("claude")]
    );
    assert_eq!(mode(&home.claude()), 0o640);
    // The backup is told, and is the file as it was, in sayso's own folder.
    let backup = done
        .out
        .lines()
        .find_map(|line| line.split(" as it was: ").nth(1))
        .unwrap();
    assert!(backup.starts_with(home.scene.state().to_str().unwrap()));
    assert_eq!(fs::read_to_string(backup).unwrap(), MINE);
    // A second time, nothing changes.
    let again = home.install(&["claude"]).is(0, "again");
    assert!(again.out.contains("nothing changes"), "{}", again.out);
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), text);
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), MINE);
    assert_eq!(mode(&home.claude()), 0o640);
    let nothing = home.uninstall(&["claude"]).is(0, "uninstall again");
    assert!(nothing.out.contains("nothing changes"), "{}", nothing.out);
}

#[test]
fn a_file_that_was_not_there_goes_with_its_folder() {
    let home = Home::new();
    home.install(&["claude"]).is(0, "install");
    assert!(home.claude().exists());
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert!(
        !home.claude().parent().unwrap().exists(),
        "the folder was made for it"
    );
    // Unless somebody has put something beside it.
    home.install(&["claude"]).is(0, "install");
    fs::write(home.claude().with_file_name("CLAUDE.md"), "mine").unwrap();
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert!(!home.claude().exists() && home.claude().with_file_name("CLAUDE.md").exists());
}

#[test]
fn a_file_that_was_changed_since_keeps_the_changes() {
    let home = Home::with_claude(MINE);
    home.install(&["claude"]).is(0, "install");
    let text = fs::read_to_string(home.claude())
        .unwrap()
        .replace("opus", "other");
    fs::write(home.claude(), &text).unwrap();
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(
        fs::read_to_string(home.claude()).unwrap(),
        MINE.replace("opus", "other")
    );
    // The same without any memory of it.
    home.install(&["claude"]).is(0, "install");
    fs::remove_dir_all(home.scene.state().join("installed")).unwrap();
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(
        fs::read_to_string(home.claude()).unwrap(),
        MINE.replace("opus", "other")
    );
}

#[test]
fn undo_takes_it_back_as_well() {
    let home = Home::with_claude(MINE);
    home.install(&["claude"]).is(0, "install");
    home.run(&["undo", "--yes"]).is(0, "undo");
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), MINE);
    let nothing = home.uninstall(&["claude"]).is(0, "uninstall");
    assert!(nothing.out.contains("nothing changes"));
}

#[test]
fn an_older_sayso_is_replaced_in_its_place() {
    let old = |command: &str, more: &str| {
        format!(
            "{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"Bash\", \"hooks\": [{{\"type\": \"command\", \"command\": {command}{more}}}]}}, {{\"hooks\": [{{\"type\": \"command\", \"command\": \"mine\"}}]}}]}}}}"
        )
    };
    let rows = [
        ("\"/opt/old/sayso hook claude\"", ""),
        ("\"sayso hook claude\"", ""),
        (
            "\"'/opt/my programs/sayso' hook claude\"",
            ", \"timeout\": 5",
        ),
        ("\"\\\"/opt/my programs/sayso\\\"   hook  claude \"", ""),
        ("\"/opt/sayso\"", ", \"args\": [\"hook\", \"claude\"]"),
        ("\"/opt/sayso hook claude --wait 60\"", ""),
        (
            "\"/opt/sayso\"",
            ", \"args\": [\"hook\", \"claude\", \"--wait\", \"60\"]",
        ),
    ];
    for (command, more) in rows {
        let home = Home::with_claude(&old(command, more));
        home.install(&["claude"]).is(0, command);
        assert_eq!(
            commands(&home.claude(), "PreToolUse"),
            [own("claude"), "mine".to_owned()],
            "{command}"
        );
        home.uninstall(&["claude"]).is(0, command);
        assert_eq!(
            commands(&home.claude(), "PreToolUse"),
            ["mine"],
            "{command}"
        );
    }
    // What only looks like it is the person's own; it stays, and is told.
    for command in [
        "\"sayso hook claude --wait x\"",
        "\"sayso hook claude --wait 60; x\"",
        "\"sayso hook claude || true\"",
        "\"env X=1 sayso hook claude\"",
        "\"/opt/sayso hook codex\"",
        "\"sayso hook claude; rm x\"",
        "\"$HOME/sayso hook claude\"",
    ] {
        let home = Home::with_claude(&old(command, ""));
        let done = home.install(&["claude"]).is(0, command);
        assert_eq!(commands(&home.claude(), "PreToolUse").len(), 3, "{command}");
        assert!(
            done.out.contains("! ") && done.out.contains("in another way"),
            "{command}: {}",
            done.out
        );
        home.uninstall(&["claude"]).is(0, command);
        assert_eq!(fs::read_to_string(home.claude()).unwrap(), old(command, ""));
    }
}

#[test]
fn a_hook_that_shares_its_group_leaves_the_others_there() {
    let text = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"a\"},{\"type\":\"command\",\"command\":\"sayso hook claude\"},{\"type\":\"command\",\"command\":\"b\"}]}]}}";
    let home = Home::with_claude(text);
    home.install(&["claude"]).is(0, "install");
    assert_eq!(
        commands(&home.claude(), "PreToolUse"),
        ["a".to_owned(), "b".to_owned(), own("claude")]
    );
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(
        fs::read_to_string(home.claude()).unwrap(),
        text.replace(
            ",{\"type\":\"command\",\"command\":\"sayso hook claude\"}",
            ""
        )
    );
}

#[test]
fn a_link_is_followed_and_told() {
    let home = Home::new();
    let real = home.scene.home.join("dotfiles/claude.json");
    put(&real, MINE);
    fs::create_dir_all(home.claude().parent().unwrap()).unwrap();
    symlink("../dotfiles/claude.json", home.claude()).unwrap();
    let done = home.install(&["claude"]).is(0, "install");
    assert!(done.out.contains("leads to"), "{}", done.out);
    assert!(
        fs::symlink_metadata(home.claude()).unwrap().is_symlink(),
        "the link stays"
    );
    assert_eq!(commands(&real, "PreToolUse").len(), 2);
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(fs::read_to_string(&real).unwrap(), MINE);
}

#[test]
fn a_project_has_a_file_of_its_own_that_is_not_shared() {
    let home = Home::new();
    home.install(&["claude", "--project"]).is(0, "install");
    let local = home.scene.workspace.join(".claude/settings.local.json");
    assert_eq!(commands(&local, "PreToolUse"), [own("claude")]);
    assert!(!home.claude().exists());
    // For all projects beside it: that is another matter, and the one in the project is told.
    home.uninstall(&["claude", "--project"]).is(0, "uninstall");
    assert!(!local.exists());
    home.install(&["claude"]).is(0, "for all");
    let second = home.install(&["claude", "--project"]).is(0, "a second one");
    assert!(
        second.out.contains("one is enough") && !local.exists(),
        "{}",
        second.out
    );
}

#[test]
fn the_variable_of_claude_code_counts() {
    let home = Home::new();
    let other = home.scene.home.join("elsewhere");
    let mut program = home.scene.program();
    program
        .env("CLAUDE_CONFIG_DIR", &other)
        .args(["install", "claude", "--anyway", "--yes"]);
    crate::program::run(&mut program, b"").is(0, "install");
    assert_eq!(
        commands(&other.join("settings.json"), "PreToolUse"),
        [own("claude")]
    );
    assert!(!home.claude().exists());
}

#[test]
fn for_everybody_there_is_a_file_of_sayso_s_own() {
    let home = Home::with_claude("{}\n");
    let around = home.around();
    let plan = install::install(&around, wish(Which::CLAUDE, Scope::Managed)).unwrap();
    install::carry_out(&around, Which::CLAUDE, Scope::Managed, &plan, "one", false).unwrap();
    let file = around
        .etc
        .join("claude-code/managed-settings.d/50-sayso.json");
    assert_eq!(commands(&file, "PreToolUse"), [own("claude")]);
    assert_eq!(
        (mode(&file), mode(file.parent().unwrap())),
        (0o644, 0o755),
        "everybody has to read it"
    );
    // The person's own settings need none then.
    let mine = install::install(&around, wish(Which::CLAUDE, Scope::User)).unwrap();
    assert!(
        mine.edits.is_empty() && mine.notes.iter().any(|note| note.contains("already")),
        "{mine:?}"
    );
    let plan = Which::CLAUDE
        .installer()
        .uninstall(&around, Scope::Managed)
        .unwrap();
    install::carry_out(&around, Which::CLAUDE, Scope::Managed, &plan, "two", false).unwrap();
    assert!(!around.etc.join("claude-code").exists());
}

#[test]
fn old_versions_are_warned_of_and_none_is_needed() {
    let rows = [
        ("echo '2.1.294 (Claude Code)'", Some("2.1.294")),
        ("echo '2.1.295 (Claude Code)'", None),
        ("echo '2.1.325 (Claude Code)'", None),
        ("exit 1", Some("not found")),
        ("yes no", Some("not found")),
        ("printf '\\033[31m2.1.1'", Some("not found")),
    ];
    for (script, warning) in rows {
        let home = Home::new();
        home.agent("claude", script);
        let done = home
            .run(&["install", "claude", "--anyway", "--dry-run"])
            .is(0, script);
        assert_eq!(
            done.out.contains("! Claude Code"),
            warning.is_some(),
            "{script}: {}",
            done.out
        );
        assert!(
            warning.is_none_or(|words| done.out.contains(words)),
            "{script}: {}",
            done.out
        );
    }
    assert!(
        Home::new()
            .run(&["install", "claude", "--anyway", "--dry-run"])
            .is(0, "none")
            .out
            .contains("was not found")
    );
}

#[test]
fn no_secret_stands_beside_the_change() {
    let text = "{\n  \"env\": {\n    \"ANTHROPIC_API_KEY\": \"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\"\n  }\n}\n";
    let home = Home::with_claude(text);
    for words in [&["--dry-run"][..], &["--dry-run", "--json"]] {
        let done = home
            .run(&[&["install", "claude", "--anyway"], words].concat())
            .is(0, "dry run");
        assert!(
            !done.out.contains("abcdefghijklmnop") && done.out.contains("ANTHROPIC_API_KEY"),
            "{}",
            done.out
        );
    }
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), text);
}

#[test]
fn it_is_written_down() {
    let home = Home::with_claude(MINE);
    home.install(&["claude"]).is(0, "install");
    home.uninstall(&["claude"]).is(0, "uninstall");
    let record = home
        .run(&["audit", "export", "--format", "jsonl"])
        .is(0, "export")
        .out;
    for kind in ["\"install\"", "\"uninstall\""] {
        assert!(record.contains(kind), "{record}");
    }
    home.run(&["audit", "verify"]).is(0, "verify");
}
