//! Policies of any size, made of rules like those that people write.

use std::fmt::Write as _;

use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::Source;
use sayso_shell::Bash;

/// What the rules are about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kinds {
    Commands,
    Paths,
    Mixed,
    /// All for the program that is asked about, so that the index is of no help.
    OneProgram,
}

impl Kinds {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Kinds::Commands => "rules for commands",
            Kinds::Paths => "rules for paths",
            Kinds::Mixed => "rules",
            Kinds::OneProgram => "rules, all for `git`",
        }
    }
}

const PROGRAMS: [&str; 20] = [
    "git",
    "cargo",
    "npm",
    "ls",
    "docker",
    "make",
    "python3",
    "pytest",
    "go",
    "node",
    "kubectl",
    "terraform",
    "rg",
    "sed",
    "curl",
    "gh",
    "pnpm",
    "uv",
    "ruff",
    "just",
];
const FOLDERS: [&str; 20] = [
    "src", "tests", "docs", "target", "build", "assets", "scripts", "examples", "vendor", "web",
    "api", "db", "config", "deploy", "infra", "tools", "bench", "crates", "packages", "apps",
];

/// One rule as (decision, subject, pattern). Every eighth path rule can start anywhere, which no index helps with.
fn rule(number: usize, kinds: Kinds) -> (&'static str, &'static str, String) {
    let decision = ["allow", "ask", "deny", "allow"]
        .get(number / 2 % 4)
        .copied()
        .unwrap_or("ask");
    let pick = |list: &[&'static str]| {
        list.get(number / 2 % list.len())
            .copied()
            .unwrap_or_default()
    };
    let command = matches!(kinds, Kinds::Commands | Kinds::OneProgram)
        || kinds == Kinds::Mixed && number.is_multiple_of(2);
    if command {
        let program = if kinds == Kinds::OneProgram {
            "git"
        } else {
            pick(&PROGRAMS)
        };
        return (
            decision,
            "command",
            format!("{program} step{number} --flag{number} *"),
        );
    }
    let subject = ["read", "write", "delete"]
        .get(number % 3)
        .copied()
        .unwrap_or("read");
    let pattern = match number % 8 {
        7 => format!("**/gen{number}/*.rs"),
        _ => format!("{}/part{number}/**/*.rs", pick(&FOLDERS)),
    };
    (decision, subject, pattern)
}

pub(crate) fn text(count: usize, kinds: Kinds, format: Format) -> String {
    let mut out = String::new();
    let rules = (0..count).map(|number| rule(number, kinds));
    match format {
        Format::Yaml => {
            out.push_str("version: 1\nrules:\n");
            for (decision, subject, pattern) in rules {
                writeln!(out, "  - {decision}: {{{subject}: \"{pattern}\"}}").unwrap();
            }
            if count == 0 {
                out.push_str("  []\n");
            }
        }
        Format::Json => {
            let rules: Vec<String> = rules
                .map(|(decision, subject, pattern)| {
                    format!("{{\"{decision}\":{{\"{subject}\":\"{pattern}\"}}}}")
                })
                .collect();
            write!(out, "{{\"version\":1,\"rules\":[{}]}}", rules.join(",\n")).unwrap();
        }
    }
    out
}

/// Text to policy, as every start of the program does it.
pub(crate) fn load(text: &str, format: Format) -> Policy {
    let (layer, findings) = read(
        Source {
            name: "policy",
            text,
        },
        format,
        Origin::User,
        &Bash,
    );
    let layer = layer.unwrap_or_else(|| {
        unsound(
            &findings
                .iter()
                .map(|finding| finding.message.as_str())
                .collect::<Vec<_>>(),
        )
    });
    Policy::assemble(vec![layer], &Overrides::default(), &Bash)
}

#[expect(
    clippy::panic,
    reason = "the text is made above; if it cannot be read, there is nothing to measure"
)]
fn unsound(messages: &[&str]) -> ! {
    panic!("{messages:?}")
}

pub(crate) fn policy(count: usize, kinds: Kinds) -> Policy {
    load(&text(count, kinds, Format::Yaml), Format::Yaml)
}

/// What one policy of 1,000 rules adds to the resident memory, over twenty of them.
pub(crate) fn memory() -> String {
    const MANY: usize = 20;
    let source = text(1_000, Kinds::Mixed, Format::Json);
    // The first one brings in pages that stay with the allocator; it is not counted.
    let first = load(&source, Format::Json);
    let Some(before) = resident() else {
        return "Memory: not measured, as there is no /proc here.".to_owned();
    };
    let policies: Vec<Policy> = (0..MANY).map(|_| load(&source, Format::Json)).collect();
    let after = resident().unwrap_or(before);
    drop((first, policies));
    let each = after.saturating_sub(before) as f64 / MANY as f64 / 1024.0;
    let word = if each <= 10.0 { "met" } else { "**missed**" };
    format!("Memory of a policy of 1,000 rules: {each:.2} MiB (budget ≤ 10 MB, {word}).")
}

/// `VmRSS` in KiB.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?
        .trim()
        .split(' ')
        .next()?
        .parse()
        .ok()
}

/// With commas between thousands.
pub(crate) fn number(count: usize) -> String {
    if count < 1_000 {
        count.to_string()
    } else {
        format!("{},{:03}", count / 1_000, count % 1_000)
    }
}
