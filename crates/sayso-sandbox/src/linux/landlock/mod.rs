//! The partial back end's rules for files and the network, made in the parent and applied in the child.
//!
//! Landlock only ever gives: what is below a folder that was given is given, too. So of a readable folder with something hidden in it, its
//! entries are given one by one; below a writable folder that cannot be done, since new entries must be let through. What is not done is
//! told in words.

mod gaps;

use std::collections::HashMap;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreated, RulesetError, Scope, make_bitflags,
};
use rustix::fs::{Access, AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use sayso_core::policy::terms::Network;
use thiserror::Error as ThisError;

use super::child::add_rule;
use super::path_check;
use crate::plan::{Kind, Seen};
use crate::profile::{Level, Profile};
use crate::symlinks::PLACE;
use crate::symlinks::open;
use crate::workspace_scan::shown;

pub use gaps::lacking;

/// Devices that every program may use.
const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];
/// So many entries are given one by one; what comes after stays hidden.
const MOST_RULES: usize = 20_000;
/// From so many on, entries are given by two threads.
const WORTH_TWO: usize = 64;
/// What no sandbox can do for root.
pub(crate) const UNCOUNTED: &str =
    "the number of processes is not limited, since root's are not counted";

/// Why the rules are not made.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum LandlockError {
    #[error("the kernel does not take the rules of the sandbox: {0}")]
    Ruleset(#[from] RulesetError),
    #[error("the kernel does not take the rules of the sandbox: {0}")]
    Rule(#[from] io::Error),
    #[error("the kernel does not take the rules of the sandbox: half of them was not made")]
    Half,
    #[error("`{}` cannot be opened: the command has no folder for scratch", shown(.0))]
    NoScratch(PathBuf),
}

/// How much of the rules this kernel keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforced {
    /// All of them.
    Fully,
    /// Not all: see [`Rules::lacking`].
    Partly,
    /// None: the kernel has no Landlock, or it is switched off.
    Not,
}

/// Rules, ready to be applied.
#[derive(Debug)]
pub struct Rules {
    /// For [`Child::landlock`](crate::linux::child::Child::landlock); none if the kernel has no Landlock.
    pub fd: Option<OwnedFd>,
    /// How much of them is kept.
    pub enforced: Enforced,
    /// What this kernel lacks, in words.
    pub lacking: Vec<String>,
    /// What of the profile cannot be done this way on any kernel, in words.
    pub not_covered: Vec<String>,
}

/// The version of Landlock that the kernel has; none: it has none, or it is switched off.
pub fn abi() -> Option<i32> {
    i32::try_from(crate::linux::child::landlock_version())
        .ok()
        .filter(|version| *version > 0)
}

/// The rules for a profile. `scratch` is a folder of the command's own, which it writes to instead of `/tmp`.
///
/// # Errors
/// In words, if the kernel has Landlock and does not take the rules, or if the folder for scratch cannot be opened.
pub fn rules(profile: &Profile, scratch: &Path) -> Result<Rules, LandlockError> {
    let abi = abi();
    let lacking = lacking(abi);
    let seen = path_check::look(profile);
    let enforced = match abi {
        None => Enforced::Not,
        Some(_) if lacking.is_empty() => Enforced::Fully,
        Some(_) => Enforced::Partly,
    };
    let known = AccessFs::from_all(abi.map_or(ABI::Unsupported, ABI::from));
    let mut given = Given {
        profile,
        seen: &seen,
        made: created(&profile.network)?.into(),
        known,
        left: MOST_RULES,
    };
    for (path, level, is_given) in
        with_writable_above(profile).filter(|(_, level, _)| *level > Level::Private)
    {
        // What is below a writable folder is given with it, and what is not there is not given.
        let Some(file) = (!is_given && seen.get(path).is_some_and(|kind| is_there(*kind)))
            .then(|| open(path))
            .flatten()
        else {
            continue;
        };
        if level == Level::Write {
            given.place(&file, written())?
        } else {
            given.read(path, file)?
        }
    }
    for device in DEVICES {
        if let Some(file) = open(Path::new(device)) {
            given.add(
                &file,
                make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | IoctlDev}),
            )?;
        }
    }
    if let Some(file) = open(Path::new("/proc")) {
        given.add(&file, make_bitflags!(AccessFs::{ReadFile | ReadDir}))?;
    }
    let place = std::fs::canonicalize(scratch).ok();
    let file = place.as_deref().and_then(open);
    let file = file.ok_or_else(|| LandlockError::NoScratch(scratch.to_owned()))?;
    given.place(&file, written())?;
    let mut not_covered = gaps::not_covered(profile, &seen);
    if given.left == 0 {
        not_covered.push(
            "there is too much beside what is hidden: some of what could be read is hidden, too"
                .to_owned(),
        );
    }
    Ok(Rules {
        fd: given.made,
        enforced,
        lacking,
        not_covered,
    })
}

