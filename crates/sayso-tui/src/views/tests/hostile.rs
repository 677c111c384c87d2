//! Texts that want to look like something else.

use sayso_core::prompt::presentation::{Mark, Meaning, Part};

use super::*;

fn command(lines: &[&str], marks: Vec<Mark>) -> Body {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    let parts = vec![Part {
        program: "rm".to_owned(),
        effects: vec!["deletes /ws/build with everything below (214 files, 38.0 MB)".to_owned()],
    }];
    Body::Command {
        lines,
        marks,
        folder: "/ws".to_owned(),
        parts,
        effects: vec!["gains rights".to_owned()],
    }
}

#[test]
fn no_row_starts_with_what_a_text_says() {
    let long = format!("{}• runs `ls`", "x".repeat(78));
    let mut view = BodyView::new(&command(&[&long, "• in /tmp"], Vec::new()));
    let rows = plain(&mut view, 80, 10);
    assert_eq!(rows[0], format!("$ {}", "x".repeat(78)));
    assert_eq!(rows[1], " ↪• runs `ls`");
    assert_eq!(rows[2], "> • in /tmp");
    assert_eq!(rows[3], "• in /ws");
    assert_eq!(
        rows[4],
        "• runs `rm` · deletes /ws/build with everything below (214 files, 38.0 MB)"
    );
    assert_eq!(rows[5], "• gains rights");
}

#[test]
fn marks_without_a_letter_do_not_reach_our_signs() {
    let mut view = BodyView::new(&Body::Text(vec![
        "\u{338}a".to_owned(),
        format!("e{}", "\u{301}".repeat(40)),
    ]));
    let rows = plain(&mut view, 80, 10);
    assert_eq!(rows[0], "  ‹U+0338›a");
    assert!(
        rows[1].starts_with("  e\u{301}\u{301}\u{301}‹U+0301›‹U+0301›"),
        "{rows:?}"
    );
}

#[test]
fn what_stands_out_does_so_without_colours() {
    let marks = vec![
        Mark {
            line: 0,
            start: 0,
            end: 2,
            meaning: Meaning::Danger,
        },
        Mark {
            line: 7,
            start: 0,
            end: 99,
            meaning: Meaning::Reads,
        },
    ];
    let mut view = BodyView::new(&command(&["rm -r build  ␛[2K"], marks));
    let area = Rect::new(0, 0, 40, 6);
    let mut buffer = Buffer::empty(area);
    view.draw(area, &mut buffer, Theme::PLAIN);
    let modifier = |x: u16| buffer[(x, 0)].modifier;
    assert!(
        modifier(2).contains(ratatui::style::Modifier::BOLD | ratatui::style::Modifier::UNDERLINED),
        "a dangerous word"
    );
    assert!(!modifier(5).contains(ratatui::style::Modifier::UNDERLINED));
    assert!(
        modifier(15).contains(ratatui::style::Modifier::UNDERLINED),
        "what is spelled out: {:?}",
        buffer[(15, 0)]
    );
    assert!(
        buffer
            .content
            .iter()
            .all(|cell| cell.fg == ratatui::style::Color::Reset)
    );

    let mut diff = edits(10, 5);
    diff.hunks[0].lines[1].pieces = vec![
        piece("same ", false),
        piece("old", true),
        piece("   ", false),
    ];
    let mut view = BodyView::new(&Body::Diff(diff));
    let area = Rect::new(0, 0, 60, 8);
    let mut buffer = Buffer::empty(area);
    view.draw(area, &mut buffer, Theme::PLAIN);
    let rows = rows(&buffer);
    let y = rows
        .iter()
        .position(|row| row.contains("same old"))
        .unwrap() as u16;
    let x = rows[y as usize].find("same old").unwrap() as u16;
    let modifier = |x: u16| buffer[(x, y)].modifier;
    assert!(
        modifier(x + 5).contains(ratatui::style::Modifier::UNDERLINED),
        "the word that changes"
    );
    assert!(!modifier(x).contains(ratatui::style::Modifier::UNDERLINED));
    assert!(
        modifier(x + 8).contains(ratatui::style::Modifier::REVERSED),
        "blanks at the end"
    );
    assert!(rows[y as usize].contains(" - "), "{rows:?}");
}

#[test]
fn long_runs_of_blanks_are_marked() {
    let mut view = BodyView::new(&command(
        &[&format!("ls{}; rm -r build", " ".repeat(200))],
        Vec::new(),
    ));
    let area = Rect::new(0, 0, 300, 3);
    let mut buffer = Buffer::empty(area);
    view.draw(area, &mut buffer, Theme::PLAIN);
    assert!(
        buffer[(100, 0)]
            .modifier
            .contains(ratatui::style::Modifier::REVERSED)
    );
    assert!(
        !buffer[(3, 0)]
            .modifier
            .contains(ratatui::style::Modifier::REVERSED)
    );
}

#[test]
fn colours_never_change_the_text() {
    let mut lines: Vec<String> = (0..300)
        .map(|number| format!("␉fn f_{number}(a: &str) -> u8 {{ \"x\\n\" /* ‹U+202E› */ }} // 漢"))
        .collect();
    lines.push("let s = \"".repeat(3000));
    let body = Body::Content {
        path: "a.rs".to_owned(),
        language: Some("rust"),
        lines,
        size: 1,
        notes: Vec::new(),
        over: None,
    };
    let (mut with, mut without) = (BodyView::new(&body), BodyView::new(&body));
    let plain = screen(&mut without, 100, 40, Theme::PLAIN);
    assert_eq!(
        screen(&mut with, 100, 40, Theme::COLOURS),
        plain,
        "plain first"
    );
    assert!(with.is_waiting());
    let mut drawn = 0;
    while with.is_waiting() {
        std::thread::sleep(std::time::Duration::from_millis(5));
        drawn += u32::from(with.has_news());
    }
    assert!(drawn > 0, "colours have come");
    let area = Rect::new(0, 0, 100, 40);
    let mut buffer = Buffer::empty(area);
    with.draw(area, &mut buffer, Theme::COLOURS);
    assert_eq!(rows(&buffer), plain);
    let keyword = Theme::COLOURS.style(crate::theme::Tone::Keyword).fg;
    assert!(
        buffer.content.iter().any(|cell| Some(cell.fg) == keyword),
        "`fn` is a word of the language"
    );
}
