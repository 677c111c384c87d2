//! Programs that talk to other machines, but for `curl` and `wget`.

use crate::parse::options::Parsed;
use crate::programs::Program;
use crate::programs::effect_builder::{PLAIN, Scene};
use sayso_core::analysis::effect::{EffectKind, Manner};

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::raw(
        &[
            "http",
            "https",
            "xh",
            "aria2c",
            "lynx",
            "w3m",
            "links",
            "youtube-dl",
            "yt-dlp",
        ],
        fetch,
    ),
    Program::raw(
        &[
            "resolvectl",
            "telnet",
            "ftp",
            "nmap",
            "finger",
            "mail",
            "sendmail",
            "mutt",
            "route",
            "wscat",
            "websocat",
            "grpcurl",
            "iperf3",
        ],
        talk,
    ),
    // These may run a command at either end.
    Program::raw(&["nc", "ncat", "netcat", "socat", "tcpdump", "mosh"], talk).interpreter(),
    Program::raw(&["scp", "rsync", "sftp", "rclone"], transfer),
];

/// Every word with a host in it is a place it talks to; where the answer goes, and what is sent, is not told apart.
fn fetch(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let mut found = false;
    for word in &parsed.operands {
        let address = word
            .rsplit_once("=http")
            .map_or_else(|| (*word).to_owned(), |(_, rest)| format!("http{rest}"));
        if address.contains("://")
            || (!word.starts_with('-') && word.contains('.') && !word.contains(' '))
        {
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
    // The table of ways, as the machine has it; without numbers, other machines are asked for names.
    let shows = |word: &&str| {
        matches!(
            *word,
            "-n" | "-ne" | "-en" | "-e" | "-ee" | "-v" | "-4" | "-6"
        )
    };
    let numbers = parsed
        .operands
        .iter()
        .any(|word| matches!(*word, "-n" | "-ne" | "-en"));
    if scene.name == "route" && numbers && parsed.operands.iter().all(shows) {
        return;
    }
    let hosts: Vec<&str> = parsed
        .operands
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    for host in &hosts {
        scene.connect(host);
    }
    if hosts.is_empty() {
        scene.connect("a host that is not in the command");
    }
    scene.unknown("what it sends is not known");
}

/// Copies between this machine and others: a word with a colon before any slash is a place on another machine.
fn transfer(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let is_remote = |word: &str| {
        word.contains("://")
            || word
                .split('/')
                .next()
                .is_some_and(|start| start.contains(':'))
    };
    let words: Vec<&str> = parsed
        .operands
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    for word in words.iter().filter(|word| is_remote(word)) {
        scene.connect(word);
    }
    if !words.iter().any(|word| is_remote(word)) && scene.name != "rsync" {
        scene.connect("a host that is not in the command");
    }
    let everything = Manner {
        recursive: true,
        ..PLAIN
    };
    if let Some((target, sources)) = words.split_last() {
        for source in sources.iter().filter(|word| !is_remote(word)) {
            scene.read(source, true);
        }
        if !is_remote(target) && sources.is_empty() {
            scene.read(target, true);
        } else if !is_remote(target) {
            scene.path(EffectKind::Write, target, false, everything);
            if parsed.operands.iter().any(|word| word.starts_with("--del")) {
                scene.path(EffectKind::Delete, target, false, everything);
            }
        }
    }
    scene.unknown("copies files, as options and settings say that are not all known");
}
