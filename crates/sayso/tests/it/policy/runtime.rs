//! The file of the opencode-like runtime, as it is: `permissions`, and `agents.<name>.permissions`.

use super::{decision, desk, sayso, seeds};

/// finding A-29: the runtime's own file is a policy, with the sections of its agents.
#[test]
fn finding_a_29_the_runtimes_file_is_a_policy() {
    let desk = seeds::desk(
        &["003-agent.yaml"],
        &[("src/a.rs", "a\n"), ("a.txt", "a\n")],
    );
    assert_eq!(
        sayso(&desk, &["policy", "check"]).is(0, "as it is").out,
        "1 file: 0 errors, 0 warnings\n"
    );
    for profile in ["sayso", "opencode"] {
        let cases = [
            ("", "git status", "allow"),
            ("", "npm install", "allow"),
            ("", "npm run x", "ask"),
            ("", "rm -rf x", "deny"),
            ("", "make", "ask"),
            ("safe-reviewer", "git status", "allow"),
            ("safe-reviewer", "ls", "allow"),
            // Its section stands in the place of what is listed for all.
            ("safe-reviewer", "ls -la", "deny"),
            ("safe-reviewer", "npm install", "deny"),
            ("safe-reviewer", "go build", "deny"),
            ("safe-reviewer", "make", "deny"),
            ("build-agent", "git push", "allow"),
            ("build-agent", "npm test", "allow"),
            ("build-agent", "make", "ask"),
            ("build-agent", "rm -rf x", "deny"),
        ];
        for (agent, command, expected) in cases {
            assert_eq!(
                decision(&desk, &["--profile", profile, "--agent", agent], command),
                expected,
                "{profile} {agent}: {command}"
            );
        }
        for (agent, file, code) in [
            ("safe-reviewer", "src/a.rs", 20),
            ("safe-reviewer", "a.txt", 20),
            ("build-agent", "src/a.rs", 0),
        ] {
            let edit = [
                "check",
                "--profile",
                profile,
                "--agent",
                agent,
                "--tool",
                "file_edit",
                "--arg",
                &format!("path={file}"),
            ];
            let done = sayso(
                &desk,
                &[&edit[..], &["--arg", "find=a", "--arg", "replace=b"]].concat(),
            );
            assert_eq!(done.code, code, "{profile} {agent} {file}: {}", done.out);
        }
    }
}

/// finding A-29: dotted and nested spellings are the same.
#[test]
fn finding_a_29_every_spelling_of_an_agents_section() {
    let texts = [
        "agents: {x: {permissions: {bash: deny}}}\n",
        "agents: {x: {permissions.bash.default: deny}}\n",
        "agents.x.permissions.bash: deny\n",
        "agents.x.permissions: {bash: {default: deny}}\n",
        "agents: {x: {mode: balanced, permissions: {bash: {default: deny}}}}\n",
        "permissions.agents.x.bash: deny\n",
    ];
    for text in texts {
        let desk = desk(text, &[]);
        assert_eq!(decision(&desk, &["--agent", "x"], "make"), "deny", "{text}");
        assert_eq!(decision(&desk, &["--agent", "y"], "make"), "ask", "{text}");
    }
    let wrong = desk("agents: {x: {permissions: {bosh: deny}}}\n", &[]);
    let done = sayso(&wrong, &["policy", "check"]).is(2, "no such key");
    assert!(
        done.out.contains("`permissions` has no key `bosh`"),
        "{}",
        done.out
    );
    let wrong = desk("agents: 3\n", &[]);
    sayso(&wrong, &["policy", "check"]).is(2, "no map");
}

/// finding A-29: `policy import --from opencode` takes it, and names what it does not read.
#[test]
fn finding_a_29_the_runtimes_file_is_imported() {
    let desk = desk("version: 1\n", &[]);
    let file = desk.batch(
        "agent.yaml",
        format!("{}\nmodel: gpt\n", seeds::text("003-agent.yaml")),
    );
    let done = sayso(
        &desk,
        &[
            "policy",
            "import",
            "--from",
            "opencode",
            file.to_str().unwrap(),
        ],
    )
    .is(0, "imported");
    assert!(
        done.err.contains("keys that it sets: permissions, agents"),
        "{}",
        done.err
    );
    assert!(done.err.contains("`model`\n  not read"), "{}", done.err);
    assert!(
        !done.err.contains("0 rules") && !done.err.contains("everything could be carried over"),
        "{}",
        done.err
    );
    desk.scene.user_policy(&done.out);
    assert_eq!(
        decision(&desk, &["--agent", "safe-reviewer"], "npm install"),
        "deny"
    );
    assert_eq!(
        decision(&desk, &["--agent", "build-agent"], "git push"),
        "allow"
    );
    let file = desk.batch("opencode.json", "{\"model\": \"x\", \"provider\": {}}");
    let done = sayso(
        &desk,
        &[
            "policy",
            "import",
            "--from",
            "opencode",
            file.to_str().unwrap(),
        ],
    )
    .is(0, "nothing to import");
    assert!(
        done.err.contains("`model, provider`\n  not read")
            && done.err.contains("nothing to carry over"),
        "{}",
        done.err
    );
}
