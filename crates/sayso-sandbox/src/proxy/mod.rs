//! A filtering proxy: the only way of a sandboxed command to the hosts that it may reach.
//!
//! The command has a network with nothing in it but itself. A socket that listens there is handed out of it, and what is
//! connected to it is served here: `CONNECT` to port 443 and plain requests to port 80, to hosts of the list and to no other. Who connects
//! to the host is the caller, who also decides which addresses a name may lead to.
//!
//! What goes through a tunnel is not looked at: a host that serves for others can be asked for them under its own name.

mod guard;
mod relay;
mod request;
mod serve;

use std::error::Error;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use sayso_core::policy::terms::Network;

use crate::explain::Explained;
use guard::Guard;
use serve::Server;

/// Connects to a host and a port, or says why not.
pub type Connect = dyn Fn(&str, u16) -> Result<TcpStream, ConnectError> + Send + Sync;
/// Why it failed; the client gets this message.
pub type ConnectError = Box<dyn Error + Send + Sync>;

/// The variables that tell programs of a proxy on this port of their own machine.
pub fn variables(port: u16) -> Vec<(&'static str, String)> {
    let proxy = format!("http://127.0.0.1:{port}");
    let own = "localhost,127.0.0.1,::1".to_owned();
    let names = [
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ];
    let mut variables: Vec<(&str, String)> =
        names.iter().map(|name| (*name, proxy.clone())).collect();
    variables.extend([("no_proxy", own.clone()), ("NO_PROXY", own)]);
    variables
}

/// How long and how many.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// For a head to arrive as a whole.
    head: Duration,
    /// For anything to go either way.
    idle: Duration,
    /// Connections at once.
    connections: usize,
}

const PATIENCE: Patience = Patience {
    head: Duration::from_secs(30),
    idle: Duration::from_secs(300),
    connections: 64,
};

/// A running proxy. When it is dropped, it takes nothing more, and every connection through it ends.
#[derive(Debug)]
pub struct Proxy {
    server: Arc<Server>,
    /// Closed to wake the one who waits.
    wake: Option<UnixStream>,
    waiting: Option<JoinHandle<()>>,
}

/// Takes a listening socket out of the sandbox, as the platform does it; none if the sandbox ended without one.
type TakeIn = fn(&OwnedFd) -> io::Result<Option<TcpListener>>;

/// Where connections come from.
enum Source {
    /// A socket that is still to come out of the sandbox.
    Awaited { channel: OwnedFd, take_in: TakeIn },
    /// One that is there.
    Here(TcpListener),
}

impl Proxy {
    /// A proxy that waits for the socket of a sandbox, which comes through `channel`.
    pub(crate) fn awaiting(
        network: Network,
        connect: Box<Connect>,
        channel: OwnedFd,
        take_in: TakeIn,
    ) -> io::Result<Proxy> {
        Proxy::start(
            network,
            connect,
            Source::Awaited { channel, take_in },
            PATIENCE,
        )
    }

    /// A proxy on a socket that listens already, for a sandbox that shares the network and lets nothing else of it through.
    ///
    /// # Errors
    /// If the system gives no socket or thread.
    pub fn on(listener: TcpListener, network: Network, connect: Box<Connect>) -> io::Result<Proxy> {
        Proxy::start(network, connect, Source::Here(listener), PATIENCE)
    }

    fn start(
        network: Network,
        connect: Box<Connect>,
        source: Source,
        patience: Patience,
    ) -> io::Result<Proxy> {
        let (wake, woken) = UnixStream::pair()?;
        let server = Arc::new(Server {
            network,
            connect,
            patience,
            guard: Guard::default(),
        });
        let serving = Arc::clone(&server);
        let waiting = thread::Builder::new()
            .name("proxy".to_owned())
            .spawn(move || {
                // Without a socket there is nothing to serve, and the command finds nobody at the port that it was told.
                if let Ok(Some(listener)) = source.wait(&woken) {
                    let _ = accept(&serving, &listener, &woken);
                }
            })?;
        Ok(Proxy {
            server,
            wake: Some(wake),
            waiting: Some(waiting),
        })
    }

    /// The hosts that were asked for and are not in the list, in the order they came; the first few.
    pub fn refused(&self) -> Vec<String> {
        self.server.guard.hosts()
    }

    /// The same and what else was not done, in words, with what can be done about it.
    pub fn refusals(&self) -> Vec<Explained> {
        self.server.guard.refusals()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.guard.end();
        drop(self.wake.take());
        // It waits for nothing but sockets and the end that was just made; the threads of connections end by theirs.
        if let Some(waiting) = self.waiting.take() {
            let _ = waiting.join();
        }
    }
}

impl Source {
    /// The socket, unless the proxy ends before it comes.
    fn wait(self, woken: &UnixStream) -> io::Result<Option<TcpListener>> {
        match self {
            Source::Here(listener) => Ok(Some(listener)),
            Source::Awaited { channel, take_in } => {
                if comes(&channel, woken)? {
                    return take_in(&channel);
                }
                Ok(None)
            }
        }
    }
}

/// Takes connections, each to a thread of its own, until the proxy ends.
fn accept(server: &Arc<Server>, listener: &TcpListener, woken: &UnixStream) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    // Those that are too many wait in the queue of the socket.
    while server.guard.wait_for_room(server.patience.connections) && comes(listener, woken)? {
        let client = match listener.accept() {
            Ok((client, _)) => client,
            // Gone before it was taken, or no more files for now: the pause keeps that from being tried without end.
            Err(_) => {
                thread::sleep(Duration::from_millis(10));
                continue;
            }
        };
        let Some(place) = server.guard.enter(&client) else {
            continue;
        };
        let serving = Arc::clone(server);
        // Without a thread the connection is closed, with its place.
        let _ = thread::Builder::new()
            .name("proxy".to_owned())
            .spawn(move || {
                if client.set_nonblocking(false).is_ok() {
                    serving.serve(&client, &place);
                }
            });
    }
    Ok(())
}

/// Waits for something to come; false if the end came first.
fn comes(source: &impl std::os::fd::AsFd, woken: &UnixStream) -> io::Result<bool> {
    loop {
        let mut waiting = [
            PollFd::new(source, PollFlags::IN),
            PollFd::new(woken, PollFlags::IN),
        ];
        match poll(&mut waiting, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let [source, woken] = waiting.map(|one| one.revents());
        if !woken.is_empty() {
            return Ok(false);
        }
        if !source.is_empty() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests;
