//! Keys move a view and do nothing else.

use super::*;

#[test]
fn it_scrolls_by_rows_and_pages_and_stops_at_both_ends() {
    let mut view = BodyView::new(&content(100));
    assert_eq!(plain(&mut view, 40, 10)[1], "  1 + line 1 of the file");
    assert_eq!(view.status(), "lines 1–9 of 100");
    assert_eq!(view.unseen(), 91);
    press(&mut view, "jjk");
    assert_eq!(plain(&mut view, 40, 10)[0], "  1 + line 1 of the file");
    press(&mut view, " ");
    assert_eq!(plain(&mut view, 40, 10)[0], "  9 + line 9 of the file");
    press(&mut view, "G");
    assert_eq!(plain(&mut view, 40, 10)[9], "100 + line 100 of the file");
    assert_eq!(view.status(), "lines 91–100 of 100");
    press(&mut view, "j ");
    assert_eq!(plain(&mut view, 40, 10)[9], "100 + line 100 of the file");
    press(&mut view, "b");
    assert_eq!(plain(&mut view, 40, 10)[0], " 83 + line 83 of the file");
    press(&mut view, "gbk");
    assert_eq!(plain(&mut view, 40, 10)[0], "▸ new file notes.txt (1 byte)");
    assert!(
        !view.key(&Key::Char('y')) && !view.key(&Key::Enter) && !view.key(&Key::Esc),
        "keys of others stay theirs"
    );
    assert_eq!(
        view.unseen(),
        100 - 18 - 18,
        "what was passed over by a jump was not seen: {}",
        view.status()
    );
}

#[test]
fn it_goes_from_place_to_place_and_unfolds_what_is_between() {
    let mut view = BodyView::new(&Body::Diff(edits(100, 20)));
    let rows = plain(&mut view, 60, 12);
    assert_eq!(rows[0], "▸ src/main.rs  +5 -5");
    assert_eq!(rows[1], "⋯ 18 lines stay the same, 1 to 18 (z shows them)");
    assert_eq!(rows[2], "  @@ -19,3 +19,3 @@");
    assert_eq!(rows[3], " 19  19       let same_19 = 19;");
    assert_eq!(rows[4], " 20     -     let old_20 = compute(20, \"text\");");
    assert_eq!(rows[5], "     20 +     let new_20 = compute(20, \"text\");");
    assert_eq!(view.status(), "lines 1–7 of 20, hunk 1 of 5");
    press(&mut view, "]");
    assert_eq!(plain(&mut view, 60, 12)[0], "  @@ -19,3 +19,3 @@");
    press(&mut view, "]");
    assert_eq!(plain(&mut view, 60, 12)[0], "  @@ -39,3 +39,3 @@");
    assert_eq!(view.status(), "lines 5–12 of 20, hunk 2 of 5");
    press(&mut view, "]]]]");
    assert!(
        plain(&mut view, 60, 12)
            .iter()
            .any(|row| row.contains("new_100"))
    );
    press(&mut view, "[[[[");
    assert_eq!(plain(&mut view, 60, 12)[0], "  @@ -19,3 +19,3 @@");
    let unseen = view.unseen();
    press(&mut view, "gz");
    let rows = plain(&mut view, 60, 12);
    assert_eq!(rows[1], "  1   1       between 1");
    assert_eq!(view.unseen(), unseen, "what stays the same does not count");
    press(&mut view, "z");
    assert_eq!(
        plain(&mut view, 60, 12)[1],
        "⋯ 18 lines stay the same, 1 to 18 (z shows them)"
    );
    press(&mut view, "Z");
    assert_eq!(view.height(60), 1 + 5 * 5 + 18 + 4 * 17 + 1, "everything");
    press(&mut view, "Z");
    assert_eq!(view.height(60), 1 + 5 * 5 + 5 + 1);
}

#[test]
fn a_part_that_nobody_has_stays_folded() {
    let mut diff = edits(40, 20);
    diff.hunks[0].before.clear();
    let mut view = BodyView::new(&Body::Diff(diff));
    assert_eq!(
        plain(&mut view, 60, 12)[1],
        "⋯ 18 lines stay the same, 1 to 18"
    );
    press(&mut view, "Z");
    assert_eq!(
        plain(&mut view, 60, 12)[1],
        "⋯ 18 lines stay the same, 1 to 18"
    );
}

