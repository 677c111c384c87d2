//! From a profile to the steps that set a sandbox up: pure, in order, and printable.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use sayso_core::policy::terms::Network;
use sayso_core::text::visible::visible;

use crate::profile::{Level, Profile};
use crate::workspace_scan;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A file, or anything else that is none.
    File,
    /// A link, which leads elsewhere.
    Link,
    /// Nothing.
    Missing,
}

/// What was found at the paths of a profile.
pub type Seen = BTreeMap<PathBuf, Kind>;

/// One thing that is done before the command starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A root with nothing in it.
    EmptyRoot,
    /// A file or folder of the machine, as it is, to read and to run.
    ReadOnly(PathBuf),
    /// A file or folder of the machine, to change.
    Writable(PathBuf),
    /// The same, and it cannot be moved away.
    Pinned(PathBuf),
    /// An empty folder of its own, gone at the end.
    Private(PathBuf),
    /// A folder of the session's own, to change, at the place of another one.
    Own(PathBuf, PathBuf),
    /// A folder of the machine at a place that only the sandbox has, to read.
    ReadOnlyAt(PathBuf, PathBuf),
    /// An empty folder that stands before the one of the machine.
    HideFolder(PathBuf),
    /// Nothing can be read or written here, whatever the machine has.
    HideFile(PathBuf),
    /// Nothing is there, and nothing can come to be.
    KeepAbsent(PathBuf),
    /// A file that says what holds anyway stands there, and nothing else can: git does not work with a folder in its place.
    StandIn(PathBuf),
    /// A link that the machine has, too.
    Link(PathBuf, PathBuf),
    /// `/proc` with the command's own processes only.
    Processes,
    /// `/dev` with the harmless devices only.
    Devices,
    /// Nothing more comes to the root.
    SealRoot,
    /// Own users, processes, messages between them, host name and control groups.
    Apart,
    /// No way to more rights: none now, and none by any program.
    NoRights,
    /// System calls that no ordinary work needs are refused.
    Filter,
    /// Which network there is.
    Network(Network),
    /// No process takes more memory, in MiB.
    Memory(u64),
    /// No more processes at once.
    ProcessesAtMost(u64),
    /// It ends after so many seconds.
    Time(u64),
    /// The whole environment, by names.
    Environment(Vec<String>),
    /// Where it starts.
    Folder(PathBuf),
}

/// The steps for a profile, given what stands at its paths.
pub fn plan(profile: &Profile, seen: &Seen) -> Vec<Step> {
    let mut steps = vec![Step::EmptyRoot, Step::Processes, Step::Devices];
    steps.extend(
        profile
            .links
            .iter()
            .map(|(link, to)| Step::Link(link.clone(), to.clone())),
    );
    let places = profile.paths.iter().filter_map(|(path, level)| {
        let above = path
            .parent()
            .map_or(Level::Hidden, |parent| profile.level(parent));
        let kind = seen.get(path).copied().unwrap_or(Kind::Missing);
        match (profile.placed.get(path), level) {
            (Some(from), Level::Private) => {
                return Some(Step::Own(from.clone(), path.clone()));
            }
            (Some(from), Level::Read) => {
                return Some(Step::ReadOnlyAt(from.clone(), path.clone()));
            }
            _ => {}
        }
        place(path, *level, above, kind, profile.pinned.contains(path))
    });
    // Below what is kept absent there is nothing, so it can come last: bubblewrap reads the list of all mounts for each that it binds.
    let (last, first): (Vec<Step>, Vec<Step>) =
        places.partition(|step| matches!(step, Step::KeepAbsent(_)));
    steps.extend(first.into_iter().chain(last));
    steps.push(Step::SealRoot);
    steps.extend([
        Step::Apart,
        Step::NoRights,
        Step::Filter,
        Step::Network(profile.network.clone()),
    ]);
    steps.extend(profile.limits.memory.map(Step::Memory));
    steps.extend(profile.limits.processes.map(Step::ProcessesAtMost));
    steps.extend(profile.limits.time.map(Step::Time));
    let names = profile
        .environment
        .iter()
        .map(|(name, _)| name.to_string_lossy().into_owned());
    steps.push(Step::Environment(names.collect()));
    steps.push(Step::Folder(profile.cwd.clone()));
    steps
}

