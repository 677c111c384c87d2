//! JSON with comments and trailing commas, as editors and agents write their settings.

use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

use super::{File, ImportError};

/// The document in a file.
pub(crate) fn read(file: &File) -> Result<Node, ImportError> {
    let text = file.text.trim_start_matches('\u{feff}');
    let shown = |finding: sayso_core::text::diagnostic::Diagnostic| {
        let before = text.get(..finding.span.start as usize).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        ImportError::BadLine {
            name: file.name.clone(),
            line,
            finding,
        }
    };
    json::read_with_comments(text, &Limits::policy()).map_err(shown)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_go_and_texts_stay() {
        let written = |text: &str| {
            let (name, text) = ("x.jsonc".to_owned(), text.to_owned());
            let node = read(&File {
                name,
                folder: None,
                text,
            });
            node.map(|node| json::write(&node))
                .map_err(|error| error.to_string())
        };
        assert_eq!(
            written("\u{feff}{ // a\n\"x\": [1, /* , */ 2,],\n} /* open").as_deref(),
            Ok(r#"{"x":[1,2]}"#)
        );
        let text = r#"{"a":"// no \" comment ,]"}"#;
        assert_eq!(written(text).as_deref(), Ok(text));
        assert_eq!(
            written("{ /*\n*/ // x\n \"a\": 1,, }").err().as_deref(),
            Some("`x.jsonc`, line 3: expected a key in double quotes, found `,`")
        );
    }
}
