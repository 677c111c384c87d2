//! Hidden names that a search looks at all the same: to `rg` and `fd`, a line with `!` in an ignore file brings back what it fits, also where
//! its name starts with a dot.

use std::path::Path;

use sayso_core::analysis::fact::{MANY, ONE};

use crate::bounded_file::{Content, LastLink, read};
use crate::file_patterns::fits_any;

/// How much of an ignore file is read.
const MOST_BYTES: u64 = 256 * 1024;

/// The names in lines with `!`, from all files that were met. In which folder they count is left out, which only finds more.
#[derive(Default)]
pub(crate) struct Shown {
    /// Patterns in small letters, and whether they only fit folders.
    patterns: Vec<(String, bool)>,
}

impl Shown {
    /// Reads an ignore file; one that cannot be read may bring back anything.
    pub(crate) fn add(&mut self, file: &Path) {
        match read(file, MOST_BYTES, LastLink::Follow) {
            Content::Missing => {}
            Content::Bytes(bytes, _) => String::from_utf8_lossy(&bytes)
                .lines()
                .for_each(|line| self.line(line)),
            Content::Link | Content::Unusable(_) => self.patterns.push((MANY.to_string(), false)),
        }
    }

    fn line(&mut self, line: &str) {
        let Some(pattern) = line.trim_end().strip_prefix('!') else {
            return;
        };
        let only_folders = pattern.ends_with('/');
        let mut names = pattern.trim_matches('/').split('/').peekable();
        while let Some(name) = names.next() {
            if name.starts_with(['.', '*', '?', '[', '\\', '{']) {
                // What is more than these signs may fit anything.
                let odd = name.contains(['[', '\\', '{']);
                let fits = if odd {
                    MANY.to_string()
                } else {
                    name.to_lowercase()
                        .replace('*', &MANY.to_string())
                        .replace('?', &ONE.to_string())
                };
                self.patterns
                    .push((fits, only_folders || names.peek().is_some()));
            }
        }
    }

    /// Whether a hidden name, in small letters, may be looked at.
    pub(crate) fn has(&self, name: &str, is_folder: bool) -> bool {
        self.patterns
            .iter()
            .any(|(pattern, only_folders)| (is_folder || !only_folders) && fits_any(pattern, name))
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn lines_that_bring_back_hidden_names() {
        let shown = |lines: &str, name: &str, is_folder: bool| {
            let mut shown = Shown::default();
            lines.lines().for_each(|line| shown.line(line));
            shown.has(name, is_folder)
        };
        for line in [
            "!.env",
            "*\n!.env",
            "!/.env",
            "!.en*",
            "!/.e?v",
            "!src/.env",
            "!**/.env",
            "!*",
            "!.[e]nv",
            "!\\.env",
            "!.ENV",
            "!.env ",
        ] {
            assert!(shown(line, ".env", false), "{line}");
        }
        for line in [
            "",
            ".env",
            "# !.env",
            "!.env.example",
            "!src/env",
            "!a",
            "!*/",
            "!.env/x",
            "!.gitkeep",
            "!*.md",
        ] {
            assert!(!shown(line, ".env", false), "{line}");
        }
        assert!(
            shown("!.secrets/", ".secrets", true)
                && shown("!.secrets/x", ".secrets", true)
                && !shown("!.secrets/", ".secrets", false)
        );
    }
}
