//! What the settings of the moment come to: a few ordinary calls are judged by the gate itself, and the answer is said. Nothing runs, and
//! nothing is written down.

use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Agent, Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;

use super::runtime::Base;

/// A call: in words, the tool, and its arguments.
type Probe = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const PROBES: [Probe; 10] = [
    ("reading a file", "file_read", &[("path", "sayso-probe.py")]),
    ("`ls`", "terminal", &[("command", "ls")]),
    (
        "writing prose",
        "file_write",
        &[("path", "sayso-probe.md"), ("content", "x")],
    ),
    (
        "writing code",
        "file_write",
        &[("path", "sayso-probe.py"), ("content", "x")],
    ),
    ("`make`", "terminal", &[("command", "make")]),
    (
        "fetching a web page",
        "webfetch",
        &[("url", "https://example.com/")],
    ),
    (
        "an MCP tool",
        "mcp",
        &[("server", "sayso-probe"), ("tool", "probe")],
    ),
    (
        "deleting a file",
        "file_delete",
        &[("path", "sayso-probe.py")],
    ),
    (
        "`git push --force`",
        "terminal",
        &[("command", "git push --force")],
    ),
    ("`rm -rf /`", "terminal", &[("command", "rm -rf /")]),
];

/// How ordinary calls would be judged.
pub struct Probes(Vec<(&'static str, Verdict)>);

impl Probes {
    /// Judges them as calls of this agent in this session.
    pub fn judge(base: &Base, session: &str, agent: &str) -> Probes {
        let bench = base.bench();
        let judged = |(words, tool, args): &Probe| {
            let call = Call {
                agent: Agent {
                    name: agent.to_owned(),
                    parents: Vec::new(),
                },
                session: session.to_owned(),
                ..Call::new(
                    *tool,
                    Node::map(args.iter().map(|(name, value)| (*name, Node::text(*value)))),
                    base.workspace(),
                )
            };
            // A call that is malformed has no verdict; none of these is.
            Some((
                *words,
                bench.as_ref().preview(&Operation::freeze(call).ok()?),
            ))
        };
        Probes(PROBES.iter().filter_map(judged).collect())
    }

    /// A row for each decision that was made: its name, and the calls.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        let names = [
            (Decision::Allow, "runs unasked"),
            (Decision::Ask, "asks"),
            (Decision::Deny, "denies"),
        ];
        names.into_iter().filter_map(|(decision, name)| {
            let calls: Vec<String> = self
                .0
                .iter()
                .filter(|(_, verdict)| verdict.decision == decision)
                .map(word)
                .collect();
            (!calls.is_empty()).then(|| (name, calls.join(", ")))
        })
    }
}

fn word((words, verdict): &(&'static str, Verdict)) -> String {
    match verdict.decision == Decision::Allow && verdict.terms.contained {
        true => format!("{words} (in the sandbox)"),
        false => (*words).to_owned(),
    }
}
