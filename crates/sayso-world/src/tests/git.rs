//! What git would run by itself, against the real git where there is something to compare.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::Scratch;
use crate::git::syntax::ConfigFile;

fn names(scratch: &Scratch, folder: &str) -> Vec<String> {
    scratch
        .git(folder)
        .helpers
        .into_iter()
        .map(|helper| format!("{}={}", helper.name, helper.value))
        .collect()
}

#[test]
fn h_68_settings_that_run_programs_are_told() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    let settings = [
        ("core.fsmonitor", "evil"),
        ("core.pager", "evil"),
        ("pager.log", "evil"),
        ("core.editor", "evil"),
        ("sequence.editor", "evil"),
        ("core.sshcommand", "evil"),
        ("core.askpass", "evil"),
        ("core.gitproxy", "evil"),
        ("core.alternaterefscommand", "evil"),
        ("diff.external", "evil"),
        ("diff.x.command", "evil"),
        ("diff.x.textconv", "evil"),
        ("filter.x.clean", "evil"),
        ("filter.x.smudge", "evil"),
        ("filter.x.process", "evil"),
        ("merge.x.driver", "evil"),
        ("gpg.program", "evil"),
        ("gpg.ssh.program", "evil"),
        ("credential.helper", "evil"),
        ("credential.https://x.helper", "evil"),
        ("alias.st", "!evil"),
        ("alias.co", "checkout"),
        ("interactive.difffilter", "evil"),
        ("difftool.x.cmd", "evil"),
        ("mergetool.x.cmd", "evil"),
        ("protocol.ext.allow", "always"),
        ("uploadpack.packobjectshook", "evil"),
        ("trailer.x.command", "evil"),
        ("submodule.x.update", "!evil"),
        ("core.worktree", "/"),
        ("web.browser", "evil"),
        ("man.x.cmd", "evil"),
        ("browser.x.cmd", "evil"),
        ("remote.x.uploadpack", "evil"),
        ("remote.x.vcs", "evil"),
        ("remote.y.url", "ext::sh -c evil"),
        ("log.showsignature", "true"),
        ("core.hookspath", "/nowhere"),
    ];
    let harmless = [
        ("core.bare", "false"),
        ("user.name", "evil"),
        ("submodule.y.update", "rebase"),
        ("remote.x.url", "https://x/y"),
    ];
    for (key, value) in settings.iter().chain(&harmless) {
        scratch.run_git(&["config", "--file", ".git/config", key, value], b"");
    }
    let found = names(&scratch, ".");
    for (key, value) in settings {
        assert!(
            found.contains(&format!("{key}={value}")),
            "{key} in {found:#?}"
        );
    }
    assert_eq!(found.len(), settings.len(), "{found:#?}");
    assert_eq!(scratch.git(".").root, Some(scratch.at("ws")));
    assert!(!scratch.git(".").incomplete);
}

#[test]
fn h_68_a_fresh_repository_runs_nothing() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    for value in ["true", "false", "0", ""] {
        scratch.run_git(&["config", "core.fsmonitor", value], b"");
        assert_eq!(names(&scratch, "."), Vec::<String>::new(), "{value}");
    }
    let outside = scratch.git(&scratch.at("home"));
    assert_eq!(
        (outside.root, outside.helpers.len(), outside.incomplete),
        (None, 0, false)
    );
}

#[test]
fn h_68_hooks_that_can_run_are_told() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    scratch.file("ws/.git/hooks/pre-push.sample", "");
    assert!(names(&scratch, ".").is_empty());
    scratch.file("ws/.git/hooks/pre-commit", "");
    scratch.file("ws/.git/hooks/post-checkout", "");
    fs::set_permissions(
        scratch.at("ws/.git/hooks/post-checkout"),
        Permissions::from_mode(0o755),
    )
    .unwrap();
    let hook = scratch.at("ws/.git/hooks/post-checkout");
    assert_eq!(names(&scratch, "."), [format!("hook.post-checkout={hook}")]);
    scratch.file("ws/tools/pre-push", "");
    fs::set_permissions(
        scratch.at("ws/tools/pre-push"),
        Permissions::from_mode(0o755),
    )
    .unwrap();
    scratch.run_git(&["config", "core.hooksPath", "tools"], b"");
    assert_eq!(
        names(&scratch, "."),
        [
            "core.hookspath=tools".to_owned(),
            format!("hook.pre-push={}", scratch.at("ws/tools/pre-push"))
        ]
    );
}

#[test]
fn h_68_included_files_count_whatever_their_condition() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    scratch.file(
        "home/.gitconfig",
        "[include]\n\tpath = more/a\n[includeIf \"gitdir:/never/\"]\n\tpath = ~/more/b\n",
    );
    scratch.file("home/more/a", "[include] path = ../c\n");
    scratch.file("home/more/b", "[core] pager = b");
    scratch.file("home/c", "[CORE]\nEditor=c ; comment");
    assert_eq!(names(&scratch, "."), ["core.editor=c", "core.pager=b"]);
    assert!(!scratch.git(".").incomplete);
    scratch.file("home/more/b", "[include]\npath = b\n");
    assert!(scratch.git(".").incomplete, "a circle");
    scratch.file("home/more/b", "[core\n");
    assert!(scratch.git(".").incomplete, "broken");
    scratch.file("home/more/b", &"#\n".repeat(200_000));
    assert!(scratch.git(".").incomplete, "too long");
}

