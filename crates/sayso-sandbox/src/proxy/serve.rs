//! One connection to the proxy: its request is read, judged by the list of hosts, and passed on or refused in words.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use sayso_core::policy::terms::Network;
use sayso_core::text::visible::visible;

use super::guard::{Guard, Place};
use super::relay::relay;
use super::request::{self, Misread, Request};
use super::{Connect, Patience};
use crate::explain::{self, Explained};
use crate::host_name;
use crate::refusal::{Refusal, Refused, Source};

/// A longer head is refused.
const LONGEST_HEAD: usize = 16 * 1024;

/// A head, and what was read of what comes behind it.
type HeadAndRest = (Vec<u8>, Vec<u8>);

/// What all connections of a proxy share.
pub(super) struct Server {
    pub(super) network: Network,
    pub(super) connect: Box<Connect>,
    pub(super) patience: Patience,
    pub(super) guard: Guard,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "a proxy for {:?}", self.network)
    }
}

impl Server {
    /// Serves one connection to its end.
    pub(super) fn serve(&self, client: &TcpStream, place: &Place) {
        if let Err(Misread(number, words)) = self.attempt(client, place) {
            answer(client, number, words);
        }
        let _ = client.shutdown(Shutdown::Both);
    }

    /// An error is told to the client, who got no answer yet.
    fn attempt(&self, client: &TcpStream, place: &Place) -> Result<(), Misread> {
        let (head, rest) = match read_head(client, self.patience.head)? {
            Some(read) => read,
            // Nobody there.
            None => return Ok(()),
        };
        let request = request::read(&head)?;
        let (host, port, usual) = match &request {
            Request::Tunnel { host, port } => (host, *port, 443),
            Request::Plain { host, port, .. } => (host, *port, 80),
        };
        if let Some(refusal) = self.refusal(host, port, usual) {
            answer(
                client,
                403,
                &format!("{}; {}", refusal.words, refusal.advice),
            );
            return Ok(());
        }
        let stream = match (self.connect)(host, port) {
            Ok(stream) => stream,
            Err(error) => {
                let refusal = unreached(host, &error.to_string());
                self.guard.note(None, refusal.clone());
                answer(client, 502, &refusal.words);
                return Ok(());
            }
        };
        if !place.add(&stream) {
            return Ok(());
        }
        // Each direction has its own pace, and small pieces go on at once.
        let _ = stream.set_nodelay(true);
        let _ = client.set_nodelay(true);
        let result = match request {
            Request::Tunnel { .. } => tell(client, b"HTTP/1.1 200 Connection established\r\n\r\n")
                .and_then(|()| relay(client, &stream, &rest, None, self.patience.idle)),
            Request::Plain { head, body, .. } => tell(&stream, &head)
                .and_then(|()| relay(client, &stream, &rest, Some(body), self.patience.idle)),
        };
        let _ = stream.shutdown(Shutdown::Both);
        if result.is_ok() {
            linger(client);
        }
        Ok(())
    }

    /// Why a host is not connected to, remembered.
    fn refusal(&self, host: &str, port: u16, usual: u16) -> Option<Explained> {
        // `*.0.0.1` is no way to write addresses.
        let listed = match &self.network {
            Network::Hosts(list) if host_name::is_address(host) => {
                list.iter().any(|name| name == host)
            }
            network => network.reaches(host),
        };
        if !listed {
            let refusal = explain::unlisted_host(host);
            self.guard.note(Some(host), refusal.clone());
            return Some(refusal);
        }
        if port != usual {
            let refusal = Explained {
                refusal: host_refusal(host, Some(port)),
                words: format!(
                    "the sandbox refused to reach port {port} of `{host}`: only ports 443 and 80 are, each in its own way"
                ),
                advice: explain::OUTSIDE.to_owned(),
            };
            self.guard.note(None, refusal.clone());
            return Some(refusal);
        }
        None
    }
}

fn host_refusal(name: &str, port: Option<u16>) -> Refusal {
    let name = name.to_owned();
    Refusal::known_by(Source::Proxy, Refused::Host { name, port })
}

fn unreached(host: &str, error: &str) -> Explained {
    let cut: String = error.chars().take(300).collect();
    Explained {
        refusal: host_refusal(host, None),
        words: format!("the sandbox did not reach `{host}`: {}", visible(&cut)),
        advice: explain::OUTSIDE.to_owned(),
    }
}

/// The head and what came behind it; none if the client left before it said anything.
fn read_head(mut client: &TcpStream, patience: Duration) -> Result<Option<HeadAndRest>, Misread> {
    let until = Instant::now() + patience;
    let slow = Misread(408, "the request did not arrive in time");
    let mut read = Vec::with_capacity(2048);
    let mut buffer = [0; 4096];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(slow);
        }
        let _ = client.set_read_timeout(Some(left));
        let count = match client.read(&mut buffer) {
            Ok(0) if read.is_empty() => return Ok(None),
            Ok(0) => return Err(Misread(400, "the request ended in its head")),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(slow);
            }
            Err(_) => return Ok(None),
        };
        // The end can begin in what was read before.
        let seen = read.len().saturating_sub(3);
        read.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let fresh = read.get(seen..).unwrap_or_default();
        match fresh.windows(4).position(|four| four == b"\r\n\r\n") {
            Some(at) if seen + at + 4 <= LONGEST_HEAD => {
                let rest = read.split_off(seen + at + 4);
                return Ok(Some((read, rest)));
            }
            None if read.len() < LONGEST_HEAD => {}
            _ => {
                return Err(Misread(
                    431,
                    "the head of the request is longer than 16 KiB",
                ));
            }
        }
    }
}

/// An answer of the proxy itself, in words.
fn answer(client: &TcpStream, number: u16, words: &str) {
    let name = match number {
        400 => "Bad Request",
        403 => "Forbidden",
        408 => "Request Timeout",
        411 => "Length Required",
        431 => "Request Header Fields Too Large",
        _ => "Bad Gateway",
    };
    let body = format!("sayso: {words}\n");
    let head = format!(
        "HTTP/1.1 {number} {name}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    if tell(client, format!("{head}{body}").as_bytes()).is_ok() {
        linger(client);
    }
}

fn tell(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(Duration::from_secs(30)))?;
    stream.write_all(bytes)
}

/// Lets an answer arrive: closing with something unread would tear it down on its way. A client that goes on and on is not waited for.
fn linger(mut client: &TcpStream) {
    let _ = client.shutdown(Shutdown::Write);
    let _ = client.set_nonblocking(false);
    let _ = client.set_read_timeout(Some(Duration::from_millis(500)));
    let mut buffer = [0; 4096];
    for _ in 0..64 {
        if !matches!(client.read(&mut buffer), Ok(count) if count > 0) {
            return;
        }
    }
}
