//! The gateway in front of a server that is somewhere else: requests come to an address of this machine, are judged, and go on to the server.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use sayso_core::node::Node;
use sayso_gate::ports::Ran;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use super::asking::{Asks, Speak, Ways};
use super::catalogue::Catalogue;
use super::courier::{Carry, Courier};
use super::events::{Events, event};
use super::identity::Identity;
use super::judge::{Judge, Who};
use super::message::{self, CALL, Id, Refused, Said};
use super::open::{Calls, Open, Walk};
use super::upstream::{Answer, Upstream};
use super::{gateway, peek, random_word, replies};
use crate::serve::Names;

/// The head of a request has to be there in this time.
const HEAD: Duration = Duration::from_secs(15);
/// A call that is not decided by then is answered with a stream, so that the client knows that it waits.
const SOON: Duration = Duration::from_secs(1);
/// How often a client that waits is told so.
const ALIVE: Duration = Duration::from_secs(5);
/// How often it is looked whether a question is over.
const TICK: Duration = Duration::from_secs(1);
/// The number for a header that says something else than the body, as MCP has it.
const MISMATCH: i32 = -32020;
/// The session of a client, by the server.
const SESSION: &str = "mcp-session-id";

/// How the gateway is started.
#[derive(Debug)]
pub struct HttpOptions {
    /// The name of the server for rules; its host where there is none.
    pub name: Option<String>,
    /// The client.
    pub client: String,
    /// A policy that comes on top, and only tightens until the person trusts it.
    pub policy: Option<PathBuf>,
    /// The server.
    pub url: String,
    /// Where clients come to.
    pub listen: SocketAddr,
    /// Others on the network may come, too.
    pub for_others: bool,
}

/// Everything that requests share.
struct Proxy {
    judge: Judge,
    calls: Arc<Calls>,
    asks: Arc<Asks>,
    catalogue: Arc<Catalogue>,
    way: Arc<Way>,
    upstream: Upstream,
    names: Names,
    for_others: bool,
}

/// Wakes the request of a call that may go on.
#[derive(Default)]
struct Way(Mutex<HashMap<String, oneshot::Sender<Vec<u8>>>>);

impl Way {
    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<String, oneshot::Sender<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Carry for Way {
    fn carry(&self, open: &Open, line: &[u8]) -> Result<(), String> {
        let gone = || "the client is gone".to_owned();
        let request = self.waiting().remove(&open.call).ok_or_else(gone)?;
        request.send(line.to_vec()).map_err(|_| gone())
    }
}

/// A client over HTTP is not asked: its dialog would need a stream of its own.
struct Silent;

impl Speak for Silent {
    fn speak(&self, _: &Open, _: Vec<u8>) {}
}

/// The body of an answer: one piece, or many as they come.
enum Flow {
    Whole(Option<Bytes>),
    Pieces(mpsc::Receiver<Bytes>),
}

impl Body for Flow {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Flow::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Flow::Pieces(from) => from.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece)))),
        }
    }
}

/// Runs the gateway until it is stopped.
///
/// # Errors
/// When it cannot begin.
pub fn run(options: HttpOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), String> {
    if !options.listen.ip().is_loopback() && !options.for_others {
        return Err(format!("`{}` can be reached by others; say `--for-others` if that is wanted", options.listen));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| format!("no threads could be started: {error}"))?;
    runtime.block_on(serve(options, ready))
}

