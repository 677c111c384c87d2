//! Searches through everything below a folder: what git ignores, what links lead to, and names that become other words.

use std::time::Instant;

use sayso_core::analysis::fact::{BelowFact, Search};

use super::Scratch;
use super::file_patterns::EVERYTHING;
use super::git_danger::repository;

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
