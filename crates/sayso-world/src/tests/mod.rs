//! Tests on real file systems: a scratch machine with a home, a workspace and nothing of the real ones.

mod file_patterns;
mod git;
mod git_clean;
mod git_danger;
mod git_outside;
mod git_top;
mod git_tracked;
mod ignore;
mod paths;
mod programs;
mod seal;
mod search;
mod settings;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use sayso_core::analysis::fact::{Fact, Facts, GitFact, PathFact, ProgramFact, Question, Shows};

use crate::locations::Whereabouts;
use crate::machine::Machine;

pub(crate) struct Scratch {
    _folder: tempfile::TempDir,
    /// Free of links.
    pub root: PathBuf,
    pub machine: Machine,
}

pub(crate) fn whereabouts(root: &Path) -> Whereabouts {
    Whereabouts {
        home: Some(root.join("home")),
        config: root.join("home/.config/sayso"),
        state: root.join("home/.local/state/sayso"),
        log: None,
        managed: root.join("etc/sayso"),
        binary: root.join("bin/sayso"),
        path: vec![
            root.join("bin"),
            PathBuf::from("/usr/bin"),
            PathBuf::from("/bin"),
        ],
        uid: rustix::process::geteuid().as_raw(),
        git_configs: vec![
            root.join("home/.config/git/config"),
            root.join("home/.gitconfig"),
        ],
        git_ignore: Some(root.join("home/.config/git/ignore")),
        git_elsewhere: None,
    }
}

impl Scratch {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home", "bin", "ws"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        Scratch {
            machine: Machine::new(whereabouts(&root)),
            _folder: folder,
            root,
        }
    }

    pub fn at(&self, path: &str) -> String {
        self.root.join(path).to_str().unwrap().to_owned()
    }

    pub fn file(&self, path: &str, text: &str) {
        let full = self.root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
        // The person's files are looked at once in a moment; what a test changes there has to be seen.
        if path.contains("home/") {
            std::thread::sleep(std::time::Duration::from_millis(60));
        }
    }

    pub fn folder(&self, path: &str) {
        fs::create_dir_all(self.root.join(path)).unwrap();
    }

    pub fn link(&self, at: &str, to: &str) {
        symlink(to, self.root.join(at)).unwrap();
    }

    pub fn ask(&self, questions: &[Question]) -> Facts {
        self.machine
            .answer(&self.at("ws"), &self.at("ws"), questions)
    }

    fn one(&self, question: Question) -> Option<Fact> {
        self.ask(&[question]).answers.pop().unwrap()
    }

    pub fn path(&self, path: &str) -> Option<PathFact> {
        match self.one(Question::Path {
            path: path.to_owned(),
            no_follow: false,
        })? {
            Fact::Path(fact) => Some(fact),
            other => panic!("{other:?}"),
        }
    }

    pub fn path_itself(&self, path: &str) -> Option<PathFact> {
        match self.one(Question::Path {
            path: path.to_owned(),
            no_follow: true,
        })? {
            Fact::Path(fact) => Some(fact),
            other => panic!("{other:?}"),
        }
    }

    pub fn program(&self, name: &str) -> Option<ProgramFact> {
        match self.one(Question::Program {
            name: name.to_owned(),
        })? {
            Fact::Program(fact) => Some(fact),
            other => panic!("{other:?}"),
        }
    }

    pub fn git(&self, folder: &str) -> GitFact {
        match self.one(Question::GitHelpers {
            folder: folder.to_owned(),
            shows: Shows::default(),
        }) {
            Some(Fact::Git(fact)) => fact,
            other => panic!("{other:?}"),
        }
    }

    /// Runs the real git with nothing of the real person's settings.
    pub fn run_git(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        use std::io::Write as _;
        use std::process::{Command, Stdio};
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(self.root.join("ws"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin")
            .env("HOME", self.root.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        if arguments.contains(&"--global") {
            std::thread::sleep(std::time::Duration::from_millis(60));
        }
        output.stdout
    }
}

/// Root may look into everything, so nothing can be tested there. Says so, since a silent pass would look like coverage.
pub(crate) fn skipped_as_root(test: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if root {
        eprintln!("SKIPPED: {test} needs a user that is not root");
    }
    root
}

#[test]
#[ignore = "a measurement, run by hand: prints the time of a pass"]
fn time_of_a_pass() {
    let scratch = Scratch::new();
    scratch.run_git(&["init", "-q"], b"");
    scratch.file("ws/.gitignore", &"target/\n*.o\n/build\n".repeat(20));
    scratch.file("ws/src/a.rs", "");
    scratch.run_git(&["add", "."], b"");
    // What was just written is read each time.
    std::thread::sleep(std::time::Duration::from_millis(3100));
    let path = Question::Path {
        path: "src/a.rs".to_owned(),
        no_follow: false,
    };
    let program = Question::Program {
        name: "ls".to_owned(),
    };
    let git = Question::GitHelpers {
        folder: ".".to_owned(),
        shows: Shows::default(),
    };
    for questions in [vec![], vec![path], vec![program], vec![git]] {
        let start = std::time::Instant::now();
        for _ in 0..1000 {
            scratch.ask(&questions);
        }
        eprintln!("{:?} for {questions:?}", start.elapsed() / 1000);
    }
}
