//! What a contained command does to have the person's own git run something later: each of these got through once.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::works;
use crate::desk::Desk;
use crate::sessions::CONTAINED;

const FSMONITOR: &str = "[core]\\n\\tfsmonitor = ./x\\n";

fn desk(files: &[(&str, &str)]) -> Desk {
    let desk = Desk::with(files);
    desk.scene.git(&["init", "--quiet", "."]);
    desk.scene.git(&["config", "user.name", "A"]);
    desk.scene.git(&["config", "user.email", "a@example.org"]);
    desk.scene.add_to_policy(CONTAINED);
    desk
}

fn command(text: &str) -> Value {
    json!({"tool": "terminal", "args": {"command": text}})
}

fn makefile(recipe: &str) -> String {
    format!("all:\n\t-{recipe}\n")
}

/// `commondir` leads git to another configuration.
#[test]
fn a_hook_cannot_lead_git_to_another_configuration() {
    if !works("a hook in a contained commit") {
        return;
    }
    let hook = "#!/bin/sh\nmkdir -p evil/objects evil/refs; echo ../evil > .git/commondir\n";
    let desk = desk(&[("a.txt", "a\n"), (".git/hooks/post-commit", hook)]);
    let hook = desk.scene.workspace.join(".git/hooks/post-commit");
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (results, code) = desk.results(
        &["--strict"],
        &json!([command("git add a.txt"), command("git commit -m one")]),
    );
    assert_eq!(code, 0, "{results}");
    assert!(
        !desk.scene.workspace.join(".git/commondir").exists(),
        "{results}"
    );
}

/// Where git may change its data, everything that is run could.
#[test]
fn a_program_beside_git_is_asked_about() {
    let desk = desk(&[("Makefile", &makefile("echo ../evil > .git/commondir"))]);
    for text in [
        "make && git add Makefile",
        "git add Makefile; make",
        "git commit -m \"$(make)\"",
    ] {
        let (result, code) = desk.result(&["--strict"], command(text));
        assert_eq!(code, 20, "{text}: {result}");
    }
}

/// Folders of git with another name, and those below what is built or installed.
#[test]
fn git_is_guarded_wherever_it_is() {
    if !works("git's own folders") {
        return;
    }
    let spoil = |at: &str| {
        format!(
            "printf '{FSMONITOR}' >> {at}/config; echo x > {at}/hooks/pre-commit; mv {at} {at}-old"
        )
    };
    for at in [
        "vendor/lib/.git",
        "node_modules/x/.git",
        "target/.git",
        ".bare",
        "vendor/bare.git",
    ] {
        let desk = desk(&[("Makefile", &makefile(&spoil(at)))]);
        let place = at.strip_suffix("/.git");
        match place {
            Some(folder) => desk.scene.git(&["init", "--quiet", folder]),
            None => desk.scene.git(&["init", "--quiet", "--bare", at]),
        };
        let before = desk.text(&format!("{at}/config")).unwrap();
        let (result, _) = desk.result(&["--strict"], command("make"));
        assert_eq!(result["sandboxed"], true, "{at}: {result}");
        assert_eq!(
            desk.text(&format!("{at}/config")),
            Some(before),
            "{at}: {result}"
        );
        assert_eq!(
            desk.text(&format!("{at}/hooks/pre-commit")),
            None,
            "{at}: {result}"
        );
    }
}

#[test]
fn new_repositories_that_run_something_are_taken_away_from_installed_things_too() {
    if !works("new repositories") {
        return;
    }
    let make = |at: &str| format!("git init -q {at} && printf '{FSMONITOR}' >> {at}/.git/config");
    let recipe = format!(
        "{}; {}; git init -q node_modules/plain",
        make("node_modules/x"),
        make("target/y")
    );
    let desk = desk(&[
        ("Makefile", &makefile(&recipe)),
        (".gitignore", "node_modules\ntarget\n"),
    ]);
    let (result, _) = desk.result(&["--strict"], command("make"));
    let there = |name: &str| desk.scene.workspace.join(name).exists();
    assert!(
        there("node_modules/plain/.git")
            && !there("node_modules/x/.git")
            && !there("target/y/.git"),
        "{result}"
    );
}

/// A repository whose hooks are links to files of the workspace, or stand in a folder of it, and one that includes a file of it.
#[test]
fn hooks_and_settings_that_stand_in_the_workspace_stay_as_they_are() {
    if !works("hooks in the workspace") {
        return;
    }
    let names = [
        "scripts/check",
        "tools/pre-push",
        "shared.cfg",
        "scripts/clean",
    ];
    let spoil = names.map(|name| format!("echo evil >> {name}")).join("; ");
    let recipe =
        format!("{spoil}; mv scripts other; echo evil > tools/pre-commit; echo fine > scripts/new");
    let desk = desk(&[("Makefile", &makefile(&recipe))]);
    for name in names {
        desk.scene.file(name, "# as it was\n");
    }
    std::fs::create_dir_all(desk.scene.workspace.join(".git/hooks")).unwrap();
    std::os::unix::fs::symlink(
        "../../scripts/check",
        desk.scene.workspace.join(".git/hooks/pre-commit"),
    )
    .unwrap();
    for (key, value) in [
        ("core.hooksPath", "tools"),
        ("include.path", "../shared.cfg"),
        ("filter.x.clean", "./scripts/clean %f"),
    ] {
        desk.scene.git(&["config", key, value]);
    }
    let (result, _) = desk.result(&["--strict"], command("make"));
    assert_eq!(result["sandboxed"], true, "{result}");
    for name in names {
        assert_eq!(
            desk.text(name).as_deref(),
            Some("# as it was\n"),
            "{name}: {result}"
        );
    }
    assert_eq!(
        (
            desk.text("tools/pre-commit"),
            desk.text("scripts/new").as_deref()
        ),
        (None, Some("fine\n")),
        "{result}"
    );
}

/// Settings of one working tree are obeyed where they are switched on; git still works where there are none.
#[test]
fn settings_of_a_working_tree_do_not_come_to_be() {
    if !works("settings of a working tree") {
        return;
    }
    let hook = "#!/bin/sh\nmkdir -p .git/worktrees/x; echo '[core]' | tee .git/config.worktree > .git/worktrees/x/config.worktree\n";
    let desk = desk(&[("a.txt", "a\n"), (".git/hooks/post-commit", hook)]);
    desk.scene
        .git(&["config", "extensions.worktreeConfig", "true"]);
    let hook = desk.scene.workspace.join(".git/hooks/post-commit");
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (results, code) = desk.results(
        &["--strict"],
        &json!([command("git add a.txt"), command("git commit -m one")]),
    );
    assert_eq!(code, 0, "{results}");
    assert_eq!(
        (
            desk.text(".git/config.worktree"),
            desk.text(".git/worktrees/x/config.worktree")
        ),
        (None, None),
        "{results}"
    );
}
