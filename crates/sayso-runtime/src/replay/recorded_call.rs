//! What an entry keeps of a call so that it can be judged again: its arguments, and the `facts` that its verdict rests on.
//!
//! A verdict does not depend on what is written into a file, only on how many lines that are. So a long or secret content does not stand
//! against judging a call again; any other argument that was cut or hidden does, and then `facts` is a word that says so.

use std::cell::Cell;

use sayso_core::analysis::fact::{Facts, OwnPath, Question, Surroundings};
use sayso_core::answer::evidence::Evidence;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::call::mcp_meaning::Meaning;
use sayso_core::call::operation::{Agent, Call, McpIdentity, Operation, ToolSays};
use sayso_core::call::tool::{self, Kind, Role};
use sayso_core::policy::decision::Decision;
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::{Entry, Node, Value};
use sayso_core::text::redact::redact;
use sayso_gate::ports::World;
use sayso_gate::run_mode;

use super::facts::{From, pack, questions_name, unpack};

/// Facts that would take more bytes are left out.
const MOST: usize = 2 << 10;
/// No file has more lines that anybody judges.
const MOST_LINES: u64 = 1_000_000;
const RUNS: [Run; 5] = [
    Run::Interactive,
    Run::ApproveAll,
    Run::Yolo,
    Run::Strict,
    Run::Nobody,
];

/// Why a call cannot be judged again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// Something in its arguments was hidden.
    Redacted,
    /// Its arguments were too long to be kept.
    Cut,
    /// The answers of the world were too long to be kept.
    Long,
    /// The record was switched off (`audit: {enabled: false}`).
    Off,
    /// It was written before entries had facts.
    Older,
    /// It was no call that could be judged.
    Malformed,
    /// Another sayso asked other questions, or answered them in another way.
    OtherQuestions,
    /// A plugin of the host had the last word.
    Plugin,
    /// A script that it runs was denied, and scripts are not kept.
    Script,
}

impl Why {
    /// The word that stands in an entry.
    fn word(self) -> &'static str {
        match self {
            Why::Cut => "cut",
            Why::Long => "long",
            _ => "redacted",
        }
    }

    /// In words for a person.
    pub fn words(self) -> &'static str {
        match self {
            Why::Redacted => "the arguments hold secrets, which are not kept",
            Why::Cut => "the arguments were too long to be kept",
            Why::Long => "what was found on the machine was too much to be kept",
            Why::Off => "arguments were not kept (`audit: {enabled: false}`)",
            Why::Older => "an older sayso wrote the entry, without facts",
            Why::Malformed => "the call was malformed or never judged",
            Why::OtherQuestions => "another version of sayso judged it and looked at other things",
            Why::Plugin => "a plugin of the host decided",
            Why::Script => "a script that it runs was denied, and scripts are not kept",
        }
    }
}

/// The field `facts` of an entry: the answers, or why there are none. `fields` is what the entry has else.
pub fn facts(
    operation: &Operation,
    evidence: &Evidence,
    fields: &[(&str, Node)],
    hide: bool,
) -> Node {
    let why = match missing(operation, fields) {
        Some(why) => why,
        None => {
            let packed = packed(operation, evidence, fields);
            match () {
                () if json::write_plain(&packed).len() > MOST => Why::Long,
                () if hide && !alike(&redact(&packed), &packed) => Why::Redacted,
                () => return packed,
            }
        }
    };
    Node::text(why.word())
}

/// What an entry does not have of its call.
fn missing(operation: &Operation, fields: &[(&str, Node)]) -> Option<Why> {
    let text = |key: &str| {
        field(fields, key)
            .and_then(Node::as_text)
            .unwrap_or_default()
    };
    let cut = field(fields, "args_cut").is_some();
    let why = if cut { Why::Cut } else { Why::Redacted };
    let same_around = text("tool") == operation.tool()
        && text("cwd") == operation.cwd()
        && text("workspace") == operation.workspace()
        && agent(text("agent")) == *operation.agent();
    let (given, kept) = (
        operation.args().entries(),
        field(fields, "args").map_or(&[][..], Node::entries),
    );
    let same = |(one, other): (&Entry, &Entry)| {
        one.key == other.key
            && (role(operation.kind(), &one.key).is_some_and(is_content)
                || alike(&one.node, &other.node))
    };
    (!same_around || given.len() != kept.len() || !given.iter().zip(kept).all(same)).then_some(why)
}

