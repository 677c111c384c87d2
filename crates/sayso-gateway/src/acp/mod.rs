//! The gateway between an editor and an agent that speak the Agent Client Protocol: what the agent asks the editor to do, and what it asks
//! the person, is judged first.
//!
//! Everything else passes byte for byte, both ways (`rpc`). `message` says what is judged and reads it, `wanted` makes calls of it,
//! `sessions` knows in which folder a session works, and `options` which of the offered answers may be picked. `asking` brings questions to
//! the inbox or to the editor, `answered` knows what was said yes to a moment ago, and `open_requests` keeps what is not answered yet.
//! `judge` has the gate, `gateway` puts these together, and `stdio` is it over pipes.

mod answered;
mod asking;
mod gateway;
mod judge;
mod message;
mod open_requests;
mod options;
mod question;
mod replies;
mod sessions;
mod stdio;
mod wanted;

pub use stdio::{Options, run};
