//! Git: which of its forms ask, what they change, and which cannot be taken back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{is_read_only, paths, tier};
use sayso_core::analysis::effect::EffectKind;
use sayso_core::analysis::risk::Tier;
use sayso_shell::analyse;

/// Forms that ask, without being a danger.
const ASKS: &str = r"
git
git foo
git lg
git st
git Status
git statu
git --paginate log
git -p log
git --exec-path=. status
git --exec-path=/opt/git log
git --git-dir=x log
git --git-dir=/tmp/x/.git log
git --work-tree=/etc diff
git --bare log
git --namespace=x log
git --attr-source=HEAD log
git --config-env=core.pager=X log
git --icase-pathspecs log -p .ENV
git -c core.pager=./x log
git -c core.pager='cat; x' log
git -c core.fsmonitor=./x status
git -c core.fsmonitor status
git -c core.sshCommand=x fetch
git -c core.hooksPath=hooks commit -m x
git -c alias.x='!id' x
git -c diff.external=x diff
git -c diff.a.textconv=x diff
git -c pager.log=./x log
git -c format.pretty=%G? log
git -c log.showSignature=true log
git -c safe.directory='*' status
git -c include.path=x status
git -c core.attributesFile=x diff
git -c core.worktree=/ diff
git -c color.ui
git log --output=x
git log --outpu=x
git log --ou x
git log --ext-diff -p
git log --textconv
git log --show-signature
git log --format=%G?
git log --format='%h %GS'
git log --pretty='%+GK'
git log --stdin
git log -O/tmp/order
git log -Oorder -p
git log --help
git log --no-index
git log --remerge-diff
git log --alternate-refs
git log --onelin
git log --submodule=diff -p
git log -p -- 'id_r*'
git log -p -- '.e*'
git log -p -- '\.env'
git grep x -- '.en\v'
git diff -- 'a\*.rs'
git log -p '[a-z]*'
git log -p -- ':(icase).ENV'
git log -p -- ':(glob)x'
git log -p -- '*cred*.json'
git log -p -- '*.pem'
git log -L
git show --output=x HEAD
git show --stdin
git show --textconv HEAD:a
git show HEAD:a:b:c:d:e:f
git diff --output=x
git diff --output x
git diff --ext-diff
git diff --textconv
git diff -Oorder
git diff -- '*nv'
git diff -- '*.local'
git diff --relativ
git diff-tree --output=x HEAD
git diff-files --ext-diff
git range-diff --output=x a b c
git cat-file --batch
git cat-file --batch-command
git cat-file --textconv HEAD:a
git cat-file --filters HEAD:a
git grep -O foo
git grep -Oless foo
git grep -nO foo
git grep --open-files-in-pager=x foo
git grep --textconv foo
git grep --no-index foo
git grep --ext-grep foo
git grep foo -- 'id_r*'
git blame --conten=x a
git blame --contents /etc/shadow a
git blame --contents=.env a
git branch new
git branch new main
git branch -d old
git branch -m a b
git branch -u origin/main
git branch --unset-upstream
git branch --edit-description
git branch -l new
git branch --list --del x
git tag v1
git tag -a v1 -m x
git tag -d v1
git tag -f v1
git tag -v v1
git tag -s v1 -m x
git tag -l --delete v1
git tag v1 --format=%G
git remote add x https://example.com/x
git remote remove x
git remote set-url origin https://example.com/x
git remote update
git remote show origin
git remote prune origin
git remote -v show origin
git remote -v update
git stash
git stash push -m x
git stash pop
git stash apply
git stash save x
git stash -- list
git stash -u
git stash show -u
git stash show --include-untracked -p
git stash show --only-untracked
git stash show --output=x
git stash branch x
git notes add -m x
git notes edit
git notes --ref=x list
git worktree add ../x
git worktree prune
git worktree
git submodule update --init
git submodule add https://example.com/x
git submodule foreach ls
git submodule foreach --recursive 'git status'
git submodule summary
git submodule sync
git bisect start
git bisect good
git bisect run make test
git bisect visualize
git bisect
git sparse-checkout set src
git replace a b
git config --list --file=x
git config -l -f x
git config list --file=x
git config --get http.extraheader
git config --get http.https://x.example/.extraheader
git config --get github.token
git config sendemail.smtppass
git config http.proxy
git config --get-regexp '^(alias|http)' -f x
git config --get-urlmatch http https://example.com
git config --get-color x
git config user.name x
git config set user.name x
git config --add a.b c
git config --unset user.name
git config --edit
git config -e
git config edit
git config --global user.name x
git config --global --edit
git config --rename-section a b
git config --remove-section a
git config --blob=HEAD:.env --list
git var -l
git var GIT_SHELL_PATH
git help log
git help --web log
git help --man log
git fsck --lost-found
git archive -o x.tar HEAD
git archive --output=x.tar HEAD
git archive --remote=host:x HEAD
git archive --format=tar.gz HEAD
git archive --exec=x HEAD
git bundle create a.bundle HEAD
git bundle unbundle a.bundle
git apply a.patch
git apply --check --apply a.patch
git apply --stat --build-fake-ancestor=x a.patch
git apply --index a.patch
git apply -3 a.patch
git format-patch HEAD~3
git format-patch -1
git format-patch --stdout -o x HEAD
git format-patch --stdout --output=x HEAD
git hash-object -w a
git interpret-trailers --in-place a
git symbolic-ref HEAD refs/heads/x
git reflog -5 show
git reflog -- show
git reflog --all -- exists
git ls-remote
git ls-remote origin
git ls-remote --upload-pack=x origin
git ls-files --exclude-fro=x
git verify-commit HEAD
git verify-tag v1
git request-pull a b
git credential approve
git credential-store store
git lfs ls-files
git lfs pull
git flow init
git add .
git add -A
git add -n -p .
git commit -m x
git commit -am x
git commit --amend --no-edit
git commit --dry-run
git commit
git push
git push origin main
git push -u origin main
git push --follow-tags
git push --tags
git push -n
git push --no-force origin main
git push https://example.com/x
git push --receive-pack=x
git push --exec=x origin
git pull
git pull --rebase
git fetch
git fetch --all --prune
git fetch --upload-pack=x origin
git clone https://example.com/x
git clone -c core.fsmonitor=x https://example.com/x
git clone -u x https://example.com/x
git clone --template=x https://example.com/x
git merge main
git merge --abort
git rebase main
git rebase -i HEAD~3
git rebase -x 'make test' main
git rebase --exec=ls main
git cherry-pick abc
git revert HEAD
git reset
git reset --soft HEAD~1
git reset HEAD a
git reset --mixed
git restore a
git restore --staged .
git restore -S .
git restore --source=HEAD --staged .
git restore --source=HEAD~1 a
git checkout main
git checkout -b new
git checkout -- a
git checkout HEAD -- src
git switch main
git switch -c new
git clean
git clean -i
git rm a
git rm --cached a
git rm -r --cached a
git mv a b
git init
git init x
git gc
git gc --auto
git repack -ad
git maintenance run
git maintenance start
git am a.mbox
git difftool
git difftool -x ls
git mergetool
git daemon
git send-email a.patch
git svn fetch
git update-index --assume-unchanged a
git update-index --refresh
git write-tree
git commit-tree 'HEAD^{tree}'
git read-tree HEAD
git mktree
git merge-tree a b
git merge-file a b c
git checkout-index -a
git pack-refs --all
git rerere
git instaweb
git gui
git citool
git bugreport
git diagnose
git fast-export --all
git fast-import
git for-each-repo --config=x status
git hook run pre-commit
git shell
git upload-pack .
git filter-repo-x
git web--browse x
GIT_PAGER=x git log
GIT_DIR=x git log
GIT_EXTERNAL_DIFF=x git diff
GIT_CONFIG_COUNT=1 git log
GIT_SSH_COMMAND=x git fetch
GIT_TRACE=/tmp/x git status
";

