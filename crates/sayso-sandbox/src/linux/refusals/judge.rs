//! Which calls the sandbox will refuse, and with which error: by the mounts as they are for the caller, and the profile where nothing is there.
//!
//! Nothing outside of the sandbox is looked at: what is hidden must not be found out by what is said of it.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::read_to_string;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;
use rustix::io::Errno;
use sayso_core::policy::terms::Network;

use super::calls::{Call, Flags, WRITES};
use super::listener::Waiting;
use super::notes::Notes;
use super::view::{Found, View};
use crate::explain::{is_made, without_links};
use crate::profile::{Level, Profile};
use crate::refusal::{Kind, Refusal, Refused, Source, is_own};

/// The longest address of a socket.
const MAX_ADDRESS: usize = 128;
/// How often it is looked whether a port is listened on.
const MAX_PORT_LOOKS: usize = 64;
/// How many writable folders are remembered.
const MAX_WRITABLE: usize = 10_000;
/// Ports below this take rights, as long as nothing else is set.
const FIRST_FREE_PORT: u16 = 1024;
/// A program gets the rights of its owner.
const SET_USER: u32 = 0o4000;
/// Sockets that the C library tries for every name of a user or host, and does without.
const TRIED_BY_LIBRARIES: [&str; 3] = ["nscd/socket", "systemd/userdb", "io.systemd."];

/// What is judged by.
#[derive(Debug)]
pub(super) struct Judge {
    profile: Profile,
    /// Made with the first call.
    view: Option<View>,
    /// Who runs it: user, then all groups.
    user: u32,
    groups: Vec<u32>,
    /// Folders that were found writable, by the names that callers have for them. One that is replaced by a link to another place later is not
    /// looked at again: then something is not noted that might have been.
    writable: HashSet<PathBuf>,
    /// The last names of all paths of the profile.
    mounted_names: HashSet<OsString>,
    ports: BTreeSet<u16>,
    port_looks: usize,
}

/// What will be refused.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    what: Refused,
    errno: i32,
    also_outside: bool,
}

impl Judge {
    pub(super) fn new(profile: &Profile) -> Judge {
        let groups = rustix::process::getgroups().unwrap_or_default();
        let own = rustix::process::getegid().as_raw();
        Judge {
            profile: profile.clone(),
            view: None,
            user: rustix::process::geteuid().as_raw(),
            groups: groups
                .into_iter()
                .map(rustix::fs::Gid::as_raw)
                .chain([own])
                .collect(),
            writable: HashSet::new(),
            mounted_names: profile
                .paths
                .keys()
                .filter_map(|path| path.file_name())
                .map(OsStr::to_owned)
                .collect(),
            ports: BTreeSet::new(),
            port_looks: 0,
        }
    }

    /// What the sandbox will refuse of a call, if it is anything new.
    pub(super) fn look(&mut self, waiting: &Waiting, call: Call, notes: &Notes) -> Option<Refusal> {
        let kind = match call {
            Call::Exec(_) | Call::Identity(..) => Kind::Program,
            Call::Connect | Call::Bind => Kind::Network,
            _ => Kind::Write,
        };
        if notes.is_full(kind) {
            return None;
        }
        if self.view.is_none() {
            self.view = View::of(waiting.thread);
        }
        let answer = match call {
            Call::Connect => self.connect(waiting, notes),
            Call::Bind => self.bind(waiting),
            Call::Identity(name, count) => self.identity(waiting, name, count),
            Call::Exec(place) => self.exec(&waiting.path(place)?, notes),
            Call::Open(place, flags) => {
                let flags = flags_of(waiting, flags)?;
                (flags & WRITES != 0).then_some(())?;
                self.open(&waiting.path(place)?, flags)
            }
            Call::Create(place) => self.create(&waiting.path(place)?),
            Call::Change(place, follow) => self.change(&waiting.path(place)?, follow),
            Call::Owner(place, ids) => {
                let path = waiting.path(place)?;
                self.change(&path, true)
                    .or_else(|| self.owner(waiting, path, ids))
            }
            Call::Delete(place) => self.delete(&waiting.path(place)?),
            Call::Rename(from, to) => self
                .delete(&waiting.path(from)?)
                .or_else(|| self.replace(&waiting.path(to)?)),
        }?;
        if notes.holds(&answer.what) {
            return None;
        }
        Some(Refusal {
            what: answer.what,
            errno: Some(answer.errno),
            program: waiting.program(),
            pid: Some(waiting.thread),
            source: Source::Kernel,
            also_outside: answer.also_outside,
        })
    }

