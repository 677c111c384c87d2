//! The policy in force, to be looked at and not to be changed.

use std::path::PathBuf;
use std::sync::Arc;

use sayso_core::text::node::{Node, Value};

use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::{Asked, reply_aside};
use crate::server::Server;
use sayso_runtime::assemble;
use sayso_runtime::assemble::Choice;
use sayso_runtime::policy_json::view_json;

/// The policy of a workspace; without one, what holds everywhere.
pub(super) async fn policy(server: &Arc<Server>, asked: Asked) -> Answered {
    let workspace = asked.query("workspace").unwrap_or("/");
    if !workspace.starts_with('/') {
        return Err(Problem::unreadable("`workspace` is no absolute path"));
    }
    if !sayso_core::call::operation::is_possible_folder(workspace) {
        return Err(Problem::missing(
            "there is no such folder: `workspace` is longer than any system allows",
        ));
    }
    let (workspace, whereabouts) = (
        PathBuf::from(sayso_core::paths::join("/", workspace)),
        server.whereabouts.clone(),
    );
    let installed = server.installed;
    reply_aside(move || {
        let choice = Choice {
            ignores_environment: true,
            ..Choice::new(installed)
        };
        let loaded = assemble::load(&whereabouts, &workspace, &choice);
        if let Some(why) = loaded.policy.why_broken() {
            return Err(Problem::broken(format!(
                "the policy cannot be read, so everything is denied: {why}"
            )));
        }
        let views = loaded.policy.views().iter().map(view_json).collect();
        Ok(Reply::json(
            200,
            &Node::map([("views", Value::List(views).into())]),
        ))
    })
    .await
}
