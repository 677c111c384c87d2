//! What is read as one plain command, and what is refused as opaque.

mod common;

use common::words;
use sayso_shell::{analyse, commands, quote, seen};

#[test]
fn plain_commands_are_read_to_their_words() {
    for (text, expected) in [
        ("ls", vec!["ls"]),
        ("  ls\t-la  ", vec!["ls", "-la"]),
        ("grep 'a b' src", vec!["grep", "a b", "src"]),
        ("echo \"it's ~ * fine\"", vec!["echo", "it's ~ * fine"]),
        ("echo 'a$b`c'", vec!["echo", "a$b`c"]),
        ("c\"a\"t x", vec!["cat", "x"]),
        ("\\l\\s a\\ b", vec!["ls", "a b"]),
        ("ls ''", vec!["ls", ""]),
        ("ls 2>&1", vec!["ls"]),
        ("ls > /dev/null 2>&1", vec!["ls"]),
        ("ls x 2>/dev/null", vec!["ls", "x"]),
        ("ls &>/dev/null", vec!["ls"]),
        ("/usr/bin/git status", vec!["git", "status"]),
        ("./git status", vec!["./git", "status"]),
        ("'if' x", vec!["if", "x"]),
        ("echo 'größe ✓'", vec!["echo", "größe ✓"]),
        ("LC_ALL=C ls", vec!["ls"]),
        ("git show HEAD^", vec!["git", "show", "HEAD^"]),
    ] {
        let read = commands(text).unwrap_or_else(|| panic!("opaque: {text}"));
        assert_eq!(read[0].words, expected, "{text}");
        assert!(read[0].literal);
    }
}

#[test]
fn everything_else_is_opaque() {
    for text in [
        "ls\rid",
        "ls\0",
        "ls ~root",
        "if ls",
        "for x",
        "ls 'a",
        "ls \"a",
        "ls \\",
        "ls\u{a0}x",
        "ls\u{2028}x",
        "ls 'a\u{200b}b'",
        "ls 'a\u{202e}b'",
        "echo =ls",
        "",
        "   ",
        "ls 2>&1x",
        "env -S 'ls -l'",
        "sudo -X ls",
        "timeout ls",
        "x[0]=1 ls",
        "env env env env env env env env env env env env env env env env env env ls",
    ] {
        let draft = analyse(text);
        assert!(draft.opaque.is_some(), "{text:?}");
        assert!(commands(text).is_none(), "{text:?}");
        assert!(!common::is_read_only(&draft), "{text:?}");
    }
}

#[test]
fn an_opaque_text_says_why_and_where() {
    let opaque = analyse("ls -la && $x rm").opaque.unwrap();
    assert_eq!(
        (opaque.reason.as_str(), opaque.start, opaque.end),
        ("`$x` is only known when it runs", 10, 12)
    );
    assert!(opaque.seen.contains(&words("ls -la")));
}

#[test]
fn lists_pipes_groups_and_loops_are_read_command_by_command() {
    for (text, expected) in [
        ("ls; id", "ls|id"),
        ("ls && id || pwd", "ls|id|pwd"),
        ("ls | head -5", "ls|head -5"),
        ("ls\nid", "ls|id"),
        ("(cd x; ls)", "cd x|ls"),
        ("{ ls; id; } | wc -l", "ls|id|wc -l"),
        (
            "if test -f x; then cat x; else ls; fi",
            "test -f x|cat x|ls",
        ),
        ("while true; do ls; done", "true|ls"),
        ("for i in 1 2; do ls; done", "ls"),
        ("case a in b) ls;; *) id;; esac", "ls|id"),
        ("! ls", "ls"),
        ("ls \\\n-la", "ls -la"),
        ("ls # it's\nid", "ls|id"),
        ("cat <<'E'\nrm -rf /\nE\nls", "cat|ls"),
        ("echo \"a!b\" {}", "echo a!b {}"),
    ] {
        let read = commands(text).unwrap_or_else(|| panic!("{text:?}: {:?}", analyse(text).opaque));
        assert_eq!(
            read.iter()
                .map(|command| command.words.join(" "))
                .collect::<Vec<_>>()
                .join("|"),
            expected,
            "{text:?}"
        );
    }
}