/// Forms that cannot be taken back, with a word that the warning has.
const DANGEROUS: &str = r"
--force | git push --force
--force | git push -f
--force | git push -uf origin main
--force | git push origin main -f
--force | git -C x push -f
--force-with-lease | git push --force-with-lease
--force-with-lease | git push --force-with-lease=main origin
--force | git push --forc
--mirror | git push --mirror
--mirror | git push --mirr
+main | git push origin +main
+HEAD:main | git push origin +HEAD:main
--delete | git push --delete origin x
--delete | git push -d origin x
--delete | git push origin --del x
:x | git push origin :x
--prune | git push --prune origin
--hard | git reset --hard
--hard | git reset --hard HEAD~3
--hard | git reset --har
clean | git clean -f
clean | git clean -fdx
clean | git clean -df
clean | git clean --force -d
clean | git clean -x --forc
--force | git checkout -f
--force | git checkout --force main
. | git checkout -- .
. | git checkout .
. | git checkout HEAD -- .
:/ | git checkout :/
. | git restore .
. | git restore --staged --worktree .
. | git restore -SW .
. | git restore --source=HEAD .
:/ | git restore :/
discard | git switch -f main
discard | git switch --discard-changes main
branch -D | git branch -D x
branch -D | git branch -d -f x
branch -D | git branch --delete --force x
drop | git stash drop
drop | git stash drop 'stash@{1}'
clear | git stash clear
reflog | git reflog expire --expire=now --all
reflog | git reflog delete 'HEAD@{1}'
prune=now | git gc --prune=now
prune=now | git gc --aggressive --prune=all
filter-branch | git filter-branch --tree-filter x HEAD
filter-repo | git filter-repo --path x
update-ref | git update-ref -d refs/heads/x
worktree | git worktree remove --force x
worktree | git worktree remove -f x
deinit | git submodule deinit -f x
deinit | git submodule deinit --all --force
rm -r | git rm -r src
rm -r | git rm -rf .
core.hooksPath | git config core.hooksPath x
core.hooksPath | git config --global core.hooksPath x
core.fsmonitor | git config core.fsmonitor ./x
core.pager | git config --global core.pager ./x
core.pager | git config set core.pager ./x
core.sshCommand | git config core.sshCommand x
alias.x | git config --global alias.x '!id'
alias.x | git config alias.x '!id'
credential.helper | git config credential.helper x
filter.x.clean | git config filter.x.clean ./x
diff.x.textconv | git config --local diff.x.textconv ./x
insteadOf | git config url.https://e.example/.insteadOf https://github.com/
ext:: | git clone 'ext::sh -c id'
ext:: | git remote add x 'ext::sh -c id'
ext:: | git fetch 'ext::sh -c id'
passwords | git credential fill
`rm` | git bisect run rm -rf build
`rm` | git submodule foreach 'rm -rf build'
`rm` | git rebase -x 'rm -rf build' main
`rm` | git bisect run sh -c 'rm -rf build'
--hard | git submodule foreach git reset --hard
";

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

