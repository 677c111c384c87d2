//! Programs that only start another one (`env`, `timeout`, `sudo`): they are taken off with the exact arity of their options.

use std::borrow::Cow;
use std::fmt;

use crate::parse::characters::{is_name, last_part};
use crate::parse::name_set::NameSet;

/// More wrappers than this are not taken off.
const DEEPEST: usize = 16;

/// A command without its wrappers.
#[derive(Debug, Default)]
pub(crate) struct Unwrapped {
    /// Their names, outermost first.
    pub(crate) wrappers: Vec<String>,
    /// What `env` and `sudo` set.
    pub(crate) assignments: Vec<(String, String)>,
    /// Where the inner command starts.
    pub(crate) start: usize,
    /// Where each wrapper stands.
    pub(crate) starts: Vec<usize>,
}

/// Why the wrappers of a command cannot be taken off.
#[derive(Debug)]
pub(crate) enum WrapperError {
    NoCommand,
    HiddenCommand(String),
    TooMany,
    OptionAtRuntime(String),
    NoValue { option: String, name: String },
    UnknownOption { option: String, name: String },
    UnknownFirstWord(String),
    NoVariable(String),
    NoPlainCommand,
    GivesRights,
}

impl fmt::Display for WrapperError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WrapperError::NoCommand => f.write_str("a wrapper has no command"),
            WrapperError::HiddenCommand(name) => {
                write!(f, "`{name}` has no command that could be seen")
            }
            WrapperError::TooMany => {
                write!(f, "more than {DEEPEST} wrappers stand before the command")
            }
            WrapperError::OptionAtRuntime(name) => {
                write!(f, "an option of `{name}` is only known when it runs")
            }
            WrapperError::NoValue { option, name } => {
                write!(f, "the option `{option}` of `{name}` has no value")
            }
            WrapperError::UnknownOption { option, name } => {
                write!(f, "the option `{option}` of `{name}` is not known")
            }
            WrapperError::UnknownFirstWord(name) => {
                write!(f, "the first word of `{name}` is not one that is known")
            }
            WrapperError::NoVariable(name) => {
                write!(f, "`{name}` sets something that is no plain variable")
            }
            WrapperError::NoPlainCommand => f.write_str("no plain command stands behind `time`"),
            WrapperError::GivesRights => {
                f.write_str("`setpriv` is only known where it takes rights away")
            }
        }
    }
}

/// Takes the wrappers off, or tells why that is not possible.
pub(crate) fn unwrap<W: AsRef<str>>(words: &[W]) -> Result<Unwrapped, WrapperError> {
    let mut unwrapped = Unwrapped::default();
    loop {
        let rest = words.get(unwrapped.start..).unwrap_or(&[]);
        let Some((name, arguments)) = rest.split_first() else {
            return Err(WrapperError::NoCommand);
        };
        let name = identity(name.as_ref());
        if !is_wrapper(name) {
            return Ok(unwrapped);
        }
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        // Asked about itself, it starts nothing.
        let tells = matches!(arguments.as_slice(), ["--help" | "--version"]);
        if tells
            && matches!(
                name,
                "env" | "nice" | "timeout" | "stdbuf" | "ionice" | "taskset" | "chrt"
            )
        {
            return Ok(unwrapped);
        }
        let Some(own) = own_words(name, &arguments, &mut unwrapped.assignments)? else {
            return Ok(unwrapped);
        };
        if arguments.len() <= own {
            return Err(WrapperError::HiddenCommand(name.to_owned()));
        }
        unwrapped.wrappers.push(name.to_owned());
        unwrapped.starts.push(unwrapped.start);
        unwrapped.start += 1 + own;
        if unwrapped.wrappers.len() > DEEPEST {
            return Err(WrapperError::TooMany);
        }
    }
}

