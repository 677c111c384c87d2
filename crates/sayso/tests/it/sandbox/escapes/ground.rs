//! The world of one attempt: a home with secrets, a workspace, somebody outside to reach, and the run itself.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

use super::attempt::{Around, Attempt, Language};
use super::traces::{Snapshot, Traces};
use crate::program::run;
use crate::scene::{PATH, Scene, put};

/// Who runs it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Who {
    /// A person without special rights: `nobody`, if the test itself is root.
    Person,
    /// Root.
    Root,
}

pub const NOBODY: u32 = 65534;

/// The limits are small, so that they can be reached without harm.
const POLICY: &str = "version: 1\nsandbox: {processes: 64, memory: 256}\n";

const PYTHON: &str = r#"
import os, sys, ctypes, socket, struct, signal, time, subprocess, fcntl, mmap, resource
libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == 'x86_64'
names = dict(ptrace=(101, 117), pivot_root=(155, 41), add_key=(248, 217), keyctl=(250, 219), bpf=(321, 280), perf_event_open=(298, 241),
             userfaultfd=(323, 282), clone=(56, 220), init_module=(175, 105), reboot=(169, 142), rt_sigqueueinfo=(129, 138),
             process_vm_readv=(310, 270), syslog=(103, 116), tgkill=(234, 131))
def call(name, *given):
    number = names[name][0 if x86 else 1] if isinstance(name, str) else name
    got = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(one) if isinstance(one, int) else one for one in given])
    if got < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got
def done(got):
    if got < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got
def got(): print('GOT THROUGH', flush=True)
"#;

const BASH: &str = "got() { echo GOT THROUGH; }; echo started\n";

/// Somebody outside: with a secret in memory, in the environment and on the command line, a file held open, a terminal, and every signal
/// blocked, so that one that comes is seen to be waiting.
const VICTIM: &str = r#"
import os, signal, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
master, slave = os.openpty()
print(os.ttyname(slave), flush=True)
time.sleep(600)
"#;

/// The world. It goes away with the value.
pub struct Ground {
    pub scene: Scene,
    /// The folder of all of it.
    pub root: PathBuf,
    who: Who,
    /// What must not be told.
    pub secret: String,
    /// What no other world has in names, and in command lines.
    pub mark: String,
    victim: Option<(Child, String)>,
    tcp: TcpListener,
    udp: UdpSocket,
    sockets: Vec<UnixListener>,
    datagrams: UnixDatagram,
    address: String,
}

/// The program where everybody can run it.
pub fn program_for_everybody() -> Copied {
    let folder = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("sayso");
    copy_program(Path::new(env!("CARGO_BIN_EXE_sayso")), &program);
    Copied {
        _folder: folder,
        program,
    }
}

/// Copied by another process: what was open for writing here could be inherited by a process that another test starts just then, and a program
/// that is open for writing cannot be run.
fn copy_program(from: &Path, to: &Path) {
    assert!(
        Command::new("cp")
            .arg("--")
            .args([from, to])
            .status()
            .unwrap()
            .success()
    );
}

pub struct Copied {
    _folder: TempDir,
    program: PathBuf,
}

impl Copied {
    pub fn path(&self) -> &Path {
        &self.program
    }
}

