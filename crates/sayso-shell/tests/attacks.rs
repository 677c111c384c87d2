//! Forms that once passed for something harmless, each with its siblings.

mod common;

use common::{is_read_only, paths};
use sayso_core::analysis::fact::Question;
use sayso_shell::analyse;

fn none_is_read_only(texts: &[&str]) {
    for text in texts {
        assert!(
            !is_read_only(&analyse(text)),
            "{text}: {:?}",
            analyse(text).effects
        );
    }
}

#[test]
fn h_62_an_option_never_takes_another_option_for_its_value() {
    none_is_read_only(&[
        "git diff -U --output=f",
        "git diff --unified --output=f",
        "git log --format --output=f",
        "git log --pretty --output=f",
        "git log -n --output=f",
        "git log --since --output=f",
        "git log -S --output=f",
        "git rev-list -L --output=f",
        "git show -L --output=f",
        "git branch --abbrev -D --abbrev other",
        "git branch --contains -D other",
        "git branch --merged -D other",
        "git branch --sort -D other",
        "git tag --contains -d v1",
        "git blame --abbrev --contents=/etc/passwd README.md",
        "git blame --since --contents=/etc/passwd README.md",
        "git describe --abbrev --x",
        "diff --context --from-file=x -l README.md",
        "sort -t -o x y",
        "sort -k --output=x y",
        "head -n -c x",
        "grep -A -f x y",
        "cut -d --x y",
        "find . -name -delete",
        "find . -newer -delete",
        "timeout -s -k 5 ls",
        "stdbuf -o -e ls",
        "sudo -u -n ls",
        "touch -d -r x",
    ]);
    for text in [
        "find . -mtime -7",
        "find . -size -10k",
        "find . -perm -u+x",
        "nice -n -5 ls",
        "git log --since yesterday",
        "head -n5 f",
    ] {
        assert!(
            is_read_only(&analyse(text)),
            "{text}: {:?}",
            analyse(text).effects
        );
    }
}

#[test]
fn h_62_an_optional_value_leaves_the_next_word_alone() {
    for (text, expected) in [
        (
            "diff --unified /etc/passwd README.md",
            vec!["R /etc/passwd", "R README.md"],
        ),
        (
            "diff --context --from-file=/etc/passwd README.md",
            vec!["r /etc/passwd", "R README.md"],
        ),
        ("diff -U 3 a b", vec!["R a", "R b"]),
        (
            "git diff -U /etc/passwd README.md",
            vec!["R .", "R /etc/passwd", "R README.md"],
        ),
        (
            "git blame --abbrev /etc/passwd",
            vec!["R .", "R /etc/passwd"],
        ),
        ("sort --check /etc/passwd", vec!["r /etc/passwd"]),
        ("ls --color /etc", vec!["r /etc"]),
    ] {
        assert_eq!(paths(&analyse(text)), expected, "{text}");
    }
    none_is_read_only(&[
        "grep --context 3 -r x",
        "git log --encoding /etc/passwd",
        "git diff --inter-hunk-context x y",
        "git log --format x",
    ]);
}

#[test]
fn h_62_programs_with_their_own_bundles_have_none_with_values() {
    none_is_read_only(&[
        "tree -Lo 1 Makefile",
        "tree -aL 2",
        "tree -L2",
        "tree -PI x y",
        "tree -L -o",
        "tree -Po x Makefile",
    ]);
    assert!(is_read_only(&analyse("tree -ad -L 2 -I target")));
}

