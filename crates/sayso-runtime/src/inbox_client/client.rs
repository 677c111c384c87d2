//! The other end of the socket, for hooks and for the commands of a person: one request at a time, without an event loop.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};

use super::folder::{Home, HomeError};
use super::{PROTOCOL, VERSION};
use crate::lineage;

/// The longest answer that is read.
const LONGEST: usize = 64 << 20;
const LIMITS: Limits = Limits {
    bytes: LONGEST,
    depth: 256,
    nodes: 4_000_000,
};
/// The longest line of a head, or of an event.
const LONGEST_LINE: u64 = 16 << 20;

/// A way to the inbox.
pub struct Client {
    home: Home,
    path: PathBuf,
}

/// What the inbox answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// What it said; null where it said nothing.
    pub body: Node,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No inbox is open.
    NotThere,
    /// What is there is another program, or another version of this one.
    Other,
    /// It did not answer in time.
    TooSlow,
    /// It broke off.
    Broken(String),
}

impl Trouble {
    /// For people, with what to do.
    pub fn words(&self) -> String {
        match self {
            Trouble::NotThere => "the inbox is not open; start it with `sayso serve`".to_owned(),
            Trouble::Other => {
                "the inbox is of another version of sayso; stop it with `sayso serve --stop`, and start it again with `sayso serve`"
                    .to_owned()
            }
            Trouble::TooSlow => "the inbox did not answer in time".to_owned(),
            Trouble::Broken(why) => format!("the inbox broke off ({why}); start it again with `sayso serve`"),
        }
    }
}

impl Answer {
    /// Whether it was done.
    pub fn is_done(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// What went wrong, for people.
    pub fn problem(&self) -> String {
        self.detail_and_hint("\nhint: ")
    }

    /// The same on one line.
    pub fn problem_on_one_line(&self) -> String {
        self.detail_and_hint("; ")
    }

    fn detail_and_hint(&self, between: &str) -> String {
        let text = |key: &str| self.body.get(key).and_then(Node::as_text);
        let detail = text("detail").unwrap_or("it did not say why");
        text("hint").map_or_else(
            || detail.to_owned(),
            |hint| format!("{detail}{between}{hint}"),
        )
    }

    /// The word for programs of what went wrong.
    pub fn kind(&self) -> &str {
        self.body
            .get("type")
            .and_then(Node::as_text)
            .and_then(|kind| kind.strip_prefix("sayso:"))
            .unwrap_or_default()
    }
}

impl Client {
    /// A way to the inbox of this state folder; none where there never was one.
    ///
    /// # Errors
    /// When its folder cannot be relied on.
    pub fn new(state: &Path) -> Result<Option<Client>, HomeError> {
        Ok(Home::existing(state)?.map(|home| Client {
            path: home.socket(),
            home,
        }))
    }

    /// The folder of the inbox.
    pub fn home(&self) -> &Home {
        &self.home
    }

    fn connect(&self) -> Result<UnixStream, Trouble> {
        let stream = UnixStream::connect(&self.path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Trouble::NotThere,
            _ => Trouble::Broken(error.to_string()),
        })?;
        // Whoever answers there answers for the person: it must be this very program, and not something that took its place.
        let peer = rustix::net::sockopt::socket_peercred(&stream)
            .map_err(|error| Trouble::Broken(error.to_string()))?;
        let process = u32::try_from(peer.pid.as_raw_nonzero().get()).unwrap_or_default();
        if peer.uid != rustix::process::geteuid() || !lineage::is_this_program(process) {
            return Err(Trouble::Other);
        }
        Ok(stream)
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: Option<&Node>,
        until: Option<Instant>,
    ) -> Result<BufReader<Timed>, Trouble> {
        let stream = self.connect()?;
        let body = body.map(json::write);
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nsayso-protocol: {PROTOCOL}\r\nsayso-version: {VERSION}\r\n{headers}"
        );
        if let Some(body) = &body {
            text.push_str(&format!(
                "content-type: application/json\r\ncontent-length: {}\r\n",
                body.len()
            ));
        }
        text.push_str("\r\n");
        text.push_str(body.as_deref().unwrap_or_default());
        let mut timed = Timed { stream, until };
        timed.write_all(text.as_bytes()).map_err(trouble)?;
        Ok(BufReader::new(timed))
    }

    /// Makes a request, and waits for its answer until then.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<&Node>,
        until: Instant,
    ) -> Result<Answer, Trouble> {
        answered(self.send(method, path, "connection: close\r\n", body, Some(until))?)
    }

    /// The same for a question that stays open for long: `hand` gets the connection, and whoever shuts it down takes the question back.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn hold(
        &self,
        path: &str,
        body: &Node,
        until: Instant,
        hand: impl FnOnce(UnixStream),
    ) -> Result<Answer, Trouble> {
        let from = self.send(
            "POST",
            path,
            "connection: close\r\n",
            Some(body),
            Some(until),
        )?;
        hand(
            from.get_ref()
                .stream
                .try_clone()
                .map_err(|error| Trouble::Broken(error.to_string()))?,
        );
        answered(from)
    }

    /// Listens to events from an event on.
    ///
    /// # Errors
    /// Why nothing can be heard.
    pub fn listen(&self, path: &str, after: Option<&str>) -> Result<Heard, Trouble> {
        let after = after.filter(|id| id.bytes().all(|byte| byte.is_ascii_graphic()));
        let headers = after.map_or_else(String::new, |id| format!("last-event-id: {id}\r\n"));
        let mut from = self.send("GET", path, &headers, None, None)?;
        let head = head(&mut from)?;
        if head.status != 200 {
            return Err(Trouble::Broken(format!("status {}", head.status)));
        }
        Ok(Heard {
            from,
            left: Vec::new(),
            id: after.map(str::to_owned),
        })
    }
}

