//! What known programs do, and which forms are not known.

mod common;

use common::{is_read_only, paths, tier};
use sayso_core::analysis::effect::{EffectKind, Target};
use sayso_core::analysis::fact::{Question, Shows};
use sayso_core::analysis::risk::Tier;
use sayso_shell::analyse;

#[test]
fn readers_read_their_operands_and_nothing_else() {
    for (text, expected) in [
        ("ls", vec!["r ."]),
        ("ls -la src", vec!["r src"]),
        ("ls -R", vec!["R ."]),
        ("pwd", vec![]),
        ("cd src", vec![]),
        ("cat a b", vec!["r a", "r b"]),
        ("cat -n /etc/shadow", vec!["r /etc/shadow"]),
        ("head -n 5 f", vec!["r f"]),
        ("tail -20 f", vec!["r f"]),
        ("grep -rn foo", vec!["R ."]),
        ("grep foo a b", vec!["r a", "r b"]),
        ("grep -e foo a", vec!["r a"]),
        ("grep -f pats a", vec!["r pats", "r a"]),
        ("grep -r password /", vec!["R /"]),
        ("rg foo", vec!["R ."]),
        ("rg -n foo src -g '*.rs'", vec!["R src"]),
        ("rg --files", vec!["R ."]),
        ("find . -name '*.rs' -type f", vec!["R ."]),
        ("find -newer x", vec!["R .", "r x"]),
        (
            "find src tests -maxdepth 1 -print0",
            vec!["R src", "R tests"],
        ),
        ("wc -l f", vec!["r f"]),
        ("echo hi there", vec![]),
        ("printf '%s\\n' a", vec![]),
        ("date +%F", vec![]),
        ("whoami", vec![]),
        ("uname -a", vec![]),
        ("which git", vec![]),
        ("command -v git", vec![]),
        ("du -sh", vec!["R ."]),
        ("tree -L 2", vec!["R ."]),
        ("sort -u f", vec!["r f"]),
        ("diff -u a b", vec!["R a", "R b"]),
        ("ps aux", vec![]),
        ("ps -ef", vec![]),
        ("test -f x", vec![]),
        ("sha256sum f", vec!["r f"]),
        ("cat /dev/null", vec![]),
        ("git status --short", vec!["R ."]),
        ("git log --oneline -5", vec!["R ."]),
        (
            "git diff HEAD^ src/a.rs",
            vec!["R .", "R HEAD^", "R src/a.rs"],
        ),
        ("git show HEAD:.env", vec!["R .", "R HEAD:.env", "R .env"]),
        (
            "git -C sub show HEAD:x",
            vec!["R sub", "R .", "R sub/HEAD:x", "R sub/x", "R x"],
        ),
        ("git branch -a", vec!["R ."]),
        ("git branch --list 'a*'", vec!["R ."]),
        ("git remote -v", vec!["R ."]),
        ("git tag -l", vec!["R ."]),
        ("git stash list", vec!["R ."]),
        ("git config --get user.name", vec!["R ."]),
        ("git grep -n foo src", vec!["R .", "R src"]),
        ("git rev-parse --show-toplevel", vec!["R ."]),
        (
            "git diff /etc/shadow /dev/null",
            vec!["R .", "R /etc/shadow"],
        ),
        ("git --version", vec![]),
        ("gcc --version", vec![]),
        ("LC_ALL=C TZ=Europe/Berlin ls", vec!["r ."]),
        ("timeout 5 ls", vec!["r ."]),
        ("sayso check -- x", vec![]),
    ] {
        let draft = analyse(text);
        assert_eq!(paths(&draft), expected, "{text}");
        assert!(is_read_only(&draft), "{text}: {:?}", draft.effects);
    }
}

