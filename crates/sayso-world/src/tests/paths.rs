//! Paths: links, missing parts, odd files.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use sayso_core::analysis::fact::{Ignored, Link, Owner, PathKind, Question};

use super::{Scratch, skipped_as_root};

#[test]
fn a_plain_file() {
    let scratch = Scratch::new();
    scratch.file("ws/a", "four");
    fs::set_permissions(scratch.at("ws/a"), Permissions::from_mode(0o644)).unwrap();
    let fact = scratch.path("./x/..//a").unwrap();
    assert_eq!(fact.canonical, scratch.at("ws/a"));
    let me = if rustix::process::geteuid().is_root() {
        Owner::Root
    } else {
        Owner::Me
    };
    assert_eq!(
        (fact.kind, fact.size, fact.hard_links, fact.owner),
        (PathKind::File, Some(4), 1, me)
    );
    assert_eq!(
        (fact.ignored, fact.writable_by_others, fact.closed_to_others),
        (Ignored::NoRepository, false, false)
    );
    assert!(fact.links.is_empty());
    fs::set_permissions(scratch.at("ws/a"), Permissions::from_mode(0o602)).unwrap();
    let fact = scratch.path("a").unwrap();
    assert!(fact.writable_by_others && fact.closed_to_others);
}

#[test]
fn h_18_traversal_ends_where_the_kernel_ends() {
    let scratch = Scratch::new();
    scratch.folder("ws/docs");
    scratch.file("ws/.env", "");
    scratch.file("home/.ssh/id", "");
    for (written, at) in [
        ("docs/../.env", "ws/.env"),
        ("nothing/../.env", "ws/.env"),
        (".env/../.env", "ws/.env"),
        ("a/docs/../../../home/.ssh/id", "home/.ssh/id"),
    ] {
        let fact = scratch.path(written).unwrap();
        assert_eq!(
            (fact.canonical, fact.kind),
            (scratch.at(at), PathKind::File),
            "{written}"
        );
    }
    assert_eq!(scratch.path("/../../..").unwrap().canonical, "/");
}

#[test]
fn h_21_a_link_is_judged_by_where_it_leads() {
    let scratch = Scratch::new();
    scratch.file("ws/.env", "");
    scratch.folder("ws/docs");
    scratch.link("ws/docs/notes.md", "../.env");
    let fact = scratch.path("docs/notes.md").unwrap();
    assert_eq!(
        (fact.canonical, fact.kind),
        (scratch.at("ws/.env"), PathKind::File)
    );
    assert_eq!(
        fact.links,
        [Link {
            at: scratch.at("ws/docs/notes.md"),
            to: scratch.at("ws/.env"),
            dangling: false
        }]
    );
    let itself = scratch.path_itself("docs/notes.md").unwrap();
    assert_eq!(
        (itself.canonical, itself.kind),
        (scratch.at("ws/docs/notes.md"), PathKind::Link)
    );
    assert_eq!(itself.links, fact.links);
}

#[test]
fn h_21_parents_are_followed_and_dots_after_them_are_physical() {
    let scratch = Scratch::new();
    scratch.folder("home/deep/er");
    scratch.file("home/deep/secret", "");
    scratch.file("ws/secret", "");
    scratch.link("ws/out", "../home/deep/er");
    scratch.link("ws/again", "out");
    assert_eq!(
        scratch.path("out/new/file").unwrap().canonical,
        scratch.at("home/deep/er/new/file")
    );
    let fact = scratch.path("again/../secret").unwrap();
    assert_eq!(fact.canonical, scratch.at("home/deep/secret"));
    let met: Vec<_> = fact
        .links
        .iter()
        .map(|link| (link.at.clone(), link.to.clone()))
        .collect();
    let end = scratch.at("home/deep/er");
    assert_eq!(
        met,
        [
            (scratch.at("ws/again"), end.clone()),
            (scratch.at("ws/out"), end)
        ]
    );
    // A trailing slash makes the kernel follow even where the link is meant itself.
    assert_eq!(scratch.path_itself("out/").unwrap().kind, PathKind::Folder);
    assert_eq!(scratch.path_itself("out").unwrap().kind, PathKind::Link);
    assert_eq!(
        scratch.path_itself("again/../secret").unwrap().canonical,
        scratch.at("home/deep/secret")
    );
}

