//! `sayso serve` as a real process with real sockets: hooks that wait, answers, rights, attacks, ends.

mod answers;
mod attacks;
mod deadlines;
mod document;
mod events;
mod events_others;
mod findings_answers;
mod generated;
mod hooks;
mod killed;
mod life;
mod load;
mod operations;
mod presence;
mod requests;
mod rights;
mod rules_over_http;
mod scopes;
pub use scopes::PROFILES;
mod store_trouble;
mod watching;
mod watching_painted;
mod web;
mod who_answered;

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::Desk;

/// Far more than anything here takes, far less than a hang.
const LONGEST: Duration = Duration::from_secs(300);

/// An inbox that runs.
pub struct Served {
    pub desk: Desk,
    child: Process,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// The one-time code that it printed.
    pub code: String,
    pub asking: String,
    pub answering: String,
}

/// What was answered.
#[derive(Debug)]
pub struct Got {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub text: String,
}

impl Got {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Insists on a status, and gives the value.
    #[track_caller]
    pub fn is(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        if self.text.is_empty() {
            Value::Null
        } else {
            self.json()
        }
    }

    /// Insists on a problem of this kind, which says so in the form of RFC 9457.
    #[track_caller]
    pub fn is_problem(&self, status: u16, kind: &str) -> Value {
        let value = self.is(status);
        assert_eq!(value["type"], format!("sayso:{kind}"), "{value}");
        assert_eq!(
            (&value["status"], self.headers["content-type"].as_str()),
            (&json!(status), "application/problem+json")
        );
        value
    }
}

impl Served {
    /// An inbox over a desk with this policy.
    pub fn with(desk: Desk, policy: &str) -> Served {
        desk.scene.user_policy(&format!("version: 1\n{policy}"));
        Served::start(desk)
    }

    pub fn new() -> Served {
        Served::with(Desk::with(&[("a.txt", "one\n")]), "hooks: {ask: inbox}\n")
    }

    pub fn start(desk: Desk) -> Served {
        let (child, link) = open(&desk);
        Served::of(desk, child, &link)
    }

    fn of(desk: Desk, child: Child, link: &str) -> Served {
        let (url, code) = link.split_once("/#login=").unwrap();
        let host = url.strip_prefix("http://").unwrap().to_owned();
        let token =
            |name: &str| fs::read_to_string(desk.scene.state().join("serve").join(name)).unwrap();
        let (asking, answering) = (token("asking.token"), token("answering.token"));
        Served {
            child: Process(child),
            host,
            code: code.to_owned(),
            asking,
            answering,
            desk,
        }
    }

    /// The same desk with another process.
    pub fn again(self) -> Served {
        let Served { desk, child, .. } = self;
        drop(child);
        let (child, link) = open(&desk);
        Served::of(desk, child, &link)
    }

    pub fn process(&self) -> u32 {
        self.child.0.id()
    }

    /// Kills it as nothing can be caught.
    pub fn kill(&mut self) {
        self.child.0.kill().unwrap();
        self.child.0.wait().unwrap();
    }

    /// Waits until it has ended by itself, and gives its status.
    pub fn ended(&mut self) -> Option<i32> {
        let end = Instant::now() + LONGEST;
        loop {
            if let Some(status) = self.child.0.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn socket(&self) -> PathBuf {
        self.desk.scene.state().join("serve/socket")
    }

    /// Bytes over TCP, and what comes back until the other end closes.
    pub fn raw(&self, bytes: &[u8]) -> Got {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        // The other end may have heard enough before the end.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        answer(&mut BufReader::new(stream))
    }

    /// The same without closing this end first, for whole requests that ask to be the last.
    pub fn sent(&self, bytes: &[u8]) -> Got {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        let _ = stream.write_all(bytes);
        answer(&mut BufReader::new(stream))
    }

    /// A request with headers of one's own.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Got {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(300)))
            .unwrap();
        let has_host = headers.iter().any(|(name, _)| *name == "host");
        let host = format!("host: {}\r\n", self.host);
        let lines: String = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let body = body.map(|body| {
            (
                format!(
                    "content-type: application/json\r\ncontent-length: {}\r\n",
                    body.len()
                ),
                body,
            )
        });
        let (more, body) = body.unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{}{lines}{more}connection: close\r\n\r\n",
            if has_host { "" } else { &host }
        );
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .unwrap();
        answer(&mut BufReader::new(stream))
    }

