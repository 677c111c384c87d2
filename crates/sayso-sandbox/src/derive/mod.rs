//! From terms to a profile: what the tools may do, and never more.
//!
//! Nothing of the home folder is seen but the tools in it ([`toolchains`]) and the workspace. What the policy protects
//! in the workspace is read-only, also where it does not exist yet; secrets are hidden; git can work, but what it runs by itself cannot be
//! changed. What the terms name besides was judged and approved, and is let through by itself.

mod bounds;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use sayso_core::paths::{protected, secret};
use sayso_core::policy::terms::{Endings, Network, Terms};
use thiserror::Error as ThisError;

use crate::caches;
use crate::private_paths;
use crate::profile::{Level, Limits, Profile};
use crate::symlinks;
use crate::toolchains;
use crate::workspace_scan::{self, Found, ScanError, shown};

/// What of the machine belongs to the system, and can be read by everybody: no program starts without it.
pub const SYSTEM: [&str; 19] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/nix/var/nix/profiles",
    "/gnu/store",
    "/run/current-system",
    "/var/lib/dpkg",
    "/var/lib/ca-certificates",
    "/sys/devices/system",
    "/System",
    "/Library/Developer/CommandLineTools",
    "/private/etc",
];

/// Where the names of hosts are looked up; only for commands that reach the network.
const NAMES_OF_HOSTS: [&str; 4] = [
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/NetworkManager/resolv.conf",
    "/mnt/wsl/resolv.conf",
];

/// Folders for what is only needed for a moment: the command gets its own.
pub const SCRATCH: [&str; 2] = ["/tmp", "/var/tmp"];

/// Browsers that do not start without their folders in the home, even headless: the command gets empty ones.
const BROWSERS: [(&str, [&str; 2]); 4] = [
    ("/usr/bin/chromium", CHROMIUM),
    ("/usr/bin/chromium-browser", CHROMIUM),
    ("/snap/bin/chromium", CHROMIUM),
    (
        "/usr/bin/google-chrome",
        [".config/google-chrome", ".config/google-chrome-headless"],
    ),
];
const CHROMIUM: [&str; 2] = [".config/chromium", ".config/chromium-headless"];

/// Names of agents, editors and sayso that are kept out of the top of a workspace where they do not exist yet.
pub const KEPT_ABSENT: [&str; 20] = [
    ".sayso",
    ".claude",
    ".mcp.json",
    ".codex",
    ".gemini",
    ".opencode",
    "opencode.json",
    ".cursor",
    ".windsurf",
    ".clinerules",
    ".roo",
    ".kiro",
    ".aider.conf.yml",
    ".continue",
    ".vscode",
    ".idea",
    ".zed",
    ".devcontainer",
    ".envrc",
    ".husky",
];

/// What a profile is made for.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The workspace, absolute.
    pub workspace: &'a Path,
    /// The folder the command runs in, absolute.
    pub cwd: &'a Path,
    /// The person's home folder.
    pub home: Option<&'a Path>,
    /// sayso's own files and folders; no command sees them.
    pub own: &'a [PathBuf],
    /// The scrubbed environment of the command.
    pub environment: &'a [(OsString, OsString)],
    /// The session's folder for caches, as [`caches::prepare`] made it; none: caches are read-only, and what is beside them is the command's own.
    pub caches: Option<&'a Path>,
    /// Whether the policy protects a path, free of links, besides the built-in names.
    pub protected: &'a dyn Fn(&Path) -> bool,
}

impl std::fmt::Debug for Around<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{} in {}",
            self.cwd.display(),
            self.workspace.display()
        )
    }
}

/// Why terms have no profile.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum DeriveError {
    #[error(transparent)]
    Scan(#[from] ScanError),
    #[error("`{}` cannot be looked at: {source}", shown(.path))]
    LookAt { path: PathBuf, source: io::Error },
    #[error("`{}` is too broad for a sandbox: work in a folder below it", shown(.0))]
    TooBroad(PathBuf),
    #[error("`{}` holds a password or a token, which a command could read unasked", shown(.0))]
    Password(PathBuf),
    #[error("the sandbox hides `{}`, the folder that the command runs in", shown(.0))]
    HidesFolder(PathBuf),
}

impl DeriveError {
    fn look_at(path: &Path, source: io::Error) -> DeriveError {
        DeriveError::LookAt {
            path: path.to_owned(),
            source,
        }
    }
}

/// Variables that lead to sockets of agents and desktops, which are not there in a sandbox.
const LEADS_OUT: [&str; 2] = ["SSH_AUTH_SOCK", "XDG_RUNTIME_DIR"];

