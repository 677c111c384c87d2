//! Every command against policy files and folders that are broken, hostile, or simply large.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{noise, run};
use crate::scene::Scene;

/// Every command that reads a policy, with the words that make it read a file that the person names.
const NAMED: [&[&str]; 6] = [
    &["check", "--policy", "@", "--", "ls"],
    &["check", "--policy", "@", "--tool", "list"],
    &["check", "--policy", "@", "--jsonl"],
    &["policy", "check", "@"],
    &["policy", "show", "--policy", "@"],
    &["policy", "test", "--policy", "@"],
];

fn each(scene: &Scene, file: &Path, what: &str, code: i32) {
    for words in NAMED {
        let words: Vec<&str> = words
            .iter()
            .map(|word| {
                if *word == "@" {
                    file.to_str().unwrap()
                } else {
                    word
                }
            })
            .collect();
        run(scene.program().args(&words), b"").is(code, &format!("{what}: {words:?}"));
    }
}

fn bad_texts() -> Vec<(&'static str, Vec<u8>)> {
    let deep =
        |depth: usize| format!("rules: {}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    let blocks = |depth: usize| {
        (0..depth)
            .map(|level| format!("{}a:\n", " ".repeat(level)))
            .collect::<String>()
            .into_bytes()
    };
    vec![
        ("noise", noise(1 << 20, 0xabc)),
        ("a NUL", b"version: 1\nprofile: say\0so\n".to_vec()),
        ("no UTF-8", b"version: 1 # \xff\n".to_vec()),
        ("100 levels", deep(100)),
        ("100,000 levels", deep(100_000)),
        ("2,000 levels of blocks", blocks(2_000)),
        (
            "truncated",
            b"version: 1\nrules:\n  - allow: {command: \"ls".to_vec(),
        ),
        ("a list", b"- version: 1\n".to_vec()),
        ("a text", b"hello\n".to_vec()),
        ("a wrong type", b"version: one\n".to_vec()),
        ("a key twice", b"version: 1\nversion: 1\n".to_vec()),
        (
            "a key twice further in",
            b"rules:\n  - allow: {command: ls, command: rm}\n".to_vec(),
        ),
        ("two documents", b"version: 1\n---\nversion: 1\n".to_vec()),
        ("an alias", b"a: &a [1]\nrules: *a\n".to_vec()),
        ("laughs", laughs()),
        ("a tag", b"version: !!python/object:os.system 1\n".to_vec()),
        (
            "an example that does not match",
            b"rules:\n  - {deny: {command: ls}, match: [pwd]}\n".to_vec(),
        ),
        ("too large", vec![b'#'; 5 << 20]),
    ]
}

/// A small text that grows by a factor of nine with each line.
fn laughs() -> Vec<u8> {
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        text.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![before; 9].join(", ")
        ));
    }
    text.into_bytes()
}

#[test]
fn a_bad_policy_is_an_error_for_every_command() {
    let scene = Scene::empty();
    let file = scene.outside.join("bad.yaml");
    for (what, text) in bad_texts() {
        fs::write(&file, &text).unwrap();
        each(&scene, &file, what, 2);
    }
    let json = scene.outside.join("bad.json");
    for text in [
        "{\"version\":1",
        "{\"version\":1,\"version\":1}",
        "{'version':1}",
        "[]",
        "{\"version\":\"1\"}",
        "{\"version\":1}x",
    ] {
        fs::write(&json, text).unwrap();
        each(&scene, &json, text, 2);
    }
}

#[test]
fn a_bad_file_in_its_place_is_an_error_and_not_an_absence() {
    for (what, text) in bad_texts() {
        for user in [true, false] {
            let scene = Scene::empty();
            let folder = if user {
                scene.config()
            } else {
                scene.workspace.join(".sayso")
            };
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("policy.yaml"), &text).unwrap();
            for words in [
                &["check", "--", "ls"][..],
                &["policy", "check"],
                &["policy", "show"],
                &["policy", "test"],
            ] {
                run(scene.program().args(words), b"")
                    .is(2, &format!("{what}, user {user}: {words:?}"));
            }
            if !user {
                run(scene.program().args(["policy", "trust", "--yes"]), b"")
                    .is(2, &format!("{what}: trust"));
            }
        }
    }
}

