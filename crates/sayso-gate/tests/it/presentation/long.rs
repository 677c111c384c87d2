//! Long bodies are cut to a screen; all of it stays within reach, and what is not on the screen is told.

use sayso_core::prompt::presentation::Body;

use super::{call, rows, setup, show, warned};
use crate::bench::Setup;

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn u_07_fifty_lines_are_shown_and_the_rest_is_counted() {
    let shown = show(
        &setup(),
        call(
            "file_create",
            &[("path", "a.txt"), ("content", &numbered(120))],
        ),
    );
    let Body::Content { lines, size, .. } = &shown.body else {
        panic!("{shown:#?}")
    };
    assert_eq!((lines.len(), shown.hidden_lines, *size), (50, 70, 972));
    let Body::Content { lines, .. } = shown.whole() else {
        panic!("{shown:#?}")
    };
    assert_eq!((lines.len(), lines[119].as_str()), (120, "line 120"));

    let shown = show(
        &setup(),
        call(
            "file_create",
            &[("path", "a.txt"), ("content", &numbered(50))],
        ),
    );
    assert_eq!((shown.hidden_lines, &shown.full), (0, &None));
    let short = Setup::with("sayso", "truncate_lines: 3");
    let shown = show(
        &short,
        call(
            "file_create",
            &[("path", "a.txt"), ("content", &numbered(10))],
        ),
    );
    assert_eq!(shown.hidden_lines, 7);
}

#[test]
fn u_07_two_thousand_characters_are_enough_for_a_screen() {
    let shown = show(
        &setup(),
        call(
            "file_create",
            &[
                ("path", "a.txt"),
                ("content", &format!("{}\nb\n", "ü".repeat(5000))),
            ],
        ),
    );
    let Body::Content { lines, .. } = &shown.body else {
        panic!("{shown:#?}")
    };
    assert_eq!(
        lines,
        &[format!("{}… [3000 more characters]", "ü".repeat(2000))]
    );
    assert_eq!(shown.hidden_lines, 2, "a line that is cut is not seen");
    assert!(
        matches!(shown.whole(), Body::Content { lines, .. } if lines.len() == 2 && lines[0].chars().count() == 5000)
    );
}

#[test]
fn a_long_diff_is_cut_inside_of_a_hunk() {
    let mut setup = setup();
    setup.world.with("/ws/a.py", numbered(100));
    let shown = show(
        &setup,
        call(
            "file_write",
            &[
                ("path", "a.py"),
                ("content", &numbered(100).replace("line", "row")),
            ],
        ),
    );
    let Body::Diff(diff) = &shown.body else {
        panic!("{shown:#?}")
    };
    assert_eq!(
        diff.hunks
            .iter()
            .map(|hunk| hunk.lines.len())
            .sum::<usize>(),
        50
    );
    assert_eq!(
        (diff.added, diff.removed, shown.hidden_lines),
        (100, 100, 150)
    );
    assert_eq!(super::diff_of(&shown).hunks[0].lines.len(), 200);
}

#[test]
fn names_and_values_are_cut_too() {
    let shown = show(
        &setup(),
        call(
            "my_tool",
            &[("a", "x"), ("b", &"y".repeat(10_000)), ("c", "z")],
        ),
    );
    let Body::Structured(short) = &shown.body else {
        panic!("{shown:#?}")
    };
    assert_eq!((short.len(), shown.hidden_lines), (3, 2));
    assert!(short[2].1.ends_with("more characters]"));
    assert_eq!(rows(&shown).len(), 4);
    assert_eq!(rows(&shown)[2].1.len(), 10_002);
    let name = "n".repeat(5000);
    let shown = show(&setup(), call("my_tool", &[(&name, "x")]));
    assert_eq!(shown.hidden_lines, 1, "a long name is no way around");
    assert_eq!(rows(&shown)[1].0, name);
}

#[test]
fn z_50_high_risk_with_an_unseen_part_is_told() {
    let shown = show(
        &setup(),
        call(
            "file_create",
            &[("path", "/etc/profile.d/a.sh"), ("content", &numbered(60))],
        ),
    );
    assert!(
        warned(&shown, "10 lines are not on the screen"),
        "{:#?}",
        shown.warnings
    );
    let shown = show(
        &setup(),
        call(
            "file_create",
            &[("path", "a.txt"), ("content", &numbered(60))],
        ),
    );
    assert!(!warned(&shown, "not on the screen"));
}

#[test]
fn what_nobody_can_look_at_is_not_asked_about() {
    let error = super::try_show(
        &setup(),
        call(
            "file_create",
            &[("path", "a.txt"), ("content", &"\n".repeat(600_000))],
        ),
    )
    .unwrap_err();
    assert!(error.contains("600000 lines"), "{error}");
}