#[test]
fn h_22_a_dangling_link_leads_out() {
    let scratch = Scratch::new();
    scratch.link("ws/job", "/etc/cron.d/sayso-no-such-file");
    scratch.link("ws/folder", "../nowhere/below");
    let fact = scratch.path("job").unwrap();
    assert_eq!(
        (fact.canonical.as_str(), fact.kind),
        ("/etc/cron.d/sayso-no-such-file", PathKind::Missing)
    );
    assert!(fact.links[0].dangling);
    let fact = scratch.path("folder/x").unwrap();
    assert_eq!(fact.canonical, scratch.at("nowhere/below/x"));
    assert_eq!(
        fact.links,
        [Link {
            at: scratch.at("ws/folder"),
            to: scratch.at("nowhere/below"),
            dangling: true
        }]
    );
    assert_eq!(
        scratch.path_itself("job").unwrap().links[0].to,
        "/etc/cron.d/sayso-no-such-file"
    );
}

#[test]
fn link_loops_are_not_answered_but_can_be_removed() {
    let scratch = Scratch::new();
    scratch.link("ws/a", "b");
    scratch.link("ws/b", "a");
    scratch.link("ws/self", "self/x");
    assert_eq!(scratch.path("a"), None);
    assert_eq!(scratch.path("self"), None);
    let fact = scratch.path_itself("a").unwrap();
    assert_eq!((fact.kind, fact.links[0].dangling), (PathKind::Link, true));
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let scratch = Scratch::new();
    scratch.file("ws/l0", "");
    for number in 1..=41 {
        scratch.link(&format!("ws/l{number}"), &format!("l{}", number - 1));
    }
    let fact = scratch.path("l40").unwrap();
    assert_eq!(
        (fact.canonical, fact.links.len()),
        (scratch.at("ws/l0"), 40)
    );
    assert_eq!(scratch.path("l41"), None);
}

#[test]
fn other_names_of_a_file_are_counted() {
    let scratch = Scratch::new();
    scratch.file("home/secret", "");
    fs::hard_link(scratch.at("home/secret"), scratch.at("ws/notes.md")).unwrap();
    assert_eq!(scratch.path("notes.md").unwrap().hard_links, 2);
    assert_eq!(scratch.path(".").unwrap().hard_links, 1);
}

#[test]
fn pipes_sockets_and_devices_are_told_without_opening() {
    let scratch = Scratch::new();
    assert!(
        Command::new("mkfifo")
            .arg(scratch.at("ws/pipe"))
            .status()
            .unwrap()
            .success()
    );
    let _listener = UnixListener::bind(scratch.at("ws/socket")).unwrap();
    assert_eq!(scratch.path("pipe").unwrap().kind, PathKind::Channel);
    assert_eq!(scratch.path("socket").unwrap().kind, PathKind::Channel);
    assert_eq!(scratch.path("/dev/null").unwrap().kind, PathKind::Device);
    assert_eq!(scratch.path("pipe").unwrap().size, None);
}

#[test]
fn h_28_an_ignore_file_that_is_a_pipe_does_not_block() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    assert!(
        Command::new("mkfifo")
            .arg(scratch.at("ws/.gitignore"))
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(scratch.path("x").unwrap().ignored, Ignored::Unknown);
}

