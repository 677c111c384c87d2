//! Policies of other agents: what comes of them is never looser than they were (requirements D-10, C-01; Z-42 to Z-45).
//!
//! Random policies are written in each system's own form, brought along, and asked about many commands; a small model of each system's own
//! order of reading says what it would have decided.

use std::fmt::Write as _;
use std::fs;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::desk::{Desk, read};
use crate::program::run;

/// Commands that are asked about, without anything that a shell would put in.
const COMMANDS: [&str; 56] = [
    "git status",
    "git log -p",
    "git log",
    "git diff",
    "git diff HEAD",
    "git push",
    "git push origin main",
    "git push --force",
    "git pull",
    "git",
    "gitleaks detect",
    "git commit -m x",
    "ls",
    "ls -la",
    "lsof -i",
    "rm x",
    "rm build.log",
    "rm",
    "rmdir x",
    "cargo test",
    "cargo test -p core",
    "cargo build",
    "cargo",
    "cargo publish",
    "cargo check",
    "npm run build",
    "npm run test",
    "npm install",
    "npm test",
    "npm",
    "curl example.org",
    "curl",
    "wget example.org",
    "terraform plan",
    "terraform destroy",
    "terraform apply",
    "docker ps",
    "docker run x",
    "echo hi",
    "echo",
    "make",
    "make test",
    "make clean",
    "python x.py",
    "python",
    "node x.js",
    "node --version",
    "cargo --version",
    "git --version",
    "cat a.txt",
    "grep x a.txt",
    "touch x",
    "mkdir x",
    "mv a b",
    "cp a b",
    "sleep 1",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Decided {
    Allow,
    Ask,
    Deny,
}
use Decided::{Allow, Ask, Deny};

/// `*` spans anything, and a blank with a `*` at the end needs nothing behind it.
fn fits(pattern: &str, text: &str) -> bool {
    fn wild(pattern: &[u8], text: &[u8]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some((b'*', rest)) => (0..=text.len()).any(|start| wild(rest, &text[start..])),
            Some((letter, rest)) => text.first() == Some(letter) && wild(rest, &text[1..]),
        }
    }
    wild(pattern.as_bytes(), text.as_bytes())
        || pattern
            .strip_suffix(" *")
            .is_some_and(|start| wild(start.as_bytes(), text.as_bytes()))
}

fn is_prefix_of_words(prefix: &str, text: &str) -> bool {
    text == prefix
        || text
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with(' '))
}

/// What sayso says of all commands under the policy that comes of a file.
fn verdicts(system: &str, name: &str, text: &str) -> Vec<Decided> {
    let desk = Desk::with(&[("a.txt", "x\n")]);
    let file = desk.scene.home.join(name);
    fs::write(&file, text).unwrap();
    let made = run(
        desk.program()
            .args(["policy", "import", "--from", system, file.to_str().unwrap()]),
        b"",
    );
    assert_eq!(made.code, 0, "{text}\n{}", made.err);
    desk.scene.user_policy(&made.out);
    let mut lines = String::new();
    for command in COMMANDS {
        writeln!(
            lines,
            "{}",
            serde_json::json!({"tool": "bash", "args": {"command": command}})
        )
        .unwrap();
    }
    let said = run(desk.program().args(["check", "--jsonl"]), lines.as_bytes());
    assert_eq!(said.code, 0, "{text}\n{}\n{}", made.out, said.err);
    let word =
        |line: &str| match serde_json::from_str::<serde_json::Value>(line).unwrap()["decision"]
            .as_str()
        {
            Some("allow") => Allow,
            Some("ask") => Ask,
            Some("deny") => Deny,
            other => panic!("{other:?}: {line}"),
        };
    said.out.lines().map(word).collect()
}

