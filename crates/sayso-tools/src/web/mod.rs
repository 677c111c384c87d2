//! Fetches one address of the web: only GET, only where the caller lets each step go, and never more than a bounded answer.

mod addresses;
mod content;
mod error;
mod get;
mod location;

use std::error::Error;
use std::time::{Duration, Instant};

use sayso_core::call::url::Url;

use crate::result::ToolResult;

use addresses::Checked;
pub use error::FetchError;

/// Says of an address that a redirect leads to why it may not be followed, if so.
pub type Hop<'a> = dyn Fn(&Url) -> Result<(), Box<dyn Error + Send + Sync>> + 'a;

/// How far a fetch may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long all of it may take: names, redirects and the last byte.
    pub time: Duration,
    /// The longest answer in bytes, after unpacking.
    pub most_bytes: usize,
    /// The longest head of an answer in bytes.
    pub most_head: usize,
    /// How many redirects are followed.
    pub most_redirects: usize,
    /// Whether addresses of this machine and of private networks may be reached where the call names one; the policy knows.
    pub private: bool,
    /// Whether they may be reached also through a name that does not look like it. Nobody was asked about that.
    pub private_by_name: bool,
}

/// How long looking a host up, and connecting to each of its addresses, may take for [`connect`].
const CONNECTING: Duration = Duration::from_secs(20);

impl Default for Limits {
    fn default() -> Self {
        let (most_bytes, most_head) = (5 * 1024 * 1024, 64 * 1024);
        Limits {
            time: Duration::from_secs(30),
            most_bytes,
            most_head,
            most_redirects: 5,
            private: false,
            private_by_name: false,
        }
    }
}

impl Limits {
    /// Whether this address may turn out to be a private one: where it looks like one it was judged as one.
    fn may_be_private(&self, url: &Url) -> bool {
        self.private && (self.private_by_name || url.is_private())
    }
}

/// Fetches an address that was approved. Every redirect is given to `hop`, which says why it may not be followed if so.
///
/// No cookie, password or proxy is sent along, whatever the environment says. Names are looked up once, and what is connected to is exactly
/// what was checked.
pub fn fetch(url: &str, limits: &Limits, hop: &Hop<'_>) -> ToolResult {
    let look =
        |url: &Url, until: Instant| addresses::look_up(url, limits.may_be_private(url), until);
    follow(url, limits, hop, &look).unwrap_or_else(|why| ToolResult::failed(why.to_string()))
}

fn follow(
    text: &str,
    limits: &Limits,
    hop: &Hop<'_>,
    look: &dyn Fn(&Url, Instant) -> Result<Checked, FetchError>,
) -> Result<ToolResult, FetchError> {
    let until = Instant::now()
        .checked_add(limits.time)
        .ok_or(FetchError::NoEnd)?;
    let mut url = Url::parse(text).map_err(|why| FetchError::BadUrl {
        url: text.to_owned(),
        why,
    })?;
    for _ in 0..=limits.most_redirects {
        let checked = look(&url, until)?;
        let answer = get::get(&url, checked, limits, until)?;
        let Some(target) = answer.redirect() else {
            return answer.read(&url, limits, until);
        };
        url = next(&url, &target)?;
        hop(&url).map_err(|why| FetchError::NotFollowed {
            to: url.written.clone(),
            why,
        })?;
    }
    Err(FetchError::TooManyRedirects {
        url: text.to_owned(),
        last: url.written,
        most: limits.most_redirects,
    })
}

