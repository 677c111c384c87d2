//! Dangers to what guards a machine: firewalls, audit, history, trust, the kernel, and who may do what.

use sayso_core::analysis::risk::Tier::{self, Catastrophic, Dangerous};

use super::call::{Call, Found};
use super::critical_paths::{Worth, worth};
use super::files::deletes;

/// Services whose stop leaves a machine unguarded, by the start of their names.
const GUARDS: [&str; 24] = [
    "firewalld",
    "ufw",
    "iptables",
    "ip6tables",
    "nftables",
    "auditd",
    "apparmor",
    "selinux",
    "fail2ban",
    "clamav",
    "clamd",
    "crowdsec",
    "falcon-sensor",
    "osqueryd",
    "ossec",
    "wazuh",
    "rsyslog",
    "syslog",
    "systemd-journald",
    "sshguard",
    "aide",
    "mdatp",
    "windefend",
    "com.apple.alf",
];

/// The dangers of a program that changes what guards the machine, or gains rights.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let mut say = |tier, what: String| found.push((tier, what));
    of_guards(call, &mut say);
    of_traces(call, &mut say);
    of_kernel(call, &mut say);
    of_rights(call, &mut say);
}

fn of_guards(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let name = call.name;
    let (first, second) = (call.lower(0), call.lower(1));
    let disables = match name {
        "ufw" => {
            matches!(&*first, "disable" | "reset") || (first == "default" && second == "allow")
        }
        "iptables" | "ip6tables" | "ebtables" | "arptables" => {
            call.has_any(&["-F", "--flush", "-X", "--delete-chain"])
                || (call.has_any(&["-P", "--policy"]) && call.has("ACCEPT"))
        }
        "nft" => first == "flush" || first == "delete",
        "pfctl" => call.short(&['d', 'F']),
        "firewall-cmd" => call.starts(&[
            "--panic-off",
            "--set-default-zone=trusted",
            "--remove",
            "--complete-reload",
        ]),
        "setenforce" => matches!(&*first, "0" | "permissive"),
        "setsebool" | "aa-teardown" | "aa-disable" | "aa-complain" | "mdatp" | "falconctl" => {
            call.exact || !call.arguments.is_empty()
        }
        "semanage" => first == "permissive",
        "apparmor_parser" => call.has_any(&["-R", "--remove"]),
        "auditctl" => (call.has("-e") && call.has("0")) || call.has("-D"),
        "systemctl" | "service" | "rc-service" | "launchctl" | "sc" | "net" => {
            let stops = [
                "stop", "disable", "mask", "kill", "unload", "bootout", "remove", "delete",
            ];
            call.has_any(&stops)
                && call.operands().any(|word| {
                    GUARDS
                        .iter()
                        .any(|guard| word.to_ascii_lowercase().contains(guard))
                })
        }
        "csrutil" => matches!(&*first, "disable" | "authenticated-root"),
        "spctl" => call.starts(&[
            "--master-disable",
            "--global-disable",
            "--disable",
            "--add",
            "--remove",
        ]),
        "fdesetup" => matches!(&*first, "disable" | "removerecovery"),
        "tccutil" => first == "reset",
        "xattr" => {
            call.arguments
                .iter()
                .any(|word| word.contains("quarantine"))
                && call.short(&['d'])
                || call.short(&['c'])
        }
        "security" => matches!(
            &*first,
            "add-trusted-cert"
                | "delete-keychain"
                | "dump-keychain"
                | "unlock-keychain"
                | "set-keychain-settings"
                | "authorizationdb"
        ),
        "xhost" => call.has("+"),
        "npm" | "pnpm" | "yarn" => call.has("strict-ssl") && call.has("false"),
        _ => false,
    };
    if matches!(name, "gpg" | "gpg2") && call.starts(&["--delete-secret"]) {
        say(Dangerous, format!("`{name}` deletes secret keys"));
    } else if name == "ssh-add" && call.has("-D") {
        say(
            Dangerous,
            "`ssh-add -D` takes every key out of the agent".to_owned(),
        );
    }
    if disables {
        say(
            Dangerous,
            format!("`{name}` turns off what guards the machine"),
        );
    }
    if matches!(
        name,
        "tee" | "cp" | "mv" | "install" | "ln" | "sed" | "sponge"
    ) && let Some(path) = call.operands().find(|path| opens_a_door(path))
    {
        say(
            Dangerous,
            format!("`{name}` changes `{path}`, which says who may enter"),
        );
    }
}

