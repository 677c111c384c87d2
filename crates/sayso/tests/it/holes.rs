//! Holes of earlier systems in paths and tools: each test has the number of its hole and fails if the hole is open.

use std::fs;
use std::os::unix::fs::symlink;

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Confirm;
use sayso_core::call::operation::Operation;
use sayso_core::policy::decision::Decision::{Allow, Ask, Deny};

use crate::scene::Scene;

fn scene_with(policy: &str) -> Scene {
    let scene = Scene::empty();
    scene.user_policy(policy);
    scene
}

#[test]
fn h_02_the_kind_of_a_tool_never_comes_from_its_arguments() {
    let scene = scene_with("trusted_tools: [glob]\n");
    assert_eq!(
        scene.decide(scene.tool("terminal", &[("command", "rm -rf /"), ("name", "glob")])),
        Deny
    );
    assert_eq!(
        scene.decide(scene.tool("terminal", &[("command", "make"), ("name", "glob")])),
        Ask
    );
    assert_eq!(
        scene.decide(scene.tool("glob", &[("pattern", "*.rs")])),
        Allow,
        "the trusted tool itself"
    );
}

#[test]
fn h_03_no_run_mode_or_rule_lets_an_agent_change_the_policy() {
    let scene = scene_with("rules: [{allow: {write: \"**\"}}, {allow: {write: \"/**\"}}]\n");
    let own = [
        ".sayso/policy.yaml",
        "{home}/.config/sayso/policy.yaml",
        "{home}/.config/sayso/policy.d/settings.yaml",
        "{home}/.local/state/sayso/journal.jsonl",
        scene.managed.join("policy.yaml").to_str().unwrap(),
        env!("CARGO_BIN_EXE_sayso"),
    ]
    .map(str::to_owned);
    for path in &own {
        for run in [Run::Interactive, Run::ApproveAll, Run::Yolo] {
            assert_eq!(
                scene.judge(scene.write(path), &[], run).decision,
                Deny,
                "{path} under {run:?}"
            );
        }
    }
    assert_eq!(
        scene.judge(scene.write("a.rs"), &[], Run::Yolo).decision,
        Allow,
        "anything else runs under --yolo"
    );
}

#[test]
fn h_18_traversal_is_settled_before_anything_is_matched() {
    let scene = scene_with("rules: [{allow: {write: [\"docs/**\", \"tests/**\"]}}]\n");
    for path in [
        "docs/../.env",
        "tests/../main.py",
        "a/docs/../../.ssh/authorized_keys",
        "docs/../../x.md",
        "docs/a/../../src/x.rs",
    ] {
        assert_eq!(scene.decide(scene.write(path)), Ask, "{path}");
    }
    assert_eq!(scene.decide(scene.write("docs/a/../x.py")), Allow);
}

#[test]
fn h_19_protected_files_are_protected_in_every_spelling() {
    let scene =
        scene_with("protected_paths: [core/application.py]\nrules: [{allow: {write: \"**\"}}]\n");
    let paths = [
        "./.env",
        "sub/.env",
        "{workspace}/core/application.py",
        "./core//application.py",
        ".GIT/config",
        ".git/./config",
    ];
    for path in paths {
        let verdict = scene.judge(scene.write(path), &[], Run::Interactive);
        assert_eq!(verdict.decision, Ask, "{path}");
        assert!(
            verdict
                .reasons
                .iter()
                .any(|reason| reason.rule.name() == "protected"),
            "{path}: {:?}",
            verdict.reasons
        );
    }
    assert_eq!(scene.decide(scene.write("core/application.pyc")), Allow);
}

