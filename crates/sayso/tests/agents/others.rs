//! The agents whose hooks are described by tables: how each is set up, started, and made to run a command.

use std::process::Command;

use sayso_agents::scripted_model::{Model, Step};
use serde_json::{Value, json};

use crate::stage::{Hook, KEY, Stage, run, step};

/// One of them, with nobody in front of it.
pub trait Other {
    /// Its name for sayso.
    const NAME: &'static str;
    /// How the table calls it.
    const ROW: &'static str;
    /// Whether it can be told not to ask.
    const BYPASS: &'static [&'static str];
    /// Whether a hook can change what runs.
    const CHANGES: bool = true;
    /// Whether it waits long enough for a person.
    const ASKS: bool = true;
    /// What happens where its hook is killed, late, without an answer, or missing: whether the tool runs.
    const OPEN: [bool; 4] = [true, true, true, true];

    /// Sets the hook.
    fn hook(stage: &Stage, hook: Hook);

    /// Sets a server of MCP tools.
    fn server(stage: &Stage, program: &str);

    /// The agent, which talks to this model and to nobody else.
    fn agent(stage: &Stage, model: &Model) -> Command;

    /// A step that runs a command.
    fn shell(command: &str) -> Step;

    /// A step that writes a file.
    fn write(path: &str, text: &str) -> Step;

    /// A step that calls a tool of the server.
    fn tool(name: &str, input: Value) -> Step;

    /// A step that hands work to a sub-agent; none where there is none to try.
    fn delegate(prompt: &str) -> Option<Step>;

    /// Starts it and waits for its end.
    fn play(stage: &Stage, model: &Model, words: &[&str]) -> String {
        run(Self::agent(stage, model).args(words))
    }
}

fn offline(stage: &Stage, program: &str, model: &Model) -> Command {
    let mut command = stage.command(stage.agents.join(program));
    let url = model.url();
    command
        .env("HTTPS_PROXY", &url)
        .env("HTTP_PROXY", &url)
        .env("NO_PROXY", "127.0.0.1")
        .env("TERM", "dumb");
    command
}

/// Puts keys into a file of JSON.
fn set(stage: &Stage, path: &str, keys: &Value) {
    let file = stage.home.join(path);
    let old: Value = std::fs::read_to_string(&file)
        .map_or_else(|_| json!({}), |text| serde_json::from_str(&text).unwrap());
    let mut all = old.as_object().unwrap().clone();
    all.extend(keys.as_object().unwrap().clone());
    stage.put(file, &Value::Object(all).to_string());
}

/// The hooks of settings with groups.
fn groups(name: &str, hook: Hook, units: u32, first: &str, more: &[&str]) -> Value {
    let (command, timeout) = hook.command(name);
    let one = json!([{"matcher": "*", "hooks": [{"type": "command", "command": command, "timeout": timeout * units}]}]);
    let events = [&[first][..], if hook == Hook::Sayso { more } else { &[] }].concat();
    json!({"hooks": events.iter().map(|event| ((*event).to_owned(), one.clone())).collect::<serde_json::Map<_, _>>()})
}

pub struct Gemini;

impl Other for Gemini {
    const NAME: &'static str = "gemini";
    const ROW: &'static str = "Gemini CLI `-p`";
    const BYPASS: &'static [&'static str] = &["--approval-mode", "yolo"];
    /// What its shell says of a program that is not there, it takes for a denial.
    const OPEN: [bool; 4] = [true, true, true, false];

    fn hook(stage: &Stage, hook: Hook) {
        set(
            stage,
            ".gemini/settings.json",
            &groups(
                "gemini",
                hook,
                1000,
                "BeforeTool",
                &["AfterTool", "SessionStart", "SessionEnd"],
            ),
        );
    }

    fn server(stage: &Stage, program: &str) {
        set(
            stage,
            ".gemini/settings.json",
            &json!({"mcpServers": {"tiny": {"command": "python3", "args": [program], "trust": true}}}),
        );
    }

    fn agent(stage: &Stage, model: &Model) -> Command {
        // Which way to a model counts, only its settings say.
        set(
            stage,
            ".gemini/settings.json",
            &json!({"security": {"auth": {"selectedType": "gemini-api-key"}}}),
        );
        let mut command = offline(stage, "gemini", model);
        command
            .env("GEMINI_API_KEY", KEY)
            .env("GOOGLE_GEMINI_BASE_URL", model.url())
            .env("GEMINI_TELEMETRY_ENABLED", "false");
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        command.args(["-m", "gemini-2.5-flash", "-p", "work"]);
        command
    }

    fn shell(command: &str) -> Step {
        step(
            "run_shell_command",
            json!({"command": command, "description": "a step"}),
        )
    }

    fn write(path: &str, text: &str) -> Step {
        step("write_file", json!({"file_path": path, "content": text}))
    }

    fn tool(name: &str, input: Value) -> Step {
        step(&format!("mcp_tiny_{name}"), input)
    }

    fn delegate(prompt: &str) -> Option<Step> {
        Some(step(
            "invoke_agent",
            json!({"agent_name": "generalist", "prompt": prompt}),
        ))
    }
}

