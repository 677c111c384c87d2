//! Repositories whose data or settings lead out of the workspace, and addresses that hold a password.

use sayso_core::analysis::fact::{Fact, GitHelperKind, Question, Shows};

use super::Scratch;
use super::git_danger::repository;

fn leads_out(scratch: &Scratch, folder: &str) -> bool {
    scratch
        .git(folder)
        .helpers
        .iter()
        .any(|helper| helper.kind == GitHelperKind::Outside && helper.on_read)
}

#[test]
fn data_outside_of_the_workspace_is_told() {
    let scratch = repository();
    scratch.folder("far");
    scratch.run_git(&["clone", "-q", ".", &scratch.at("far/one")], b"");
    assert!(!leads_out(&scratch, "."));
    scratch.file(
        "ws/by-file/.git",
        &format!("gitdir: {}\n", scratch.at("far/one/.git")),
    );
    assert!(leads_out(&scratch, "by-file"));
    scratch.folder("ws/by-link");
    std::os::unix::fs::symlink(scratch.at("far/one/.git"), scratch.at("ws/by-link/.git")).unwrap();
    assert!(leads_out(&scratch, "by-link"));
    scratch.run_git(&["init", "-q", "by-common"], b"");
    scratch.file("ws/by-common/.git/commondir", &scratch.at("far/one/.git"));
    scratch.file("ws/by-common/.git/gitdir", &scratch.at("ws/by-common/.git"));
    assert!(leads_out(&scratch, "by-common"));
    scratch.run_git(&["init", "-q", "by-objects"], b"");
    std::fs::remove_dir_all(scratch.at("ws/by-objects/.git/objects")).unwrap();
    std::os::unix::fs::symlink(
        scratch.at("far/one/.git/objects"),
        scratch.at("ws/by-objects/.git/objects"),
    )
    .unwrap();
    assert!(leads_out(&scratch, "by-objects"));
    scratch.file(
        "ws/.git/objects/info/alternates",
        &format!("{}\n", scratch.at("far/one/.git/objects")),
    );
    assert!(leads_out(&scratch, "."));
    scratch.file(
        "ws/.git/objects/info/alternates",
        "../../by-common/.git/objects\n",
    );
    assert!(!leads_out(&scratch, "."));
    scratch.file(
        "ws/by-common/.git/objects/info/alternates",
        "../../../../far/one/.git/objects\n",
    );
    assert!(leads_out(&scratch, "."), "alternates have alternates");
}

#[test]
fn a_work_tree_that_its_repository_knows_is_ordinary() {
    let scratch = repository();
    scratch.folder("far");
    scratch.run_git(&["clone", "-q", ".", &scratch.at("far/one")], b"");
    scratch.run_git(
        &[
            "-C",
            &scratch.at("far/one"),
            "worktree",
            "add",
            "-q",
            &scratch.at("ws/tree"),
        ],
        b"",
    );
    assert!(!leads_out(&scratch, "tree"));
    scratch.run_git(
        &[
            "init",
            "-q",
            "--separate-git-dir",
            &scratch.at("far/apart"),
            "apart",
        ],
        b"",
    );
    assert_eq!(
        leads_out(&scratch, "apart"),
        !std::fs::read_to_string(scratch.at("far/apart/config"))
            .unwrap()
            .contains("worktree")
    );
    // Another folder cannot take its place.
    scratch.file(
        "ws/other/.git",
        &std::fs::read_to_string(scratch.at("ws/tree/.git")).unwrap(),
    );
    assert!(leads_out(&scratch, "other"));
}

#[test]
fn files_that_settings_name_may_lie_in_the_workspace_only() {
    for key in [
        "core.excludesFile",
        "core.attributesFile",
        "format.signatureFile",
        "blame.ignoreRevsFile",
        "mailmap.file",
        "diff.orderFile",
    ] {
        for (value, out) in [
            ("x", false),
            ("docs/x", false),
            ("../x", true),
            ("/etc/passwd", true),
            ("~/x", true),
            (".env", true),
            ("~u/x", true),
        ] {
            let scratch = repository();
            scratch.run_git(&["config", key, value], b"");
            assert_eq!(leads_out(&scratch, "."), out, "{key}={value}");
        }
    }
    let scratch = repository();
    scratch.run_git(&["config", "include.path", &scratch.at("home/x")], b"");
    assert!(leads_out(&scratch, "."));
}

