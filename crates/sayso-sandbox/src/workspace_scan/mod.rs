//! What is in a folder that a command works in: what is protected there, what is secret, and where git keeps its own.

mod git;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, RawDirEntry, statat};
use rustix::io::Errno;
use sayso_core::paths::{Entries, protected, secret, secret_folder};
use sayso_core::text::redact::redact_text;
use sayso_core::text::visible::visible;
use thiserror::Error as ThisError;

use crate::workspace_scan::git::MOST_CONFIGURATION;

/// Entries that are looked at before a folder is too large to be bounded.
const MOST_ENTRIES: usize = 400_000;
/// So many protected and secret things; each takes a mount of its own.
const MOST_FINDINGS: usize = 2_000;
/// Bytes of names that are read at a time.
const ROOM: usize = 32 * 1024;

/// Folders of installed things: most names in them came with packages, and mean nothing for this workspace. But git obeys what stands in a
/// repository anywhere, and the policy means what it says.
const INSTALLED: [&str; 6] = [
    "node_modules",
    "site-packages",
    "__pycache__",
    ".tox",
    "bower_components",
    ".terraform",
];
/// Folders that are often so, and sometimes hold something of the person's own: files with secrets stay secret there.
const OFTEN_INSTALLED: [&str; 2] = ["target", "vendor"];

/// Whose names a walk is among.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Among {
    Own,
    OftenInstalled,
    Installed,
}

impl Among {
    fn below(self, name: &OsStr) -> Among {
        let by_name = match () {
            () if INSTALLED.iter().any(|one| name == *one) => Among::Installed,
            () if OFTEN_INSTALLED.iter().any(|one| name == *one) => Among::OftenInstalled,
            () => Among::Own,
        };
        self.max(by_name)
    }
}

/// The file by which a folder of git says where its configuration is.
pub const ELSEWHERE: &str = "commondir";
/// The file with settings of one working tree only.
pub const OF_ONE_TREE: &str = "config.worktree";

/// What stands in for a file of git that must not come to be: git works with it as without.
pub fn stand_in(path: &Path) -> Option<&'static [u8]> {
    match path.file_name()?.to_str()? {
        // Its configuration is where it is anyway.
        ELSEWHERE => Some(b".\n"),
        OF_ONE_TREE => Some(b"# none\n"),
        _ => None,
    }
}

/// What a folder has that git takes for one of its own: the first, and the next two or the last.
const BARE: [&str; 4] = ["HEAD", "objects", "refs", ELSEWHERE];

/// What was found. All paths are below the folder, and free of links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What is protected from silent changes.
    pub protected: Vec<PathBuf>,
    /// What must not be read.
    pub secret: Vec<PathBuf>,
    /// Folders of git, whose place must not change.
    pub repositories: Vec<PathBuf>,
    /// What git runs or obeys by itself; it may not exist yet.
    pub kept_by_git: Vec<PathBuf>,
    /// Files that lead git to a folder of its own, and folders that git takes for one by their shape.
    pub like_repositories: Vec<PathBuf>,
    /// Links with protected or secret names, and where they lead: nothing can be put over a link.
    pub links: BTreeMap<PathBuf, PathBuf>,
    /// Sockets: somebody outside may listen there.
    pub sockets: Vec<PathBuf>,
    /// What is in folders of git, and leads it elsewhere or has it run something.
    pub leading: Vec<PathBuf>,
    /// Folders of installed packages, which may be hard links to a cache.
    pub installed: Vec<PathBuf>,
    /// Folders that could not be looked into.
    pub closed: Vec<PathBuf>,
    /// Why not everything was looked at.
    pub unseen: Option<ScanError>,
}

/// Why not everything in a folder was looked at.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum ScanError {
    #[error("there is too much below `{}` to be bounded by a sandbox", shown(.0))]
    TooMuch(PathBuf),
    #[error("`{}` cannot be looked at: {error}", shown(.path))]
    Unseen { path: PathBuf, error: Errno },
}

/// What a walk looks for.
struct Walk<'a> {
    folder: &'a Path,
    home: Option<&'a str>,
    extra: &'a dyn Fn(&Path) -> bool,
    /// So many entries are looked at.
    most: usize,
    /// What was found before the command; none if this is the look before it.
    before: Option<&'a Found>,
    /// Folders that could not be looked into before the command.
    closed: HashSet<&'a Path>,
    /// The repositories that were found, to know each once.
    repositories: HashSet<PathBuf>,
    found: Found,
}

