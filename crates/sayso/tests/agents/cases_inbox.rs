//! Claude Code with nobody in front of it, while somebody sits at the page of the inbox, in a real browser.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::Case;
use crate::cases_claude::reads_why;
use crate::stage::{Stage, bash, model, result};

/// What the second call is denied with.
const NOTE: &str = "not here, put it into docs/";

pub fn all() -> Vec<Case> {
    let run = |agents: &Path| {
        play(agents);
        "held until the answer: yes runs, no does not; told why".to_owned()
    };
    vec![Case {
        row: "Claude Code `-p`",
        column: "asked, with the inbox open in a browser",
        run,
    }]
}

/// The inbox of a stage, which goes with it.
pub struct Inbox {
    server: Child,
    link: String,
}

impl Inbox {
    /// Opens it.
    pub fn open(stage: &Stage) -> Inbox {
        let mut command = stage.command(env!("CARGO_BIN_EXE_sayso"));
        command
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let said: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("the inbox did not open: {error}: {line}"));
        Inbox {
            server,
            link: said["link"].as_str().unwrap().to_owned(),
        }
    }
}

impl Inbox {
    /// A request of somebody who may answer.
    pub fn request(&self, stage: &Stage, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (url, _) = self.link.split_once("/#login=").unwrap();
        let address = url.strip_prefix("http://").unwrap();
        let token =
            std::fs::read_to_string(stage.home.join(".local/state/sayso/serve/answering.token"))
                .unwrap();
        let body = body.map(ToString::to_string).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        let (_, body) = all.split_once("\r\n\r\n").unwrap_or_default();
        serde_json::from_str(body).unwrap_or(Value::Null)
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// What drives the browser; `./test` installs it beside the agents.
fn browser_tools(agents: &Path) -> PathBuf {
    let tools = std::env::var_os("SAYSO_BROWSER")
        .map_or_else(|| agents.join("../../browser"), PathBuf::from);
    assert!(
        tools.join("package.json").exists(),
        "there is nothing to drive a browser with in {}; run `./test --agents`",
        tools.display()
    );
    std::fs::canonicalize(tools).unwrap()
}

/// A model asks for two commands; somebody allows the first on the page, and denies the second with a note. What was to be seen, as text.
pub fn play(agents: &Path) -> String {
    let tools = browser_tools(agents);
    let stage = Stage::with(agents, "version: 1\nhooks: {ask: inbox}\n");
    let installed = stage.sayso(&["install", "claude", "--yes", "--anyway"]);
    let inbox = Inbox::open(&stage);
    let model = model(vec![bash("touch build.log"), bash("touch notes.log")]);
    let person = std::thread::scope(|scope| {
        let agent = scope.spawn(|| stage.headless(&model, &[]));
        let mut person = Command::new("node");
        person.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/inbox.mjs"));
        person
            .args([&inbox.link, "touch build.log", "touch notes.log", NOTE])
            .env("SAYSO_BROWSER", &tools);
        person.args(std::env::var_os("SAYSO_PICTURE"));
        let person = person.stdin(Stdio::null()).output().unwrap();
        let ended = agent.join().unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&person.stdout),
            String::from_utf8_lossy(&person.stderr),
        );
        assert!(person.status.success(), "{out}{err}\n{ended}\n{installed}");
        serde_json::from_str::<Value>(&out).unwrap()
    });
    let (first, second) = (result(&model, 0), result(&model, 1));
    assert!(
        stage.has("build.log"),
        "what was allowed did not run: {first}"
    );
    assert!(!stage.has("notes.log"), "what was denied ran: {second}");
    reads_why(&second, NOTE);
    let kinds: Vec<String> = stage
        .record()
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        kinds.iter().filter(|kind| *kind == "decided").count(),
        2,
        "{kinds:?}"
    );
    told(&stage, &person, &second)
}

fn told(stage: &Stage, person: &Value, second: &str) -> String {
    let word = |key: &str| person[key].as_str().unwrap_or_default();
    let mut out = String::new();
    let mut part = |title: &str, text: &str| {
        let text = text
            .replace(stage.home.to_str().unwrap(), "~")
            .replace(env!("CARGO_BIN_EXE_sayso"), "sayso");
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
            .collect();
        writeln!(out, "{title}\n\n```text\n{}\n```\n", lines.join("\n")).unwrap();
    };
    part(
        "The page, when the first command is asked about:",
        word("shown"),
    );
    part(
        "After `y`, and after `d` with a note at the second command, the page says:",
        &format!("{}\n{}", word("allowed"), word("denied")),
    );
    part(
        "What the model reads as the result of the second command:",
        second,
    );
    let said = stage.sayso(&["audit", "list"]);
    part(
        "And the record (`sayso audit list`):",
        said.rsplit_once('[')
            .map_or(said.as_str(), |(said, _)| said),
    );
    out
}
