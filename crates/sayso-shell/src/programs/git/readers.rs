//! The subcommands of git that only look: which options they may have, and what their operands are.
//!
//! Options that write a file, start a program or take names from the input (`--output`, `--ext-diff`, `--textconv`, `-O`,
//! `--show-signature`, `log --stdin`) are left out, and so are unknown.

/// What the operands of a form are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::programs) enum Operands {
    /// There are none.
    None,
    /// Names of branches, revisions, patterns for them, and other words that lead to no file.
    Names,
    /// Revisions and paths; what is shown of them are names.
    Paths,
    /// Revisions and paths; the content may be shown.
    Content,
    /// A text to look for, then revisions and paths.
    Pattern,
    /// Plain files, which need not be in the repository.
    Files,
}

/// The words of a form (`log`, `stash show`), its options and its operands.
pub(in crate::programs) type Reader = (&'static str, &'static str, Operands);

macro_rules! diff_options {
    ($($own:literal)?) => {
        concat!(
            $($own, " ",)?
            "-p,-u,--patch -s,--no-patch -U,--unified~ --raw --patch-with-raw --patch-with-stat --indent-heuristic --no-indent-heuristic ",
            "--minimal --patience --histogram --diff-algorithm=+ --anchored=+ --stat? --stat-width=+ --stat-name-width=+ --stat-count=+ ",
            "--stat-graph-width=+ --compact-summary --no-compact-summary --numstat --shortstat -X,--dirstat~ --cumulative --dirstat-by-file? ",
            "--summary --name-only --name-status --color? --no-color --color-moved? --no-color-moved --color-moved-ws=+ --no-color-moved-ws ",
            "--word-diff? --word-diff-regex=+ --color-words? --no-renames --rename-empty --no-rename-empty --check --full-index --binary ",
            "--ws-error-highlight=+ --abbrev? --no-abbrev -M,--find-renames~ -C,--find-copies~ --find-copies-harder -B,--break-rewrites~ ",
            "-D,--irreversible-delete -l=+ --diff-filter= -S= -G= -I,--ignore-matching-lines=+ --find-object=+ --pickaxe-all --pickaxe-regex ",
            "-R --relative? --no-relative -a,--text --ignore-cr-at-eol --ignore-space-at-eol -b,--ignore-space-change ",
            "-w,--ignore-all-space --ignore-blank-lines --inter-hunk-context=+ -W,--function-context --no-function-context --exit-code ",
            "--quiet --no-ext-diff --no-textconv --ignore-submodules? --submodule=+ --src-prefix=+ --dst-prefix=+ --no-prefix ",
            "--default-prefix --line-prefix=+ --output-indicator-new=+ --output-indicator-old=+ --output-indicator-context=+ -z,--null ",
            "--ita-invisible-in-index --ita-visible-in-index --rotate-to=+ --skip-to=+ --combined-all-paths "
        )
    };
}

macro_rules! log_options {
    ($($own:literal)?) => {
        concat!(
            $($own, " ",)?
            "-#,-n,--max-count= --skip= --since,--after= --until,--before= --since-as-filter=+ --max-age=+ --min-age=+ --author= --committer= ",
            "--grep= --grep-reflog=+ -i,--regexp-ignore-case --invert-grep --all-match -E,--extended-regexp -F,--fixed-strings ",
            "-P,--perl-regexp --basic-regexp --merges --no-merges --min-parents=+ --max-parents=+ --no-min-parents --no-max-parents ",
            "--first-parent --exclude-first-parent-only --not --all --branches? --tags? --remotes? --glob=+ --exclude=+ --exclude-hidden=+ ",
            "--bisect --ignore-missing --oneline --graph --no-graph --show-linear-break? --decorate? --no-decorate --decorate-refs=+ ",
            "--decorate-refs-exclude=+ --clear-decorations --pretty? --format=+ --abbrev-commit --no-abbrev-commit --date= --relative-date ",
            "--reverse --topo-order --date-order --author-date-order --follow --no-follow --left-right --left-only --right-only ",
            "--cherry-pick --cherry-mark --cherry --boundary --source --reflog -g,--walk-reflogs --merge --log-size --no-show-signature ",
            "-m -c --cc --dd --no-diff-merges --diff-merges={off,none,on,m,first-parent,1,separate,combined,c,dense-combined,cc} -r -t --root ",
            "--no-walk? --do-walk --full-history --dense --sparse --simplify-merges --simplify-by-decoration --show-pulls --ancestry-path? ",
            "--remove-empty --parents --children --notes? --no-notes --show-notes? --standard-notes --no-standard-notes --expand-tabs? ",
            "--no-expand-tabs --encoding=+ --mailmap --no-mailmap --use-mailmap --no-use-mailmap --always "
        )
    };
}

