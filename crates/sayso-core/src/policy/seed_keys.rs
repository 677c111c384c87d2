//! The keys of the systems sayso grew from, translated to ours: `permissions.*` and `core.permissions.*`.
//!
//! A key that is accepted here always has an effect or a warning; none is silently ignored (H-45).

use crate::policy::dotted_keys::insert;
use crate::policy::schema::ACTION;
use crate::policy::shape::{check, nearest};
use crate::policy::tool_rules;
use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Entry, Node, Span, Value};

const FIRST: [(&str, &str); 10] = [
    ("enabled", "enabled"),
    ("safe_commands_only", "safe_commands_only"),
    ("approval_timeout", "approval_timeout"),
    ("auto_approve_safe_commands", "auto_approve_safe_commands"),
    ("auto_approve_safe_paths", "auto_approve_safe_paths"),
    ("safe_commands", "safe_commands"),
    ("safe_file_patterns", "safe_path_regexes"),
    ("protected_paths", "protected_paths"),
    ("double_confirm_deletes", "double_confirm_deletes"),
    ("show_approval_stats", "show_approval_stats"),
];

/// Dotted paths below `core.permissions` and where they go; a dot on the right leads into a map.
const FOURTH: [(&str, &str); 14] = [
    ("enabled", "enabled"),
    ("approval_mode", "mode"),
    ("audit_log_enabled", "audit.enabled"),
    ("audit_log_path", "audit.log"),
    ("risk_assessment.high_risk_patterns", "risk.high_patterns"),
    (
        "risk_assessment.medium_risk_patterns",
        "risk.medium_patterns",
    ),
    ("risk_assessment.trusted_tools", "trusted_tools"),
    ("risk_assessment.blocked_tools", "blocked_tools"),
    ("risk_assessment.trust_mcp_servers", "trust_mcp_servers"),
    ("risk_assessment.trusted_mcp_servers", "trusted_mcp_servers"),
    ("ui.show_risk_level", "show_risk_level"),
    ("ui.show_matched_pattern", "show_matched_pattern"),
    ("ui.confirmation_timeout", "approval_timeout"),
    ("ui.timeout_response", "timeout_response"),
];

/// Translates the foreign keys of a file; all others stay as they are.
pub fn translate(entries: Vec<Entry>, findings: &mut Vec<Diagnostic>) -> Vec<Entry> {
    let mut out = Vec::new();
    let (for_all, of_agents) = bash_parts(&entries);
    for entry in entries {
        match entry.key.split('.').next() {
            Some("tool_rules") => findings.push(tool_rules::migration(&entry)),
            Some("agents") => agents(entry, &mut out, findings),
            Some("permissions") => {
                for (path, key_span, node) in leaves(&entry.key, &entry) {
                    permission(
                        path.strip_prefix("permissions.").unwrap_or_default(),
                        key_span,
                        node,
                        &mut out,
                        findings,
                    );
                }
            }
            Some("core" | "kollabor") => {
                for (path, key_span, node) in leaves(&entry.key, &entry) {
                    let below = ["core.permissions.", "kollabor.permissions."]
                        .iter()
                        .find_map(|start| path.strip_prefix(start));
                    match below.and_then(|below| FOURTH.iter().find(|(from, _)| *from == below)) {
                        Some((_, to)) => insert(&mut out, nested(to, key_span, node), findings),
                        None => findings.push(unknown(
                            "core.permissions",
                            below.unwrap_or(&path),
                            key_span,
                            FOURTH.iter().map(|(from, _)| *from),
                        )),
                    }
                }
            }
            _ => insert(&mut out, entry, findings),
        }
    }
    for (agent, bash) in of_agents {
        close(&agent, &bash, &for_all, &mut out, findings);
    }
    out
}

/// The sections of agents: what stands below `permissions` is translated, all else stays as it is.
fn agents(entry: Entry, out: &mut Vec<Entry>, findings: &mut Vec<Diagnostic>) {
    let below = entry
        .key
        .strip_prefix("agents.")
        .and_then(|rest| rest.split_once(".permissions"));
    if let Some((name, path)) =
        below.map(|(name, path)| (name.to_owned(), path.trim_start_matches('.').to_owned()))
    {
        section(
            &name,
            &path,
            &Entry {
                key: name.clone(),
                ..entry
            },
            out,
            findings,
        );
        return;
    }
    if !matches!(entry.node.value, Value::Map(_)) {
        insert(out, entry, findings);
        return;
    }
    let (key, key_span, span) = (entry.key, entry.key_span, entry.node.span);
    let Value::Map(named) = entry.node.into_value() else {
        return;
    };
    let mut rest = Vec::new();
    for mut agent in named {
        if let Value::Map(keys) = &mut agent.node.value {
            let is_permission = |entry: &Entry| entry.key.split('.').next() == Some("permissions");
            let (permissions, others) = std::mem::take(keys).into_iter().partition(is_permission);
            let permissions: Vec<Entry> = permissions;
            *keys = others;
            for part in permissions {
                let start = part
                    .key
                    .strip_prefix("permissions")
                    .unwrap_or_default()
                    .trim_start_matches('.')
                    .to_owned();
                section(
                    &agent.key,
                    &start,
                    &Entry {
                        key: agent.key.clone(),
                        ..part
                    },
                    out,
                    findings,
                );
            }
        }
        rest.push(agent);
    }
    insert(
        out,
        Entry {
            key,
            key_span,
            node: Node {
                value: Value::Map(rest),
                span,
            },
        },
        findings,
    );
}

