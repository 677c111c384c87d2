//! Texts of a command line that another program runs as a command: values of settings and options, texts behind `!`, and input by `<<<`.

/// Variables whose value some program runs.
const VARIABLES: [&str; 12] = [
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "PROMPT_COMMAND",
    "PS4",
];
/// How an option says that a command follows.
const OPTIONS: [&str; 8] = ["command=", "exec=", "program=", "pager=", "editor=", "fsmonitor=", "textconv=", "helper="];

/// The value of a setting or an option that is run.
pub(crate) fn setting(word: &str) -> Option<&str> {
    let by_name = word.split_once('=').filter(|(name, _)| VARIABLES.contains(name) || name.starts_with("alias.")).map(|(_, value)| value);
    let by_option = || {
        let small = word.to_ascii_lowercase();
        let at = OPTIONS.iter().filter_map(|option| small.find(option).map(|at| at + option.len())).max()?;
        word.get(at..)
    };
    let value = by_name.or_else(by_option)?;
    Some(value.strip_prefix('!').unwrap_or(value)).filter(|value| value.contains(' '))
}

/// The texts in a word that are run.
pub(crate) fn texts(word: &str) -> Vec<&str> {
    let mut texts: Vec<&str> = setting(word).into_iter().collect();
    texts.extend(["!", ":!", "\\!"].iter().find_map(|sign| word.strip_prefix(sign)));
    // A call in a small language: `BEGIN{system("…")}`.
    if let Some((_, rest)) = word.split_once("system(")
        && let Some(quote) = rest.chars().next().filter(|first| matches!(first, '"' | '\''))
    {
        texts.extend(rest.get(1..).and_then(|rest| rest.split(quote).next()));
    }
    texts.retain(|text| text.contains(' '));
    texts
}

/// Whether a word is nothing but one variable: `$x`, `${x:-y}`.
pub(crate) fn is_variable(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('$') else { return false };
    let braces = rest.starts_with('{') && rest.ends_with('}') && rest.matches('{').count() == 1;
    braces || !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_@*".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{is_variable, texts};

    #[test]
    fn texts_that_are_run() {
        for (word, text) in [
            ("GIT_PAGER=rm -rf ~", "rm -rf ~"),
            ("alias.x=!rm -rf /", "rm -rf /"),
            ("core.sshCommand=rm -rf ~", "rm -rf ~"),
            ("ProxyCommand=rm -rf /", "rm -rf /"),
            ("--checkpoint-action=exec=rm -rf /", "rm -rf /"),
            (":!rm -rf /", "rm -rf /"),
            ("\\! rm -rf ~", " rm -rf ~"),
            ("BEGIN{system(\"rm -rf /\")}", "rm -rf /"),
        ] {
            assert_eq!(texts(word), [text], "{word}");
        }
        for word in ["", "a", "PAGER=cat", "x=rm -rf /", "rm -rf /", "a!rm -rf /", "--message=rm -rf /"] {
            assert!(texts(word).is_empty(), "{word}");
        }
    }

    #[test]
    fn words_that_are_one_variable() {
        for (word, is) in
            [("$x", true), ("${x}", true), ("${SHELL:-sh}", true), ("$@", true), ("$x/y", false), ("x", false), ("$(x)", false)]
        {
            assert_eq!(is_variable(word), is, "{word}");
        }
    }
}
