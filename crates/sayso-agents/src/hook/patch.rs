//! Reads a patch of Codex (`apply_patch`): which files it makes, changes, moves and deletes, as calls of file tools.

use sayso_core::text::node::Node;
use thiserror::Error as ThisError;

/// So many files are changed by one patch.
const MOST: usize = 500;

/// One file of a patch, as the file tool that would do the same, with its arguments.
pub type Part = (&'static str, Node);

/// What of a patch cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum PatchError {
    #[error("it does not begin with `*** Begin Patch`")]
    NoBeginning,
    #[error("something follows `*** End Patch`")]
    BehindEnd,
    #[error("a mark stands behind a blank, where versions of Codex read it differently")]
    BlankBeforeMark,
    #[error("a line stands before the first file")]
    NoFile,
    #[error("a line that begins with `***` is none of its marks")]
    UnknownMark,
    #[error("the name of a file is empty, or begins or ends with a blank")]
    BadName,
    #[error("a line of a file has no sign before it")]
    NoSign,
    #[error("it changes too many files")]
    TooManyFiles,
    #[error("it has no end")]
    NoEnd,
    #[error("it changes no file")]
    NothingChanged,
}

/// The parts of a patch.
///
/// # Errors
/// What of it cannot be read; then nobody knows what it would change.
pub fn read(patch: &str) -> Result<Vec<Part>, PatchError> {
    let mut lines = patch.trim().lines();
    if lines.next().map(str::trim_end) != Some("*** Begin Patch") {
        return Err(PatchError::NoBeginning);
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut file: Option<File> = None;
    let mut ended = false;
    for line in lines {
        if ended {
            return Err(PatchError::BehindEnd);
        }
        if is_mark_behind_blanks(line) {
            return Err(PatchError::BlankBeforeMark);
        }
        let Some(mark) = line
            .strip_prefix("*** ")
            .filter(|mark| !mark.starts_with("End of File"))
        else {
            match &mut file {
                Some(file) => file.take(line)?,
                None => return Err(PatchError::NoFile),
            }
            continue;
        };
        if let (
            Some(to),
            Some(File {
                sort: Sort::Update,
                to: place @ None,
                old,
                new,
                ..
            }),
        ) = (mark.strip_prefix("Move to: "), &mut file)
            && old.is_empty()
            && new.is_empty()
        {
            *place = Some(path(to)?);
            continue;
        }
        if let Some(file) = file.take() {
            file.finish(&mut parts);
        }
        if mark.trim_end() == "End Patch" {
            ended = true;
            continue;
        }
        let (sort, name) = [
            ("Add File: ", Sort::Add),
            ("Update File: ", Sort::Update),
            ("Delete File: ", Sort::Delete),
        ]
        .into_iter()
        .find_map(|(word, sort)| Some((sort, mark.strip_prefix(word)?)))
        .ok_or(PatchError::UnknownMark)?;
        file = Some(File {
            sort,
            path: path(name)?,
            to: None,
            old: String::new(),
            new: String::new(),
        });
        if parts.len() > MOST {
            return Err(PatchError::TooManyFiles);
        }
    }
    match (ended, parts.is_empty()) {
        (false, _) => Err(PatchError::NoEnd),
        (true, true) => Err(PatchError::NothingChanged),
        (true, false) => Ok(parts),
    }
}

/// What is a line of a file to some versions of Codex, and to others, which trim it, the beginning of another file.
fn is_mark_behind_blanks(line: &str) -> bool {
    let words = [
        "Add File:",
        "Begin Patch",
        "Delete File:",
        "End Patch",
        "End of File",
        "Environment ID:",
        "Move to:",
        "Update File:",
    ];
    let mark = line.trim_start();
    mark.len() < line.len()
        && mark
            .strip_prefix("*** ")
            .is_some_and(|mark| words.iter().any(|word| mark.starts_with(word)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Add,
    Update,
    Delete,
}

struct File {
    sort: Sort,
    path: String,
    to: Option<String>,
    old: String,
    new: String,
}

/// A path as it is written: what is trimmed here might not be trimmed there.
fn path(written: &str) -> Result<String, PatchError> {
    if written.is_empty() || written.trim() != written {
        return Err(PatchError::BadName);
    }
    Ok(written.to_owned())
}

impl File {
    fn take(&mut self, line: &str) -> Result<(), PatchError> {
        let add = |to: &mut String, text: &str| {
            to.push_str(text);
            to.push('\n');
        };
        match (self.sort, line.split_at_checked(1)) {
            (Sort::Add, Some(("+", text))) => add(&mut self.new, text),
            (Sort::Update, Some(("+", text))) => add(&mut self.new, text),
            (Sort::Update, Some(("-", text))) => add(&mut self.old, text),
            (Sort::Update, Some((" ", text))) => {
                add(&mut self.old, text);
                add(&mut self.new, text);
            }
            (Sort::Update, None) if line.is_empty() => {
                add(&mut self.old, "");
                add(&mut self.new, "");
            }
            (Sort::Update, _) if line.starts_with("@@") || line.starts_with("*** End of File") => {}
            _ => return Err(PatchError::NoSign),
        }
        Ok(())
    }

    fn finish(self, parts: &mut Vec<Part>) {
        let of = |key: &'static str, text: &str| (key, Node::text(text));
        match self.sort {
            Sort::Add => parts.push((
                "file_write",
                Node::map([of("path", &self.path), of("content", &self.new)]),
            )),
            Sort::Delete => parts.push(("file_delete", Node::map([of("path", &self.path)]))),
            Sort::Update => {
                if !(self.old.is_empty() && self.new.is_empty()) || self.to.is_none() {
                    parts.push((
                        "file_edit",
                        Node::map([
                            of("path", &self.path),
                            of("find", &self.old),
                            of("replace", &self.new),
                        ]),
                    ));
                }
                if let Some(to) = &self.to {
                    parts.push((
                        "file_move",
                        Node::map([of("from", &self.path), of("to", to)]),
                    ));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(patch: &str) -> Vec<(&'static str, String)> {
        let path = |node: &Node| {
            node.get("path")
                .or_else(|| node.get("from"))
                .and_then(Node::as_text)
                .unwrap_or_default()
                .to_owned()
        };
        read(patch).map_or_else(
            |why| vec![("error", why.to_string())],
            |parts| {
                parts
                    .iter()
                    .map(|(tool, node)| (*tool, path(node)))
                    .collect()
            },
        )
    }

    #[test]
    fn every_file_of_a_patch_is_found() {
        let patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: b.txt\n*** Move to: c.txt\n@@ fn x\n one\n-two\n+three\n\
                     *** End of File\n*** Delete File: d.txt\n*** End Patch\n";
        let parts: Vec<(&str, String)> = [
            ("file_write", "a.txt"),
            ("file_edit", "b.txt"),
            ("file_move", "b.txt"),
            ("file_delete", "d.txt"),
        ]
        .map(|(tool, path)| (tool, path.to_owned()))
        .into();
        assert_eq!(named(patch), parts);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for patch in [
            "",
            "rm -rf /",
            "*** Begin Patch\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\n+x",
            "*** Begin Patch\n*** Add File:  a\n+x\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\nx\n*** End Patch",
            "*** Begin Patch\n*** Rename File: a\n*** End Patch",
            "*** Begin Patch\n*** Delete File: a\n+x\n*** End Patch",
            "*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Delete File: /etc/passwd",
            "*** Begin Patch\n+x\n*** End Patch",
            // Hidden among the lines of a file.
            "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n *** Delete File: /etc/passwd\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n *** Move to: /etc/passwd\n@@\n-x\n+y\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n *** End Patch\n+z\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n  \t*** Add File: /etc/passwd\n+z\n*** End Patch",
        ] {
            assert!(read(patch).is_err(), "{patch:?}");
        }
    }
}
