//! What Codex is made to do with nobody in front of it.

use std::path::Path;

use sayso_agents::scripted_model::Step;
use serde_json::{Value, json};

use crate::Case;
use crate::cases_claude::{proves, reads_why, word};
use crate::codex::shell;
use crate::stage::{Hook, POLICY, Stage, model, models, result, run, step, tiny_server};

const ROW: &str = "Codex `exec`";
/// Its hooks count as if a person had looked at them; its own sandbox is not what is tried.
const USUAL: [&str; 3] = [
    "--dangerously-bypass-hook-trust",
    "--sandbox",
    "danger-full-access",
];

const EDITOR: &str = "Codex `app-server`";
/// The models of today write a program that calls the tools.
const PROGRAMS: &str = "Codex `exec`, tools called by a program";
const TODAY: &str = "gpt-6.1-sol";
/// To a model that it does not know, Codex offers all tools at once.
const UNKNOWN: &str = "scripted";

pub fn all() -> Vec<Case> {
    let case = |column: &'static str, run: fn(&Path) -> String| Case {
        row: ROW,
        column,
        run,
    };
    vec![
        case("the policy allows", allowed),
        case("the policy denies", denied),
        case("the policy asks", asked),
        case("denied, in the mode that asks nothing", bypassed),
        case("asked, in the mode that asks nothing", bypassed_asked),
        case("the hook is killed", |agents| broken(agents, Hook::Killed)),
        case("the hook is late", |agents| broken(agents, Hook::Slow)),
        case("the hook prints no answer", |agents| {
            broken(agents, Hook::Garbage)
        }),
        case("the hook is not there", |agents| {
            broken(agents, Hook::Missing)
        }),
        case("nobody trusted the hook", untrusted),
        case("a command runs in the sandbox", contained),
        case("an edit is undone", undone),
        case("a denied MCP tool", mcp),
        case("a denied call of a sub-agent", sub_agent),
        case("denied, after `sayso install`", installed),
        case("`sayso doctor --agents`", proved),
        Case {
            row: PROGRAMS,
            column: "the policy allows",
            run: |agents| by_program(agents, "allowed-1"),
        },
        Case {
            row: PROGRAMS,
            column: "the policy denies",
            run: |agents| by_program(agents, "denied-1"),
        },
        Case {
            row: PROGRAMS,
            column: "the policy asks",
            run: |agents| by_program(agents, "other-1"),
        },
        Case {
            row: EDITOR,
            column: "the policy allows",
            run: |agents| in_editor(agents, "allowed-1"),
        },
        Case {
            row: EDITOR,
            column: "the policy denies",
            run: |agents| in_editor(agents, "denied-1"),
        },
        Case {
            row: EDITOR,
            column: "the policy asks",
            run: |agents| in_editor(agents, "other-1"),
        },
        Case {
            row: EDITOR,
            column: "nobody trusted the hook",
            run: untrusted_in_editor,
        },
        case("a shell that the model chose", shell_of_the_model),
    ]
}

/// With nothing but what `sayso install --trust` sets up; without that again, Codex is as it was.
fn installed(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let tried = |file: &str| {
        let model = model(vec![shell(&format!("touch {file}"))]);
        // It writes the settings of Codex for this model; what is trusted is put there afterwards.
        let mut codex = stage.codex(&model);
        let said = if file == "denied-1" {
            stage.sayso(&["install", "codex", "--trust", "--yes", "--anyway"])
        } else {
            String::new()
        };
        let ended = run(codex.args([
            "exec",
            "--skip-git-repo-check",
            "--json",
            "--sandbox",
            "danger-full-access",
            "work",
        ]));
        (result(&model, 0), format!("{said}{ended}"))
    };
    let (shown, said) = tried("denied-1");
    reads_why(&shown, "not that one");
    assert!(!stage.has("denied-1"), "{said}");
    let said = stage.sayso(&["uninstall", "codex", "--yes"]);
    let (_, ended) = tried("denied-2");
    assert!(
        stage.has("denied-2") && !stage.home.join(".codex/hooks.json").exists(),
        "{said}{ended}"
    );
    word(stage.has("denied-1"))
}

fn proved(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    stage.hooks_codex(Hook::Sayso);
    assert_eq!(
        proves(&stage, "codex"),
        "does not fire, does not fail closed",
        "nobody trusted it yet"
    );
    stage.trust_hooks(Hook::Sayso).codex(&model(Vec::new()));
    proves(&stage, "codex")
}