    fn with_token(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> Got {
        let body = body.map(|body| body.to_string());
        self.request(
            method,
            path,
            &[("authorization", &format!("Bearer {token}"))],
            body.as_deref(),
        )
    }

    /// A request of somebody who may answer.
    pub fn get(&self, path: &str) -> Got {
        self.with_token(&self.answering, "GET", path, None)
    }

    pub fn post(&self, path: &str, body: Value) -> Got {
        self.with_token(&self.answering, "POST", path, Some(body))
    }

    pub fn delete(&self, path: &str) -> Got {
        self.with_token(&self.answering, "DELETE", path, None)
    }

    /// A request of somebody who may only ask.
    pub fn asks(&self, method: &str, path: &str, body: Option<Value>) -> Got {
        self.with_token(&self.asking, method, path, body)
    }

    /// A command, submitted.
    pub fn submit(&self, command: &str) -> Got {
        self.asks("POST", "/v1/operations", Some(self.operation(command)))
    }

    pub fn operation(&self, command: &str) -> Value {
        json!({"tool": "terminal", "args": {"command": command}, "workspace": self.desk.scene.folder(), "session": "s1", "id": "call-1"})
    }

    /// What is open, with everything.
    pub fn prompts(&self) -> Vec<Value> {
        self.get("/v1/prompts?full=true&limit=1000").is(200)["prompts"]
            .as_array()
            .unwrap()
            .clone()
    }

    /// The one prompt that is open, as soon as it is.
    #[track_caller]
    pub fn prompt(&self) -> Value {
        let end = Instant::now() + LONGEST;
        loop {
            let prompts = self.prompts();
            if let [one] = prompts.as_slice() {
                return one.clone();
            }
            assert!(Instant::now() < end, "{} prompts are open", prompts.len());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// An answer to a prompt.
    pub fn answer(&self, prompt: &Value, mut body: Value) -> Got {
        body["digest"] = prompt["digest"].clone();
        self.post(
            &format!("/v1/prompts/{}/answer", prompt["id"].as_str().unwrap()),
            body,
        )
    }

    pub fn yes(&self, prompt: &Value) -> Got {
        self.answer(prompt, json!({"choice": "offer", "offer": 0}))
    }

    /// The place of an offer of a prompt with these words in it.
    #[track_caller]
    pub fn offer(prompt: &Value, words: &str) -> usize {
        let offers = prompt["offers"].as_array().unwrap();
        offers
            .iter()
            .position(|offer| offer["words"].as_str().unwrap().contains(words))
            .unwrap_or_else(|| panic!("{words}: {offers:?}"))
    }

    /// A hook that is about to ask, with a call of Claude Code or Codex.
    pub fn hook(&self, agent: &str, tool: &str, input: Value) -> Hook {
        let payload = crate::hook::before(&self.desk, tool, input);
        self.hook_with(agent, &payload, &["--wait", "300"])
    }

    pub fn hook_with(&self, agent: &str, payload: &Value, words: &[&str]) -> Hook {
        let mut program = crate::hook::program(&self.desk, agent);
        let mut child = program
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(payload.to_string().as_bytes())
            .unwrap();
        Hook(child)
    }

    /// Somebody who listens to events, over TCP.
    pub fn listen(&self, path: &str, after: Option<&str>) -> Listener {
        let after = after.map_or_else(String::new, |id| format!("last-event-id: {id}\r\n"));
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n{after}\r\n",
            self.host, self.answering
        )
        .unwrap();
        let mut from = BufReader::new(stream);
        let (status, _) = head(&mut from);
        assert_eq!(status, 200);
        Listener {
            from,
            left: String::new(),
        }
    }

    /// What python says that was done at the socket: it is no sayso, and its environment is what it is given.
    pub fn at_socket(
        &self,
        environment: &[(&str, &str)],
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let script = "import socket,sys\n\
            s=socket.socket(socket.AF_UNIX); s.settimeout(30); s.connect(sys.argv[1])\n\
            b=sys.argv[4].encode()\n\
            h='%s %s HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n' % (sys.argv[2],sys.argv[3])\n\
            if b: h+='content-type: application/json\\r\\ncontent-length: %d\\r\\n' % len(b)\n\
            s.sendall(h.encode()+b'\\r\\n'+b)\n\
            d=b''\n\
            while True:\n\
            \x20p=s.recv(65536)\n\
            \x20if not p: break\n\
            \x20d+=p\n\
            h,b=d.split(b'\\r\\n\\r\\n',1)\n\
            print(h.split()[1].decode()); print(b.decode())\n";
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let mut python = Command::new("python3");
        python
            .env_clear()
            .env("PATH", crate::scene::PATH)
            .envs(environment.iter().copied())
            .args(["-c", script])
            .arg(self.socket());
        let done = crate::program::run(python.args([method, path, &body]), b"");
        assert_eq!(done.code, 0, "{done:?}");
        let (status, text) = done.out.split_once('\n').unwrap();
        (
            status.parse().unwrap(),
            if text.trim().is_empty() {
                Value::Null
            } else {
                serde_json::from_str(text).unwrap()
            },
        )
    }
}

/// A process that does not outlive its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts an inbox, and waits until it is ready.
fn open(desk: &Desk) -> (Child, String) {
    let mut program = desk.program();
    program
        .args(["serve", "--listen", "127.0.0.1:0", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| {
        let mut told = String::new();
        let _ = child.stderr.take().unwrap().read_to_string(&mut told);
        panic!("{error}: {line:?} {told}")
    });
    (child, ready["link"].as_str().unwrap().to_owned())
}

/// A hook that runs.
pub struct Hook(Child);

impl Hook {
    /// Waits for its end: what it said to the agent, or what stands on its error stream.
    #[track_caller]
    pub fn said(mut self) -> Value {
        let end = Instant::now() + LONGEST;
        while self.0.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "the hook hangs");
            std::thread::sleep(Duration::from_millis(2));
        }
        let (mut out, mut err) = (String::new(), String::new());
        self.0
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        self.0
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut err)
            .unwrap();
        assert!(!err.contains("panicked"), "{err}");
        if out.is_empty() {
            return json!({"error": err, "code": self.0.wait().unwrap().code()});
        }
        serde_json::from_str::<Value>(&out).unwrap()["hookSpecificOutput"].clone()
    }

