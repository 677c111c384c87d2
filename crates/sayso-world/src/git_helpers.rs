//! Which of git's settings make it start a program.

use crate::git_syntax::Setting;

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

/// Whether a setting makes git start a program. `core.hooksPath` and `core.worktree` are looked at elsewhere: they need the disk.
pub(crate) fn runs_program(setting: &Setting) -> bool {
    let value = setting.value.as_deref().unwrap_or("true");
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
            matches!(name, "pager" | "editor" | "sshcommand" | "gitproxy" | "askpass" | "alternaterefscommand" | "virtualfilesystem")
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
