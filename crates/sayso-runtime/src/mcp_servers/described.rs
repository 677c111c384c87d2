//! What the person says of tools, in `tools.d/*.yaml` of sayso's own configuration: what each argument means, and whether that is all.
//!
//! No agent may write there. A file that cannot be read describes nothing, and every call is asked about until it is mended.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sayso_core::analysis::draft::Draft;
use sayso_core::analysis::effect::{Effect, Target};
use sayso_core::analysis::mcp_arguments;
use sayso_core::call::mcp_meaning::Meaning;
use sayso_core::call::operation::{Call, McpIdentity, Operation, ToolSays};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, yaml};

use super::error::ConfigError;

const FOLDER: &str = "tools.d";
/// The largest file.
const LARGEST: u64 = 1 << 20;
/// Bits by which others can write.
const OTHERS_WRITE: u32 = 0o022;
const KEYS: [&str; 6] = ["tool", "arguments", "whole", "risk", "ask", "examples"];

/// What the person says of tools, by `server/tool`.
#[derive(Debug, Default)]
pub struct Described {
    tools: BTreeMap<String, Tool>,
    /// Why it is not all there is.
    trouble: Option<ConfigError>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tool {
    meanings: Vec<(String, Meaning)>,
    is_whole: bool,
    is_risky: bool,
    /// It is always asked about: the arguments that make calls the same, and what the person reads.
    asks: Option<(Vec<String>, String)>,
}

impl Described {
    /// Reads all files.
    pub fn load(config: &Path) -> Described {
        let mut all = Described::default();
        let Ok(entries) = fs::read_dir(config.join(FOLDER)) else {
            return all;
        };
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| {
            path.extension()
                .is_some_and(|ending| ending == "yaml" || ending == "yml")
        });
        files.sort();
        for path in files {
            let read = text(&path).and_then(|text| parse(&text)).and_then(|tools| {
                let twice = tools.keys().find(|name| all.tools.contains_key(*name));
                twice
                    .map_or(Ok(()), |name| Err(ConfigError::Twice(name.clone())))
                    .map(|()| tools)
            });
            match read {
                Ok(tools) => all.tools.extend(tools),
                Err(why) => all.trouble = Some(why.in_file(path)),
            }
        }
        all
    }

    /// Puts what is said of a tool into what is known of it.
    pub fn tell(&self, server: &str, name: &str, known: &mut McpIdentity) {
        known
            .asks
            .extend(self.trouble.as_ref().map(ToString::to_string));
        let Some(tool) = self.tools.get(&format!("{server}/{name}")) else {
            return;
        };
        known.meanings.clone_from(&tool.meanings);
        known.is_described_whole = tool.is_whole && self.trouble.is_none();
        if tool.is_risky {
            known
                .annotations
                .retain(|(name, _)| name != "destructiveHint");
            known.annotations.push(("destructiveHint".to_owned(), true));
        }
    }

    /// What is said of being asked about.
    pub fn says(&self, server: &str, name: &str, arguments: &Node) -> ToolSays {
        match self
            .tools
            .get(&format!("{server}/{name}"))
            .and_then(|tool| tool.asks.as_ref())
        {
            None => ToolSays::Nothing,
            Some((keys, words)) => {
                let same = keys.iter().map(|key| {
                    (
                        key.clone(),
                        arguments
                            .get(key)
                            .cloned()
                            .unwrap_or_else(|| Value::Null.into()),
                    )
                });
                let payload = [
                    ("server", Node::text(server)),
                    ("tool", Node::text(name)),
                    ("arguments", Node::map(same)),
                ];
                ToolSays::NeedsApproval {
                    payload: Node::map(payload),
                    description: words.clone(),
                }
            }
        }
    }
}

