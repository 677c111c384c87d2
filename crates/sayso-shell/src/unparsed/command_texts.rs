//! Texts of a command line that another program runs as a command: values of settings and options, and texts behind `!`.

/// Variables whose value some program runs.
fn runs_variable(name: &str) -> bool {
    matches!(
        name,
        "GIT_SSH_COMMAND"
            | "GIT_SSH"
            | "GIT_PAGER"
            | "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_ASKPASS"
            | "PAGER"
            | "EDITOR"
            | "VISUAL"
            | "PROMPT_COMMAND"
            | "PS4"
            | "MANPAGER"
            | "SYSTEMD_PAGER"
            | "LESSOPEN"
            | "LESSCLOSE"
            | "BROWSER"
            | "GIT_PROXY_COMMAND"
            | "RSYNC_RSH"
            | "SUDO_ASKPASS"
            | "SSH_ASKPASS"
            | "MAKEFLAGS"
            | "CC"
            | "CXX"
            | "LD"
            | "AR"
            | "RUSTC"
            | "RUSTC_WRAPPER"
            | "RUSTC_WORKSPACE_WRAPPER"
    ) || name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER")
}

/// Options and settings whose value some program runs.
const OPTIONS: [&str; 11] = [
    "proxycommand",
    "localcommand",
    "knownhostscommand",
    "--checkpoint-action",
    "--to-command",
    "--compress-program",
    "--pre",
    "--use-compress-program",
    "--rsh",
    "--upload-pack",
    "--receive-pack",
];
/// How names of git's settings end whose value is run.
const SETTINGS: [&str; 7] = [
    "command",
    "pager",
    "editor",
    "fsmonitor",
    "textconv",
    "helper",
    "external",
];
/// Programs that run what stands behind `!`.
const BY_SIGN: [&str; 14] = [
    "vim", "vi", "nvim", "view", "ex", "ed", "psql", "mysql", "sqlite3", "gdb", "dc", "ftp",
    "less", "more",
];

/// The value of a setting or an option that is run.
pub(crate) fn setting(word: &str) -> Option<&str> {
    let (name, value) = word.split_once('=')?;
    let small = name.to_ascii_lowercase();
    let of_git = || {
        small.contains('.')
            && !small.contains(' ')
            && SETTINGS.iter().any(|end| small.ends_with(end))
    };
    let runs = runs_variable(name)
        || small.starts_with("alias.")
        || OPTIONS.contains(&small.as_str())
        || of_git();
    let value = value
        .strip_prefix("exec=")
        .or(value.strip_prefix('!'))
        .unwrap_or(value);
    Some(value).filter(|value| runs && value.contains(' '))
}

/// The texts in a word of this program that are run.
pub(crate) fn texts<'a>(program: &str, word: &'a str) -> Vec<&'a str> {
    let mut texts: Vec<&str> = setting(word).into_iter().collect();
    if BY_SIGN.contains(&program) {
        texts.extend(
            ["!", ":!", "\\!"]
                .iter()
                .find_map(|sign| word.strip_prefix(sign)),
        );
    }
    // A call in a small language: `BEGIN{system("…")}`.
    if program.ends_with("awk")
        && let Some((_, rest)) = word.split_once("system(")
        && let Some(quote) = rest
            .chars()
            .next()
            .filter(|first| matches!(first, '"' | '\''))
    {
        texts.extend(rest.get(1..).and_then(|rest| rest.split(quote).next()));
    }
    texts.retain(|text| text.contains(' '));
    texts
}

/// Whether a word is nothing but one variable: `$x`, `${x:-y}`.
pub(crate) fn is_variable(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('$') else {
        return false;
    };
    let braces = rest.starts_with('{') && rest.ends_with('}') && rest.matches('{').count() == 1;
    braces
        || !rest.is_empty()
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_@*".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{is_variable, texts};

    #[test]
    fn texts_that_are_run() {
        for (program, word, text) in [
            ("git", "GIT_PAGER=rm -rf ~", "rm -rf ~"),
            ("git", "alias.x=!rm -rf /", "rm -rf /"),
            ("git", "core.sshCommand=rm -rf ~", "rm -rf ~"),
            ("ssh", "ProxyCommand=rm -rf /", "rm -rf /"),
            ("tar", "--checkpoint-action=exec=rm -rf /", "rm -rf /"),
            ("vim", ":!rm -rf /", "rm -rf /"),
            ("psql", "\\! rm -rf ~", " rm -rf ~"),
            ("gawk", "BEGIN{system(\"rm -rf /\")}", "rm -rf /"),
        ] {
            assert_eq!(texts(program, word), [text], "{word}");
        }
        for word in [
            "",
            "a",
            "PAGER=cat",
            "x=rm -rf /",
            "rm -rf /",
            "!rm -rf /",
            "--message=rm -rf /",
            "command=rm -rf /",
            "fix: exec=rm -rf /",
        ] {
            assert!(texts("git", word).is_empty(), "{word}");
        }
    }

    #[test]
    fn words_that_are_one_variable() {
        for (word, is) in [
            ("$x", true),
            ("${x}", true),
            ("${SHELL:-sh}", true),
            ("$@", true),
            ("$x/y", false),
            ("x", false),
            ("$(x)", false),
        ] {
            assert_eq!(is_variable(word), is, "{word}");
        }
    }
}
