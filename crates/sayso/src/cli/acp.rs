//! `sayso acp`: an agent of an editor behind the gate.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::Stop;
use crate::exit_code::Exit;
use sayso_gateway::acp;
use sayso_gateway::acp::Options;
use sayso_runtime::assemble::Choice;

/// Run an editor's agent behind the gate: what it asks for is judged before the editor or you hear of it.
#[derive(Debug, Args)]
#[command(
    after_help = "Put it in front of the agent in the settings of the editor (Zed: `agent_servers`).\n\n\
Everything passes byte for byte, but for what the agent asks for: permissions, files that the editor reads or writes for it, and\n\
commands that the editor runs for it. These are judged by your policy and written down. What the policy neither allows nor denies is\n\
asked in the inbox, if somebody watches it, and else in the editor's own dialog. An answer that makes the agent stop asking is never\n\
given, nor offered.\n\n\
It sees only what the agent asks for: what an agent does without asking is for its hook (`sayso install`).\n\n\
Examples:\n  sayso acp -- opencode acp\n  sayso acp --name reviewer --policy review.yaml -- gemini --acp\n\n\
Exit status: that of the agent; 2 if it could not be started."
)]
pub(super) struct AcpArgs {
    /// The name of the agent in rules and in the record; without it, what its command says.
    #[arg(long, value_name = "NAME", value_parser = sayso_runtime::mcp_servers::name::checked)]
    name: Option<String>,

    /// Put this policy on top. It only tightens, until you trust it with `sayso policy trust`.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// The agent with its arguments.
    #[arg(last = true, required = true, value_name = "AGENT")]
    command: Vec<OsString>,
}

pub(super) fn run(args: AcpArgs) -> Result<Exit, Stop> {
    super::warn_at_start();
    let choice = Choice {
        file: args
            .policy
            .map(|path| std::path::absolute(&path).unwrap_or(path)),
        ..super::no_flags()
    };
    // An agent without a plain name is still an agent.
    let name = args
        .name
        .or_else(|| sayso_runtime::mcp_servers::name::of_command(&args.command).ok())
        .unwrap_or_else(|| "acp".to_owned());
    match acp::run(Options {
        name,
        choice,
        command: args.command,
    }) {
        Ok(never) => match never {},
        Err(why) => Err(Stop::usage(why)),
    }
}
