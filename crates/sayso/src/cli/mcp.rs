//! `sayso mcp`: an MCP server behind the gate.

use std::ffi::OsString;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::Stop;
use crate::exit_code::Exit;
use sayso_gateway::mcp;
use sayso_gateway::mcp::{HttpOptions, Options};
use sayso_runtime::assemble::Choice;

/// Run an MCP server behind the gate: no call of a tool reaches it before it was judged.
#[derive(Debug, Args)]
#[command(
    after_help = "Put it in front of the server in the settings of the client; `sayso install mcp` does that.\n\n\
Everything passes byte for byte. A call of a tool is judged by your policy (`mcp: server/tool`, and by the files, commands and\n\
addresses in its arguments), asked about where it has to be, and written down. What is denied is an answer that the model can read.\n\n\
Examples:\n  sayso mcp -- npx -y @modelcontextprotocol/server-filesystem .\n  sayso mcp --name git -- uvx mcp-server-git\n  sayso mcp --url https://mcp.example.com/mcp --listen 127.0.0.1:7399\n\n\
Exit status: that of the server; 2 if it could not be started."
)]
pub(super) struct McpArgs {
    /// The name of the server in rules; without it, what its command says.
    #[arg(long, value_name = "NAME", value_parser = sayso_runtime::mcp_servers::name::checked)]
    name: Option<String>,

    /// The name of the client, as rules and your answers have it for the agent.
    #[arg(long, value_name = "NAME", value_parser = sayso_runtime::mcp_servers::name::checked, default_value = "mcp")]
    client: String,

    /// Put this policy on top. It only tightens, until you trust it with `sayso policy trust`.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// The address of a server that is somewhere else, in place of a command.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "command",
        requires = "listen"
    )]
    url: Option<String>,

    /// Where clients come to, for a server with an address.
    #[arg(long, value_name = "ADDRESS", requires = "url")]
    listen: Option<SocketAddr>,

    /// Roots that vouch for the server, as PEM, in place of those that browsers trust.
    #[arg(long, value_name = "FILE", requires = "url")]
    ca: Option<PathBuf>,

    /// Let other machines come to that address, too.
    #[arg(long, requires = "url")]
    for_others: bool,

    /// The server with its arguments.
    #[arg(last = true, required_unless_present = "url", value_name = "SERVER")]
    command: Vec<OsString>,
}

pub(super) fn run(args: McpArgs) -> Result<Exit, Stop> {
    super::warn_at_start();
    let choice = Choice {
        file: args
            .policy
            .map(|path| std::path::absolute(&path).unwrap_or(path)),
        ..super::no_flags()
    };
    if let (Some(url), Some(listen)) = (args.url, args.listen) {
        let options = HttpOptions {
            name: args.name,
            client: args.client,
            choice,
            url,
            authorities: args.ca,
            listen,
            for_others: args.for_others,
        };
        let ready = |address: SocketAddr| {
            // Whoever started it without an error stream does not want to know.
            let _ = writeln!(
                std::io::stderr(),
                "sayso: the gateway is at http://{address}/mcp"
            );
        };
        return mcp::run_http(options, ready)
            .map(|()| Exit::Allowed)
            .map_err(Stop::usage);
    }
    let options = Options {
        name: args.name,
        client: args.client,
        choice,
        command: args.command,
    };
    match mcp::run(options) {
        Ok(never) => match never {},
        Err(why) => Err(Stop::usage(why)),
    }
}
