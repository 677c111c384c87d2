//! The server as all requests share it: what is open, who may, how fast, and what is counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use sayso_world::locations::Whereabouts;
use tokio::sync::watch;

use super::error::RandomError;
use super::feed::{Feed, FeedHere};
use super::inbox::{Here, Inbox};
use super::log::Log;
use super::logins::Logins;
use super::peer::From;
use super::pin::Pin;
use super::presence::Presence;
use super::problem::Problem;
use super::rate::Rate;
use super::recorded::Recorded;
use super::secret::Secret;
use super::strangers::Strangers;
use super::submissions::Door;
use sayso_runtime::assemble::FindInstalled;
use sayso_runtime::host_names::Names;
use sayso_runtime::inbox_client::folder::Home;

/// Connections over TCP that may be open before anyone is known on them.
const MAX_STRANGERS: usize = 512;
/// The same at the socket, where thousands of hooks may come at once.
const MAX_AT_SOCKET: usize = 4096;

/// The two tokens of programs.
pub(super) struct Tokens {
    pub asking: Secret,
    pub answering: Secret,
}

/// How fast everybody may go together.
pub(super) struct Rates {
    /// Requests of those who are known.
    pub known: Rate,
    /// Operations and questions.
    pub asks: Rate,
    /// Requests that take no login.
    pub strangers: Rate,
    /// Requests of those who are not known, and wrong codes.
    pub unknown: Rate,
    pub logins: Rate,
    /// Refusals that are written down; the rest is counted.
    pub written: Rate,
}

/// What is counted for Prometheus.
#[derive(Default)]
pub(super) struct Counts {
    pub requests: AtomicU64,
    pub refused: AtomicU64,
    pub unwritten: AtomicU64,
    pub asked: AtomicU64,
    pub answered: AtomicU64,
    pub too_late: AtomicU64,
    pub submitted: AtomicU64,
    pub connections: AtomicU64,
}

/// The server.
pub(super) struct Server {
    pub home: Home,
    pub whereabouts: Whereabouts,
    /// Finds where sayso is installed, for the policy.
    pub installed: FindInstalled,
    /// Where the page is.
    pub url: Option<String>,
    /// The names that a request over TCP may have in its `Host`.
    pub names: Option<Names>,
    pub feed: Arc<dyn Feed>,
    pub inbox: Arc<dyn Inbox>,
    pub door: Door,
    pub tokens: Tokens,
    pub logins: Logins,
    pub presence: Presence,
    pub pin: Pin,
    pub log: Log,
    pub rates: Rates,
    pub counts: Counts,
    pub recorded: Recorded,
    /// Connections that are not known yet, at the socket and over TCP.
    strangers: [Arc<Strangers>; 2],
    /// True when it stops.
    pub stopping: watch::Sender<bool>,
}

impl Server {
    pub(super) fn new(
        home: Home,
        whereabouts: Whereabouts,
        installed: FindInstalled,
        port: Option<u16>,
        log: Log,
    ) -> Result<Server, RandomError> {
        let run = Secret::fresh()?;
        let feed: Arc<dyn Feed> = Arc::new(FeedHere::new(run.word().get(..8).unwrap_or_default()));
        let inbox: Arc<dyn Inbox> = Arc::new(Here::new(Arc::clone(&feed)));
        let recorded = Recorded::new(&whereabouts.state, whereabouts.uid);
        Ok(Server {
            door: Door::new(
                whereabouts.clone(),
                installed,
                Arc::clone(&inbox),
                Arc::clone(&feed),
                Pin::is_set(&home),
            ),
            url: port.map(|port| format!("http://127.0.0.1:{port}/")),
            names: port.map(Names::of),
            feed,
            inbox,
            tokens: Tokens {
                asking: Secret::fresh()?,
                answering: Secret::fresh()?,
            },
            logins: Logins::default(),
            presence: Presence::default(),
            pin: Pin::default(),
            log,
            rates: Rates {
                known: Rate::new(20_000, 5_000.0),
                asks: Rate::new(12_000, 2_000.0),
                strangers: Rate::new(5_000, 1_000.0),
                unknown: Rate::new(200, 20.0),
                logins: Rate::new(10, 0.2),
                written: Rate::new(100, 1.0),
            },
            counts: Counts::default(),
            recorded,
            strangers: [Strangers::new(MAX_AT_SOCKET), Strangers::new(MAX_STRANGERS)],
            stopping: watch::channel(false).0,
            home,
            whereabouts,
            installed,
        })
    }

    /// How many screens somebody looks at. Without an open line there is none, whatever was said before.
    pub(super) fn present(&self) -> usize {
        self.presence
            .count(Instant::now())
            .min(self.feed.watching())
    }

    /// The connections that are not known yet, of the kind that this one is.
    pub(super) fn strangers(&self, from: &From) -> &Arc<Strangers> {
        let [at_socket, at_port] = &self.strangers;
        match from {
            From::Socket(_) => at_socket,
            From::Tcp(_) => at_port,
        }
    }

    /// Whether it is about to end.
    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Somebody tried what they may not: that goes into the record, unless there is too much of it.
    pub(super) fn refused(&self, what: &str, problem: &Problem, from: &str) {
        self.counts.refused.fetch_add(1, Ordering::Relaxed);
        let words = format!("refused {what} from {from}: {}", problem.detail);
        self.log.line(&words);
        if !self.rates.written.takes() {
            self.counts.unwritten.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let left_out = self.counts.unwritten.swap(0, Ordering::Relaxed);
        let mut fields = vec![
            ("what", what.to_owned()),
            ("why", problem.detail.clone()),
            ("by", from.to_owned()),
            ("source", "inbox".to_owned()),
        ];
        if left_out > 0 {
            fields.push(("left_out", left_out.to_string()));
        }
        if let Err(why) = self.recorded.note("refused", fields) {
            self.log
                .line(&format!("a refusal could not be recorded: {why}"));
        }
    }
}
