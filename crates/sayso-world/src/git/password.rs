//! Tells whether a configuration of git holds a password or a token, which a search through a repository would show.

use std::path::Path;

use crate::bounded_file::{self, Content, LastLink};
use crate::file_cache::LONGEST;
use crate::git::syntax::Setting;

/// Whether a search would show a password in this file. What is too long to be read counts as holding one.
pub(crate) fn holds_password(path: &Path) -> bool {
    match bounded_file::read(path, LONGEST, LastLink::Follow) {
        Content::Bytes(bytes, _) => String::from_utf8_lossy(&bytes).lines().any(tells),
        Content::Missing => false,
        Content::Link | Content::Unusable(_) => true,
    }
}

/// Whether a command that shows addresses would show a password of this setting.
pub(crate) fn shows_login(setting: &Setting) -> bool {
    const TOKENS: [&str; 7] = [
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
    ];
    let texts = [setting.value.as_deref(), setting.subsection.as_deref()];
    texts
        .into_iter()
        .flatten()
        .any(|text| has_login(text) || TOKENS.iter().any(|token| text.contains(token)))
}

/// Whether a setting holds a password or a token by what its name says, which a list of all settings would show.
pub(crate) fn holds_secret(setting: &Setting) -> bool {
    const NAMES: [&str; 10] = [
        "header", "token", "pass", "secret", "key", "auth", "pwd", "pat", "cookie", "cred",
    ];
    let key = setting.key().to_lowercase();
    let value = setting.value.as_deref().unwrap_or("");
    // Programs that find passwords elsewhere are named here, and sometimes the password itself is written in place.
    if key.starts_with("credential.") {
        return value.starts_with('!')
            || NAMES.iter().any(|name| value.to_lowercase().contains(name));
    }
    // Commands of the person's own may hold anything.
    if key.starts_with("alias.") && value.starts_with('!') {
        return true;
    }
    // These say where something is, or which key signs.
    let plain = [
        "user.signingkey",
        "author.name",
        "author.email",
        "core.excludesfile",
        "core.attributesfile",
        "core.hookspath",
    ];
    !plain.contains(&key.as_str())
        && NAMES
            .iter()
            .any(|name| key.replace("path", "").contains(name))
}

/// A file of an old form that names a remote, with a password in it. So many that nobody has them count as one.
pub(crate) fn old_remote_with_login(data: &Path) -> Option<String> {
    const MOST: usize = 64;
    let entries = ["remotes", "branches"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(data.join(folder)).ok())
        .flatten()
        .flatten();
    let files = entries
        .enumerate()
        .map(|(index, entry)| (index, entry.path()));
    files
        .into_iter()
        .find(|(index, path)| *index >= MOST || holds_password(path))
        .map(|(_, path)| path.to_string_lossy().into_owned())
}

/// By its key, or by an address with a name in front of the host. `ssh://git@host` tells nothing; a token may stand alone as that name.
fn tells(line: &str) -> bool {
    let (key, value) = line.split_once('=').unwrap_or((line, line));
    let key = key.to_ascii_lowercase();
    let by_key = ["extraheader", "password", "token", "secret", "apikey"]
        .iter()
        .any(|word| key.contains(word));
    // An address may stand in the name of a section, too: `[url "https://x:y@host"]`.
    by_key || has_login(value) || has_login(&key)
}

fn has_login(text: &str) -> bool {
    text.match_indices("://").any(|(at, _)| {
        let host = text.get(at + 3..).unwrap_or_default();
        let host = host.split(['/', ' ', '"']).next().unwrap_or_default();
        let secure_shell = text.get(..at).is_some_and(|before| before.ends_with("ssh"));
        host.rsplit_once('@')
            .is_some_and(|(login, _)| !secure_shell || login.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_a_login_and_headers_tell() {
        for line in [
            "\turl = https://u:p@example.com/x.git",
            "url=https://ghp_x@example.com/x",
            "url = ssh://u:p@host/x",
            "[url \"https://t@host/\"]",
            "\textraHeader = AUTHORIZATION: basic x",
            "password = x",
            "[http] extraheader = x",
        ] {
            assert!(tells(line), "{line}");
        }
        for line in [
            "[core]",
            "\turl = https://example.com/token-service.git",
            "url = git@example.com:a/b.git",
            "url = ssh://git@example.com/a",
            "email = a@b.c",
            "fetch = +refs/heads/*:refs/remotes/origin/*",
            "url = https://example.com/@scope/x",
        ] {
            assert!(!tells(line), "{line}");
        }
    }

    #[test]
    fn a_file_is_read_and_what_is_no_file_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        assert!(!holds_password(&path));
        std::fs::write(
            &path,
            "[remote \"origin\"]\n\turl = https://example.com/a\n",
        )
        .unwrap();
        assert!(!holds_password(&path));
        std::fs::write(
            &path,
            "[remote \"origin\"]\n\turl = https://me:x@example.com/a\n",
        )
        .unwrap();
        assert!(holds_password(&path));
        assert!(holds_password(folder.path()));
    }
}
