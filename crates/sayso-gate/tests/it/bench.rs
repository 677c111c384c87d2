//! Calls in short words, policies from text, and verdicts on them.

use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::call::tool::{self, Kind};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::read::{Format, Layer, Origin, read};
use sayso_core::policy::settings::Resolved;
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::{Diagnostic, Severity, Source};
use sayso_core::text::node::Node;
use sayso_gate::pipeline::{Bench, judge};
use sayso_shell::Bash;

use crate::world::{Scripted, WORKSPACE};

/// The names of all profiles.
pub const PROFILES: [&str; 6] = [
    "sayso",
    "kollabor-spec",
    "llm-do",
    "forge",
    "opencode",
    "kollabor",
];
/// The time of all tests.
pub const NOW: i64 = 1_800_000_000;

/// A call in short words: `bash ls -la`, `file_edit docs/a.md`, `file_move a b`, `mcp server/tool`, `my_tool`.
pub fn call(text: &str) -> Call {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let pair = |key: &str, value: &str| (key.to_owned(), Node::text(value));
    let args = match tool::find(name).map_or(Kind::Custom, |row| row.kind) {
        Kind::Terminal => vec![pair("command", rest)],
        Kind::FileRead | Kind::FileDelete | Kind::FileMkdir | Kind::FileRmdir => {
            vec![pair("path", rest)]
        }
        Kind::FileGrep => vec![
            pair("pattern", "x"),
            pair("path", if rest.is_empty() { "." } else { rest }),
        ],
        Kind::Glob => vec![pair("pattern", rest)],
        Kind::List => vec![pair("path", if rest.is_empty() { "." } else { rest })],
        Kind::FileEdit => vec![
            pair("path", rest),
            pair("find", "old"),
            pair("replace", "new"),
        ],
        Kind::FileWrite
        | Kind::FileCreate
        | Kind::FileCreateOverwrite
        | Kind::FileAppend
        | Kind::FileInsertAfter
        | Kind::FileInsertBefore => vec![pair("path", rest), pair("content", "text")],
        Kind::FileMove | Kind::FileCopy => {
            let (from, to) = rest.split_once(' ').expect("two paths");
            vec![pair("from", from), pair("to", to)]
        }
        Kind::WebFetch => vec![pair("url", rest)],
        Kind::Mcp => {
            let (server, tool) = rest.split_once('/').expect("server/tool");
            vec![pair("server", server), pair("tool", tool)]
        }
        Kind::Delegate | Kind::AgentCreate => vec![pair("agent", rest)],
        Kind::ShareFile => vec![pair("path", rest), pair("agent", "helper")],
        Kind::Custom | Kind::Opaque => vec![pair("x", rest)],
    };
    Call::new(name, Node::map(args), WORKSPACE)
}

/// The same call by an agent.
pub fn by(agent: &str, call: Call) -> Call {
    Call {
        agent: sayso_core::call::operation::Agent {
            name: agent.to_owned(),
            parents: Vec::new(),
        },
        ..call
    }
}

/// Freezes a call that is well formed.
pub fn freeze(call: Call) -> Operation {
    Operation::freeze(call).expect("a well-formed call")
}

/// What reading a YAML text gives.
pub fn read_text(text: &str, origin: Origin) -> (Option<Layer>, Vec<Diagnostic>) {
    read(
        Source {
            name: "policy.yaml",
            text,
        },
        Format::Yaml,
        origin,
        &Bash,
    )
}

/// The layer of a text without errors.
pub fn layer(text: &str, origin: Origin) -> Layer {
    let (layer, findings) = read_text(text, origin);
    layer.unwrap_or_else(|| panic!("the policy has errors: {findings:#?}\n{text}"))
}

/// Whether reading a text gives an error, and all messages in one.
pub fn findings(text: &str, origin: Origin) -> (bool, String) {
    let (layer, findings) = read_text(text, origin);
    let failed = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    assert_eq!(layer.is_none(), failed, "{text}");
    (
        failed,
        findings
            .into_iter()
            .map(|finding| finding.message)
            .collect::<Vec<_>>()
            .join("; "),
    )
}

/// A policy, a world, and what was said for the run.
#[derive(Clone, Debug)]
pub struct Setup {
    pub policy: Policy,
    pub world: Scripted,
    pub grants: Vec<Grant>,
    pub run: Run,
    pub now: i64,
}

impl Setup {
    /// A profile as it comes.
    pub fn profile(name: &str) -> Self {
        Setup::with(name, "")
    }

    /// A profile with a user's file over it.
    pub fn with(profile: &str, user: &str) -> Self {
        Setup::of(vec![layer(
            &format!("profile: {profile}\n{user}"),
            Origin::User,
        )])
    }

    /// Any layers.
    pub fn of(layers: Vec<Layer>) -> Self {
        let policy = Policy::assemble(layers, &Overrides::default(), &Bash);
        Setup {
            policy,
            world: Scripted::project(),
            grants: Vec::new(),
            run: Run::Interactive,
            now: NOW,
        }
    }

    /// The same with something said for the run.
    pub fn run(mut self, run: Run) -> Self {
        self.run = run;
        self
    }

    /// The same with one more remembered answer.
    pub fn grant(mut self, grant: Grant) -> Self {
        self.grants.push(grant);
        self
    }

    /// The verdict on a call.
    pub fn judge(&self, call: Call) -> Verdict {
        let bench = Bench {
            world: &self.world,
            policy: &self.policy,
            grants: &self.grants,
            uses: None,
            run: self.run,
            now: self.now,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        judge(&bench, &freeze(call)).verdict
    }

    /// The decision on a call in short words.
    pub fn decide(&self, text: &str) -> Decision {
        self.judge(call(text)).decision
    }

    /// What holds after all layers.
    pub fn settings(&self) -> &Resolved {
        &self.policy.views()[0].general.settings
    }

    /// Checks a table, and shows every row that fails with its reasons.
    pub fn expect(&self, rows: &[(&str, Decision)]) {
        self.expect_by("", rows);
    }

    /// The same for the calls of an agent.
    pub fn expect_by(&self, agent: &str, rows: &[(&str, Decision)]) {
        let mut wrong = Vec::new();
        for (text, expected) in rows {
            let verdict = self.judge(by(agent, call(text)));
            if verdict.decision != *expected {
                wrong.push(format!(
                    "{text}: {:?} instead of {expected:?}, {:#?}",
                    verdict.decision, verdict.reasons
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
