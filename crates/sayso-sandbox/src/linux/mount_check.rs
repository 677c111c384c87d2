//! What has to be mounted in a sandbox once it is set up, so that it can be compared with what is: bubblewrap goes by names, and another
//! command in the same workspace could put a link in the place of a folder between the plan and the mount.
//!
//! The kernel tells of each mount where in its file system it begins. That cannot be forged: what lies outside of a workspace has a place
//! there that nothing in the workspace has.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::bubblewrap::Handles;
use super::error::SetupError;
use crate::plan::Step;

/// Devices and folders that bubblewrap adds for `--dev` from the machine, and of its own.
const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];
const OWN: [&str; 4] = ["/", "/proc", "/dev", "/dev/pts"];
/// What it may put over parts of `/proc`.
const COVERED: [&str; 4] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];

/// One mount of the machine.
struct Mount {
    device: String,
    root: PathBuf,
    place: PathBuf,
    /// Where it begins looks different in the sandbox.
    relative: bool,
}

/// The list for the check: one line each of
/// - `host DEVICE`: a file system of the machine,
/// - `rw` or `ro`, `DEVICE ROOT PLACE` or `own PLACE`: a mount that must be there, and be read-only or may be anything,
/// - `may`, and the same: one that may be there.
///
/// # Errors
/// If it cannot be told what a step mounts.
pub(crate) fn expected(
    steps: &[Step],
    handles: &Handles,
    mountinfo: &[u8],
) -> Result<Vec<u8>, SetupError> {
    let mounts = read(mountinfo);
    let mut lines: Vec<u8> = Vec::new();
    let mut line = |kind: &str, text: &[u8]| {
        lines.extend_from_slice(kind.as_bytes());
        lines.push(b' ');
        lines.extend_from_slice(text);
        lines.push(b'\n');
    };
    for mount in &mounts {
        line("host", mount.device.as_bytes());
    }
    for place in OWN {
        line("rw", &own(Path::new(place)));
    }
    COVERED
        .iter()
        .for_each(|place| line("may", &own(Path::new(place))));
    for device in DEVICES
        .map(Path::new)
        .iter()
        .filter(|device| device.exists())
    {
        line("may", &bound(&mounts, device, device)?);
    }
    // The terminal, where there is one.
    for terminal in mounts
        .iter()
        .filter(|mount| mount.place == Path::new("/dev/pts"))
    {
        line("terminal", terminal.device.as_bytes());
    }
    let mut sources: Vec<(&Path, &Path, &str)> = Vec::new();
    for step in steps {
        match step {
            Step::ReadOnly(path) | Step::StandIn(path) => sources.push((path, path, "ro")),
            Step::Writable(path) | Step::Pinned(path) => sources.push((path, path, "rw")),
            Step::HideFile(path) => sources.push((&handles.nothing, path, "ro")),
            Step::Private(path) if let Some(from) = handles.shared.get(path) => {
                sources.push((from, path, "rw"))
            }
            Step::Private(path) | Step::HideFolder(path) | Step::KeepAbsent(path) => {
                line("rw", &own(path))
            }
            _ => {}
        }
    }
    // Paths of the plan are free of links: one that has come meanwhile is not followed here.
    for (from, to, kind) in &sources {
        line(kind, &bound(&mounts, from, to)?);
    }
    // What is mounted below comes along.
    for mount in mounts.iter().filter(|mount| {
        sources
            .iter()
            .any(|(from, _, _)| mount.place.starts_with(from) && mount.place != *from)
    }) {
        line("may", &key(mount, &mount.root, &mount.place));
    }
    Ok(lines)
}

/// One mount that the list does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unexpected {
    pub(crate) place: PathBuf,
    /// How a list would name it.
    pub(crate) key: Vec<u8>,
    /// It is of a file system of the machine.
    pub(crate) of_machine: bool,
    pub(crate) is_writable: bool,
}

/// In what a sandbox differs from a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// Places where nothing is mounted, and should be.
    pub(crate) missing: Vec<PathBuf>,
    pub(crate) unexpected: Vec<Unexpected>,
    /// Places that can be written, and should not be.
    pub(crate) writable: Vec<PathBuf>,
    /// Places of the machine that are read-only, and may be written: less than planned, which is no danger.
    pub(crate) read_only: Vec<PathBuf>,
}

/// Whether what is mounted is what the list says: nothing else, nothing missing, and nothing writable that should not be.
pub(crate) fn is_as_planned(list: &[u8], mountinfo: &[u8]) -> bool {
    differences(list, mountinfo).is_some_and(|found| {
        found.missing.is_empty() && found.unexpected.is_empty() && found.writable.is_empty()
    })
}

