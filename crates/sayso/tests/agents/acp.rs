//! A scripted editor in front of an agent that speaks the Agent Client Protocol, with `sayso acp` between them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use sayso_agents::scripted_model::Model;
use serde_json::{Value, json};

use crate::stage::{KEY, Stage};

/// How long a machine may take that has much else to do: an agent's first start takes half a minute.
const PATIENCE: Duration = Duration::from_secs(150);

/// An editor with one session of an agent.
pub struct AcpEditor {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Value>,
    session: Value,
    /// What the person was asked.
    pub questions: Vec<Value>,
    /// Which files the editor was made to write.
    pub written: Vec<String>,
    /// Whether the person says yes.
    says_yes: bool,
}

impl Stage {
    /// opencode, which talks to this model and to nobody else, and asks about everything.
    pub fn opencode(&self, model: &Model) -> Vec<String> {
        let settings = json!({
            "autoupdate": false, "share": "disabled", "model": "scripted/m", "small_model": "scripted/m",
            "provider": {"scripted": {"npm": "@ai-sdk/anthropic", "name": "scripted",
                "options": {"baseURL": format!("{}/v1", model.url()), "apiKey": KEY}, "models": {"m": {"name": "m"}}}},
            "permission": {"bash": "ask", "edit": "ask", "webfetch": "ask"},
        });
        self.put(
            self.home.join(".config/opencode/opencode.json"),
            &settings.to_string(),
        );
        vec![
            self.agents.join("opencode").to_str().unwrap().to_owned(),
            "acp".to_owned(),
        ]
    }

    /// Gemini CLI, the same.
    pub fn gemini_acp(&self) -> Vec<String> {
        let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}, "telemetry": {"enabled": false},
            "general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}});
        self.put(
            self.home.join(".gemini/settings.json"),
            &settings.to_string(),
        );
        vec![
            self.agents.join("gemini").to_str().unwrap().to_owned(),
            "--acp".to_owned(),
        ]
    }

    /// An editor that begins a session with an agent behind the gateway, and has it work.
    pub fn acp(&self, model: &Model, name: &str, agent: &[String], says_yes: bool) -> AcpEditor {
        let mut command: Command = self.command(env!("CARGO_BIN_EXE_sayso"));
        command.args(["acp", "--name", name, "--"]).args(agent);
        command
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1");
        command
            .env("GEMINI_API_KEY", KEY)
            .env("GOOGLE_GEMINI_BASE_URL", model.url())
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send
                    .send(serde_json::from_str(&line).unwrap_or(Value::Null))
                    .is_err()
                {
                    return;
                }
            }
        });
        let mut editor = AcpEditor {
            child,
            input,
            lines,
            session: Value::Null,
            questions: Vec::new(),
            written: Vec::new(),
            says_yes,
        };
        let can = json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true});
        editor.asks(
            "init",
            "initialize",
            json!({"protocolVersion": 1, "clientCapabilities": can}),
        );
        let begun = editor.asks(
            "new",
            "session/new",
            json!({"cwd": self.workspace, "mcpServers": []}),
        );
        editor.session = begun["result"]["sessionId"].clone();
        assert!(editor.session.is_string(), "{begun}");
        editor
    }
}

impl AcpEditor {
    fn say(&mut self, line: &Value) {
        writeln!(self.input, "{line}").unwrap();
        self.input.flush().unwrap();
    }

    /// Asks the agent something, and does meanwhile what the agent asks for.
    fn asks(&mut self, id: &str, method: &str, params: Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let until = Instant::now() + PATIENCE;
        loop {
            let line = self
                .lines
                .recv_timeout(until.saturating_duration_since(Instant::now()))
                .expect("the agent goes on");
            if line["id"] == id && line["method"].is_null() {
                return line;
            }
            if line["id"] != Value::Null && line["method"] != Value::Null {
                self.does(&line);
            }
        }
    }

    /// Does what an editor does.
    fn does(&mut self, line: &Value) {
        let params = &line["params"];
        let path = params["path"].as_str().unwrap_or_default();
        let result = match line["method"].as_str().unwrap() {
            "session/request_permission" => {
                self.questions.push(line.clone());
                let wanted = if self.says_yes {
                    "allow_once"
                } else {
                    "reject_once"
                };
                let options = params["options"].as_array().unwrap();
                assert!(
                    options
                        .iter()
                        .all(|option| option["kind"] != "allow_always"),
                    "an answer that lasts is offered: {line}"
                );
                let option = options
                    .iter()
                    .find(|option| option["kind"] == wanted)
                    .unwrap();
                Ok(json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}}))
            }
            "fs/read_text_file" => {
                std::fs::read_to_string(path).map(|content| json!({"content": content}))
            }
            "fs/write_text_file" => {
                self.written.push(path.to_owned());
                std::fs::write(path, params["content"].as_str().unwrap()).map(|()| json!({}))
            }
            _ => Err(std::io::Error::other("no")),
        };
        let answer = match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": line["id"], "result": result}),
            Err(error) => {
                json!({"jsonrpc": "2.0", "id": line["id"], "error": {"code": -32002, "message": error.to_string(), "data": {"code": "ENOENT"}}})
            }
        };
        self.say(&answer);
    }

    /// Has the agent work until it is done.
    pub fn work(&mut self) {
        let prompt =
            json!({"sessionId": self.session, "prompt": [{"type": "text", "text": "work"}]});
        let done = self.asks("work", "session/prompt", prompt);
        assert_eq!(done["result"]["stopReason"], "end_turn", "{done}");
    }
}

impl Drop for AcpEditor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
