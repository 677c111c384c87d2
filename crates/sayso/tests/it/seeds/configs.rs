//! Configurations as they stand, and what calls get under them.

use serde_json::{Value, json};

use super::{decision, desk, table, verdicts};
use crate::desk::Desk;
use crate::program::run;

const FILES: [(&str, &str); 8] = [
    ("src/a.py", "x"),
    ("docs/a.md", "x"),
    ("main.py", "x"),
    (".env", "K=1"),
    ("notes/a.txt", "x"),
    ("notes/a.py", "x"),
    ("cache/a.bin", "x"),
    ("output/t.py", "x"),
];

/// Each row: the tool, its argument, the agent, and the decision.
type Row = (&'static str, &'static str, &'static str, &'static str);

const ROWS: [(&str, &str, &[Row]); 5] = [
    (
        "000-permissions.json",
        "kollabor-spec",
        &[
            ("terminal", "ls -la", "", "allow"),
            ("terminal", "git show", "", "allow"),
            ("terminal", "rm -rf node_modules", "", "ask"),
            ("terminal", "make", "", "ask"),
            ("file_edit", "docs/a.md", "", "allow"),
            ("file_edit", "src/a.py", "", "ask"),
            ("file_edit", "main.py", "", "ask"),
            ("file_edit", ".env", "", "ask"),
            ("file_delete", "docs/a.md", "", "ask"),
        ],
    ),
    (
        "001-shell.yaml",
        "llm-do",
        &[
            ("terminal", "git status", "", "allow"),
            ("terminal", "git add a", "", "ask"),
            ("terminal", "git commit -m x", "", "ask"),
            ("terminal", "rm a", "", "deny"),
            ("terminal", "ls && rm a", "", "deny"),
            ("terminal", "make", "", "ask"),
            ("terminal", "pytest src", "", "ask"),
        ],
    ),
    (
        "001-sandbox-paths.yaml",
        "llm-do",
        &[
            ("read_file", "notes/a.txt", "", "allow"),
            ("write_file", "notes/a.txt", "", "ask"),
            ("write_file", "notes/a.py", "", "deny"),
            ("write_file", "cache/a.bin", "", "allow"),
            ("write_file", "src/a.py", "", "deny"),
            ("read_file", "src/a.py", "", "deny"),
        ],
    ),
    (
        "003-agent.yaml",
        "opencode",
        &[
            ("bash", "ls", "", "allow"),
            ("bash", "ls src", "", "allow"),
            ("bash", "git log", "", "allow"),
            ("bash", "git log -3", "", "ask"),
            ("bash", "npm install", "", "allow"),
            ("bash", "npm run build", "", "ask"),
            ("bash", "rm -rf build", "", "deny"),
            ("bash", "rm -rf /", "", "deny"),
            ("bash", "dd if=a of=b", "", "deny"),
            ("bash", "mkfs.ext4 x", "", "deny"),
            ("edit", "src/a.py", "", "ask"),
            ("webfetch", "https://example.com", "", "allow"),
            ("edit", "src/a.py", "safe-reviewer", "deny"),
            ("bash", "ls", "safe-reviewer", "allow"),
            ("bash", "npm install", "safe-reviewer", "deny"),
            ("webfetch", "https://example.com", "safe-reviewer", "deny"),
            ("edit", "src/a.py", "build-agent", "allow"),
            ("bash", "npm ci", "build-agent", "allow"),
            ("bash", "make", "build-agent", "ask"),
            ("bash", "rm -rf build", "build-agent", "deny"),
        ],
    ),
    (
        "004-config.json",
        "kollabor",
        &[
            // Z-56: the mode that confirms everything counts for trusted tools, too.
            ("read_file", "src/a.py", "", "ask"),
            ("file_read", "src/a.py", "", "ask"),
            ("terminal", "ls", "", "ask"),
            ("file_write", "src/a.py", "", "ask"),
            ("terminal", "rm -rf /", "", "deny"),
        ],
    ),
];

fn arguments(tool: &str, argument: &str) -> Value {
    match tool {
        "terminal" | "bash" => json!({"command": argument}),
        "webfetch" => json!({"url": argument}),
        "edit" | "file_edit" => json!({"path": argument, "find": "x", "replace": "y"}),
        "write_file" | "file_write" => json!({"path": argument, "content": "y"}),
        _ => json!({"path": argument}),
    }
}

