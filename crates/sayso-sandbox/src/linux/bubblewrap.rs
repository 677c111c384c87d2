//! Steps as arguments of bubblewrap, and what bubblewrap says of itself.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

use sayso_core::policy::terms::Network;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};

use crate::plan::Step;

/// Where bubblewrap is, the places that only an administrator can write first. What `PATH` says has no part in it.
const PLACES: [&str; 5] = [
    "/usr/bin/bwrap",
    "/bin/bwrap",
    "/run/wrappers/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
    "/usr/local/bin/bwrap",
];

/// Everything that bubblewrap is told besides the steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handles {
    /// The filter of system calls.
    pub(crate) filter: Option<RawFd>,
    /// Where it writes how the command ended.
    pub(crate) status: Option<RawFd>,
    /// A file that nobody can read.
    pub(crate) nothing: PathBuf,
    /// Folders of the machine that stand where a command would get an empty one: those of its session.
    pub(crate) shared: BTreeMap<PathBuf, PathBuf>,
}

/// The program, where it is.
pub(crate) fn program() -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let runs = |place: &&&str| {
        std::fs::metadata(place)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    PLACES.iter().find(runs).map(PathBuf::from)
}

/// The arguments for steps, up to the command.
pub(crate) fn arguments(steps: &[Step], handles: &Handles) -> Vec<OsString> {
    let mut out = List(Vec::new());
    out.words(&["--die-with-parent"]);
    for step in steps {
        match step {
            // It begins with one.
            Step::EmptyRoot => {}
            Step::ReadOnly(path) | Step::StandIn(path) => out.bind("--ro-bind", path, path),
            Step::Writable(path) | Step::Pinned(path) => out.bind("--bind", path, path),
            Step::Own(from, to) => out.bind("--bind", from, to),
            Step::ReadOnlyAt(from, to) => out.bind("--ro-bind", from, to),
            Step::Private(path) if let Some(from) = handles.shared.get(path) => {
                out.bind("--bind", from, path)
            }
            Step::Private(path) => {
                out.words(&[
                    "--perms",
                    if path.ends_with("tmp") {
                        "1777"
                    } else {
                        "0700"
                    },
                    "--tmpfs",
                ]);
                out.path(path);
            }
            // What is made in it is its own and gone at the end; to make it read-only would cost bubblewrap a look at every mount.
            Step::HideFolder(path) | Step::KeepAbsent(path) => {
                out.words(&["--perms", "0555", "--tmpfs"]);
                out.path(path);
            }
            Step::HideFile(path) => out.bind("--ro-bind", &handles.nothing, path),
            Step::Link(link, to) => out.bind("--symlink", to, link),
            // Root could write what root owns there (`/proc/sys`), even without any right: the mount is what refuses it.
            Step::Processes => out.words(&["--proc", "/proc", "--remount-ro", "/proc"]),
            Step::Devices => out.words(&["--dev", "/dev"]),
            Step::SealRoot => out.words(&["--remount-ro", "/"]),
            Step::Apart => out.words(&[
                "--unshare-user",
                "--unshare-ipc",
                "--unshare-pid",
                "--unshare-uts",
                "--unshare-cgroup-try",
            ]),
            Step::NoRights => out.words(&["--cap-drop", "ALL"]),
            Step::Filter => handles
                .filter
                .iter()
                .for_each(|filter| out.words(&["--seccomp", &filter.to_string()])),
            Step::Network(Network::Everything) => {}
            Step::Network(Network::Nothing | Network::Hosts(_)) => out.words(&["--unshare-net"]),
            // The child sets them before it becomes bubblewrap, and whoever waits for it keeps the time.
            Step::Memory(_) | Step::ProcessesAtMost(_) | Step::Time(_) => {}
            // The command gets it from the step before it, which has none of it.
            Step::Environment(_) => out.words(&["--clearenv"]),
            Step::Folder(path) => {
                out.words(&["--chdir"]);
                out.path(path);
            }
        }
    }
    if let Some(status) = handles.status {
        out.words(&["--json-status-fd", &status.to_string()]);
    }
    out.0
}

struct List(Vec<OsString>);

impl List {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn path(&mut self, path: &Path) {
        self.0.push(path.as_os_str().to_owned());
    }

    fn bind(&mut self, how: &str, from: &Path, to: &Path) {
        self.words(&[how]);
        self.path(from);
        self.path(to);
    }
}

/// The first process of the sandbox, from what bubblewrap wrote of it.
pub(crate) fn first_process(status: &str) -> Option<i32> {
    let limits = Limits {
        bytes: 4096,
        depth: 4,
        nodes: 64,
    };
    let number = |line: &str| match &json::read(line, &limits).ok()?.get("child-pid")?.value {
        Value::Number(text) => text.parse().ok(),
        _ => None,
    };
    status.lines().find_map(number)
}

/// Whether the command itself was started, from what bubblewrap wrote of it: without that, it failed before.
pub(crate) fn has_started(status: &str) -> bool {
    let limits = Limits {
        bytes: 4096,
        depth: 4,
        nodes: 64,
    };
    let ended = |line: &str| {
        json::read(line, &limits)
            .ok()
            .and_then(|node: Node| node.get("exit-code").map(|_| ()))
            .is_some()
    };
    status.lines().any(ended)
}
