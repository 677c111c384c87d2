//! Whether a program in another language talks to a network: by what it imports and calls, and not by words that only look alike.

use super::is_call;
use crate::unparsed::split::Segment;

/// Modules for networks. They count where they are imported, or where a name of theirs is used.
const MODULES: [&str; 30] = [
    "requests",
    "urllib",
    "urllib2",
    "urllib3",
    "http.client",
    "httplib",
    "httplib2",
    "httpx",
    "aiohttp",
    "socket",
    "socketserver",
    "websocket",
    "websockets",
    "axios",
    "node-fetch",
    "undici",
    "superagent",
    "net/http",
    "net::http",
    "open-uri",
    "faraday",
    "httparty",
    "lwp",
    "http::tiny",
    "smtplib",
    "ftplib",
    "telnetlib",
    "paramiko",
    "pycurl",
    "xmlrpc",
];

/// Modules whose names are too plain to count where they are not imported.
const IMPORTED: [&str; 8] = [
    "http", "https", "net", "tls", "dgram", "http2", "got", "request",
];

/// Calls that reach a network, by the end of their names.
const CALLS: [&str; 24] = [
    "urlopen",
    "urlretrieve",
    "create_connection",
    "open_connection",
    "file_get_contents",
    "fsockopen",
    "stream_socket_client",
    "curl_exec",
    "curl_init",
    "http.request",
    "https.request",
    "http.get",
    "https.get",
    "net.connect",
    "net.createconnection",
    "tls.connect",
    "deno.connect",
    "bun.connect",
    "xmlhttprequest",
    "websocket",
    "eventsource",
    "sendbeacon",
    "tcpsocket.new",
    "axios",
];

/// What `fetch` may be called on and still be the one that everybody has: a cursor has a `fetch` of its own.
const HOLDERS: [&str; 5] = ["window", "globalthis", "global", "self", "top"];

/// Whether any of these pieces of a program imports or calls something for networks.
pub(crate) fn talks<'s>(segments: impl Iterator<Item = &'s Segment>) -> bool {
    let mut imports_next = false;
    for segment in segments {
        if talks_in(segment, imports_next) {
            return true;
        }
        imports_next = segment.words.last().is_some_and(|word| {
            let lower = word.to_ascii_lowercase();
            [
                "require",
                "import",
                "__import__",
                "import_module",
                "requireone",
            ]
            .iter()
            .any(|name| is_call(&lower, name))
        });
    }
    false
}

fn talks_in(segment: &Segment, mut imported: bool) -> bool {
    for (at, word) in segment
        .words
        .iter()
        .filter(|word| word.len() < 256)
        .enumerate()
    {
        let lower = word.to_ascii_lowercase();
        let name = lower.trim_matches(|letter: char| "'\"`()[]{};".contains(letter));
        if at + 1 == segment.words.len()
            && (CALLS.iter().any(|call| is_call(name, call)) || is_fetch(name))
        {
            return true;
        }
        // `perl -MLWP::Simple`, `ruby -rnet/http`.
        let (name, option) = match name.strip_prefix("-m").or_else(|| name.strip_prefix("-r")) {
            Some(module) => (module, true),
            None => (name, false),
        };
        let parts = || {
            name.split([
                ',', ';', '(', ')', '=', '\'', '"', '+', '[', ']', '{', '}', '!',
            ])
            .filter(|part| !part.is_empty())
        };
        let is_module = |part: &str| {
            MODULES
                .iter()
                .any(|module| begins_with(part, module, imported || option))
        };
        let is_imported =
            |part: &str| imported && IMPORTED.contains(&part.trim_start_matches("node:"));
        if parts().any(|part| is_module(part) || is_imported(part)) {
            return true;
        }
        imported |= matches!(
            name,
            "import" | "from" | "use" | "using" | "require" | "require_once" | "load"
        );
    }
    false
}

/// Whether a name is a module, or something in it. Alone it counts only where it is imported: as text, `socket` is a word.
fn begins_with(name: &str, module: &str, imported: bool) -> bool {
    name.strip_prefix(module)
        .is_some_and(|rest| match rest.chars().next() {
            None => imported,
            Some('.' | ':' | '/') => rest.len() > 1 && (imported || rest.starts_with([':', '.'])),
            _ => false,
        })
}

fn is_fetch(name: &str) -> bool {
    name.strip_suffix("fetch")
        .is_some_and(|before| match before.strip_suffix('.') {
            Some(holder) => HOLDERS.iter().any(|known| is_call(holder, known)),
            None => !before.ends_with(|letter: char| {
                letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
            }),
        })
}