pub struct Qwen;

impl Other for Qwen {
    const NAME: &'static str = "qwen";
    const ROW: &'static str = "Qwen Code `-p`";
    const BYPASS: &'static [&'static str] = &["--yolo"];
    const CHANGES: bool = false;

    fn hook(stage: &Stage, hook: Hook) {
        set(
            stage,
            ".qwen/settings.json",
            &groups(
                "qwen",
                hook,
                1,
                "PreToolUse",
                &[
                    "PostToolUse",
                    "PostToolUseFailure",
                    "SessionStart",
                    "SessionEnd",
                ],
            ),
        );
    }

    fn server(stage: &Stage, program: &str) {
        set(
            stage,
            ".qwen/settings.json",
            &json!({"mcpServers": {"tiny": {"command": "python3", "args": [program], "trust": true}}}),
        );
    }

    fn agent(stage: &Stage, model: &Model) -> Command {
        let mut command = offline(stage, "qwen", model);
        command
            .env("OPENAI_API_KEY", KEY)
            .env("OPENAI_BASE_URL", format!("{}/v1", model.url()))
            .env("OPENAI_MODEL", "scripted");
        command.args(["--auth-type", "openai", "-p", "work"]);
        command
    }

    fn shell(command: &str) -> Step {
        step(
            "run_shell_command",
            json!({"command": command, "description": "a step", "is_background": false}),
        )
    }

    fn write(path: &str, text: &str) -> Step {
        step("write_file", json!({"file_path": path, "content": text}))
    }

    /// Tools of servers are called by another tool, and the hook is told which it is.
    fn tool(name: &str, input: Value) -> Step {
        let name = format!("mcp__tiny__{name}");
        [
            step(&name, input.clone()),
            step("tool_call", json!({"name": name, "arguments": input})),
        ]
        .concat()
    }

    fn delegate(prompt: &str) -> Option<Step> {
        Some(step(
            "agent",
            json!({"description": "work", "prompt": prompt, "subagent_type": "general-purpose"}),
        ))
    }
}

pub struct Copilot;

impl Other for Copilot {
    const NAME: &'static str = "copilot";
    const ROW: &'static str = "Copilot CLI `-p`";
    const BYPASS: &'static [&'static str] = &["--allow-all"];
    /// Whatever ends badly is a denial; only what comes too late is not.
    const OPEN: [bool; 4] = [false, true, true, false];

    fn hook(stage: &Stage, hook: Hook) {
        let (command, timeout) = hook.command("copilot");
        let one = json!([{"type": "command", "bash": command, "timeoutSec": timeout}]);
        let mut hooks = json!({"preToolUse": one});
        if hook == Hook::Sayso {
            for event in ["postToolUse", "sessionStart", "sessionEnd"] {
                hooks[event] = one.clone();
            }
        }
        stage.put(
            stage.home.join(".copilot/hooks/sayso.json"),
            &json!({"version": 1, "hooks": hooks}).to_string(),
        );
    }

    fn server(stage: &Stage, program: &str) {
        let tiny =
            json!({"type": "local", "command": "python3", "args": [program], "tools": ["*"]});
        set(
            stage,
            ".copilot/mcp-config.json",
            &json!({"mcpServers": {"tiny": tiny}}),
        );
    }

    fn agent(stage: &Stage, model: &Model) -> Command {
        let mut command = offline(stage, "copilot", model);
        command
            .env("COPILOT_OFFLINE", "true")
            .env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", model.url()));
        command
            .env("COPILOT_PROVIDER_API_KEY", KEY)
            .env("COPILOT_MODEL", "scripted");
        command.args(["-p", "work"]);
        command
    }

    fn shell(command: &str) -> Step {
        step("bash", json!({"command": command, "description": "a step"}))
    }

    fn write(path: &str, text: &str) -> Step {
        step("create", json!({"path": path, "file_text": text}))
    }

    fn tool(name: &str, input: Value) -> Step {
        step(&format!("tiny-{name}"), input)
    }

    fn delegate(prompt: &str) -> Option<Step> {
        Some(step(
            "task",
            json!({"description": "work", "prompt": prompt, "agent_type": "general-purpose", "name": "inner"}),
        ))
    }
}

pub struct Opencode;