/// Tries random lists of rules: what a file says, and what its system makes of a command.
fn never_looser(
    system: &str,
    name: &str,
    patterns: &'static [&'static str],
    write: impl Fn(&[(&str, Decided)]) -> String,
    model: impl Fn(&[(&str, Decided)], &str) -> Option<Decided>,
) {
    let decided = prop_oneof![Just(Allow), Just(Ask), Just(Deny)];
    let rules = proptest::collection::vec((proptest::sample::select(patterns), decided), 1..9);
    let config = Config {
        cases: 12,
        failure_persistence: None,
        ..Config::default()
    };
    let (mut compared, mut same) = (0, 0);
    let outcome = TestRunner::new(config).run(&rules, |rules| {
        let text = write(&rules);
        for (command, said) in COMMANDS.iter().zip(verdicts(system, name, &text)) {
            if let Some(wanted) = model(&rules, command) {
                prop_assert!(
                    said >= wanted,
                    "{}: `{}` was {:?} and is {:?}\n{}",
                    system,
                    command,
                    wanted,
                    said,
                    text
                );
            }
        }
        Ok(())
    });
    outcome.unwrap();
    // And what is allowed there is allowed here, where it can be said.
    let text = write(&[(patterns[0], Allow)]);
    for (command, said) in COMMANDS.iter().zip(verdicts(system, name, &text)) {
        if model(&[(patterns[0], Allow)], command) == Some(Allow) {
            compared += 1;
            same += usize::from(said == Allow);
        }
    }
    assert!(
        compared > 0 && same > 0,
        "{system}: {same} of {compared} are allowed"
    );
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[test]
fn claude_deny_then_ask_then_allow() {
    const PATTERNS: &[&str] = &[
        "cargo test *",
        "git *",
        "git push *",
        "git push",
        "git log:*",
        "rm *",
        "* --version",
        "ls*",
        "npm run *",
        "*",
        "curl:*",
        "terraform destroy",
    ];
    let write = |rules: &[(&str, Decided)]| {
        let of = |wanted: Decided| {
            let list: Vec<String> = rules
                .iter()
                .filter(|(_, decided)| *decided == wanted)
                .map(|(pattern, _)| quoted(&format!("Bash({pattern})")))
                .collect();
            list.join(", ")
        };
        format!(
            "{{\"permissions\": {{\"allow\": [{}], \"ask\": [{}], \"deny\": [{}]}}}}",
            of(Allow),
            of(Ask),
            of(Deny)
        )
    };
    let model = |rules: &[(&str, Decided)], command: &str| {
        let matches = |pattern: &str| {
            fits(
                &pattern
                    .strip_suffix(":*")
                    .map_or_else(|| pattern.to_owned(), |start| format!("{start} *")),
                command,
            )
        };
        rules
            .iter()
            .filter(|(pattern, _)| matches(pattern))
            .map(|(_, decided)| *decided)
            .max()
    };
    never_looser("claude", "settings.json", PATTERNS, write, model);
}

#[test]
fn codex_the_strictest() {
    const PATTERNS: &[&str] = &[
        "cargo test",
        "git",
        "git push",
        "git push --force",
        "rm",
        "npm run",
        "terraform destroy",
        "curl",
        "ls",
        "make",
    ];
    let write = |rules: &[(&str, Decided)]| {
        let rule = |(pattern, decided): &(&str, Decided)| {
            let list: Vec<String> = pattern.split(' ').map(quoted).collect();
            let word = match decided {
                Allow => "allow",
                Ask => "prompt",
                Deny => "forbidden",
            };
            format!(
                "prefix_rule(pattern = [{}], decision = \"{word}\")\n",
                list.join(", ")
            )
        };
        rules.iter().map(rule).collect()
    };
    let model = |rules: &[(&str, Decided)], command: &str| {
        rules
            .iter()
            .filter(|(pattern, _)| is_prefix_of_words(pattern, command))
            .map(|(_, decided)| *decided)
            .max()
    };
    never_looser("codex", "default.rules", PATTERNS, write, model);
}

#[test]
fn opencode_the_last_match() {
    const PATTERNS: &[&str] = &[
        "cargo *",
        "*",
        "git *",
        "git push *",
        "git push",
        "rm *",
        "rm build.log",
        "npm run *",
        "ls*",
        "*--force*",
        "curl *",
        "terraform destroy",
    ];
    /// A key that stands twice keeps its first place and its last value.
    fn merged<'a>(rules: &[(&'a str, Decided)]) -> Vec<(&'a str, Decided)> {
        let mut out: Vec<(&str, Decided)> = Vec::new();
        for (pattern, decided) in rules {
            match out.iter_mut().find(|(old, _)| old == pattern) {
                Some(old) => old.1 = *decided,
                None => out.push((pattern, *decided)),
            }
        }
        out
    }
    let write = |rules: &[(&str, Decided)]| {
        let list: Vec<String> = merged(rules)
            .iter()
            .map(|(pattern, decided)| {
                format!(
                    "{}: \"{}\"",
                    quoted(pattern),
                    format!("{decided:?}").to_lowercase()
                )
            })
            .collect();
        format!(
            "{{ // rules\n\"permission\": {{\"bash\": {{{}}} }} }}",
            list.join(", ")
        )
    };
    let model = |rules: &[(&str, Decided)], command: &str| {
        merged(rules)
            .iter()
            .rev()
            .find(|(pattern, _)| fits(pattern, command))
            .map(|(_, decided)| *decided)
    };
    never_looser("opencode", "opencode.json", PATTERNS, write, model);
}

