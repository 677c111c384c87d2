//! What every request over TCP has to be before anybody looks at who sends it: to this server, and not from another page.

use hyper::HeaderMap;

use super::problem::Problem;

/// The names of this server, with its port.
#[derive(Clone, Debug)]
pub(crate) struct Names(Vec<String>);

impl Names {
    /// Those of a port of this machine.
    pub(crate) fn of(port: u16) -> Names {
        Names(
            ["127.0.0.1", "localhost", "[::1]"]
                .iter()
                .map(|name| format!("{name}:{port}"))
                .collect(),
        )
    }

    fn has(&self, host: &str) -> bool {
        self.0.iter().any(|name| name.eq_ignore_ascii_case(host))
    }

    /// The same for a gateway, where those of other machines may be let in by any name.
    ///
    /// # Errors
    /// The status of HTTP, and what is wrong with it.
    pub(crate) fn allows(&self, headers: &HeaderMap, any_host: bool) -> Result<(), (u16, String)> {
        if any_host && headers.get("origin").is_none() {
            return Ok(());
        }
        self.check(headers, false)
            .map_err(|problem| (problem.status, problem.detail.clone()))
    }

    /// Lets a request through, or says why not. A name that leads here by a server of somebody else's is not one of ours (DNS rebinding), and
    /// a page of another origin, also one of another port of this machine, sends nothing.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check(&self, headers: &HeaderMap, is_start: bool) -> Result<(), Problem> {
        let text = |name: &str| -> Result<Option<&str>, Problem> {
            let mut all = headers.get_all(name).iter();
            let first = all
                .next()
                .map(|value| {
                    value
                        .to_str()
                        .map_err(|_| Problem::unreadable(format!("`{name}` cannot be read")))
                })
                .transpose()?;
            if all.next().is_some() {
                return Err(Problem::unreadable(format!("`{name}` stands there twice")));
            }
            Ok(first)
        };
        let host = text("host")?.unwrap_or_default();
        if !self.has(host) {
            return Err(Problem::refused(
                421,
                "host",
                format!("`{host}` is none of the names of this server"),
            ));
        }
        if let Some(origin) = text("origin")?
            && !origin
                .strip_prefix("http://")
                .is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        {
            return Err(Problem::refused(
                403,
                "origin",
                format!("it comes from another page, `{origin}`"),
            ));
        }
        // The first page may be opened by a link from anywhere; there is nothing in it.
        match text("sec-fetch-site")? {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) if is_start => Ok(()),
            Some(site) => Err(Problem::refused(
                403,
                "origin",
                format!("it comes from another page (`{site}`)"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    fn status(lines: &[(&'static str, &str)], is_start: bool) -> u16 {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        Names::of(7297)
            .check(&headers, is_start)
            .err()
            .map_or(200, |problem| problem.status)
    }

    #[test]
    fn only_requests_to_this_server_from_its_own_page() {
        let host = ("host", "127.0.0.1:7297");
        assert_eq!(status(&[host], false), 200);
        assert_eq!(
            status(
                &[
                    ("host", "LOCALHOST:7297"),
                    ("origin", "http://localhost:7297")
                ],
                false
            ),
            200
        );
        for wrong in [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:7297",
            "127.0.0.1:7297.evil.example",
            "localhost:7297@evil",
            "0.0.0.0:7297",
        ] {
            assert_eq!(status(&[("host", wrong)], false), 421, "{wrong}");
        }
        assert_eq!(status(&[], false), 421);
        assert_eq!(status(&[host, host], false), 400);
        for wrong in [
            "null",
            "http://evil.example",
            "http://127.0.0.1:3000",
            "https://127.0.0.1:7297",
            "http://localhost:7297",
            "",
        ] {
            assert_eq!(status(&[host, ("origin", wrong)], false), 403, "{wrong}");
        }
        assert_eq!(
            status(&[host, ("sec-fetch-site", "same-site")], false),
            403,
            "another port of this machine"
        );
        assert_eq!(status(&[host, ("sec-fetch-site", "cross-site")], true), 200);
        assert_eq!(
            status(&[host, ("sec-fetch-site", "same-origin")], false),
            200
        );
    }
}