/// Files that say who may log in or gain rights.
pub(crate) fn opens_a_door(path: &str) -> bool {
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path);
    matches!(
        name,
        "authorized_keys"
            | "authorized_keys2"
            | "sudoers"
            | "doas.conf"
            | "sshd_config"
            | "ld.so.preload"
    ) || ["/etc/sudoers.d/", "/etc/pam.d/", "/etc/polkit-1/"]
        .iter()
        .any(|folder| path.starts_with(folder))
        || matches!(
            path,
            "/etc/passwd" | "/etc/shadow" | "/etc/group" | "/etc/gshadow"
        )
}

/// Traces of what was done.
fn of_traces(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let name = call.name;
    let clears = match name {
        "history" => call.arguments.iter().any(|word| {
            matches!(
                word.as_str(),
                "-c" | "-cw" | "-wc" | "-d" | "--clear" | "clear"
            )
        }),
        "unset" | "export" | "declare" | "typeset" => call
            .arguments
            .iter()
            .any(|word| is_history_variable(word, name == "unset")),
        "set" => call.has("+o") && call.has("history"),
        "journalctl" => call.starts(&["--vacuum", "--rotate"]),
        "dmesg" => call.short(&['C', 'c']) || call.long("--clear"),
        "logrotate" => call.short(&['f']) || call.long("--force"),
        "log" => call.operand(0) == "erase",
        "rm" | "truncate" | "shred" | "ln" | "tee" | "cp" => call.operands().any(is_history_file),
        _ => false,
    };
    if clears {
        say(
            Dangerous,
            format!("`{name}` wipes the traces of what was done"),
        );
    }
}

/// Whether a word sets, or by its bare name takes away, a variable that the history of a shell needs.
pub(crate) fn is_history_variable(word: &str, bare: bool) -> bool {
    let (name, value) = word
        .split_once('=')
        .map_or((word, None), |(name, value)| (name, Some(value)));
    matches!(
        name,
        "HISTFILE"
            | "HISTSIZE"
            | "HISTFILESIZE"
            | "SAVEHIST"
            | "HISTCONTROL"
            | "HISTIGNORE"
            | "PROMPT_COMMAND"
    ) && match value {
        None => bare,
        Some(value) => {
            name.starts_with("HISTFILE") && (value.is_empty() || value == "/dev/null")
                || value == "0"
                || name == "HISTIGNORE"
        }
    }
}

fn is_history_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        ".bash_history"
            | ".zsh_history"
            | ".history"
            | ".python_history"
            | "fish_history"
            | ".zhistory"
            | "wtmp"
            | "btmp"
            | "auth.log"
            | "audit.log"
    )
}

fn of_kernel(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let name = call.name;
    let changes = match name {
        "sysctl" => {
            call.short(&['w', 'p'])
                || call.long("--write")
                || call.long("--load")
                || call.operands().any(|word| word.contains('='))
        }
        "modprobe" => call.exact && !call.has_any(&["-n", "--dry-run", "-c", "--showconfig"]),
        "insmod" | "rmmod" => !call.arguments.is_empty(),
        "chattr" => call
            .arguments
            .iter()
            .any(|word| word.starts_with(['+', '-', '=']) && word.contains(['i', 'a'])),
        "mount" => {
            call.arguments.iter().any(|word| word.contains("remount"))
                || call.long("--bind")
                || call.long("--rbind")
                || call.has("bind")
        }
        "nvram" => call.operands().any(|word| word.contains('=')) || call.has("-c"),
        "tee" | "cp" | "dd" => call
            .arguments
            .iter()
            .any(|word| is_kernel_file(word.strip_prefix("of=").unwrap_or(word))),
        _ => false,
    };
    if changes {
        say(
            Dangerous,
            format!("`{name}` changes how the system itself works"),
        );
    }
}

/// Files of the kernel that act when they are written.
pub(crate) fn is_kernel_file(path: &str) -> bool {
    path == "/proc/sysrq-trigger"
        || path.starts_with("/proc/sys/")
        || path.starts_with("/sys/kernel/")
        || path.starts_with("/sys/firmware/")
}