impl Ground {
    /// A new one, with what the attempt needs.
    pub fn new(attempt: &Attempt, who: Who) -> Ground {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("escape-{}-{number}", std::process::id());
        let secret = format!("hush-{}", mark.chars().rev().collect::<String>());
        let scene = Scene::empty();
        let root = scene.home.parent().unwrap().to_owned();
        fs::create_dir(root.join("run")).unwrap();
        let outside = scene.outside.join("other");
        put(&outside.join("victim.txt"), "before");
        put(&outside.join("held.txt"), &secret);
        for name in [
            ".ssh/id_rsa",
            ".bash_history",
            ".netrc",
            ".local/state/sayso/key",
        ] {
            put(&scene.home.join(name), &secret);
        }
        fs::create_dir(scene.home.join(".local/state/sayso/sandbox")).unwrap();
        for folder in [".local/state/sayso", ".local/state/sayso/sandbox"] {
            fs::set_permissions(scene.home.join(folder), fs::Permissions::from_mode(0o700))
                .unwrap();
        }
        put(&scene.home.join(".bashrc"), "# mine\n");
        scene.user_policy(&format!("# {secret}\n{POLICY}"));
        for name in [".env", "conf/.env"] {
            scene.file(name, &secret);
        }
        for name in [".vscode/tasks.json", "sub/.claude/settings.json", "a.txt"] {
            scene.file(name, "{}\n");
        }
        symlink(&outside, scene.workspace.join("leads-out")).unwrap();
        symlink(
            scene.home.join(".ssh/id_rsa"),
            scene.workspace.join("leads-to-key"),
        )
        .unwrap();
        if attempt.script.contains("git") {
            repository(&scene);
        }
        let tcp = TcpListener::bind("0.0.0.0:0").unwrap();
        let udp = UdpSocket::bind("0.0.0.0:0").unwrap();
        let sockets: Vec<UnixListener> = ["tmp.sock", "run/agent.sock", "home/agent.sock"]
            .iter()
            .map(|name| UnixListener::bind(root.join(name)).unwrap())
            .collect();
        let named =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&mark).unwrap()).unwrap();
        let sockets: Vec<UnixListener> = sockets.into_iter().chain([named]).collect();
        let datagrams = UnixDatagram::bind(root.join("run/log.sock")).unwrap();
        for socket in [
            "tmp.sock",
            "run/agent.sock",
            "home/agent.sock",
            "run/log.sock",
        ] {
            fs::set_permissions(root.join(socket), fs::Permissions::from_mode(0o777)).unwrap();
        }
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        sockets
            .iter()
            .for_each(|socket| socket.set_nonblocking(true).unwrap());
        hand_over(&scene, who);
        if rustix::process::geteuid().is_root() {
            let program = scene.workspace.join("root-id");
            copy_program(Path::new("/usr/bin/id"), &program);
            fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
        }
        let address = own_address().unwrap_or_else(|| "127.0.0.1".to_owned());
        let mut ground = Ground {
            scene,
            root,
            who,
            secret,
            mark,
            victim: None,
            tcp,
            udp,
            sockets,
            datagrams,
            address,
        };
        if ["{pid}", "{terminal}"]
            .iter()
            .any(|name| attempt.script.contains(name))
        {
            ground.victim = Some(ground.start_victim());
        }
        ground
    }

    fn start_victim(&self) -> (Child, String) {
        use std::io::{BufRead as _, BufReader};
        let held = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(self.scene.outside.join("other/held.txt"))
            .unwrap();
        let mut victim = Command::new("/usr/bin/python3");
        victim
            .args(["-c", VICTIM, &self.secret])
            .env_clear()
            .env("SECRET", &self.secret)
            .process_group(0);
        victim
            .current_dir(self.scene.outside.join("other"))
            .stdin(held)
            .stdout(Stdio::piped());
        as_who(&mut victim, self.who);
        let mut victim = victim.spawn().unwrap();
        let mut terminal = String::new();
        BufReader::new(victim.stdout.take().unwrap())
            .read_line(&mut terminal)
            .unwrap();
        (victim, terminal.trim().to_owned())
    }

    /// Puts the places of this world into a script.
    pub fn fill(&self, text: &str) -> String {
        let (pid, terminal) = self
            .victim
            .as_ref()
            .map_or((String::new(), String::new()), |(child, terminal)| {
                (child.id().to_string(), terminal.clone())
            });
        let mut text = self.scene.fill(text);
        for (name, value) in [
            (
                "{out}",
                self.scene
                    .outside
                    .join("other")
                    .to_string_lossy()
                    .into_owned(),
            ),
            ("{root}", self.root.to_string_lossy().into_owned()),
            ("{mark}", self.mark.clone()),
            ("{pid}", pid),
            ("{terminal}", terminal),
            ("{address}", self.address.clone()),
            ("{tcp}", self.tcp.local_addr().unwrap().port().to_string()),
            ("{udp}", self.udp.local_addr().unwrap().port().to_string()),
            ("{key}", key(&self.mark).to_string()),
        ] {
            text = text.replace(name, &value);
        }
        text
    }

    /// Tries it; what was seen of it outside, if it got through.
    pub fn attempt(
        mut self,
        attempt: &Attempt,
        options: Option<&[&str]>,
        program: &Path,
    ) -> Option<String> {
        let before = Snapshot::take(&self);
        let script = self.fill(attempt.script);
        let mut words: Vec<String> = Vec::new();
        match attempt.around {
            Around::Nothing => {}
            Around::Bash(line) => words.extend([
                "bash".into(),
                "-c".into(),
                format!("{}\nexec \"$@\"", self.fill(line)),
                "bash".into(),
            ]),
            Around::Python(outer) => words.extend([
                "python3".into(),
                "-c".into(),
                format!("{PYTHON}{}", self.fill(outer)),
            ]),
        }
        if let Some(options) = options {
            let program = [program.to_str().unwrap(), "sandbox"];
            let all = program.iter().chain(options).chain(&["--"]);
            words.extend(all.map(|word| (*word).to_owned()));
        }
        match attempt.language {
            Language::Bash => words.extend(["bash".into(), "-c".into(), format!("{BASH}{script}")]),
            Language::Python => words.extend([
                "python3".into(),
                "-c".into(),
                format!("{PYTHON}print('started', flush=True)\n{script}"),
            ]),
        }
        let mut command = Command::new("env");
        command
            .args(words)
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", &self.scene.home)
            .current_dir(&self.scene.workspace);
        command
            .env("XDG_RUNTIME_DIR", self.root.join("run"))
            .env("AWS_SECRET_ACCESS_KEY", &self.secret);
        as_who(&mut command, self.who);
        let done = run(&mut command, b"");
        assert!(
            done.out.contains("started"),
            "`{}` was not run: {} {}",
            attempt.name,
            done.out,
            done.err
        );
        if std::env::var_os("SAYSO_ESCAPE").is_some() {
            eprintln!(
                "{} ({options:?}, {:?}): {}\n{}{}",
                attempt.name, self.who, done.code, done.out, done.err
            );
        }
        Traces {
            ground: &mut self,
            before,
        }
        .seen(&format!("{}{}", done.out, done.err))
    }

    pub fn has_victim(&mut self) -> Option<&mut Child> {
        self.victim.as_mut().map(|(child, _)| child)
    }

    /// Whether anybody outside was reached.
    pub fn was_reached(&self) -> Option<&'static str> {
        let mut bytes = [0; 64];
        match () {
            () if self.tcp.accept().is_ok() => Some("a connection came"),
            () if self.udp.recv(&mut bytes).is_ok() || self.datagrams.recv(&mut bytes).is_ok() => {
                Some("a message came")
            }
            () if self.sockets.iter().any(|socket| socket.accept().is_ok()) => {
                Some("a connection to a local socket came")
            }
            () => None,
        }
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        if let Some((mut victim, _)) = self.victim.take() {
            let _ = victim.kill();
            let _ = victim.wait();
        }
    }
}

