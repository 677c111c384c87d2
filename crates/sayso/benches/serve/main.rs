//! How long the inbox takes: to be ready, to decide over its socket and over HTTP with the entry in the record, and from an answer to the held
//! call's release.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a bench fails by panicking"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 2000;
const STARTS: usize = 30;
const HELD: usize = 200;

/// An inbox over a home of its own.
struct Inbox {
    child: Child,
    home: PathBuf,
    host: String,
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Inbox {
    fn start(home: &Path) -> (Inbox, Duration) {
        let start = Instant::now();
        let mut child = program(home)
            .args(["serve", "--listen", "127.0.0.1:0", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let took = start.elapsed();
        let host = line
            .split("http://")
            .nth(1)
            .unwrap()
            .split('/')
            .next()
            .unwrap()
            .to_owned();
        (
            Inbox {
                child,
                home: home.to_owned(),
                host,
            },
            took,
        )
    }

    fn serve(&self) -> PathBuf {
        self.home.join(".local/state/sayso/serve")
    }

    fn token(&self, name: &str) -> String {
        fs::read_to_string(self.serve().join(name)).unwrap()
    }

    fn socket(&self) -> Line<UnixStream> {
        Line {
            from: BufReader::new(UnixStream::connect(self.serve().join("socket")).unwrap()),
            headers: "host: localhost\r\n".to_owned(),
        }
    }

    fn tcp(&self, token: &str) -> Line<TcpStream> {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_nodelay(true).unwrap();
        Line {
            from: BufReader::new(stream),
            headers: format!(
                "host: {}\r\nauthorization: Bearer {}\r\n",
                self.host,
                self.token(token)
            ),
        }
    }

    fn call(&self, command: &str) -> String {
        format!(
            "{{\"tool\":\"terminal\",\"args\":{{\"command\":\"{command}\"}},\"workspace\":\"{}\",\"session\":\"s\"}}",
            self.home.join("ws").display()
        )
    }
}

/// A connection that is kept.
struct Line<S: Read> {
    from: BufReader<S>,
    headers: String,
}

impl<S: Read + Write> Line<S> {
    fn send(&mut self, method: &str, path: &str, body: &str) {
        let more = if body.is_empty() {
            String::new()
        } else {
            format!(
                "content-type: application/json\r\ncontent-length: {}\r\n",
                body.len()
            )
        };
        let text = format!(
            "{method} {path} HTTP/1.1\r\n{}{more}\r\n{body}",
            self.headers
        );
        self.from.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn answer(&mut self) -> (u16, String) {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut length = 0;
        loop {
            line.clear();
            self.from.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }

    fn request(&mut self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.send(method, path, body);
        self.answer()
    }
}

fn program(home: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_sayso"));
    program
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    program
}

fn field(text: &str, name: &str) -> String {
    text.split(&format!("\"{name}\":\""))
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap_or_else(|| panic!("{name}: {text}"))
        .to_owned()
}

fn main() {
    let scratch = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(scratch.path()).unwrap().join("home");
    for folder in [home.join("ws"), home.join(".config/sayso")] {
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let rules: String = (1..200)
        .map(|number| format!("  - allow: {{command: \"tool{number} build *\"}}\n"))
        .collect();
    fs::write(
        home.join(".config/sayso/policy.yaml"),
        format!("version: 1\nhooks: {{ask: inbox}}\nrules:\n{rules}"),
    )
    .unwrap();
    fs::write(home.join("ws/a.txt"), "one\n").unwrap();

    println!(
        "The inbox: median, 95 of 100, and most of so many; a policy of 200 rules.\n\n| what | runs | median | p95 | most | budget | |\n|---|--:|--:|--:|--:|--:|---|"
    );
    let mut starts: Vec<Duration> = (0..STARTS).map(|_| Inbox::start(&home).1).collect();
    row("start to ready", &mut starts, Duration::from_millis(50));
    let (inbox, _) = Inbox::start(&home);
    let call = inbox.call("cat a.txt");
    let mut socket = inbox.socket();
    // The first call makes the record. What was written a moment ago is read again each time, since it may change without another time on
    // it; with a person, policies and records are older.
    assert_eq!(socket.request("POST", "/v1/operations", &call).0, 200);
    std::thread::sleep(Duration::from_millis(1200));
    row(
        "decide over the unix socket, with its entry",
        &mut decide(&mut socket, &call),
        Duration::from_micros(300),
    );
    row(
        "decide over HTTP, with its entry",
        &mut decide(&mut inbox.tcp("asking.token"), &call),
        Duration::from_millis(1),
    );
    row(
        "answer → operation released, with its entry on disk",
        &mut released(&inbox),
        Duration::from_millis(5),
    );
    row(
        "answer → held hook has its answer on its output",
        &mut hooks(&inbox),
        Duration::from_millis(5),
    );
}

fn decide<S: Read + Write>(line: &mut Line<S>, call: &str) -> Vec<Duration> {
    let one = |line: &mut Line<S>| {
        let start = Instant::now();
        let (status, text) = line.request("POST", "/v1/operations", call);
        let took = start.elapsed();
        assert!(
            status == 200 && text.contains("\"allowed\""),
            "{status} {text}"
        );
        took
    };
    (0..20).for_each(|_| _ = one(line));
    (0..RUNS).map(|_| one(line)).collect()
}

/// Somebody waits for an operation, and somebody else says yes.
fn released(inbox: &Inbox) -> Vec<Duration> {
    let (mut asks, mut says) = (inbox.tcp("asking.token"), inbox.tcp("answering.token"));
    let one = |number: usize| {
        let (status, text) = asks.request(
            "POST",
            "/v1/operations",
            &inbox.call(&format!("make t{number}")),
        );
        assert_eq!(status, 202, "{text}");
        let (id, prompt, digest) = (
            field(&text, "id"),
            field(&text, "prompt"),
            field(&text, "digest"),
        );
        asks.send("GET", &format!("/v1/operations/{id}?wait=30"), "");
        std::thread::sleep(Duration::from_millis(1));
        let start = Instant::now();
        says.send(
            "POST",
            &format!("/v1/prompts/{prompt}/answer"),
            &format!("{{\"digest\":\"{digest}\",\"choice\":\"offer\",\"offer\":0}}"),
        );
        let (_, text) = asks.answer();
        let took = start.elapsed();
        assert!(text.contains("\"approved\""), "{text}");
        assert_eq!(says.answer().0, 200);
        took
    };
    (0..HELD).map(one).collect()
}

/// A real hook waits, and somebody says yes.
fn hooks(inbox: &Inbox) -> Vec<Duration> {
    let mut says = inbox.tcp("answering.token");
    let workspace = inbox.home.join("ws");
    let mut one = |number: usize| {
        let payload = format!(
            "{{\"session_id\":\"s\",\"cwd\":\"{0}\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"make h{number}\"}},\"tool_use_id\":\"t{number}\"}}",
            workspace.display()
        );
        let mut hook = program(&inbox.home);
        hook.env("CLAUDE_PROJECT_DIR", &workspace)
            .args(["hook", "claude"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut hook = hook.spawn().unwrap();
        hook.stdin
            .take()
            .unwrap()
            .write_all(payload.as_bytes())
            .unwrap();
        let (prompt, digest) = loop {
            let (_, text) = says.request("GET", "/v1/prompts", "");
            if text.contains("\"total\":1") {
                break (field(&text, "id"), field(&text, "digest"));
            }
        };
        let start = Instant::now();
        says.send(
            "POST",
            &format!("/v1/prompts/{prompt}/answer"),
            &format!("{{\"digest\":\"{digest}\",\"choice\":\"offer\",\"offer\":0}}"),
        );
        let mut first = [0];
        hook.stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut first)
            .unwrap();
        let took = start.elapsed();
        assert_eq!(says.answer().0, 200);
        hook.wait().unwrap();
        took
    };
    (0..HELD).map(&mut one).collect()
}

fn row(name: &str, times: &mut [Duration], budget: Duration) {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let word = if at(50) <= budget {
        "met"
    } else {
        "**missed**"
    };
    println!(
        "| {name} | {} | {:.2?} | {:.2?} | {:.2?} | {budget:?} | {word} |",
        times.len(),
        at(50),
        at(95),
        at(100)
    );
}
