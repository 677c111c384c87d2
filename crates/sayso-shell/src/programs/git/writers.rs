//! The subcommands of git that change something, connect or start programs: their options, for the normal form, and the kind of change.

/// What a form does besides writing to the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::programs) enum Does {
    /// Reads its operands into the repository.
    Adds,
    /// Changes only what git keeps.
    Repository,
    /// Changes only what git keeps, and may run hooks.
    Hooks,
    /// Changes files of the work tree, and may run hooks and filters.
    Tree,
    /// Changes the files that its operands name, or all of them.
    Paths,
    /// Deletes the files that its operands name.
    Deletes,
    /// Moves files.
    Moves,
    /// Makes a repository at its operand.
    Makes,
    /// Talks to another machine.
    Connects,
    /// Talks to another machine, and changes files of the work tree.
    Brings,
    /// Writes files that its options or its operands name.
    Writes,
    /// Starts a command that its words hold.
    Commands,
    /// Starts programs that settings name, or servers.
    Programs,
    /// Hands out passwords.
    Passwords,
    /// Changes settings.
    Settings,
    /// Changes which machine git talks to.
    Remotes,
    /// Is a program of its own.
    Foreign,
}

/// The words of a form (`push`, `stash drop`), its options and what it does.
pub(in crate::programs) type Writer = (&'static str, &'static str, Does);

const ADD: &str = "-n,--dry-run -v,--verbose -f,--force -u,--update -A,--all --no-all --ignore-removal -N,--intent-to-add --refresh --ignore-errors --ignore-missing --chmod= --renormalize --sparse -p,--patch -i,--interactive -e,--edit --pathspec-from-file=< --pathspec-file-nul";
const MERGING: &str = "--abort --continue --skip --quit -n,--no-commit -e,--edit --no-edit -m,--mainline= -s,--signoff -x --ff --allow-empty --keep-redundant-commits";
const STASH: &str = "-p,--patch -S,--staged -k,--keep-index --no-keep-index -q,--quiet -u,--include-untracked -a,--all -m,--message= --index";
const NOTES: &str = "--ref=+ -f,--force -m,--message= -F,--file=< -C= -c= --allow-empty -n -v,--verbose -q,--quiet -s,--strategy= --ignore-missing --stdin";
const NETWORK: &str = "-q,--quiet -v,--verbose --progress --no-progress -4,--ipv4 -6,--ipv6";
const GC: &str = "-q,--quiet --auto --aggressive --prune? --no-prune --force --keep-largest-pack --cruft --no-cruft --detach --no-detach";

