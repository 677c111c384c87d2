//! Has a shell and what it starts read approved scripts from copies, whatever stands under their names by then.
//!
//! A name cannot be held: a mount over it goes away with a rename from outside. So the shell of the line is traced, and the call by which it,
//! or an interpreter that it starts with the script's name, opens the script is led to the copy. `$0`, `BASH_SOURCE` and everything else
//! stay as written. A program that no script is named to is let go before it starts, so that it is never traced.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc;

use libc::{c_int, c_long, c_void, pid_t};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// A script that was approved.
#[derive(Debug)]
pub struct Script {
    /// Its name, absolute.
    path: PathBuf,
    copy: OwnedFd,
    /// The program that its first line names, with what is put before its own name.
    interpreter: Option<(PathBuf, Option<OsString>)>,
}

impl Script {
    /// A script by its absolute name, with its bytes.
    ///
    /// # Errors
    /// If they cannot be copied.
    pub fn new(path: PathBuf, bytes: &[u8]) -> io::Result<Script> {
        let copy = memfd_create("script", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        let file = File::from(copy);
        file.write_all_at(bytes, 0)?;
        fcntl_add_seals(
            &file,
            SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
        )?;
        Ok(Script {
            path: plain(&path),
            copy: file.into(),
            interpreter: interpreter(bytes),
        })
    }
}

/// What the kernel makes of a first line.
fn interpreter(bytes: &[u8]) -> Option<(PathBuf, Option<OsString>)> {
    let line = bytes
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let line = line.trim_ascii();
    let end = line
        .iter()
        .position(|byte| matches!(byte, b' ' | b'\t'))
        .unwrap_or(line.len());
    let (program, rest) = line.split_at_checked(end)?;
    let rest = rest.trim_ascii();
    let argument = (!rest.is_empty()).then(|| OsString::from_vec(rest.to_vec()));
    Some((
        PathBuf::from(OsString::from_vec(program.to_vec())),
        argument,
    ))
}

/// Starts a command that runs `text` in a shell in the end, and has it read scripts from their copies. `cwd` is the folder that it
/// starts in, by its name.
///
/// # Errors
/// If it cannot be started.
pub fn spawn(
    mut command: Command,
    text: &str,
    cwd: &Path,
    scripts: Vec<Script>,
) -> io::Result<Child> {
    let (send, receive) = mpsc::sync_channel(1);
    let (text, cwd) = (text.as_bytes().to_vec(), plain(cwd));
    // Only the thread that started a process may trace it.
    std::thread::Builder::new()
        .name("scripts".to_owned())
        .spawn(move || {
            #[allow(
                unsafe_code,
                reason = "there is no other way to do something between fork and exec"
            )]
            // SAFETY: one system call.
            unsafe {
                command.pre_exec(|| {
                    done(libc::ptrace(
                        libc::PTRACE_TRACEME,
                        0,
                        std::ptr::null_mut::<c_void>(),
                        std::ptr::null_mut::<c_void>(),
                    ))
                });
            }
            let started = command.spawn();
            drop(command);
            let main = started
                .as_ref()
                .ok()
                .and_then(|child| pid_t::try_from(child.id()).ok());
            let is_heard = send.send(started).is_ok();
            if let Some(main) = main.filter(|_| is_heard) {
                Tracer {
                    main,
                    text,
                    cwd,
                    scripts,
                    processes: HashMap::new(),
                    let_go: HashSet::new(),
                    is_over: false,
                }
                .follow();
            }
        })?;
    receive
        .recv()
        .map_err(|_| io::Error::other("the thread that starts it ended"))?
}

/// What is known of a process.
#[derive(Default)]
struct Process {
    /// It was started with the name of a script, which it is about to open.
    is_interpreter: bool,
    /// The script that it is about to become by its name alone.
    becomes: Option<usize>,
    /// It waits for a child of its own.
    waits: bool,
    /// The folder it works in, by the names that it went there by: another folder may stand under them by now.
    cwd: PathBuf,
    /// Where it is about to go.
    goes: Option<PathBuf>,
    /// The call is led elsewhere: the number of the changed argument and what it was.
    changed: Option<(usize, u64)>,
}

