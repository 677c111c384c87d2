//! Dangers that come with a network: what is downloaded and run, and secrets that are read where something is sent.

use sayso_core::verdict::Tier::Dangerous;

use crate::danger_call::{Call, Found};
use crate::danger_code::is_language;
use crate::places::secret_in;
use crate::seen::{head, reads_script};
use crate::split::{After, Segment};
use crate::wrappers::{is_one_of, is_shell, is_transparent, takes_command};

/// Files of a download that are looked for among what runs.
const MOST_NAMES: usize = 16;

fn is_download(word: &str) -> bool {
    is_one_of(word, &["curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "xh", "ftp", "lynx", "nc", "ncat", "netcat", "socat"])
}

/// Programs that send what they are given, or what they read.
fn talks(name: &str) -> bool {
    is_download(name)
        || is_one_of(
            name,
            &[
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
            ],
        )
}

/// The dangers of one program that reaches a network.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    if let Some(path) = sent_secret(call) {
        found.push((Dangerous, format!("`{name}` sends the secret `{path}`")));
    }
    if let Some(from) = installed_from(call) {
        found.push((Dangerous, format!("`{name}` runs what it downloads from `{from}`")));
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
        "rsync" => &["-e", "--rsh", "--exclude", "--exclude-from", "--include", "--password-file", "--filter", "-f"],
        "rclone" => &["--config"],
        "aws" | "gsutil" | "gh" | "s3cmd" => &["--profile", "--config", "--exclude", "--include", "-c"],
        "nc" | "ncat" | "netcat" | "socat" | "http" | "https" | "xh" | "mail" | "mailx" | "mutt" | "ftp" | "lftp" | "croc" | "wormhole"
        | "tftp" => &[],
        _ => return None,
    };
    // Without another machine among its words a copy stays here.
    let remote = match call.name {
        "scp" | "sftp" | "rsync" | "rclone" => call.operands().any(|word| word.split('/').next().is_some_and(|first| first.contains(':'))),
        "aws" => call.has("s3") || call.has("s3api"),
        "gh" => call.operand(0) == "gist" || call.operand(0) == "release",
        _ => true,
    };
    let mut words = call.arguments.iter().map(String::as_str).filter(|_| remote);
    while let Some(word) = words.next() {
        if own.contains(&word) {
            words.next();
        } else if own.iter().any(|option| option.starts_with("--") && word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))) {
        } else if let Some(path) = secret_in(word) {
            return Some(path);
        }
    }
    None
}

/// The address that a package manager takes code from, instead of its registry.
fn installed_from<'a>(call: &Call<'a>) -> Option<&'a str> {
    let verbs: &[&str] = match call.name {
        "pip" | "pip3" | "pipx" | "uv" | "poetry" | "easy_install" | "conda" | "mamba" => &["install", "add", "run"],
        "npm" | "pnpm" | "yarn" | "bun" => &["install", "i", "add", "exec", "dlx", "x", "global"],
        "npx" | "pnpx" | "bunx" | "uvx" | "easy_install-3" => &[],
        "cargo" | "go" | "gem" | "brew" | "deno" | "helm" => &["install", "run", "get", "reinstall"],
        "rpm" | "dnf" | "yum" | "zypper" | "snap" => &[],
        _ => return None,
    };
    if !verbs.is_empty() && !call.operands().take(3).any(|word| verbs.contains(&word)) {
        return None;
    }
    let own = |word: &str| {
        word.starts_with('-')
            && ["index", "registry", "proxy", "links", "host", "source", "channel", "repo"].iter().any(|part| word.contains(part))
    };
    let mut words = call.arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if (own(word) || matches!(word, "-i" | "-f" | "-c")) && !word.contains('=') && call.name != "npm" {
            words.next();
        } else if own(word) {
            if !word.contains('=') {
                words.next();
            }
        } else if ["git+", "github:", "gitlab:", "bitbucket:", "gist:"].iter().any(|start| word.starts_with(start)) || is_address(word) {
            return Some(word);
        } else if call.name == "cargo" && word == "--git" {
            return words.next();
        }
    }
    None
}

