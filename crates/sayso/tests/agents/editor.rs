//! An editor in front of Codex: it talks to `codex app-server`, as the extensions of editors do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use sayso_agents::scripted_model::Model;
use sayso_core::text::digest::Digest;
use serde_json::{Value, json};

use crate::stage::{Hook, Stage};

/// How long a machine may take that has much else to do.
const PATIENCE: Duration = Duration::from_secs(90);

/// An editor with one session of Codex.
pub struct Editor {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Value>,
    /// What Codex asked the person.
    pub questions: Vec<Value>,
}

impl Stage {
    /// Trusts the hooks of Codex as a person does by `/hooks`: by the digest of what they say.
    pub fn trust_hooks(&self, hook: Hook) -> &Stage {
        let (command, timeout) = hook.command("codex");
        let handler =
            json!({"async": false, "command": command, "timeout": timeout, "type": "command"});
        let file = self.home.join(".codex/hooks.json");
        let mut more = String::new();
        for (event, matcher) in [
            ("pre_tool_use", true),
            ("session_start", false),
            ("permission_request", true),
            ("post_tool_use", true),
        ] {
            // The keys are in their order.
            let mut whole = json!({"event_name": event, "hooks": [handler]});
            if matcher {
                whole["matcher"] = json!("*");
            }
            let digest = Digest::of_bytes(whole.to_string().as_bytes());
            more.push_str(&format!(
                "\n[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"{digest}\"\n",
                file.display()
            ));
        }
        self.put(self.home.join("more.toml"), &more);
        self
    }

    /// An editor that starts a session with Codex, which asks about every command that it does not know.
    pub fn editor(&self, model: &Model) -> Editor {
        let mut command = self.codex(model);
        command
            .arg("app-server")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
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
        let mut editor = Editor {
            child,
            input,
            lines,
            questions: Vec::new(),
        };
        editor.say(
            &json!({"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "sayso-test", "title": null, "version": "1"}}}),
        );
        editor.wait(|line| line["id"] == 0);
        editor.say(&json!({"method": "initialized"}));
        let start = json!({"cwd": self.workspace, "approvalPolicy": "untrusted", "sandbox": "danger-full-access"});
        editor.say(&json!({"id": 1, "method": "thread/start", "params": start}));
        let thread = editor.wait(|line| line["id"] == 1)["result"]["thread"]["id"].clone();
        let turn = json!({"threadId": thread, "input": [{"type": "text", "text": "work"}]});
        editor.say(&json!({"id": 2, "method": "turn/start", "params": turn}));
        editor
    }
}

impl Editor {
    fn say(&mut self, line: &Value) {
        writeln!(self.input, "{line}").unwrap();
        self.input.flush().unwrap();
    }

    /// Waits for a line, and says no to whatever the person is asked meanwhile.
    fn wait(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let line = self
                .lines
                .recv_timeout(until.saturating_duration_since(Instant::now()))
                .expect("Codex goes on");
            if is(&line) {
                return line;
            }
            if line["id"] != Value::Null && line["method"] != Value::Null {
                self.say(&json!({"id": line["id"], "result": {"decision": "decline"}}));
                self.questions.push(line);
            }
        }
    }

    /// Waits until the work is done.
    pub fn finish(&mut self) {
        self.wait(|line| line["method"] == "turn/completed");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
