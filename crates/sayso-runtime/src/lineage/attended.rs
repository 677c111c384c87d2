//! Whether a person can be in front of a process, where an agent may have had another program start it: a scheduler, the service manager,
//! a terminal multiplexer, or a login to this machine from this machine.
//!
//! It is looked at only where an agent's hook was seen before, so a machine that is being set up needs no person.

use std::fs;
use std::path::Path;

use super::process;
use super::process::Process;

/// Programs that start a command later, with nobody in front of it, by the name that the kernel has of them.
const SCHEDULERS: &[&str] = &["anacron", "atd", "cron", "crond", "fcron", "incrond"];
/// Programs that keep terminals while nobody is attached to them.
const MULTIPLEXERS: &[&str] = &["abduco", "dtach", "screen", "tmux", "zellij"];
/// Programs that show a terminal to a person. A window manager may start them so that nothing is above them.
const EMULATORS: &[&str] = &[
    "alacritty",
    "code",
    "contour",
    "cursor",
    "deepin-terminal",
    "emacs",
    "foot",
    "ghostty",
    "gnome-terminal-server",
    "kgx",
    "kitty",
    "konsole",
    "lxterminal",
    "mate-terminal",
    "mosh-server",
    "ptyxis-agent",
    "qterminal",
    "rio",
    "rxvt",
    "st",
    "terminology",
    "tilix",
    "urxvt",
    "wezterm-gui",
    "xfce4-terminal",
    "xterm",
    "yakuake",
    "zed-editor",
];
/// The service of logins.
const LOGINS: &[&str] = &["sshd", "sshd-session"];
const LOGIN_VARIABLE: &str = "SSH_CONNECTION";
/// The major numbers of terminals that a program keeps the other end of.
const PSEUDO_TERMINALS: std::ops::Range<i64> = 136..144;

/// Who started a process that no person is in front of, in words; none where a person may be.
pub(super) fn starter(chain: &[Process]) -> Option<String> {
    let first = chain.first()?;
    let found = if first.terminal == 0 {
        by_service(chain)
    } else {
        by_multiplexer(first.terminal)
    };
    found.or_else(|| hidden_login(chain))
}

/// The service that started a process without a terminal.
fn by_service(chain: &[Process]) -> Option<String> {
    let above = || {
        chain
            .iter()
            .skip(1)
            .map(|process| (process, process.name()))
    };
    let is_service = |process: &Process, name: &str| {
        let is_manager = name == "systemd" && process.id != 1;
        is_manager || SCHEDULERS.contains(&name) || is_multiplexer(name)
    };
    if let Some((process, name)) = above().find(|(process, name)| is_service(process, name)) {
        return Some(format!(
            "`{name}`, process {}, without a terminal",
            process.id
        ));
    }
    let group = chain.first()?.control_group()?;
    transient_unit(&group).map(|unit| format!("`systemd-run`, as `{unit}`, without a terminal"))
}

/// The unit that `systemd-run` has made for a command, by a control group.
fn transient_unit(group: &str) -> Option<&str> {
    let mut units = group.lines().flat_map(|line| line.split('/'));
    units.find(|unit| {
        unit.starts_with("run-") && (unit.ends_with(".service") || unit.ends_with(".scope"))
    })
}

/// The multiplexer that keeps a terminal which nobody is attached to.
fn by_multiplexer(terminal: i64) -> Option<String> {
    let keepers = keepers(terminal);
    let keeper = keepers
        .iter()
        .find(|keeper| is_multiplexer(&keeper.name()))?;
    let is_attached = process::all().any(|other| {
        other.id != keeper.id && other.terminal != 0 && other.terminal != terminal && {
            let name = other.name();
            is_multiplexer(&name) && base(&name) == base(&keeper.name())
        }
    });
    (!is_attached).then(|| {
        format!(
            "`{}`, process {}, which nobody is attached to",
            base(&keeper.name()),
            keeper.id
        )
    })
}

/// The processes that keep the other end of a terminal, as far as they can be looked at.
pub(super) fn keepers(terminal: i64) -> Vec<Process> {
    let (major, minor) = (
        (terminal >> 8) & 0xfff,
        (terminal & 0xff) | ((terminal >> 12) & 0xf_ff00),
    );
    if !PSEUDO_TERMINALS.contains(&major) {
        return Vec::new();
    }
    let number = (major - PSEUDO_TERMINALS.start) * 256 + minor;
    let line = format!("tty-index:\t{number}");
    process::all()
        .filter(|process| keeps(*process, &line))
        .collect()
}

