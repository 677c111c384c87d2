//! The patterns that an answer "always" may store for a command: the narrowest useful ones, widest last.
//!
//! Nothing is proposed for what runs other code by its arguments, stands behind a wrapper or has words that are only known when it runs:
//! such a rule would allow far more than the person saw.

use sayso_core::analysis::draft::Command;

use crate::quote;

/// Programs whose first word says what they do.
const WITH_SUBCOMMAND: [&str; 38] = [
    "git",
    "cargo",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "go",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "gh",
    "glab",
    "make",
    "just",
    "rake",
    "gradle",
    "mvn",
    "dotnet",
    "swift",
    "terraform",
    "apt",
    "apt-get",
    "brew",
    "systemctl",
    "rustup",
    "conda",
    "gem",
    "bundle",
    "composer",
    "mix",
    "flutter",
    "dart",
    "bazel",
];

/// Programs where the subcommand alone says nothing: what it runs is the next word.
const THREE_WORDS: [(&str, &str); 8] = [
    ("npm", "run"),
    ("npm", "run-script"),
    ("pnpm", "run"),
    ("yarn", "run"),
    ("bun", "run"),
    ("poetry", "run"),
    ("uv", "run"),
    ("docker", "compose"),
];

/// Up to three patterns, from exactly this command to the widest that is still about the same thing.
pub(crate) fn proposals(command: &Command) -> Vec<String> {
    let words = command.words.as_slice();
    let Some(program) = words.first() else {
        return Vec::new();
    };
    let unsafe_to_keep = !command.literal
        || command.interprets
        || !command.wrappers.is_empty()
        || !command.assignments.is_empty();
    // A word with a sign of the pattern language would mean something else there.
    let plain = words
        .iter()
        .all(|word| !word.is_empty() && !word.contains(['*', '?', '{', '}', '\n']));
    if unsafe_to_keep || !plain || words.len() > 32 {
        return Vec::new();
    }
    let mut out = vec![quote::quote(words)];
    // A rule covers a word that leads elsewhere only by writing it out.
    let led = command
        .leads
        .iter()
        .map(|lead| lead.word + 1)
        .max()
        .unwrap_or(0);
    let mut propose = |count: usize| {
        if count >= led {
            out.push(format!(
                "{} *",
                quote::quote(words.get(..count).unwrap_or(words))
            ));
        }
    };
    // Where each argument says what is read or written, the name of the program alone says too little.
    let own = own_words(program, words).filter(|own| *own > 1 || !command.modelled);
    if let Some(own) = own {
        // With its options spelled out, and with any.
        let options = words
            .iter()
            .skip(own)
            .take_while(|word| word.starts_with('-'))
            .count();
        if options > 0 && own + options < words.len() {
            propose(own + options);
        }
        propose(own);
    }
    out.dedup();
    out
}

/// How many words name what a program does; none if that is not said by its first words.
fn own_words(program: &str, words: &[String]) -> Option<usize> {
    if !WITH_SUBCOMMAND.contains(&program) {
        // A program of one purpose, by its name alone; one by a path is the project's own, and only that call is meant.
        return (!program.contains('/')).then_some(1);
    }
    let subcommand = words.get(1).filter(|word| !word.starts_with('-'))?;
    let three = THREE_WORDS.contains(&(program, subcommand.as_str()));
    match (three, words.get(2)) {
        (true, Some(task)) if !task.starts_with('-') => Some(3),
        (true, _) => None,
        _ => Some(2),
    }
}