#[test]
fn h_62_ps_never_shows_an_environment() {
    none_is_read_only(&[
        "ps -auxeww",
        "ps -aux",
        "ps -ux",
        "ps e",
        "ps eww",
        "ps auxe",
        "ps -E",
        "ps -eE",
        "ps -ax e",
        "ps -e aux",
        "ps -ef -u x",
        "ps -eu x",
        "ps -u x -e",
        "ps -o environ",
        "ps -eo pid,env",
        "ps -o",
        "ps -p x",
        "ps -f -o -e",
        "ps aux ww",
        "ps --user=x -e",
        "ps -x",
    ]);
    for text in [
        "ps",
        "ps aux",
        "ps auxww",
        "ps -ef",
        "ps -efww",
        "ps -e -o pid,comm",
        "ps -eo pid,args",
        "ps -p 12",
        "ps -u me",
        "ps 12",
    ] {
        assert!(
            is_read_only(&analyse(text)),
            "{text}: {:?}",
            analyse(text).effects
        );
    }
}

#[test]
fn h_62_values_out_of_a_list_must_be_written_in_full() {
    none_is_read_only(&[
        "grep -d rec x",
        "grep --directories=rec x",
        "grep -dr x",
        "grep -D r x",
        "ls --sort=ti",
        "sort --sort=num f",
    ]);
    assert_eq!(paths(&analyse("grep -d recurse x")), ["R ."]);
    assert_eq!(paths(&analyse("grep -d skip x f")), ["r f"]);
}

#[test]
fn h_62_two_modes_of_a_search_are_not_known() {
    none_is_read_only(&["rg --type-list --files /etc", "rg --files --type-list /etc"]);
    assert_eq!(paths(&analyse("rg --type-list --files /etc")), ["R /etc"]);
    assert!(is_read_only(&analyse("rg --type-list")));
}

#[test]
fn paths_of_git_are_found_behind_every_colon_and_patterns_of_them_ask() {
    for (text, expected) in [
        (
            "git show HEAD:a:.env",
            vec!["R .", "R HEAD:a:.env", "R a:.env", "R .env"],
        ),
        ("git log -L 1,9:.env", vec!["R .", "R 9:.env", "R .env"]),
        (
            "git -C sub show HEAD:./x",
            vec!["R sub", "R sub/HEAD:./x", "R sub/./x"],
        ),
        (
            "git show 0123456789012345678901234567890123456789",
            vec!["R .", "R 0123456789012345678901234567890123456789"],
        ),
    ] {
        let found = paths(&analyse(text));
        for path in expected.iter().filter(|path| **path != "R 9:.env") {
            assert!(found.contains(&(*path).to_owned()), "{text}: {found:?}");
        }
        assert!(is_read_only(&analyse(text)), "{text}");
    }
    none_is_read_only(&[
        "git log -p -- 'id_r*'",
        "git grep x -- 'id_r*'",
        "git diff -- ':(glob)x'",
        "git log -p '[a-z]*'",
        "git grep x 'a?'",
        "git show HEAD:a:b:c:d:e:f",
    ]);
    assert!(is_read_only(&analyse("git ls-files '*.rs'")));
}

#[test]
fn a_word_of_git_stands_first_or_is_none() {
    none_is_read_only(&[
        "git stash -u -- show .",
        "git stash -- list",
        "git stash -q list",
        "git stash -a show",
        "git remote -- get-url x",
        "git remote -v get-url x",
        "git reflog -5 show",
        "git reflog -- show",
        "git reflog --all -- show x",
    ]);
    for text in [
        "git stash list",
        "git stash show -p",
        "git remote -v",
        "git remote get-url origin",
        "git reflog show",
        "git reflog -5",
    ] {
        assert!(is_read_only(&analyse(text)), "{text}");
    }
}

