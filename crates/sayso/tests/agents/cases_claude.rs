//! What Claude Code is made to do with nobody in front of it.

use std::path::Path;

use serde_json::json;

use crate::Case;
use crate::claude::settings;
use crate::stage::{Hook, POLICY, Stage, bash, model, models, result, run, step, tiny_server};

const ROW: &str = "Claude Code `-p`";
const MANAGED: &str = "Claude Code `-p`, the hook an administrator's";
const OPEN: &str = "Claude Code `-p`, without `onFailure`";

pub fn all() -> Vec<Case> {
    let case = |column: &'static str, run: fn(&Path) -> String| Case {
        row: ROW,
        column,
        run,
    };
    let open = |column: &'static str, run: fn(&Path) -> String| Case {
        row: OPEN,
        column,
        run,
    };
    let managed = |column: &'static str, run: fn(&Path) -> String| Case {
        row: MANAGED,
        column,
        run,
    };
    vec![
        case("the policy allows", allowed),
        case("the policy denies", denied),
        case("the policy asks", asked),
        case("denied, in the mode that asks nothing", bypassed),
        case("asked, in the mode that asks nothing", bypassed_asked),
        case("the hook is killed", |agents| {
            broken(agents, Hook::Killed, true)
        }),
        case("the hook is late", |agents| {
            broken(agents, Hook::Slow, true)
        }),
        case("the hook prints no answer", |agents| {
            broken(agents, Hook::Garbage, true)
        }),
        case("the hook is not there", |agents| {
            broken(agents, Hook::Missing, true)
        }),
        open("the hook is killed", |agents| {
            broken(agents, Hook::Killed, false)
        }),
        open("the hook is late", |agents| {
            broken(agents, Hook::Slow, false)
        }),
        open("the hook prints no answer", |agents| {
            broken(agents, Hook::Garbage, false)
        }),
        open("the hook is not there", |agents| {
            broken(agents, Hook::Missing, false)
        }),
        case("a command runs in the sandbox", contained),
        case("an edit is undone", undone),
        case("a denied MCP tool", mcp),
        case("a denied call of a sub-agent", sub_agent),
        case("denied, with `--bare`", |agents| {
            without_hooks(agents, &["--bare"])
        }),
        case("denied, with `--safe-mode`", |agents| {
            without_hooks(agents, &["--safe-mode"])
        }),
        case("denied, with `disableAllHooks` in the project", |agents| {
            without_hooks(agents, &[])
        }),
        case("denied, after `sayso install`", installed),
        case("`sayso doctor --agents`", proved),
        managed("denied, with `--bare`", |agents| {
            administered(agents, &["--bare"])
        }),
        managed("denied, with `--safe-mode`", |agents| {
            administered(agents, &["--safe-mode"])
        }),
        managed("denied, with `disableAllHooks` in the project", |agents| {
            administered(agents, &[])
        }),
        managed("`sayso doctor --agents`", administered_proved),
    ]
}

/// In a word whether the file of a call is there.
pub fn word(ran: bool) -> String {
    if ran { "runs" } else { "does not run" }.to_owned()
}

/// Insists that the model was told why.
#[track_caller]
pub fn reads_why(shown: &str, why: &str) {
    assert!(
        shown.contains("sayso: ") && shown.contains(why),
        "the model does not read why: {shown}"
    );
}

fn allowed(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch allowed-1")]);
    let ended = stage.hooks_claude(Hook::Sayso, true).headless(&model, &[]);
    assert!(stage.has("allowed-1"), "{ended:?}");
    assert!(
        model.elsewhere().is_empty(),
        "it went elsewhere: {:?}",
        model.elsewhere()
    );
    let kinds: Vec<String> = stage
        .record()
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        kinds,
        ["session_started", "decided", "finished", "session_ended"]
    );
    word(stage.has("allowed-1"))
}

fn denied(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![
        bash("touch denied-1"),
        bash("touch allowed-1 && touch denied-1"),
        bash("env nice touch denied-1"),
    ]);
    stage
        .hooks_claude(Hook::Sayso, true)
        .headless(&model, &["--allowedTools", "Bash"]);
    (0..3).for_each(|number| reads_why(&result(&model, number), "not that one"));
    assert!(!stage.has("denied-1") && !stage.has("allowed-1"));
    "does not run; told why".to_owned()
}

