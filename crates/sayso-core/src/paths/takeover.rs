//! Files whose change hands a machine, a person's sessions or the guards of an agent to the one who writes them.
//!
//! Fewer than what is protected: an ordinary file of a project that a tool obeys asks, and no more.

use super::autoloaded::{SEARCH_PATH, SHELL_FILES, STARTED};
use super::layout::Group;
use super::protected::protected;
use super::table::{Table, table};
use super::{below, of_the_system};

/// What counts in the home of a person. In a workspace such a name is a template or a test.
const PERSONAL: &[Group] = &[
    Group {
        why: "shell start-up file",
        patterns: SHELL_FILES,
    },
    Group {
        why: "something that starts by itself",
        patterns: STARTED,
    },
    Group {
        why: "programs on the search path",
        patterns: SEARCH_PATH,
    },
    Group {
        why: "configuration of git",
        patterns: &[".gitconfig", ".gitconfig.*", ".config/git"],
    },
    Group {
        why: "who may log in, and how",
        patterns: &[
            ".ssh/config*",
            ".ssh/rc",
            ".ssh/environment",
            ".ssh/id_*",
            ".k5login",
            ".rhosts",
            ".shosts",
        ],
    },
    Group {
        why: "file that a program runs when it starts",
        patterns: &[
            ".vimrc",
            ".gvimrc",
            ".exrc",
            ".vim",
            ".config/nvim",
            ".emacs",
            ".emacs.d",
            ".config/emacs",
            ".gdbinit",
            ".lldbinit",
            ".pythonrc*",
            ".pythonstartup*",
            ".irbrc",
            ".pryrc",
            ".rprofile",
            ".psqlrc",
            ".sqliterc",
            ".gradle/init.gradle*",
            ".gradle/init.d",
            ".config/direnv",
            ".config/mise",
        ],
    },
    Group {
        why: "where a package manager takes code from",
        patterns: &[
            ".npmrc",
            ".yarnrc*",
            ".pip/pip.conf",
            ".config/pip",
            ".pydistutils.cfg",
            ".gemrc",
            ".m2/settings.xml",
            ".bunfig.toml",
            ".condarc",
        ],
    },
];

/// What counts wherever it stands, since it is obeyed in every project.
const ANYWHERE: &[Group] = &[
    Group {
        why: "git hook",
        patterns: &[".git/hooks"],
    },
    Group {
        why: "who may log in",
        patterns: &["authorized_keys", "authorized_keys2"],
    },
    Group {
        why: "settings of an agent or an editor, which decide what runs unasked",
        patterns: &[
            ".claude/settings*.json",
            ".claude/hooks",
            ".claude.json",
            ".claude/plugins",
            ".claude-plugin",
            ".codex/config.toml",
            ".codex/hooks*",
            ".codex/rules",
            ".gemini/settings.json",
            ".gemini/extensions",
            ".qwen/settings.json",
            ".iflow/settings.json",
            ".cursor/mcp.json",
            ".cursor/hooks*",
            ".cursor/cli*.json",
            ".cursor/permissions.json",
            ".config/cursor",
            ".opencode/plugin*",
            ".opencode/opencode.json*",
            ".config/opencode",
            "opencode.json",
            "opencode.jsonc",
            ".mcp.json",
            "mcp.json",
            "mcp_config.json",
            "mcp_settings.json",
            "claude_desktop_config.json",
            ".continue/config*",
            ".aider.conf.yml",
            ".crush.json",
            "crush.json",
            ".config/crush",
            ".config/amp",
            ".amp/settings.json",
            ".config/goose",
            ".kiro/settings",
            ".kiro/hooks",
            ".factory/settings*.json",
            ".factory/hooks*",
            ".augment/settings.json",
            ".copilot/config.json",
            ".copilot/mcp-config.json",
            ".github/hooks",
            ".config/github-copilot",
            ".openclaw",
            ".vscode-server/data/machine/settings.json",
            ".config/code/user",
            ".config/zed",
        ],
    },
];

static PERSONAL_TABLE: Table = table!(PERSONAL);
static ANYWHERE_TABLE: Table = table!(ANYWHERE);

/// Why a write to a path, or its loss, hands something over: the reason in words, such as "shell start-up file".
pub fn takeover(canonical: &str, workspace: &str, home: Option<&str>) -> Option<&'static str> {
    if let Some(why) = ANYWHERE_TABLE.find(canonical, home) {
        return Some(why);
    }
    let works_at_home = home.is_some_and(|home| below(home, workspace));
    if below(canonical, workspace) && !works_at_home {
        return None;
    }
    PERSONAL_TABLE
        .find(canonical, home)
        .or_else(|| system(canonical).then_some("part of the system"))
}

/// Whether the system runs or obeys what stands at a path, or keeps its own data there.
fn system(canonical: &str) -> bool {
    const MORE: [&str; 10] = [
        "/usr/local/bin",
        "/usr/local/sbin",
        "/usr/local/lib",
        "/usr/local/etc",
        "/lib32",
        "/lib64",
        "/var/lib",
        "/var/spool/cron",
        "/Library",
        "/private/etc",
    ];
    of_the_system(canonical)
        || MORE.iter().any(|folder| below(canonical, folder))
        || protected(canonical, None).is_some_and(|why| why == "part of the system")
            && !below(canonical, "/proc/self")
}

#[cfg(test)]
mod tests {
    use super::super::table::check_that_every_pattern_is_found;
    use super::*;

    fn of(path: &str) -> Option<&'static str> {
        takeover(path, "/home/u/ws", Some("/home/u"))
    }

    #[test]
    fn what_starts_or_is_obeyed_is_handed_over() {
        for (path, why) in [
            ("/home/u/.bashrc", "shell start-up file"),
            ("/root/.zshenv", "shell start-up file"),
            (
                "/home/u/.config/systemd/user/x.service",
                "something that starts by itself",
            ),
            ("/home/u/.local/bin/git", "programs on the search path"),
            ("/home/u/.ssh/authorized_keys", "who may log in"),
            ("/home/u/ws/.git/hooks/pre-commit", "git hook"),
            (
                "/home/u/ws/.claude/settings.local.json",
                "settings of an agent or an editor, which decide what runs unasked",
            ),
            ("/usr/bin/ls", "part of the system"),
            ("/etc/passwd", "part of the system"),
            ("/var/lib/dpkg/status", "part of the system"),
            ("/usr/local/bin/git", "part of the system"),
        ] {
            assert_eq!(of(path), Some(why), "{path}");
        }
    }

    #[test]
    fn ordinary_files_of_a_project_are_not() {
        for path in [
            "/home/u/ws/.bashrc",
            "/home/u/ws/.envrc",
            "/home/u/ws/.husky/pre-commit",
            "/home/u/ws/.vscode/settings.json",
            "/home/u/ws/dotfiles/.vimrc",
            "/home/u/ws/.npmrc",
            "/home/u/ws/.claude/commands/x.md",
            "/home/u/ws/.mise.toml",
            "/home/u/ws/.pre-commit-config.yaml",
            "/home/u/ws/.github/workflows/ci.yml",
            "/home/u/notes.txt",
            "/tmp/x",
            "/srv/app/x",
            "/opt/x",
            "/var/log/x",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn no_pattern_is_lost() {
        check_that_every_pattern_is_found(&PERSONAL_TABLE, &[PERSONAL]);
        check_that_every_pattern_is_found(&ANYWHERE_TABLE, &[ANYWHERE]);
    }
}
