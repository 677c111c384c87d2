//! Heads that are read, and heads that are refused because somebody could read them differently.

use super::*;

fn plain(head: &str) -> (String, u16, String, u64) {
    match read(head.as_bytes()) {
        Ok(Request::Plain {
            host,
            port,
            head,
            body,
        }) => (host, port, String::from_utf8(head).unwrap(), body),
        other => panic!("{head:?} is {other:?}"),
    }
}

#[test]
fn a_tunnel_names_a_host_and_a_port() {
    for (target, host, port) in [
        ("crates.io:443", "crates.io", 443),
        ("CRATES.io.:443", "crates.io", 443),
        ("xn--bcher-kva.example:443", "xn--bcher-kva.example", 443),
        ("a_b.example:65535", "a_b.example", 65535),
        ("203.0.113.5:443", "203.0.113.5", 443),
    ] {
        let head = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
        assert_eq!(
            read(head.as_bytes()),
            Ok(Request::Tunnel {
                host: host.into(),
                port
            }),
            "{target}"
        );
    }
}

#[test]
fn what_is_no_host_and_port_is_refused() {
    for target in [
        "crates.io",
        "crates.io:",
        ":443",
        "crates.io:443/",
        "crates.io:443/path",
        "crates.io:443.evil",
        "crates.io:443:443",
        "crates.io:+443",
        "crates.io:0443",
        "crates.io:00443",
        "crates.io:0",
        "crates.io:65979",
        "crates.io:4294967739",
        "crates.io..:443",
        "crates..io:443",
        ".crates.io:443",
        "user@crates.io:443",
        "user:pw@crates.io:443",
        "evil.com#.crates.io:443",
        "evil.com?.crates.io:443",
        "evil.com/.crates.io:443",
        "evil.com\\.crates.io:443",
        "evil.com%2f.crates.io:443",
        "%63rates.io:443",
        "crates.io%00.evil.com:443",
        "*.crates.io:443",
        "bücher.example:443",
        "crates。io:443",
        "[::1]:443",
        "[fe80::1%25eth0]:443",
        "::1:443",
        "2130706433:443",
        "0x7f000001:443",
        "0x7f.1:443",
        "127.1:443",
        "0177.0.0.1:443",
        "127.0.0.01:443",
        "127.0.0.1.:443",
        "1.2.3.4.5:443",
        "a.0x:443",
        "http://crates.io:443",
        "https://crates.io",
    ] {
        for tail in ["\r\n\r\n", "\r\nHost: crates.io:443\r\n\r\n"] {
            let head = format!("CONNECT {target} HTTP/1.1{tail}");
            assert!(read(head.as_bytes()).is_err(), "{target}");
        }
        let head = format!("GET http://{target}/ HTTP/1.1\r\nHost: crates.io\r\n\r\n");
        let read = read(head.as_bytes());
        // An address may have a path, so some of these name another host there, which is then judged.
        let other = matches!(&read, Ok(Request::Plain { host, .. }) if host != "crates.io" || target.starts_with("crates.io"));
        assert!(read.is_err() || other, "{target}: {read:?}");
    }
    assert!(
        read(format!("CONNECT {}.example:443 HTTP/1.1\r\n\r\n", "a".repeat(64)).as_bytes())
            .is_err()
    );
    assert!(
        read(format!("CONNECT {}example:443 HTTP/1.1\r\n\r\n", "a.".repeat(124)).as_bytes())
            .is_err()
    );
}

#[test]
fn a_plain_request_is_written_anew() {
    let (host, port, head, body) = plain(
        "POST HTTP://Allowed.ORG:80?q=1 HTTP/1.1\r\nHost: evil.example\r\nX-One:  two \r\nProxy-Authorization: Basic x\r\n\
         Connection: keep-alive, X-One\r\nUpgrade: websocket\r\nContent-Length: 5\r\nProxy-Connection: keep-alive\r\n\r\n",
    );
    assert_eq!((host.as_str(), port, body), ("allowed.org", 80, 5));
    assert_eq!(
        head,
        "POST /?q=1 HTTP/1.1\r\nHost: allowed.org\r\nx-one: two\r\ncontent-length: 5\r\nConnection: close\r\n\r\n"
    );
    let (_, _, head, body) = plain("GET http://allowed.org HTTP/1.0\r\n\r\n");
    assert_eq!(
        (head.as_str(), body),
        (
            "GET / HTTP/1.0\r\nHost: allowed.org\r\nConnection: close\r\n\r\n",
            0
        )
    );
    let (_, port, head, _) = plain("GET http://allowed.org:8080/a//b/../c HTTP/1.1\r\n\r\n");
    assert_eq!(
        (port, head.as_str()),
        (
            8080,
            "GET /a//b/../c HTTP/1.1\r\nHost: allowed.org:8080\r\nConnection: close\r\n\r\n"
        )
    );
}

