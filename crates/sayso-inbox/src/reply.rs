//! What a request is answered with: a value, a page, nothing, or a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::Response;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{HeaderName, HeaderValue};
use sayso_core::text::json;
use sayso_core::text::node::Node;

use super::problem::Problem;
use super::stream::Events;

/// What a request comes to.
pub(super) type Answered = Result<Reply, Problem>;

/// An answer.
pub(super) struct Reply {
    pub status: u16,
    pub media: Option<&'static str>,
    pub headers: Vec<(&'static str, String)>,
    pub content: Content,
}

/// The body of an answer.
pub(super) enum Content {
    /// All of it.
    Whole(Option<Bytes>),
    /// Events, as they come.
    Events(Box<Events>),
}

/// What no page of ours needs: anything from elsewhere, frames, forms, code in the page itself, text that is read as HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
/// Stands on every answer.
const ALWAYS: [(&str, &str); 8] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
    (
        "permissions-policy",
        "camera=(), microphone=(), geolocation=()",
    ),
];

impl Reply {
    /// A value.
    pub(super) fn json(status: u16, node: &Node) -> Reply {
        Reply::written(status, json::write_plain(node))
    }

    /// A value that is written already.
    pub(super) fn written(status: u16, text: String) -> Reply {
        Reply::of(status, "application/json", text.into_bytes())
    }

    /// Done, and nothing to say.
    pub(super) fn nothing() -> Reply {
        Reply {
            status: 204,
            media: None,
            headers: Vec::new(),
            content: Content::Whole(None),
        }
    }

    /// A text of this media type.
    pub(super) fn of(status: u16, media: &'static str, bytes: impl Into<Bytes>) -> Reply {
        Reply {
            status,
            media: Some(media),
            headers: Vec::new(),
            content: Content::Whole(Some(bytes.into())),
        }
    }

    /// A stream of events.
    pub(super) fn events(events: Events) -> Reply {
        Reply {
            status: 200,
            media: Some("text/event-stream"),
            headers: Vec::new(),
            content: Content::Events(Box::new(events)),
        }
    }

    /// What went wrong.
    pub(super) fn problem(problem: &Problem) -> Reply {
        let mut reply = Reply::of(
            problem.status,
            "application/problem+json",
            json::write_plain(&problem.node()).into_bytes(),
        );
        match problem.status {
            401 => reply
                .headers
                .push(("www-authenticate", "Bearer realm=\"sayso\"".to_owned())),
            405 => reply.headers.push((
                "allow",
                problem.allow.as_deref().unwrap_or_default().to_owned(),
            )),
            429 => reply.headers.push(("retry-after", "1".to_owned())),
            _ => {}
        }
        reply
    }

    /// With another header.
    pub(super) fn with(mut self, name: &'static str, value: String) -> Reply {
        self.headers.push((name, value));
        self
    }

    /// As hyper sends it.
    pub(super) fn into_response(self) -> Response<Content> {
        let mut response = Response::new(self.content);
        *response.status_mut() = hyper::StatusCode::from_u16(self.status)
            .unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        let own = self
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        let media = self.media.map(|media| ("content-type", media));
        for (name, value) in ALWAYS.into_iter().chain(media).chain(own) {
            if let (Ok(name), Ok(value)) =
                (HeaderName::try_from(name), HeaderValue::from_str(value))
            {
                headers.append(name, value);
            }
        }
        response
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Content::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Content::Events(events) => events
                .poll_next(context)
                .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Content::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Content::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Events(_) => SizeHint::default(),
        }
    }
}
