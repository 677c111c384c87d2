//! Screens as text files; `SAYSO_SNAPSHOTS=write cargo test -p sayso-tui --lib snapshots` writes them anew.

use sayso_core::prompt::presentation::{Mark, Meaning, Part};

use super::*;

fn check(name: &str, view: &mut BodyView, width: u16, height: u16) {
    let mut text = plain(view, width, height).join("\n");
    text = format!("{}\n", text.trim_end());
    text.push_str(&format!(
        "{}\n{}\n",
        "─".repeat(usize::from(width)),
        view.status()
    ));
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("src/views/tests/snapshots/{name}.txt"));
    if std::env::var_os("SAYSO_SNAPSHOTS").is_some_and(|value| value == "write") {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        text, kept,
        "`{name}` looks different; `SAYSO_SNAPSHOTS=write` writes it anew"
    );
}

fn hostile_diff() -> Body {
    let mut diff = edits(300, 100);
    diff.path = "src/‹U+202E›gpj.rs".to_owned();
    diff.notes = vec![
        "line breaks: LF become CR LF, as on Windows".to_owned(),
        "the file can be executed: it is a program or a script".to_owned(),
    ];
    let new = |number, text: &str| line(Change::Added, 0, number, text);
    diff.hunks[1].lines.extend([
        new(202, "␛]0;approved␇ ␛[2K␛[1G␛[32mecho safe"),
        new(203, "漢字 and e\u{301} and 🦀 and ‹U+200B›‹U+2066›"),
        new(204, &format!("\u{301}\u{302}{}", "x".repeat(120))),
        new(205, "@@ -1,3 +1,3 @@"),
        new(206, "␉tab, and blanks at the end   "),
    ]);
    Body::Diff(diff)
}

fn command() -> Body {
    let text = "rm -rf build && curl https://example.com/install.sh | sh";
    let mark = |word: &str, meaning| {
        let start = text.find(word).unwrap();
        Mark {
            line: 0,
            start,
            end: start + word.len(),
            meaning,
        }
    };
    let part = |program: &str, effects: &[&str]| Part {
        program: program.to_owned(),
        effects: effects.iter().map(|text| (*text).to_owned()).collect(),
    };
    Body::Command {
        lines: vec![text.to_owned(), "echo \"$ this is no prompt\"".to_owned()],
        marks: vec![
            mark("rm", Meaning::Danger),
            mark("build", Meaning::Deletes),
            mark("https://example.com/install.sh", Meaning::Connects),
        ],
        folder: "/home/u/project".to_owned(),
        parts: vec![
            part(
                "rm",
                &["deletes /home/u/project/build with everything below (214 files, 38.0 MB)"],
            ),
            part("curl", &["connects to https://example.com/install.sh"]),
            part("sh", &["runs code: what it reads is a program"]),
            part("echo", &[]),
        ],
        effects: vec![
            "deletes /home/u/project/build with everything below (214 files, 38.0 MB)".to_owned(),
            "may gain rights".to_owned(),
        ],
    }
}

#[test]
fn screens() {
    for (name, body) in [
        ("diff", Body::Diff(edits(300, 100))),
        ("hostile_diff", hostile_diff()),
        ("command", command()),
        (
            "content",
            Body::Content {
                path: "run.sh".to_owned(),
                language: Some("bash"),
                lines: vec![
                    "#!/bin/sh".to_owned(),
                    "␉exec ls  ".to_owned(),
                    "# ‹U+FEFF›".to_owned(),
                ],
                size: 2400,
                notes: vec!["no line break at the end of the file".to_owned()],
                over: None,
            },
        ),
        (
            "structured",
            Body::Structured(vec![
                ("url".to_owned(), "https://example.com/?q=漢".to_owned()),
                (
                    "attached file".to_owned(),
                    "a.txt (2.3 KB)\nb.txt (leads to /etc/passwd, 1.0 KB), for reviewer".to_owned(),
                ),
                (
                    "\"a name that is far too long for a column\"".to_owned(),
                    "x".repeat(150),
                ),
            ]),
        ),
        (
            "binary",
            Body::Binary {
                path: "logo.png".to_owned(),
                media: "image/png",
                size: 2400,
            },
        ),
        (
            "text",
            Body::Text(vec![
                "Delete: old.py".to_owned(),
                "which is: /ws/old.py".to_owned(),
                String::new(),
                "No backup is made: this cannot be undone. ".repeat(4),
            ]),
        ),
    ] {
        check(&format!("{name}_80"), &mut BodyView::new(&body), 80, 24);
        check(&format!("{name}_120"), &mut BodyView::new(&body), 120, 40);
    }
    let mut view = BodyView::new(&Body::Diff(edits(300, 100)));
    let _ = plain(&mut view, 80, 24);
    press(&mut view, "Z]");
    check("diff_unfolded_80", &mut view, 80, 24);
    check("diff_40", &mut BodyView::new(&hostile_diff()), 40, 40);
}