#[test]
fn an_empty_file_says_nothing_and_is_no_error() {
    let scene = Scene::empty();
    let file = scene.outside.join("empty.yaml");
    for text in ["", "\n", "# nothing\n", "---\n"] {
        fs::write(&file, text).unwrap();
        for words in [
            &["check", "--policy", "@", "--", "ls"][..],
            &["policy", "check", "@"],
            &["policy", "show", "--policy", "@"],
        ] {
            let words: Vec<&str> = words
                .iter()
                .map(|word| {
                    if *word == "@" {
                        file.to_str().unwrap()
                    } else {
                        word
                    }
                })
                .collect();
            run(scene.program().args(&words), b"").is(0, &format!("{text:?}: {words:?}"));
        }
    }
    fs::write(scene.outside.join("empty.json"), "").unwrap();
    run(
        scene
            .program()
            .args(["policy", "check"])
            .arg(scene.outside.join("empty.json")),
        b"",
    )
    .is(2, "no JSON is empty");
}

#[test]
fn ten_thousand_rules_work_and_are_quick() {
    let scene = Scene::empty();
    let mut text = "version: 1\nrules:\n".to_owned();
    for number in 0..10_000 {
        text.push_str(&format!(
            "  - {{allow: {{command: \"tool-{number} *\"}}}}\n"
        ));
    }
    text.push_str("  - {deny: {command: \"tool-77 *\"}}\n");
    let file = scene.outside.join("many.yaml");
    fs::write(&file, text).unwrap();
    for (command, code) in [
        ("tool-9999 x", 0),
        ("tool-77 x", 20),
        ("tool-10000 x", 10),
        ("ls", 0),
    ] {
        run(
            scene
                .program()
                .args(["check", "--policy"])
                .arg(&file)
                .args(["--", command]),
            b"",
        )
        .is(code, command);
    }
    run(scene.program().args(["policy", "check"]).arg(&file), b"").is(0, "check");
}

fn fifo(path: &Path) -> PathBuf {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    path.to_owned()
}

#[test]
fn a_pipe_a_folder_or_a_device_is_no_policy_and_never_hangs() {
    let scene = Scene::empty();
    each(&scene, &fifo(&scene.outside.join("pipe.yaml")), "a pipe", 2);
    each(&scene, &scene.outside, "a folder", 2);
    each(&scene, Path::new("/dev/zero"), "a device", 2);
    let places = [scene.config(), scene.workspace.join(".sayso")];
    for folder in places {
        fs::create_dir_all(&folder).unwrap();
        let pipe = fifo(&folder.join("policy.yaml"));
        run(scene.program().args(["check", "--", "ls"]), b"").is(2, "a pipe in its place");
        run(scene.program().args(["policy", "check"]), b"").is(2, "a pipe in its place");
        fs::remove_file(pipe).unwrap();
        fs::create_dir(folder.join("policy.yaml")).unwrap();
        run(scene.program().args(["check", "--", "ls"]), b"").is(2, "a folder in its place");
        fs::remove_dir(folder.join("policy.yaml")).unwrap();
    }
    run(scene.program().args(["check", "--", "ls"]), b"").is(0, "all is well again");
}

#[test]
fn a_policy_that_others_can_write_is_refused() {
    let scene = Scene::empty();
    scene.user_policy("version: 1\n");
    let file = scene.config().join("policy.yaml");
    for (path, mode) in [(&file, 0o666), (&file, 0o664), (&scene.config(), 0o777)] {
        let before = fs::metadata(path).unwrap().permissions();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for words in [
            &["check", "--", "ls"][..],
            &["policy", "check"],
            &["policy", "show"],
        ] {
            let done = run(scene.program().args(words), b"").is(2, &format!("{mode:o}: {words:?}"));
            assert!(
                format!("{}{}", done.err, done.out).contains("chmod go-w"),
                "{}",
                done.err
            );
        }
        fs::set_permissions(path, before).unwrap();
    }
    run(scene.program().args(["check", "--", "ls"]), b"").is(0, "all is well again");
}

