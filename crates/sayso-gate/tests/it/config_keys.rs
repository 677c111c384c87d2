//! C-01: every key of the systems sayso grew from is accepted, nested and dotted, and does something or says that it does not.

use sayso_core::policy::decision::Decision;
use sayso_core::policy::decision::Decision::{Allow, Ask, Deny};
use sayso_core::policy::mode::Mode;
use sayso_core::policy::read::Origin;
use sayso_core::policy::settings::{Resolved, SandboxFallback, ShellDefault};

use crate::bench::{Setup, findings, layer};

type Check = fn(&Resolved) -> bool;

/// The whole key, a value that no profile has by itself, and what it must change.
const SEED_KEYS: &[(&str, &str, Check)] = &[
    ("permissions.enabled", "false", |s| !s.enabled),
    ("permissions.safe_commands_only", "true", |s| {
        s.safe_commands_only
    }),
    ("permissions.approval_timeout", "77", |s| {
        s.approval_timeout == 77
    }),
    ("permissions.auto_approve_safe_commands", "false", |s| {
        !s.auto_approve_safe_commands
    }),
    ("permissions.auto_approve_safe_paths", "false", |s| {
        !s.auto_approve_safe_paths
    }),
    ("permissions.safe_commands", "[xyz]", |s| {
        s.safe_commands
            .iter()
            .any(|entry| entry.pattern.written == "xyz" && entry.own)
    }),
    ("permissions.safe_file_patterns", "['\\.xyz$']", |s| {
        s.safe_path_regexes.len() == 1
    }),
    ("permissions.protected_paths", "[xyz]", |s| {
        s.protected_paths
            .iter()
            .any(|p| p.matches("/ws/xyz", "/ws", None).is_some())
    }),
    ("permissions.double_confirm_deletes", "false", |s| {
        !s.double_confirm_deletes
    }),
    ("permissions.show_approval_stats", "false", |s| {
        !s.show_approval_stats
    }),
    ("permissions.edit", "deny", |s| {
        s.default_write == Some(Deny)
    }),
    ("permissions.bash.default", "deny", |s| {
        s.default_command == Some(Deny)
    }),
    ("permissions.webfetch", "deny", |s| {
        s.default_fetch == Some(Deny)
    }),
    ("core.permissions.enabled", "false", |s| !s.enabled),
    (
        "core.permissions.approval_mode",
        "auto_approve_edits",
        |s| s.mode == Mode::AutoApproveEdits,
    ),
    ("core.permissions.audit_log_enabled", "false", |s| {
        !s.audit_enabled
    }),
    ("core.permissions.audit_log_path", "/x/y.log", |s| {
        s.audit_log.as_deref() == Some("/x/y.log") && s.audit_path.is_none()
    }),
    (
        "core.permissions.risk_assessment.high_risk_patterns",
        "[xyz]",
        |s| s.high_risk.len() == 1,
    ),
    (
        "core.permissions.risk_assessment.medium_risk_patterns",
        "[xyz]",
        |s| s.medium_risk.len() == 1,
    ),
    (
        "core.permissions.risk_assessment.trusted_tools",
        "[xyz]",
        |s| s.trusted_tools.contains(&"xyz".to_owned()),
    ),
    (
        "core.permissions.risk_assessment.blocked_tools",
        "[xyz]",
        |s| s.blocked_tools == ["xyz"],
    ),
    (
        "core.permissions.risk_assessment.trust_mcp_servers",
        "true",
        |s| s.trust_mcp_servers,
    ),
    (
        "core.permissions.risk_assessment.trusted_mcp_servers",
        "[xyz]",
        |s| s.trusted_mcp_servers == ["xyz"],
    ),
    ("core.permissions.ui.show_risk_level", "false", |s| {
        !s.show_risk_level
    }),
    ("core.permissions.ui.show_matched_pattern", "false", |s| {
        !s.show_matched_pattern
    }),
    ("core.permissions.ui.confirmation_timeout", "77", |s| {
        s.approval_timeout == 77
    }),
    ("core.permissions.ui.timeout_response", "deny", |_| true),
    ("kollabor.permissions.ui.confirmation_timeout", "77", |s| {
        s.approval_timeout == 77
    }),
    ("sandbox.paths.notes.root", "./notes", |s| {
        s.roots.len() == 1 && s.roots[0].root == "./notes" && s.roots[0].name == "notes"
    }),
    ("sandbox.require_os_sandbox", "true", |s| s.sandbox_require),
    ("sandbox.os_sandbox_fallback", "refuse_tools", |s| {
        s.sandbox_fallback == SandboxFallback::RefuseTools
    }),
    ("shell.default.allowed", "false", |s| {
        s.shell_default
            == Some(ShellDefault {
                allowed: false,
                approval: true,
            })
    }),
    ("shell.default.approval", "false", |s| {
        s.shell_default
            == Some(ShellDefault {
                allowed: true,
                approval: false,
            })
    }),
    ("shell.network", "true", |s| {
        s.sandbox_network == sayso_core::policy::terms::Network::Everything
    }),
    ("audit.retention_days", "7", |s| s.audit_retention_days == 7),
    ("keymap", "forge", |s| s.keymap.word() == "forge"),
    ("prompt_style", "status", |s| {
        s.prompt_style.word() == "status"
    }),
    ("notify.after", "5", |s| s.notify_after == 5),
    ("notify.bell", "true", |s| s.notify_bell),
    ("notify.terminal", "osc777", |s| {
        s.notify_terminal.word() == "osc777"
    }),
    ("notify.command", "[/x/y, z]", |s| {
        s.notify_command == ["/x/y", "z"]
    }),
    ("outside_workspace", "deny", |s| s.outside_workspace == Deny),
    ("workspace.outside", "deny", |s| s.outside_workspace == Deny),
    ("catastrophic_action", "deny", |_| true),
    ("redact", "false", |s| !s.redact),
    ("truncate_lines", "7", |s| s.truncate_lines == 7),
];

