//! The server behind an address: one place that requests go to, with whatever the client gives along, and nowhere else.

use std::io::Read as _;
use std::time::Duration;

use hyper::HeaderMap;
use hyper::body::Bytes;
use sayso_core::url::Url;
use tokio::sync::{mpsc, oneshot};

/// So long it may take to reach the server.
const CONNECT: Duration = Duration::from_secs(20);
/// So much is read at once.
const PIECE: usize = 16 << 10;
/// Headers that are about one connection, or that are ours to say.
const OWN: [&str; 14] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "host",
    "origin",
    "referer",
    "content-length",
    "accept-encoding",
    "expect",
];

/// The server.
pub(super) struct Upstream {
    pub url: Url,
    agent: ureq::Agent,
}

/// What it answered.
pub(super) struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: mpsc::Receiver<Bytes>,
}

impl Answer {
    /// Whether it is a stream of events.
    pub(super) fn is_events(&self) -> bool {
        self.headers.get("content-type").and_then(|kind| kind.to_str().ok()).is_some_and(|kind| kind.starts_with("text/event-stream"))
    }

    /// All of it, up to a length.
    pub(super) async fn whole(&mut self, most: usize) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        while let Some(piece) = self.body.recv().await {
            all.extend_from_slice(&piece);
            if all.len() > most {
                return Err(format!("the server's answer is longer than {} MiB", most >> 20));
            }
        }
        Ok(all)
    }
}

impl Upstream {
    /// The server at an address.
    ///
    /// # Errors
    /// When it is none, or credentials would go over a network in the open.
    pub(super) fn new(written: &str) -> Result<Upstream, String> {
        let url = Url::parse(written)
            .map_err(|bad| format!("`{}` is no address of a server: {}", sayso_core::visible::visible(written), bad.0))?;
        let is_here = url.address.is_some_and(|address| address.is_loopback()) || url.host == "localhost";
        if url.scheme != "https" && !is_here {
            return Err("a server elsewhere is reached over `https` only".to_owned());
        }
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // What the client gives along is for this server, and not for where it points to.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .timeout_connect(Some(CONNECT))
            .accept_encoding("identity")
            .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Upstream { url, agent: config.into() })
    }

    /// Sends a request to the server, and waits for the head of its answer.
    ///
    /// # Errors
    /// When there is none.
    pub(super) async fn send(&self, method: &str, path: &str, headers: &HeaderMap, body: Vec<u8>) -> Result<Answer, String> {
        let port = if matches!((self.url.scheme.as_str(), self.url.port), ("http", 80) | ("https", 443)) {
            String::new()
        } else {
            format!(":{}", self.url.port)
        };
        let host = if self.url.host.contains(':') { format!("[{}]", self.url.host) } else { self.url.host.clone() };
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}://{host}{port}{path}", self.url.scheme));
        for (name, value) in headers.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
            request = request.header(name.as_str(), value.as_bytes());
        }
        let (agent, (head, told), (pieces, from)) = (self.agent.clone(), oneshot::channel(), mpsc::channel(16));
        let has_body = method == "POST";
        let work = move || {
            let answered = match has_body {
                true => request
                    .body(body)
                    .map_err(|error| error.to_string())
                    .and_then(|request| agent.run(request).map_err(|error| error.to_string())),
                false => request
                    .body(())
                    .map_err(|error| error.to_string())
                    .and_then(|request| agent.run(request).map_err(|error| error.to_string())),
            };
            let answer = match answered {
                Ok(answer) => answer,
                Err(why) => return drop(head.send(Err(format!("the server cannot be reached: {why}")))),
            };
            let status = answer.status().as_u16();
            let mut kept = HeaderMap::new();
            for (name, value) in answer.headers().iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
                let name = hyper::header::HeaderName::from_bytes(name.as_str().as_bytes());
                if let (Ok(name), Ok(value)) = (name, hyper::header::HeaderValue::from_bytes(value.as_bytes())) {
                    kept.append(name, value);
                }
            }
            if head.send(Ok((status, kept))).is_err() {
                return;
            }
            let mut reader = answer.into_body().into_with_config().limit(u64::MAX).reader();
            let mut buffer = vec![0; PIECE];
            // Whoever does not want it any more has dropped the other end.
            while let Ok(read) = reader.read(&mut buffer) {
                let piece = Bytes::copy_from_slice(buffer.get(..read).unwrap_or_default());
                if read == 0 || pieces.blocking_send(piece).is_err() {
                    return;
                }
            }
        };
        tokio::task::spawn_blocking(work);
        let (status, headers) = told.await.map_err(|_| "the server cannot be reached".to_owned())??;
        Ok(Answer { status, headers, body: from })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_elsewhere_is_reached_in_private() {
        assert!(Upstream::new("https://a.example/mcp").is_ok() && Upstream::new("http://127.0.0.1:3001/mcp").is_ok());
        assert!(
            Upstream::new("http://a.example/mcp").is_err() && Upstream::new("ftp://x").is_err() && Upstream::new("https://u@x/").is_err()
        );
    }
}