#[test]
fn gemini_the_highest_priority() {
    const PATTERNS: &[&str] = &[
        "cargo test",
        "git",
        "git push",
        "git log",
        "rm",
        "npm run",
        "terraform",
        "terraform destroy",
        "curl",
        "ls",
        "make",
    ];
    let priority = |index: usize| (index * 37) % 11 * 10;
    let write = |rules: &[(&str, Decided)]| {
        let rule = |(index, (pattern, decided)): (usize, &(&str, Decided))| {
            let word = match decided {
                Allow => "allow",
                Ask => "ask_user",
                Deny => "deny",
            };
            let priority = priority(index);
            format!(
                "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = {}\ndecision = \"{word}\"\npriority = {priority}\n",
                quoted(pattern)
            )
        };
        rules.iter().enumerate().map(rule).collect()
    };
    let model = |rules: &[(&str, Decided)], command: &str| {
        let matching = rules
            .iter()
            .enumerate()
            .filter(|(_, (pattern, _))| is_prefix_of_words(pattern, command));
        // Of two alike the first counts.
        matching
            .max_by_key(|(index, _)| (priority(*index), std::cmp::Reverse(*index)))
            .map(|(_, (_, decided))| *decided)
    };
    never_looser("gemini", "rules.toml", PATTERNS, write, model);
}

#[test]
fn zed_deny_then_confirm_then_allow_then_the_default() {
    const PATTERNS: &[&str] = &[
        r"^cargo\s+test(\s|$)",
        r"^git\b",
        r"^git\s+(push|pull)(\s|$)",
        "--force",
        r"^rm\b",
        r"^npm\s+run(\s|$)",
        "terraform",
        r"^ls$",
        "^curl",
    ];
    let write = |rules: &[(&str, Decided)]| {
        let of = |wanted: Decided| {
            let list: Vec<String> = rules
                .iter()
                .filter(|(_, decided)| *decided == wanted)
                .map(|(pattern, _)| format!("{{\"pattern\": {}}}", quoted(pattern)))
                .collect();
            list.join(", ")
        };
        format!(
            "{{\"agent\": {{\"tool_permissions\": {{\"tools\": {{\"terminal\": {{\"always_allow\": [{}], \"always_confirm\": [{}], \"always_deny\": [{}],}} }} }} }} }}",
            of(Allow),
            of(Ask),
            of(Deny)
        )
    };
    let model = |rules: &[(&str, Decided)], command: &str| {
        let matches = |pattern: &str| {
            regex::RegexBuilder::new(pattern)
                .case_insensitive(true)
                .build()
                .unwrap()
                .is_match(command)
        };
        Some(
            rules
                .iter()
                .filter(|(pattern, _)| matches(pattern))
                .map(|(_, decided)| *decided)
                .max()
                .unwrap_or(Ask),
        )
    };
    never_looser("zed", "settings.json", PATTERNS, write, model);
}

