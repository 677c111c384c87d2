//! The house rules as tests: what is only written down is only a wish.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "everything here is a test"
)]

mod agents_in_folders;
mod code;
mod edges;
mod errors;
mod findings;
mod leftovers;
mod modules;
mod one_decision;
mod own_files;
mod purity;
mod reasons;
mod rooms;
mod sentences;
mod shape;

use std::path::{Path, PathBuf};
use std::process::Command;

/// One text file of the project.
struct File {
    /// Below the root, with `/`.
    name: String,
    text: String,
}

impl File {
    fn is_rust(&self) -> bool {
        self.name.ends_with(".rs")
    }

    /// The crate's folder name, for files below `crates/`.
    fn krate(&self) -> Option<&str> {
        self.name.strip_prefix("crates/")?.split('/').next()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Every text file that is tracked or about to be: what git ignores is nobody's business here.
fn files() -> Vec<File> {
    let root = root();
    let out = Command::new("git")
        // A checkout that belongs to another user, as in many containers, is still only listed.
        .args([
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(&root)
        .output()
        .expect("git is there");
    assert!(
        out.status.success(),
        "git ls-files: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    let names = String::from_utf8(out.stdout).unwrap();
    let read = |name: &str| {
        let text = std::fs::read(root.join(name))
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok())?;
        Some(File {
            name: name.to_owned(),
            text,
        })
    };
    let files: Vec<File> = names
        .split('\0')
        .filter(|name| !name.is_empty())
        .filter_map(read)
        .collect();
    assert!(files.len() > 100, "only {} files were found", files.len());
    files
}

/// Fails with all violations at once, since fixing them one by one is tedious.
fn none(violations: &[String]) {
    assert!(
        violations.is_empty(),
        "{} violation(s):\n{}",
        violations.len(),
        violations.join("\n")
    );
}
