//! Git: which of its forms only look, and what they read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{is_read_only, paths};
use sayso_shell::analyse;

/// Forms that only look. Whether a path they name is a secret is judged later, by the paths they read.
const SILENT: &str = r"
git status
git status -sb
git status --porcelain=v2 --branch
git status --short --untracked-files=no
git status -uno
git status --ignored
git status -s -- src
git --no-pager status
git -P log -3
git log
git log -1
git log -n 5 --oneline
git log --oneline --graph --decorate --all
git log -p -2
git log --stat -3
git log --format=%H
git log --format='%h %s' -n 20
git log --pretty=format:'%h %ad | %s%d [%an]' --date=short
git log --pretty=oneline --abbrev-commit
git log --format='%x00%(trailers:key=Signed-off-by,valueonly)'
git log --since='2 weeks ago' --until=yesterday
git log --author=me --grep fix -i
git log --grep=signature -S'%G?'
git log --date=format:%G-W%V
git log -S'foo(' --oneline
git log -Gpattern -p
git log -S foo --pickaxe-regex
git log --follow -- src/a.rs
git log -L 10,20:src/a.rs
git log -L ':main:src/a.rs'
git log main..HEAD
git log '@{u}..HEAD' --oneline
git log origin/main...HEAD --left-right --cherry-pick
git log --merges --first-parent main
git log --no-merges --name-only --diff-filter=A
git log --name-status -M
git log --all -- deleted.txt
git log --reverse --topo-order
git log -g --date=iso
git log --walk-reflogs
git log --word-diff=color -p
git log --date=format:%Y-%m-%d
git log --no-walk --tags --simplify-by-decoration
git log --decorate-refs='refs/tags/*' --oneline
git log -- '*.rs'
git log --oneline -- 'id_r*'
git log -p -- '*.rs'
git log --oneline -- ':!vendor'
git log --remotes=origin --max-count=3
git log --show-pulls --full-history -- a
git log -c -1
git log --cc -1
git log --diff-merges=first-parent -1
git log -h
git show
git show HEAD
git show HEAD~2
git show 'HEAD^{tree}'
git show --stat HEAD
git show --name-only --format= HEAD
git show -s --format=%B HEAD
git show HEAD:src/a.rs
git show main:./a.rs
git show v1.0 --no-patch
git show ':/fix the bug'
git show ':/feat(x): say: more'
git show :0:a.rs
git show 'stash@{0}'
git show --first-parent abc123
git whatchanged -2
git diff
git diff HEAD
git diff --cached
git diff --staged --stat
git diff HEAD~1 HEAD -- src
git diff main...feature --name-only
git diff -U5
git diff -w -b --ignore-blank-lines
git diff --word-diff --word-diff-regex=.
git diff --color-words
git diff --no-color --no-ext-diff
git diff -M90% -C --find-copies-harder
git diff --diff-filter=ACMR --name-only
git diff --exit-code --quiet
git diff --check
git diff --numstat --shortstat
git diff --submodule=log
git diff --patience --minimal
git diff -z --name-only
git diff --merge-base main
git diff --ours
git diff -- . ':(exclude)package-lock.json'
git diff -- ':!*.lock'
git diff -- '*.rs' '*.toml'
git diff 'src/*'
git diff --stat -- '*nv'
git diff --output-indicator-new=x
git diff-tree --no-commit-id --name-only -r HEAD
git diff-tree -p HEAD
git diff-index --quiet HEAD --
git diff-index --cached HEAD
git diff-files --name-status
git range-diff main..a main..b
git range-diff main a b
git shortlog -sn
git shortlog -sne --all --no-merges
git shortlog HEAD~10..
git describe
git describe --tags --always --dirty
git describe --abbrev=0
git describe --match 'v*' HEAD
git name-rev HEAD
git name-rev --name-only --tags HEAD
git rev-parse HEAD
git rev-parse --short HEAD
git rev-parse --short=8 HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --abbrev-ref --symbolic-full-name '@{u}'
git rev-parse --show-toplevel
git rev-parse --git-dir
git rev-parse --git-path hooks
git rev-parse --is-inside-work-tree
git rev-parse --verify -q main
git rev-parse --path-format=absolute --git-common-dir
git rev-list --count HEAD
git rev-list --count main..HEAD
git rev-list --left-right --count main...HEAD
git rev-list -n 1 HEAD -- a
git rev-list --objects --all
git rev-list --max-parents=0 HEAD
git ls-files
git ls-files -o --exclude-standard
git ls-files -m -d -s
git ls-files --others --ignored --exclude-standard --directory
git ls-files '*.rs'
git ls-files --error-unmatch src/a.rs
git ls-files -z
git ls-tree HEAD
git ls-tree -r --name-only HEAD src
git ls-tree -r -l HEAD
git blame src/a.rs
git blame -L 10,20 src/a.rs
git blame -w -C -C -C src/a.rs
git blame --line-porcelain HEAD~3 -- src/a.rs
git blame -e --date=short a
git annotate a
git cat-file -p HEAD
git cat-file -t HEAD
git cat-file -s HEAD:a
git cat-file -e HEAD
git cat-file commit HEAD
git cat-file --batch-check
git cat-file --batch-check='%(objecttype) %(objectsize) %(rest)'
git cat-file --batch-all-objects --batch-check
git merge-base main HEAD
git merge-base --is-ancestor a b
git merge-base --fork-point main
git for-each-ref
git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads
git for-each-ref --count=5 --merged main
git show-ref
git show-ref --heads --tags
git show-ref --verify --quiet refs/heads/main
git show-ref -s v1
git show-branch -a
git cherry -v main
git branch
git branch -a
git branch -vv
git branch -r --sort=-committerdate
git branch --show-current
git branch --list 'feature/*'
git branch --merged
git branch --no-merged main
git branch --contains HEAD
git branch --format='%(refname:short)'
git branch -a --contains abc
git tag
git tag -l
git tag -l 'v1.*'
git tag -n
git tag -n5 'v*'
git tag --sort=-v:refname
git tag --contains HEAD
git tag --points-at=HEAD
git remote
git remote -v
git remote show
git remote show -n origin
git remote get-url origin
git remote get-url --push origin
git stash list
git stash list --date=local
git stash show
git stash show -p
git stash show -p 'stash@{1}'
git stash show --stat
git reflog
git reflog -10
git reflog show main
git reflog main
git reflog --date=iso
git reflog exists HEAD
git notes
git notes list
git notes show HEAD
git worktree list
git worktree list --porcelain
git submodule
git submodule status
git submodule status --recursive
git bisect log
git sparse-checkout list
git replace -l
git config user.name
git config --get user.email
git config --get-all remote.origin.fetch
git config --global user.name
git config --local --get core.autocrlf
git config get user.name
git config --list --name-only
git config -l --name-only
git config list --name-only
git config --get-regexp '^alias\.'
git config --bool core.bare
git config remote.origin.url
git check-ignore -v target
git check-ignore .env
git check-attr -a src/a.rs
git check-attr text -- a
git check-mailmap 'A <a@example.com>'
git check-ref-format --branch feature/x
git count-objects -vH
git grep foo
git grep -n foo
git grep -in 'foo bar' -- src
git grep -e a --and -e b
git grep -l TODO HEAD -- '*.rs'
git grep -c x main
git grep -E 'a|b' -- ':!vendor'
git grep --cached -w foo
git grep -A3 -B3 foo src/
git grep -h
git grep -nP '\bfoo\b' -- '*.ts' '*.tsx'
git grep -n foo -- '*.test.ts'
git var GIT_AUTHOR_IDENT
git version
git version --build-options
git --version
git -v
git --exec-path
git --help
git help
git help -a
git symbolic-ref HEAD
git symbolic-ref --short HEAD
git symbolic-ref -q --short refs/remotes/origin/HEAD
git fsck
git fsck --no-dangling --connectivity-only
git verify-pack -v a.idx
git archive --list
git bundle verify a.bundle
git bundle list-heads a.bundle
git apply --check a.patch
git apply --stat a.patch
git apply --numstat --summary a.patch
git format-patch --stdout HEAD~3
git format-patch -1 --stdout HEAD
git hash-object a
git hash-object --stdin
git interpret-trailers --parse a
git patch-id --stable
git stripspace -s
git clean -n
git clean -nd
git clean -ndx
git add -n .
git add --dry-run src
git rm -n a
git push -h
git commit -h
git stash -h
git -C sub status
git -C a -C b log --oneline
git -C sub diff
git -c color.ui=always diff
git -c core.pager=cat log -1
git -c core.quotepath=false ls-files
git -c pager.log=false log
git -c advice.detachedHead=false status
git --no-optional-locks status
git --literal-pathspecs ls-files
git --git-dir=.git --work-tree=. status
git --git-dir .git log
";

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

