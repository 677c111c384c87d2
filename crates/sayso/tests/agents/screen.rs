//! Claude Code at a terminal, with a person who reads and types: tmux draws the screen.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use sayso_agents::scripted_model::Model;
use serde_json::json;

use crate::claude::variables;
use crate::stage::{KEY, PATH, Stage};

/// How long a machine may take that has much else to do.
const PATIENCE: Duration = Duration::from_secs(90);

/// An agent at a terminal.
pub struct Screen {
    socket: PathBuf,
}

impl Stage {
    /// Claude Code at a terminal, past all that it asks a newcomer.
    pub fn at_terminal(&self, model: &Model, words: &[&str]) -> Screen {
        let known = json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [&KEY[KEY.len() - 20..]], "rejected": []},
            "projects": {self.workspace.to_str().unwrap(): {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
            "bypassPermissionsModeAccepted": true,
        });
        self.put(self.home.join(".claude.json"), &known.to_string());
        let mut line = format!(
            "env -i PATH={PATH} HOME={} LANG=C.UTF-8 TERM=screen-256color USER=person SHELL=/bin/bash",
            self.home.display()
        );
        for (name, value) in variables(model) {
            write!(line, " {name}={value}").unwrap();
        }
        write!(line, " {}", self.agents.join("claude").display()).unwrap();
        for word in words {
            write!(line, " '{word}'").unwrap();
        }
        let screen = Screen {
            socket: self.home.join("tmux"),
        };
        let folder = self.workspace.to_str().unwrap();
        screen.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "110",
            "-y",
            "45",
            "-c",
            folder,
            &line,
        ]);
        screen
    }
}

impl Screen {
    fn tmux(&self, words: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command
            .env_clear()
            .env("PATH", PATH)
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm")
            .arg("-S")
            .arg(&self.socket)
            .args(words);
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    }

    /// What stands there now.
    pub fn text(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// Waits until this stands there, and gives all of it.
    pub fn wait_for(&self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let shown = self.text();
            if shown.contains(text) {
                return shown;
            }
            assert!(
                Instant::now() < until,
                "`{text}` did not come; the terminal shows:\n{shown}"
            );
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Types a key, or several.
    pub fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