/// Behind an editor, with hooks that the person trusted. What is allowed runs without a question of Codex's own.
fn in_editor(agents: &Path, file: &str) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell(&format!("touch {file}"))]);
    let mut editor = stage
        .hooks_codex(Hook::Sayso)
        .trust_hooks(Hook::Sayso)
        .editor(&model);
    editor.finish();
    assert!(editor.questions.is_empty(), "{:?}", editor.questions);
    if file == "allowed-1" {
        assert!(stage.has(file), "{:?}", model.results());
        return "runs".to_owned();
    }
    reads_why(
        &result(&model, 0),
        if file == "denied-1" {
            "not that one"
        } else {
            "Codex cannot be told to ask"
        },
    );
    assert!(!stage.has(file));
    "does not run; told why".to_owned()
}

fn untrusted_in_editor(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell("touch denied-1")]);
    let mut editor = stage.hooks_codex(Hook::Sayso).editor(&model);
    editor.finish();
    assert!(!stage.has("denied-1"), "Codex asks, and the person said no");
    if editor.questions.is_empty() {
        "does not run".to_owned()
    } else {
        "is asked about by Codex itself".to_owned()
    }
}

/// The model may name the shell that reads a command, and the hook is not told; Codex takes only the kind of shell from it.
fn shell_of_the_model(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    stage.put("tools/bash", "#!/bin/sh\ntouch owned\n");
    let file = stage.workspace.join("tools/bash");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let model = model(vec![step(
        "exec_command",
        json!({"cmd": "ls", "shell": file}),
    )]);
    let ended = stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    assert_ne!(result(&model, 0), "(no result)", "{ended}");
    if stage.has("owned") {
        "**runs**".to_owned()
    } else {
        "does not run".to_owned()
    }
}

/// A step that runs a command by a program of the model's.
fn program(command: &str) -> Step {
    step(
        "exec",
        Value::from(format!(
            "const done = await tools.exec_command({{cmd: {}}});\ntext(JSON.stringify(done));\n",
            json!(command)
        )),
    )
}

fn by_program(agents: &Path, file: &str) -> String {
    let mut stage = Stage::with(agents, POLICY);
    stage.codex_model = TODAY;
    let model = model(vec![program(&format!("touch {file}"))]);
    let ended = stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    match file {
        "allowed-1" => assert!(stage.has(file), "{ended} {:?}", model.results()),
        _ => {
            reads_why(
                &result(&model, 0),
                if file == "denied-1" {
                    "not that one"
                } else {
                    "Codex cannot be told to ask"
                },
            );
            assert!(!stage.has(file));
            return "does not run; told why".to_owned();
        }
    }
    word(stage.has(file))
}

fn allowed(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell("touch allowed-1")]);
    let ended = stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    assert!(stage.has("allowed-1"), "{ended:?} {:?}", model.results());
    assert!(
        stage
            .record()
            .iter()
            .any(|entry| entry["kind"] == "finished"),
        "{:?}",
        stage.record()
    );
    word(stage.has("allowed-1"))
}

fn denied(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![
        shell("touch denied-1"),
        shell("touch allowed-1 && touch denied-1"),
        shell("env nice touch denied-1"),
    ]);
    stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    (0..3).for_each(|number| reads_why(&result(&model, number), "not that one"));
    assert!(!stage.has("denied-1") && !stage.has("allowed-1"));
    "does not run; told why".to_owned()
}

fn asked(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell("touch other-1")]);
    stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    reads_why(&result(&model, 0), "Codex cannot be told to ask");
    assert!(!stage.has("other-1"));
    "does not run; told why".to_owned()
}

fn bypassed(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell("touch denied-1")]);
    stage.hooks_codex(Hook::Sayso).exec(
        &model,
        &[
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
        ],
    );
    reads_why(&result(&model, 0), "not that one");
    word(stage.has("denied-1"))
}

fn bypassed_asked(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell("touch other-1")]);
    stage.hooks_codex(Hook::Sayso).exec(
        &model,
        &[
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
        ],
    );
    reads_why(&result(&model, 0), "Codex cannot be told to ask");
    assert!(!stage.has("other-1"));
    word(stage.has("other-1"))
}

/// With a hook that breaks; Codex has no switch for that.
fn broken(agents: &Path, hook: Hook) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell("touch any-1")]);
    stage.hooks_codex(hook).exec(&model, &USUAL);
    assert_ne!(result(&model, 0), "(no result)");
    if stage.has("any-1") {
        "**runs**".to_owned()
    } else {
        "does not run".to_owned()
    }
}

