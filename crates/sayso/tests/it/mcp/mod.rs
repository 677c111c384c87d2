//! `sayso mcp` as a real process between a client and a real server.

mod arguments;
mod asking;
mod called;
mod drift;
mod elicitation;
mod faults;
mod hostile;
mod http;
mod http_hostile;
pub mod life;
mod own;
mod passing;
mod recorded;
mod server_hostile;
mod tls;
mod web;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::Desk;

/// Far more than anything here takes, far less than a hang.
const LONGEST: Duration = Duration::from_secs(300);

/// A policy under which the small server's harmless tools run.
pub const OPEN: &str = "version: 1\nrules:\n  - {allow: {mcp: 's/*'}}\n";

/// The command of the small server.
pub fn small() -> Vec<String> {
    vec![
        "python3".to_owned(),
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp/server.py").to_owned(),
    ]
}

/// A gateway that runs, and its client.
pub struct Gated {
    pub child: Child,
    stdin: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
}

impl Gated {
    /// The small server behind the gateway.
    pub fn start(desk: &Desk) -> Gated {
        Gated::of(desk, &["--name", "s"], &small())
    }

    pub fn of(desk: &Desk, flags: &[&str], server: &[String]) -> Gated {
        let mut program = desk.program();
        program.arg("mcp").args(flags).arg("--").args(server);
        Gated::spawn(&mut program)
    }

    /// Any program that speaks over its streams.
    pub fn spawn(program: &mut Command) -> Gated {
        let mut child = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, lines) = (
            child.stdin.take(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        Gated {
            child,
            stdin,
            lines,
        }
    }

    /// Sends bytes.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// The next line, as it is; empty at the end.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    #[track_caller]
    pub fn next(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{error}: {line:?}, {}", self.complaints()))
    }

    /// The next message with this id; others before it are thrown away.
    #[track_caller]
    pub fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.next();
            if message["id"] == *id {
                return message;
            }
        }
    }

    pub fn call(&mut self, id: i64, tool: &str, arguments: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}));
    }

    /// Calls a tool, and waits for the answer.
    #[track_caller]
    pub fn called(&mut self, id: i64, tool: &str, arguments: Value) -> Value {
        self.call(id, tool, arguments);
        self.answer(&json!(id))
    }

    /// Begins as clients do, with these capabilities.
    #[track_caller]
    pub fn initialize(&mut self, capabilities: Value) {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        self.send(
            &json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}),
        );
        assert!(self.answer(&json!("init"))["result"]["serverInfo"].is_object());
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    #[track_caller]
    pub fn list(&mut self) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list"}));
        self.answer(&json!("list"))
    }

    /// Says that nothing more comes.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for its end.
    #[track_caller]
    pub fn ended(&mut self) -> std::process::ExitStatus {
        let end = Instant::now() + LONGEST;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Closes both streams of the client, and sends no signal.
    pub fn hang_up(&mut self) {
        self.close();
        let nothing = Command::new("true")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
            .stdout
            .take()
            .unwrap();
        self.lines = BufReader::new(nothing);
    }

    /// All that is left to read.
    pub fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Ends it, and gives what it complained about.
    pub fn complaints(&mut self) -> String {
        self.close();
        let _ = self.child.kill();
        let mut told = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut told);
        }
        told
    }
}

impl Drop for Gated {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a result of a tool.
#[track_caller]
pub fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"))
}

/// Insists on a denial that a model can read.
#[track_caller]
pub fn is_denied(message: &Value, words: &str) {
    assert_eq!(message["result"]["isError"], json!(true), "{message}");
    let said = text(message);
    assert!(
        said.starts_with("sayso: ") && said.contains(words) && said.contains("nothing was changed"),
        "{said}"
    );
}

/// What the server got, as it is.
pub fn got(desk: &Desk) -> String {
    desk.text("got.log").unwrap_or_default()
}

/// How the calls of the record ended.
pub fn outcomes(desk: &Desk) -> Vec<String> {
    desk.entries("decided")
        .iter()
        .map(|entry| entry["outcome"].as_str().unwrap().to_owned())
        .collect()
}
