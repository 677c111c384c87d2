//! The gateway in front of a server that is somewhere else: requests come to an address of this machine, are judged, and go on to the server.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::HeaderValue;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::asking::Asks;
use super::catalogue::Catalogue;
use super::courier::Courier;
use super::gateway;
use super::http_call::{SESSION, Way, call, keyed};
use super::http_dialog::{Dialogs, Sessions};
use super::http_headers::headers_fit;
use super::identity::Identity;
use super::judge::{Judge, Who};
use super::message::{self, CALL, Id, Refused, Said};
use super::open::Calls;
use super::upstream::Upstream;
use super::{random_word, replies};
use crate::serve::Names;

/// The head of a request has to be there in this time.
const HEAD: Duration = Duration::from_secs(15);
/// How often it is looked whether a question is over.
const TICK: Duration = Duration::from_secs(1);
/// The number for a header that says something else than the body, as MCP has it.
const MISMATCH: i32 = -32020;

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
pub(super) struct Proxy {
    pub judge: Judge,
    pub calls: Arc<Calls>,
    pub asks: Arc<Asks>,
    pub catalogue: Arc<Catalogue>,
    pub way: Arc<Way>,
    pub upstream: Upstream,
    /// Questions on the streams of clients.
    pub dialogs: Arc<Dialogs>,
    /// What clients said they can, when they began.
    pub sessions: Sessions,
    names: Names,
    for_others: bool,
}

/// The body of an answer: one piece, or many as they come.
pub(super) enum Flow {
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
    let dialogs = Arc::new(Dialogs::default());
    let asks = Arc::new(Asks::new(&state, Arc::clone(&calls), Arc::<Dialogs>::clone(&dialogs)));
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
    let proxy = Arc::new(Proxy {
        judge,
        calls,
        asks,
        catalogue,
        way,
        upstream,
        dialogs,
        sessions: Sessions::default(),
        names,
        for_others: options.for_others,
    });
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

pub(super) fn plain(status: u16, media: &'static str, body: impl Into<Bytes>) -> Response<Flow> {
    let mut response = Response::new(Flow::Whole(Some(body.into())));
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert("content-type", HeaderValue::from_static(media));
    response.headers_mut().insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

fn words(status: u16, text: &str) -> Response<Flow> {
    plain(status, "text/plain; charset=utf-8", format!("sayso: {text}\n"))
}

pub(super) fn refused(status: u16, refused: &Refused) -> Response<Flow> {
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

async fn post(proxy: &Arc<Proxy>, target: &str, headers: HeaderMap, body: Vec<u8>) -> Response<Flow> {
    let said = match message::read(&body) {
        Ok(Some(said)) => said,
        Ok(None) => return words(400, "there is no message"),
        Err(why) => return refused(400, &why),
    };
    let mut began = None;
    let list = match &said {
        Said::Request(_, method, params) if method == "initialize" => {
            began = Some(gateway::can_elicit(params.get("capabilities"), params.get("protocolVersion")));
            None
        }
        // The answer to a question of ours is none of the server's.
        Said::Response(id, response) if proxy.asks.answered(id, response) => return plain(202, "application/json", ""),
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
        Ok(answer) => {
            if let (Some(elicits), Some(session)) = (began, answer.headers.get(SESSION).and_then(|session| session.to_str().ok())) {
                proxy.sessions.begin(session, elicits);
            }
            proxy.observed(answer, list).await
        }
        Err(why) => words(502, &why),
    }
}
