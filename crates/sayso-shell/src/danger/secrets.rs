//! Dangers to secrets: one is read, or the environment shown, where something is sent to a network.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};
use super::critical_paths::secret_in;
use super::network::{is_download, is_socket};
use crate::parse::name_set::NameSet;
use crate::unparsed::split::{After, Segment};
use crate::unparsed::words::head;

/// Words that are looked at for secrets; each costs a search through the table of them.
const MOST_WORDS: usize = 4096;

/// Programs that send what they are given, or what they read.
fn talks(name: &str) -> bool {
    static SENDERS: NameSet<27> = NameSet::new([
        "scp",
        "sftp",
        "rsync",
        "ssh",
        "telnet",
        "rclone",
        "mail",
        "mailx",
        "mutt",
        "sendmail",
        "swaks",
        "ncftpput",
        "lftp",
        "tftp",
        "smbclient",
        "gsutil",
        "s3cmd",
        "dig",
        "nslookup",
        "host",
        "ping",
        "croc",
        "wormhole",
        "transfer",
        "curlie",
        "websocat",
        "ngrok",
    ]);
    is_download(name) || SENDERS.has_program(name)
}

/// The dangers of one program that sends files.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    if let Some(path) = sent_secret(call) {
        found.push((
            Dangerous,
            format!("`{}` sends the secret `{path}`", call.name),
        ));
    }
}

fn sent_secret<'a>(call: &Call<'a>) -> Option<&'a str> {
    // Keys that are used to get in, and files that are written.
    let own: &[&str] = match call.name {
        "curl" => &[
            "-o",
            "--output",
            "--key",
            "--cert",
            "-E",
            "--cacert",
            "--capath",
            "-c",
            "--cookie-jar",
            "-K",
            "--config",
            "--netrc-file",
            "-x",
        ],
        "wget" | "wget2" | "aria2c" => &[
            "-O",
            "--output-document",
            "-o",
            "--output-file",
            "--private-key",
            "--certificate",
            "--ca-certificate",
            "-P",
            "-d",
            "--save-cookies",
        ],
        "scp" | "sftp" => &["-i", "-F", "-S", "-o"],
        "rsync" => &[
            "-e",
            "--rsh",
            "--exclude",
            "--exclude-from",
            "--include",
            "--password-file",
            "--filter",
            "-f",
        ],
        "rclone" => &["--config"],
        "aws" | "gsutil" | "gh" | "s3cmd" => {
            &["--profile", "--config", "--exclude", "--include", "-c"]
        }
        "nc" | "ncat" | "netcat" | "socat" | "http" | "https" | "xh" | "mail" | "mailx"
        | "mutt" | "ftp" | "lftp" | "croc" | "wormhole" | "tftp" => &[],
        _ => return None,
    };
    // Without another machine among its words a copy stays here.
    let remote = match call.name {
        "scp" | "sftp" | "rsync" | "rclone" => call.operands().any(|word| {
            word.split('/')
                .next()
                .is_some_and(|first| first.contains(':'))
        }),
        "aws" => call.has("s3") || call.has("s3api"),
        "gh" => call.operand(0) == "gist" || call.operand(0) == "release",
        _ => true,
    };
    let mut words = call
        .arguments
        .iter()
        .take(MOST_WORDS)
        .map(String::as_str)
        .filter(|_| remote);
    let mut logs_in = false;
    while let Some(word) = words.next() {
        let behind = std::mem::replace(&mut logs_in, CREDENTIALS.contains(&word));
        let (name, value) = word.split_once('=').unwrap_or(("", ""));
        if behind && is_variable_text(word)
            || CREDENTIALS.contains(&name) && is_variable_text(value)
        {
            continue;
        }
        if own.contains(&word) {
            words.next();
        } else if own.iter().any(|option| {
            option.starts_with("--")
                && word
                    .strip_prefix(option)
                    .is_some_and(|rest| rest.starts_with('='))
        }) {
        } else if let Some(path) = secret_in(word) {
            return Some(path);
        }
    }
    None
}