struct Tracer {
    main: pid_t,
    /// The line.
    text: Vec<u8>,
    /// Where it starts.
    cwd: PathBuf,
    scripts: Vec<Script>,
    processes: HashMap<pid_t, Process>,
    /// Processes that were let go.
    let_go: HashSet<pid_t>,
    /// A program has run, or the shell wrote to a script: what stands there now may be what the line itself has made of it.
    is_over: bool,
}

const OPTIONS: c_int = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC;
/// What the kernel says of a process that begins a call.
const ENTRY: u8 = 1;
const SYSCALL_STOP: c_int = libc::SIGTRAP | 0x80;
/// As much of a name or of arguments is read.
const MOST_NAME: usize = 4096;
const MOST_ARGUMENTS: usize = 4096;
/// So far below the stack of a process a name can be put: what is nearer belongs to it.
const BELOW_STACK: u64 = 1024;

/// A system call as the kernel tells it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Call {
    op: u8,
    _pad: [u8; 3],
    _arch: u32,
    _instruction: u64,
    stack: u64,
    number: u64,
    arguments: [u64; 6],
    _rest: [u64; 4],
}

impl Tracer {
    /// Follows the shells until the first process has ended.
    fn follow(mut self) {
        while let Some((process, status)) = self.next() {
            if !libc::WIFSTOPPED(status) {
                self.processes.remove(&process);
                continue;
            }
            let is_new = !self.processes.contains_key(&process);
            if is_new {
                let cwd = self.cwd_of_parent(process);
                self.processes.insert(
                    process,
                    Process {
                        cwd,
                        ..Process::default()
                    },
                );
                // One that has ended meanwhile is heard of again.
                let _ = request(libc::PTRACE_SETOPTIONS, process, OPTIONS as usize);
            }
            match (libc::WSTOPSIG(status), status >> 16) {
                (SYSCALL_STOP, _) => self.call(process),
                (libc::SIGTRAP, libc::PTRACE_EVENT_EXEC) => self.became(process),
                (libc::SIGTRAP, _) => resume(process, 0),
                (libc::SIGSTOP, 0) if is_new => resume(process, 0),
                (signal, _) => resume(process, signal),
            }
        }
    }

