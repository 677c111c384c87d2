//! Real words of programs whose access was refused, and words that must not be taken for that.

use std::collections::BTreeMap;

use super::*;
use crate::profile::Limits;

fn profile(network: Network) -> Profile {
    let paths = [
        ("/usr", Level::Read),
        ("/etc", Level::Read),
        ("/opt", Level::Read),
        ("/etc/shadow", Level::Hidden),
        ("/tmp", Level::Private),
        ("/tmp/own", Level::Hidden),
        ("/home/u/.cache", Level::Private),
        ("/home/u/w", Level::Write),
        ("/home/u/w/.git", Level::Write),
        ("/home/u/w/.git/hooks", Level::Read),
        ("/home/u/w/.env", Level::Hidden),
        ("/srv/read", Level::Read),
    ];
    Profile {
        cwd: "/home/u/w".into(),
        paths: paths
            .iter()
            .map(|(path, level)| (PathBuf::from(path), *level))
            .collect(),
        pinned: vec!["/home/u/w/.git".into()],
        placed: BTreeMap::new(),
        links: BTreeMap::from([(PathBuf::from("/bin"), PathBuf::from("usr/bin"))]),
        network,
        environment: vec![("HOME".into(), "/home/u".into())],
        limits: Limits {
            time: None,
            memory: Some(512),
            processes: Some(64),
        },
    }
}

fn told(output: &str, code: i32) -> Vec<(Kind, String)> {
    explain(&profile(Network::Nothing), output, Some(code), &[])
        .into_iter()
        .map(|told| (told.refusal.what.kind(), told.refusal.what.place()))
        .collect()
}

fn seen(what: Refused) -> Refusal {
    Refusal::known_by(Source::Kernel, what)
}

