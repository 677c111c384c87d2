//! Names that two programs share: what either of them would do counts.

mod common;

use common::{looks, paths};
use sayso_shell::analyse;

#[test]
fn finding_j_05_the_first_word_of_yq_may_be_a_file_or_have_the_filter_in_it() {
    for text in [
        "yq .npmrc",
        "yq e .npmrc",
        "yq .npmrc c.yaml",
        "cat c.yaml | yq .npmrc",
    ] {
        assert!(
            paths(&analyse(text))
                .iter()
                .any(|path| path.ends_with(" .npmrc")),
            "{text}: {:?}",
            paths(&analyse(text))
        );
    }
    for text in [
        "yq .x.yq c.yaml",
        "yq eval x.yq c.yaml",
        "yq a/b.yq",
        "yq -r .x.yq c.yaml",
    ] {
        assert!(!looks(&analyse(text)), "{text}");
    }
    for text in [
        "yq . c.yaml",
        "yq '.a | keys' c.yaml",
        "yq -P . data.json",
        "yq --version",
    ] {
        assert!(looks(&analyse(text)), "{text}: {:?}", analyse(text).effects);
    }
}

#[test]
fn finding_j_05_ts_may_run_its_words() {
    for text in [
        "ts ls",
        "ts rm -rf x",
        "ls | ts bash",
        "ts ./%x",
        "ts \"$x\"",
        "ts -n ls",
        "timeout 5 ts make",
    ] {
        assert!(!looks(&analyse(text)), "{text}");
    }
    for text in ["ls | ts", "ls | ts '%H:%M:%S'", "ls | ts -s"] {
        assert!(looks(&analyse(text)), "{text}: {:?}", analyse(text).effects);
    }
}

#[test]
fn finding_j_05_words_that_programs_of_one_name_part_differently_ask() {
    for text in [
        "parallel -- ls",
        "parallel ls -- a b",
        "parallel -i ls {} -- a",
        "rename a b c",
        "nc -l 1",
        "sed -i x 'w out' in",
    ] {
        assert!(!looks(&analyse(text)), "{text}");
    }
}
