//! Hidden names of the home folder: what programs keep there of a person is private until the opposite is known.

use super::secret::is_public;
use super::{below_folded, components, fold};

/// Hidden names of a home folder, and the folders in them, that hold nothing of a person. An empty list means all of it.
const HARMLESS: &[(&str, &[&str])] = &[
    (".asdf", &["installs", "plugins", "shims"]),
    (".bun", &["bin", "install"]),
    (
        ".cache",
        &[
            "bazel",
            "bun",
            "ccache",
            "deno",
            "electron",
            "fontconfig",
            "go-build",
            "golangci-lint",
            "ms-playwright",
            "node",
            "pip",
            "pnpm",
            "pre-commit",
            "puppeteer",
            "pypoetry",
            "sccache",
            "torch",
            "typescript",
            "uv",
            "yarn",
            "zig",
        ],
    ),
    (".cabal", &["packages", "store"]),
    (".cargo", &["bin", "git", "registry"]),
    (".conda", &["pkgs"]),
    (".ds_store", &[]),
    (".editorconfig", &[]),
    (".elan", &[]),
    (".fonts", &[]),
    (".ghcup", &[]),
    // A home folder can be a repository; what is secret in one is told by its name.
    (".git", &[]),
    (".gitattributes", &[]),
    (".github", &[]),
    (".gitignore", &[]),
    (".gitignore_global", &[]),
    (".gradle", &["caches", "wrapper"]),
    (".hushlogin", &[]),
    (".icons", &[]),
    (".julia", &["artifacts", "packages", "registries"]),
    (".local", &["bin", "include", "lib"]),
    (".localized", &[]),
    (".m2", &["repository", "wrapper"]),
    (".npm", &["_cacache"]),
    (".nuget", &["packages"]),
    (".nvm", &["versions"]),
    (".opam", &[]),
    (".pub-cache", &["hosted"]),
    (
        ".pyenv",
        &["bin", "libexec", "plugins", "shims", "versions"],
    ),
    (
        ".rbenv",
        &["bin", "libexec", "plugins", "shims", "versions"],
    ),
    (".rustup", &[]),
    (".sdkman", &["candidates"]),
    (".terminfo", &[]),
    (".themes", &[]),
    (".volta", &["bin", "tools"]),
];

/// Folders of `~/.local/share` that hold nothing of a person.
const HARMLESS_SHARE: [&str; 8] = [
    "applications",
    "bash-completion",
    "fonts",
    "icons",
    "man",
    "mime",
    "pnpm",
    "uv",
];

/// The places of a home folder below hidden names that hold tools and nothing of a person, relative to it.
pub fn tools_in_home() -> impl Iterator<Item = String> {
    let plain = HARMLESS
        .iter()
        .filter(|(name, _)| *name != ".git" && *name != ".cache");
    let below = plain.flat_map(|(name, below)| match below {
        [] => vec![(*name).to_owned()],
        below => below
            .iter()
            .map(|inner| format!("{name}/{inner}"))
            .collect(),
    });
    below.chain(
        HARMLESS_SHARE
            .iter()
            .map(|name| format!(".local/share/{name}")),
    )
}

/// Whether a path lies in the home folder below a hidden name, and nothing says that this one is harmless.
///
/// A workspace may itself lie below a hidden name (`~/.local/src/x`, `~/.dotfiles`), and its files are not private for that. So this is to be
/// asked only of a path outside of the workspace, or where the workspace is the home folder or above it.
pub fn hidden_in_home(canonical: &str, home: &str) -> bool {
    if !below_folded(canonical, home) {
        return false;
    }
    let mut names = components(canonical)
        .skip(components(home).count())
        .map(fold);
    let Some(first) = names
        .next()
        .filter(|name| name.starts_with('.') || name.contains('~'))
    else {
        return false;
    };
    let second = names.next();
    let third = names.next();
    let harmless = HARMLESS.iter().any(|(name, below)| {
        *name == first
            && (below.is_empty()
                || second
                    .as_deref()
                    .is_some_and(|second| below.contains(&second)))
    });
    let in_share = first == ".local" && second.as_deref() == Some("share");
    let harmless = harmless
        || in_share
            && third
                .as_deref()
                .is_some_and(|third| HARMLESS_SHARE.contains(&third));
    !harmless && !components(canonical).last().is_some_and(is_public)
}

#[cfg(test)]
mod tests {
    use super::{hidden_in_home, tools_in_home};

    #[test]
    fn a_10_hidden_names_of_a_home_are_private() {
        for path in "
            /home/u/.unknown /home/u/.unknown/x /home/u/.config/x/y.toml /home/u/.cache /home/u/.cache/mozilla/x /home/u/.cargo/credentials
            /home/u/.npm/_logs/x /home/u/.local/share/x /home/u/.local/state/x /HOME/u/.Foo /home/u/UNKNOW~1/x /home/u/.bashrc
            /home/u/.foo/share/fonts/x /home/u/.local/x/fonts/x"
            .split_whitespace()
        {
            assert!(hidden_in_home(path, "/home/u"), "{path}");
        }
    }

    #[test]
    fn plain_names_and_caches_are_not() {
        for path in "
            /home/u /home/u/job/.x/y /home/u/x.md /home/v/.x /home/u/.cargo/registry/src/a.rs /home/u/.rustup/toolchains/x
            /home/u/.cache/pip/x /home/u/.local/lib/python3/x.py /home/u/.local/share/applications/x.desktop /home/u/.git/HEAD
            /home/u/.gitignore_global / /home/uu/.x /home/u/.ssh/id_rsa.pub"
            .split_whitespace()
        {
            assert!(!hidden_in_home(path, "/home/u"), "{path}");
        }
    }

    #[test]
    fn tools_are_told_without_caches_and_repositories() {
        let tools: Vec<String> = tools_in_home().collect();
        for place in [
            ".rustup",
            ".cargo/bin",
            ".local/share/fonts",
            ".volta/tools",
        ] {
            assert!(tools.iter().any(|tool| tool == place), "{place}");
        }
        assert!(
            !tools
                .iter()
                .any(|tool| tool == ".git" || tool.starts_with(".cache")),
            "{tools:?}"
        );
        assert!(
            tools
                .iter()
                .all(|tool| !hidden_in_home(&format!("/home/u/{tool}/x"), "/home/u")),
            "{tools:?}"
        );
    }
}
