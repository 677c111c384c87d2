//! Patterns of file names: `*` and `?` stay in one name, `**` spans folders, `[a-z]` is a set, `{a,b}` are choices.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use regex::bytes::{Regex, RegexBuilder};
use sayso_core::paths::alternatives_of;

use super::error::FileToolError;

/// A pattern of paths below a folder.
#[derive(Debug)]
pub(super) struct Pattern(Regex);

impl Pattern {
    /// Reads a pattern.
    pub fn parse(pattern: &str, case_sensitive: bool) -> Result<Pattern, FileToolError> {
        let mut choices = Vec::new();
        for choice in alternatives_of(pattern).map_err(FileToolError::Braces)? {
            choices.push(expression(&choice));
        }
        let text = format!("^(?:{})$", choices.join("|"));
        let built = RegexBuilder::new(&text)
            .case_insensitive(!case_sensitive)
            .dot_matches_new_line(true)
            .size_limit(4 << 20)
            .build();
        built.map(Pattern).map_err(|_| FileToolError::Pattern)
    }

    /// A pattern without a slash is for names at any depth.
    pub fn for_names(pattern: &str) -> Result<Pattern, FileToolError> {
        let anywhere = !pattern.trim_end_matches('/').contains('/');
        Pattern::parse(
            &if anywhere {
                format!("**/{pattern}")
            } else {
                pattern.trim_start_matches('/').to_owned()
            },
            true,
        )
    }

    /// Whether a path below the folder fits.
    pub fn fits(&self, path: &Path) -> bool {
        self.0.is_match(path.as_os_str().as_bytes())
    }
}

fn expression(pattern: &str) -> String {
    let parts: Vec<&str> = pattern
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        match (*part, last) {
            ("**", true) => out.push_str(".+"),
            ("**", false) => out.push_str("(?:[^/]+/)*"),
            (part, last) => {
                name(&mut out, part);
                if !last {
                    out.push('/');
                }
            }
        }
    }
    out
}

fn name(out: &mut String, part: &str) {
    let mut rest = part.chars();
    while let Some(character) = rest.next() {
        match character {
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '[' => match rest.as_str().get(1..).and_then(|inner| inner.find(']')) {
                Some(end) if !rest.as_str().starts_with('[') => {
                    let inner = rest.as_str().get(..end + 1).unwrap_or_default().to_owned();
                    let (not, inner) = inner
                        .strip_prefix(['!', '^'])
                        .map_or(("", inner.as_str()), |inner| ("^", inner));
                    out.push_str(&format!(
                        "[{not}{}]",
                        inner
                            .replace('\\', "\\\\")
                            .replace('[', "\\[")
                            .replace('&', "\\&")
                            .replace('~', "\\~")
                    ));
                    rest = rest.as_str().get(end + 2..).unwrap_or_default().chars();
                }
                _ => out.push_str("\\["),
            },
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_what_a_shell_would_take() {
        for (pattern, path, fits) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "x/a.rs", false),
            ("**/*.rs", "a.rs", true),
            ("**/*.rs", "x/y/a.rs", true),
            ("src/**", "src/a/b", true),
            ("src/**", "src", false),
            ("src/**/b?", "src/b1", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[!a-c]x", "dx", true),
            ("{a,b}.txt", "b.txt", true),
            ("a+b.(c)", "a+b.(c)", true),
            ("a[", "a[", true),
            ("ü?", "üé", true),
        ] {
            assert_eq!(
                Pattern::parse(pattern, true).unwrap().fits(Path::new(path)),
                fits,
                "{pattern} {path}"
            );
        }
        assert!(Pattern::parse("A*", false).unwrap().fits(Path::new("abc")));
        assert!(
            Pattern::for_names("*.rs")
                .unwrap()
                .fits(Path::new("x/y.rs"))
        );
    }
}
