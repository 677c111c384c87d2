//! What every door needs to put a gate together, for hooks, gateways, the inbox, the chat and the commands alike.
//!
//! `assemble` reads the policy files of a machine and a workspace into one policy, and `policy_snapshot` keeps the result for the next
//! process. `workbench` puts a gate with tools together: `runner` runs what was approved, inside of `sandbox` where that is wanted, and
//! `mcp_servers` has the servers that sayso itself calls. `recorder` writes down what was decided, `replay` judges it again, and `undo`
//! takes changes back. `sse` reads streams of events. `ask_inbox` and `inbox_client` are the way to the inbox, and `lineage` finds out which agent started a process.
//! No event loop runs in here.

pub mod answered_elsewhere;
pub mod ask_inbox;
pub mod assemble;
pub mod audit;
pub mod call_request;
pub mod child_process;
pub mod decision_log;
pub mod earlier_calls;
pub mod explained;
pub mod grant_cache;
pub mod head_export;
pub mod held_text;
pub mod host_names;
pub mod inbox_client;
pub mod lineage;
pub mod mcp_servers;
pub mod outlook;
pub mod policy_json;
pub mod policy_snapshot;
pub mod policy_sources;
pub mod record_folder;
pub mod recorder;
pub mod replay;
pub mod report;
pub mod rules;
pub mod rules_layer;
pub mod runner;
pub mod sandbox;
pub mod sse;
pub mod undo;
pub mod workbench;
