//! 001: tools speak for themselves, folders and commands have their own terms.

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Call, ToolSays};
use sayso_core::policy::decision::Decision::{self, Allow, Ask, Deny};
use sayso_core::policy::settings::ShellDefault;
use sayso_core::text::node::{Node, Value};

use crate::bench::{PROFILES, Setup, call};

fn setup(user: &str) -> Setup {
    Setup::with("llm-do", user)
}

fn needs(payload: Node) -> ToolSays {
    ToolSays::NeedsApproval {
        payload,
        description: "do it".to_owned(),
    }
}

#[test]
fn settings_have_their_defaults() {
    let setup = setup("");
    let settings = setup.settings();
    assert_eq!(
        settings.shell_default,
        Some(ShellDefault {
            allowed: true,
            approval: true
        })
    );
    assert_eq!(
        settings.sandbox_fallback,
        sayso_core::policy::settings::SandboxFallback::FailFast
    );
    assert!(
        !settings.sandbox_require
            && settings.sandbox_network == sayso_core::policy::terms::Network::Nothing
            && settings.roots.is_empty()
    );
    assert_eq!(settings.approval_timeout, 0);
    assert_eq!(settings.truncate_lines, 50);
}

/// 3.7: what the tool says × what was said for the run.
#[test]
fn d_01_the_decision_matrix_holds_in_every_profile() {
    let says: [(ToolSays, [Decision; 3]); 3] = [
        (ToolSays::PreApproved, [Allow, Allow, Allow]),
        (needs(Node::text("p")), [Ask, Allow, Deny]),
        (
            ToolSays::Blocked {
                reason: "no".to_owned(),
            },
            [Deny, Deny, Deny],
        ),
    ];
    for profile in PROFILES {
        for (says, expected) in &says {
            for (run, expected) in [Run::Interactive, Run::ApproveAll, Run::Strict]
                .into_iter()
                .zip(expected)
            {
                let verdict = Setup::profile(profile).run(run).judge(Call {
                    says: says.clone(),
                    ..call("deploy")
                });
                assert_eq!(verdict.decision, *expected, "{profile} {says:?} {run:?}");
            }
        }
    }
}

/// Z-32, D-07: to say nothing is not to be approved.
#[test]
fn z_32_strict_denies_a_tool_that_says_nothing() {
    let silent = setup("").run(Run::Strict);
    assert_eq!(silent.decide("deploy"), Deny);
    let reasons = silent.judge(call("deploy")).reasons;
    assert_eq!(
        reasons.first().map(|reason| reason.text()).as_deref(),
        Some("strict mode: approval required")
    );
}

/// Blocked survives yolo too, in the one profile where catastrophes do not.
#[test]
fn a_blocked_tool_stays_blocked_under_yolo() {
    for profile in PROFILES {
        let blocked = Call {
            says: ToolSays::Blocked {
                reason: "no".to_owned(),
            },
            ..call("deploy")
        };
        assert_eq!(
            Setup::profile(profile)
                .run(Run::Yolo)
                .judge(blocked)
                .decision,
            Deny,
            "{profile}"
        );
    }
}

/// What a tool approved for itself is still dangerous if it is dangerous.
#[test]
fn pre_approval_covers_no_danger() {
    for text in [
        "bash rm -rf node_modules",
        "file_delete old_file.py",
        "file_edit .env",
        "bash a $b",
    ] {
        assert_eq!(
            setup("")
                .judge(Call {
                    says: ToolSays::PreApproved,
                    ..call(text)
                })
                .decision,
            Ask,
            "{text}"
        );
    }
}