/// The plain name of a program that is written with a folder of the system; any other path stays, since `./git` is not git.
pub(crate) fn identity(word: &str) -> &str {
    const FOLDERS: [&str; 5] = [
        "/bin/",
        "/usr/bin/",
        "/usr/local/bin/",
        "/sbin/",
        "/usr/sbin/",
    ];
    let plain = FOLDERS.iter().find_map(|folder| word.strip_prefix(folder));
    plain
        .filter(|name| !name.is_empty() && !name.contains('/'))
        .unwrap_or(word)
}

/// Whether a program is one of those that may be taken off.
pub(crate) fn is_wrapper(name: &str) -> bool {
    matches!(
        identity(name),
        "sudo"
            | "doas"
            | "env"
            | "nice"
            | "nohup"
            | "timeout"
            | "time"
            | "stdbuf"
            | "command"
            | "builtin"
            | "exec"
            | "setsid"
            | "ionice"
            | "busybox"
            | "toybox"
            | "taskset"
            | "chrt"
            | "numactl"
            | "prlimit"
            | "setpriv"
    )
}

/// How many words belong to the wrapper itself; none if this is no wrapper.
fn own_words(
    name: &str,
    arguments: &[&str],
    assignments: &mut Vec<(String, String)>,
) -> Result<Option<usize>, WrapperError> {
    let starts_with =
        |options: &[&str]| arguments.first().is_some_and(|word| options.contains(word));
    let (flags, valued, prefixes): (&[&str], &[&str], &[&str]) = match name {
        "sudo" => (
            &["-n", "-H", "-E", "-k"],
            &["-u", "-g"],
            &["--user=", "--group="],
        ),
        "doas" => (&["-n"], &["-u"], &[]),
        // Without a command `env` prints the environment, which the table knows.
        "env"
            if !arguments
                .iter()
                .any(|word| !word.contains('=') && !word.starts_with('-')) =>
        {
            return Ok(None);
        }
        "env" => (&["-i", "-", "--ignore-environment"], &[], &[]),
        "nice" => (&[], &["-n"], &["-n", "--adjustment="]),
        "timeout" => (
            &["--preserve-status", "--foreground", "-v", "--verbose"],
            &["-k", "-s"],
            &["--kill-after=", "--signal=", "-k", "-s"],
        ),
        // `-l` is that of BSD; elsewhere it is no option and no command.
        "time" => (&["-p", "-l"], &[], &[]),
        "stdbuf" => (
            &[],
            &["-o", "-e", "-i"],
            &["-o", "-e", "-i", "--output=", "--error=", "--input="],
        ),
        "nohup" => (&[], &[], &[]),
        // A shell that only redirects by `exec` starts nothing.
        "exec" if arguments.is_empty() => return Ok(None),
        // These two forms only look; the table knows them.
        "command"
            if arguments
                .first()
                .is_some_and(|word| *word == "-v" || *word == "-V") =>
        {
            return Ok(None);
        }
        "command" | "builtin" | "exec" => (&[], &[], &[]),
        "setsid" => (&["-c", "--ctty", "-f", "--fork", "-w", "--wait"], &[], &[]),
        "ionice" => (
            &["-t", "--ignore"],
            &["-c", "-n"],
            &["-c", "-n", "--class=", "--classdata="],
        ),
        "busybox" | "toybox" if arguments.first().is_some_and(|word| is_applet(word)) => {
            (&[], &[], &[])
        }
        // These forms only tell something; the table knows them.
        "taskset" if starts_with(&["-p", "--pid", "-pc", "-cp"]) => return Ok(None),
        "chrt" if starts_with(&["-p", "--pid", "-m", "--max"]) => return Ok(None),
        "numactl" if starts_with(&["-H", "--hardware", "-s", "--show"]) => return Ok(None),
        "prlimit" if arguments.is_empty() || starts_with(&["-p", "--pid"]) => return Ok(None),
        "taskset" => (&["-c", "--cpu-list"], &[], &[]),
        "chrt" => (
            &[
                "-b",
                "--batch",
                "-i",
                "--idle",
                "-o",
                "--other",
                "-v",
                "--verbose",
                "-R",
                "--reset-on-fork",
            ],
            &[],
            &[],
        ),
        "numactl" => (
            &["-l", "--localalloc", "-a", "--all"],
            &["-N", "-C", "-m", "-i", "-p"],
            &NODES,
        ),
        // A limit is only one if it is attached; in the next word it would be the command.
        "prlimit" => (&["--verbose"], &[], &LIMITS),
        "setpriv" => (&["--no-new-privs", "--nnp"], &[], &[]),
        _ => return Ok(None),
    };
    let unknown = |word: &str| WrapperError::UnknownOption {
        option: crate::parse::placeholder::shown(word),
        name: name.to_owned(),
    };
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let word = *word;
        if word.contains(crate::parse::placeholder::LIST) && word.starts_with('-') {
            return Err(WrapperError::OptionAtRuntime(name.to_owned()));
        }
        if word == "--" {
            at += 1;
            break;
        }
        if flags.contains(&word) {
            at += 1;
        } else if valued.contains(&word) {
            // Of what starts with `-` nobody can be sure that it is a value; only `nice` has numbers with a sign.
            let value = arguments.get(at + 1).copied().unwrap_or("");
            let signed = name == "nice" && value.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            if value.starts_with('-') && !signed
                || crate::parse::placeholder::may_be_several(value)
                || name == "numactl" && !is_range(value)
            {
                return Err(WrapperError::NoValue {
                    option: word.to_owned(),
                    name: name.to_owned(),
                });
            }
            at += 2;
        } else if let Some(value) = prefixes
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix).filter(|value| !value.is_empty()))
        {
            if matches!(name, "numactl" | "prlimit") && !is_range(value) {
                return Err(unknown(word));
            }
            at += 1;
        } else if word.starts_with('-') {
            return Err(unknown(word));
        } else {
            break;
        }
    }
    if matches!(name, "env" | "sudo") {
        while let Some((variable, value)) = arguments.get(at).and_then(|word| word.split_once('='))
        {
            if !is_name(variable) {
                return Err(WrapperError::NoVariable(name.to_owned()));
            }
            assignments.push((variable.to_owned(), value.to_owned()));
            at += 1;
        }
    }
    // As a word of the shell, a whole pipeline stands behind it: what is set there stays set.
    let sets = |word: &&str| {
        *word == "!"
            || word
                .split_once('=')
                .is_some_and(|(variable, _)| is_name(variable.trim_end_matches('+')))
    };
    if name == "time" && arguments.get(at).is_some_and(sets) {
        return Err(WrapperError::NoPlainCommand);
    }
    if name == "setpriv" && at == 0 {
        return Err(WrapperError::GivesRights);
    }
    if matches!(name, "timeout" | "taskset" | "chrt") {
        let own = arguments.get(..at).unwrap_or(&[]);
        let fits = |word: &&str| match name {
            "timeout" => is_duration(word),
            "taskset"
                if own
                    .iter()
                    .any(|option| matches!(*option, "-c" | "--cpu-list")) =>
            {
                is_range(word)
            }
            "taskset" => is_mask(word),
            // Without one of these the command goes before all others of the machine.
            _ => {
                *word == "0"
                    && own.iter().any(|option| {
                        matches!(
                            *option,
                            "-b" | "--batch" | "-i" | "--idle" | "-o" | "--other"
                        )
                    })
            }
        };
        if !arguments.get(at).is_some_and(fits) {
            return Err(WrapperError::UnknownFirstWord(name.to_owned()));
        }
        at += 1;
    }
    Ok(Some(at))
}

