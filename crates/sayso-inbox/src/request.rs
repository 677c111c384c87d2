//! A request that was read and may be made, and what its handlers need: numbers, bounds, and threads for slow work.

use std::sync::Arc;

use hyper::HeaderMap;
use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::text::node::Node;

use super::auth::{Via, Who};
use super::peer::From;
use super::problem::Problem;
use super::reply::Answered;
use super::route::Route;

/// A request that was read and may be made.
pub(super) struct Asked {
    pub route: &'static Route,
    /// What stands in the place of names in the path.
    pub named: Vec<String>,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub body: Node,
    pub from: Arc<From>,
    /// None where anybody may.
    pub who: Option<Who>,
}

impl Asked {
    /// The first name in the path.
    pub(super) fn name(&self) -> &str {
        self.named.first().map_or("", String::as_str)
    }

    /// What a parameter says.
    pub(super) fn query(&self, key: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }

    /// A whole number of a parameter.
    pub(super) fn whole(&self, key: &str, most: u64) -> Result<Option<u64>, Problem> {
        let number = |text: &str| {
            text.parse::<u64>()
                .ok()
                .filter(|number| *number <= most && !text.starts_with('+'))
        };
        self.query(key)
            .map(|text| {
                number(text).ok_or_else(|| {
                    Problem::unreadable(format!("`{key}` is no number up to {most}"))
                })
            })
            .transpose()
    }

    /// How many are wanted at most; so many, if nobody says otherwise.
    pub(super) fn limit(&self, otherwise: u64) -> Result<u64, Problem> {
        match self.whole("limit", 1000)? {
            Some(0) => Err(Problem::unreadable("`limit` is 1 at least")),
            limit => Ok(limit.unwrap_or(otherwise)),
        }
    }

    /// Who answers, where they do.
    pub(super) fn decided_by(&self) -> DecidedBy {
        match (&*self.from, self.who.as_ref().map(|who| who.via)) {
            // Of sayso's own programs, only the one at a terminal answers.
            (From::Socket(peer), _) if peer.is_sayso() => DecidedBy::Watch,
            (_, Some(Via::Cookie)) => DecidedBy::Browser(self.by()),
            _ => DecidedBy::Named(self.by()),
        }
    }

    /// By whom, for the log and other screens.
    pub(super) fn by(&self) -> String {
        self.who
            .as_ref()
            .map_or_else(|| self.from.words(), |who| who.name.clone())
    }
}

/// The answer to one of too many requests.
pub(super) fn too_many() -> Problem {
    Problem::new(429, "too-many", "that was too many, too fast")
}

/// Insists that an object has no other keys than these: a word that is spelled wrong must not be left aside.
pub(super) fn only(node: &Node, keys: &[&str]) -> Result<(), Problem> {
    match node
        .entries()
        .iter()
        .find(|entry| !keys.contains(&entry.key.as_str()))
    {
        None => Ok(()),
        Some(entry) => Err(Problem::unreadable(format!(
            "there is no `{}` here",
            entry.key
        ))),
    }
}

/// Does something that takes its time on a thread where nobody else waits.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(Problem::broken("it broke on the way")),
    }
}

/// Answers with what something on another thread comes to.
pub(super) async fn reply_aside(work: impl FnOnce() -> Answered + Send + 'static) -> Answered {
    aside(work).await
}
