//! A strict reader of `http` and `https` addresses: what it cannot read exactly as every client would, it refuses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address of the web, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Url {
    /// As it was written.
    pub written: String,
    /// `http` or `https`.
    pub scheme: String,
    /// The host in lowercase without a trailing dot; IP addresses in their usual form.
    pub host: String,
    /// The port, also where it is the scheme's own.
    pub port: u16,
    /// The path with its query, from the first `/`; at least `/`. The fragment is left out, since it is never sent.
    pub path: String,
    /// The host is an IP address.
    pub address: Option<IpAddr>,
    /// Part of the path or the query is only known when it runs, so that it may be any page of the host.
    pub open: bool,
}

/// Why an address was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadUrl(pub String);

impl Url {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Url, BadUrl> {
        let bad = |why: &str| Err(BadUrl(why.to_owned()));
        if text.len() > 16 * 1024 {
            return bad("the address is longer than 16 KiB");
        }
        if text
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
        {
            return bad("the address holds a space, a backslash or a control character");
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return bad("the address has no scheme such as `https://`");
        };
        let scheme = scheme.to_ascii_lowercase();
        let own_port = match scheme.as_str() {
            "http" => 80,
            "https" => 443,
            _ => return Err(BadUrl(format!("`{scheme}` is not http or https"))),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        if authority.contains('@') {
            return bad("the address carries a user name, which hides the real host");
        }
        let (host, port) = split_port(authority)?;
        let port = match port {
            None => own_port,
            Some(digits) => match digits.parse::<u16>() {
                Ok(port) if port > 0 && digits.bytes().all(|b| b.is_ascii_digit()) => port,
                _ => return bad("the port is not a number from 1 to 65535"),
            },
        };
        let (host, address) = read_host(host)?;
        let sent = tail.split('#').next().unwrap_or("");
        let path = if sent.starts_with('/') {
            sent.to_owned()
        } else {
            format!("/{sent}")
        };
        if has_dot_segments(&path) {
            return bad("the path holds `.` or `..`, which clients resolve differently");
        }
        Ok(Url {
            written: text.to_owned(),
            scheme,
            host,
            port,
            path,
            address,
            open: false,
        })
    }

    /// Whether the host is this machine or a private network, as far as its name tells.
    pub fn is_private(&self) -> bool {
        match self.address {
            Some(address) => is_private_address(address),
            None => {
                const LOCAL: [&str; 7] = [
                    "localhost",
                    "local",
                    "internal",
                    "intranet",
                    "lan",
                    "home.arpa",
                    "localdomain",
                ];
                let host = self.host.as_str();
                !host.contains('.')
                    || LOCAL.iter().any(|name| {
                        host.strip_suffix(name)
                            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                    })
            }
        }
    }
}

/// Host and port of an authority; brackets are taken off an IPv6 address by [`read_host`].
fn split_port(authority: &str) -> Result<(&str, Option<&str>), BadUrl> {
    if let Some(after) = authority.strip_prefix('[') {
        let Some((_, port)) = after.split_once(']') else {
            return Err(BadUrl("the IPv6 address is not closed by `]`".into()));
        };
        let host = authority
            .get(..authority.len() - port.len())
            .unwrap_or(authority);
        return match port.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if port.is_empty() => Ok((host, None)),
            None => Err(BadUrl("there is text between the host and its port".into())),
        };
    }
    Ok(match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    })
}

fn read_host(host: &str) -> Result<(String, Option<IpAddr>), BadUrl> {
    if let Some(inner) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let address: Ipv6Addr = inner
            .parse()
            .map_err(|_| BadUrl(format!("`{inner}` is not an IPv6 address")))?;
        let address = address
            .to_ipv4_mapped()
            .map_or(IpAddr::V6(address), IpAddr::V4);
        return Ok((address.to_string(), Some(address)));
    }
    let host = host.to_ascii_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host);
    if host.is_empty() || host.len() > 253 {
        return Err(BadUrl("the host is empty or too long".into()));
    }
    let fits = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    if !host.split('.').all(fits) {
        return Err(BadUrl(format!("`{host}` is not a plain host name")));
    }
    // Clients read a host whose last label is a number as an IPv4 address, in many notations.
    let last = host.rsplit('.').next().unwrap_or("");
    if number(last).is_some() || last.bytes().all(|b| b.is_ascii_digit()) {
        let address =
            loose_v4(host).ok_or_else(|| BadUrl(format!("`{host}` is not an IPv4 address")))?;
        return Ok((address.to_string(), Some(IpAddr::V4(address))));
    }
    Ok((host.to_owned(), None))
}

/// An IPv4 address in any notation that clients take: `127.1`, `0x7f000001`, `2130706433`, `0177.0.0.1`.
fn loose_v4(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, lead) = parts.split_last()?;
    if lead.len() > 3 || lead.iter().any(|part| *part > 255) {
        return None;
    }
    let width = 8 * (4 - u32::try_from(lead.len()).ok()?);
    if *last >= 1u64 << width {
        return None;
    }
    let high = lead.iter().fold(0u64, |sum, part| sum << 8 | part);
    u32::try_from(high << width | last).ok().map(Ipv4Addr::from)
}