/// Options of `numactl` with processors or pieces of memory; other values than numbers may be hosts and files.
const NODES: [&str; 5] = [
    "--cpunodebind=",
    "--physcpubind=",
    "--membind=",
    "--interleave=",
    "--preferred=",
];

/// Options of `prlimit` with a limit of the command itself.
const LIMITS: [&str; 20] = [
    "--core=",
    "--data=",
    "--fsize=",
    "--memlock=",
    "--nofile=",
    "--rss=",
    "--stack=",
    "--cpu=",
    "--nproc=",
    "--as=",
    "-c",
    "-d",
    "-f",
    "-l",
    "-n",
    "-m",
    "-s",
    "-t",
    "-u",
    "-v",
];

/// `0-3,8`, `1024:2048`, `all`, `unlimited`.
fn is_range(word: &str) -> bool {
    matches!(word, "all" | "unlimited")
        || word.bytes().any(|byte| byte.is_ascii_digit())
            && !word.starts_with('-')
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b",:-".contains(&byte))
}

/// The number of a set of processors.
fn is_mask(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a word is a plain name of a program that one binary holds among others; with an option before it, it is another form.
fn is_applet(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_[-.".contains(&byte)
        })
        && !word.starts_with('-')
}

fn is_duration(word: &str) -> bool {
    let number = word.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(word);
    number.bytes().any(|byte| byte.is_ascii_digit())
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The last part of a path in lowercase, for looking at what may or may not be a program.
pub(crate) fn loose_name(word: &str) -> Cow<'_, str> {
    let name = last_part(word);
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.to_ascii_lowercase().into()
    } else {
        name.into()
    }
}