/// What is done for one path. `above` is what may be done in the folder it is in.
fn place(path: &Path, level: Level, above: Level, kind: Kind, pinned: bool) -> Option<Step> {
    let path = path.to_owned();
    match (kind, level) {
        (Kind::Folder, Level::Write) if pinned => Some(Step::Pinned(path)),
        // What stands there and is let through as its folder is comes with the folder.
        (Kind::Folder | Kind::File, level) if level == above && level != Level::Private => None,
        (Kind::Folder | Kind::File, Level::Write) => Some(Step::Writable(path)),
        (Kind::Folder | Kind::File, Level::Read) => Some(Step::ReadOnly(path)),
        (Kind::Folder, Level::Private) => Some(Step::Private(path)),
        // Where there is a folder of the machine above, its place would have to be made there.
        (Kind::Missing, Level::Private) => (above < Level::Read).then_some(Step::Private(path)),
        (Kind::Folder, Level::Hidden) => (above >= Level::Read).then_some(Step::HideFolder(path)),
        (Kind::File, Level::Hidden | Level::Private) => {
            (above >= Level::Read).then_some(Step::HideFile(path))
        }
        (Kind::Missing, Level::Read) if workspace_scan::stand_in(&path).is_some() => {
            (above == Level::Write).then_some(Step::StandIn(path))
        }
        (Kind::Missing, Level::Hidden | Level::Read) => {
            (above == Level::Write).then_some(Step::KeepAbsent(path))
        }
        (Kind::Missing, Level::Write) => None,
        // A link is judged by where it leads; nothing can be put in its place.
        (Kind::Link, _) => None,
    }
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &Path| visible(&path.to_string_lossy()).into_owned();
        match self {
            Step::EmptyRoot => write!(out, "root          an empty one"),
            Step::ReadOnly(path) => write!(out, "read-only     {}", shown(path)),
            Step::Writable(path) => write!(out, "writable      {}", shown(path)),
            Step::Pinned(path) => write!(out, "writable      {} (cannot be moved)", shown(path)),
            Step::Private(path) => write!(
                out,
                "private       {} (empty at first, gone at the end)",
                shown(path)
            ),
            Step::Own(from, to) => {
                write!(out, "the session's {} (kept in {})", shown(to), shown(from))
            }
            Step::ReadOnlyAt(from, to) => {
                write!(out, "read-only     {} (from {})", shown(to), shown(from))
            }
            Step::HideFolder(path) => write!(out, "hidden        {}/", shown(path)),
            Step::HideFile(path) => write!(out, "hidden        {}", shown(path)),
            Step::KeepAbsent(path) => write!(out, "kept absent   {}", shown(path)),
            Step::StandIn(path) => write!(out, "kept as it is {}", shown(path)),
            Step::Link(link, to) => write!(out, "link          {} -> {}", shown(link), shown(to)),
            Step::Processes => write!(out, "processes     its own only (/proc)"),
            Step::Devices => write!(
                out,
                "devices       null, zero, full, random, urandom, tty, own terminals and shared memory (/dev)"
            ),
            Step::SealRoot => write!(out, "sealed        nothing is added to the root"),
            Step::Apart => write!(
                out,
                "apart         own users, processes, messages, host name, control groups"
            ),
            Step::NoRights => write!(out, "rights        none, and no way to any"),
            Step::Filter => {
                write!(
                    out,
                    "system calls  filtered: mounting, namespaces, tracing, keys, modules, typing into terminals, odd sockets"
                )
            }
            Step::Network(Network::Nothing) => write!(out, "network       none"),
            Step::Network(Network::Hosts(hosts)) => write!(
                out,
                "network       only {} (through a proxy)",
                hosts.join(", ")
            ),
            Step::Network(Network::Everything) => write!(out, "network       all of it"),
            Step::Memory(limit) => write!(out, "memory        {limit} MiB a process"),
            Step::ProcessesAtMost(limit) => write!(out, "processes     {limit} at once"),
            Step::Time(limit) => write!(out, "time          {limit} s"),
            Step::Environment(names) => {
                write!(
                    out,
                    "environment   {}",
                    names
                        .iter()
                        .map(|name| visible(name))
                        .collect::<Vec<_>>()
                        .join(" ")
                )
            }
            Step::Folder(path) => write!(out, "folder        {}", shown(path)),
        }
    }
}
