//! Where a real agent works: a home, a workspace, a policy and a scripted model of its own, and nothing of this machine's settings.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sayso_agents::scripted_model::{Conversation, Model, Script, Step, Use};
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};
use sayso_store::read::Reader;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The key of every model here; it opens nothing else.
pub const KEY: &str = "sk-ant-api03-scripted";
/// Where programs are looked for.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Far more than any run takes, far less than a hang.
const LONGEST: Duration = Duration::from_secs(180);

/// What is done in place of a sound hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// sayso.
    Sayso,
    /// It is killed.
    Killed,
    /// It takes longer than the agent waits.
    Slow,
    /// It prints something that is no answer.
    Garbage,
    /// It is not there.
    Missing,
}

impl Hook {
    /// The command and how long the agent waits for it.
    pub fn command(self, agent: &str) -> (String, u32) {
        match self {
            Hook::Sayso => (format!("{} hook {agent}", env!("CARGO_BIN_EXE_sayso")), 60),
            Hook::Killed => ("kill -9 $$".to_owned(), 60),
            Hook::Slow => ("exec sleep 20".to_owned(), 2),
            Hook::Garbage => ("cat >/dev/null; echo '<html>'".to_owned(), 60),
            Hook::Missing => ("/nonexistent/sayso hook".to_owned(), 60),
        }
    }
}

/// Where one agent works.
pub struct Stage {
    _scratch: TempDir,
    pub home: PathBuf,
    pub workspace: PathBuf,
    /// Where the agents are installed.
    pub agents: PathBuf,
    /// What Codex takes its model for: that decides which tools it offers at once.
    pub codex_model: &'static str,
}

impl Stage {
    /// A workspace with a policy.
    pub fn with(agents: &Path, policy: &str) -> Stage {
        let scratch = tempfile::Builder::new()
            .prefix("sayso-agents-")
            .tempdir()
            .unwrap();
        let root = fs::canonicalize(scratch.path()).unwrap();
        let (home, workspace) = (root.join("home"), root.join("home/project"));
        fs::create_dir_all(&workspace).unwrap();
        let config = home.join(".config/sayso");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("policy.yaml"), policy).unwrap();
        Stage {
            _scratch: scratch,
            home,
            workspace,
            agents: agents.to_owned(),
            codex_model: "gpt-5.5",
        }
    }

    /// A program with nothing of this machine's settings.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", &self.home)
            .env("LANG", "C.UTF-8")
            .env("USER", "person")
            .env("SHELL", "/bin/bash");
        command.current_dir(&self.workspace);
        command
    }

    /// `sayso`, as the person runs it.
    pub fn sayso(&self, words: &[&str]) -> String {
        run(self.command(env!("CARGO_BIN_EXE_sayso")).args(words))
    }

    /// The same program, where this stands among the settings of an administrator: `/etc` is another one for it alone.
    pub fn administered(&self, settings: &str, program: &Command) -> Command {
        const SCRIPT: &str = "set -e; mount -t tmpfs none /mnt; mkdir /mnt/upper /mnt/work
            mount -t overlay none -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work /etc
            mkdir -p /etc/claude-code/managed-settings.d; cp \"$1\" /etc/claude-code/managed-settings.d/50-sayso.json
            shift; exec \"$@\"";
        let file = self.home.join("managed.json");
        self.put(&file, settings);
        let mut command = self.command("unshare");
        command
            .args(["-r", "-m", "bash", "-c", SCRIPT, "bash"])
            .arg(file)
            .arg(program.get_program())
            .args(program.get_args());
        command.envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        command
    }

    /// Whether a file of the workspace is there.
    pub fn has(&self, name: &str) -> bool {
        self.workspace.join(name).exists()
    }

    /// A file of the workspace.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.workspace.join(name)).unwrap_or_default()
    }

    /// Puts a file there.
    pub fn put(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.workspace.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Puts a program there. Another process makes it: one that a thread's child still has open for writing cannot be started.
    pub fn program(&self, path: &Path, text: &str) {
        let source = self.home.join("program.txt");
        self.put(&source, text);
        run(Command::new("install")
            .args(["-D", "-m", "755"])
            .arg(&source)
            .arg(path));
    }

    /// All entries of the record.
    pub fn record(&self) -> Vec<Value> {
        let state = self.home.join(".local/state/sayso");
        let Ok(reader) = Reader::open(&state) else {
            return Vec::new();
        };
        let Ok(entries) = reader.forwards() else {
            return Vec::new();
        };
        entries
            .map(|entry| serde_json::from_str(&entry.unwrap().text).unwrap())
            .collect()
    }
}

/// Runs a program to its end: what it said, and how it ended.
pub fn run(command: &mut Command) -> String {
    let out = tempfile::tempfile().unwrap();
    let err = tempfile::tempfile().unwrap();
    let shown: String = format!("{command:?}").chars().take(300).collect();
    command
        .stdin(Stdio::null())
        .stdout(out.try_clone().unwrap())
        .stderr(err.try_clone().unwrap())
        .process_group(0);
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + LONGEST;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("it hangs: {shown}\n{}\n{}", text(out), text(err));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    format!("{}{}[{status}]", text(out), text(err))
}

fn text(mut file: fs::File) -> String {
    use std::io::{Read as _, Seek as _};
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A value for the model.
pub fn node(value: &Value) -> Node {
    json::read(&value.to_string(), &Limits::default()).unwrap()
}

/// A step that calls one tool.
pub fn step(tool: &str, input: Value) -> Step {
    vec![Use {
        tool: tool.to_owned(),
        input: node(&input),
    }]
}

/// A step of Claude Code that runs a command.
pub fn bash(command: &str) -> Step {
    step("Bash", json!({"command": command, "description": "a step"}))
}

/// A model with these steps.
pub fn model(steps: Vec<Step>) -> Model {
    Model::start(Script::of("step", steps), KEY).unwrap()
}

/// A model with a conversation for each of these beginnings.
pub fn models(conversations: Vec<(&str, Vec<Step>)>) -> Model {
    let conversations = conversations
        .into_iter()
        .map(|(about, steps)| Conversation {
            about: about.to_owned(),
            steps,
        });
    Model::start(
        Script {
            ids: "step".to_owned(),
            conversations: conversations.collect(),
        },
        KEY,
    )
    .unwrap()
}

/// What the model was shown as the result of its call with this number.
pub fn result(model: &Model, number: usize) -> String {
    let wanted = format!("_0_{number}");
    let found = model
        .results()
        .into_iter()
        .find(|(id, _)| id.ends_with(&wanted));
    found.map_or_else(|| "(no result)".to_owned(), |(_, text)| text)
}

/// The policy of most cases: one command is allowed, one denied, and all others have to be asked about.
pub const POLICY: &str = "version: 1
rules:
  - allow: {command: \"touch allowed-*\"}
  - deny: {command: \"touch denied-*\"}
    reason: not that one
";

/// A server of MCP tools that writes down what is called; the path of its program.
pub fn tiny_server(stage: &Stage) -> String {
    let path = stage.home.join("tiny.py");
    let called = stage.workspace.join("called.txt");
    stage.put(
        &path,
        &include_str!("tiny.py").replace("CALLED", called.to_str().unwrap()),
    );
    path.to_str().unwrap().to_owned()
}
