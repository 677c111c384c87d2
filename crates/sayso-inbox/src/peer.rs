//! Who is at the other end of the unix socket, as the kernel says it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sayso_runtime::lineage;

/// A process at the other end of the socket.
pub(super) struct Peer {
    /// Its number.
    pub process: u32,
    state: PathBuf,
    /// The agent that it runs below; looked up when it matters, and once.
    agent: OnceLock<Option<String>>,
}

impl Peer {
    pub(super) fn new(process: u32, state: &Path) -> Peer {
        Peer {
            process,
            state: state.to_owned(),
            agent: OnceLock::new(),
        }
    }

    /// The agent that it runs below, in words.
    pub(super) fn agent(&self) -> Option<&str> {
        self.agent
            .get_or_init(|| lineage::agent_over(&self.state, self.process))
            .as_deref()
    }

    /// Whether it is this very program.
    pub(super) fn is_sayso(&self) -> bool {
        lineage::is_this_program(self.process)
    }
}

/// Where a connection comes from.
pub(super) enum From {
    /// The unix socket.
    Socket(Peer),
    /// This machine, over TCP.
    Tcp(SocketAddr),
}

impl From {
    /// For the record.
    pub(super) fn words(&self) -> String {
        match self {
            From::Socket(peer) => format!("process {}", peer.process),
            From::Tcp(address) => address.to_string(),
        }
    }
}
