//! Whatever a body holds: all of it is on some screen, nothing else is, and no size breaks anything.

use proptest::prelude::*;
use sayso_core::prompt::presentation::{Mark, Meaning, Part};
use sayso_core::text::visible::visible;

use super::*;
use crate::cells::steady;
use crate::safe_glyphs::spelled;

/// A text with everything in it that is hard to show, as a presentation has it.
fn text() -> impl Strategy<Value = String> {
    let letter = prop_oneof![
        4 => prop::char::range(' ', '~'),
        1 => any::<char>(),
        1 => prop::sample::select(vec!['\u{301}', '\u{20DD}', '\u{94D}', 'क', '\u{1100}', '\u{1161}', '\u{11A8}', '漢', '🦀', '🇩', '🇪', '👩', '\u{200D}', '\u{FE0F}', '\t', '\r', '\u{1b}', '\u{202E}', '‹', '␛', 'ﾞ', '↪', '│', '\u{E0041}', '\u{AD}', 'ไ', '\u{E33}']),
    ];
    prop_oneof![
        8 => prop::collection::vec(letter.clone(), 0..60).prop_map(|list| list.into_iter().collect::<String>()),
        1 => (letter, 0..9000usize).prop_map(|(letter, count)| std::iter::repeat_n(letter, count).collect()),
        1 => Just("  \u{301}  ".repeat(30)),
    ]
    .prop_map(|text: String| visible(&text).into_owned())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..8)
}

/// What happens to a line, and its pieces.
type Lines = Vec<(Change, Vec<(String, bool)>)>;

fn diff() -> impl Strategy<Value = Diff> {
    let change = prop::sample::select(vec![Change::Same, Change::Removed, Change::Added]);
    let pieces = prop::collection::vec((text(), any::<bool>()), 0..3);
    let lines = prop::collection::vec((change, pieces), 0..8);
    (
        prop::collection::vec((texts(), lines), 0..4),
        texts(),
        texts(),
        text(),
    )
        .prop_map(|(hunks, rest, notes, path)| {
            let (mut old, mut new) = (0, 0);
            let hunk = |(before, lines): (Vec<String>, Lines)| {
                (old, new) = (old + before.len(), new + before.len());
                let (old_start, new_start) = (old + 1, new + 1);
                let line = |(change, pieces): (Change, Vec<(String, bool)>)| {
                    old += usize::from(change != Change::Added);
                    new += usize::from(change != Change::Removed);
                    let pieces = pieces
                        .into_iter()
                        .map(|(text, emphasised)| Piece { text, emphasised })
                        .collect();
                    DiffLine {
                        change,
                        old: (change != Change::Added).then_some(old),
                        new: (change != Change::Removed).then_some(new),
                        pieces,
                    }
                };
                let lines: Vec<DiffLine> = lines.into_iter().map(line).collect();
                Hunk {
                    old_start,
                    new_start,
                    before,
                    lines,
                }
            };
            let hunks: Vec<Hunk> = hunks.into_iter().map(hunk).collect();
            Diff {
                path,
                language: Some("rust"),
                hunks,
                added: 1,
                removed: 2,
                notes,
                rest,
            }
        })
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        texts().prop_map(Body::Text),
        (text(), texts(), texts()).prop_map(|(path, lines, notes)| Body::Content {
            path,
            language: Some("python"),
            lines,
            size: 7,
            notes,
            over: None
        }),
        (texts(), text(), texts(), any::<(usize, usize)>()).prop_map(
            |(lines, folder, effects, (start, end))| {
                let mark = |line| Mark {
                    line,
                    start: start % 9,
                    end: end % 40,
                    meaning: Meaning::Danger,
                };
                let marks = (0..lines.len()).map(mark).collect();
                let parts = effects
                    .iter()
                    .take(2)
                    .map(|text| Part {
                        program: text.clone(),
                        effects: vec![text.clone()],
                    })
                    .collect();
                Body::Command {
                    lines,
                    marks,
                    folder,
                    parts,
                    effects,
                }
            }
        ),
        prop::collection::vec((text(), text()), 0..5).prop_map(Body::Structured),
        text().prop_map(|path| Body::Binary {
            path,
            media: "image/png",
            size: 9
        }),
        diff().prop_map(Body::Diff),
    ]
}

