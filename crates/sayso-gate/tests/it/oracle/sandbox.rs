//! A sandbox in which every program only records how it was started, so that any snippet can be run in real shells.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Processes and devices of its own. What root may write below `/proc` would be the whole machine's.
pub(crate) const OWN_SYSTEM: [&str; 6] =
    ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"];

/// The source of the one program in the sandbox.
const RECORDER: &str = include_str!("recorder.rs");

/// Names that the recorder stands under in `/usr/bin`. `EVIL` is what nobody knows; the others are everyday programs.
const NAMES: [&str; 70] = [
    "EVIL",
    "awk",
    "basename",
    "bash",
    "busybox",
    "cargo",
    "cat",
    "chmod",
    "cksum",
    "cmp",
    "comm",
    "cp",
    "curl",
    "cut",
    "dash",
    "date",
    "diff",
    "dirname",
    "du",
    "echo",
    "env",
    "expr",
    "file",
    "find",
    "fold",
    "git",
    "grep",
    "head",
    "id",
    "ln",
    "ls",
    "make",
    "md5sum",
    "mkdir",
    "mv",
    "nice",
    "nl",
    "nohup",
    "od",
    "paste",
    "printf",
    "ps",
    "pwd",
    "python3",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "rm",
    "sed",
    "seq",
    "setsid",
    "sh",
    "sha256sum",
    "sleep",
    "sort",
    "stat",
    "stdbuf",
    "tail",
    "tee",
    "test",
    "time",
    "timeout",
    "touch",
    "tr",
    "tree",
    "true",
    "uname",
    "uniq",
    "xargs",
];
const MORE_NAMES: [&str; 3] = ["wc", "which", "zsh"];

/// One start of a program.
#[derive(Clone, Debug)]
pub struct Start {
    /// The file that was started.
    pub file: String,
    /// The folder it was started in.
    pub folder: String,
    /// The file its input came from, if it was one.
    pub input: Option<String>,
    /// Variables that it was given another value of than the snippet was.
    pub environment: Vec<String>,
    /// Its words.
    pub argv: Vec<String>,
}

/// What one shell did with one snippet.
#[derive(Clone, Debug)]
pub struct Run {
    /// Which snippet.
    pub case: usize,
    /// Which shell.
    pub shell: String,
    /// It had to be stopped.
    pub late: bool,
    /// The programs that it started.
    pub starts: Vec<Start>,
    /// The paths where something else stands now. No program but `find` writes, so the shell did.
    pub changed: Vec<String>,
    /// The files that the shell itself read.
    pub read: Vec<String>,
}

