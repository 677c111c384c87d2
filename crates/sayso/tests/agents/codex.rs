//! Codex: alone with its model, and behind its server for editors.

use std::fs;
use std::process::Command;

use sayso_agents::scripted_model::{Model, Step};
use serde_json::json;

use crate::stage::{Hook, KEY, Stage, run, step};

/// A step of Codex that runs a command.
pub fn shell(command: &str) -> Step {
    [
        step("exec_command", json!({"cmd": command})),
        step("shell_command", json!({"command": command})),
    ]
    .concat()
}

impl Stage {
    /// Sets the hook of Codex. It has no switch for a hook that fails.
    pub fn hooks_codex(&self, hook: Hook) -> &Stage {
        let (command, timeout) = hook.command("codex");
        let of = |matcher: bool| {
            let handler = json!({"type": "command", "command": command, "timeout": timeout});
            let mut group = json!({"hooks": [handler]});
            if matcher {
                group["matcher"] = json!("*");
            }
            json!([group])
        };
        let mut hooks = json!({"PreToolUse": of(true)});
        if hook == Hook::Sayso {
            hooks["SessionStart"] = of(false);
            hooks["PermissionRequest"] = of(true);
            hooks["PostToolUse"] = of(true);
        }
        self.put(
            self.home.join(".codex/hooks.json"),
            &json!({"hooks": hooks}).to_string(),
        );
        self
    }

    /// Codex, which talks to this model and to nobody else.
    pub fn codex(&self, model: &Model) -> Command {
        let url = model.url();
        let settings = format!(
            "model_provider = \"scripted\"\nmodel = \"{}\"\n\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{url}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\nsupports_websockets = false\nrequest_max_retries = 0\nstream_max_retries = 0\n\n\
             [analytics]\nenabled = false\n",
            self.codex_model
        );
        let file = self.home.join(".codex/config.toml");
        let more = fs::read_to_string(self.home.join("more.toml")).unwrap_or_default();
        self.put(file, &format!("{settings}{more}"));
        let mut command = self.command(self.agents.join("codex"));
        command
            .env("SCRIPTED_KEY", KEY)
            .env("HTTPS_PROXY", &url)
            .env("HTTP_PROXY", &url)
            .env("NO_PROXY", "127.0.0.1");
        command
    }

    /// Codex with nobody in front of it.
    pub fn exec(&self, model: &Model, words: &[&str]) -> String {
        let words = [
            &["exec", "--skip-git-repo-check", "--json"],
            words,
            &["work"],
        ]
        .concat();
        run(self.codex(model).args(words))
    }
}