async fn serve(options: HttpOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), String> {
    let folder = std::env::current_dir().map_err(|error| format!("the folder cannot be found: {error}"))?;
    let workspace = folder.to_str().ok_or("the path of the folder is no text")?.to_owned();
    let upstream = Upstream::new(&options.url)?;
    let server = options.name.map_or_else(|| super::checked_name(&upstream.url.host), Ok)?;
    let state = crate::record_folder::whereabouts()?.state;
    let calls = Arc::new(Calls::default());
    let asks = Arc::new(Asks::new(&state, Arc::clone(&calls), Arc::new(Silent)));
    let catalogue = Arc::new(Catalogue::open(&state, &server, Identity::of_url(&options.url)));
    let way = Arc::new(Way::default());
    let courier = Courier { calls: Arc::clone(&calls), way: Arc::<Way>::clone(&way), catalogue: Arc::clone(&catalogue) };
    let who = Who { server, client: options.client, workspace, session: format!("mcp-{}", random_word()?) };
    let judge = Judge::new(who, options.policy, Arc::<Asks>::clone(&asks), Arc::new(courier))?;
    // Whatever is wrong with the policy is told now, and not to the first client.
    judge.bench()?;
    let cannot = |error: std::io::Error| format!("`{}` cannot be listened at: {error}", options.listen);
    let listener = TcpListener::bind(options.listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let names = Names::of(address.port());
    let proxy = Arc::new(Proxy { judge, calls, asks, catalogue, way, upstream, names, for_others: options.for_others });
    ready(address);
    let stop = stopped();
    tokio::pin!(stop);
    let mut ticks = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            () = &mut stop => break,
            _ = ticks.tick() => proxy.asks.expire(),
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let proxy = Arc::clone(&proxy);
                tokio::spawn(async move {
                    let service = service_fn(move |request| {
                        let proxy = Arc::clone(&proxy);
                        async move { Ok::<_, Infallible>(answer(&proxy, request).await) }
                    });
                    let mut builder = hyper::server::conn::http1::Builder::new();
                    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(64).max_buf_size(64 << 10);
                    // What a client breaks is the client's to know.
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        }
    }
    proxy.judge.end();
    Ok(())
}

async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else { return };
    tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
}