/// Rules that only keep signals and abstract sockets inside, for a program that sets up the rest itself: mounts are not refused by them.
/// None if the kernel cannot.
///
/// # Errors
/// In words, if the kernel could and does not.
pub fn scope_only() -> Result<Option<OwnedFd>, LandlockError> {
    scope(Scope::from_all(ABI::V6))
}

/// The same for sockets without a file alone: signals are kept in by the processes that a sandbox has to itself.
///
/// # Errors
/// As [`scope_only`].
pub fn scope_sockets() -> Result<Option<OwnedFd>, LandlockError> {
    scope(Scope::AbstractUnixSocket.into())
}

fn scope(scope: BitFlags<Scope>) -> Result<Option<OwnedFd>, LandlockError> {
    if abi().is_none_or(|abi| abi < 6) {
        return Ok(None);
    }
    let made = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(scope)
        .and_then(Ruleset::create);
    Ok(made?.into())
}

/// Everything but devices: a device is made to get at what lies behind it. Sockets of others are for nobody.
fn written() -> BitFlags<AccessFs> {
    AccessFs::from_all(ABI::V8) & !make_bitflags!(AccessFs::{MakeChar | MakeBlock})
}

fn created(network: &Network) -> Result<RulesetCreated, LandlockError> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let rules = rules.handle_access(AccessFs::from_all(ABI::V9))?;
    let rules = rules.scope(Scope::from_all(ABI::V6))?;
    let rules = match network {
        Network::Everything => rules,
        Network::Nothing | Network::Hosts(_) => {
            rules.handle_access(AccessNet::from_all(ABI::V4))?
        }
    };
    Ok(rules.create()?)
}

/// Rules in the making.
struct Given<'a> {
    profile: &'a Profile,
    seen: &'a Seen,
    /// None if the kernel has no Landlock.
    made: Option<OwnedFd>,
    /// The rights that this kernel knows.
    known: BitFlags<AccessFs>,
    /// So many more rules are made.
    left: usize,
}

