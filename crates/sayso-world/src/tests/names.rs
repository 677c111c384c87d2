//! Patterns of names, paths below the home, and searches that read what git ignores, on real files.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::time::Instant;

use sayso_core::analysis::fact::{BelowFact, Fact, NamesFact, PathKind, Question, Search, Shows};

use super::git_danger::repository;
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
    fn names(&self, written: &str) -> NamesFact {
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

    fn below(&self, path: &str, search: Search) -> BelowFact {
        self.below_only(path, search, &[])
    }

    fn below_only(&self, path: &str, search: Search, only: &[&str]) -> BelowFact {
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

const EVERYTHING: Search = Search {
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

#[test]
fn a_search_tells_what_git_ignores_but_not_what_tools_made() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    scratch.file(
        "ws/.gitignore",
        "local.cfg\nnotes/\ndist/\ntarget/\n*.pyc\n",
    );
    for file in [
        "local.cfg",
        "dist/app.js",
        "target/x",
        "src/a.rs",
        "src/__pycache__/a.pyc",
        ".git/info/x",
    ] {
        scratch.file(&format!("ws/{file}"), "");
    }
    assert_eq!(
        scratch.below(".", EVERYTHING).private,
        [scratch.at("ws/local.cfg")]
    );
    assert_eq!(scratch.below("src", EVERYTHING), BelowFact::default());
    assert_eq!(
        scratch.below(
            ".",
            Search {
                ignored: false,
                ..EVERYTHING
            }
        ),
        BelowFact::default()
    );
    scratch.file("ws/notes/deep/today.txt", "");
    assert_eq!(
        scratch.below("n*", EVERYTHING).private,
        [scratch.at("ws/notes/deep/today.txt")]
    );
    // A file for the search program itself can bring back what git ignores.
    scratch.file("ws/src/local.cfg", "");
    let quiet = Search {
        hidden: false,
        ignored: false,
        ..EVERYTHING
    };
    assert_eq!(scratch.below("src", quiet), BelowFact::default());
    scratch.file("ws/.ignore", "!*");
    assert_eq!(
        scratch.below("src", quiet).private,
        [scratch.at("ws/src/local.cfg")]
    );
}

#[test]
fn a_search_that_follows_links_sees_what_they_lead_to() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    for (file, text) in [
        ("ws/.gitignore", "local.cfg\n"),
        ("ws/conf/local.cfg", ""),
        ("ws/keys/server.pem", ""),
        ("ws/sub/a.rs", ""),
    ] {
        scratch.file(file, text);
    }
    let follow = Search {
        follow: true,
        ..EVERYTHING
    };
    scratch.link("ws/sub/round", ".");
    scratch.link("ws/sub/up", "../sub");
    assert_eq!(scratch.below("sub", follow), BelowFact::default());
    scratch.link("ws/sub/file", "../conf/local.cfg");
    assert_eq!(scratch.below("sub", EVERYTHING), BelowFact::default());
    assert_eq!(
        scratch
            .below(
                "sub",
                Search {
                    words: true,
                    ..EVERYTHING
                }
            )
            .private,
        [scratch.at("ws/conf/local.cfg")]
    );
    scratch.link("ws/sub/keys", "../keys");
    let fact = scratch.below("sub", follow);
    assert_eq!(
        (fact.secrets, fact.private),
        (
            vec![scratch.at("ws/keys/server.pem")],
            vec![scratch.at("ws/conf/local.cfg")]
        )
    );
}

#[test]
fn a_password_in_the_configuration_of_git_is_told() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    assert_eq!(scratch.below(".", EVERYTHING), BelowFact::default());
    scratch.run_git(
        &["remote", "add", "origin", "https://me:x@example.com/a"],
        b"",
    );
    assert_eq!(
        scratch.below(".", EVERYTHING).private,
        [scratch.at("ws/.git/config")]
    );
}

