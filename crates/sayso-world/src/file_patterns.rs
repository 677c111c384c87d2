//! Lists the files that a pattern of names stands for, as a shell would write them.
//!
//! It lists what any of the usual shells may list: `**` goes to any depth, and a name that starts with a literal dot finds `.` and `..`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sayso_core::analysis::fact::{MANY, ONE, is_pattern};

use crate::canonical::{End, Walker, is_within};

/// Files that are told.
const MOST_FILES: usize = 256;
/// Names that one pattern may look at.
const MOST_LOOKED_AT: usize = 20_000;

/// Lists one pattern.
pub(crate) struct Names<'a> {
    pub(crate) walker: &'a mut Walker,
    /// Where relative patterns start; absolute and free of links, as is the workspace.
    pub(crate) cwd: &'a str,
    pub(crate) workspace: &'a str,
    pub(crate) limits: Limits<'a>,
}

/// How many names may still be looked at, for this pattern and for all.
pub(crate) struct Limits<'a> {
    own: usize,
    shared: &'a mut usize,
}

/// What a pattern stands for.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// As a shell would write them, sorted.
    pub(crate) names: Vec<String>,
    /// There may be more.
    pub(crate) incomplete: bool,
}

impl<'a> Limits<'a> {
    pub(crate) fn new(shared: &'a mut usize) -> Self {
        Limits {
            own: MOST_LOOKED_AT,
            shared,
        }
    }

    fn take(&mut self) -> bool {
        if self.own == 0 || *self.shared == 0 {
            return false;
        }
        self.own -= 1;
        *self.shared -= 1;
        true
    }
}

/// What stands in a folder.
struct Entry {
    name: String,
    is_folder: bool,
    is_link: bool,
}

/// What one step of a pattern adds to.
#[derive(Default)]
struct Step {
    /// The names so far; those of folders end with a slash, to be gone on from.
    names: BTreeSet<String>,
    last: bool,
}

impl Names<'_> {
    /// The names, in order. None if it is no path at all.
    pub(crate) fn list(mut self, pattern: &str) -> Option<Listed> {
        if pattern.is_empty() || pattern.contains('\0') {
            return None;
        }
        let mut listed = Listed::default();
        // What lies outside of the workspace is told as it is, and never looked into.
        let mut outside = BTreeSet::new();
        let mut starts: BTreeSet<String> = BTreeSet::from([String::new()]);
        let mut parts = pattern.split('/').peekable();
        let mut literal = false;
        while let Some(part) = parts.next() {
            let mut step = Step {
                last: parts.peek().is_none(),
                ..Step::default()
            };
            literal = !is_pattern(part);
            for start in starts {
                // Each step costs, also one that looks at nothing: many folders times many names would take long.
                if !self.limits.take() {
                    listed.incomplete = true;
                    break;
                }
                if literal {
                    step.names
                        .insert(format!("{start}{part}{}", if step.last { "" } else { "/" }));
                } else {
                    listed.incomplete |= !self.step(&start, part, &mut step, &mut outside);
                }
            }
            starts = step.names;
        }
        for name in starts {
            // What is written out after a wildcard has to be there.
            if literal && !self.is_there(&name) {
                continue;
            }
            if listed.names.len() >= MOST_FILES {
                listed.incomplete = true;
                break;
            }
            listed.names.push(name);
        }
        listed.incomplete |= !outside.is_empty();
        listed.names.extend(outside.into_iter().take(MOST_FILES));
        Some(listed)
    }

    /// Goes on from one folder by a part with wildcards. False if there may be more than was found.
    fn step(
        &mut self,
        start: &str,
        part: &str,
        step: &mut Step,
        outside: &mut BTreeSet<String>,
    ) -> bool {
        let folder = if start.is_empty() { "." } else { start };
        let Some(walked) = self.walker.walk(self.cwd, folder, false) else {
            return false;
        };
        let own = match &walked.end {
            End::Here(metadata) if metadata.is_dir() => false,
            End::Here(_) | End::Missing(_) => return true,
            End::PerProcess => true,
        };
        if own || !is_within(&walked.canonical, self.workspace) {
            let trimmed = folder.trim_end_matches('/');
            outside.insert(if trimmed.is_empty() { "/" } else { trimmed }.to_owned());
            return true;
        }
        let any_depth = part.len() > 1 && part.chars().all(|one| one == MANY);
        if any_depth {
            // Three of them follow links in one of the shells.
            return self.deep(start, walked.canonical, step) && part.len() == 2;
        }
        let mut entries = Vec::new();
        let complete = self.entries(&walked.canonical, part.starts_with('.'), &mut entries);
        if part.starts_with('.') {
            entries.extend([".", ".."].map(|name| Entry {
                name: name.to_owned(),
                is_folder: true,
                is_link: false,
            }));
        }
        for entry in entries.iter().filter(|entry| fits(part, &entry.name)) {
            step.add(start, entry);
        }
        complete
    }

    /// `**`: the folder itself, and everything below that is not hidden. Links are not followed, but for those that `*` would find.
    fn deep(&mut self, start: &str, canonical: String, step: &mut Step) -> bool {
        if !step.last || !start.is_empty() {
            step.names.insert(start.to_owned());
        }
        let mut open = vec![(start.to_owned(), canonical)];
        while let Some((written, canonical)) = open.pop() {
            let mut entries = Vec::new();
            if !self.entries(&canonical, false, &mut entries) {
                return false;
            }
            for entry in entries {
                if entry.is_folder || step.last || written == start {
                    step.add(&written, &entry);
                }
                if entry.is_folder {
                    let inner = format!("{}/{}", canonical.trim_end_matches('/'), entry.name);
                    open.push((format!("{written}{}/", entry.name), inner));
                }
            }
        }
        true
    }

    /// The names in a folder; one that cannot be read has none. False if there may be more.
    fn entries(&mut self, folder: &str, hidden: bool, out: &mut Vec<Entry>) -> bool {
        let Ok(entries) = fs::read_dir(folder) else {
            return true;
        };
        let mut complete = true;
        for entry in entries {
            let (true, Ok(entry)) = (self.limits.take(), entry) else {
                return false;
            };
            let name = entry.file_name();
            if !hidden && name.as_encoded_bytes().first() == Some(&b'.') {
                continue;
            }
            match (name.into_string(), entry.file_type()) {
                (Ok(name), Ok(kind)) => out.push(Entry {
                    name,
                    is_folder: kind.is_dir(),
                    is_link: kind.is_symlink(),
                }),
                _ => complete = false,
            }
        }
        complete
    }

    fn is_there(&self, name: &str) -> bool {
        let path = Path::new(self.cwd).join(name);
        let metadata = if name.ends_with('/') {
            fs::metadata(path)
        } else {
            fs::symlink_metadata(path)
        };
        metadata.is_ok()
    }
}

