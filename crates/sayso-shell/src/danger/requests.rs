//! Dangers of a single request to another machine: one that deletes there, or a call of a cloud's control plane.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};
use super::databases;
use super::metadata;
use super::network::is_download;
use crate::parse::characters::starts_with;
use crate::unparsed::other_shells::has_ignoring_case;

/// Ports of databases that delete what a request names.
const DATA_PORTS: [&str; 12] = [
    ":9200", ":9201", ":8086", ":5984", ":6333", ":8983", ":2379", ":15672", ":8500", ":7700",
    ":8108", ":8123",
];

/// Verbs in the name of a call that takes something away.
const TAKES_AWAY: [&str; 13] = [
    "delete",
    "destroy",
    "remove",
    "drop",
    "reset",
    "terminate",
    "wipe",
    "purge",
    "revoke",
    "truncate",
    "poweroff",
    "power_off",
    "shutdown",
];

/// Machines that make and take away other machines, by a part of their names.
const CONTROL_PLANES: [&str; 20] = [
    "backboard.railway.",
    "api.fly.io",
    "api.machines.dev",
    "api.digitalocean.com",
    "api.render.com",
    "api.vercel.com",
    "api.cloudflare.com",
    "api.heroku.com",
    "api.netlify.com",
    "api.supabase.com",
    "console.neon.tech",
    "api.planetscale.com",
    "api.hetzner.cloud",
    "api.linode.com",
    "api.vultr.com",
    "management.azure.com",
    ".googleapis.com",
    ".amazonaws.com",
    "app.terraform.io",
    "api.scaleway.com",
];

fn is_client(name: &str) -> bool {
    matches!(
        name,
        "curl"
            | "curlie"
            | "wget"
            | "wget2"
            | "http"
            | "https"
            | "xh"
            | "xhs"
            | "httpie"
            | "hurl"
            | "grpcurl"
    )
}

/// The dangers of a request.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    if matches!(name, "ec2metadata" | "ec2-metadata" | "cloud-init-query") && call.exact {
        return found.push((
            Dangerous,
            format!("`{name}` asks the cloud's metadata service, which hands out credentials"),
        ));
    }
    if !is_client(name) && !is_download(name) {
        return;
    }
    let words = || call.arguments.iter().map(String::as_str);
    let is_routed = call.starts(&["--connect-to", "--resolve"]);
    if let Some(word) =
        words().find(|word| metadata::is_named(word) || is_routed && names_metadata(word))
    {
        found.push((
            Dangerous,
            format!(
                "`{name}` asks the cloud's metadata service, `{word}`, which hands out credentials"
            ),
        ));
    }
    let Some(address) = words()
        .find(|word| is_address(word))
        .filter(|_| is_client(name))
    else {
        return;
    };
    let near = is_near(address);
    let of_data = DATA_PORTS.iter().any(|port| address.contains(port));
    if deletes(call) && (!near || of_data)
        || near
            && of_data
            && (sends(call) || address.contains("query="))
            && (address.contains("_delete")
                || words().any(|word| databases::in_sql(&word.replace('+', " ")).is_some())
                || has_ignoring_case(address, "drop+"))
    {
        found.push((
            Dangerous,
            format!("`{name}` asks `{address}` to delete something"),
        ));
    } else if !near && sends(call) && takes_away(address, words()) {
        found.push((
            Dangerous,
            format!("`{name}` asks `{address}` to change or take away what runs there"),
        ));
    }
}

/// Whether a word leads a request elsewhere than its address says: `--resolve x:80:ADDRESS`.
fn names_metadata(word: &str) -> bool {
    word.split([':', '=', ',']).any(metadata::is_named)
}

/// Whether the method is one that deletes, be it a word, an option or glued to one.
fn deletes(call: &Call<'_>) -> bool {
    let method =
        |word: &str| word.eq_ignore_ascii_case("delete") || word.eq_ignore_ascii_case("purge");
    match call.name {
        "http" | "https" | "xh" | "xhs" | "httpie" => call.operands().take(2).any(method),
        "wget" | "wget2" => call.value(&["--method"]).is_some_and(method),
        _ => {
            let glued = |word: &String| {
                let Some(at) = word
                    .find('X')
                    .filter(|_| word.starts_with('-') && !word.starts_with("--"))
                else {
                    return false;
                };
                word.get(at + 1..).is_some_and(method)
            };
            let next = |pair: &[String]| {
                let [option, value] = pair else { return false };
                option.starts_with('-')
                    && !option.starts_with("--")
                    && option.ends_with('X')
                    && method(value)
            };
            call.value(&["-X", "--request"]).is_some_and(method)
                || call.arguments.iter().any(glued)
                || call.arguments.windows(2).any(next)
        }
    }
}

/// Whether it sends a text.
fn sends(call: &Call<'_>) -> bool {
    call.starts(&[
        "-d", "--data", "--json", "--post", "--body", "-F", "--form", "-T", "--upload", "--raw",
    ]) || call.has_any(&["POST", "PUT", "PATCH", "-XPOST", "-XPUT", "-XPATCH"])
        || matches!(call.name, "http" | "https" | "xh" | "xhs")
            && call.operands().skip(1).any(|word| word.contains('='))
}

/// Whether what is sent, or where it goes, names a call that takes something away.
fn takes_away<'a>(address: &str, mut words: impl Iterator<Item = &'a str>) -> bool {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = path.split_once('/').map_or("", |(_, path)| path);
    let named = |text: &str| TAKES_AWAY.iter().any(|verb| has_ignoring_case(text, verb));
    let in_path = path.split(['/', ':', '?', '&', '=']).any(|part| {
        TAKES_AWAY
            .iter()
            .any(|verb| part.eq_ignore_ascii_case(verb))
    });
    let controls = CONTROL_PLANES
        .iter()
        .any(|host| has_ignoring_case(address, host));
    in_path
        || words.any(|word| {
            let mutation = has_ignoring_case(word, "mutation");
            mutation && (controls || named(word))
                || controls && !is_address(word) && word.contains(['{', '=']) && named(word)
        })
}

/// What a mutation of GraphQL takes away, given as a field: `query=mutation{deleteRef(…)}`.
pub(crate) fn is_mutation_that_takes_away(word: &str) -> bool {
    has_ignoring_case(word, "mutation")
        && TAKES_AWAY.iter().any(|verb| has_ignoring_case(word, verb))
}

pub(crate) fn is_address(word: &str) -> bool {
    let bare = || {
        let host = word.split('/').next().unwrap_or(word);
        !word.starts_with(['-', '@', '{', '$', '/', '.'])
            && !word
                .split('?')
                .next()
                .unwrap_or(word)
                .contains([' ', '=', '{'])
            && (host.contains('.') || host.contains(':'))
    };
    ["http://", "https://"]
        .iter()
        .any(|scheme| starts_with(word, scheme))
        || bare()
}

/// Whether an address is of this machine or of a test.
pub(crate) fn is_near(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = if host.starts_with('[') {
        host.split(']').next().unwrap_or(host)
    } else {
        host.split(':').next().unwrap_or(host)
    };
    matches!(
        host,
        "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1" | "host.docker.internal" | ""
    ) || host.ends_with(".localhost")
        || host.ends_with(".local")
        || host.ends_with(".test")
        || host.starts_with("127.")
        || !host.contains('.') && !host.starts_with('$')
}