/// What a `bash` section says: its default, and its patterns.
#[derive(Default)]
struct Bash {
    default: Option<String>,
    patterns: Vec<Entry>,
}

/// The `bash` section for all agents, and those of single ones.
fn bash_parts(entries: &[Entry]) -> (Bash, Vec<(String, Bash)>) {
    let (mut for_all, mut of_agents): (Bash, Vec<(String, Bash)>) = (Bash::default(), Vec::new());
    for entry in entries {
        for (path, _, node) in leaves(&entry.key, entry) {
            if let Some(part) = path.strip_prefix("permissions.") {
                for_all.take(part, &node);
            }
            let Some(rest) = path.strip_prefix("agents.") else {
                continue;
            };
            let Some((name, part)) = rest.split_once(".permissions.") else {
                continue;
            };
            if !of_agents.iter().any(|(known, _)| known == name) {
                of_agents.push((name.to_owned(), Bash::default()));
            }
            if let Some((_, bash)) = of_agents.iter_mut().find(|(known, _)| known == name) {
                bash.take(part, &node);
            }
        }
    }
    (for_all, of_agents)
}

impl Bash {
    fn take(&mut self, path: &str, node: &Node) {
        match path {
            "bash" | "bash.default" => self.default = node.as_text().map(str::to_owned),
            "bash.patterns" => self.patterns.extend(node.entries().iter().cloned()),
            _ => {}
        }
    }
}

/// An agent whose own section denies what it does not list does not get what is listed for all: its section stands in the place of theirs.
fn close(
    agent: &str,
    own: &Bash,
    for_all: &Bash,
    out: &mut Vec<Entry>,
    findings: &mut Vec<Diagnostic>,
) {
    if own.default.as_deref() != Some("deny") {
        return;
    }
    let is_open = |entry: &&Entry| entry.node.as_text() != Some("deny");
    let listed: Vec<Node> = own
        .patterns
        .iter()
        .filter(is_open)
        .map(|entry| text_at(&entry.key, entry.key_span))
        .collect();
    let is_listed = |entry: &Entry| own.patterns.iter().any(|known| known.key == entry.key);
    let mut rules = Vec::new();
    for pattern in for_all
        .patterns
        .iter()
        .filter(is_open)
        .filter(|entry| !is_listed(entry))
    {
        let span = pattern.key_span;
        let pair = |key: &str, node: Node| Entry {
            key: key.to_owned(),
            key_span: span,
            node,
        };
        let map = |entries: Vec<Entry>| Node {
            value: Value::Map(entries),
            span,
        };
        let mut rule = vec![
            pair("deny", command_matcher(pattern)),
            pair(
                "reason",
                text_at(
                    &format!("the section of `{agent}` denies what it does not list"),
                    span,
                ),
            ),
        ];
        if !listed.is_empty() {
            let list = Node {
                value: Value::List(listed.clone()),
                span,
            };
            rule.push(pair(
                "except",
                map(vec![
                    pair("command", list),
                    pair("as", text_at("glob", span)),
                ]),
            ));
        }
        rules.push(map(rule));
    }
    let Some(span) = rules.first().map(|rule| rule.span) else {
        return;
    };
    let rules = Node {
        value: Value::List(rules),
        span,
    };
    insert(
        out,
        nested_names(&["agents", agent, "rules"], span, rules),
        findings,
    );
}

/// A value below keys, one in the other.
fn nested_names(path: &[&str], key_span: Span, node: Node) -> Entry {
    let span = node.span;
    let wrap = |node: Node, key: &&str| Node {
        value: Value::Map(vec![Entry {
            key: (*key).to_owned(),
            key_span,
            node,
        }]),
        span,
    };
    let (first, rest) = path.split_first().unwrap_or((&"", &[]));
    Entry {
        key: (*first).to_owned(),
        key_span,
        node: rest.iter().rev().fold(node, wrap),
    }
}

fn text_at(text: &str, span: Span) -> Node {
    Node {
        value: Value::Text(text.to_owned()),
        span,
    }
}

/// Every value below a key with its dotted path. Maps whose keys are data are values themselves.
fn leaves(start: &str, entry: &Entry) -> Vec<(String, Span, Node)> {
    let mut out = Vec::new();
    let mut open = vec![(start.to_owned(), entry.key_span, entry.node.clone())];
    while let Some((path, span, node)) = open.pop() {
        let whole = path.ends_with("bash.patterns")
            || path == "permissions.agents"
            || path == "bash.patterns";
        let stood = node.span;
        match node.into_value() {
            Value::Map(entries) if !whole => {
                for inner in entries.into_iter().rev() {
                    let key = if path.is_empty() {
                        inner.key
                    } else {
                        format!("{path}.{}", inner.key)
                    };
                    open.push((key, inner.key_span, inner.node));
                }
            }
            value => out.push((path, span, Node { value, span: stood })),
        }
    }
    out
}