#[test]
fn passwords_and_stashes_are_told_only_where_they_are_shown() {
    let scratch = repository();
    let kinds = |logins: bool, stash: bool| -> Vec<GitHelperKind> {
        match scratch.one(Question::GitHelpers {
            folder: ".".to_owned(),
            shows: Shows {
                logins,
                stash,
                ..Shows::default()
            },
        }) {
            Some(Fact::Git(fact)) => fact.helpers.into_iter().map(|helper| helper.kind).collect(),
            other => panic!("{other:?}"),
        }
    };
    scratch.run_git(
        &["config", "remote.origin.url", "https://example.com/x.git"],
        b"",
    );
    assert_eq!(kinds(true, true), []);
    scratch.run_git(
        &[
            "config",
            "remote.origin.url",
            "https://me:secret@example.com/x.git",
        ],
        b"",
    );
    assert_eq!(
        (kinds(false, false), kinds(true, false)),
        (vec![], vec![GitHelperKind::Login])
    );
    scratch.run_git(
        &["config", "remote.origin.url", "git@example.com:x.git"],
        b"",
    );
    scratch.run_git(
        &[
            "config",
            "url.https://ghp_x@example.com/.insteadOf",
            "https://example.com/",
        ],
        b"",
    );
    assert_eq!(kinds(true, false), [GitHelperKind::Login]);
    let settings = |settings: bool| match scratch.one(Question::GitHelpers {
        folder: ".".to_owned(),
        shows: Shows {
            logins: true,
            settings,
            ..Shows::default()
        },
    }) {
        Some(Fact::Git(fact)) => fact.helpers.len(),
        other => panic!("{other:?}"),
    };
    scratch.run_git(
        &[
            "config",
            "--remove-section",
            "url.https://ghp_x@example.com/",
        ],
        b"",
    );
    for (key, value) in [
        ("credential.helper", "cache"),
        ("author.name", "x"),
        ("user.signingkey", "x"),
    ] {
        scratch.run_git(&["config", key, value], b"");
        assert_eq!(settings(true), settings(false), "{key}");
        scratch.run_git(&["config", "--unset", key], b"");
    }
    for (key, value) in [
        ("http.extraheader", "x"),
        ("sendemail.smtppass", "x"),
        ("credential.https://h.helper", "!f() { echo x; }; f"),
    ] {
        scratch.run_git(&["config", key, value], b"");
        assert_eq!(settings(true), settings(false) + 1, "{key}");
        scratch.run_git(&["config", "--unset", key], b"");
    }
    scratch.file("ws/.git/refs/stash", "x");
    assert_eq!(
        (kinds(false, false), kinds(false, true)),
        (vec![], vec![GitHelperKind::Stash])
    );
}

#[test]
fn two_folders_are_compared_whole_where_there_is_no_repository() {
    let untracked = |scratch: &Scratch, untracked: bool| match scratch.one(Question::GitHelpers {
        folder: ".".to_owned(),
        shows: Shows {
            untracked,
            ..Shows::default()
        },
    }) {
        Some(Fact::Git(fact)) => fact
            .helpers
            .iter()
            .any(|helper| helper.kind == GitHelperKind::Untracked && helper.on_read),
        other => panic!("{other:?}"),
    };
    let bare = Scratch::new();
    assert!(untracked(&bare, true) && !untracked(&bare, false));
    assert!(!untracked(&repository(), true));
}

#[test]
fn finding_j_06_links_in_the_data_that_lead_out_are_told() {
    for place in [
        "BISECT_LOG",
        "BISECT_START",
        "MERGE_MSG",
        "info/sparse-checkout",
        "info/exclude",
        "logs/HEAD",
        "logs/refs/heads/x",
        "refs/heads/a/b",
        "packed-refs",
        "rebase-merge/git-rebase-todo",
        "rebase-apply/head-name",
        "sequencer/todo",
        "worktrees/x/gitdir",
        "worktrees/x/locked",
        "remotes/x",
        "objects/info/commit-graph",
        "description",
        "ORIG_HEAD",
        "rebase-merge",
        "info",
        "refs/heads",
        "logs",
    ] {
        for target in ["far/key", "ws/.env", "far/nothing"] {
            let scratch = repository();
            scratch.file("far/key", "secret");
            scratch.file("ws/.env", "secret");
            let link = std::path::PathBuf::from(scratch.at(&format!("ws/.git/{place}")));
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            let _ = std::fs::remove_file(&link).or_else(|_| std::fs::remove_dir_all(&link));
            std::os::unix::fs::symlink(scratch.at(target), &link).unwrap();
            assert!(leads_out(&scratch, "."), "{place} {target}");
        }
    }
}

#[test]
fn finding_j_06_links_within_the_data_are_ordinary() {
    let scratch = repository();
    let data = scratch.at("ws/.git");
    std::os::unix::fs::symlink("refs/heads/main", format!("{data}/refs/heads/other")).unwrap();
    std::os::unix::fs::symlink("../config", format!("{data}/info/settings")).unwrap();
    std::os::unix::fs::symlink("../../tools/pre-push", format!("{data}/hooks/tool.sample"))
        .unwrap();
    scratch.file("ws/.git/lfs/x", "x");
    std::os::unix::fs::symlink("/etc/passwd", format!("{data}/lfs/y")).unwrap();
    assert!(!leads_out(&scratch, "."));
}
