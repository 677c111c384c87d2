//! Programs that talk to other machines.

use super::Program;
use crate::options::Parsed;
use crate::scene::Scene;

pub(super) const PROGRAMS: &[Program] = &[
    Program::raw(&["curl", "wget", "http", "https", "aria2c"], fetch),
    Program::raw(&["ping", "dig", "host", "nslookup", "nc", "ncat", "netcat", "telnet", "traceroute", "whois", "ftp"], talk),
    Program::raw(&["scp", "rsync", "sftp"], talk),
];

/// Every word with a host in it is a place it talks to; where the answer goes, and what is sent, is not told apart yet.
fn fetch(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let mut found = false;
    for word in &parsed.operands {
        let address = word.rsplit_once("=http").map_or_else(|| (*word).to_owned(), |(_, rest)| format!("http{rest}"));
        if address.contains("://") || (!word.starts_with('-') && word.contains('.') && !word.contains(' ')) {
            scene.connect(&address);
            found = true;
        }
    }
    if !found {
        scene.connect("an address that is not in the command");
    }
    scene.unknown("what it sends and where it writes is not known");
}

fn talk(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let hosts: Vec<&str> = parsed.operands.iter().copied().filter(|word| !word.starts_with('-')).collect();
    for host in &hosts {
        scene.connect(host);
    }
    if hosts.is_empty() {
        scene.connect("a host that is not in the command");
    }
    scene.unknown("what it sends is not known");
}
