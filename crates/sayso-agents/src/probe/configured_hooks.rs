//! Where the settings of an agent name the hook, and whether that is this sayso.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};

use thiserror::Error as ThisError;

use super::Broken;
use crate::install::form::Form;
use crate::install::grouped_hooks::started;
use crate::install::switches::is_on;
use crate::install::{Around, Installer};
use crate::which::{Scope, Which};

/// The longest settings that are read.
const LONGEST: u64 = 4 << 20;
/// How long a broken hook may take before the agent gives up.
const SHORT: u32 = 2;

/// A hook in the settings of an agent.
#[derive(Clone, Debug)]
pub struct Configured {
    /// The file it stands in.
    pub file: PathBuf,
    /// Whose file that is.
    pub scope: Scope,
    /// The digest of that file.
    pub digest: String,
    /// The agent.
    which: Which,
    /// The hook stands in a file of its own, not in a group.
    is_whole: bool,
    /// The program that is started.
    pub starts: String,
    /// Whether a failure of the hook blocks the call, as far as the settings say so.
    pub blocks_on_failure: bool,
    /// Whether it is called for every tool.
    pub for_all_tools: bool,
    /// The version of the agent, for what depends on it.
    pub version: String,
    /// The group that the hook stands in, for a copy.
    group: Node,
}

impl Configured {
    /// A copy of its settings that leads to a program which fails.
    pub fn broken(&self, how: Broken) -> Node {
        if self.is_whole {
            let (command, seconds) = match how {
                Broken::Killed => ("kill -9 $$", 30),
                Broken::Slow => ("exec sleep 20", SHORT),
            };
            return Node::map([
                ("command", Node::text(command)),
                ("seconds", Value::Number(seconds.to_string()).into()),
            ]);
        }
        let changed = |handler: &Node| {
            let kept = handler
                .entries()
                .iter()
                .filter(|entry| !["command", "args", "timeout"].contains(&entry.key.as_str()));
            let kept = kept.map(|entry| (entry.key.clone(), entry.node.clone()));
            let command = match how {
                Broken::Killed => "kill -9 $$",
                Broken::Slow => "exec sleep 20",
            };
            Node::map(
                kept.chain([
                    ("command".to_owned(), Node::text(command)),
                    (
                        "timeout".to_owned(),
                        Value::Number(
                            (if how == Broken::Slow { SHORT } else { 30 }
                                * self.which.facts().units)
                                .to_string(),
                        )
                        .into(),
                    ),
                ]),
            )
        };
        let handlers = self.group.get("hooks").map(Node::items).unwrap_or_default();
        let ours = handlers
            .iter()
            .filter(|handler| started(self.which, handler).is_some())
            .map(changed)
            .collect();
        let mut group: Vec<(String, Node)> = vec![("hooks".to_owned(), Value::List(ours).into())];
        group.extend(
            self.group
                .get("matcher")
                .map(|matcher| ("matcher".to_owned(), matcher.clone())),
        );
        Node::map(group)
    }

    /// Whether it starts the sayso that runs now.
    pub fn is_this(&self, binary: &Path) -> bool {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Path::new(&self.starts).is_absolute() && real(Path::new(&self.starts)) == real(binary)
    }
}

/// Where the settings of agents may be.
#[derive(Clone, Debug)]
pub struct Places {
    /// The person's home.
    pub home: Option<PathBuf>,
    /// The project that is looked at.
    pub project: PathBuf,
    /// What an administrator sets: `/etc`.
    pub etc: PathBuf,
}

impl Places {
    /// The same for whoever installs.
    fn around(&self) -> Around {
        let variable = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        Around {
            home: self.home.clone(),
            claude: variable("CLAUDE_CONFIG_DIR"),
            codex: variable("CODEX_HOME"),
            config: variable("XDG_CONFIG_HOME"),
            etc: self.etc.clone(),
            folder: self.project.clone(),
            state: PathBuf::new(),
            program: PathBuf::new(),
            path: Vec::new(),
            now: 0,
        }
    }
}

/// The settings that an agent may read, those that count most first.
pub(crate) fn files(installer: &dyn Installer, places: &Places) -> Vec<(PathBuf, Scope)> {
    let mut all = installer.files(&places.around());
    // In the home itself, the project's file is the person's own.
    let mut known: Vec<PathBuf> = Vec::new();
    all.retain(|(file, _)| {
        let is_new = !known.contains(file);
        known.push(file.clone());
        is_new
    });
    all
}

/// Why settings could not be read.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum SettingsError {
    #[error("it is not a file")]
    NotFile,
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    #[error("{}", .0.message)]
    NotJson(Diagnostic),
}

