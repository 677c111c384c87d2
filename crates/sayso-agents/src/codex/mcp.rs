//! Codex: where its settings name its MCP servers.

use crate::install::mcp_client::{ClientFacts, McpClient, home};

/// Codex.
pub const CODEX: McpClient = McpClient::new(&ClientFacts {
    word: "codex",
    name: "codex",
    title: "Codex",
    help: "Codex",
    key: "mcp_servers",
    is_toml: true,
    target: |around, project| match project {
        true => Ok(around.folder.join(".codex/config.toml")),
        false => {
            let own = around.codex.clone();
            let folder = own.map_or_else(|| home(around).map(|home| home.join(".codex")), Ok)?;
            Ok(folder.join("config.toml"))
        }
    },
});
