//! Git: which of its forms only look, which ask, and which are dangerous.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{is_read_only, paths, tier};
use sayso_core::effect::EffectKind;
use sayso_core::verdict::Tier;
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
git archive HEAD
git archive --format=tar HEAD src
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
git --exec-path=/tmp log
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
git diff --no-index a b
git diff --no-index a /etc/shadow
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
git branch -f main HEAD
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
git config --list
git config -l
git config list
git config --list --show-origin
git config --get http.extraheader
git config --get http.https://x.example/.extraheader
git config --get github.token
git config sendemail.smtppass
git config http.proxy
git config --get-regexp http
git config --get-regexp .
git config --get-regexp '^(alias|http)'
git config --get-regexp '^.*token'
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
git config list --show-origin
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
git symbolic-ref -d HEAD
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
git prune
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
git update-ref refs/heads/x HEAD
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
fn forms_that_only_look_are_read_only() {
    let wrong: Vec<String> = lines(SILENT)
        .filter(|text| !is_read_only(&analyse(text)))
        .map(|text| format!("{text}: {:?}", analyse(text).effects.iter().filter_map(|effect| effect.note.clone()).collect::<Vec<_>>()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines(SILENT).count() > 200);
}

#[test]
fn all_other_forms_ask() {
    let silent: Vec<&str> = lines(ASKS).filter(|text| is_read_only(&analyse(text))).collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    let alarms: Vec<&str> = lines(ASKS).filter(|text| tier(&analyse(text)) != Tier::None).collect();
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
    assert!(lines(ASKS).count() > 200);
}

#[test]
fn dangers_are_told_by_what_was_found() {
    for (word, text) in lines(DANGEROUS).map(|line| line.split_once(" | ").unwrap()) {
        let draft = analyse(text);
        assert!(!is_read_only(&draft), "{text}");
        assert_eq!(tier(&draft), Tier::Dangerous, "{text}: {:?}", draft.dangers);
        assert!(draft.dangers.iter().any(|danger| danger.what.contains(word)), "{text}: {:?}", draft.dangers);
    }
}

#[test]
fn a_catastrophe_behind_git_is_one() {
    for text in ["git bisect run rm -rf /", "git submodule foreach 'rm -rf ~'", "git rebase -x 'rm -rf /' main"] {
        assert_eq!(tier(&analyse(text)), Tier::Catastrophic, "{text}");
    }
    let deep = format!("{}true", "git bisect run ".repeat(3000));
    assert!(tier(&analyse(&deep)) < Tier::Catastrophic);
}

#[test]
fn what_is_shown_is_read() {
    for (text, expected) in [
        ("git show HEAD:.env", vec!["R .", "R HEAD:.env", "R .env"]),
        ("git show :.env", vec!["R .", "R .env", "R .env"]),
        ("git show :0:.env", vec!["R .", "R 0:.env", "R 0:.env", "R .env"]),
        ("git log -p -- .env", vec!["R .", "R .env"]),
        ("git log -p -- ':/.env'", vec!["R .", "R .env"]),
        ("git log -p -- ':(top).env'", vec!["R .", "R .env"]),
        ("git -C sub log -p -- ':/.env'", vec!["R sub", "R .", "R sub/.env", "R .env"]),
        ("git diff .env", vec!["R .", "R .env"]),
        ("git blame .env", vec!["R .", "R .env"]),
        ("git annotate .env", vec!["R .", "R .env"]),
        ("git cat-file -p HEAD:.env", vec!["R .", "R HEAD:.env", "R .env"]),
        ("git cat-file blob HEAD:.env", vec!["R .", "R blob", "R HEAD:.env", "R .env"]),
        ("git log -L1,9:.env", vec!["R .", "R .env"]),
        ("git grep -e x -- .env", vec!["R .", "R .env"]),
        ("git grep x .env", vec!["R .", "R .env"]),
        ("git grep -f .env", vec!["R .", "r .env"]),
        ("git blame -S .env a", vec!["R .", "r .env", "R a"]),
        ("git ls-files -X .env", vec!["R .", "r .env"]),
        ("git -C sub blame -S x a", vec!["R sub", "r sub/x", "R sub/a"]),
        ("git archive HEAD .env", vec!["R .", "R HEAD", "R .env"]),
        ("git hash-object /etc/shadow", vec!["R .", "r /etc/shadow"]),
        ("git apply --stat /etc/shadow", vec!["R .", "r /etc/shadow"]),
        ("git bundle verify /x", vec!["R .", "r /x"]),
        ("git config -f .env --get a.b", vec!["R .", "r .env"]),
        ("git diff-tree -p HEAD -- .env", vec!["R .", "R HEAD", "R .env"]),
        ("git format-patch --stdout HEAD -- .env", vec!["R .", "R HEAD", "R .env"]),
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
        ("git clone https://example.com/x y", vec!["R .", "g .", "W .", "W y"]),
        ("git clone ../x y", vec!["R .", "g .", "R ../x", "W .", "W y"]),
        ("git archive -o /tmp/x.tar HEAD", vec!["R .", "w /tmp/x.tar", "g ."]),
        ("git bundle create /tmp/x HEAD", vec!["R .", "g .", "w /tmp/x"]),
        ("git format-patch -o /tmp/x HEAD", vec!["R .", "w /tmp/x", "g ."]),
        ("git apply /tmp/x.patch", vec!["R .", "g .", "W .", "R /tmp/x.patch"]),
        ("git commit -F .env", vec!["R .", "r .env", "g ."]),
        ("git branch new", vec!["R .", "g ."]),
    ] {
        let draft = analyse(text);
        assert_eq!(paths(&draft), expected, "{text}");
        assert!(!is_read_only(&draft), "{text}");
    }
    for text in ["git push", "git fetch x", "git pull", "git clone x", "git ls-remote", "git submodule update", "git remote show origin"] {
        assert!(analyse(text).effects.iter().any(|effect| effect.kind == EffectKind::Connect), "{text}");
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
        assert!(analyse(text).effects.iter().any(|effect| effect.manner.unlisted), "{text}");
    }
    for text in ["git push", "git commit -m x", "git config user.name x", "git remote add x https://example.com/", "git stash pop"] {
        assert!(!analyse(text).effects.iter().any(|effect| effect.manner.unlisted), "{text}");
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