/// The texts of a body in their order, each as a view spells it.
fn expected(body: &Body) -> Vec<String> {
    let mut out: Vec<String> = match body {
        Body::Text(lines) => lines.clone(),
        Body::Content {
            path, lines, notes, ..
        } => [
            &[format!("new file {} (7 bytes, python)", spelled(path))][..],
            notes,
            lines,
        ]
        .concat(),
        Body::Command {
            lines,
            folder,
            parts,
            effects,
            ..
        } => {
            let mut out = lines.clone();
            if !folder.is_empty() {
                out.push(format!("in {}", spelled(folder)));
            }
            out.extend(parts.iter().map(|part| {
                let effects = part
                    .effects
                    .iter()
                    .map(|effect| spelled(effect).into_owned())
                    .collect();
                Part {
                    program: spelled(&part.program).into_owned(),
                    effects,
                }
                .words()
            }));
            out.extend(
                effects
                    .iter()
                    .filter(|effect| !parts.iter().any(|part| part.effects.contains(effect)))
                    .cloned(),
            );
            out
        }
        Body::Structured(rows) => rows
            .iter()
            .flat_map(|(name, value)| [name.clone(), value.clone()])
            .collect(),
        Body::Binary { path, .. } => {
            vec![format!(
                "{}: binary file, image/png (9 bytes)",
                spelled(path)
            )]
        }
        Body::Diff(diff) => {
            let mut out = vec![format!("{}  +1 -2", spelled(&diff.path))];
            out.extend(diff.notes.iter().cloned());
            for hunk in &diff.hunks {
                out.extend(hunk.before.iter().cloned());
                out.push(hunk.heading());
                out.extend(hunk.lines.iter().map(DiffLine::text));
            }
            out.extend(diff.rest.iter().cloned());
            out
        }
    };
    for text in &mut out {
        if let Some(spelled) = steady(text) {
            *text = spelled.text;
        }
    }
    out
}

/// Everything that is on the screen, row by row from the top to the end, behind the numbers and signs.
///
/// Only the first row of a screen is taken each time, and it is scrolled by one row; the last screen is taken whole.
fn collected(view: &mut BodyView, width: u16, height: u16) -> Vec<String> {
    let mut out = Vec::new();
    view.key(&Key::Home);
    let _ = screen(view, width, height, Theme::PLAIN);
    for _ in 0..100_000 {
        let before = view.top;
        let shown = screen(view, width, height, Theme::PLAIN);
        view.key(&Key::Down);
        if view.top == before {
            out.extend(shown);
            return out;
        }
        out.extend(shown.into_iter().next());
    }
    panic!("it never ends");
}

/// The text of rows of one document, by the columns that the rows have.
fn read(view: &BodyView, rows: &[String], width: u16) -> String {
    let mut out = String::new();
    let mut at = 0;
    for row in &view.layout.rows {
        let Row::Full(index) = *row else {
            panic!("{row:?}")
        };
        let line = view.document.lines[index as usize];
        let columns = Columns::full(line.kind, view.document.digits, width);
        for sub in 0..super::super::paint::height(&view.document, *row, width) {
            let shown = rows.get(at).unwrap_or_else(|| panic!("{at} of {rows:#?}"));
            at += 1;
            // Numbers and signs are one cell each.
            let sign = usize::from(columns.sign_at());
            let gutter: String = shown.chars().skip(sign).take(2).collect();
            let first = sub == 0 && !line.continues;
            assert_eq!(gutter.ends_with('↪'), !first, "{shown:?}");
            if line.kind.is_of_file() || first {
                assert!(gutter.starts_with(line.kind.sign()), "{shown:?}");
            }
            let numbers: String = shown.chars().take(sign).collect();
            if first && columns.new > 0 && line.new > 0 {
                assert!(
                    numbers
                        .split(' ')
                        .any(|number| number == line.new.to_string()),
                    "{shown:?}"
                );
            }
            out.extend(shown.chars().skip(usize::from(columns.text_at())));
        }
    }
    assert!(
        rows[at..].iter().all(|row| row.trim().is_empty()),
        "{rows:#?}"
    );
    out
}

