//! 002: every tool asks until the person writes a rule.

use sayso_core::policy::decision::Decision::{Allow, Ask, Deny};
use sayso_core::policy::mode::Mode;

use crate::bench::Setup;

fn setup() -> Setup {
    Setup::profile("forge")
}

#[test]
fn settings_have_their_defaults() {
    let setup = setup();
    let settings = setup.settings();
    assert_eq!(settings.mode, Mode::Balanced);
    assert_eq!(
        settings.approval_timeout, 0,
        "the timeout is optional and off"
    );
    assert!(settings.enabled && settings.audit_enabled);
    assert!(!settings.auto_approve_safe_commands && !settings.auto_approve_safe_paths);
    for default in [
        settings.default_read,
        settings.default_write,
        settings.default_command,
        settings.default_fetch,
        settings.default_mcp,
        settings.default_delegate,
    ] {
        assert_eq!(default, Some(Ask));
    }
}

/// WF1: the first call of every tool is asked, reads too.
#[test]
fn n_01_every_tool_asks_by_default() {
    setup().expect(&[
        ("file_read src/main.rs", Ask),
        ("file_grep src", Ask),
        ("glob src/*.rs", Ask),
        ("list src", Ask),
        ("file_edit docs/README.md", Ask),
        ("file_create x.md", Ask),
        ("file_mkdir x", Ask),
        ("file_copy README.md x.md", Ask),
        ("file_delete old_file.py", Ask),
        ("bash cat README.md", Ask),
        ("bash npm test", Ask),
        ("webfetch https://example.com/", Ask),
        ("mcp github/get_issue", Ask),
        ("delegate helper", Ask),
        ("my_tool", Ask),
    ]);
}

/// 3.3: the three commands Forge lets through.
#[test]
fn the_default_whitelist_is_git_status_ls_and_pwd() {
    setup().expect(&[
        ("bash git status", Allow),
        ("bash git status --short", Allow),
        ("bash ls", Allow),
        ("bash ls -la src", Allow),
        ("bash pwd", Allow),
        ("bash git statusx", Ask),
        ("bash git log", Ask),
        ("bash lsx", Ask),
        ("bash ls /etc", Ask),
        ("bash ls; id", Ask),
    ]);
}

/// WF2: a rule made from the dialog holds from then on, and only for what it names.
#[test]
fn wf_2_a_rule_for_reads_of_docs_covers_docs_only() {
    let ruled = Setup::with("forge", "rules: [{allow: {read: \"docs/**\"}}]");
    ruled.expect(&[
        ("file_read docs/README.md", Allow),
        ("file_read README.md", Ask),
        ("file_edit docs/README.md", Ask),
    ]);
}

/// WF3: a dangerous call is denied by the person's rule, in any layer.
#[test]
fn wf_3_a_deny_rule_holds() {
    let ruled = Setup::with(
        "forge",
        "rules: [{deny: {command: \"git push *\"}, reason: by hand}, {allow: {command: \"git *\"}}]",
    );
    ruled.expect(&[
        ("bash git push origin main", Deny),
        ("bash git fetch", Allow),
        ("bash sudo git push", Deny),
    ]);
}

/// WF4: a rule that is switched off stays in the file and does nothing.
#[test]
fn wf_4_a_disabled_rule_does_not_count() {
    let ruled = Setup::with(
        "forge",
        "rules: [{allow: {read: \"docs/**\"}, enabled: false}]",
    );
    ruled.expect(&[("file_read docs/README.md", Ask)]);
}