/// The profile of terms.
///
/// # Errors
/// In words, where the workspace is too broad or too large to be bounded, or cannot be looked at.
pub fn derive(terms: &Terms, around: Around<'_>) -> Result<Profile, DeriveError> {
    // Everything is compared by where it really is: a name that leads there by a link would be another one.
    let (workspace, home) = (real(around.workspace)?, around.home.map(symlinks::resolved));
    let own: Vec<PathBuf> = around
        .own
        .iter()
        .map(|path| symlinks::resolved(path))
        .collect();
    let ways = around.home.map(symlinks::on_the_way).unwrap_or_default();
    let around = Around {
        workspace: &workspace,
        home: home.as_deref(),
        own: &own,
        ..around
    };
    let mut profile = Profile {
        cwd: real(around.cwd)?,
        paths: BTreeMap::new(),
        pinned: Vec::new(),
        links: ways.into_iter().collect(),
        placed: BTreeMap::new(),
        network: terms.network.clone(),
        environment: around
            .environment
            .iter()
            .filter(|(name, _)| !LEADS_OUT.iter().any(|one| name == one))
            .cloned()
            .collect(),
        limits: Limits {
            time: terms.time_limit,
            memory: terms.memory_limit,
            processes: terms.process_limit,
        },
    };
    for folder in SYSTEM.iter().map(Path::new) {
        add_if_there(&mut profile, folder)?;
    }
    if profile.network != Network::Nothing {
        for place in NAMES_OF_HOSTS.iter().map(Path::new) {
            add_if_there(&mut profile, place)?;
        }
    }
    if profile.network != Network::Everything {
        hide_sockets_of_the_system(&mut profile);
    }
    for secret in workspace_scan::secrets_of_the_system() {
        profile.lower(&secret, Level::Hidden);
    }
    // Before anything of the home folder is let through by itself.
    for place in private_paths::hidden_in_system(around.home) {
        if profile.level(&place) >= Level::Read {
            profile.lower(&place, Level::Hidden);
        }
    }
    for folder in SCRATCH.map(Path::new) {
        profile.paths.insert(folder.to_owned(), Level::Private);
    }
    if let Some(home) = around.home {
        profile.paths.insert(home.join(".cache"), Level::Private);
        let installed = BROWSERS
            .iter()
            .filter(|(program, _)| Path::new(program).exists());
        for folder in installed.flat_map(|(_, folders)| folders) {
            profile.paths.insert(home.join(folder), Level::Private);
        }
    }
    let worked_in = worked_in(terms, around);
    for cache in caches::find(around.home, around.environment, &worked_in) {
        cache.add_to(&mut profile, around.caches);
    }
    let home = around.home.and_then(Path::to_str);
    let cached = caches::Places::of(around.home, around.environment);
    let (mut tools, mut tools_worked_in) = (Vec::new(), Vec::new());
    // What belongs to the system is there already.
    for (place, level) in toolchains::of(around.home, around.environment)
        .into_iter()
        .filter(|(place, _)| !is_one_of(place, &SYSTEM))
    {
        let Some(target) = is_tool(&place, &worked_in, around.home) else {
            continue;
        };
        let inside = worked_in.iter().any(|folder| target.starts_with(folder));
        if inside {
            tools_worked_in.push(target)
        } else if !cached.hold(&target) {
            tools.push((place, target, level))
        }
    }
    for (place, target, level) in tools {
        add_there(&mut profile, &place, target, level);
    }
    let folders = terms
        .read_only
        .iter()
        .map(|folder| (folder, Level::Read))
        .chain(terms.write.iter().map(|folder| (folder, Level::Write)));
    for (folder, level) in folders {
        let folder = Path::new(folder);
        if !folder.exists() {
            continue;
        }
        let folder = is_narrow(folder, around.home)?;
        add(&mut profile, &folder, level)?;
        let found = Found::look(&folder, home, around.protected)?;
        if let Some(file) =
            workspace_scan::password_in(&found.repositories).filter(|_| terms.contained)
        {
            return Err(DeriveError::Password(file));
        }
        within(&mut profile, &folder, level, &found);
        // Nobody was asked, and git's own data is not kept for an undo: only git itself may change it, where it was read to.
        for repository in found
            .repositories
            .iter()
            .filter(|_| terms.contained && !terms.repository)
        {
            profile.lower(repository, Level::Read);
        }
    }
    // What the person runs by its name alone stays as it is.
    for place in tools_worked_in {
        profile.lower(&place, Level::Read);
    }
    only_endings(&mut profile, terms, around)?;
    // Of several folders that a path is in, the strictest counts.
    for folder in terms
        .read_only
        .iter()
        .filter_map(|folder| real(Path::new(folder)).ok())
    {
        profile.lower(&folder, Level::Read);
    }
    judged_by_itself(&mut profile, terms, around);
    for own in around.own {
        profile.lower(own, Level::Hidden);
    }
    for operator in &terms.bounds {
        profile = profile.meet(&bounds::profile(operator, &profile, around));
    }
    // With named folders the workspace itself is not let through; the command still starts there.
    let cwd = real(around.cwd)?;
    if profile.level(&cwd) == Level::Hidden && terms.bounds.is_empty() && cwd == around.workspace {
        profile.paths.insert(cwd.clone(), Level::Private);
    }
    if profile.level(&cwd) == Level::Hidden {
        return Err(DeriveError::HidesFolder(around.cwd.to_owned()));
    }
    Ok(profile)
}

