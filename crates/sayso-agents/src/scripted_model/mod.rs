//! A model that follows a script, on the loopback of this machine: a real agent can be driven with it, offline and the same way each time.
//!
//! It keeps nothing of a conversation. Which step comes next is the number of results that a request already brings, so a request can be
//! repeated, and whatever else an agent wants of a model beside its work is answered with a few words.

mod chat;
mod generate;
mod http;
mod messages;
mod responses;

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use sayso_core::text::node::Node;

use thiserror::Error as ThisError;

use http::{Reply, Request};

/// So many connections are answered at once; one more is closed unheard.
const MOST_CONNECTIONS: usize = 32;
/// So many requests are kept.
const MOST_KEPT: usize = 256;
/// So long a connection may say nothing, or not listen.
const PATIENCE: Duration = Duration::from_secs(20);
/// What the model says when it has nothing more to do.
pub const LAST_WORDS: &str = "DONE";

/// A tool and what to call it with. For a tool that takes free text, the input is that text.
#[derive(Clone, Debug)]
pub struct Use {
    /// Its name, without the server of an MCP tool where the agent gives that apart.
    pub tool: String,
    /// Its input.
    pub input: Node,
}

/// One step: the first of these tools that the agent offers is called.
pub type Step = Vec<Use>;

/// What the model does in one conversation.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// The conversation is the one whose first message has this in it.
    pub about: String,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// What the model does: the first conversation that fits counts.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What the ids of its calls begin with, so that they can be found in a record.
    pub ids: String,
    /// Its conversations.
    pub conversations: Vec<Conversation>,
}

impl Script {
    /// The same steps whatever it is asked.
    pub fn of(ids: &str, steps: Vec<Step>) -> Script {
        Script {
            ids: ids.to_owned(),
            conversations: vec![Conversation {
                about: String::new(),
                steps,
            }],
        }
    }

    /// The step that follows so many results in a conversation that began like this: the id of its call, and what may be called.
    fn step(&self, beginning: &str, results: usize) -> Option<(String, &Step)> {
        let (number, conversation) = self
            .conversations
            .iter()
            .enumerate()
            .find(|(_, one)| beginning.contains(&one.about))?;
        let step = conversation.steps.get(results)?;
        Some((format!("{}_{number}_{results}", self.ids), step))
    }
}

/// A request that came with the right key.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What was asked for, without a query.
    pub path: String,
    /// Its body.
    pub body: Node,
}

impl Seen {
    /// The results of tools that the model was shown, as text, each with the id of its call.
    pub fn results(&self) -> Vec<(String, String)> {
        let mut found = messages::results(&self.body);
        found.extend(responses::results(&self.body));
        found.extend(chat::results(&self.body));
        found.extend(generate::results(&self.body));
        found
    }

    /// The names of the tools that were offered.
    pub fn tools(&self) -> Vec<String> {
        let mut found = messages::tools(&self.body);
        found.extend(responses::tools(&self.body));
        found.extend(chat::tools(&self.body));
        found.extend(generate::tools(&self.body));
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// What all connections share.
struct Shared {
    script: Script,
    key: String,
    seen: Mutex<Vec<Seen>>,
    /// What somebody wanted to reach through this address as if it were a proxy.
    elsewhere: Mutex<Vec<String>>,
    open: AtomicUsize,
    is_over: AtomicBool,
}

/// Why a scripted model could not be started.
#[derive(Debug, ThisError)]
#[error("the scripted model could not be started: {0}")]
pub struct ModelError(#[from] io::Error);

/// A model that is there until the value goes away.
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

impl Model {
    /// Starts one, for whoever brings this key.
    ///
    /// # Errors
    /// When this machine has no loopback, or no thread.
    pub fn start(script: Script, key: &str) -> Result<Model, ModelError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script,
            key: key.to_owned(),
            seen: Mutex::default(),
            elsewhere: Mutex::default(),
            open: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        });
        let for_all = Arc::clone(&shared);
        let listening = std::thread::Builder::new().spawn(move || listen(&listener, &for_all))?;
        Ok(Model {
            address,
            shared,
            listening: Some(listening),
        })
    }

