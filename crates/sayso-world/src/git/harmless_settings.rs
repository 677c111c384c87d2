//! Which settings of a repository are known to make git neither start a program nor reach out, for commands that only read.
//!
//! What a repository may set is told by what is known to be inert and not by what is known to be a danger: git gets new settings with
//! each version, and programs that git starts for the person (`git-lfs`) read settings of their own.

use crate::git::helpers::value_of;
use crate::git::syntax::Setting;

/// Settings of a section without a subsection (`core.bare`); `*` is each name.
///
/// To add one: be sure that no value of it leads to a program, a host or a format that shows signatures (for those git starts gpg).
const PLAIN: &[(&str, &[&str])] = &[
    // How the repository was made, and how files are compared and stored.
    (
        "core",
        &[
            "repositoryformatversion",
            "bare",
            "filemode",
            "symlinks",
            "ignorecase",
            "precomposeunicode",
            "protecthfs",
            "protectntfs",
            "hidedotfiles",
            "logallrefupdates",
            "autocrlf",
            "eol",
            "safecrlf",
            "quotepath",
            "abbrev",
            "whitespace",
            "commentchar",
            "commentstring",
            "compression",
            "loosecompression",
            "bigfilethreshold",
            "packedgitlimit",
            "packedgitwindowsize",
            "deltabasecachelimit",
            "preloadindex",
            "untrackedcache",
            "fscache",
            "longpaths",
            "checkstat",
            "trustctime",
            "ignorestat",
            "splitindex",
            "sparsecheckout",
            "sparsecheckoutcone",
            "sharedrepository",
            "multipackindex",
            "commitgraph",
            "fsync",
            "fsyncmethod",
            "fsyncobjectfiles",
            "notesref",
            "warnambiguousrefs",
            // Both name files of patterns; drivers that attributes name count where they are set. Where files lie is looked at elsewhere.
            "excludesfile",
            "attributesfile",
        ],
    ),
    (
        "extensions",
        &[
            "objectformat",
            "compatobjectformat",
            "worktreeconfig",
            "preciousobjects",
            "relativeworktrees",
            "noop",
        ],
    ),
    // What they name is read as configuration, and each setting there is looked at.
    ("include", &["path"]),
    // Who commits, and how: nothing of it counts before a commit is made.
    ("user", &["name", "email", "signingkey", "useconfigonly"]),
    ("author", &["name", "email"]),
    ("committer", &["name", "email"]),
    (
        "commit",
        &["gpgsign", "status", "verbose", "cleanup", "template"],
    ),
    ("tag", &["gpgsign", "forcesignannotated"]),
    ("gpg", &["format", "mintrustlevel"]),
    // Only commands that change something or connect look at these.
    ("pull", &["*"]),
    ("push", &["*"]),
    ("fetch", &["*"]),
    ("rebase", &["*"]),
    ("http", &["*"]),
    ("credential", &["*"]),
    ("gc", &["*"]),
    ("maintenance", &["*"]),
    ("pack", &["*"]),
    ("repack", &["*"]),
    ("receive", &["*"]),
    ("transfer", &["*"]),
    ("rerere", &["enabled", "autoupdate"]),
    ("checkout", &["*"]),
    ("clone", &["*"]),
    ("init", &["defaultbranch"]),
    ("worktree", &["*"]),
    ("am", &["*"]),
    ("apply", &["*"]),
    ("sendemail", &["*"]),
    ("remote", &["pushdefault"]),
    ("protocol", &["version"]),
    (
        "merge",
        &[
            "ff",
            "conflictstyle",
            "log",
            "stat",
            "renames",
            "renamelimit",
            "directoryrenames",
            "renormalize",
            "autostash",
            "verbosity",
            "branchdesc",
            "defaulttoupstream",
            "tool",
            "guitool",
        ],
    ),
    // How things are shown.
    ("color", &["*"]),
    ("column", &["*"]),
    ("advice", &["*"]),
    ("grep", &["*"]),
    ("blame", &["*"]),
    ("stash", &["showpatch", "showstat"]),
    ("mailmap", &["file", "blob"]),
    ("notes", &["*"]),
    ("versionsort", &["*"]),
    ("showbranch", &["*"]),
    (
        "status",
        &[
            "aheadbehind",
            "branch",
            "displaycommentprefix",
            "relativepaths",
            "renamelimit",
            "renames",
            "short",
            "showstash",
            "showuntrackedfiles",
        ],
    ),
    (
        "diff",
        &[
            "algorithm",
            "renames",
            "renamelimit",
            "noprefix",
            "mnemonicprefix",
            "srcprefix",
            "dstprefix",
            "ignoresubmodules",
            "colormoved",
            "colormovedws",
            "context",
            "interhunkcontext",
            "wordregex",
            "wserrorhighlight",
            "indentheuristic",
            "suppressblankempty",
            "relative",
            "dirstat",
            "statnamewidth",
            "statgraphwidth",
            "orderfile",
            "autorefreshindex",
            "trustexitcode",
            "tool",
            "guitool",
        ],
    ),
    (
        "log",
        &[
            "date",
            "decorate",
            "abbrevcommit",
            "follow",
            "graphcolors",
            "initialdecorationset",
            "excludedecoration",
            "showroot",
            "diffmerges",
            "mailmap",
        ],
    ),
    (
        "submodule",
        &[
            "recurse",
            "active",
            "fetchjobs",
            "propagatebranches",
            "alternatelocation",
            "alternateerrorstrategy",
        ],
    ),
    ("index", &["*"]),
    ("feature", &["manyfiles", "experimental"]),
    ("lfs", &["repositoryformatversion", "locksverify"]),
    // Not git's own: tools keep them in the repository, and no command of git that only reads looks at them.
    ("gui", &["*"]),
    ("gitflow", &["*"]),
    ("svn", &["*"]),
];

