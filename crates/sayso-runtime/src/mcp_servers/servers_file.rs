//! The servers that sayso itself may start, as the person tells them in `servers.yaml` of sayso's own configuration.
//!
//! No agent may write there, and no file of a project is asked: a server is a program that runs with the person's rights.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, yaml};
use sayso_tools::terminal::scrubbed;

use super::described::{known_keys, text};
use super::error::{ConfigError, ProgramError};
use super::name;

/// The file.
pub const FILE: &str = "servers.yaml";
const KEYS: [&str; 4] = ["command", "environment", "pass", "workspace"];

/// How a server is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables with their values.
    pub environment: Vec<(String, String)>,
    /// Variables that it gets as sayso has them.
    pub pass: Vec<String>,
    /// It is started in the workspace. Many programs load code from where they are started, and an agent writes there.
    pub workspace: bool,
}

/// Reads the file; none where there is none.
///
/// # Errors
/// When it is there and cannot be used: then no server is.
pub fn load(config: &Path) -> Result<BTreeMap<String, Told>, ConfigError> {
    let path = config.join(FILE);
    if !path.exists() && path.symlink_metadata().is_err() {
        return Ok(BTreeMap::new());
    }
    text(&path)
        .and_then(|text| parse(&text))
        .map_err(|why| why.in_file(path))
}

fn parse(text: &str) -> Result<BTreeMap<String, Told>, ConfigError> {
    let node = yaml::read(text, &Limits::policy()).map_err(ConfigError::NotYaml)?;
    if node.get("version").and_then(Node::as_whole) != Some(1) {
        return Err(ConfigError::NoVersion);
    }
    known_keys(&node, &["version", "servers"])?;
    let mut servers = BTreeMap::new();
    for entry in node.get("servers").map_or(&[][..], Node::entries) {
        let name = name::checked(&entry.key)?;
        let told = one(&entry.node).map_err(|why| why.of(&name))?;
        servers.insert(name, told);
    }
    Ok(servers)
}

fn one(node: &Node) -> Result<Told, ConfigError> {
    known_keys(node, &KEYS)?;
    let texts = |key: &'static str| {
        let list = node.get(key).map_or(&[][..], Node::items).iter();
        list.map(|item| item.as_text().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
            .ok_or(ConfigError::NotTexts { key })
    };
    let command = texts("command")?;
    if command.first().is_none_or(String::is_empty) {
        return Err(ConfigError::NoProgram);
    }
    let value = |node: &Node| match &node.value {
        Value::Text(text) | Value::Number(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    };
    let variables = node
        .get("environment")
        .map_or(&[][..], Node::entries)
        .iter();
    let environment = variables
        .map(|entry| Some((entry.key.clone(), value(&entry.node)?)))
        .collect::<Option<Vec<_>>>();
    let workspace = match node.get("workspace").map(|node| &node.value) {
        None => false,
        Some(Value::Bool(value)) => *value,
        Some(_) => return Err(ConfigError::NotABool),
    };
    let environment = environment.ok_or(ConfigError::VariableNotText)?;
    let told = Told {
        command,
        environment,
        pass: texts("pass")?,
        workspace,
    };
    let names = told
        .environment
        .iter()
        .map(|(name, _)| name)
        .chain(&told.pass);
    let odd = names
        .into_iter()
        .find(|name| name.is_empty() || name.contains(['=', '\0']));
    let nul = told
        .command
        .iter()
        .chain(told.environment.iter().map(|(_, value)| value))
        .any(|text| text.contains('\0'));
    match (odd, nul) {
        (Some(name), _) => Err(ConfigError::VariableName(name.clone())),
        (_, true) => Err(ConfigError::Nul),
        _ => Ok(told),
    }
}

impl Told {
    /// All of the server's environment: the scrubbed one of this process, and what the person told.
    pub fn all_variables(
        &self,
        inherited: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Vec<(OsString, OsString)> {
        let inherited: Vec<_> = inherited.into_iter().collect();
        let mut all = scrubbed(inherited.iter().cloned());
        let passed = inherited
            .into_iter()
            .filter(|(name, _)| self.pass.iter().any(|passed| name == passed.as_str()));
        let told = self
            .environment
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        for (name, value) in passed.chain(told).collect::<Vec<(OsString, OsString)>>() {
            all.retain(|(known, _)| *known != name);
            all.push((name, value));
        }
        all
    }

    /// The command with the program where it is: what is compared is what is started.
    ///
    /// # Errors
    /// When it is nowhere.
    pub fn found(
        &self,
        folder: &Path,
        environment: &[(OsString, OsString)],
    ) -> Result<Vec<OsString>, ProgramError> {
        let (program, arguments) = self.command.split_first().ok_or(ProgramError::NoCommand)?;
        let path = environment
            .iter()
            .find(|(name, _)| name == "PATH")
            .map(|(_, path)| path.clone())
            .unwrap_or_default();
        let found = match program.contains('/') {
            true => Some(folder.join(program)).filter(|file| file.is_file()),
            false => std::env::split_paths(&path)
                .map(|place| place.join(program))
                .find(is_program),
        };
        let found = found.ok_or_else(|| ProgramError::NoProgram(program.clone()))?;
        Ok(std::iter::once(found.into_os_string())
            .chain(arguments.iter().map(OsString::from))
            .collect())
    }
}

fn is_program(file: &PathBuf) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_what_the_person_tells() {
        let servers =
            parse("version: 1\nservers:\n  git:\n    command: [uvx, mcp-server-git]\n    environment: {LEVEL: 3}\n    pass: [TOKEN]\n")
                .unwrap();
        let told = &servers["git"];
        assert_eq!(told.command, ["uvx", "mcp-server-git"]);
        let own = [
            ("TOKEN", "t"),
            ("OTHER", "o"),
            ("LD_PRELOAD", "x"),
            ("LEVEL", "1"),
            ("HOME", "/home/u"),
        ];
        let all = told
            .all_variables(own.map(|(name, value)| (OsString::from(name), OsString::from(value))));
        let of = |name: &str| {
            all.iter()
                .filter(|(known, _)| known == name)
                .map(|(_, value)| value.to_str().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (of("TOKEN"), of("LEVEL"), of("HOME")),
            (vec!["t"], vec!["3"], vec!["/home/u"])
        );
        assert!(of("OTHER").is_empty() && of("LD_PRELOAD").is_empty());
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, words) in [
            ("servers: {}", "version"),
            ("version: 1\nservers: {a__b: {command: [x]}}", "__"),
            ("version: 1\nservers: {a: {command: x}}", "command"),
            ("version: 1\nservers: {a: {command: []}}", "command"),
            (
                "version: 1\nservers: {a: {command: [x], shell: true}}",
                "shell",
            ),
            (
                "version: 1\nservers: {a: {command: [x], environment: {A: [1]}}}",
                "environment",
            ),
            (
                "version: 1\nservers: {a: {command: [x], pass: ['A=B']}}",
                "A=B",
            ),
            ("version: 1\nservers: {a: {command: [\"x\\0\"]}}", "NUL"),
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.to_string().contains(words), "{text}: {why}");
        }
    }
}
