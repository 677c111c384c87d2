//! Dangers to disks: new file systems, raw writes, and volumes taken apart.

use sayso_core::analysis::risk::Tier::{Catastrophic, Dangerous};

use super::call::{Call, Found};
use super::critical_paths::is_raw_device;

/// The dangers of a program that works on disks.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let first = call.lower(0);
    let first = &*first;
    let mut say = |tier, what: String| found.push((tier, what));
    match name {
        "dd" | "shred" | "wipefs" if matches!(call.arguments, [only] if matches!(only.as_str(), "--version" | "--help")) =>
            {}
        "dd" | "dcfldd" | "ddrescue" => {
            let output = call
                .arguments
                .iter()
                .filter_map(|word| word.strip_prefix("of="))
                .find(|path| is_system_device(path));
            match output.or_else(|| {
                call.operands()
                    .find(|path| name == "ddrescue" && is_raw_device(path))
            }) {
                Some(path) => say(
                    Catastrophic,
                    format!("`{name}` writes over the device `{path}`"),
                ),
                None if call.starts(&["if=", "of="]) || call.exact => {
                    say(Dangerous, format!("`{name}` copies raw data over a file"))
                }
                None => {}
            }
        }
        "shred" if !call.operands().any(|path| path.starts_with("/dev/")) => {
            say(Dangerous, "`shred` destroys files for good".to_owned())
        }
        "wipefs" if !call.short(&['a', 'o']) && !call.long("--all") && !call.long("--offset") => {
            say(Dangerous, "`wipefs` works on a whole device".to_owned());
        }
        "shred" | "wipefs" | "blkdiscard" => {
            say(Catastrophic, format!("`{name}` destroys a whole device"))
        }
        _ if (name == "mke2fs" || name == "mkfs" || name.starts_with("mkfs."))
            && makes_image(call) =>
        {
            say(
                Dangerous,
                format!("`{name}` makes a new file system in a file"),
            );
        }
        "newfs" | "mke2fs" | "mkswap" | "mkdosfs" | "mkntfs" => {
            say(Catastrophic, format!("`{name}` makes a new file system"))
        }
        "fdisk" | "sfdisk" | "parted" | "gdisk" | "sgdisk" | "cfdisk" if only_lists(call) => {}
        "sgdisk" if call.short(&['Z', 'z']) || call.starts(&["--zap"]) => say(
            Catastrophic,
            "`sgdisk` destroys the table of a disk".to_owned(),
        ),
        "fdisk" | "sfdisk" | "parted" | "gdisk" | "sgdisk" | "cfdisk" => {
            say(Dangerous, format!("`{name}` changes disks"))
        }
        "diskutil" => match first {
            "list" | "info" | "activity" | "listfilesystems" | "" => {}
            _ if [
                "erase",
                "zero",
                "random",
                "secureerase",
                "partition",
                "reformat",
            ]
            .iter()
            .any(|verb| first.starts_with(verb))
                || call.starts(&["deletecontainer", "deletevolume", "erasevolume"]) =>
            {
                say(Catastrophic, format!("`diskutil {first}` erases a disk"));
            }
            _ => say(Dangerous, "`diskutil` changes disks".to_owned()),
        },
        "cryptsetup" if matches!(first, "luksformat" | "erase" | "lukserase" | "reencrypt") => {
            say(
                Catastrophic,
                format!("`cryptsetup {first}` destroys what a disk holds"),
            );
        }
        "nvme" if matches!(first, "format" | "sanitize") => {
            say(Catastrophic, format!("`nvme {first}` erases a disk"))
        }
        "hdparm" if call.starts(&["--security-erase", "--trim-sector", "--write-sector"]) => {
            say(Catastrophic, "`hdparm` erases a disk".to_owned());
        }
        "badblocks" if call.short(&['w']) => say(
            Catastrophic,
            "`badblocks -w` writes over a whole disk".to_owned(),
        ),
        "lvremove" | "vgremove" | "pvremove" | "lvreduce" | "tune2fs" | "resize2fs" | "debugfs"
        | "zerofree" | "xfs_repair" => {
            say(Dangerous, format!("`{name}` changes disks"));
        }
        "zpool" | "zfs" if matches!(first, "destroy" | "rollback" | "labelclear") => {
            say(Dangerous, format!("`{name} {first}` destroys data"))
        }
        "btrfs" if first == "subvolume" && call.operand(1) == "delete" => say(
            Dangerous,
            "`btrfs subvolume delete` destroys data".to_owned(),
        ),
        "mdadm" if call.starts(&["--zero-superblock", "--stop", "--remove", "--create"]) => {
            say(Dangerous, "`mdadm` changes an array of disks".to_owned());
        }
        "efibootmgr" | "flashrom" | "grub-install" | "bootctl"
            if !call.arguments.is_empty() && !matches!(first, "status" | "list") =>
        {
            say(
                Dangerous,
                format!("`{name}` changes how the machine starts"),
            );
        }
        // `format c:` of another system; `format: …` in prose is none.
        "format" if call.operands().any(is_drive) => {
            say(Dangerous, "`format` erases a disk".to_owned())
        }
        _ if name == "mkfs" || name.starts_with("mkfs.") || name.starts_with("newfs_") => {
            say(Catastrophic, format!("`{name}` makes a new file system"));
        }
        _ => {}
    }
}

/// A letter and a colon.
fn is_drive(word: &str) -> bool {
    let mut letters = word.chars();
    letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && word.len() <= 3
}

/// Whether it is told of nothing but an image of a disk in the workspace, by its name. Where a link leads to a device, the write that is listed
/// says so.
fn makes_image(call: &Call<'_>) -> bool {
    const ENDS: [&str; 7] = [".img", ".iso", ".raw", ".ext4", ".ext2", ".fat", ".vfat"];
    const PLAIN: [&str; 9] = [
        "-F", "-q", "-v", "-t", "ext2", "ext3", "ext4", "vfat", "fat",
    ];
    let Some((image, options)) = call.arguments.split_last() else {
        return false;
    };
    let plain = image
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte));
    let inside = !image.starts_with(['/', '-'])
        && !image.split('/').any(|part| part == "..")
        && !image.contains("/dev");
    plain
        && inside
        && ENDS.iter().any(|end| image.ends_with(end))
        && options.iter().all(|word| PLAIN.contains(&word.as_str()))
}

/// A table of partitions is only shown.
fn only_lists(call: &Call<'_>) -> bool {
    let lists = |word: &str| {
        matches!(
            word,
            "-l" | "--list"
                | "-d"
                | "--dump"
                | "-p"
                | "--print"
                | "-v"
                | "-V"
                | "--version"
                | "--help"
                | "-x"
                | "print"
        )
    };
    call.arguments.iter().any(|word| lists(word))
        && call.arguments.iter().all(|word| {
            lists(word) || word.starts_with("/dev/") || matches!(word.as_str(), "-s" | "--script")
        })
}

/// A path below `/dev` that is more than an output of the program itself.
fn is_system_device(path: &str) -> bool {
    path.starts_with("/dev/")
        && !matches!(
            path,
            "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty"
        )
}
