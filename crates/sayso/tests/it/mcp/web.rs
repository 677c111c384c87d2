//! A small server over HTTP, and the gateway in front of it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::desk::Desk;

/// A process that does not outlive its test.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A small server over HTTP, and the gateway in front of it.
pub struct Web {
    pub process: Process,
    _gateway: Process,
    host: String,
    /// Where the server is.
    pub server: String,
}

pub struct Got {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The messages of a stream of events.
    pub fn events(&self) -> Vec<Value> {
        self.body
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .collect()
    }
}

/// The server by itself, on a port and with a certificate if it has one; gives the port.
pub fn serve(desk: &Desk, port: &str, certificate: &str) -> (Process, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp/web_server.py");
    let mut server = std::process::Command::new("python3");
    let server = server
        .args([script, port, certificate])
        .current_dir(&desk.scene.workspace)
        .stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    (Process(server), line.trim().to_owned())
}

impl Web {
    pub fn start(desk: &Desk) -> Web {
        let (process, port) = serve(desk, "0", "");
        Web::behind(desk, process, &format!("http://127.0.0.1:{port}/mcp"), &[])
    }

    /// A gateway in front of a server that runs.
    pub fn behind(desk: &Desk, process: Process, url: &str, flags: &[&str]) -> Web {
        let mut gateway = desk.program();
        gateway
            .args([
                "mcp",
                "--name",
                "s",
                "--listen",
                "127.0.0.1:0",
                "--url",
                url,
            ])
            .args(flags);
        let mut gateway = gateway
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(gateway.stderr.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let host = line
            .split("http://")
            .nth(1)
            .unwrap_or_else(|| panic!("{line}"))
            .trim()
            .strip_suffix("/mcp")
            .unwrap()
            .to_owned();
        let server = url
            .split("://")
            .nth(1)
            .unwrap()
            .split('/')
            .next()
            .unwrap()
            .to_owned();
        Web {
            process,
            _gateway: Process(gateway),
            host,
            server,
        }
    }

    pub fn open(&self, head: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(300)))
            .unwrap();
        let host = if headers.iter().any(|(name, _)| *name == "host") {
            String::new()
        } else {
            format!("host: {}\r\n", self.host)
        };
        let more: String = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        write!(
            stream,
            "{head} HTTP/1.1\r\n{host}{more}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        stream
    }

    pub fn send(&self, head: &str, headers: &[(&str, &str)], body: &str) -> Got {
        read(self.open(head, headers, body))
    }

    pub fn post(&self, headers: &[(&str, &str)], body: &Value) -> Got {
        let headers = [
            headers,
            &[
                ("content-type", "application/json"),
                ("accept", "application/json, text/event-stream"),
            ],
        ]
        .concat();
        self.send("POST /mcp", &headers, &body.to_string())
    }
}

pub fn read(mut stream: TcpStream) -> Got {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let all = String::from_utf8(bytes).unwrap();
    let (head, body) = all
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("{all:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = if head.to_lowercase().contains("transfer-encoding: chunked") {
        unchunked(body)
    } else {
        body.to_owned()
    };
    Got {
        status,
        head: head.to_lowercase(),
        body,
    }
}

fn unchunked(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        out.push_str(&rest[..size]);
        body = &rest[size + 2..];
    }
    out
}

/// A call of a tool.
pub fn call(id: i64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// What came to the server.
pub fn got(desk: &Desk) -> Vec<Value> {
    desk.text("web.log")
        .unwrap_or_default()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
