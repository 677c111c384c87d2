//! The tables of options against the programs of this machine: none takes a word for a value that the program leaves alone.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the product starts nothing, but this test asks the programs"
)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::words;
use sayso_shell::normal;

const PROGRAMS: &str = "ls cat head tail wc nl tac rev cut cmp comm diff md5sum sha256sum b2sum cksum stat file realpath readlink df du \
     sort uniq grep rg date id uname nproc basename dirname tr rm rmdir shred mv cp install mkdir touch ln chmod chown truncate tee free \
     od hexdump paste fold fmt expand unexpand pr join column base64 base32 basenc iconv shuf tsort sum factor numfmt ptx split csplit \
     sdiff diff3 wdiff strings nm readelf objdump size bat batcat fd fdfind lscpu lsblk lsusb vmstat w who users last locale dmesg \
     journalctl systemctl pgrep ss netstat findmnt mount swapon sysctl gzip bzip2 xz zstd zcat curl wget";

const READERS: &str = "status log show diff shortlog rev-list reflog branch tag ls-files ls-tree blame describe for-each-ref grep \
     whatchanged annotate diff-tree diff-index diff-files range-diff format-patch show-ref show-branch name-rev cherry archive rev-parse merge-base \
     cat-file config check-attr check-ignore apply hash-object interpret-trailers fsck symbolic-ref";

/// Options that git's own list does not have.
const OTHERS: &str = "-U -L -S -G -l -n -C -M -B -A -e -m -x -O -u -b --format --pretty --since --after --until --before --author \
     --committer --grep --skip --max-count --date --encoding --notes --decorate --no-walk --branches --abbrev --abbrev-commit --group";

/// What a program prints with these words, or nothing if it is not there.
fn says(folder: &Path, words: &[&str]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("LC_ALL", "C")
        .env("GIT_PAGER", "cat");
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", folder);
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "a")
            .env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    let output = command.output().ok()?;
    Some(
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr),
    )
}

/// Whether the table lets an option take the next word.
fn takes_next(command: &str, option: &str) -> bool {
    !normal(&words(&format!("{command} {option} zz"))).contains(&"zz".to_owned())
}

fn scratch(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()))
}

#[test]
fn no_option_with_an_optional_value_takes_the_next_word() {
    assert!(
        takes_next("head", "-n") && takes_next("git log", "-n") && !takes_next("diff", "--unified")
    );
    let folder = scratch("help");
    fs::create_dir_all(&folder).unwrap();
    let mut looked = 0;
    for name in PROGRAMS.split_whitespace() {
        let Some(help) = says(&folder, &[name, "--help"]) else {
            continue;
        };
        for (at, _) in help.match_indices("[=") {
            let option = help[..at]
                .rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
                .next()
                .unwrap();
            assert!(!takes_next(name, option), "{name} {option}");
            looked += 1;
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    // Where the programs have no `--help`, there is nothing to compare with.
    assert!(looked == 0 || looked > 10, "{looked}");
}

#[test]
fn no_option_of_git_takes_a_word_that_git_reads_as_an_option() {
    let folder = scratch("options-of-git");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("f"), "x\n").unwrap();
    if says(&folder, &["git", "init", "-q"]).is_none() {
        return;
    }
    for words in [
        ["git", "add", "f"].as_slice(),
        &["git", "commit", "-qm", "x"],
    ] {
        says(&folder, words);
    }
    fs::write(folder.join("f"), "y\n").unwrap();
    let written = |words: &[&str]| {
        says(&folder, words);
        fs::remove_file(folder.join("zz")).is_ok()
    };
    assert!(
        written(&["git", "diff", "-U", "--output=zz"]),
        "the probe must work"
    );
    let mut wrong = Vec::new();
    for subcommand in READERS.split_whitespace() {
        let list = says(&folder, &["git", subcommand, "--git-completion-helper-all"]).unwrap();
        let listed = list
            .split_whitespace()
            .filter(|word| word.starts_with("--") && word.len() > 2);
        for option in listed.chain(OTHERS.split_whitespace()) {
            let name = option.trim_end_matches('=');
            if takes_next(&format!("git {subcommand}"), name)
                && written(&["git", subcommand, name, "--output=zz"])
            {
                wrong.push(format!("git {subcommand} {name}"));
            }
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
}