static SHELLS: NameSet<12> = NameSet::new([
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "pwsh",
]);

/// Programs and options that may take a whole script as one argument.
static TAKE_SCRIPT: NameSet<19> = NameSet::new([
    "eval", "ssh", "su", "runuser", "watch", "script", "parallel", "flock", "entr", "nerdctl",
    "trap", "xargs", "env", "docker", "podman", "kubectl", "npx", "-c", "-lc",
]);

/// Programs and options that run the words after them.
static TAKE_COMMAND: NameSet<63> = NameSet::new([
    "sudo",
    "doas",
    "env",
    "nice",
    "nohup",
    "timeout",
    "stdbuf",
    "command",
    "builtin",
    "exec",
    "eval",
    "xargs",
    "setsid",
    "ionice",
    "taskset",
    "chrt",
    "flock",
    "busybox",
    "toybox",
    "watch",
    "parallel",
    "ssh",
    "su",
    "pkexec",
    "runuser",
    "systemd-run",
    "nsenter",
    "unshare",
    "chroot",
    "strace",
    "ltrace",
    "perf",
    "script",
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
    "-x",
    "caffeinate",
    "firejail",
    "bwrap",
    "proot",
    "fakeroot",
    "docker",
    "podman",
    "kubectl",
    "nerdctl",
    "npx",
    "pnpx",
    "bunx",
    "uvx",
    "numactl",
    "prlimit",
    "setpriv",
    "cgexec",
    "entr",
    "-X",
    "--exec",
    "--exec-batch",
    "unbuffer",
    "chronic",
    "source",
    "trap",
]);

/// Whether a word is a shell.
pub(crate) fn is_shell(word: &str) -> bool {
    SHELLS.has_program(word)
}

/// Whether a word names something that may take a whole script as one argument.
pub(crate) fn takes_script(word: &str) -> bool {
    is_shell(word) || is_taker(word, &TAKE_SCRIPT)
}

/// Whether a word names something that runs the words after it.
pub(crate) fn takes_command(word: &str) -> bool {
    is_shell(word) || is_taker(word, &TAKE_COMMAND)
}

/// Whether a word is one of these; options count as they are written, so that `tar -C` and `curl -X` are none.
fn is_taker<const COUNT: usize>(word: &str, names: &NameSet<COUNT>) -> bool {
    if word.starts_with('-') {
        names.has_exactly(word)
    } else {
        names.has_program(word)
    }
}

/// Whether a word may stand before a command without being one.
pub(crate) fn is_transparent(word: &str) -> bool {
    matches!(
        word,
        "{" | "}"
            | "!"
            | "if"
            | "then"
            | "else"
            | "elif"
            | "do"
            | "while"
            | "until"
            | "time"
            | "coproc"
    )
}
