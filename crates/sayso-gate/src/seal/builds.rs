//! Files that programs run or obey without being told their names: a change of one of them is a change of what the command does.

use std::collections::BTreeSet;

use sayso_core::analysis::draft::Reading;
use sayso_core::call::operation::Operation;
use sayso_core::paths::join;

use crate::binding::{Binding, Sealed};

/// Programs, and the files that they look for in their folder.
const BUILDS: &[(&[&str], &[&str])] = &[
    (
        &["make", "gmake", "bmake"],
        &["Makefile", "makefile", "GNUmakefile", "BSDmakefile"],
    ),
    (
        &["npm", "npx", "pnpm", "yarn", "bun", "corepack"],
        &[
            "package.json",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            "bunfig.toml",
        ],
    ),
    (
        &["node", "deno"],
        &["package.json", "index.js", "deno.json"],
    ),
    (
        &["cargo"],
        &[
            "Cargo.toml",
            "build.rs",
            ".cargo/config.toml",
            ".cargo/config",
            "rust-toolchain.toml",
        ],
    ),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["rake", "bundle"], &["Rakefile", "rakefile", "Gemfile"]),
    (
        &["pytest", "py.test", "tox", "nox"],
        &[
            "conftest.py",
            "pyproject.toml",
            "pytest.ini",
            "setup.cfg",
            "tox.ini",
            "noxfile.py",
        ],
    ),
    (
        &["pip", "pip3", "uv", "poetry", "hatch", "pdm"],
        &["pyproject.toml", "setup.py", "setup.cfg"],
    ),
    (&["composer"], &["composer.json"]),
    (
        &["gradle", "gradlew"],
        &[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
        ],
    ),
    (&["mvn", "mvnw"], &["pom.xml"]),
    (&["ant"], &["build.xml"]),
    (&["cmake", "ctest"], &["CMakeLists.txt"]),
    (&["meson", "ninja"], &["meson.build", "build.ninja"]),
    (
        &["docker", "podman"],
        &[
            "Dockerfile",
            "Containerfile",
            "docker-compose.yml",
            "docker-compose.yaml",
            "compose.yml",
            "compose.yaml",
        ],
    ),
    (
        &["docker-compose", "podman-compose"],
        &[
            "docker-compose.yml",
            "docker-compose.yaml",
            "compose.yml",
            "compose.yaml",
        ],
    ),
    (&["mix"], &["mix.exs"]),
    (&["pre-commit"], &[".pre-commit-config.yaml"]),
];

/// What git runs or obeys, in the folder of its repository.
const GIT: &[&str] = &[
    ".git",
    ".git/config",
    ".git/hooks",
    ".git/hooks/applypatch-msg",
    ".git/hooks/commit-msg",
    ".git/hooks/post-applypatch",
    ".git/hooks/post-checkout",
    ".git/hooks/post-commit",
    ".git/hooks/post-merge",
    ".git/hooks/post-rewrite",
    ".git/hooks/pre-applypatch",
    ".git/hooks/pre-auto-gc",
    ".git/hooks/pre-commit",
    ".git/hooks/pre-merge-commit",
    ".git/hooks/pre-push",
    ".git/hooks/pre-rebase",
    ".git/hooks/prepare-commit-msg",
    ".git/hooks/reference-transaction",
];

/// Adds the files that the programs of a command look for, in the folders that they may run in and at the top of the workspace.
pub(crate) fn add(
    operation: &Operation,
    reading: &Reading,
    folders: &BTreeSet<String>,
    out: &mut Binding,
) {
    let seen = reading.opaque.iter().flat_map(|opaque| &opaque.seen);
    let words = reading
        .commands
        .iter()
        .map(|command| &command.words)
        .chain(seen);
    // Each program once: a long line names few of them.
    let programs: BTreeSet<&str> = words
        .filter_map(|words| words.first())
        .map(|word| base(word))
        .collect();
    let workspace = operation.workspace().to_owned();
    let roots = reading
        .git
        .iter()
        .flatten()
        .filter_map(|fact| fact.root.as_ref());
    for folder in folders.iter().chain([&workspace]).chain(roots) {
        if programs.contains("git") {
            GIT.iter()
                .for_each(|name| out.add(Sealed::Identity(join(folder, name))));
        }
        for (_, names) in BUILDS
            .iter()
            .filter(|(builders, _)| builders.iter().any(|builder| programs.contains(builder)))
        {
            names
                .iter()
                .for_each(|name| out.add(Sealed::Content(join(folder, name))));
        }
    }
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
