//! JSON with comments and trailing commas, as editors and agents write their settings.

use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

use super::{File, ImportError};

/// The document in a file.
pub(crate) fn read(file: &File) -> Result<Node, ImportError> {
    let text = plain(&file.text);
    let shown = |finding: sayso_core::text::diagnostic::Diagnostic| {
        let before = text.get(..finding.span.start as usize).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        ImportError::BadLine {
            name: file.name.clone(),
            line,
            finding,
        }
    };
    json::read(&text, &Limits::policy()).map_err(shown)
}

/// The texts of a list.
pub(crate) fn texts(node: Option<&Node>) -> Vec<String> {
    node.map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(Node::as_text)
        .map(str::to_owned)
        .collect()
}

/// The same text with blanks in the place of comments and of commas before a closing bracket, so that places stay what they are.
fn plain(text: &str) -> String {
    let mut out: Vec<char> = Vec::with_capacity(text.len());
    let mut letters = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut comma: Option<usize> = None;
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                comma = None;
                out.push('"');
                while let Some(letter) = letters.next() {
                    out.push(letter);
                    match letter {
                        '"' => break,
                        '\\' => out.extend(letters.next()),
                        _ => {}
                    }
                }
            }
            '/' if letters.peek() == Some(&'/') => {
                while letters.peek().is_some_and(|letter| *letter != '\n') {
                    letters.next();
                }
            }
            '/' if letters.peek() == Some(&'*') => {
                letters.next();
                let mut before = ' ';
                for letter in letters.by_ref() {
                    if letter == '\n' {
                        out.push('\n');
                    }
                    if before == '*' && letter == '/' {
                        break;
                    }
                    before = letter;
                }
                out.push(' ');
            }
            ',' => {
                comma = Some(out.len());
                out.push(',');
            }
            ']' | '}' => {
                if let Some(place) = comma.take().and_then(|place| out.get_mut(place)) {
                    *place = ' ';
                }
                out.push(letter);
            }
            letter => {
                if !letter.is_whitespace() {
                    comma = None;
                }
                out.push(letter);
            }
        }
    }
    out.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn comments_and_last_commas_go_and_texts_stay() {
        assert_eq!(
            plain("{ // a\n\"x\": [1, /* , */ 2,],\n}"),
            "{ \n\"x\": [1,   2 ] \n}"
        );
        assert_eq!(
            plain(r#"{"a": "// no \" comment ,]"}"#),
            r#"{"a": "// no \" comment ,]"}"#
        );
        assert_eq!(plain("/* open"), " ");
        assert_eq!(plain("\"open"), "\"open");
    }
}
