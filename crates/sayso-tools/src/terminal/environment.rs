//! The environment of a command: made from nothing, with a short list of what real work needs.
//!
//! What is not on the list is not passed on: nothing that changes what bash or the loader does (`BASH_ENV`, `CDPATH`, `IFS`, `LD_PRELOAD`,
//! exported functions, `GIT_SSH_COMMAND`, `NODE_OPTIONS`), no keys and tokens, and nothing of sayso's own.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::error::StartError;

/// Who and where the person is, and their language.
const PLAIN: [&str; 19] = [
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_ADDRESS",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "TZ",
    "RUSTUP_TOOLCHAIN",
];

/// Where things are. They count only when they are absolute: the judge takes no other, and elsewhere they would lead into the workspace.
const PLACES: [&str; 20] = [
    "HOME",
    "SHELL",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    // Not the keys but the agent that holds them; without it nobody can push.
    "SSH_AUTH_SOCK",
];

/// How to reach the network. They are left out when they carry a user name, since then they carry a password too.
const PROXIES: [&str; 8] = [
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
];

/// Where programs are looked for behind the person's own places.
const PROGRAMS: [&str; 6] = [
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
];

/// Carries the marks of the commands that a process belongs to, from the outermost to its own.
pub(super) const MARK: &str = "SAYSO_COMMAND";
const MARK_BYTES: usize = 16;
const MOST_MARKS: usize = 1024;

/// What of `inherited` a command gets, sorted out; the same whatever order it comes in.
pub fn scrubbed(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let mut path = OsString::new();
    let mut kept = Vec::new();
    for (name, value) in inherited {
        let Some(word) = name.to_str() else { continue };
        let keep = PLAIN.contains(&word)
            || PLACES.contains(&word) && Path::new(&value).is_absolute()
            || PROXIES.contains(&word) && !value.as_encoded_bytes().contains(&b'@');
        match word {
            "PATH" => path = value,
            _ if keep => kept.push((name, value)),
            _ => {}
        }
    }
    kept.push(("PATH".into(), search_path(&path)));
    // Nobody draws on a screen here.
    kept.push(("TERM".into(), "dumb".into()));
    kept.sort();
    kept
}

/// The person's places in their order, then the usual ones. An element that is not absolute means another folder after each `cd`.
fn search_path(inherited: &OsStr) -> OsString {
    let mut places: Vec<PathBuf> = Vec::new();
    for place in env::split_paths(inherited).chain(PROGRAMS.iter().map(PathBuf::from)) {
        if place.is_absolute() && !places.contains(&place) {
            places.push(place);
        }
    }
    // No element holds a colon: they came from splitting at colons.
    env::join_paths(places).unwrap_or_else(|_| PROGRAMS.join(":").into())
}

/// A mark that no other command has.
pub(super) fn new_mark() -> Result<String, StartError> {
    let mut bytes = [0u8; MARK_BYTES];
    let read = File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes));
    read.map_err(StartError::NoMark)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The value of [`MARK`] for a command that this process starts; a sayso that itself runs under one passes that one's mark on.
pub(super) fn marks(inherited: Option<OsString>, own: &str) -> String {
    let outer = inherited
        .and_then(|value| value.into_string().ok())
        .unwrap_or_default();
    let sound = outer.len() <= MOST_MARKS
        && outer
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b':');
    if sound && !outer.is_empty() {
        format!("{outer}:{own}")
    } else {
        own.to_owned()
    }
}

