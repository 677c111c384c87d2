//! A scratch world: a home, a workspace in it, files, links and policies, made from the scene of a corpus file.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::mode::Mode;
use sayso_core::text::node::{Node, Value};
use sayso_gate::pipeline::{Bench, judge};
use sayso_runtime::assemble;
use sayso_runtime::assemble::{Choice, Loaded, RealWorld};
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use sayso_world::trust;
use tempfile::TempDir;

use crate::known_programs::known_programs;

/// Where programs are looked for by whoever really runs them; the same for every door.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The time of every judgement by the library; rules with `until` in the corpus end long before or long after it.
pub const NOW: i64 = 1_800_000_000;

/// The world. It goes away with the value.
pub struct Scene {
    _scratch: TempDir,
    /// The person's home.
    pub home: PathBuf,
    /// The folder that the workspace stands in.
    pub outside: PathBuf,
    /// The workspace.
    pub workspace: PathBuf,
    /// What the administrator set; only the library can be told of it.
    pub managed: PathBuf,
    /// `--profile`.
    pub profile: Option<String>,
    /// `--mode`.
    pub mode: Option<String>,
}

impl Scene {
    /// An empty workspace in an empty home.
    pub fn empty() -> Scene {
        // A hidden name with letters by chance may be one that means something (`.tmp…rc`).
        let scratch = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
        let root = fs::canonicalize(scratch.path()).unwrap();
        let home = root.join("home");
        let outside = home.join("projects");
        let workspace = outside.join("ws");
        fs::create_dir_all(&workspace).unwrap();
        Scene {
            _scratch: scratch,
            home,
            outside,
            workspace,
            managed: root.join("managed"),
            profile: None,
            mode: None,
        }
    }

    /// The world that the keys of a corpus file describe.
    pub fn of(keys: &Node) -> Scene {
        let mut scene = Scene::empty();
        let text = |key: &str| keys.get(key).and_then(Node::as_text);
        let is = |key: &str| keys.get(key).and_then(Node::as_bool).unwrap_or(false);
        let pairs = |key: &str| -> Vec<(String, String)> {
            let entries = keys.get(key).map_or(&[][..], Node::entries);
            entries
                .iter()
                .map(|entry| {
                    (
                        entry.key.clone(),
                        entry.node.as_text().unwrap_or_default().to_owned(),
                    )
                })
                .collect()
        };
        scene.profile = text("profile").map(str::to_owned);
        scene.mode = text("mode").map(str::to_owned);
        if is("git") {
            scene.git(&["init", "--quiet", "."]);
        }
        for (name, content) in pairs("files") {
            scene.file(&name, &content);
        }
        for (name, content) in pairs("outside") {
            let place = name
                .strip_prefix("~/")
                .map_or_else(|| scene.outside.join(&name), |rest| scene.home.join(rest));
            put(&place, &content);
        }
        for (name, to) in pairs("links") {
            let at = scene.workspace.join(&name);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            // A link may take the place of what `git init` made.
            if at.is_dir() && !at.is_symlink() {
                fs::remove_dir_all(&at).unwrap();
            } else if at.exists() {
                fs::remove_file(&at).unwrap();
            }
            symlink(scene.fill(&to), at).unwrap();
        }
        for (name, of) in pairs("hard_links") {
            fs::hard_link(
                scene.workspace.join(scene.fill(&of)),
                scene.workspace.join(&name),
            )
            .unwrap();
        }
        if let Some(which) = text("tracked") {
            let words: Vec<&str> = ["add"].into_iter().chain(which.split(' ')).collect();
            scene.git(&words);
        }
        if let Some(policy) = text("managed") {
            put(&scene.managed.join("policy.yaml"), &scene.fill(policy));
        }
        if let Some(policy) = text("policy") {
            scene.user_policy(policy);
        }
        if let Some(policy) = text("project") {
            scene.project_policy(policy, is("trusted"));
        }
        scene
    }

    /// Puts a file into the workspace.
    pub fn file(&self, name: &str, content: &str) {
        put(&self.workspace.join(name), content);
    }

    /// Writes the person's policy.
    pub fn user_policy(&self, text: &str) {
        put(&self.config().join("policy.yaml"), &self.fill(text));
    }

    /// Writes the project's policy, and trusts it if that is wanted.
    pub fn project_policy(&self, text: &str, trusted: bool) {
        let (path, text) = (self.workspace.join(".sayso/policy.yaml"), self.fill(text));
        put(&path, &text);
        if trusted {
            trust::trust(&self.state(), path.to_str().unwrap(), &text).unwrap();
        }
    }

