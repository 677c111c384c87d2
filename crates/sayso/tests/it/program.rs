//! Runs the program with any bytes on its input, and insists that it ends in time and without a panic.

use std::io::{Read, Write as _};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Far more than any of it takes, far less than a hang.
const LONGEST: Duration = Duration::from_secs(300);

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// The exit status.
    pub code: i32,
    /// What it printed.
    pub out: String,
    /// What it complained about.
    pub err: String,
}

/// The same command with the signals of a person in a terminal: the tests themselves may run in the background, where Ctrl-C is ignored.
pub fn in_foreground(program: &Command) -> Command {
    let mut env = Command::new("/usr/bin/env");
    env.arg("--default-signal=INT,HUP,TERM")
        .arg(program.get_program())
        .args(program.get_args())
        .env_clear();
    env.envs(
        program
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    if let Some(folder) = program.get_current_dir() {
        env.current_dir(folder);
    }
    env
}

/// Runs a command to its end.
pub fn run(command: &mut Command, input: &[u8]) -> Outcome {
    let shown = format!("{command:?}").chars().take(200).collect::<String>();
    let mut child = start(
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    let (mut stdin, stdout, stderr) = (
        child.stdin.take().unwrap(),
        child.stdout.take().unwrap(),
        child.stderr.take().unwrap(),
    );
    let input = input.to_vec();
    // The program may stop reading before the end, which is its right.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let collect = |mut from: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).unwrap();
            String::from_utf8(bytes)
                .unwrap_or_else(|error| panic!("what it prints is UTF-8: {error}"))
        })
    };
    let out = collect(Box::new(stdout));
    let err = collect(Box::new(stderr));
    let end = Instant::now() + LONGEST;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("{shown} hangs");
        }
        thread::sleep(Duration::from_millis(2));
    };
    writer.join().unwrap();
    let (out, err) = (out.join().unwrap(), err.join().unwrap());
    let code = status
        .code()
        .unwrap_or_else(|| panic!("{shown} was ended by {status}: {err}"));
    assert!(
        code != 101 && !err.contains("panicked"),
        "{shown} panicked: {err}"
    );
    Outcome { code, out, err }
}

/// Starts it. A program that was just copied is busy for as long as a process lives that another thread forked meanwhile, and that has not
/// become another program yet.
fn start(command: &mut Command) -> std::process::Child {
    for _ in 0..500 {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(10))
            }
            started => return started.unwrap(),
        }
    }
    panic!("{command:?} stays busy")
}

impl Outcome {
    /// Insists on an exit status and, for a complaint, on a message of ours.
    #[track_caller]
    pub fn is(self, code: i32, what: &str) -> Outcome {
        let short = |text: &str| text.chars().take(600).collect::<String>();
        assert_eq!(
            self.code,
            code,
            "{what}: out {:?}, err {:?}",
            short(&self.out),
            short(&self.err)
        );
        if code == 2 {
            assert!(
                !self.err.trim().is_empty() || self.out.contains("error"),
                "{what}: a clear error: {:?}",
                short(&self.out)
            );
        }
        self
    }
}

/// Bytes that look random and are the same each time.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}