fn is_address(word: &str) -> bool {
    ["http://", "https://", "ssh://", "git://", "ftp://"].iter().any(|scheme| crate::danger_call::starts_with(word, scheme))
        || word.contains("@git+")
        || word.contains("@ git+")
        || word.contains("@http")
}

/// The dangers of a whole line with a network in it.
pub(crate) fn of_line(segments: &[Segment], found: &mut Vec<Found>) {
    let shell_reads = segments.iter().any(|segment| segment.after == After::Pipe && reads_script(&segment.words));
    let heads = || segments.iter().filter(|segment| !segment.after.is_redirect()).filter_map(|segment| head(&segment.words));
    if heads().any(is_download) {
        let code_reads = segments.iter().any(|segment| segment.after == After::Pipe && is_bare_language(&segment.words));
        if shell_reads || code_reads || runs_substituted(segments) {
            found.push((Dangerous, "runs what it downloads".to_owned()));
        } else if let Some(name) = run_after_download(segments) {
            found.push((Dangerous, format!("runs what it downloads: `{name}`")));
        }
    } else if shell_reads {
        found.push((Dangerous, "runs what another command prints".to_owned()));
    }
    of_secrets(segments, found);
}

/// Where a shell or a language stands in a command: first, or behind something that runs it.
fn runner(words: &[String]) -> Option<usize> {
    let runs = |word: &str| is_shell(word) || is_language(word) || matches!(word, "eval" | "source" | ".");
    let first = head(words)?;
    let at = words.iter().position(|word| word == first)?;
    if runs(first) && first != "." || words.get(at).is_some_and(|word| word == ".") {
        return Some(at);
    }
    (takes_command(first) || is_transparent(first)).then(|| words.iter().position(|word| runs(word) && word != "."))?
}

/// A language without a file or a script reads its program from the pipe.
fn is_bare_language(words: &[String]) -> bool {
    let Some(at) = runner(words) else { return false };
    let mut rest = words.iter().skip(at);
    rest.next().is_some_and(|word| is_language(word)) && rest.all(|word| matches!(word.as_str(), "-" | "-u" | "-B" | "-s" | "/dev/stdin"))
}

/// `bash <(curl …)`, `eval "$(curl …)"`: the download stands where a runner takes its script from.
fn runs_substituted(segments: &[Segment]) -> bool {
    let commands: Vec<&Segment> =
        segments.iter().filter(|segment| !segment.after.is_redirect() && segment.after != After::Wrapper).collect();
    commands.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        let downloads = head(&second.words).is_some_and(is_download) && second.after == After::Separator;
        let open = |at: usize| {
            let mut rest = first.words.iter().skip(at + 1);
            first.words.last().is_some_and(|last| last.ends_with('$')) || rest.all(|word| word.starts_with('-'))
        };
        downloads && (first.words.as_slice() == ["$"] || runner(&first.words).is_some_and(open))
    })
}

/// A file that is downloaded, and run further on.
fn run_after_download(segments: &[Segment]) -> Option<String> {
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).split(['?', '#']).next().unwrap_or("").to_owned();
    let mut names: Vec<String> = Vec::new();
    for segment in segments.iter().filter(|segment| segment.after != After::Wrapper) {
        let words = &segment.words;
        if segment.after == After::Output {
            names.extend(words.first().map(|path| base(path)).filter(|name| !name.is_empty()));
            continue;
        }
        let Some(first) = head(words).filter(|_| !segment.after.is_redirect()) else { continue };
        if is_download(first) {
            let values = words.windows(2).filter(|pair| {
                pair.first().is_some_and(|word| {
                    matches!(word.as_str(), "-o" | "-O" | "--output" | "--output-document" | "-sSLo" | "-Lo" | "-sLo" | "-fsSLo" | "-qO")
                })
            });
            names.extend(values.filter_map(|pair| Some(base(pair.get(1)?))));
            names.extend(words.iter().filter(|word| word.contains("://")).map(|word| base(word)).filter(|name| !name.is_empty()));
            continue;
        }
        let is_name = |word: &String| names.iter().take(MOST_NAMES).any(|name| *name == base(word) && name != "null");
        let by_itself = first.contains('/') && is_name(&first.to_owned());
        let by_runner = runner(words).is_some_and(|at| words.iter().skip(at + 1).take(4).any(is_name));
        if by_itself || by_runner {
            return words.iter().find(|word| is_name(word)).cloned();
        }
        names.truncate(MOST_NAMES);
    }
    None
}

