//! The MCP gateway: it stands between a client and a server, and no call of a tool reaches the server before it was judged.
//!
//! What passes, passes byte for byte (`rpc`). `message` reads the client's words that are judged, and `server_message` classifies what a
//! server says. `judge` makes a call of it and has the gate, `open_calls` keeps the calls that are not answered yet, `asking` brings
//! questions to the person, and `forward` takes an approved call to the server. Which servers and tools were approved before is known by
//! `sayso_runtime::mcp_servers`. `gateway` puts these together, and `stdio` is it over pipes; `http` is the same for a server somewhere
//! else (`upstream`, over `secure`, with the root certificate that `authority` found), event by event (`events`). `sayso_server` is sayso's
//! own MCP server.

mod asking;
mod authority;
mod events;
mod forward;
mod gateway;
mod http;
mod http_call;
mod http_dialog;
mod http_headers;
mod http_pass;
mod judge;
mod message;
mod open_calls;
mod replies;
mod sayso_server;
mod secure;
mod server_message;
mod stdio;
mod upstream;

pub use http::{HttpOptions, run as run_http};
pub use sayso_server::serve;
pub use stdio::{Options, run};

use crate::rpc::{outlet, peek, random_word, slot};
use sayso_runtime::child_process as server;
pub use server::{INNER, inner};