#[test]
fn nominating_a_header_does_not_take_the_length_away() {
    let (_, _, head, body) = plain(
        "POST http://a.org/ HTTP/1.1\r\nConnection: content-length, host\r\nContent-Length: 3\r\n\r\n",
    );
    assert_eq!(body, 3);
    assert!(
        head.contains("content-length: 3\r\n") && head.contains("Host: a.org\r\n"),
        "{head}"
    );
}

#[test]
fn what_could_be_read_in_two_ways_is_refused() {
    let first = "POST http://a.org/ HTTP/1.1\r\n";
    for rest in [
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 50\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length:\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Content-Length : 5\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "transfer-encoding:\tchunked\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer\u{b}-Encoding: chunked\r\n",
        "X: y\r\n Transfer-Encoding: chunked\r\n",
        "X: y\r\n\tfolded\r\n",
        " X: y\r\n",
        "X: y\nContent-Length: 5\r\n",
        "X: y\rContent-Length: 5\r\n",
        "X: y\0\r\n",
        "X\0: y\r\n",
        "X y\r\n",
        ": y\r\n",
        "Host: a.org\r\nHost: b.org\r\n",
    ] {
        let head = format!("{first}{rest}\r\n");
        assert!(read(head.as_bytes()).is_err(), "{rest:?}");
    }
    for first in [
        "",
        " ",
        "GET",
        "GET http://a.org/",
        "GET http://a.org/ HTTP/1.1 ",
        "GET  http://a.org/ HTTP/1.1",
        " GET http://a.org/ HTTP/1.1",
        "GET\thttp://a.org/ HTTP/1.1",
        "GET http://a.org/\t HTTP/1.1",
        "GET http://a.org/ HTTP/2",
        "GET http://a.org/ HTTP/1.2",
        "GET http://a.org/ http/1.1",
        "get http://a.org/ HTTP/1.1",
        "G\0T http://a.org/ HTTP/1.1",
        "GET http://a.org/\0 HTTP/1.1",
        "GET / HTTP/1.1",
        "GET * HTTP/1.1",
        "GET a.org HTTP/1.1",
        "GET a.org:80 HTTP/1.1",
        "GET //a.org/ HTTP/1.1",
        "GET https://a.org/ HTTP/1.1",
        "GET ftp://a.org/ HTTP/1.1",
        "GET http:///a.org/ HTTP/1.1",
        "GET http:/a.org/ HTTP/1.1",
        "GET http:\\\\a.org/ HTTP/1.1",
        "GET http://a.org\\@evil.org/ HTTP/1.1",
        "GET http://evil.org@a.org/ HTTP/1.1",
        "GET http://a.org/#x HTTP/1.1",
        "GET http://a.org#@evil.org/ HTTP/1.1",
        "CONNECT a.org:443 HTTP/1.1\r\nContent-Length: 5",
        "CONNECT a.org:443 HTTP/1.1\r\nTransfer-Encoding: chunked",
    ] {
        let head = format!("{first}\r\n\r\n");
        assert!(read(head.as_bytes()).is_err(), "{first:?}");
    }
    assert!(read(b"GET http://a.org/ HTTP/1.1\r\n").is_err(), "no end");
    assert!(
        read(b"GET http://a\xff.org/ HTTP/1.1\r\n\r\n").is_err(),
        "no text"
    );
    assert!(
        read(b"GET http://a.org/\xc3\xbc HTTP/1.1\r\nX: \xc3\xbc\r\n\r\n").is_ok(),
        "a path and a value may be any"
    );
}

proptest::proptest! {
    /// Whatever is read, the head that goes on has one request in it, one host, and it is the one that was judged.
    #[test]
    fn whatever_comes_one_request_goes_on(target in "(http://|)[a-z.:/@#%\\\\ ]{0,24}", headers in "([A-Za-z-]{1,8}[: \t]{1,2}[ -~\r\n\t]{0,12}\r\n){0,4}") {
        let text = format!("GET {target} HTTP/1.1\r\n{headers}\r\n");
        if let Ok(Request::Plain { host, head, .. }) = read(text.as_bytes()) {
            let head = String::from_utf8(head).unwrap();
            proptest::prop_assert_eq!(head.matches("\r\n\r\n").count(), 1);
            proptest::prop_assert_eq!(head.matches('\n').count(), head.matches("\r\n").count());
            let hosts: Vec<&str> = head.lines().filter(|line| line.to_ascii_lowercase().starts_with("host:")).collect();
            proptest::prop_assert_eq!(hosts.len(), 1);
            proptest::prop_assert!(hosts[0].strip_prefix("Host: ").unwrap().starts_with(&host));
        }
    }
}
