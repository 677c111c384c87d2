//! The programs of the world in which the corpora are judged: the same names on every machine, whatever is installed there.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sayso_core::policy::decision::Decision;

use crate::scene::Scene;

/// A `PATH` on which nothing is installed.
pub const NOTHING: &str = "/nonexistent/bin";

/// A folder in which every program that a corpus names is a link to one and the same harmless file. The folder is made once and kept beside
/// the build; the judge never starts what it finds there.
pub fn known_programs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("known-programs");
        fs::create_dir_all(&folder).unwrap();
        let file = ["/usr/bin/true", "/bin/true"]
            .into_iter()
            .find(|file| Path::new(file).exists())
            .expect("every system has `true`");
        for name in names() {
            match symlink(file, folder.join(name)) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => panic!("{error}"),
                _ => {}
            }
        }
        folder
    })
}

/// Every word of the corpora that may be the name of a program.
fn names() -> BTreeSet<String> {
    let root = crate::numbers::root().join("corpus");
    let folders = ["verdicts", "shell", "bypasses", "sessions"].map(|folder| root.join(folder));
    let files = folders.iter().flat_map(|folder| {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    });
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "._+-".contains(letter);
    let mut names = BTreeSet::new();
    for text in files.filter_map(|file| fs::read_to_string(file).ok()) {
        let words = text.split(|letter: char| !is_of_name(letter));
        let plain = words.filter(|word| {
            word.len() < 30 && word.starts_with(|letter: char| letter.is_ascii_lowercase())
        });
        names.extend(plain.map(str::to_owned));
    }
    names
}

/// finding W-26: a query of rpm starts a shell and writes `~/.rpmdb`, so it asks; what tells only of rpm itself does not.
#[test]
fn finding_w_26_a_query_of_rpm_asks() {
    let scene = Scene::empty();
    for command in [
        "rpm -qa",
        "rpm -qa --last",
        "rpm -q bash",
        "rpm --query --all",
        "rpm -ql bash | head",
        "sudo rpm -qf /usr/bin/git",
    ] {
        assert_eq!(
            scene.decide(scene.command(command)),
            Decision::Ask,
            "{command}"
        );
    }
    for command in ["rpm --version", "rpm --help"] {
        assert_eq!(
            scene.decide(scene.command(command)),
            Decision::Allow,
            "{command}"
        );
    }
}
