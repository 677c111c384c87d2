//! Walks a path as the kernel does, one component at a time, and keeps every link it meets.
//!
//! Where the kernel would stop because something is missing, the walk goes on in the text, and back on the disk as soon as `..` leads out
//! of the missing part: a tool may make the folder first, or tidy the path itself before it opens it.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;

use sayso_core::analysis::fact::Link;

/// As many links as Linux follows in one path.
const MOST_LINKS: usize = 40;

/// Shorter than what Linux and macOS take as a whole path.
const MAX_WHOLE_PATH: usize = 1000;

/// Walks paths; remembers, for one pass, what is certainly a folder and no link.
#[derive(Default)]
pub(crate) struct Walker {
    /// The device of each folder by its link-free path.
    folders: HashMap<String, u64>,
}

/// Where a path leads.
#[derive(Debug)]
pub(crate) struct Walked {
    /// Absolute, and free of links in its existing part.
    pub canonical: String,
    /// The links met, in order.
    pub links: Vec<Link>,
    /// What the end of the path is.
    pub end: End,
}

/// What the end of a path is.
#[derive(Debug)]
pub(crate) enum End {
    /// Something is there.
    Here(Metadata),
    /// Nothing is there; how many components at the end are missing.
    Missing(usize),
    /// A path that means something else in each process.
    PerProcess,
}

/// What is still to be walked, the next step last.
enum Step {
    Name(String),
    /// All of the target of the link with this index has been walked.
    LinkEnd(usize),
}

impl Walker {
    /// Walks `path` from `folder`, which is absolute and free of links. None if that could not be done for sure.
    pub(crate) fn walk(&mut self, folder: &str, path: &str, no_follow: bool) -> Option<Walked> {
        if path.is_empty() || path.contains('\0') {
            return None;
        }
        // The kernel follows `link/` and `link/.` even where it would not follow `link`.
        let no_follow = no_follow && !path.ends_with('/') && !path.ends_with("/.");
        let mut current = if path.starts_with('/') {
            String::new()
        } else {
            folder.trim_end_matches('/').to_owned()
        };
        let mut links: Vec<Link> = Vec::new();
        let mut missing = 0;
        let mut last: Option<Metadata> = None;
        let mut pending = Vec::new();
        push_names(&mut pending, path);
        while let Some(step) = pending.pop() {
            let name = match step {
                Step::LinkEnd(index) => {
                    finish_link(&mut links, index, &current, missing > 0);
                    continue;
                }
                Step::Name(name) => name,
            };
            if name == ".." {
                current.truncate(current.rfind('/').unwrap_or(0));
                missing = usize::saturating_sub(missing, 1);
                last = None;
                continue;
            }
            // The macOS way to name a file's content or resource fork by a path below the file.
            if name == "..namedfork" {
                return None;
            }
            let before = current.len();
            current.push('/');
            current.push_str(&name);
            last = None;
            // Before anything else: the process of a number may be there a moment later.
            match per_process(&current) {
                PerProcess::No => {}
                PerProcess::Folder if pending.iter().any(|step| matches!(step, Step::Name(_))) => {
                    continue;
                }
                PerProcess::Folder | PerProcess::Yes => {
                    return Some(keep_text(current, links, pending));
                }
            }
            if missing > 0 {
                missing += 1;
                continue;
            }
            if self.folders.contains_key(&current) {
                continue;
            }
            let metadata = match fs::symlink_metadata(&current) {
                Ok(metadata) => metadata,
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
                {
                    missing = 1;
                    continue;
                }
                // A name that is too long for the file system cannot be there. A path that is too long as a whole may be: a program can
                // reach it in steps.
                Err(error)
                    if error.kind() == ErrorKind::InvalidFilename
                        && (current.len() < MAX_WHOLE_PATH || name_is_too_long(&current)) =>
                {
                    missing = 1;
                    continue;
                }
                Err(_) => return None,
            };
            if !metadata.is_symlink() {
                if metadata.is_dir() {
                    self.folders.insert(current.clone(), metadata.dev());
                }
                last = Some(metadata);
                continue;
            }
            if links.len() >= MOST_LINKS {
                return None;
            }
            let target = fs::read_link(&current)
                .ok()?
                .into_os_string()
                .into_string()
                .ok()?;
            if no_follow && pending.is_empty() {
                links.push(self.unfollowed(&current, before, &target));
                return Some(Walked {
                    canonical: current,
                    links,
                    end: End::Here(metadata),
                });
            }
            pending.push(Step::LinkEnd(links.len()));
            links.push(Link {
                at: current.clone(),
                to: String::new(),
                dangling: false,
            });
            push_names(&mut pending, &target);
            current.truncate(if target.starts_with('/') { 0 } else { before });
        }
        let canonical = or_root(&current);
        let end = match (missing, last) {
            (0, Some(metadata)) => End::Here(metadata),
            (0, None) => End::Here(fs::symlink_metadata(&canonical).ok()?),
            (count, _) => End::Missing(count),
        };
        Some(Walked {
            canonical,
            links,
            end,
        })
    }

