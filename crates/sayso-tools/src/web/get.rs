//! Sends one GET and waits for the head of the answer; nothing is followed, kept or sent along.

use std::io::Read as _;
use std::time::Instant;

use sayso_core::call::url::Url;
use ureq::Agent;
use ureq::http::Response;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Body, Error};

use super::addresses::Checked;
use super::location::origin;
use super::{FetchError, Limits, content};
use crate::result::ToolResult;

/// An answer whose body has not been read.
pub(super) struct Answer(Response<Body>);

pub(super) fn get(
    url: &Url,
    addresses: Checked,
    limits: &Limits,
    until: Instant,
) -> Result<Answer, FetchError> {
    let config = Agent::config_builder()
        .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
        .proxy(None)
        .max_redirects(0)
        .http_status_as_error(false)
        .max_response_header_size(limits.most_head)
        .timeout_global(Some(until.saturating_duration_since(Instant::now())))
        .build();
    let agent = Agent::with_parts(config, DefaultConnector::default(), addresses);
    let answer = agent
        .get(format!("{}{}", origin(url), encoded(&url.path)))
        .call();
    answer
        .map(Answer)
        .map_err(|error| failed(url, error, limits))
}

impl Answer {
    /// Where it redirects to.
    pub(super) fn redirect(&self) -> Option<String> {
        let is_redirect = matches!(self.0.status().as_u16(), 301 | 302 | 303 | 307 | 308);
        let target = self.0.headers().get("location").filter(|_| is_redirect)?;
        Some(String::from_utf8_lossy(target.as_bytes()).trim().to_owned())
    }

    /// Reads the body, as far as it may go.
    pub(super) fn read(
        self,
        url: &Url,
        limits: &Limits,
        until: Instant,
    ) -> Result<ToolResult, FetchError> {
        let (head, body) = self.0.into_parts();
        let kind = head
            .headers
            .get("content-type")
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let mut reader = body.into_reader();
        let mut bytes = Vec::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            let count = reader
                .read(&mut piece)
                .map_err(|error| failed(url, Error::from(error), limits))?;
            bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
            if bytes.len() > limits.most_bytes {
                return Err(FetchError::TooLong {
                    url: url.written.clone(),
                    most: limits.most_bytes,
                });
            }
            if count == 0 {
                return Ok(content::result(
                    head.status.as_u16(),
                    head.status.canonical_reason(),
                    url,
                    kind.as_deref(),
                    bytes,
                ));
            }
            if Instant::now() >= until {
                return Err(failed(url, Error::Timeout(ureq::Timeout::Global), limits));
            }
        }
    }
}

fn failed(url: &Url, error: Error, limits: &Limits) -> FetchError {
    let url = url.written.clone();
    match error {
        Error::Timeout(_) => FetchError::TooSlow {
            url,
            limit: limits.time,
        },
        Error::LargeResponseHeader(..) => FetchError::LongHead {
            url,
            most: limits.most_head,
        },
        other => FetchError::Broken {
            url,
            source: Box::new(other),
        },
    }
}

/// The path as it is sent: what cannot stand in a request is written as `%` and its number, as every client does.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'!' | b'$'..=b';' | b'=' | b'?'..=b'Z' | b'_' | b'a'..=b'z' | b'~' | b'[' | b']' => {
                out.push(char::from(byte))
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_sent_as_they_are_where_they_can_be() {
        assert_eq!(
            encoded("/a%20b/~c?d=e&f=[1]+(2)'*,;:@"),
            "/a%20b/~c?d=e&f=[1]+(2)'*,;:@"
        );
        assert_eq!(encoded("/ä\"<>{}|^`"), "/%C3%A4%22%3C%3E%7B%7D%7C%5E%60");
    }
}