/// Sockets in folders of the system: who listens there has the network that the command has not.
fn hide_sockets_of_the_system(profile: &mut Profile) {
    let resolvers = NAMES_OF_HOSTS
        .iter()
        .filter_map(|place| real(Path::new(place)).ok());
    let resolvers: Vec<PathBuf> = resolvers
        .flat_map(|place| workspace_scan::sockets(&place))
        .collect();
    for socket in private_paths::sockets().iter().chain(&resolvers) {
        profile.lower(socket, Level::Hidden);
    }
}

/// What was judged by itself: what a rule or the person let through, though it is secret, protected or outside. Of a folder, what is secret
/// or protected in it was not named, and stays so.
fn judged_by_itself(profile: &mut Profile, terms: &Terms, around: Around<'_>) {
    let home = around.home.and_then(Path::to_str);
    let reads = terms
        .reads
        .iter()
        .map(|path| (Path::new(path), Level::Read));
    let named = reads.chain(
        terms
            .changes
            .iter()
            .map(|path| (Path::new(path), Level::Write)),
    );
    // Of processes and devices the command has its own.
    let of_kernel = |path: &Path| {
        ["/proc", "/dev", "/sys"]
            .iter()
            .any(|folder| path.starts_with(folder))
    };
    let there = named.filter(|(path, _)| {
        path.exists() && !of_kernel(path) && is_narrow(path, around.home).is_ok()
    });
    let is_plain_folder = |path: &Path| path.is_dir() && !is_guarded(path, home, around.protected);
    let (folders, others): (Vec<_>, Vec<_>) = there.partition(|(path, _)| is_plain_folder(path));
    for (folder, level) in folders {
        // What is too much to be looked at is not shown.
        if let Ok(found) = Found::look(folder, home, around.protected) {
            profile.raise(folder.to_owned(), level);
            within(profile, folder, level, &found);
        }
    }
    for (path, level) in others {
        profile.raise(path.to_owned(), level);
    }
}

/// Folders of which only files with certain endings count: the files are put into an empty folder, and what else is there is not let
/// through, whatever a folder above says. A file in several of them has to fit each.
fn only_endings(
    profile: &mut Profile,
    terms: &Terms,
    around: Around<'_>,
) -> Result<(), DeriveError> {
    let home = around.home.and_then(Path::to_str);
    let folders = terms
        .endings
        .iter()
        .filter_map(|it| Some((is_narrow(Path::new(&it.folder), around.home).ok()?, it)));
    let folders: Vec<(PathBuf, &Endings)> = folders.collect();
    for (folder, _) in &folders {
        profile.lower(folder, Level::Private);
        profile.pinned.retain(|pinned| !pinned.starts_with(folder));
    }
    for (folder, endings) in &folders {
        for file in workspace_scan::with_endings(folder, &endings.endings)? {
            let fits = |it: &Endings| {
                it.endings.iter().any(|ending| {
                    file.as_os_str()
                        .to_string_lossy()
                        .ends_with(ending.as_str())
                })
            };
            let mut around_it = folders
                .iter()
                .filter(|(folder, _)| file.starts_with(folder));
            if around_it.clone().all(|(_, it)| fits(it))
                && !is_guarded(&file, home, around.protected)
            {
                let level = if around_it.all(|(_, it)| it.write) {
                    Level::Write
                } else {
                    Level::Read
                };
                profile.raise(file, level);
            }
        }
    }
    Ok(())
}

/// Whether a file is protected or secret by its name, or by that of a folder above it.
fn is_guarded(file: &Path, home: Option<&str>, extra: &dyn Fn(&Path) -> bool) -> bool {
    let text = file.to_string_lossy();
    secret(&text, home).is_some() || protected(&text, home).is_some() || extra(file)
}