/// A key of the first or the third system, which share the namespace `permissions`.
fn permission(
    path: &str,
    key_span: Span,
    node: Node,
    out: &mut Vec<Entry>,
    findings: &mut Vec<Diagnostic>,
) {
    if let Some((_, to)) = FIRST.iter().find(|(from, _)| *from == path) {
        insert(out, nested(to, key_span, node), findings);
        return;
    }
    match path {
        "yolo_mode" => findings.push(
            Diagnostic::warning(key_span, "`yolo_mode` in a file is ignored")
                .hint("it has to be said for one run, as `--yolo`"),
        ),
        "edit" => insert(out, nested("defaults.write", key_span, node), findings),
        "webfetch" => insert(out, nested("defaults.fetch", key_span, node), findings),
        "bash" | "bash.default" => {
            insert(out, nested("defaults.command", key_span, node), findings)
        }
        "bash.patterns" => insert(
            out,
            nested("rules", key_span, pattern_rules(&node, findings)),
            findings,
        ),
        "agents" => {
            for agent in node.entries() {
                section(&agent.key, "", agent, out, findings);
            }
        }
        path if path.starts_with("agents.") => {
            let rest = path.trim_start_matches("agents.");
            // A name may hold dots; it ends where a key of its section follows.
            let keys = [".edit", ".webfetch", ".bash"];
            let end = keys
                .iter()
                .filter_map(|key| rest.rfind(key))
                .max()
                .unwrap_or(rest.len());
            let (name, key) = rest.split_at_checked(end).unwrap_or((rest, ""));
            let entry = Entry {
                key: name.to_owned(),
                key_span,
                node,
            };
            section(name, key.trim_start_matches('.'), &entry, out, findings);
        }
        _ => {
            let known = FIRST.iter().map(|(from, _)| *from).chain([
                "edit",
                "webfetch",
                "bash.default",
                "bash.patterns",
                "agents",
                "yolo_mode",
            ]);
            findings.push(unknown("permissions", path, key_span, known));
        }
    }
}

/// The keys of one agent, below `start`.
fn section(
    name: &str,
    start: &str,
    agent: &Entry,
    out: &mut Vec<Entry>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut own = Vec::new();
    for (path, key_span, node) in leaves(start, agent) {
        permission(&path, key_span, node, &mut own, findings);
    }
    let span = agent.node.span;
    let section = Node {
        value: Value::Map(own),
        span,
    };
    let agents = Value::Map(vec![Entry {
        key: name.to_owned(),
        key_span: agent.key_span,
        node: section,
    }]);
    insert(
        out,
        Entry {
            key: "agents".into(),
            key_span: agent.key_span,
            node: Node {
                value: agents,
                span,
            },
        },
        findings,
    );
}

/// `{"git *": allow}` → a rule each.
fn pattern_rules(node: &Node, findings: &mut Vec<Diagnostic>) -> Node {
    let mut rules = Vec::new();
    for entry in node.entries() {
        let before = findings.len();
        check(&entry.node, &ACTION, findings);
        if findings.len() > before {
            continue;
        }
        let action = entry.node.as_text().unwrap_or_default().to_owned();
        let rule = Entry {
            key: action,
            key_span: entry.key_span,
            node: command_matcher(entry),
        };
        rules.push(Node {
            value: Value::Map(vec![rule]),
            span: entry.key_span,
        });
    }
    Node {
        value: Value::List(rules),
        span: node.span,
    }
}

/// The matcher of a pattern, which is one text in which `*` is anything.
fn command_matcher(entry: &Entry) -> Node {
    let pair = |key: &str, node: Node| Entry {
        key: key.to_owned(),
        key_span: entry.key_span,
        node,
    };
    let form = if entry.key.contains(['*', '?']) {
        "glob"
    } else {
        "exact"
    };
    let keys = vec![
        pair("command", text_at(&entry.key, entry.key_span)),
        pair("as", text_at(form, entry.key_span)),
    ];
    Node {
        value: Value::Map(keys),
        span: entry.key_span,
    }
}

fn nested(path: &str, key_span: Span, node: Node) -> Entry {
    match path.split_once('.') {
        None => Entry {
            key: path.to_owned(),
            key_span,
            node,
        },
        Some((first, rest)) => {
            let span = node.span;
            Entry {
                key: first.to_owned(),
                key_span,
                node: Node {
                    value: Value::Map(vec![nested(rest, key_span, node)]),
                    span,
                },
            }
        }
    }
}

fn unknown<'a>(
    namespace: &str,
    path: &str,
    span: Span,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let finding = Diagnostic::error(span, format!("`{namespace}` has no key `{path}`"));
    match nearest(path, known) {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => finding,
    }
}