    /// Runs git in the workspace, with nothing but this world's configuration.
    pub fn git(&self, words: &[&str]) {
        let mut git = Command::new("git");
        git.env_clear().env("PATH", PATH).env("HOME", &self.home);
        git.env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_TEMPLATE_DIR", "");
        let done = git
            .current_dir(&self.workspace)
            .args(words)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "git {words:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    /// sayso's settings.
    pub fn config(&self) -> PathBuf {
        self.home.join(".config/sayso")
    }

    /// sayso's private data.
    pub fn state(&self) -> PathBuf {
        self.home.join(".local/state/sayso")
    }

    /// The workspace as text.
    pub fn folder(&self) -> &str {
        self.workspace.to_str().unwrap()
    }

    /// Replaces `{home}`, `{outside}` and `{workspace}` by the real paths.
    pub fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, path) in [
            ("{home}", &self.home),
            ("{outside}", &self.outside),
            ("{workspace}", &self.workspace),
        ] {
            text = text.replace(name, path.to_str().unwrap());
        }
        text
    }

    /// The same in every text of a value.
    pub fn fill_node(&self, node: &mut Node) {
        match &mut node.value {
            Value::Text(text) => *text = self.fill(text),
            Value::List(items) => items.iter_mut().for_each(|item| self.fill_node(item)),
            Value::Map(entries) => entries
                .iter_mut()
                .for_each(|entry| self.fill_node(&mut entry.node)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Where everything is, for the library.
    pub fn whereabouts(&self) -> Whereabouts {
        let config = self.home.join(".config");
        Whereabouts {
            home: Some(self.home.clone()),
            config: self.config(),
            state: self.state(),
            managed: self.managed.clone(),
            binary: PathBuf::from(env!("CARGO_BIN_EXE_sayso")),
            path: vec![known_programs().to_owned()],
            git_configs: vec![config.join("git/config"), self.home.join(".gitconfig")],
            git_ignore: Some(config.join("git/ignore")),
            git_elsewhere: None,
            ..Whereabouts::from_environment().unwrap()
        }
    }

    /// The policy as the program would load it.
    pub fn load(&self) -> Loaded {
        assemble::load(&self.whereabouts(), &self.workspace, &self.choice())
    }

    /// What flags of the scene say about the policy.
    pub fn choice(&self) -> Choice {
        let mode = self
            .mode
            .as_deref()
            .map(|word| Mode::from_word(word).unwrap());
        Choice {
            file: None,
            profile: self.profile.clone(),
            mode,
            ..Choice::new(sayso_agents::registry::installed_paths)
        }
    }

    /// The machine as the program sees it.
    pub fn world(&self) -> RealWorld {
        RealWorld(Machine::new(self.whereabouts()))
    }

    /// Adds lines to the person's policy.
    pub fn add_to_policy(&self, lines: &str) {
        let path = self.config().join("policy.yaml");
        let text = fs::read_to_string(&path).unwrap_or_else(|_| "version: 1\n".to_owned());
        put(&path, &format!("{text}\n{lines}"));
    }

    /// The verdict on a call, with what was answered before.
    pub fn judge(&self, call: Call, grants: &[Grant], run: Run) -> Verdict {
        let (loaded, world) = (self.load(), self.world());
        let bench = Bench {
            world: &world,
            policy: &loaded.policy,
            grants,
            uses: None,
            run,
            now: NOW,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        judge(&bench, &Operation::freeze(call).unwrap()).verdict
    }

    /// The decision on a call that nobody has answered before.
    pub fn decide(&self, call: Call) -> Decision {
        self.judge(call, &[], Run::Interactive).decision
    }

    /// A call of a tool with texts as arguments.
    pub fn tool(&self, name: &str, args: &[(&str, &str)]) -> Call {
        Call::new(
            name,
            Node::map(
                args.iter()
                    .map(|(key, text)| (*key, Node::text(self.fill(text)))),
            ),
            self.folder(),
        )
    }

    /// A call of a whole-file writer.
    pub fn write(&self, path: &str) -> Call {
        self.tool("file_write", &[("path", path), ("content", "x")])
    }

    /// A call that reads a file.
    pub fn read(&self, path: &str) -> Call {
        self.tool("file_read", &[("path", path)])
    }

    /// A command.
    pub fn command(&self, text: &str) -> Call {
        Call::command(self.fill(text), self.folder())
    }

    /// The program in this world, with the scene's flags left to the caller.
    pub fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_sayso"));
        program
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", &self.home)
            .current_dir(&self.workspace);
        program
    }

    /// `--profile` and `--mode` of the scene.
    pub fn flags(&self) -> Vec<String> {
        let pair = |flag: &str, value: &Option<String>| {
            value
                .iter()
                .flat_map(|value| [flag.to_owned(), value.clone()])
                .collect::<Vec<_>>()
        };
        [pair("--profile", &self.profile), pair("--mode", &self.mode)].concat()
    }
}

/// Writes a file that only its owner can change, with all folders above it.
pub fn put(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    for (path, mode) in [(path, 0o644), (path.parent().unwrap(), 0o755)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}