/// What is in a folder that the command works in: protected things are read-only, secrets are hidden, and git's own folder stays.
fn within(profile: &mut Profile, folder: &Path, level: Level, found: &Found) {
    for path in &found.protected {
        profile.lower(path, Level::Read);
    }
    for path in &found.secret {
        profile.lower(path, Level::Hidden);
    }
    // Who listens there has the network that the command has not.
    if profile.network != Network::Everything {
        found
            .sockets
            .iter()
            .for_each(|path| profile.lower(path, Level::Hidden));
    }
    if level < Level::Write {
        return;
    }
    for path in found
        .installed
        .iter()
        .filter(|path| caches::shares_files(path))
    {
        profile.lower(path, Level::Read);
    }
    for repository in &found.repositories {
        profile.pinned.push(repository.clone());
        profile.paths.insert(repository.clone(), level);
    }
    for path in &found.kept_by_git {
        profile.lower(path, Level::Read);
    }
    for name in KEPT_ABSENT {
        profile.lower(&folder.join(name), Level::Read);
    }
    // A folder above something that is kept could be moved away with it, and be made anew without.
    for path in found
        .protected
        .iter()
        .chain(&found.secret)
        .chain(&found.repositories)
        .chain(&found.kept_by_git)
    {
        for above in path
            .ancestors()
            .skip(1)
            .take_while(|above| above.starts_with(folder) && *above != folder)
        {
            if !profile.pinned.iter().any(|pinned| pinned == above)
                && profile.level(above) == Level::Write
            {
                profile.pinned.push(above.to_owned());
                profile.paths.insert(above.to_owned(), Level::Write);
            }
        }
    }
}

/// A folder by its real path, if it is narrow enough to be let through: not the home folder, nothing above it, nothing of the system.
/// `home` is free of links.
fn is_narrow(folder: &Path, home: Option<&Path>) -> Result<PathBuf, DeriveError> {
    is_narrow_there(real(folder)?, home)
}

/// The same for a folder that is free of links.
fn is_narrow_there(folder: PathBuf, home: Option<&Path>) -> Result<PathBuf, DeriveError> {
    let above_home = home.is_some_and(|home| home.starts_with(&folder));
    let of_system = is_one_of(&folder, &SYSTEM)
        || is_one_of(&folder, &["/dev", "/proc", "/sys", "/boot", "/run", "/var"]);
    let few_names = folder
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .count()
        == 0;
    if above_home || of_system || few_names || is_one_of(&folder, &SCRATCH) {
        return Err(DeriveError::TooBroad(folder));
    }
    Ok(folder)
}

/// Whether a path is one of these, which are written without anything to spare: compared as texts, since there are many of both.
fn is_one_of(path: &Path, places: &[&str]) -> bool {
    let plain: PathBuf = path.components().collect();
    plain.to_str().is_some_and(|plain| places.contains(&plain))
}

/// The folders that commands work in. Whoever wrote what is there also made its links.
fn worked_in(terms: &Terms, around: Around<'_>) -> Vec<PathBuf> {
    let named = terms
        .read_only
        .iter()
        .chain(&terms.write)
        .chain(terms.endings.iter().map(|it| &it.folder))
        .map(Path::new);
    named
        .chain([around.workspace])
        .filter_map(|folder| real(folder).ok())
        .collect()
}

/// Where tools really are, if they are to be seen: not by a link that a command could have made, and neither broad nor secret there.
fn is_tool(place: &Path, worked_in: &[PathBuf], home: Option<&Path>) -> Option<PathBuf> {
    let target = real(place).ok()?;
    let links = if target == place {
        Vec::new()
    } else {
        symlinks::on_the_way(place)
    };
    let turned = links
        .iter()
        .any(|(link, _)| worked_in.iter().any(|folder| link.starts_with(folder)));
    let above = worked_in.iter().any(|folder| folder.starts_with(&target));
    let narrow = is_one_of(&target, &SYSTEM) || is_narrow_there(target.clone(), home).is_ok();
    let is_secret = secret(&target.to_string_lossy(), home.and_then(Path::to_str)).is_some();
    (!turned && !above && narrow && !is_secret).then_some(target)
}

/// Lets a path through by where it really is, with the links that lead there.
fn add(profile: &mut Profile, path: &Path, level: Level) -> Result<(), DeriveError> {
    let target = real(path)?;
    add_there(profile, path, target, level);
    Ok(())
}

/// Lets a place of the system through, where the machine has it.
fn add_if_there(profile: &mut Profile, path: &Path) -> Result<(), DeriveError> {
    match symlinks::real(path) {
        Ok(target) => add_there(profile, path, target, Level::Read),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
        Err(error) => return Err(DeriveError::look_at(path, error)),
    }
    Ok(())
}

/// The same where it is known.
fn add_there(profile: &mut Profile, path: &Path, target: PathBuf, level: Level) {
    if target != path {
        profile.links.extend(symlinks::on_the_way(path));
    }
    // What is let through as it is comes with the folder it is in.
    if profile.level(&target) != level {
        profile.raise(target, level);
    }
}

fn real(path: &Path) -> Result<PathBuf, DeriveError> {
    symlinks::real(path).map_err(|error| DeriveError::look_at(path, error))
}