/// Options that say who logs in. Their values are meant for the other side, as long as they are variables and no files.
const CREDENTIALS: [&str; 13] = [
    "-u",
    "--user",
    "-U",
    "--proxy-user",
    "--oauth2-bearer",
    "--pass",
    "--password",
    "--http-user",
    "--http-password",
    "--proxy-password",
    "--ftp-user",
    "--ftp-password",
    "--auth",
];

/// `$USER:$PASSWORD` and its like: variables, and nothing that reads a file.
fn is_variable_text(value: &str) -> bool {
    value.starts_with('$')
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"$_{}:-".contains(&byte))
}

/// A secret is read, or the environment shown, and something is sent.
pub(crate) fn of_line(segments: &[Segment], found: &mut Vec<Found>) {
    let commands = || {
        segments
            .iter()
            .filter(|segment| !segment.after.is_redirect())
    };
    let talker = commands().find_map(|segment| {
        head(&segment.words).filter(|name| talks(name) && !stays_here(&segment.words))
    });
    let socket = || {
        segments
            .iter()
            .filter(|segment| segment.after.is_redirect())
            .find_map(|segment| {
                segment
                    .words
                    .first()
                    .map(String::as_str)
                    .filter(|path| is_socket(path))
            })
    };
    let Some(talker) = talker.or_else(socket) else {
        return;
    };
    let secret = commands().find_map(|segment| {
        let name = head(&segment.words)?;
        if matches!(name, "gpg" | "gpg2") {
            return segment
                .words
                .iter()
                .map(String::as_str)
                .find(|word| word.starts_with("--export-secret"));
        }
        if !reads(name) {
            return None;
        }
        segment
            .words
            .iter()
            .skip(1)
            .take(MOST_WORDS)
            .filter(|word| !word.starts_with('-') || word.contains('='))
            .find_map(|word| secret_in(word))
    });
    let input = || {
        segments
            .iter()
            .filter(|segment| segment.after == After::Input)
            .find_map(|segment| secret_in(segment.words.first()?))
    };
    if let Some(path) = secret.or_else(input) {
        found.push((
            Dangerous,
            format!("reads the secret `{path}` and talks to the network by `{talker}` in one line"),
        ));
    } else if commands().any(|segment| shows_environment(&segment.words)) {
        found.push((
            Dangerous,
            format!("shows the environment and talks to the network by `{talker}` in one line"),
        ));
    }
}

/// Talks only to this machine.
fn stays_here(words: &[String]) -> bool {
    let local = |word: &str| {
        let word = word.split_once("://").map_or(word, |(_, rest)| rest);
        ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]
            .iter()
            .any(|host| {
                word.strip_prefix(host)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/', '?']))
            })
    };
    let far = |word: &str| word.contains("://") && !local(word);
    words.iter().any(|word| local(word))
        && !words
            .iter()
            .any(|word| far(word) || matches!(word.as_str(), "-x" | "--proxy"))
}

/// Programs that show or hand on what is in a file.
fn reads(name: &str) -> bool {
    static READERS: NameSet<54> = NameSet::new([
        "cat", "tac", "head", "tail", "less", "more", "bat", "batcat", "nl", "rev", "base64",
        "base32", "basenc", "xxd", "od", "hexdump", "strings", "tar", "bsdtar", "zip", "gzip",
        "bzip2", "xz", "zstd", "7z", "cp", "mv", "ln", "install", "dd", "openssl", "gpg", "age",
        "awk", "gawk", "sed", "grep", "egrep", "fgrep", "rg", "cut", "sort", "uniq", "tr", "paste",
        "jq", "yq", "source", ".", "export", "split", "cpio", "pax", "find",
    ]);
    READERS.has_program(name)
}

fn shows_environment(words: &[String]) -> bool {
    let Some(name) = head(words) else {
        return false;
    };
    let arguments: Vec<&str> = words
        .iter()
        .skip_while(|word| *word != name)
        .skip(1)
        .map(String::as_str)
        .collect();
    match name {
        "env" | "printenv" => arguments
            .iter()
            .all(|word| matches!(*word, "-0" | "--null")),
        "set" => arguments.is_empty(),
        "export" | "declare" | "typeset" => {
            matches!(arguments.as_slice(), ["-p" | "-x" | "-xp" | "-px"])
        }
        _ => false,
    }
}