use super::super::columns::Columns;
use super::super::layout::Row;

fn without_blanks(text: &str) -> String {
    text.chars().filter(|letter| *letter != ' ').collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn everything_is_on_some_screen_and_nothing_else(body in body(), width in 10u16..130, height in 1u16..30) {
        let mut view = BodyView::new(&body);
        view.wish = Some(false);
        view.toggle_folds();
        let rows = collected(&mut view, width, height);
        let shown = read(&view, &rows, width);
        // Rows are filled up with blanks, so blanks are compared by the cells below.
        prop_assert_eq!(without_blanks(&shown), without_blanks(&expected(&body).concat()));
        prop_assert_eq!(view.unseen(), 0);
    }

    #[test]
    fn blanks_are_kept_too(body in body(), width in 10u16..130) {
        let view = BodyView::new(&body);
        for (index, line) in view.document.lines.iter().enumerate() {
            let columns = Columns::full(line.kind, view.document.digits, width);
            let text = view.document.text_of(line);
            let wrapped = super::super::wrap::Wrapped { line: index as u32, text, ascii: line.ascii, prose: line.kind.is_prose(), width: columns.text };
            let mut whole = String::new();
            for row in 0..wrapped.rows() {
                let piece = &text[view.wraps.row(wrapped, row).unwrap()];
                prop_assert!(crate::fold::width(piece) <= usize::from(columns.text));
                whole.push_str(piece);
            }
            prop_assert_eq!(whole, text);
        }
        let all: String = view.document.lines.iter().filter(|line| line.kind != super::super::document::Kind::Fold).map(|line| view.document.text_of(line)).collect();
        if !matches!(body, Body::Structured(_)) {
            prop_assert_eq!(all, expected(&body).concat());
        }
    }

    #[test]
    fn side_by_side_shows_the_same(diff in diff(), width in 60u16..200, height in 1u16..30) {
        let body = Body::Diff(diff);
        let mut view = BodyView::new(&body);
        view.wish = Some(true);
        view.toggle_folds();
        let rows = collected(&mut view, width, height).concat();
        prop_assert_eq!(view.unseen(), 0, "every line was there");
        // Each letter of the text is on the screen at least as often as in the body.
        let count = |text: &str| {
            let mut counts = std::collections::BTreeMap::<char, usize>::new();
            text.chars().for_each(|letter| *counts.entry(letter).or_default() += 1);
            counts
        };
        let (shown, all) = (count(&rows), count(&expected(&body).concat()));
        for (letter, times) in all.into_iter().filter(|(letter, _)| *letter != ' ') {
            prop_assert!(shown.get(&letter).is_some_and(|shown| *shown >= times), "{:?}", letter);
        }
    }

    #[test]
    fn no_size_and_no_key_breaks_it(body in body(), steps in prop::collection::vec((0u16..140, 0u16..40, 0usize..22), 1..12)) {
        let keys = [Key::Up, Key::Down, Key::PageUp, Key::PageDown, Key::Home, Key::End, Key::Enter, Key::Esc, Key::Backspace, Key::Tab,
            Key::Char('s'), Key::Char('z'), Key::Char('Z'), Key::Char(']'), Key::Char('['), Key::Char('/'), Key::Char('n'), Key::Char('N'),
            Key::Char('a'), Key::Ctrl('d'), Key::Ctrl('u'), Key::Paste("a\nb".to_owned())];
        let mut view = BodyView::new(&body);
        for (width, height, key) in steps {
            let theme = if key % 2 == 0 { Theme::COLOURS } else { Theme::PLAIN };
            let _ = screen(&mut view, width, height, theme);
            view.key(&keys[key]);
            let _ = (view.height(width), view.status(), view.unseen());
            let _ = screen(&mut view, width, height, theme);
        }
        // An area that is not on the screen at all.
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 5));
        view.draw(Rect::new(3, 2, 500, 500), &mut buffer, Theme::PLAIN);
        view.draw(Rect::new(900, 900, 5, 5), &mut buffer, Theme::PLAIN);
    }
}
