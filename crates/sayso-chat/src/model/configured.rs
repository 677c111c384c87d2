//! Which model is meant: the built-in one, one of the person's file `chat.yaml`, or an endpoint by its interface and name.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sayso_core::paths::{hidden_in_home, secret};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, yaml};
use sayso_world::bounded_file::{Content, LastLink, read};
use sayso_world::locations::Whereabouts;

use super::key::{Key, KeyError};
use super::remote::{Api, Price, Remote};
use super::scripted;
use super::scripted::Scripted;
use super::wire::{AddressError, KeyHeader, Wire};
use super::{Model, anthropic};
use crate::error::shown;

/// The file with models, in the folder of sayso's settings.
pub const FILE: &str = "chat.yaml";
/// So long an endpoint may say nothing.
const IDLE: Duration = Duration::from_secs(120);
/// The pause before an endpoint is asked again.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest answer in tokens, where the file does not say.
const LONGEST_ANSWER: u64 = 8192;
const LARGEST_FILE: u64 = 1 << 20;

/// Why no model can be had: what is wrong with the file of models, or with one of them.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelsError {
    #[error("`{}` is a link", shown(.0))]
    Link(PathBuf),
    #[error("`{}` {}", shown(.0), .1)]
    Unusable(PathBuf, String),
    #[error("`{path}` can be written by others\nhint: run `chmod go-w {path}`", path = shown(.0))]
    OpenToOthers(PathBuf),
    #[error("`{}` is no UTF-8 text", shown(.0))]
    NotText(PathBuf),
    #[error("`{}`: {}", shown(.0), .1)]
    InFile(PathBuf, Box<ModelsError>),
    #[error("{0}")]
    NotYaml(String),
    #[error("the model `{}`: {}", visible(.0), .1)]
    InModel(String, Box<ModelsError>),
    #[error("there is no key `{}`{}", visible(.0), if *.1 { "" } else { "; the keys are model and models" })]
    NoKey(String, bool),
    #[error("`{0}` is text, and this is {1}")]
    NoWord(String, &'static str),
    #[error("`{}` {}", .0, .1)]
    NoValue(&'static str, &'static str),
    #[error("this name is taken")]
    TakenName,
    #[error(
        "a key does not stand in this file\nhint: name a variable with `key_env`, or a file with `key_file`"
    )]
    KeyInFile,
    #[error(
        "the key of the model `{}` is in `{}`, inside of the workspace, where tools and commands can read it\nhint: keep it elsewhere, such as in `~/.config/keys`",
        visible(.0),
        shown(.1)
    )]
    KeyInWorkspace(String, PathBuf),
    #[error("there is no model `{}`\nhint: say `openai:NAME` or `anthropic:NAME`, or one of `{}`", visible(.0), .1.join("`, `"))]
    NoModel(String, Vec<String>),
    #[error("the model `{}` needs a key\nhint: put it into `{}`, or name a file with `key_file` in `{FILE}`", visible(.0), .1)]
    NeedsKey(String, &'static str),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Address(#[from] AddressError),
}

/// What the person's file says.
#[derive(Debug, Default)]
pub struct Configured {
    /// The model that is used where none is named.
    pub chosen: Option<String>,
    models: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    api: Api,
    url: Option<String>,
    model: String,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    stream: bool,
    longest: u64,
    price: Option<Price>,
    idle: Duration,
}

impl Configured {
    /// Reads the file; where there is none, nothing is said.
    ///
    /// # Errors
    /// What is wrong with it, with its place; also a key that stands in the workspace, where the model's tools read and commands run.
    pub fn read(whereabouts: &Whereabouts, workspace: &Path) -> Result<Configured, ModelsError> {
        let path = whereabouts.config.join(FILE);
        let text = match read(&path, LARGEST_FILE, LastLink::Follow) {
            Content::Missing => return Ok(Configured::default()),
            Content::Link => return Err(ModelsError::Link(path)),
            Content::Unusable(reason) => return Err(ModelsError::Unusable(path, reason)),
            Content::Bytes(bytes, metadata) => {
                // Whoever may write it chooses where everything that is said goes.
                if metadata.mode() & 0o022 != 0
                    || (metadata.uid() != whereabouts.uid && metadata.uid() != 0)
                {
                    return Err(ModelsError::OpenToOthers(path));
                }
                match String::from_utf8(bytes) {
                    Ok(text) => text,
                    Err(_) => return Err(ModelsError::NotText(path)),
                }
            }
        };
        let home = whereabouts.home.as_deref();
        let read = Configured::of(&text, home).and_then(|read| {
            read.models
                .iter()
                .try_for_each(|entry| entry.apart(workspace, home))
                .map(|()| read)
        });
        read.map_err(|error| ModelsError::InFile(path, Box::new(error)))
    }