#[test]
fn writers_list_what_they_write() {
    for (text, expected) in [
        ("rm a b", vec!["d a", "d b"]),
        ("rm -rf build", vec!["D build"]),
        ("rmdir x", vec!["d x"]),
        ("mv a b", vec!["M a", "R a", "W b", "W? b/a"]),
        ("cp a b", vec!["r a", "w b", "w? b/a"]),
        ("cp -r src/x dst/", vec!["R src/x", "W dst/", "W? dst/x"]),
        ("cp -t dst a", vec!["r a", "w dst", "w? dst/a"]),
        ("mkdir -p a/b", vec!["f a/b"]),
        ("touch x", vec!["w x"]),
        ("tee x", vec!["w x"]),
        ("ln -s a b", vec!["R a", "R? b/a", "w b", "w b", "w? b/a"]),
        (
            "ln -s ../../x a/b",
            vec![
                "R ../../x",
                "R? a/../../x",
                "R? a/b/../../x",
                "w a/b",
                "w a/b",
                "w? a/b/x",
            ],
        ),
        ("ln -s /x a/b", vec!["R /x", "w a/b", "w a/b", "w? a/b/x"]),
        ("chmod 644 x", vec!["w x"]),
        ("sort -o out in", vec!["w out", "r in"]),
        ("uniq in out", vec!["r in", "w out"]),
        ("truncate -s 0 x", vec!["w x"]),
        ("dd if=a of=b", vec!["r a", "w b"]),
        ("find src -delete", vec!["R src", "D src"]),
        ("git commit -m x", vec!["R .", "g ."]),
        ("git add a", vec!["R .", "g .", "R a"]),
        ("git clean -fd", vec!["R .", "g .", "D ."]),
        ("nohup ls", vec!["w nohup.out", "r ."]),
    ] {
        let draft = analyse(text);
        assert_eq!(paths(&draft), expected, "{text}");
        assert!(!is_read_only(&draft), "{text}");
    }
}

/// What is not known to only read, in any form.
#[test]
fn h_11_h_62_unknown_flags_and_forms_are_never_read_only() {
    for text in [
        "find . -exec rm x +",
        "find . -execdir x",
        "find . -fprint out",
        "find . -fls out",
        "find . -ok x",
        "find . -files0-from x",
        "git diff --output=x",
        "git log --output=x",
        "git diff --ext-diff",
        "git show --textconv",
        "git branch -D main",
        "git branch new",
        "git branch -m a b",
        "git tag v1",
        "git tag -d v1",
        "git stash",
        "git stash drop",
        "git remote add x y",
        "git config a b",
        "git config --list --file=x",
        "git config --get http.x.extraheader",
        "git reflog expire --all",
        "git -c core.pager=x log",
        "git --git-dir=x log",
        "git --exec-path=x log",
        "git grep -O x",
        "git grep --open-files-in-pager x",
        "git log --outpu=x",
        "git log --format=%G?",
        "git cat-file --textconv x",
        "git",
        "git foo",
        "date -s x",
        "date 01010101",
        "hostname evil",
        "sort --compress-program=x f",
        "sort --compress-prog x f",
        "rg --pre x y",
        "rg --hostname-bin x y",
        "rg -z x",
        "tree -o out",
        "tree -R",
        "file -C",
        "ls --unknown",
        "ls --colo",
        "cat -Q x",
        "npm exec evil",
        "npm test",
        "make",
        "cargo test",
        "pytest",
        "python3 x.py",
        "node -e x",
        "perl -e x",
        "awk 'system(x)' f",
        "sed -i x f",
        "ll",
        "la",
        "./ls",
        "/tmp/ls",
        "foo",
        "env",
        "printenv",
        "env FOO=bar",
        "curl https://example.com/",
        "wget x.example",
        "printf -v x y",
        "printf %n x",
        "printf %d 'a[x]'",
        "test -v 'a[x]'",
        "test 'a[x]' -eq 1",
        "PATH=. ls",
        "LD_PRELOAD=x ls",
        "env PATH=. ls",
        "GIT_PAGER=x git log",
        "TZ=/etc/shadow date",
        "LC_ALL=../x ls",
        "sudo ls",
        "doas ls",
        "ps auxe",
        "md5sum -c x",
        "wc --files0-from=x",
        "kill 1",
        "yarn --version",
        "grep --fil=x y",
        "sayso demo",
        "diff -l a b",
        "sh x",
        "bash",
        "source x",
        ". x",
        "git push",
        "git fetch",
        "git clone x",
        "git checkout x",
        "/usr/bin/env",
        "command -p ls",
    ] {
        assert!(
            !is_read_only(&analyse(text)),
            "{text}: {:?}",
            analyse(text).effects
        );
    }
}

