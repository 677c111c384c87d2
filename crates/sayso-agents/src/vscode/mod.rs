//! Visual Studio Code.

pub mod mcp;
