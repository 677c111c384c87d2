//! The server behind an address: one place that requests go to, with whatever the client gives along, and nowhere else.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::body::Bytes;
use rustls::ClientConfig;
use sayso_core::call::url::Url;
use sayso_gate::error::port_error;
use tokio::sync::{mpsc, oneshot};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector as _, TcpConnector};

use super::authority::{Roots, Vouched};
use super::http_call::Place;
use super::http_headers;
use super::secure::{Secure, greet};
use crate::error::{UpstreamError, unreachable};
use sayso_runtime::mcp_servers::catalogue::Catalogue;
use sayso_runtime::mcp_servers::identity::Authority;
use sayso_runtime::mcp_servers::identity::Identity;
use sayso_runtime::mcp_servers::pins::Pins;

/// So long it may take to reach the server.
const CONNECT: Duration = Duration::from_secs(20);
/// So much is read at once.
const PIECE: usize = 16 << 10;

/// The server, and what is known of it before it was met.
pub(super) struct Upstream {
    pub url: Url,
    written: String,
    server: String,
    state: PathBuf,
    roots: Roots,
    peer: Mutex<Arc<Peer>>,
}

/// The server as it was met. One that somebody else vouches for is another one.
pub(super) struct Peer {
    agent: ureq::Agent,
    secure: Option<(Arc<Vouched>, Arc<ClientConfig>)>,
    catalogue: OnceLock<Arc<Catalogue>>,
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
        http_headers::is_media(&self.headers, "text/event-stream")
    }

    /// All of it, up to a length.
    pub(super) async fn whole(&mut self, most: usize) -> Result<Vec<u8>, UpstreamError> {
        let mut all = Vec::new();
        while let Some(piece) = self.body.recv().await {
            all.extend_from_slice(&piece);
            if all.len() > most {
                return Err(UpstreamError::TooLong(most));
            }
        }
        Ok(all)
    }
}

/// Reads the address of a server, which must not get credentials over a network in the open.
///
/// # Errors
/// When it is none.
pub(super) fn address(written: &str) -> Result<Url, UpstreamError> {
    let url = Url::parse(written).map_err(|bad| {
        let written = sayso_core::text::visible::visible(written);
        UpstreamError::Address(written.into_owned(), port_error(bad.0))
    })?;
    let is_here =
        url.address.is_some_and(|address| address.is_loopback()) || url.host == "localhost";
    match url.scheme.as_str() {
        "https" => Ok(url),
        _ if is_here => Ok(url),
        _ => Err(UpstreamError::NotPrivate),
    }
}

impl Upstream {
    /// The server at an address, by the name that rules have for it.
    ///
    /// # Errors
    /// When it cannot be one.
    pub(super) fn new(
        written: &str,
        server: &str,
        state: &Path,
        roots: Roots,
    ) -> Result<Upstream, UpstreamError> {
        let url = address(written)?;
        let peer = Arc::new(Peer::new(&url, written, server, state, &roots)?);
        let (server, state, written) = (server.to_owned(), state.to_owned(), written.to_owned());
        Ok(Upstream {
            url,
            written,
            server,
            state,
            roots,
            peer: Mutex::new(peer),
        })
    }

    /// The server as it is now: who it is, is known before anything is said to it.
    ///
    /// # Errors
    /// When it cannot be reached, and so nobody knows.
    pub(super) async fn met(&self) -> Result<Arc<Peer>, UpstreamError> {
        let peer = {
            let mut peer = self.peer.lock().unwrap_or_else(PoisonError::into_inner);
            if peer.is_other() {
                *peer = Arc::new(Peer::new(
                    &self.url,
                    &self.written,
                    &self.server,
                    &self.state,
                    &self.roots,
                )?);
            }
            Arc::clone(&peer)
        };
        if peer.catalogue.get().is_some() {
            return Ok(peer);
        }
        if let Some((vouched, config)) = &peer.secure
            && vouched.authority().is_none()
        {
            let (config, host, port) = (Arc::clone(config), self.url.host.clone(), self.url.port);
            let greeted =
                tokio::task::spawn_blocking(move || greet(&config, &host, port, CONNECT)).await;
            greeted.map_err(unreachable)??;
        }
        let authority = peer
            .secure
            .as_ref()
            .and_then(|(vouched, _)| vouched.authority());
        let identity = Identity::of_url(&self.written, authority.as_ref());
        peer.catalogue
            .get_or_init(|| Arc::new(Catalogue::open(&self.state, &self.server, identity)));
        Ok(peer)
    }

