//! The host that a line of an output names, where it tells that one was not reached.

use crate::explain::line::{self, Line};
use crate::host_name;

/// What stands before the name of a host, in small letters.
const BEFORE: [&str; 10] = [
    "resolving ",
    "resolve hostname ",
    "resolve host address ",
    "resolve host: ",
    "resolve host ",
    "lookup ",
    "://",
    "host=",
    "connect to ",
    "ping: ",
];

/// A host, as it is compared with lists; none if no word of the line is certain to be one.
pub(super) fn of(line: &Line<'_>) -> Option<String> {
    let after = line.text.get(line.to..).unwrap_or_default();
    // `getaddrinfo ENOTFOUND name`, `UnknownHostException: name`, `Temporary failure resolving 'name'`.
    let directly = line.small.get(line.from..line.to).is_some_and(|words| {
        words.starts_with("getaddrinfo")
            || words == "unknownhostexception"
            || words == "temporary failure resolving"
    });
    let behind = BEFORE.iter().filter_map(|words| {
        line.small
            .find(words)
            .and_then(|at| line.text.get(at + words.len()..))
    });
    let quoted = line::quoted(line.text)
        .into_iter()
        .map(|(_, name)| name)
        .filter(|name| name.contains('.') && !name.contains('/'));
    directly
        .then_some(after)
        .into_iter()
        .chain(behind)
        .chain(quoted)
        .find_map(first_name)
}

/// Whether it is the command's own machine, which is there in every sandbox.
pub(super) fn is_own(host: &str) -> bool {
    host == "localhost"
        || host.ends_with(".localhost")
        || host.starts_with("127.")
        || host == "0.0.0.0"
}

fn first_name(text: &str) -> Option<String> {
    let text = text.trim_start_matches([':', ' ', '\'', '"', '`', '\u{2018}', '\u{201C}', '(']);
    // `//user@host`.
    let end = text
        .find(|one: char| !(one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '_' | '@')))
        .unwrap_or(text.len());
    let name = text.get(..end)?.rsplit('@').next()?;
    // A single word is a name only where it cannot be another.
    let host = host_name::read(name)?;
    (host.contains('.') || host == "localhost").then_some(host)
}
