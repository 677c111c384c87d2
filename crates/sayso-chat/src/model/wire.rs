//! One request to an endpoint and its answer in pieces, with patience but not without end, and given up as soon as the person says so.

use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use sayso_core::call::url::Url;
use sayso_core::text::json;
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;

use super::key::Key;

/// So long it may take to reach the endpoint.
const CONNECT: Duration = Duration::from_secs(20);
/// So long a whole answer may take.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// So often it is looked whether the person still wants it.
const LOOK: Duration = Duration::from_millis(50);
/// So much is read at once.
const PIECE: usize = 16 << 10;

/// How an endpoint takes a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
    /// `x-api-key: …`
    XApiKey,
}

/// Why an address cannot be used.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("`{}` is no address: {}", visible(.0), .1)]
    Malformed(String, String),
    #[error(
        "`{}` would be spoken to in the open\nhint: an endpoint elsewhere is reached over `https`",
        visible(.0)
    )]
    InTheOpen(String),
}

/// Why an answer did not come, or broke off.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenError {
    #[error("no thread could be started: {0}")]
    NoThread(String),
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it broke off{}", .0.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    BrokeOff(Option<String>),
    #[error("it answered nothing")]
    NoAnswer,
    #[error("it said nothing for {0} s")]
    Idle(u64),
    #[error("the answer is longer than {0} MiB")]
    TooLong(usize),
}

/// An address that requests go to.
#[derive(Debug)]
pub struct Wire {
    url: String,
    agent: ureq::Agent,
    key: Option<(KeyHeader, Key)>,
    more: Vec<(&'static str, &'static str)>,
    /// So long nothing may come.
    idle: Duration,
}

/// Something of an answer.
enum Bit {
    Head {
        status: u16,
        kind: String,
        after: Option<Duration>,
    },
    Bytes(Vec<u8>),
    End,
    Broken(BrokenError),
}

/// An answer whose head is there.
pub struct Incoming<'a> {
    /// The status.
    pub status: u16,
    /// Whether it is a stream of events.
    pub is_events: bool,
    /// When the endpoint wants to be asked again.
    pub after: Option<Duration>,
    from: Receiver<Bit>,
    stopped: &'a AtomicBool,
    idle: Duration,
}

/// Why nothing more comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The person stopped it.
    Stopped,
    /// The answer did not come.
    Broken(BrokenError),
}

impl Wire {
    /// The endpoint at an address.
    ///
    /// # Errors
    /// When it is no address, or what is said would go over a network in the open.
    pub fn new(
        written: &str,
        key: Option<(KeyHeader, Key)>,
        more: Vec<(&'static str, &'static str)>,
        idle: Duration,
    ) -> Result<Wire, AddressError> {
        let url = Url::parse(written)
            .map_err(|bad| AddressError::Malformed(written.to_owned(), bad.0))?;
        let is_here =
            url.address.is_some_and(|address| address.is_loopback()) || url.host == "localhost";
        if url.scheme != "https" && !is_here && (key.is_some() || !url.is_private()) {
            return Err(AddressError::InTheOpen(written.to_owned()));
        }
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // The key is for this endpoint, and not for where it points to.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(LONGEST))
            .accept_encoding("identity")
            .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")));
        if is_here {
            config = config.proxy(None);
        }
        Ok(Wire {
            url: written.to_owned(),
            agent: config.build().into(),
            key,
            more,
            idle,
        })
    }

    /// A text of the endpoint as it may be shown.
    pub fn shown(&self, text: &str) -> String {
        let text = self
            .key
            .as_ref()
            .map_or_else(|| text.to_owned(), |(_, key)| key.hidden_in(text));
        let short: String = text.chars().take(600).collect();
        visible(short.trim()).into_owned()
    }

