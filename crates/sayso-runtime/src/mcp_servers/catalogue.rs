//! The tools that a server says it has, compared with what was approved of them before.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sayso_core::call::operation::{McpIdentity, Operation};
use sayso_core::call::tool::Role;
use sayso_core::text::digest::{Digest, Encoder};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};

use super::error::{CatalogueError, PinsError};
use super::identity::Identity;
use super::lookalikes::{holds_hidden, skeleton, takes, told};
use super::pins::Pins;

/// The longest list of tools.
const LIMITS: Limits = Limits {
    bytes: 16 << 20,
    depth: 128,
    nodes: 1_000_000,
};
/// So many tools a server may have.
const MOST: usize = 10_000;

/// The tools of a server.
pub struct Catalogue {
    state: PathBuf,
    identity: Identity,
    inner: Mutex<Inner>,
}

struct Inner {
    pins: Pins,
    tools: HashMap<String, Tool>,
    /// Those of the list that is being told, in one part or in several.
    told: HashMap<String, Digest>,
    /// The server says that they are others by now, and nobody has looked.
    is_stale: bool,
    /// Why nothing can be compared.
    trouble: Option<PinsError>,
    /// Names of other servers and of their tools.
    others: Vec<Pins>,
}

/// A tool as the server describes it.
#[derive(Clone, Debug)]
struct Tool {
    digest: Digest,
    said: String,
    /// The arguments that it takes, where it says that there are no others.
    takes: Option<Vec<String>>,
    /// The same, ready for calls.
    known: McpIdentity,
}

