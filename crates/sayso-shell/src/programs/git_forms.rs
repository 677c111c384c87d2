//! The subcommands of git: which options they may have, which forms only look, and what the others change.

use crate::options::Parsed;
use crate::scene::{PLAIN, Scene};
use sayso_core::effect::{EffectKind, Manner};

macro_rules! diff_options {
    ($($own:literal)?) => {
        concat!(
            $($own, " ",)?
            "-p,-u,--patch -s,--no-patch -U,--unified~ --raw --patch-with-raw --patch-with-stat --indent-heuristic --no-indent-heuristic ",
            "--minimal --patience --histogram --diff-algorithm=+ --stat? --compact-summary --numstat --shortstat --dirstat? --summary ",
            "--name-only --name-status --color? --no-color --color-moved? --word-diff? --word-diff-regex=+ --color-words? --no-renames ",
            "--check --full-index --binary --abbrev? -M,--find-renames~ -B,--break-rewrites~ -D,--irreversible-delete -l=+ --diff-filter= -S= -G= ",
            "--pickaxe-all --pickaxe-regex -R --relative? --no-relative -a,--text --ignore-cr-at-eol --ignore-space-at-eol ",
            "-b,--ignore-space-change -w,--ignore-all-space --ignore-blank-lines --inter-hunk-context=+ -W,--function-context ",
            "--exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix=+ --dst-prefix=+ --no-prefix -z,--null"
        )
    };
}

macro_rules! log_options {
    ($($own:literal)?) => {
        concat!(
            $($own, " ",)?
            "-#,-n,--max-count= --skip= --since,--after= --until,--before= --author= --committer= --grep= -i,--regexp-ignore-case ",
            "--invert-grep --all-match -E,--extended-regexp -F,--fixed-strings --merges --no-merges --first-parent --all --branches? --tags? ",
            "--remotes? --oneline --graph --decorate? --no-decorate --pretty? --format=+ --abbrev-commit --no-abbrev-commit --date= ",
            "--reverse --topo-order --date-order --follow --left-right --cherry-pick --cherry-mark --cherry --boundary --source --reflog ",
            "-m -c --cc --no-walk? --full-history --simplify-by-decoration --ancestry-path --parents --children --notes? --no-notes ",
            "--encoding=+ --no-mailmap --use-mailmap "
        )
    };
}

/// Subcommands that have forms which only look. Options that write or start a program (`--output`, `--ext-diff`, `--textconv`,
/// `-O`) are left out, and so are unknown.
pub(super) const READERS: &[(&str, &str)] = &[
    (
        "status",
        "-s,--short -b,--branch --show-stash --porcelain? --long -v,--verbose -u,--untracked-files~ --ignore-submodules? --ignored? -z,--null --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
    ),
    ("log", concat!("-L= ", log_options!(), diff_options!())),
    ("show", concat!("-L= ", log_options!(), diff_options!())),
    ("diff", diff_options!("--cached,--staged --merge-base --base --ours --theirs -0 -1 -2 -3")),
    (
        "shortlog",
        "-n,--numbered -s,--summary -e,--email -c,--committer --group=+ --all --since,--after= --until,--before= --no-merges --format=+",
    ),
    ("rev-list", concat!(log_options!(), "--count --objects --quiet")),
    ("reflog", concat!(log_options!(), diff_options!())),
    (
        "branch",
        "-a,--all -r,--remotes -v,--verbose --list -l --show-current --contains=? --no-contains=? --merged=? --no-merged=? --points-at=+ --sort= --format= --color? --no-color --column? --no-column --abbrev? --no-abbrev -i,--ignore-case -d,--delete -D -m,--move -M -c,--copy -C -f,--force -u,--set-upstream-to= --unset-upstream -t,--track?",
    ),
    (
        "tag",
        "-l,--list -n~ --contains=? --no-contains=? --merged=? --no-merged=? --points-at=+ --sort= --format= --column? -i,--ignore-case --color? -d,--delete -f,--force -a,--annotate -m,--message= -s,--sign",
    ),
    ("remote", "-v,--verbose"),
    ("stash", "--oneline --stat? -p,--patch -u,--include-untracked -a,--all -k,--keep-index -m,--message= -q,--quiet --index"),
    (
        "config",
        "--get --get-all --local --global --system --worktree --show-origin --show-scope --type= --bool --int --bool-or-int -z,--null --name-only --includes --no-includes --default= --unset --unset-all --add",
    ),
    (
        "rev-parse",
        "--abbrev-ref? --short? --verify -q,--quiet --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --show-superproject-working-tree",
    ),
    (
        "ls-files",
        "-c,--cached -d,--deleted -m,--modified -o,--others -i,--ignored -s,--stage -u,--unmerged -k,--killed -t -v -z,--null --directory --no-empty-directory --exclude-standard --full-name --error-unmatch --abbrev? --eol -x,--exclude= --deduplicate --format=",
    ),
    ("ls-tree", "-d -r -t -l,--long -z,--null --name-only --name-status --full-name --full-tree --abbrev? --object-only --format="),
    (
        "blame",
        "-b --root --show-stats -L= -l -t -p,--porcelain --line-porcelain --incremental -c --score-debug -f,--show-name -n,--show-number -s -e,--show-email -w -M~ --abbrev? --color-lines --color-by-age --date= --since=+ --first-parent",
    ),
    (
        "describe",
        "--all --tags --contains --abbrev? --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent --dirty? --broken?",
    ),
    ("cat-file", "-t -s -e -p"),
    ("merge-base", "-a,--all --octopus --independent --is-ancestor --fork-point"),
    (
        "for-each-ref",
        "--count= --sort= --format= --points-at=+ --merged=? --no-merged=? --contains=? --no-contains=? --color? --ignore-case",
    ),
    (
        "grep",
        "-i,--ignore-case -w,--word-regexp -v,--invert-match -h -H --full-name -E,--extended-regexp -G,--basic-regexp -P,--perl-regexp -F,--fixed-strings -n,--line-number --column -l,--files-with-matches --name-only -L,--files-without-match -o,--only-matching -c,--count --color? --no-color --break --heading -p,--show-function -A,--after-context= -B,--before-context= -#,-C,--context= -W,--function-context -e= --and --or --not --all-match -q,--quiet --cached --untracked --max-depth= -I -a,--text -z,--null -m,--max-count= -r,--recursive --no-textconv",
    ),
];

