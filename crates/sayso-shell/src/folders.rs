//! The folders that a line may be in at one place, as `cd` leads from one to the next.

use crate::hole::{PARTED, Root, TEXT, is_literal, rooted};

/// Folders that are told apart; of more, none is known.
const MOST: usize = 4;
/// Bytes of a folder that is followed.
const LONGEST: usize = 512;

/// Where a line may be: relative to where it starts, absolute, below the home, or nowhere that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folders(Vec<String>);

impl Default for Folders {
    fn default() -> Self {
        Folders(vec![String::new()])
    }
}

impl Folders {
    /// The folders. The empty text is the place where the line starts, and a hole is a folder that is not known.
    pub(crate) fn list(&self) -> Vec<String> {
        self.0.clone()
    }

    /// Either this or the other may hold.
    pub(crate) fn join(&mut self, other: &Folders) {
        for folder in &other.0 {
            if !self.0.contains(folder) {
                self.0.push(folder.clone());
            }
        }
        if self.0.len() > MOST {
            self.lose();
        }
    }

    /// The folder is not known from here on.
    pub(crate) fn lose(&mut self) {
        self.0 = vec![TEXT.to_string()];
    }

    /// Goes to a folder.
    pub(crate) fn go(&mut self, folder: &str) {
        let folder = folder.trim_end_matches(PARTED);
        let unclear = folder.is_empty() || !is_literal(rooted(folder).map_or(folder, |(_, rest)| rest));
        if unclear || folder.len() > LONGEST {
            return self.lose();
        }
        let mut folders = Vec::new();
        for from in &self.0 {
            let written = in_folder(from, folder);
            // `link/..` is the folder of the link to the shell, and the folder above its target to everybody else: both are possible.
            let tidy = without_steps_back(&written);
            folders.extend([written, tidy]);
        }
        folders.sort();
        folders.dedup();
        // Every path of the line is looked at from every folder, name by name.
        if folders.len() > MOST || folders.iter().any(|folder| folder.len() > LONGEST) {
            return self.lose();
        }
        self.0 = folders;
    }
}

/// A path as the line sees it that goes to a folder first. The names are put together as they are: the world resolves links and `..`.
pub(crate) fn in_folder(folder: &str, path: &str) -> String {
    let path = match rooted(path) {
        Some((Root::Home, _)) => return path.to_owned(),
        Some((Root::Here, "")) => ".",
        Some((Root::Here, rest)) => rest.trim_start_matches('/'),
        None => path,
    };
    if folder.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}

/// A path with `name/..` taken out, as a shell keeps its own folder.
fn without_steps_back(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && is_literal(last)) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}