fn packed(operation: &Operation, evidence: &Evidence, fields: &[(&str, Node)]) -> Node {
    let Evidence {
        questions,
        facts,
        run,
        no_sandbox,
        contains,
        without_grants,
    } = evidence;
    let around = &facts.surroundings;
    let mut out = Vec::new();
    if !questions.is_empty() {
        let from = From {
            cwd: &around.cwd,
            home: around.home.as_deref(),
        };
        let answers = questions.iter().enumerate().map(|(index, question)| {
            let fact = facts.answers.get(index).and_then(Option::as_ref);
            pack(question, fact, from)
        });
        out.push(("q", Node::text(questions_name(questions))));
        out.push(("a", Value::List(answers.collect()).into()));
    }
    let written = |key: &str| {
        field(fields, key)
            .and_then(Node::as_text)
            .unwrap_or_default()
    };
    if around.workspace != written("workspace") {
        out.push(("w", Node::text(&around.workspace)));
    }
    if around.cwd != written("cwd") {
        out.push(("c", Node::text(&around.cwd)));
    }
    out.extend(around.home.iter().map(|home| ("h", Node::text(home))));
    if *contains {
        out.push(("x", Value::Bool(true).into()));
    }
    if let Some(why) = no_sandbox {
        out.push(("n", Node::text(why.word())));
    }
    if *run != Run::Interactive {
        out.push(("r", Node::text(run_mode::word(*run))));
    }
    out.extend(without_grants.map(|decision| ("g", Node::text(decision.word()))));
    let lines = operation
        .args()
        .entries()
        .iter()
        .filter(|entry| role(operation.kind(), &entry.key).is_some_and(is_content));
    let lines: Vec<(&str, Node)> = lines
        .filter_map(|entry| {
            Some((
                entry.key.as_str(),
                number(entry.node.as_text()?.lines().count() as u64),
            ))
        })
        .collect();
    if !lines.is_empty() {
        out.push(("l", Node::map(lines)));
    }
    let says = match operation.says() {
        ToolSays::Nothing => None,
        ToolSays::PreApproved => Some("approved"),
        ToolSays::NeedsApproval { .. } => Some("asks"),
        ToolSays::Blocked { .. } => Some("blocked"),
    };
    out.extend(says.map(|word| ("t", Node::text(word))));
    if let Some(mcp) = operation.mcp() {
        let annotations = mcp
            .annotations
            .iter()
            .map(|(name, is)| (name.clone(), Value::Bool(*is).into()));
        let schema = mcp.schema.map_or_else(
            || Value::Null.into(),
            |digest| Node::text(digest.to_string()),
        );
        let mut kept = vec![
            ("s", schema),
            ("c", Value::Bool(mcp.changed).into()),
            ("a", Node::map(annotations)),
        ];
        let meanings = mcp
            .meanings
            .iter()
            .map(|(name, meaning)| (name.clone(), Node::text(meaning.word())));
        kept.extend((!mcp.meanings.is_empty()).then(|| ("g", Node::map(meanings))));
        kept.extend(
            mcp.is_described_whole
                .then(|| ("w", Value::Bool(true).into())),
        );
        kept.extend((!mcp.asks.is_empty()).then(|| {
            (
                "q",
                Value::List(mcp.asks.iter().map(Node::text).collect()).into(),
            )
        }));
        out.push(("m", Node::map(kept)));
    }
    Node::map(out)
}

/// A call of the past, ready to be judged again.
#[derive(Debug)]
pub struct Past {
    /// The call.
    pub operation: Operation,
    /// What the person had said for that run.
    pub run: Run,
    /// What was decided then, by the policy alone.
    pub was: Decision,
    /// What the world answered.
    pub world: Answers,
    /// Why its runner had no sandbox for it, where it had none.
    no_sandbox: Option<NoSandbox>,
    /// Its runner contained it.
    contains: bool,
}