fn keeps(process: Process, line: &str) -> bool {
    let folder = format!("/proc/{}", process.id);
    let files = fs::read_dir(format!("{folder}/fd"))
        .into_iter()
        .flatten()
        .flatten();
    let mut masters =
        files.filter(|file| fs::read_link(file.path()).is_ok_and(|to| is_master(&to)));
    masters.any(|file| {
        let told = fs::read_to_string(format!(
            "{folder}/fdinfo/{}",
            file.file_name().to_string_lossy()
        ));
        told.is_ok_and(|told| told.lines().any(|found| found == line))
    })
}

fn is_master(path: &Path) -> bool {
    path == Path::new("/dev/ptmx") || path == Path::new("/dev/pts/ptmx")
}

/// A login whose origin was taken out of every environment: an ordinary one has it in its shell.
fn hidden_login(chain: &[Process]) -> Option<String> {
    let service = chain
        .iter()
        .position(|process| LOGINS.contains(&process.name().as_str()))?;
    let mut inner = chain.iter().take(service);
    let is_told = inner.any(|process| matches!(process.variable(&[LOGIN_VARIABLE]), Ok(Some(_))));
    (!is_told).then(|| "a login that hides where it comes from".to_owned())
}

/// The process of this machine that a login comes from.
pub(super) fn origin_of_login(chain: &[Process]) -> Option<Process> {
    let told = chain
        .iter()
        .find_map(|process| process.value(LOGIN_VARIABLE))?;
    let port: u16 = told.split(' ').nth(1)?.parse().ok()?;
    let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .flat_map(|text| {
            text.lines()
                .filter_map(|line| socket_at(line, port))
                .collect::<Vec<_>>()
        })
        .collect();
    let holds = |process: &Process| {
        let files = fs::read_dir(format!("/proc/{}/fd", process.id))
            .into_iter()
            .flatten()
            .flatten();
        files
            .filter_map(|file| fs::read_link(file.path()).ok())
            .any(|to| {
                to.to_str()
                    .is_some_and(|to| sockets.iter().any(|one| one == to))
            })
    };
    if sockets.is_empty() {
        None
    } else {
        process::all().find(holds)
    }
}

/// The socket of a line of `/proc/net/tcp`, as a descriptor names it, if its own end is at this port.
fn socket_at(line: &str, port: u16) -> Option<String> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (_, own) = fields.next()?.rsplit_once(':')?;
    let inode = fields.nth(7)?;
    (u16::from_str_radix(own, 16) == Ok(port)).then(|| format!("socket:[{inode}]"))
}

/// Whether a process that keeps a terminal is made for people: a terminal emulator, an editor, a multiplexer that somebody is attached to.
pub(super) fn is_for_people(keeper: Process) -> bool {
    let program = keeper.program().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    is_multiplexer(&keeper.name()) || EMULATORS.contains(&program)
}

fn is_multiplexer(name: &str) -> bool {
    MULTIPLEXERS.contains(&base(name))
}

/// The name of the program: `tmux: server` is tmux, and `SCREEN` is screen.
fn base(name: &str) -> &str {
    let name = name.split(':').next().unwrap_or_default();
    if name == "SCREEN" { "screen" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_d_04_units_of_systemd_run_are_known_by_their_names() {
        let group =
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-r0a1b.service\n";
        assert_eq!(transient_unit(group), Some("run-r0a1b.service"));
        assert_eq!(
            transient_unit("0::/user.slice/user-1000.slice/session-2.scope\n"),
            None
        );
        assert_eq!(transient_unit("0::/system.slice/runner.service\n"), None);
    }

    #[test]
    fn a_socket_is_known_by_its_own_port() {
        let line = "   1: 0100007F:D431 0100007F:0016 01 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0 20 4 30 10 -1";
        assert_eq!(socket_at(line, 0xd431).as_deref(), Some("socket:[12345]"));
        assert_eq!(socket_at(line, 0x16), None);
        assert_eq!(socket_at("  sl  local_address rem_address   st", 22), None);
    }
}