/// `a.b.c: v` → `a: {b: {c: v}}`, split at the dots that are counted.
fn nested(key: &str, value: &str, splits: usize) -> String {
    let parts: Vec<&str> = key.splitn(splits + 1, '.').collect();
    let (last, before) = parts.split_last().expect("a key");
    let inner = format!("{last}: {value}");
    before
        .iter()
        .rev()
        .fold(inner, |inner, part| format!("{part}: {{{inner}}}"))
}

#[test]
fn c_01_every_key_works_nested_dotted_and_half_dotted() {
    for profile in ["sayso", "kollabor-spec"] {
        for (key, value, check) in SEED_KEYS {
            for splits in 0..=key.matches('.').count() {
                let text = nested(key, value, splits);
                if text.contains("{notes.root") {
                    continue; // What stands below `paths` is a name, and a name may hold dots.
                }
                let setup = Setup::with(profile, &text);
                assert!(check(setup.settings()), "`{text}` has no effect");
            }
        }
    }
}

#[test]
fn c_01_patterns_shell_rules_and_agents_become_rules() {
    let patterns = "permissions:\n  bash:\n    default: ask\n    patterns: {\"xyz *\": allow, \"xyz drop *\": deny}";
    let dotted = "permissions.bash.patterns: {\"xyz *\": allow, \"xyz drop *\": deny}";
    for text in [patterns, dotted] {
        Setup::with("opencode", text).expect(&[
            ("bash xyz a", Allow),
            ("bash xyz drop b", Deny),
            ("bash abc", Ask),
        ]);
    }
    for text in [
        "permissions: {agents: {rev: {edit: deny, bash: {default: deny, patterns: {ls: allow}}}}}",
        "permissions.agents: {rev: {edit: deny, bash.default: deny}}",
        "permissions.agents.rev: {edit: deny, bash: deny}",
        "permissions.agents.rev.edit: deny\npermissions.agents.rev.bash.default: deny",
        "agents.rev.defaults: {write: deny, command: deny}",
        "agents: {rev: {defaults.write: deny, defaults.command: deny}}",
        "agents.rev.defaults.write: deny\nagents.rev.defaults.command: deny",
    ] {
        let setup = Setup::with("opencode", text);
        setup.expect_by("rev", &[("edit src/main.rs", Deny), ("bash whoami", Deny)]);
        setup.expect(&[("edit src/main.rs", Ask), ("bash whoami", Ask)]);
    }
    let rules = "shell.rules: [{pattern: xyz, approval: false, allowed: true, description: d, sandbox_paths: []}, {pattern: abc, allowed: false}]";
    Setup::with("llm-do", rules).expect(&[("bash xyz a", Allow), ("bash abc", Deny)]);
}

/// An agent may be called anything, so a dot in a nested name stays in the name.
#[test]
fn a_name_with_a_dot_stays_whole() {
    let setup = Setup::with("opencode", "agents: {a.mode: {defaults: {write: deny}}}");
    setup.expect_by("a.mode", &[("edit src/main.rs", Deny)]);
    setup.expect_by("a", &[("edit src/main.rs", Ask)]);
    let dotted = Setup::with("opencode", "agents.a.b.defaults.write: deny");
    dotted.expect_by("a.b", &[("edit src/main.rs", Deny)]);
}