#[test]
fn names_that_are_not_one_word_are_told_where_they_are_handed_on() {
    let scratch = Scratch::new();
    for name in ["plain.rs", "it's", "a b", "-x", "back\\slash"] {
        scratch.file(&format!("ws/sub/{name}"), "");
    }
    let words = Search {
        words: true,
        ..EVERYTHING
    };
    assert_eq!(scratch.below("sub", words).odd.len(), 4);
    assert!(scratch.below("sub", EVERYTHING).odd.is_empty());
    scratch.folder("ws/two words");
    assert_eq!(scratch.below("t*", words).odd, ["two words"]);
    assert!(
        scratch
            .below(".", words)
            .odd
            .contains(&scratch.at("ws/two words"))
    );
}

#[test]
#[ignore = "a measurement, run by hand: prints the time of a search"]
fn time_of_a_search() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    scratch.file(
        "ws/.gitignore",
        &"target/\n*.o\n/build\n*.log\nlocal.*\n".repeat(10),
    );
    for number in 0..5000 {
        scratch.file(
            &format!(
                "ws/crates/c{}/src/m{}/f{number}.rs",
                number % 20,
                number % 100
            ),
            "",
        );
    }
    for search in [
        EVERYTHING,
        Search {
            ignored: false,
            ..EVERYTHING
        },
    ] {
        for _ in 0..3 {
            let start = Instant::now();
            assert_eq!(scratch.below(".", search), BelowFact::default());
            eprintln!("{:?} for {search:?}", start.elapsed());
        }
    }
    let start = Instant::now();
    assert!(scratch.names("**/*.rs").incomplete);
    eprintln!("{:?} for a pattern at any depth", start.elapsed());
}

#[test]
fn a_name_that_git_tracks_and_that_may_become_other_words_counts_without_its_file() {
    // What is tracked; whether it counts where names are parted, and where each is handed on whole; the same for names that end in `.rs`.
    for (name, counts) in [
        ("--files0-from=x", [true, true, false, false]),
        ("sub/-omain.rs", [true, true, true, true]),
        ("-d/a.md", [true, true, true, true]),
        ("a --b", [true, false, false, false]),
        ("a /home/u/.ssh/id_rsa .rs", [true, false, true, false]),
        ("x /etc/y/a.rs", [true, false, true, false]),
        ("q\"x.rs", [true, true, true, true]),
        ("a\nb.rs", [true, true, true, true]),
        ("a-b.rs", [false; 4]),
        ("docs notes.md", [true, false, false, false]),
    ] {
        for format in ["sha1", "sha256"] {
            let scratch = Scratch::new();
            scratch.run_git(&["init", "-q", "--object-format", format, "."], b"");
            scratch.file("ws/src/c.rs", "x");
            scratch.file(&format!("ws/{name}"), "x");
            scratch.run_git(&["add", "-A"], b"");
            std::fs::remove_file(scratch.at(&format!("ws/{name}"))).unwrap();
            let handed_on = |words: bool| Search {
                words,
                whole: !words,
                names: true,
                ..EVERYTHING
            };
            let seen = [
                (true, &[][..]),
                (false, &[]),
                (true, &["*.rs"]),
                (false, &["*.rs"]),
            ]
            .map(|(words, only)| {
                !scratch
                    .below_only("src", handed_on(words), only)
                    .odd
                    .is_empty()
            });
            assert_eq!(seen, counts, "{name:?} {format}");
            assert_eq!(scratch.below("src", EVERYTHING).odd, [""; 0]);
            // Lists of what git tracks have only what is below the folder, and only the start of a name is one of an option.
            let tracked = |words: bool| Search {
                tracked: true,
                ..handed_on(words)
            };
            assert!(
                scratch.below("src", tracked(true)).odd.is_empty()
                    && scratch.below("src", tracked(false)).odd.is_empty(),
                "{name:?}"
            );
            assert_eq!(
                !scratch.below(".", tracked(true)).odd.is_empty(),
                counts[0],
                "{name:?}"
            );
            assert_eq!(
                !scratch.below(".", tracked(false)).odd.is_empty(),
                counts[1] && !name.starts_with("sub/"),
                "{name:?}"
            );
            // An index that says something else than git would read.
            scratch.file("ws/.git/index", "DIRC");
            assert_eq!(scratch.below("src", handed_on(true)).odd.len(), 1, "{name}");
        }
    }
}