/// The text of a file that nobody else can write.
pub fn text(path: &Path) -> Result<String, ConfigError> {
    let file = fs::File::open(path)?;
    let found = file.metadata()?;
    let me = rustix::process::geteuid().as_raw();
    if ![0, me].contains(&found.uid()) || found.mode() & OTHERS_WRITE != 0 {
        return Err(ConfigError::OthersWrite);
    }
    if !found.is_file() || found.len() > LARGEST {
        return Err(ConfigError::NotASmallFile);
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text)?;
    Ok(text)
}

fn parse(text: &str) -> Result<BTreeMap<String, Tool>, ConfigError> {
    let node = yaml::read(text, &Limits::policy()).map_err(ConfigError::NotYaml)?;
    if node.get("version").and_then(Node::as_whole) != Some(1) {
        return Err(ConfigError::NoVersion);
    }
    known_keys(&node, &["version", "tools"])?;
    let mut tools = BTreeMap::new();
    for item in node.get("tools").map_or(&[][..], Node::items) {
        known_keys(item, &KEYS)?;
        let name = item
            .get("tool")
            .and_then(Node::as_text)
            .ok_or(ConfigError::Unnamed)?;
        let (server, tool) = name
            .split_once('/')
            .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
            .ok_or_else(|| ConfigError::NotServerAndTool(name.to_owned()))?;
        let described = one(item).map_err(|why| why.of(name))?;
        examples(item, server, tool, &described).map_err(|why| why.of(name))?;
        if tools.insert(name.to_owned(), described).is_some() {
            return Err(ConfigError::Twice(name.to_owned()));
        }
    }
    Ok(tools)
}

/// Insists on a map with no other keys.
pub fn known_keys(node: &Node, keys: &[&str]) -> Result<(), ConfigError> {
    let Value::Map(entries) = &node.value else {
        return Err(ConfigError::NotAMap(node.kind_word()));
    };
    let odd = entries
        .iter()
        .find(|entry| !keys.contains(&entry.key.as_str()));
    odd.map_or(Ok(()), |entry| {
        Err(ConfigError::UnknownKey {
            key: entry.key.clone(),
            known: keys.join(", "),
        })
    })
}

fn one(item: &Node) -> Result<Tool, ConfigError> {
    let meaning = |entry: &sayso_core::text::node::Entry| {
        let word = entry.node.as_text().unwrap_or_default();
        let meaning = Meaning::from_word(word).ok_or_else(|| ConfigError::UnknownMeaning {
            argument: entry.key.clone(),
            word: word.to_owned(),
            known: Meaning::words().collect::<Vec<_>>().join(", "),
        })?;
        Ok((entry.key.clone(), meaning))
    };
    let meanings = item
        .get("arguments")
        .map_or(&[][..], Node::entries)
        .iter()
        .map(meaning)
        .collect::<Result<_, ConfigError>>()?;
    let is_risky = match item.get("risk").map(Node::as_text) {
        None => false,
        Some(Some("high")) => true,
        Some(_) => {
            return Err(ConfigError::LowersRisk);
        }
    };
    let asks = match item.get("ask") {
        None => None,
        Some(node) => {
            known_keys(node, &["payload", "says"])?;
            let keys = node.get("payload").map_or(&[][..], Node::items).iter();
            let keys = keys
                .map(|key| key.as_text().map(str::to_owned))
                .collect::<Option<Vec<_>>>()
                .ok_or(ConfigError::PayloadNotNames)?;
            let says = node
                .get("says")
                .and_then(Node::as_text)
                .ok_or(ConfigError::NothingToRead)?;
            Some((keys, says.to_owned()))
        }
    };
    Ok(Tool {
        meanings,
        is_whole: item.get("whole").and_then(Node::as_bool).unwrap_or(false),
        is_risky,
        asks,
    })
}

