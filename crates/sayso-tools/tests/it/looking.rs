//! The tools that only look.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use sayso_core::text::node::Node;

use crate::ground::{Ground, number, yes};

fn setup() -> Ground {
    let ground = Ground::new();
    ground.write("a.rs", "fn one() {}\nfn two() {}\n// ONE\n");
    ground.write("src/b.rs", "fn one_more() {}\r\nlast");
    ground.write("src/deep/c.txt", "one\n");
    ground.write("bin", b"\x89PNG\r\n\x1a\n\0one");
    ground.write("latin", b"caf\xe9 one\n");
    ground.write(".git/config", "one\n");
    fs::write(ground.outside.join("secret"), "one secret\n").unwrap();
    symlink(&ground.outside, ground.ws.join("out")).unwrap();
    symlink(ground.outside.join("secret"), ground.ws.join("link.rs")).unwrap();
    fs::write(ground.ws.join(OsStr::from_bytes(b"odd\xff.rs")), "one\n").unwrap();
    ground
}

#[test]
fn read_gives_lines_and_says_what_it_left_out() {
    let ground = setup();
    let read = |args: &[(&str, Node)]| {
        let result = ground.run_nodes("read_file", args);
        if result.success {
            result.output
        } else {
            format!("error: {}", result.error)
        }
    };
    let a = ("path", Node::text("a.rs"));
    assert_eq!(
        read(std::slice::from_ref(&a)),
        "fn one() {}\nfn two() {}\n// ONE\n"
    );
    assert_eq!(
        read(&[a.clone(), ("offset", number(2)), ("limit", Node::text("1"))]),
        "fn two() {}\n[lines 2 to 2, there is more]"
    );
    assert_eq!(
        read(&[
            a.clone(),
            ("start_line", number(2)),
            ("end_line", number(3))
        ]),
        "fn two() {}\n// ONE\n[lines 2 to 3, the end]"
    );
    assert_eq!(
        read(&[a.clone(), ("offset", number(9))]),
        "[the file has 3 lines; there is no line 9]"
    );
    assert!(
        read(&[a.clone(), ("limit", Node::text("many"))])
            .starts_with("error: `limit` is not a whole number")
    );
    assert!(
        read(&[a.clone(), ("start", number(5)), ("end", number(2))])
            .starts_with("error: the last line")
    );
    assert!(read(&[("path", Node::text("bin"))]).contains("is a PNG image (12 bytes)"));
    assert!(read(&[("path", Node::text("latin"))]).contains("[not UTF-8"));
    assert!(read(&[("path", Node::text("src"))]).contains("is a folder, not a file"));
    assert!(read(&[("path", Node::text("none"))]).contains("does not exist"));
    assert_eq!(
        read(&[("path", Node::text("link.rs"))]),
        "one secret\n",
        "a link is judged by where it leads, and that was approved"
    );
    ground.write("empty", "");
    assert_eq!(read(&[("path", Node::text("empty"))]), "");

    ground.write("long", "é".repeat(500_000));
    let long = read(&[("path", Node::text("long"))]);
    assert!(
        long.len() < 257 * 1024 && long.contains("[cut at 256 KiB") && !long.contains("not UTF-8")
    );
    ground.write("lines", "0123456789\n".repeat(100_000));
    let long = read(&[("path", Node::text("lines"))]);
    assert!(
        long.len() < 257 * 1024 && long.contains("lines 1 to 238"),
        "{}",
        &long[long.len() - 200..]
    );
}