    fn find(&self, path: &Path, follow: bool) -> Result<Found, Errno> {
        let view = self.view.as_ref().ok_or(Errno::ACCESS)?;
        view.find(path, follow)
    }

    fn open(&mut self, path: &Path, flags: i32) -> Option<Answer> {
        let makes = flags & libc::O_CREAT != 0;
        let follow = flags & libc::O_NOFOLLOW == 0 && (!makes || flags & libc::O_EXCL == 0);
        match self.find(path, follow) {
            Ok(_) if makes && flags & libc::O_EXCL != 0 => None,
            // Truncating asks for the mount before it asks for the mode.
            Ok(file) => self.read_only(&file, flags & libc::O_TRUNC != 0),
            Err(Errno::NOENT) if makes => self.create(path),
            Err(Errno::NOENT) => self.hidden(path, Refused::Write),
            Err(_) => None,
        }
    }

    fn change(&self, path: &Path, follow: bool) -> Option<Answer> {
        match self.find(path, follow) {
            Ok(file) => self.read_only(&file, true),
            Err(Errno::NOENT) => self.hidden(path, Refused::Write),
            Err(_) => None,
        }
    }

    /// Of a file that is there: its mount.
    fn read_only(&self, file: &Found, mount_first: bool) -> Option<Answer> {
        let path = file.is_read_only().then(|| file.name())??;
        if is_made(&path) {
            return None;
        }
        let stat = file.stat()?;
        let hidden = self.profile.level(&path) == Level::Hidden;
        let denied = !hidden && !self.may_write(&stat);
        Some(Answer {
            what: Refused::Write(path),
            errno: if (hidden || denied) && !mount_first {
                libc::EACCES
            } else {
                libc::EROFS
            },
            also_outside: denied,
        })
    }

    /// Of what is not there yet: the mount of its folder. What is there already is told by the kernel.
    fn create(&mut self, path: &Path) -> Option<Answer> {
        if self.is_plainly_writable(path) {
            return None;
        }
        match self.find(path, false) {
            Err(Errno::NOENT) => self.in_folder(path, Refused::Create),
            _ => None,
        }
    }

