//! The server's end of the unix socket, which wakes nobody when it can be written to again.
//!
//! A unix socket says so each time the other side has read something: that would be one more thread awake for every answer, just when the
//! next request comes. So nobody listens for it until something could not be written.

use std::io::{self, IoSlice, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe::{Receiver, Sender};

/// One connection.
pub(super) struct Socket {
    stream: UnixStream,
    /// The same socket as if it were the end of a pipe: of that, one hears only when there is something to read.
    reading: Receiver,
    /// The same for writing, once it was full.
    full: Option<Sender>,
}

impl Socket {
    /// Of a connection that was accepted.
    ///
    /// # Errors
    /// If it cannot be listened at.
    pub(super) fn new(stream: tokio::net::UnixStream) -> io::Result<Socket> {
        let stream = stream.into_std()?;
        let reading = Receiver::from_owned_fd_unchecked(stream.try_clone()?.into())?;
        Ok(Socket {
            stream,
            reading,
            full: None,
        })
    }

    /// Writes at once if there is room. None if there is not: then it is listened for.
    fn at_once(
        &mut self,
        write: impl FnOnce(&mut UnixStream) -> io::Result<usize>,
    ) -> Option<io::Result<usize>> {
        if self.full.is_some() {
            return None;
        }
        match write(&mut self.stream) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            written => return Some(written),
        }
        match self
            .stream
            .try_clone()
            .and_then(|again| Sender::from_owned_fd_unchecked(again.into()))
        {
            Ok(full) => self.full = Some(full),
            Err(error) => return Some(Err(error)),
        }
        None
    }

    fn later(&mut self) -> io::Result<Pin<&mut Sender>> {
        self.full
            .as_mut()
            .map(Pin::new)
            .ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reading).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.at_once(|stream| stream.write(bytes)) {
            Some(written) => Poll::Ready(written),
            None => self.later()?.poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.at_once(|stream| stream.write_vectored(parts)) {
            Some(written) => Poll::Ready(written),
            None => self.later()?.poll_write_vectored(context, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.stream.shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn what_does_not_fit_at_once_is_written_when_there_is_room() {
        let (here, mut there) = tokio::net::UnixStream::pair().unwrap();
        let mut here = Socket::new(here).unwrap();
        let sent: Vec<u8> = (0..8 << 20).map(|at: u32| at.to_le_bytes()[1]).collect();
        let wanted = sent.clone();
        let writes = tokio::spawn(async move {
            here.write_all(&sent).await.unwrap();
            assert!(here.full.is_some(), "it was never full");
            // What is answered comes back the same way.
            let mut answer = [0; 2];
            here.read_exact(&mut answer).await.unwrap();
            here.write_all(&answer).await.unwrap();
            here.shutdown().await.unwrap();
            assert_eq!(here.read(&mut [0; 8]).await.unwrap(), 0);
        });
        let mut got = vec![0; wanted.len()];
        there.read_exact(&mut got).await.unwrap();
        assert!(got == wanted);
        there.write_all(b"ok").await.unwrap();
        let mut rest = Vec::new();
        there.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"ok");
        drop(there);
        writes.await.unwrap();
    }

    #[tokio::test]
    async fn the_other_end_may_be_gone() {
        let (here, there) = tokio::net::UnixStream::pair().unwrap();
        let mut here = Socket::new(here).unwrap();
        drop(there);
        assert_eq!(here.read(&mut [0; 8]).await.unwrap(), 0);
        assert!(here.write_all(b"x").await.is_err());
    }
}