/// Each example must come to the effects that it names: `write a.txt`, `connect example.org`.
fn examples(item: &Node, server: &str, tool: &str, described: &Tool) -> Result<(), ConfigError> {
    for example in item.get("examples").map_or(&[][..], Node::items) {
        known_keys(example, &["arguments", "effects"])?;
        let arguments = example
            .get("arguments")
            .cloned()
            .ok_or(ConfigError::ExampleWithoutArguments)?;
        let args = Node::map([
            ("server", Node::text(server)),
            ("tool", Node::text(tool)),
            ("arguments", arguments),
        ]);
        let known = McpIdentity {
            meanings: described.meanings.clone(),
            is_described_whole: described.is_whole,
            ..McpIdentity::default()
        };
        let call = Call {
            mcp: Some(known),
            ..Call::new("mcp", args, "/")
        };
        let operation = Operation::freeze(call).map_err(ConfigError::ExampleMalformed)?;
        let mut draft = Draft::default();
        mcp_arguments::add(&mut draft, &operation);
        let mut found: Vec<String> = draft.effects.iter().filter_map(words).collect();
        found.extend(mcp_arguments::commands(&operation).map(|command| format!("run {command}")));
        let wanted: Vec<&str> = example
            .get("effects")
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(Node::as_text)
            .collect();
        if found != wanted {
            return Err(ConfigError::ExampleDiffers {
                found: found.join(", "),
                wanted: wanted.join(", "),
            });
        }
    }
    Ok(())
}

fn words(effect: &Effect) -> Option<String> {
    let target = match &effect.target {
        Target::Path(place) => &place.written,
        Target::UnknownPath(written) | Target::Host(written) => written,
        Target::Url(url) => &url.host,
        _ => return None,
    };
    Some(format!("{} {target}", effect.kind.word()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "version: 1\ntools:\n  - tool: fs/put\n    arguments: {where: write, what: data}\n    whole: true\n    risk: high\n    ask: {payload: [where], says: Puts a file}\n    examples:\n      - {arguments: {where: a.txt, what: /etc}, effects: [write a.txt]}\n  - tool: sh/do\n    arguments: {line: command}\n    examples: [{arguments: {line: ls}, effects: [run ls]}]\n";

    #[test]
    fn a_tool_is_what_the_person_says() {
        let tools = parse(GOOD).unwrap();
        let described = Described {
            tools,
            trouble: None,
        };
        let mut known = McpIdentity::default();
        described.tell("fs", "put", &mut known);
        assert!(
            known.is_described_whole && known.annotations == [("destructiveHint".to_owned(), true)]
        );
        assert_eq!(
            known.meanings,
            [
                ("where".to_owned(), Meaning::Writes),
                ("what".to_owned(), Meaning::Data)
            ]
        );
        assert!(matches!(
            described.says("fs", "put", &Node::map::<String>([])),
            ToolSays::NeedsApproval { .. }
        ));
        let mut other = McpIdentity::default();
        described.tell("evil", "put", &mut other);
        assert_eq!(
            other,
            McpIdentity::default(),
            "another server's tool of that name is another one (H-49)"
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, words) in [
            ("tools: []", "version"),
            ("version: 1\ntools: [{tool: a}]", "server/name"),
            ("version: 1\ntools: [{tool: a/b, odd: 1}]", "odd"),
            (
                "version: 1\ntools: [{tool: a/b, arguments: {x: eat}}]",
                "eat",
            ),
            ("version: 1\ntools: [{tool: a/b, risk: low}]", "lowers"),
            ("version: 1\ntools: [{tool: a/b}, {tool: a/b}]", "twice"),
            (
                "version: 1\ntools: [{tool: a/b, ask: {payload: [x]}}]",
                "says",
            ),
            (
                "version: 1\ntools: [{tool: a/b, examples: [{arguments: {path: x}, effects: [read x]}]}]",
                "comes to",
            ),
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.to_string().contains(words), "{text}: {why}");
        }
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(FOLDER)).unwrap();
        fs::write(folder.path().join(FOLDER).join("a.yaml"), "version: 2").unwrap();
        let mut known = McpIdentity::default();
        Described::load(folder.path()).tell("a", "b", &mut known);
        assert!(
            known.asks.iter().any(|why| why.contains("a.yaml")),
            "{known:?}"
        );
    }
}