#[test]
fn h_46_unknown_keys_and_wrong_types_are_errors() {
    for text in [
        "permission.enabled: true",
        "permissions.yolo: true",
        "permissions.aproval_timeout: 3",
        "permissions: {bash: {defaults: ask}}",
        "core.permissions.mode: default",
        "core.permissions.ui.timeout: 3",
        "core.permissions.ui.timeout_response: approve",
        "core: {enabled: false}",
        "core.enabled: false",
        "permissions: 3",
        "core.permissions: 3",
        "shell.default.allow: true",
        "sandbox.paths.notes.folder: x",
        "agents.x.colour: red",
        "permissions.agents.x.colour: red",
        "approval_timeout: soon",
        "enabled: 'yes'",
        "catastrophic_action: ask",
        "approve_all_covers_dangerous: true",
        "yolo_covers_catastrophic: true",
        "auto_approve_copies: true",
        "lock: [mode]",
        "permissions.approval_timeout: 1\ncore.permissions.ui.confirmation_timeout: 2",
        "permissions.bash.patterns: {ls: maybe}",
    ] {
        assert!(findings(text, Origin::User).0, "`{text}` is accepted");
    }
}

/// Z-09: a bypass is said for a run, never written down.
#[test]
fn z_09_yolo_mode_in_a_file_warns_and_does_nothing() {
    for text in [
        "permissions.yolo_mode: true",
        "permissions: {yolo_mode: true}",
        "permissions.yolo_mode: false",
    ] {
        let (failed, messages) = findings(text, Origin::User);
        assert!(
            !failed && messages.contains("`yolo_mode` in a file is ignored"),
            "{messages}"
        );
        Setup::with("kollabor-spec", text)
            .expect(&[("bash rm -rf /", Deny), ("file_edit src/main.rs", Ask)]);
    }
}

#[test]
fn z_09_trust_all_counts_in_the_persons_own_file_only() {
    let texts = [
        "mode: trust-all",
        "mode: trust_all",
        "core.permissions.approval_mode: trust_all",
    ];
    for text in texts {
        let (failed, messages) = findings(text, Origin::User);
        assert!(
            !failed && messages.contains("asks nothing"),
            "`{text}`: {messages}"
        );
        assert_eq!(
            layer(text, Origin::User)
                .settings
                .mode
                .map(|mode| mode.value),
            Some(Mode::TrustAll),
            "{text}"
        );
    }
    for origin in [
        Origin::Managed,
        Origin::Learned,
        Origin::Project,
        Origin::UntrustedProject,
        Origin::CommandLine,
    ] {
        for text in texts {
            let (failed, messages) = findings(text, origin);
            assert!(
                !failed && messages.contains("does not count here"),
                "{origin:?} `{text}`: {messages}"
            );
            assert!(
                layer(text, origin).settings.mode.is_none(),
                "{origin:?} `{text}`"
            );
        }
    }
    let (failed, messages) = findings("agents: {x: {mode: trust-all}}", Origin::User);
    assert!(
        !failed && messages.contains("does not count here"),
        "{messages}"
    );
}

#[test]
fn z_03_enter_approves_warns_where_it_does_not_count() {
    assert!(
        findings("enter_approves: true", Origin::User)
            .1
            .contains("counts only in")
    );
    assert!(
        findings("profile: forge\nenter_approves: true", Origin::User)
            .1
            .contains("counts only in")
    );
    assert_eq!(
        findings("profile: kollabor-spec\nenter_approves: true", Origin::User).1,
        ""
    );
    // Which key says yes is not for a project to choose.
    let (_, messages) = findings(
        "profile: kollabor-spec\nenter_approves: true",
        Origin::Project,
    );
    assert!(messages.contains("enter_approves"), "{messages}");
}

/// 3.1 of 000: expressions on paths are anchored at the workspace.
#[test]
fn z_17_path_expressions_are_anchored() {
    let user = "permissions.safe_file_patterns: ['src/.*', '\\.xyz$']";
    Setup::with("kollabor-spec", user).expect(&[
        ("file_edit src/main.rs", Allow),
        ("file_edit deep/a.xyz", Allow),
        ("file_edit other/src/main.rs", Ask),
        ("file_edit a.xyz.sh", Ask),
    ]);
}

/// Rules of all layers combine, single values replace each other, and a lock holds.
#[test]
fn c_03_layers_replace_values_and_a_lock_holds() {
    let managed = "approval_timeout: 9\nmode: confirm-all\nlock: [mode]";
    let layers = vec![
        layer("mode: balanced\napproval_timeout: 5", Origin::User),
        layer(managed, Origin::Managed),
    ];
    let setup = Setup::of(layers);
    assert_eq!(
        (setup.settings().mode, setup.settings().approval_timeout),
        (Mode::ConfirmAll, 5)
    );
    assert_eq!(setup.decide("file_read src/main.rs"), Decision::Ask);
}