#[test]
fn h_20_patterns_are_anchored_and_go_by_whole_names() {
    let scene = scene_with(
        "safe_path_regexes: ['docs/.*']\nrules: [{allow: {write: [\"gen/**\", \".gitignore\"]}}]\n",
    );
    for (path, decision) in [
        ("docs/x.py", Allow),
        ("mydocs/x.py", Ask),
        ("a/docs/x.py", Ask),
        ("gen/x.py", Allow),
        ("gen-evil/x.py", Ask),
        (".gitignore", Allow),
        (".git/x", Ask),
        (".envrc", Ask),
    ] {
        assert_eq!(scene.decide(scene.write(path)), decision, "{path}");
    }
}

#[test]
fn h_21_a_file_that_became_a_link_is_judged_anew() {
    let scene = Scene::empty();
    scene.file("docs/notes.md", "x");
    scene.file(".env", "TOKEN=x");
    assert_eq!(scene.decide(scene.write("docs/notes.md")), Allow);
    fs::remove_file(scene.workspace.join("docs/notes.md")).unwrap();
    symlink("../.env", scene.workspace.join("docs/notes.md")).unwrap();
    assert_eq!(scene.decide(scene.write("docs/notes.md")), Ask);
    assert_eq!(scene.decide(scene.read("docs/notes.md")), Ask);
}

#[test]
fn h_22_a_link_to_nothing_leads_where_it_leads() {
    let scene = scene_with("rules: [{allow: {write: \"**\"}}]\n");
    symlink(
        scene.outside.join("absent.md"),
        scene.workspace.join("here.md"),
    )
    .unwrap();
    symlink("/etc/cron.d/sayso-absent", scene.workspace.join("cron.md")).unwrap();
    assert_eq!(scene.decide(scene.write("here.md")), Ask);
    assert_eq!(scene.decide(scene.write("cron.md")), Ask);
    assert_eq!(scene.decide(scene.write("plain.md")), Allow);
}

#[test]
fn h_23_a_safe_ending_outside_of_the_workspace_is_not_safe() {
    let scene = scene_with("rules: [{allow: {write: \"**/*.json\"}}, {allow: {read: \"**\"}}]\n");
    for path in [
        "/etc/x.json",
        "../../.aws/x.json",
        "../x.md",
        "/tmp/sayso-absent.txt",
        "{home}/notes.md",
    ] {
        assert_eq!(scene.decide(scene.write(path)), Ask, "{path}");
        assert_eq!(scene.decide(scene.read(path)), Ask, "{path}");
    }
    assert_eq!(scene.decide(scene.write("x.json")), Allow);
}

#[test]
fn h_24_both_ends_of_a_move_and_of_a_copy_count() {
    let scene = scene_with(
        "protected_paths: [main.py]\nrules: [{allow: {write: \"**\"}}, {allow: {read: \"**\"}}]\n",
    );
    for (tool, from, to) in [
        ("file_move", "main.py", "b.py"),
        ("file_move", "b.py", "main.py"),
        ("file_copy", ".env", "public/x"),
        ("file_copy", "b.py", ".env"),
    ] {
        assert_eq!(
            scene.decide(scene.tool(tool, &[("from", from), ("to", to)])),
            Ask,
            "{tool} {from} {to}"
        );
    }
    assert_eq!(
        scene.decide(scene.tool("file_copy", &[("from", "b.py"), ("to", "public/x")])),
        Allow
    );
}

#[test]
fn h_30_names_that_nobody_knows_ask() {
    let scene = Scene::empty();
    for name in [
        "file_frobnicate",
        "FILE_DELETE",
        "FILE_READ",
        "",
        "Terminal",
        "file-read",
    ] {
        let verdict = scene.judge(scene.tool(name, &[("path", "a.md")]), &[], Run::Interactive);
        assert_eq!(verdict.decision, Ask, "{name}");
        assert_eq!(verdict.risk.word(), "unknown", "{name}");
        assert_eq!(
            scene
                .judge(scene.tool(name, &[]), &[], Run::Nobody)
                .decision,
            Deny,
            "{name} with nobody to ask"
        );
    }
    assert_eq!(scene.decide(scene.read("a.md")), Allow);
}