/// Subcommands that change something. Their tables are for the normal form; what is not in them is unknown all the same.
pub(super) const WRITERS: &[(&str, &str)] = &[
    (
        "add",
        "-n,--dry-run -v,--verbose -f,--force -u,--update -A,--all --no-all -N,--intent-to-add --refresh --ignore-errors --chmod= --renormalize",
    ),
    (
        "commit",
        "-a,--all -m,--message= -q,--quiet -v,--verbose --amend --no-edit -s,--signoff --allow-empty --allow-empty-message -n,--no-verify -F,--file=< --author= --date= --fixup= --squash= --dry-run -o,--only -i,--include --no-gpg-sign -S,--gpg-sign~",
    ),
    (
        "push",
        "-f,--force --force-with-lease? --force-if-includes -u,--set-upstream -d,--delete --all --tags --mirror --prune -n,--dry-run -q,--quiet -v,--verbose --follow-tags --atomic --no-verify --porcelain -o,--push-option=",
    ),
    ("pull", "-r,--rebase~ --no-rebase --ff-only --ff --no-ff -q,--quiet -v,--verbose --autostash -p,--prune --tags --all --depth="),
    ("fetch", "-a,--append --all -p,--prune -t,--tags -f,--force -q,--quiet -v,--verbose --depth= --unshallow -n,--no-tags"),
    ("clone", "--depth= -b,--branch= --single-branch -q,--quiet --bare --mirror -n,--no-checkout --recurse-submodules?"),
    ("ls-remote", "--heads --tags --refs -q,--quiet --exit-code --sort="),
    ("reset", "--hard --soft --mixed --merge --keep -q,--quiet -p,--patch"),
    ("clean", "-f,--force -d -x -X -n,--dry-run -q,--quiet -i,--interactive -e,--exclude="),
    ("checkout", "-b= -B= -f,--force -q,--quiet -t,--track? --detach -p,--patch -m,--merge --ours --theirs --orphan="),
    ("switch", "-c,--create= -C,--force-create= -f,--force,--discard-changes -q,--quiet -d,--detach --orphan= -t,--track?"),
    ("restore", "-s,--source= -S,--staged -W,--worktree -p,--patch -q,--quiet --ours --theirs"),
    ("merge", "--no-ff --ff-only --ff --squash --abort --continue --quit -m,--message= --no-edit --no-commit -q,--quiet"),
    ("rebase", "-i,--interactive --onto= --abort --continue --skip --quit -q,--quiet --autosquash --autostash --root -f,--force-rebase"),
    ("cherry-pick", "-x -n,--no-commit --abort --continue --skip --quit -m,--mainline= -e,--edit"),
    ("revert", "-n,--no-commit --no-edit --abort --continue --skip --quit -m,--mainline="),
    ("rm", "-f,--force -r --cached -q,--quiet -n,--dry-run --ignore-unmatch"),
    ("mv", "-f,--force -k -n,--dry-run -v,--verbose"),
    ("init", "-q,--quiet --bare -b,--initial-branch="),
];

