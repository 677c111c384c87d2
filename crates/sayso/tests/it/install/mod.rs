//! `sayso install` and `sayso uninstall` on real files in a home of their own.

mod asking;
mod claude;
mod codex;
mod importing;
mod mcp;
mod others;
mod own;
mod random;
mod refusals;
mod takeover;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sayso_agents::install::{Around, Wish};
use sayso_agents::{Scope, Which};
use serde_json::Value;

use crate::program::{Outcome, run};
use crate::scene::{Scene, put};

/// Where the settings of an agent are, in a world of its own.
pub struct Home {
    pub scene: Scene,
}

impl Home {
    pub fn new() -> Home {
        Home {
            scene: Scene::empty(),
        }
    }

    /// The settings of Claude Code.
    pub fn claude(&self) -> PathBuf {
        self.scene.home.join(".claude/settings.json")
    }

    /// The hooks of Codex.
    pub fn codex(&self) -> PathBuf {
        self.scene.home.join(".codex/hooks.json")
    }

    /// The settings of Codex.
    pub fn config(&self) -> PathBuf {
        self.scene.home.join(".codex/config.toml")
    }

    /// A world whose Claude Code has these settings.
    pub fn with_claude(text: &str) -> Home {
        let home = Home::new();
        put(&home.claude(), text);
        home
    }

    /// An agent on the search path that says this of its version.
    pub fn agent(&self, name: &str, script: &str) {
        let path = self.scene.home.join("programs").join(name);
        put(&path, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs the program. It stands in the output of a build here, so that has to be said.
    pub fn run(&self, words: &[&str]) -> Outcome {
        let path = format!(
            "{}:{}",
            self.scene.home.join("programs").display(),
            crate::scene::PATH
        );
        run(self.scene.program().env("PATH", path).args(words), b"")
    }

    pub fn install(&self, words: &[&str]) -> Outcome {
        self.run(&[&["install"], words, &["--anyway", "--yes"]].concat())
    }

    pub fn uninstall(&self, words: &[&str]) -> Outcome {
        self.run(&[&["uninstall"], words, &["--yes"]].concat())
    }

    /// The same for the library, where an administrator's folder can be another one.
    pub fn around(&self) -> Around {
        let places = self.scene.whereabouts();
        let etc = self.scene.home.parent().unwrap().join("etc");
        fs::create_dir_all(&etc).unwrap();
        Around {
            home: places.home,
            claude: None,
            codex: None,
            config: None,
            etc,
            folder: self.scene.workspace.clone(),
            state: places.state,
            program: places.binary,
            path: vec![self.scene.home.join("programs")],
            now: crate::scene::NOW,
        }
    }
}

/// A wish without anything special.
pub fn wish(who: Which, scope: Scope) -> Wish {
    Wish {
        who: who.installer(),
        scope,
        takeover: false,
        trust: false,
        anyway: true,
    }
}

/// The commands of an event, in order.
pub fn commands(file: &Path, event: &str) -> Vec<String> {
    let root: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let groups = root["hooks"][event].as_array().cloned().unwrap_or_default();
    let handlers = groups
        .iter()
        .flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default());
    handlers
        .map(|handler| handler["command"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The command that sayso puts in.
pub fn own(agent: &str) -> String {
    format!("{} hook {agent} --wait 600", env!("CARGO_BIN_EXE_sayso"))
}

/// The permissions of a file.
pub fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}
