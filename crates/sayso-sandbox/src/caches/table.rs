//! The download caches that are known: where each tool keeps its own, and what of it is data.
//!
//! Only data is named here, so credentials beside it (`~/.cargo/credentials.toml`, `~/.m2/settings.xml`, `~/.gradle/gradle.properties`)
//! are not shown: what is not named stays hidden.

/// What a cache is looked for in when no variable says otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    Home,
    /// `XDG_CACHE_HOME`, or `~/.cache`.
    Cache,
}

/// How a session gets a part that it can also add to. A single command gets every part read-only, at its own place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// Read-only at its own place in a session, too: the tool only reads it.
    InPlace,
    /// Read-only at another place, which a variable tells the tool.
    Aside { variable: &'static str },
    /// Folders of the session's own, with a link to each file.
    Files,
    /// The same, and links to whatever lies so many folders down.
    Entries(usize),
    /// Copies, since the tool appends to these files or rewrites them.
    Copies,
    /// Links to the folders of Go modules, whose names have an `@`, and to the files beside them.
    Modules,
}

pub(super) struct Part {
    /// Below the cache; a `*` at the end stands for the version of a format.
    pub(super) path: &'static str,
    pub(super) share: Share,
}

pub(super) struct Row {
    pub(super) name: &'static str,
    /// Variables that say where it is, the first of them first, and what follows their value.
    pub(super) variables: &'static [(&'static str, &'static str)],
    pub(super) base: Base,
    pub(super) path: &'static str,
    pub(super) parts: &'static [Part],
}

const fn part(path: &'static str, share: Share) -> Part {
    Part { path, share }
}

/// pnpm has no row: it makes hard links to what it has stored, so links cannot stand there. Its folder is read-only, as tools are.
pub(super) const ROWS: [Row; 9] = [
    Row {
        name: "npm",
        variables: &[("npm_config_cache", ""), ("NPM_CONFIG_CACHE", "")],
        base: Base::Home,
        path: ".npm",
        parts: &[
            part("_cacache/index-v5", Share::Copies),
            part("_cacache/content-v2", Share::Files),
        ],
    },
    Row {
        name: "yarn",
        variables: &[("YARN_CACHE_FOLDER", "")],
        base: Base::Cache,
        path: "yarn",
        parts: &[part("v*", Share::Entries(1))],
    },
    Row {
        name: "pip",
        variables: &[("PIP_CACHE_DIR", "")],
        base: Base::Cache,
        path: "pip",
        parts: &[
            part("http", Share::Files),
            part("http-v2", Share::Files),
            part("wheels", Share::Files),
        ],
    },
    Row {
        name: "uv",
        variables: &[("UV_CACHE_DIR", "")],
        base: Base::Cache,
        path: "uv",
        parts: &[
            // It copies folders without following a link to one.
            part("archive-v*", Share::Files),
            part("wheels-v*", Share::Files),
            part("simple-v*", Share::Files),
            part("flat-index-v*", Share::Files),
        ],
    },
    Row {
        name: "cargo",
        variables: &[("CARGO_HOME", "")],
        base: Base::Home,
        path: ".cargo",
        parts: &[
            part("registry/index", Share::Files),
            part("registry/cache", Share::Entries(2)),
            part("registry/src", Share::Entries(2)),
            part("git/db", Share::InPlace),
            part("git/checkouts", Share::Entries(2)),
        ],
    },
    Row {
        name: "go-modules",
        variables: &[("GOMODCACHE", ""), ("GOPATH", "pkg/mod")],
        base: Base::Home,
        path: "go/pkg/mod",
        parts: &[part("", Share::Modules)],
    },
    // What was compiled is not downloaded: it is the session's own.
    Row {
        name: "go-build",
        variables: &[("GOCACHE", "")],
        base: Base::Cache,
        path: "go-build",
        parts: &[],
    },
    Row {
        name: "maven",
        variables: &[],
        base: Base::Home,
        path: ".m2",
        parts: &[
            part("repository", Share::Files),
            part("wrapper", Share::InPlace),
        ],
    },
    Row {
        name: "gradle",
        variables: &[("GRADLE_USER_HOME", "")],
        base: Base::Home,
        path: ".gradle",
        parts: &[
            part(
                "caches/modules-2",
                Share::Aside {
                    variable: "GRADLE_RO_DEP_CACHE",
                },
            ),
            part("wrapper", Share::InPlace),
        ],
    },
];

/// What tools keep for themselves beside the data: locks, and what was not finished.
pub(super) fn is_passing(name: &str) -> bool {
    name == "lock"
        || name.ends_with(".lock")
        || name.ends_with(".lck")
        || name.starts_with(".tmp")
        || name.ends_with(".lastUpdated")
}

/// Small files that Maven rewrites beside what it reads.
pub(super) fn is_rewritten(name: &str) -> bool {
    name == "_remote.repositories"
        || name == "resolver-status.properties"
        || name.starts_with("maven-metadata")
}
