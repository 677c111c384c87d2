//! Names of hosts, read strictly: what two programs could read differently is none.

use std::net::Ipv4Addr;

/// The name of a host in small letters, without a dot at its end.
///
/// Names with other than plain letters come in their `xn--` form. An address is one only in its plain form of four numbers; what ends in a
/// number otherwise is an address to some programs and a name to others. Addresses of six are never taken: a list of hosts has none.
pub(crate) fn read(text: &str) -> Option<String> {
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if name.len() > 253 || !name.split('.').all(is_label) {
        return None;
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit())
        || last
            .strip_prefix("0x")
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if is_number && (name.len() != text.len() || !is_address(&name)) {
        return None;
    }
    Some(name)
}

/// Whether a host is named by its address.
pub(crate) fn is_address(host: &str) -> bool {
    host.parse::<Ipv4Addr>()
        .is_ok_and(|address| address.to_string() == host)
}
