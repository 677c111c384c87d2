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
use sayso_core::text::node::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::asking::Asks;
use super::authority::Roots;
use super::http_call::{Place, Requests, SESSION, call, keyed};
use super::http_dialog::Sessions;
use super::http_headers::{headers_fit, is_plain};
use super::http_pass::Asked;
use super::judge::{Judge, Who};
use super::message;
use super::message::{CALL, Id, Refused, Said};
use super::open_calls::Calls;
use super::tool_calls::{ToolCalls, can_elicit};
use super::upstream;
use super::upstream::{Peer, Upstream};
use super::{random_word, replies};
use crate::error::{GatewayError, below};
use sayso_runtime::assemble::Choice;
use sayso_runtime::host_names::Names;
use sayso_runtime::mcp_servers::name;

/// The head of a request has to be there in this time.
const HEAD: Duration = Duration::from_secs(15);
/// How often it is looked whether a question is over.
const TICK: Duration = Duration::from_secs(1);
/// The number for a header that says something else than the body, as MCP has it.
pub(super) const MISMATCH: i32 = -32020;

/// What is said of anything but a request, which could be asked about.
const OTHER: &str =
    "under this name another server was approved; a request of the client asks about it";

/// How the gateway is started.
#[derive(Debug)]
pub struct HttpOptions {
    /// The name of the server for rules; its host where there is none.
    pub name: Option<String>,
    /// The client.
    pub client: String,
    /// The policy, and a file that comes on top, which only tightens until the person trusts it.
    pub choice: Choice,
    /// The server.
    pub url: String,
    /// A file of roots, one of which has to vouch for the server; without it, those that browsers trust.
    pub authorities: Option<PathBuf>,
    /// Where clients come to.
    pub listen: SocketAddr,
    /// Others on the network may come, too.
    pub for_others: bool,
}

/// Everything that requests share.
pub(super) struct Proxy {
    pub tools: Arc<ToolCalls>,
    pub requests: Arc<Requests>,
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

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Flow::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Flow::Pieces(from) => from
                .poll_recv(context)
                .map(|piece| piece.map(|piece| Ok(Frame::data(piece)))),
        }
    }
}