/// In what the mounts of a sandbox differ from a list; none where one of both cannot be read.
pub(crate) fn differences(list: &[u8], mountinfo: &[u8]) -> Option<Differences> {
    let mut found = Differences::default();
    let (mut want, mut hosts, mut terminals) = (HashMap::new(), HashSet::new(), HashSet::new());
    for line in list
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let at = line.iter().position(|byte| *byte == b' ')?;
        let (kind, rest) = line.split_at(at);
        let key = rest.get(1..).unwrap_or_default();
        match kind {
            b"host" => drop(hosts.insert(key)),
            b"terminal" => drop(terminals.insert(key)),
            // Of two for the same place, the first counts.
            kind => drop(want.entry(key.to_vec()).or_insert((kind, false))),
        }
    }
    for line in mountinfo
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let mut words = line.split(|byte| *byte == b' ').skip(2);
        let (Some(device), Some(root), Some(place), Some(options)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return None;
        };
        let is_read_only = options == b"ro" || options.starts_with(b"ro,");
        let keys = if hosts.contains(device) {
            [device, b" ", root, b" ", place].concat()
        } else {
            [b"own ".as_slice(), place].concat()
        };
        let key = if want.contains_key(&keys) {
            keys.clone()
        } else {
            [device, b" any ", place].concat()
        };
        match want.get_mut(&key) {
            Some((kind, seen)) => {
                if *kind == b"ro" && !is_read_only {
                    found.writable.push(path(place));
                }
                if *kind == b"rw" && is_read_only && hosts.contains(device) {
                    found.read_only.push(path(place));
                }
                *seen = true;
            }
            None if place == b"/dev/console" && terminals.contains(device) => {}
            None => found.unexpected.push(Unexpected {
                place: path(place),
                key: keys,
                of_machine: hosts.contains(device),
                is_writable: !is_read_only,
            }),
        }
    }
    for (key, _) in want
        .iter()
        .filter(|(_, (kind, seen))| !*seen && *kind != b"may")
    {
        let place = key.rsplit(|byte| *byte == b' ').next()?;
        found.missing.push(path(place));
    }
    (!want.is_empty()).then_some(found)
}

/// A path as the kernel wrote it.
fn path(field: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(&unescaped(field)))
}

/// The places of all mounts that a list of the kernel tells of, in its order, and whether each is of a file system that the list of a plan
/// says is the machine's, and can be written.
pub(crate) fn places(list: &[u8], mountinfo: &[u8]) -> Vec<(PathBuf, bool, bool)> {
    let hosts: HashSet<&[u8]> = list
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"host "))
        .collect();
    mountinfo
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let mut words = line.split(|byte| *byte == b' ').skip(2);
            let device = words.next()?;
            let place = words.nth(1)?;
            let options = words.next()?;
            let is_read_only = options == b"ro" || options.starts_with(b"ro,");
            Some((path(place), hosts.contains(device), !is_read_only))
        })
        .collect()
}

/// How a list names a place of the machine that is shown where it is.
pub(crate) fn straight(mountinfo: &[u8], place: &Path) -> Option<Vec<u8>> {
    bound(&read(mountinfo), place, place).ok()
}

fn own(place: &Path) -> Vec<u8> {
    [b"own ".as_slice(), &escaped(place)].concat()
}

fn key(mount: &Mount, root: &Path, place: &Path) -> Vec<u8> {
    let root = if mount.relative {
        b"any".to_vec()
    } else {
        escaped(root)
    };
    [mount.device.as_bytes(), b" ", &root, b" ", &escaped(place)].concat()
}

/// How a path looks that is bound to a place: by the file system it is in, and where it is there.
fn bound(mounts: &[Mount], from: &Path, to: &Path) -> Result<Vec<u8>, SetupError> {
    // The deepest, and of those the last.
    let within = mounts
        .iter()
        .filter(|mount| from.starts_with(&mount.place))
        .max_by_key(|mount| mount.place.components().count());
    let mount = within.ok_or(SetupError::Mounts)?;
    let rest = from.strip_prefix(&mount.place).unwrap_or(from);
    let root = if rest.as_os_str().is_empty() {
        mount.root.clone()
    } else {
        mount.root.join(rest)
    };
    Ok(key(mount, &root, to))
}

