//! Repositories whose settings run code when git only reads: the real git shows that they do, and the fact has to tell it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use sayso_core::analysis::fact::{GitHelperKind, GitScope};

use super::Scratch;

/// A workspace with one commit, and a script that leaves a mark.
pub(super) fn repository() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("home/.gitconfig", "[user]\nname = x\nemail = x@x\n");
    scratch.run_git(&["init", "-q"], b"");
    scratch.file("ws/a.txt", "one\n");
    commit(&scratch, "ws");
    script(&scratch, "bin/evil");
    scratch
}

pub(super) fn commit(scratch: &Scratch, folder: &str) {
    let folder = scratch.at(folder);
    scratch.run_git(&["-C", &folder, "add", "-A"], b"");
    scratch.run_git(
        &["-C", &folder, "commit", "-q", "--allow-empty", "-m", "x"],
        b"",
    );
}

fn script(scratch: &Scratch, path: &str) {
    scratch.file(
        path,
        &format!("#!/bin/sh\necho ran >> {}\nexit 0\n", scratch.at("mark")),
    );
    fs::set_permissions(scratch.at(path), Permissions::from_mode(0o755)).unwrap();
}

/// Makes git look into the file again, since its times do not match.
fn touch(scratch: &Scratch, path: &str) {
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options()
        .append(true)
        .open(scratch.at(path))
        .unwrap()
        .set_modified(before)
        .unwrap();
}

/// Runs the real git and shows that the script ran; then the fact has to name `helper` as the repository's.
fn dangerous(scratch: &Scratch, folder: &str, arguments: &[&str], helper: &str) {
    let fact = scratch.git(folder);
    let told = fact
        .helpers
        .iter()
        .any(|told| told.name == helper && told.on_read && told.scope == GitScope::Repository);
    assert!(told, "{helper} in {fact:#?}");
    drop(fs::remove_file(scratch.at("mark")));
    let folder = if folder.starts_with('/') {
        folder.to_owned()
    } else {
        scratch.at(&format!("ws/{folder}"))
    };
    let mut all = vec!["-C", folder.as_str()];
    all.extend(arguments);
    scratch.run_git(&all, b"");
    assert!(
        scratch.root.join("mark").exists(),
        "git did not run it: {helper}"
    );
}

#[test]
fn h_68_a_hook_of_the_index_runs_on_status_and_diff() {
    for (command, folder) in [
        ("status", ".git/hooks"),
        ("diff", ".git/hooks"),
        ("status", "tools"),
    ] {
        let scratch = repository();
        script(&scratch, &format!("ws/{folder}/post-index-change"));
        if folder == "tools" {
            // Even the person's own word leads into the work tree here.
            scratch.run_git(&["config", "--global", "core.hooksPath", "tools"], b"");
        }
        touch(&scratch, "ws/a.txt");
        dangerous(&scratch, ".", &[command], "hook.post-index-change");
    }
}

#[test]
fn h_68_a_mixed_section_header_is_one_name() {
    let scratch = repository();
    scratch.file("ws/.git/info/attributes", "*.txt filter=a.x diff=a.x\n");
    let evil = scratch.at("bin/evil");
    scratch.run_git(&["config", "core.filemode", "true"], b"");
    let config = fs::read_to_string(scratch.at("ws/.git/config")).unwrap();
    scratch.file(
        "ws/.git/config",
        &format!("{config}[filter.A \"x\"]\nclean = {evil}\n"),
    );
    touch(&scratch, "ws/a.txt");
    dangerous(&scratch, ".", &["diff"], "filter.a.x.clean");
    scratch.file(
        "ws/.git/config",
        &format!("{config}[diff.a \"x\"]\ntextconv = {evil}\n"),
    );
    dangerous(&scratch, ".", &["show"], "diff.a.x.textconv");
}