#[test]
fn roo_the_longest_prefix() {
    const PATTERNS: &[&str] = &[
        "cargo test",
        "git",
        "git push",
        "git push origin",
        "git log",
        "rm",
        "npm run",
        "terraform",
        "*",
        "ls",
        "make",
    ];
    let write = |rules: &[(&str, Decided)]| {
        let of = |wanted: Decided| {
            let list: Vec<String> = rules
                .iter()
                .filter(|(_, decided)| *decided == wanted)
                .map(|(pattern, _)| quoted(pattern))
                .collect();
            list.join(", ")
        };
        format!(
            "{{\"roo-cline.allowedCommands\": [{}], \"roo-cline.deniedCommands\": [{}]}}",
            of(Allow),
            of(Deny)
        )
    };
    let model = |rules: &[(&str, Decided)], command: &str| {
        let matching = rules.iter().filter(|(pattern, decided)| {
            *decided != Ask && (*pattern == "*" || command.starts_with(pattern))
        });
        matching
            .max_by_key(|(pattern, decided)| {
                (if *pattern == "*" { 1 } else { pattern.len() }, *decided)
            })
            .map(|(_, decided)| *decided)
    };
    never_looser("roo", "settings.json", PATTERNS, write, model);
}

#[test]
fn the_smaller_ones_and_the_seeds() {
    for (system, name, text, expected) in [
        (
            "cline",
            "a.json",
            r#"{"allow": ["cargo *"], "deny": ["cargo publish *"]}"#,
            &[("cargo build", Allow), ("cargo publish", Deny)][..],
        ),
        (
            "goose",
            "permission.yaml",
            "user:\n  always_allow: [developer__text_editor]\n  never_allow: [developer__shell]\n",
            &[("ls", Deny)],
        ),
        (
            "crush",
            "crush.json",
            r#"{"permissions": {"allowed_tools": ["bash"]}, "options": {"disabled_tools": ["fetch"]}}"#,
            &[("make", Allow)],
        ),
        (
            "kollabor",
            "a.yaml",
            "permissions:\n  approval_timeout: 60\n",
            &[("rm x", Ask)],
        ),
    ] {
        let said = verdicts(system, name, text);
        for (command, wanted) in expected {
            let index = COMMANDS.iter().position(|known| known == command).unwrap();
            assert_eq!(said[index], *wanted, "{system}: {command}");
        }
    }
}

#[test]
fn what_is_no_policy_is_told_and_nothing_comes_of_it() {
    let desk = Desk::with(&[]);
    let file = desk.scene.home.join("x");
    for (system, text, words) in [
        ("claude", "{", "line 1"),
        ("codex", "import os\n", "is missing"),
        ("codex", "prefix_rule(pattern = [x()])", "neither a text"),
        ("codex", "prefix_rule(pattern = [\"a\"", "missing"),
        ("gemini", "[[rule]\n", "x"),
        ("opencode", "[1, 2", "line"),
        ("goose", "a: [", "x"),
        ("forge", "rulez: 1\n", "rulez"),
    ] {
        fs::write(&file, text).unwrap();
        let said = run(
            desk.program()
                .args(["policy", "import", "--from", system, file.to_str().unwrap()]),
            b"",
        );
        assert_eq!(said.code, 2, "{system}: {}", said.out);
        assert!(said.err.contains(words), "{system}: {}", said.err);
        assert!(said.out.is_empty());
    }
    let missing = run(
        desk.program()
            .args(["policy", "import", "--from", "claude", "none.json"]),
        b"",
    );
    assert_eq!(missing.code, 2);
}