#[test]
fn what_programs_say_of_files() {
    use Kind::{Program, Read, Write};
    for (output, what, place) in [
        (
            "bash: line 1: /etc/x: Read-only file system",
            Write,
            "/etc/x",
        ),
        (
            "dash: 1: cannot create /etc/x: Read-only file system",
            Write,
            "/etc/x",
        ),
        ("zsh:1: read-only file system: /etc/x", Write, "/etc/x"),
        (
            "touch: cannot touch '/etc/x': Read-only file system",
            Write,
            "/etc/x",
        ),
        (
            "mkdir: cannot create directory ‘/opt/new’: Read-only file system",
            Write,
            "/opt/new",
        ),
        (
            "cp: cannot create regular file '/etc/p2': Read-only file system",
            Write,
            "/etc/p2",
        ),
        (
            "mv: cannot move 'a' to '/etc/a': Read-only file system",
            Write,
            "/etc/a",
        ),
        (
            "rm: cannot remove '/etc/passwd': Permission denied",
            Write,
            "/etc/passwd",
        ),
        (
            "ln: failed to create symbolic link '/etc/l': Read-only file system",
            Write,
            "/etc/l",
        ),
        ("tee: /etc/x: Permission denied", Write, "/etc/x"),
        (
            "dd: failed to open '/etc/x': Read-only file system",
            Write,
            "/etc/x",
        ),
        (
            "sed: couldn't open temporary file /etc/sedhA3FrF: Read-only file system",
            Write,
            "/etc/sedhA3FrF",
        ),
        (
            "tar: /etc/x.tar: Cannot open: Read-only file system\ntar: Error is not recoverable: exiting now",
            Write,
            "/etc/x.tar",
        ),
        (
            "OSError: [Errno 30] Read-only file system: '/etc/x'",
            Write,
            "/etc/x",
        ),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/home/u/notes'",
            Read,
            "/home/u/notes",
        ),
        (
            "python3: can't open file '/home/u/x.py': [Errno 2] No such file or directory",
            Read,
            "/home/u/x.py",
        ),
        (
            "Error: EROFS: read-only file system, open '/etc/x'\n    at Object.openSync (node:fs:596:3)",
            Write,
            "/etc/x",
        ),
        (
            "Error: EACCES: permission denied, mkdir '/etc/x'",
            Write,
            "/etc/x",
        ),
        (
            "Error: ENOENT: no such file or directory, open '/home/u/.npmrc'",
            Read,
            "/home/u/.npmrc",
        ),
        (
            "npm error rofs EROFS: read-only file system, mkdir '/usr/lib/node_modules/x'",
            Write,
            "/usr/lib/node_modules/x",
        ),
        (
            "Cannot open /etc/x: Read-only file system at -e line 1.",
            Write,
            "/etc/x",
        ),
        (
            "fatal: cannot mkdir /etc/repo: Read-only file system",
            Write,
            "/etc/repo",
        ),
        (
            "error: could not lock config file /usr/local/etc/gitconfig: Read-only file system",
            Write,
            "/usr/local/etc/gitconfig",
        ),
        (
            "fatal: repository '/home/u/repo' does not exist",
            Read,
            "/home/u/repo",
        ),
        (
            "Warning: Failed to open the file /etc/x: Read-only file system\ncurl: (23) Failure writing output",
            Write,
            "/etc/x",
        ),
        (
            "  0  12  0 --:-- 0\r  0  12  0 --:-- 0Warning: Failed to open the file /etc/x: Permission denied",
            Write,
            "/etc/x",
        ),
        (
            "/usr/bin/ld: cannot open output file /etc/x: Read-only file system",
            Write,
            "/etc/x",
        ),
        (
            "cc1: fatal error: /home/u/x.c: No such file or directory\ncompilation terminated.",
            Read,
            "/home/u/x.c",
        ),
        (
            "make: *** /home/u/p: No such file or directory.  Stop.",
            Read,
            "/home/u/p",
        ),
        (
            "chmod: changing permissions of '/etc/passwd': Operation not permitted",
            Write,
            "/etc/passwd",
        ),
        (
            "java.io.FileNotFoundException: /etc/x (Read-only file system)",
            Write,
            "/etc/x",
        ),
        (
            "Exception in thread \"main\" java.nio.file.FileSystemException: /etc/x: Read-only file system",
            Write,
            "/etc/x",
        ),
        (
            "java.nio.file.NoSuchFileException: /home/u/x",
            Read,
            "/home/u/x",
        ),
        ("open /etc/x: read-only file system", Write, "/etc/x"),
        ("mkdir /etc/d: permission denied", Write, "/etc/d"),
        (
            "error: Read-only file system (os error 30) at path \"/etc/txgiHY8\"",
            Write,
            "/etc/txgiHY8",
        ),
        (
            "error: couldn't read `/home/u/x.rs`: No such file or directory (os error 2)",
            Read,
            "/home/u/x.rs",
        ),
        (
            "error: failed to write `/etc/t/x`\n\nCaused by:\n  Permission denied (os error 13)",
            Write,
            "/etc/t/x",
        ),
        (
            "\u{1b}[1m\u{1b}[31merror\u{1b}[0m: failed to write `/etc/x`\n\nCaused by:\n  Read-only file system (os error 30)",
            Write,
            "/etc/x",
        ),
        (
            "ERROR: Could not install packages due to an OSError: [Errno 30] Read-only file system: '/usr/lib/python3/x'",
            Write,
            "/usr/lib/python3/x",
        ),
        (
            "ls: cannot access '/home/u': No such file or directory",
            Read,
            "/home/u",
        ),
        (
            "find: ‘/srv/other’: No such file or directory",
            Read,
            "/srv/other",
        ),
        ("cat: /etc/shadow: Permission denied", Read, "/etc/shadow"),
        ("cat: .env: Permission denied", Read, "/home/u/w/.env"),
        (
            "cat: /home/u/my notes/a b.txt: No such file or directory",
            Read,
            "/home/u/my notes/a b.txt",
        ),
        (
            "cat: ~/notes: No such file or directory",
            Read,
            "/home/u/notes",
        ),
        (
            "cat: ../other/x: No such file or directory",
            Read,
            "/home/u/other/x",
        ),
        (
            "bash: line 1: .git/hooks/pre-commit: Read-only file system",
            Write,
            "/home/u/w/.git/hooks/pre-commit",
        ),
        (
            "bash: line 1: /home/u/w/.git/hooks/pre-push: Permission denied",
            Write,
            "/home/u/w/.git/hooks/pre-push",
        ),
        (
            "mv: cannot move '.git' to 'x': Device or resource busy",
            Write,
            "/home/u/w/.git",
        ),
        (
            "cp: cannot create regular file '/bin/x': Read-only file system",
            Write,
            "/usr/bin/x",
        ),
        (
            "bash: line 1: cd: /home/u: No such file or directory",
            Read,
            "/home/u",
        ),
    ] {
        assert_eq!(told(output, 1), [(what, place.to_owned())], "{output}");
    }
    assert_eq!(
        told(
            "bash: line 1: /home/u/bin/tool: No such file or directory",
            127
        ),
        [(Program, "/home/u/bin/tool".to_owned())]
    );
}

