//! Any client with an `mcp.json`: where its settings name its MCP servers.

use crate::install::InstallError;
use crate::install::mcp_client::{ClientFacts, McpClient};

/// Any client.
pub const CLIENT: McpClient = McpClient::new(&ClientFacts {
    word: "generic",
    name: "mcp",
    title: "an MCP client",
    help: "Any client with an `mcp.json`; say which with `--file`",
    key: "mcpServers",
    is_toml: false,
    target: |_, _| Err(InstallError::NoUsualFile),
});
