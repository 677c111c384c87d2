//! Patterns of names, paths below the home, and searches that read what git ignores, on real files.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use sayso_core::analysis::fact::{BelowFact, Fact, NamesFact, PathKind, Question, Search, Shows};

use super::{Scratch, skipped_as_root, whereabouts};
use crate::machine::Machine;

/// A pattern as a shell writes it; `~` at the start is the home.
fn pattern(written: &str) -> String {
    let rest = written.strip_prefix('~');
    let wild = rest
        .unwrap_or(written)
        .replace('*', "\u{1}")
        .replace('?', "\u{2}");
    format!("{}{wild}", if rest.is_some() { "\0" } else { "" })
}

impl Scratch {
    pub(super) fn names(&self, written: &str) -> NamesFact {
        match self.one(Question::Names {
            pattern: pattern(written),
            parted: false,
        }) {
            Some(Fact::Names(fact)) => fact,
            other => panic!("{written}: {other:?}"),
        }
    }

    /// The names alone, of a pattern that is listed whole.
    fn written(&self, pattern: &str) -> Vec<String> {
        let fact = self.names(pattern);
        assert!(!fact.incomplete, "{pattern}");
        fact.files.into_iter().map(|(name, _)| name).collect()
    }

    pub(super) fn below(&self, path: &str, search: Search) -> BelowFact {
        self.below_only(path, search, &[])
    }

    pub(super) fn below_only(&self, path: &str, search: Search, only: &[&str]) -> BelowFact {
        match self.one(Question::Below {
            path: pattern(path),
            search,
            only: only.iter().map(|name| pattern(name)).collect(),
        }) {
            Some(Fact::Below(fact)) => fact,
            other => panic!("{path}: {other:?}"),
        }
    }
}

pub(super) const EVERYTHING: Search = Search {
    hidden: true,
    follow: false,
    ignored: true,
    words: false,
    whole: false,
    names: false,
    as_git: false,
    tracked: false,
};

fn project() -> Scratch {
    let scratch = Scratch::new();
    for file in [
        "a.rs",
        "b.rs",
        "c.txt",
        ".env",
        ".hidden/x.rs",
        "src/main.rs",
        "src/deep/er/x.rs",
        "src/deep/.h/y.rs",
        "-rf",
    ] {
        scratch.file(&format!("ws/{file}"), "");
    }
    scratch
}

#[test]
fn patterns_are_listed_as_a_shell_does() {
    let scratch = project();
    for (pattern, expected) in [
        ("*.rs", "a.rs b.rs"),
        ("?.rs", "a.rs b.rs"),
        ("./*.rs", "./a.rs ./b.rs"),
        ("*", "-rf a.rs b.rs c.txt src"),
        ("*/", "src/"),
        ("*/main.rs", "src/main.rs"),
        ("s*/d*/er/*", "src/deep/er/x.rs"),
        ("src//*.rs", "src//main.rs"),
        ("*/../c.*", "src/../c.txt"),
        (".e*", ".env"),
        (".*/x.rs", ".hidden/x.rs"),
        ("*/.h*", "*/.h*"),
        ("src/*/.h*", "src/deep/.h"),
        ("nothing*", "nothing*"),
        ("nothing/*.?", "nothing/*.?"),
        ("a.rs/*", "a.rs/*"),
        ("*/nothing", "*/nothing"),
    ] {
        assert_eq!(scratch.written(pattern).join(" "), expected, "{pattern}");
    }
    let absolute = scratch.at("ws/c.txt");
    assert_eq!(scratch.written(&scratch.at("ws/c*")), [absolute]);
    // Some shells list these two, and some do not.
    assert_eq!(scratch.written(".*"), [".", "..", ".env", ".hidden"]);
    assert_eq!(
        scratch.names(".e*").files[0].1.canonical,
        scratch.at("ws/.env")
    );
    assert_eq!(scratch.names("nothing*").files[0].1.kind, PathKind::Missing);
}

#[test]
fn two_stars_go_to_any_depth_and_leave_hidden_folders_alone() {
    let scratch = project();
    scratch.folder("ws/src/real");
    scratch.file("ws/src/real/z.rs", "");
    scratch.link("ws/link", "src/real");
    scratch.link("ws/src/deep/link", "../real");
    assert_eq!(scratch.written("**/x.rs"), ["src/deep/er/x.rs"]);
    // One level goes through links as `*` does; deeper ones are not followed.
    assert_eq!(scratch.written("**/z.rs"), ["link/z.rs", "src/real/z.rs"]);
    assert_eq!(scratch.written("**/*.rs").len(), 6);
    assert_eq!(scratch.written("src/d**/x.rs"), ["src/d**/x.rs"]);
    let all = scratch.written("src/**");
    assert_eq!(
        all,
        [
            "src/",
            "src/deep",
            "src/deep/er",
            "src/deep/er/x.rs",
            "src/deep/link",
            "src/main.rs",
            "src/real",
            "src/real/z.rs"
        ]
    );
    assert!(scratch.names("***/x.rs").incomplete);
}