fn of_rights(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let name = call.name;
    match name {
        "sudo" | "doas" | "su" | "pkexec" | "runuser" | "run0" | "gosu" | "su-exec"
        | "sudoedit" => {
            say(Dangerous, format!("gains rights by `{name}`"));
        }
        "chmod" | "install" => {
            if let Some(mode) = call.arguments.iter().find(|word| sets_identity(word)) {
                say(
                    Dangerous,
                    format!("`{name} {mode}` makes a program run with the rights of its owner"),
                );
            }
        }
        "setcap" if !call.has("-r") => say(Dangerous, "`setcap` gives a program rights".to_owned()),
        "usermod" | "gpasswd" | "useradd" | "userdel" | "groupadd" | "groupdel" | "groupmod"
        | "chpasswd" | "newusers" | "visudo" | "vipw" | "vigr" | "deluser" | "delgroup"
        | "chsh" => say(
            Dangerous,
            format!("`{name}` changes people or their rights"),
        ),
        "adduser" | "addgroup" | "passwd"
            if !call.has_any(&["-S", "--status"])
                && (call.exact || matches!(call.arguments.len(), 1..=3)) =>
        {
            say(
                Dangerous,
                format!("`{name}` changes people or their rights"),
            );
        }
        "dscl" | "sysadminctl" | "dseditgroup"
            if call.arguments.iter().any(|word| is_change(word)) =>
        {
            say(
                Dangerous,
                format!("`{name}` changes people or their rights"),
            );
        }
        "net"
            if matches!(call.operand(0), "user" | "localgroup")
                && call.starts(&["/add", "/delete", "/active"]) =>
        {
            say(
                Dangerous,
                "`net user` changes people or their rights".to_owned(),
            );
        }
        "nsenter" if call.has_any(&["1", "-t1", "--target=1"]) => {
            say(Dangerous, "`nsenter` enters the first process".to_owned())
        }
        "docker" | "podman" | "nerdctl" => {
            let root = |word: &str| {
                word.starts_with("/:")
                    || word.starts_with("type=bind,source=/,")
                    || word.contains("docker.sock:")
                    || word.contains("src=/,")
            };
            if call.starts(&[
                "--privileged",
                "--pid=host",
                "--cap-add=ALL",
                "--cap-add=SYS_ADMIN",
            ]) || call.arguments.iter().any(|word| {
                root(
                    word.strip_prefix("-v")
                        .unwrap_or(word)
                        .trim_start_matches("--volume="),
                )
            }) {
                say(
                    Dangerous,
                    format!("`{name}` gives a container the whole machine"),
                );
            }
            let of_system = |folder: &&str| {
                worth(folder) == Worth::Vital
                    && folder.starts_with('/')
                    && !folder.starts_with("/home")
                    && *folder != "/"
            };
            if let Some(folder) = mounted(call)
                .find(of_system)
                .filter(|_| !call.arguments.iter().any(|word| word.ends_with(":ro")))
            {
                say(
                    Dangerous,
                    format!("`{name}` lets a container change `{folder}`"),
                );
            }
            if let Some(folder) = mounted(call)
                .find(|folder| worth(folder) == Worth::Vital)
                .filter(|_| deletes(call))
            {
                say(
                    Catastrophic,
                    format!("`{name}` deletes in `{folder}` by way of a container"),
                );
            }
        }
        _ => {}
    }
}

/// The folders of this machine that a container is given.
fn mounted<'a>(call: &Call<'a>) -> impl Iterator<Item = &'a str> {
    call.arguments.iter().filter_map(|word| {
        let word = word
            .strip_prefix("--volume=")
            .or_else(|| word.strip_prefix("-v"))
            .unwrap_or(word);
        let by_name = word.split(',').find_map(|part| {
            part.strip_prefix("source=")
                .or_else(|| part.strip_prefix("src="))
        });
        by_name.or_else(|| {
            word.split_once(":/")
                .map(|(folder, _)| folder)
                .filter(|folder| folder.starts_with(['/', '~', '$']))
        })
    })
}

fn is_change(word: &str) -> bool {
    [
        "-create",
        "-append",
        "-delete",
        "-passwd",
        "-change",
        "-addUser",
        "-resetPasswordFor",
        "-deleteUser",
        "-o",
        "-a",
    ]
    .iter()
    .any(|verb| word.trim_start_matches('-') == verb.trim_start_matches('-'))
}

/// Whether a mode sets the bit that lends a program the rights of its owner: `u+s`, `4755`.
fn sets_identity(mode: &str) -> bool {
    let mode = mode
        .strip_prefix("-m")
        .or_else(|| mode.strip_prefix("--mode="))
        .unwrap_or(mode);
    let octal =
        matches!(mode.len(), 4 | 5) && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let special = mode
        .strip_prefix('0')
        .filter(|_| mode.len() == 5)
        .unwrap_or(mode);
    (octal && special.starts_with(['2', '4', '6', '3', '5', '7']))
        || mode.split(',').any(|clause| {
            let (who, what) = clause.split_at(clause.find(['+', '=']).unwrap_or(clause.len()));
            what.len() > 1
                && what.contains('s')
                && what.chars().skip(1).all(|letter| "rwxXst".contains(letter))
                && who.chars().all(|letter| "ugoa".contains(letter))
        })
}