#[test]
fn z_49_it_is_side_by_side_where_there_is_room_and_when_it_is_wanted() {
    let mut view = BodyView::new(&Body::Diff(edits(40, 20)));
    assert!(
        !plain(&mut view, 119, 12)
            .iter()
            .any(|row| row.contains('│'))
    );
    let wide = plain(&mut view, 120, 12);
    assert_eq!(
        wide[4],
        "20 -     let old_20 = compute(20, \"text\");                 │20 +     let new_20 = compute(20, \"text\");"
    );
    assert_eq!(view.unseen(), 0, "{wide:#?}");
    press(&mut view, "s");
    assert!(
        !plain(&mut view, 120, 12)
            .iter()
            .any(|row| row.contains('│'))
    );
    press(&mut view, "s");
    assert!(
        plain(&mut view, 80, 12).iter().any(|row| row.contains('│')),
        "as it was wanted"
    );
    assert!(
        !plain(&mut view, 50, 12).iter().any(|row| row.contains('│')),
        "but not where there is no room at all"
    );
}

#[test]
fn a_search_takes_every_key_until_it_is_over() {
    let mut view = BodyView::new(&content(300));
    let _ = plain(&mut view, 40, 10);
    press(&mut view, "/line 2yaqn");
    assert!(view.is_typing());
    assert_eq!(view.status(), "/line 2yaqn");
    for key in [
        Key::Backspace,
        Key::Backspace,
        Key::Backspace,
        Key::Backspace,
        Key::Tab,
        Key::PageDown,
        Key::Other,
    ] {
        assert!(view.key(&key), "{key:?}");
    }
    press(&mut view, "22\n");
    assert!(!view.is_typing());
    let rows = plain(&mut view, 40, 10);
    assert!(
        rows.iter().any(|row| row.contains("line 222 of")),
        "{rows:?}"
    );
    press(&mut view, "/LINE 1\n");
    let rows = plain(&mut view, 40, 10);
    assert!(
        rows.iter().any(|row| row.contains("line 222 of"))
            && view.status().ends_with("· `LINE 1` is not found"),
        "{}",
        view.status()
    );
    press(&mut view, "/line 29\nn");
    assert!(
        plain(&mut view, 40, 10)
            .iter()
            .any(|row| row.contains("line 290 of"))
    );
    press(&mut view, "NN");
    assert!(
        plain(&mut view, 40, 10)
            .iter()
            .any(|row| row.contains("line 29 of"))
    );
    press(&mut view, "/x");
    assert!(view.key(&Key::Esc) && !view.is_typing());
    press(&mut view, "/");
    assert!(
        view.key(&Key::Paste("of the\nfile".to_owned())) && view.is_typing(),
        "a paste ends nothing"
    );
    assert_eq!(view.status(), "/of thefile");
}

#[test]
fn what_is_found_stands_out() {
    let mut view = BodyView::new(&content(20));
    let _ = plain(&mut view, 40, 10);
    press(&mut view, "/the\n");
    let area = Rect::new(0, 0, 40, 10);
    let mut buffer = Buffer::empty(area);
    view.draw(area, &mut buffer, Theme::PLAIN);
    let reversed = buffer
        .content
        .iter()
        .filter(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED))
        .count();
    assert_eq!(reversed, 9 * 3);
    let here = buffer.content.iter().filter(|cell| {
        cell.modifier
            .contains(ratatui::style::Modifier::REVERSED | ratatui::style::Modifier::BOLD)
    });
    assert_eq!(here.count(), 3);
}

#[test]
fn what_was_at_the_top_stays_there_when_the_size_changes() {
    let lines: Vec<String> = (0..200)
        .map(|number| format!("{number} {}", "word ".repeat(30)))
        .collect();
    let mut view = BodyView::new(&Body::Text(lines));
    let _ = plain(&mut view, 100, 10);
    press(&mut view, "      ");
    let before = plain(&mut view, 100, 10)[0].clone();
    let _ = plain(&mut view, 30, 10);
    let _ = plain(&mut view, 200, 50);
    assert_eq!(
        plain(&mut view, 100, 10)[0].split(' ').nth(2),
        before.split(' ').nth(2)
    );
}

#[test]
fn heights_are_those_of_the_screen() {
    let body = Body::Text(vec!["x".repeat(100), String::new(), "one two".to_owned()]);
    let view = BodyView::new(&body);
    assert_eq!(view.height(102), 3);
    assert_eq!(view.height(52), 4);
    assert_eq!(view.height(12), 12);
    assert_eq!(BodyView::new(&content(100_000)).height(80), 100_001);
    assert_eq!(BodyView::new(&Body::Text(Vec::new())).height(80), 0);
}
