//! Web fetch against a real server on this machine.

mod answers;
mod hostile;
mod redirects;
mod server;

use std::time::Duration;

use sayso_tools::result::ToolResult;
use sayso_tools::web::{Limits, fetch};

/// The server is on this machine; everything else is as usual, with time for a busy one.
fn limits() -> Limits {
    Limits {
        private: true,
        private_by_name: true,
        time: Duration::from_secs(300),
        ..Limits::default()
    }
}

fn get(url: &str) -> ToolResult {
    fetch(url, &limits(), &|_| Ok(()))
}

fn fact(result: &ToolResult, name: &str) -> String {
    let node = result
        .facts
        .iter()
        .find(|(given, _)| *given == name)
        .map(|(_, node)| node);
    node.and_then(|node| {
        node.as_text()
            .map(str::to_owned)
            .or_else(|| node.as_whole().map(|number| number.to_string()))
    })
    .unwrap_or_default()
}

/// Whether the result tells this.
fn told(result: &ToolResult, name: &str, wanted: &str) -> bool {
    fact(result, name) == wanted
}