#[test]
fn h_68_what_a_repository_includes_is_its_own_word() {
    let scratch = repository();
    scratch.file(
        "far/evil.inc",
        &format!("[core]\nfsmonitor = {}\n", scratch.at("bin/evil")),
    );
    scratch.run_git(
        &["config", "include.path", &scratch.at("far/evil.inc")],
        b"",
    );
    dangerous(&scratch, ".", &["status"], "core.fsmonitor");
    // The very file that the person may choose to include as well.
    scratch.run_git(&["config", "--unset", "include.path"], b"");
    scratch.run_git(
        &[
            "config",
            "--global",
            "include.path",
            &scratch.at("far/evil.inc"),
        ],
        b"",
    );
    let fact = scratch.git(".");
    assert!(
        fact.helpers
            .iter()
            .all(|helper| helper.scope == GitScope::Person),
        "{fact:#?}"
    );
    // In the workspace an agent could have written it.
    scratch.file(
        "ws/mine.inc",
        &format!("[core]\nfsmonitor = {}\n", scratch.at("bin/evil")),
    );
    scratch.run_git(
        &[
            "config",
            "--global",
            "include.path",
            &scratch.at("ws/mine.inc"),
        ],
        b"",
    );
    dangerous(&scratch, ".", &["status"], "core.fsmonitor");
}

#[test]
fn h_68_data_outside_of_the_workspace_is_still_the_repositorys() {
    let scratch = repository();
    fs::rename(scratch.at("ws/.git"), scratch.at("elsewhere")).unwrap();
    scratch.file("ws/.git", "gitdir: ../elsewhere\n");
    scratch.run_git(&["config", "core.fsmonitor", &scratch.at("bin/evil")], b"");
    dangerous(&scratch, ".", &["status"], "core.fsmonitor");
    scratch.run_git(&["worktree", "add", "-q", "tree"], b"");
    dangerous(&scratch, "tree", &["status"], "core.fsmonitor");
}

#[test]
fn h_68_a_nested_repository_that_the_index_names_is_entered() {
    for version in ["2", "4"] {
        let scratch = repository();
        scratch.run_git(&["init", "-q", "deep/down/in/sub"], b"");
        scratch.file("ws/deep/down/in/sub/b.txt", "b");
        commit(&scratch, "ws/deep/down/in/sub");
        let sub = scratch.at("ws/deep/down/in/sub");
        scratch.run_git(
            &[
                "-C",
                &sub,
                "config",
                "core.fsmonitor",
                &scratch.at("bin/evil"),
            ],
            b"",
        );
        // Next to the index alone it is not entered, and nothing is told.
        let told = |scratch: &Scratch| {
            scratch
                .git(".")
                .helpers
                .iter()
                .any(|helper| helper.name == "core.fsmonitor")
        };
        scratch.run_git(&["status"], b"");
        assert!(!told(&scratch) && !scratch.root.join("mark").exists());
        scratch.run_git(&["update-index", "--index-version", version], b"");
        commit(&scratch, "ws");
        dangerous(&scratch, ".", &["status"], "core.fsmonitor");
        dangerous(&scratch, ".", &["diff"], "core.fsmonitor");
        // An index that is split over two files is not read, and that is said.
        scratch.run_git(&["update-index", "--split-index"], b"");
        assert!(scratch.git(".").incomplete);
    }
}

#[test]
fn h_68_log_starts_gpg_where_a_format_shows_signatures() {
    let scratch = repository();
    let evil = scratch.at("bin/evil");
    // A commit with something that looks like a signature.
    let tree = String::from_utf8(scratch.run_git(&["rev-parse", "HEAD^{tree}"], b"")).unwrap();
    let signed = format!(
        "tree {tree}author x <x> 1 +0000\ncommitter x <x> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nx\n"
    );
    let id = String::from_utf8(scratch.run_git(
        &["hash-object", "-t", "commit", "-w", "--stdin"],
        signed.as_bytes(),
    ))
    .unwrap();
    scratch.run_git(&["update-ref", "HEAD", id.trim()], b"");
    scratch.run_git(&["config", "gpg.program", &evil], b"");
    for (key, value, more) in [
        ("format.pretty", "format:%G?", None),
        ("format.pretty", "odd", Some("format:%+G?")),
        ("log.showSignature", "true", None),
    ] {
        scratch.run_git(&["config", key, value], b"");
        if let Some(format) = more {
            scratch.run_git(&["config", "pretty.odd", format], b"");
            dangerous(&scratch, ".", &["log"], "pretty.odd");
        } else {
            dangerous(&scratch, ".", &["log"], &key.to_lowercase());
        }
        dangerous(&scratch, ".", &["log"], "gpg.program");
        scratch.run_git(&["config", "--unset", key], b"");
    }
}

