//! What destroys or takes over a machine, found in words whether or not they could be read as a command.
//!
//! Over-approximate: flags count in any order, spelling and case, and every program position is looked at. Words that are only
//! data of a known program (the text of `echo`, the message of a commit) are left out, since false alarms blunt every alarm.

use sayso_core::draft::Danger;
use sayso_core::verdict::Tier::{self, Catastrophic, Dangerous};

use crate::danger_git;
use crate::places::{Worth, is_raw_device, worth};
use crate::programs;
use crate::seen::{Seen, is_assignment};
use crate::split::After;
use crate::wrappers::{identity, is_one_of, is_shell, loose_name};

type Found = (Tier, String);

/// The dangers in what could be seen of a text.
pub(crate) fn of_text(text: &str, seen: &Seen) -> Vec<Danger> {
    let segments = seen.segments.as_slice();
    let mut found = Vec::new();
    if is_fork_bomb(text) {
        found.push((Catastrophic, "a fork bomb".to_owned()));
    }
    if seen.cut {
        found.push((Dangerous, "the command is too long to be looked through".to_owned()));
    }
    // Looking from every position could cost the square of the length; a text that makes it do so is no ordinary one.
    let mut work = 64 * 1024 + 4 * text.len().min(64 * 1024);
    let shell_reads = segments.iter().any(|segment| segment.after == After::Pipe && segment.words.iter().any(|word| is_shell(word)));
    for segment in segments {
        if segment.after == After::Output
            && let Some(path) = segment.words.first().filter(|path| is_raw_device(path))
        {
            found.push((Catastrophic, format!("writes over the device `{path}`")));
        }
        if segment.after.is_redirect() {
            continue;
        }
        if !of_words(&segment.words, Look { rough: segment.rough, all: shell_reads }, &mut work, &mut found) {
            found.push((Dangerous, "more words that look dangerous than can be looked at".to_owned()));
            break;
        }
    }
    let runs = |test: fn(&str) -> bool| segments.iter().any(|segment| head(&segment.words).is_some_and(test));
    if shell_reads || runs(|word| is_shell(word) || matches!(word, "eval" | "source" | ".")) {
        if runs(is_download) {
            found.push((Dangerous, "runs what it downloads".to_owned()));
        } else if shell_reads {
            found.push((Dangerous, "runs what another command prints".to_owned()));
        }
    }
    worst_first(found)
}

/// The dangers of one command that was read whole; `known` tells that its program does not run its arguments.
pub(crate) fn of_command(words: &[String], known: bool) -> Vec<Danger> {
    let mut found = Vec::new();
    let mut work = 64 * 1024;
    if known {
        of_program(words, &mut found);
    } else if !of_words(words, Look { rough: false, all: false }, &mut work, &mut found) {
        found.push((Dangerous, "more words that look dangerous than can be looked at".to_owned()));
    }
    worst_first(found)
}

fn worst_first(mut found: Vec<Found>) -> Vec<Danger> {
    found.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    found.dedup();
    found.into_iter().take(16).map(|(tier, what)| Danger { tier, what, part: None, shown_by_effect: false }).collect()
}

/// The first word that is not an assignment.
fn head(words: &[String]) -> Option<&str> {
    words.iter().map(String::as_str).find(|word| !is_assignment(word))
}

fn is_download(word: &str) -> bool {
    is_one_of(word, &["curl", "wget", "fetch", "aria2c", "http", "https", "ftp", "nc", "ncat", "netcat"])
}

/// How closely words are looked at.
#[derive(Clone, Copy)]
struct Look {
    /// They may be prose, so only the head counts.
    rough: bool,
    /// They may be the text of a script even where a known program holds them: `echo rm -rf / | sh`.
    all: bool,
}

/// Looks from the head, and where the head is not known to leave its arguments alone, from every word. Answers false when
/// that is too much work.
fn of_words(words: &[String], look: Look, work: &mut usize, found: &mut Vec<Found>) -> bool {
    let start = words.iter().take_while(|word| is_assignment(word)).count();
    let words = words.get(start..).unwrap_or(&[]);
    let Some(first) = words.first() else { return true };
    of_program(words, found);
    if words.len() == 1 {
        return true;
    }
    let leaves_alone = programs::find(identity(first)).is_some_and(|program| !program.interprets);
    let starts_another = words.iter().any(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"));
    if look.rough || (leaves_alone && !starts_another && !look.all) {
        return true;
    }
    for index in 1..words.len() {
        let Some(rest) = words.get(index..) else { break };
        if !rest.first().is_some_and(|word| is_destroyer(word)) {
            continue;
        }
        if *work < rest.len() {
            return false;
        }
        *work -= rest.len();
        of_program(rest, found);
    }
    true
}

/// Names that are looked for behind programs that are not known. `sayso` is none: it is also the name of a folder.
fn is_destroyer(word: &str) -> bool {
    const DESTROYERS: [&str; 13] =
        ["rm", "dd", "shred", "wipefs", "blkdiscard", "chmod", "chown", "mv", "find", "git", "sudo", "tee", "cp"];
    let base = word.rsplit('/').next().unwrap_or(word);
    is_one_of(base, &DESTROYERS) || base.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("mkfs"))
}

