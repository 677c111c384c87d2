//! Which of git's settings make it start a program or reach out, and which of those a reading command can set off.

use sayso_core::analysis::fact::GitHelperKind;

use crate::git::harmless_settings::is_inert;
use crate::git::syntax::Setting;

/// The hooks git looks for.
pub(crate) const HOOKS: [&str; 29] = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "fsmonitor-watchmanv2",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// Hooks that commands which only read may set off: `status` and `diff` write what they learned of the files to the index. No reading
/// command is known to move a reference, but git does that in so many places, and this hook is so rare, that it is not relied on.
const HOOKS_ON_READ: [&str; 2] = ["post-index-change", "reference-transaction"];

/// Programs for commands that change something or connect, which are asked for anyway. All others count as started by reading ones:
/// a pager, a filter or a merge driver (`log --remerge-diff`) shows up where nobody expects it.
const NOT_ON_READ: [(&str, &str); 9] = [
    ("core", "editor"),
    // The hooks in that folder are told one by one.
    ("core", "hookspath"),
    ("sequence", "editor"),
    // No alias takes the place of a command of git.
    ("alias", "*"),
    ("credential", "*"),
    ("sendemail", "*"),
    ("difftool", "*"),
    ("mergetool", "*"),
    ("guitool", "*"),
];

/// Whether a reading command can set off this hook.
pub(crate) fn hook_on_read(hook: &str) -> bool {
    HOOKS_ON_READ.contains(&hook)
}

/// Whether a reading command can set off what this setting names.
pub(crate) fn on_read(setting: &Setting) -> bool {
    !NOT_ON_READ.iter().any(|(section, name)| {
        *section == setting.section && (*name == "*" || *name == setting.name)
    })
}

/// The value, with `true` for a name alone.
pub(crate) fn value_of(setting: &Setting) -> &str {
    setting.value.as_deref().unwrap_or("true")
}

/// What a setting of a repository makes git do; none if that is nothing of interest. `core.hooksPath` and `core.worktree` are looked at
/// elsewhere: they need the disk.
pub(crate) fn kind_of(setting: &Setting) -> Option<GitHelperKind> {
    let plain = setting.subsection.is_none();
    let (section, name) = (setting.section.as_str(), setting.name.as_str());
    if plain && section == "core" && matches!(name, "hookspath" | "worktree") {
        return None;
    }
    if runs_program(setting) {
        return Some(GitHelperKind::Program);
    }
    if is_inert(setting) {
        return None;
    }
    // In a partial clone each reading command may find that it lacks something.
    let fetches = if plain {
        (section, name) == ("extensions", "partialclone")
    } else {
        (section, name) == ("remote", "promisor")
    };
    Some(if fetches {
        GitHelperKind::Fetch
    } else {
        GitHelperKind::Unknown
    })
}

/// Whether a setting is known to make git start a program.
pub(crate) fn runs_program(setting: &Setting) -> bool {
    let value = value_of(setting);
    if value.is_empty() {
        return false;
    }
    let (section, name) = (setting.section.as_str(), setting.name.as_str());
    match &setting.subsection {
        None => plain(section, name, value, setting.truth()),
        Some(_) => with_subsection(section, name, value),
    }
}

fn plain(section: &str, name: &str, value: &str, truth: Option<bool>) -> bool {
    match (section, name) {
        // `true` is git's own watcher.
        ("core", "fsmonitor") => truth.is_none(),
        ("pager", _) => truth.is_none(),
        ("log", "showsignature") => truth != Some(false),
        ("protocol", "allow") => value != "never",
        ("core", name) => {
            matches!(
                name,
                "pager"
                    | "editor"
                    | "sshcommand"
                    | "gitproxy"
                    | "askpass"
                    | "alternaterefscommand"
                    | "virtualfilesystem"
            )
        }
        ("gpg", "program")
        | ("sequence", "editor")
        | ("diff", "external")
        | ("credential", "helper")
        | ("interactive", "difffilter")
        | ("uploadpack", "packobjectshook")
        | ("gc", "recentobjectshook")
        | ("init", "templatedir")
        | ("web", "browser")
        | ("imap", "tunnel")
        | ("instaweb", "httpd")
        | ("sendemail", "smtpserver" | "sendmailcmd" | "tocmd" | "cccmd" | "headercmd")
        | ("alias", _) => true,
        _ => false,
    }
}

fn with_subsection(section: &str, name: &str, value: &str) -> bool {
    match (section, name) {
        ("protocol", "allow") => value != "never",
        ("submodule", "update") => value.starts_with('!'),
        // `ext::` runs a command, any other `name::` the program `git-remote-name`.
        ("remote", "url" | "pushurl") => value.contains("::"),
        ("diff", "command" | "textconv")
        | ("filter", "clean" | "smudge" | "process")
        | ("merge", "driver")
        | ("gpg", "program" | "defaultkeycommand")
        | ("credential", "helper")
        | ("difftool" | "mergetool" | "man" | "browser", "cmd" | "path")
        | ("guitool", "cmd")
        | ("trailer", "command" | "cmd")
        | ("tar", "command")
        | ("hook", "command")
        | ("remote", "uploadpack" | "receivepack" | "vcs")
        | ("sendemail", "smtpserver" | "sendmailcmd" | "tocmd" | "cccmd" | "headercmd")
        | ("alias", _) => true,
        _ => false,
    }
}
