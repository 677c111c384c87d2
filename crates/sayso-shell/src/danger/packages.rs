//! Dangers of taking away what others stand on: packages of the system, file systems that are mounted, and files that are packed away.

use sayso_core::analysis::risk::Tier::{Catastrophic, Dangerous};

use super::call::{Call, Found};
use super::critical_paths::{Worth, worth};
use super::losses::fits;

/// The dangers of a program that takes packages, file systems or files away.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    of_packages(call, found);
    of_mounts(call, found);
    of_packers(call, found);
}

/// Packages that a system does not run without, or all of them.
fn of_packages(call: &Call<'_>, found: &mut Vec<Found>) {
    const VITAL: [&str; 27] = [
        "busybox",
        "core",
        "snapd",
        "libc6",
        "glibc",
        "musl",
        "systemd",
        "bash",
        "coreutils",
        "dpkg",
        "apt",
        "rpm",
        "dnf",
        "yum",
        "pacman",
        "sudo",
        "python3",
        "util-linux",
        "base-files",
        "init",
        "filesystem",
        "linux-image*",
        "openssh-server",
        "login",
        "grub*",
        "kernel",
        "libc-bin",
    ];
    let removes = match call.name {
        "apt" | "apt-get" | "aptitude" | "nala" => {
            call.has_any(&["remove", "purge", "autopurge", "autoremove"])
        }
        "dpkg" => call.short(&['r', 'P']) || call.starts(&["--purge", "--remove"]),
        "dnf" | "yum" | "zypper" | "tdnf" => call.has_any(&["remove", "erase", "rm", "autoremove"]),
        "pacman" | "yay" | "paru" => {
            call.arguments.iter().any(|word| word.starts_with("-R")) || call.long("--remove")
        }
        "rpm" => call.short(&['e']) || call.long("--erase"),
        "apk" => call.has("del"),
        "emerge" => call.short(&['C']) || call.long("--unmerge"),
        "brew" => call.has_any(&["uninstall", "remove", "rm"]),
        "snap" | "flatpak" | "pkg" | "xbps-remove" => {
            call.has_any(&["remove", "uninstall", "delete"]) || call.name == "xbps-remove"
        }
        _ => return,
    };
    if !removes {
        return;
    }
    let every =
        |word: &str| !word.is_empty() && word.chars().all(|letter| "*.?^$".contains(letter));
    let listed = |word: &str| word.starts_with("$(") || word.starts_with('`');
    let vital = |word: &str| VITAL.iter().any(|name| fits(word, name));
    let name = call.name;
    if call.operands().any(every) {
        found.push((
            Catastrophic,
            format!("`{name}` removes every package of the system"),
        ));
    } else if call.operands().any(listed) || call.has("--all") {
        found.push((Dangerous, format!("`{name}` removes many packages at once")));
    } else if let Some(package) = call.operands().find(|word| vital(word)) {
        found.push((
            Dangerous,
            format!("`{name}` removes `{package}`, which the system needs"),
        ));
    } else if call.starts(&[
        "--force-all",
        "--nodeps",
        "-Rdd",
        "--force-remove-essential",
        "--allow-remove-essential",
    ]) {
        found.push((
            Dangerous,
            format!("`{name}` removes packages that others need"),
        ));
    }
}

/// File systems that are taken away below what runs.
fn of_mounts(call: &Call<'_>, found: &mut Vec<Found>) {
    let all =
        matches!(call.name, "umount" | "swapoff") && (call.short(&['a']) || call.long("--all"));
    let vital = || {
        call.operands()
            .find(|path| call.name == "umount" && worth(path) == Worth::Vital)
    };
    if all && call.name == "umount" {
        found.push((
            Dangerous,
            "`umount -a` takes away every file system".to_owned(),
        ));
    } else if let Some(path) = vital() {
        found.push((Dangerous, format!("`umount` takes away `{path}`")));
    }
}

/// Programs that delete what they have put somewhere else, and those that delete under another name.
fn of_packers(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let moves = match name {
        "zip" => {
            let bundle = |word: &String| {
                word.starts_with('-')
                    && !word.starts_with("--")
                    && word.len() < 12
                    && word.contains('m')
            };
            call.arguments.iter().any(bundle) || call.long("--move")
        }
        "tar" | "bsdtar" | "gtar" => call.starts(&["--remove-f"]),
        "7z" | "7za" | "7zz" => call.has("-sdel"),
        "rar" => call.operand(0) == "m" || call.has("-df"),
        "cpio" | "pax" | "arj" => false,
        "trash" | "trash-put" | "del-cli" | "trash-cli" | "rmtrash" | "move-to-trash" | "shx"
        | "remove_directory" => name != "shx" || call.has("rm"),
        "gio" | "kioclient" | "kioclient5" => matches!(call.operand(0), "trash" | "remove"),
        "cmake" => call.has("-E") && call.has_any(&["rm", "remove", "remove_directory"]),
        "rclone" => matches!(call.operand(0), "purge" | "delete" | "move"),
        _ => false,
    };
    // Where the archive goes comes first, and may be in a home.
    if let Some(path) = call
        .operands()
        .find(|path| moves && worth(path) == Worth::Vital)
    {
        found.push((
            Catastrophic,
            format!("`{name}` takes away `{path}` with everything below"),
        ));
    } else if moves && matches!(name, "zip" | "tar" | "7z" | "rar" | "bsdtar") {
        found.push((Dangerous, format!("`{name}` deletes what it has packed")));
    }
}
