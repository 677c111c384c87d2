//! One spelling for every command of a known program.

mod common;

use common::words;
use sayso_shell::{commands, normal};

#[test]
fn options_have_one_spelling_and_stand_first() {
    for (text, expected) in [
        ("rm -rf x", "rm --force --recursive x"),
        ("rm -fr x", "rm --force --recursive x"),
        ("rm x -R -f", "rm --force --recursive x"),
        ("rm --recursive --force -- x", "rm --force --recursive x"),
        ("rm --recurs --forc x", "rm --force --recursive x"),
        ("rm -rfq x", "rm --force --recursive -q x"),
        ("/bin/rm -r x", "rm --recursive x"),
        ("./rm -r x", "./rm -r x"),
        ("sudo git -C /x push -f", "git push --force"),
        (
            "git --no-pager -P push origin main --force",
            "git push --force origin main",
        ),
        ("git -c a=b push -f", "git push --force"),
        ("git log -5 --oneline", "git log --max-count=5 --oneline"),
        ("git log -n 5", "git log --max-count=5"),
        ("head -20 f", "head --lines=20 f"),
        ("head -n20 f", "head --lines=20 f"),
        ("foo -b -a", "foo -b -a"),
        ("npm run -s x", "npm run -s x"),
        ("git unknown -x y", "git unknown -x y"),
    ] {
        let read = commands(text).unwrap_or_else(|| panic!("opaque: {text}"));
        assert_eq!(read[0].normal, words(expected), "{text}");
    }
}

#[test]
fn a_pattern_is_normalised_the_same_way() {
    for (pattern, expected) in [
        ("git push --force *", "git push --force *"),
        ("git push -f *", "git push --force *"),
        ("rm -rf *", "rm --force --recursive *"),
        ("git *", "git *"),
        ("git log --o* x", "git log --o* x"),
        ("ls", "ls"),
    ] {
        assert_eq!(normal(&words(pattern)), words(expected), "{pattern}");
    }
    assert!(normal(&[]).is_empty());
}