/// All of them ask; what is not in a table is unknown all the same.
pub(in crate::programs) const WRITERS: &[Writer] = &[
    ("add", ADD, Does::Adds),
    ("stage", ADD, Does::Adds),
    (
        "commit",
        "-a,--all -m,--message= -q,--quiet -v,--verbose --amend --no-edit -e,--edit -s,--signoff --no-signoff --allow-empty --allow-empty-message -n,--no-verify --verify -F,--file=< -C,--reuse-message= -c,--reedit-message= --author= --date= --fixup= --squash= --reset-author --trailer= --cleanup= --dry-run --short --branch --porcelain --long -z,--null -o,--only -i,--include -p,--patch --no-post-rewrite --status --no-status -u,--untracked-files~ --no-gpg-sign -S,--gpg-sign~ -t,--template=< --pathspec-from-file=< --pathspec-file-nul",
        Does::Hooks,
    ),
    (
        "push",
        "-f,--force --no-force --force-with-lease? --no-force-with-lease --force-if-includes -u,--set-upstream -d,--delete --all,--branches --tags --mirror --prune -n,--dry-run -q,--quiet -v,--verbose --progress --no-progress --follow-tags --no-follow-tags --atomic --no-verify --verify --porcelain --thin --no-thin -o,--push-option= --signed? --no-signed --recurse-submodules=+ -4,--ipv4 -6,--ipv6",
        Does::Connects,
    ),
    (
        "pull",
        "-r,--rebase~ --no-rebase --ff-only --ff --no-ff -q,--quiet -v,--verbose --progress --autostash --no-autostash -p,--prune -t,--tags --no-tags --all --depth= --deepen= --unshallow --commit --no-commit --edit --no-edit --squash --no-squash --stat -n,--no-stat -s,--strategy= -X,--strategy-option= --allow-unrelated-histories -a,--append -f,--force --dry-run -k,--keep --recurse-submodules? --no-recurse-submodules -j,--jobs= --set-upstream --no-verify --signoff -4,--ipv4 -6,--ipv6",
        Does::Brings,
    ),
    (
        "fetch",
        "-a,--append --all --no-all -p,--prune -P,--prune-tags -t,--tags -f,--force -q,--quiet -v,--verbose --progress --no-progress --depth= --deepen= --shallow-since= --unshallow --update-shallow -n,--no-tags -m,--multiple -k,--keep -u,--update-head-ok --dry-run --porcelain --atomic --refetch --refmap= --set-upstream --filter=+ -j,--jobs= --recurse-submodules? --no-recurse-submodules --no-auto-gc --no-auto-maintenance --write-fetch-head --no-write-fetch-head --prefetch -4,--ipv4 -6,--ipv6",
        Does::Connects,
    ),
    (
        "clone",
        "--depth= -b,--branch= --single-branch --no-single-branch -q,--quiet -v,--verbose --progress --bare --mirror -n,--no-checkout --recurse-submodules,--recursive? -j,--jobs= -l,--local --no-local --no-hardlinks -s,--shared --dissociate -o,--origin= --no-tags --tags --filter=+ --sparse --shallow-since= --shallow-submodules --no-shallow-submodules --remote-submodules --revision=+ -4,--ipv4 -6,--ipv6",
        Does::Brings,
    ),
    (
        "ls-remote",
        "-t,--tags -h,--heads,--branches --refs -q,--quiet --exit-code --get-url --sort= --symref",
        Does::Connects,
    ),
    ("remote update", "-p,--prune -v,--verbose", Does::Connects),
    ("remote prune", "-n,--dry-run", Does::Connects),
    ("remote set-head", "-a,--auto -d,--delete", Does::Connects),
    (
        "remote add",
        "-f,--fetch --tags --no-tags -t,--track= -m,--master= --mirror?",
        Does::Remotes,
    ),
    ("remote set-url", "--push --add --delete", Does::Remotes),
    (
        "remote rename",
        "--progress --no-progress",
        Does::Repository,
    ),
    ("remote remove", "", Does::Repository),
    ("remote rm", "", Does::Repository),
    ("remote set-branches", "--add", Does::Repository),
    (
        "reset",
        "--hard --soft --mixed --merge --keep -q,--quiet --no-quiet --refresh --no-refresh -p,--patch -N,--intent-to-add --recurse-submodules? --no-recurse-submodules --pathspec-from-file=< --pathspec-file-nul",
        Does::Tree,
    ),
    (
        "clean",
        "-f,--force -d -x -X -n,--dry-run -q,--quiet -i,--interactive -e,--exclude=",
        Does::Deletes,
    ),
    (
        "checkout",
        "-b= -B= -f,--force -q,--quiet --progress --no-progress -t,--track? --no-track --detach -d -p,--patch -m,--merge --conflict= --ours --theirs --orphan= -l --guess --no-guess --ignore-skip-worktree-bits --overlay --no-overlay --recurse-submodules --no-recurse-submodules --ignore-other-worktrees --overwrite-ignore --no-overwrite-ignore --pathspec-from-file=< --pathspec-file-nul",
        Does::Tree,
    ),
    (
        "switch",
        "-c,--create= -C,--force-create= -f,--force,--discard-changes -q,--quiet --progress --no-progress -d,--detach --orphan= -t,--track? --no-track -m,--merge --conflict= --guess --no-guess --recurse-submodules --no-recurse-submodules --ignore-other-worktrees",
        Does::Tree,
    ),
    (
        "restore",
        "-s,--source= -S,--staged -W,--worktree -p,--patch -q,--quiet --progress --no-progress --ours --theirs -m,--merge --conflict= --ignore-unmerged --overlay --no-overlay --recurse-submodules --no-recurse-submodules --pathspec-from-file=< --pathspec-file-nul",
        Does::Paths,
    ),
    (
        "merge",
        "--no-ff --ff-only --ff --squash --no-squash --abort --continue --quit -m,--message= -F,--file=< -e,--edit --no-edit --commit --no-commit -n,--no-stat --stat --log? --no-log --signoff -s,--strategy= -X,--strategy-option= -q,--quiet -v,--verbose --progress --no-progress --autostash --no-autostash --allow-unrelated-histories --no-verify --verify --into-name= --rerere-autoupdate --no-rerere-autoupdate --no-gpg-sign",
        Does::Tree,
    ),
    (
        "rebase",
        "-i,--interactive --onto= --keep-base --abort --continue --skip --quit --edit-todo --show-current-patch -q,--quiet -v,--verbose --autosquash --no-autosquash --autostash --no-autostash --root -f,--force-rebase --no-ff --fork-point --no-fork-point -r,--rebase-merges? --no-rebase-merges --update-refs --no-update-refs --apply -m,--merge -s,--strategy= -X,--strategy-option= --stat -n,--no-stat --no-verify --verify --signoff --committer-date-is-author-date --reset-author-date --empty= --keep-empty --no-keep-empty --reapply-cherry-picks --no-reapply-cherry-picks --no-gpg-sign -x,--exec= --no-reschedule-failed-exec",
        Does::Tree,
    ),
    ("cherry-pick", MERGING, Does::Tree),
    ("revert", MERGING, Does::Tree),
    (
        "am",
        "-s,--signoff -k,--keep -3,--3way --no-3way -q,--quiet --abort --continue -r,--resolved --skip --quit --allow-empty --show-current-patch? -p= --directory= --reject --no-verify -n",
        Does::Tree,
    ),
    (
        "rm",
        "-f,--force -r --cached -q,--quiet -n,--dry-run --ignore-unmatch --sparse --pathspec-from-file=< --pathspec-file-nul",
        Does::Deletes,
    ),
    (
        "mv",
        "-f,--force -k -n,--dry-run -v,--verbose --sparse",
        Does::Moves,
    ),
    (
        "init",
        "-q,--quiet --bare -b,--initial-branch= --shared? --object-format= --ref-format=",
        Does::Makes,
    ),
    ("stash", STASH, Does::Tree),
    ("stash push", STASH, Does::Tree),
    ("stash save", STASH, Does::Tree),
    ("stash pop", "--index -q,--quiet", Does::Tree),
    ("stash apply", "--index -q,--quiet", Does::Tree),
    ("stash branch", "", Does::Tree),
    ("stash drop", "-q,--quiet", Does::Repository),
    ("stash clear", "", Does::Repository),
    ("stash create", "", Does::Repository),
    ("stash store", "-m,--message= -q,--quiet", Does::Repository),
    (
        "reflog expire",
        "--all --expire= --expire-unreachable= --updateref --rewrite --stale-fix -n,--dry-run --verbose --single-worktree",
        Does::Repository,
    ),
    (
        "reflog delete",
        "--rewrite --updateref -n,--dry-run --verbose",
        Does::Repository,
    ),
    ("reflog drop", "--all --single-worktree", Does::Repository),
    ("notes add", NOTES, Does::Repository),
    ("notes append", NOTES, Does::Repository),
    ("notes copy", NOTES, Does::Repository),
    ("notes edit", NOTES, Does::Repository),
    ("notes merge", NOTES, Does::Repository),
    ("notes remove", NOTES, Does::Repository),
    ("notes prune", NOTES, Does::Repository),
    (
        "worktree add",
        "-f,--force -b= -B= -d,--detach --checkout --no-checkout --lock --reason= --orphan -q,--quiet --track --no-track --guess-remote --no-guess-remote",
        Does::Paths,
    ),
    ("worktree remove", "-f,--force", Does::Deletes),
    ("worktree move", "-f,--force", Does::Moves),
    (
        "worktree prune",
        "-n,--dry-run -v,--verbose --expire=",
        Does::Repository,
    ),
    ("worktree lock", "--reason=", Does::Repository),
    ("worktree unlock", "", Does::Repository),
    ("worktree repair", "", Does::Repository),
    (
        "submodule add",
        "-b,--branch= -f,--force --name= --depth= -q,--quiet --progress",
        Does::Brings,
    ),
    (
        "submodule update",
        "--init --no-init --recursive --remote -N,--no-fetch --no-recommend-shallow --recommend-shallow -f,--force --checkout --rebase --merge --depth= -j,--jobs= --single-branch --no-single-branch --filter=+ -q,--quiet --progress",
        Does::Brings,
    ),
    ("submodule sync", "--recursive -q,--quiet", Does::Remotes),
    ("submodule init", "-q,--quiet", Does::Repository),
    (
        "submodule deinit",
        "-f,--force --all -q,--quiet",
        Does::Deletes,
    ),
    ("submodule set-url", "-q,--quiet", Does::Remotes),
    (
        "submodule set-branch",
        "-b,--branch= -d,--default -q,--quiet",
        Does::Repository,
    ),
    ("submodule absorbgitdirs", "-q,--quiet", Does::Tree),
    (
        "submodule summary",
        "--cached --files -n,--summary-limit= -q,--quiet",
        Does::Programs,
    ),
    (
        "submodule foreach",
        "--recursive -q,--quiet",
        Does::Commands,
    ),
    (
        "bisect start",
        "--term-good,--term-old= --term-bad,--term-new= --no-checkout --first-parent",
        Does::Tree,
    ),
    ("bisect good", "", Does::Tree),
    ("bisect old", "", Does::Tree),
    ("bisect bad", "", Does::Tree),
    ("bisect new", "", Does::Tree),
    ("bisect skip", "", Does::Tree),
    ("bisect next", "", Does::Tree),
    ("bisect reset", "", Does::Tree),
    ("bisect replay", "", Does::Tree),
    ("bisect run", "", Does::Commands),
    ("bisect view", "", Does::Programs),
    ("bisect visualize", "", Does::Programs),
    ("bisect", "", Does::Tree),
    (
        "sparse-checkout set",
        "--cone --no-cone --sparse-index --no-sparse-index --skip-checks --stdin",
        Does::Tree,
    ),
    ("sparse-checkout add", "--skip-checks --stdin", Does::Tree),
    (
        "sparse-checkout init",
        "--cone --no-cone --sparse-index --no-sparse-index",
        Does::Tree,
    ),
    (
        "sparse-checkout reapply",
        "--cone --no-cone --sparse-index --no-sparse-index",
        Does::Tree,
    ),
    ("sparse-checkout disable", "", Does::Tree),
    (
        "bundle create",
        "-q,--quiet --progress --all --branches? --tags? --version=",
        Does::Writes,
    ),
    ("bundle unbundle", "--progress", Does::Repository),
    (
        "config set",
        "--global --local --system --worktree --type= --all --value=+ --append --comment= -f,--file=>",
        Does::Settings,
    ),
    (
        "config unset",
        "--global --local --system --worktree --all --value=+ -f,--file=>",
        Does::Settings,
    ),
    (
        "config rename-section",
        "--global --local --system --worktree -f,--file=>",
        Does::Settings,
    ),
    (
        "config remove-section",
        "--global --local --system --worktree -f,--file=>",
        Does::Settings,
    ),
    (
        "config edit",
        "--global --local --system --worktree",
        Does::Programs,
    ),
    ("gc", GC, Does::Repository),
    (
        "prune",
        "-n,--dry-run -v,--verbose --progress --expire=",
        Does::Repository,
    ),
    ("prune-packed", "-n,--dry-run -q,--quiet", Does::Repository),
    (
        "repack",
        "-a -A -d -f -F -l -q,--quiet -n -k,--keep-unreachable --cruft --write-midx -b,--write-bitmap-index --window= --depth= --threads=",
        Does::Repository,
    ),
    (
        "pack-refs",
        "--all --prune --no-prune --auto",
        Does::Repository,
    ),
    (
        "maintenance",
        "--auto --no-auto -q,--quiet --no-quiet --task= --schedule= --scheduler=",
        Does::Programs,
    ),
    (
        "commit-graph write",
        "--reachable --stdin-packs --stdin-commits --append --changed-paths --split? --progress --no-progress",
        Does::Repository,
    ),
    (
        "multi-pack-index",
        "--progress --no-progress --bitmap --preferred-pack=",
        Does::Repository,
    ),
    (
        "refs",
        "--ref-format= --dry-run --strict --verbose",
        Does::Repository,
    ),
    ("rerere", "", Does::Tree),
    (
        "update-ref",
        "-m= -d --no-deref --create-reflog --stdin -z",
        Does::Hooks,
    ),
    (
        "update-index",
        "-q --refresh --really-refresh --add --remove --force-remove --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --chmod= -g,--again --cacheinfo= --stdin -z --index-info --verbose",
        Does::Adds,
    ),
    ("update-server-info", "-f,--force", Does::Repository),
    (
        "commit-tree",
        "-p= -m= -F=< -S~ --no-gpg-sign",
        Does::Repository,
    ),
    ("write-tree", "--missing-ok --prefix=+", Does::Repository),
    ("mktree", "-z --missing --batch", Does::Repository),
    ("mktag", "--strict --no-strict", Does::Repository),
    (
        "merge-tree",
        "--write-tree --trivial-merge --name-only -z --messages --no-messages --allow-unrelated-histories --stdin --merge-base=+ -X,--strategy-option=",
        Does::Repository,
    ),
    (
        "read-tree",
        "-m -u -i -n,--dry-run -v --reset --trivial --aggressive --prefix=+ --empty -q,--quiet",
        Does::Tree,
    ),
    (
        "checkout-index",
        "-a,--all -f,--force -u,--index -q,--quiet -n,--no-create -z --stdin --temp --prefix=+ --stage=+",
        Does::Tree,
    ),
    (
        "merge-file",
        "-p,--stdout -q,--quiet -L= --ours --theirs --union --diff3 --zdiff3 --object-id",
        Does::Paths,
    ),
    ("replay", "--onto= --advance= --contained", Does::Repository),
    ("unpack-file", "", Does::Tree),
    ("unpack-objects", "-n -q -r --strict", Does::Repository),
    (
        "index-pack",
        "-v --stdin --fix-thin --keep? --strict? -o=>",
        Does::Repository,
    ),
    (
        "pack-objects",
        "--all --stdout -q --revs --thin --stdin-packs",
        Does::Writes,
    ),
    (
        "pack-redundant",
        "--all --alt-odb --verbose",
        Does::Repository,
    ),
    ("fast-import", "--quiet --stats --force", Does::Repository),
    (
        "fast-export",
        "--all --signed-tags=+ --tag-of-filtered-object=+",
        Does::Writes,
    ),
    ("mailinfo", "-k -b -u -n", Does::Writes),
    ("mailsplit", "-b --keep-cr -o=+", Does::Writes),
    (
        "quiltimport",
        "-n,--dry-run --author= --patches=",
        Does::Tree,
    ),
    (
        "bugreport",
        "-o,--output-directory=> -s,--suffix= --diagnose?",
        Does::Writes,
    ),
    (
        "diagnose",
        "-o,--output-directory=> -s,--suffix= --mode=",
        Does::Writes,
    ),
    ("filter-branch", "-f,--force", Does::Commands),
    ("filter-repo", "-f,--force", Does::Commands),
    ("for-each-repo", "--config= --keep-going", Does::Commands),
    ("merge-index", "-a -o -q", Does::Commands),
    ("hook", "--ignore-missing --to-stdin=<", Does::Programs),
    (
        "difftool",
        "-g,--gui --no-gui -d,--dir-diff -y,--no-prompt --prompt -t,--tool= --tool-help --cached,--staged",
        Does::Programs,
    ),
    (
        "mergetool",
        "-t,--tool= --tool-help -y,--no-prompt --prompt -g,--gui --no-gui",
        Does::Programs,
    ),
    ("verify-commit", "-v,--verbose --raw", Does::Programs),
    ("verify-tag", "-v,--verbose --raw --format=", Does::Programs),
    (
        "fmt-merge-msg",
        "--log? --no-log -m,--message= -F,--file=<",
        Does::Programs,
    ),
    ("instaweb", "", Does::Programs),
    ("gui", "", Does::Programs),
    ("citool", "", Does::Programs),
    ("web--browse", "", Does::Programs),
    ("daemon", "", Does::Programs),
    ("http-backend", "", Does::Programs),
    ("shell", "", Does::Programs),
    ("upload-pack", "", Does::Programs),
    ("receive-pack", "", Does::Programs),
    ("upload-archive", "", Does::Programs),
    ("cvsserver", "", Does::Programs),
    ("scalar", "", Does::Programs),
    ("fetch-pack", NETWORK, Does::Connects),
    ("send-pack", NETWORK, Does::Connects),
    ("request-pull", "-p", Does::Connects),
    ("send-email", "--dry-run --quiet", Does::Connects),
    ("imap-send", "-q,--quiet -v,--verbose", Does::Connects),
    ("svn", "", Does::Brings),
    ("p4", "", Does::Brings),
    ("archimport", "", Does::Brings),
    ("cvsimport", "", Does::Brings),
    ("cvsexportcommit", "", Does::Brings),
    ("credential", "", Does::Passwords),
    ("credential-store", "--file=<", Does::Passwords),
    ("credential-cache", "--timeout= --socket=", Does::Passwords),
    ("lfs", "", Does::Foreign),
];
