//! Runs the program at a terminal of its own, with somebody who types when they see something.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::scene::Scene;

/// Far more than any of it takes, far less than a hang.
const LONGEST: Duration = Duration::from_secs(120);

/// What is typed, and when.
pub enum Typed<'a> {
    /// Before the program has even started.
    Ahead(&'a str),
    /// As soon as this stands there, but not so soon that it counts as typed ahead.
    At(&'a str, &'a str),
}

/// How it went.
pub struct Seen {
    /// Everything that stood on the screen.
    pub text: String,
    /// The exit status.
    pub code: i32,
}

/// Runs the program with these words, on a screen of so many columns.
pub fn at_terminal(scene: &Scene, words: &[&str], columns: u16, typed: &[Typed<'_>]) -> Seen {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let mut master = File::from(master);
    let ours = scene.program();
    // The leader of a session gets the first terminal that it opens as its own.
    let mut program = Command::new("setsid");
    program.args(["--wait", "sh", "-c", "exec \"$@\" < \"$0\" > \"$0\" 2> \"$0\""]);
    program.arg(std::ffi::OsStr::from_bytes(name.as_bytes())).arg(ours.get_program()).args(words);
    program.env_clear().envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("NO_COLOR", "1");
    program.current_dir(&scene.workspace).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut typed = typed.iter().peekable();
    // Held open, so that what is typed ahead waits for the program.
    let _slave = File::options().read(true).write(true).open(std::ffi::OsStr::from_bytes(name.as_bytes()));
    while let Some(Typed::Ahead(keys)) = typed.peek() {
        master.write_all(keys.as_bytes()).unwrap();
        typed.next();
    }
    let mut child = program.spawn().unwrap();
    let (mut bytes, mut from) = (Vec::new(), 0);
    let end = Instant::now() + LONGEST;
    let code = loop {
        let ended = child.try_wait().unwrap();
        let wait = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
        let mut ready = [PollFd::from_borrowed_fd(master.as_fd(), PollFlags::IN)];
        if poll(&mut ready, Some(&wait)).unwrap() > 0 {
            let mut piece = [0; 4096];
            let count = master.read(&mut piece).unwrap_or(0);
            bytes.extend_from_slice(&piece[..count]);
        } else if let Some(status) = ended {
            break status.code().unwrap();
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(Typed::At(sign, keys)) = typed.peek()
            && let Some(at) = text.get(from..).and_then(|rest| rest.find(sign))
        {
            from += at + sign.len();
            // The program does not count what is typed in the first moment of a question.
            std::thread::sleep(Duration::from_millis(1500));
            master.write_all(keys.as_bytes()).unwrap();
            typed.next();
        }
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("{words:?} hangs: {text}");
        }
    };
    Seen { text: String::from_utf8_lossy(&bytes).replace("\r\n", "\n"), code }
}