#[test]
fn paths_that_differ_by_process_stay_as_written() {
    let scratch = Scratch::new();
    let below_cwd = format!("/proc/self/cwd/../../..{}", scratch.at("ws/.env"));
    for (written, canonical) in [
        ("/proc/self/cwd/.env", "/proc/self/cwd/.env"),
        ("/proc/self/root/etc/passwd", "/proc/self/root/etc/passwd"),
        ("/proc/self/fd/3", "/proc/self/fd/3"),
        ("/proc/1/root/etc", "/proc/1/root/etc"),
        ("/proc/999999999/cwd/x", "/proc/999999999/cwd/x"),
        ("/proc/self", "/proc/self"),
        ("/proc/thread-self/cwd", "/proc/thread-self/cwd"),
        ("/dev/fd/3", "/dev/fd/3"),
        ("/dev/stdin", "/dev/stdin"),
        (
            below_cwd.as_str(),
            &format!("/proc/self/cwd{}", scratch.at("ws/.env")),
        ),
    ] {
        let fact = scratch.path(written).unwrap();
        assert_eq!(
            (fact.canonical.as_str(), fact.kind),
            (canonical, PathKind::Channel),
            "{written}"
        );
        assert_eq!(fact.ignored, Ignored::Unknown);
    }
    scratch.link("ws/sly", "/proc/self/cwd");
    let fact = scratch.path("sly/.env").unwrap();
    assert_eq!(
        (fact.canonical.as_str(), fact.kind),
        ("/proc/self/cwd/.env", PathKind::Channel)
    );
    assert_eq!(fact.links[0].to, "/proc/self/cwd");
    if cfg!(target_os = "linux") {
        assert_eq!(
            scratch
                .path("/proc/self/../../etc/passwd")
                .unwrap()
                .canonical,
            "/etc/passwd"
        );
    }
}

#[test]
fn what_cannot_be_told_is_not_answered() {
    let scratch = Scratch::new();
    symlink(OsStr::from_bytes(b"caf\xe9"), scratch.root.join("ws/latin")).unwrap();
    scratch.file("ws/file", "");
    assert_eq!(scratch.path("latin"), None);
    assert_eq!(scratch.path_itself("latin"), None);
    assert_eq!(scratch.path("a\0b"), None);
    assert_eq!(scratch.path(""), None);
    // No file system takes a name of this length, so nothing is there.
    assert_eq!(
        scratch.path(&"x".repeat(300)).unwrap().kind,
        PathKind::Missing
    );
    assert_eq!(scratch.path("file/..namedfork/data"), None);
    let below_file = scratch.path("file/below").unwrap();
    assert_eq!(
        (below_file.canonical, below_file.kind),
        (scratch.at("ws/file/below"), PathKind::Missing)
    );
}

#[test]
fn names_are_kept_as_they_are() {
    let scratch = Scratch::new();
    for name in [
        "with\nline",
        "cafe\u{301}",
        "caf\u{e9}",
        " ",
        "\u{202e}x",
        "-rf",
        "*",
    ] {
        scratch.file(&format!("ws/{name}"), "");
        let fact = scratch.path(name).unwrap();
        assert_eq!(
            (fact.canonical, fact.kind),
            (scratch.at(&format!("ws/{name}")), PathKind::File)
        );
    }
}

#[test]
fn long_paths_are_walked() {
    let scratch = Scratch::new();
    let name = "d".repeat(99);
    let deep = vec![name.as_str(); 38].join("/");
    scratch.folder(&format!("ws/{deep}"));
    let fact = scratch.path(&deep).unwrap();
    assert_eq!(fact.kind, PathKind::Folder);
    assert!(fact.canonical.len() > 3_800);
    let missing = vec!["x"; 100_000].join("/");
    assert_eq!(scratch.path(&missing).unwrap().kind, PathKind::Missing);
}