fn asked(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch other-1")]);
    stage
        .hooks_claude(Hook::Sayso, true)
        .headless(&model, &["--allowedTools", "Bash"]);
    reads_why(&result(&model, 0), "nobody sits in front");
    assert!(!stage.has("other-1"));
    "does not run; told why".to_owned()
}

fn bypassed(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch denied-1")]);
    stage
        .hooks_claude(Hook::Sayso, true)
        .headless(&model, &["--dangerously-skip-permissions"]);
    reads_why(&result(&model, 0), "not that one");
    assert!(!stage.has("denied-1"));
    word(stage.has("denied-1"))
}

fn bypassed_asked(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch other-1")]);
    stage
        .hooks_claude(Hook::Sayso, true)
        .headless(&model, &["--dangerously-skip-permissions"]);
    reads_why(&result(&model, 0), "nobody sits in front");
    assert!(!stage.has("other-1"));
    word(stage.has("other-1"))
}

/// With a hook that breaks, and a call that the agent itself would let run.
fn broken(agents: &Path, hook: Hook, closed: bool) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch any-1")]);
    stage
        .hooks_claude(hook, closed)
        .headless(&model, &["--allowedTools", "Bash"]);
    assert_ne!(result(&model, 0), "(no result)");
    // This much is promised: see docs/guide/hooks.md.
    assert!(
        !closed || hook == Hook::Garbage || !stage.has("any-1"),
        "it does not fail closed: {hook:?}"
    );
    if stage.has("any-1") {
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
    let model = model(vec![bash("make")]);
    let outside = stage.home.join("outside");
    stage.put(
        "Makefile",
        &format!(
            "all:\n\techo inside > inside.txt\n\techo outside > {} || true\n\techo ran\n",
            outside.display()
        ),
    );
    let ended = stage.hooks_claude(Hook::Sayso, true).headless(&model, &[]);
    let shown = result(&model, 0);
    assert!(
        stage.text("inside.txt") == "inside\n" && shown.contains("ran"),
        "{shown} {ended:?}"
    );
    assert!(!outside.exists(), "it was not bounded: {shown}");
    assert!(
        !model
            .seen()
            .iter()
            .any(|seen| format!("{:?}", seen.body).contains(" exec ")),
        "the model sees its own command"
    );
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
    let path = |name: &str| stage.workspace.join(name).to_str().unwrap().to_owned();
    let model = model(vec![
        step("Read", json!({"file_path": path("notes.txt")})),
        step(
            "Edit",
            json!({"file_path": path("notes.txt"), "old_string": "two", "new_string": "three"}),
        ),
        step(
            "Write",
            json!({"file_path": path("new.txt"), "content": "new\n"}),
        ),
    ]);
    let ended = stage
        .hooks_claude(Hook::Sayso, true)
        .headless(&model, &["--permission-mode", "acceptEdits"]);
    assert_eq!(
        (
            stage.text("notes.txt").as_str(),
            stage.text("new.txt").as_str()
        ),
        ("one\nthree\n", "new\n"),
        "{ended:?}"
    );
    stage.sayso(&["undo", "--yes"]);
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
    let stage = Stage::with(
        agents,
        "version: 1\nrules:\n  - allow: {mcp: \"tiny/ping\"}\n  - deny: {mcp: \"tiny/drop\"}\n    reason: not that one\n",
    );
    let server = tiny_server(&stage);
    let servers =
        json!({"mcpServers": {"tiny": {"command": "python3", "args": [server]}}}).to_string();
    let model = model(vec![
        step("mcp__tiny__ping", json!({"name": "a"})),
        step("mcp__tiny__drop", json!({"name": "b"})),
    ]);
    let words = [
        "--mcp-config",
        &servers,
        "--allowedTools",
        "mcp__tiny__ping,mcp__tiny__drop",
    ];
    let ended = stage
        .hooks_claude(Hook::Sayso, true)
        .headless(&model, &words);
    assert_eq!(stage.text("called.txt"), "ping a\n", "{ended:?}");
    reads_why(&result(&model, 1), "not that one");
    "does not run; told why".to_owned()
}