impl Found {
    /// Walks a folder by names alone; no link is followed.
    ///
    /// # Errors
    /// If it is too large, or cannot be looked at: what was not seen is not guarded.
    pub fn look(
        folder: &Path,
        home: Option<&str>,
        extra: &dyn Fn(&Path) -> bool,
    ) -> Result<Found, ScanError> {
        let mut walk = Walk::new(folder, home, extra, MOST_ENTRIES, None);
        walk.through()?;
        Ok(walk.found)
    }

    /// The same after a command, which may have made it hard to look: what it closed is opened, and where something cannot be looked at, the
    /// rest still is.
    pub fn look_again(
        folder: &Path,
        home: Option<&str>,
        extra: &dyn Fn(&Path) -> bool,
        before: &Found,
    ) -> Found {
        let mut walk = Walk::new(folder, home, extra, 10 * MOST_ENTRIES, Some(before));
        if let Err(why) = walk.through() {
            walk.found.unseen.get_or_insert(why);
        }
        walk.found
    }

    /// Everything that is there and must not come to be without a word.
    pub fn guarded(&self) -> BTreeSet<PathBuf> {
        let lists = [
            &self.protected,
            &self.secret,
            &self.repositories,
            &self.like_repositories,
            &self.leading,
        ];
        lists
            .into_iter()
            .flatten()
            .cloned()
            .chain(self.links.keys().cloned())
            .collect()
    }
}

impl<'a> Walk<'a> {
    fn new(
        folder: &'a Path,
        home: Option<&'a str>,
        extra: &'a dyn Fn(&Path) -> bool,
        most: usize,
        before: Option<&'a Found>,
    ) -> Self {
        let closed = before
            .iter()
            .flat_map(|before| &before.closed)
            .map(PathBuf::as_path)
            .collect();
        Walk {
            folder,
            home,
            extra,
            most,
            before,
            closed,
            repositories: HashSet::new(),
            found: Found::default(),
        }
    }

    fn through(&mut self) -> Result<(), ScanError> {
        let root = Entries::of(&self.folder.to_string_lossy(), self.home);
        let mut open = vec![(self.folder.to_owned(), Among::Own, root)];
        let mut seen = 0;
        // Every command waits for this: names are read where the kernel put them, and become paths in one place.
        let mut room = vec![MaybeUninit::uninit(); ROOM];
        while let Some((mut current, among, near)) = open.pop() {
            let Some(folder) = self.entries(&current)? else {
                continue;
            };
            let mut shape = [false; 4];
            let mut entries = RawDir::new(&folder, &mut room);
            while let Some(entry) = entries.next() {
                let Ok(entry) = entry.map_err(|error| {
                    self.found
                        .unseen
                        .get_or_insert_with(|| cannot_be_seen(&current, error));
                }) else {
                    break;
                };
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                seen += 1;
                for (known, is_there) in BARE.iter().zip(&mut shape) {
                    *is_there |= name == *known;
                }
                let findings = [
                    &self.found.protected,
                    &self.found.secret,
                    &self.found.repositories,
                    &self.found.sockets,
                ];
                let findings: usize = findings.iter().map(|list| list.len()).sum();
                if seen > self.most || findings > MOST_FINDINGS && self.before.is_none() {
                    return Err(ScanError::TooMuch(self.folder.to_owned()));
                }
                let Some(kind) = kind_of(&folder, &entry) else {
                    continue;
                };
                if name == "pyvenv.cfg" {
                    self.found.installed.push(current.clone());
                }
                current.push(name);
                if kind.is_dir() && name == ".pnpm" {
                    self.found.installed.push(current.clone());
                }
                if kind == FileType::Socket {
                    self.found.sockets.push(current.clone());
                }
                if kind.is_dir() && name == ".git" {
                    self.repository(&current);
                    self.found.sockets.extend(sockets(&current));
                } else if self.name(&current, name, kind, among, near) {
                    // What is below is as the name says; a socket there can be connected to all the same.
                    self.found.sockets.extend(sockets(&current));
                } else if kind.is_dir() {
                    let below = near.below(
                        &name.to_string_lossy(),
                        &current.to_string_lossy(),
                        self.home,
                    );
                    open.push((current.clone(), among.below(name), below));
                }
                current.pop();
            }
            if let Some(why) = self.found.unseen.take_if(|_| self.before.is_none()) {
                return Err(why);
            }
            self.like_a_repository(current, shape);
        }
        Ok(())
    }