/// Whether an environment, as Linux shows it, carries this mark.
pub(super) fn carries(environment: &[u8], mark: &str) -> bool {
    environment.split(|byte| *byte == 0).any(|entry| {
        let value = entry
            .strip_prefix(MARK.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(|value| {
            value
                .split(|byte| *byte == b':')
                .any(|one| one == mark.as_bytes())
        })
    })
}

/// Checks the variables of a call; the judge has seen them, this is only about what a system can take.
pub(super) fn check(variables: &[(String, String)]) -> Result<(), StartError> {
    for (name, value) in variables {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(StartError::VariableName(name.clone()));
        }
        if value.contains('\0') {
            return Err(StartError::VariableValue(name.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Vec<(String, String)> {
        let inherited = variables
            .iter()
            .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let text = |text: OsString| text.into_string().unwrap();
        scrubbed(inherited)
            .into_iter()
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    #[test]
    fn only_what_is_on_the_list_is_kept() {
        for name in [
            "BASH_ENV",
            "ENV",
            "SHELLOPTS",
            "BASHOPTS",
            "PS4",
            "PROMPT_COMMAND",
            "IFS",
            "CDPATH",
            "GLOBIGNORE",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "DYLD_INSERT_LIBRARIES",
            "BASH_FUNC_ls%%",
            "PYTHONSTARTUP",
            "PYTHONPATH",
            "PERL5OPT",
            "RUBYOPT",
            "NODE_OPTIONS",
            "GIT_SSH_COMMAND",
            "GIT_PAGER",
            "GIT_DIR",
            "GIT_CONFIG_GLOBAL",
            "GIT_EXTERNAL_DIFF",
            "PAGER",
            "EDITOR",
            "RUSTC_WRAPPER",
            "RUSTFLAGS",
            "LESSOPEN",
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "API_KEY",
            "DISPLAY",
            "SAYSO_MODE",
            "PWD",
            "OLDPWD",
            "POSIXLY_CORRECT",
            "BASH_XTRACEFD",
            "LC_TOKEN",
            "LOCPATH",
            "TERMINFO",
            "SAYSO_COMMAND",
            "",
        ] {
            assert!(
                !of(&[(name, "/x")])
                    .iter()
                    .any(|(kept, value)| kept == name && value == "/x"),
                "{name}"
            );
        }
        assert!(
            of(&[("HOME", "/home/u"), ("TERM", "xterm")])
                .contains(&("HOME".into(), "/home/u".into()))
        );
        assert!(of(&[("TERM", "xterm")]).contains(&("TERM".into(), "dumb".into())));
    }

    #[test]
    fn no_name_on_the_list_is_a_secret() {
        for name in PLAIN
            .iter()
            .chain(&PLACES)
            .chain(&PROXIES)
            .filter(|name| **name != "SSH_AUTH_SOCK")
        {
            assert!(!sayso_core::text::redact::names_secret(name), "{name}");
        }
    }

    #[test]
    fn places_are_absolute_and_proxies_carry_no_password() {
        for (name, value) in [
            ("HOME", "home"),
            ("XDG_CONFIG_HOME", ""),
            ("TMPDIR", "."),
            ("http_proxy", "http://u:p@proxy:1"),
        ] {
            assert!(
                !of(&[(name, value)]).iter().any(|(kept, _)| kept == name),
                "{name}={value}"
            );
        }
        assert!(
            of(&[("https_proxy", "http://proxy:1")])
                .iter()
                .any(|(kept, _)| kept == "https_proxy")
        );
    }

    #[test]
    fn the_search_path_has_no_relative_element() {
        let path = |value: &str| {
            of(&[("PATH", value)])
                .into_iter()
                .find(|(name, _)| name == "PATH")
                .unwrap()
                .1
        };
        let usual = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
        assert_eq!(path(""), usual);
        assert_eq!(
            path("/home/u/bin::.:bin:../x:/home/u/bin"),
            format!("/home/u/bin:{usual}")
        );
        assert_eq!(
            path("/bin:/usr/bin"),
            "/bin:/usr/bin:/usr/local/bin:/usr/local/sbin:/usr/sbin:/sbin"
        );
    }

    #[test]
    fn marks_are_passed_on_and_found() {
        assert_eq!(marks(None, "ab"), "ab");
        assert_eq!(marks(Some("12:34".into()), "ab"), "12:34:ab");
        assert_eq!(marks(Some("no mark".into()), "ab"), "ab");
        assert!(carries(b"A=1\0SAYSO_COMMAND=12:ab\0", "ab") && carries(b"SAYSO_COMMAND=ab", "ab"));
        assert!(!carries(b"XSAYSO_COMMAND=ab\0SAYSO_COMMAND=abc\0", "ab") && !carries(b"", "ab"));
        assert_ne!(new_mark().unwrap(), new_mark().unwrap());
    }

    #[test]
    fn names_that_no_system_takes_are_refused() {
        for (name, value) in [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0y")] {
            assert!(check(&[(name.into(), value.into())]).is_err(), "{name:?}");
        }
        assert!(check(&[("A".into(), "=".into())]).is_ok());
    }
}