    pub fn is_waiting(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Somebody who listens.
pub struct Listener {
    from: BufReader<TcpStream>,
    left: String,
}

impl Listener {
    /// The next event: its name, its id, and what goes with it.
    #[track_caller]
    pub fn next(&mut self) -> (String, String, Value) {
        self.next_or_end().expect("the stream has ended")
    }

    /// The same; none at the end.
    pub fn next_or_end(&mut self) -> Option<(String, String, Value)> {
        let end = Instant::now() + LONGEST;
        loop {
            // Signs of life keep the connection open, so its own timeout is not enough.
            assert!(Instant::now() < end, "no event comes");
            while let Some((event, rest)) = self.left.split_once("\n\n") {
                let field = |name: &str| {
                    event
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .unwrap_or_default()
                        .to_owned()
                };
                let (name, id, data) = (field("event: "), field("id: "), field("data: "));
                self.left = rest.to_owned();
                if !name.is_empty() {
                    return Some((name, id, serde_json::from_str(&data).unwrap()));
                }
            }
            let mut size = String::new();
            self.from.read_line(&mut size).unwrap();
            let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
            if size == 0 {
                return None;
            }
            let mut piece = vec![0; size + 2];
            self.from.read_exact(&mut piece).unwrap();
            self.left
                .push_str(std::str::from_utf8(&piece[..size]).unwrap());
        }
    }

    /// Waits until there was an event of each of these names, in whatever order, and gives the first of each.
    #[track_caller]
    pub fn all(&mut self, wanted: &[&str]) -> HashMap<String, Value> {
        let mut found = HashMap::new();
        while found.len() < wanted.len() {
            let (name, _, data) = self.next();
            // Entries of the record are told apart by what they are about.
            let name = data["kind"]
                .as_str()
                .filter(|_| name == "entry")
                .map_or(name.clone(), |kind| format!("entry {kind}"));
            if wanted.contains(&name.as_str()) {
                found.entry(name).or_insert(data);
            }
        }
        found
    }

    /// Waits for an event of this name.
    #[track_caller]
    pub fn until(&mut self, wanted: &str) -> (String, Value) {
        loop {
            let (name, id, data) = self.next();
            if name == wanted {
                return (id, data);
            }
        }
    }
}

fn head(from: &mut impl std::io::BufRead) -> (u16, HashMap<String, String>) {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            return (status, headers);
        }
        if let Some((name, value)) = line.trim().split_once(": ") {
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
    }
}

/// Reads an answer to its end. A status of 0 is none.
fn answer(from: &mut impl std::io::BufRead) -> Got {
    let (status, headers) = head(from);
    let mut text = Vec::new();
    match headers
        .get("content-length")
        .and_then(|length| length.parse().ok())
    {
        Some(length) => {
            text.resize(length, 0);
            from.read_exact(&mut text).unwrap();
        }
        None => drop(from.read_to_end(&mut text)),
    }
    Got {
        status,
        headers,
        text: String::from_utf8(text).unwrap(),
    }
}
