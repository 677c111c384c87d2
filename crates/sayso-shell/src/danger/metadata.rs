//! The address of a cloud's metadata service, which hands out the machine's own credentials, in every spelling that a client takes.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The service of AWS, Azure, Google and others, of containers there, of Alibaba, and of Oracle.
const ADDRESSES: [Ipv4Addr; 6] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(169, 254, 0, 23),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];
const NAMES: [&str; 7] = [
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
    "metadata.platformequinix.com",
    "metadata.packet.net",
];
/// Names below which any address stands for itself.
const MIRRORS: [&str; 4] = ["nip.io", "sslip.io", "xip.io", "localtest.me"];
/// No host is longer.
const LONGEST: usize = 2048;

/// Whether a word is the service, or an address there.
pub(crate) fn is_named(word: &str) -> bool {
    // Most words have no digit and no such name.
    if word.len() > LONGEST
        || !word.bytes().any(|byte| byte.is_ascii_digit())
            && !word.contains("metadata")
            && !word.contains("instance-data")
    {
        return false;
    }
    host(word).is_some_and(|host| is_service(&host.to_ascii_lowercase()))
}

/// The host of an address, with or without a scheme.
fn host(word: &str) -> Option<&str> {
    let word = word
        .strip_prefix("/dev/tcp/")
        .or_else(|| word.strip_prefix("/dev/udp/"))
        .unwrap_or(word);
    let rest = word.split_once("://").map_or(word, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\', '$']).next()?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None if host.matches(':').count() > 1 => Some(host),
        None => host.split(':').next(),
    }
}

fn is_service(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    if NAMES.contains(&host) || address(host).is_some_and(|address| ADDRESSES.contains(&address)) {
        return true;
    }
    let mirrored = MIRRORS
        .iter()
        .find_map(|mirror| host.strip_suffix(mirror)?.strip_suffix('.'));
    if let Some(name) = mirrored {
        let plain = name.replace('-', ".");
        let last: Vec<&str> = plain.rsplit('.').take(4).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return address(&last.join(".")).is_some_and(|address| ADDRESSES.contains(&address));
    }
    let Ok(six) = host.split('%').next().unwrap_or(host).parse::<Ipv6Addr>() else {
        return false;
    };
    // `fd00:ec2::254` and `::23` are the services of AWS, `fd20:ce::254` that of Google.
    six.to_ipv4().is_some_and(|four| ADDRESSES.contains(&four))
        || six.segments().starts_with(&[0x64, 0xff9b]) && ends_with_service(&six)
        || matches!(
            six.segments(),
            [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254 | 0x23] | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254]
        )
}

fn ends_with_service(six: &Ipv6Addr) -> bool {
    let [.., a, b, c, d] = six.octets();
    ADDRESSES.contains(&Ipv4Addr::new(a, b, c, d))
}

/// An address as `inet_aton` reads it: one to four numbers, each decimal, octal or hexadecimal, the last of which fills what is left.
fn address(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u32> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return None;
    }
    let high = first.iter().fold(0u32, |sum, part| (sum << 8) | part);
    let bits = 8 * (4 - first.len() as u32);
    let fits = bits == 32 || *last < 1 << bits;
    let shifted = if bits == 32 { 0 } else { high << bits };
    fits.then(|| Ipv4Addr::from(shifted | last))
}

fn number(part: &str) -> Option<u32> {
    match part.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u32::from_str_radix(part, 8).ok(),
        None => part.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn every_spelling_is_the_service() {
        for word in [
            "169.254.169.254",
            "http://169.254.169.254/latest/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://169.16689662/",
            "http://0xA9.0xFE.0xA9.0xFE:80/",
            "http://user@169.254.169.254./x",
            "http://[fd00:ec2::254]/latest",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[::ffff:169.254.169.254]/",
            "http://metadata.google.internal/x",
            "http://169-254-169-254.sslip.io/",
            "http://x.169.254.169.254.nip.io/",
            "/dev/tcp/169.254.169.254/80",
            "http://100.100.100.200/",
            "http://169.254.170.2$URI",
        ] {
            assert!(is_named(word), "{word}");
        }
        for word in [
            "http://169.254.169.253/",
            "http://example.com/169.254.169.254",
            "metadata",
            "metadata.json",
            "127.0.0.1",
            "1.2",
            "http://localhost:8080/metadata",
            "2024",
        ] {
            assert!(!is_named(word), "{word}");
        }
    }
}