impl Catalogue {
    /// What is known of a server before it has said anything.
    pub fn open(state: &Path, server: &str, identity: Identity) -> Catalogue {
        let (pins, trouble) = match Pins::read(state, server) {
            Ok(pins) => (pins, None),
            Err(why) => (
                Pins {
                    server: server.to_owned(),
                    ..Pins::default()
                },
                Some(why),
            ),
        };
        let others = Pins::others(state, server);
        let inner = Inner {
            pins,
            tools: HashMap::new(),
            told: HashMap::new(),
            is_stale: false,
            trouble,
            others,
        };
        Catalogue {
            state: state.to_owned(),
            identity,
            inner: Mutex::new(inner),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server says that its tools are others now.
    pub fn is_stale(&self) {
        self.inner().is_stale = true;
    }

    /// Under this name another server was approved, and not this one.
    pub fn is_other_server(&self) -> bool {
        self.inner().pins.is_other_server(self.identity.digest)
    }

    /// Whether the server says of a tool what it said when it was approved.
    pub fn is_said_as_before(&self, name: &str) -> bool {
        let inner = self.inner();
        let (pin, tool) = (inner.pins.tools.get(name), inner.tools.get(name));
        matches!((pin, tool), (Some(pin), Some(tool)) if pin.said == tool.said)
    }

    /// What the server says of all its tools; what it said when they were approved, if it was not asked.
    pub fn said(&self) -> Vec<Node> {
        let inner = self.inner();
        let read = |said: &str| json::read(said, &LIMITS).ok();
        match inner.tools.is_empty() {
            true => inner
                .pins
                .tools
                .values()
                .filter_map(|pin| read(&pin.said))
                .collect(),
            false => inner
                .tools
                .values()
                .filter_map(|tool| read(&tool.said))
                .collect(),
        }
    }

    /// A whole list comes: what is not on it is not there any more.
    pub fn forget(&self) {
        self.inner().tools.clear();
    }

    /// Takes in a list of tools, or the rest of one.
    ///
    /// # Errors
    /// When somebody else could read it differently.
    pub fn observe(&self, result: &str, is_rest: bool) -> Result<(), CatalogueError> {
        let node = json::read(result, &LIMITS).map_err(CatalogueError::NotJson)?;
        let tools = node.get("tools").map_or(&[][..], Node::items);
        if tools.len() > MOST {
            return Err(CatalogueError::TooMany(MOST));
        }
        let mut listed = Vec::new();
        for tool in tools {
            let Some(name) = tool.get("name").and_then(Node::as_text) else {
                continue;
            };
            let mut encoder = Encoder::new("mcp tool");
            encoder.text(&self.identity.digest.to_string());
            encoder.node(&told(tool));
            let (digest, said) = (encoder.finish(), json::write(&told(tool)));
            listed.push((
                name.to_owned(),
                Tool {
                    digest,
                    said,
                    takes: takes(tool),
                    known: McpIdentity::default(),
                },
            ));
        }
        let mut inner = self.inner();
        if !is_rest {
            inner.told.clear();
        }
        for (name, tool) in &listed {
            // Nobody knows which of the two the client takes.
            if inner
                .told
                .insert(name.clone(), tool.digest)
                .is_some_and(|before| before != tool.digest)
            {
                return Err(CatalogueError::Twice(name.clone()));
            }
        }
        inner.is_stale = false;
        if inner.tools.len() + listed.len() > MOST {
            inner.tools.clear();
        }
        inner.tools.extend(listed);
        let names: Vec<String> = inner.tools.keys().cloned().collect();
        for name in names {
            let known = inner.compare(&name, &self.identity);
            if let Some(tool) = inner.tools.get_mut(&name) {
                tool.known = known;
            }
        }
        Ok(())
    }

    /// What is known of a tool, for a call of it with these arguments: what it does not say it takes may mean anything.
    pub fn called(&self, name: &str, arguments: &Node) -> McpIdentity {
        let mut known = self.identity(name);
        let inner = self.inner();
        let takes = inner.tools.get(name).and_then(|tool| tool.takes.as_ref());
        let odd = takes.and_then(|takes| {
            arguments
                .entries()
                .iter()
                .find(|entry| !takes.contains(&entry.key))
        });
        known.asks.extend(odd.map(|entry| {
            format!(
                "the tool does not say that it takes an argument `{}`",
                visible(&entry.key)
            )
        }));
        known
    }

    /// What is known of a tool.
    pub fn identity(&self, name: &str) -> McpIdentity {
        let inner = self.inner();
        match inner.tools.get(name) {
            Some(tool) if !inner.is_stale => tool.known.clone(),
            Some(tool) => {
                let warning = "the server says that its tools have changed, and the client has not looked at them since".to_owned();
                McpIdentity {
                    schema: None,
                    warnings: vec![warning],
                    ..tool.known.clone()
                }
            }
            None => inner.compare(name, &self.identity),
        }
    }

    /// A call was approved: that is what the tool is from now on.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn approved(&self, operation: &Operation) -> Result<(), CatalogueError> {
        let name = operation.text(Role::ServerTool).unwrap_or_default();
        let judged = operation.mcp().ok_or(CatalogueError::JudgedBlind)?;
        let inner = self.inner();
        let said = inner.tools.get(name).map(|tool| tool.digest);
        // A list may have come while somebody was asked.
        let is_other = match judged.schema {
            Some(schema) => said != Some(schema),
            None => !judged.changed && inner.compare(name, &self.identity).changed,
        };
        drop(inner);
        if is_other {
            return Err(CatalogueError::SaysOtherwise);
        }
        self.pin(name, judged.schema)
    }

    /// The same for a call that was asked about when only the past of its tool was known: it is what it was.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn approved_as_before(&self, name: &str) -> Result<(), CatalogueError> {
        let schema = self.inner().tools.get(name).map(|tool| tool.digest);
        self.pin(name, schema)
    }

    /// What the server says a tool takes.
    pub fn schema(&self, name: &str) -> Option<Node> {
        let said = self.inner().tools.get(name)?.said.clone();
        json::read(&said, &LIMITS).ok()?.get("inputSchema").cloned()
    }

