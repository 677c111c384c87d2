//! A mode in which a program only looks holds only if no other word of the line can take it back.

mod common;

use common::looks;
use sayso_shell::analyse;

const SHELLS: [&str; 10] = [
    "bash",
    "sh",
    "dash",
    "zsh",
    "ksh",
    "/bin/bash",
    "/usr/bin/zsh",
    "busybox sh",
    "busybox ash",
    "fish",
];

/// Words that switch `-n` off again, or that may do so.
const TAKE_BACK: [&str; 16] = [
    "+n",
    "+o noexec",
    "+onoexec",
    "-o exec",
    "+vn",
    "+nv",
    "+nb.sh",
    "-- +n",
    "-c",
    "-i",
    "-s",
    "+",
    "-",
    "--exec",
    "+-n",
    "\"$x\"",
];

#[test]
fn finding_j_01_an_option_that_takes_the_mode_of_a_shell_back_asks() {
    for shell in SHELLS {
        for word in TAKE_BACK {
            for text in [
                format!("{shell} -n {word} a.sh"),
                format!("{shell} -n a.sh {word}"),
                format!("{shell} {word} -n a.sh"),
                format!("{shell} -n {word} <(echo id)"),
                format!("{shell} -n {word} <<< id"),
                format!("{shell} -n {word} < a.sh"),
                format!("echo id | {shell} -n {word}"),
                format!("find . -name '*.sh' -exec {shell} -n {word} {{}} \\;"),
                format!("find . -name '*.sh' -exec {shell} -n {word} {{}} +"),
                format!("echo a.sh | xargs {shell} -n {word}"),
                format!("env {shell} -n {word} a.sh"),
                format!("timeout 5 nice {shell} -n {word} a.sh"),
                format!("time command {shell} -n {word} a.sh"),
                format!("parallel {shell} -n ::: {word} a.sh"),
                format!("fd -e sh -x {shell} -n {word}"),
            ] {
                assert!(!looks(&analyse(&text)), "{text}");
            }
        }
    }
}

#[test]
fn finding_j_01_names_that_a_list_gives_may_take_the_mode_back() {
    for text in [
        "bash -n *",
        "zsh -n *.sh",
        "sh -n ?n a.sh",
        "bash -n [+]n a.sh",
        "bash -n {+n,a.sh}",
        "x=+n; bash -n $x a.sh",
        "for x in +n a.sh; do bash -n $x evil.sh; done",
        "for x in *; do bash -n $x evil.sh; done",
        "find +n a.sh -exec bash -n {} +",
        "find * -exec bash -n {} +",
        "fd -x zsh -n",
        "fd -X bash -n",
        "git ls-files | xargs zsh -n",
        "printf '%s\\0' +n a.sh | xargs -0 bash -n",
        "bash -n $(echo +n) a.sh",
        "bash -n \"+n\" a.sh",
        "bash -n '+'n a.sh",
        "bash -n $'\\x2bn' a.sh",
        "bash -n \\+n a.sh",
    ] {
        assert!(!looks(&analyse(text)), "{text}");
    }
}

#[test]
fn finding_j_01_modes_of_other_programs_are_taken_back_as_well() {
    for text in [
        "git clean -n --no-dry-run -f",
        "git clean -n --no-dry-r -f",
        "git clean --dry-run --no-dry-run -fd",
        "git add -n --no-dry-run .",
        "git rm --dry-run --no-dry-run a",
        "git mv -n --no-dry-run a b",
        "git apply --check --apply a.diff",
        "git apply --stat --no-stat a.diff",
        "git apply --check --no-check a.diff",
        "git branch --list --no-list x",
        "git branch --list x -D",
        "git tag -l --no-list x",
        "git tag -l x --delete",
        "git format-patch --stdout --no-stdout HEAD~1",
        "git archive --format=tar --format=evil HEAD",
        "git archive --format=evil --format=tar HEAD",
        "terraform fmt -check -check=false",
        "terraform fmt -check=false",
        "terraform fmt -check -write=true",
        "tofu fmt -check=0",
        "gofmt -l -l=false -w .",
        "gofmt -l -w=true .",
        "gofmt -l=false .",
        "gofmt -d=F a.go",
        "shfmt -l=false .",
        "shfmt --list=false a.sh",
        "shfmt -d -w .",
        "shfmt -l --write .",
        "mktemp -u --no-dry-run",
        "kubectl version --client --client=false",
        "kubectl version --client=false",
        "kubectl version --client --no-client",
        "xz -l -d a.xz",
        "xz -t --decompress a.xz",
        "xz --test --no-test a.xz",
        "gzip -t -d a.gz",
        "unzip -l a.zip -d x",
        "tar -tf a.tar -x",
        "tar tf a.tar --get",
        "tar --list --extract -f a.tar",
        "bsdtar -tf a.tar -x",
        "cpio -t -o",
        "cpio -t --no-list",
        "patch --dry-run --no-dry-run -i a.diff",
        "rsync -n --no-n a b",
        "rsync --dry-run --no-dry-run a b",
        "php -l -r 'x' a.php",
        "php -l a.php -r x",
        "php -l +x -r x",
        "wget --spider --no-spider http://x.y",
        "swapon --show --all",
        "sort -c -o out a",
        "pacman -Q -S x",
        "pacman -Q --sync x",
        "dpkg -l --install x",
        "crontab -l -r",
        "sysctl -a -w x=1",
        "top -b -b=no",
    ] {
        assert!(!looks(&analyse(text)), "{text}");
    }
}

#[test]
fn finding_j_01_the_mode_alone_only_looks() {
    for shell in [
        "bash",
        "sh",
        "dash",
        "zsh",
        "ksh",
        "fish",
        "busybox sh",
        "/bin/bash",
    ] {
        for file in [
            "a.sh",
            "./a.sh",
            "scripts/*.sh",
            "a.sh b.sh",
            "~/a.sh",
            "\"$PWD/a.sh\"",
            "<(cat a.sh)",
            "_x.sh",
        ] {
            let text = format!("{shell} -n {file}");
            assert!(
                looks(&analyse(&text)),
                "{text}: {:?}",
                analyse(&text).effects
            );
        }
    }
    for text in [
        "find . -name '*.sh' -exec bash -n {} \\;",
        "find scripts -type f -exec sh -n {} +",
        "for f in scripts/*.sh; do bash -n \"$f\" || echo \"$f\"; done",
        "bash -n scripts/build.sh && echo ok",
        "timeout 10 bash -n a.sh",
        "git clean -n",
        "git clean -nfdx",
        "git add --dry-run .",
        "git apply --check a.diff",
        "git apply --stat --summary a.diff",
        "git branch --list 'x*'",
        "git branch --contains f",
        "git branch --merged no",
        "git tag -l 'v*'",
        "git tag -n3 -l 'v*'",
        "git format-patch --stdout HEAD~1",
        "gofmt -l .",
        "gofmt -d a.go",
        "shfmt -d .",
        "shfmt -l a.sh",
        "kubectl version --client",
        "xz -l a.xz",
        "gzip -t a.gz",
        "tar -tzf a.tgz",
        "unzip -l a.zip",
        "php -l a.php",
        "swapon --show",
        "top -b -n 1",
        "mktemp -u",
    ] {
        assert!(looks(&analyse(text)), "{text}: {:?}", analyse(text).effects);
    }
}