    /// The files with keys, free of links where they are there: no tool of a session reads them.
    pub fn key_files(&self) -> Vec<PathBuf> {
        let files = self
            .models
            .iter()
            .filter_map(|entry| entry.key_file.as_ref());
        files
            .flat_map(|file| [Some(file.clone()), std::fs::canonicalize(file).ok()])
            .flatten()
            .collect()
    }

    fn of(text: &str, home: Option<&Path>) -> Result<Configured, ModelsError> {
        let tree = yaml::read(text, &Limits::policy())
            .map_err(|finding| ModelsError::NotYaml(finding.message))?;
        let mut out = Configured::default();
        for entry in tree.entries() {
            match entry.key.as_str() {
                "model" => out.chosen = Some(word(&entry.node, "model")?),
                "models" => {
                    for model in entry.node.entries() {
                        let read = Entry::of(&model.key, &model.node, home);
                        out.models.push(read.map_err(|error| {
                            ModelsError::InModel(model.key.clone(), Box::new(error))
                        })?);
                    }
                }
                other => {
                    return Err(ModelsError::NoKey(other.to_owned(), false));
                }
            }
        }
        Ok(out)
    }

    /// The names that can be chosen.
    pub fn names(&self) -> Vec<String> {
        std::iter::once(scripted::NAME.to_owned())
            .chain(self.models.iter().map(|entry| entry.name.clone()))
            .collect()
    }

    /// The model of a name; where none is given, the chosen one of the file, else the one that is built in.
    ///
    /// # Errors
    /// When there is none, or its key is missing.
    pub fn model(&self, name: Option<&str>) -> Result<Box<dyn Model>, ModelsError> {
        let name = name.or(self.chosen.as_deref()).unwrap_or(scripted::NAME);
        if name == scripted::NAME {
            return Ok(Box::new(Scripted));
        }
        if let Some(entry) = self.models.iter().find(|entry| entry.name == name) {
            return entry
                .open()
                .map(|remote| Box::new(remote) as Box<dyn Model>);
        }
        let direct = name
            .split_once(':')
            .and_then(|(api, model)| Some((api_of(api)?, model)))
            .filter(|(_, model)| !model.is_empty());
        let Some((api, model)) = direct else {
            return Err(ModelsError::NoModel(name.to_owned(), self.names()));
        };
        Entry::direct(name, api, model)
            .open()
            .map(|remote| Box::new(remote) as Box<dyn Model>)
    }
}

fn api_of(word: &str) -> Option<Api> {
    match word {
        "openai" => Some(Api::OpenAi),
        "anthropic" => Some(Api::Anthropic),
        _ => None,
    }
}

fn word(node: &Node, key: &str) -> Result<String, ModelsError> {
    node.as_text()
        .map(str::to_owned)
        .ok_or_else(|| ModelsError::NoWord(key.to_owned(), node.kind_word()))
}

/// A value of a model that is none.
fn no_value(key: &'static str, wanted: &'static str) -> ModelsError {
    ModelsError::NoValue(key, wanted)
}

impl Entry {
    fn direct(name: &str, api: Api, model: &str) -> Entry {
        let base = if api == Api::OpenAi {
            "OPENAI_BASE_URL"
        } else {
            "ANTHROPIC_BASE_URL"
        };
        Entry {
            name: name.to_owned(),
            api,
            url: std::env::var(base).ok().filter(|url| !url.is_empty()),
            model: model.to_owned(),
            key_env: None,
            key_file: None,
            stream: true,
            longest: LONGEST_ANSWER,
            price: None,
            idle: IDLE,
        }
    }

