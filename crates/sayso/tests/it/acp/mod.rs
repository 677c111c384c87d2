//! `sayso acp` as a real process between an editor and a real agent.

mod asking;
mod faults;
mod hostile;
mod passing;
mod permissions;
mod requests;

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::mcp::Gated;

/// The command of the small agent.
pub fn small() -> Vec<String> {
    vec![
        "python3".to_owned(),
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/acp/agent.py").to_owned(),
    ]
}

/// An editor with one session of the small agent.
pub struct Editor {
    pub gated: Gated,
    pub session: String,
}

impl Editor {
    /// The small agent behind the gateway, with a session in the workspace.
    pub fn start(desk: &Desk) -> Editor {
        Editor::of(desk, &["--name", "tiny"])
    }

    pub fn of(desk: &Desk, flags: &[&str]) -> Editor {
        let mut program = desk.program();
        program.arg("acp").args(flags).arg("--").args(small());
        let mut gated = Gated::spawn(&mut program);
        gated.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}));
        assert_eq!(gated.next()["result"]["protocolVersion"], 1);
        let mut editor = Editor {
            gated,
            session: String::new(),
        };
        editor.session = editor.begin(desk.scene.folder());
        editor
    }

    /// Begins a session in a folder.
    #[track_caller]
    pub fn begin(&mut self, folder: &str) -> String {
        self.gated.send(&json!({"jsonrpc": "2.0", "id": "new", "method": "session/new", "params": {"cwd": folder, "mcpServers": []}}));
        self.gated.answer(&json!("new"))["result"]["sessionId"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Has the agent say these bytes.
    pub fn agent_says(&mut self, bytes: &[u8]) {
        let bytes: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.gated
            .send(&json!({"jsonrpc": "2.0", "method": "_say", "params": {"bytes": bytes}}));
    }

    /// Has the agent ask for something.
    pub fn agent_asks(&mut self, id: i64, method: &str, params: Value) {
        let line =
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": self.within(params)});
        self.agent_says(format!("{line}\n").as_bytes());
    }

    /// Parameters of a request in the session.
    pub fn within(&self, mut params: Value) -> Value {
        if params.get("sessionId").is_none() {
            params["sessionId"] = json!(self.session);
        }
        params
    }

    /// A request for permission.
    pub fn wants(&mut self, id: i64, tool_call: Value) {
        let params = json!({"toolCall": tool_call, "options": options()});
        self.agent_asks(id, "session/request_permission", params);
    }

    /// The next answer that the agent got.
    #[track_caller]
    pub fn got(&mut self) -> Value {
        let message = self.gated.next();
        assert_eq!(message["method"], "_got", "{message}");
        message["params"].clone()
    }

    /// What a request for permission comes to, where nobody is asked.
    #[track_caller]
    pub fn permitted(&mut self, id: i64, tool_call: Value) -> Value {
        self.wants(id, tool_call);
        let got = self.got();
        assert_eq!(got["id"], id, "{got}");
        got["result"]["outcome"].clone()
    }

    /// The editor answers.
    pub fn answers(&mut self, id: &Value, result: Value) {
        self.gated
            .send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// The person picks an option in the editor's dialog.
    pub fn picks(&mut self, id: &Value, option: &str) {
        self.answers(
            id,
            json!({"outcome": {"outcome": "selected", "optionId": option}}),
        );
    }
}

/// The answers that agents offer, with ids and names that say the opposite of their kinds.
pub fn options() -> Value {
    json!([
        {"optionId": "reject", "name": "Reject", "kind": "allow_always"},
        {"optionId": "no", "name": "No", "kind": "allow_once"},
        {"optionId": "allow", "name": "Always allow", "kind": "reject_once"},
    ])
}

/// The yes and the no of these.
pub fn yes() -> Value {
    json!({"outcome": "selected", "optionId": "no"})
}

pub fn no() -> Value {
    json!({"outcome": "selected", "optionId": "allow"})
}

/// A command that the agent wants to run.
pub fn command(text: &str) -> Value {
    json!({"toolCallId": "c", "title": text, "kind": "execute", "status": "pending", "rawInput": {"command": text}})
}

/// Insists on an error that the agent can read.
#[track_caller]
pub fn is_denied(message: &Value, words: &str) {
    let said = message["error"]["message"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"));
    assert!(
        said.starts_with("sayso: ") && said.contains(words),
        "{said}"
    );
}

/// The policy of most cases.
pub const POLICY: &str = "version: 1
rules:
  - allow: {command: \"touch allowed-*\"}
  - deny: {command: \"touch denied-*\"}
    reason: not that one
  - allow: {write: \"src/**\"}
  - deny: {write: \"infra/**\"}
    reason: not there
  - allow: {fetch: \"https://docs.example/**\"}
";

/// A workspace under that policy.
pub fn desk() -> Desk {
    let desk = Desk::with(&[
        ("src/a.rs", "x\n"),
        (".env", "KEY=1\n"),
        ("notes.md", "n\n"),
    ]);
    desk.scene.user_policy(POLICY);
    desk
}