fn sub_agent(agents: &Path) -> String {
    let policy = format!(
        "{POLICY}  - allow: {{delegate: \"*\"}}\nagents:\n  general-purpose: {{rules: [{{deny: {{command: \"touch allowed-2\"}}}}]}}\n"
    );
    let stage = Stage::with(agents, &policy);
    let delegate = step(
        "Agent",
        json!({"description": "work", "prompt": "THE-INNER-WORK", "subagent_type": "general-purpose"}),
    );
    let inner = vec![
        bash("touch denied-1"),
        bash("touch allowed-1"),
        bash("touch allowed-2"),
    ];
    let model = models(vec![("THE-INNER-WORK", inner), ("", vec![delegate])]);
    let ended = stage
        .hooks_claude(Hook::Sayso, true)
        .headless(&model, &["--allowedTools", "Bash"]);
    assert!(
        stage.has("allowed-1"),
        "the sub-agent did not work: {ended:?} {:?}",
        model.results()
    );
    assert!(!stage.has("denied-1") && !stage.has("allowed-2"));
    reads_why(&result(&model, 0), "not that one");
    "does not run; told why".to_owned()
}

/// Ways to start Claude Code, or to set up a project, that switch the hooks of the person off.
fn without_hooks(agents: &Path, words: &[&str]) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch denied-1")]);
    if words.is_empty() {
        stage.put(".claude/settings.json", "{\"disableAllHooks\": true}");
    }
    let ended = stage
        .hooks_claude(Hook::Sayso, true)
        .headless(&model, &[&["--allowedTools", "Bash"], words].concat());
    assert_ne!(result(&model, 0), "(no result)", "{ended}");
    if stage.has("denied-1") {
        "**runs**".to_owned()
    } else {
        "does not run".to_owned()
    }
}

/// With the hook of an administrator, which nobody else switches off.
fn administered(agents: &Path, words: &[&str]) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch denied-1")]);
    stage.put(".claude/settings.json", "{\"disableAllHooks\": true}");
    let mut claude = stage.claude(&model);
    claude
        .args([
            "-p",
            "work",
            "--output-format",
            "json",
            "--allowedTools",
            "Bash",
        ])
        .args(words);
    let ended = run(&mut stage.administered(&settings(Hook::Sayso, true).to_string(), &claude));
    assert_ne!(result(&model, 0), "(no result)", "{ended}");
    reads_why(&result(&model, 0), "not that one");
    assert!(!stage.has("denied-1"), "{ended}");
    word(stage.has("denied-1"))
}

fn administered_proved(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let mut doctor = stage.command(env!("CARGO_BIN_EXE_sayso"));
    doctor
        .args(["doctor", "--agents", "--json", "--program"])
        .arg(format!("claude={}", agents.join("claude").display()));
    said(
        &run(&mut stage.administered(&settings(Hook::Sayso, true).to_string(), &doctor)),
        "claude",
    )
}

/// With nothing but what `sayso install` sets up; without that again, Claude Code is as it was.
fn installed(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    // The program of a test stands where no program should.
    let said = stage.sayso(&["install", "claude", "--yes", "--anyway"]);
    let tried = |file: &str| {
        let model = model(vec![bash(&format!("touch {file}"))]);
        stage.headless(&model, &["--allowedTools", "Bash"]);
        result(&model, 0)
    };
    reads_why(&tried("denied-1"), "not that one");
    assert!(!stage.has("denied-1"), "{said}");
    let said = stage.sayso(&["uninstall", "claude", "--yes"]);
    tried("denied-2");
    assert!(
        stage.has("denied-2") && !stage.home.join(".claude/settings.json").exists(),
        "{said}"
    );
    word(stage.has("denied-1"))
}

fn proved(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    stage.hooks_claude(Hook::Sayso, true);
    proves(&stage, "claude")
}

/// What the doctor says of an agent's hook.
pub fn proves(stage: &Stage, agent: &str) -> String {
    let program = format!("{agent}={}", stage.agents.join(agent).display());
    said(
        &stage.sayso(&["doctor", "--agents", "--json", "--program", &program]),
        agent,
    )
}

fn said(said: &str, agent: &str) -> String {
    let json = said.rsplit_once('[').map_or(said, |(json, _)| json);
    let said: serde_json::Value =
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {said}"));
    let found = said["agents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["agent"] == agent)
        .unwrap();
    let word = |key: &str, yes: &'static str, no: &'static str| {
        if found["canary"][key] == true {
            yes
        } else {
            no
        }
    };
    format!(
        "{}, {}",
        word("fires", "fires", "does not fire"),
        word("fails_closed", "fails closed", "does not fail closed")
    )
}
