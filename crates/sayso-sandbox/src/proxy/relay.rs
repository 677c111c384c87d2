//! Bytes between two sockets, both ways at once, until both have ended or nothing came for too long.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What is held of one way at a time.
const HELD: usize = 32 * 1024;

/// One way: what was read and is not written yet.
struct Way {
    held: Vec<u8>,
    /// So many more may be read; none: all.
    left: Option<u64>,
    /// Nothing more is read.
    read_all: bool,
    /// The other side was told.
    told: bool,
    /// Whether the other side is told of the end.
    tells: bool,
}

impl Way {
    fn wants_to_read(&self) -> bool {
        !self.read_all && self.held.is_empty()
    }

    fn is_over(&self) -> bool {
        self.read_all && self.held.is_empty()
    }

    /// Moves what can be moved without waiting. An error ends both ways.
    fn step(
        &mut self,
        mut from: &TcpStream,
        mut to: &TcpStream,
        readable: bool,
        buffer: &mut [u8],
    ) -> std::io::Result<()> {
        if readable && self.wants_to_read() {
            let most = self.left.map_or(buffer.len(), |left| {
                usize::try_from(left)
                    .unwrap_or(usize::MAX)
                    .min(buffer.len())
            });
            let room = buffer.get_mut(..most).unwrap_or_default();
            match from.read(room) {
                Ok(0) => self.read_all = true,
                Ok(count) => {
                    self.held
                        .extend_from_slice(room.get(..count).unwrap_or_default());
                    self.took(count);
                }
                Err(error) if is_later(&error) => {}
                Err(error) => return Err(error),
            }
        }
        while !self.held.is_empty() {
            match to.write(&self.held) {
                Ok(count) => drop(self.held.drain(..count)),
                Err(error) if is_later(&error) => break,
                Err(error) => return Err(error),
            }
        }
        if self.is_over() && self.tells && !self.told {
            self.told = true;
            let _ = to.shutdown(Shutdown::Write);
        }
        Ok(())
    }

    fn took(&mut self, count: usize) {
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(count as u64);
            self.read_all = *left == 0;
        }
    }
}

/// Relays until it is over. `first` was read from the client already; `body` is how many bytes of the client go on, none for all of them.
///
/// A tunnel ends when both have ended; a request with a body of a known length ends with the answer, whatever else the client sends.
pub(crate) fn relay(
    client: &TcpStream,
    host: &TcpStream,
    first: &[u8],
    body: Option<u64>,
    idle: Duration,
) -> std::io::Result<()> {
    client.set_nonblocking(true)?;
    host.set_nonblocking(true)?;
    let mut up = Way {
        held: Vec::new(),
        left: body,
        read_all: body == Some(0),
        told: false,
        tells: body.is_none(),
    };
    let mut down = Way {
        held: Vec::new(),
        left: None,
        read_all: false,
        told: false,
        tells: true,
    };
    let passed = body.map_or(first.len(), |body| {
        usize::try_from(body).unwrap_or(usize::MAX).min(first.len())
    });
    up.held
        .extend_from_slice(first.get(..passed).unwrap_or_default());
    up.took(passed);
    let mut buffer = vec![0; HELD];
    let patience = Timespec::try_from(idle).map_err(|_| ErrorKind::InvalidInput)?;
    up.step(client, host, false, &mut buffer)?;
    while !down.is_over() || body.is_none() && !up.is_over() {
        let interest = |reads: &Way, writes: &Way| {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, reads.wants_to_read());
            flags.set(PollFlags::OUT, !writes.held.is_empty());
            flags
        };
        let (of_client, of_host) = (interest(&up, &down), interest(&down, &up));
        let mut waiting = Vec::with_capacity(2);
        // Of whoever nothing is wanted, an end would wake us again and again. Only a client that was told of no end can be gone for good.
        let watched = !of_client.is_empty() || !down.told;
        waiting.extend(watched.then(|| PollFd::new(client, of_client)));
        waiting.extend((!of_host.is_empty()).then(|| PollFd::new(host, of_host)));
        match poll(&mut waiting, Some(&patience)) {
            Ok(0) => return Err(ErrorKind::TimedOut.into()),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let mut events = waiting.iter().map(PollFd::revents);
        let from_client = watched
            .then(|| events.next())
            .flatten()
            .unwrap_or(PollFlags::empty());
        let from_host = events.next().unwrap_or(PollFlags::empty());
        let ended = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        if of_client.is_empty() && from_client.intersects(ended) {
            return Err(ErrorKind::ConnectionReset.into());
        }
        let has_come = |flags: PollFlags| flags.intersects(PollFlags::IN | ended);
        up.step(client, host, has_come(from_client), &mut buffer)?;
        down.step(host, client, has_come(from_host), &mut buffer)?;
    }
    Ok(())
}

fn is_later(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
