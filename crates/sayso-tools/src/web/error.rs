//! Why nothing was fetched.

use std::error::Error as StdError;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use sayso_core::call::url::BadUrl;
use sayso_core::text::visible::visible;
use thiserror::Error;

/// Why nothing was fetched. Addresses are as they were written.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FetchError {
    #[error("the time limit is longer than any clock goes")]
    NoEnd,
    #[error("`{}` cannot be fetched: {}", shown(.url), visible(&.why.0))]
    BadUrl { url: String, why: BadUrl },
    #[error("`{}` is not the name of a host", shown(.0))]
    NotHost(String),
    #[error(
        "`{}` leads to this machine or to a private network{}; nothing was fetched, and only the policy can allow such addresses",
        shown(.url), .address.map(|address| format!(" ({address})")).unwrap_or_default()
    )]
    Private {
        url: String,
        address: Option<IpAddr>,
    },
    #[error("the host `{}` has no address", shown(.0))]
    NoAddress(String),
    #[error("the host `{}` was not found: {source}", shown(.host))]
    NotFound { host: String, source: io::Error },
    #[error("the host `{}` was not found in time", shown(.0))]
    NotFoundInTime(String),
    #[error("`{}` cannot be reached: {}", shown(.host), .last.as_ref().map(ToString::to_string).unwrap_or_default())]
    Unreachable {
        host: String,
        last: Option<io::Error>,
    },
    #[error("`{}` took longer than {} s; it was not fetched", shown(.url), .limit.as_secs_f64())]
    TooSlow { url: String, limit: Duration },
    #[error("the head of the answer of `{}` is longer than {most} bytes", shown(.url))]
    LongHead { url: String, most: usize },
    #[error("the answer of `{}` is longer than {most} bytes; it was not fetched", shown(.url))]
    TooLong { url: String, most: usize },
    #[error("`{}` could not be fetched: {}", shown(.url), visible(&.source.to_string()))]
    Broken {
        url: String,
        source: Box<ureq::Error>,
    },
    #[error("the address redirects to `{}`, which was not followed: {}", shown(.to), visible(&.why.0))]
    BadRedirect { to: String, why: BadUrl },
    #[error(
        "the address redirects to `{}`, which was not followed: it leads from https to http, where others can read and change the answer; fetch that address itself to ask for it",
        shown(.to)
    )]
    Downgraded { to: String },
    #[error(
        "the address redirects to `{}`, which was not followed: {}; fetch that address itself to ask for it",
        shown(.to), visible(&.why.to_string())
    )]
    NotFollowed {
        to: String,
        why: Box<dyn StdError + Send + Sync>,
    },
    #[error("`{}` was not reached: it redirects more than {most} times, last to `{}`", shown(.url), shown(.last))]
    TooManyRedirects {
        url: String,
        last: String,
        most: usize,
    },
}

/// An address for a message: on one line, and not without end.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 300;
    let start: String = text.chars().take(MOST).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{}{more}", visible(&start))
}
