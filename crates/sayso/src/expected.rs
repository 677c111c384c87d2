//! Files of expected verdicts: what `sayso policy test` and the corpus are made of.
//!
//! A file is a list of rows, or a map with `rows` and, for a corpus, the scene they play in.

use sayso_core::analysis::effect::{Effect, EffectKind, Target};
use sayso_core::analysis::fact::{Surroundings, shown};
use sayso_core::call::operation::{Agent, Call};
use sayso_core::paths::{join, relative};
use sayso_core::policy::shape::Shape::{Bool, List, Names, Text, Word};
use sayso_core::policy::shape::{Field, Record, Shape, check};
use sayso_core::text::diagnostic::{Diagnostic, Source};
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, yaml};
use sayso_gate::pipeline::Judged;

const fn field(key: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { key, shape, doc }
}

static ROW: Record = Record {
    name: "a row",
    fields: &[
        field("name", Text, "What the row shows."),
        field("command", Text, "A command line."),
        field("tool", Text, "A tool, with `args`."),
        field("agent", Text, "The agent that calls."),
        field("parents", List(&Text), "The agents that started it."),
        field("cwd", Text, "The folder, relative to the workspace."),
        field("expect", Word(&["allow", "ask", "deny"]), "The decision."),
        field(
            "tier",
            Word(&["none", "dangerous", "catastrophic"]),
            "The danger.",
        ),
        field(
            "risk",
            Word(&["low", "medium", "high", "unknown"]),
            "The risk.",
        ),
        field(
            "confirm",
            Word(&["none", "single", "double"]),
            "The confirmation.",
        ),
        field(
            "rule",
            Text,
            "The rule or check that one of the reasons names.",
        ),
        field(
            "harmless",
            Bool,
            "Whether nothing bad would come of it; for the count of needless questions.",
        ),
        field(
            "class",
            Text,
            "The class of attacks, or the hole, that the row is an example of.",
        ),
        field(
            "parts",
            List(&Text),
            "The simple commands, in order, each as its words with blanks between them.",
        ),
        field(
            "effects",
            List(&Text),
            "Effects that must be among those of the call.",
        ),
    ],
};

static SCENE: Record = Record {
    name: "the file",
    fields: &[
        field("about", Text, "What the file shows."),
        field("profile", Text, "The profile."),
        field("mode", Text, "The mode."),
        field("policy", Text, "The person's policy file."),
        field("managed", Text, "The administrator's policy file."),
        field("project", Text, "The project's policy file."),
        field("trusted", Bool, "Whether the project's file is trusted."),
        field("git", Bool, "Whether the workspace is a repository."),
        field(
            "tracked",
            Text,
            "Which of the files git tracks, as `git add` is told: `.`, or `-f .` for those that it ignores, too.",
        ),
        field(
            "files",
            Names(&Text),
            "Files in the workspace, with their content.",
        ),
        field(
            "links",
            Names(&Text),
            "Links in the workspace, with where they lead.",
        ),
        field(
            "hard_links",
            Names(&Text),
            "Second names of files in the workspace.",
        ),
        field("outside", Names(&Text), "Files beside the workspace."),
    ],
};

/// One expected verdict.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it shows.
    pub name: String,
    /// Line in the file.
    pub line: usize,
    node: Node,
}

/// A file of expected verdicts.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Everything but the rows.
    pub scene: Node,
    /// The rows.
    pub rows: Vec<Row>,
}

/// What is wrong with a file of expected verdicts, as whole lines.
#[derive(Debug, thiserror::Error)]
#[error("{}", .findings.iter().map(|finding| finding.render(Source { name, text })).collect::<String>())]
pub struct ExpectedError {
    name: String,
    text: String,
    findings: Vec<Diagnostic>,
}

/// Reads a file.
pub fn read(source: Source<'_>) -> Result<Expected, ExpectedError> {
    let wrong = |findings: Vec<Diagnostic>| ExpectedError {
        name: source.name.to_owned(),
        text: source.text.to_owned(),
        findings,
    };
    let mut node =
        yaml::read(source.text, &Limits::policy()).map_err(|finding| wrong(vec![finding]))?;
    let mut findings = Vec::new();
    let rows = match &mut node.value {
        sayso_core::text::node::Value::List(items) => std::mem::take(items),
        sayso_core::text::node::Value::Map(entries) => {
            let at = entries.iter().position(|entry| entry.key == "rows");
            match at.map(|at| entries.remove(at).node.into_value()) {
                Some(sayso_core::text::node::Value::List(items)) => items,
                _ => {
                    return Err(wrong(vec![Diagnostic::error(
                        node.span,
                        "the file has no list of `rows`",
                    )]));
                }
            }
        }
        _ => {
            return Err(wrong(vec![Diagnostic::error(
                node.span,
                "the file is neither a list of rows nor a map with `rows`",
            )]));
        }
    };
    if !node.entries().is_empty() {
        check(&node, &Shape::Record(&SCENE), &mut findings);
    }
    for row in &rows {
        check_row(row, &mut findings);
    }
    if !findings.is_empty() {
        return Err(wrong(findings));
    }
    let rows = rows.into_iter().map(|node| {
        let name = ["name", "command", "tool"]
            .iter()
            .find_map(|key| node.get(key))
            .and_then(Node::as_text)
            .unwrap_or_default()
            .to_owned();
        Row {
            name,
            line: source.line_column(node.span.start as usize).0,
            node,
        }
    });
    Ok(Expected {
        scene: node.clone(),
        rows: rows.collect(),
    })
}

