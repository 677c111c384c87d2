//! What a hostile workspace does to have more seen, or to leave something protected behind: each of these got through once.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::works;
use crate::desk::Desk;
use crate::program::run;
use crate::sessions::CONTAINED;

fn desk(recipe: &str) -> Desk {
    let desk = Desk::with(&[("Makefile", &format!("all:\n\t-{recipe}\n"))]);
    desk.scene.git(&["init", "--quiet", "."]);
    desk.scene.add_to_policy(CONTAINED);
    desk
}

/// What `make` prints and sayso tells, run with these variables.
fn made(desk: &Desk, variables: &[(&str, String)]) -> String {
    let calls = json!([{"tool": "terminal", "args": {"command": "make"}}]);
    let file = desk.batch("calls.json", calls.to_string());
    let mut program = desk.program();
    program
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .args(["run", "--strict", "--json"])
        .arg(file);
    let done = run(&mut program, b"");
    let result: Value =
        serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{}{}", done.out, done.err));
    assert_eq!(result["results"][0]["sandboxed"], true, "{result}");
    result["results"][0]["output"].as_str().unwrap().to_owned()
}

/// A folder of the search path has a `lib` beside it, and a variable names a folder of tools: in the workspace both can be links.
#[test]
fn tools_are_not_seen_through_links_of_the_workspace() {
    if !works("tools behind links") {
        return;
    }
    let desk = desk("cat ~/.ssh/id_rsa; cat ~/notes; cat lib/id_rsa; cat env/notes");
    let (home, workspace) = (&desk.scene.home, &desk.scene.workspace);
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::create_dir_all(home.join("deep")).unwrap();
    std::fs::write(home.join(".ssh/id_rsa"), "tell-nobody\n").unwrap();
    std::fs::write(home.join("notes"), "tell-nobody\n").unwrap();
    std::fs::create_dir(workspace.join("bin")).unwrap();
    symlink(home.join(".ssh"), workspace.join("lib")).unwrap();
    symlink(home, workspace.join("env")).unwrap();
    symlink(workspace.join("env"), home.join("tools")).unwrap();
    let at = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let variables = [
        (
            "PATH",
            format!("{}:/usr/bin:/bin", at(&workspace.join("bin"))),
        ),
        ("VIRTUAL_ENV", at(&workspace.join("env"))),
        ("GOROOT", at(&home.join("deep/.."))),
        ("JAVA_HOME", at(&home.join("tools"))),
        ("SSL_CERT_DIR", at(&home.join(".ssh"))),
    ];
    for (name, value) in variables {
        let output = made(&desk, &[(name, value)]);
        assert!(!output.contains("tell-nobody"), "{name}: {output}");
    }
}

/// What stands in a folder of the search path runs by its name alone, in the person's own shell.
#[test]
fn programs_of_the_search_path_are_not_planted() {
    if !works("planted programs") {
        return;
    }
    let desk = desk(
        "mv tools old; mkdir -p tools/bin new/bin; echo evil > tools/bin/ls; echo evil > new/bin/ls; echo fine > fine.txt",
    );
    desk.scene.file("tools/bin/own", "#!/bin/sh\n");
    let folder = desk.scene.workspace.to_str().unwrap();
    let output = made(
        &desk,
        &[(
            "PATH",
            format!("{folder}/tools/bin:{folder}/new/bin:/usr/bin:/bin"),
        )],
    );
    assert_eq!(desk.text("fine.txt").as_deref(), Some("fine\n"), "{output}");
    assert_eq!(
        (desk.text("tools/bin/ls"), desk.text("new/bin/ls")),
        (None, None),
        "{output}"
    );
    assert!(desk.text("tools/bin/own").is_some(), "{output}");
}

#[test]
fn what_stands_where_a_link_was_is_new() {
    if !works("links that are replaced") {
        return;
    }
    let desk = desk("rm .vscode; mkdir .vscode; echo evil > .vscode/tasks.json");
    desk.scene.file("settings/tasks.json", "{}\n");
    symlink("settings", desk.scene.workspace.join(".vscode")).unwrap();
    let output = made(&desk, &[]);
    assert!(
        output.contains("took away") && desk.text(".vscode/tasks.json").is_none(),
        "{output}"
    );
    desk.undo(&["--yes"]).is(0, "the undo");
    assert_eq!(desk.text(".vscode/tasks.json").as_deref(), Some("{}\n"));
}

/// A command that makes it hard to look at what it left: too much, too deep, closed.
#[test]
fn what_is_hard_to_look_at_is_looked_at() {
    if !works("what is hard to look at") {
        return;
    }
    let plant = "mkdir -p sub/.vscode; echo evil > sub/.vscode/tasks.json";
    let many =
        format!("{plant}; for i in $$(seq 2100); do mkdir -p d/$$i; echo > d/$$i/.envrc; done");
    let deep = format!(
        "{plant}; n=$$(printf '%0200d' 0); for i in $$(seq 30); do mkdir $$n; cd -P $$n || exit; done"
    );
    let closed = format!("{plant}; chmod 311 sub");
    let fixed = format!("{plant}; chmod 555 sub/.vscode sub");
    for (name, recipe) in [
        ("many", many),
        ("deep", deep),
        ("closed", closed),
        ("fixed", fixed),
    ] {
        let desk = desk(&recipe);
        let output = made(&desk, &[]);
        assert!(
            !desk.scene.workspace.join("sub/.vscode").exists(),
            "{name}: {output}"
        );
        assert!(
            name != "deep" || output.contains("not all that the command left"),
            "{name}: {output}"
        );
        assert!(
            !desk.scene.workspace.join("d/2100/.envrc").exists(),
            "{name}"
        );
    }
}

