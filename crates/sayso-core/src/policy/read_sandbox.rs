//! The `sandbox` section of a policy file.

use crate::policy::read::Context;
use crate::policy::settings::{AutoAllow, Root, SandboxFallback, Settings, Sourced};
use crate::policy::terms::{Bounds, Network};
use crate::text::node::{Entry, Node};

/// Reads the section into the settings.
pub(super) fn sandbox(reader: &mut Context<'_>, node: &Node, settings: &mut Settings) {
    for entry in node.entries() {
        let value = &entry.node;
        match entry.key.as_str() {
            // Set below, where both are known.
            "network" | "hosts" => {}
            "require" | "require_os_sandbox" => settings.sandbox_require = reader.bool(value),
            "fallback" | "os_sandbox_fallback" => {
                settings.sandbox_fallback = reader.word(value, SandboxFallback::from_word);
            }
            "auto_allow" => {
                settings.sandbox_auto_allow = reader.word(value, AutoAllow::from_word);
            }
            "memory" => settings.sandbox_memory = reader.whole(value),
            "processes" => settings.sandbox_processes = reader.whole(value),
            "keep" => keep(reader, value, settings),
            "session" => {
                for entry in value.entries() {
                    let value = &entry.node;
                    match entry.key.as_str() {
                        "idle_minutes" => {
                            settings.sandbox_session_idle_minutes = reader.whole(value);
                        }
                        "tmp" => settings.sandbox_session_tmp = reader.whole(value),
                        "memory" => settings.sandbox_session_memory = reader.whole(value),
                        _ => settings.sandbox_session_processes = reader.whole(value),
                    }
                }
            }
            "bounds" => {
                let bounds = bounds(reader, value);
                settings
                    .sandbox_bounds
                    .extend(reader.sourced(value, bounds));
            }
            _ => {
                for root in value.entries() {
                    let place = &root.node;
                    settings.roots.extend(
                        self::root(reader, root).and_then(|root| reader.sourced(place, root)),
                    );
                }
            }
        }
    }
    if let Some((value, network)) = reach(reader, node) {
        settings.sandbox_network = reader.sourced(value, network);
    }
}

/// How much of a workspace is kept.
fn keep(reader: &mut Context<'_>, node: &Node, settings: &mut Settings) {
    for entry in node.entries() {
        let value = reader.whole(&entry.node);
        match entry.key.as_str() {
            "names" => settings.sandbox_keep_names = value,
            _ => settings.sandbox_keep_bytes = value,
        }
    }
}

/// A single `network` key.
pub(super) fn network(reader: &Context<'_>, node: &Node) -> Option<Sourced<Network>> {
    node.as_bool().and_then(|all| {
        reader.sourced(
            node,
            if all {
                Network::Everything
            } else {
                Network::Nothing
            },
        )
    })
}

/// What `network` and `hosts` say together: hosts are all that is reached.
fn reach<'n>(reader: &mut Context<'_>, node: &'n Node) -> Option<(&'n Node, Network)> {
    let network = node.get("network");
    let hosts = node.get("hosts");
    match (network, hosts) {
        (Some(network), Some(hosts))
            if network.as_bool() == Some(false) && !hosts.items().is_empty() =>
        {
            reader.error(
                hosts.span,
                "`network: false` and `hosts` contradict each other; leave `network` out"
                    .to_owned(),
            );
            Some((network, Network::Nothing))
        }
        (_, Some(hosts)) => {
            let names = self::hosts(reader, hosts);
            Some((
                hosts,
                if names.is_empty() {
                    Network::Nothing
                } else {
                    Network::Hosts(names)
                },
            ))
        }
        (Some(network), None) => Some((
            network,
            if network.as_bool() == Some(true) {
                Network::Everything
            } else {
                Network::Nothing
            },
        )),
        (None, None) => None,
    }
}

fn hosts(reader: &mut Context<'_>, node: &Node) -> Vec<String> {
    let mut names = Vec::new();
    for item in node.items() {
        let written = item.as_text().unwrap_or_default();
        let name = written.to_ascii_lowercase();
        let plain = name.strip_prefix("*.").unwrap_or(&name);
        let is_label = |label: &str| {
            !label.is_empty()
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        if plain.split('.').all(is_label) && plain.len() <= 253 {
            names.push(name);
        } else {
            reader.error(
                item.span,
                format!("`{written}` is not the name of a host; write `example.org` or `*.example.org`, without port or path"),
            );
        }
    }
    names
}

fn bounds(reader: &mut Context<'_>, node: &Node) -> Bounds {
    let paths = |key: &str| -> Option<Vec<String>> {
        node.get(key).map(|list| {
            list.items()
                .iter()
                .filter_map(|item| item.as_text().map(str::to_owned))
                .collect()
        })
    };
    let (write, read, hide) = (
        paths("write"),
        paths("read"),
        paths("hide").unwrap_or_default(),
    );
    for path in write.iter().chain(&read).flatten().chain(&hide) {
        if path.is_empty() || path.contains(['*', '?', '\0']) {
            reader.error(
                node.span,
                format!("`{path}` is not a path; bounds are files and folders, from the root, from `~/` or from the workspace"),
            );
        }
    }
    let network = reach(reader, node).map(|(_, network)| network);
    Bounds {
        write,
        read,
        hide,
        network,
    }
}

fn root(reader: &mut Context<'_>, entry: &Entry) -> Option<Root> {
    let node = &entry.node;
    let flag =
        |key: &str, otherwise: bool| node.get(key).and_then(Node::as_bool).unwrap_or(otherwise);
    let Some(root) = node
        .get("root")
        .and_then(Node::as_text)
        .filter(|text| !text.is_empty())
    else {
        reader.error(
            entry.key_span,
            format!("the path root `{}` names no `root` folder", entry.key),
        );
        return None;
    };
    let suffixes = node
        .get("suffixes")
        .map_or(&[][..], Node::items)
        .iter()
        .filter_map(|item| item.as_text().map(str::to_owned))
        .collect();
    Some(Root {
        name: entry.key.clone(),
        root: root.to_owned(),
        // What is not said to be writable is not.
        writable: node.get("mode").and_then(Node::as_text) == Some("rw"),
        suffixes,
        write_approval: flag("write_approval", true),
        read_approval: flag("read_approval", false),
        source: reader.place(node.span),
    })
}