    /// A folder to be read; none if that cannot be, and need not.
    fn entries(&mut self, current: &Path) -> Result<Option<OwnedFd>, ScanError> {
        let error = match opened(current) {
            Ok(folder) => return Ok(Some(folder)),
            Err(error) => error,
        };
        let unseen = cannot_be_seen(current, error);
        match (error, self.before) {
            // It is gone, or something else by now.
            (Errno::NOENT | Errno::NOTDIR | Errno::LOOP, _) if current != self.folder => Ok(None),
            // Somebody else's folder, which the command cannot look into either.
            (Errno::ACCESS | Errno::PERM, None) if current != self.folder => {
                self.found.closed.push(current.to_owned());
                Ok(None)
            }
            (_, None) => Err(unseen),
            (error, Some(_)) => {
                let is_new = !self.closed.contains(current);
                let is_closed = matches!(error, Errno::ACCESS | Errno::PERM);
                let again = if is_closed && is_new {
                    opened_again(current)
                } else {
                    None
                };
                if again.is_none() && is_new {
                    self.found.unseen.get_or_insert(unseen);
                }
                Ok(again)
            }
        }
    }

    /// Notes a folder that git takes for one of its own by what is in it.
    fn like_a_repository(&mut self, path: PathBuf, [head, objects, refs, common]: [bool; 4]) {
        if !(head && (common || objects && refs)) {
            return;
        }
        self.repository(&path);
        let leads_to = fs::read_to_string(path.join("commondir")).ok();
        let leads_to = leads_to.and_then(|text| fs::canonicalize(path.join(text.trim_end())).ok());
        if let Some(common) = leads_to.filter(|common| {
            common.starts_with(self.folder) && common != self.folder && *common != path
        }) {
            self.repository(&common);
        }
        self.found.like_repositories.push(path);
    }

    /// Notes a path by its name; whether there was anything to note.
    fn name(
        &mut self,
        path: &Path,
        name: &OsStr,
        kind: FileType,
        among: Among,
        near: Entries,
    ) -> bool {
        let link = kind.is_symlink();
        let leads_git = name == ".git";
        // A name that is no text is compared by what of it is.
        let is_plain = !near.may_be_guarded(&name.to_string_lossy());
        // The text of a path is made only where it counts.
        let text = if is_plain {
            Cow::Borrowed("")
        } else {
            path.to_string_lossy()
        };
        if leads_git {
            self.found.like_repositories.push(path.to_owned());
        }
        let by_name = !is_plain && (among == Among::Own || leads_git);
        let secret_by_name =
            by_name || !is_plain && among == Among::OftenInstalled && kind.is_file();
        let is_secret = |text: &str| {
            if kind.is_dir() {
                secret_folder(text, self.home)
            } else {
                secret(text, self.home)
            }
            .is_some()
        };
        let list = match () {
            () if secret_by_name && is_secret(&text) => &mut self.found.secret,
            () if by_name && protected(&text, self.home).is_some() || (self.extra)(path) => {
                &mut self.found.protected
            }
            () => return false,
        };
        // Of a link, what it leads to is guarded, if that is here; elsewhere it is guarded anyway.
        let guarded = if link {
            fs::canonicalize(path)
                .ok()
                .filter(|target| target.starts_with(self.folder) && target != self.folder)
        } else {
            Some(path.to_owned())
        };
        list.extend(guarded);
        if link && let Ok(to) = fs::read_link(path) {
            self.found.links.insert(path.to_owned(), to);
        }
        true
    }

    /// Notes a folder of git, with those of its modules.
    fn repository(&mut self, path: &Path) {
        if !self.repositories.insert(path.to_owned()) {
            return;
        }
        self.found.repositories.push(path.to_owned());
        let obeyed = git::look(path, self.folder);
        self.found.kept_by_git.extend(obeyed.kept);
        self.found.leading.extend(obeyed.there);
        self.found.protected.extend(obeyed.beside);
        let mut open = vec![path.join("modules")];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder)
                .into_iter()
                .flatten()
                .flatten()
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            {
                let module = entry.path();
                if module.join("HEAD").exists() && self.found.repositories.len() <= MOST_FINDINGS {
                    self.repository(&module);
                } else {
                    open.push(module);
                }
            }
        }
    }
}

/// What kind an entry is: most file systems say it with the name.
fn kind_of(folder: &OwnedFd, entry: &RawDirEntry<'_>) -> Option<FileType> {
    if entry.file_type() != FileType::Unknown {
        return Some(entry.file_type());
    }
    let found = statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(found.st_mode))
}

fn opened(folder: &Path) -> Result<OwnedFd, Errno> {
    // Not by a link: what was a folder a moment ago may be one by now.
    rustix::fs::open(
        folder,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )
}