impl Past {
    /// What its runner could do.
    pub fn runner(&self) -> RunnerCapabilities<'_> {
        RunnerCapabilities {
            no_sandbox: self.no_sandbox.as_ref(),
            no_sandbox_for_tools: self.no_sandbox.as_ref(),
            containment: &self.contains,
        }
    }
}

/// A world that answers with what was kept.
#[derive(Debug)]
pub struct Answers {
    facts: Node,
    around: Surroundings,
    /// Something was asked that it has no answer to.
    pub failed: Cell<bool>,
}

/// Makes a call of the past from its entry. `own` says what sayso's own files are for a workspace.
///
/// # Errors
/// Why it cannot be judged again.
pub fn past(entry: &Node, own: &mut dyn FnMut(&str) -> Vec<OwnPath>) -> Result<Past, Why> {
    let text = |key: &str| entry.get(key).and_then(Node::as_text);
    let (Some(tool), Some(decision)) =
        (text("tool"), text("decision").and_then(Decision::from_word))
    else {
        return Err(Why::Malformed);
    };
    match RuleId::from_recorded("", text("source").unwrap_or_default()) {
        RuleId::Plugin { .. } => return Err(Why::Plugin),
        RuleId::Script { .. } => return Err(Why::Script),
        _ => {}
    }
    let Some(args) = entry.get("args") else {
        return Err(Why::Off);
    };
    let facts = entry.get("facts").ok_or(Why::Older)?;
    match facts.as_text() {
        Some("cut") => return Err(Why::Cut),
        Some("long") => return Err(Why::Long),
        Some(_) => return Err(Why::Redacted),
        None => {}
    }
    let (cwd, workspace) = (
        text("cwd").unwrap_or_default(),
        text("workspace").unwrap_or_default(),
    );
    let call = Call {
        cwd: cwd.to_owned(),
        agent: agent(text("agent").unwrap_or_default()),
        session: text("session").unwrap_or_default().to_owned(),
        says: says(facts),
        mcp: facts.get("m").map(mcp),
        ..Call::new(tool, arguments(tool, args, facts, cwd), workspace)
    };
    let operation = Operation::freeze(call).map_err(|_| Why::OtherQuestions)?;
    let fact = |key: &str| facts.get(key).and_then(Node::as_text);
    let around = Surroundings {
        workspace: fact("w").unwrap_or(workspace).to_owned(),
        cwd: fact("c").unwrap_or(cwd).to_owned(),
        home: fact("h").map(str::to_owned),
        own: own(workspace),
    };
    let run = RUNS
        .into_iter()
        .find(|run| fact("r") == Some(run_mode::word(*run)))
        .unwrap_or_default();
    let was = fact("g").and_then(Decision::from_word).unwrap_or(decision);
    Ok(Past {
        operation,
        run,
        was,
        no_sandbox: fact("n").and_then(NoSandbox::from_word),
        contains: facts.get("x").and_then(Node::as_bool) == Some(true),
        world: Answers {
            facts: facts.clone(),
            around,
            failed: Cell::new(false),
        },
    })
}

impl World for Answers {
    fn answer(&self, _cwd: &str, _workspace: &str, questions: &[Question]) -> Facts {
        let kept = self.facts.get("a").map_or(&[][..], Node::items);
        let same = questions.is_empty() && kept.is_empty()
            || self.facts.get("q").and_then(Node::as_text)
                == Some(questions_name(questions).as_str())
                && kept.len() == questions.len();
        let from = From {
            cwd: &self.around.cwd,
            home: self.around.home.as_deref(),
        };
        let answers: Option<Vec<_>> = same
            .then(|| {
                questions
                    .iter()
                    .zip(kept)
                    .map(|(question, node)| unpack(question, node, from).ok())
                    .collect::<Option<Vec<_>>>()
            })
            .flatten();
        let answers = answers.unwrap_or_else(|| {
            self.failed.set(true);
            questions.iter().map(|_| None).collect()
        });
        Facts {
            surroundings: self.around.clone(),
            answers,
        }
    }
}