    /// Sends a request to the server that was met, and waits for the head of its answer.
    ///
    /// # Errors
    /// When there is none, or none that may be passed on.
    pub(super) async fn send(
        &self,
        to: &Place,
        method: &str,
        body: Vec<u8>,
    ) -> Result<Answer, UpstreamError> {
        let port = if matches!(
            (self.url.scheme.as_str(), self.url.port),
            ("http", 80) | ("https", 443)
        ) {
            String::new()
        } else {
            format!(":{}", self.url.port)
        };
        let host = if self.url.host.contains(':') {
            format!("[{}]", self.url.host)
        } else {
            self.url.host.clone()
        };
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}://{host}{port}{}", self.url.scheme, to.target));
        for (name, value) in to
            .headers
            .iter()
            .filter(|(name, _)| http_headers::goes_on(name.as_str()))
        {
            request = request.header(name.as_str(), value.as_bytes());
        }
        let (agent, (head, told), (pieces, from)) =
            (to.peer.agent.clone(), oneshot::channel(), mpsc::channel(16));
        let has_body = method == "POST";
        let work = move || {
            let answered = match has_body {
                true => request
                    .body(body)
                    .map_err(unreachable)
                    .and_then(|request| agent.run(request).map_err(unreachable)),
                false => request
                    .body(())
                    .map_err(unreachable)
                    .and_then(|request| agent.run(request).map_err(unreachable)),
            };
            let answer = match answered {
                Ok(answer) => answer,
                Err(why) => return drop(head.send(Err(why))),
            };
            let status = answer.status().as_u16();
            let mut kept = HeaderMap::new();
            for (name, value) in answer
                .headers()
                .iter()
                .filter(|(name, _)| http_headers::comes_back(name.as_str()))
            {
                let name = hyper::header::HeaderName::from_bytes(name.as_str().as_bytes());
                if let (Ok(name), Ok(value)) = (
                    name,
                    hyper::header::HeaderValue::from_bytes(value.as_bytes()),
                ) {
                    kept.append(name, value);
                }
            }
            if head
                .send(http_headers::is_readable(status, &kept).map(|()| (status, kept)))
                .is_err()
            {
                return;
            }
            let mut reader = answer
                .into_body()
                .into_with_config()
                .limit(u64::MAX)
                .reader();
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
        let (status, headers) = told.await.map_err(|_| UpstreamError::Gone)??;
        Ok(Answer {
            status,
            headers,
            body: from,
        })
    }
}

impl Peer {
    fn new(
        url: &Url,
        written: &str,
        server: &str,
        state: &Path,
        roots: &Roots,
    ) -> Result<Peer, UpstreamError> {
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
        if url.scheme != "https" {
            return Ok(Peer {
                agent: config.into(),
                secure: None,
                catalogue: OnceLock::new(),
            });
        }
        // Where nobody can tell what was approved, the catalogue says so and asks.
        let approved = Pins::read(state, server)
            .map(|pins| pins.identities)
            .unwrap_or_default();
        let written = written.to_owned();
        let known = move |one: &Authority| {
            let digest = Identity::of_url(&written, Some(one)).digest;
            approved.iter().any(|(approved, _)| *approved == digest)
        };
        let vouched = Vouched::new(roots, known)?;
        let settings = vouched.config()?;
        let connector = ().chain(TcpConnector::default()).chain(Secure(Arc::clone(&settings)));
        let agent = ureq::Agent::with_parts(config, connector, DefaultResolver::default());
        Ok(Peer {
            agent,
            secure: Some((vouched, settings)),
            catalogue: OnceLock::new(),
        })
    }

    fn is_other(&self) -> bool {
        self.secure
            .as_ref()
            .is_some_and(|(vouched, _)| vouched.is_other())
    }

    /// What is known of its tools; none before it was met.
    pub(super) fn catalogue(&self) -> Option<&Arc<Catalogue>> {
        self.catalogue.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_elsewhere_is_reached_in_private() {
        assert!(
            address("https://a.example/mcp").is_ok()
                && address("http://127.0.0.1:3001/mcp").is_ok()
        );
        assert!(
            address("http://a.example/mcp").is_err()
                && address("ftp://x").is_err()
                && address("https://u@x/").is_err()
        );
    }
}
