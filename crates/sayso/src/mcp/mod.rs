//! The MCP gateway: it stands between a client and a server, and no call of a tool reaches the server before it was judged.
//!
//! What passes, passes byte for byte: `lines` parts the traffic, `message` reads what the client says, strictly, and `peek` looks at what the
//! server says, without reading all of it. `judge` makes a call of it and has the gate for it; `open` keeps the calls that are in our hands,
//! `asking` brings questions to the person, and `courier` takes an approved call to the server. `identity`, `pins` and `catalogue` know which server and which tools were
//! approved before, and `described` what the person says of them. `gateway` puts these together, and `stdio` is
//! it over pipes; `http` is the same for a server that is somewhere else (`upstream`), event by event (`events`).

mod asking;
mod catalogue;
mod courier;
mod described;
mod events;
mod gateway;
mod http;
mod http_call;
mod http_dialog;
mod http_headers;
mod http_pass;
mod identity;
mod judge;
mod message;
mod name;
mod open;
mod outlet;
mod own;
mod peek;
mod pins;
mod replies;
mod server;
mod server_file;
mod servers;
mod slot;
mod stdio;
mod upstream;

pub use http::{HttpOptions, run as run_http};
pub use name::checked as checked_name;
pub use own::serve;
pub use server::{INNER, inner};
pub use servers::{Offered, Servers};
pub use stdio::{Options, run};

/// A word that nobody can guess.
fn random_word() -> Result<String, String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