#[test]
fn a_search_that_follows_links_is_bound_by_no_pattern_where_one_leads_to_a_folder() {
    let scratch = Scratch::new();
    scratch.file("ws/src/a.rs", "x");
    scratch.file("home/priv/b.rs", "x");
    scratch.link("ws/src/away", "../../home/priv");
    let below = |follow: bool| {
        scratch.below_only(
            "src",
            Search {
                follow,
                ..EVERYTHING
            },
            &["*.rs"],
        )
    };
    assert_eq!(below(true).secrets.len(), 1, "grep -R --include=*.rs");
    assert_eq!(below(false), BelowFact::default(), "grep -r");
}

#[test]
fn names_that_are_handed_on_are_looked_at_in_installed_packages_too() {
    let scratch = Scratch::new();
    scratch.file("ws/a.rs", "x");
    scratch.file("ws/node_modules/p/x\n/b.rs", "x");
    scratch.file("ws/\"\\303\\251.md", "x");
    for words in [true, false] {
        let odd = scratch
            .below_only(
                ".",
                Search {
                    words,
                    whole: !words,
                    names: true,
                    follow: false,
                    ..EVERYTHING
                },
                &["*.rs"],
            )
            .odd;
        assert_eq!(odd.len(), 2, "{odd:?}");
    }
}

#[test]
fn in_a_list_of_git_only_what_it_tracks_is_met() {
    let scratch = repository();
    scratch.file("ws/.gitignore", ".env\nnotes\n");
    for file in [
        "a.rs",
        ".env",
        "notes",
        "odd name",
        "far/.env",
        "keys/.env",
        "sub/.ENV",
    ] {
        scratch.file(&format!("ws/{file}"), "");
    }
    let list = Search {
        follow: true,
        words: true,
        tracked: true,
        ..EVERYTHING
    };
    let met = |path: &str| {
        let fact = scratch.below(path, list);
        let names = |all: Vec<String>| {
            all.iter()
                .map(|one| one.rsplit_once("ws/").unwrap().1.to_owned())
                .collect::<Vec<_>>()
        };
        (names(fact.secrets), names(fact.private), names(fact.odd))
    };
    let nothing = (vec![], vec![], vec![]);
    scratch.run_git(&["add", "a.rs", ".gitignore"], b"");
    assert_eq!(met("."), nothing, "nothing else is in the list");
    assert_eq!(met("keys"), nothing);
    scratch.run_git(&["add", "-f", "keys/.env", "notes"], b"");
    assert_eq!(
        met("."),
        (
            vec!["keys/.env".to_owned()],
            vec!["notes".to_owned(), "keys/.env".to_owned()],
            vec![]
        )
    );
    assert_eq!(met("far"), nothing);
    // Through a link, what is tracked under one name is another file.
    scratch.run_git(&["rm", "-q", "--cached", "keys/.env", "notes"], b"");
    scratch.link("ws/way", "far");
    assert_eq!(met("."), nothing);
    scratch.run_git(&["add", "way"], b"");
    assert_eq!(met(".").0, ["far/.env"]);
    scratch.run_git(&["rm", "-q", "--cached", "way"], b"");
    scratch.run_git(
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,way/x",
        ],
        b"",
    );
    assert_eq!(
        met(".").0,
        ["far/.env"],
        "a folder on the way to what is tracked"
    );
    scratch.run_git(&["update-index", "--force-remove", "way/x"], b"");
    // On some file systems another case is the same file.
    scratch.run_git(
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,sub/.env",
        ],
        b"",
    );
    assert_eq!(met(".").0, ["sub/.ENV"]);
    scratch.file("ws/.git/index", "DIRC");
    assert!(met(".").0.len() > 2, "an index that cannot be read");
}