#[test]
fn h_69_wrappers_are_programs_too() {
    for (text, expected) in [
        ("nice cat x", vec!["nice"]),
        ("env nice timeout 5 cat x", vec!["env", "nice", "timeout"]),
        ("time cat x", vec![]),
        ("command time cat x", vec!["time"]),
        ("time command cat x", vec![]),
        ("nice time cat x", vec!["nice", "time"]),
        ("/usr/bin/time cat x", vec!["/usr/bin/time"]),
    ] {
        let draft = analyse(text);
        let asked: Vec<&Question> = draft.commands[0]
            .wrapper_programs
            .iter()
            .map(|index| &draft.questions[*index])
            .collect();
        let names: Vec<Question> = expected
            .iter()
            .map(|name| Question::Program {
                name: (*name).to_owned(),
            })
            .collect();
        assert_eq!(asked, names.iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn redirects_in_unreadable_text_are_possible_effects() {
    for (text, expected) in [
        ("$x; ls > a/b", vec!["w? a/b"]),
        ("$x; ls >> 'a b' 2>&1", vec!["w? a b"]),
        ("$x; ls 2>/dev/null; cat < x >&y", vec!["r? x", "w? y"]),
        ("$x; ls >&2; ls >&-; ls <&3", vec![]),
        ("cat <<< word; cat <<EOF", vec![]),
        ("$x; ls > ~/x; ls > $x; ls > *.rs; ls > \"$(x)\"", vec![]),
        ("$x; ls 1<>x", vec!["w? x"]),
        ("sh -c 'ls > x; $y'", vec!["w? x"]),
        ("$x; diff <(ls) >(cat)", vec![]),
        (
            "$x; cat > a.rs <<EOF\nfn f() -> Result<String> { $x }\nEOF",
            vec!["w? a.rs"],
        ),
        ("echo 'a > b'", vec![]),
    ] {
        assert_eq!(paths(&analyse(text)), expected, "{text}");
    }
}

#[test]
fn rules_see_every_stage_of_a_command() {
    let stages = |text: &str| {
        analyse(text).commands[0]
            .stages
            .iter()
            .map(|words| words.join(" "))
            .collect::<Vec<_>>()
    };
    for (text, expected) in [
        (
            "sudo env A=1 ls x",
            vec!["sudo env A=1 ls x", "env A=1 ls x"],
        ),
        ("/usr/bin/sudo ls", vec!["/usr/bin/sudo ls", "sudo ls"]),
        (
            "//usr/bin/git push -f",
            vec!["git push -f", "git push --force"],
        ),
        ("GIT push origin +x", vec!["git push --force origin +x"]),
        ("ionice -c3 git push -f", vec!["ionice -c3 git push -f"]),
        (
            "chronic git push -f",
            vec!["git push -f", "git push --force"],
        ),
        ("foo a git push -f", vec!["git push --force"]),
        (
            "find . -exec /bin/git -C y push --mirror ';'",
            vec!["git push --force --mirror ;"],
        ),
        (
            "find . -regex x -fls y -exec /bin/git -C y push --mirror ';'",
            vec!["git push --force --mirror ;"],
        ),
        ("strace -f terraform apply", vec!["terraform apply"]),
    ] {
        let found = stages(text);
        assert!(
            expected
                .iter()
                .all(|stage| found.contains(&(*stage).to_owned())),
            "{text}: {found:?}"
        );
    }
    for text in [
        "ls git push",
        "echo git push -f",
        "git log --grep 'git push'",
        "make git push",
    ] {
        assert_eq!(stages(text), Vec::<String>::new(), "{text}");
    }
    assert!(stages(&format!("strace {}", "git ".repeat(990))).len() < 4000);
}

#[test]
fn what_is_seen_comes_in_normal_form_too() {
    for (text, row) in [
        ("/usr/bin/git -C x push -f; true", "git push --force"),
        (
            "true && GIT push origin +main",
            "git push --force origin +main",
        ),
        ("x | xargs -n 1 /bin/rm -fr y", "rm --force --recursive y"),
        (
            "bash -c \"//bin/git push --mirror\"",
            "git push --force --mirror",
        ),
    ] {
        let rows: Vec<String> = sayso_shell::seen(text)
            .iter()
            .map(|words| words.join(" "))
            .collect();
        assert!(rows.contains(&row.to_owned()), "{text}: {rows:?}");
    }
}
