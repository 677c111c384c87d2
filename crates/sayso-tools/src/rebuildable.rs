//! Folders that tools can make anew, such as `target` beside a `Cargo.toml`: they are not kept before a command. `rebuildable.txt` lists them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::LazyLock;

/// A row of the table.
#[derive(Debug)]
struct Row {
    /// The name, with the folder above it where that counts.
    name: &'static str,
    needs: Needs,
    only_new: bool,
}

/// What proves that a folder is what its name says.
#[derive(Debug)]
enum Needs {
    Nothing,
    /// One of these files beside it.
    Beside(Vec<&'static str>),
    /// This file in it.
    Inside(&'static str),
}

/// How a folder can be rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebuilt {
    /// By the tools of the project.
    ByTools,
    /// By the session that made it, and by no other: people put things into such folders by hand.
    BySession,
}

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let lines = include_str!("rebuildable.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(row)
        .collect()
});

fn row(line: &'static str) -> Option<Row> {
    let mut words = line.split_ascii_whitespace();
    let name = words.next()?;
    let needs = match words.next()? {
        "always" => Needs::Nothing,
        "beside" => Needs::Beside(words.next()?.split(',').collect()),
        "inside" => Needs::Inside(words.next()?),
        _ => return None,
    };
    Some(Row {
        name,
        needs,
        only_new: words.next() == Some("new"),
    })
}

/// Whether a folder with this path is in the table and has what proves it. `beside` are the regular files of the folder it is in, and
/// `inside` tells whether one is in it.
pub fn find(
    path: &Path,
    beside: impl Fn(&dyn Fn(&OsStr) -> bool) -> bool,
    inside: impl Fn(&OsStr) -> bool,
) -> Option<Rebuilt> {
    let name = path.file_name()?;
    TABLE
        .iter()
        .filter(|row| row.is_called(path, name))
        .find(|row| match &row.needs {
            Needs::Nothing => true,
            Needs::Beside(files) => beside(&|name| files.iter().any(|file| matches(file, name))),
            Needs::Inside(file) => inside(OsStr::new(file)),
        })
        .map(|row| match row.only_new {
            true => Rebuilt::BySession,
            false => Rebuilt::ByTools,
        })
}

/// Whether any row has this last name.
pub fn may_be(name: &OsStr) -> bool {
    TABLE
        .iter()
        .any(|row| row.name.rsplit('/').next().map(OsStr::new) == Some(name))
}

impl Row {
    fn is_called(&self, path: &Path, name: &OsStr) -> bool {
        match self.name.contains('/') {
            true => path.ends_with(self.name),
            false => name == self.name,
        }
    }
}

/// Whether a name is this, or ends like this where it begins with `*`.
fn matches(pattern: &str, name: &OsStr) -> bool {
    match pattern.strip_prefix('*') {
        Some(end) => name.len() > end.len() && name.as_bytes().ends_with(end.as_bytes()),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, files: &[&str], inner: &[&str]) -> Option<Rebuilt> {
        find(
            Path::new(path),
            |wanted| files.iter().any(|file| wanted(OsStr::new(file))),
            |name| inner.iter().any(|file| name == *file),
        )
    }

    #[test]
    fn every_line_of_the_table_is_a_row() {
        let lines = include_str!("rebuildable.txt")
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        assert_eq!(lines.count(), TABLE.len());
    }

    #[test]
    fn a_folder_is_rebuildable_only_beside_what_rebuilds_it() {
        assert_eq!(
            found("a/target", &["Cargo.toml"], &[]),
            Some(Rebuilt::ByTools)
        );
        assert_eq!(found("a/target", &["Cargo.lock"], &[]), None);
        assert_eq!(found("target", &[], &["Cargo.toml"]), None);
        assert_eq!(found("targets", &["Cargo.toml"], &[]), None);
        assert_eq!(found("x/__pycache__", &[], &[]), Some(Rebuilt::ByTools));
        assert_eq!(found("obj", &["App.csproj"], &[]), Some(Rebuilt::ByTools));
        assert_eq!(found("obj", &[".csproj"], &[]), None);
        assert_eq!(found("registry", &[], &[]), None);
        assert_eq!(found("a/.cargo/registry", &[], &[]), Some(Rebuilt::ByTools));
        assert_eq!(found(".venv", &[], &[]), None);
        assert_eq!(
            found(".venv", &[], &["pyvenv.cfg"]),
            Some(Rebuilt::BySession)
        );
        assert!(may_be(OsStr::new("registry")) && !may_be(OsStr::new("src")));
    }
}