/// The folder with the programs; it goes away with the value.
pub struct Sandbox {
    folder: PathBuf,
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Sandbox {
    /// Compiles the recorder. The error says what is missing on this machine.
    pub fn new(name: &str) -> Result<Sandbox, String> {
        Sandbox::with_programs(name, &[])
    }

    /// The same with further names for the recorder.
    pub fn with_programs(name: &str, more: &[String]) -> Result<Sandbox, String> {
        let folder =
            std::env::temp_dir().join(format!("sayso-oracle-{name}-{}", std::process::id()));
        let sandbox = Sandbox { folder };
        for shell in ["bash", "dash", "zsh"] {
            if !Path::new("/usr/bin").join(shell).exists() {
                return Err(format!("there is no /usr/bin/{shell}"));
            }
        }
        let bin = sandbox.folder.join("bin");
        fs::create_dir_all(&bin).map_err(|error| error.to_string())?;
        let (source, program) = (sandbox.folder.join("recorder.rs"), bin.join("EVIL"));
        fs::write(&source, RECORDER).map_err(|error| error.to_string())?;
        let flags = [
            "--edition",
            "2024",
            "-O",
            "-C",
            "panic=abort",
            "-C",
            "strip=symbols",
        ];
        let compile = |more: &[&str]| {
            let mut rustc =
                Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
            rustc
                .args(flags)
                .args(more)
                .arg("-o")
                .args([&program, &source])
                .stderr(Stdio::null());
            rustc.status().is_ok_and(|status| status.success())
        };
        // A static program starts faster; where it cannot be linked, another one does.
        if !compile(&["-C", "target-feature=+crt-static"]) && !compile(&[]) {
            return Err("rustc cannot compile the recorder".to_owned());
        }
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .map_err(|error| error.to_string())?;
        for name in NAMES
            .iter()
            .chain(&MORE_NAMES)
            .filter(|name| **name != "EVIL")
        {
            fs::hard_link(&program, bin.join(name)).map_err(|error| error.to_string())?;
        }
        for name in more.iter().filter(|name| !bin.join(name).exists()) {
            fs::hard_link(&program, bin.join(name)).map_err(|error| error.to_string())?;
        }
        Ok(sandbox)
    }

    /// Runs snippets in all shells, in a world that a list describes (see the recorder).
    pub fn run(
        &self,
        turn: usize,
        world: &[Vec<u8>],
        texts: &[String],
    ) -> Result<Vec<Run>, String> {
        self.run_in(&["bash", "dash", "zsh"], turn, world, texts)
    }

    /// The same in some shells.
    pub fn run_in(
        &self,
        shells: &[&str],
        turn: usize,
        world: &[Vec<u8>],
        texts: &[String],
    ) -> Result<Vec<Run>, String> {
        let log = self.folder.join(format!("log-{turn}"));
        fs::create_dir_all(&log).map_err(|error| error.to_string())?;
        let put = |name: &str, bytes: Vec<u8>| {
            fs::write(log.join(name), bytes).map_err(|error| error.to_string())
        };
        put("world", join(world.iter().map(Vec::as_slice)))?;
        put("shells", join(shells.iter().map(|shell| shell.as_bytes())))?;
        put("cases", join(texts.iter().map(String::as_bytes)))?;
        let output = self
            .command(&log)
            .output()
            .map_err(|error| format!("bwrap: {error}"))?;
        let bytes = fs::read(log.join("out")).unwrap_or_default();
        let _ = fs::remove_dir_all(&log);
        let mut rows = split(&bytes);
        if rows.pop().as_deref() != Some(b"done") {
            return Err(format!(
                "the sandbox broke off: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        Ok(rows.iter().filter_map(|row| read_run(row)).collect())
    }

    fn command(&self, log: &Path) -> Command {
        let bin = self.folder.join("bin");
        // Limits against snippets that grow without end.
        let mut command = Command::new("/bin/sh");
        command.args([
            "-c",
            "ulimit -v 4194304; ulimit -f 204800; exec bwrap \"$@\"",
            "bwrap",
        ]);
        command.args([
            "--ro-bind",
            "/usr/lib",
            "/usr/lib",
            "--ro-bind",
            "/usr/bin",
            "/real",
        ]);
        if Path::new("/usr/lib64").exists() {
            command.args([
                "--ro-bind",
                "/usr/lib64",
                "/usr/lib64",
                "--symlink",
                "usr/lib64",
                "/lib64",
            ]);
        }
        command
            .arg("--ro-bind")
            .arg(bin)
            .arg("/usr/bin")
            .arg("--bind")
            .arg(log)
            .arg("/log");
        command
            .args([
                "--symlink",
                "usr/bin",
                "/bin",
                "--symlink",
                "usr/lib",
                "/lib",
            ])
            .args(OWN_SYSTEM);
        command.args([
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--as-pid-1",
            "--clearenv",
            "--",
            "/usr/bin/EVIL",
        ]);
        command.stdin(Stdio::null());
        command
    }
}

fn join<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for bytes in fields {
        out.extend_from_slice(format!("{}:", bytes.len()).as_bytes());
        out.extend_from_slice(bytes);
    }
    out
}

fn split(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == b':') {
        let length: usize = String::from_utf8_lossy(&rest[..at]).parse().unwrap_or(0);
        let end = (at + 1 + length).min(rest.len());
        out.push(rest[at + 1..end].to_vec());
        rest = &rest[end..];
    }
    out
}

fn texts(bytes: &[u8]) -> Vec<String> {
    split(bytes)
        .iter()
        .map(|field| String::from_utf8_lossy(field).into_owned())
        .collect()
}

fn read_run(row: &[u8]) -> Option<Run> {
    let fields = split(row);
    let text = |index: usize| {
        fields
            .get(index)
            .map(|field| String::from_utf8_lossy(field).into_owned())
    };
    Some(Run {
        case: text(0)?.parse().ok()?,
        shell: text(1)?,
        late: !text(2)?.is_empty(),
        starts: split(fields.get(3)?)
            .iter()
            .filter_map(|record| read_start(record))
            .collect(),
        changed: texts(fields.get(4)?),
        read: texts(fields.get(5)?),
    })
}

fn read_start(record: &[u8]) -> Option<Start> {
    let fields = split(record);
    let text = |index: usize| {
        fields
            .get(index)
            .map(|field| String::from_utf8_lossy(field).into_owned())
    };
    let input = text(2)?;
    // Pipes, devices and the nameless files of heredocs are no files of the world.
    let is_file =
        input.starts_with('/') && !input.starts_with("/dev/") && !input.ends_with("(deleted)");
    Some(Start {
        file: text(0)?,
        // A snippet may take its own folder away.
        folder: text(1)?.trim_end_matches(" (deleted)").to_owned(),
        input: is_file.then_some(input),
        environment: texts(fields.get(3)?),
        argv: texts(fields.get(4)?),
    })
}