/// Has a command run as them.
pub fn as_who(command: &mut Command, who: Who) {
    if who == Who::Person && rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
}

/// Gives them a whole world.
pub fn hand_over(scene: &Scene, who: Who) {
    if who == Who::Person && rustix::process::geteuid().is_root() {
        let (owner, root) = (format!("{NOBODY}:{NOBODY}"), scene.home.parent().unwrap());
        assert!(
            Command::new("chown")
                .args(["-R", "-h", &owner])
                .arg(root)
                .status()
                .unwrap()
                .success()
        );
    }
}

/// A number from a mark, for memory that is shared by number.
pub fn key(mark: &str) -> u32 {
    0x5a00_0000
        | mark.bytes().fold(7_u32, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        }) & 0x00ff_ffff
}

/// An address of this machine that is not its own loop. Nothing is sent.
fn own_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    socket
        .local_addr()
        .ok()
        .map(|address| address.ip().to_string())
}

/// A repository with a hook, a module, and a second tree.
pub fn repository(scene: &Scene) {
    scene.git(&["init", "--quiet", "."]);
    for (name, text) in [
        (".git/hooks/pre-commit", "#!/bin/sh\n"),
        (".git/modules/m/HEAD", "ref: refs/heads/main\n"),
    ] {
        scene.file(name, text);
    }
    scene.file(".git/modules/m/config", "[core]\n\tbare = false\n");
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    scene.git(
        &[
            &who[..],
            &[
                "commit",
                "--quiet",
                "--allow-empty",
                "--message",
                "first",
                "--no-verify",
            ],
        ]
        .concat(),
    );
    scene.git(&["worktree", "add", "--quiet", "tree"]);
}