/// Runs the gateway until it is stopped.
///
/// # Errors
/// When it cannot begin.
pub fn run(options: HttpOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), GatewayError> {
    if !options.listen.ip().is_loopback() && !options.for_others {
        return Err(GatewayError::ForOthers(options.listen));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = runtime.map_err(GatewayError::Threads)?;
    runtime.block_on(serve(options, ready))
}

async fn serve(options: HttpOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), GatewayError> {
    let folder = std::env::current_dir().map_err(GatewayError::Folder)?;
    let workspace = folder.to_str().ok_or(GatewayError::FolderName)?.to_owned();
    let host = upstream::address(&options.url)?.host;
    let server = options
        .name
        .map_or_else(|| name::checked(&host).map_err(below), Ok)?;
    let state = sayso_runtime::record_folder::whereabouts()
        .map_err(below)?
        .state;
    let calls = Arc::new(Calls::default());
    let roots = options
        .authorities
        .as_deref()
        .map_or_else(|| Ok(Roots::usual()), Roots::of_file)?;
    let upstream = Upstream::new(&options.url, &server, &state, roots)?;
    let carrier = Arc::new(Requests::new(upstream));
    let asks = Asks::new(&state, Arc::clone(&calls), Arc::<Requests>::clone(&carrier));
    let asks = Arc::new(asks);
    let who = Who {
        server,
        client: options.client,
        workspace,
        session: format!("mcp-{}", random_word()?),
    };
    let judge = Judge::new(who, options.choice, Arc::<Asks>::clone(&asks))?;
    // Whatever is wrong with the policy is told now, and not to the first client.
    judge.bench()?;
    let cannot = |error| GatewayError::Listen(options.listen, error);
    let listener = TcpListener::bind(options.listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let names = Names::of(address.port());
    let requests = Arc::clone(&carrier);
    let tools = Arc::new(ToolCalls {
        judge,
        calls,
        asks,
        carrier,
    });
    let proxy = Arc::new(Proxy {
        tools,
        requests,
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
            _ = ticks.tick() => proxy.tools.asks.expire(),
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
    proxy.tools.judge.end();
    Ok(())
}

async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        return;
    };
    tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
}

pub(super) fn plain(status: u16, media: &'static str, body: impl Into<Bytes>) -> Response<Flow> {
    let mut response = Response::new(Flow::Whole(Some(body.into())));
    *response.status_mut() =
        hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    response
        .headers_mut()
        .insert("content-type", HeaderValue::from_static(media));
    response.headers_mut().insert(
        "x-content-type-options",
        HeaderValue::from_static("nosniff"),
    );
    response
}

pub(super) fn words(status: u16, text: &str) -> Response<Flow> {
    plain(
        status,
        "text/plain; charset=utf-8",
        format!("sayso: {text}\n"),
    )
}

pub(super) fn refused(status: u16, refused: &Refused) -> Response<Flow> {
    plain(status, "application/json", replies::refused(refused))
}

/// Lets a request to this gateway through; those of other machines may be let in by any name.
///
/// # Errors
/// The status of HTTP, and what is wrong with it.
fn allows(names: &Names, headers: &HeaderMap, any_host: bool) -> Result<(), (u16, String)> {
    if any_host && headers.get("origin").is_none() {
        return Ok(());
    }
    let all = |name: &str| -> Vec<Option<&str>> {
        headers
            .get_all(name)
            .iter()
            .map(|value| value.to_str().ok())
            .collect()
    };
    names
        .check(all, false)
        .map_err(|refusal| (refusal.status, refusal.detail))
}

async fn answer(proxy: &Arc<Proxy>, request: Request<Incoming>) -> Response<Flow> {
    if let Err((status, why)) = allows(&proxy.names, request.headers(), proxy.for_others) {
        return words(status, &why);
    }
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str())
        .to_owned();
    let own = &proxy.requests.upstream.url.path;
    // What clients ask to log in stands beside the server itself.
    let target = match request.uri().path() {
        "/" | "/mcp" => own.clone(),
        known if known == own.split('?').next().unwrap_or(own) => own.clone(),
        // Nothing that a server could take for another place.
        known
            if known.starts_with("/.well-known/")
                && request.method() == "GET"
                && !known.contains(['%', '\\'])
                && !known.contains("..") =>
        {
            path
        }
        _ => return words(404, "there is nothing here"),
    };
    let (head, body) = request.into_parts();
    match head.method.as_str() {
        "POST" => match Limited::new(body, message::LONGEST).collect().await {
            Ok(body) => post(proxy, target, head.headers, body.to_bytes().into()).await,
            Err(_) => words(413, "the message is too long, or broke off"),
        },
        "GET" | "DELETE" => listen(proxy, head.method.as_str(), target, head.headers).await,
        _ => words(405, "POST, GET and DELETE are all there is"),
    }
}

/// A request without a message: for a stream of events, for the end of a session, or for what it takes to log in.
async fn listen(
    proxy: &Arc<Proxy>,
    method: &str,
    target: String,
    headers: HeaderMap,
) -> Response<Flow> {
    let upstream = &proxy.requests.upstream;
    let peer = match upstream.met().await {
        Ok(peer) => peer,
        Err(why) => return words(502, &why.to_string()),
    };
    if is_other(&peer) {
        return words(403, OTHER);
    }
    let asked = Asked::listening(&headers, &peer);
    let place = Place {
        peer,
        target,
        headers,
    };
    match upstream.send(&place, method, Vec::new()).await {
        Ok(answer) => proxy.passed(answer, asked, None),
        Err(why) => words(502, &why.to_string()),
    }
}

/// Whether another server was approved under this name: then somebody has to be asked before anything goes there, credentials above all.
fn is_other(peer: &Peer) -> bool {
    peer.catalogue()
        .is_none_or(|catalogue| catalogue.is_other_server())
}

async fn post(
    proxy: &Arc<Proxy>,
    target: String,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Response<Flow> {
    if let Err(why) = is_plain(&headers) {
        return words(why.status(), &why.to_string());
    }
    let said = match message::read(&body) {
        Ok(Some(said)) => said,
        Ok(None) => return words(400, "there is no message"),
        Err(why) => return refused(400, &why),
    };
    let none = Value::Null.into();
    let (id, method, params) = match &said {
        Said::Request(id, method, params) => (Some(id), Some(method.as_str()), params),
        Said::Notice(method, params) => (None, Some(method.as_str()), params),
        Said::Response(..) => (None, None, &none),
    };
    if let Err(why) = headers_fit(&headers, method, params) {
        return refused(
            400,
            &Refused {
                id: id.cloned(),
                code: MISMATCH,
                why,
            },
        );
    }
    // The answer to a question of ours is none of the server's.
    if let Said::Response(id, response) = &said
        && proxy.tools.asks.answered(id, response)
    {
        return plain(202, "application/json", "");
    }
    if let (None, Some("notifications/cancelled")) = (id, method) {
        let key = params
            .get("requestId")
            .and_then(Id::of)
            .map(|id| keyed(&headers, &id));
        let calls = &proxy.tools.calls;
        if let Some(open) = key.and_then(|key| calls.held(&key)) {
            calls.remove(&open);
            return plain(202, "application/json", "");
        }
    }
    let upstream = &proxy.requests.upstream;
    let peer = match (upstream.met().await, id, method) {
        (Ok(peer), ..) => peer,
        (Err(why), Some(id), Some(CALL)) => {
            return plain(
                200,
                "application/json",
                replies::denied(id, &format!("denied: {why}. nothing was changed"), false),
            );
        }
        (Err(why), ..) => return words(502, &why.to_string()),
    };
    let is_other = is_other(&peer);
    let place = Place {
        peer,
        target,
        headers,
    };
    let (headers, peer) = (&place.headers, &place.peer);
    let (Some(id), Some(method)) = (id, method) else {
        if is_other {
            return words(403, OTHER);
        }
        let asked = Asked::nothing(headers, peer);
        return match upstream.send(&place, "POST", body).await {
            Ok(answer) => proxy.passed(answer, asked, None),
            Err(why) => words(502, &why.to_string()),
        };
    };
    let what = method.split('/').next().unwrap_or_default();
    let is_gated = matches!(method, "resources/read" | "prompts/get") && proxy.tools.is_gated(what);
    if method == CALL || is_gated || is_other {
        let Said::Request(id, method, params) = said else {
            return words(400, "it is no request");
        };
        return call(proxy, place, id, &method, params, body).await;
    }
    let began = (method == "initialize")
        .then(|| can_elicit(params.get("capabilities"), params.get("protocolVersion")));
    let is_rest = params
        .get("cursor")
        .is_some_and(|cursor| !matches!(cursor.value, Value::Null));
    let list = (method == "tools/list").then_some(is_rest);
    let asked = Asked::request(headers, peer, id, list);
    let answer = match upstream.send(&place, "POST", body).await {
        Ok(answer) => answer,
        Err(why) => return words(502, &why.to_string()),
    };
    let session = answer
        .headers
        .get(SESSION)
        .and_then(|name| name.to_str().ok());
    if let (Some(elicits), Some(session)) = (began, session) {
        proxy.sessions.begin(session, elicits);
    }
    proxy.observed(answer, asked).await
}