/// A connection to a host of the open internet: looked up once, and never to this machine or a private network.
///
/// # Errors
/// In words, why there is none.
pub fn connect(host: &str, port: u16) -> Result<std::net::TcpStream, FetchError> {
    let url = Url::parse(&format!("https://{host}:{port}/"))
        .map_err(|_| FetchError::NotHost(host.to_owned()))?;
    let addresses = addresses::look_up(&url, false, Instant::now() + CONNECTING)?.0;
    let mut last = None;
    for address in addresses {
        match std::net::TcpStream::connect_timeout(&address, CONNECTING) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    Err(FetchError::Unreachable {
        host: host.to_owned(),
        last,
    })
}

/// Where a redirect leads.
fn next(url: &Url, target: &str) -> Result<Url, FetchError> {
    let to = location::join(url, target);
    match Url::parse(&to) {
        Err(why) => Err(FetchError::BadRedirect { to, why }),
        Ok(next) if url.scheme == "https" && next.scheme == "http" => {
            Err(FetchError::Downgraded { to })
        }
        Ok(next) => Ok(next),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener};

    use super::*;

    /// A server for two requests, at an address that nobody may reach.
    fn redirecting(to: &str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, answer) = (
            listener.local_addr().unwrap(),
            format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"),
        );
        std::thread::spawn(move || {
            for stream in listener.incoming().take(2) {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        address
    }

    #[test]
    fn n_05_a_public_address_cannot_lead_to_a_private_one() {
        for to in [
            "http://127.0.0.1:1/",
            "http://169.254.169.254/latest/",
            "http://localhost/",
            "http://[::ffff:10.0.0.1]/",
            "http://2130706433/",
        ] {
            let server = redirecting(to);
            let look = |url: &Url, until: Instant| match url.host.as_str() {
                // A public name, as far as this fetch knows.
                "public.example" => Ok(Checked(vec![server])),
                _ => addresses::look_up(url, false, until),
            };
            let error = follow(
                "http://public.example/",
                &Limits::default(),
                &|_| Ok(()),
                &look,
            )
            .unwrap_err()
            .to_string();
            assert!(
                error.contains(to) && error.contains("private network"),
                "{to}: {error}"
            );
        }
    }

    #[test]
    fn n_05_a_name_that_looks_public_was_not_asked_about_as_a_private_one() {
        let (named, public) = (
            Url::parse("http://127.0.0.1/").unwrap(),
            Url::parse("http://public.example/").unwrap(),
        );
        let limits = |private, private_by_name| Limits {
            private,
            private_by_name,
            ..Limits::default()
        };
        for (limits, of_named, of_public) in [
            (limits(false, false), false, false),
            (limits(true, false), true, false),
            (limits(true, true), true, true),
            (limits(false, true), false, false),
        ] {
            assert_eq!(
                (
                    limits.may_be_private(&named),
                    limits.may_be_private(&public)
                ),
                (of_named, of_public),
                "{limits:?}"
            );
        }
    }

    #[test]
    fn n_05_the_connection_goes_to_what_was_checked() {
        let server = redirecting("file:///etc/passwd");
        // No such name exists: were it looked up again, nothing would answer.
        let look = |_: &Url, _: Instant| Ok(Checked(vec![server]));
        let error = follow(
            "http://no-such-host.invalid:7/",
            &Limits::default(),
            &|_| Ok(()),
            &look,
        )
        .unwrap_err()
        .to_string();
        assert!(
            error.contains("redirects to `file:///etc/passwd`"),
            "{error}"
        );
    }

    #[test]
    fn redirects_that_lead_astray_are_refused() {
        let base = Url::parse("https://a.example/x").unwrap();
        for target in [
            "http://a.example/x",
            "file:///etc/passwd",
            "//u:p@b.example/",
            "ftp://b.example/",
            "https://b.example/../x",
            "https://",
            "gopher:x",
        ] {
            assert!(
                next(&base, target)
                    .unwrap_err()
                    .to_string()
                    .contains("was not followed"),
                "{target}"
            );
        }
        assert_eq!(
            next(&base, "//b.example/y").unwrap().written,
            "https://b.example/y"
        );
        assert!(
            next(
                &Url::parse("http://a.example/").unwrap(),
                "https://a.example/"
            )
            .is_ok()
        );
    }
}
