//! Claude Code and Claude Desktop: where its settings name its MCP servers.

use crate::install::InstallError;
use crate::install::mcp_client::{ClientFacts, McpClient, home};

/// Claude Code.
pub const CLAUDE_CODE: McpClient = McpClient::new(&ClientFacts {
    word: "claude",
    name: "claude",
    title: "Claude Code",
    help: "Claude Code",
    key: "mcpServers",
    is_toml: false,
    target: |around, project| match project {
        true => Ok(around.folder.join(".mcp.json")),
        false => Ok(home(around)?.join(".claude.json")),
    },
});

/// Claude Desktop.
pub const CLAUDE_DESKTOP: McpClient = McpClient::new(&ClientFacts {
    word: "claude-desktop",
    name: "claude-desktop",
    title: "Claude Desktop",
    help: "Claude Desktop",
    key: "mcpServers",
    is_toml: false,
    target: |around, project| match project {
        true => Err(InstallError::NoProjectFile),
        false => Ok(home(around)?.join(if cfg!(target_os = "macos") {
            "Library/Application Support/Claude/claude_desktop_config.json"
        } else {
            ".config/Claude/claude_desktop_config.json"
        })),
    },
});
