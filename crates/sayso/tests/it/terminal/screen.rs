//! The program at a terminal with a screen: what a person would see, and what they would press.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

/// How long a machine may take that has much else to do; nothing waits so long when all is well.
const PATIENCE: Duration = Duration::from_secs(300);
/// Longer than what is typed at a new question does not count.
const MOMENT: Duration = Duration::from_millis(450);
/// What is silent for so long has painted its frame.
const QUIET: Duration = Duration::from_millis(60);
/// What paints all the time is looked at after so long.
const SETTLED: Duration = Duration::from_secs(1);

/// A workspace with a batch in it, and a home.
pub struct Room {
    _scratch: tempfile::TempDir,
    pub folder: PathBuf,
    pub home: PathBuf,
}

impl Room {
    /// A room with these calls, as JSON.
    pub fn new(calls: &[String]) -> Room {
        let scratch = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (folder, home) = (root.join("ws"), root.join("home"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::create_dir(&home).unwrap();
        std::fs::write(folder.join("a.py"), "x = old\n").unwrap();
        std::fs::write(folder.join("c.py"), "gone\n").unwrap();
        std::fs::write(
            folder.join("calls.json"),
            format!("[{}]", calls.join(",\n")),
        )
        .unwrap();
        Room {
            _scratch: scratch,
            folder,
            home,
        }
    }

    /// With a policy of the person's.
    pub fn policy(self, text: &str) -> Room {
        let file = self.home.join(".config/sayso/policy.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("version: 1\n{text}\n")).unwrap();
        self
    }

    /// Whether a file is there.
    pub fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// `sayso run` on the calls.
    pub fn run(&self) -> Screen {
        self.start(
            &format!("{} run calls.json", env!("CARGO_BIN_EXE_sayso")),
            100,
            40,
        )
    }

    /// A line of a shell at a terminal of this size.
    pub fn start(&self, line: &str, columns: u16, rows: u16) -> Screen {
        Screen::start(&self.folder, &self.home, line, columns, rows)
    }
}

/// A new file, as a call that asks.
pub fn create(name: &str) -> String {
    format!(
        r#"{{"type": "file_create", "id": "{name}", "file": "{name}", "content": "print(1)\n"}}"#
    )
}

/// A command, as a call.
pub fn command(text: &str) -> String {
    serde_json::json!({"type": "terminal", "id": "t", "command": text}).to_string()
}

struct Shown {
    parser: vt100::Parser,
    /// Every byte so far.
    raw: Vec<u8>,
    closed: bool,
    /// Nobody reads any more.
    lost: bool,
}

/// A program at a terminal with a screen.
pub struct Screen {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    shown: Arc<(Mutex<Shown>, Condvar)>,
    master: Option<Box<dyn MasterPty + Send>>,
}

impl Screen {
    /// Starts a line of a shell.
    pub fn start(folder: &Path, home: &Path, line: &str, columns: u16, rows: u16) -> Screen {
        let pair = native_pty_system()
            .openpty(PtySize {
                rows,
                cols: columns,
                pixel_width: 0,
                pixel_height: 0,
            })
            .unwrap();
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", line]);
        command.cwd(folder);
        command.env_clear();
        for (name, value) in [
            ("HOME", home.to_str().unwrap()),
            ("PATH", "/usr/bin:/bin"),
            ("TERM", "xterm-256color"),
        ] {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let parser = vt100::Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 0);
        let shown = Arc::new((
            Mutex::new(Shown {
                parser,
                raw: Vec::new(),
                closed: false,
                lost: false,
            }),
            Condvar::new(),
        ));
        let to = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let count = reader.read(&mut bytes).unwrap_or_default();
                let Ok(mut shown) = to.0.lock() else { return };
                shown.parser.process(&bytes[..count]);
                shown.raw.extend_from_slice(&bytes[..count]);
                shown.closed = count == 0;
                to.1.notify_all();
                if count == 0 || shown.lost {
                    return;
                }
            }
        });
        Screen {
            child,
            keys: pair.master.take_writer().unwrap(),
            shown,
            master: Some(pair.master),
        }
    }

