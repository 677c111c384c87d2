//! Programs that tell about the networks of the machine and what is connected: none may ask another machine for a name it was given. The names
//! of what is connected already they may look up, since no word of the command is told to anybody by that.

use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::Program;
use crate::programs::effect_builder::Scene;

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::raw(&["ss"], sockets),
    Program::new(
        &["netstat"],
        "-r,--route -i,--interfaces -g,--groups -s,--statistics -v,--verbose -W,--wide -n,--numeric -N,--symbolic -e,--extend -p,--programs -o,--timers \
         -l,--listening -a,--all -t,--tcp -u,--udp -w,--raw -x,--unix -4,--inet -6,--inet6 -V,--version",
        only_protocols,
    ),
    Program::raw(&["lsof"], open_files),
    Program::raw(&["ip"], network_facts).interpreter(),
    Program::raw(&["ifconfig"], interface),
];

/// Flags that only show, and filters without names of hosts, which would be asked for.
fn sockets(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let known = |word: &&str| match word.strip_prefix("--") {
        Some(long) => matches!(
            long,
            "numeric"
                | "all"
                | "listening"
                | "options"
                | "extended"
                | "memory"
                | "processes"
                | "info"
                | "summary"
                | "ipv4"
                | "ipv6"
                | "tcp"
                | "udp"
                | "raw"
                | "unix"
                | "no-header"
                | "oneline"
                | "version"
                | "help"
        ),
        None => match word.strip_prefix('-') {
            Some(letters) => {
                !letters.is_empty()
                    && letters
                        .bytes()
                        .all(|letter| b"nalompiseTtuwx46HOVh".contains(&letter))
            }
            None => {
                let port = word
                    .strip_prefix(':')
                    .is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
                port || matches!(
                    *word,
                    "state"
                        | "established"
                        | "listening"
                        | "connected"
                        | "time-wait"
                        | "close-wait"
                        | "all"
                        | "sport"
                        | "dport"
                        | "="
                        | "=="
                        | "eq"
                        | "neq"
                        | "!="
                        | "and"
                        | "or"
                        | "not"
                        | "("
                        | ")"
                )
            }
        },
    };
    if !parsed.operands.iter().all(known) {
        scene.unknown("this form of `ss` is not known");
    }
}

fn only_protocols(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if !parsed
        .operands
        .iter()
        .all(|word| matches!(*word, "tcp" | "udp" | "inet" | "inet6"))
    {
        scene.unknown("this form of `netstat` is not known");
    }
    let asks_no_names =
        parsed.has("--numeric") || parsed.has("--version") || parsed.has("--interfaces");
    if !asks_no_names {
        scene.tells("asks the name server for the names of what is connected");
    }
}

/// Processes by port, number, user or name; a host's name would be asked for.
fn open_files(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let letters = |word: &str, known: &[u8]| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || known.contains(&byte))
    };
    let address = |word: &str| {
        let lower = word.to_ascii_lowercase();
        let rest = lower.strip_prefix(['4', '6']).unwrap_or(&lower);
        let rest = rest
            .strip_prefix("tcp")
            .or_else(|| rest.strip_prefix("udp"))
            .unwrap_or(rest);
        rest.is_empty()
            || rest.strip_prefix(':').is_some_and(|ports| {
                !ports.is_empty()
                    && ports
                        .bytes()
                        .all(|byte| byte.is_ascii_digit() || b",-".contains(&byte))
            })
    };
    let flags = |rest: &str| rest.bytes().all(|letter| b"nPtlaUV".contains(&letter));
    let mut words = parsed.operands.iter().copied().peekable();
    let mut known = true;
    while let Some(word) = words.next() {
        known &= match word {
            "-p" => words.next().is_some_and(|value| letters(value, b",")),
            "+D" | "+d" => words.next().is_some_and(|folder| {
                scene.read(folder, true);
                placeholder::is_literal(folder) && !folder.starts_with(['-', '+'])
            }),
            "-u" | "-c" | "-d" => words
                .next()
                .is_some_and(|value| letters(value, b"_.,-") && !value.starts_with('-')),
            _ => match word.strip_prefix('-') {
                Some("sTCP:LISTEN" | "sTCP:ESTABLISHED") => true,
                Some(rest) => match rest.split_once('i') {
                    // Behind it comes the address, or in the next word, if that does not start with `-`.
                    Some((before, "")) => {
                        flags(before)
                            && words
                                .next_if(|next| !next.starts_with('-'))
                                .is_none_or(address)
                    }
                    Some((before, after)) => flags(before) && address(after),
                    None => !rest.is_empty() && flags(rest),
                },
                None => {
                    scene.read(word, false);
                    placeholder::is_literal(word) && !word.starts_with('+')
                }
            },
        };
    }
    if !known {
        scene.unknown("this form of `lsof` is not known");
    }
}

/// `ip OBJECT`, with `show` or nothing behind it.
fn network_facts(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let flags = parsed
        .operands
        .iter()
        .take_while(|word| word.starts_with('-'))
        .count();
    let (options, rest) = parsed.operands.split_at(flags);
    let plain = options.iter().all(|word| {
        matches!(
            *word,
            "-4" | "-6"
                | "-s"
                | "-statistics"
                | "-br"
                | "-brief"
                | "-c"
                | "-color"
                | "-j"
                | "-json"
                | "-p"
                | "-pretty"
                | "-o"
                | "-oneline"
                | "-d"
                | "-details"
                | "-V"
        )
    });
    let word = |word: &&str| placeholder::is_literal(word) && !word.starts_with('-');
    let shows = match rest {
        [] => true,
        [
            "addr" | "address" | "a" | "link" | "l" | "route" | "r" | "neigh" | "n" | "rule"
            | "maddr" | "netns" | "tuntap",
        ] => true,
        [
            "addr" | "address" | "a" | "link" | "l" | "route" | "r" | "neigh" | "n" | "rule"
            | "maddr",
            "show" | "list" | "ls",
            rest @ ..,
        ] => rest.iter().all(word),
        ["route" | "r", "get", target] => {
            !target.is_empty()
                && target
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || b".:".contains(&byte))
        }
        _ => false,
    };
    if !plain || !shows {
        scene.unknown("this form of `ip` may change the network");
    }
}

fn interface(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    match parsed.operands.as_slice() {
        [] | ["-a"] => {}
        [name] if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {}
        _ => scene.unknown("this form of `ifconfig` may change the network"),
    }
}