#[test]
fn questions_are_asked_once_and_for_every_program_but_builtins() {
    let draft = analyse("git -C sub diff a a");
    assert_eq!(
        draft
            .questions
            .iter()
            .filter(|question| matches!(question, Question::Path { path, .. } if path == "sub/a"))
            .count(),
        1
    );
    let command = &draft.commands[0];
    assert_eq!(
        draft.questions[command.program.unwrap()],
        Question::Program { name: "git".into() }
    );
    assert_eq!(
        draft.questions[command.git.unwrap()],
        Question::GitHelpers {
            folder: "sub".into(),
            shows: Shows {
                untracked: true,
                ..Shows::default()
            }
        }
    );
    assert_eq!(
        analyse("git -C a -C b status").commands[0].git.map(|_| ()),
        Some(())
    );
    for text in [
        "cd x",
        "echo x",
        "printf x",
        "pwd",
        "true",
        "false",
        "test -f x",
        "time echo x",
    ] {
        assert_eq!(analyse(text).commands[0].program, None, "{text}");
    }
    for (text, name) in [
        ("/bin/echo x", "/bin/echo"),
        ("env echo x", "echo"),
        ("sudo echo x", "echo"),
        ("/usr/bin/git log", "/usr/bin/git"),
    ] {
        let draft = analyse(text);
        assert_eq!(
            draft.questions[draft.commands[0].program.unwrap()],
            Question::Program { name: name.into() },
            "{text}"
        );
    }
    let draft = analyse("rm x");
    assert!(draft.questions.contains(&Question::Path {
        path: "x".into(),
        no_follow: true
    }));
    assert!(draft.effects.iter().all(|effect| effect.part == Some(0)));
}

#[test]
fn networks_rights_and_signals_are_told() {
    let draft = analyse("curl -s https://example.com/x");
    assert!(
        draft
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Connect
                && matches!(&effect.target, Target::Url(url) if url.host == "example.com"))
    );
    let draft = analyse("wget ftp://a.example/x");
    assert!(
        draft.effects.iter().any(
            |effect| matches!(&effect.target, Target::Host(host) if host == "ftp://a.example/x")
        )
    );
    let draft = analyse("sudo ls");
    assert!(
        draft
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Privilege)
    );
    assert_eq!(tier(&draft), Tier::Dangerous);
    assert!(
        analyse("pkill foo")
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Signal)
    );
    assert!(
        analyse("FOO=1 ls")
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Environment)
    );
    assert_eq!(analyse("FOO=1 ls").commands[0].assignments, ["FOO"]);
    assert_eq!(analyse("env FOO=1 ls").commands[0].assignments, ["FOO"]);
}

#[test]
fn interpreters_are_marked() {
    for text in [
        "python3 x.py",
        "sh x",
        "node x",
        "awk 'system(x)'",
        "npx x",
        "npm exec x",
        "find . -exec x",
    ] {
        assert!(analyse(text).commands[0].interprets, "{text}");
    }
    for text in ["ls", "git log", "make", "npm test", "cargo build"] {
        assert!(!analyse(text).commands[0].interprets, "{text}");
    }
    // A known program that merely runs the project's code is no unknown program: an ordinary rule can cover it.
    assert!(
        analyse("npm test")
            .effects
            .iter()
            .all(|effect| effect.kind != EffectKind::Unknown)
    );
    assert!(
        analyse("foo")
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Unknown)
    );
}