    fn of(name: &str, node: &Node, home: Option<&Path>) -> Result<Entry, ModelsError> {
        let api = node
            .get("api")
            .and_then(Node::as_text)
            .and_then(api_of)
            .ok_or(no_value("api", "is `openai` or `anthropic`"))?;
        let mut out = Entry {
            name: name.to_owned(),
            url: None,
            ..Entry::direct(name, api, "")
        };
        if name == scripted::NAME || name.contains(':') {
            return Err(ModelsError::TakenName);
        }
        for entry in node.entries() {
            let key = entry.key.as_str();
            match key {
                "api" => {}
                "url" => out.url = Some(word(&entry.node, key)?),
                "model" => out.model = word(&entry.node, key)?,
                "key_env" => out.key_env = Some(word(&entry.node, key)?),
                "key_file" => {
                    let path = word(&entry.node, key)?;
                    let file = match (path.strip_prefix("~/"), home) {
                        (Some(rest), Some(home)) => home.join(rest),
                        _ => PathBuf::from(path),
                    };
                    // Any other would be another file in each folder that sayso is started in.
                    out.key_file = Some(file).filter(|file| file.is_absolute());
                    if out.key_file.is_none() {
                        return Err(no_value("key_file", "starts with `/` or `~/`"));
                    }
                }
                "stream" => {
                    let stream = entry.node.as_bool();
                    out.stream = stream.ok_or(no_value("stream", "is true or false"))?;
                }
                "max_tokens" => {
                    out.longest = entry
                        .node
                        .as_whole()
                        .filter(|most| *most > 0)
                        .ok_or(no_value("max_tokens", "is a number"))?
                }
                "timeout" => {
                    out.idle = Duration::from_secs(
                        entry
                            .node
                            .as_whole()
                            .filter(|most| *most > 0)
                            .ok_or(no_value("timeout", "is a number of seconds"))?,
                    );
                }
                "price" => out.price = Some(price(&entry.node)?),
                "key" => return Err(ModelsError::KeyInFile),
                other => {
                    return Err(ModelsError::NoKey(other.to_owned(), true));
                }
            }
        }
        if out.model.is_empty() {
            return Err(no_value("model", "says what the endpoint calls it"));
        }
        Ok(out)
    }

    /// The key does not stand where tools read and commands run unasked. What is secret by its name is asked about there, too, and is in
    /// no sandbox: somebody may work in their home folder.
    fn apart(&self, workspace: &Path, home: Option<&Path>) -> Result<(), ModelsError> {
        let Some(file) = &self.key_file else {
            return Ok(());
        };
        let is_inside = |path: &Path| {
            let text = path.to_string_lossy();
            let home = home.map(Path::to_string_lossy);
            let is_secret = secret(&text, home.as_deref()).is_some()
                || home.is_some_and(|home| hidden_in_home(&text, &home));
            path.starts_with(workspace) && !is_secret
        };
        match is_inside(file) || std::fs::canonicalize(file).is_ok_and(|file| is_inside(&file)) {
            false => Ok(()),
            true => Err(ModelsError::KeyInWorkspace(self.name.clone(), file.clone())),
        }
    }

    fn open(&self) -> Result<Remote, ModelsError> {
        let (base, end, usual, header) = match self.api {
            Api::OpenAi => (
                "https://api.openai.com/v1",
                "/chat/completions",
                "OPENAI_API_KEY",
                KeyHeader::Bearer,
            ),
            Api::Anthropic => (
                "https://api.anthropic.com",
                "/v1/messages",
                "ANTHROPIC_API_KEY",
                KeyHeader::XApiKey,
            ),
        };
        let is_usual = self.url.is_none();
        let url = format!(
            "{}{end}",
            self.url.as_deref().unwrap_or(base).trim_end_matches('/')
        );
        let key = match (&self.key_file, &self.key_env) {
            (Some(file), _) => Some(Key::from_file(file)?),
            (None, Some(name)) => Some(
                Key::from_environment(name)?.ok_or_else(|| KeyError::NoVariable(name.clone()))?,
            ),
            // The key of one endpoint is none of another's, unless the person said that address themselves beside it.
            (None, None) if is_usual || self.name.contains(':') => Key::from_environment(usual)?,
            (None, None) => None,
        };
        if key.is_none() && is_usual {
            return Err(ModelsError::NeedsKey(self.name.clone(), usual));
        }
        let more = if self.api == Api::Anthropic {
            vec![("anthropic-version", anthropic::VERSION)]
        } else {
            Vec::new()
        };
        let wire = Wire::new(&url, key.map(|key| (header, key)), more, self.idle)?;
        Ok(Remote {
            name: self.name.clone(),
            model: self.model.clone(),
            api: self.api,
            wire,
            stream: self.stream,
            longest: self.longest,
            price: self.price,
            pause: PAUSE,
            uncounted: AtomicBool::new(false),
        })
    }
}

