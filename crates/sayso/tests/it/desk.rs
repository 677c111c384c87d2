//! `sayso run` and `sayso undo` in a scratch world of their own: what they print, what they leave, and what they write down.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use sayso_store::read::Reader;
use sayso_store::verify;
use serde_json::{Value, json};

use crate::program::{Outcome, run};
use crate::scene::Scene;

/// A workspace with files to work on.
pub struct Desk {
    /// The world.
    pub scene: Scene,
}

impl Desk {
    /// A workspace with these files.
    pub fn with(files: &[(&str, &str)]) -> Desk {
        let scene = Scene::empty();
        for (name, content) in files {
            scene.file(name, content);
        }
        Desk { scene }
    }

    /// The batch of the first seed: an edit, a new file, a delete.
    pub fn of_the_seed() -> (Desk, Value) {
        let desk = Desk::with(&[("test.py", "old = 1\n"), ("old.py", "print('old')\n")]);
        let calls = json!([
            {"type": "file_edit", "id": "edit_0", "file": "test.py", "find": "old", "replace": "new"},
            {"type": "file_create", "id": "create_0", "file": "new.py", "content": "print('new')\n"},
            {"type": "file_delete", "id": "delete_0", "file": "old.py"},
        ]);
        (desk, calls)
    }

    /// The program, with nothing of this machine's settings.
    pub fn program(&self) -> Command {
        let mut program = self.scene.program();
        program.env("XDG_CONFIG_HOME", self.scene.home.join(".config"));
        program.env("XDG_STATE_HOME", self.scene.home.join(".local/state"));
        program
    }

    /// Puts a batch beside the workspace.
    pub fn batch(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.scene.home.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// `sayso run` on calls.
    pub fn run(&self, flags: &[&str], calls: &Value) -> Outcome {
        let file = self.batch("calls.json", calls.to_string());
        run(self.program().arg("run").args(flags).arg(file), b"")
    }

    /// `sayso run --json` on calls: the results, and the exit status.
    pub fn results(&self, flags: &[&str], calls: &Value) -> (Value, i32) {
        let flags = [flags, &["--json"]].concat();
        let done = self.run(&flags, calls);
        (read(&done), done.code)
    }

    /// The result of the one call of a batch, and the exit status.
    pub fn result(&self, flags: &[&str], call: Value) -> (Value, i32) {
        let (results, code) = self.results(flags, &json!([call]));
        (results["results"][0].clone(), code)
    }

    /// `sayso undo`.
    pub fn undo(&self, words: &[&str]) -> Outcome {
        run(self.program().arg("undo").args(words), b"")
    }

    /// What can be undone.
    pub fn changes(&self) -> Vec<Value> {
        read(&self.undo(&["--list", "--json"]).is(0, "the list"))
            .as_array()
            .unwrap()
            .clone()
    }

    /// A file of the workspace; none if it is not there.
    pub fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.scene.workspace.join(name)).ok()
    }

    /// Everything in the workspace with its content and permissions.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        walk(&self.scene.workspace, &self.scene.workspace, &mut tree);
        tree
    }

    /// All entries of the record, which must be sound.
    pub fn record(&self) -> Vec<Value> {
        let report = verify::verify(&self.scene.state(), None).unwrap();
        assert!(report.is_sound(), "{:?}", report.faults);
        let reader = Reader::open(&self.scene.state()).unwrap();
        reader
            .forwards()
            .unwrap()
            .map(|entry| serde_json::from_str(&entry.unwrap().text).unwrap())
            .collect()
    }

    /// The entries of one kind.
    pub fn entries(&self, kind: &str) -> Vec<Value> {
        self.record()
            .into_iter()
            .filter(|entry| entry["kind"] == kind)
            .collect()
    }
}

/// Everything below a folder: its path, permissions and content; none for a folder.
pub type Tree = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

fn walk(root: &Path, folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let mode = entry.metadata().unwrap().permissions().mode();
        let content = if kind.is_dir() {
            None
        } else {
            Some(fs::read(&path).unwrap())
        };
        tree.insert(path.strip_prefix(root).unwrap().to_owned(), (mode, content));
        if kind.is_dir() {
            walk(root, &path, tree);
        }
    }
}

/// What a program printed, as JSON.
#[track_caller]
pub fn read(done: &Outcome) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|error| {
        panic!(
            "{error}: status {}, out {:?}, err {:?}",
            done.code, done.out, done.err
        )
    })
}

/// The texts under a key of each value.
pub fn column<'a>(values: &'a Value, key: &str) -> Vec<&'a str> {
    values
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value[key].as_str().unwrap_or("?"))
        .collect()
}