    /// What happened to which process; none once the first has ended, whose end is for others to see.
    fn next(&self) -> Option<(pid_t, c_int)> {
        #[allow(unsafe_code, reason = "system calls")]
        // SAFETY: the kernel writes into values that are there until the calls are done.
        unsafe {
            let mut about: libc::siginfo_t = std::mem::zeroed();
            let which =
                libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WALL | libc::__WNOTHREAD;
            while libc::waitid(libc::P_ALL, 0, &raw mut about, which) != 0 {
                if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                    return None;
                }
            }
            let process = about.si_pid();
            let has_ended = matches!(
                about.si_code,
                libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED
            );
            if process == self.main && has_ended {
                return None;
            }
            let mut status = 0;
            (libc::waitpid(process, &raw mut status, libc::__WALL) == process)
                .then_some((process, status))
        }
    }

    /// A process makes a call, or comes back from one.
    fn call(&mut self, process: pid_t) {
        let call = call_of(process);
        match call.op {
            ENTRY if self.is_over => self.let_go(process),
            ENTRY if self.is_exec(&call) => self.starts(process, &call),
            ENTRY => {
                let [first, ..] = call.arguments;
                let goes = (call.number == libc::SYS_chdir as u64)
                    .then(|| self.absolute(process, &text(process, first)));
                if let Some(known) = self.processes.get_mut(&process) {
                    known.waits = call.number == libc::SYS_wait4 as u64;
                    known.goes = goes;
                }
                self.opens(process, &call);
            }
            // What it comes back with stands where its number was.
            _ => self.comes_back(process, call.number.cast_signed()),
        }
    }

    fn is_exec(&self, call: &Call) -> bool {
        call.number == libc::SYS_execve as u64 || call.number == libc::SYS_execveat as u64
    }

    /// A process is about to become another program: one that no script is named to is let go.
    fn starts(&mut self, process: pid_t, call: &Call) {
        let at = usize::from(call.number == libc::SYS_execveat as u64);
        let [path, arguments] =
            [at, at + 1].map(|index| call.arguments.get(index).copied().unwrap_or(0));
        let program = text(process, path);
        let words = arguments_of(process, arguments);
        let becomes = self.named(process, &program);
        let names =
            becomes.is_some() || words.iter().any(|word| self.named(process, word).is_some());
        let is_line = words.last().is_some_and(|last| *last == self.text);
        let gains = std::fs::metadata(self.absolute(process, &program))
            .is_ok_and(|found| found.mode() & 0o6000 != 0);
        if gains || !names && !is_line {
            self.let_go(process);
            return;
        }
        if let Some(known) = self.processes.get_mut(&process) {
            known.is_interpreter = names;
            known.becomes = becomes;
        }
        resume(process, 0);
    }

    /// A process has become another program. If that is a script, it must be the interpreter of the one that was approved.
    fn became(&mut self, process: pid_t) {
        let becomes = self
            .processes
            .get_mut(&process)
            .and_then(|known| known.becomes.take());
        if let Some(script) = becomes.and_then(|index| self.scripts.get(index)) {
            let (program, argument) = script.interpreter.clone().unwrap_or_default();
            let expected = std::fs::metadata(&program).map(|found| (found.dev(), found.ino()));
            let found = std::fs::metadata(format!("/proc/{process}/exe"))
                .map(|found| (found.dev(), found.ino()));
            let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            let mut words = line.split(|byte| *byte == 0).skip(1);
            let same_argument =
                argument.is_none_or(|argument| words.next() == Some(argument.as_bytes()));
            let same_script = words
                .next()
                .is_some_and(|word| self.named(process, word).is_some());
            // An interpreter that is a script itself has another one, which is the system's.
            let is_nested = File::open(&program).is_ok_and(|file| {
                let mut start = [0; 2];
                file.read_exact_at(&mut start, 0).is_ok() && start == *b"#!"
            });
            let is_same = is_nested
                || matches!((expected, found), (Ok(expected), Ok(found)) if expected == found);
            let same_argument = is_nested || same_argument;
            let same_script = is_nested || same_script;
            if !is_same || !same_argument || !same_script {
                kill(process);
                return;
            }
        }
        resume(process, 0);
    }

    /// A process opens something: a script is opened from its copy.
    fn opens(&mut self, process: pid_t, call: &Call) {
        let argument = match i64::try_from(call.number).unwrap_or(-1) {
            libc::SYS_openat => 1,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => 0,
            _ => return resume(process, 0),
        };
        let name = call.arguments.get(argument).copied().unwrap_or(0);
        let flags = call.arguments.get(argument + 1).copied().unwrap_or(0);
        let is_read = flags
            & (libc::O_ACCMODE | libc::O_PATH | libc::O_DIRECTORY | libc::O_CREAT) as u64
            == 0;
        let script = self.named(process, &text(process, name));
        self.is_over |= script.is_some() && flags & libc::O_ACCMODE as u64 != libc::O_RDONLY as u64;
        let Some(script) = script
            .filter(|_| is_read)
            .and_then(|index| self.scripts.get(index))
        else {
            return resume(process, 0);
        };
        let copy = format!(
            "/proc/{}/fd/{}\0",
            std::process::id(),
            script.copy.as_raw_fd()
        );
        let place = call.stack.saturating_sub(BELOW_STACK) & !15;
        let is_led = memory(process)
            .is_ok_and(|memory| memory.write_all_at(copy.as_bytes(), place).is_ok())
            && set_argument(process, argument, place).is_ok();
        if !is_led {
            return kill(process);
        }
        if let Some(known) = self.processes.get_mut(&process) {
            known.changed = Some((argument, name));
        }
        resume(process, 0);
    }

    /// A call has come back. An interpreter that has its script is let go.
    fn comes_back(&mut self, process: pid_t, result: i64) {
        let Some(known) = self.processes.get_mut(&process) else {
            return resume(process, 0);
        };
        if let Some(folder) = known.goes.take().filter(|_| result == 0) {
            known.cwd = folder;
        }
        // A program has ended. What comes next may run what it made.
        let ended = pid_t::try_from(result).unwrap_or(0);
        self.is_over |= std::mem::take(&mut known.waits) && self.let_go.contains(&ended);
        let Some((argument, was)) = known.changed.take() else {
            return resume(process, 0);
        };
        let is_interpreter = known.is_interpreter;
        if set_argument(process, argument, was).is_err() {
            return kill(process);
        }
        if is_interpreter {
            self.let_go(process)
        } else {
            resume(process, 0)
        }
    }

    fn let_go(&mut self, process: pid_t) {
        self.processes.remove(&process);
        self.let_go.insert(process);
        // One that has ended meanwhile is gone anyway.
        let _ = request(libc::PTRACE_DETACH, process, 0);
    }

    /// The script that a process means by a word.
    fn named(&self, process: pid_t, word: &[u8]) -> Option<usize> {
        // Most words are none, which is found out by their end alone.
        let last = Path::new(std::ffi::OsStr::from_bytes(word)).file_name()?;
        self.scripts
            .iter()
            .find(|script| script.path.file_name() == Some(last))?;
        let path = self.absolute(process, word);
        self.scripts.iter().position(|script| script.path == path)
    }

    fn absolute(&self, process: pid_t, word: &[u8]) -> PathBuf {
        let word = Path::new(std::ffi::OsStr::from_bytes(word));
        if word.is_absolute() {
            return plain(word);
        }
        let base = self
            .processes
            .get(&process)
            .map_or(&self.cwd, |known| &known.cwd);
        plain(&base.join(word))
    }

    /// Where a new process works: where the one does that made it.
    fn cwd_of_parent(&self, process: pid_t) -> PathBuf {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let parent = status
            .lines()
            .find_map(|line| line.strip_prefix("PPid:")?.trim().parse::<pid_t>().ok());
        parent
            .and_then(|parent| self.processes.get(&parent))
            .map_or_else(|| self.cwd.clone(), |known| known.cwd.clone())
    }
}