    fn in_folder(&mut self, path: &Path, what: fn(PathBuf) -> Refused) -> Option<Answer> {
        let (parent, name) = (path.parent()?, path.file_name()?);
        if self.writable.contains(parent) {
            return None;
        }
        let folder = match self.find(parent, true) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return self.hidden(path, what),
            Err(_) => return None,
        };
        let (place, stat) = (folder.name()?, folder.stat()?);
        let errno = if folder.is_read_only() {
            libc::EROFS
        } else if self.stands_before(&place, &stat) {
            libc::EACCES
        } else {
            if self.writable.len() < MAX_WRITABLE {
                self.writable.insert(parent.to_owned());
            }
            return None;
        };
        let path = place.join(name);
        (!is_made(&path)).then(|| Answer {
            what: what(path),
            errno,
            also_outside: errno == libc::EROFS && !self.may_write(&stat),
        })
    }

    /// Whether a path is in a writable folder, under a name that nothing is mounted at: only what the profile names is.
    fn is_plainly_writable(&self, path: &Path) -> bool {
        path.parent()
            .is_some_and(|parent| self.writable.contains(parent))
            && !path
                .file_name()
                .is_some_and(|name| self.mounted_names.contains(name))
    }

    /// Whether a folder is the empty one that keeps what is hidden or absent from sight.
    fn stands_before(&self, folder: &Path, stat: &Stat) -> bool {
        matches!(self.profile.level(folder), Level::Hidden | Level::Read)
            && stat.st_mode & 0o222 == 0
    }

    /// Of what is not there, whether it exists outside or not: the profile.
    fn hidden(&self, path: &Path, what: fn(PathBuf) -> Refused) -> Option<Answer> {
        let path = without_links(&self.profile, path);
        let within_private = path
            .ancestors()
            .any(|above| self.profile.paths.get(above) == Some(&Level::Private));
        let counts =
            self.profile.level(&path) == Level::Hidden && !within_private && !is_made(&path);
        counts.then(|| Answer {
            what: what(path),
            errno: libc::ENOENT,
            also_outside: false,
        })
    }

    fn delete(&mut self, path: &Path) -> Option<Answer> {
        if self.is_plainly_writable(path) {
            return None;
        }
        let file = self.find(path, false).ok()?;
        if file.is_mount() {
            let path = file.name().filter(|path| !is_made(path))?;
            return Some(Answer {
                what: Refused::Delete(path),
                errno: libc::EBUSY,
                also_outside: false,
            });
        }
        self.in_folder(path, Refused::Delete)
    }

    /// Of what a file is moved to: something that is mounted there stays.
    fn replace(&mut self, path: &Path) -> Option<Answer> {
        if self.is_plainly_writable(path) {
            return None;
        }
        match self.find(path, false) {
            Ok(file) if file.is_mount() => Some(Answer {
                what: Refused::Write(file.name()?),
                errno: libc::EBUSY,
                also_outside: false,
            }),
            Ok(_) => None,
            Err(Errno::NOENT) => self.in_folder(path, Refused::Create),
            Err(_) => None,
        }
    }

    /// Users that the sandbox does not know get nothing; only root could give anything away.
    fn owner(&self, waiting: &Waiting, path: PathBuf, ids: usize) -> Option<Answer> {
        let foreign = [ids, ids + 1]
            .into_iter()
            .any(|index| self.is_foreign(waiting.integer(index)));
        let name = self.find(&path, true).ok()?.name()?;
        foreign.then_some(Answer {
            what: Refused::Owner(name),
            errno: libc::EINVAL,
            also_outside: false,
        })
    }

    fn identity(&self, waiting: &Waiting, name: &'static str, count: usize) -> Option<Answer> {
        let foreign = (0..count).any(|index| self.is_foreign(waiting.integer(index)));
        foreign.then_some(Answer {
            what: Refused::SystemCall(name),
            errno: libc::EINVAL,
            also_outside: false,
        })
    }

    /// Whether it is a user or group that root has outside only; `-1` is for none.
    fn is_foreign(&self, id: i32) -> bool {
        self.user == 0 && id != 0 && id != -1
    }

    fn exec(&self, path: &Path, notes: &Notes) -> Option<Answer> {
        match self.find(path, true) {
            Ok(file) => {
                let stat = file.stat()?;
                let name = file.name()?;
                if self.profile.level(&name) == Level::Hidden && file.is_mount() {
                    return Some(Answer {
                        what: Refused::Exec(name),
                        errno: libc::EACCES,
                        also_outside: false,
                    });
                }
                notes.has_run(path.file_name());
                let gains = stat.st_mode & SET_USER != 0 && stat.st_uid != self.user;
                gains.then_some(Answer {
                    what: Refused::Privilege(name),
                    errno: libc::EPERM,
                    also_outside: false,
                })
            }
            // A search goes through many folders; one is enough.
            Err(Errno::NOENT) if !notes.misses(path) => self.hidden(path, Refused::Exec),
            Err(_) => None,
        }
    }

    fn connect(&mut self, waiting: &Waiting, notes: &Notes) -> Option<Answer> {
        match address(waiting)? {
            Address::Internet(..) if self.profile.network == Network::Everything => None,
            Address::Internet(address, port) if is_own(address) => {
                if self.is_listened_on(waiting.thread, port) {
                    notes.has_listener(port);
                    return None;
                }
                (self.port_looks < MAX_PORT_LOOKS).then_some(Answer {
                    what: Refused::Connect { address, port },
                    errno: libc::ECONNREFUSED,
                    also_outside: false,
                })
            }
            Address::Internet(address, port) => Some(Answer {
                what: Refused::Connect { address, port },
                errno: libc::ENETUNREACH,
                also_outside: false,
            }),
            Address::File(path) => {
                let path = match path.is_absolute() {
                    true => path,
                    false => waiting.folder(None)?.join(path),
                };
                let text = path.to_string_lossy();
                if TRIED_BY_LIBRARIES.iter().any(|name| text.contains(name)) {
                    return None;
                }
                match self.find(&path, true) {
                    Ok(file) if file.is_mount() => {
                        let name = file.name()?;
                        (self.profile.level(&name) == Level::Hidden).then_some(Answer {
                            what: Refused::Socket(name),
                            errno: libc::EACCES,
                            also_outside: false,
                        })
                    }
                    Err(Errno::NOENT) => self.hidden(&path, Refused::Socket),
                    _ => None,
                }
            }
        }
    }

    /// Low ports are root's outside.
    fn bind(&self, waiting: &Waiting) -> Option<Answer> {
        match address(waiting)? {
            Address::Internet(_, port)
                if self.user == 0 && (1..FIRST_FREE_PORT).contains(&port) =>
            {
                Some(Answer {
                    what: Refused::Listen { port },
                    errno: libc::EACCES,
                    also_outside: false,
                })
            }
            _ => None,
        }
    }

    /// Whether a port of the sandbox is listened on; what once was is not looked for again.
    fn is_listened_on(&mut self, thread: u32, port: u16) -> bool {
        if self.ports.contains(&port) {
            return true;
        }
        if self.port_looks == MAX_PORT_LOOKS {
            return false;
        }
        self.port_looks += 1;
        let listens = ["tcp", "tcp6", "udp", "udp6"].into_iter().any(|table| {
            let text = read_to_string(format!("/proc/{thread}/net/{table}")).unwrap_or_default();
            has_listener(&text, port)
        });
        if listens {
            self.ports.insert(port);
        }
        listens
    }

    /// Whether owner and mode let this user write.
    fn may_write(&self, stat: &Stat) -> bool {
        let bit = match () {
            () if self.user == 0 => return true,
            () if stat.st_uid == self.user => 0o200,
            () if self.groups.contains(&stat.st_gid) => 0o020,
            () => 0o002,
        };
        stat.st_mode & bit != 0
    }
}