impl Given<'_> {
    /// Gives a place; of rights for folders, a file gets none.
    fn place(&mut self, place: &OwnedFd, access: BitFlags<AccessFs>) -> Result<(), LandlockError> {
        self.add(place, for_place(place, access)?)
    }

    fn add(&mut self, place: &OwnedFd, access: BitFlags<AccessFs>) -> Result<(), LandlockError> {
        self.left = self.left.saturating_sub(1);
        self.give(place, access)
    }

    /// Gives a place that is known to be a folder, or rights that a file has as well. The library asks what it is each time, and there
    /// may be hundreds of them before each command.
    fn give(&self, place: &OwnedFd, access: BitFlags<AccessFs>) -> Result<(), LandlockError> {
        let Some(made) = &self.made else {
            return Ok(());
        };
        Ok(add_rule(made, place, (access & self.known).bits())?)
    }

    /// Gives a path to read, without what is hidden below.
    fn read(&mut self, top: &Path, place: OwnedFd) -> Result<(), LandlockError> {
        let mut open = vec![(top.to_owned(), place)];
        while let Some((path, place)) = open.pop() {
            let hidden: Vec<Kind> = below(self.profile, &path)
                .filter(|(_, level)| *level < Level::Read)
                .filter_map(|(path, _)| {
                    self.seen
                        .get(path)
                        .copied()
                        .filter(|kind| is_there(*kind) && !is_closed(path, *kind))
                })
                .collect();
            if self.left == 0 {
                return Ok(());
            }
            if hidden.is_empty() {
                self.place(&place, AccessFs::from_read(ABI::V1))?;
                continue;
            }
            // To list a folder is given for all below: not where a folder is hidden. Names of hidden files are seen.
            if !hidden.contains(&Kind::Folder) {
                self.add(&place, AccessFs::ReadDir.into())?;
            }
            // The names that the profile says something of, and whether of them or of what is below.
            let mut known: HashMap<&OsStr, bool> = HashMap::new();
            for (key, _) in below(self.profile, &path) {
                let mut rest = key.strip_prefix(&path).into_iter().flat_map(Path::iter);
                if let Some(name) = rest.next() {
                    *known.entry(name).or_default() |= rest.next().is_none();
                }
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let Ok(folder) =
                rustix::fs::openat(&place, c".", flags, Mode::empty()).and_then(Dir::new)
            else {
                continue;
            };
            let mut plain = Vec::new();
            for entry in folder
                .flatten()
                .filter(|entry| entry.file_type() != FileType::Symlink)
            {
                let name = entry.file_name();
                let inner = OsStr::from_bytes(name.to_bytes());
                // What the profile says something of comes by itself, and what is below that is looked at.
                match known.get(inner) {
                    _ if name == c"." || name == c".." => {}
                    None => plain.push((name.to_owned(), entry.file_type())),
                    Some(true) => {}
                    Some(false) => {
                        let Ok(place) = rustix::fs::openat(&place, name, PLACE, Mode::empty())
                        else {
                            continue;
                        };
                        open.push((path.join(inner), place));
                    }
                }
            }
            plain.truncate(self.left);
            self.left -= plain.len();
            self.entries(&place, &plain)?;
        }
        Ok(())
    }

    /// Gives entries of a folder to read. Where there are many, somebody else takes one half of them: to open each takes the longest.
    fn entries(
        &self,
        folder: &OwnedFd,
        entries: &[(CString, FileType)],
    ) -> Result<(), LandlockError> {
        if entries.len() < WORTH_TWO {
            return self.each(folder, entries);
        }
        let (mine, others) = entries.split_at(entries.len() / 2);
        std::thread::scope(|scope| {
            let other =
                std::thread::Builder::new().spawn_scoped(scope, || self.each(folder, others));
            self.each(folder, mine)?;
            match other {
                Ok(other) => other.join().unwrap_or(Err(LandlockError::Half)),
                Err(_) => self.each(folder, others),
            }
        })
    }

    fn each(&self, folder: &OwnedFd, entries: &[(CString, FileType)]) -> Result<(), LandlockError> {
        for (name, kind) in entries {
            let Ok(place) = rustix::fs::openat(folder, name, PLACE, Mode::empty()) else {
                continue;
            };
            let access = match kind {
                FileType::Directory => AccessFs::from_read(ABI::V1),
                FileType::Unknown => for_place(&place, AccessFs::from_read(ABI::V1))?,
                _ => make_bitflags!(AccessFs::{ReadFile | Execute}),
            };
            self.give(&place, access)?;
        }
        Ok(())
    }
}

/// The rights of these that a place can have: a file has none of those for folders.
fn for_place(
    place: &OwnedFd,
    access: BitFlags<AccessFs>,
) -> Result<BitFlags<AccessFs>, LandlockError> {
    let found = rustix::fs::fstat(place).map_err(io::Error::from)?;
    let is_folder = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
    Ok(if is_folder {
        access
    } else {
        access & AccessFs::from_file(ABI::V9)
    })
}

fn is_there(kind: Kind) -> bool {
    matches!(kind, Kind::Folder | Kind::File)
}

/// Whether a path is closed to the user anyway: then it need not be hidden, and the folder it is in can be given whole.
fn is_closed(path: &Path, kind: Kind) -> bool {
    let me = rustix::process::geteuid();
    let wanted = if kind == Kind::Folder {
        Access::EXEC_OK
    } else {
        Access::READ_OK
    };
    // The way to it is open, so it is its own mode that closes it, and its owner alone could change that.
    !me.is_root()
        && open(path).is_some()
        && std::fs::symlink_metadata(path).is_ok_and(|found| found.uid() != me.as_raw())
        && rustix::fs::accessat(CWD, path, wanted, AtFlags::EACCESS) == Err(Errno::ACCESS)
}

/// What a profile says, and whether it does so of something in a writable folder. Folders come right before what is in them.
fn with_writable_above(profile: &Profile) -> impl Iterator<Item = (&PathBuf, Level, bool)> {
    let mut writable: Option<&Path> = None;
    profile.paths.iter().map(move |(path, level)| {
        writable = writable.filter(|folder| path.starts_with(folder));
        let is_given = writable.is_some();
        if *level == Level::Write && !is_given {
            writable = Some(path);
        }
        (path, *level, is_given)
    })
}

/// What a profile says of paths below a path.
fn below<'a>(profile: &'a Profile, path: &'a Path) -> impl Iterator<Item = (&'a PathBuf, Level)> {
    let after = profile
        .paths
        .range::<Path, _>((std::ops::Bound::Excluded(path), std::ops::Bound::Unbounded));
    after
        .take_while(move |(key, _)| key.starts_with(path))
        .map(|(key, level)| (key, *level))
}