impl Other for Opencode {
    const NAME: &'static str = "opencode";
    const ROW: &'static str = "opencode `run`";
    const BYPASS: &'static [&'static str] = &["--dangerously-skip-permissions"];
    /// The plugin throws whatever is not a yes.
    const OPEN: [bool; 4] = [false; 4];

    fn hook(stage: &Stage, hook: Hook) {
        plugin(
            stage,
            hook,
            "opencode",
            ".config/opencode/plugins/sayso.js",
            "const WAIT = 600;",
        );
    }

    fn server(stage: &Stage, program: &str) {
        let tiny = json!({"type": "local", "command": ["python3", program], "enabled": true});
        set(
            stage,
            "project/opencode.json",
            &json!({"mcp": {"tiny": tiny}}),
        );
    }

    fn agent(stage: &Stage, model: &Model) -> Command {
        let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "scripted",
            "options": {"baseURL": format!("{}/v1", model.url()), "apiKey": KEY},
            "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100_000, "output": 4_000}}}});
        let settings = json!({"model": "scripted/scripted", "small_model": "scripted/scripted", "share": "disabled",
            "provider": {"scripted": provider}});
        let mut command = offline(stage, "opencode", model);
        command
            .env("OPENCODE_CONFIG_CONTENT", settings.to_string())
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1");
        command
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .env("npm_config_offline", "true")
            .env("npm_config_fetch_retries", "0");
        command.args(["run", "work"]);
        command
    }

    fn shell(command: &str) -> Step {
        step("bash", json!({"command": command, "description": "a step"}))
    }

    fn write(path: &str, text: &str) -> Step {
        step("write", json!({"filePath": path, "content": text}))
    }

    fn tool(name: &str, input: Value) -> Step {
        step(&format!("tiny_{name}"), input)
    }

    fn delegate(prompt: &str) -> Option<Step> {
        Some(step(
            "task",
            json!({"description": "work", "prompt": prompt, "subagent_type": "general"}),
        ))
    }
}

pub struct Cline;

impl Other for Cline {
    const NAME: &'static str = "cline";
    const ROW: &'static str = "Cline, with nobody in front of it";
    /// That is how it works without a word.
    const BYPASS: &'static [&'static str] = &[];
    const CHANGES: bool = false;
    /// The plugin skips whatever is not a yes.
    const OPEN: [bool; 4] = [false; 4];
    const ASKS: bool = false;

    fn hook(stage: &Stage, hook: Hook) {
        plugin(
            stage,
            hook,
            "cline",
            ".cline/plugins/sayso.js",
            "const WAIT = 2.5;",
        );
    }

    fn server(stage: &Stage, program: &str) {
        let tiny = json!({"command": "python3", "args": [program], "autoApprove": ["*"]});
        set(
            stage,
            ".cline/data/settings/cline_mcp_settings.json",
            &json!({"mcpServers": {"tiny": tiny}}),
        );
    }

    fn agent(stage: &Stage, model: &Model) -> Command {
        let url = format!("{}/v1", model.url());
        run(offline(stage, "cline", model).args([
            "auth",
            "-p",
            "openai-compatible",
            "-k",
            KEY,
            "-m",
            "scripted",
            "-b",
            &url,
        ]));
        let mut command = offline(stage, "cline", model);
        // It goes on without a plugin that takes four seconds to load, which it does where many things run at once.
        command.env("CLINE_PLUGIN_IMPORT_TIMEOUT_MS", "60000");
        command.env(
            "CLINE_MCP_SETTINGS_PATH",
            stage
                .home
                .join(".cline/data/settings/cline_mcp_settings.json"),
        );
        command.args([
            "-P",
            "openai-compatible",
            "-m",
            "scripted",
            "--json",
            "do the work",
        ]);
        command
    }

    fn shell(command: &str) -> Step {
        step("run_commands", json!({"commands": [command]}))
    }

    fn write(path: &str, text: &str) -> Step {
        step("editor", json!({"path": path, "new_text": text}))
    }

    fn tool(name: &str, input: Value) -> Step {
        step(&format!("tiny__{name}"), input)
    }

    fn delegate(prompt: &str) -> Option<Step> {
        Some(step(
            "spawn_agent",
            json!({"systemPrompt": "work", "task": prompt}),
        ))
    }

    fn play(stage: &Stage, model: &Model, words: &[&str]) -> String {
        let said = run(Self::agent(stage, model).args(words));
        // It leaves a process behind.
        run(offline(stage, "cline", model).args(["hub", "stop"]));
        said
    }
}

/// Puts the plugin there by which sayso is installed, with a broken program in its place.
fn plugin(stage: &Stage, hook: Hook, name: &str, file: &str, wait: &str) {
    stage.sayso(&["install", name, "--yes", "--anyway"]);
    let file = stage.home.join(file);
    let text = std::fs::read_to_string(&file).unwrap();
    if hook == Hook::Sayso {
        return;
    }
    let (command, timeout) = hook.command(name);
    let script = stage.home.join("broken/sayso");
    if hook != Hook::Missing {
        stage.program(&script, &format!("#!/bin/sh\n{command}\n"));
    }
    let text = text.replace(env!("CARGO_BIN_EXE_sayso"), script.to_str().unwrap());
    let new = if hook == Hook::Slow {
        format!("const WAIT = {timeout};")
    } else {
        wait.to_owned()
    };
    stage.put(file, &text.replace(wait, &new));
}