#[test]
fn redirects_are_effects_and_cd_is_followed() {
    let paths = |text: &str| {
        let draft = analyse(text);
        assert!(draft.opaque.is_none(), "{text}: {:?}", draft.opaque);
        let row = |effect: &sayso_core::analysis::effect::Effect| {
            Some(format!(
                "{} {}",
                effect.kind.word(),
                effect.place()?.written
            ))
        };
        draft.effects.iter().filter_map(row).collect::<Vec<_>>()
    };
    assert_eq!(paths("echo x > out"), ["write out"]);
    assert_eq!(paths("cat < in"), ["read in"]);
    assert_eq!(
        paths("> /dev/null echo x >> log"),
        ["write /dev/null", "write log"]
    );
    assert_eq!(paths("cd sub && cat x > y"), ["write sub/y", "read sub/x"]);
    assert_eq!(paths("cd sub; cat x"), ["read sub/x", "read x"]);
    assert_eq!(paths("true || cd sub && cat x"), ["read sub/x", "read x"]);
    assert_eq!(paths("(cd sub); cat x"), ["read x"]);
    assert_eq!(paths("cd a && cd b && cat x"), ["read a/b/x"]);
    assert_eq!(paths("cd /a && cat ../x"), ["read /a/../x"]);
    assert_eq!(paths("cd && cat x"), ["read \0/x"]);
    assert_eq!(
        paths("pushd sub && cat x && popd && cat y"),
        ["read sub/x", "read y"]
    );
    assert_eq!(paths("pushd sub; cat x"), ["read sub/x", "read x"]);
    assert_eq!(
        paths("cd \"$(git rev-parse --show-toplevel)\" && cat x"),
        ["read .", "read x", "read \0\0/x"]
    );
    for text in [
        "cd - && cat x",
        "pushd +1 && cat y",
        "popd && cat y",
        "cd \"$x\" && cat y",
        "cd *; cat x",
    ] {
        assert!(!common::is_read_only(&analyse(text)), "{text}");
    }
    // A chain may end after any of its parts, what is negated may have worked, and a step back may mean two folders.
    assert_eq!(
        paths("cd a && cd b; cat x"),
        ["read a/b/x", "read a/x", "read x"]
    );
    assert_eq!(paths("! cd a && cat x"), ["read a/x", "read x"]);
    assert_eq!(paths("cd link/.. && cat x"), ["read x", "read link/../x"]);
    assert_eq!(paths("true | cd a; cat x"), ["read a/x", "read x"]);
    assert_eq!(paths("[[ -f a ]]"), Vec::<String>::new());
    for text in [
        "time cd x; ls",
        "time -p cd x; ls",
        "command cd x; ls",
        "builtin cd x; ls",
        "LANG=C time cd x; ls",
    ] {
        assert!(!common::is_read_only(&analyse(text)), "{text}");
    }
}

#[test]
fn what_other_shells_read_as_other_commands_is_opaque() {
    for text in [
        "echo a &>f rm x",
        "((rm x))",
        "! [[ a && rm ]]",
        "[[ a || rm ]]",
        "=ls",
        "echo =ls",
        "echo x >! f",
        "function f { ls; }",
        "if true; then f() { ls; }; fi",
        "echo {a,{b}c}",
        "a &>f b",
    ] {
        assert!(analyse(text).opaque.is_some(), "{text}");
    }
}

#[test]
fn text_over_64_kib_is_opaque() {
    assert!(
        analyse(&format!("echo {}", "a".repeat(64 * 1024)))
            .opaque
            .is_some()
    );
    assert!(
        analyse(&format!("echo {}", "a".repeat(60 * 1024)))
            .opaque
            .is_none()
    );
    assert!(
        analyse(&format!("ls {}", "a ".repeat(4000)))
            .opaque
            .is_some()
    );
}

