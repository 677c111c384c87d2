//! Changes of files that are there: hunks, numbers, emphasis, both views, and bounded time.

use proptest::prelude::*;
use sayso_core::prompt::presentation::{Body, Change, Diff, DiffLine};
use sayso_gate::presentation::diff::diff;
use sayso_gate::presentation::views::{side_by_side, unified};

use super::{call, diff_of, setup, short, show, value, warned};

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

#[test]
fn a_write_over_a_file_is_a_diff_with_numbers_and_context() {
    let mut setup = setup();
    setup.world.with("/ws/src/main.rs", OLD);
    let new = OLD
        .replace("two\n", "2\n")
        .replace("nine\n", "nine\nnine and a half\n");
    for tool in ["file_write", "file_create_overwrite"] {
        let shown = show(
            &setup,
            call(tool, &[("path", "src/main.rs"), ("content", &new)]),
        );
        let diff = diff_of(&shown);
        assert_eq!(
            (diff.path.as_str(), diff.language, diff.added, diff.removed),
            ("src/main.rs", Some("rust"), 2, 1)
        );
        assert_eq!(
            short(diff),
            [
                " 1:one",
                "-2:two",
                "+2:2",
                " 3:three",
                " 4:four",
                " 5:five",
                " 7:seven",
                " 8:eight",
                " 9:nine",
                "+10:nine and a half",
                " 11:ten"
            ],
            "{tool}"
        );
        assert_eq!(
            diff.hunks
                .iter()
                .map(|hunk| (hunk.old_start, hunk.new_start))
                .collect::<Vec<_>>(),
            [(1, 1), (7, 7)]
        );
        assert_eq!(value(&shown.details, "target"), "exists, 49 bytes");
        assert_eq!(value(&shown.details, "target, in full"), "/ws/src/main.rs");
        assert_eq!(
            value(&shown.details, "undo"),
            "`sayso undo` cannot take it back: sayso does not run it and makes no backup."
        );
        assert_eq!(shown.hidden_lines, 0);
    }
}

#[test]
fn words_that_differ_are_marked() {
    let diff = diff("a.txt", "let a = old(1);\n", "let a = new(1);\n").unwrap();
    let marked: Vec<Vec<(&str, bool)>> = diff.hunks[0]
        .lines
        .iter()
        .map(|line| {
            line.pieces
                .iter()
                .map(|piece| (piece.text.as_str(), piece.emphasised))
                .collect()
        })
        .collect();
    assert_eq!(
        marked,
        [
            [("let a = ", false), ("old(1);", true)],
            [("let a = ", false), ("new(1);", true)]
        ]
    );
}

#[test]
fn the_two_views() {
    let diff = diff("a.txt", "a\nb\nc\nd\n", "a\nB\nB2\nc\n").unwrap();
    assert_eq!(
        unified(&diff),
        ["@@ -1,4 +1,4 @@", " a", "-b", "+B", "+B2", " c", "-d"]
    );
    let text = |line: &Option<DiffLine>| line.as_ref().map(DiffLine::text);
    let sides: Vec<_> = side_by_side(&diff)
        .iter()
        .map(|(old, new)| (text(old), text(new)))
        .collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        sides,
        [
            (some("a"), some("a")),
            (some("b"), some("B")),
            (None, some("B2")),
            (some("c"), some("c")),
            (some("d"), None)
        ]
    );
    let all_new = super::diffs::diff("a.txt", "", "x\ny\n").unwrap();
    assert_eq!(unified(&all_new), ["@@ -0,0 +1,2 @@", "+x", "+y"]);
}

#[test]
fn the_end_of_the_file_and_its_line_breaks_are_told() {
    let mut setup = setup();
    setup
        .world
        .with("/ws/a.py", "x\n")
        .with("/ws/dos.py", "a\r\nb\r\n");
    let shown = show(&setup, call("write", &[("path", "a.py"), ("content", "x")]));
    assert_eq!(short(diff_of(&shown)), ["-1:x", "+1:x"]);
    assert_eq!(
        diff_of(&shown).notes,
        ["the new content has no line break at its end"]
    );

    let shown = show(
        &setup,
        call("write", &[("path", "dos.py"), ("content", "a\nb\n")]),
    );
    assert!(warned(&shown, "line breaks of the whole file"));
    assert_eq!(
        short(diff_of(&shown)),
        ["-1:a␍", "-2:b␍", "+1:a", "+2:b"],
        "a change of the break is seen"
    );
    let shown = show(
        &setup,
        call("write", &[("path", "dos.py"), ("content", "a\r\nc\r\n")]),
    );
    assert_eq!(short(diff_of(&shown)), [" 1:a", "-2:b", "+2:c"]);
    assert!(!warned(&shown, "invisible"), "{:#?}", shown.warnings);
    assert_eq!(diff_of(&shown).notes, ["line breaks: CR LF, as on Windows"]);
    setup.world.executable("/ws/a.py");
    let shown = show(
        &setup,
        call("write", &[("path", "a.py"), ("content", "y\n")]),
    );
    assert_eq!(
        diff_of(&shown).notes,
        ["the file can be executed: it is a program or a script"]
    );

    let shown = show(
        &setup,
        call("write", &[("path", "a.py"), ("content", "x\n")]),
    );
    assert!(warned(&shown, "changes nothing"));
}