/// The dangers of a program with its arguments.
fn of_program(words: &[String], found: &mut Vec<Found>) {
    let Some((first, arguments)) = words.split_first() else { return };
    let name = loose_name(first);
    let name = name.as_str();
    let operands = || arguments.iter().filter(|word| !word.starts_with('-')).map(String::as_str);
    let vital = || operands().find(|word| worth(word) == Worth::Vital);
    let short = |letters: &[char]| arguments.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letters));
    let long = |full: &str| arguments.iter().any(|word| word.len() > 2 && full.starts_with(&word.to_ascii_lowercase()));
    let recursive = short(&['r', 'R']) || long("--recursive");
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let mut say = |tier: Tier, what: String| found.push((tier, what));

    if arguments.iter().any(|word| word.len() > 7 && "--no-preserve-root".starts_with(word.as_str()))
        && matches!(name, "rm" | "chmod" | "chown")
    {
        say(Catastrophic, format!("`{name} --no-preserve-root` may change the whole system"));
    }
    match name {
        "rm" | "srm" if recursive => match vital() {
            Some(path) => say(Catastrophic, format!("deletes `{path}` with everything below")),
            None => say(Dangerous, "`rm` deletes folders with everything below".to_owned()),
        },
        "rm" | "srm" | "unlink" | "rmdir" => {
            if let Some(path) = vital() {
                say(Dangerous, format!("`{name}` deletes from `{path}`"));
            }
        }
        "dd" => {
            let output = arguments.iter().filter_map(|word| word.strip_prefix("of=")).find(|path| is_system_device(path));
            match output {
                Some(path) => say(Catastrophic, format!("`dd` writes over the device `{path}`")),
                None => say(Dangerous, "`dd` copies raw data over a file".to_owned()),
            }
        }
        "shred" if !operands().any(|path| path.starts_with("/dev/")) => say(Dangerous, "`shred` destroys files for good".to_owned()),
        "shred" | "wipefs" | "blkdiscard" => say(Catastrophic, format!("`{name}` destroys a whole device")),
        "newfs" | "mke2fs" | "mkswap" => say(Catastrophic, format!("`{name}` makes a new file system")),
        "fdisk" | "parted" | "sgdisk" | "sfdisk" | "diskutil" => say(Dangerous, format!("`{name}` changes disks")),
        "chmod" => {
            let open = operands().find(|word| opens_for_all(word));
            match vital() {
                Some(path) if recursive => say(Catastrophic, format!("`chmod` changes everything below `{path}`")),
                _ if open.is_some() => say(Dangerous, "`chmod` lets everybody change it".to_owned()),
                _ if recursive => say(Dangerous, "`chmod` changes everything below a folder".to_owned()),
                _ => {}
            }
        }
        "chown" | "chgrp" if recursive => match vital() {
            Some(path) => say(Catastrophic, format!("`{name}` changes everything below `{path}`")),
            None => say(Dangerous, format!("`{name}` changes everything below a folder")),
        },
        "mv" => {
            let last = operands().next_back();
            let count = operands().count();
            if let Some(path) = operands().take(count.saturating_sub(1).max(1)).find(|word| worth(word) == Worth::Vital) {
                say(Catastrophic, format!("moves `{path}` away"));
            } else if last == Some("/dev/null") {
                say(Dangerous, "moves files to nowhere".to_owned());
            }
        }
        "find" => {
            let deletes = has("-delete")
                || (["-exec", "-execdir", "-ok", "-okdir"].iter().any(|action| has(action))
                    && arguments.iter().any(|word| matches!(loose_name(word).as_str(), "rm" | "shred" | "unlink")));
            if deletes {
                match vital() {
                    Some(path) => say(Catastrophic, format!("`find` deletes everything it finds below `{path}`")),
                    None => say(Dangerous, "`find` deletes everything it finds".to_owned()),
                }
            }
        }
        "git" => {
            danger_git::of_git(arguments, &mut say);
            for command in danger_git::held_commands(arguments) {
                of_held(&command, found);
            }
        }
        "sudo" | "doas" | "su" | "pkexec" | "runuser" => say(Dangerous, format!("gains rights by `{name}`")),
        "format" if operands().any(|word| word.ends_with(':')) => say(Dangerous, "`format` erases a disk".to_owned()),
        "reboot" | "shutdown" | "halt" | "poweroff" => say(Dangerous, format!("`{name}` stops the machine")),
        "kill" if has("-1") && arguments.last().is_some_and(|word| word == "-1") => say(Dangerous, "signals every process".to_owned()),
        "pkill" | "killall" | "kill" if arguments.iter().any(|word| word.contains("sayso")) => {
            say(Catastrophic, "an agent must not stop sayso".to_owned());
        }
        "tmux"
            if arguments.iter().any(|word| {
                word.starts_with("send") || matches!(word.as_str(), "pasteb" | "paste-buffer" | "run" | "run-shell" | "respawn-pane")
            }) =>
        {
            say(Dangerous, "types into another terminal".to_owned());
        }
        "screen" if has("-X") => say(Dangerous, "types into another terminal".to_owned()),
        "xdotool" | "ydotool" | "wtype" | "dotool" => say(Dangerous, "types into other windows".to_owned()),
        "gdb" | "lldb" | "strace" | "ltrace" if short(&['p']) || long("--pid") || has("attach") => {
            say(Dangerous, format!("`{name}` takes over a running process"))
        }
        "sayso" if !is_harmless_sayso(arguments) => {
            let subcommand = operands().next().unwrap_or("");
            say(Catastrophic, format!("an agent must not run `sayso {subcommand}`"));
        }
        _ if name == "mkfs" || name.starts_with("mkfs.") => say(Catastrophic, format!("`{name}` makes a new file system")),
        _ => {}
    }
    if matches!(name, "tee" | "cp" | "mv" | "install" | "truncate" | "ln" | "rm")
        && let Some(path) = operands().find(|path| is_raw_device(path))
    {
        let reads_only = name == "cp" && operands().next_back() != Some(path);
        found.push((if reads_only { Dangerous } else { Catastrophic }, format!("`{name}` touches the device `{path}`")));
    }
}

