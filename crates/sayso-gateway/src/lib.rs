//! The gateways: a client and what it calls talk through them, and no call passes before it was judged.
//!
//! `mcp` stands between a client and an MCP server, over pipes or HTTP, and `acp` between an editor and an agent. `rpc` is what both have in
//! common: lines that pass byte for byte, the process behind the gateway, and calls that wait for a person or for their answer.

pub mod acp;
pub mod error;
pub mod mcp;
pub mod rpc;