fn plain(status: u16, media: &'static str, body: impl Into<Bytes>) -> Response<Flow> {
    let mut response = Response::new(Flow::Whole(Some(body.into())));
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert("content-type", HeaderValue::from_static(media));
    response.headers_mut().insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

fn words(status: u16, text: &str) -> Response<Flow> {
    plain(status, "text/plain; charset=utf-8", format!("sayso: {text}\n"))
}

fn refused(status: u16, refused: &Refused) -> Response<Flow> {
    plain(status, "application/json", replies::refused(refused))
}

async fn answer(proxy: &Arc<Proxy>, request: Request<Incoming>) -> Response<Flow> {
    if let Err((status, why)) = proxy.names.allows(request.headers(), proxy.for_others) {
        return words(status, &why);
    }
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let own = &proxy.upstream.url.path;
    // What clients ask to log in stands beside the server itself.
    let target = match request.uri().path() {
        "/" | "/mcp" => own.clone(),
        known if known == own.split('?').next().unwrap_or(own) => own.clone(),
        known if known.starts_with("/.well-known/") && request.method() == "GET" => path,
        _ => return words(404, "there is nothing here"),
    };
    let (head, body) = request.into_parts();
    match head.method.as_str() {
        "POST" => match Limited::new(body, message::LONGEST).collect().await {
            Ok(body) => post(proxy, &target, head.headers, body.to_bytes().to_vec()).await,
            Err(_) => words(413, "the message is too long, or broke off"),
        },
        "GET" | "DELETE" => match proxy.upstream.send(head.method.as_str(), &target, &head.headers, Vec::new()).await {
            Ok(answer) => proxy.passed(answer, None),
            Err(why) => words(502, &why),
        },
        _ => words(405, "POST, GET and DELETE are all there is"),
    }
}

/// Refuses headers that say something else than the body: a server might go by them.
fn headers_fit(headers: &HeaderMap, method: &str, params: &Node) -> Result<(), String> {
    let named = params.get("name").or_else(|| params.get("uri")).and_then(Node::as_text);
    for (header, wanted) in [("mcp-method", Some(method)), ("mcp-name", named)] {
        let mut all = headers.get_all(header).iter();
        let Some(value) = all.next() else { continue };
        let value = value.to_str().map_err(|_| format!("`{header}` is no plain text"))?;
        let is_coded = value.starts_with("=?base64?");
        let coded = wanted.map(|wanted| format!("=?base64?{}?=", base64(wanted.as_bytes())));
        let fits = if is_coded { coded.as_deref() == Some(value) } else { wanted == Some(value) };
        if all.next().is_some() || !fits {
            return Err(format!("`{header}` says something else than the body"));
        }
    }
    Ok(())
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sign = SIGNS.get((number >> (18 - 6 * place) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if place <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    out
}

async fn post(proxy: &Arc<Proxy>, target: &str, headers: HeaderMap, body: Vec<u8>) -> Response<Flow> {
    let said = match message::read(&body) {
        Ok(Some(said)) => said,
        Ok(None) => return words(400, "there is no message"),
        Err(why) => return refused(400, &why),
    };
    let list = match &said {
        Said::Request(id, method, params) => {
            if let Err(why) = headers_fit(&headers, method, params) {
                return refused(400, &Refused { id: Some(id.clone()), code: MISMATCH, why });
            }
            let what = method.split('/').next().unwrap_or_default();
            let is_gated = matches!(method.as_str(), "resources/read" | "prompts/get") && proxy.is_gated(what);
            if method == CALL || is_gated {
                return call(proxy, target, headers, id, method, params, body).await;
            }
            (method == "tools/list").then(|| id.clone())
        }
        Said::Notice(method, params) if method == "notifications/cancelled" => {
            let key = params.get("requestId").and_then(Id::of).map(|id| keyed(&headers, &id));
            if let Some(open) = key.and_then(|key| proxy.calls.held(&key)) {
                open.cancel();
                proxy.calls.remove(&open);
                return plain(202, "application/json", "");
            }
            None
        }
        _ => None,
    };
    match proxy.upstream.send("POST", target, &headers, body).await {
        Ok(answer) => proxy.observed(answer, list).await,
        Err(why) => words(502, &why),
    }
}

/// An id of a client among those of all clients.
fn keyed(headers: &HeaderMap, id: &Id) -> Id {
    let session = headers.get(SESSION).and_then(|session| session.to_str().ok()).unwrap_or_default();
    Id::text(&format!("{session}\n{}", id.json()))
}

/// Takes a call back when its request is gone.
struct Waits {
    proxy: Arc<Proxy>,
    open: Arc<Open>,
    is_decided: bool,
}

impl Waits {
    /// Nothing is taken back any more.
    fn decided(mut self) {
        self.is_decided = true;
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.proxy.way.waiting().remove(&self.open.call);
        if !self.is_decided {
            self.open.cancel();
        }
    }
}

/// How a call was decided.
enum Decided {
    Denied(Vec<u8>),
    Sent(Result<Answer, String>),
}

async fn call(proxy: &Arc<Proxy>, target: &str, headers: HeaderMap, id: &Id, method: &str, params: &Node, body: Vec<u8>) -> Response<Flow> {
    let (tool, arguments) = match message::tool_call(params) {
        Ok(call) => call,
        Err(_) if method != CALL => (method, params.clone()),
        Err(why) => return refused(200, &Refused { id: Some(id.clone()), code: message::BAD_PARAMS, why }),
    };
    let tool = if method == CALL { tool } else { method };
    let is_modern = params.get("_meta").is_some_and(|meta| meta.get("io.modelcontextprotocol/protocolVersion").is_some());
    let (key, number) = (keyed(&headers, id), proxy.judge.next_id());
    // Without a session nobody can tell two clients apart.
    let key = if headers.contains_key(SESSION) { key } else { Id::text(&number) };
    if proxy.calls.has(&key) {
        let why = "the id is that of a call that is still open".to_owned();
        return refused(400, &Refused { id: Some(id.clone()), code: message::NO_REQUEST, why });
    }
    let denied = |why: &str| replies::denied(id, why, is_modern);
    let bench = match proxy.judge.bench() {
        Ok(bench) => bench,
        Err(why) => return plain(200, "application/json", denied(&format!("denied: {why}. nothing was changed"))),
    };
    proxy.asks.set_ways(Ways { elicits: false, starts_inbox: bench.settings.hooks_start });
    let open = Arc::new(Open::new(number.clone(), key.clone(), body, is_modern));
    let (go, may_go) = oneshot::channel();
    proxy.way.waiting().insert(number.clone(), go);
    proxy.calls.add(&open);
    if !proxy.calls.hold(&open, 256) {
        return plain(200, "application/json", denied("denied: 256 calls wait for a person already. nothing was changed"));
    }
    let waits = Waits { proxy: Arc::clone(proxy), open: Arc::clone(&open), is_decided: false };
    let judged = proxy.judge.call(number, tool, arguments, proxy.catalogue.identity(tool));
    let gate = Arc::clone(&bench.gate);
    let walk: Walk = Box::pin(async move { gate.call(judged).await });
    let (own, calls) = (Arc::clone(&open), Arc::clone(&proxy.calls));
    // It goes on beside the request: what was sent has an end also if the client is gone.
    let walked = tokio::spawn(async move {
        let finished = own.unless_cancelled(walk).await;
        calls.remove(&own);
        finished.map(|finished| finished.message)
    });
    let (proxy, target, id) = (Arc::clone(proxy), target.to_owned(), id.clone());
    let takes_events = headers.get_all("accept").iter().any(|kinds| kinds.to_str().is_ok_and(|kinds| kinds.contains("text/event-stream")));
    let (tell, mut told) = oneshot::channel();
    let (own, words) = (Arc::clone(&proxy), id.clone());
    tokio::spawn(async move {
        let decided = match may_go.await {
            Ok(line) => Decided::Sent(own.upstream.send("POST", &target, &headers, line).await),
            // Nobody let it go on, so it is over.
            Err(_) => {
                let message = walked.await.ok().flatten().unwrap_or_else(|| "denied: it was taken back. nothing was changed".to_owned());
                Decided::Denied(replies::denied(&words, &message, is_modern))
            }
        };
        let _ = tell.send(decided);
    });
    let decided = match tokio::time::timeout(if takes_events { SOON } else { Duration::MAX }, &mut told).await {
        Ok(decided) => {
            decided.unwrap_or_else(|_| Decided::Denied(replies::denied(&id, "denied: sayso broke. nothing was changed", is_modern)))
        }
        Err(_) => return proxy.streamed(told, waits, key, id, is_modern),
    };
    waits.decided();
    match decided {
        Decided::Denied(line) => plain(200, "application/json", line),
        Decided::Sent(Ok(answer)) => proxy.passed(answer, Some(key)),
        Decided::Sent(Err(why)) => {
            proxy.calls.land(&key, Ran::failed(why.clone()));
            plain(200, "application/json", replies::denied(&id, &why, is_modern))
        }
    }
}

impl Proxy {
    fn is_gated(&self, what: &str) -> bool {
        self.judge.bench().map_or(true, |bench| bench.settings.mcp_gate.iter().any(|gated| gated == what))
    }

    /// An answer as a stream, which says every now and then that somebody is asked.
    fn streamed(self: &Arc<Self>, mut told: oneshot::Receiver<Decided>, waits: Waits, key: Id, id: Id, is_modern: bool) -> Response<Flow> {
        let (pieces, from) = mpsc::channel(16);
        let proxy = Arc::clone(self);
        tokio::spawn(async move {
            let decided = loop {
                tokio::select! {
                    decided = &mut told => break decided,
                    // A client that is gone takes the question back.
                    () = pieces.closed() => return,
                    () = tokio::time::sleep(ALIVE) => {
                        if pieces.send(Bytes::from_static(b": sayso waits for an answer\n\n")).await.is_err() {
                            return;
                        }
                    }
                }
            };
            waits.decided();
            match decided {
                Ok(Decided::Sent(Ok(answer))) if answer.is_events() => proxy.pump(answer, Some(key), pieces).await,
                Ok(Decided::Sent(Ok(mut answer))) => {
                    let whole = answer.whole(message::LONGEST * 4).await.unwrap_or_else(|why| replies::denied(&id, &why, is_modern));
                    proxy.calls.land(&key, ran(answer.status, &whole));
                    let _ = pieces.send(event(&whole).into()).await;
                }
                Ok(Decided::Sent(Err(why))) => {
                    proxy.calls.land(&key, Ran::failed(why.clone()));
                    let _ = pieces.send(event(&replies::denied(&id, &why, is_modern)).into()).await;
                }
                Ok(Decided::Denied(line)) => drop(pieces.send(event(&line).into()).await),
                Err(_) => {}
            }
        });
        let mut response = Response::new(Flow::Pieces(from));
        let headers = response.headers_mut();
        for (name, value) in [("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no")] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }

    /// An answer whose list of tools, if it is one, is looked at first.
    async fn observed(self: &Arc<Self>, mut answer: Answer, list: Option<Id>) -> Response<Flow> {
        let Some(id) = list.filter(|_| !answer.is_events()) else { return self.passed(answer, None) };
        let whole = match answer.whole(message::LONGEST).await {
            Ok(whole) => whole,
            Err(why) => return plain(200, "application/json", replies::denied_request(&id, &why)),
        };
        if let Some(refusal) = self.look_at(&whole, Some(&id)) {
            return plain(200, "application/json", refusal);
        }
        respond(answer.status, &answer.headers, Flow::Whole(Some(whole.into())))
    }

    /// Looks at a message of the server; gives what to say in its place, if it is not passed on.
    fn look_at(&self, message: &[u8], list: Option<&Id>) -> Option<Vec<u8>> {
        let peeked = peek::peek(message)?;
        if peeked.is_ambiguous {
            let _ = self.judge.note("mcp_dropped", vec![("why", Node::text("a message with a key twice"))]);
            return Some(Vec::new());
        }
        match (peeked.method(), peeked.id.and_then(Id::parse)) {
            (Some(method), id) => {
                if method == "notifications/tools/list_changed" {
                    self.catalogue.is_stale();
                }
                let is_refused = match method.as_str() {
                    "sampling/createMessage" => self.is_gated("sampling"),
                    "elicitation/create" => self.is_gated("elicitation") || gateway::names_us(message),
                    _ => false,
                };
                if is_refused && id.is_some() {
                    let _ = self.judge.note("mcp_dropped", vec![("why", Node::text(format!("{method} of the server")))]);
                    return Some(Vec::new());
                }
                None
            }
            // Any result with tools in it may be a list, whoever asked for it.
            (None, Some(id)) => {
                let result = peeked.result.filter(|result| list.is_some_and(|list| *list == id) || result.contains("\"tools\""))?;
                let why = self.catalogue.observe(result).err()?;
                let _ = self.judge.note("mcp_dropped", vec![("why", Node::text("a list of tools that can be read in two ways"))]);
                Some(replies::denied_request(&id, &format!("the server's list of tools is not passed on: {why}")))
            }
            _ => None,
        }
    }

    /// An answer as it comes; the call that it is to ends with it.
    fn passed(self: &Arc<Self>, answer: Answer, key: Option<Id>) -> Response<Flow> {
        let (pieces, from) = mpsc::channel(16);
        let (status, headers) = (answer.status, answer.headers.clone());
        let proxy = Arc::clone(self);
        tokio::spawn(async move { proxy.pump(answer, key, pieces).await });
        respond(status, &headers, Flow::Pieces(from))
    }

    async fn pump(&self, mut answer: Answer, key: Option<Id>, to: mpsc::Sender<Bytes>) {
        let is_events = answer.is_events();
        let (mut events, mut end) = (Events::default(), Ran::Done(sayso_core::node::Value::Null.into()));
        let mut is_read = true;
        while let Some(piece) = answer.body.recv().await {
            if !is_events {
                if gateway::says_failed(&piece) || answer.status >= 400 {
                    end = Ran::failed("the tool says that it failed");
                }
                is_read = to.send(piece).await.is_ok();
            } else {
                for event in events.add(&piece) {
                    let data = event.data();
                    if gateway::says_failed(&data) {
                        end = Ran::failed("the tool says that it failed");
                    }
                    let bytes = match self.look_at(&data, None) {
                        None => event.bytes,
                        Some(instead) if instead.is_empty() => event.emptied(),
                        Some(instead) => super::events::event(&instead),
                    };
                    is_read &= to.send(bytes.into()).await.is_ok();
                }
            }
            if !is_read {
                break;
            }
        }
        let rest = events.last();
        if is_read && !rest.is_empty() {
            let _ = to.send(rest.into()).await;
        }
        if let Some(key) = key {
            self.calls.land(&key, end);
        }
    }
}

fn ran(status: u16, body: &[u8]) -> Ran {
    if status >= 400 || gateway::says_failed(body) {
        Ran::failed("the tool says that it failed")
    } else {
        Ran::Done(sayso_core::node::Value::Null.into())
    }
}

fn respond(status: u16, headers: &HeaderMap, body: Flow) -> Response<Flow> {
    let mut response = Response::new(body);
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::BAD_GATEWAY);
    *response.headers_mut() = headers.clone();
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_what_the_body_says() {
        let params = Node::map([("name", Node::text("ü"))]);
        let fit = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            lines.iter().for_each(|(name, value)| drop(headers.append(*name, HeaderValue::from_static(value))));
            headers_fit(&headers, CALL, &params).is_ok()
        };
        assert!(fit(&[]) && fit(&[("mcp-method", "tools/call"), ("mcp-name", "=?base64?w7w=?=")]));
        assert!(!fit(&[("mcp-method", "ping")]) && !fit(&[("mcp-name", "other")]) && !fit(&[("mcp-name", "=?base64?b3RoZXI=?=")]));
        assert!(!fit(&[("mcp-method", "tools/call"), ("mcp-method", "tools/call")]));
        assert_eq!((base64(b"a"), base64(b"ab"), base64(b"abc")), ("YQ==".into(), "YWI=".into(), "YWJj".into()));
    }

    #[test]
    fn a_server_elsewhere_is_reached_in_private() {
        assert!(Upstream::new("https://a.example/mcp").is_ok() && Upstream::new("http://127.0.0.1:3001/mcp").is_ok());
        assert!(
            Upstream::new("http://a.example/mcp").is_err() && Upstream::new("ftp://x").is_err() && Upstream::new("https://u@x/").is_err()
        );
    }
}
