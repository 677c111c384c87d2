//! What comes back from a server somewhere else, on its way to the client: looked at, and passed on as it comes.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Response};
use sayso_core::node::{Node, Value};
use sayso_gate::ports::Ran;
use tokio::sync::mpsc;

use super::events::{self, Events, event};
use super::http::{Flow, Proxy, plain};
use super::http_call::Decided;
use super::http_dialog::Waiting;
use super::message::{self, Id};
use super::upstream::Answer;
use super::{gateway, peek, replies};

/// How often a client that waits is told so.
const ALIVE: Duration = Duration::from_secs(5);

impl Proxy {
    pub(super) fn is_gated(&self, what: &str) -> bool {
        self.judge.bench().map_or(true, |bench| bench.settings.mcp_gate.iter().any(|gated| gated == what))
    }

    /// An answer as a stream, which says every now and then that somebody is asked.
    pub(super) fn streamed(self: &Arc<Self>, mut waiting: Waiting, first: Option<Vec<u8>>) -> Response<Flow> {
        let (pieces, from) = mpsc::channel(16);
        let proxy = Arc::clone(self);
        tokio::spawn(async move {
            let mut say = first;
            let decided = loop {
                if let Some(line) = say.take() {
                    let is_over = pieces.send(event(&line).into()).await.is_err();
                    if is_over || waiting.is_modern {
                        // A client of the newer era asks, and comes again.
                        return if is_over { drop(waiting) } else { waiting.park() };
                    }
                }
                tokio::select! {
                    decided = &mut waiting.told => break decided,
                    Some(line) = waiting.spoken.recv() => say = Some(line),
                    // A client that is gone takes the question back.
                    () = pieces.closed() => return,
                    () = tokio::time::sleep(ALIVE) => {
                        if pieces.send(Bytes::from_static(b": sayso waits for an answer\n\n")).await.is_err() {
                            return;
                        }
                    }
                }
            };
            let Waiting { waits, key, id, is_modern, .. } = waiting;
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
    pub(super) async fn observed(self: &Arc<Self>, mut answer: Answer, list: Option<Id>) -> Response<Flow> {
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
    pub(super) fn passed(self: &Arc<Self>, answer: Answer, key: Option<Id>) -> Response<Flow> {
        let (pieces, from) = mpsc::channel(16);
        let (status, headers) = (answer.status, answer.headers.clone());
        let proxy = Arc::clone(self);
        tokio::spawn(async move { proxy.pump(answer, key, pieces).await });
        respond(status, &headers, Flow::Pieces(from))
    }

    async fn pump(&self, mut answer: Answer, key: Option<Id>, to: mpsc::Sender<Bytes>) {
        let is_events = answer.is_events();
        let (mut events, mut end) = (Events::default(), Ran::Done(Value::Null.into()));
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
                        Some(instead) => events::event(&instead),
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
    if status >= 400 || gateway::says_failed(body) { Ran::failed("the tool says that it failed") } else { Ran::Done(Value::Null.into()) }
}

fn respond(status: u16, headers: &HeaderMap, body: Flow) -> Response<Flow> {
    let mut response = Response::new(body);
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::BAD_GATEWAY);
    *response.headers_mut() = headers.clone();
    response
}