#[test]
fn seen_looks_through_everything() {
    for (text, row) in [
        ("ls && rm -rf /", "rm -rf /"),
        ("rm > x -rf /", "rm -rf /"),
        ("ls 2>&1 | tee x", "ls"),
        ("echo $(rm -rf x)", "rm -rf x"),
        ("echo \"$(rm -rf x)\"", "rm -rf x"),
        ("ls `rm x`", "rm x"),
        ("ls | xargs -0 rm -f", "rm -f"),
        ("x | sudo -u bob rm y", "rm y"),
        ("timeout -s KILL 5 rm y; x", "rm y"),
        ("bash -c 'cd x && rm -rf y'", "rm -rf y"),
        ("ssh host 'rm -rf y'", "rm -rf y"),
        ("if true; then rm y; fi", "rm y"),
        ("A=1 rm y; x", "rm y"),
        ("r\"\"m y; x", "rm y"),
        ("cat <<E\nit's\nE\nrm y", "rm y"),
        ("ls # it's\nrm y", "rm y"),
        ("find . -exec rm y +", "rm y +"),
        ("sh -c \"bash -c 'rm y'\"", "rm y"),
    ] {
        assert!(seen(text).contains(&words(row)), "{text}: {:?}", seen(text));
    }
}

#[test]
fn quoted_words_read_back() {
    for row in [
        vec!["ls", "a b"],
        vec!["a=b", "c=d"],
        vec!["if"],
        vec!["", "'", "''", "\\", "$x", "~", "*", "2>&1", "=x", "größe"],
        vec!["%1"],
    ] {
        let row: Vec<String> = row.into_iter().map(str::to_owned).collect();
        let line = quote(&row);
        assert_eq!(
            commands(&line).map(|read| read[0].words.clone()),
            Some(row),
            "{line}"
        );
    }
    assert_eq!(quote(&words("git log -n 5")), "git log -n 5");
}

#[test]
fn a_wrapper_with_anything_unknown_stays_on() {
    for text in [
        "taskset ls",
        "taskset -c ls",
        "taskset -a 1 ls",
        "taskset -c0 ls",
        "taskset \"$x\" ls",
        "chrt 0 ls",
        "chrt -f 1 ls",
        "chrt -b 1 ls",
        "chrt -b ls",
        "numactl -N ls",
        "numactl -m file:x ls",
        "numactl --shm x ls",
        "prlimit -n 10 ls",
        "prlimit --nofile 10 ls",
        "prlimit --nofile=x ls",
        "prlimit -o RESOURCE ls",
        "setpriv ls",
        "setpriv --reuid 0 ls",
        "setpriv --nnp",
    ] {
        assert_eq!(commands(text), None, "{text}");
    }
}

#[test]
fn wrappers_come_off_with_exact_arity() {
    for (text, wrappers, inner) in [
        ("sudo git push", "sudo", "git push"),
        ("sudo -n -u root ls", "sudo", "ls"),
        ("env LANG=C ls -l", "env", "ls -l"),
        ("env -i ls", "env", "ls"),
        ("nice -n 5 ls", "nice", "ls"),
        ("nohup ls", "nohup", "ls"),
        ("timeout -k 5 -s TERM 1.5m ls x", "timeout", "ls x"),
        ("time -p ls", "time", "ls"),
        ("stdbuf -oL ls", "stdbuf", "ls"),
        ("command ls -l", "command", "ls -l"),
        ("sudo env timeout 5 /bin/ls", "sudo env timeout", "ls"),
        ("taskset -c 0-3 ls", "taskset", "ls"),
        ("taskset 0xf ls -c", "taskset", "ls -c"),
        ("taskset -- 1 ls", "taskset", "ls"),
        ("chrt -b 0 ls", "chrt", "ls"),
        ("numactl -N 0 --membind=0,1 ls", "numactl", "ls"),
        ("prlimit --nofile=10:20 -t5 -- ls", "prlimit", "ls"),
        ("setpriv --nnp ls", "setpriv", "ls"),
        ("./sudo ls", "", "./sudo ls"),
        ("command -v git", "", "command -v git"),
    ] {
        let read = commands(text).unwrap_or_else(|| panic!("opaque: {text}"));
        assert_eq!(read[0].wrappers.join(" "), wrappers, "{text}");
        assert_eq!(read[0].words, words(inner), "{text}");
    }
}