fn number(text: &str) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return if hex.is_empty() {
            Some(0)
        } else {
            u64::from_str_radix(hex, 16).ok()
        };
    }
    if !text.bytes().all(|b| b.is_ascii_digit()) || text.is_empty() {
        return None;
    }
    if text.len() > 1 && text.starts_with('0') {
        return u64::from_str_radix(text, 8).ok();
    }
    text.parse().ok()
}

/// Whether an address leads to this machine, to a private network, or nowhere in particular; also where it is an IPv4 address in the clothes
/// of an IPv6 one.
pub fn is_private_address(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => private_v4(address),
        IpAddr::V6(address) => private_v6(address),
    }
}

fn private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_multicast()
        || a == 0
        || (a == 100 && (64..128).contains(&b)) // Carrier networks.
        || (a == 192 && b == 0 && c == 0) // Protocol assignments.
        || (a == 198 && (b == 18 || b == 19)) // Benchmarks.
        || a >= 240
}

fn private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [first, second, ..] = segments;
    // Addresses that carry an IPv4 one inside lead where that one leads: 64:ff9b::/96 and 2002::/16.
    let low = address.octets();
    let inner = |at: usize| match low.get(at..at + 4) {
        Some(&[a, b, c, d]) => private_v4(Ipv4Addr::new(a, b, c, d)),
        _ => true,
    };
    if segments.get(..6) == Some(&[0x64, 0xff9b, 0, 0, 0, 0]) {
        return inner(12);
    }
    // All that is public is in 2000::/3: not loopback, unspecified, unique local, link local, site local, multicast, `::a.b.c.d`.
    first & 0xe000 != 0x2000
        || (first == 0x2002 && inner(2))
        || (first == 0x2001 && second == 0) // Teredo.
        || segments.get(5) == Some(&0x5efe) // ISATAP.
}

/// Whether a path has a `.` or `..` segment, also when percent-encoded.
fn has_dot_segments(path: &str) -> bool {
    let only_path = path.split('?').next().unwrap_or("");
    only_path.split('/').any(|segment| {
        let plain = segment.to_ascii_lowercase().replace("%2e", ".");
        plain == "."
            || plain == ".."
            || plain.contains("%00")
            || plain.contains("%2f") && plain.contains("..")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_address_is_taken_apart() {
        let url = Url::parse("HTTPS://Docs.Rust-Lang.org:8443/std/?q=1#x").unwrap();
        assert_eq!(
            (
                url.scheme.as_str(),
                url.host.as_str(),
                url.port,
                url.path.as_str()
            ),
            ("https", "docs.rust-lang.org", 8443, "/std/?q=1")
        );
        assert!(!url.is_private());
        assert_eq!(Url::parse("http://a.example").unwrap().path, "/");
    }

    #[test]
    fn h_70_private_addresses_are_known_in_every_notation() {
        for text in [
            "http://127.0.0.1/",
            "http://127.1",
            "http://2130706433/",
            "http://0x7f000001",
            "http://0177.0.0.1/",
            "http://localhost:5050/",
            "http://169.254.169.254/latest",
            "http://10.0.0.1",
            "http://192.168.1.1",
            "http://172.20.0.1",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fe80::1]/",
            "http://[fd00::1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://0/",
            "http://api.localhost/",
            "http://metadata.google.internal/",
            "http://printer/",
            "http://LOCALHOST./",
            "http://100.64.0.1/",
        ] {
            assert!(Url::parse(text).unwrap().is_private(), "{text}");
        }
        for text in [
            "http://8.8.8.8/",
            "https://example.com/",
            "http://[2606:4700::1111]/",
            "https://localhost.example.com/",
        ] {
            assert!(!Url::parse(text).unwrap().is_private(), "{text}");
        }
    }

    #[test]
    fn n_06_addresses_are_told_apart() {
        for text in [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "::8.8.8.8",
            "64:ff9b::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::8.8.8.8",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2002:a9fe:a9fe::",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:0:4136:e378::1",
            "2a00::5efe:a00:1",
            "100::1",
            "5f00::1",
            "4000::1",
        ] {
            assert!(is_private_address(text.parse().unwrap()), "{text}");
        }
        for text in [
            "8.8.8.8",
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "198.17.0.1",
            "223.255.255.1",
            "169.253.1.1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860::8888",
        ] {
            assert!(!is_private_address(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn h_70_what_clients_read_differently_is_refused() {
        for text in [
            "file:///etc/passwd",
            "http://user@evil/",
            "http://a.example@evil.example/",
            "http://exa\u{442}ple.com/",
            "http://a b/",
            "http://a.example\\@evil/",
            "http://a.example:0/",
            "http://a.example:99999/",
            "http://",
            "//a.example/",
            "javascript:alert(1)",
            "http://a.example/\u{0}",
            "http://a..b/",
            "http://1.2.3.4.5/",
            "http://256.1.1.1/",
            "http://a.example/../x",
            "http://a.example/%2e%2e/x",
            "http://[::1",
            "ftp://a.example/",
            "http://a%00.example/",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }
}
