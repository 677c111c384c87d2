//! What went wrong with a request, for programs and people alike (RFC 9457).

use std::fmt::Display;

use sayso_core::text::node::{Node, Value};

/// Why a request was not done.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The status of HTTP.
    pub status: u16,
    /// A word for programs.
    pub kind: &'static str,
    /// What is wrong, in words.
    pub detail: String,
    /// What to do.
    pub hint: Option<&'static str>,
    /// How the prompt ended that it was about.
    pub ended: Option<Box<Node>>,
    /// The methods that there are instead.
    pub allow: Option<Box<str>>,
    /// It was a try to do what somebody may not, which goes into the record.
    pub is_refusal: bool,
}

impl Problem {
    pub(super) fn new(status: u16, kind: &'static str, detail: impl Display) -> Problem {
        Problem {
            status,
            kind,
            detail: detail.to_string(),
            hint: None,
            ended: None,
            allow: None,
            is_refusal: false,
        }
    }

    /// What was sent cannot be read.
    pub(super) fn unreadable(detail: impl Display) -> Problem {
        Problem::new(400, "unreadable", detail)
    }

    /// It can be read, and is not possible here.
    pub(super) fn impossible(detail: impl Display) -> Problem {
        Problem::new(422, "impossible", detail)
    }

    /// There is none.
    pub(super) fn missing(detail: impl Display) -> Problem {
        Problem::new(404, "missing", detail)
    }

    /// Something of sayso's own does not work.
    pub(super) fn broken(detail: impl Display) -> Problem {
        Problem::new(503, "broken", detail)
    }

    /// Somebody tried what they may not.
    pub(super) fn refused(status: u16, kind: &'static str, detail: impl Display) -> Problem {
        Problem {
            is_refusal: true,
            ..Problem::new(status, kind, detail)
        }
    }

    pub(super) fn with_hint(self, hint: &'static str) -> Problem {
        Problem {
            hint: Some(hint),
            ..self
        }
    }

    /// As a value.
    pub(super) fn node(&self) -> Node {
        let mut fields = vec![
            ("type", Node::text(format!("sayso:{}", self.kind))),
            ("title", Node::text(title(self.status))),
            ("status", Value::Number(self.status.to_string()).into()),
            (
                "detail",
                Node::text(sayso_core::text::visible::visible(&self.detail)),
            ),
        ];
        fields.extend(self.hint.map(|hint| ("hint", Node::text(hint))));
        fields.extend(self.ended.clone().map(|ended| ("ended", *ended)));
        Node::map(fields)
    }
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "it cannot be read",
        401 => "nobody who is known",
        403 => "not allowed",
        404 => "there is none",
        405 => "not with this method",
        408 => "too slow",
        409 => "too late, or another one",
        410 => "it has ended",
        413 => "too large",
        415 => "not JSON",
        421 => "not for this server",
        422 => "not possible",
        426 => "another version",
        429 => "too many",
        _ => "it does not work",
    }
}