/// 001 session memory: the tool's name and payload, equal in depth and in type.
#[test]
fn r_02_a_session_remembers_equal_payloads_only() {
    let number = |text: &str| Node::from(Value::Number(text.to_owned()));
    let list = |items: Vec<Node>| Node::from(Value::List(items));
    let payload = Node::map([
        ("path", Node::text("a")),
        (
            "deep",
            list(vec![
                number("1"),
                Node::map([("x", Node::from(Value::Bool(true)))]),
            ]),
        ),
    ]);
    let same = Node::map([
        (
            "deep",
            list(vec![
                number("1"),
                Node::map([("x", Node::from(Value::Bool(true)))]),
            ]),
        ),
        ("path", Node::text("a")),
    ]);
    let grant = Grant {
        id: "1".to_owned(),
        key: GrantKey::Payload {
            tool: "deploy".to_owned(),
            payload: sayso_core::text::digest::Digest::of_node(&payload),
        },
        reach: Reach::Session("s".to_owned()),
        agent: String::new(),
        expires: None,
        uses_left: None,
        seal: None,
        risk: Risk::Unknown,
    };
    let setup = setup("").grant(grant);
    let judge = |tool: &str, session: &str, payload: Node| {
        setup
            .judge(Call {
                says: needs(payload),
                session: session.to_owned(),
                ..call(tool)
            })
            .decision
    };
    assert_eq!(judge("deploy", "s", payload.clone()), Allow);
    assert_eq!(
        judge("deploy", "s", same),
        Allow,
        "the order of keys does not matter"
    );
    assert_eq!(
        judge("deploy", "t", payload.clone()),
        Ask,
        "another session"
    );
    assert_eq!(judge("destroy", "s", payload.clone()), Ask, "another tool");
    for x in [
        number("1"),
        Node::text("1"),
        Node::text("true"),
        Node::from(Value::Null),
    ] {
        let other = Node::map([
            ("path", Node::text("a")),
            ("deep", list(vec![number("1"), Node::map([("x", x)])])),
        ]);
        assert_eq!(judge("deploy", "s", other), Ask);
    }
    let turned = Node::map([
        ("path", Node::text("a")),
        (
            "deep",
            list(vec![
                Node::map([("x", Node::from(Value::Bool(true)))]),
                number("1"),
            ]),
        ),
    ]);
    assert_eq!(
        judge("deploy", "s", turned),
        Ask,
        "the order in a list matters"
    );
}

/// P-09: folders with their own terms; a path outside of every one is blocked, not asked.
#[test]
fn p_09_path_roots_have_their_own_terms() {
    let user = "sandbox.paths:\n  notes: {root: ./notes, mode: rw, suffixes: [.txt], write_approval: true}\n  \
                src: {root: src, mode: ro}\n  free: {root: docs, mode: rw, write_approval: false, read_approval: true}";
    setup(user).expect(&[
        ("read_file notes/a.txt", Allow),
        ("write_file notes/a.txt", Ask),
        ("write_file notes/a.md", Deny),
        ("read_file src/main.rs", Allow),
        ("write_file src/main.rs", Deny),
        ("file_edit src/main.rs", Deny),
        ("file_delete src/main.rs", Deny),
        ("file_mkdir src/x", Deny),
        ("write_file docs/x.rs", Allow),
        ("read_file docs/README.md", Ask),
        ("file_delete docs/README.md", Ask),
        ("read_file README.md", Deny),
        ("write_file /home/u/x.txt", Deny),
        ("read_file notes/../README.md", Deny),
    ]);
}

#[test]
fn z_64_outside_of_the_workspace_is_denied_here() {
    setup("").expect(&[
        ("read_file src/main.rs", Allow),
        ("write_file src/main.rs", Ask),
        ("read_file /etc/passwd", Deny),
        ("write_file /home/u/x", Deny),
        ("read_file out.md", Deny),
        ("bash cat /etc/passwd", Deny),
    ]);
}

const SHELL: &str = "
shell:
  default: {allowed: true, approval: true}
  rules:
    - {pattern: git status, approval: false}
    - {pattern: git push, allowed: false}
    - {pattern: git, approval: true, description: ask for git}
    - {pattern: rm, allowed: false}
    - {pattern: cat, approval: false, sandbox_paths: [notes]}
sandbox.paths.notes: {root: ./notes, mode: rw}
";

/// K-11, K-13: ordered rules, the first that matches counts, whole words, paths in their roots.
#[test]
fn k_11_ordered_shell_rules() {
    setup(SHELL).expect(&[
        ("bash git status", Allow),
        ("bash git status --short", Allow),
        ("bash git statusx", Ask),
        ("bash git push", Deny),
        ("bash git log", Ask),
        ("bash rm x", Deny),
        ("bash rmdir notes/x", Ask),
        ("bash sudo rm x", Deny),
        ("bash ls; rm x", Deny),
        ("bash cat notes/a.txt", Allow),
        ("bash cat README.md", Ask),
        ("bash npm test", Ask),
    ]);
}

/// K-12, Z-65: the default blocks what no rule names.
#[test]
fn k_12_a_default_that_allows_nothing_blocks_the_rest() {
    let user = SHELL.replace("default: {allowed: true", "default: {allowed: false");
    setup(&user).expect(&[
        ("bash git status", Allow),
        ("bash npm test", Deny),
        ("bash ls; id", Deny),
    ]);
    let free = SHELL.replace("approval: true}\n", "approval: false}\n");
    setup(&free).expect(&[
        ("bash npm test", Allow),
        ("bash rm x", Deny),
        ("bash chmod -R 777 src", Ask),
    ]);
}

/// T-13: calling and making workers always goes through the controller.
#[test]
fn t_13_workers_are_asked_for() {
    setup("").expect(&[
        ("worker_call helper", Ask),
        ("worker_create helper", Ask),
        ("share_file README.md", Ask),
        ("share_file .env", Ask),
    ]);
}
