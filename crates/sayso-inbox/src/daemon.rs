//! The life of the inbox: one for each person, ready when its sockets are bound, and ended in an orderly way.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::answer::outcome::Outcome;
use sayso_core::text::count::{agreed, count};
use sayso_core::text::node::Node;
use sayso_gate::events::{About, Event, EventKind};
use sayso_store::read::{Follow, Stored};
use sayso_world::locations::Whereabouts;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;

use super::api;
use super::error::{ServeError, SourceError};
use super::http;
use super::log::Log;
use super::peer::From;
use super::peer::Peer;
use super::server::{Server, Tokens};
use super::socket::Socket;
use sayso_runtime::assemble::FindInstalled;
use sayso_runtime::inbox_client::VERSION;
use sayso_runtime::inbox_client::folder::{Home, Told};

/// Where HTTP is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// At any port that is free.
    Usual,
    /// Here.
    At(SocketAddr),
    /// Nowhere: only at the unix socket.
    Nowhere,
}

/// How the inbox is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where HTTP is served.
    pub listen: Listen,
    /// Nobody sits in front of it.
    pub detached: bool,
    /// Finds where sayso is installed, for the policy.
    pub installed: FindInstalled,
}

const ASKING: &str = "asking.token";
const ANSWERING: &str = "answering.token";
/// So many connections at once, of each kind.
const MOST: usize = 8192;
/// So long whoever waits is given to hear that it stops.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// So often the record is looked at for what others wrote.
const LOOKS: Duration = Duration::from_millis(200);
/// And every so many times while nobody listens.
const SELDOM: u32 = 10;

/// Runs the inbox until it is stopped. `ready` is called once with the one-time link, where there is a page.
///
/// # Errors
/// When it cannot be started.
pub fn run(
    whereabouts: Whereabouts,
    options: &Options,
    ready: impl FnOnce(Option<&str>),
) -> Result<(), ServeError> {
    let home = Home::open(&whereabouts.state).map_err(of_home)?;
    let Some(lock) = home.lock().map_err(of_home)? else {
        return Err(ServeError::OpenAlready(home.told().map(|told| told.pid)));
    };
    raise_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads())
        .enable_all()
        .thread_name("sayso-serve")
        .build();
    let runtime = runtime.map_err(ServeError::Start)?;
    runtime.block_on(serve(home, whereabouts, options, ready, lock))?;
    // What hangs on a disk must not keep it from ending.
    runtime.shutdown_timeout(Duration::from_millis(200));
    Ok(())
}

fn of_home(error: impl Into<SourceError>) -> ServeError {
    ServeError::Home(error.into())
}

fn threads() -> usize {
    std::thread::available_parallelism()
        .map_or(4, std::num::NonZero::get)
        .clamp(2, 16)
}

/// Each connection takes a file; as many as the system lets a process have.
fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Where that cannot be done there are fewer connections.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum.map(|most| most.min(65_536)),
            maximum: limit.maximum,
        },
    );
}

async fn serve(
    home: Home,
    whereabouts: Whereabouts,
    options: &Options,
    ready: impl FnOnce(Option<&str>),
    lock: File,
) -> Result<(), ServeError> {
    let tcp = bind(options.listen).await?;
    let port = tcp
        .as_ref()
        .map(TcpListener::local_addr)
        .transpose()?
        .map(|address| address.port());
    home.remove_socket().map_err(of_home)?;
    let path = home.socket();
    let unix =
        UnixListener::bind(&path).map_err(|error| ServeError::Socket(path.clone(), error))?;
    // The folder lets in nobody else, either.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    let log_folder = Home::open(&whereabouts.state).map_err(of_home)?;
    let log = Log::new(log_folder.into_folder());
    let state = whereabouts.state.clone();
    let server = Arc::new(Server::new(
        home,
        whereabouts,
        options.installed,
        port,
        log,
    )?);
    let Tokens { asking, answering } = &server.tokens;
    for (file, token) in [(ASKING, asking), (ANSWERING, answering)] {
        server.home.put(file, token.word()).map_err(of_home)?;
    }
    let told = Told {
        pid: std::process::id(),
        url: server.url.clone(),
        version: VERSION.to_owned(),
    };
    server.home.tell(&told).map_err(of_home)?;
    let url = server
        .url
        .clone()
        .unwrap_or_else(|| "the socket".to_owned());
    server.log.line(&format!(
        "sayso {VERSION} serves at {url}, process {}",
        std::process::id()
    ));
    let link = if options.detached {
        None
    } else {
        api::new_link(&server).ok()
    };
    ready(link.as_ref().map(|(url, _)| url.as_str()));
    tokio::spawn(follow(Arc::clone(&server), state));
    tokio::select! {
        () = at_socket(&server, unix) => {}
        () = at_port(&server, tcp) => {}
        () = told_to_stop(&server) => {}
    }
    stop(&server).await;
    drop(lock);
    Ok(())
}

