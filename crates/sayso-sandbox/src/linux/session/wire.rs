//! Messages between the holder of a session's sandbox and the commands in it: parts of text, with descriptors beside them.

use std::io::{self, Error, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg, sockopt,
};

/// The maximum number of bytes in a message.
const MAX_MESSAGE: usize = 64 * 1024;
/// The maximum number of descriptors in a message.
const MAX_DESCRIPTORS: usize = 16;

/// One message.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// Its parts; the first one is its name.
    pub(super) parts: Vec<Vec<u8>>,
    /// The descriptors that came with it.
    pub(super) files: Vec<OwnedFd>,
}

impl Message {
    /// The name of the message.
    pub(super) fn name(&self) -> &str {
        self.text(0)
    }

    /// A part as text; empty where there is none.
    pub(super) fn text(&self, at: usize) -> &str {
        let part = self.parts.get(at).map_or(&[][..], Vec::as_slice);
        std::str::from_utf8(part).unwrap_or_default()
    }
}

/// Sends a message whole.
pub(super) fn send(socket: impl AsFd, parts: &[&[u8]], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(
            &u32::try_from(part.len())
                .map_err(Error::other)?
                .to_ne_bytes(),
        );
        bytes.extend_from_slice(part);
    }
    if bytes.len() > MAX_MESSAGE || files.len() > MAX_DESCRIPTORS {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    let sent = rustix::io::retry_on_intr(|| {
        sendmsg(
            socket.as_fd(),
            &[IoSlice::new(&bytes)],
            &mut control,
            SendFlags::NOSIGNAL,
        )
    })?;
    if sent == bytes.len() {
        Ok(())
    } else {
        Err(ErrorKind::WriteZero.into())
    }
}

/// Takes one message; none at the end of the connection. What is cut off is refused.
pub(super) fn receive(socket: impl AsFd) -> io::Result<Option<Message>> {
    let mut bytes = vec![0; MAX_MESSAGE];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = rustix::io::retry_on_intr(|| {
        recvmsg(
            socket.as_fd(),
            &mut [IoSliceMut::new(&mut bytes)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        )
    })?;
    let mut message = Message::default();
    for part in control.drain() {
        if let RecvAncillaryMessage::ScmRights(sent) = part {
            message.files.extend(sent);
        }
    }
    if got
        .flags
        .intersects(ReturnFlags::CTRUNC | ReturnFlags::TRUNC)
    {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut rest = bytes.get(..got.bytes).unwrap_or_default();
    if rest.is_empty() {
        return Ok(None);
    }
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_ne_bytes(*length) as usize;
        let (part, after) = after
            .split_at_checked(length)
            .ok_or(ErrorKind::InvalidData)?;
        message.parts.push(part.to_vec());
        rest = after;
    }
    Ok(Some(message))
}

/// Whether the other end is a process of the same user.
pub(super) fn is_same_user(socket: impl AsFd) -> bool {
    sockopt::socket_peercred(socket.as_fd())
        .is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

#[cfg(test)]
mod tests {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::*;

    fn pair() -> (OwnedFd, OwnedFd) {
        socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .unwrap()
    }

    #[test]
    fn a_message_arrives_with_its_parts_and_descriptors() {
        let (one, two) = pair();
        let file = std::fs::File::open("/dev/null").unwrap();
        send(
            &one,
            &[b"begin", b"", b"a\0b"],
            &[file.as_fd(), one.as_fd()],
        )
        .unwrap();
        send(&one, &[b"next"], &[]).unwrap();
        let first = receive(&two).unwrap().unwrap();
        assert_eq!(first.name(), "begin");
        assert_eq!(
            first.parts,
            [b"begin".to_vec(), Vec::new(), b"a\0b".to_vec()]
        );
        assert_eq!(first.files.len(), 2);
        assert_eq!(receive(&two).unwrap().unwrap().name(), "next");
        drop((one, first));
        assert!(receive(&two).unwrap().is_none());
    }

    #[test]
    fn the_peer_is_this_user() {
        let (one, _two) = pair();
        assert!(is_same_user(&one));
        assert!(send(&one, &[&vec![0; MAX_MESSAGE]], &[]).is_err());
    }
}
