//! Ignore files, against the real git.

use std::collections::BTreeSet;
use std::fs;

use sayso_core::analysis::fact::{Facts, Ignored, Question};

use super::Scratch;

/// Enough randomness to vary patterns, the same in each run.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

fn ignored(facts: &Facts, index: usize) -> Ignored {
    facts.path(index).unwrap().ignored
}

/// Asks git and us about all paths; git's answer is the truth.
fn compare(scratch: &Scratch, paths: &[String], context: &str) -> usize {
    let mut input = Vec::new();
    for path in paths {
        input.extend_from_slice(path.as_bytes());
        input.push(0);
    }
    let output = scratch.run_git(&["check-ignore", "--no-index", "--stdin", "-z"], &input);
    let truth: BTreeSet<String> = output
        .split(|byte| *byte == 0)
        .map(|path| String::from_utf8(path.to_vec()).unwrap())
        .collect();
    let questions: Vec<Question> = paths
        .iter()
        .map(|path| Question::Path {
            path: path.clone(),
            no_follow: true,
        })
        .collect();
    let facts = scratch.ask(&questions);
    for (index, path) in paths.iter().enumerate() {
        let expected = if truth.contains(path) {
            Ignored::Yes
        } else {
            Ignored::No
        };
        assert_eq!(ignored(&facts, index), expected, "{path:?} with {context}");
    }
    truth.len().saturating_sub(1)
}

fn paths() -> Vec<String> {
    let folders = [
        "",
        "a/",
        "b/",
        "a/b/",
        "a/b/c/",
        "foo/",
        "foo/bar/",
        "build/",
        "src/build/",
        "a b/",
    ];
    let names = [
        "a",
        "b",
        "foo",
        "bar",
        "foo.o",
        "x.log",
        ".env",
        "[a]",
        "a\\b",
        "Foo",
        "!x",
        "#x",
        "x ",
        "new/thing",
        "a-b",
    ];
    folders
        .iter()
        .flat_map(|folder| names.iter().map(move |name| format!("{folder}{name}")))
        .collect()
}

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    for folder in ["a/b/c", "b", "foo/bar", "build", "src/build/foo", "a b"] {
        scratch.folder(&format!("ws/{folder}"));
    }
    scratch
}