#[test]
fn h_41_a_blank_command_is_denied_and_not_a_crash() {
    let scene = Scene::empty();
    for text in ["", " ", "   ", "\n", "\t\n "] {
        assert!(Operation::freeze(scene.command(text)).is_err(), "{text:?}");
        let done = scene
            .program()
            .args(["check", "--", text])
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(20), "{text:?}");
    }
}

#[test]
fn h_52_the_mode_for_edits_is_for_edits_of_ordinary_files() {
    let mut scene = Scene::empty();
    scene.mode = Some("auto-approve-edits".into());
    assert_eq!(scene.decide(scene.write("src/a.rs")), Allow);
    assert_eq!(scene.decide(scene.write(".git/hooks/pre-commit")), Ask);
    assert_eq!(
        scene.decide(scene.tool("mcp", &[("server", "db"), ("tool", "drop_db")])),
        Ask
    );
    assert_eq!(scene.decide(scene.command("touch src/a.rs")), Ask);
    assert_eq!(
        scene.decide(scene.tool("file_delete", &[("path", "src/a.rs")])),
        Ask
    );
    assert_eq!(
        scene.decide(scene.tool(
            "file_create_overwrite",
            &[("path", "src/a.rs"), ("content", "x")]
        )),
        Ask
    );
}

#[test]
fn h_65_a_danger_is_a_must_ask_that_no_rule_silences() {
    let scene = scene_with(
        "rules: [{allow: {command: \"rm *\"}}, {allow: {delete: \"**\", recursive: true}}]\n",
    );
    scene.file("src/a.rs", "x");
    let verdict = scene.judge(scene.command("rm -rf src"), &[], Run::Interactive);
    assert_eq!(
        (verdict.decision, verdict.confirm, verdict.tier),
        (Ask, Confirm::Double, Tier::Dangerous)
    );
    assert!(
        verdict.reasons.iter().all(|reason| reason.must_ask),
        "only once and deny are offered: {:?}",
        verdict.reasons
    );
    let routine = scene.judge(scene.command("make"), &[], Run::Interactive);
    assert!(
        routine.reasons.iter().all(|reason| !reason.must_ask),
        "a routine question is not one: {:?}",
        routine.reasons
    );
}

#[test]
fn h_71_files_that_act_are_no_prose_and_no_data() {
    let scene =
        scene_with("safe_paths: [\"**/*.json\", \"**/*.bak\", \"tests/**/*.py\", \"docs/**\"]\n");
    for path in [
        "package.json",
        ".vscode/settings.json",
        "tests/conftest.py",
        "CLAUDE.md",
        "AGENTS.md",
        "docs/AGENTS.md",
        "x.sh.bak",
        "requirements.txt",
        "CMakeLists.txt",
        "docs/conf.py",
        ".github/copilot-instructions.md",
    ] {
        assert_eq!(scene.decide(scene.write(path)), Ask, "{path}");
    }
    for path in ["data.json", "tests/test_a.py", "docs/a.md", "notes.bak"] {
        assert_eq!(scene.decide(scene.write(path)), Allow, "{path}");
    }
}

#[test]
fn h_76_spellings_of_other_platforms_do_not_slip_through() {
    let scene = scene_with("rules: [{allow: {write: \"**\"}}]\n");
    for path in [
        "C:\\proj\\.env",
        ".git::$INDEX_ALLOCATION/config",
        "%USERPROFILE%/x",
        "\\\\host\\share",
    ] {
        assert_eq!(scene.decide(scene.write(path)), Deny, "{path}");
    }
    for path in [
        ".ENV",
        ".git /config",
        ".git./config",
        "GIT~1/config",
        "docs\\..\\.env",
        ".g\u{131}t/config",
    ] {
        assert_eq!(scene.decide(scene.write(path)), Ask, "{path}");
    }
    assert_eq!(scene.decide(scene.write("GITHUB~1/x")), Allow);
}
