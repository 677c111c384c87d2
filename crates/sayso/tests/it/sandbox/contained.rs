//! `sandbox.auto_allow: run-in-workspace`: what runs unasked because it is bounded, what does not, and what is left of it.

use serde_json::{Value, json};

use super::works;
use crate::desk::Desk;
use crate::sessions::CONTAINED;

fn desk(files: &[(&str, &str)]) -> Desk {
    let desk = Desk::with(files);
    desk.scene.git(&["init", "--quiet", "."]);
    desk.scene.add_to_policy(CONTAINED);
    desk
}

fn command(text: &str) -> Value {
    json!({"tool": "terminal", "args": {"command": text}})
}

const MAKEFILE: &str = "all:\n\techo built > out.bin; echo more >> notes.txt; rm old.txt\n";

#[test]
fn an_unknown_command_runs_unasked_bounded_and_can_be_taken_back() {
    if !works("contained commands") {
        return;
    }
    let desk = desk(&[
        ("Makefile", MAKEFILE),
        ("notes.txt", "one\n"),
        ("old.txt", "old\n"),
    ]);
    let before = desk.tree();
    let (result, code) = desk.result(&["--strict"], command("make"));
    assert_eq!(code, 0, "{result}");
    assert_eq!(result["sandboxed"], true, "{result}");
    assert_eq!(
        (desk.text("notes.txt").as_deref(), desk.text("old.txt")),
        (Some("one\nmore\n"), None)
    );
    let told = result["output"].as_str().unwrap();
    assert!(
        told.contains("it ran unasked in a sandbox") && told.contains("sayso undo"),
        "{told}"
    );
    let sandbox = desk.entries("finished")[0]["sandbox"].clone();
    assert!(
        sandbox
            .as_str()
            .is_some_and(|name| name.contains("bubblewrap")),
        "{sandbox}"
    );
    desk.undo(&["--yes"]).is(0, "the undo");
    assert_eq!(desk.tree(), before);
}

#[test]
fn without_the_word_of_the_policy_it_is_asked_about() {
    let desk = Desk::with(&[("Makefile", MAKEFILE)]);
    let (result, code) = desk.result(&["--strict"], command("make"));
    assert_eq!(code, 20, "{result}");
    assert_eq!(desk.text("out.bin"), None);
}

/// Opaque, dangerous and must-ask commands are asked about all the same, and so is what is known to do something elsewhere.
#[test]
fn what_must_be_asked_is_asked_in_spite_of_a_sandbox() {
    let files = [
        ("Makefile", MAKEFILE),
        ("a.txt", "a\n"),
        (".env", "KEY=1\n"),
        ("run.sh", "echo hi\n"),
        ("AGENTS.md", "x\n"),
    ];
    let desk = desk(&files);
    for text in [
        "make; rm a.txt",
        "make && cat .env",
        "rm -rf src; make",
        "python3 -c 'print(1)'",
        "make > ../out.txt",
        "make > /etc/x",
        "curl http://example.org | make",
        "npm install left-pad",
        "git push",
        "sudo make",
        "kill 1; make",
        "LD_PRELOAD=./x make",
        "make && echo x > .vscode/settings.json",
        "make && echo x > AGENTS.md",
        "echo x > Makefile",
        "make $(cat a.txt)",
        "bash <(make)",
    ] {
        let (result, code) = desk.result(&["--strict"], command(text));
        assert_eq!(code, 20, "{text}: {result}");
    }
}

#[test]
fn modes_that_ask_for_everything_still_do() {
    for mode in ["confirm-all", "safe-only"] {
        let desk = desk(&[("Makefile", MAKEFILE)]);
        let (result, code) = desk.result(&["--strict", "--mode", mode], command("make"));
        assert_eq!(code, 20, "{mode}: {result}");
    }
}

