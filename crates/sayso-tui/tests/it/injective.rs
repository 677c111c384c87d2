//! Two different operations never read the same, on a screen that has room for all of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use sayso_core::prompt::presentation::Body;
use sayso_core::prompt::{Prompt, Style};
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use sayso_tui::patterns::NoPatterns;
use sayso_tui::prompt_state::Asking;
use sayso_tui::theme::Theme;

use crate::prompts::{command_body, prompt, terminal, with_args};
use crate::snapshots::look;
use crate::text::text;

/// All that a prompt says, without the digest, which would tell any two apart.
fn said(prompt: Prompt) -> String {
    let start = Instant::now();
    let mut asking = Asking::new(
        Arc::new(prompt),
        look("sayso", Theme::PLAIN),
        Arc::new(NoPatterns),
        start,
    );
    asking.painted(start);
    let frame = asking.frame(60, 400, start + Duration::from_secs(1));
    let rows = text(&frame.buffer);
    rows.lines()
        .filter(|row| !row.contains("digest sha256:"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Texts that differ in one place only, or not at all.
fn pair() -> impl Strategy<Value = (String, String)> {
    let letter = prop_oneof![
        any::<char>(),
        prop::sample::select(vec![
            ' ', '\n', '\t', '\r', '\u{1b}', '\u{202e}', '\u{200b}', '\u{301}', '‹', '›', '␛', '↪',
            '│', '$', '>', 'a'
        ])
    ];
    let text = prop::collection::vec(letter.clone(), 1..80);
    (text, any::<prop::sample::Index>(), letter, any::<bool>()).prop_map(
        |(one, at, letter, same)| {
            let mut two = one.clone();
            if !same {
                let at = at.index(two.len());
                two[at] = letter;
            }
            (one.into_iter().collect(), two.into_iter().collect())
        },
    )
}

/// Blanks at the end of a row are not seen, so what differs only there may look the same; everything else may not.
fn seen(text: &str) -> String {
    let lines: Vec<String> = visible(text)
        .split('␊')
        .map(|line| line.trim_end().to_owned())
        .collect();
    lines.join("\n")
}

fn is_call(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('\0')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn two_commands_never_read_the_same((one, two) in pair(), style in prop::sample::select(vec![Style::Modal, Style::Status, Style::Inline])) {
        prop_assume!(is_call(&one) && is_call(&two));
        let shown = |text: &str| said(Prompt { style, ..terminal(text) });
        let (left, right) = (shown(&one), shown(&two));
        if one == two {
            prop_assert_eq!(left, right);
        } else if seen(&one) != seen(&two) {
            prop_assert_ne!(left, right);
        }
    }

    #[test]
    fn two_contents_never_read_the_same((one, two) in pair()) {
        let shown = |content: &str| {
            let operation = with_args("file_create", Node::map([("path", Node::text("a.py")), ("content", Node::text(content))]));
            let lines = content.split('\n').map(|line| visible(line).into_owned()).collect();
            let body = Body::Content { path: "a.py".to_owned(), language: None, lines, size: 1, notes: Vec::new(), over: None };
            said(Prompt { style: Style::Modal, ..prompt(operation, body) })
        };
        if seen(&one) != seen(&two) {
            prop_assert_ne!(shown(&one), shown(&two));
        }
    }

    #[test]
    fn two_paths_and_two_arguments_never_read_the_same((one, two) in pair()) {
        let shown = |value: &str| {
            let operation = with_args("mcp", Node::map([("server", Node::text("s")), ("tool", Node::text("t")), ("x", Node::text(value))]));
            let rows = vec![("x".to_owned(), visible(value).into_owned())];
            said(Prompt { style: Style::Modal, ..prompt(operation, Body::Structured(rows)) })
        };
        if visible(&one).trim_end() != visible(&two).trim_end() {
            prop_assert_ne!(shown(&one), shown(&two));
        }
    }
}

#[test]
fn a_command_is_told_from_what_looks_like_it() {
    let shown = |text: &str| {
        said(Prompt {
            style: Style::Modal,
            ..terminal(text)
        })
    };
    for (one, two) in [
        ("ls\n  in /etc", "ls"),
        ("ls\n> rm", "ls\nrm"),
        ("a ↪ b", "a b"),
        ("echo '\u{202e}'", "echo '‹U+202E›'"),
        ("echo \u{1b}", "echo ␛"),
        ("x\u{301}", "x‹U+0301›"),
    ] {
        assert_ne!(shown(one), shown(two), "{one:?}");
    }
    // The body of a command says nothing else.
    assert!(matches!(command_body("x"), Body::Command { .. }));
}
