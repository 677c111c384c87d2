//! Names that are never written, deleted or moved without asking.

use super::autoloaded::OBEYED;
use super::credentials::CREDENTIALS;
use super::layout::Group;
use super::table::{Table, table};
use super::{components, fold};

const PROTECTED: &[Group] = &[
    Group {
        why: "sayso's own files",
        patterns: &[
            ".sayso*",
            "sayso.y*ml",
            ".config/sayso",
            ".local/share/sayso",
            ".local/state/sayso",
            "application support/sayso",
            "/etc/sayso",
        ],
    },
    Group {
        why: "Python environment",
        patterns: &["venv", ".venv"],
    },
    Group {
        why: "key or credential file",
        patterns: &[".docker", ".yarnrc"],
    },
    Group {
        why: "part of the system",
        patterns: &[
            "/etc/sudoers*",
            "/etc/doas.conf",
            "/etc/shadow*",
            "/etc/gshadow*",
            "/etc/passwd*",
            "/etc/group*",
            "/etc/cron*",
            "/etc/anacrontab",
            "/etc/pam.d",
            "/etc/security",
            "/etc/ssh",
            "/etc/systemd",
            "/etc/profile*",
            "/etc/bash*",
            "/etc/zsh*",
            "/etc/environment",
            "/etc/ld.so*",
            "/etc/hosts",
            "/etc/fstab",
            "/etc/init.d",
            "/etc/rc*",
            "/etc/gitconfig",
            "/etc/polkit-1",
            "/etc/udev",
            "/private/etc",
            "/var/spool/cron",
            "/var/at",
            "/boot",
            "/efi",
            "/proc",
            "/sys",
            "/system",
        ],
    },
];

/// Last, so that what is said of `.git/hooks` is that it holds hooks.
const REPOSITORY: &[Group] = &[Group {
    why: "git's own data",
    patterns: &[".git"],
}];

/// Devices that every program may write to: nothing stays there, or it goes back to whoever started the program.
const HARMLESS_DEVICES: [&str; 9] = [
    "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty",
];

pub(super) static TABLE: Table = table!(PROTECTED, CREDENTIALS, OBEYED, REPOSITORY);

/// The built-in names, by why they are protected.
pub fn protected_names() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    PROTECTED
        .iter()
        .chain(CREDENTIALS)
        .chain(OBEYED)
        .chain(REPOSITORY)
        .map(|group| (group.why, group.patterns))
}

/// Why a path must not be written, deleted or moved silently, if it must not: the reason in words, such as "git's own data".
///
/// Names are compared in their [`fold()`], on every system. A protected folder protects everything below; a folder that merely *holds*
/// something protected is not protected itself, so whoever judges a recursive delete or a move of a whole folder must not rely on this alone.
pub fn protected(canonical: &str, home: Option<&str>) -> Option<&'static str> {
    device(canonical).or_else(|| TABLE.find(canonical, home))
}