    /// What stands on the screen, once nothing more comes: a frame may be there by half.
    pub fn text(&self) -> String {
        let until = Instant::now() + SETTLED;
        let mut shown = self.shown.0.lock().unwrap();
        while !shown.closed && Instant::now() < until {
            let (after, quiet) = self.shown.1.wait_timeout(shown, QUIET).unwrap();
            shown = after;
            if quiet.timed_out() {
                break;
            }
        }
        shown.parser.screen().contents()
    }

    /// All bytes so far.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.shown.0.lock().unwrap().raw).into_owned()
    }

    fn wait(&self, what: &str, is_there: impl Fn(&Shown) -> bool) {
        let until = Instant::now() + PATIENCE;
        let mut shown = self.shown.0.lock().unwrap();
        while !is_there(&shown) {
            let left = until.saturating_duration_since(Instant::now());
            if shown.closed || left.is_zero() {
                let text = shown.parser.screen().contents();
                drop(shown);
                panic!("{what} did not come; the screen shows:\n{text}");
            }
            shown = self.shown.1.wait_timeout(shown, left).unwrap().0;
        }
    }

    /// Waits until the screen shows this.
    pub fn see(&self, text: &str) {
        self.wait(&format!("`{text}`"), |shown| {
            shown.parser.screen().contents().contains(text)
        });
    }

    /// Waits until this was written, though something else may be painted over it by now.
    pub fn was(&self, text: &str) {
        self.wait(&format!("`{text}`"), |shown| {
            String::from_utf8_lossy(&shown.raw).contains(text)
        });
    }

    /// Waits until the screen shows this no more.
    pub fn gone(&self, text: &str) {
        self.wait(&format!("the end of `{text}`"), |shown| {
            shown.closed || !shown.parser.screen().contents().contains(text)
        });
    }

    /// Sends bytes as they are, at once.
    pub fn send(&mut self, bytes: &str) {
        self.keys.write_all(bytes.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Presses a key when it counts, and waits until the screen has changed because of it.
    pub fn press(&mut self, key: &str) {
        loop {
            std::thread::sleep(MOMENT);
            let before = self.text();
            self.send(key);
            self.wait(
                &format!("anything after `{}`", key.escape_debug()),
                |shown| shown.closed || shown.parser.screen().contents() != before,
            );
            // On a busy machine the question may have been there for less time than it seems from here.
            let now = self.shown.0.lock().unwrap().parser.screen().contents();
            if !now.contains("stood there does not count") && !now.contains("too fast for a key") {
                return;
            }
        }
    }

    /// Presses a key at a prompt that shows this.
    pub fn at(&mut self, sign: &str, key: &str) {
        self.see(sign);
        self.press(key);
    }

    /// The window gets another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        self.shown
            .0
            .lock()
            .unwrap()
            .parser
            .screen_mut()
            .set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    /// The terminal is gone, as soon as the program has written to it once more.
    pub fn lose(&mut self) {
        self.shown.0.lock().unwrap().lost = true;
        self.master = None;
        // The writer holds the terminal, too.
        self.keys = Box::new(std::io::sink());
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// The state of the program as the kernel tells it: `S`, `T`, …
    pub fn state(&self) -> char {
        let text =
            std::fs::read_to_string(format!("/proc/{}/stat", self.child.process_id().unwrap()))
                .unwrap();
        text.rsplit(')')
            .next()
            .unwrap()
            .trim()
            .chars()
            .next()
            .unwrap()
    }

    /// Waits for the end: what stands on the screen, and the exit status.
    pub fn end(mut self) -> (String, u32) {
        self.wait("the end", |shown| shown.closed);
        let status = self.child.wait().unwrap();
        (self.text(), status.exit_code())
    }

    /// Waits for the end without reading the screen.
    pub fn status(mut self) -> u32 {
        self.child.wait().unwrap().exit_code()
    }
}

impl Drop for Screen {
    /// A test that fails leaves no program behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
