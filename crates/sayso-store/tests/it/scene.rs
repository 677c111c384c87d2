//! A state folder to try things in.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sayso_core::text::node::Node;
use sayso_store::verify::{Report, verify};
use sayso_store::{Appended, Journal, Sync};

pub(crate) struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Scene {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state/sayso")
    }

    pub(crate) fn journal(&self) -> Journal {
        Journal::open(&self.state()).unwrap()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.state().join("journal").join(name)
    }

    pub(crate) fn first(&self) -> PathBuf {
        self.file("000001.jsonl")
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.first()).unwrap()
    }

    /// Adds so many entries.
    pub(crate) fn fill(&self, count: u64) -> Vec<Appended> {
        let journal = self.journal();
        (0..count)
            .map(|index| add(&journal, &format!("command {index}")))
            .collect()
    }

    pub(crate) fn verify(&self) -> Report {
        verify(&self.state(), None).unwrap()
    }

    /// The names of the torn files.
    pub(crate) fn torn_files(&self) -> Vec<String> {
        let names = fs::read_dir(self.state().join("journal"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".torn")).collect();
        names.sort();
        names
    }
}

pub(crate) fn add(journal: &Journal, text: &str) -> Appended {
    journal
        .append("decided", vec![("command", Node::text(text))], Sync::System)
        .unwrap()
}

pub(crate) fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}
