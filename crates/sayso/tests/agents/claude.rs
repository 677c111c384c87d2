//! Claude Code, without anybody in front of it.

use std::process::Command;

use sayso_agents::scripted_model::Model;
use serde_json::{Value, json};

use crate::stage::{Hook, KEY, Stage, run};

/// The hooks of Claude Code in its settings.
pub fn settings(hook: Hook, closed: bool) -> Value {
    let (command, timeout) = hook.command("claude");
    let mut handler = json!({"type": "command", "command": command, "timeout": timeout});
    if closed {
        handler["onFailure"] = json!("block");
    }
    let of = |handler: &Value| json!([{"matcher": "*", "hooks": [handler]}]);
    let mut hooks = json!({"PreToolUse": of(&handler)});
    if hook == Hook::Sayso {
        let (command, timeout) = hook.command("claude");
        let plain = json!({"type": "command", "command": command, "timeout": timeout});
        for event in [
            "PermissionRequest",
            "PostToolUse",
            "PostToolUseFailure",
            "SessionStart",
            "SessionEnd",
        ] {
            hooks[event] = of(&plain);
        }
    }
    json!({"hooks": hooks})
}

impl Stage {
    /// Sets the hook of Claude Code.
    pub fn hooks_claude(&self, hook: Hook, closed: bool) -> &Stage {
        self.put(
            self.home.join(".claude/settings.json"),
            &settings(hook, closed).to_string(),
        );
        self
    }

    /// Claude Code, which talks to this model and to nobody else.
    pub fn claude(&self, model: &Model) -> Command {
        let mut command = self.command(self.agents.join("claude"));
        command.envs(variables(model));
        command
    }

    /// Claude Code with nobody in front of it.
    pub fn headless(&self, model: &Model, words: &[&str]) -> String {
        run(self
            .claude(model)
            .args(["-p", "work", "--output-format", "json"])
            .args(words))
    }
}

/// Everything that keeps it on this machine.
pub fn variables(model: &Model) -> Vec<(&'static str, String)> {
    vec![
        ("ANTHROPIC_BASE_URL", model.url()),
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("ENABLE_TOOL_SEARCH", "false".to_owned()),
        // Whatever goes elsewhere all the same ends at the model, which writes it down and answers with nothing.
        ("HTTPS_PROXY", model.url()),
        ("HTTP_PROXY", model.url()),
        ("NO_PROXY", "127.0.0.1".to_owned()),
        // Without it, the mode that asks nothing is refused to root.
        ("IS_SANDBOX", "1".to_owned()),
    ]
}