/// HTTP is only served on this machine: what goes over a network would have to be encrypted, and this does not do that.
async fn bind(listen: Listen) -> Result<Option<TcpListener>, ServeError> {
    let address = match listen {
        Listen::Nowhere => return Ok(None),
        Listen::At(address) if !address.ip().is_loopback() => {
            return Err(ServeError::NotLocal(address));
        }
        Listen::At(address) => address,
        // Another one with each start: whoever served at a known port before could have left a script or a worker in the browser, which
        // would then answer for the person.
        Listen::Usual => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
    };
    let bound = TcpListener::bind(address).await;
    bound
        .map(Some)
        .map_err(|error| ServeError::Bind(address, error))
}

async fn at_socket(server: &Arc<Server>, listener: UnixListener) {
    let (own, state) = (server.whereabouts.uid, server.whereabouts.state.clone());
    let room = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // Nobody else gets through the folder; whoever does is not answered.
        let peer = stream.peer_cred().ok().filter(|peer| peer.uid() == own);
        let Some(process) = peer
            .and_then(|peer| peer.pid())
            .and_then(|process| u32::try_from(process).ok())
        else {
            server.log.line("somebody else was at the socket");
            continue;
        };
        let Ok(stream) = Socket::new(stream) else {
            continue;
        };
        let (server, from) = (Arc::clone(server), From::Socket(Peer::new(process, &state)));
        tokio::spawn(async move {
            http::connection(server, stream, from).await;
            drop(permit);
        });
    }
}

async fn at_port(server: &Arc<Server>, listener: Option<TcpListener>) {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    let room = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let Ok((stream, address)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // Small answers go out at once.
        let _ = stream.set_nodelay(true);
        let (server, from) = (Arc::clone(server), From::Tcp(address));
        tokio::spawn(async move {
            http::connection(server, stream, from).await;
            drop(permit);
        });
    }
}

/// A signal, or a person by `sayso serve --stop`.
async fn told_to_stop(server: &Server) {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind: SignalKind| async move {
        match signal(kind) {
            Ok(mut signal) => drop(signal.recv().await),
            // Where a signal cannot be caught, it ends sayso as it always did.
            Err(_) => std::future::pending().await,
        }
    };
    let mut stopping = server.stopping.subscribe();
    tokio::select! {
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::hangup()) => {}
        _ = stopping.wait_for(|stops| *stops) => {}
    }
}

/// Open prompts are denied, and everybody who waits is told so.
async fn stop(server: &Arc<Server>) {
    server.stopping.send_replace(true);
    let open = server.inbox.len();
    server.log.line(&format!(
        "the inbox stops; {} {} denied",
        count(open, "open prompt"),
        agreed(open, "is", "are")
    ));
    server.feed.say("stopping", "", &Node::map::<String>([]));
    server.inbox.close();
    tokio::time::sleep(Duration::from_millis(50)).await;
    server.feed.close();
    let end = tokio::time::Instant::now() + LAST_WORDS;
    while server
        .counts
        .connections
        .load(std::sync::atomic::Ordering::Relaxed)
        > 0
        && tokio::time::Instant::now() < end
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    server.home.leave(&[ASKING, ANSWERING]);
    server.log.line("the inbox has stopped");
}