/// Without `.`, and with `..` taken by the letter.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

fn memory(process: pid_t) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .open(format!("/proc/{process}/mem"))
}

/// A text in the memory of a process, up to its end.
fn text(process: pid_t, place: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let Ok(memory) = memory(process) else {
        return out;
    };
    let mut piece = [0; 256];
    while out.len() < MOST_NAME {
        // Not over the end of a page, where the memory may end.
        let from = place.saturating_add(out.len() as u64);
        let room = usize::try_from(4096 - from % 4096)
            .unwrap_or(1)
            .min(piece.len());
        let Some(read) = piece
            .get_mut(..room)
            .and_then(|room| memory.read_at(room, from).ok())
            .filter(|read| *read > 0)
        else {
            break;
        };
        let got = piece.get(..read).unwrap_or_default();
        match got.iter().position(|byte| *byte == 0) {
            Some(end) => {
                out.extend_from_slice(got.get(..end).unwrap_or_default());
                break;
            }
            None => out.extend_from_slice(got),
        }
    }
    out
}

fn arguments_of(process: pid_t, place: u64) -> Vec<Vec<u8>> {
    let Ok(memory) = memory(process) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for index in 0..MOST_ARGUMENTS as u64 {
        let mut pointer = [0; 8];
        if memory
            .read_exact_at(&mut pointer, place.saturating_add(8 * index))
            .is_err()
        {
            break;
        }
        match u64::from_ne_bytes(pointer) {
            0 => break,
            pointer => out.push(long_text(&memory, pointer)),
        }
    }
    out
}

