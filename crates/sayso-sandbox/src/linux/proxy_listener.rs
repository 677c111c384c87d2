//! The step inside of the sandbox: a listening socket of its network is handed out, and the command knows its port.
//!
//! The sandboxed command has a network of its own, in which there is nothing. A socket belongs to the network that it was made in, whoever
//! holds it: so one that was made inside and is held outside is the only way between the two, and no process has to stand in between.

use std::io::{self, Error, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketType, recvmsg, sendmsg, sockopt,
};
use sayso_core::policy::terms::Network;

use crate::proxy::{Connect, Proxy};

impl Proxy {
    /// A proxy that waits for the socket of a sandbox, and the inner end of the way there: it is for [`hand_out()`] alone, and the caller
    /// closes its own copy once the sandbox has started.
    ///
    /// # Errors
    /// If the system gives no socket or thread.
    pub fn listen(network: Network, connect: Box<Connect>) -> io::Result<(Proxy, OwnedFd)> {
        let (outer, inner) = UnixStream::pair()?;
        Ok((
            Proxy::awaiting(network, connect, outer.into(), take_in)?,
            inner.into(),
        ))
    }
}

/// Listens inside of the sandbox, and hands the socket out over the end that [`Proxy::listen`](crate::proxy::Proxy::listen) gave, which has this
/// number here and with which nothing was done yet. Gives the port.
///
/// # Errors
/// If that is not such an end, or the socket cannot be made or sent.
pub fn hand_out(number: RawFd) -> io::Result<u16> {
    if number < 3 || !is_socket(number) {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            format!("file {number} is not the way out to the proxy of the sandbox"),
        ));
    }
    // SAFETY: it is open, it came from whoever started this program, for this step alone, and nothing else here knows its number.
    #[allow(unsafe_code, reason = "a file that is known by its number only")]
    let channel = unsafe { OwnedFd::from_raw_fd(number) };
    send(&channel)
}

fn is_socket(number: RawFd) -> bool {
    // SAFETY: only asked what it is; a number that is not open gives an error.
    #[allow(unsafe_code, reason = "a file that is known by its number only")]
    let file = unsafe { BorrowedFd::borrow_raw(number) };
    sockopt::socket_domain(file).is_ok_and(|domain| domain == AddressFamily::UNIX)
}

/// Makes the socket and sends it; it is closed here afterwards, so that the command does not have it.
fn send(channel: &OwnedFd) -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [listener.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    // A file does not travel without a byte.
    sendmsg(
        channel,
        &[IoSlice::new(b"l")],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    Ok(port)
}

/// Takes the socket that the inner step sent; none if it ended without one. Anything else that comes is refused.
fn take_in(channel: &OwnedFd) -> io::Result<Option<TcpListener>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0_u8; 1];
    let got = recvmsg(
        channel,
        &mut [IoSliceMut::new(&mut byte)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    let mut files: Vec<OwnedFd> = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(sent) = message {
            files.extend(sent);
        }
    }
    let Some(file) = files.pop() else {
        return Ok(None);
    };
    let refused = |why: &str| Err(Error::new(ErrorKind::InvalidData, why.to_owned()));
    if !files.is_empty() || got.flags.contains(ReturnFlags::CTRUNC) {
        return refused("more than one file came out of the sandbox");
    }
    let listens = sockopt::socket_domain(&file)? == AddressFamily::INET
        && sockopt::socket_type(&file)? == SocketType::STREAM
        && sockopt::socket_acceptconn(&file)?;
    if !listens {
        return refused("what came out of the sandbox is not a listening socket");
    }
    let listener = TcpListener::from(file);
    match listener.local_addr()? {
        SocketAddr::V4(address) if *address.ip() == Ipv4Addr::LOCALHOST => Ok(Some(listener)),
        _ => refused("what came out of the sandbox listens elsewhere"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_that_nothing_comes_to_ends_all_the_same() {
        let (proxy, inner) =
            Proxy::listen(Network::Nothing, Box::new(|_, _| Err("".into()))).unwrap();
        drop(proxy);
        drop(inner);
        let (proxy, inner) =
            Proxy::listen(Network::Nothing, Box::new(|_, _| Err("".into()))).unwrap();
        drop(inner);
        drop(proxy);
    }
}
