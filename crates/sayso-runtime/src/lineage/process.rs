//! A process as `/proc` shows it: who started it, when, with which program and environment.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// So far up it is looked.
const MAX_DEPTH: usize = 64;
/// The longest environment that is read.
const MAX_ENVIRONMENT: u64 = 2 << 20;
/// Words of a command line in which the name of a program may stand: behind an interpreter and its options.
const MAX_WORDS: usize = 6;

/// A process, and when it started: a number alone is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub id: u32,
    pub parent: u32,
    /// The process that leads its session.
    pub session: u32,
    /// Its terminal; zero where it has none.
    pub terminal: i64,
    /// When it started, in ticks since the system did.
    pub started: u64,
}

impl Process {
    pub fn of(id: u32) -> Option<Process> {
        Process::from_stat(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    fn from_stat(id: u32, text: &str) -> Option<Process> {
        // The name of a process may hold anything, a `)` among it.
        let fields: Vec<&str> = text
            .get(text.rfind(')')? + 1..)?
            .split_ascii_whitespace()
            .take(20)
            .collect();
        Some(Process {
            id,
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            terminal: fields.get(4)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    /// The first words of its command line.
    pub fn words(self) -> Vec<String> {
        let mut bytes = Vec::new();
        let read = fs::File::open(format!("/proc/{}/cmdline", self.id))
            .and_then(|file| file.take(4096).read_to_end(&mut bytes));
        let words = bytes
            .split(|byte| *byte == 0)
            .take(MAX_WORDS)
            .map(|word| String::from_utf8_lossy(word).into_owned());
        if read.is_ok() {
            words.collect()
        } else {
            Vec::new()
        }
    }

    /// The file that it runs.
    pub fn program(self) -> Option<String> {
        fs::read_link(format!("/proc/{}/exe", self.id))
            .ok()
            .map(|path| path.to_string_lossy().into_owned())
    }

    /// Whether it is this very program.
    pub fn is_sayso(self) -> bool {
        let identity = |path: &Path| {
            fs::metadata(path)
                .ok()
                .map(|found| (found.dev(), found.ino()))
        };
        let own = identity(Path::new("/proc/self/exe"));
        own.is_some() && own == identity(Path::new(&format!("/proc/{}/exe", self.id)))
    }

    /// Whether it may be the agent of this name: a program, a script, or a package of it.
    pub fn is_named(self, name: &str) -> bool {
        let begins = |word: &String| word.split('/').any(|part| part.starts_with(name));
        let last = |word: &String| {
            word.rsplit('/')
                .next()
                .is_some_and(|part| part.starts_with(name))
        };
        let words = self.words();
        // The shell that an agent starts a hook with names the agent, too.
        if words.iter().any(|word| word.contains(" hook ")) {
            return false;
        }
        words.iter().take(2).chain(&self.program()).any(last)
            || words
                .iter()
                .filter(|word| word.starts_with('/'))
                .any(begins)
    }

    /// The one of these names that its program or its script has, exactly.
    pub fn is_one_of(self, names: &[&'static str]) -> Option<&'static str> {
        let bare = |word: &str| {
            let last = word.rsplit('/').next().unwrap_or_default().to_owned();
            [".js", ".mjs", ".cjs"]
                .iter()
                .find_map(|end| last.strip_suffix(end))
                .map_or(last.clone(), str::to_owned)
        };
        let words = self.words();
        let script = words.iter().skip(1).find(|word| !word.starts_with('-'));
        let all: Vec<String> = self
            .program()
            .iter()
            .chain(words.first())
            .chain(script)
            .map(|word| bare(word))
            .collect();
        names
            .iter()
            .copied()
            .find(|name| all.iter().any(|word| word == name))
    }

    /// The first of these variables that it was started with; an error where its environment cannot be read.
    pub fn variable(self, names: &[&'static str]) -> std::io::Result<Option<&'static str>> {
        let mut bytes = Vec::new();
        fs::File::open(format!("/proc/{}/environ", self.id))?
            .take(MAX_ENVIRONMENT)
            .read_to_end(&mut bytes)?;
        let has = |line: &[u8], name: &str| {
            line.strip_prefix(name.as_bytes())
                .is_some_and(|rest| rest.len() > 1 && rest.starts_with(b"="))
        };
        Ok(names
            .iter()
            .copied()
            .find(|name| bytes.split(|byte| *byte == 0).any(|line| has(line, name))))
    }

    /// What a variable was when it was started.
    pub fn value(self, name: &str) -> Option<String> {
        let mut bytes = Vec::new();
        fs::File::open(format!("/proc/{}/environ", self.id))
            .ok()?
            .take(MAX_ENVIRONMENT)
            .read_to_end(&mut bytes)
            .ok()?;
        let found = bytes
            .split(|byte| *byte == 0)
            .find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(String::from_utf8_lossy(found).into_owned())
    }

    /// The name that the kernel has of it.
    pub fn name(self) -> String {
        fs::read_to_string(format!("/proc/{}/comm", self.id))
            .map(|name| name.trim_end().to_owned())
            .unwrap_or_default()
    }

    /// The group of the system that it is in.
    pub fn control_group(self) -> Option<String> {
        fs::read_to_string(format!("/proc/{}/cgroup", self.id)).ok()
    }

    /// Whether it takes over processes whose parent has ended.
    pub fn adopts(self) -> bool {
        self.id == 1 || self.name() == "systemd"
    }
}

/// A process and those above it, the nearest first.
pub(super) fn from(id: u32) -> impl Iterator<Item = Process> {
    std::iter::successors(Process::of(id), |process| {
        (process.parent > 0)
            .then(|| Process::of(process.parent))
            .flatten()
    })
    .take(MAX_DEPTH)
}

/// All processes of the machine.
pub(super) fn all() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Process::of(entry.file_name().to_str()?.parse().ok()?))
}

/// The processes above this one, the nearest first.
pub(super) fn above() -> impl Iterator<Item = Process> {
    from(std::process::id()).skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_moves_no_field() {
        let text = "7 (a) b) S 3 7 5 34816 7 4194304 1 2 3 4 5 6 7 8 20 0 1 0 9876 1 1";
        let found = Process::from_stat(7, text).unwrap();
        assert_eq!(
            found,
            Process {
                id: 7,
                parent: 3,
                session: 5,
                terminal: 34816,
                started: 9876
            }
        );
        assert_eq!(Process::from_stat(7, "7 (a"), None);
    }
}
