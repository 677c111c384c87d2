//! No record, a damaged one, words that are none: a clear answer each time.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{audit, desk, file, out};
use crate::desk::Desk;

#[test]
fn nothing_was_ever_recorded() {
    let desk = Desk::with(&[]);
    for words in [&["list"][..], &["tail"], &["stats"], &["head"], &["index"]] {
        assert_eq!(out(&desk, words), "nothing is recorded yet\n", "{words:?}");
    }
    assert!(out(&desk, &["verify"]).contains("there are no entries"));
    assert_eq!(out(&desk, &["list", "--json"]), "");
    assert_eq!(out(&desk, &["tail", "--json"]), "");
    assert_eq!(out(&desk, &["export", "--format", "jsonl"]), "");
    assert_eq!(
        out(&desk, &["export", "--format", "csv"]).lines().count(),
        1
    );
    assert!(out(&desk, &["export", "--format", "html"]).contains("The record is empty"));
    assert!(out(&desk, &["stats", "--json"]).contains("\"calls\":0"));
    assert!(
        audit(&desk, &["show", "1"])
            .is(2, "nothing")
            .err
            .contains("nothing is recorded yet")
    );
    assert!(
        audit(
            &desk,
            &["verify", "--head", &format!("3:{}", "ab".repeat(32))]
        )
        .is(1, "it is gone")
        .out
        .contains("entry 3")
    );
    assert!(!desk.scene.state().exists(), "asking makes nothing");
}

#[test]
fn a_damaged_line_in_the_middle_hides_nothing_else() {
    let desk = desk();
    out(&desk, &["list"]);
    let text = fs::read_to_string(file(&desk)).unwrap();
    let number = text
        .lines()
        .position(|line| line.contains("\"denied\""))
        .unwrap()
        + 1;
    fs::write(file(&desk), text.replacen("\"denied\"", "\"approvd\"", 1)).unwrap();
    for _ in 0..2 {
        // A line in the middle that was indexed before it was changed is known by `verify`, and by an index that is built after it.
        audit(&desk, &["index"]).is(0, "anew");
        let listed = audit(&desk, &["list"]).is(0, "the rest");
        assert_eq!(listed.out.lines().count(), 4, "{}", listed.out);
        assert!(
            listed.err.contains(&format!("line {number}"))
                && listed.err.contains("not as it was written"),
            "{}",
            listed.err
        );
        assert!(!listed.out.contains("approvd"));
    }
    assert!(
        audit(&desk, &["show", &number.to_string()])
            .is(2, "it")
            .err
            .contains("no entry")
    );
    audit(&desk, &["show", "fix"]).is(0, "the others");
    audit(&desk, &["stats"]).is(0, "the others");
    audit(&desk, &["verify"]).is(1, "it is told");
    let tail = audit(&desk, &["tail", "-n", "50"]).is(0, "the others");
    assert!(
        tail.err.contains("no entry as it was written"),
        "{}",
        tail.err
    );
    let page = audit(&desk, &["export", "--format", "html"]).is(1, "it is told");
    assert!(
        page.out.contains("The chain does not hold")
            && page.out.contains(&format!("line {number}"))
    );
}

#[test]
fn words_that_are_none() {
    let desk = desk();
    for (words, wanted) in [
        (&["list", "--since", "yesterday"][..], "is no time"),
        (&["list", "--until", "2026-02-30"], "is no time"),
        (&["list", "--since", "-1h"], "-1"),
        (&["list", "--outcome", "happy"], "they are auto_approved"),
        (&["list", "--decision", "maybe"], "allow"),
        (&["list", "--limit", "many"], "invalid"),
        (
            &["list", "--kind", "undo", "--all-kinds"],
            "cannot be used with",
        ),
        (&["tail", "-n", "-1"], "-1"),
        (&["export"], "--format"),
        (&["export", "--format", "pdf"], "jsonl"),
        (&["show"], "ID"),
        (&["nothing"], "unrecognized"),
        (&[], "Usage"),
    ] {
        let error = audit(&desk, words).is(2, &words.join(" ")).err;
        assert!(error.contains(wanted), "{words:?}: {error}");
    }
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let desk = desk();
    let state = desk.scene.state();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    for words in [
        &["list"][..],
        &["show", "1"],
        &["tail"],
        &["stats"],
        &["verify"],
        &["head"],
        &["index"],
        &["export", "--format", "csv"],
    ] {
        let error = audit(&desk, words).is(2, &words.join(" ")).err;
        assert!(
            error.starts_with("sayso: ") && error.contains("can be written by others"),
            "{error}"
        );
    }
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    fs::remove_dir_all(state.join("journal")).unwrap();
    fs::write(state.join("journal"), "no folder").unwrap();
    for words in [&["list"][..], &["verify"], &["tail", "-f"]] {
        let error = audit(&desk, words).is(2, &words.join(" ")).err;
        assert!(error.starts_with("sayso: could not open"), "{error}");
    }
}

/// Whoever may do everything may also read everything, so that there is nothing to see for root.
#[test]
fn a_record_that_cannot_be_read_is_an_error() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let desk = desk();
    fs::set_permissions(file(&desk), fs::Permissions::from_mode(0o000)).unwrap();
    for words in [&["list"][..], &["verify"], &["head"], &["tail"]] {
        let error = audit(&desk, words).is(2, &words.join(" ")).err;
        assert!(error.contains("could not open"), "{error}");
    }
}