/// The arguments with as many lines as there were, in place of what they said.
fn arguments(tool: &str, args: &Node, facts: &Node, cwd: &str) -> Node {
    let kind = tool::find(tool).map_or(Kind::Custom, |row| row.kind);
    let lines = facts.get("l");
    let entries = args.entries().iter().map(|entry| {
        let node = match role(kind, &entry.key) {
            Some(Role::Cwd) if entry.node.as_text().is_some() => Node::text(cwd),
            Some(role) if is_content(role) && entry.node.as_text().is_some() => {
                let count = lines
                    .and_then(|lines| lines.get(&entry.key))
                    .and_then(Node::as_whole)
                    .unwrap_or(0)
                    .min(MOST_LINES);
                Node::text("x\n".repeat(usize::try_from(count).unwrap_or(0)))
            }
            _ => entry.node.clone(),
        };
        (entry.key.clone(), node)
    });
    Node::map(entries)
}

/// What an argument means to a tool.
fn role(kind: Kind, name: &str) -> Option<Role> {
    let row = kind.tool().filter(|_| kind != Kind::FileGrep)?;
    row.arguments
        .iter()
        .find(|argument| argument.names.contains(&name))
        .map(|argument| argument.role)
}

/// Whether only the number of lines of an argument counts.
fn is_content(role: Role) -> bool {
    matches!(
        role,
        Role::Content | Role::Find | Role::Replace | Role::Data | Role::Input | Role::Arguments
    )
}

fn says(facts: &Node) -> ToolSays {
    match facts.get("t").and_then(Node::as_text) {
        None => ToolSays::Nothing,
        Some("approved") => ToolSays::PreApproved,
        Some("asks") => ToolSays::NeedsApproval {
            payload: Value::Null.into(),
            description: String::new(),
        },
        Some(_) => ToolSays::Blocked {
            reason: "the tool said so".to_owned(),
        },
    }
}

fn mcp(node: &Node) -> McpIdentity {
    let annotations = node.get("a").map_or(&[][..], Node::entries);
    McpIdentity {
        schema: node
            .get("s")
            .and_then(Node::as_text)
            .and_then(Digest::parse),
        changed: node.get("c").and_then(Node::as_bool).unwrap_or(true),
        annotations: annotations
            .iter()
            .filter_map(|entry| Some((entry.key.clone(), entry.node.as_bool()?)))
            .collect(),
        meanings: node
            .get("g")
            .map_or(&[][..], Node::entries)
            .iter()
            .filter_map(meaning)
            .collect(),
        is_described_whole: node.get("w").and_then(Node::as_bool).unwrap_or(false),
        asks: node
            .get("q")
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(|why| why.as_text().map(str::to_owned))
            .collect(),
        warnings: Vec::new(),
        description: None,
    }
}

/// What an argument of an MCP tool means. A word that is not known means whatever its name says.
fn meaning(entry: &sayso_core::text::node::Entry) -> Option<(String, Meaning)> {
    Some((
        entry.key.clone(),
        Meaning::from_word(entry.node.as_text()?)?,
    ))
}

/// The agent as the field of an entry has it.
fn agent(line: &str) -> Agent {
    let mut names = line.split(" < ").map(str::to_owned);
    Agent {
        name: names.next().unwrap_or_default(),
        parents: names.collect(),
    }
}

/// Whether two values say the same; as cheap as the smaller one.
fn alike(one: &Node, other: &Node) -> bool {
    match (&one.value, &other.value) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Number(one), Value::Number(other)) | (Value::Text(one), Value::Text(other)) => {
            one == other
        }
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| one.key == other.key && alike(&one.node, &other.node))
        }
        _ => false,
    }
}

fn field<'a>(fields: &'a [(&str, Node)], name: &str) -> Option<&'a Node> {
    fields
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, node)| node)
}

fn number(number: u64) -> Node {
    Value::Number(number.to_string()).into()
}
