//! Prompts at a real terminal: the program runs in a pseudo terminal of its own, and a person is typed in.
//!
//! [`Terminal`] can do no more than lines, so prompts come as lines there; [`screen::Screen`] is one that is painted on.

mod answers;
mod demo;
mod findings;
mod keymaps;
mod painted;
mod panics;
mod plain_style;
mod rules;
pub mod screen;
mod sentences;

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long a machine may take that has much else to do; nothing waits so long when all is well.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the terminal shows so far, and whether it is closed.
#[derive(Default)]
struct Shown {
    text: String,
    closed: bool,
}

/// A program at a terminal.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    shown: Arc<(Mutex<Shown>, Condvar)>,
    /// How much of it was waited for already.
    seen: usize,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts the program in `folder` with a home of its own.
    pub fn start(folder: &Path, home: &Path, args: &[&str]) -> Terminal {
        Terminal::start_with(
            folder,
            &[("HOME", home.to_str().unwrap()), ("PATH", "/usr/bin:/bin")],
            120,
            args,
        )
    }

    /// Starts the program with these variables and no others, on a screen of so many columns.
    pub fn start_with(
        folder: &Path,
        variables: &[(&str, &str)],
        columns: u16,
        args: &[&str],
    ) -> Terminal {
        let pair = native_pty_system()
            .openpty(PtySize {
                rows: 50,
                cols: columns,
                pixel_width: 0,
                pixel_height: 0,
            })
            .unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sayso"));
        command.args(args);
        command.cwd(folder);
        command.env_clear();
        for (name, value) in variables
            .iter()
            .chain(&[("TERM", "dumb"), ("NO_COLOR", "1")])
        {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let shown = Arc::new((Mutex::new(Shown::default()), Condvar::new()));
        let to = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let count = reader.read(&mut bytes).unwrap_or_default();
                let mut shown = to.0.lock().unwrap();
                shown
                    .text
                    .push_str(&String::from_utf8_lossy(&bytes[..count]));
                shown.closed = count == 0;
                to.1.notify_all();
                if count == 0 {
                    return;
                }
            }
        });
        Terminal {
            child,
            keys: pair.master.take_writer().unwrap(),
            shown,
            seen: 0,
            _master: pair.master,
        }
    }

    /// Waits until the terminal shows this, after what was waited for before.
    pub fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        let mut shown = self.shown.0.lock().unwrap();
        loop {
            if let Some(at) = shown.text[self.seen..].find(text) {
                self.seen += at + text.len();
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(
                !shown.closed && !left.is_zero(),
                "`{text}` did not come; the terminal shows:\n{}",
                shown.text
            );
            shown = self.shown.1.wait_timeout(shown, left).unwrap().0;
        }
    }

    /// Types.
    pub fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for a question and types the answer.
    pub fn answer(&mut self, question: &str, answer: &str) {
        self.wait_for(question);
        self.keys(&format!("{answer}\r"));
    }

    /// Everything it showed, and the exit status.
    pub fn end(mut self) -> (String, u32) {
        let status = self.child.wait().unwrap();
        let until = Instant::now() + PATIENCE;
        let mut shown = self.shown.0.lock().unwrap();
        while !shown.closed && Instant::now() < until {
            shown = self
                .shown
                .1
                .wait_timeout(shown, Duration::from_millis(100))
                .unwrap()
                .0;
        }
        (shown.text.replace("\r\n", "\n"), status.exit_code())
    }
}
