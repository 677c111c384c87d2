//! Cursor: where its settings name its MCP servers.

use crate::install::mcp_client::{ClientFacts, McpClient, home};

/// Cursor.
pub const CURSOR: McpClient = McpClient::new(&ClientFacts {
    word: "cursor",
    name: "cursor",
    title: "Cursor",
    help: "Cursor",
    key: "mcpServers",
    is_toml: false,
    target: |around, project| match project {
        true => Ok(around.folder.join(".cursor/mcp.json")),
        false => Ok(home(around)?.join(".cursor/mcp.json")),
    },
});
