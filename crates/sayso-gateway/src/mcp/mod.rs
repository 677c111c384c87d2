//! The MCP gateway: it stands between a client and a server, and no call of a tool reaches the server before it was judged.
//!
//! What passes, passes byte for byte (`rpc`): `message` says what of the client's words is judged, and of the server's only the outside is looked at. `judge` makes a call of it and has the gate for it; `open` keeps the calls that are in our hands,
//! `asking` brings questions to the person, and `courier` takes an approved call to the server. `identity`, `pins` and `catalogue` know which server and which tools were
//! approved before, and `described` what the person says of them. `gateway` puts these together, and `stdio` is
//! it over pipes; `http` is the same for a server that is somewhere else (`upstream`, over `secure` by whom its `authority` is known), event by event (`events`).
//! `heard` is what of a server's own words has to be known before a client hears them.

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
