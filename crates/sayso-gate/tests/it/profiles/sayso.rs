//! The default profile: silent for what is provably harmless, a question for the rest.

use sayso_core::answer::verdict::Confirm;
use sayso_core::policy::decision::Decision::{Allow, Ask, Deny};
use sayso_core::policy::mode::Mode;

use crate::bench::{Setup, call};

fn setup() -> Setup {
    Setup::profile("sayso")
}

#[test]
fn the_default_profile_is_this_one_with_mode_balanced() {
    let nothing_said = Setup::of(Vec::new());
    let settings = nothing_said.settings();
    assert_eq!(
        (settings.profile.as_str(), settings.mode),
        ("sayso", Mode::Balanced)
    );
    assert!(
        !settings.enter_approves
            && !settings.approve_all_covers_dangerous
            && !settings.yolo_covers_catastrophic
    );
    assert!(
        settings.trusted_tools.is_empty()
            && !settings.trust_mcp_servers
            && settings.trusted_mcp_servers.is_empty()
    );
    assert_eq!(settings.dangerous_action, Ask);
    assert_eq!(settings.private_addresses, Deny);
}

/// Z-05: automatic only for what is provably read-only, in the workspace, and not secret; and for prose.
#[test]
fn z_05_only_harmless_reads_and_prose_are_silent() {
    setup().expect(&[
        ("bash ls -la", Allow),
        ("bash cat README.md", Allow),
        ("bash git status", Allow),
        ("file_read src/main.rs", Allow),
        ("file_grep src", Allow),
        ("glob src/*.rs", Allow),
        ("list src", Allow),
        ("file_edit docs/README.md", Allow),
        ("file_create new.rst", Allow),
        ("file_write notes/x.txt", Allow),
        ("file_mkdir src/new", Allow),
        ("bash npm test", Ask),
        ("bash cargo build", Ask),
        ("bash touch x", Ask),
        ("bash ll", Ask),
        ("file_edit src/main.rs", Ask),
        ("file_write data.json", Ask),
        ("file_create docs/run.sh", Ask),
        ("file_edit requirements.txt", Ask),
        ("file_edit CMakeLists.txt", Ask),
        ("file_edit AGENTS.md", Ask),
        ("file_edit out.md", Ask),
        ("file_create_overwrite README.md", Ask),
        ("file_delete old_file.py", Ask),
        ("file_rmdir src", Ask),
        ("file_move README.md x.md", Ask),
        ("file_copy README.md x.md", Allow),
        ("mcp github/get_issue", Ask),
        ("webfetch https://example.com/", Ask),
        ("delegate helper", Ask),
        ("agent_create helper", Ask),
        ("share_file README.md", Ask),
        ("my_tool", Ask),
    ]);
}

#[test]
fn z_41_private_addresses_are_denied() {
    setup().expect(&[
        ("webfetch http://127.0.0.1:8080/", Deny),
        ("webfetch http://169.254.169.254/latest", Deny),
        ("webfetch https://192.168.0.1/", Deny),
        ("webfetch file:///etc/passwd", Deny),
    ]);
}

#[test]
fn z_20_secret_ignored_and_outside_reads_are_asked() {
    setup().expect(&[
        ("file_read .env", Ask),
        ("file_read hidden.md", Ask),
        ("file_read out.md", Ask),
        ("file_read local.cfg", Ask),
        ("file_read /etc/passwd", Ask),
        ("file_read /home/u/.ssh/id_rsa", Ask),
        ("file_read /home/u/.local/state/sayso/key", Deny),
    ]);
}

/// 3.6: the modes of the design, over the same calls.
#[test]
fn d_03_every_mode_does_what_its_name_says() {
    for (mode, read, edit, prose, shell, mcp, delete) in [
        ("confirm-all", Ask, Ask, Ask, Ask, Ask, Ask),
        ("balanced", Allow, Ask, Allow, Ask, Ask, Ask),
        ("high-risk-only", Allow, Allow, Allow, Ask, Ask, Ask),
        ("default", Allow, Allow, Allow, Ask, Ask, Ask),
        ("auto-approve-edits", Allow, Allow, Allow, Ask, Ask, Ask),
        ("safe-only", Allow, Deny, Allow, Deny, Deny, Deny),
    ] {
        Setup::with("sayso", &format!("mode: {mode}")).expect(&[
            ("file_read src/main.rs", read),
            ("file_edit src/main.rs", edit),
            ("file_edit docs/README.md", prose),
            ("bash npm test", shell),
            ("mcp github/get_issue", mcp),
            ("file_delete old_file.py", delete),
            ("bash rm -rf /", Deny),
        ]);
    }
}

/// D-14: edits are writes, edits and new files; not deletes, overwriting, moves, protected files, shell or MCP.
#[test]
fn d_14_auto_approve_edits_covers_edits_and_nothing_else() {
    Setup::with("sayso", "mode: auto_approve_edits").expect(&[
        ("file_write src/main.rs", Allow),
        ("file_edit src/main.rs", Allow),
        ("file_create src/new.rs", Allow),
        ("file_append src/main.rs", Allow),
        ("file_insert_after src/main.rs", Allow),
        ("file_create_overwrite src/main.rs", Ask),
        ("file_delete old_file.py", Ask),
        ("file_move src/main.rs src/x.rs", Ask),
        ("file_edit .git/config", Ask),
        ("file_edit .env", Ask),
        ("file_edit /home/u/x", Ask),
        ("file_edit out.md", Ask),
        ("bash touch src/x", Ask),
        ("mcp github/get_issue", Ask),
    ]);
}

#[test]
fn z_25_danger_and_deletes_are_confirmed_twice() {
    for text in [
        "bash rm -rf node_modules",
        "bash chmod -R 777 src",
        "file_delete old_file.py",
        "bash sudo ls",
    ] {
        let verdict = setup().judge(call(text));
        assert_eq!(
            (verdict.decision, verdict.confirm),
            (Ask, Confirm::Double),
            "{text}"
        );
    }
    assert_eq!(
        setup().judge(call("file_edit src/main.rs")).confirm,
        Confirm::Single
    );
}

/// Z-03: Enter never approves here, whatever a file says.
#[test]
fn z_03_enter_never_approves_in_this_profile() {
    assert!(
        !Setup::with("sayso", "enter_approves: true")
            .settings()
            .enter_approves
    );
    assert!(
        !Setup::with("forge", "enter_approves: true")
            .settings()
            .enter_approves
    );
    assert!(!Setup::profile("kollabor-spec").settings().enter_approves);
    assert!(
        Setup::with("kollabor-spec", "enter_approves: true")
            .settings()
            .enter_approves
    );
}
