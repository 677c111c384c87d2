//! Entries of one call as a story for people: one thing a line, each with its time.

use sayso_core::analysis::risk::Level;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_again};
use sayso_store::read::Stored;

use super::times;
use sayso_runtime::audit::call::{sign, words};
use sayso_runtime::audit::decided_by as by;

/// What the line itself says, and what is told once for the whole call.
const NOT_TOLD_AGAIN: [&str; 14] = [
    "v",
    "n",
    "at",
    "prev",
    "kind",
    "digest",
    "call",
    "tool",
    "tool_kind",
    "session",
    "user",
    "agent",
    "batch",
    "what",
];
/// What is kept for `sayso audit replay`, and nothing to read.
const NOT_FOR_PEOPLE: [&str; 1] = ["facts"];

/// The story; every line is fit to be seen.
pub(super) fn lines(entries: &[(Stored, Node)], now: i64) -> Vec<String> {
    let mut out = Vec::new();
    let first = |name: &str| entries.iter().find_map(|(_, node)| text(node, name));
    let title = first("what")
        .or_else(|| first("message"))
        .or_else(|| entries.first().map(|(stored, _)| stored.kind.clone()));
    // It was made visible when it was written down.
    out.push(visible_again(&title.unwrap_or_default()));
    for (name, label) in [
        ("call", "call"),
        ("tool", "tool"),
        ("tool_kind", "kind of tool"),
        ("agent", "agent"),
        ("session", "session"),
        ("batch", "batch"),
        ("user", "user"),
    ] {
        if let Some(value) = first(name) {
            out.push(labelled(label, &value));
        }
    }
    for (stored, node) in entries {
        out.push(String::new());
        let time = format!(
            "{} ({})",
            times::absolute(stored.at),
            times::relative(stored.at, now)
        );
        let mut told = Told {
            node,
            used: Vec::new(),
            lines: Vec::new(),
        };
        let heading = match stored.kind.as_str() {
            "asked" => told.asked(),
            "decided" => told.decided(),
            "finished" => told.finished(),
            "resumed" => "taken up by `sayso exec`".to_owned(),
            "granted" => told.granted(),
            "undo" | "undone" => told.undone(),
            other => other.to_owned(),
        };
        out.push(format!("{}  {}", visible(&heading), time));
        told.rest();
        out.append(&mut told.lines);
        out.push(labelled(
            "entry",
            &format!(
                "{}, sha256 {}",
                stored.number,
                stored.digest.to_string().trim_start_matches("sha256:")
            ),
        ));
    }
    out
}

/// One entry, of which each field is told once.
struct Told<'a> {
    node: &'a Node,
    used: Vec<&'static str>,
    lines: Vec<String>,
}