#[test]
fn h_68_a_folder_that_looks_like_a_repository_is_told() {
    let scratch = repository();
    scratch.run_git(&["clone", "-q", "--bare", ".", "docs"], b"");
    fs::remove_dir_all(scratch.at("ws/docs/hooks")).unwrap();
    let docs = scratch.at("ws/docs");
    // A plain setting, and nothing else but the layout.
    let clean = scratch.git("docs");
    let bare = clean
        .helpers
        .iter()
        .find(|helper| helper.kind == GitHelperKind::Bare)
        .unwrap();
    assert!(bare.on_read && bare.scope == GitScope::Repository && bare.file == docs);
    scratch.file("ws/docs/info/attributes", "*.txt diff=x\n");
    scratch.run_git(
        &[
            "-C",
            &docs,
            "config",
            "diff.x.textconv",
            &scratch.at("bin/evil"),
        ],
        b"",
    );
    dangerous(&scratch, "docs", &["log", "-p"], "diff.x.textconv");
    dangerous(&scratch, "docs/refs", &["log", "-p"], "repository.bare");
}

#[test]
fn h_68_a_lookalike_does_not_hide_the_repository_above() {
    let scratch = repository();
    scratch.run_git(&["config", "core.fsmonitor", &scratch.at("bin/evil")], b"");
    for data in ["ws/one/.git", "ws/two"] {
        scratch.folder(&format!("{data}/objects"));
        scratch.folder(&format!("{data}/refs"));
        scratch.file(&format!("{data}/HEAD"), "nothing\n");
    }
    for folder in ["one", "two"] {
        drop(fs::remove_file(scratch.at("mark")));
        scratch.run_git(&["-C", folder, "status"], b"");
        assert!(
            scratch.root.join("mark").exists(),
            "git goes on to the folder above"
        );
        assert!(scratch.git(folder).incomplete);
    }
}

#[test]
fn h_68_a_partial_clone_may_fetch_while_it_reads() {
    let scratch = repository();
    let blob = String::from_utf8(scratch.run_git(&["rev-parse", "HEAD:a.txt"], b"")).unwrap();
    let (folder, name) = blob.trim().split_at(2);
    fs::remove_file(scratch.at(&format!("ws/.git/objects/{folder}/{name}"))).unwrap();
    scratch.run_git(&["config", "core.repositoryformatversion", "1"], b"");
    scratch.run_git(
        &["config", "remote.origin.url", "ssh://nobody.invalid/x"],
        b"",
    );
    scratch.run_git(&["config", "core.sshCommand", &scratch.at("bin/evil")], b"");
    scratch.run_git(&["config", "remote.origin.promisor", "true"], b"");
    dangerous(
        &scratch,
        ".",
        &["show", "HEAD:a.txt"],
        "remote.origin.promisor",
    );
    scratch.run_git(&["config", "--unset", "remote.origin.promisor"], b"");
    scratch.run_git(&["config", "extensions.partialClone", "origin"], b"");
    dangerous(&scratch, ".", &["log", "-p"], "extensions.partialclone");
    let kinds = scratch.git(".").helpers;
    assert!(
        kinds
            .iter()
            .any(|helper| helper.kind == GitHelperKind::Fetch)
    );
}