fn read(mountinfo: &[u8]) -> Vec<Mount> {
    mountinfo
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let mut fields = line.split(|byte| *byte == b' ').skip(2);
            let device = String::from_utf8_lossy(fields.next()?).into_owned();
            let (root, place) = (path(fields.next()?), path(fields.next()?));
            // Control groups are told from where the asking process is in them, and a sandbox has its own.
            let relative = fields
                .skip_while(|field| *field != b"-")
                .nth(1)
                .is_some_and(|kind| kind.starts_with(b"cgroup"));
            Some(Mount {
                device,
                root,
                place,
                relative,
            })
        })
        .collect()
}

/// As the kernel writes paths there.
fn escaped(path: &Path) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\\' => {
                out.extend_from_slice(format!("\\{byte:03o}").as_bytes())
            }
            _ => out.push(*byte),
        }
    }
    out
}

fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'\\')
            .then(|| after.get(..3))
            .flatten()
            .and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 8).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &[u8] = b"1 0 254:0 / / rw - ext4 /dev/vda rw\n2 1 0:5 / /proc rw - proc proc rw\n3 1 8:1 /@home /home rw - btrfs x rw\n\
                          4 3 8:2 / /home/a\\040b/ws/disk rw - ext4 y rw\n";

    #[test]
    fn the_place_in_the_file_system_is_told() {
        let mounts = read(HOST);
        let at = |path: &str| {
            let within = mounts
                .iter()
                .filter(|mount| Path::new(path).starts_with(&mount.place));
            let mount = within
                .max_by_key(|mount| mount.place.components().count())
                .unwrap();
            (mount.device.clone(), mount.root.clone())
        };
        assert_eq!(at("/home/x"), ("8:1".to_owned(), PathBuf::from("/@home")));
        assert_eq!(
            at("/home/a b/ws/disk/y"),
            ("8:2".to_owned(), PathBuf::from("/"))
        );
        assert_eq!(at("/etc"), ("254:0".to_owned(), PathBuf::from("/")));
        assert_eq!(
            bound(&mounts, Path::new("/etc"), Path::new("/a b")).unwrap(),
            b"254:0 /etc /a\\040b"
        );
    }

    #[test]
    fn what_is_mounted_is_compared_with_the_list() {
        let list = b"host 8:1\nterminal 0:9\nrw own /\nrw 8:1 /ws /ws\nro 8:1 /usr /usr\nmay 8:1 /usr/x /usr/x\nrw 0:7 any /c\n";
        let good = "1 0 0:3 / / ro - tmpfs x rw\n2 1 8:1 /ws /ws rw,nosuid - ext4 x rw\n3 1 8:1 /usr /usr ro,nodev - ext4 x rw\n\
                    4 1 0:7 /odd /c rw - cgroup x rw\n";
        let is = |mountinfo: &str| is_as_planned(list, mountinfo.as_bytes());
        assert!(is(good));
        assert!(is(&format!("{good}5 1 8:1 /usr/x /usr/x ro - ext4 x rw\n")));
        assert!(is(&format!(
            "{good}5 1 0:9 /3 /dev/console rw - devpts x rw\n"
        )));
        // Something else is there, something is elsewhere, is missing, can be written, or cannot be read at all.
        assert!(!is(&format!("{good}5 1 8:1 /home /home ro - ext4 x rw\n")));
        assert!(!is(&format!("{good}5 1 0:3 / /more ro - tmpfs x rw\n")));
        assert!(!is(&good.replace("8:1 /ws /ws", "8:1 /home/.ssh /ws")));
        assert!(!is(
            &good.replace("3 1 8:1 /usr /usr ro,nodev - ext4 x rw\n", "")
        ));
        assert!(!is(&good.replace("/usr ro,nodev", "/usr rw,nodev")));
        assert!(!is(&good.replace("/usr ro,nodev", "/usr root")));
        assert!(!is(&format!("{good}5 3 8:1 /usr /usr rw - ext4 x rw\n")));
        assert!(!is(&format!("{good}half a line\n")));
        assert!(
            !is_as_planned(b"", good.as_bytes())
                && !is_as_planned(b"", b"")
                && !is_as_planned(b"odd\n", good.as_bytes())
        );
    }

    #[test]
    fn odd_names_come_back() {
        for name in [
            "/a b",
            "/tab\there",
            "/new\nline",
            "/back\\slash",
            "/\\040",
            "/naïve",
        ] {
            assert_eq!(
                unescaped(&escaped(Path::new(name))),
                name.as_bytes(),
                "{name:?}"
            );
        }
    }
}
