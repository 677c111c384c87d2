//! Visual Studio Code: where its settings name its MCP servers.

use crate::install::mcp_client::{ClientFacts, McpClient, home};

/// Visual Studio Code.
pub const VSCODE: McpClient = McpClient::new(&ClientFacts {
    word: "vscode",
    name: "vscode",
    title: "Visual Studio Code",
    help: "Visual Studio Code",
    key: "servers",
    is_toml: false,
    target: |around, project| match project {
        true => Ok(around.folder.join(".vscode/mcp.json")),
        false => Ok(home(around)?.join(".config/Code/User/mcp.json")),
    },
});
