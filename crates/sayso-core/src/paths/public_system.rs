//! Places of the system that hold nothing of the person's own: what the kernel tells of the machine, and what packages have brought.
//!
//! Only for reading, and only for paths free of links: a link of one of these names is judged by where it leads.

use super::{below, relative};

/// Why everybody may know what is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Common {
    /// A file that tells what kind of machine this is.
    Machine,
    /// What the kernel tells a process of itself, and nothing of its memory, its words or its files.
    Process,
    /// A file or a folder of an installed package.
    Package {
        /// All that lies below is, too.
        deep: bool,
    },
}

/// Why everybody may know what is at a path; none if that is not so.
pub fn common(path: &str) -> Option<Common> {
    const FILES: [&str; 25] = [
        "/etc/os-release",
        "/usr/lib/os-release",
        "/etc/lsb-release",
        "/etc/debian_version",
        "/etc/redhat-release",
        "/etc/alpine-release",
        "/etc/hosts",
        "/etc/hostname",
        "/etc/issue",
        "/etc/timezone",
        "/etc/localtime",
        "/etc/shells",
        "/proc/cpuinfo",
        "/proc/meminfo",
        "/proc/version",
        "/proc/loadavg",
        "/proc/uptime",
        "/proc/stat",
        "/proc/filesystems",
        "/proc/vmstat",
        "/proc/swaps",
        "/proc/partitions",
        "/proc/diskstats",
        "/proc/modules",
        "/proc/sys/kernel/random/entropy_avail",
    ];
    const PROCESS: [&str; 11] = [
        "/proc/self/status",
        "/proc/self/stat",
        "/proc/self/statm",
        "/proc/self/limits",
        "/proc/self/cgroup",
        "/proc/self/mounts",
        "/proc/self/mountinfo",
        "/proc/self/net/dev",
        "/proc/self/net/route",
        "/proc/self/net/snmp",
        "/proc/self/net/sockstat",
    ];
    if FILES.contains(&path) || is_of_kernel(path) {
        Some(Common::Machine)
    } else if PROCESS.contains(&path) {
        Some(Common::Process)
    } else {
        package(path)
    }
}

/// Settings and counts of the kernel. Of the network, some are keys; deeper down some folders are mounted when somebody looks.
fn is_of_kernel(path: &str) -> bool {
    const SETTINGS: [&str; 4] = [
        "/proc/sys/fs",
        "/proc/sys/kernel",
        "/proc/sys/vm",
        "/proc/sys/net/core",
    ];
    const COUNTS: [&str; 3] = [
        "/sys/fs/cgroup",
        "/sys/devices/system/cpu",
        "/sys/kernel/mm/transparent_hugepage",
    ];
    let name_in = |folder: &&str| {
        relative(path, folder)
            .is_some_and(|name| !name.is_empty() && !name.contains('/') && !name.contains("key"))
    };
    SETTINGS.iter().any(name_in)
        || COUNTS
            .iter()
            .any(|folder| path != *folder && below(path, folder))
}

/// What packages bring, and nobody else: not `/usr/local`, which is for what people put there, and of `/usr/share` only what is data, since
/// whole web applications lie there with their settings.
fn package(path: &str) -> Option<Common> {
    const WHOLE: [&str; 15] = [
        "/usr/include",
        "/usr/bin",
        "/usr/sbin",
        "/bin",
        "/sbin",
        "/usr/share/dict",
        "/usr/share/doc",
        "/usr/share/man",
        "/usr/share/info",
        "/usr/share/locale",
        "/usr/share/zoneinfo",
        "/usr/share/licenses",
        "/usr/share/common-licenses",
        "/usr/share/pkgconfig",
        "/usr/share/terminfo",
    ];
    const LIBRARIES: [&str; 8] = [
        "/usr/lib",
        "/usr/lib32",
        "/usr/lib64",
        "/usr/libexec",
        "/lib",
        "/lib32",
        "/lib64",
        "/libexec",
    ];
    // Scripts of a web server with their passwords, and passwords for services.
    const OTHERS: [&str; 4] = ["cgi-bin", "credstore", "credstore.encrypted", "ssl"];
    if WHOLE.iter().any(|folder| below(path, folder)) {
        return Some(Common::Package { deep: true });
    }
    let rest = LIBRARIES.iter().find_map(|folder| relative(path, folder))?;
    let first = rest.split('/').next().unwrap_or_default();
    // Whole programs lie there with their settings, so what is below is not known by its place.
    (!OTHERS.contains(&first)).then_some(Common::Package { deep: false })
}

#[cfg(test)]
mod tests {
    use super::{Common, common};

    #[test]
    fn only_what_everybody_may_know_is_common() {
        for path in [
            "/etc/hosts",
            "/proc/loadavg",
            "/proc/sys/fs/file-max",
            "/proc/sys/kernel/hostname",
            "/sys/fs/cgroup/memory.max",
        ] {
            assert_eq!(common(path), Some(Common::Machine), "{path}");
        }
        for path in [
            "/proc/self/status",
            "/proc/self/mounts",
            "/proc/self/net/dev",
        ] {
            assert_eq!(common(path), Some(Common::Process), "{path}");
        }
        for path in [
            "/usr/include",
            "/usr/include/sys/types.h",
            "/usr/bin/ls",
            "/usr/share/dict/words",
        ] {
            assert_eq!(common(path), Some(Common::Package { deep: true }), "{path}");
        }
        for path in ["/usr/lib", "/usr/lib/python3", "/lib64/x.so"] {
            assert_eq!(
                common(path),
                Some(Common::Package { deep: false }),
                "{path}"
            );
        }
        for path in "/ /usr /usr/local /usr/local/include/x /usr/includes /usr/share /usr/share/wordpress/wp-config.php /usr/src /etc /etc/shadow \
            /etc/passwd /usr/lib/cgi-bin/x /usr/lib/credstore/x /usr/lib/ssl/private/k /proc /proc/self /proc/self/environ /proc/self/cmdline \
            /proc/self/mem /proc/self/fd/0 /proc/self/maps /proc/self/cwd/x /proc/1/status /proc/1/environ /proc/12/net/dev /proc/kcore /proc/kmsg \
            /proc/keys /proc/key-users /proc/sys /proc/sys/fs /proc/sys/net/ipv4/tcp_fastopen_key /proc/sys/net/ipv6/conf/all/stable_secret \
            /proc/sys/fs/binfmt_misc/status /sys /sys/fs /sys/fs/cgroup /sys/class/dmi/id/product_serial /proc/cmdline /ws/usr/include/x \
            /ws/proc/self/status /opt/x /nix/store/x /home/u/x /root/x"
            .split_whitespace()
        {
            assert_eq!(common(path), None, "{path}");
        }
    }
}
