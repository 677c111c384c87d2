//! The MCP gateway: it stands between a client and a server, and no call of a tool reaches the server before it was judged.
//!
//! What passes, passes byte for byte (`rpc`). `message` reads the client's words that are judged, and `server_message` classifies what a
//! server says. `judge` makes a call of it and has the gate, and `asking` brings questions to the person. `tool_calls` takes a call from its
//! message to its end, and `open_calls` keeps those that are not answered yet. Which servers and tools were approved before is known by
//! `sayso_runtime::mcp_servers`. `gateway` carries messages over pipes (`stdio`), and `http` to a server somewhere else (`upstream`, over
//! `secure`, with the root certificate that `authority` found), event by event. `sayso_server` is sayso's own MCP server.

mod asking;
mod authority;
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
mod tool_calls;
mod upstream;

pub use http::{HttpOptions, run as run_http};
pub use sayso_server::serve;
pub use stdio::{Options, run};

use crate::rpc::{outlet, peek, random_word};
use sayso_runtime::child_process as server;
pub use server::{INNER, inner};