const BLAME: &str = "-b --root --show-stats -L= -l -t -p,--porcelain --line-porcelain --incremental -c --score-debug -f,--show-name -n,--show-number -s -e,--show-email -w -M~ -C~ --abbrev? --color-lines --color-by-age --date= --since=+ --first-parent --reverse --minimal --progress --no-progress --encoding=+ -S=< --ignore-revs-file=< --ignore-rev=+";

const LOG: &str = concat!("-L= ", log_options!(), diff_options!());
const REFLOG: &str = concat!(log_options!(), diff_options!());
const NOTES: &str = "--ref=+";
const SUBMODULE: &str = "-q,--quiet --cached --recursive";
const CONFIG: &str = "--get --get-all --get-regexp -l,--list --local --global --system --worktree -f,--file=< --show-origin --show-scope --show-names --type= --bool --int --bool-or-int --bool-or-str --path --no-type -z,--null --name-only --includes --no-includes --default= --all --regexp --value=+ --unset --unset-all --add --replace-all --append";

/// Forms that have a way to only look; [`super::lists`] tells it from the others.
pub(in crate::programs) const READERS: &[Reader] = &[
    (
        "status",
        "-s,--short -b,--branch --no-branch --show-stash --no-show-stash --porcelain? --long -v,--verbose -u,--untracked-files~ --ignore-submodules? --ignored? -z,--null --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames -M,--find-renames~",
        Operands::Paths,
    ),
    ("log", LOG, Operands::Content),
    ("show", LOG, Operands::Content),
    ("whatchanged", LOG, Operands::Content),
    (
        "diff",
        diff_options!(
            "--no-index --cached,--staged --merge-base -0 -1,--base -2,--ours -3,--theirs"
        ),
        Operands::Content,
    ),
    (
        "shortlog",
        concat!(
            "-n,--numbered -s,--summary -e,--email -c,--committer -w~ --group=+ --all --branches? --tags? --remotes? --since,--after= --until,--before= ",
            "--author= --grep= -i,--regexp-ignore-case --merges --no-merges --first-parent --format=+ --max-count=+ -E,--extended-regexp --date=+"
        ),
        Operands::Paths,
    ),
    (
        "rev-list",
        concat!(
            log_options!(),
            "--count --objects --objects-edge --no-object-names --object-names --quiet --header --timestamp --abbrev? --no-abbrev --unpacked --bisect-vars ",
            "--bisect-all --disk-usage? --use-bitmap-index --no-commit-header --commit-header --filter=+ --progress=+ --in-commit-order"
        ),
        Operands::Paths,
    ),
    ("reflog", REFLOG, Operands::Content),
    ("reflog show", REFLOG, Operands::Content),
    ("reflog list", "", Operands::None),
    ("reflog exists", "", Operands::Names),
    (
        "branch",
        "-a,--all -r,--remotes -v,--verbose --list -l --show-current --contains=? --no-contains=? --merged=? --no-merged=? --points-at=? --sort= --format= --color? --no-color --column? --no-column --abbrev? --no-abbrev -i,--ignore-case --omit-empty -q,--quiet -d,--delete -D -m,--move -M -c,--copy -C -f,--force -u,--set-upstream-to= --unset-upstream -t,--track? --no-track --edit-description --create-reflog",
        Operands::Names,
    ),
    (
        "tag",
        "-l,--list -n~ --contains=? --no-contains=? --merged=? --no-merged=? --points-at=? --sort= --format= --column? --no-column -i,--ignore-case --omit-empty --color? --no-color -d,--delete -f,--force -a,--annotate -m,--message= -F,--file=< -s,--sign --no-sign -e,--edit --cleanup= --create-reflog",
        Operands::Names,
    ),
    ("remote", "-v,--verbose", Operands::None),
    ("remote show", "-n", Operands::Names),
    ("remote get-url", "--push --all", Operands::Names),
    ("stash list", REFLOG, Operands::Content),
    (
        "stash show",
        diff_options!("-u,--include-untracked --no-include-untracked"),
        Operands::Names,
    ),
    ("config", CONFIG, Operands::Names),
    ("config get", CONFIG, Operands::Names),
    ("config list", CONFIG, Operands::None),
    ("notes", "", Operands::None),
    ("notes list", NOTES, Operands::Names),
    ("notes show", NOTES, Operands::Names),
    ("notes get-ref", "", Operands::None),
    (
        "worktree list",
        "--porcelain -v,--verbose -z,--null",
        Operands::None,
    ),
    ("submodule", SUBMODULE, Operands::None),
    ("submodule status", SUBMODULE, Operands::Paths),
    ("bisect log", "", Operands::None),
    (
        "bisect terms",
        "--term-good,--term-old --term-bad,--term-new",
        Operands::None,
    ),
    ("sparse-checkout list", "", Operands::None),
    ("bundle verify", "-q,--quiet", Operands::Files),
    ("bundle list-heads", "", Operands::Files),
    (
        "replace",
        "-l,--list --format= -d,--delete -f,--force -e,--edit -g,--graft --raw",
        Operands::Names,
    ),
    (
        "rev-parse",
        "--abbrev-ref? --short? --verify -q,--quiet --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --git-path= --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-object-format? --show-ref-format --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --glob=+ --exclude=+ --exclude-hidden=+ --disambiguate=+ --show-superproject-working-tree --path-format={absolute,relative} --default= --revs-only --no-revs --flags --no-flags --not --sq --since,--after=+ --until,--before=+ --end-of-options --local-env-vars --shared-index-path",
        Operands::Paths,
    ),
    (
        "ls-files",
        "-c,--cached -d,--deleted -m,--modified -o,--others -i,--ignored -s,--stage -u,--unmerged -k,--killed -t -v -f -z,--null --directory --no-empty-directory --exclude-standard --full-name --error-unmatch --abbrev? --eol -x,--exclude= -X,--exclude-from=< --exclude-per-directory=+ --recurse-submodules --with-tree=+ --resolve-undo --deduplicate --sparse --debug --format=",
        Operands::Paths,
    ),
    (
        "ls-tree",
        "-d -r -t -l,--long -z,--null --name-only --name-status --full-name --no-full-name --full-tree --abbrev? --object-only --format=",
        Operands::Paths,
    ),
    ("blame", BLAME, Operands::Content),
    ("annotate", BLAME, Operands::Content),
    (
        "describe",
        "--all --tags --contains --abbrev? --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent --dirty? --broken?",
        Operands::Names,
    ),
    (
        "cat-file",
        "-t -s -e -p --batch-check? --batch-all-objects --buffer --unordered -z -Z --allow-unknown-type --use-mailmap --mailmap",
        Operands::Content,
    ),
    (
        "merge-base",
        "-a,--all --octopus --independent --is-ancestor --fork-point",
        Operands::Names,
    ),
    (
        "for-each-ref",
        "--count= --sort= --format= --points-at= --merged=? --no-merged=? --contains=? --no-contains=? --color? --ignore-case --omit-empty --exclude=+ --include-root-refs --stdin -s,--shell -p,--perl --python --tcl",
        Operands::Names,
    ),
    (
        "show-ref",
        "--head --tags --heads,--branches -d,--dereference -s,--hash~ --abbrev? --verify --exists -q,--quiet --exclude-existing?",
        Operands::Names,
    ),
    (
        "show-branch",
        "-a,--all -r,--remotes --color? --no-color --more? --list --no-name --name --current --sha1-name --merge-base --independent --topo-order --date-order --topics --sparse",
        Operands::Names,
    ),
    (
        "name-rev",
        "--name-only --tags --no-tags --refs=+ --exclude=+ --all --stdin --annotate-stdin --undefined --no-undefined --always",
        Operands::Names,
    ),
    ("cherry", "-v,--verbose --abbrev?", Operands::Names),
    (
        "grep",
        "-i,--ignore-case -w,--word-regexp -v,--invert-match -h -H --full-name -E,--extended-regexp -G,--basic-regexp -P,--perl-regexp -F,--fixed-strings -n,--line-number --column -l,--files-with-matches --name-only -L,--files-without-match -o,--only-matching -c,--count --color? --no-color --break --no-break --heading --no-heading -p,--show-function -A,--after-context= -B,--before-context= -#,-C,--context= -W,--function-context -e=- -f=< --and --or --not --all-match -q,--quiet --cached --untracked --exclude-standard --max-depth= -I -a,--text -z,--null -m,--max-count= -r,--recursive --no-recursive --recurse-submodules --no-recurse-submodules --threads=+ --no-textconv",
        Operands::Pattern,
    ),
    (
        "diff-tree",
        concat!(
            "--no-commit-id --merge-base ",
            log_options!(),
            diff_options!()
        ),
        Operands::Content,
    ),
    (
        "diff-index",
        diff_options!("--cached -m --merge-base -c --cc -r"),
        Operands::Content,
    ),
    (
        "diff-files",
        diff_options!("-q -0 -1,--base -2,--ours -3,--theirs -c --cc -r"),
        Operands::Content,
    ),
    (
        "range-diff",
        diff_options!(
            "--creation-factor=+ --no-dual-color --dual-color --left-only --right-only --notes? --no-notes"
        ),
        Operands::Content,
    ),
    (
        "format-patch",
        diff_options!(
            "--stdout -# -k,--keep-subject --numbered -N,--no-numbered --signoff --subject-prefix=+ --rfc? -v,--reroll-count=+ --zero-commit --no-signature --base=+ --from? --no-stat --root --no-attach --thread? --no-thread --cover-letter --no-cover-letter -o,--output-directory=>"
        ),
        Operands::Content,
    ),
    (
        "check-ignore",
        "-q,--quiet -v,--verbose --stdin -z -n,--non-matching --no-index",
        Operands::Names,
    ),
    (
        "check-attr",
        "-a,--all --cached --stdin -z --source=+",
        Operands::Names,
    ),
    ("check-mailmap", "--stdin", Operands::Names),
    (
        "check-ref-format",
        "--normalize --print --allow-onelevel --no-allow-onelevel --refspec-pattern --branch",
        Operands::Names,
    ),
    (
        "count-objects",
        "-v,--verbose -H,--human-readable",
        Operands::None,
    ),
    (
        "symbolic-ref",
        "-q,--quiet --short --no-recurse --recurse -d,--delete -m=",
        Operands::Names,
    ),
    ("var", "", Operands::Names),
    ("version", "--build-options", Operands::None),
    (
        "help",
        "-a,--all -g,--guides -c,--config --verbose --no-verbose",
        Operands::Names,
    ),
    (
        "fsck",
        "-v,--verbose --unreachable --dangling --no-dangling --tags --root --cache --no-reflogs --full --no-full --connectivity-only --strict --progress --no-progress --name-objects",
        Operands::Names,
    ),
    (
        "commit-graph verify",
        "--shallow --progress --no-progress",
        Operands::None,
    ),
    (
        "multi-pack-index verify",
        "--progress --no-progress",
        Operands::None,
    ),
    (
        "verify-pack",
        "-v,--verbose -s,--stat-only",
        Operands::Files,
    ),
    ("show-index", "", Operands::None),
    ("get-tar-commit-id", "", Operands::None),
    (
        "archive",
        "-# -l,--list --format=+ --prefix=+ -v,--verbose --mtime=+ -o,--output=> --worktree-attributes",
        Operands::Content,
    ),
    (
        "apply",
        "--check --stat --numstat --summary -R,--reverse -p=+ -C=+ --cached --index --directory=+ --exclude=+ --include=+ --recount --unidiff-zero --inaccurate-eof --whitespace=+ --ignore-whitespace --ignore-space-change --allow-overlap --allow-empty --no-add -v,--verbose -q,--quiet -z -3,--3way --reject -N,--intent-to-add --apply",
        Operands::Files,
    ),
    (
        "hash-object",
        "-t= -w --stdin --no-filters --path=+ --literally",
        Operands::Files,
    ),
    (
        "interpret-trailers",
        "--trim-empty --where= --if-exists= --if-missing= --only-trailers --only-input --unfold --parse --no-divider --trailer= --in-place",
        Operands::Files,
    ),
    ("patch-id", "--stable --unstable --verbatim", Operands::None),
    (
        "stripspace",
        "-s,--strip-comments -c,--comment-lines",
        Operands::None,
    ),
    (
        "column",
        "--mode=+ --raw-mode=+ --width=+ --indent=+ --nl=+ --padding=+",
        Operands::None,
    ),
];
