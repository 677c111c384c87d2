//! `sayso policy show`.

use serde_json::Value;

use super::{desk, sayso, seeds};
use crate::desk::read;

/// finding A-12: every list that counts is shown, each value once, with its source.
#[test]
fn finding_a_12_every_list_is_shown_once_with_its_source() {
    let desk = seeds::desk(&["000-permissions.json"], &[]);
    for profile in super::PROFILES {
        let out = sayso(&desk, &["policy", "show", "--profile", profile])
            .is(0, profile)
            .out;
        for key in [
            "safe_commands:",
            "safe_path_regexes (safe_file_patterns):",
            "protected_paths:",
        ] {
            assert_eq!(
                out.lines().filter(|line| *line == key).count(),
                1,
                "{profile} {key}: {out}"
            );
        }
        for (value, line) in [
            ("git show", 16),
            ("tests/.*\\.py$", 22),
            ("core/llm/llm_service.py", 30),
            (".venv", 35),
        ] {
            let shown: Vec<&str> = out
                .lines()
                .filter(|line| line.trim_start().split("  ").next() == Some(value))
                .collect();
            assert_eq!(shown.len(), 1, "{profile} {value}: {shown:?}");
            assert!(
                shown[0].contains(&format!("policy.json:{line}")),
                "{shown:?}"
            );
        }
        assert!(
            out.contains("# built-in: git's own data") && out.contains("secrets, in every policy"),
            "{out}"
        );
    }
    let json = read(
        &sayso(
            &desk,
            &["policy", "show", "--json", "--profile", "kollabor-spec"],
        )
        .is(0, "as JSON"),
    );
    let lists = &json["views"][0]["lists"];
    let one = |key: &str, value: &str| -> Value {
        let found: Vec<&Value> = lists[key]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["value"] == value)
            .collect();
        assert_eq!(found.len(), 1, "{key} {value}: {lists}");
        found[0]["sources"].clone()
    };
    let sources = one("protected_paths", "main.py");
    assert_eq!(sources[0], "profile kollabor-spec");
    assert!(
        sources[1].as_str().unwrap().ends_with("policy.json:29"),
        "{sources}"
    );
    one("safe_path_regexes", "\\.md$");
    one("safe_commands", "ls");
    assert!(
        json["built_in"]["secrets"].to_string().contains(".env")
            && json["built_in"]["protected"].to_string().contains(".git")
    );
}

/// finding A-12: so is every other list, and what an agent's section sets.
#[test]
fn finding_a_12_no_list_is_left_out() {
    let policy = "version: 1\nsafe_paths: [notes/**]\nblocked_tools: [drop_database]\ntrusted_tools: [look_up]\ntrusted_mcp_servers: [files]\n\
        risk: {high_patterns: [xh], medium_patterns: [xm]}\naudit: {exclude_keys: [password]}\nmcp: {elicitation: [claude], gate: [prompts]}\n\
        sandbox: {paths: {data: {root: ./data, mode: rw}}, bounds: {hide: [customers]}}\nshell: {rules: [{pattern: pytest, sandbox_paths: [data]}]}\n\
        agents: {x: {mode: safe-only, protected_paths: [infra], blocked_tools: [deploy]}}\n";
    let desk = desk(policy, &[]);
    let out = sayso(&desk, &["policy", "show"]).is(0, "shown").out;
    let json = read(&sayso(&desk, &["policy", "show", "--json"]).is(0, "as JSON"));
    let view = json["views"][0].to_string();
    for (key, value) in [
        ("safe_paths", "notes/**"),
        ("blocked_tools", "drop_database"),
        ("trusted_tools", "look_up"),
        ("trusted_mcp_servers", "files"),
        ("risk.high_patterns", "xh"),
        ("risk.medium_patterns", "xm"),
        ("audit.exclude_keys", "password"),
        ("mcp.elicitation", "claude"),
        ("mcp.gate", "prompts"),
        (
            "sandbox.paths",
            "data: {root: ./data, mode: rw, write_approval: true, read_approval: false}",
        ),
        ("sandbox.bounds", "{hide: [customers]}"),
        ("protected_paths", "infra"),
        ("blocked_tools", "deploy"),
    ] {
        assert!(
            out.contains(&format!("{key}:\n")) && out.contains(&format!("  {value}")),
            "{key} {value}: {out}"
        );
        assert!(view.contains(value), "{key} {value}: {view}");
    }
    assert!(
        out.contains("shell: pytest (only in data)") && out.contains("for the agent x:"),
        "{out}"
    );
}
