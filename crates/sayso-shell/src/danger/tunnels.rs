//! Dangers of letting others in: tunnels from outside to this machine, and terminals that are served to a network.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};

/// Options of `ssh` with a value.
const VALUED_BY_SSH: &str = "BbcDEeFIiJLlmOopPQRSWw";

/// The dangers of a program that lets others in.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let first = call.operand(0);
    if !call.exact && call.arguments.is_empty() {
        return;
    }
    let tunnel = match name {
        "ngrok" => matches!(first, "http" | "tcp" | "tls" | "start" | "tunnel"),
        "cloudflared" => first == "tunnel" || first == "access",
        "lt" | "localtunnel" => call.starts(&["--port", "-p"]),
        "bore" => first == "local",
        "tailscale" => {
            first == "funnel"
                || first == "up" && call.has("--ssh")
                || first == "set" && call.starts(&["--ssh"])
        }
        "chisel" => first == "client" || first == "server",
        "frpc" | "autossh" | "rathole" | "gost" | "pagekite" | "pagekite.py" | "loclx"
        | "playit" => call.exact,
        "zrok" | "expose" => first == "share",
        "devtunnel" | "upterm" => first == "host",
        "code" | "code-insiders" | "cursor" => first == "tunnel" || first == "serve-web",
        "inlets" | "loophole" => matches!(first, "client" | "http" | "tcp"),
        "ssh" => forwards_from_outside(call.arguments),
        _ => false,
    };
    let terminal = match name {
        "ztcp" | "ttyd" | "gotty" | "wetty" | "shellinaboxd" | "tmate" | "dropbear" | "sshd"
        | "webtty" | "tty-share" | "teleconsole" => call.exact || !call.arguments.is_empty(),
        "code-server" | "openvscode-server" => {
            call.has("none")
                || call.has("--without-connection-token")
                || call.starts(&["--auth=none", "--bind-addr=0.0.0.0", "0.0.0.0"])
        }
        "jupyter" | "jupyter-lab" | "jupyter-notebook" => call.arguments.iter().any(|word| {
            word.starts_with("--ip=0.0.0.0")
                || word.starts_with("--ip=*")
                || word.ends_with("token=")
                || word.ends_with("token=''")
        }),
        "xterm" => call
            .value(&["-display"])
            .is_some_and(|display| !display.starts_with(':') && !display.starts_with("localhost")),
        _ => false,
    };
    let asks = || call.has_any(&["--version", "--help", "-h", "version", "help", "-v"]);
    if (tunnel || terminal) && asks() {
        return;
    }
    if tunnel {
        found.push((Dangerous, format!("`{name}` lets others in from outside")));
    } else if terminal {
        found.push((
            Dangerous,
            format!("`{name}` hands a shell to whom it lets in"),
        ));
    }
}

/// Whether the other side may connect back: `-R`, alone or in a bundle.
fn forwards_from_outside(arguments: &[String]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix('-') else {
            continue;
        };
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            if letter == 'R' {
                return true;
            }
            if VALUED_BY_SSH.contains(letter) {
                let value = if rest.as_str().is_empty() {
                    words.next().map_or("", String::as_str)
                } else {
                    rest.as_str()
                };
                if letter == 'o' && value.to_ascii_lowercase().starts_with("remoteforward") {
                    return true;
                }
                break;
            }
        }
    }
    false
}