#[test]
fn what_stays_between_the_changed_places_is_there_to_be_unfolded() {
    let line = |index: usize| {
        if index.is_multiple_of(7) {
            format!("\tline {index}\u{202e}")
        } else {
            format!("line {index}")
        }
    };
    for (count, changed) in [
        (100, vec![30, 60]),
        (100, vec![0]),
        (100, vec![99]),
        (10, vec![5]),
        (30_000, vec![7]),
    ] {
        let text = |new: bool| -> String {
            (0..count)
                .map(|index| {
                    if new && changed.contains(&index) {
                        "x\n".to_owned()
                    } else {
                        format!("{}\n", line(index))
                    }
                })
                .collect()
        };
        let diff = super::diffs::diff("a.txt", &text(false), &text(true)).unwrap();
        let mut whole: Vec<String> = Vec::new();
        for hunk in &diff.hunks {
            whole.extend(hunk.before.iter().cloned());
            whole.extend(
                hunk.lines
                    .iter()
                    .filter(|line| line.change != Change::Removed)
                    .map(DiffLine::text),
            );
        }
        whole.extend(diff.rest.iter().cloned());
        if count > 20_000 {
            assert!(
                diff.rest.is_empty() && diff.hunks[0].before.is_empty(),
                "that many are not kept"
            );
            continue;
        }
        let shown: Vec<String> = text(true)
            .lines()
            .map(|line| sayso_core::text::visible::visible(line).into_owned())
            .collect();
        assert_eq!(whole, shown, "{changed:?}");
        let short = show(
            &setup(),
            call("write", &[("path", "README.md"), ("content", &text(true))]),
        );
        if let Body::Diff(cut) = &short.body {
            assert!(short.full.is_none() || cut.rest.is_empty());
        }
    }
}

#[test]
fn two_hostile_files_take_bounded_time() {
    let size = 16 * 1024 * 1024;
    // Nearly random short lines, lines that all are alike, and one line of all.
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 59
    };
    let lines: String = (0..180_000).map(|_| format!("{}\n", random())).collect();
    let other: String = (0..180_000).map(|_| format!("{}\n", random())).collect();
    let tall_old = "a\n".repeat(size / 2);
    let tall_new = "b\n".repeat(size / 2 - 1) + "a\n";
    let wide_old = "a ".repeat(size / 2);
    let wide_new = "b ".repeat(size / 2);
    for (old, new, shown) in [
        (&lines, &other, true),
        (&tall_old, &tall_new, false),
        (&wide_old, &wide_new, true),
    ] {
        let result = diff("a.txt", old, new);
        assert_eq!(
            result.is_ok(),
            shown,
            "what nobody can look at is not asked about"
        );
    }
    let edited = tall_old.replacen("a\n", "x\n", 1);
    assert_eq!(
        short(&diff("a.txt", &tall_old, &edited).unwrap()),
        ["-1:a", "+1:x", " 2:a", " 3:a", " 4:a"]
    );
}

/// Puts the old and the new text together again from a diff and the old text.
fn apply(old: &str, diff: &Diff) -> (Vec<String>, Vec<String>) {
    let old: Vec<&str> = old.lines().collect();
    let (mut before, mut after, mut at) = (Vec::new(), Vec::new(), 0);
    for hunk in &diff.hunks {
        while at + 1 < hunk.old_start {
            before.push(old[at].to_owned());
            after.push(old[at].to_owned());
            at += 1;
        }
        for line in &hunk.lines {
            if line.change != Change::Added {
                before.push(line.text());
                at += 1;
                assert_eq!(line.old, Some(before.len()));
            }
            if line.change != Change::Removed {
                after.push(line.text());
                assert_eq!(line.new, Some(after.len()));
            }
        }
    }
    for rest in &old[at..] {
        before.push((*rest).to_owned());
        after.push((*rest).to_owned());
    }
    (before, after)
}

proptest! {
    #[test]
    fn a_diff_is_the_change_and_nothing_else(
        old in prop::collection::vec("[a-c ]{0,4}", 0..30),
        new in prop::collection::vec("[a-c ]{0,4}", 0..30),
    ) {
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (old_text, new_text) = (text(&old), text(&new));
        let diff = diff("a", &old_text, &new_text).unwrap();
        prop_assert_eq!(apply(&old_text, &diff), (old, new));
        let count = |change| diff.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.change == change).count();
        prop_assert_eq!((count(Change::Added), count(Change::Removed)), (diff.added, diff.removed));
        let sides = side_by_side(&diff);
        let left: Vec<&DiffLine> = sides.iter().filter_map(|(old, _)| old.as_ref()).collect();
        let right: Vec<&DiffLine> = sides.iter().filter_map(|(_, new)| new.as_ref()).collect();
        let lines = || diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        prop_assert_eq!(left, lines().filter(|line| line.change != Change::Added).collect::<Vec<_>>());
        prop_assert_eq!(right, lines().filter(|line| line.change != Change::Removed).collect::<Vec<_>>());
        prop_assert_eq!(unified(&diff).len(), lines().count() + diff.hunks.len());
    }
}