/// Whether the operands may be paths, or lead to the content of a path.
pub(super) fn takes_paths(subcommand: &str) -> bool {
    matches!(
        subcommand,
        "status" | "log" | "show" | "diff" | "rev-list" | "ls-files" | "ls-tree" | "blame" | "cat-file" | "grep" | "shortlog" | "rev-parse"
    )
}

/// Whether these words of a subcommand in [`READERS`] only look.
pub(super) fn only_looks(subcommand: &str, arguments: &[&str], given: &Parsed<'_>) -> bool {
    let operands = given.operands.as_slice();
    // Git takes a word for its own only where it stands first: `git stash -- list` stashes a file of that name.
    if matches!(subcommand, "stash" | "remote" | "reflog") && operands.first().is_some_and(|word| arguments.first() != Some(word)) {
        return false;
    }
    let any = |names: &[&str]| names.iter().any(|name| given.has(name));
    match subcommand {
        "branch" => {
            let changes = ["--delete", "-D", "--move", "-M", "--copy", "-C", "--force", "--set-upstream-to", "--unset-upstream", "--track"];
            let lists = ["--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];
            // Without one of these, an operand is the name of a new branch; old versions of git take `-l` for something else.
            !any(&changes) && (operands.is_empty() || any(lists.get(..1).unwrap_or(&[])) || (any(&lists) && !given.has("-l")))
        }
        "tag" => {
            let changes = ["--delete", "--force", "--annotate", "--message", "--sign"];
            !any(&changes) && (operands.is_empty() || any(&["--list"]))
        }
        "remote" => operands.is_empty() || matches!(operands, ["get-url", name] if !name.starts_with('-')),
        "stash" => matches!(operands, ["list"] | ["show", ..]) && !any(&["--message", "--keep-index", "--index"]),
        "reflog" => operands.is_empty() || matches!(operands, ["show", ..]),
        "config" => {
            matches!(operands, [name] if any(&["--get", "--get-all"]) && !is_secret(name)) && !any(&["--unset", "--unset-all", "--add"])
        }
        _ => true,
    }
}

/// Settings that may hold a password or a token.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["extraheader", "token", "password", "pass", "secret", "credential", "cookie", "proxy"].iter().any(|word| name.contains(word))
}

/// A path as git sees it after `-C`.
pub(super) fn below(folder: &str, path: &str) -> String {
    if folder == "." || path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}

/// What a subcommand of [`WRITERS`] changes.
pub(super) fn write(scene: &mut Scene<'_>, subcommand: &str, folder: &str, given: &Parsed<'_>) {
    let repository = Manner { repository: true, ..PLAIN };
    let work_tree = Manner { recursive: true, ..PLAIN };
    scene.path(EffectKind::Write, folder, false, repository);
    match subcommand {
        "add" => {
            for operand in &given.operands {
                scene.read(&below(folder, operand), true);
            }
        }
        "init" => {
            for operand in &given.operands {
                scene.path(EffectKind::Write, &below(folder, operand), false, repository);
            }
            scene.runs("makes a repository from your template");
        }
        "commit" => scene.runs("may run the repository's hooks"),
        "push" | "pull" | "fetch" | "clone" | "ls-remote" => {
            scene.connect(given.operands.first().copied().unwrap_or("the repository's remote"));
            if matches!(subcommand, "pull" | "clone") {
                scene.path(EffectKind::Write, folder, false, work_tree);
            }
            if let ("clone", Some(target)) = (subcommand, given.operands.get(1)) {
                scene.path(EffectKind::Write, &below(folder, target), false, work_tree);
            }
            scene.unknown(format!("`git {subcommand}` talks to another machine, and may run hooks"));
        }
        "clean" if !given.has("--dry-run") => scene.path(EffectKind::Delete, folder, true, work_tree),
        "rm" => {
            let manner = Manner { recursive: given.has("-r"), ..PLAIN };
            for operand in &given.operands {
                scene.path(EffectKind::Delete, &below(folder, operand), true, manner);
            }
        }
        _ => {
            scene.path(EffectKind::Write, folder, false, work_tree);
            scene.runs("changes the work tree, and may run the repository's hooks");
        }
    }
}