impl Step {
    /// A name that is gone on from has to be a folder, or may lead to one.
    fn add(&mut self, start: &str, entry: &Entry) {
        if self.last {
            self.names.insert(format!("{start}{}", entry.name));
        } else if entry.is_folder || entry.is_link {
            self.names.insert(format!("{start}{}/", entry.name));
        }
    }
}

/// Whether a name is one of a pattern's. A dot at its start has to be written out.
fn fits(pattern: &str, name: &str) -> bool {
    (!name.starts_with('.') || pattern.starts_with('.')) && fits_any(pattern, name)
}

/// The same where a dot at the start of a name is a character like any other, as in the tests of `find` and `grep --include`.
pub(crate) fn fits_any(pattern: &str, name: &str) -> bool {
    // Some shells take one byte for one character.
    let by_bytes = (!name.is_ascii() && pattern.contains(ONE))
        .then(|| pattern.replace(ONE, &MANY.to_string()));
    let pattern = by_bytes.as_deref().unwrap_or(pattern);
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    // After the last MANY: what is left of the pattern, and of the name when one more character goes to it.
    let mut back = None;
    loop {
        let before = (pattern.clone(), name.clone());
        match (pattern.next(), name.next()) {
            (None, None) => return true,
            (Some(MANY), _) => {
                name = before.1;
                back = Some((pattern.clone(), name.clone()));
            }
            (Some(wanted), Some(found)) if wanted == ONE || wanted == found => {}
            _ => {
                let Some((rest, mut longer)) = back.take() else {
                    return false;
                };
                if longer.next().is_none() {
                    return false;
                }
                (pattern, name) = (rest.clone(), longer.clone());
                back = Some((rest, longer));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn wildcards_fit_names_whole() {
        let pattern = |written: &str| written.replace('*', "\u{1}").replace('?', "\u{2}");
        for (written, name) in [
            ("*", "a"),
            ("*.rs", "a.rs"),
            ("a*c*e", "abcde"),
            ("?b", "ab"),
            ("?", "é"),
            (".*", ".env"),
            ("**", "x"),
            ("a*", "a"),
            ("*aab", "aaaab"),
        ] {
            assert!(fits(&pattern(written), name), "{written} {name}");
        }
        for (written, name) in [
            ("*", ".env"),
            ("?env", ".env"),
            ("*.rs", "a.rsx"),
            ("a*c", "abcd"),
            ("?", "ab"),
            ("?", ""),
            ("a", "b"),
            ("*a?", "a"),
            ("a", "ab"),
        ] {
            assert!(!fits(&pattern(written), name), "{written} {name}");
        }
        assert!(!fits(&pattern(&"*a".repeat(2000)), &"b".repeat(255)));
    }
}