/// The same as [`text`] for one argument, which may be as long as the system takes.
fn long_text(memory: &File, place: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut piece = [0; 4096];
    while out.len() < 1 << 18 {
        let from = place.saturating_add(out.len() as u64);
        let room = usize::try_from(4096 - from % 4096).unwrap_or(1);
        let Some(read) = piece
            .get_mut(..room)
            .and_then(|room| memory.read_at(room, from).ok())
            .filter(|read| *read > 0)
        else {
            break;
        };
        let got = piece.get(..read).unwrap_or_default();
        let end = got.iter().position(|byte| *byte == 0);
        out.extend_from_slice(got.get(..end.unwrap_or(read)).unwrap_or_default());
        if end.is_some() {
            break;
        }
    }
    out
}

fn call_of(process: pid_t) -> Call {
    const GET_SYSCALL_INFO: libc::c_uint = 0x420e;
    let mut call = Call::default();
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel writes no more than the size of the value.
    unsafe {
        libc::ptrace(
            GET_SYSCALL_INFO as _,
            process,
            size_of::<Call>(),
            &raw mut call,
        );
    }
    call
}

#[cfg(target_arch = "x86_64")]
fn set_argument(process: pid_t, argument: usize, value: u64) -> io::Result<()> {
    #[allow(unsafe_code, reason = "system calls")]
    // SAFETY: zeros are a value of this type, which the kernel fills and reads.
    unsafe {
        let mut registers: libc::user_regs_struct = std::mem::zeroed();
        let none = std::ptr::null_mut::<c_void>();
        done(libc::ptrace(
            libc::PTRACE_GETREGS,
            process,
            none,
            &raw mut registers,
        ))?;
        match argument {
            0 => registers.rdi = value,
            _ => registers.rsi = value,
        }
        done(libc::ptrace(
            libc::PTRACE_SETREGS,
            process,
            none,
            &raw const registers,
        ))
    }
}

#[cfg(target_arch = "aarch64")]
fn set_argument(process: pid_t, argument: usize, value: u64) -> io::Result<()> {
    const GENERAL: usize = 1;
    #[allow(unsafe_code, reason = "system calls")]
    // SAFETY: zeros are a value of this type, which the kernel fills and reads.
    unsafe {
        let mut registers: libc::user_regs_struct = std::mem::zeroed();
        let mut room = libc::iovec {
            iov_base: (&raw mut registers).cast(),
            iov_len: size_of::<libc::user_regs_struct>(),
        };
        done(libc::ptrace(
            libc::PTRACE_GETREGSET,
            process,
            GENERAL,
            &raw mut room,
        ))?;
        if let Some(register) = registers.regs.get_mut(argument) {
            *register = value;
        }
        done(libc::ptrace(
            libc::PTRACE_SETREGSET,
            process,
            GENERAL,
            &raw mut room,
        ))
    }
}

/// Continues up to the next call.
fn resume(process: pid_t, signal: c_int) {
    // One that was killed meanwhile is heard of again.
    let _ = request(
        libc::PTRACE_SYSCALL,
        process,
        usize::try_from(signal).unwrap_or(0),
    );
}

fn kill(process: pid_t) {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: numbers only; the process is traced, so that its number is not another's.
    unsafe {
        libc::kill(process, libc::SIGKILL);
    }
}

fn request(what: RequestKind, process: pid_t, data: usize) -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: numbers only.
    done(unsafe { libc::ptrace(what, process, std::ptr::null_mut::<c_void>(), data) })
}

#[cfg(target_env = "musl")]
type RequestKind = c_int;
#[cfg(not(target_env = "musl"))]
type RequestKind = libc::c_uint;

fn done(result: c_long) -> io::Result<()> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