fn answered(mut from: BufReader<Timed>) -> Result<Answer, Trouble> {
    let head = head(&mut from)?;
    let length = head.length.filter(|length| *length <= LONGEST);
    let mut bytes = vec![0; length.unwrap_or(0)];
    from.read_exact(&mut bytes).map_err(trouble)?;
    let body = if bytes.is_empty() {
        Value::Null.into()
    } else {
        read(&bytes)?
    };
    Ok(Answer {
        status: head.status,
        body,
    })
}

/// A socket that is waited for only so long.
struct Timed {
    stream: UnixStream,
    until: Option<Instant>,
}

impl Timed {
    fn left(&self) -> io::Result<Option<Duration>> {
        let Some(until) = self.until else {
            return Ok(None);
        };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            Ok(Some(left))
        }
    }
}

impl io::Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl io::Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn trouble(error: io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Trouble::TooSlow,
        _ => Trouble::Broken(error.to_string()),
    }
}

struct Head {
    status: u16,
    length: Option<usize>,
}

fn line(from: &mut BufReader<Timed>) -> Result<String, Trouble> {
    let mut line = Vec::new();
    from.by_ref()
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut line)
        .map_err(trouble)?;
    if line.pop() != Some(b'\n') {
        return Err(Trouble::Broken("it ended in the middle".to_owned()));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line)
        .map_err(|_| Trouble::Broken("it said something that is no text".to_owned()))
}

fn head(from: &mut BufReader<Timed>) -> Result<Head, Trouble> {
    let first = line(from)?;
    let status = first
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3))
        .and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| Trouble::Broken("it does not speak HTTP".to_owned()))?;
    let mut length = None;
    for _ in 0..256 {
        let line = line(from)?;
        if line.is_empty() {
            return Ok(Head { status, length });
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    Err(Trouble::Broken("its head does not end".to_owned()))
}

fn read(bytes: &[u8]) -> Result<Node, Trouble> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Trouble::Broken("it said something that is no text".to_owned()))?;
    json::read(text, &LIMITS).map_err(|finding| {
        Trouble::Broken(format!(
            "it said something that is no JSON: {}",
            finding.message
        ))
    })
}

/// Events, as they come.
pub struct Heard {
    from: BufReader<Timed>,
    left: Vec<u8>,
    /// The last event that was heard, to go on behind it.
    pub id: Option<String>,
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// What goes with it.
    pub data: Node,
}

impl Heard {
    /// Waits for the next one.
    ///
    /// # Errors
    /// Why nothing more comes.
    pub fn wait(&mut self) -> Result<Event, Trouble> {
        let (mut name, mut data) = (String::new(), String::new());
        loop {
            let line = self.line()?;
            match line
                .split_once(':')
                .map(|(field, value)| (field, value.strip_prefix(' ').unwrap_or(value)))
            {
                Some(("event", value)) => name = value.to_owned(),
                Some(("id", value)) => self.id = Some(value.to_owned()),
                Some(("data", value)) => data.push_str(value),
                None if line.is_empty() && !name.is_empty() => {
                    return Ok(Event {
                        name,
                        data: read(data.as_bytes())?,
                    });
                }
                _ => {}
            }
        }
    }

    /// The next line of the stream, which comes in pieces of any length.
    fn line(&mut self) -> Result<String, Trouble> {
        loop {
            if let Some(end) = self.left.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.left.drain(..=end).collect();
                line.pop();
                return String::from_utf8(line)
                    .map_err(|_| Trouble::Broken("it said something that is no text".to_owned()));
            }
            let size = line(&mut self.from)?;
            let size = usize::from_str_radix(size.trim(), 16)
                .map_err(|_| Trouble::Broken("a piece has no length".to_owned()))?;
            if size == 0 || size > LONGEST {
                return Err(Trouble::Broken("the stream has ended".to_owned()));
            }
            let start = self.left.len();
            self.left.resize(start + size, 0);
            self.from
                .read_exact(self.left.get_mut(start..).unwrap_or_default())
                .map_err(trouble)?;
            line(&mut self.from)?;
        }
    }
}
