//! Policy text to one layer of a policy, with everything that is wrong with it.

use crate::policy::command_pattern::CommandReader;
use crate::policy::rule::{Rule, ShellRule};
use crate::policy::schema::POLICY;
use crate::policy::settings::{LOCKABLE, Settings, Sourced};
use crate::policy::shape::{self, Shape, nearest};
use crate::policy::{dotted_keys, seed_keys};
use crate::text::diagnostic::{Diagnostic, Severity, Source};
use crate::text::node::{Node, Span, Value};
use crate::text::{Limits, json, yaml};

/// More rules than this in one file get a warning: people lose sight of what they allowed.
const MANY_RULES: usize = 20;

/// The profiles in which Enter may approve a routine prompt; in all others it never does.
pub(crate) const ENTER_MAY_APPROVE: [&str; 1] = ["kollabor-spec"];

/// Where a layer comes from; later ones stand above earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A profile that comes with sayso.
    Profile,
    /// The administrator's file.
    Managed,
    /// The person's file.
    User,
    /// What the person's answers taught, kept by sayso.
    Learned,
    /// The project's file, trusted by the person as it is now.
    Project,
    /// The project's file; it can only tighten.
    UntrustedProject,
    /// `--policy` and other flags.
    CommandLine,
}

impl Origin {
    /// Whether it lies in the workspace, where others than the person write.
    pub(super) fn is_project(self) -> bool {
        matches!(self, Origin::Project | Origin::UntrustedProject)
    }
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
}

/// What one text sets.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Where it comes from.
    pub origin: Origin,
    /// The file's name.
    pub name: String,
    /// Its single values and lists.
    pub settings: Settings,
    /// Its rules.
    pub rules: Vec<Rule>,
    /// Its ordered shell rules.
    pub shell: Vec<ShellRule>,
    /// Its sections for agents.
    pub agents: Vec<(String, Section)>,
    /// The keys that later layers cannot change.
    pub locked: Vec<String>,
}

/// What a layer sets for one agent.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its single values and lists.
    pub settings: Settings,
    /// Its rules.
    pub rules: Vec<Rule>,
    /// Its ordered shell rules.
    pub shell: Vec<ShellRule>,
}

/// Reads one text. There is a layer only if nothing in it is an error.
pub fn read(
    source: Source<'_>,
    format: Format,
    origin: Origin,
    reader: &dyn CommandReader,
) -> (Option<Layer>, Vec<Diagnostic>) {
    let limits = Limits::policy();
    let parsed = match format {
        Format::Yaml => yaml::read(source.text, &limits),
        Format::Json => json::read(source.text, &limits),
    };
    let mut node = match parsed {
        Ok(node) => node,
        Err(finding) => return (None, vec![finding]),
    };
    let mut findings = Vec::new();
    if matches!(node.value, Value::Null) {
        node.value = Value::Map(Vec::new());
    }
    if let Value::Map(entries) = &mut node.value {
        let entries = seed_keys::translate(std::mem::take(entries), &mut findings);
        node.value = Value::Map(dotted_keys::expand(entries, &POLICY, &mut findings));
    }
    shape::check(&node, &Shape::Record(&POLICY), &mut findings);
    let profile_takes_enter = node
        .get("profile")
        .and_then(Node::as_text)
        .is_some_and(|name| ENTER_MAY_APPROVE.contains(&name));
    let shape_errors = findings.clone();
    let mut context = Context {
        source,
        origin,
        reader,
        findings,
        profile_takes_enter,
        in_section: false,
        lines: LineIndex::new(source.text),
    };
    // The rest is read even where a shape is wrong, so that all mistakes are shown at once.
    let layer = context.layer(&node);
    let mut findings = context.findings;
    let follows_from_shape = |finding: &Diagnostic| {
        let holds = |outer: Span, inner: Span| outer.start <= inner.start && inner.end <= outer.end;
        !shape_errors.contains(finding)
            && shape_errors
                .iter()
                .any(|error| holds(finding.span, error.span))
    };
    findings.retain(|finding| !follows_from_shape(finding));
    findings.sort_by_key(|finding| (finding.span.start, std::cmp::Reverse(finding.severity)));
    let broken = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    ((!broken).then_some(layer), findings)
}

