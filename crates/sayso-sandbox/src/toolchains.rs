//! The tools of a person that live outside of the system's folders: compilers, interpreters, and what they have downloaded.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sayso_core::paths::tools_in_home;
use sayso_core::text::redact::redact_text;

use crate::profile::Level;

/// Variables that name a folder with tools, and what of it is tools.
const NAMED: [(&str, &[&str]); 10] = [
    ("CARGO_HOME", &["bin", "git", "registry"]),
    ("RUSTUP_HOME", &[""]),
    ("GOPATH", &["bin", "pkg"]),
    ("GOROOT", &[""]),
    ("JAVA_HOME", &[""]),
    ("NVM_DIR", &["versions"]),
    (
        "PYENV_ROOT",
        &["bin", "libexec", "plugins", "shims", "versions"],
    ),
    ("VIRTUAL_ENV", &[""]),
    ("CONDA_PREFIX", &[""]),
    ("SSL_CERT_DIR", &[""]),
];

/// What of uv is tools.
const UV: [&str; 2] = [".local/share/uv/python", ".local/share/uv/tools"];

/// What a program in `bin` needs from beside it.
const BESIDE: [&str; 5] = ["lib", "lib64", "libexec", "share", "include"];

/// Downloaded things that are used where they lie; all other caches are the command's own.
const CACHES: [&str; 4] = ["ms-playwright", "puppeteer", "pre-commit", "electron"];

/// Settings of tools that builds do not work without, and that hold no secret: looked at before they are shown.
const SETTINGS: [&str; 2] = [".cargo/config.toml", ".cargo/config"];

/// Where tools may be, and what may be done with them; not all of these places exist.
pub fn of(home: Option<&Path>, environment: &[(OsString, OsString)]) -> Vec<(PathBuf, Level)> {
    let mut found = Vec::new();
    let mut add = |path: PathBuf, level: Level| {
        let broad = path.parent().is_none() || home.is_some_and(|home| home.starts_with(&path));
        if path.is_absolute() && !broad {
            found.push((path, level));
        }
    };
    for (name, value) in environment {
        let Some(name) = name.to_str() else { continue };
        if let Some((_, below)) = NAMED.iter().find(|(known, _)| *known == name) {
            below
                .iter()
                .for_each(|inner| add(plain(Path::new(value).join(inner)), Level::Read));
            if name == "CARGO_HOME" {
                ["config.toml", "config"]
                    .iter()
                    .map(|file| Path::new(value).join(file))
                    .filter(|file| holds_no_secret(file))
                    .for_each(|file| add(file, Level::Read));
            }
        }
        if name == "PATH" {
            for place in std::env::split_paths(value) {
                // `~/.local/bin` and `~/bin` have the person's own things beside them.
                let parent = place.parent().filter(|above| {
                    place.ends_with("bin")
                        && home.is_none_or(|home| *above != home && *above != home.join(".local"))
                });
                for beside in parent
                    .into_iter()
                    .flat_map(|above| BESIDE.map(|name| above.join(name)))
                {
                    add(beside, Level::Read);
                }
                add(plain(place), Level::Read);
            }
        }
    }
    if let Some(home) = home {
        // Of several in one folder, nothing is asked where there is no such folder.
        let mut looked: Option<(String, bool)> = None;
        for inner in tools_in_home() {
            let (first, rest) = inner.split_once('/').unwrap_or((&inner, ""));
            if !rest.is_empty() && looked.as_ref().is_none_or(|(known, _)| known != first) {
                looked = Some((first.to_owned(), home.join(first).exists()));
            }
            if inner == ".local/share/uv" {
                // What it signs in with is beside them.
                UV.iter().for_each(|name| add(home.join(name), Level::Read));
            } else if rest.is_empty() || looked.as_ref().is_some_and(|(_, there)| *there) {
                add(home.join(&inner), Level::Read);
            }
        }
        ["go/bin", "go/pkg"]
            .iter()
            .for_each(|inner| add(home.join(inner), Level::Read));
        CACHES
            .iter()
            .for_each(|name| add(home.join(".cache").join(name), Level::Read));
        SETTINGS
            .iter()
            .map(|name| home.join(name))
            .filter(|file| holds_no_secret(file))
            .for_each(|file| add(file, Level::Read));
    }
    found
}

/// Without a slash at its end, and without `.`.
fn plain(path: PathBuf) -> PathBuf {
    path.components().collect()
}

fn holds_no_secret(file: &Path) -> bool {
    let small =
        std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() < 64 * 1024);
    small
        && std::fs::read_to_string(file)
            .is_ok_and(|text| redact_text(&text) == text && !text.contains("token"))
}
