//! A scratch workspace with everything a call passes on its way to a tool.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use sayso_core::analysis::risk::{Risk, Tier};
use sayso_core::analysis::tool_effects::draft;
use sayso_core::answer::verdict::{Confirm, Verdict};
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::terms::Terms;
use sayso_core::text::node::{Node, Value};
use sayso_tools::backups::Limits;
use sayso_tools::files::{Files, Settings, run};
use sayso_tools::result::ToolResult;
use sayso_tools::undo::{self, Which};
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use tempfile::TempDir;

pub struct Ground {
    _dir: TempDir,
    pub ws: PathBuf,
    pub outside: PathBuf,
    pub state: PathBuf,
    pub kit: Files,
    machine: Machine,
}

pub fn quick(limits: Limits) -> Settings {
    Settings {
        limits,
        sync: false,
    }
}

impl Ground {
    /// Runs a part of a test as a user without special rights, to whom all of this belongs.
    pub fn holds_for_nobody(&self, mut program: Command) {
        let root = self.ws.parent().unwrap();
        if rustix::process::geteuid().is_root() {
            const NOBODY: u32 = 65534;
            let all = [
                "",
                "ws",
                "outside",
                "state",
                "state/backups",
                "state/changes",
            ];
            all.iter()
                .for_each(|path| chown(root.join(path), Some(NOBODY), Some(NOBODY)).unwrap());
            program.uid(NOBODY).gid(NOBODY).current_dir("/");
        }
        match program.output() {
            Err(error) => println!(
                "NOT CHECKED: closed folders, as no process of another user could be started: {error}"
            ),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout).into_owned()
                    + &String::from_utf8_lossy(&output.stderr);
                assert!(said.contains("all of it held"), "{said}");
            }
        }
    }

    pub fn new() -> Ground {
        Ground::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Ground {
        let dir = TempDir::new().unwrap();
        Ground::at(dir, limits)
    }

    /// In memory where the system has a place for that: for thousands of rounds, a disk is slow.
    pub fn in_memory() -> Ground {
        let dir = TempDir::new_in("/dev/shm")
            .or_else(|_| TempDir::new())
            .unwrap();
        Ground::at(dir, Limits::default())
    }

    /// In a folder that is there.
    pub fn inside(folder: &Path) -> Ground {
        Ground::at(TempDir::new_in(folder).unwrap(), Limits::default())
    }

    fn at(dir: TempDir, limits: Limits) -> Ground {
        let root = dir.path().canonicalize().unwrap();
        let (ws, outside, state) = (root.join("ws"), root.join("outside"), root.join("state"));
        fs::create_dir(&ws).unwrap();
        fs::create_dir(&outside).unwrap();
        let kit = Files::open(&state, quick(limits)).unwrap();
        let machine = machine(&root);
        Ground {
            _dir: dir,
            ws,
            outside,
            state,
            kit,
            machine,
        }
    }

    pub fn op(&self, tool: &str, args: &[(&str, Node)]) -> Operation {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.op_as(
            tool,
            args,
            &format!("op-{}", NEXT.fetch_add(1, Ordering::Relaxed)),
            None,
        )
    }

    pub fn op_as(
        &self,
        tool: &str,
        args: &[(&str, Node)],
        id: &str,
        batch: Option<&str>,
    ) -> Operation {
        let args = Node::map(args.iter().map(|(key, node)| (*key, node.clone())));
        let call = Call::new(tool, args, self.ws.to_str().unwrap());
        Operation::freeze(Call {
            id: id.to_owned(),
            batch: batch.map(str::to_owned),
            ..call
        })
        .unwrap()
    }

    pub fn judge(&self, operation: &Operation) -> Verdict {
        judge(&self.machine, operation)
    }

    pub fn run(&self, tool: &str, args: &[(&str, &str)]) -> ToolResult {
        let args: Vec<(&str, Node)> = args
            .iter()
            .map(|(key, text)| (*key, Node::text(*text)))
            .collect();
        self.run_nodes(tool, &args)
    }

    pub fn run_nodes(&self, tool: &str, args: &[(&str, Node)]) -> ToolResult {
        let operation = self.op(tool, args);
        run(&self.kit, &operation, &self.judge(&operation))
    }

    /// Runs it, and it must succeed.
    pub fn ok(&self, tool: &str, args: &[(&str, &str)]) -> ToolResult {
        let result = self.run(tool, args);
        assert!(result.success, "{tool} {args:?}: {}", result.error);
        result
    }

    /// Runs it; it must fail, say so, and change nothing.
    pub fn refused(&self, tool: &str, args: &[(&str, &str)]) -> String {
        let before = self.tree();
        let result = self.run(tool, args);
        assert!(!result.success, "{tool} {args:?}: {}", result.output);
        assert!(
            result.error.ends_with("nothing was changed"),
            "{}",
            result.error
        );
        assert!(result.facts.is_empty());
        assert_eq!(before, self.tree(), "{tool} {args:?}");
        result.error
    }

    pub fn undo(&self, which: Which<'_>) -> Result<undo::Undone, String> {
        undo::plan(&self.kit, which)
            .and_then(|plan| undo::apply(&self.kit, &plan, "", "session"))
            .map_err(|error| error.to_string())
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.ws.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.ws.join(path)).unwrap()
    }

    pub fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.ws.join(path)).is_ok()
    }

    pub fn tree(&self) -> BTreeMap<PathBuf, String> {
        tree(&self.ws)
    }
}

pub fn machine(root: &Path) -> Machine {
    let whereabouts = Whereabouts {
        log: None,
        home: Some(root.join("home")),
        config: root.join("config"),
        state: root.join("state"),
        managed: root.join("managed"),
        binary: root.join("bin/sayso"),
        path: Vec::new(),
        uid: 0,
        git_configs: Vec::new(),
        git_ignore: None,
        git_elsewhere: None,
    };
    Machine::new(whereabouts)
}

pub fn judge(machine: &Machine, operation: &Operation) -> Verdict {
    let draft = draft(operation);
    let facts = machine.answer(&operation.cwd(), operation.workspace(), &draft.questions);
    Verdict {
        decision: Decision::Allow,
        risk: Risk::Low,
        tier: Tier::None,
        confirm: Confirm::None,
        reasons: Vec::new(),
        effects: draft.settle(&facts).effects,
        terms: Terms::default(),
        digest: operation.digest(),
        trace: Vec::new(),
        evidence: None,
    }
}

/// Everything below a folder: kinds, permissions, contents, targets.
pub fn tree(top: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode() & 0o7777;
            let what = if metadata.is_dir() {
                open.push(path.clone());
                format!("folder {mode:o}")
            } else if metadata.is_symlink() {
                format!("link {}", fs::read_link(&path).unwrap().display())
            } else if metadata.is_file() {
                format!(
                    "file {mode:o} {}",
                    sayso_core::text::digest::Digest::of_bytes(&fs::read(&path).unwrap())
                )
            } else {
                format!("special {:o}", metadata.mode())
            };
            all.insert(path.strip_prefix(top).unwrap().to_owned(), what);
        }
    }
    all
}

pub fn yes() -> Node {
    Value::Bool(true).into()
}

pub fn number(number: u64) -> Node {
    Value::Number(number.to_string()).into()
}
