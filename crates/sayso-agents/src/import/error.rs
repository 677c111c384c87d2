//! Why the policy of another agent could not be brought along.

use std::io;

use sayso_core::text::diagnostic::Diagnostic;
use thiserror::Error as ThisError;
use toml_edit::TomlError;

/// Why a policy could not be brought along.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum ImportError {
    #[error("`{name}` cannot be read: {source}")]
    NotRead { name: String, source: io::Error },
    #[error("`{name}` is too large: {size} bytes")]
    TooLarge { name: String, size: u64 },
    #[error("`{name}`, line {line}: {}", .finding.message)]
    BadLine {
        name: String,
        line: usize,
        finding: Diagnostic,
    },
    #[error("`{name}`: {}", .finding.message)]
    BadFile { name: String, finding: Diagnostic },
    #[error("`{name}`: {source}")]
    NotToml { name: String, source: TomlError },
    #[error(
        "`{place}`: {source}\nhint: only literal calls are read; say it with `prefix_rule(…)`, or leave it out"
    )]
    NotLiteral { place: String, source: SyntaxError },
    /// The reader of policies takes none of it.
    #[error("`{name}`: {}{}", .finding.message, hint_line(.finding.hint.as_deref()))]
    BadPolicy { name: String, finding: Diagnostic },
    #[error(
        "some of the files are `{one}`, and some have `{other}`; import them one after the other"
    )]
    TwoFormats {
        one: &'static str,
        other: &'static str,
    },
}

/// Why a text is not a literal call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum SyntaxError {
    #[error("what stands here is no call")]
    NoCall,
    #[error("an argument has no name")]
    NoName,
    #[error("`{0}` is missing")]
    Missing(char),
    #[error("a value is missing")]
    NoValue,
    #[error("a value is neither a text nor a list of texts")]
    OtherValue,
    #[error("a text is not closed")]
    OpenText,
    #[error("a text has an escape that is not known")]
    UnknownEscape,
}

fn hint_line(hint: Option<&str>) -> String {
    hint.map_or(String::new(), |hint| format!("\nhint: {hint}"))
}