fn flags_of(waiting: &Waiting, flags: Flags) -> Option<i32> {
    match flags {
        Flags::These(flags) => Some(flags),
        Flags::Argument(index) => Some(waiting.integer(index)),
        Flags::Behind(index) => {
            let mut bytes = [0; 4];
            let read = waiting.read(waiting.argument(index), &mut bytes);
            (read == bytes.len()).then(|| i32::from_le_bytes(bytes))
        }
    }
}

/// Where a socket goes.
enum Address {
    Internet(IpAddr, u16),
    File(PathBuf),
}

fn address(waiting: &Waiting) -> Option<Address> {
    let mut bytes = [0; MAX_ADDRESS];
    let length = usize::try_from(waiting.integer(2)).ok()?.min(MAX_ADDRESS);
    let read = waiting.read(waiting.argument(1), bytes.get_mut(..length)?);
    parse_address(bytes.get(..read)?)
}

fn parse_address(bytes: &[u8]) -> Option<Address> {
    let (family, rest) = bytes.split_first_chunk()?;
    let family = i32::from(u16::from_ne_bytes(*family));
    if family == libc::AF_UNIX {
        let end = rest
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| !name.is_empty())?;
        return Some(Address::File(PathBuf::from(OsStr::from_bytes(name))));
    }
    let (port, rest) = rest.split_first_chunk()?;
    let port = u16::from_be_bytes(*port);
    match family {
        libc::AF_INET => {
            let address: &[u8; 4] = rest.first_chunk()?;
            Some(Address::Internet(Ipv4Addr::from(*address).into(), port))
        }
        libc::AF_INET6 => {
            let address: &[u8; 16] = rest.get(4..)?.first_chunk()?;
            let address = IpAddr::from(Ipv6Addr::from(*address));
            Some(Address::Internet(address.to_canonical(), port))
        }
        _ => None,
    }
}

/// Whether a table of sockets has one that listens on a port.
fn has_listener(table: &str, port: u16) -> bool {
    /// A TCP socket that listens, and a UDP socket that is bound.
    const STATES: [&str; 2] = ["0A", "07"];
    table.lines().skip(1).any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (own, _, state) = (words.next(), words.next(), words.next());
        let own = own.and_then(|own| u16::from_str_radix(own.rsplit(':').next()?, 16).ok());
        own == Some(port) && state.is_some_and(|state| STATES.contains(&state))
    })
}