fn untrusted(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell("touch denied-1")]);
    stage
        .hooks_codex(Hook::Sayso)
        .exec(&model, &["--sandbox", "danger-full-access"]);
    assert_ne!(result(&model, 0), "(no result)");
    if stage.has("denied-1") {
        "**runs**".to_owned()
    } else {
        "does not run".to_owned()
    }
}

fn contained(agents: &Path) -> String {
    let stage = Stage::with(
        agents,
        "version: 1\nsandbox: {auto_allow: run-in-workspace}\n",
    );
    let model = model(vec![shell("make")]);
    let outside = stage.home.join("outside");
    stage.put(
        "Makefile",
        &format!(
            "all:\n\techo inside > inside.txt\n\techo outside > {} || true\n\techo ran\n",
            outside.display()
        ),
    );
    let ended = stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    let shown = result(&model, 0);
    assert!(
        stage.text("inside.txt") == "inside\n" && shown.contains("ran"),
        "{shown} {ended:?}"
    );
    assert!(!outside.exists(), "it was not bounded: {shown}");
    let undone = stage.sayso(&["undo", "--yes"]);
    assert!(!stage.has("inside.txt"), "{undone:?}");
    "yes, and it can be undone".to_owned()
}

fn undone(agents: &Path) -> String {
    let stage = Stage::with(
        agents,
        "version: 1\nrules:\n  - allow: {write: \"notes.txt\"}\n  - allow: {write: \"new.txt\"}\n",
    );
    stage.put("notes.txt", "one\ntwo\n");
    let patch = "*** Begin Patch\n*** Update File: notes.txt\n@@\n one\n-two\n+three\n*** Add File: new.txt\n+new\n*** End Patch\n";
    let patch = [
        step("apply_patch", Value::from(patch)),
        step("apply_patch", json!({"input": patch})),
    ]
    .concat();
    let model = model(vec![patch]);
    let ended = stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    assert_eq!(
        (
            stage.text("notes.txt").as_str(),
            stage.text("new.txt").as_str()
        ),
        ("one\nthree\n", "new\n"),
        "{ended:?} {:?}",
        model.results()
    );
    stage.sayso(&["undo", "--yes"]);
    assert_eq!(
        stage.text("notes.txt"),
        "one\ntwo\n",
        "{:?}",
        stage.sayso(&["undo", "--list"])
    );
    assert!(!stage.has("new.txt"));
    "yes".to_owned()
}

fn mcp(agents: &Path) -> String {
    let mut stage = Stage::with(
        agents,
        "version: 1\nrules:\n  - allow: {mcp: \"tiny/ping\"}\n  - deny: {mcp: \"tiny/drop\"}\n    reason: not that one\n",
    );
    stage.codex_model = UNKNOWN;
    let server = tiny_server(&stage);
    stage.put(
        stage.home.join("more.toml"),
        &format!("\n[mcp_servers.tiny]\ncommand = \"python3\"\nargs = [\"{server}\"]\n"),
    );
    let model = model(vec![
        step("ping", json!({"name": "a"})),
        step("drop", json!({"name": "b"})),
    ]);
    let ended = stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    assert_eq!(
        stage.text("called.txt"),
        "ping a\n",
        "{ended:?} {:?}",
        model.results()
    );
    reads_why(&result(&model, 1), "not that one");
    "does not run; told why".to_owned()
}

fn sub_agent(agents: &Path) -> String {
    let mut stage = Stage::with(
        agents,
        &format!("{POLICY}  - allow: {{delegate: \"*\"}}\n  - allow: {{command: bash wait.sh}}\n"),
    );
    stage.codex_model = UNKNOWN;
    // It ends with its first agent, and that one does not know the name of the other to wait for it.
    stage.put(
        "wait.sh",
        "for n in $(seq 600); do test -e allowed-1 && exit; sleep 0.1; done\n",
    );
    let delegate = step("spawn_agent", json!({"message": "THE-INNER-WORK"}));
    let inner = vec![shell("touch denied-1"), shell("touch allowed-1")];
    let model = models(vec![
        ("THE-INNER-WORK", inner),
        ("", vec![delegate, shell("bash wait.sh")]),
    ]);
    let ended = stage.hooks_codex(Hook::Sayso).exec(&model, &USUAL);
    assert!(
        stage.has("allowed-1"),
        "the sub-agent did not work: {ended:?} {:?}",
        model.results()
    );
    assert!(!stage.has("denied-1"));
    reads_why(&result(&model, 0), "not that one");
    "does not run; told why".to_owned()
}
