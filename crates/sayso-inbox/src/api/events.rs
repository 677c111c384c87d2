//! Streams of events.

use std::sync::Arc;

use sayso_gate::events::Names;

use crate::feed::Wanted;
use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::Asked;
use crate::server::Server;
use crate::stream::Events;

/// Everything that happens.
pub(super) fn all(server: &Arc<Server>, asked: &Asked) -> Answered {
    let names = match asked.query("names") {
        None | Some("sayso") => Names::Sayso,
        Some("opencode") => Names::Opencode,
        Some("kollabor-spec") => Names::KollaborSpec,
        Some("kollabor") => Names::Kollabor,
        Some(_) => {
            return Err(Problem::unreadable(
                "`names` is sayso, opencode, kollabor-spec or kollabor",
            ));
        }
    };
    let kinds = asked
        .query("kinds")
        .unwrap_or_default()
        .split(',')
        .filter(|kind| !kind.is_empty())
        .map(str::to_owned)
        .collect();
    stream(
        server,
        asked,
        Wanted {
            session: asked.query("session").map(str::to_owned),
            kinds,
            names,
        },
    )
}

/// What happens in one session, under the names of profile `opencode`.
pub(super) fn of_session(server: &Arc<Server>, asked: &Asked) -> Answered {
    stream(
        server,
        asked,
        Wanted {
            session: Some(asked.name().to_owned()),
            kinds: Vec::new(),
            names: Names::Opencode,
        },
    )
}

fn stream(server: &Arc<Server>, asked: &Asked, wanted: Wanted) -> Answered {
    let after = asked
        .headers
        .get("last-event-id")
        .map(|id| id.to_str().unwrap_or_default());
    let listening =
        std::sync::Arc::clone(&server.feed).listen(wanted, after, true, server.inbox.len());
    let listening = listening.map_err(|why| Problem::new(429, "too-many", why))?;
    Ok(Reply::events(Events::new(listening)))
}