    /// Sends a request, and waits for the head of the answer.
    ///
    /// # Errors
    /// Why there is none.
    pub fn send<'a>(&self, body: &Node, stopped: &'a AtomicBool) -> Result<Incoming<'a>, Lost> {
        let mut request = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json");
        request = match &self.key {
            Some((KeyHeader::Bearer, key)) => {
                request.header("authorization", format!("Bearer {}", key.sent()))
            }
            Some((KeyHeader::XApiKey, key)) => request.header("x-api-key", key.sent()),
            None => request,
        };
        for (name, value) in &self.more {
            request = request.header(*name, *value);
        }
        let body = json::write(body).into_bytes();
        let (to, from) = sync_channel(64);
        // The client waits for ever where an endpoint says nothing, so somebody else waits for it and is left behind.
        let work = move || carry(request, &body, &to);
        let started = std::thread::Builder::new()
            .name("sayso-model".to_owned())
            .spawn(work);
        started.map_err(|error| Lost::Broken(BrokenError::NoThread(error.to_string())))?;
        let mut incoming = Incoming {
            status: 0,
            is_events: false,
            after: None,
            from,
            stopped,
            idle: self.idle,
        };
        match incoming.bit()? {
            Bit::Head {
                status,
                kind,
                after,
            } => {
                (incoming.status, incoming.after) = (status, after);
                incoming.is_events = kind.starts_with("text/event-stream");
                Ok(incoming)
            }
            Bit::Broken(BrokenError::Unreachable(reason)) => {
                let reason = self.shown(&reason);
                Err(Lost::Broken(BrokenError::Unreachable(reason)))
            }
            Bit::Broken(error) => Err(Lost::Broken(error)),
            Bit::Bytes(_) | Bit::End => Err(Lost::Broken(BrokenError::NoAnswer)),
        }
    }
}

fn carry(
    request: ureq::RequestBuilder<ureq::typestate::WithBody>,
    body: &[u8],
    to: &SyncSender<Bit>,
) {
    // Whoever does not want it any more has dropped the other end.
    let answer = match request.send(body) {
        Ok(answer) => answer,
        Err(error) => {
            let reason = error.to_string();
            return drop(to.send(Bit::Broken(BrokenError::Unreachable(reason))));
        }
    };
    let header = |name: &str| {
        answer
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    let after = header("retry-after")
        .trim()
        .parse()
        .ok()
        .map(Duration::from_secs);
    let head = Bit::Head {
        status: answer.status().as_u16(),
        kind: header("content-type").to_ascii_lowercase(),
        after,
    };
    if to.send(head).is_err() {
        return;
    }
    let mut reader = answer
        .into_body()
        .into_with_config()
        .limit(u64::MAX)
        .reader();
    let mut buffer = vec![0; PIECE];
    loop {
        let bit = match reader.read(&mut buffer) {
            Ok(0) => return drop(to.send(Bit::End)),
            Ok(count) => Bit::Bytes(buffer.get(..count).unwrap_or_default().to_vec()),
            Err(error) => {
                let reason = Some(error.to_string());
                return drop(to.send(Bit::Broken(BrokenError::BrokeOff(reason))));
            }
        };
        if to.send(bit).is_err() {
            return;
        }
    }
}

impl Incoming<'_> {
    fn bit(&mut self) -> Result<Bit, Lost> {
        let until = Instant::now() + self.idle;
        loop {
            if self.stopped.load(Ordering::SeqCst) {
                return Err(Lost::Stopped);
            }
            match self.from.recv_timeout(LOOK) {
                Ok(bit) => return Ok(bit),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Lost::Broken(BrokenError::BrokeOff(None)));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    let seconds = self.idle.as_secs();
                    return Err(Lost::Broken(BrokenError::Idle(seconds)));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The next bytes; none at the end.
    ///
    /// # Errors
    /// When it broke off.
    pub fn piece(&mut self) -> Result<Option<Vec<u8>>, Lost> {
        match self.bit()? {
            Bit::Bytes(bytes) => Ok(Some(bytes)),
            Bit::End | Bit::Head { .. } => Ok(None),
            Bit::Broken(error) => Err(Lost::Broken(error)),
        }
    }

    /// All of it, no more than so many bytes.
    ///
    /// # Errors
    /// When it broke off, or is longer.
    pub fn all(&mut self, most: usize) -> Result<Vec<u8>, Lost> {
        let mut out = Vec::new();
        while let Some(bytes) = self.piece()? {
            out.extend_from_slice(&bytes);
            if out.len() > most {
                return Err(Lost::Broken(BrokenError::TooLong(most >> 20)));
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_not_go_over_a_network_in_the_open() {
        let key = || Some((KeyHeader::Bearer, Key::new("k").unwrap()));
        let wire = |url: &str, key| Wire::new(url, key, Vec::new(), CONNECT);
        assert!(
            wire("https://a.example/v1", key()).is_ok()
                && wire("http://127.0.0.1:9/v1", key()).is_ok()
        );
        assert!(
            wire("http://192.168.1.5/v1", None).is_ok(),
            "a machine in the same room, without a key"
        );
        for (url, key) in [
            ("http://192.168.1.5/v1", key()),
            ("http://a.example/v1", None),
            ("http://a.example/v1", key()),
        ] {
            let error = wire(url, key).unwrap_err().to_string();
            assert!(error.contains("https"), "{url}");
        }
        assert!(wire("file:///x", None).is_err() && wire("https://u:p@x/", None).is_err());
    }
}