    /// The device that the folder `path` is on; `path` is absolute and free of links.
    pub(crate) fn device_of(&self, path: &str) -> Option<u64> {
        match self.folders.get(path) {
            Some(device) => Some(*device),
            None => fs::symlink_metadata(path)
                .ok()
                .map(|metadata| metadata.dev()),
        }
    }

    /// A link that is meant itself still tells where it leads; one that leads nowhere, or round in circles, counts as dangling.
    fn unfollowed(&mut self, at: &str, parent_length: usize, target: &str) -> Link {
        let parent = or_root(at.get(..parent_length).unwrap_or(""));
        match self.walk(&parent, target, false) {
            Some(walked) => Link {
                at: at.to_owned(),
                to: walked.canonical,
                dangling: matches!(walked.end, End::Missing(_)),
            },
            None => Link {
                at: at.to_owned(),
                to: lexical(&parent, target),
                dangling: true,
            },
        }
    }
}

/// The absolute path without `.` and `..`, by the text alone.
pub(crate) fn lexical(folder: &str, path: &str) -> String {
    let mut current = String::new();
    let from = if path.starts_with('/') { "" } else { folder };
    for name in from.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => current.truncate(current.rfind('/').unwrap_or(0)),
            name => {
                current.push('/');
                current.push_str(name);
            }
        }
    }
    or_root(&current)
}

/// The folder that `path` stands in; the root stands in itself.
pub(crate) fn parent(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(slash) => path.get(..slash).unwrap_or("/"),
    }
}

/// The path without so many components at its end.
pub(crate) fn ancestor(path: &str, steps: usize) -> &str {
    (0..steps).fold(path, |path, _| parent(path))
}

/// Whether `path` is `folder` or below it. Both are absolute and tidy.
pub(crate) fn is_within(path: &str, folder: &str) -> bool {
    match path.strip_prefix(folder.trim_end_matches('/')) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

fn or_root(path: &str) -> String {
    if path.is_empty() {
        "/".to_owned()
    } else {
        path.to_owned()
    }
}

fn push_names(pending: &mut Vec<Step>, path: &str) {
    pending.extend(
        path.rsplit('/')
            .filter(|name| !name.is_empty() && *name != ".")
            .map(|name| Step::Name(name.to_owned())),
    );
}

fn finish_link(links: &mut [Link], index: usize, current: &str, dangling: bool) {
    if let Some(link) = links.get_mut(index) {
        link.to = or_root(current);
        link.dangling = dangling;
    }
}

/// Whether a path means something else in each process.
enum PerProcess {
    No,
    /// It is a folder of such paths.
    Folder,
    Yes,
}

/// Below these paths the kernel would show us our own process and not the agent's, or open a file by its number.
fn per_process(path: &str) -> PerProcess {
    const WHOLE: [&str; 8] = [
        "/dev/fd",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "/.vol",
        "/.nofollow",
        "/.resolve",
        "/.file",
    ];
    if WHOLE.contains(&path) {
        return PerProcess::Yes;
    }
    let Some(below) = path.strip_prefix("/proc/") else {
        return PerProcess::No;
    };
    let (process, rest) = below
        .split_once('/')
        .map_or((below, None), |(process, rest)| (process, Some(rest)));
    let is_self = process == "self" || process == "thread-self";
    let is_number = process.bytes().all(|byte| byte.is_ascii_digit());
    match rest {
        Some(_) if is_self || is_number => PerProcess::Yes,
        None if is_self => PerProcess::Folder,
        _ => PerProcess::No,
    }
}

/// The rest of a per-process path as text; `..` never leads out of it, so the path stays recognisable for what it is.
fn keep_text(mut current: String, mut links: Vec<Link>, mut pending: Vec<Step>) -> Walked {
    let floor = current.len();
    while let Some(step) = pending.pop() {
        match step {
            Step::LinkEnd(index) => finish_link(&mut links, index, &current, false),
            Step::Name(name) if name == ".." => {
                current.truncate(current.rfind('/').unwrap_or(0).max(floor))
            }
            Step::Name(name) => {
                current.push('/');
                current.push_str(&name);
            }
        }
    }
    Walked {
        canonical: current,
        links,
        end: End::PerProcess,
    }
}
/// Whether the last name of a path is longer than any file system takes.
fn name_is_too_long(path: &str) -> bool {
    const LONGEST_NAME: usize = 1024;
    path.rsplit('/')
        .next()
        .is_some_and(|name| name.len() > LONGEST_NAME)
}