#[test]
fn where_the_profile_permits_it_nothing_is_said() {
    for output in [
        "touch: cannot touch 'x': Permission denied",
        "cat: x: No such file or directory",
        "cat: /etc/x: No such file or directory",
        "cat: /etc/ssl/private/key: Permission denied",
        "cat: /tmp/x: No such file or directory",
        "cat: /tmp/own/x: No such file or directory",
        "cat: /home/u/.cache/x/y: No such file or directory",
        "mkdir: cannot create directory ‘/etc/x/y’: No such file or directory",
        "bash: line 1: ping: command not found",
        "git@github.com: Permission denied (publickey).",
        "kill: (1) - Operation not permitted",
        "chown: changing ownership of 'x': Operation not permitted",
        "bash: /proc/1/environ: Permission denied",
        "cat: /dev/stdin: No such file or directory",
        "error: could not execute process `rustc -vV` (never executed)\n\nCaused by:\n  No such file or directory (os error 2)",
        "recv: Resource temporarily unavailable",
        "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server",
        "Error: connect ECONNREFUSED 127.0.0.1:5432",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "mv: cannot move 'a' to 'b': Device or resource busy",
        "everything is fine",
        "",
    ] {
        assert_eq!(told(output, 1), [], "{output}");
    }
    assert_eq!(
        told("touch: cannot touch '/etc/x': Read-only file system", 0),
        [],
        "it did not fail"
    );
    assert_eq!(
        told("bash: line 1: /etc/x: Permission denied", 126),
        [],
        "it was run, and may be"
    );
}

#[test]
fn what_programs_say_of_the_network() {
    for (output, host) in [
        (
            "curl: (6) Could not resolve host: example.com",
            "example.com",
        ),
        (
            "curl: (7) Failed to connect to 1.1.1.1 port 80 after 0 ms: Couldn't connect to server",
            "1.1.1.1",
        ),
        (
            "fatal: unable to access 'https://github.com/x/y.git/': Could not resolve host: github.com",
            "github.com",
        ),
        (
            "ssh: Could not resolve hostname github.com: Temporary failure in name resolution\nfatal: Could not read from remote",
            "github.com",
        ),
        (
            "Resolving example.com (example.com)... failed: Temporary failure in name resolution.",
            "example.com",
        ),
        (
            "wget: unable to resolve host address ‘example.com’",
            "example.com",
        ),
        (
            "ping: example.com: Name or service not known",
            "example.com",
        ),
        (
            "  [cause]: Error: getaddrinfo EAI_AGAIN example.com",
            "example.com",
        ),
        (
            "npm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org",
            "registry.npmjs.org",
        ),
        (
            "psql: error: could not translate host name \"db.example.com\" to address: Temporary failure in name resolution",
            "db.example.com",
        ),
        ("java.net.UnknownHostException: example.com", "example.com"),
        (
            "W: Failed to fetch http://deb.debian.org/x  Temporary failure resolving 'deb.debian.org'",
            "deb.debian.org",
        ),
        (
            "dial tcp: lookup proxy.golang.org on 127.0.0.53:53: dial udp 127.0.0.53:53: connect: network is unreachable",
            "proxy.golang.org",
        ),
        (
            "HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded: Temporary failure in name resolution",
            "pypi.org",
        ),
        (
            "  [6] Could not resolve hostname (Could not resolve host: index.example.com)",
            "index.example.com",
        ),
        (
            "bash: connect: Network is unreachable\nbash: line 1: /dev/tcp/1.1.1.1/80: Network is unreachable",
            "",
        ),
        (
            "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
            "",
        ),
    ] {
        assert_eq!(
            told(output, 1),
            [(Kind::Network, host.to_owned())],
            "{output}"
        );
        assert_eq!(
            explain(&profile(Network::Everything), output, Some(1), &[]),
            [],
            "{output}"
        );
    }
    let some = profile(Network::Hosts(vec!["github.com".to_owned()]));
    let words = |host: &str| {
        explain(
            &some,
            &format!("curl: (6) Could not resolve host: {host}"),
            Some(6),
            &[],
        )
        .remove(0)
    };
    let evil = words("evil.com");
    assert_eq!(evil.advice, unlisted_host("evil.com").advice);
    assert_eq!(evil.refusal.source, Source::Words);
    assert!(words("github.com").words.contains("through a proxy"));
    assert!(
        explain(
            &some,
            "sayso: the sandbox did not reach `github.com`: Temporary failure in name resolution",
            Some(1),
            &[]
        )
        .is_empty()
    );
}