/// The configuration is accepted as it stands, and each call gets its decision.
fn holds(config: &str) {
    let (_, profile, rows) = ROWS.iter().find(|(name, ..)| *name == config).unwrap();
    let desk = desk(config, &FILES);
    run(desk.program().args(["policy", "check"]), b"").is(0, config);
    let calls: Vec<_> = rows
        .iter()
        .map(|(tool, argument, agent, _)| (*tool, arguments(tool, argument), *agent))
        .collect();
    let mut failures = Vec::new();
    for ((tool, argument, agent, wanted), got) in rows.iter().zip(verdicts(&desk, profile, &calls))
    {
        if decision(&got) != *wanted {
            failures.push(format!(
                "{tool} {argument} {agent}: wanted {wanted}, got {got}"
            ));
        }
    }
    assert!(failures.is_empty(), "{config}:\n{}", failures.join("\n"));
}

#[test]
fn the_configuration_of_000_holds() {
    holds("000-permissions.json");
}

#[test]
fn the_shell_rules_of_001_hold() {
    holds("001-shell.yaml");
}

#[test]
fn the_paths_of_001_hold() {
    holds("001-sandbox-paths.yaml");
}

#[test]
fn the_configuration_of_003_with_its_agents_holds() {
    holds("003-agent.yaml");
}

#[test]
fn the_configuration_of_004_holds() {
    holds("004-config.json");
}

/// 001: no approval needed, approval needed, and blocked, in each of the three modes of its table.
#[test]
fn the_modes_of_001_decide_as_in_its_table() {
    let desk = desk("001-shell.yaml", &[("a", "x")]);
    let calls = json!(
        ["git status", "git add a", "rm a"]
            .map(|command| json!({"tool": "terminal", "args": {"command": command}}))
    );
    let table = table("001-modes.md");
    for (column, flags) in [&["--answers", "y"][..], &["--approve-all"], &["--strict"]]
        .into_iter()
        .enumerate()
    {
        let flags: Vec<&str> = ["--profile", "llm-do"]
            .iter()
            .chain(flags)
            .copied()
            .collect();
        let (results, _) = desk.results(&flags, &calls);
        for (row, result) in table.iter().zip(results["results"].as_array().unwrap()) {
            let runs = matches!(
                row[column + 1].as_str(),
                "Execute" | "Prompt user" | "Auto-approve"
            );
            assert_eq!(result["approved"], runs, "{row:?} {flags:?}: {result}");
        }
    }
}

/// 000 §7 and 004 have a table of their keys; each with its default is a policy on its own.
#[test]
fn every_key_of_the_tables_is_known_with_its_default() {
    let mut policies = Vec::new();
    for row in table("000-options.md") {
        let (key, default) = (&row[0], if row[2] == "[...]" { "[]" } else { &row[2] });
        policies.push(format!("permissions: {{{key}: {default}}}\n"));
    }
    for (key, default) in settings_of_004() {
        let below = if key.ends_with("_patterns") || key.ends_with("_tools") {
            "risk_assessment."
        } else {
            ""
        };
        let below = if key == "confirmation_timeout" {
            "ui."
        } else {
            below
        };
        policies.push(format!("core.permissions.{below}{key}: {default}\n"));
    }
    assert_eq!(policies.len(), 17);
    for policy in policies {
        let desk = Desk::with(&[]);
        desk.scene.user_policy(&policy);
        run(desk.program().args(["policy", "check"]), b"").is(0, &policy);
    }
}

/// The table of 004 came without its columns; the keys and the defaults are at the ends of its lines.
fn settings_of_004() -> Vec<(String, String)> {
    let known = [
        "enabled",
        "approval_mode",
        "high_risk_patterns",
        "trusted_tools",
        "blocked_tools",
        "confirmation_timeout",
    ];
    let rows = super::lines("004-settings.txt");
    let key = |row: &String| {
        known
            .iter()
            .find(|key| row.starts_with(**key))
            .unwrap_or_else(|| panic!("{row}"))
            .to_string()
    };
    rows.iter()
        .skip(1)
        .map(|row| (key(row), default_of(row)))
        .collect()
}

fn default_of(row: &str) -> String {
    for end in ["true", "confirm_all", "[]", "0"] {
        if row.ends_with(end) {
            return end.to_owned();
        }
    }
    format!("[{}]", row.split_once("auto-approved").unwrap().1)
}
