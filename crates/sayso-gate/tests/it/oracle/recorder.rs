//! The only program of the oracle's sandbox: as process 1 it runs the snippets, under any other name it records how it was started.
//!
//! It is no part of the crate: the test compiles it with `rustc` alone, so it can use nothing but the standard library. Everything it
//! writes is a row of fields, each as `length:bytes`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Where everything is written.
const LOG: &str = "/log/current";
/// Programs that only start others; what they start is recorded in turn, so they are recorded and then really run.
const REAL: [&str; 14] =
    ["bash", "dash", "env", "find", "nice", "nohup", "setsid", "sh", "stdbuf", "time", "timeout", "xargs", "zsh", "busybox"];
/// What every other program prints: it is a command, it has options, and it has more than one word.
const PRINTS: &str = "EVIL -o out --output=out\n";
/// Folders where nothing can change.
const LEFT_ALONE: [&str; 9] = ["/usr", "/bin", "/lib", "/lib64", "/proc", "/dev", "/real", "/log", "/sbin"];

fn main() {
    if std::process::id() == 1 {
        drive();
    } else {
        record();
    }
}

fn field(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(format!("{}:", bytes.len()).as_bytes());
    out.extend_from_slice(bytes);
}

fn row<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for bytes in fields {
        field(&mut out, bytes);
    }
    out
}

fn append(path: &str, bytes: &[u8]) {
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
        let _ = file.write_all(bytes);
    }
}

/// Which file was started, where, with what, reading from what, and in which environment.
fn record() {
    let exe = fs::read_link("/proc/self/exe").unwrap_or_default();
    let cwd = fs::read_link("/proc/self/cwd").unwrap_or_default();
    let input = fs::read_link("/proc/self/fd/0").unwrap_or_default();
    let argv: Vec<OsString> = std::env::args_os().collect();
    let environment: Vec<Vec<u8>> = environment()
        .into_iter()
        .filter(|(name, value)| std::env::var_os(name).is_some_and(|now| now != OsStr::new(value) && !is_no_pager(name, &now)))
        .map(|(name, _)| name.as_bytes().to_vec())
        .collect();
    let whole = row([
        exe.as_os_str().as_bytes(),
        cwd.as_os_str().as_bytes(),
        input.as_os_str().as_bytes(),
        &row(environment.iter().map(Vec::as_slice)),
        &row(argv.iter().map(|word| word.as_bytes())),
    ]);
    append(LOG, &row([&whole[..]]));
    let name = exe.file_name().and_then(OsStr::to_str).unwrap_or_default();
    // The text of a heredoc comes through `cat` as it is, which the reader knows.
    let copies = name == "cat" && argv.len() == 1;
    // An applet of busybox that starts nothing is recorded like a program of its own.
    let only_recorded = name == "busybox" && argv.get(1).and_then(|applet| applet.to_str()).is_none_or(|applet| !REAL.contains(&applet));
    if (REAL.contains(&name) || copies) && !only_recorded && exe.starts_with("/usr/bin") {
        let first = argv.first().cloned().unwrap_or_default();
        let _ = Command::new(Path::new("/real").join(name)).arg0(first).args(argv.iter().skip(1)).exec();
    }
    let words: Vec<&str> = argv.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    let _ = std::io::stdout().write_all(prints(name, words.get(1..).unwrap_or_default()).as_bytes());
}

/// What a program prints. The reader knows of a few what it must be: a number, several numbers, a commit.
fn prints(name: &str, arguments: &[&str]) -> &'static str {
    match (name, arguments) {
        ("seq", _) => "1\n2\n3\n",
        ("nproc", []) | ("date", [_]) | ("wc", ["-l" | "-c" | "-w" | "-m"]) | ("grep", ["-c", _] | ["-c", _, _]) => "7\n",
        ("git", ["ls-files", ..]) => "README.md\nsrc/a.md\n",
        ("git", ["rev-parse" | "rev-list" | "merge-base", ..]) => "0123456789abcdef0123456789abcdef01234567\n",
        _ => PRINTS,
    }
}

/// An empty name of a pager is none at all.
fn is_no_pager(name: &str, value: &OsStr) -> bool {
    value.is_empty() && matches!(name, "PAGER" | "GIT_PAGER")
}

/// What every snippet starts with; a program that finds another value was given it by the snippet.
fn environment() -> Vec<(&'static str, &'static str)> {
    vec![
        ("PATH", "/usr/bin"),
        ("HOME", "/home/u"),
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("EDITOR", "true"),
        ("LESSOPEN", ""),
        ("GIT_EXTERNAL_DIFF", ""),
        ("BASH_ENV", ""),
        ("ENV", ""),
    ]
}

/// What stands at a path: enough to see that it was changed.
#[derive(PartialEq, Eq)]
enum Stands {
    Folder,
    Link(PathBuf),
    File(Vec<u8>),
    Other,
}

fn look(folder: &Path, found: &mut BTreeMap<PathBuf, Stands>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if LEFT_ALONE.iter().any(|other| path == Path::new(other)) {
            continue;
        }
        let Ok(kind) = entry.file_type() else { continue };
        let stands = if kind.is_symlink() {
            Stands::Link(fs::read_link(&path).unwrap_or_default())
        } else if kind.is_dir() {
            look(&path, found);
            Stands::Folder
        } else if kind.is_file() {
            // The first bytes and the size are told apart without reading the file, which would show as a read.
            let about = entry.metadata().map(|about| (about.size(), about.mtime(), about.mtime_nsec())).unwrap_or_default();
            Stands::File(format!("{about:?}").into_bytes())
        } else {
            Stands::Other
        };
        found.insert(path, stands);
    }
}

