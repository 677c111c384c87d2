//! Ordinary repositories: a command that only reads must not be asked for there.

use sayso_core::analysis::fact::GitHelper;

use super::Scratch;
use super::git_danger::{commit, repository};

fn foreign_on_read(scratch: &Scratch, folder: &str) -> Vec<GitHelper> {
    let fact = scratch.git(folder);
    assert!(!fact.incomplete, "{folder}: {fact:#?}");
    fact.helpers
        .into_iter()
        .filter(|helper| helper.on_read)
        .collect()
}

/// A clone with a remote, a branch with an upstream, a further work tree and a submodule.
fn clone() -> Scratch {
    let scratch = repository();
    scratch.folder("far");
    scratch.run_git(
        &["clone", "-q", "--bare", ".", &scratch.at("far/one.git")],
        b"",
    );
    scratch.run_git(
        &["clone", "-q", "--bare", ".", &scratch.at("far/two.git")],
        b"",
    );
    std::fs::remove_dir_all(scratch.at("ws")).unwrap();
    scratch.folder("ws");
    scratch.run_git(&["clone", "-q", &scratch.at("far/one.git"), "."], b"");
    scratch.run_git(
        &["checkout", "-q", "-b", "topic", "--track", "origin/HEAD"],
        b"",
    );
    scratch.run_git(&["remote", "add", "other", "git@example.org:x/y.git"], b"");
    scratch.run_git(
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "-q",
            "add",
            &scratch.at("far/two.git"),
            "lib/two",
        ],
        b"",
    );
    commit(&scratch, "ws");
    scratch.run_git(&["worktree", "add", "-q", "../tree"], b"");
    scratch
}

#[test]
fn h_68_an_ordinary_clone_a_work_tree_and_a_submodule_run_nothing() {
    let scratch = clone();
    assert!(
        scratch.root.join("ws/lib/two/a.txt").exists(),
        "the submodule is there"
    );
    for folder in [".", "lib/two", &scratch.at("tree")] {
        assert_eq!(foreign_on_read(&scratch, folder), [], "{folder}");
    }
}

#[test]
fn h_68_a_submodule_counts_for_the_repository_above() {
    let scratch = clone();
    scratch.file(
        "ws/.git/modules/lib/two/config.worktree",
        "[core]\npager = evil\n",
    );
    assert_eq!(foreign_on_read(&scratch, ".").len(), 1);
    assert_eq!(
        foreign_on_read(&scratch, &scratch.at("tree")),
        [],
        "it is not checked out there"
    );
}

#[test]
fn h_68_usual_settings_of_a_repository_are_inert() {
    let scratch = clone();
    for (key, value) in [
        ("core.autocrlf", "input"),
        ("core.hooksPath", ".husky/_"),
        ("core.editor", "vim"),
        ("core.fsmonitor", "true"),
        ("alias.st", "!x"),
        ("branch.topic.rebase", "true"),
        ("branch.topic.vscode-merge-base", "origin/main"),
        ("remote.other.gh-resolved", "base"),
        ("user.email", "a@b"),
        ("commit.gpgsign", "true"),
        ("pull.rebase", "true"),
        ("push.autoSetupRemote", "true"),
        ("format.pretty", "oneline"),
        ("pretty.mine", "%h %s"),
        ("diff.algorithm", "histogram"),
        ("lfs.repositoryformatversion", "0"),
        ("lfs.https://x/y.git/info/lfs.access", "basic"),
        (
            "http.https://github.com/.extraheader",
            "AUTHORIZATION: basic x",
        ),
        ("credential.helper", "store"),
        ("gc.auto", "0"),
        ("maintenance.strategy", "incremental"),
    ] {
        scratch.run_git(&["config", key, value], b"");
    }
    assert_eq!(foreign_on_read(&scratch, "."), []);
    // What nobody has looked at is told, and so is what git-lfs would run.
    for key in [
        "brandnew.setting",
        "lfs.extension.x.clean",
        "diff.colormixed",
    ] {
        scratch.run_git(&["config", key, "x"], b"");
        assert!(
            foreign_on_read(&scratch, ".")
                .iter()
                .any(|helper| helper.name == key),
            "{key}"
        );
    }
}

#[test]
fn h_68_every_form_of_the_index_is_read() {
    let scratch = repository();
    scratch.run_git(&["init", "-q", "--object-format=sha256", "long"], b"");
    scratch.file("ws/long/x", "x");
    commit(&scratch, "ws/long");
    assert_eq!(foreign_on_read(&scratch, "long"), []);
    for count in 0..300 {
        scratch.file(
            &format!("ws/many/{count}/{}", "n".repeat(count % 200 + 1)),
            "x",
        );
    }
    scratch.file(
        &format!("ws/{}/{}", "p".repeat(200), "q".repeat(200)),
        "long",
    );
    for version in ["2", "3", "4"] {
        for threads in ["1", "4"] {
            scratch.run_git(&["config", "index.threads", threads], b"");
            scratch.run_git(&["config", "index.recordOffsetTable", "true"], b"");
            scratch.run_git(&["config", "index.recordEndOfIndexEntries", "true"], b"");
            scratch.run_git(&["update-index", "--index-version", version], b"");
            scratch.file("ws/more", &format!("{version}{threads}"));
            scratch.run_git(&["add", "-N", "more"], b"");
            commit(&scratch, "ws");
            scratch.run_git(
                &[
                    "-c",
                    "index.threads=4",
                    "update-index",
                    "--force-write-index",
                ],
                b"",
            );
            assert_eq!(foreign_on_read(&scratch, "."), [], "{version} {threads}");
        }
    }
    let mut index = std::fs::read(scratch.at("ws/.git/index")).unwrap();
    assert!(
        index.windows(4).any(|bytes| bytes == b"IEOT"),
        "the table of blocks was there"
    );
    // Cut anywhere, it is not taken for a whole one, and nothing goes wrong.
    while index.len() > 1 {
        index.truncate(index.len() / 2);
        std::fs::write(scratch.at("ws/.git/index"), &index).unwrap();
        assert!(scratch.git(".").incomplete);
    }
}
