//! A finding in a text, with the text: its words show the place.

use std::fmt;

use sayso_core::text::diagnostic::{Diagnostic, Source};

/// What is wrong with a text, and the text. Shown as whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFinding {
    /// What people know the text by.
    pub name: String,
    /// The text.
    pub text: String,
    /// What is wrong, and where.
    pub diagnostic: Diagnostic,
}

impl FileFinding {
    pub(crate) fn new(source: Source<'_>, diagnostic: Diagnostic) -> Box<FileFinding> {
        Box::new(FileFinding {
            name: source.name.to_owned(),
            text: source.text.to_owned(),
            diagnostic,
        })
    }
}

impl fmt::Display for FileFinding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = Source {
            name: &self.name,
            text: &self.text,
        };
        out.write_str(&self.diagnostic.render(source))
    }
}