#[test]
fn forms_that_only_look_are_read_only() {
    let wrong: Vec<String> = lines(SILENT)
        .filter(|text| !is_read_only(&analyse(text)))
        .map(|text| {
            format!(
                "{text}: {:?}",
                analyse(text)
                    .effects
                    .iter()
                    .filter_map(|effect| effect.note.clone())
                    .collect::<Vec<_>>()
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines(SILENT).count() > 200);
}

#[test]
fn what_is_shown_is_read() {
    for (text, expected) in [
        ("git show HEAD:.env", vec!["R .", "R HEAD:.env", "R .env"]),
        ("git show :.env", vec!["R .", "R .env", "R .env"]),
        (
            "git show :0:.env",
            vec!["R .", "R 0:.env", "R 0:.env", "R .env"],
        ),
        ("git log -p -- .env", vec!["R .", "R .env"]),
        ("git log -p -- ':/.env'", vec!["R .", "R .env"]),
        ("git log -p -- ':(top).env'", vec!["R .", "R .env"]),
        (
            "git -C sub log -p -- ':/.env'",
            vec!["R sub", "R .", "R sub/.env", "R .env"],
        ),
        ("git diff .env", vec!["R .", "R .env"]),
        ("git blame .env", vec!["R .", "R .env"]),
        ("git annotate .env", vec!["R .", "R .env"]),
        (
            "git cat-file -p HEAD:.env",
            vec!["R .", "R HEAD:.env", "R .env"],
        ),
        (
            "git cat-file blob HEAD:.env",
            vec!["R .", "R blob", "R HEAD:.env", "R .env"],
        ),
        ("git log -L1,9:.env", vec!["R .", "R .env"]),
        ("git grep -e x -- .env", vec!["R .", "R .env"]),
        ("git grep x .env", vec!["R .", "R .env"]),
        ("git grep -f .env", vec!["R .", "r .env"]),
        ("git blame -S .env a", vec!["R .", "r .env", "R a"]),
        ("git ls-files -X .env", vec!["R .", "r .env"]),
        (
            "git -C sub blame -S x a",
            vec!["R sub", "r sub/x", "R sub/a"],
        ),
        ("git hash-object /etc/shadow", vec!["R .", "r /etc/shadow"]),
        ("git apply --stat /etc/shadow", vec!["R .", "r /etc/shadow"]),
        ("git bundle verify /x", vec!["R .", "r /x"]),
        ("git config -f .env --get a.b", vec!["R .", "r .env"]),
        (
            "git diff-tree -p HEAD -- .env",
            vec!["R .", "R HEAD", "R .env"],
        ),
        (
            "git format-patch --stdout HEAD -- .env",
            vec!["R .", "R HEAD", "R .env"],
        ),
        ("git diff -- 'src/**/*.rs'", vec!["R .", "R src"]),
        ("git diff -- '*.rs'", vec!["R .", "R ."]),
        ("git diff -- ':!x'", vec!["R ."]),
        ("git -C sub -C ../a status", vec!["R sub/../a"]),
        ("git -C sub -C /a status", vec!["R /a"]),
    ] {
        let draft = analyse(text);
        assert_eq!(paths(&draft), expected, "{text}");
        assert!(is_read_only(&draft), "{text}: {:?}", draft.effects);
    }
}