/// What was found of an agent's settings.
#[derive(Debug, Default)]
pub struct Settings {
    /// The hooks that start a sayso.
    pub hooks: Vec<Configured>,
    /// Files that could not be read, and why.
    pub broken: Vec<(PathBuf, SettingsError)>,
    /// Files that switch all hooks off.
    pub switched_off: Vec<PathBuf>,
}

/// Looks through the settings of an agent.
pub fn look(installer: &dyn Installer, version: &str, places: &Places) -> Settings {
    let which = installer.who();
    let mut found = Settings::default();
    for (file, scope) in files(installer, places) {
        let text = match read(&file) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(why) => {
                found.broken.push((file, why));
                continue;
            }
        };
        let settings = json::read(
            &text,
            &Limits {
                bytes: 4 << 20,
                depth: 64,
                nodes: 500_000,
            },
        );
        if let Some(form) = installer.form() {
            let off = settings
                .as_ref()
                .is_ok_and(|settings| is_on(settings, "disableAllHooks") || is_off(settings));
            found.switched_off.extend(off.then(|| file.clone()));
            if let Err(finding) = settings
                && file.extension().is_some_and(|end| end == "json")
            {
                let broken = SettingsError::NotJson(finding);
                found.broken.push((file.clone(), broken));
            }
            let group = |starts: String| Configured {
                file: file.clone(),
                scope,
                digest: Digest::of_bytes(text.as_bytes()).to_string(),
                which,
                is_whole: matches!(form, Form::Whole { .. }),
                starts,
                blocks_on_failure: false,
                for_all_tools: true,
                version: version.to_owned(),
                group: settings_group(which, form, &text),
            };
            found
                .hooks
                .extend(installer.starts(&text).into_iter().map(group));
            continue;
        }
        match settings {
            Ok(settings) => {
                if is_on(&settings, "disableAllHooks") {
                    found.switched_off.push(file.clone());
                }
                found
                    .hooks
                    .extend(hooks(which, &settings, &text, &file, scope, version));
            }
            Err(finding) => found.broken.push((file, SettingsError::NotJson(finding))),
        }
    }
    found
}

/// The switch of Gemini CLI.
fn is_off(settings: &Node) -> bool {
    settings
        .get("hooksConfig")
        .and_then(|config| config.get("enabled"))
        .and_then(Node::as_bool)
        == Some(false)
}

/// The group that the hook stands in, of agents that have groups.
fn settings_group(which: Which, form: Form, text: &str) -> Node {
    let empty = || Node::map::<String>([]);
    let Form::Groups {
        events: [first, ..],
    } = form
    else {
        return empty();
    };
    let Ok(root) = json::read(text, &Limits::default()) else {
        return empty();
    };
    let groups = root
        .get("hooks")
        .and_then(|hooks| hooks.get(first.name))
        .map(Node::items)
        .unwrap_or_default();
    let ours = |group: &&Node| {
        group
            .get("hooks")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .any(|one| started(which, one).is_some())
    };
    groups.iter().find(ours).cloned().unwrap_or_else(empty)
}

fn read(file: &Path) -> Result<Option<String>, SettingsError> {
    let opened = match std::fs::metadata(file) {
        Ok(found) if !found.is_file() => return Err(SettingsError::NotFile),
        Ok(_) => std::fs::File::open(file),
        Err(error) => Err(error),
    };
    match opened {
        Ok(opened) => {
            let mut text = String::new();
            opened.take(LONGEST).read_to_string(&mut text)?;
            Ok(Some(text))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The hooks of sayso in settings that have groups.
pub(crate) fn hooks(
    which: Which,
    settings: &Node,
    text: &str,
    file: &Path,
    scope: Scope,
    version: &str,
) -> Vec<Configured> {
    let groups = settings
        .get("hooks")
        .and_then(|hooks| hooks.get("PreToolUse"))
        .map(Node::items)
        .unwrap_or_default();
    let one = |group: &Node| {
        let handlers = group.get("hooks").map(Node::items).unwrap_or_default();
        let (starts, handler) = handlers
            .iter()
            .find_map(|handler| Some((started(which, handler)?, handler)))?;
        let matcher = group
            .get("matcher")
            .and_then(Node::as_text)
            .unwrap_or_default();
        Some(Configured {
            file: file.to_owned(),
            scope,
            digest: Digest::of_bytes(text.as_bytes()).to_string(),
            which,
            is_whole: false,
            starts,
            blocks_on_failure: handler.get("onFailure").and_then(Node::as_text) == Some("block"),
            for_all_tools: matches!(matcher, "" | "*" | ".*"),
            version: version.to_owned(),
            group: group.clone(),
        })
    };
    groups.iter().filter_map(one).collect()
}