#[test]
fn g_03_odd_layouts_are_found() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    scratch.run_git(
        &[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
        b"",
    );
    scratch.run_git(&["worktree", "add", "-q", "../tree"], b"");
    scratch.run_git(&["config", "core.fsmonitor", "evil"], b"");
    let tree = scratch.git(&scratch.at("tree"));
    assert_eq!(
        (tree.root, tree.helpers.len()),
        (Some(scratch.at("tree")), 1)
    );
    scratch.file(
        "ws/.git/worktrees/tree/config.worktree",
        "[core]\npager=evil\n",
    );
    assert_eq!(scratch.git(&scratch.at("tree")).helpers.len(), 2);

    scratch.folder("ws/docs/objects");
    scratch.folder("ws/docs/refs");
    scratch.file("ws/docs/HEAD", "ref: refs/heads/x\n");
    scratch.file("ws/docs/config", "[core]\nfsmonitor = bare\n");
    assert_eq!(
        names(&scratch, "docs"),
        ["core.fsmonitor=bare", "repository.bare=true"]
    );
    assert_eq!(scratch.git("docs").root, Some(scratch.at("ws/docs")));

    scratch.file("ws/sub/.git", "gitdir: ../nowhere\n");
    assert!(scratch.git("sub").incomplete);
    scratch.file("ws/sub/.git", "gitdir: ../docs\n");
    assert_eq!(names(&scratch, "sub"), ["core.fsmonitor=bare"]);
    assert_eq!(
        scratch.git("sub/not/there").root,
        Some(scratch.at("ws/sub"))
    );
}

/// Each text is read by git and by us; git's refusal must be our `broken`.
#[test]
fn configuration_reads_as_git_reads_it() {
    let scratch = Scratch::new();
    let fixed = [
        "[a]b=c",
        "[a]\nb",
        "[a] b = c # d",
        "[a]\nb = \"c # d\" ; e",
        "[a \"B.c\"]\nD=e",
        "[a.B]\nc=d",
        "[a \"x\\\"y\\\\z\\q\"]\nb=c",
        "[a]\nb = c\\\n  d",
        "[a]\nb=c\\\nd \\\n",
        "[a]\nb=  c  d\t\t",
        "[a]\nb=\" c \"  ",
        "[a]\nb=\\t\\n\\b\\\\\\\"",
        "[a]\nb=\\q",
        "[a]\nb=\"c",
        "b=c",
        "[a\nb=c",
        "[a] ]",
        "[a]\r\nb=c\r\n",
        "\u{feff}[a]\nb=c",
        "[a]\nb c",
        "[a]\nb #",
        "[a]\n1=c",
        "[a]\nb_c=d",
        "[a]\n# x\n;y\nb=1",
        "[a \"\"]\nb=c",
        "[]\nb=c",
        "[ \"u\"]\nb=c",
        "[.x]\nb=c",
        "[a.]\nb=c",
        "[a \"x\n\"]\nb=c",
        "[a  \"b\"]\nc=d",
        "[a \"b\" ]\nc=d",
        "[a]\nb=",
        "[a]\nb=\"\"",
        "[a]\nb=a\"b\"c \" d",
        "[a]\nb=a;b",
        "[a]b=\\",
        "[a]\nb=x \"y\" z  ",
        "[a]\nb=x \\\n   # no",
        "[A-1]\nB-2=c",
        "[a]\nb\t=\tc",
        "[a]\nb=c\rd",
    ];
    let pieces = [
        "[",
        "]",
        "a",
        "B",
        "=",
        " ",
        "\t",
        "\n",
        "\"",
        "\\",
        "#",
        ";",
        "-",
        ".",
        "\\\n",
        "\\t",
        "[s]\n",
        "[s \"u\"]",
        "k = ",
        "v",
        "\r\n",
        "\\\"",
    ];
    let mut random = super::ignore::Random(7);
    let mut texts: Vec<String> = fixed.iter().map(|text| (*text).to_owned()).collect();
    for _ in 0..300 {
        let mut text = "[s]\nk=".to_owned();
        for _ in 0..random.below(12) {
            text.push_str(pieces[random.below(pieces.len())]);
        }
        texts.push(text);
    }
    for text in texts {
        scratch.file("ws/config", &text);
        let git = scratch.run_git(&["config", "--file", "config", "--list", "-z"], b"");
        let file = ConfigFile::parse(text.as_bytes());
        let mut ours = String::new();
        for setting in &file.settings {
            ours.push_str(&setting.key());
            if let Some(value) = &setting.value {
                ours.push('\n');
                ours.push_str(value);
            }
            ours.push('\0');
        }
        // Versions of git differ in whether a tab inside of a value stays one.
        let blank = |text: &str| text.replace(['\t', '\r'], " ");
        let (ours, git) = (blank(&ours), blank(&String::from_utf8_lossy(&git)));
        if file.broken {
            // git lists what it read before it stops, or nothing.
            assert!(ours.starts_with(&git), "{text:?} {ours:?} {git:?}");
        } else {
            assert_eq!(ours, git, "{text:?}");
        }
    }
}
