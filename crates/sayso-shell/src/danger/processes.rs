//! Dangers to what runs: mass signals, debuggers, a stopped machine, and things that start by themselves later.

use sayso_core::analysis::risk::Tier::{self, Catastrophic, Dangerous};

use super::call::{Call, Found};
use crate::unparsed::split::Segment;
use crate::unparsed::words::head;

/// The dangers of a program that works on processes.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let first = call.operand(0);
    let mut say = |tier, what: String| found.push((tier, what));
    match name {
        "pkill" | "killall" | "kill" | "skill"
            if call.arguments.iter().any(|word| word.contains("sayso")) =>
        {
            say(Catastrophic, "an agent must not stop sayso".to_owned());
        }
        "systemctl" | "service" | "launchctl" | "rc-service"
            if call.has_any(&[
                "stop", "disable", "mask", "kill", "unload", "bootout", "remove",
            ]) && call.operands().any(|word| word.contains("sayso")) =>
        {
            say(Catastrophic, "an agent must not stop sayso".to_owned());
        }
        "kill"
            if call.arguments.last().is_some_and(|word| word == "-1")
                && (call.arguments.len() > 1 || !call.exact) =>
        {
            say(Dangerous, "`kill -1` signals every process".to_owned());
        }
        "kill" if call.operands().any(|word| word == "1") && !call.has("-l") => {
            say(Dangerous, "`kill 1` signals the first process".to_owned())
        }
        "pkill" | "killall" => of_names(call, &mut say),
        "killall5" => say(Dangerous, "`killall5` signals every process".to_owned()),
        "fuser" if call.short(&['k']) || call.long("--kill") => {
            say(Dangerous, "`fuser -k` ends all who use a file".to_owned())
        }
        "loginctl" if first.starts_with("terminate-") || first.starts_with("kill-") => {
            say(
                Dangerous,
                format!("`loginctl {first}` ends everything of a person"),
            );
        }
        "loginctl"
            if matches!(
                first,
                "poweroff" | "reboot" | "halt" | "suspend" | "hibernate"
            ) =>
        {
            say(Dangerous, format!("`loginctl {first}` stops the machine"));
        }
        "shutdown" if call.has_any(&["-c", "--help"]) => {}
        "reboot" | "shutdown" | "halt" | "poweroff" | "kexec"
            if call.exact || looks_like_a_stop(call) =>
        {
            say(Dangerous, format!("`{name}` stops the machine"));
        }
        "init" | "telinit"
            if matches!(first, "0" | "1" | "6" | "s" | "S") && call.operands().count() == 1 =>
        {
            say(Dangerous, format!("`{name} {first}` stops the machine"));
        }
        "systemctl" => of_services(call, &mut say),
        "crontab" if call.has("-r") => say(
            Dangerous,
            "`crontab -r` deletes everything that is set to run by itself".to_owned(),
        ),
        "crontab" if !call.has("-l") && (call.exact || call.has_any(&["-", "-e"])) => {
            say(
                Dangerous,
                "`crontab` changes what runs by itself".to_owned(),
            );
        }
        "at" | "batch" if call.exact && !call.has_any(&["-l", "-V"]) => {
            say(Dangerous, format!("`{name}` sets something to run later"))
        }
        "launchctl"
            if matches!(
                first,
                "load" | "bootstrap" | "submit" | "enable" | "kickstart"
            ) =>
        {
            say(
                Dangerous,
                format!("`launchctl {first}` changes what runs by itself"),
            );
        }
        "update-rc.d" | "chkconfig" | "rc-update" if call.operands().count() > 1 => {
            say(Dangerous, format!("`{name}` changes what runs by itself"));
        }
        _ => of_debugger(call, &mut say),
    }
}

/// In text that may be prose only a bare name, or one with options and times, is taken for a command.
fn looks_like_a_stop(call: &Call<'_>) -> bool {
    call.arguments.len() <= 3
        && call.arguments.iter().all(|word| {
            word.starts_with(['-', '+'])
                || word == "now"
                || word
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b':')
        })
}