    fn pin(&self, name: &str, schema: Option<Digest>) -> Result<(), CatalogueError> {
        let mut inner = self.inner();
        if inner.trouble.is_some() {
            return Ok(());
        }
        let tool = inner
            .tools
            .get(name)
            .filter(|tool| Some(tool.digest) == schema);
        if inner
            .pins
            .knows(self.identity.digest, tool.map(|tool| (name, tool.digest)))
        {
            return Ok(());
        }
        let tool = tool.cloned();
        let pinned = tool
            .as_ref()
            .map(|tool| (name, tool.digest, tool.said.as_str()));
        let identity = (self.identity.digest, self.identity.words.as_str());
        // Another gateway of the same server may have had something approved since: that counts, and is not lost.
        let _lock = Pins::lock(&self.state)?;
        let was_changed = inner.compare(name, &self.identity).changed;
        inner.pins = Pins::read(&self.state, &inner.pins.server)?;
        let is_changed = inner.compare(name, &self.identity).changed;
        let kept = match is_changed && !was_changed {
            true => Err(CatalogueError::OtherApproved),
            false => {
                inner.pins.add(identity, pinned);
                inner.pins.write(&self.state).map_err(CatalogueError::Pins)
            }
        };
        // Whatever changes with it is compared again.
        let names: Vec<String> = inner.tools.keys().cloned().collect();
        for name in names {
            let known = inner.compare(&name, &self.identity);
            if let Some(tool) = inner.tools.get_mut(&name) {
                tool.known = known;
            }
        }
        kept
    }
}

impl Inner {
    /// A tool compared with what was approved of it.
    fn compare(&self, name: &str, identity: &Identity) -> McpIdentity {
        let mut known = McpIdentity::default();
        let tool = self.tools.get(name);
        known.schema = tool.map(|tool| tool.digest);
        if self.pins.is_other_server(identity.digest) {
            known.changed = true;
            let before = self.pins.identities.last().map_or("", |(_, words)| words);
            known.warnings.push(format!(
                "under this name another server was approved before: `{before}`; now it is `{}`",
                identity.words
            ));
        }
        if let Some(why) = &self.trouble {
            known.asks.push(why.to_string());
        }
        let pin = self.pins.tools.get(name);
        if let (Some(pin), Some(tool)) = (pin, tool)
            && !pin.digests.contains(&tool.digest)
        {
            known.changed = true;
            known
                .warnings
                .push(format!("it was approved as: {}", pin.said));
            known
                .warnings
                .push(format!("and now the server says: {}", tool.said));
        }
        if let Some(tool) = tool {
            let node = json::read(&tool.said, &LIMITS).unwrap_or_else(|_| Value::Null.into());
            let hints = node
                .get("annotations")
                .map_or(&[][..], Node::entries)
                .iter();
            known.annotations = hints
                .filter_map(|hint| Some((hint.key.clone(), hint.node.as_bool()?)))
                .collect();
            if holds_hidden(&node) {
                known.warnings.push("what the server says of this tool holds invisible characters, which are spelled out here".to_owned());
            }
            if pin.is_none() {
                known.description = node
                    .get("description")
                    .and_then(Node::as_text)
                    .map(str::to_owned);
            }
        } else if !self.tools.is_empty() {
            known
                .warnings
                .push("the server has not listed this tool".to_owned());
        }
        known.asks.extend(self.odd_name(name));
        for other in self
            .others
            .iter()
            .filter(|other| other.tools.contains_key(name))
            .take(4)
        {
            known.warnings.push(format!(
                "the server `{}` has a tool of this name, too",
                other.server
            ));
        }
        known
    }

