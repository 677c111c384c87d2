//! Looks a name up once and checks every address it has; the connection goes to these addresses and to no other.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::mpsc;
use std::time::Instant;

use sayso_core::call::url::{Url, is_private_address};
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::FetchError;

/// As many as the client tries.
const MOST_ADDRESSES: usize = 16;

/// Addresses that were checked. As a resolver it answers with them, whatever it is asked for.
#[derive(Clone, Debug)]
pub(super) struct Checked(pub(super) Vec<SocketAddr>);

/// The addresses of a host, if all of them may be reached.
pub(super) fn look_up(url: &Url, private: bool, until: Instant) -> Result<Checked, FetchError> {
    if url.is_private() && !private {
        return Err(refused(url, None));
    }
    let found = match url.address {
        Some(address) => vec![SocketAddr::new(address, url.port)],
        None => ask(url, until)?,
    };
    // One private address among public ones is how a name is turned against its own network.
    match found
        .iter()
        .map(SocketAddr::ip)
        .find(|address| !private && is_private_address(*address))
    {
        Some(address) => Err(refused(url, Some(address))),
        None if found.is_empty() => Err(FetchError::NoAddress(url.host.clone())),
        None => Ok(Checked(found)),
    }
}

fn refused(url: &Url, address: Option<IpAddr>) -> FetchError {
    let url = url.written.clone();
    FetchError::Private { url, address }
}

/// The system has no way to stop asking, so somebody else asks and is not waited for too long.
fn ask(url: &Url, until: Instant) -> Result<Vec<SocketAddr>, FetchError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let (host, port) = (url.host.clone(), url.port);
    std::thread::spawn(move || {
        let found = (host.as_str(), port)
            .to_socket_addrs()
            .map(|found| found.take(MOST_ADDRESSES).collect::<Vec<_>>());
        // Nobody may be waiting any more.
        let _ = sender.send(found);
    });
    match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(source)) => Err(FetchError::NotFound {
            host: url.host.clone(),
            source,
        }),
        Err(_) => Err(FetchError::NotFoundInTime(url.host.clone())),
    }
}

impl Resolver for Checked {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut list = self.empty();
        self.0
            .iter()
            .take(MOST_ADDRESSES)
            .for_each(|address| list.push(*address));
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn look(url: &str, private: bool) -> Result<Checked, FetchError> {
        look_up(
            &Url::parse(url).unwrap(),
            private,
            Instant::now() + Duration::from_secs(60),
        )
    }

    #[test]
    fn h_70_this_machine_is_reached_only_where_it_may_be() {
        for url in [
            "http://localhost:1/",
            "http://127.0.0.1/",
            "http://[::1]/",
            "http://169.254.169.254/",
            "http://0/",
            "http://printer/",
        ] {
            assert!(
                look(url, false)
                    .unwrap_err()
                    .to_string()
                    .contains("private network"),
                "{url}"
            );
        }
        let Checked(found) = look("http://localhost:1/", true).unwrap();
        assert!(
            !found.is_empty()
                && found
                    .iter()
                    .all(|address| address.ip().is_loopback() && address.port() == 1)
        );
    }

    #[test]
    fn n_05_the_answer_of_the_name_service_is_checked_too() {
        // The name itself looks public; only its address tells.
        let mut url = Url::parse("http://localhost/").unwrap();
        url.host = "127.0.0.1".to_owned();
        let found = ask(&url, Instant::now() + Duration::from_secs(60)).unwrap();
        assert!(found.iter().all(|address| is_private_address(address.ip())));
        let gone = look_up(
            &Url::parse("http://no-such-host.invalid/").unwrap(),
            false,
            Instant::now() + Duration::from_secs(60),
        );
        assert!(
            gone.unwrap_err()
                .to_string()
                .contains("no-such-host.invalid")
        );
    }
}
