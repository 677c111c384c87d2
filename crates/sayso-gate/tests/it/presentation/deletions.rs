//! Deletions name the path, what goes with it, and that nothing is kept.

use sayso_core::prompt::presentation::Body;
use sayso_gate::ports::Tally;

use super::{call, call_json, setup, show, value, warned};

fn lines(body: &Body) -> &[String] {
    match body {
        Body::Text(lines) => lines,
        other => panic!("no text: {other:#?}"),
    }
}

const NO_BACKUP: &str =
    "`sayso undo` cannot take it back: sayso does not run it and makes no backup.";

#[test]
fn z_23_a_delete_says_what_is_true() {
    let mut setup = setup();
    setup
        .world
        .with("/ws/a.py", "x".repeat(2400))
        .with("/ws/b.png", b"\x89PNG\r\n\x1a\n\0");
    for (path, is) in [
        ("a.py", "It is a file of 2.3 KB."),
        ("b.png", "Binary file: image/png (9 bytes)."),
        (
            "out.md",
            "It is a link: the link goes, and what it leads to stays.",
        ),
        ("none.py", "There is no such file."),
    ] {
        let shown = show(&setup, call("file_delete", &[("path", path)]));
        let mut expected = vec![
            format!("Delete: {path}"),
            format!("which is: /ws/{path}"),
            is.to_owned(),
        ];
        // Where nothing is there, nothing is lost.
        expected.extend((path != "none.py").then(|| NO_BACKUP.to_owned()));
        assert_eq!(lines(&shown.body), expected);
        assert_eq!(shown.warnings[0], "This operation is destructive");
        assert!(
            shown.details.iter().all(|(name, _)| name != "undo"),
            "it stands in the body"
        );
    }
}

#[test]
fn a_recursive_delete_says_how_much_goes() {
    let mut setup = setup();
    setup
        .world
        .file("/ws/docs/a.md")
        .folder("/ws/docs/deep")
        .file("/ws/docs/deep/b.md");
    let what = |args: &str| lines(&show(&setup, call_json("file_rmdir", args)).body)[2].clone();
    assert_eq!(
        what(r#"{"path": "docs", "recursive": true}"#),
        "It is a folder, which goes with everything below: at least 3 files."
    );
    setup.world.full(
        "/ws/docs",
        Tally {
            files: 3,
            bytes: 2048,
            whole: true,
        },
    );
    let what = |args: &str| lines(&show(&setup, call_json("file_rmdir", args)).body)[2].clone();
    assert_eq!(
        what(r#"{"path": "docs", "recursive": true}"#),
        "It is a folder, which goes with everything below: 3 files, 2.0 KB."
    );
    assert_eq!(
        what(r#"{"path": "docs"}"#),
        "It is a folder, which goes only if it is empty."
    );
    let shown = show(
        &setup,
        call_json("file_rmdir", r#"{"path": "docs", "recursive": true}"#),
    );
    assert_eq!(value(&shown.details, "argument recursive"), "true");
}

#[test]
fn an_unreadable_file_can_still_be_asked_about() {
    let mut setup = setup();
    setup.world.unreadable("/ws/secret.py");
    let shown = show(&setup, call("file_delete", &[("path", "secret.py")]));
    assert_eq!(lines(&shown.body)[2], "It is a file.");
    assert!(!warned(&shown, "invisible"));
}
