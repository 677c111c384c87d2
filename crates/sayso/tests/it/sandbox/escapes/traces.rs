//! What an attempt left outside: every kind of trace is looked for after every attempt.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ground::{Ground, key};

/// What of a workspace must stay as it is, or stay absent.
const KEPT: [&str; 23] = [
    ".env",
    "conf/.env",
    ".vscode",
    "sub/.claude",
    ".claude",
    ".mcp.json",
    ".cursor",
    ".sayso",
    ".envrc",
    ".husky",
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/info",
    ".git/modules/m/hooks",
    ".git/modules/m/config",
    ".git/modules/m/commondir",
    ".git/worktrees/tree/config.worktree",
    ".git/worktrees/tree/commondir",
    "tree/.git",
    "leads-out",
    "leads-to-key",
];

/// Folders of everybody in which an attempt could leave something.
const SHARED: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// How everything outside looks.
pub struct Snapshot {
    files: BTreeMap<PathBuf, String>,
}

impl Snapshot {
    pub fn take(ground: &Ground) -> Snapshot {
        let mut files = BTreeMap::new();
        let workspace = &ground.scene.workspace;
        let own = ground.scene.state().join("sandbox");
        walk(&ground.root, &mut |path, found| {
            let inner = path.strip_prefix(workspace).ok();
            let kept = inner.is_none_or(|inner| KEPT.iter().any(|kept| inner.starts_with(kept)));
            if kept && path != own {
                files.insert(path.to_owned(), print(path, found));
            }
            path != own
        });
        Snapshot { files }
    }

    fn difference(&self, after: &Snapshot) -> Option<String> {
        let name = |path: &Path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        for (path, print) in &self.files {
            match after.files.get(path) {
                None => return Some(format!("`{}` is gone", name(path))),
                Some(now) if now != print => {
                    return Some(format!("`{}` was {print}, and is {now}", name(path)));
                }
                Some(_) => {}
            }
        }
        after
            .files
            .keys()
            .find(|path| !self.files.contains_key(*path))
            .map(|path| format!("`{}` is new", path.display()))
    }
}

/// All that is seen of a file from outside, with its last change of any kind; of a folder, its mode and owner.
fn print(path: &Path, found: &fs::Metadata) -> String {
    let (mode, owner) = (
        format!("{:o}", found.mode()),
        format!("{}:{}", found.uid(), found.gid()),
    );
    if found.is_dir() {
        return format!("{mode} {owner}");
    }
    let text = match () {
        () if found.is_symlink() => fs::read_link(path)
            .map(|to| to.to_string_lossy().into_owned())
            .unwrap_or_default(),
        () if found.is_file() => fs::read(path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default(),
        () => String::new(),
    };
    let changed = format!(
        "{}.{} {}.{}",
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec()
    );
    format!("{mode} {owner} {} {changed} {text:?}", found.nlink())
}

/// Every entry below a folder; no link is followed, and a folder is entered if the answer is yes.
fn walk(folder: &Path, each: &mut dyn FnMut(&Path, &fs::Metadata) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(found) = fs::symlink_metadata(&path) else {
            continue;
        };
        if each(&path, &found) && found.is_dir() {
            walk(&path, each);
        }
    }
}

/// What is looked at after an attempt.
pub struct Traces<'a> {
    pub ground: &'a mut Ground,
    pub before: Snapshot,
}

impl Traces<'_> {
    /// What was seen, if anything was. What is left is taken away.
    pub fn seen(mut self, output: &str) -> Option<String> {
        let told = |text: &str| text.contains(&self.ground.secret);
        let said = match () {
            () if told(output) => Some("the secret was told".to_owned()),
            () if output.contains("GOT THROUGH") => Some("it says so".to_owned()),
            () => None,
        };
        let mut copied = None;
        walk(&self.ground.scene.workspace, &mut |path, found| {
            let inner = path
                .strip_prefix(&self.ground.scene.workspace)
                .unwrap_or(path);
            let known = KEPT.iter().any(|kept| inner.starts_with(kept));
            if !known
                && found.is_file()
                && found.len() < 1 << 20
                && fs::read(path).is_ok_and(|text| told(&String::from_utf8_lossy(&text)))
            {
                copied = Some(format!("the secret is in `{}`", inner.display()));
            }
            true
        });
        // Each is looked for, since each takes away what it finds.
        let found = [
            said,
            copied,
            self.before.difference(&Snapshot::take(self.ground)),
            self.ground.was_reached().map(str::to_owned),
            self.victim(),
            self.left_running(),
            self.left_in_shared_places(),
            self.mounted(),
        ];
        found.into_iter().flatten().next()
    }

    /// Whether somebody outside is as before: alive, with no signal waiting, and nothing adjusted.
    fn victim(&mut self) -> Option<String> {
        let victim = self.ground.has_victim()?;
        if let Ok(Some(status)) = victim.try_wait() {
            return Some(format!("somebody outside was ended: {status}"));
        }
        let status =
            fs::read_to_string(format!("/proc/{}/status", victim.id())).unwrap_or_default();
        let waiting = status
            .lines()
            .filter(|line| line.starts_with("SigPnd") || line.starts_with("ShdPnd"));
        if let Some(line) = waiting
            .into_iter()
            .find(|line| line.chars().any(|sign| ('1'..='9').contains(&sign)))
        {
            return Some(format!("somebody outside got a signal: {line}"));
        }
        let state = status
            .lines()
            .find(|line| line.starts_with("State:"))
            .unwrap_or_default();
        if !state.contains("sleeping") && !state.contains("running") {
            return Some(format!("somebody outside is not as before: {state}"));
        }
        // It came from this process, and has what this one has.
        let adjusted = |process: &str| {
            fs::read_to_string(format!("/proc/{process}/oom_score_adj")).unwrap_or_default()
        };
        let (now, own) = (adjusted(&victim.id().to_string()), adjusted("self"));
        (now != own).then(|| format!("somebody outside was adjusted: {}", now.trim()))
    }

    /// Processes of this world that still run.
    fn left_running(&self) -> Option<String> {
        let mut left = None;
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.bytes().all(|byte| byte.is_ascii_digit())
                && String::from_utf8_lossy(&words).contains(&format!("left-{}", self.ground.mark))
            {
                let _ = Command::new("kill").args(["-9", &name]).status();
                left = Some("a process is left behind".to_owned());
            }
        }
        left
    }

    fn left_in_shared_places(&self) -> Option<String> {
        let mut left = None;
        for folder in SHARED {
            let path = Path::new(folder).join(&self.ground.mark);
            if fs::symlink_metadata(&path).is_ok() {
                let _ = fs::remove_file(&path);
                left = Some(format!("something is left in `{folder}`"));
            }
        }
        let (number, table) = (
            key(&self.ground.mark),
            fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default(),
        );
        let has_key =
            |line: &str| line.split_whitespace().next() == Some(number.to_string().as_str());
        if table.lines().any(has_key) {
            let _ = Command::new("ipcrm")
                .args(["--shmem-key", &format!("{number:#x}")])
                .status();
            left = Some("shared memory is left".to_owned());
        }
        left
    }

    fn mounted(&self) -> Option<String> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let root = self.ground.root.to_string_lossy().into_owned();
        let places: Vec<&str> = mounts
            .lines()
            .filter_map(|line| line.split(' ').nth(4))
            .filter(|place| place.starts_with(&root))
            .collect();
        for place in &places {
            let _ = Command::new("umount").args(["--lazy", place]).status();
        }
        places
            .first()
            .map(|place| format!("a mount is left at `{place}`"))
    }
}