    /// Where it is: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was asked so far, and so what it has seen.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The results of all calls, as text, each once with the id of its call.
    pub fn results(&self) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        for (id, text) in self.seen().iter().flat_map(Seen::results) {
            if !found.iter().any(|(known, _)| *known == id) {
                found.push((id, text));
            }
        }
        found
    }

    /// Other addresses that the agent wanted to reach through this one.
    pub fn elsewhere(&self) -> Vec<String> {
        self.shared
            .elsewhere
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // It waits for a connection, so it gets one; where that fails, it has no socket left to wait at.
        let woken = TcpStream::connect_timeout(&self.address, PATIENCE).is_ok();
        if let Some(thread) = self.listening.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        let connection = listener.accept();
        if shared.is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, _)) = connection else {
            // Most likely there are too many files open; the next try comes when some are closed.
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        if shared.open.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            shared.open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let for_one = Arc::clone(shared);
        let started = std::thread::Builder::new().spawn(move || {
            serve(&stream, &for_one);
            for_one.open.fetch_sub(1, Ordering::SeqCst);
        });
        if started.is_err() {
            shared.open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// One request a connection. Whoever hangs up early gets no answer, and that is all there is to it.
fn serve(mut stream: &TcpStream, shared: &Shared) {
    let patient = stream
        .set_read_timeout(Some(PATIENCE))
        .and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    if patient.is_err() {
        return;
    }
    let reply = match http::read(&mut stream) {
        Ok(request) => answer(&request, shared),
        Err(why) => Reply::problem(400, &why.to_string()),
    };
    let _ = stream
        .write_all(&reply.bytes())
        .and_then(|()| stream.flush());
    // What was sent is only sure to arrive when the other side's words were read.
    let _ = stream.shutdown(std::net::Shutdown::Write);
}

fn answer(request: &Request, shared: &Shared) -> Reply {
    if request.is_for_elsewhere() {
        let mut elsewhere = shared
            .elsewhere
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if elsewhere.len() < MOST_KEPT && !elsewhere.contains(&request.target) {
            elsewhere.push(request.target.clone());
        }
        return Reply::problem(403, "this leads nowhere");
    }
    if !request.has_key(&shared.key) {
        return Reply::problem(401, "this is not the key");
    }
    let path = request.path();
    if request.method == "GET" && path == "/v1/models" {
        return Reply::json(responses::models());
    }
    let body = match request.json() {
        Ok(body) => body,
        Err(why) => return Reply::problem(400, &why.to_string()),
    };
    let reply = match (request.method.as_str(), path) {
        ("POST", "/v1/messages/count_tokens") => Reply::json(messages::count()),
        ("POST", "/v1/messages") => messages::reply(&shared.script, &body),
        ("POST", "/v1/responses") => responses::reply(&shared.script, &body),
        ("POST", "/v1/chat/completions") => chat::reply(&shared.script, &body),
        ("POST", path) if generate::verb(path).is_some() => {
            let verb = generate::verb(path).unwrap_or_default();
            match generate::reply(&shared.script, verb, &body) {
                Some(reply) => reply,
                None => return Reply::problem(404, "there is nothing here"),
            }
        }
        _ => return Reply::problem(404, "there is nothing here"),
    };
    let mut seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.len() < MOST_KEPT {
        seen.push(Seen {
            path: path.to_owned(),
            body,
        });
    }
    reply
}

/// Whether the agent wants its answer in pieces.
fn is_streamed(body: &Node) -> bool {
    body.get("stream").and_then(Node::as_bool).unwrap_or(false)
}

/// All text of a value that is text, or a list of pieces that have some.
fn text_of(node: &Node) -> String {
    let pieces = node
        .items()
        .iter()
        .filter_map(|piece| piece.get("text").and_then(Node::as_text));
    node.as_text()
        .map_or_else(|| pieces.collect::<Vec<_>>().join("\n"), str::to_owned)
}

/// A number made by code.
fn number(number: u32) -> Node {
    sayso_core::text::node::Value::Number(number.to_string()).into()
}

/// A list made by code.
fn list(items: Vec<Node>) -> Node {
    sayso_core::text::node::Value::List(items).into()
}

/// Nothing.
fn null() -> Node {
    sayso_core::text::node::Value::Null.into()
}