#[test]
fn grep_finds_and_does_not_follow_links() {
    let ground = setup();
    let grep = |args: &[(&str, Node)]| {
        let result = ground.run_nodes("grep", args);
        if result.success {
            result.output
        } else {
            format!("error: {}", result.error)
        }
    };
    let one = ("pattern", Node::text("one"));
    let all = grep(std::slice::from_ref(&one));
    assert!(
        !all.contains("secret") && !all.contains(".git") && !all.contains("bin:"),
        "{all}"
    );
    for line in [
        "a.rs:1:fn one() {}",
        "src/b.rs:1:fn one_more() {}",
        "src/deep/c.txt:1:one",
        "latin:1:caf\u{FFFD} one",
    ] {
        assert!(all.lines().any(|found| found == line), "{line} in {all}");
    }
    assert_eq!(
        grep(&[one.clone(), ("path", Node::text("a.rs"))]),
        "a.rs:1:fn one() {}\n"
    );
    assert_eq!(
        grep(&[one.clone(), ("path", Node::text("a.rs")), ("-i", yes())])
            .lines()
            .count(),
        2
    );
    assert_eq!(
        grep(&[
            one.clone(),
            ("path", Node::text("src")),
            ("include", Node::text("*.{rs,md}"))
        ]),
        "src/b.rs:1:fn one_more() {}\n"
    );
    assert_eq!(
        grep(&[
            one.clone(),
            ("type", Node::text("rust")),
            ("path", Node::text("src")),
            ("output_mode", Node::text("count"))
        ]),
        "src/b.rs:1\n"
    );
    assert_eq!(
        grep(&[
            ("pattern", Node::text("two")),
            ("path", Node::text("a.rs")),
            ("-C", number(1))
        ]),
        "a.rs-1-fn one() {}\na.rs:2:fn two() {}\na.rs-3-// ONE\n"
    );
    assert_eq!(
        grep(&[
            ("pattern", Node::text("one.*two")),
            ("multiline", yes()),
            ("path", Node::text("a.rs"))
        ])
        .lines()
        .count(),
        2
    );
    assert_eq!(
        grep(&[
            ("pattern", Node::text("one_more\\(\\) \\{\\}$")),
            ("path", Node::text("src/b.rs"))
        ]),
        "src/b.rs:1:fn one_more() {}\n"
    );
    assert!(
        grep(&[one.clone(), ("head_limit", number(1))]).ends_with("[1 line, there are more]\n")
    );
    assert_eq!(grep(&[("pattern", Node::text("zzz"))]), "[nothing found]\n");
    assert!(grep(&[("pattern", Node::text("(("))]).contains("no regular expression"));
    assert!(grep(&[one.clone(), ("type", Node::text("cobol"))]).contains("is not known here"));
    assert!(grep(&[one, ("output_mode", Node::text("x"))]).starts_with("error"));
}

#[test]
fn list_and_glob_show_names_and_enter_no_link() {
    let ground = setup();
    let list = ground.ok("list", &[]).output;
    assert!(
        list.contains("src/\n")
            && list.contains("a.rs\n")
            && list.contains("out -> ")
            && !list.contains("deep"),
        "{list}"
    );
    let deep = ground
        .run_nodes("ls", &[("path", Node::text("src")), ("recursive", yes())])
        .output;
    assert_eq!(deep, "b.rs\ndeep/\ndeep/c.txt\n");
    assert!(
        ground
            .run_nodes("list", &[("recursive", yes())])
            .output
            .lines()
            .all(|line| !line.contains("secret") || line.contains("->"))
    );
    assert_eq!(
        ground
            .run_nodes("list", &[("limit", number(2))])
            .output
            .lines()
            .count(),
        3
    );
    assert!(
        ground
            .run("list", &[("path", "a.rs")])
            .error
            .contains("is a file, not a folder")
    );

    let glob = |pattern: &str| ground.ok("glob", &[("pattern", pattern)]).output;
    assert_eq!(glob("src/*.rs"), "src/b.rs\n");
    assert_eq!(glob("{src,none}/*"), "src/b.rs\nsrc/deep/\n");
    assert!(
        glob("**/*.rs").contains("src/b.rs")
            && !glob("**").contains("secret")
            && !glob("**").contains("config")
    );
    assert_eq!(glob("a.rs"), "a.rs\n");
    assert_eq!(glob("[a-b].rs"), "a.rs\n");
    assert_eq!(glob("zzz*"), "[nothing fits `zzz*`]\n");
    assert!(glob(&format!("{}/src/*", ground.ws.display())).contains("/src/b.rs"));
    assert!(
        !ground
            .run("glob", &[("pattern", "*/../../outside/*")])
            .success
    );
}