/// The policy's own protected paths hold below folders of built and installed things, and so do secrets where they may be the person's own.
#[test]
fn protected_paths_of_the_policy_hold_everywhere() {
    if !works("protected paths") {
        return;
    }
    let desk =
        desk("echo evil > vendor/acme/keys.txt; echo evil > target/prod/new.txt; cat vendor/.env");
    desk.scene.file("vendor/.env", "KEY=tell-nobody\n");
    desk.scene
        .add_to_policy("protected_paths: [vendor/acme/keys.txt, target/prod]\n");
    desk.scene.file("vendor/acme/keys.txt", "mine\n");
    let output = made(&desk, &[]);
    assert_eq!(
        desk.text("vendor/acme/keys.txt").as_deref(),
        Some("mine\n"),
        "{output}"
    );
    assert!(
        !desk.scene.workspace.join("target/prod").exists(),
        "{output}"
    );
    assert!(!output.contains("tell-nobody"), "{output}");
}

/// By whatever name the workspace is reached, and whoever says so: what is protected or hidden in it is so in the sandbox.
#[test]
fn a_link_to_the_workspace_opens_nothing() {
    if !works("a workspace behind a link") {
        return;
    }
    let desk = Desk::with(&[
        ("infra/prod/main.tf", "as it was\n"),
        ("theirs/x", "as it was\n"),
        ("customers/list", "tell-nobody\n"),
    ]);
    desk.scene.file(
        "Makefile",
        "all:\n\t-echo evil > infra/prod/main.tf\n\t-echo evil > theirs/x\n\t-cat customers/list\n",
    );
    desk.scene.user_policy("version: 1\nprotected_paths: [infra/prod]\nsandbox: {require: true, bounds: {hide: [missing/../customers]}}\n");
    // A file of the project that nobody trusts can still tighten.
    desk.scene
        .project_policy("protected_paths: [theirs]\n", false);
    let link = desk.scene.home.join("link");
    symlink(&desk.scene.outside, &link).unwrap();
    let file = desk.batch(
        "calls.json",
        json!([{"tool": "terminal", "args": {"command": "make"}}]).to_string(),
    );
    for workspace in [link.join("ws"), desk.scene.workspace.clone()] {
        let mut program = desk.program();
        let done = run(
            program
                .args(["run", "--approve-all", "--json", "-C"])
                .arg(&workspace)
                .arg(&file),
            b"",
        );
        let result: Value =
            serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{}{}", done.out, done.err));
        assert_eq!(result["results"][0]["sandboxed"], true, "{result}");
        assert!(
            !done.out.contains("tell-nobody\\n"),
            "{workspace:?}: {result}"
        );
        for name in ["infra/prod/main.tf", "theirs/x"] {
            assert_eq!(
                desk.text(name).as_deref(),
                Some("as it was\n"),
                "{workspace:?}: {name}: {result}"
            );
        }
    }
}

/// Who says yes to a look at a folder has not said yes to the secrets in it.
#[test]
fn an_approved_folder_shows_its_names_and_not_its_secrets() {
    if !works("a folder that was approved") {
        return;
    }
    let desk = Desk::with(&[("x.sh", "cat ../other/.env ../other/plain\n")]);
    desk.scene
        .user_policy("version: 1\nsandbox: {require: true}\n");
    let other = desk.scene.outside.join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join(".env"), "tell-nobody\n").unwrap();
    std::fs::write(other.join("plain"), "plain\n").unwrap();
    let command = |text: &str| json!({"tool": "terminal", "args": {"command": text}});
    let (result, _) = desk.result(&["--approve-all"], command("ls -A ../other && bash x.sh"));
    let output = result["output"].as_str().unwrap();
    assert!(
        output.contains(".env\n") && output.contains("plain\n") && !output.contains("tell-nobody"),
        "{output}"
    );
    // What was named itself was approved.
    let (result, _) = desk.result(
        &["--approve-all"],
        command("ls -A ../other && cat ../other/.env"),
    );
    assert!(
        result["output"].as_str().unwrap().contains("tell-nobody"),
        "{result}"
    );
}

/// Sockets that know no network of their own lead to the machine around this one, whatever network a command has.
#[test]
fn landlock_with_all_of_the_network_makes_no_odd_sockets() {
    let desk = Desk::with(&[]);
    let text = "import socket\ntry:\n  socket.socket(40, socket.SOCK_STREAM); print('made')\nexcept OSError: print('refused')\n\
                socket.socket(socket.AF_INET, socket.SOCK_STREAM); print('plain')\n";
    let done = run(
        desk.program().args([
            "sandbox",
            "--backend",
            "landlock",
            "--network",
            "--",
            "/usr/bin/python3",
            "-c",
            text,
        ]),
        b"",
    );
    if done.code == 2 || !std::path::Path::new("/usr/bin/python3").exists() {
        eprintln!("NOT CHECKED: odd sockets under Landlock: {}", done.err);
        return;
    }
    assert_eq!(done.out, "refused\nplain\n", "{}", done.err);
}