/// Tells what others write into the record: hooks, and commands of the person.
async fn follow(server: Arc<Server>, state: std::path::PathBuf) {
    let mut follow: Option<Follow> = Follow::from_end(&state).ok();
    let mut quiet = 0;
    loop {
        tokio::time::sleep(LOOKS).await;
        // While nobody listens it is looked at more seldom, only to go along: who comes then is told a little of what was before.
        let watched = server.feed.watching() > 0;
        quiet = if watched { 0 } else { quiet + 1 };
        if quiet % SELDOM != 0 {
            continue;
        }
        let (mut from, state) = (follow.take(), state.clone());
        let looked = tokio::task::spawn_blocking(move || {
            if from.is_none() {
                from = Follow::from_end(&state).ok();
            }
            let found = from.as_mut().and_then(|from| from.look().ok());
            // After trouble it begins at the end again.
            (from.filter(|_| found.is_some()), found.unwrap_or_default())
        });
        let Ok((next, found)) = looked.await else {
            continue;
        };
        follow = next;
        for stored in found.into_iter().flatten().filter(|_| watched) {
            tell(&server, &stored);
        }
    }
}

/// What a list of the history shows of an entry.
const SHOWN: [&str; 12] = [
    "call",
    "session",
    "agent",
    "tool",
    "decision",
    "outcome",
    "risk",
    "rule",
    "source",
    "by",
    "what",
    "succeeded",
];
/// Entries that change what is remembered.
const CHANGES: [&str; 8] = [
    "granted",
    "rule_added",
    "edited",
    "disabled",
    "enabled",
    "revoked",
    "limited",
    "session_ended",
];

fn tell(server: &Server, stored: &Stored) {
    let Ok(node) = stored.node() else { return };
    let number =
        |number: i128| -> Node { sayso_core::text::node::Value::Number(number.to_string()).into() };
    let time = jiff::Timestamp::from_millisecond(stored.at)
        .map(|time| time.to_string())
        .unwrap_or_default();
    let mut fields = vec![
        ("number", number(stored.number.into())),
        ("time", Node::text(time)),
        ("kind", Node::text(&stored.kind)),
    ];
    let null = || -> Node { sayso_core::text::node::Value::Null.into() };
    fields.extend(SHOWN.map(|key| (key, node.get(key).cloned().unwrap_or_else(null))));
    fields.push((
        "by_words",
        sayso_runtime::audit::decided_by::of_entry(&node).map_or_else(null, Node::text),
    ));
    let session = node
        .get("session")
        .and_then(Node::as_text)
        .unwrap_or_default()
        .to_owned();
    server.feed.say("entry", &session, &Node::map(fields));
    if CHANGES.contains(&stored.kind.as_str()) {
        let words = node
            .get("words")
            .and_then(Node::as_text)
            .unwrap_or(&stored.kind);
        let ours = Node::map([(
            "words",
            Node::text(sayso_core::text::visible::visible(words)),
        )]);
        server.feed.say("updated", &session, &ours);
    }
    for kind in events_of(&stored.kind, &node) {
        let about = About::Entry(Arc::new(node.clone()));
        server.feed.tell_others(
            &session,
            Event {
                kind,
                at: stored.at / 1000,
                operation: None,
                about,
            },
        );
    }
}

/// The events that an entry stands for under the names of other systems. The gate of this process tells what happens to operations that were
/// submitted here; the record tells the rest.
fn events_of(kind: &str, entry: &Node) -> Vec<EventKind> {
    let is_submitted = || {
        entry
            .get("agent")
            .and_then(Node::as_text)
            .and_then(|line| line.rsplit(" < ").next())
            == Some(super::api::AGENT)
    };
    match kind {
        "finished" => vec![EventKind::ToolCallPost],
        "decided" if !is_submitted() => {
            let outcome = entry
                .get("outcome")
                .and_then(Node::as_text)
                .and_then(Outcome::from_word);
            let Some(outcome) = outcome else {
                return Vec::new();
            };
            // Where somebody was asked, the question was told with its verdict.
            let was_asked = entry.get("by").is_some()
                || matches!(outcome, Outcome::TimedOut | Outcome::Cancelled);
            let judged = if was_asked {
                None
            } else {
                Some(EventKind::Check)
            };
            let of_batch = match outcome {
                Outcome::Approved
                    if entry.get("scope").and_then(Node::as_text) == Some("batch") =>
                {
                    Some(EventKind::ApproveAll)
                }
                Outcome::Cancelled if entry.get("by").is_some() => Some(EventKind::Quit),
                _ => None,
            };
            judged
                .into_iter()
                .chain([EventKind::ToolCallPre])
                .chain(of_batch)
                .chain([EventKind::of(outcome)])
                .collect()
        }
        kind if CHANGES.contains(&kind) => vec![EventKind::Updated],
        _ => Vec::new(),
    }
}