#[test]
fn all_other_forms_ask() {
    let silent: Vec<&str> = lines(ASKS)
        .filter(|text| is_read_only(&analyse(text)))
        .collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    let alarms: Vec<&str> = lines(ASKS)
        .filter(|text| tier(&analyse(text)) != Tier::None)
        .collect();
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
    assert!(lines(ASKS).count() > 200);
}

#[test]
fn dangers_are_told_by_what_was_found() {
    for (word, text) in lines(DANGEROUS).map(|line| line.split_once(" | ").unwrap()) {
        let draft = analyse(text);
        assert!(!is_read_only(&draft), "{text}");
        assert_eq!(tier(&draft), Tier::Dangerous, "{text}: {:?}", draft.dangers);
        assert!(
            draft
                .dangers
                .iter()
                .any(|danger| danger.what.contains(word)),
            "{text}: {:?}",
            draft.dangers
        );
    }
}

#[test]
fn a_catastrophe_behind_git_is_one() {
    for text in [
        "git bisect run rm -rf /",
        "git submodule foreach 'rm -rf ~'",
        "git rebase -x 'rm -rf /' main",
    ] {
        assert_eq!(tier(&analyse(text)), Tier::Catastrophic, "{text}");
    }
    let deep = format!("{}true", "git bisect run ".repeat(3000));
    assert!(tier(&analyse(&deep)) < Tier::Catastrophic);
}

