//! `corpus/wire`: what each version of an agent sends, what it means, and the exact answer.

use std::fs;
use std::path::{Path, PathBuf};

use sayso_agents::Which;
use sayso_agents::hook::agent::{Around, Event, document};
use sayso_core::call::operation::Call;
use sayso_core::text::json;
use serde_json::Value;

use crate::desk::Desk;
use crate::program::run;

fn files() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/wire");
    let list = |folder: &Path| {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for agent in list(&root) {
        let name = agent.file_name().unwrap().to_str().unwrap().to_owned();
        found.extend(
            list(&agent)
                .iter()
                .flat_map(|version| list(version))
                .map(|file| (name.clone(), file)),
        );
    }
    found.sort();
    found
}

/// The calls that a payload comes to, as the corpus writes them. Where the document has only the folder of the call, the workspace is the
/// one that the session began in.
fn calls(event: &Event, began: Option<&str>) -> Value {
    let (Event::Before(wanted) | Event::Permission(wanted) | Event::After { wanted, .. }) = event
    else {
        return Value::Null;
    };
    let one = |call: &Call| {
        serde_json::json!({
            "tool": call.tool,
            "args": serde_json::from_str::<Value>(&json::write(&call.args)).unwrap(),
            "agent": call.agent.name,
            "parents": call.agent.parents,
            "cwd": call.cwd,
            "workspace": began.unwrap_or(&call.workspace),
        })
    };
    wanted.calls.iter().map(one).collect()
}

/// Whether an answer is the expected one: `*` is any text that is not empty, and `{id}` any id.
fn is(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|found| is(value, found)))
        }
        (Value::String(any), Value::String(text)) if any == "*" => text.len() > "sayso: ".len(),
        (Value::String(one), Value::String(text)) if one.contains("{id}") => {
            let (start, end) = one.split_once("{id}").unwrap();
            let start = start.replace("{program}", env!("CARGO_BIN_EXE_sayso"));
            text.strip_prefix(&start)
                .and_then(|rest| rest.strip_suffix(end))
                .is_some_and(|id| id.len() == 32)
        }
        (one, other) => one == other,
    }
}

#[test]
fn every_payload_means_what_the_corpus_says_and_is_answered_so() {
    let files = files();
    assert!(files.len() > 25, "{}", files.len());
    for (name, path) in files {
        let shown = path
            .strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
            .unwrap()
            .display()
            .to_string();
        let text = fs::read_to_string(&path).unwrap();
        let desk = Desk::with(&[]);
        let config = desk.scene.config().display().to_string();
        let case: Value =
            serde_json::from_str(&desk.scene.fill(&text).replace("{config}", &config)).unwrap();
        for (name, content) in case["files"].as_object().into_iter().flatten() {
            desk.scene.file(name, content.as_str().unwrap());
        }
        if let Some(policy) = case["policy"].as_str() {
            desk.scene.user_policy(policy);
        }
        let variable = |name: &str| case["environment"][name].as_str().map(str::to_owned);
        let around = Around {
            project: Some(desk.scene.folder().to_owned()),
            attended: variable("CLAUDE_CODE_SESSION_ATTENDED"),
            settings_folders: Vec::new(),
            folder: Some(desk.scene.folder().to_owned()),
        };
        let agent = Which::of(&name).unwrap().hook();
        let began = agent.folder_is_of_the_call().then(|| desk.scene.folder());
        let payload = case["payload"].to_string();
        match agent.read(&document(payload.as_bytes()).unwrap(), &around) {
            Ok(event) => assert_eq!(calls(&event, began), case["calls"], "{shown}"),
            Err(why) => assert_eq!(case["reply"]["status"], 2, "{shown}: {why}"),
        }
        super::transcript(
            &desk,
            case["payload"]["session_id"].as_str().unwrap_or_default(),
        );
        let mut program = super::program(&desk, &name);
        for (name, value) in case["environment"].as_object().into_iter().flatten() {
            program.env(name, value.as_str().unwrap());
        }
        let done = run(&mut program, payload.as_bytes());
        let reply = &case["reply"];
        assert_eq!(
            (Value::from(done.code), Value::from(done.err.as_str())),
            (reply["status"].clone(), reply["stderr"].clone()),
            "{shown}"
        );
        let out = if done.out.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&done.out).unwrap()
        };
        assert!(is(&reply["stdout"], &out), "{shown}: {out:#}");
    }
}
