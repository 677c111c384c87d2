//! The top of a repository, compared with what the real git prints.

use sayso_core::analysis::fact::{Fact, GitFact, GitHelperKind, Question, Shows, TOP};

use super::Scratch;
use crate::machine::Machine;

/// Where a path at the top is, and git's side of it, for an operation in this folder.
fn seen_from(scratch: &Scratch, machine: &Machine, folder: &str) -> (String, GitFact) {
    let path = Question::Path {
        path: TOP.to_owned(),
        no_follow: false,
    };
    let git = Question::GitHelpers {
        folder: ".".to_owned(),
        shows: Shows::default(),
    };
    let facts = machine.answer(&scratch.at(folder), &scratch.at("ws"), &[path, git]);
    match facts.answers.as_slice() {
        [Some(Fact::Path(path)), Some(Fact::Git(git))] => (path.canonical.clone(), git.clone()),
        other => panic!("{folder}: {other:?}"),
    }
}

#[test]
fn what_is_certain_is_what_git_prints_and_the_rest_is_not_certain() {
    let scratch = Scratch::new();
    scratch.file("ws/src/deep/a", "x");
    scratch.folder("ws/alone");
    scratch.run_git(&["init", "-q", "."], b"");
    for name in ["nested", "far", "there", "flagged", "moved", "long"] {
        scratch.run_git(&["init", "-q", name], b"");
    }
    scratch.run_git(&["init", "-q", "--bare", "bare"], b"");
    // Of this one git reads the start alone, and goes on with the repository above.
    scratch.file(
        "ws/long/.git/HEAD",
        &format!("ref:{}refs/heads/main\n", " ".repeat(300)),
    );
    scratch.run_git(
        &[
            "init",
            "-q",
            "--separate-git-dir",
            &scratch.at("ws/apart-data"),
            "apart",
        ],
        b"",
    );
    scratch.run_git(
        &["-C", "far", "config", "core.worktree", &scratch.at("home")],
        b"",
    );
    scratch.run_git(
        &[
            "-C",
            "there",
            "config",
            "core.worktree",
            &scratch.at("ws/there"),
        ],
        b"",
    );
    scratch.run_git(&["-C", "flagged", "config", "core.bare", "true"], b"");
    scratch.run_git(
        &["-C", "moved", "config", "extensions.worktreeConfig", "true"],
        b"",
    );
    scratch.file(
        "ws/moved/.git/config.worktree",
        &format!("[core]\n\tworktree = {}\n", scratch.at("home")),
    );
    let commit = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    ];
    scratch.run_git(&commit, b"");
    scratch.run_git(&["worktree", "add", "-q", "tree"], b"");
    scratch.file("ws/lost/.git", "gitdir: /nowhere/.git\n");
    scratch.folder("ws/linked");
    scratch.link("ws/linked/.git", "../nested/.git");
    scratch.link("ws/way", "src/deep");
    scratch.folder("ws/odd\n/x");
    scratch.run_git(&["init", "-q", "odd\n"], b"");
    let mut certain = Vec::new();
    for folder in [
        "ws",
        "ws/src/deep",
        "ws/alone",
        "ws/nested",
        "ws/long",
        "ws/far",
        "ws/there",
        "ws/flagged",
        "ws/moved",
        "ws/bare",
        "ws/apart",
        "ws/apart-data",
        "ws/tree",
        "ws/lost",
        "ws/linked",
        "ws/way",
        "ws/odd\n/x",
        "ws/.git",
        "ws/.git/refs",
        "home",
    ] {
        let printed = String::from_utf8(scratch.run_git(
            &["-C", &scratch.at(folder), "rev-parse", "--show-toplevel"],
            b"",
        ))
        .unwrap();
        let (path, fact) = seen_from(&scratch, &scratch.machine, folder);
        let Some(top) = fact.top(&path) else { continue };
        assert_eq!(top, path, "{folder:?}");
        // Without a word from git, a line stays where it is.
        assert!(
            printed.is_empty() || printed.trim_end_matches('\n') == top,
            "{folder:?}: {printed:?} is not {top:?}"
        );
        certain.push(folder);
    }
    for sure in [
        "ws",
        "ws/src/deep",
        "ws/nested",
        "ws/there",
        "ws/tree",
        "ws/way",
    ] {
        assert!(certain.contains(&sure), "{sure}");
    }
    for doubt in ["ws/far", "ws/moved", "ws/lost", "ws/bare", "ws/odd\n/x"] {
        assert!(!certain.contains(&doubt), "{doubt:?}");
    }
}

#[test]
fn a_variable_that_leads_git_elsewhere_is_told() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q", "."], b"");
    let git_elsewhere = Some(("GIT_WORK_TREE".to_owned(), "/etc".to_owned()));
    let machine = Machine::new(crate::locations::Whereabouts {
        git_elsewhere,
        ..scratch.machine.whereabouts().clone()
    });
    let (path, fact) = seen_from(&scratch, &machine, "ws");
    assert_eq!(fact.top(&path), None);
    assert!(
        fact.helpers
            .iter()
            .any(|helper| helper.kind == GitHelperKind::Outside
                && helper.value == "/etc"
                && helper.on_read)
    );
}