/// Line numbers of byte positions, made once.
struct LineIndex(Vec<u32>);

impl LineIndex {
    fn new(text: &str) -> Self {
        LineIndex(
            text.bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX))
                .collect(),
        )
    }

    fn line(&self, span: Span) -> usize {
        self.0.partition_point(|newline| *newline < span.start) + 1
    }
}

/// What is needed to read any part of a file.
pub(crate) struct Context<'a> {
    source: Source<'a>,
    pub(crate) origin: Origin,
    pub(crate) reader: &'a dyn CommandReader,
    pub(crate) findings: Vec<Diagnostic>,
    pub(super) profile_takes_enter: bool,
    /// What is read is a part of an agent's section.
    pub(super) in_section: bool,
    lines: LineIndex,
}

impl Context<'_> {
    /// `file:line` of a place.
    pub(crate) fn place(&self, span: Span) -> String {
        match self.origin {
            Origin::Profile => self.source.name.to_owned(),
            _ => format!("{}:{}", self.source.name, self.lines.line(span)),
        }
    }

    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.findings.push(Diagnostic::error(span, message));
    }

    pub(super) fn sourced<T>(&self, node: &Node, value: T) -> Option<Sourced<T>> {
        Some(Sourced {
            value,
            source: self.place(node.span),
        })
    }

    fn layer(&mut self, node: &Node) -> Layer {
        let mut section = Section::default();
        let mut agents = Vec::new();
        let mut locked = Vec::new();
        for entry in node.entries() {
            match entry.key.as_str() {
                "agents" => {
                    for agent in entry.node.entries() {
                        let mut own = Section::default();
                        self.in_section = true;
                        for entry in agent.node.entries() {
                            self.key(entry, &mut own);
                        }
                        self.in_section = false;
                        agents.push((agent.key.clone(), own));
                    }
                }
                "lock" => locked = self.locks(&entry.node),
                _ => self.key(entry, &mut section),
            }
        }
        if section.rules.len() > MANY_RULES
            && !matches!(self.origin, Origin::Profile | Origin::Learned)
        {
            let span = node
                .get("rules")
                .map_or(Span::default(), |rules| rules.span);
            let message = format!(
                "there are {} rules; more than {MANY_RULES} are hard to keep in mind",
                section.rules.len()
            );
            self.findings.push(
                Diagnostic::warning(span, message)
                    .hint("`sayso policy show` lists what they add up to"),
            );
        }
        let Section {
            settings,
            rules,
            shell,
        } = section;
        Layer {
            origin: self.origin,
            name: self.source.name.to_owned(),
            settings,
            rules,
            shell,
            agents,
            locked,
        }
    }

    fn locks(&mut self, node: &Node) -> Vec<String> {
        if self.origin != Origin::Managed {
            self.error(node.span, "`lock` counts in a managed file only");
            return Vec::new();
        }
        let mut locked = Vec::new();
        for item in node.items() {
            let written = item.as_text().unwrap_or_default();
            let key = match written {
                "workspace.outside" | "workspace" => "outside_workspace".to_owned(),
                "risk.command" => "command_risk".to_owned(),
                "risk.mcp" => "mcp_risk".to_owned(),
                other => other.replace("defaults.", "default_").replace('.', "_"),
            };
            if LOCKABLE.contains(&key.as_str()) {
                locked.push(key);
            } else {
                let finding = Diagnostic::error(
                    item.span,
                    format!("`{written}` is no single value that could be locked"),
                );
                self.findings
                    .push(match nearest(written, LOCKABLE.iter().copied()) {
                        Some(near) => finding.hint(format!("did you mean `{near}`?")),
                        None => finding.hint("rules of a managed file hold without a lock"),
                    });
            }
        }
        locked
    }

    pub(super) fn bool(&self, node: &Node) -> Option<Sourced<bool>> {
        node.as_bool().and_then(|value| self.sourced(node, value))
    }

    pub(super) fn whole(&self, node: &Node) -> Option<Sourced<u64>> {
        node.as_whole().and_then(|value| self.sourced(node, value))
    }
}