/// The dangers of a command that another one holds. Git in git is looked at once, so that no text makes this go deep.
fn of_held(words: &[String], found: &mut Vec<Found>) {
    const MOST: usize = 16;
    let starts = (0..words.len()).filter_map(|at| words.get(at..)).filter(|rest| rest.first().is_some_and(|word| is_destroyer(word)));
    for rest in starts.take(MOST) {
        match rest.split_first() {
            Some((first, arguments)) if loose_name(first) == "git" => {
                danger_git::of_git(arguments, &mut |tier: Tier, what: String| found.push((tier, what)));
            }
            _ => of_program(rest, found),
        }
    }
}

/// A path below `/dev` that is more than an output of the program itself.
fn is_system_device(path: &str) -> bool {
    path.starts_with("/dev/") && !matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
}

/// The three forms of `sayso` that only look. Any other option may name a file, whose lines would show in an error.
pub(crate) fn is_harmless_sayso(arguments: &[String]) -> bool {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["check", rest @ ..] => {
            let options = rest.iter().take_while(|word| matches!(**word, "--json" | "--explain")).count();
            matches!(rest.get(options..), Some(["--", _, ..]))
        }
        ["policy", "show"] | ["policy", "show", "--json"] | ["audit", "list"] => true,
        _ => false,
    }
}

/// Whether a mode lets everybody write.
fn opens_for_all(mode: &str) -> bool {
    let number = mode.trim_start_matches('0');
    let octal = mode.len() >= 3 && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    (octal && (number.ends_with('7') || number.ends_with('6') || number.ends_with('2') || number.ends_with('3')) && number.len() >= 3)
        || mode.split(',').any(|clause| {
            let (who, what) = clause.split_at(clause.find(['+', '=']).unwrap_or(clause.len()));
            what.contains('w') && who.chars().all(|letter| "ugoa".contains(letter)) && (who.is_empty() || who.contains(['a', 'o']))
        })
}

/// Whether a text defines a function that starts itself twice: `:(){ :|:& };:` under any name.
fn is_fork_bomb(text: &str) -> bool {
    if !text.contains('{') || !text.contains('|') {
        return false;
    }
    let dense: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    const OPENING: &[u8] = b"(){";
    dense.windows(OPENING.len()).enumerate().filter(|(_, window)| *window == OPENING).any(|(at, _)| {
        let before = dense.get(..at).unwrap_or(&[]);
        let name = before.rsplit(|byte| b";&|(){}\"'".contains(byte)).next().unwrap_or(&[]);
        let body = dense.get(at + OPENING.len()..).unwrap_or(&[]);
        let pipes_itself = |body: &[u8]| {
            let after = body.strip_prefix(name).and_then(|rest| rest.strip_prefix(b"|"));
            after.is_some_and(|rest| rest.starts_with(name))
        };
        !name.is_empty() && name.len() < 256 && pipes_itself(body)
    })
}