#[test]
fn h_04_secrets_the_network_and_sayso_itself_are_out_of_reach() {
    if !works("contained commands") {
        return;
    }
    // Written into the makefile, it would be denied as soon as that is read.
    let python = "import os\nfor line in [\"cat .env; cat ~/.ssh/id_rsa; cat ~/.local/state/sayso/key; ls ~/.local/state/sayso\",\n\
                  \"echo 'x: {y: 1}' > ~/.config/sayso/policy.yaml\", \"touch /tmp/outside-$PPID ../outside\", \"git config core.hooksPath x\"]: os.system(line)\n\
                  raise SystemExit(1)\n";
    let desk = desk(&[
        ("Makefile", "all:\n\tpython3 x.py\n"),
        ("x.py", python),
        (".env", "KEY=tell-nobody-1\n"),
    ]);
    std::fs::create_dir_all(desk.scene.home.join(".ssh")).unwrap();
    std::fs::write(desk.scene.home.join(".ssh/id_rsa"), "tell-nobody-2\n").unwrap();
    let policy = std::fs::read_to_string(desk.scene.config().join("policy.yaml")).unwrap();
    let (result, _) = desk.result(&["--strict"], command("make"));
    let output = result["output"].as_str().unwrap();
    assert!(
        !output.contains("tell-nobody") && output.contains("the sandbox"),
        "{output}"
    );
    assert_eq!(
        std::fs::read_to_string(desk.scene.config().join("policy.yaml")).unwrap(),
        policy
    );
    assert!(!desk.scene.outside.join("outside").exists());
    assert!(!desk.text(".git/config").unwrap().contains("hooksPath"));
}

#[test]
fn protected_names_that_come_are_taken_away() {
    if !works("what a contained command makes") {
        return;
    }
    let makefile = "all:\n\tmkdir -p deep/er/.vscode && echo '{}' > deep/er/.vscode/tasks.json\n\techo x > deep/.mcp.json; echo x > deep/kept.txt\n\
                    \tgit init -q evil && printf '[core]\\n\\tfsmonitor = ./x\\n' >> evil/.git/config\n\tgit init -q plain\n\
                    \tmkdir -p bare/objects bare/refs && echo 'ref: refs/heads/x' > bare/HEAD && printf '[core]\\n\\tfsmonitor = ./x\\n' > bare/config\n";
    let desk = desk(&[("Makefile", makefile)]);
    let (result, _) = desk.result(&["--strict"], command("make"));
    let there = |name: &str| desk.scene.workspace.join(name).exists();
    assert!(
        there("deep/kept.txt") && there("plain/.git/config"),
        "{}",
        result["output"].as_str().unwrap()
    );
    for name in ["deep/er/.vscode", "deep/.mcp.json", "evil/.git", "bare"] {
        assert!(!there(name), "{name} is still there: {result}");
        assert!(
            result["output"].as_str().unwrap().contains(name),
            "{name} is not told: {result}"
        );
    }
    assert_eq!(
        std::fs::read_dir(desk.scene.state().join("sandbox/taken"))
            .unwrap()
            .count(),
        4
    );
}

#[test]
fn ordinary_git_works_unasked_and_hooks_stay() {
    if !works("git in a contained command") {
        return;
    }
    let desk = desk(&[
        ("a.txt", "a\n"),
        (
            ".git/hooks/post-commit",
            "#!/bin/sh\necho hook > hooked.txt\necho evil > .git/hooks/pre-push\n",
        ),
    ]);
    desk.scene.git(&["config", "user.name", "A"]);
    desk.scene.git(&["config", "user.email", "a@example.org"]);
    let (results, code) = desk.results(
        &["--strict"],
        &json!([command("git add a.txt"), command("git commit -m one")]),
    );
    assert_eq!(code, 0, "{results}");
    assert!(!desk.scene.workspace.join(".git/hooks/pre-push").exists());
    assert!(
        desk.scene
            .workspace
            .join(".git/refs/heads")
            .read_dir()
            .unwrap()
            .count()
            == 1
    );
}

#[test]
fn a_workspace_that_cannot_be_kept_asks_and_says_why() {
    if !works("a workspace that cannot be kept") {
        return;
    }
    let desk = desk(&[("Makefile", MAKEFILE)]);
    desk.scene.git(&[
        "config",
        "remote.origin.url",
        "https://me:hunter2hunter2@example.org/x.git",
    ]);
    let done = desk.run(&["--strict"], &json!([command("make")]));
    assert_eq!(done.code, 20, "{}", done.out);
    assert!(
        done.err.contains("in spite of `sandbox.auto_allow`")
            && done.err.contains("holds a password"),
        "{}",
        done.err
    );
    assert!(!done.err.contains("hunter2"), "{}", done.err);
}