#[test]
fn limits_and_rights() {
    for (output, words) in [
        (
            "bash: fork: retry: Resource temporarily unavailable",
            "64 processes",
        ),
        ("RuntimeError: can't start new thread", "64 processes"),
        (
            "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory",
            "64 processes",
        ),
        (
            "BlockingIOError: [Errno 11] Resource temporarily unavailable: fork",
            "64 processes",
        ),
        ("MemoryError", "512 MiB"),
        (
            "# Fatal process OOM in Failed to reserve virtual memory for CodeRange",
            "512 MiB",
        ),
        (
            "Could not reserve enough space for code cache (245760K)",
            "512 MiB",
        ),
        ("memory allocation of 1000000000 bytes failed", "512 MiB"),
        (
            "sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.",
            "more rights",
        ),
        (
            "unshare: unshare failed: Operation not permitted",
            "sandbox of its own",
        ),
    ] {
        let told = explain(&profile(Network::Nothing), output, Some(1), &[]);
        assert!(
            told.len() == 1 && told[0].words.contains(words),
            "{output}: {told:?}"
        );
        let free = Profile {
            limits: Limits::default(),
            ..profile(Network::Nothing)
        };
        assert_eq!(
            explain(&free, output, Some(1), &[]).is_empty(),
            told[0].refusal.what.kind() == Kind::Limit,
            "{output}"
        );
    }
}

#[test]
fn advice_fits_the_place() {
    let advice = |what: Refused| {
        explain(&profile(Network::Nothing), "", Some(1), &[seen(what)])
            .remove(0)
            .advice
    };
    assert_eq!(
        advice(Refused::Create("/etc/x".into())),
        OUTSIDE,
        "all of `/etc` is too much"
    );
    assert_eq!(
        advice(Refused::Create("/srv/read/x".into())),
        "to allow it: add `/srv/read` to `sandbox.paths` with `mode: rw`, or allow the command with a rule, so that it runs outside of the sandbox"
    );
    for what in [
        Refused::Write("/home/u/.ssh/config".into()),
        Refused::Create("/home/u/w/.git/hooks/x".into()),
        Refused::Write("/home/u/w/.env".into()),
    ] {
        assert!(advice(what.clone()).starts_with("it is protected"));
        assert!(!is_offered(&profile(Network::Nothing), &seen(what)));
    }
    let denied = Refusal {
        also_outside: true,
        ..seen(Refused::Create("/srv/read/x".into()))
    };
    let explained = explain(
        &profile(Network::Nothing),
        "",
        None,
        std::slice::from_ref(&denied),
    );
    assert!(explained[0].advice.starts_with("without a sandbox"));
    assert!(!is_offered(&profile(Network::Nothing), &denied));
}

#[test]
fn words_are_quoted_and_offer_no_write_no_secret_and_nothing_protected() {
    let it = profile(Network::Nothing);
    let told = |output: &str| explain(&it, output, Some(1), &[]).remove(0);
    for output in [
        "touch: cannot touch '/etc/x': Read-only file system",
        "touch: cannot touch '/srv/read/x': Read-only file system",
        "bash: line 1: .git/hooks/x: Read-only file system",
        "bash: /etc/shadow: Read-only file system",
        "cat: /home/u/.ssh/id_rsa: No such file or directory",
        "cat: .env: Permission denied",
        "unshare: unshare failed: Operation not permitted",
        "mv: cannot move '.git' to 'x': Device or resource busy",
    ] {
        let told = told(output);
        assert_eq!(told.advice, "", "{output}");
        assert_eq!(told.refusal.source, Source::Words);
        assert!(
            told.words
                .starts_with(&format!("the program says `{output}`; the sandbox ")),
            "{}",
            told.words
        );
        assert!(!is_offered(&it, &told.refusal), "{output}");
    }
    assert!(
        told("cat: /home/u/other/x: No such file or directory")
            .advice
            .contains("add `/home/u/other` to `sandbox.paths` with `mode: ro`")
    );
    assert_eq!(
        told("curl: (6) Could not resolve host: example.com").advice,
        "to allow it: set `sandbox.hosts: [example.com]`, or `sandbox.network: true` for every host"
    );
    let broken = told("touch: cannot touch '/etc/`; to allow it: x': Read-only file system");
    assert!(!broken.words.contains("`; to allow"), "{}", broken.words);
}

