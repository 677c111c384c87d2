//! Who commits, for git in a sandbox: the name and address from the person's own configuration, which the sandbox hides as a whole, since
//! it may hold passwords and name programs.

use std::ffi::OsString;
use std::path::Path;

use sayso_core::text::redact::redact_text;

/// The longest configuration that is read.
const LONGEST: u64 = 256 * 1024;

/// The variables that tell git who commits; none where the configuration does not say.
pub fn variables(home: &Path) -> Vec<(OsString, OsString)> {
    let files = [home.join(".gitconfig"), home.join(".config/git/config")];
    let small = |file: &&std::path::PathBuf| {
        std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= LONGEST)
    };
    let text: String = files
        .iter()
        .filter(small)
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .collect::<Vec<_>>()
        .join("\n");
    let values: Vec<(&str, String)> = ["name", "email"]
        .into_iter()
        .filter_map(|key| Some((key, value(&text, key)?)))
        .collect();
    if values.is_empty() {
        return Vec::new();
    }
    let mut out = vec![(
        OsString::from("GIT_CONFIG_COUNT"),
        OsString::from(values.len().to_string()),
    )];
    for (number, (key, value)) in values.into_iter().enumerate() {
        out.push((
            format!("GIT_CONFIG_KEY_{number}").into(),
            format!("user.{key}").into(),
        ));
        out.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.into()));
    }
    out
}

/// The first plain value of a key in `[user]`. Anything unusual is left out: git then asks who commits, which is no harm.
fn value(text: &str, key: &str) -> Option<String> {
    let mut in_user = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            in_user = line.eq_ignore_ascii_case("[user]");
            continue;
        }
        let Some((name, value)) = line.split_once('=').filter(|_| in_user) else {
            continue;
        };
        if !name.trim().eq_ignore_ascii_case(key) {
            continue;
        }
        let value = value.trim();
        let value = value
            .strip_prefix('"')
            .and_then(|inner| inner.strip_suffix('"'))
            .unwrap_or(value);
        let is_plain =
            !value.is_empty() && !value.contains(['"', '\\', '#', ';', '\0']) && value.len() < 200;
        return (is_plain && redact_text(value) == value).then(|| value.to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_commits_is_told() {
        let home = tempfile::tempdir().unwrap();
        let text = "[core]\n\tname = no\n[user]\n\tname = \"Ada Lovelace\"\n\temail = ada@example.org\n[credential]\n\thelper = store\n";
        std::fs::write(home.path().join(".gitconfig"), text).unwrap();
        let found = variables(home.path());
        let told: Vec<&str> = found
            .iter()
            .filter_map(|(_, value)| value.to_str())
            .collect();
        assert_eq!(
            told,
            [
                "2",
                "user.name",
                "Ada Lovelace",
                "user.email",
                "ada@example.org"
            ]
        );
        assert!(variables(Path::new("/missing")).is_empty());
    }

    #[test]
    fn what_is_unusual_is_left_out() {
        for text in [
            "[user]\nname = a\\",
            "[user]\nname = \"a",
            "[user]\nname =",
            "[userx]\nname = a",
            "name = a",
        ] {
            assert_eq!(value(text, "name"), None, "{text}");
        }
    }
}
