//! Paths that a machine or a person cannot do without, and devices that hold everything at once.

use super::below;

/// Folders of the system whose loss stops the machine.
const SYSTEM: [&str; 40] = [
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/media",
    "/mnt",
    "/nix",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/sbin",
    "/usr/share",
    "/usr/local",
    "/var/lib",
    "/var/log",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/private",
    "/private/etc",
    "/private/var",
    "/cores",
    "/etc/ssh",
    "/usr/local/bin",
];

/// Disks and memory by the start of their names below `/dev`.
const DEVICES: [&str; 19] = [
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper", "dm-", "md", "loop",
    "sr", "mem", "kmem", "port", "ram", "nbd", "block",
];

/// Whether a path in normal form is the root, a folder of the system, or somebody's home; letters of either case count.
pub fn vital(path: &str) -> bool {
    let a_home = |start: &str| {
        path.strip_prefix(start)
            .is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
    };
    path.starts_with('/')
        && (SYSTEM
            .iter()
            .any(|folder| folder.eq_ignore_ascii_case(path))
            || a_home("/home/")
            || a_home("/Users/"))
}

/// Whether a path lies where the system keeps its programs and settings.
pub fn of_the_system(path: &str) -> bool {
    ["/usr", "/etc", "/boot", "/lib", "/bin", "/sbin", "/System"]
        .iter()
        .any(|folder| below(path, folder))
        && !below(path, "/usr/local")
}

/// Whether a path is a disk or memory itself, so that writing it overwrites everything.
pub fn raw_device(path: &str) -> bool {
    path.strip_prefix("/dev/")
        .is_some_and(|name| DEVICES.iter().any(|device| name.starts_with(device)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_system_and_homes_are_vital() {
        for path in [
            "/",
            "/etc",
            "/ETC",
            "/home",
            "/home/u",
            "/Users/v",
            "/usr/local/bin",
        ] {
            assert!(vital(path), "{path}");
        }
        for path in [
            "/home/u/x",
            "/home/",
            "/Users/",
            "/srv/x",
            "/etc/x",
            "/opt/x",
            "/homes/u",
        ] {
            assert!(!vital(path), "{path}");
        }
    }
}
