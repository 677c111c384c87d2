//! What a form of a program with subcommands is, and notes that an option of it changes.

/// What a form with one of these options does: it only looks where the others change something, or runs the code of others.
pub(super) fn by_option(name: &str, words: &[&str]) -> Option<&'static str> {
    let has = |option: &str| words.contains(&option);
    match name {
        "cargo" if has("fmt") && has("--check") => {
            Some("checks the form of the project's source files, by a tool that the project names")
        }
        "crontab" if words == ["-l"] => Some("shows what is set to run by itself"),
        "go" if has("run")
            && words
                .iter()
                .any(|word| word.contains('@') && word.contains('.')) =>
        {
            Some("downloads code of others, builds it and runs it")
        }
        _ => None,
    }
}

/// Whether the words have a subcommand: `image/ls` stands for two of them.
pub(super) fn speaks(form: &str, words: &[&str]) -> bool {
    match form.split_once('/') {
        Some((first, second)) => words.windows(2).any(|pair| pair == [first, second]),
        None => words.contains(&form),
    }
}