fn device(canonical: &str) -> Option<&'static str> {
    let mut names = components(canonical);
    if fold(names.next()?) != "dev" {
        return None;
    }
    match (names.next(), names.next()) {
        (Some(name), None) if HARMLESS_DEVICES.contains(&name) => None,
        // Open files of the program itself, and a folder for temporary files.
        (Some("fd" | "shm"), _) => None,
        _ => Some("device"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::join;
    use super::super::table::check_that_every_pattern_is_found;
    use super::*;
    use proptest::prelude::*;

    const HOME: Option<&str> = Some("/home/u");

    fn check(wanted: &str, paths: &[&str]) {
        for path in paths {
            assert_eq!(protected(path, HOME), Some(wanted), "{path}");
        }
    }

    #[test]
    fn reasons_are_told() {
        check(
            "git's own data",
            &[
                "/ws/.git",
                "/ws/.git/config",
                "/ws/a/b/.git/x.md",
                "/ws/.git/notes.md",
            ],
        );
        check(
            "git hook",
            &[
                "/ws/.git/hooks/pre-commit",
                "/ws/.husky/pre-push",
                "/ws/lefthook.yml",
            ],
        );
        check(
            "key or credential file",
            &[
                "/home/u/.ssh/config",
                "/ws/server.pem",
                "/ws/id_rsa",
                "/ws/id_ed25519.pub",
                "/ws/.docker/x",
            ],
        );
        check(
            "file with secrets for the environment",
            &["/ws/.env", "/ws/sub/.env.local", "/ws/.envrc", "/ws/.env/x"],
        );
        check(
            "shell start-up file",
            &["/home/u/.bashrc", "/home/u/.config/fish/config.fish"],
        );
        check(
            "configuration of an agent or editor",
            &[
                "/ws/.vscode/settings.json",
                "/ws/.claude/settings.json",
                "/ws/.mcp.json",
                "/ws/.aider.conf.yml",
            ],
        );
        check(
            "file that CI runs",
            &[
                "/ws/.github/workflows/ci.yml",
                "/ws/Jenkinsfile",
                "/ws/.woodpecker.yml",
            ],
        );
        check(
            "sayso's own files",
            &[
                "/ws/.sayso/x",
                "/ws/.sayso.yaml",
                "/home/u/.config/sayso/rules.yaml",
            ],
        );
        check("Python environment", &["/ws/venv/bin/python", "/ws/.venv"]);
        check(
            "part of the system",
            &[
                "/etc/sudoers.d/x",
                "/etc/shadow",
                "/etc/cron.d/x",
                "/boot/vmlinuz",
                "/proc/1/mem",
                "/sys/power",
            ],
        );
        check(
            "device",
            &["/dev", "/dev/sda", "/dev/pts/0", "/DEV/sda", "/dev/null/x"],
        );
        check(
            "programs on the search path",
            &["/home/u/bin/git", "/home/u/.local/bin/sayso"],
        );
    }

    #[test]
    fn h_19_other_spellings_are_protected_too() {
        for path in [
            "/ws/sub/.env",
            "/ws/.GIT/config",
            "/ws/.cUrSoR/mcp.json",
            "/ws/.ENV",
            "/ws/VENV/x",
            "/ws/.Git/Hooks/x",
            "/ws/Server.PEM",
            "/ws/JENKINSFILE",
            "/ws/.\u{212a}ube/config",
            "/ws/.\u{df}h/config",
            "/ws/.g\u{130}t/config",
            "/ws/.g\u{200c}it/config",
            "/ws/.\u{ff47}it/x",
        ] {
            assert!(protected(path, HOME).is_some(), "{path}");
        }
    }

    #[test]
    fn h_20_likeness_is_not_enough() {
        for path in "
            /ws/.gitignore /ws/.gitkeep /ws/.github/ISSUE_TEMPLATE/bug.md /ws/environment.md /ws/invent/venvs/x /ws/keyboard.rs
            /ws/monkey.txt /ws/package.key.ts /ws/git/config /ws/env /ws/ssh/x /ws/src/main.rs /ws/a/etc/shadow /ws/dev/x
            /ws/bin/x /ws/mygit/.gitx /ws/.config/app.toml /ws/.cargo/registry/x /ws/pem /ws/hooks/x /ws/docs/README.md /dev/null
            /dev/fd/63 /dev/tty /dev/shm/x /home/u / /ws/node_modules/@types/x /ws/Cargo.toml /ws/claude.rs /ws/.dockerignore
            /ws/.gitattributes"
            .split_whitespace()
        {
            assert_eq!(protected(path, HOME), None, "{path}");
        }
    }

    #[test]
    fn h_76_windows_spellings_are_protected() {
        for path in [
            "/ws/.git ",
            "/ws/.git./x",
            "/ws/.git::$INDEX_ALLOCATION/x",
            "/ws/GIT~1/config",
            "/ws/ENV~1",
            "/ws/.env:x",
            "/ws/SSH~1/x",
            "/ws/x:k.pem",
            "/ws/x\u{ff1a}k.pem",
            "/ws/GIT\u{ff5e}1/x",
        ] {
            assert!(protected(path, HOME).is_some(), "{path}");
        }
    }

    #[test]
    fn m_02_names_are_protected_before_they_exist() {
        for path in [
            "/ws/new/.claude/settings.local.json",
            "/ws/new/.vscode/tasks.json",
            "/ws/x/.mise.toml",
            "/ws/.npmrc",
            "/ws/.yarnrc.yml",
        ] {
            assert!(protected(path, HOME).is_some(), "{path}");
        }
    }

    #[test]
    fn no_pattern_is_lost() {
        check_that_every_pattern_is_found(&TABLE, &[PROTECTED, CREDENTIALS, OBEYED, REPOSITORY]);
    }

    proptest! {
        #[test]
        fn p_03_everything_below_is_protected_too(name in "\\PC{0,8}[.~:/]?(git|env|ssh|pem)?\\PC{0,4}", below in "[a-z.]{1,4}") {
            let path = join("/ws", &name);
            if protected(&path, None).is_some() && path != "/dev" {
                let deeper = path + "/" + &below;
                prop_assert!(protected(&deeper, None).is_some(), "{}", deeper);
            }
        }
    }
}