fn check_row(row: &Node, findings: &mut Vec<Diagnostic>) {
    // `args` has any shape, so it is taken out before the others are checked.
    let entries = row
        .entries()
        .iter()
        .filter(|entry| entry.key != "args")
        .cloned()
        .collect();
    let plain = Node {
        value: sayso_core::text::node::Value::Map(entries),
        span: row.span,
    };
    check(&plain, &Shape::Record(&ROW), findings);
    if row.get("expect").is_none() {
        findings.push(
            Diagnostic::error(row.span, "the row expects nothing")
                .hint("add `expect: allow`, `ask` or `deny`"),
        );
    }
    if row.get("command").is_some() == row.get("tool").is_some() {
        findings.push(Diagnostic::error(
            row.span,
            "a row has either `command` or `tool`",
        ));
    }
}

impl Row {
    /// The call of the row in a workspace.
    pub fn call(&self, workspace: &str) -> Call {
        let text = |key: &str| self.node.get(key).and_then(Node::as_text);
        let call = match text("command") {
            Some(command) => Call::command(command, workspace),
            None => {
                let args = self
                    .node
                    .get("args")
                    .cloned()
                    .unwrap_or_else(|| Node::map::<String>([]));
                Call::new(text("tool").unwrap_or_default(), args, workspace)
            }
        };
        let parents = self
            .node
            .get("parents")
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(|item| item.as_text().map(str::to_owned));
        let agent = Agent {
            name: text("agent").unwrap_or_default().to_owned(),
            parents: parents.collect(),
        };
        Call {
            cwd: join(workspace, text("cwd").unwrap_or(".")),
            agent,
            ..call
        }
    }

    /// The decision it expects.
    pub fn decision(&self) -> &str {
        self.node
            .get("expect")
            .and_then(Node::as_text)
            .unwrap_or_default()
    }

    /// Whether nothing bad would come of it.
    pub fn is_harmless(&self) -> bool {
        self.node
            .get("harmless")
            .and_then(Node::as_bool)
            .unwrap_or(false)
    }

    /// The class of attacks, or the hole, that it is an example of.
    pub fn class(&self) -> Option<&str> {
        self.node.get("class").and_then(Node::as_text)
    }

    fn texts(&self, key: &str) -> Option<Vec<&str>> {
        Some(
            self.node
                .get(key)?
                .items()
                .iter()
                .filter_map(Node::as_text)
                .collect(),
        )
    }

    /// What differs between a verdict and the row; nothing if it is as expected.
    pub fn differences(&self, decision: &str, judged: Option<&Judged>) -> Vec<String> {
        let expected = |key: &str| self.node.get(key).and_then(Node::as_text);
        let mut out = Vec::new();
        let mut compare = |key: &str, got: &str| {
            if let Some(wanted) = expected(key).filter(|wanted| *wanted != got) {
                out.push(format!("{key}: expected {wanted}, got {got}"));
            }
        };
        compare("expect", decision);
        let Some(Judged { verdict, reading }) = judged else {
            return out;
        };
        compare("tier", verdict.tier.word());
        compare("risk", verdict.risk.word());
        compare("confirm", verdict.confirm.word());
        if let Some(rule) = expected("rule")
            && !verdict
                .reasons
                .iter()
                .any(|reason| reason.rule.name() == rule)
        {
            let given: Vec<&str> = verdict
                .reasons
                .iter()
                .map(|reason| reason.rule.name())
                .collect();
            out.push(format!("rule: expected {rule}, got {}", given.join(", ")));
        }
        let parts: Vec<String> = reading
            .commands
            .iter()
            .map(|command| command.words.join(" "))
            .filter(|part| !part.is_empty())
            .collect();
        if let Some(wanted) = self.texts("parts").filter(|wanted| *wanted != parts) {
            out.push(format!("parts: expected {wanted:?}, got {parts:?}"));
        }
        let effects: Vec<String> = verdict
            .effects
            .iter()
            .filter_map(|effect| written(effect, &reading.surroundings))
            .collect();
        for wanted in self
            .texts("effects")
            .unwrap_or_default()
            .into_iter()
            .filter(|wanted| !effects.iter().any(|effect| effect == wanted))
        {
            out.push(format!("effects: expected {wanted}, got {effects:?}"));
        }
        out
    }
}

/// An effect as a row writes it; none for the run of a program whose effects are all listed, which says nothing more.
fn written(effect: &Effect, around: &Surroundings) -> Option<String> {
    let target = match &effect.target {
        Target::Command if effect.kind == EffectKind::Run && effect.manner.known_program => {
            return None;
        }
        Target::Nothing | Target::Command => String::new(),
        Target::Path(place) => match &place.fact {
            Some(fact) => near(&fact.canonical, around),
            None => shown(&place.written),
        },
        Target::UnknownPath(text)
        | Target::Host(text)
        | Target::Tool(text)
        | Target::Agent(text) => text.clone(),
        Target::Url(url) => url.host.clone(),
        Target::McpTool { server, tool } => format!("{server}/{tool}"),
    };
    Some(
        format!("{} {target}", effect.kind.word())
            .trim_end()
            .to_owned(),
    )
}

/// A path as it is seen from the workspace: relative in it, `~/…` in the home, absolute elsewhere.
fn near(path: &str, around: &Surroundings) -> String {
    let from = |root: &str, name: &str, start: &str| {
        let rest = relative(path, root)?;
        Some(if rest.is_empty() {
            name.to_owned()
        } else {
            format!("{start}{rest}")
        })
    };
    let home = around.home.as_deref().filter(|home| *home != "/");
    from(&around.workspace, ".", "")
        .or_else(|| from(home?, "~", "~/"))
        .unwrap_or_else(|| path.to_owned())
}