#[test]
fn a_forbidden_folder_is_not_answered() {
    if skipped_as_root("a_forbidden_folder_is_not_answered") {
        return;
    }
    let scratch = Scratch::new();
    scratch.file("ws/locked/file", "");
    fs::set_permissions(scratch.at("ws/locked"), Permissions::from_mode(0o000)).unwrap();
    assert_eq!(scratch.path("locked/file"), None);
    assert_eq!(scratch.path("locked").unwrap().kind, PathKind::Folder);
    fs::set_permissions(scratch.at("ws/locked"), Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn without_a_real_workspace_nothing_is_answered() {
    let scratch = Scratch::new();
    scratch.file("ws/file", "");
    let question = [Question::Path {
        path: "/".to_owned(),
        no_follow: false,
    }];
    let (good, missing, file) = (scratch.at("ws"), scratch.at("no"), scratch.at("ws/file"));
    assert!(scratch.machine.answer(&good, &good, &question).answers[0].is_some());
    // One that is not there yet is as good as an empty one.
    assert!(
        scratch
            .machine
            .answer(&missing, &missing, &question)
            .answers[0]
            .is_some()
    );
    for bad in [file.as_str(), "ws", "", "/proc/self/cwd", "/\0"] {
        for (cwd, workspace) in [(bad, good.as_str()), (good.as_str(), bad)] {
            let facts = scratch.machine.answer(cwd, workspace, &question);
            assert_eq!(facts.answers, [None], "{bad:?}");
            assert!(facts.surroundings.workspace.len() > 1);
        }
    }
}

#[test]
fn questions_beyond_the_limit_stay_open() {
    let scratch = Scratch::new();
    let questions = vec![
        Question::Path {
            path: "x".to_owned(),
            no_follow: false
        };
        5000
    ];
    let facts = scratch.ask(&questions);
    assert_eq!(facts.answers.len(), 5000);
    assert_eq!(
        facts
            .answers
            .iter()
            .filter(|answer| answer.is_some())
            .count(),
        4096
    );
}

#[test]
fn own_files_are_named_with_the_links_that_lead_to_them() {
    let scratch = Scratch::new();
    scratch.folder("dotfiles/config");
    scratch.file("opt/sayso-1.0", "");
    scratch.link("home/.config", "../dotfiles/config");
    scratch.link("bin/sayso", "../opt/sayso-1.0");
    let facts = scratch.ask(&[]);
    let own = |path: &str| {
        facts
            .surroundings
            .own
            .iter()
            .find(|own| own.path == scratch.at(path))
            .map(|own| own.private)
    };
    for path in [
        "home/.config",
        "dotfiles/config/sayso",
        "etc/sayso",
        "bin/sayso",
        "opt/sayso-1.0",
        "ws/.sayso",
    ] {
        assert_eq!(own(path), Some(false), "{path}");
    }
    assert_eq!(own("home/.local/state/sayso"), Some(true));
    assert_eq!(facts.surroundings.home, Some(scratch.at("home")));
}

#[test]
fn the_surroundings_are_free_of_links() {
    let scratch = Scratch::new();
    scratch.folder("ws/sub");
    scratch.link("short", "ws");
    let facts = scratch
        .machine
        .answer(&scratch.at("short/sub"), &scratch.at("short"), &[]);
    assert_eq!(
        (facts.surroundings.workspace, facts.surroundings.cwd),
        (scratch.at("ws"), scratch.at("ws/sub"))
    );
}

/// What is kept between two operations must not hold where an agent works: it may turn a folder into a link in between.
#[test]
fn a_working_folder_that_became_a_link_is_seen_at_once() {
    let scratch = Scratch::new();
    scratch.folder("ws/sub");
    scratch.folder("elsewhere");
    let ask = || {
        scratch
            .machine
            .answer(&scratch.at("ws/sub"), &scratch.at("ws"), &[])
            .surroundings
    };
    let before = ask();
    assert_eq!(before.cwd, scratch.at("ws/sub"));
    fs::remove_dir(scratch.at("ws/sub")).unwrap();
    scratch.link("ws/sub", "../elsewhere");
    let after = ask();
    assert_eq!(after.cwd, scratch.at("elsewhere"));
    assert_eq!((after.own, after.home), (before.own, before.home));
}

#[test]
fn another_workspace_has_other_own_files() {
    let scratch = Scratch::new();
    scratch.folder("other");
    let own = |folder: &str| {
        scratch
            .machine
            .answer(&scratch.at(folder), &scratch.at(folder), &[])
            .surroundings
            .own
    };
    for folder in ["ws", "other", "ws"] {
        let project = scratch.at(&format!("{folder}/.sayso"));
        assert!(
            own(folder).iter().any(|own| own.path == project),
            "{folder}"
        );
    }
}
