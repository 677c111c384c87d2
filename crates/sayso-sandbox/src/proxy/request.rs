//! The head of a request to the proxy, read strictly: what two programs could read differently is refused.
//!
//! Only two forms exist: `CONNECT host:port`, and a method with `http://host/path`. The head that goes on to the host is written anew, with
//! the host of the address and never that of the header, and with one length for what follows.

use crate::host_name;

/// What a client wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// A way through to a host; what goes over it is not looked at.
    Tunnel {
        /// In small letters, without a dot at its end.
        host: String,
        /// As written.
        port: u16,
    },
    /// One request and one answer.
    Plain {
        /// In small letters, without a dot at its end.
        host: String,
        /// As written, or 80.
        port: u16,
        /// The head for the host.
        head: Vec<u8>,
        /// So many bytes of the client follow it, and no more.
        body: u64,
    },
}

/// Why a head is not understood: the number and the words of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misread(pub(crate) u16, pub(crate) &'static str);

const BAD_HOST: Misread = Misread(400, "this is not the name of a host");
const BAD_LINE: Misread = Misread(400, "the first line of the request is not understood");
const BAD_HEADER: Misread = Misread(400, "a header of the request is not understood");

/// Headers between the client and the proxy only, and those that are written anew.
const NOT_PASSED_ON: [&str; 12] = [
    "host",
    "content-length",
    "connection",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "http2-settings",
    "transfer-encoding",
];

/// Reads a head, with the empty line at its end.
pub(crate) fn read(head: &[u8]) -> Result<Request, Misread> {
    let text = head.strip_suffix(b"\r\n\r\n").ok_or(BAD_LINE)?;
    // Line feeds and carriage returns by themselves are line ends for some programs and not for others.
    let lines = text.split(|byte| *byte == b'\n');
    let last = lines.clone().count().saturating_sub(1);
    let mut whole = Vec::new();
    for (number, line) in lines.enumerate() {
        let line = if number == last {
            line
        } else {
            line.strip_suffix(b"\r").ok_or(BAD_HEADER)?
        };
        if line
            .iter()
            .any(|byte| matches!(byte, 0..=8 | 10..=31 | 127))
        {
            return Err(if number == 0 { BAD_LINE } else { BAD_HEADER });
        }
        whole.push(line);
    }
    let (first, headers) = whole.split_first().ok_or(BAD_LINE)?;
    let mut parts = first.split(|byte| *byte == b' ');
    let (Some(method), Some(target), Some(version), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(BAD_LINE);
    };
    let is_method = !method.is_empty()
        && method.len() <= 32
        && method
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || *byte == b'-');
    if !is_method || !matches!(version, b"HTTP/1.0" | b"HTTP/1.1") || target.contains(&b'\t') {
        return Err(BAD_LINE);
    }
    let headers = read_headers(headers)?;
    if method == b"CONNECT" {
        return tunnel(target, &headers);
    }
    plain(method, target, version, &headers)
}

fn tunnel(target: &[u8], headers: &[(String, &[u8])]) -> Result<Request, Misread> {
    // A body before the way through is open would be read as its first bytes by some.
    let framed = |(name, value): &(String, &[u8])| {
        name == "transfer-encoding" || name == "content-length" && *value != b"0"
    };
    if headers.iter().any(framed) {
        return Err(Misread(400, "a CONNECT request has no body"));
    }
    let target = std::str::from_utf8(target).map_err(|_| BAD_HOST)?;
    let (host, port) = target
        .rsplit_once(':')
        .ok_or(Misread(400, "a CONNECT request names a host and a port"))?;
    Ok(Request::Tunnel {
        host: read_host(host)?,
        port: read_port(port)?,
    })
}

fn plain(
    method: &[u8],
    target: &[u8],
    version: &[u8],
    headers: &[(String, &[u8])],
) -> Result<Request, Misread> {
    let (scheme, rest) = target.split_at_checked(7).ok_or(Misread(
        400,
        "this is a proxy: it takes CONNECT and http:// requests",
    ))?;
    if !scheme.eq_ignore_ascii_case(b"http://") {
        return Err(Misread(
            400,
            "this is a proxy: it takes CONNECT and http:// requests",
        ));
    }
    if rest.contains(&b'#') {
        return Err(Misread(400, "a `#` has no place in a request"));
    }
    let end = rest
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?'))
        .unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).ok_or(BAD_LINE)?;
    let authority = std::str::from_utf8(authority).map_err(|_| BAD_HOST)?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (read_host(host)?, read_port(port)?),
        None => (read_host(authority)?, 80),
    };
    if headers.iter().any(|(name, _)| name == "transfer-encoding") {
        return Err(Misread(
            411,
            "say the length of the body in Content-Length; the proxy of the sandbox takes no Transfer-Encoding",
        ));
    }
    let body = read_length(headers)?;
    let mut head = Vec::with_capacity(1024);
    head.extend_from_slice(method);
    head.push(b' ');
    if !path.starts_with(b"/") {
        head.push(b'/');
    }
    head.extend_from_slice(path);
    head.push(b' ');
    head.extend_from_slice(version);
    head.extend_from_slice(b"\r\nHost: ");
    head.extend_from_slice(host.as_bytes());
    if port != 80 {
        head.extend_from_slice(format!(":{port}").as_bytes());
    }
    head.extend_from_slice(b"\r\n");
    for (name, value) in headers
        .iter()
        .filter(|(name, _)| !NOT_PASSED_ON.contains(&name.as_str()))
    {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    if headers.iter().any(|(name, _)| name == "content-length") {
        head.extend_from_slice(format!("content-length: {body}\r\n").as_bytes());
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
    Ok(Request::Plain {
        host,
        port,
        head,
        body,
    })
}

/// Names in small letters, and values without the space around them.
fn read_headers<'h>(lines: &[&'h [u8]]) -> Result<Vec<(String, &'h [u8])>, Misread> {
    let mut headers = Vec::new();
    for line in lines {
        let colon = line
            .iter()
            .position(|byte| *byte == b':')
            .ok_or(BAD_HEADER)?;
        let (name, value) = line.split_at_checked(colon).ok_or(BAD_HEADER)?;
        // A name with space in or before it is a folded line, or a header that some see and some do not.
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
        if name.is_empty() || !name.iter().all(is_name) {
            return Err(BAD_HEADER);
        }
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        headers.push((name, value.get(1..).unwrap_or_default().trim_ascii()));
    }
    if headers.iter().filter(|(name, _)| name == "host").count() > 1 {
        return Err(Misread(400, "the request has two Host headers"));
    }
    Ok(headers)
}

fn read_length(headers: &[(String, &[u8])]) -> Result<u64, Misread> {
    let mut lengths = headers
        .iter()
        .filter(|(name, _)| name == "content-length")
        .map(|(_, value)| *value);
    let bad = Misread(400, "the length of the body is not understood");
    match (lengths.next(), lengths.next()) {
        (None, _) => Ok(0),
        (Some(value), None) => number(std::str::from_utf8(value).unwrap_or_default()).ok_or(bad),
        (Some(_), Some(_)) => Err(bad),
    }
}

fn read_port(text: &str) -> Result<u16, Misread> {
    let port = number(text)
        .and_then(|port| u16::try_from(port).ok())
        .filter(|port| *port > 0);
    port.ok_or(Misread(400, "this is not the number of a port"))
}

/// Digits alone: no sign, no space, no zero before others.
fn number(text: &str) -> Option<u64> {
    let plain = text.len() <= 18
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

fn read_host(text: &str) -> Result<String, Misread> {
    host_name::read(text).ok_or(BAD_HOST)
}

#[cfg(test)]
mod tests;