#[test]
fn links_are_followed_but_nothing_outside_is_listed() {
    let scratch = project();
    scratch.file("other/private.txt", "");
    scratch.link("ws/out", "../other");
    scratch.link("ws/out.txt", "../other/private.txt");
    scratch.link("ws/round", "round");
    let one = scratch.names("out.t*");
    assert_eq!(
        (one.files[0].0.as_str(), one.files[0].1.canonical.clone()),
        ("out.txt", scratch.at("other/private.txt"))
    );
    // A delete acts on the link itself, a read on what it leads to.
    assert_eq!(
        (one.links[0].0.as_str(), one.links[0].1.canonical.clone()),
        ("out.txt", scratch.at("ws/out.txt"))
    );
    for (pattern, folder) in [
        ("out/*", "out"),
        ("../*", ".."),
        ("../other/p*", "../other"),
        ("o*/*.txt", "out"),
        ("/*", "/"),
    ] {
        let fact = scratch.names(pattern);
        assert!(fact.incomplete, "{pattern}");
        assert_eq!(
            fact.files
                .iter()
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>(),
            [folder],
            "{pattern}"
        );
    }
    assert_eq!(
        scratch.names("../oth*").files[0].1.canonical,
        scratch.root.to_str().unwrap()
    );
    // What cannot be told is more, not nothing.
    assert!(scratch.names("roun*").incomplete);
    assert!(scratch.below("roun*", EVERYTHING).incomplete);
    assert!(scratch.names("/proc/self/fd/*").incomplete);
}

#[test]
fn too_many_names_and_names_that_are_no_text_are_told() {
    let scratch = Scratch::new();
    for number in 0..300 {
        scratch.file(&format!("ws/many/{number}.txt"), "");
    }
    let fact = scratch.names("many/*");
    assert!(fact.incomplete && fact.files.len() == 256);
    assert_eq!(scratch.written("many/1?.txt").len(), 10);
    for number in 0..201 {
        scratch.folder(&format!("ws/wide/{number}"));
    }
    // Twice as many steps as may be taken, by going round and round.
    assert!(scratch.names("wide/*/../*/../*/none").incomplete);
    assert!(
        scratch
            .names(&format!("wide/*/{}none", "./".repeat(1000)))
            .incomplete
    );
    scratch.folder("ws/odd");
    fs::write(
        scratch.root.join("ws/odd").join(OsStr::from_bytes(b"\xff")),
        "",
    )
    .unwrap();
    assert!(scratch.names("odd/*").incomplete);
}

#[test]
fn a_folder_that_may_not_be_read_has_no_names() {
    use std::os::unix::fs::PermissionsExt as _;
    if skipped_as_root("a_folder_that_may_not_be_read_has_no_names") {
        return;
    }
    let scratch = project();
    fs::set_permissions(
        scratch.root.join("ws/src"),
        fs::Permissions::from_mode(0o111),
    )
    .unwrap();
    assert_eq!(scratch.written("src/*"), ["src/*"]);
    fs::set_permissions(
        scratch.root.join("ws/src"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
}

#[test]
fn a_path_may_start_at_the_home_and_holds_no_other_nul() {
    let scratch = project();
    scratch.file("home/notes.txt", "");
    assert_eq!(scratch.path("\0").unwrap().canonical, scratch.at("home"));
    assert_eq!(
        scratch.path("\0/notes.txt").unwrap().canonical,
        scratch.at("home/notes.txt")
    );
    assert_eq!(scratch.program("\0/bin/x").unwrap().file, None);
    assert_eq!(scratch.git("\0/..").root, None);
    for odd in [
        "\0x", "a\0", "\0/a\0b", "\0\0x", "\0\0\0", "\0\0/\0", "/\0/x",
    ] {
        let path = || odd.to_owned();
        for question in [
            Question::Path {
                path: path(),
                no_follow: false,
            },
            Question::Below {
                path: path(),
                search: EVERYTHING,
                only: Vec::new(),
            },
            Question::Names {
                pattern: path(),
                parted: false,
            },
            Question::Names {
                pattern: path() + "\u{1}",
                parted: false,
            },
            Question::Program { name: path() },
            Question::GitHelpers {
                folder: path(),
                shows: Shows::default(),
            },
        ] {
            assert_eq!(scratch.one(question.clone()), None, "{question:?}");
        }
    }
    // The home is not the workspace, so its names are not told.
    let fact = scratch.names("~/n*");
    assert!(fact.incomplete);
    assert_eq!(fact.files[0].0, scratch.at("home"));
    let at_home = scratch.machine.answer(
        &scratch.at("ws"),
        &scratch.at("home"),
        &[Question::Names {
            pattern: pattern("~/n*"),
            parted: false,
        }],
    );
    assert_eq!(
        at_home.names(0).unwrap().files[0].0,
        scratch.at("home/notes.txt")
    );
}

#[test]
fn without_a_home_nothing_below_it_is_answered() {
    let scratch = project();
    let homeless = Machine::new(crate::locations::Whereabouts {
        home: None,
        ..whereabouts(&scratch.root)
    });
    let questions = [
        Question::Path {
            path: "\0/x".to_owned(),
            no_follow: false,
        },
        Question::Names {
            pattern: pattern("~/*"),
            parted: false,
        },
        Question::Below {
            path: "\0".to_owned(),
            search: EVERYTHING,
            only: Vec::new(),
        },
        Question::Path {
            path: "x".to_owned(),
            no_follow: false,
        },
    ];
    let facts = homeless.answer(&scratch.at("ws"), &scratch.at("ws"), &questions);
    assert_eq!(
        facts
            .answers
            .iter()
            .map(Option::is_some)
            .collect::<Vec<_>>(),
        [false, false, false, true]
    );
}