fn price(node: &Node) -> Result<Price, ModelsError> {
    let number = |key: &str| match node.get(key).map(|node| &node.value) {
        Some(Value::Number(text)) => text
            .parse::<f64>()
            .ok()
            .filter(|price| price.is_finite() && *price >= 0.0),
        _ => None,
    };
    match (number("input"), number("output")) {
        (Some(input), Some(output)) => Ok(Price { input, output }),
        _ => Err(no_value(
            "price",
            "has `input` and `output`, in dollars for a million tokens",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_name_and_mistakes_are_told() {
        let text = "model: local\nmodels:\n  local: {api: openai, url: 'http://127.0.0.1:1/v1', model: m, price: {input: 3, output: 15.5}}\n";
        let read = Configured::of(text, None).unwrap();
        assert_eq!(read.names(), ["scripted", "local"]);
        assert_eq!(read.model(None).unwrap().name(), "local");
        assert_eq!(read.model(Some("scripted")).unwrap().name(), "scripted");
        assert!(
            read.model(Some("nobody"))
                .err()
                .unwrap()
                .to_string()
                .contains("there is no model `nobody`")
        );
        assert_eq!(
            Configured::default().model(None).unwrap().name(),
            "scripted"
        );
        for (text, wanted) in [
            ("modle: x", "there is no key `modle`"),
            ("models: {a: {api: other, model: m}}", "`api` is"),
            ("models: {a: {api: openai}}", "`model` says"),
            (
                "models: {a: {api: openai, model: m, key: sk-1}}",
                "does not stand in this file",
            ),
            ("models: {scripted: {api: openai, model: m}}", "taken"),
            (
                "models: {a: {api: openai, model: m, price: {input: -1, output: 2}}}",
                "dollars",
            ),
            (
                "models: {a: {api: openai, model: m, key_file: key}}",
                "starts with `/` or `~/`",
            ),
        ] {
            let error = Configured::of(text, None).unwrap_err().to_string();
            assert!(
                error.contains(wanted) && !error.contains("sk-1"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn a_key_in_the_workspace_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (home, workspace) = (root.join("home"), root.join("ws"));
        std::fs::create_dir_all(home.join(".config/keys")).unwrap();
        std::fs::create_dir_all(&workspace).unwrap();
        std::fs::write(workspace.join("key"), "k").unwrap();
        std::os::unix::fs::symlink(workspace.join("key"), root.join("link")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", workspace.join("out")).unwrap();
        let apart = |file: &Path, workspace: &Path| {
            let text = format!(
                "models: {{a: {{api: openai, model: m, key_file: '{}'}}}}",
                file.display()
            );
            Configured::of(&text, Some(&home)).unwrap().models[0].apart(workspace, Some(&home))
        };
        for file in [
            workspace.join("key"),
            workspace.join("none"),
            root.join("link"),
            workspace.join("out"),
        ] {
            assert!(
                apart(&file, &workspace)
                    .unwrap_err()
                    .to_string()
                    .contains("inside of the workspace"),
                "{}",
                file.display()
            );
        }
        assert_eq!(apart(&root.join("elsewhere"), &workspace), Ok(()));
        assert_eq!(
            apart(&home.join(".config/keys/a"), &home),
            Ok(()),
            "it is secret by its name"
        );
        assert!(apart(&home.join("notes/a"), &home).is_err());
    }
}
