//! What agents of editors are made to do behind `sayso acp`.

use std::path::Path;

use sayso_agents::scripted_model::{Model, Step};
use serde_json::json;

use crate::Case;
use crate::acp::AcpEditor;
use crate::stage::{POLICY, Stage, model, step};

const OPENCODE: &str = "opencode `acp`";
const GEMINI: &str = "Gemini CLI `--acp`";
/// The agents of editors.
pub const ROWS: [&str; 2] = [OPENCODE, GEMINI];

/// The cases of the agents that are installed.
pub fn all(agents: &Path) -> Vec<Case> {
    let case = |row: &'static str, column: &'static str, run: fn(&Path) -> String| Case {
        row,
        column,
        run,
    };
    let opencode = vec![
        case(OPENCODE, "the policy allows", |agents| {
            command(agents, opencode, "allowed-1", false)
        }),
        case(OPENCODE, "the policy denies", |agents| {
            command(agents, opencode, "denied-1", true)
        }),
        case(OPENCODE, "the policy asks", |agents| {
            command(agents, opencode, "other-1", false)
        }),
        case(
            OPENCODE,
            "the policy asks, and the person says yes in the editor",
            |agents| command(agents, opencode, "other-1", true),
        ),
        case(OPENCODE, "the editor writes an allowed file", |agents| {
            writes(agents, opencode, "src/a.rs")
        }),
        case(OPENCODE, "the editor writes a denied file", |agents| {
            writes(agents, opencode, "infra/a.tf")
        }),
    ];
    let gemini = vec![
        // It names no tool and no arguments: then it is asked about, and denials hold for what its title says.
        case(GEMINI, "the policy allows", |agents| {
            command(agents, gemini, "allowed-1", false)
        }),
        case(GEMINI, "the policy denies", |agents| {
            command(agents, gemini, "denied-1", true)
        }),
        case(GEMINI, "the policy asks", |agents| {
            command(agents, gemini, "other-1", false)
        }),
        case(
            GEMINI,
            "the policy asks, and the person says yes in the editor",
            |agents| command(agents, gemini, "other-1", true),
        ),
    ];
    let installed = |name: &str, cases: Vec<Case>| {
        if agents.join(name).exists() {
            cases
        } else {
            Vec::new()
        }
    };
    [installed("opencode", opencode), installed("gemini", gemini)].concat()
}

/// How an agent is started, and what its model does for a command or a file.
type Start = fn(&Stage, &Model) -> (&'static str, Vec<String>);

fn opencode(stage: &Stage, model: &Model) -> (&'static str, Vec<String>) {
    ("opencode", stage.opencode(model))
}

fn gemini(stage: &Stage, _: &Model) -> (&'static str, Vec<String>) {
    ("gemini", stage.gemini_acp())
}

fn shell(text: &str) -> Step {
    let input = json!({"command": text, "description": "a step"});
    [
        step("bash", input.clone()),
        step("run_shell_command", input),
    ]
    .concat()
}

fn worked(stage: &Stage, model: &Model, start: Start, says_yes: bool) -> AcpEditor {
    let (name, agent) = start(stage, model);
    let mut editor = stage.acp(model, name, &agent, says_yes);
    editor.work();
    editor
}

/// A command, with what the policy says of it.
fn command(agents: &Path, start: Start, file: &str, says_yes: bool) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![shell(&format!("touch {file}"))]);
    let editor = worked(&stage, &model, start, says_yes);
    let (ran, asked) = (stage.has(file), editor.questions.len());
    let decided: Vec<_> = stage
        .record()
        .into_iter()
        .filter(|entry| entry["kind"] == "decided")
        .collect();
    assert!(
        !decided.is_empty() && decided.iter().all(|entry| entry["outcome"].is_string()),
        "it is written down"
    );
    if file.starts_with("denied") {
        assert!(
            !ran && asked == 0,
            "what is denied neither runs nor is asked about: {:?}",
            editor.questions
        );
    }
    if file.starts_with("other") {
        assert_eq!((ran, asked), (says_yes, 1), "{:?}", editor.questions);
    }
    match (ran, asked) {
        (true, 0) => "runs".to_owned(),
        (true, _) => "runs after a yes".to_owned(),
        (false, 0) => "denied".to_owned(),
        (false, _) => "asked in the editor".to_owned(),
    }
}

/// A file that the editor writes for the agent.
fn writes(agents: &Path, start: Start, name: &str) -> String {
    let rules =
        "  - allow: {write: \"src/**\"}\n  - deny: {write: \"infra/**\"}\n    reason: not there\n";
    let stage = Stage::with(agents, &format!("{POLICY}{rules}"));
    let path = stage.workspace.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let model = model(vec![step(
        "write",
        json!({"filePath": path, "content": "x\n"}),
    )]);
    let editor = worked(&stage, &model, start, true);
    match (
        editor.written.is_empty(),
        editor.questions.len(),
        stage.has(name),
    ) {
        (false, 0, true) => "written by the editor".to_owned(),
        (true, 0, true) => "written by the agent".to_owned(),
        (true, 0, false) => "denied".to_owned(),
        odd => panic!("{odd:?}: {:?}", editor.questions),
    }
}