/// Opens a folder that a command has closed.
fn opened_again(folder: &Path) -> Option<OwnedFd> {
    let found = fs::symlink_metadata(folder)
        .ok()
        .filter(fs::Metadata::is_dir)?;
    fs::set_permissions(
        folder,
        fs::Permissions::from_mode(found.permissions().mode() | 0o700),
    )
    .ok()?;
    opened(folder).ok()
}

fn cannot_be_seen(folder: &Path, error: Errno) -> ScanError {
    ScanError::Unseen {
        path: folder.to_owned(),
        error,
    }
}

/// The configuration of a repository that holds a password or a token, if one does: no command reads it unasked.
pub fn password_in(repositories: &[PathBuf]) -> Option<PathBuf> {
    let configurations = repositories
        .iter()
        .map(|repository| repository.join("config"));
    configurations.into_iter().find(|file| {
        let Ok(found) = fs::metadata(file) else {
            return false;
        };
        let text = if found.len() < MOST_CONFIGURATION {
            fs::read_to_string(file).unwrap_or_default()
        } else {
            return true;
        };
        redact_text(&text) != text
    })
}

/// The sockets below a folder; no link is followed, and git's objects are left out, which are many.
pub(crate) fn sockets(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open, mut seen) = (Vec::new(), vec![folder.to_owned()], 0);
    while let Some(current) = open.pop().filter(|_| seen < MOST_ENTRIES) {
        for entry in fs::read_dir(&current).into_iter().flatten().flatten() {
            seen += 1;
            match entry.file_type() {
                Ok(kind) if kind.is_socket() => found.push(entry.path()),
                Ok(kind)
                    if kind.is_dir()
                        && !(current.ends_with("objects")
                            && is_object_folder(&entry.file_name())) =>
                {
                    open.push(entry.path())
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether git keeps objects in a folder of this name.
fn is_object_folder(name: &OsStr) -> bool {
    name.len() == 2 && name.as_bytes().iter().all(u8::is_ascii_hexdigit)
}

/// The files below a folder with one of these endings; no link is followed.
///
/// # Errors
/// If there are too many.
pub fn with_endings(folder: &Path, endings: &[String]) -> Result<Vec<PathBuf>, ScanError> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(current) = open.pop() {
        for entry in fs::read_dir(&current).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_ENTRIES || found.len() > MOST_FINDINGS {
                return Err(ScanError::TooMuch(folder.to_owned()));
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let fits = || {
                endings.iter().any(|ending| {
                    entry
                        .file_name()
                        .to_string_lossy()
                        .ends_with(ending.as_str())
                })
            };
            match () {
                () if kind.is_dir() => open.push(entry.path()),
                () if kind.is_file() && fits() => found.push(entry.path()),
                () => {}
            }
        }
    }
    Ok(found)
}

/// Secrets in the folders of the system: they are closed to most people, but not to root.
pub fn secrets_of_the_system() -> Vec<PathBuf> {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            // What kind each is stands in its folder: nothing else is asked for the few hundred that are there.
            let list = |folder: &Path| {
                let near = Entries::of(&folder.to_string_lossy(), None);
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                let told =
                    entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)));
                told.filter(|(_, kind)| !kind.is_symlink())
                    .map(|(path, kind)| (near, path, kind))
                    .collect::<Vec<_>>()
            };
            let first = list(Path::new("/etc"));
            let folders = first.iter().filter(|(_, _, kind)| kind.is_dir());
            let second: Vec<_> = folders.flat_map(|(_, path, _)| list(path)).collect();
            let is_secret = |near: &Entries, path: &Path| {
                let may_be =
                    near.may_be_guarded(&path.file_name().unwrap_or_default().to_string_lossy());
                may_be && secret(&path.to_string_lossy(), None).is_some()
            };
            // What this person cannot read, the command cannot either: it has no other rights.
            let is_open =
                |path: &Path| rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok();
            let both = first.into_iter().chain(second);
            both.filter(|(near, path, _)| {
                is_secret(near, path) && is_open(path) && !is_of_every_chromium(path)
            })
            .map(|(_, path, _)| path)
            .collect()
        })
        .clone()
}

/// Debian gives the same keys to everybody, and its browser does not start without the file: it is told by a checksum of its settings, and
/// hidden once it has others.
fn is_of_every_chromium(path: &Path) -> bool {
    const CHECKSUM: u64 = 0x4728_7795_706a_f167;
    // FNV-1a, which needs no crate: only the administrator writes the file.
    let checksum = |text: String| {
        let settings = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let bytes = settings.flat_map(|line| line.bytes().chain([b'\n']));
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    path == Path::new("/etc/chromium.d/apikeys")
        && fs::read_to_string(path).map(checksum).ok() == Some(CHECKSUM)
}

/// A path as a message shows it.
pub(crate) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}