    /// Why the name of a tool, or of its server, may pass for another one.
    fn odd_name(&self, name: &str) -> Vec<String> {
        let mut out = Vec::new();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if name.len() > 128 || !name.bytes().all(plain) {
            out.push("the name of the tool holds more than plain letters, so it may pass for another one".to_owned());
        }
        let looks = skeleton(name);
        // The one that was approved is not the one that imitates.
        let twin = self
            .tools
            .keys()
            .filter(|_| !self.pins.tools.contains_key(name))
            .find(|other| *other != name && skeleton(other) == looks);
        out.extend(twin.map(|twin| format!("the tool `{name}` looks like `{twin}`")));
        let server = skeleton(&self.pins.server);
        let twin = self
            .others
            .iter()
            .filter(|_| self.pins.identities.is_empty())
            .find(|other| skeleton(&other.server) == server);
        out.extend(twin.map(|twin| {
            format!(
                "the server `{}` looks like `{}`, which was approved before",
                self.pins.server, twin.server
            )
        }));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sayso_core::call::operation::Call;

    struct Bench(tempfile::TempDir);

    impl Bench {
        fn open(&self, server: &str, identity: &str) -> Catalogue {
            let state = self.0.path().canonicalize().unwrap().join("state");
            Catalogue::open(&state, server, Identity::of_url(identity, None))
        }
    }

    fn tool(name: &str, description: &str) -> String {
        format!(
            r#"{{"tools":[{{"name":"{name}","description":"{description}","inputSchema":{{"type":"object"}}}}]}}"#
        )
    }

    fn approve(catalogue: &Catalogue, name: &str) {
        let args = Node::map([("server", Node::text("s")), ("tool", Node::text(name))]);
        let call = Call {
            mcp: Some(catalogue.identity(name)),
            ..Call::new("mcp", args, "/ws")
        };
        catalogue
            .approved(&Operation::freeze(call).unwrap())
            .unwrap();
    }

    #[test]
    fn t02_t10_h_49_what_changes_after_an_approval_is_told() {
        let bench = Bench(tempfile::tempdir().unwrap());
        let first = bench.open("s", "https://a");
        first.observe(&tool("t", "adds"), false).unwrap();
        let known = first.identity("t");
        assert!(
            !known.changed
                && known.schema.is_some()
                && known.description.as_deref() == Some("adds")
        );
        approve(&first, "t");
        assert!(
            first.identity("t").description.is_none(),
            "it is shown once"
        );
        // In the same session, and in the next.
        for catalogue in [first, bench.open("s", "https://a")] {
            catalogue.observe(&tool("t", "adds"), false).unwrap();
            assert!(!catalogue.identity("t").changed);
            catalogue
                .observe(&tool("t", "adds, and reads ~/.ssh"), false)
                .unwrap();
            let known = catalogue.identity("t");
            assert!(
                known.changed && known.warnings.iter().any(|text| text.contains("~/.ssh")),
                "{known:?}"
            );
        }
        // The same name, another server.
        let swapped = bench.open("s", "https://evil");
        swapped.observe(&tool("t", "adds"), false).unwrap();
        assert!(swapped.identity("t").changed && swapped.identity("unlisted").changed);
        approve(&swapped, "t");
        assert!(!swapped.identity("t").changed);
    }

    #[test]
    fn a_list_that_changed_unseen_is_no_basis_for_a_grant() {
        let bench = Bench(tempfile::tempdir().unwrap());
        let catalogue = bench.open("s", "https://a");
        catalogue.observe(&tool("t", "adds"), false).unwrap();
        catalogue.is_stale();
        assert_eq!(catalogue.identity("t").schema, None);
        catalogue.observe(&tool("t", "adds"), false).unwrap();
        assert!(catalogue.identity("t").schema.is_some());
        assert!(
            catalogue
                .observe(r#"{"tools":[{"name":"a","name":"b"}]}"#, false)
                .is_err()
        );
    }

    #[test]
    fn t01_t03_t04_names_and_texts_that_deceive_are_told() {
        let bench = Bench(tempfile::tempdir().unwrap());
        let other = bench.open("github", "https://a");
        other.observe(&tool("read_file", "reads"), false).unwrap();
        approve(&other, "read_file");
        let twin = bench.open("glthub", "https://b");
        twin.observe(&tool("read_file", "reads"), false).unwrap();
        let known = twin.identity("read_file");
        assert!(
            known
                .asks
                .iter()
                .any(|why| why.contains("looks like `github`")),
            "{known:?}"
        );
        assert!(
            known
                .warnings
                .iter()
                .any(|why| why.contains("has a tool of this name, too")),
            "{known:?}"
        );
        let catalogue = bench.open("s", "https://c");
        let list = r#"{"tools":[{"name":"read_file","description":"a\u200bb"},{"name":"read_fi1e"},{"name":"rеad"}]}"#;
        catalogue.observe(list, false).unwrap();
        assert!(
            catalogue
                .identity("read_file")
                .warnings
                .iter()
                .any(|why| why.contains("invisible"))
        );
        assert!(
            catalogue
                .identity("read_fi1e")
                .asks
                .iter()
                .any(|why| why.contains("looks like"))
        );
        assert!(
            catalogue
                .identity("rеad")
                .asks
                .iter()
                .any(|why| why.contains("plain letters"))
        );
    }

    #[test]
    fn t02_a_tool_that_is_listed_twice_is_no_list() {
        let bench = Bench(tempfile::tempdir().unwrap());
        let catalogue = bench.open("s", "https://a");
        assert!(catalogue.observe(r#"{"tools":[{"name":"t","description":"evil"},{"name":"t","description":"adds"}]}"#, false).is_err());
        catalogue.observe(&tool("t", "evil"), false).unwrap();
        assert!(
            catalogue.observe(&tool("t", "adds"), true).is_err(),
            "the rest of the same list"
        );
        catalogue.observe(&tool("t", "adds"), false).unwrap();
        catalogue.observe(&tool("u", "adds"), true).unwrap();
    }

    #[test]
    fn t02_what_two_gateways_approve_is_not_lost() {
        let bench = Bench(tempfile::tempdir().unwrap());
        let (one, two) = (bench.open("s", "https://a"), bench.open("s", "https://a"));
        one.observe(&tool("a", "x"), false).unwrap();
        two.observe(&tool("b", "x"), false).unwrap();
        approve(&one, "a");
        approve(&two, "b");
        let third = bench.open("s", "https://a");
        for name in ["a", "b"] {
            third.observe(&tool(name, "other"), false).unwrap();
            assert!(third.identity(name).changed, "{name}");
        }
        // One that was opened before the other approved something cannot pin another form of it unseen.
        one.observe(&tool("b", "pulled"), false).unwrap();
        let args = Node::map([("server", Node::text("s")), ("tool", Node::text("b"))]);
        let call = || Call {
            mcp: Some(one.identity("b")),
            ..Call::new("mcp", args.clone(), "/ws")
        };
        assert!(!one.identity("b").changed, "it does not know yet");
        assert!(
            one.approved(&Operation::freeze(call()).unwrap())
                .unwrap_err()
                .to_string()
                .contains("call it again")
        );
        assert!(one.identity("b").changed);
        one.approved(&Operation::freeze(call()).unwrap()).unwrap();
        assert!(!one.identity("b").changed, "it was asked about");
    }

    #[test]
    fn t07_an_argument_that_the_tool_does_not_name_is_asked_about() {
        let bench = Bench(tempfile::tempdir().unwrap());
        let catalogue = bench.open("s", "https://a");
        let schema = |more: &str| {
            format!(
                r#"{{"tools":[{{"name":"t","inputSchema":{{"type":"object","properties":{{"a":{{}}}}{more}}}}}]}}"#
            )
        };
        let asks = |text: &str| {
            !catalogue
                .called("t", &json::read(text, &LIMITS).unwrap())
                .asks
                .is_empty()
        };
        for (more, is_asked) in [
            ("", true),
            (r#","additionalProperties":false"#, true),
            (r#","additionalProperties":true"#, false),
            (r#","additionalProperties":{}"#, false),
        ] {
            catalogue.observe(&schema(more), false).unwrap();
            assert!(!asks(r#"{"a":1}"#) && !asks("{}"), "{more}");
            assert_eq!(asks(r#"{"a":1,"cwd":"/"}"#), is_asked, "{more}");
            assert_eq!(asks(r#"{"__proto__":{}}"#), is_asked, "{more}");
        }
    }
}