/// Settings with a subsection (`branch.main.merge`).
const WITH_SUBSECTION: &[(&str, &[&str])] = &[
    ("includeif", &["path"]),
    // The remote of a branch is a name or an address: see `by_value`. Editors and forges keep notes of their own here.
    ("branch", &["*"]),
    (
        "remote",
        &[
            "fetch",
            "push",
            "tagopt",
            "prune",
            "prunetags",
            "mirror",
            "skipdefaultupdate",
            "skipfetchall",
            "followremotehead",
        ],
    ),
    ("remote", &["gh-resolved"]),
    (
        "submodule",
        &["active", "branch", "ignore", "fetchrecursesubmodules"],
    ),
    ("color", &["*"]),
    ("http", &["*"]),
    ("credential", &["*"]),
    ("sendemail", &["*"]),
    ("gc", &["*"]),
    (
        "diff",
        &["binary", "xfuncname", "funcname", "wordregex", "algorithm"],
    ),
    ("merge", &["name", "recursive"]),
    ("lfs", &["access", "locksverify"]),
    ("gitflow", &["*"]),
    ("svn-remote", &["*"]),
];

/// Whether a setting is known to change nothing that matters to a command that only reads. Programs are told apart before.
pub(crate) fn is_inert(setting: &Setting) -> bool {
    let value = value_of(setting);
    // An empty value takes back what was set before.
    if value.is_empty() {
        return true;
    }
    if let Some(inert) = by_value(setting, value) {
        return inert;
    }
    let table = if setting.subsection.is_some() {
        WITH_SUBSECTION
    } else {
        PLAIN
    };
    table.iter().any(|(section, names)| {
        *section == setting.section && (*names == ["*"] || names.contains(&setting.name.as_str()))
    })
}

/// Settings that are inert with some values only.
fn by_value(setting: &Setting, value: &str) -> Option<bool> {
    let subsection = setting.subsection.as_deref();
    Some(
        match (setting.section.as_str(), subsection, setting.name.as_str()) {
        // Truth values switch what git has built in.
        ("core", None, "fsmonitor") | ("pager", None, _) => setting.truth().is_some(),
        // These show signatures, or what submodules of the past hold, with the settings that lie there.
        ("log", None, "showsignature") | ("status", None, "submodulesummary") | ("remote", Some(_), "promisor")
        // Files that git does not track may be anything.
        | ("stash", None, "showincludeuntracked") => {
            setting.truth() == Some(false)
        }
        ("diff", None, "submodule") => matches!(value, "short" | "log"),
        // `%G?`, `%+G?`, `%(signature)`; a name leads to a format of `pretty.*`, which is looked at itself.
        ("format", None, "pretty") | ("pretty", None, _) => !(value.contains('%') && value.contains('G') || value.contains("signature")),
        ("format", None, _) => true,
        ("branch" | "tag", None, "sort") => !value.contains("signature"),
        ("branch", None, "autosetupmerge" | "autosetuprebase") => true,
        ("extensions", None, "refstorage") => matches!(value, "files" | "reftable"),
        // `name::` in an address is the program `git-remote-name`.
        ("remote", Some(_), "url" | "pushurl") | ("submodule", Some(_), "url") | ("branch", Some(_), "remote" | "pushremote") => {
            !value.contains("::")
        }
        ("url", Some(base), "insteadof" | "pushinsteadof") => !base.contains("::"),
        ("submodule", Some(_), "update") => matches!(value, "checkout" | "rebase" | "merge" | "none"),
        ("protocol", _, "allow") => value == "never",
        _ => return None,
    },
    )
}