/// Makes the world anew; the list has a line for each: `d` a folder, `f` a file, `x` a program, `l` a link.
fn build(list: &[Vec<u8>]) {
    for folder in ["/ws", "/home", "/etc", "/tmp", "/opt"] {
        let _ = fs::remove_dir_all(folder);
    }
    for entry in fs::read_dir("/").into_iter().flatten().flatten() {
        if !LEFT_ALONE.iter().any(|other| entry.path() == Path::new(other)) {
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
    for line in list {
        let (Some(kind), Some(rest)) = (line.first(), line.get(1..)) else { continue };
        let (path, to) = match rest.iter().position(|byte| *byte == 0) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &b""[..]),
        };
        let path = Path::new(OsStr::from_bytes(path));
        let _ = path.parent().map(fs::create_dir_all);
        let _ = match kind {
            b'd' => fs::create_dir_all(path),
            b'l' => std::os::unix::fs::symlink(OsStr::from_bytes(to), path),
            b'x' => fs::copy("/usr/bin/EVIL", path).map(drop),
            _ => fs::write(path, "EVIL\n"),
        };
    }
    forget_reads(list);
}

fn files(list: &[Vec<u8>]) -> impl Iterator<Item = &Path> {
    list.iter().filter(|line| line.first() == Some(&b'f')).filter_map(|line| Some(Path::new(OsStr::from_bytes(line.get(1..)?))))
}

/// A file that was last read before it was last written shows its next read.
fn forget_reads(list: &[Vec<u8>]) {
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for path in files(list) {
        if let Ok(file) = File::open(path) {
            let _ = file.set_times(FileTimes::new().set_accessed(long_ago).set_modified(long_ago + Duration::from_secs(1)));
        }
    }
}

fn was_read(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.atime() != 1_000_000)
}

/// Ends whatever a snippet left behind, after a moment for it to show itself. Process 1 itself cannot be ended from inside.
fn clear_processes(patience: u32) {
    for turn in 0..patience + 50 {
        let others = fs::read_dir("/proc").into_iter().flatten().flatten().filter(|entry| {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.parse::<u32>().ok());
            number.is_some_and(|number| number != 1) && !is_zombie(&entry.path())
        });
        if others.count() == 0 {
            return;
        }
        if turn < patience {
            std::thread::sleep(Duration::from_millis(2));
            continue;
        }
        let _ = Command::new("/real/dash").args(["-c", "kill -KILL -1"]).stdin(Stdio::null()).status();
    }
}

fn is_zombie(process: &Path) -> bool {
    fs::read_to_string(process.join("stat")).map_or(true, |stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")))
}

fn fields(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == b':') {
        let length: usize = std::str::from_utf8(&rest[..at]).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        let end = (at + 1 + length).min(rest.len());
        out.push(rest[at + 1..end].to_vec());
        rest = &rest[end..];
    }
    out
}

/// Runs every snippet in every shell, each time in a world that is as good as new.
fn drive() {
    let list = fields(&fs::read("/log/world").unwrap_or_default());
    let cases = fields(&fs::read("/log/cases").unwrap_or_default());
    let shells = fields(&fs::read("/log/shells").unwrap_or_default());
    // Kept here until the end, where no snippet can take it away.
    let mut all = Vec::new();
    build(&list);
    let mut pristine = BTreeMap::new();
    look(Path::new("/"), &mut pristine);
    for (index, text) in cases.iter().enumerate() {
        let options = [("bash", &["--norc", "--noprofile"][..]), ("dash", &[]), ("zsh", &["-f"])];
        for (shell, options) in options.into_iter().filter(|(shell, _)| shells.iter().any(|wanted| wanted == shell.as_bytes())) {
            let _ = fs::remove_file(LOG);
            let late = run(shell, options, text);
            clear_processes(20);
            let records = fs::read(LOG).unwrap_or_default();
            let mut now = BTreeMap::new();
            look(Path::new("/"), &mut now);
            let changed: Vec<&PathBuf> = pristine
                .keys()
                .chain(now.keys().filter(|path| !pristine.contains_key(*path)))
                .filter(|path| pristine.get(*path) != now.get(*path))
                .collect();
            let read: Vec<&Path> = files(&list).filter(|path| was_read(path)).collect();
            let out = row([
                index.to_string().as_bytes(),
                shell.as_bytes(),
                if late { b"late" } else { b"" },
                &records,
                &row(changed.iter().map(|path| path.as_os_str().as_bytes())),
                &row(read.iter().map(|path| path.as_os_str().as_bytes())),
            ]);
            field(&mut all, &out);
            if !changed.is_empty() {
                build(&list);
                // Times of folders and copies differ now; only what files say of themselves counts.
                pristine.clear();
                look(Path::new("/"), &mut pristine);
            } else if !read.is_empty() {
                forget_reads(&list);
            }
        }
    }
    field(&mut all, b"done");
    let _ = fs::write("/log/out", &all);
}

/// Whether the snippet had to be stopped.
fn run(shell: &str, options: &[&str], text: &[u8]) -> bool {
    let mut command = Command::new(Path::new("/real").join(shell));
    command.arg0(shell).args(options).arg("-c").arg(OsStr::from_bytes(text)).current_dir("/ws").env_clear().envs(environment());
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn();
    let Ok(mut child) = spawned else { return true };
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1500) {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_micros(300)),
            _ => return false,
        }
    }
    clear_processes(0);
    let _ = child.wait();
    true
}