#[test]
fn h_28_patterns_mean_what_git_makes_of_them() {
    let scratch = tree();
    let paths = paths();
    let fixed = [
        "*.o",
        "/foo",
        "foo/",
        "/foo/",
        "a/b",
        "a/**",
        "**/b",
        "a/**/c",
        "**",
        "*",
        "/*",
        "*\n!a",
        "*\n!*/\n!*.o",
        "build/\n!build/foo",
        "build/*\n!build/foo",
        "foo*",
        "*foo",
        "f?o",
        "[ab]",
        "[!a]",
        "[^a]",
        "[a-c]",
        "[]a]",
        "[[:alpha:]]",
        "[[:nope:]]",
        "[[:upper:]]oo",
        "[a",
        "\\[a\\]",
        "a\\\\b",
        "\\!x",
        "\\#x",
        "#x",
        "!x",
        "x ",
        "x\\ ",
        "x  \\ ",
        "\\",
        "a\\",
        "a b/",
        "a b/  ",
        "/",
        "!/",
        "//",
        "a//b",
        "/a/b/",
        "**/",
        "/**",
        "/**/b",
        "a/**/",
        "**foo",
        "foo**",
        "a**/b",
        "a/*b",
        "a/*/c",
        "*/b",
        "*/b/",
        "**/a/b",
        "a/b/**/foo",
        "***",
        "a/***/b",
        "\r\nfoo\r",
        "\u{feff}foo",
        "foo\t",
        ".*",
        "*.log\n!x.log",
        "!foo\nfoo",
        "foo\n!foo\n/a/foo",
        "f[!/]o",
        "a[/]b",
        "a?b",
        "a[!x]b",
        "a[a-z/]b",
        "FOO",
        "[A-Z]oo",
        "[a-]",
        "[-a]b",
        "a[--0]b",
        "[\\]]",
        "[a\\-z]",
        "**/**/b",
        "a/**/**/c",
        "\\a",
        "fo\\o",
        "a/b/",
        "src/build",
        "src/**/foo",
        "new/",
        "new",
        "thing",
        "new/*",
    ];
    let mut hits = 0;
    for text in fixed {
        scratch.file("ws/.gitignore", text);
        hits += compare(&scratch, &paths, &format!("{text:?}"));
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn h_28_random_patterns_in_nested_files() {
    let pieces = [
        "a",
        "b",
        "foo",
        "bar",
        "o",
        ".",
        "*",
        "*",
        "**",
        "?",
        "/",
        "/",
        "/",
        "[ab]",
        "[!a]",
        "[a-f]",
        "[[:alpha:]]",
        "\\",
        "!",
        " ",
        "build",
        "-",
        "x",
        "[",
        "]",
        "**/",
        "/**",
    ];
    let scratch = tree();
    let paths = paths();
    let mut random = Random(42);
    let mut hits = 0;
    for round in 0..120 {
        scratch.run_git(
            &[
                "config",
                "core.ignoreCase",
                if round % 3 == 0 { "true" } else { "false" },
            ],
            b"",
        );
        let mut context = String::new();
        for file in [
            ".gitignore",
            "a/.gitignore",
            "foo/.gitignore",
            "a/b/.gitignore",
            ".git/info/exclude",
            "../home/.config/git/ignore",
        ] {
            let mut text = String::new();
            for _ in 0..random.below(4) {
                if random.below(4) == 0 {
                    text.push('!');
                }
                for _ in 0..=random.below(4) {
                    text.push_str(pieces[random.below(pieces.len())]);
                }
                text.push('\n');
            }
            scratch.file(&format!("ws/{file}"), &text);
            context.push_str(&format!("{file}: {text:?} "));
        }
        hits += compare(&scratch, &paths, &context);
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn h_28_the_personal_file_can_be_named() {
    let scratch = tree();
    scratch.file("home/.gitconfig", "[core]\nexcludesFile = ~/mine\n");
    scratch.file("home/mine", "*.o\n");
    scratch.file("home/.config/git/ignore", "a\n");
    compare(&scratch, &paths(), "excludesFile");
    assert_eq!(scratch.path("foo.o").unwrap().ignored, Ignored::Yes);
    // Which of the two counts depends on a condition, so both do.
    scratch.file(
        "home/.gitconfig",
        "[includeIf \"onbranch:x\"]\npath = other\n",
    );
    scratch.file("home/other", "[core]\nexcludesFile = ~/mine\n");
    assert_eq!(scratch.path("foo.o").unwrap().ignored, Ignored::Yes);
    assert_eq!(scratch.path("a").unwrap().ignored, Ignored::Yes);
    scratch.file("home/.gitconfig", "[core]\nexcludesFile = ~somebody/mine\n");
    assert_eq!(scratch.path("bar").unwrap().ignored, Ignored::Unknown);
}

#[test]
fn h_28_what_cannot_be_told_is_unknown() {
    let scratch = tree();
    let status = |path: &str| scratch.path(path).unwrap().ignored;
    assert_eq!(status("x"), Ignored::No);
    assert_eq!(status(".git/config"), Ignored::Unknown);
    assert_eq!(status(&scratch.at("home/x")), Ignored::NoRepository);
    assert_eq!(status("/etc/shadow"), Ignored::NoRepository);
    scratch.file("ws/.gitignore", &"x\n".repeat(150_000));
    assert_eq!(status("y"), Ignored::Unknown);
    fs::remove_file(scratch.at("ws/.gitignore")).unwrap();
    scratch.file("ws/.gitignore", &format!("{}z\n", "**/".repeat(2000)));
    assert_eq!(status("a/b/c/d"), Ignored::Unknown);
    scratch.file("ws/.gitignore", &format!("{}z\n", "**/*a".repeat(30)));
    assert_ne!(status(&"aaaa/".repeat(50)), Ignored::Yes);
}

#[test]
fn h_28_a_linked_ignore_file_is_not_followed_as_git_does_not() {
    let scratch = tree();
    scratch.file("home/list", "foo\n");
    scratch.link("ws/.gitignore", "../home/list");
    compare(&scratch, &paths(), "linked");
    assert_eq!(scratch.path("foo.o").unwrap().ignored, Ignored::No);
}

#[test]
fn h_28_a_new_repository_inside_does_not_open_what_is_ignored() {
    let scratch = tree();
    scratch.file("ws/.gitignore", "secrets/\n");
    scratch.file("ws/secrets/key", "");
    scratch.run_git(&["init", "-q", "secrets"], b"");
    scratch.run_git(&["init", "-q", "a"], b"");
    assert_eq!(scratch.path("secrets/key").unwrap().ignored, Ignored::Yes);
    assert_eq!(scratch.path("a/key").unwrap().ignored, Ignored::No);
}

#[test]
fn h_28_more_ignore_files_than_are_read_leave_the_rest_unknown() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    let mut questions = Vec::new();
    for number in 0..80 {
        scratch.file(&format!("ws/{number}/.gitignore"), "x\n");
        questions.push(Question::Path {
            path: format!("{number}/x"),
            no_follow: false,
        });
    }
    let facts = scratch.ask(&questions);
    assert_eq!(ignored(&facts, 0), Ignored::Yes);
    assert_eq!(ignored(&facts, 79), Ignored::Unknown);
}

#[test]
fn a_submodule_has_its_own_files() {
    let scratch = tree();
    scratch.run_git(
        &[
            "init",
            "-q",
            "--separate-git-dir",
            ".git/modules/sub",
            "sub",
        ],
        b"",
    );
    scratch.run_git(
        &["-C", "sub", "config", "core.worktree", "../../../sub"],
        b"",
    );
    scratch.file("ws/sub/.gitignore", "x\n");
    assert_eq!(scratch.path("sub/x").unwrap().ignored, Ignored::Yes);
    assert_eq!(scratch.path("sub/y").unwrap().ignored, Ignored::No);
    scratch.run_git(&["-C", "sub", "config", "core.worktree", "/"], b"");
    assert_eq!(scratch.path("sub/y").unwrap().ignored, Ignored::Unknown);
}

#[test]
fn h_28_very_long_missing_paths_cost_little() {
    let scratch = tree();
    scratch.file("ws/.gitignore", "gone/\n*.o\n");
    let questions: Vec<Question> = (0..200)
        .map(|number| Question::Path {
            path: format!("{number}/{}x.o", "y/".repeat(2_000)),
            no_follow: false,
        })
        .chain([Question::Path {
            path: format!("gone/{}x", "y/".repeat(2_000)),
            no_follow: false,
        }])
        .collect();
    let facts = scratch.ask(&questions);
    assert!((0..=200).all(|index| ignored(&facts, index) == Ignored::Yes));
}
