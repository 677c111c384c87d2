//! `sayso mcp-server`: sayso's own MCP tools.

use clap::Args;

use super::Stop;
use crate::exit_code::Exit;
use sayso_gateway::mcp;

/// Serve sayso's own MCP tools over standard input and output: `approve`, `explain` and `rules`.
#[derive(Debug, Args)]
#[command(
    after_help = "For Claude Code without a person in front of it:\n  claude -p \"…\" --mcp-config '{\"mcpServers\":{\"sayso\":{\"command\":\"sayso\",\"args\":[\"mcp-server\"]}}}' --permission-prompt-tool mcp__sayso__approve\n\n\
`approve` answers as the hook does: by your policy, and in the inbox where somebody has to be asked. `explain` and `rules` only tell."
)]
pub(super) struct McpServerArgs {}

pub(super) fn run(_: &McpServerArgs) -> Result<Exit, Stop> {
    mcp::serve(std::io::stdin().lock(), std::io::stdout().lock());
    Ok(Exit::Allowed)
}
