//! What belongs to people in the folders of the system: home folders below `/opt` or `/usr`, and secrets that were put beside programs.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sayso_core::paths::{Entries, secret};

use crate::symlinks;

/// Folders that programs do not start without: of a home folder that is one of them, only the hidden names are taken out.
const VITAL: [&str; 26] = [
    "/",
    "/usr",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/libexec",
    "/usr/share",
    "/usr/include",
    "/usr/games",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/nix",
    "/nix/store",
    "/gnu",
    "/gnu/store",
    "/run/current-system",
    "/System",
    "/private/etc",
];

/// Folders of the system that administrators fill by hand. The vital ones and a few more come with packages.
const FILLED_BY_HAND: [&str; 1] = ["/opt"];
const OF_PACKAGES: [&str; 1] = ["/usr/src"];
/// So many entries of them are looked at before each command, the nearest first, and so many secrets are hidden.
const MOST_ENTRIES: usize = 20_000;
const MOST_SECRETS: usize = 500;
/// Folders of installed things, in which names mean nothing.
const INSTALLED: [&str; 5] = [
    "node_modules",
    "site-packages",
    "dist-packages",
    "__pycache__",
    "gems",
];

/// The first number of an account that is a person's.
const FIRST_PERSON: u32 = 1000;
/// The account without any rights, whose folder is nobody's.
const NOBODY: u32 = 65_534;

/// What no command sees of the folders of the system: this person's home folder, those of others, and secrets. Free of links.
pub(crate) fn hidden_in_system(home: Option<&Path>) -> BTreeSet<PathBuf> {
    let own = rustix::process::getuid().as_raw();
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut hidden: BTreeSet<PathBuf> = filled_by_hand().secrets.iter().cloned().collect();
    let is_vital = |folder: &Path| folder.to_str().is_none_or(|text| VITAL.contains(&text));
    for account in passwd.lines().filter_map(account) {
        let folder = symlinks::resolved(account.home);
        let is_person = account.number == 0
            || account.number == own
            || account.number >= FIRST_PERSON && account.number != NOBODY;
        match (is_person, is_vital(&folder)) {
            (true, false) => drop(hidden.insert(folder)),
            // A folder of programs that a service has as its home.
            (false, false) => hidden.extend(hidden_names(&folder)),
            (_, true) => {}
        }
    }
    match home.map(symlinks::resolved) {
        Some(home) if is_vital(&home) => hidden.extend(hidden_names(&home)),
        home => hidden.extend(home),
    }
    hidden
}

struct Account<'a> {
    number: u32,
    home: &'a Path,
}

fn account(line: &str) -> Option<Account<'_>> {
    let mut fields = line.split(':').skip(2);
    let number = fields.next()?.parse().ok()?;
    let home = fields
        .nth(2)
        .map(Path::new)
        .filter(|home| home.is_absolute())?;
    Some(Account { number, home })
}

/// The entries of a folder whose names begin with a dot: what programs keep there of an account.
fn hidden_names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .collect()
}

/// Sockets in folders that administrators fill: a read-only folder does not keep anybody from connecting.
pub(crate) fn sockets() -> &'static [PathBuf] {
    &filled_by_hand().sockets
}

#[derive(Default)]
struct ByHand {
    secrets: Vec<PathBuf>,
    sockets: Vec<PathBuf>,
}

/// What is in the folders that administrators fill. They are looked through once a process.
fn filled_by_hand() -> &'static ByHand {
    static FOUND: OnceLock<ByHand> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut found = ByHand::default();
        let others = fs::read_dir("/usr")
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        let others = others.filter(|folder| {
            folder
                .to_str()
                .is_none_or(|text| !VITAL.contains(&text) && !OF_PACKAGES.contains(&text))
        });
        for folder in FILLED_BY_HAND
            .map(PathBuf::from)
            .into_iter()
            .chain(others)
            .filter(|folder| !folder.is_symlink())
        {
            look_through(folder, &mut found);
        }
        found
    })
}

fn look_through(top: PathBuf, found: &mut ByHand) {
    let (mut open, mut seen) = (VecDeque::from([top]), 0);
    while let Some(folder) = open
        .pop_front()
        .filter(|_| seen < MOST_ENTRIES && found.secrets.len() < MOST_SECRETS)
    {
        let near = Entries::of(&folder.to_string_lossy(), None);
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            let (name, path) = (entry.file_name(), entry.path());
            let text = name.to_string_lossy();
            let is_secret =
                near.may_be_guarded(&text) && secret(&path.to_string_lossy(), None).is_some();
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => {}
                Ok(kind) if kind.is_socket() => found.sockets.push(path),
                Ok(_) if is_secret => found.secrets.push(path),
                Ok(kind) if kind.is_dir() && !INSTALLED.contains(&&*text) => open.push_back(path),
                _ => {}
            }
        }
    }
}
