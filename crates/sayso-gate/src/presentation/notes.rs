//! What a change of a file brings that no line of it shows: other line breaks, another end, a mark at its start, a program.

use super::content::has_returns;
use super::diff;

/// What some editors put at the start of a text.
const ORDER_MARK: char = '\u{FEFF}';

/// The notes on a new text.
pub(super) fn of_content(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    match breaks(text) {
        Breaks::Lf | Breaks::None => {}
        kind => out.push(format!("line breaks: {}", kind.words())),
    }
    if !text.is_empty() && !text.ends_with('\n') {
        out.push("no line break at the end of the file".to_owned());
    }
    if text.starts_with(ORDER_MARK) {
        out.push("it starts with a byte order mark".to_owned());
    }
    out
}

/// The notes on a text that takes the place of another.
pub(super) fn of_change(old: &str, new: &str, executable: Option<bool>) -> Vec<String> {
    let mut out = Vec::new();
    if executable == Some(true) {
        out.push("the file can be executed: it is a program or a script".to_owned());
    }
    match (breaks(old), breaks(new)) {
        (Breaks::Lf | Breaks::None, Breaks::Lf | Breaks::None) => {}
        (Breaks::Returns, Breaks::Returns | Breaks::None) => {
            out.push(format!("line breaks: {}", Breaks::Returns.words()))
        }
        (before, after) if before == after => out.push(format!("line breaks: {}", after.words())),
        (Breaks::None, after) => out.push(format!("line breaks: {}", after.words())),
        (before, after) => out.push(format!(
            "line breaks: {} become {}",
            before.words(),
            after.words()
        )),
    }
    out.extend(diff::end(old, new).map(str::to_owned));
    match (old.starts_with(ORDER_MARK), new.starts_with(ORDER_MARK)) {
        (false, true) => out.push("a byte order mark comes to the start of the file".to_owned()),
        (true, false) => out.push("the byte order mark at the start of the file goes".to_owned()),
        _ => {}
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    None,
    Lf,
    Returns,
    Mixed,
}

impl Breaks {
    fn words(self) -> &'static str {
        match self {
            Breaks::None => "none",
            Breaks::Lf => "LF",
            Breaks::Returns => "CR LF, as on Windows",
            Breaks::Mixed => "CR LF and LF, mixed",
        }
    }
}

fn breaks(text: &str) -> Breaks {
    match (text.contains('\n'), text.contains("\r\n")) {
        (false, _) => Breaks::None,
        (true, false) => Breaks::Lf,
        (true, true) if has_returns(text) => Breaks::Returns,
        (true, true) => Breaks::Mixed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_line_shows_is_said() {
        for (old, new, expected) in [
            ("a\n", "b\n", &[][..]),
            ("a\r\n", "b\r\n", &["line breaks: CR LF, as on Windows"]),
            (
                "a\r\n",
                "b\n",
                &["line breaks: CR LF, as on Windows become LF"],
            ),
            (
                "a\n",
                "b\r\n",
                &["line breaks: LF become CR LF, as on Windows"],
            ),
            (
                "a\r\nb\n",
                "b\n",
                &["line breaks: CR LF and LF, mixed become LF"],
            ),
            (
                "a\n",
                "a",
                &[
                    "line breaks: LF become none",
                    "the new content has no line break at its end",
                ][1..],
            ),
            ("a", "a\n", &["a line break is added at the end"]),
            (
                "a\n",
                "\u{FEFF}a\n",
                &["a byte order mark comes to the start of the file"],
            ),
            (
                "\u{FEFF}a\n",
                "a\n",
                &["the byte order mark at the start of the file goes"],
            ),
        ] {
            assert_eq!(of_change(old, new, None), expected, "{old:?} {new:?}");
        }
        assert_eq!(
            of_change("a\n", "b\n", Some(true)),
            ["the file can be executed: it is a program or a script"]
        );
        assert_eq!(
            of_content("a\r\nb"),
            [
                "line breaks: CR LF, as on Windows",
                "no line break at the end of the file"
            ]
        );
        assert_eq!(
            of_content("\u{FEFF}a\n"),
            ["it starts with a byte order mark"]
        );
        assert!(of_content("").is_empty() && of_content("a\n").is_empty());
    }
}
