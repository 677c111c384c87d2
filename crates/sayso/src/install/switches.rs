//! Settings of agents in which a key can switch hooks off, or keep them from being loaded: an agent in which sayso is installed may not
//! write any of them.

use std::path::Path;

use crate::agents::Which;

/// Names of such files, in a project or in the home folder; a `*` stands for any start of the last name.
pub fn names(who: Which) -> &'static [&'static str] {
    match who {
        // `disableAllHooks`.
        Which::Claude => &[".claude/settings.json", ".claude/settings.local.json"],
        // `features.hooks`, the trust in hooks, and profiles beside `config.toml`.
        Which::Codex => &[".codex/*.toml", ".codex/hooks.json"],
        // `hooksConfig`; no hook is started in a folder that is not trusted.
        Which::Gemini => &[".gemini/settings.json", ".gemini/trustedFolders.json"],
        Which::Qwen => &[
            ".qwen/settings.json",
            ".qwen/settings.local.json",
            ".qwen/trustedFolders.json",
        ],
        // `disableAllHooks`.
        Which::Copilot => &[
            ".copilot/settings.json",
            ".copilot/config.json",
            ".copilot/hooks/sayso.json",
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
        ],
        // A plugin of the same name in a project is loaded in place of the person's.
        Which::Opencode => &[".opencode/plugins/sayso.js", ".opencode/plugin/sayso.js"],
        Which::Cline => &[".cline/plugins/sayso.js"],
        Which::Cursor => &[".cursor/hooks.json"],
        Which::Windsurf => &[".windsurf/hooks.json"],
        Which::Droid => &[
            ".factory/settings.json",
            ".factory/settings.local.json",
            ".factory/hooks.json",
        ],
        Which::Crush => &[".crush.json", "crush.json"],
        Which::Goose => &[".agents/plugins/sayso"],
        Which::Generic => &[],
    }
}

/// Names of such files beside the one that the hook stands in, wherever that is.
pub fn beside(who: Which) -> &'static [&'static str] {
    match who {
        Which::Claude => &["settings.local.json"],
        Which::Codex => &["config.toml"],
        Which::Gemini | Which::Qwen => &["trustedFolders.json"],
        _ => &[],
    }
}

/// Folders of an administrator's settings, below `/etc`.
pub fn managed(who: Which) -> &'static [&'static str] {
    match who {
        Which::Claude => &["claude-code"],
        Which::Codex => &["codex"],
        Which::Gemini => &["gemini-cli"],
        Which::Qwen => &["qwen-code"],
        Which::Cursor => &["cursor"],
        Which::Windsurf => &["windsurf"],
        _ => &[],
    }
}

/// The project that a file of these names stands in.
pub fn project_of(who: Which, file: &Path) -> Option<&Path> {
    let first = names(who).first()?;
    // All names of an agent lie equally deep, or the hook stands in the first of them.
    file.ancestors().nth(first.split('/').count())
}
