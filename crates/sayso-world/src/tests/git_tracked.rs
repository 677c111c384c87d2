//! Secrets that git tracks, where a command shows what is in files without naming them.

use sayso_core::analysis::fact::{BelowFact, Fact, Question, Reach};

use super::Scratch;
use super::git_danger::repository;

fn tracked(scratch: &Scratch, folder: &str, reach: Reach) -> BelowFact {
    let folder = folder.to_owned();
    match scratch.one(Question::Tracked { folder, reach }) {
        Some(Fact::Below(fact)) => fact,
        other => panic!("{other:?}"),
    }
}

/// The names below the workspace that are found.
fn names(scratch: &Scratch, folder: &str, reach: Reach) -> Vec<String> {
    let fact = tracked(scratch, folder, reach);
    assert!(fact.tracked && !fact.incomplete);
    let start = format!("{}/", scratch.at("ws"));
    let name = |path: &String| path.strip_prefix(&start).unwrap_or(path).to_owned();
    fact.secrets.iter().map(name).collect()
}

fn whole() -> Reach {
    Reach {
        whole: true,
        ..Reach::default()
    }
}

fn with_secrets() -> Scratch {
    let scratch = repository();
    for name in ["deploy/.env", "src/a.rs", "server.key"] {
        scratch.file(&format!("ws/{name}"), "x\n");
    }
    scratch.run_git(&["add", "-f", "."], b"");
    scratch.file("ws/id_rsa", "not tracked");
    scratch
}

#[test]
fn j_08_a_secret_counts_where_git_tracks_it_and_the_words_reach_it() {
    let scratch = with_secrets();
    assert_eq!(names(&scratch, ".", whole()), ["deploy/.env", "server.key"]);
    assert_eq!(
        names(&scratch, "src", whole()),
        ["deploy/.env", "server.key"]
    );
    let here = Reach {
        here: true,
        ..whole()
    };
    assert!(names(&scratch, "src", here.clone()).is_empty());
    assert_eq!(names(&scratch, "deploy", here), ["deploy/.env"]);
    let paths = |paths: &[&str]| Reach {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Reach::default()
    };
    assert_eq!(names(&scratch, ".", paths(&["deploy"])), ["deploy/.env"]);
    assert_eq!(names(&scratch, ".", paths(&["DEPLOY"])), ["deploy/.env"]);
    assert_eq!(
        names(&scratch, "src", paths(&["../deploy"])),
        ["deploy/.env"]
    );
    assert_eq!(names(&scratch, "src", paths(&["/deploy"])), ["deploy/.env"]);
    assert_eq!(
        names(&scratch, ".", paths(&["src", "server.key"])),
        ["server.key"]
    );
    assert!(names(&scratch, ".", paths(&["deploy/.en", "src"])).is_empty());
    assert!(names(&scratch, ".", Reach::default()).is_empty());
    let words = |words: &[&str]| Reach {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        ..whole()
    };
    assert!(names(&scratch, ".", words(&["HEAD", "src"])).is_empty());
    assert_eq!(
        names(&scratch, ".", words(&["HEAD"])).len(),
        2,
        "a name of a revision binds nothing"
    );
}

#[test]
fn j_08_a_plain_diff_shows_only_what_is_not_as_the_index_says() {
    let scratch = with_secrets();
    let changed = |words: &[&str]| Reach {
        changed: true,
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        ..whole()
    };
    // The index is written later than the files.
    std::thread::sleep(std::time::Duration::from_millis(20));
    scratch.file("ws/new.rs", "x");
    std::thread::sleep(std::time::Duration::from_millis(20));
    scratch.run_git(&["add", "new.rs"], b"");
    assert!(names(&scratch, ".", changed(&[])).is_empty());
    assert_eq!(names(&scratch, ".", changed(&["HEAD"])).len(), 2);
    assert!(names(&scratch, ".", changed(&["deploy"])).is_empty());
    scratch.file("ws/deploy/.env", "x\ny\n");
    assert_eq!(names(&scratch, ".", changed(&[])), ["deploy/.env"]);
    std::fs::remove_file(scratch.at("ws/server.key")).unwrap();
    assert_eq!(
        names(&scratch, ".", changed(&[])).len(),
        2,
        "a file that is gone is shown, too"
    );
}

#[test]
fn j_08_an_index_that_cannot_be_read_may_track_secrets() {
    let scratch = with_secrets();
    scratch.file("ws/.git/index", "DIRC what is this");
    assert!(tracked(&scratch, ".", whole()).incomplete);
    std::fs::remove_file(scratch.at("ws/.git/index")).unwrap();
    assert_eq!(names(&scratch, ".", whole()), Vec::<String>::new());
}