#[test]
fn trust_that_cannot_be_kept_is_an_error() {
    let scene = Scene::empty();
    scene.project_policy(
        "version: 1\nrules: [{allow: {command: \"make *\"}}]\n",
        false,
    );
    // Something else stands where the folder would be; permissions alone do not stop an administrator.
    fs::create_dir_all(scene.state().parent().unwrap()).unwrap();
    fs::write(scene.state(), "").unwrap();
    run(scene.program().args(["policy", "trust", "--yes"]), b"")
        .is(2, "a file in the place of the folder");
    let check = run(scene.program().args(["check", "--", "make"]), b"");
    assert!(
        check.code == 10 || check.code == 2,
        "it is not trusted: {check:?}"
    );
    fs::remove_file(scene.state()).unwrap();
    run(scene.program().args(["policy", "trust"]), b"").is(2, "nobody is there to say yes");
    run(scene.program().args(["policy", "trust"]), b"y\n").is(2, "a pipe is nobody (H-72)");
    run(scene.program().args(["policy", "trust", "--yes"]), b"").is(0, "and now it works");
    run(scene.program().args(["check", "--", "make"]), b"").is(0, "it is trusted");
    for (entry, bytes) in [("noise", noise(4_000, 9)), ("nothing", Vec::new())] {
        for file in fs::read_dir(scene.state()).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                fs::write(path, &bytes).unwrap();
            }
        }
        let done = run(scene.program().args(["check", "--", "make"]), b"");
        assert!(
            done.code == 10 || done.code == 2,
            "a store full of {entry} trusts nothing: {done:?}"
        );
        let done = run(scene.program().args(["policy", "trust", "--list"]), b"");
        assert!(done.code == 0 || done.code == 2, "{done:?}");
    }
}

#[test]
fn init_writes_once_and_only_where_it_can() {
    let scene = Scene::empty();
    run(scene.program().args(["policy", "init"]), b"").is(0, "the first time");
    run(scene.program().args(["policy", "init"]), b"").is(2, "it overwrites nothing");
    run(scene.program().args(["policy", "check"]), b"").is(0, "what it wrote is good");
    run(scene.program().args(["policy", "init", "--user"]), b"").is(0, "for the person");
    run(
        scene
            .program()
            .args(["policy", "init", "-C", "/sayso-absent"]),
        b"",
    )
    .is(2, "no such folder");
    let other = Scene::empty();
    fs::write(other.workspace.join(".sayso"), "").unwrap();
    run(other.program().args(["policy", "init"]), b"").is(2, "a file in the place of the folder");
    run(other.program().args(["check", "--", "ls"]), b"").is(2, "and no policy can be read there");
}

#[test]
fn files_of_expected_verdicts_are_checked_like_policies() {
    let scene = Scene::empty();
    let file = scene.outside.join("rows.yaml");
    for (what, text) in bad_texts() {
        fs::write(&file, text).unwrap();
        run(scene.program().args(["policy", "test"]).arg(&file), b"").is(2, what);
    }
    for (text, code) in [
        ("- {command: ls, expect: allow}\n", 0),
        ("- {command: ls, expect: deny}\n", 1),
        ("- {command: ls}\n", 2),
        ("- {expect: allow}\n", 2),
        ("- {command: ls, tool: list, expect: allow}\n", 2),
        ("- {command: ls, expect: maybe}\n", 2),
        ("rows: []\nwhat: 1\n", 2),
        ("", 2),
    ] {
        fs::write(&file, text).unwrap();
        run(scene.program().args(["policy", "test"]).arg(&file), b"").is(code, text);
    }
    run(
        scene
            .program()
            .args(["policy", "test"])
            .arg(fifo(&scene.outside.join("pipe"))),
        b"",
    )
    .is(2, "a pipe");
}