#[test]
fn the_report_names_what_differs() {
    let desk = Desk::with(&[]);
    let file = desk.scene.home.join("settings.json");
    let text = r#"{"permissions": {"defaultMode": "bypassPermissions", "allow": ["Bash(ls | wc)", "Write(src/**)", "mcp__*", "Bash(a:b)"], "deny": ["Bash(x; y)", "Read([ab])"]}}"#;
    fs::write(&file, text).unwrap();
    let said = run(
        desk.program().args([
            "policy",
            "import",
            "--json",
            "--from",
            "claude",
            file.to_str().unwrap(),
        ]),
        b"",
    );
    let answer = read(&said);
    let differs = answer["differs"].as_array().unwrap();
    for what in [
        "defaultMode: bypassPermissions",
        "Bash(ls | wc)",
        "Write(src/**)",
        "mcp__*",
        "Bash(a:b)",
        "Bash(x; y)",
        "Read([ab])",
    ] {
        assert!(
            differs.iter().any(|note| note["what"] == what),
            "{what}: {answer:#}"
        );
    }
    let policy = answer["policy"].as_str().unwrap();
    assert!(
        policy.contains("deny: {command: \"*\"}")
            && policy.contains("deny: {read: \"/**\"}")
            && !policy.contains("allow"),
        "{policy}"
    );
}

/// A policy of ours, in the words of another system and back.
const OURS: &str = "version: 1
rules:
  - deny: {command: \"git push --force *\"}
    reason: open a pull request
  - ask: {command: \"git push *\"}
  - allow: {command: \"cargo {build,check} *\"}
  - allow: {command: \"make\"}
  - allow: {command: \"git log *\"}
    when: {agent: build}
  - deny: {command: \"rm *\"}
    except: {command: \"rm x\"}
  - deny: {read: \"**/.env\"}
  - allow: {write: \"src/**\"}
  - deny: {command_regex: \"terraform +destroy\"}
  - allow: {fetch: \"https://docs.rs/**\"}
  - ask: {mcp: \"github/create_issue\"}
";

#[test]
fn what_is_written_for_another_system_is_never_looser_when_it_comes_back() {
    for (system, name) in [
        ("claude", "settings.json"),
        ("codex", "a.rules"),
        ("gemini", "a.toml"),
        ("opencode", "opencode.json"),
    ] {
        let desk = Desk::with(&[("a.txt", "x\n")]);
        let policy = desk.scene.home.join("ours.yaml");
        fs::write(&policy, OURS).unwrap();
        let written = run(
            desk.program()
                .args(["policy", "export", "--to", system, policy.to_str().unwrap()]),
            b"",
        );
        assert_eq!(written.code, 0, "{}", written.err);
        // What cannot be said is told, and a condition or an exception makes nothing looser.
        assert!(
            written.err.contains("terraform +destroy") && written.err.contains("NOT SAID"),
            "{system}: {}",
            written.err
        );
        assert!(
            written.err.contains("git log *"),
            "{system}: {}",
            written.err
        );
        let back = verdicts(system, name, &written.out);
        let said =
            |command: &str| back[COMMANDS.iter().position(|known| *known == command).unwrap()];
        assert_eq!(said("git push --force"), Deny, "{system}\n{}", written.out);
        assert_eq!(
            (said("git push"), said("git push origin main")),
            (Ask, Ask),
            "{system}"
        );
        assert_eq!(
            (said("rm x"), said("rm build.log")),
            (Deny, Deny),
            "{system}"
        );
        assert_eq!(
            (said("cargo build"), said("cargo check")),
            (Allow, Allow),
            "{system}\n{}",
            written.out
        );
        assert!(
            said("make test") == Ask && said("make clean") == Ask,
            "{system}: exactly `make` is not more"
        );
    }
}

#[test]
fn the_rules_that_count_here_are_written_without_a_file() {
    let desk = Desk::with(&[]);
    desk.scene
        .user_policy("version: 1\nrules:\n  - deny: {command: \"curl *\"}\n");
    let said = read(&run(
        desk.program()
            .args(["policy", "export", "--json", "--to", "claude"]),
        b"",
    ));
    assert!(
        said["file"].as_str().unwrap().contains("Bash(curl *)"),
        "{said}"
    );
    let broken = desk.scene.home.join("broken.yaml");
    fs::write(&broken, "rulez: 1\n").unwrap();
    assert_eq!(
        run(
            desk.program().args([
                "policy",
                "export",
                "--to",
                "codex",
                broken.to_str().unwrap()
            ]),
            b""
        )
        .code,
        2
    );
}
