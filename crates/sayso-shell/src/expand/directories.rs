//! The folders that a line may be in at one place, as `cd` leads from one to the next.

use std::borrow::Cow;
use std::rc::Rc;

use crate::parse::placeholder::{PARTED, Root, TEXT, TOP, is_literal, rooted};

/// Folders that are told apart; of more, none is known.
const MOST: usize = 4;
/// Bytes of a folder that is followed.
const LONGEST: usize = 512;

/// Where every line starts.
static START: [String; 1] = [String::new()];

/// Where a line may be: relative to where it starts, absolute, below the home, or nowhere that is known.
///
/// Every command has its folders, and few change them: they are shared, and there is no list as long as the line is where it started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folders(Option<Rc<[String]>>);

impl PartialEq for Folders {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.list() == other.list()
    }
}

impl Eq for Folders {}

impl Folders {
    /// The folders. The empty text is the place where the line starts, and a hole is a folder that is not known.
    pub(crate) fn list(&self) -> &[String] {
        self.0.as_deref().unwrap_or(&START)
    }

    /// Whether these are the same folders without a look at their names.
    fn is_same(&self, other: &Folders) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Either this or the other may hold.
    pub(crate) fn join(&mut self, other: &Folders) {
        if self.is_same(other) {
            return;
        }
        let mut all = self.list().to_vec();
        for folder in other.list() {
            if !all.contains(folder) {
                all.push(folder.clone());
            }
        }
        if all.len() > MOST {
            return self.lose();
        }
        self.0 = Some(all.into());
    }

    /// The folder is not known from here on.
    pub(crate) fn lose(&mut self) {
        self.0 = Some([TEXT.to_string()].into());
    }

    /// Goes to the top of the repository, or stays where that is not known: git prints nothing then, and `cd ""` goes nowhere. Only the
    /// repository that the line starts in is known.
    pub(crate) fn go_to_top(&mut self) {
        if self.list() == START {
            self.0 = Some([String::new(), TOP.to_string()].into())
        } else {
            self.lose()
        }
    }

    /// Goes to a folder.
    pub(crate) fn go(&mut self, folder: &str) {
        let folder = folder.trim_end_matches(PARTED);
        let unclear =
            folder.is_empty() || !is_literal(rooted(folder).map_or(folder, |(_, rest)| rest));
        if unclear || folder.len() > LONGEST {
            return self.lose();
        }
        let mut folders = Vec::new();
        for from in self.list() {
            let written = in_folder(from, folder).into_owned();
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
        self.0 = Some(folders.into());
    }
}

/// A path as the line sees it that goes to a folder first. The names are put together as they are: the world resolves links and `..`.
pub(crate) fn in_folder<'a>(folder: &str, path: &'a str) -> Cow<'a, str> {
    let path = match rooted(path) {
        Some((Root::Home, _)) => return path.into(),
        Some((Root::Here, "")) => ".",
        // `$PWD/` is the folder itself.
        Some((Root::Here, rest)) => Some(rest.trim_start_matches('/'))
            .filter(|rest| !rest.is_empty())
            .unwrap_or("./"),
        None => path,
    };
    if folder.is_empty() || path.starts_with('/') {
        path.into()
    } else {
        format!("{folder}/{path}").into()
    }
}

/// A path with `name/..` taken out, as a shell keeps its own folder.
fn without_steps_back(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts
                .last()
                .is_some_and(|last| *last != ".." && is_literal(last)) =>
            {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') {
        format!("/{joined}")
    } else {
        joined
    }
}