/// Programs that find processes by name: none, or one that fits all, means everything.
fn of_names(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let name = call.name;
    let everything = |word: &str| word.chars().all(|letter| ".*^$?+".contains(letter));
    let short = |word: &String| {
        matches!(
            word.as_str(),
            "-u" | "-U" | "-9u" | "-eu" | "-fu" | "-KILLu"
        )
    };
    let by_person = call.arguments.iter().any(short)
        || call.long("--user")
        || call.long("--euid")
        || call.long("--uid");
    let operands: Vec<&str> = call.operands().collect();
    if operands.iter().any(|word| everything(word)) {
        say(Dangerous, format!("`{name}` signals every process"));
    } else if by_person && operands.len() < 2 {
        say(
            Dangerous,
            format!("`{name} -u` signals everything of a person"),
        );
    } else if operands.iter().any(|word| {
        matches!(
            *word,
            "systemd"
                | "init"
                | "launchd"
                | "sshd"
                | "Xorg"
                | "gnome-shell"
                | "WindowServer"
                | "loginwindow"
        )
    }) {
        say(
            Dangerous,
            format!("`{name}` ends a process that the machine needs"),
        );
    }
}

fn of_services(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let operands = || call.operands();
    let stops = [
        "poweroff",
        "reboot",
        "halt",
        "kexec",
        "rescue",
        "emergency",
        "isolate",
        "suspend",
        "hibernate",
        "soft-reboot",
    ];
    if let Some(verb) = operands().find(|word| stops.contains(word)) {
        return say(Dangerous, format!("`systemctl {verb}` stops the machine"));
    }
    if let Some(verb) = operands().find(|word| {
        matches!(
            *word,
            "enable" | "reenable" | "link" | "edit" | "set-default" | "set-environment"
        )
    }) {
        say(
            Dangerous,
            format!("`systemctl {verb}` changes what runs by itself"),
        );
    }
}

fn of_debugger(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let name = call.name;
    let number = || {
        call.operands()
            .any(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let attaches = match name {
        "gdb" | "lldb" | "strace" | "ltrace" | "dtruss" | "frida" | "rr" => {
            call.short(&['p'])
                || call.long("--pid")
                || call.long("--attach-pid")
                || call.has("attach")
                || (name == "gdb" && number())
        }
        "gcore" | "jattach" | "reptyr" | "jmap" | "jcmd" | "py-spy" => {
            number() || call.short(&['p']) || call.long("--pid")
        }
        "dlv" => call.operand(0) == "attach",
        _ => false,
    };
    if attaches {
        say(Dangerous, format!("`{name}` takes over a running process"));
    }
}

/// The dangers of a line that finds processes by name, and signals them: `kill $(pgrep sayso)`.
pub(crate) fn of_line(segments: &[Segment], found: &mut Vec<Found>) {
    let heads = || {
        segments
            .iter()
            .filter(|segment| !segment.after.is_redirect())
            .filter_map(|segment| Some((head(&segment.words)?, segment)))
    };
    if !heads().any(|(name, segment)| {
        name == "kill" || (name == "xargs" && segment.words.iter().any(|word| word == "kill"))
    }) {
        return;
    }
    let lists = heads().any(|(name, _)| name == "ps");
    let finds = |name: &str| {
        matches!(name, "pgrep" | "pidof" | "pidwait")
            || (lists && matches!(name, "grep" | "awk" | "rg"))
    };
    if heads().any(|(name, segment)| {
        finds(name) && segment.words.iter().any(|word| word.contains("sayso"))
    }) {
        found.push((Catastrophic, "an agent must not stop sayso".to_owned()));
    } else if heads().any(|(name, segment)| {
        name == "pgrep"
            && segment
                .words
                .iter()
                .any(|word| matches!(word.as_str(), "-u" | "-U"))
            && segment
                .words
                .iter()
                .filter(|word| !word.starts_with('-'))
                .count()
                < 3
    }) {
        found.push((Dangerous, "signals everything of a person".to_owned()));
    } else if lists && !heads().any(|(name, _)| matches!(name, "grep" | "rg" | "awk" | "pgrep")) {
        found.push((
            Dangerous,
            "signals every process that `ps` lists".to_owned(),
        ));
    }
}