/// A secret is read, or the environment shown, and something is sent.
fn of_secrets(segments: &[Segment], found: &mut Vec<Found>) {
    let commands = || segments.iter().filter(|segment| !segment.after.is_redirect());
    let talker = commands().find_map(|segment| head(&segment.words).filter(|name| talks(name) && !stays_here(&segment.words)));
    let socket = || {
        segments
            .iter()
            .filter(|segment| segment.after.is_redirect())
            .find_map(|segment| segment.words.first().map(String::as_str).filter(|path| is_socket(path)))
    };
    let Some(talker) = talker.or_else(socket) else { return };
    let secret = commands().find_map(|segment| {
        let name = head(&segment.words)?;
        if !reads(name) {
            return None;
        }
        segment.words.iter().skip(1).filter(|word| !word.starts_with('-') || word.contains('=')).find_map(|word| secret_in(word))
    });
    let input = || segments.iter().filter(|segment| segment.after == After::Input).find_map(|segment| secret_in(segment.words.first()?));
    if let Some(path) = secret.or_else(input) {
        found.push((Dangerous, format!("reads the secret `{path}` and talks to the network by `{talker}` in one line")));
    } else if commands().any(|segment| shows_environment(&segment.words)) {
        found.push((Dangerous, format!("shows the environment and talks to the network by `{talker}` in one line")));
    }
}

fn is_socket(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Talks only to this machine.
fn stays_here(words: &[String]) -> bool {
    let local = |word: &str| {
        let word = word.split_once("://").map_or(word, |(_, rest)| rest);
        ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]
            .iter()
            .any(|host| word.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/', '?'])))
    };
    let far = |word: &str| word.contains("://") && !local(word);
    words.iter().any(|word| local(word)) && !words.iter().any(|word| far(word) || matches!(word.as_str(), "-x" | "--proxy"))
}

/// Programs that show or hand on what is in a file.
fn reads(name: &str) -> bool {
    is_one_of(
        name,
        &[
            "cat", "tac", "head", "tail", "less", "more", "bat", "batcat", "nl", "rev", "base64", "base32", "basenc", "xxd", "od",
            "hexdump", "strings", "tar", "bsdtar", "zip", "gzip", "bzip2", "xz", "zstd", "7z", "cp", "mv", "ln", "install", "dd",
            "openssl", "gpg", "age", "awk", "gawk", "sed", "grep", "egrep", "fgrep", "rg", "cut", "sort", "uniq", "tr", "paste", "jq",
            "yq", "source", ".", "export", "split", "cpio", "pax", "find",
        ],
    )
}

fn shows_environment(words: &[String]) -> bool {
    let Some(name) = head(words) else { return false };
    let arguments: Vec<&str> = words.iter().skip_while(|word| *word != name).skip(1).map(String::as_str).collect();
    match name {
        "env" | "printenv" => arguments.iter().all(|word| matches!(*word, "-0" | "--null")),
        "set" => arguments.is_empty(),
        "export" | "declare" | "typeset" => matches!(arguments.as_slice(), ["-p" | "-x" | "-xp" | "-px"]),
        _ => false,
    }
}
