//! What is said of wrong values and of keys that are gone.

use super::{decision, desk, sayso};

fn findings(text: &str) -> String {
    let desk = desk(text, &[]);
    let out = sayso(&desk, &["policy", "check"]).is(2, text).out;
    assert_eq!(decision(&desk, &[], "ls"), "deny", "{text}");
    out
}

/// finding A-40: `tool_rules` is refused with the new spelling of what it says.
#[test]
fn finding_a_40_tool_rules_get_their_new_spelling() {
    let text = "tool_rules:\n  sandbox.write: {approval_required: true}\n  sandbox.read: {approval_required: false}\n  shell: {allowed: true, approval_required: false}\n  send_email: {allowed: false}\n";
    let said = findings(text);
    for new in [
        "`tool_rules` is gone",
        "`sandbox: {paths: {NAME: {root: ./FOLDER, mode: rw, write_approval: true}}}` for `sandbox.write`",
        "`sandbox: {paths: {NAME: {root: ./FOLDER, mode: ro, read_approval: false}}}` for `sandbox.read`",
        "`shell: {default: {allowed: true, approval: false}}` for `shell`",
        "`rules: [{deny: {tool: send_email}}]` for `send_email`",
    ] {
        assert!(said.contains(new), "{new}: {said}");
    }
    for text in [
        "tool_rules: []\n",
        "tool_rules: [{tool: send_email, allowed: false}]\n",
        "tool_rules.shell: {approval: true}\n",
        "tool_rules: 3\n",
    ] {
        assert!(findings(text).contains("hint: write `"), "{text}");
    }
    // What it tells people to write is understood.
    let new = "sandbox: {paths: {notes: {root: ./notes, mode: rw, write_approval: true}}}\nshell: {default: {allowed: true, approval: false}}\nrules: [{deny: {tool: send_email}}]\n";
    sayso(&desk(new, &[]), &["policy", "check"]).is(0, "the new spelling");
    let old = desk("version: 1\n", &[]);
    let file = old.batch("worker.yaml", text);
    let done = sayso(
        &old,
        &[
            "policy",
            "import",
            "--from",
            "llm-do",
            file.to_str().unwrap(),
        ],
    )
    .is(2, "an import says it, too");
    assert!(
        done.err.contains("`tool_rules` is gone") && done.err.contains("hint: write `"),
        "{}",
        done.err
    );
}

/// finding W-15: a wrong value of a key with some words lists them, and says what was meant.
#[test]
fn finding_w_15_a_wrong_value_lists_the_words() {
    let said = findings("sandbox: {auto_allow: true}\n");
    assert!(
        said.contains("expected one of never, run-in-workspace, found `true`"),
        "{said}"
    );
    assert!(
        said.contains("`true` would be `run-in-workspace`")
            && said.contains("What runs unasked because a sandbox bounds it"),
        "{said}"
    );
    let cases = [
        (
            "sandbox: {auto_allow: false}",
            "never, run-in-workspace",
            "`false` would be `never`",
        ),
        (
            "sandbox: {auto_allow: run_in_workspace}",
            "never, run-in-workspace",
            "did you mean `run-in-workspace`?",
        ),
        (
            "sandbox: {auto_allow: [never]}",
            "never, run-in-workspace",
            "found a list",
        ),
        (
            "sandbox: {fallback: 1}",
            "fail_fast, refuse_tools",
            "found a number",
        ),
        (
            "sandbox: {paths: {a: {root: x, mode: true}}}",
            "ro, rw",
            "`true` would be `rw`",
        ),
        ("mode: true", "confirm-all, balanced", "found `true`"),
        (
            "mode: trustall",
            "confirm-all, balanced",
            "did you mean `trust-all`?",
        ),
        ("mode:", "confirm-all, balanced", "found nothing"),
        (
            "defaults: {write: true}",
            "allow, ask, deny",
            "`true` would be `allow`",
        ),
        (
            "defaults: {write: alow}",
            "allow, ask, deny",
            "did you mean `allow`?",
        ),
        (
            "permissions: {edit: true}",
            "allow, ask, deny",
            "`true` would be `allow`",
        ),
        (
            "permissions: {bash: {patterns: {ls: alow}}}",
            "allow, ask, deny",
            "did you mean `allow`?",
        ),
        (
            "permissions: {bash: {patterns: {ls: true}}}",
            "allow, ask, deny",
            "`true` would be `allow`",
        ),
        (
            "core.permissions.approval_mode: confirm_al",
            "confirm-all, balanced",
            "did you mean `confirm_all`?",
        ),
        (
            "hooks: {ask: false}",
            "auto, host, inbox",
            "Who asks when a hook has to",
        ),
        (
            "hooks: {exec: true}",
            "auto, always, never",
            "`true` would be `always`",
        ),
        (
            "audit: {sync: true}",
            "auto, disk, none",
            "`true` would be `disk`",
        ),
        (
            "workspace: {outside: false}",
            "ask, deny",
            "`false` would be `deny`",
        ),
        (
            "keymap: vim",
            "sayso, kollabor-spec",
            "Which keys answer a prompt",
        ),
        ("prompt_style: 3", "auto, modal", "found a number"),
        ("risk: {command: true}", "medium, unknown", "found `true`"),
        ("mcp: {gate: [true]}", "resources, prompts", "found `true`"),
        (
            "rules: [{allow: {command: x, as: regex}}]",
            "words, exact, prefix, glob",
            "How `command` is meant",
        ),
        (
            "rules: [{allow: {command: x}, when: {mode: true}}]",
            "confirm-all, balanced",
            "found `true`",
        ),
        (
            "agents: {x: {mode: loose}}",
            "confirm-all, balanced",
            "How eager to ask",
        ),
    ];
    for (text, words, more) in cases {
        let said = findings(&format!("{text}\n"));
        assert!(
            said.contains(words) && said.contains(more),
            "{text}: {said}"
        );
    }
}