impl Told<'_> {
    fn take(&mut self, name: &'static str) -> Option<String> {
        self.used.push(name);
        text(self.node, name)
    }

    fn tell(&mut self, label: &str, value: Option<String>) {
        if let Some(value) = value {
            self.lines.push(labelled(label, &value));
        }
    }

    fn asked(&mut self) -> String {
        let prompt = self.take("prompt");
        self.tell("prompt", prompt);
        "asked".to_owned()
    }

    fn granted(&mut self) -> String {
        let id = self.take("id").or_else(|| self.take("grant"));
        self.tell("grant", id);
        format!("granted: {}", self.take("words").unwrap_or_default())
    }

    fn decided(&mut self) -> String {
        let outcome = self.take("outcome").unwrap_or_default();
        self.used.push("by");
        let by = by::of_entry(self.node)
            .map(|by| format!(" by {by}"))
            .unwrap_or_default();
        let scope = self
            .take("scope")
            .map(|scope| format!(" ({scope})"))
            .unwrap_or_default();
        let confirmations = match self.take("confirmations").as_deref() {
            None | Some("0") => String::new(),
            Some("1") => ", confirmed once".to_owned(),
            Some(count) => format!(", confirmed {count} times"),
        };
        let heading = format!(
            "{} {}{by}{scope}{confirmations}",
            sign(&outcome),
            words(&outcome)
        );
        if let Some(decision) = self.take("decision") {
            let (risk, tier) = (self.take("risk").unwrap_or_default(), self.take("tier"));
            let level = Level::from_words(&risk, tier.as_deref().unwrap_or("none"));
            let level = level
                .map(|level| format!(", {}", level.words()))
                .unwrap_or_default();
            self.tell("policy", Some(format!("{decision}{level}")));
        }
        if let Some(why) = self.take("why") {
            let (rule, source) = (
                self.take("rule").unwrap_or_default(),
                self.take("source").unwrap_or_default(),
            );
            self.tell(
                "because",
                Some(format!(
                    "{why} [{}]",
                    RuleId::from_recorded(&rule, &source).place()
                )),
            );
        }
        if let (Some(typed), Some(word)) =
            (self.take("user_response"), self.take("user_response_word"))
        {
            self.tell(
                "answer",
                Some(if typed == word {
                    word
                } else {
                    format!("{typed} ({word})")
                }),
            );
        }
        for (name, label) in [
            ("note", "note"),
            ("message", "message"),
            ("profile", "profile"),
            ("cwd", "folder"),
        ] {
            let value = self.take(name);
            self.tell(label, value);
        }
        self.arguments();
        heading
    }

    fn arguments(&mut self) {
        self.used.extend(["args", "args_cut", "args_digest"]);
        let cut = self.node.get("args_cut").and_then(Node::as_bool) == Some(true);
        let title = if cut { "arguments (cut)" } else { "arguments" };
        match self.node.get("args") {
            None => {}
            Some(args) if args.entries().is_empty() => {
                self.lines.push(labelled(title, &json::write_plain(args)))
            }
            Some(args) => {
                self.lines.push(format!("  {title}"));
                for entry in args.entries() {
                    let value = entry
                        .node
                        .as_text()
                        .map_or_else(|| json::write_plain(&entry.node), str::to_owned);
                    self.lines
                        .push(format!("    {}  {}", visible(&entry.key), visible(&value)));
                }
            }
        }
        if let Some(digest) = text(self.node, "args_digest") {
            self.lines.push(labelled("their digest", &digest));
        }
    }

    fn finished(&mut self) -> String {
        let length = self
            .take("milliseconds")
            .and_then(|text| text.parse().ok())
            .map(|time| format!(" after {}", times::length(time)));
        let length = length.unwrap_or_default();
        self.used.extend(["succeeded", "started"]);
        let flag = |name: &str| self.node.get(name).and_then(Node::as_bool);
        match (flag("started"), flag("succeeded")) {
            (Some(false), _) => "✗ did not start".to_owned(),
            (_, Some(true)) => format!("✓ ran, and went well{length}"),
            _ => format!("✗ ran, and failed{length}"),
        }
    }

    fn undone(&mut self) -> String {
        self.used.push("undoes");
        let undone: Vec<&str> = self
            .node
            .get("undoes")
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(Node::as_text)
            .collect();
        self.tell(
            "takes back",
            (!undone.is_empty()).then(|| undone.join(", ")),
        );
        let own = text(self.node, "call");
        self.tell("as call", own);
        "undone".to_owned()
    }

    /// What nothing above has told: entries may say more than this program knows of.
    fn rest(&mut self) {
        for entry in self.node.entries() {
            let name = entry.key.as_str();
            if NOT_TOLD_AGAIN.contains(&name)
                || NOT_FOR_PEOPLE.contains(&name)
                || self.used.contains(&name)
            {
                continue;
            }
            if let Some(value) = text(self.node, name) {
                self.lines.push(labelled(name, &value));
            }
        }
    }
}

/// A field as text.
fn text(node: &Node, name: &str) -> Option<String> {
    let node = node.get(name)?;
    match &node.value {
        Value::Null => None,
        Value::Text(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        _ => Some(json::write_plain(node)),
    }
}

fn labelled(label: &str, value: &str) -> String {
    format!("  {:<13} {}", visible(label), visible(value))
}
