//! Names of secrets that sources have as well: a folder `secrets` holds passwords in one project and a module in the next.

use super::components;
use super::fold::{fold, fold_whole};
use super::glob::wild;
use super::layout::Group;

pub(super) const BROAD: &[Group] = &[Group {
    why: "name of a key or of a folder of secrets",
    patterns: &[
        "secrets/*",
        "passwords/*",
        "private_keys/*",
        "private-keys/*",
        "api_keys/*",
        "api-keys/*",
        "ssh_keys/*",
        "ssh-keys/*",
        "keystores/*",
        "kubeconfig*$",
        "*-kubeconfig$",
        "*_kubeconfig$",
        "*kubeconfig.yml$",
        "*kubeconfig.yaml$",
        "vault-pass*$",
        "*_rsa$",
        "*_dsa$",
        "*_ecdsa$",
        "*_ed25519$",
        "deploy_key*$",
        "deploy-key*$",
        "deploykey$",
    ],
}];

/// Endings of sources and of texts about them. Shell scripts are not here: many are a list of exported passwords.
const SOURCES: [&str; 59] = [
    "adoc", "astro", "bazel", "bzl", "c", "cc", "cjs", "clj", "cpp", "cs", "css", "csproj", "cts",
    "cxx", "d", "dart", "elm", "erl", "ex", "exs", "fs", "gleam", "go", "gradle", "graphql",
    "groovy", "h", "hpp", "hs", "html", "java", "jl", "js", "jsx", "kt", "kts", "lua", "m", "md",
    "mdx", "mjs", "ml", "mm", "mts", "nim", "nix", "php", "proto", "py", "pyi", "rb", "rs",
    "scala", "svelte", "swift", "tf", "ts", "tsx", "vue",
];

/// What every folder of a project may hold, whatever the folder is called.
const ORDINARY: [&str; 16] = [
    ".gitignore",
    ".gitkeep",
    ".keep",
    "build",
    "cargo.toml",
    "dockerfile",
    "go.mod",
    "license",
    "makefile",
    "package.json",
    "pom.xml",
    "readme*",
    "tsconfig*.json",
    "*.example",
    "*.sample",
    "*.template",
];

/// Whether a path with a broad name bears it as a source does.
pub(super) fn is_source(canonical: &str) -> bool {
    components(canonical)
        .last()
        .is_some_and(|name| is_source_name(&fold(name)) && is_source_name(&fold_whole(name)))
}

/// Whether a folded name is that of a source, or of a file that every project has.
pub(super) fn is_source_name(folded: &str) -> bool {
    let ending = folded.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| SOURCES.contains(&ending))
        || ORDINARY.iter().any(|pattern| wild(pattern, folded))
}

#[cfg(test)]
mod tests {
    use super::super::secret;

    #[test]
    fn a_10_sources_bear_such_names_without_being_secret() {
        for path in "
            /ws/secrets/prod.yaml /ws/deploy/secrets/db /ws/secrets/a/b.txt /ws/Secrets/x.json /ws/kubeconfig /ws/kubeconfig-prod
            /ws/kubeconfig.yaml /ws/prod-kubeconfig /ws/deploy_rsa /ws/ci_ed25519 /ws/deploy_key /ws/secrets/export.sh
            /ws/secrets/x.rs:y /ws/vault-password.txt"
            .split_whitespace()
        {
            assert!(secret(path, None).is_some(), "{path}");
        }
        for path in "
            /ws/src/secrets/mod.rs /ws/secrets /ws/secrets/README.md /ws/pkg/kubeconfig/loader.go /ws/kubeconfig_test.go
            /ws/packages/secrets/package.json /ws/secrets/.gitignore /ws/secrets/db.yaml.example /ws/src/crypto_rsa/a.c
            /ws/src/deploy_key.rs /ws/src/secrets.rs /ws/modules/secrets/main.tf"
            .split_whitespace()
        {
            assert_eq!(secret(path, None), None, "{path}");
        }
    }
}