#[test]
fn what_is_changed_is_listed() {
    for (text, expected) in [
        ("git restore a b", vec!["R .", "g .", "W a", "W b"]),
        ("git restore .", vec!["R .", "g .", "W ."]),
        ("git checkout main", vec!["R .", "g .", "W ."]),
        ("git worktree add ../x main", vec!["R .", "g .", "W ../x"]),
        ("git worktree remove ../x", vec!["R .", "g .", "D ../x"]),
        ("git rm a", vec!["R .", "g .", "d a"]),
        ("git rm -r a", vec!["R .", "g .", "D a"]),
        ("git rm --cached a", vec!["R .", "g ."]),
        ("git rm -r '*.log'", vec!["R .", "g .", "D .", "D *.log"]),
        ("git mv a b", vec!["R .", "g .", "M a", "W b", "W? b/a"]),
        (
            "git clone https://example.com/x y",
            vec!["R .", "g .", "W .", "W y"],
        ),
        (
            "git clone ../x y",
            vec!["R .", "g .", "R ../x", "W .", "W y"],
        ),
        (
            "git archive -o /tmp/x.tar HEAD",
            vec!["R .", "w /tmp/x.tar", "g ."],
        ),
        (
            "git bundle create /tmp/x HEAD",
            vec!["R .", "g .", "w /tmp/x"],
        ),
        (
            "git format-patch -o /tmp/x HEAD",
            vec!["R .", "w /tmp/x", "g ."],
        ),
        (
            "git apply /tmp/x.patch",
            vec!["R .", "g .", "W .", "R /tmp/x.patch"],
        ),
        ("git commit -F .env", vec!["R .", "r .env", "g ."]),
        ("git branch new", vec!["R .", "g ."]),
    ] {
        let draft = analyse(text);
        assert_eq!(paths(&draft), expected, "{text}");
        assert!(!is_read_only(&draft), "{text}");
    }
    for text in [
        "git push",
        "git fetch x",
        "git pull",
        "git clone x",
        "git ls-remote",
        "git submodule update",
        "git remote show origin",
    ] {
        assert!(
            analyse(text)
                .effects
                .iter()
                .any(|effect| effect.kind == EffectKind::Connect),
            "{text}"
        );
    }
}

#[test]
fn what_only_a_spelled_out_rule_may_cover_is_marked() {
    for text in [
        "git -c core.pager=x log",
        "git push --receive-pack=x",
        "git clone 'ext::x'",
        "git clone 'foo::x'",
        "git remote add x 'ext::y'",
        "git config core.pager x",
        "git config --global user.name x",
        "git bisect run x",
        "git rebase -x y",
        "git credential fill",
        "git log --output=x",
    ] {
        assert!(
            analyse(text)
                .effects
                .iter()
                .any(|effect| effect.manner.unlisted),
            "{text}"
        );
    }
    for text in [
        "git push",
        "git commit -m x",
        "git config user.name x",
        "git remote add x https://example.com/",
        "git stash pop",
    ] {
        assert!(
            !analyse(text)
                .effects
                .iter()
                .any(|effect| effect.manner.unlisted),
            "{text}"
        );
    }
    assert!(analyse("git bisect run x").commands[0].interprets);
    assert!(!analyse("git bisect good").commands[0].interprets);
}

#[test]
fn the_own_word_of_a_subcommand_stays_in_front() {
    for (text, expected) in [
        ("git stash push -m x", "git stash push --message=x"),
        ("git -C a stash drop -q", "git stash drop --quiet"),
        ("git remote -v add x y", "git remote --verbose add x y"),
        ("git push origin main -f", "git push --force origin main"),
        ("git -C x push -f", "git push --force"),
        ("git worktree remove -f x", "git worktree remove --force x"),
    ] {
        assert_eq!(analyse(text).commands[0].normal.join(" "), expected);
    }
}