#[test]
fn what_was_seen_comes_first_and_its_words_are_not_told_twice() {
    let it = profile(Network::Nothing);
    let lines = |output: &str, refusals: &[Refusal]| -> Vec<String> {
        explain(&it, output, Some(1), refusals)
            .iter()
            .map(Explained::line)
            .collect()
    };
    let output = "touch: cannot touch '/etc/x': Read-only file system\ntouch: cannot touch '/etc/y': Read-only file system";
    let told = lines(output, &[seen(Refused::Create("/etc/x".into()))]);
    assert_eq!(
        told[0],
        format!("the sandbox refused to write `/etc/x`; {OUTSIDE}")
    );
    assert_eq!(
        told[1],
        "the program says `touch: cannot touch '/etc/y': Read-only file system`; the sandbox does not let `/etc/y` be written"
    );
    let names = seen(Refused::Connect {
        address: [10, 0, 0, 2].into(),
        port: 53,
    });
    let told = lines("curl: (6) Could not resolve host: example.com", &[names]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with(
            "the sandbox refused to look up the name of a host; the program says `curl"
        ),
        "{told:?}"
    );
    let direct = seen(Refused::Connect {
        address: [1, 1, 1, 1].into(),
        port: 80,
    });
    let told = lines(
        "curl: (7) Failed to connect to 1.1.1.1 port 80 after 0 ms: Couldn't connect to server",
        &[direct],
    );
    assert_eq!(
        told,
        [format!(
            "the sandbox refused to connect to `1.1.1.1:80`; {LIST_HOSTS}"
        )]
    );
    let many: Vec<Refusal> = (0..100)
        .map(|number| seen(Refused::Create(format!("/etc/{number}").into())))
        .collect();
    assert_eq!(explain(&it, "", Some(1), &many).len(), MOST);
    assert!(explain(&it, "", Some(0), &many).is_empty());
}

#[test]
fn hostile_output_is_bounded_and_cannot_move_the_cursor() {
    let told = explain(
        &profile(Network::Nothing),
        "touch: cannot touch '/etc/\u{202e}\u{7}x': Read-only file system",
        Some(1),
        &[],
    );
    assert_eq!(told[0].refusal.what.place(), "/etc/‹U+202E›␇x");
    let many: String = (0..100)
        .map(|number| format!("touch: cannot touch '/etc/{number}': Read-only file system\n"))
        .collect();
    assert_eq!(
        explain(&profile(Network::Nothing), &many, Some(1), &[]).len(),
        5
    );
    assert_eq!(
        explain(
            &profile(Network::Nothing),
            &"touch: cannot touch '/etc/x': Read-only file system\n".repeat(100),
            None,
            &[]
        )
        .len(),
        1
    );
    for piece in [
        "'",
        "‘",
        "\u{1b}[",
        "/",
        "~",
        ": ",
        "`\"",
        "permission denied",
        "é",
        "\0",
        "://",
        "\n",
        "../",
    ] {
        let text = format!(
            "{}: Read-only file system: {}",
            piece.repeat(200_000),
            piece.repeat(200_000)
        );
        explain(&profile(Network::Nothing), &text, Some(1), &[]);
    }
    let long = format!(
        "touch: cannot touch '/etc/{}': Read-only file system",
        "x".repeat(5000)
    );
    assert_eq!(explain(&profile(Network::Nothing), &long, Some(1), &[]), []);
}

proptest::proptest! {
    /// Nothing is said of a path that may be written, or of a host that is reached.
    #[test]
    fn nothing_is_said_against_the_profile(text in "[a-z:'`\"/~. ]{0,20}(Read-only file system|Permission denied|No such file or directory|Could not resolve host: |EROFS: )[a-z:'/~. ]{0,20}", code in 1..130) {
        let it = profile(Network::Everything);
        for told in explain(&it, &text, Some(code), &[]) {
            let what = told.refusal.what;
            proptest::prop_assert!(matches!(what.kind(), Kind::Read | Kind::Write | Kind::Program));
            let level = it.level(what.path().unwrap());
            proptest::prop_assert!(level == Level::Hidden || what.kind() == Kind::Write && level == Level::Read);
        }
    }
}
