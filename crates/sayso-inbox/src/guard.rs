//! Looks at the headers of a request over TCP before its sender is looked at.

use hyper::HeaderMap;

use super::problem::Problem;
use sayso_runtime::host_names::Names;

/// Lets a request to this server through, or says why not.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(names: &Names, headers: &HeaderMap, is_start: bool) -> Result<(), Problem> {
    let all = |name: &str| -> Vec<Option<&str>> {
        headers
            .get_all(name)
            .iter()
            .map(|value| value.to_str().ok())
            .collect()
    };
    // What cannot be read is no try to do what somebody may not.
    names
        .check(all, is_start)
        .map_err(|refusal| match refusal.kind {
            "unreadable" => Problem::unreadable(refusal.detail),
            kind => Problem::refused(refusal.status, kind, refusal.detail),
        })
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
        check(&Names::of(7297), &headers, is_start)
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
