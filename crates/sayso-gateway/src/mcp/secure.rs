//! TLS for connections to a server, with our own look at who vouches for it.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
    TransportAdapter,
};

use crate::error::{UpstreamError, unreachable};

/// Puts TLS on a connection.
pub(super) struct Secure(pub Arc<ClientConfig>);

impl fmt::Debug for Secure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secure")
    }
}

impl<In: Transport> Connector<In> for Secure {
    type Out = Either<In, Secured>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        let Some(plain) = chained else {
            return Ok(None);
        };
        if !details.needs_tls() {
            return Ok(Some(Either::A(plain)));
        }
        let name = server_name(details.uri.host().unwrap_or_default())
            .ok_or(ureq::Error::Tls("it is no name of a server"))?;
        let mut to = TransportAdapter::new(plain.boxed(), Arc::clone(&details.current_time));
        to.set_timeout(details.timeout);
        let mut connection = ClientConnection::new(Arc::clone(&self.0), name)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut to)?;
        }
        let buffers = LazyBuffers::new(
            details.config.input_buffer_size(),
            details.config.output_buffer_size(),
        );
        Ok(Some(Either::B(Secured {
            buffers,
            stream: StreamOwned::new(connection, to),
        })))
    }
}

fn server_name(host: &str) -> Option<ServerName<'static>> {
    ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).ok()
}

/// A connection with TLS.
pub(super) struct Secured {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl fmt::Debug for Secured {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secured")
    }
}

impl Transport for Secured {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let output = self.buffers.output().get(..amount).unwrap_or_default();
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let read = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(read);
        Ok(read > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

/// Greets a server, and says nothing to it: who vouches for it is known from then on.
///
/// # Errors
/// When it cannot be reached, or its certificate is none.
pub(super) fn greet(
    config: &Arc<ClientConfig>,
    host: &str,
    port: u16,
    longest: Duration,
) -> Result<(), UpstreamError> {
    let name = server_name(host).ok_or(UpstreamError::NoName)?;
    let places = (host.trim_matches(['[', ']']), port)
        .to_socket_addrs()
        .map_err(unreachable)?;
    let mut last = UpstreamError::NoAddress;
    for place in places {
        let mut stream = match TcpStream::connect_timeout(&place, longest) {
            Ok(stream) => stream,
            Err(error) => {
                last = unreachable(error);
                continue;
            }
        };
        let _ = stream
            .set_read_timeout(Some(longest))
            .and_then(|()| stream.set_write_timeout(Some(longest)));
        let mut connection =
            ClientConnection::new(Arc::clone(config), name).map_err(unreachable)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream).map_err(unreachable)?;
        }
        connection.send_close_notify();
        // It is over either way.
        let _ = connection.complete_io(&mut stream);
        return Ok(());
    }
    Err(last)
}
