//! The inbox: open questions of all agents in one place, over HTTP on this machine and over a unix socket.
//!
//! `daemon` starts and stops it; `http` reads requests and `route` says which there are; `guard` and `auth` say whether a request may be
//! made; `api` answers. What is open is kept by `inbox`, one `item` each, what happened by `feed`, and operations that are submitted here go
//! through `submissions`. The other end of the socket, for hooks and commands, is `sayso_runtime::inbox_client`.

mod api;
mod auth;
mod daemon;
mod error;
mod feed;
mod guard;
mod http;
mod inbox;
mod item;
mod log;
mod logins;
mod page;
mod peer;
mod pin;
pub mod presence;
mod problem;
mod rate;
mod recorded;
mod reply;
mod request;
mod route;
mod secret;
mod server;
mod socket;
mod strangers;
mod stream;
mod submissions;
mod write_timeout;

pub use daemon::{Listen, Options, run};
pub use error::{PinError, RandomError, ServeError};
pub use pin::set as set_pin;

/// The time, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
