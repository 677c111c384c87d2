//! The tables against the programs of this machine: what they say themselves about the values of their options.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{FAMILIES, git_forms};
use crate::options::{Takes, entries};

/// What a program prints with these words, or nothing if it is not there.
fn says(folder: &Path, words: &[&str]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C").env("GIT_PAGER", "cat");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CEILING_DIRECTORIES", std::env::temp_dir());
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

/// Whether the table has an entry for a spelling that takes the next word for its value.
fn takes_next(table: &'static str, spelling: &str) -> bool {
    entries(table).any(|(mut names, takes)| {
        let separate = !matches!(takes, Takes::Nothing | Takes::LongMay | Takes::May | Takes::Attached);
        separate && names.any(|name| name == spelling)
    })
}

#[test]
fn no_option_with_an_optional_value_takes_the_next_word() {
    let mut looked = 0;
    let folder = std::env::temp_dir();
    for program in FAMILIES.iter().flat_map(|family| family.iter()) {
        let Some(table) = program.options else { continue };
        // Not all programs know `--help`: those that change something are left alone.
        for name in program.names.iter().filter(|name| !["pwd", "whoami", "hostname", "unlink"].contains(*name)) {
            let Some(help) = says(&folder, &[name, "--help"]) else { continue };
            looked += usize::from(help.contains("--"));
            for (at, _) in help.match_indices("[=") {
                let start = help[..at].rfind(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').map_or(0, |start| start + 1);
                assert!(!takes_next(table, &help[start..at]), "{name} {}", &help[start..at]);
            }
        }
    }
    assert!(looked > 10, "{looked} programs were looked at");
}

#[test]
fn no_option_of_git_leaves_the_next_word_alone_that_the_table_takes() {
    let folder = std::env::temp_dir().join(format!("options-of-git-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("f"), "x\n").unwrap();
    if says(&folder, &["git", "init", "-q"]).is_none() {
        return;
    }
    for words in [["git", "add", "f"].as_slice(), &["git", "commit", "-qm", "x"]] {
        says(&folder, words);
    }
    std::fs::write(folder.join("f"), "y\n").unwrap();
    // The probe works: a git that reads `--output` writes the file.
    says(&folder, &["git", "diff", "-U", "--output=zz"]);
    assert!(folder.join("zz").exists());
    std::fs::remove_file(folder.join("zz")).unwrap();
    let mut wrong = Vec::new();
    for (subcommand, table) in git_forms::READERS {
        for (names, takes) in entries(table) {
            if matches!(takes, Takes::Nothing | Takes::LongMay | Takes::May | Takes::Attached) {
                continue;
            }
            for name in names.filter(|name| *name != "-#") {
                says(&folder, &["git", subcommand, name, "--output=zz"]);
                if std::fs::remove_file(folder.join("zz")).is_ok() {
                    wrong.push(format!("git {subcommand} {name}"));
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
}
