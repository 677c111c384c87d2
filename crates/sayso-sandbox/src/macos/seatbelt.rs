//! The text of a Seatbelt profile, which is what `sandbox-exec` of macOS takes.
//!
//! **It was never run on a Mac, and no back end uses it.** It is generated and compared with texts in tests on every platform, by what is
//! known in public of its language; nothing
//! here is a sandbox that holds before somebody tried to escape from it on a Mac. What it cannot do, by its nature: there is no
//! `/tmp` of the command's own, but a folder that the one who starts it makes and names as the parameter `TMP`; what is hidden can be seen to
//! exist where its folder can be listed; processes of others are seen, though not signalled; and limits are not its business.
//!
//! Everything is denied first. Of several rules for a path the last counts, so the rules of deeper paths come behind those of the paths they
//! are below.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use sayso_core::policy::terms::Network;
use thiserror::Error as ThisError;

use crate::profile::{Level, Profile};
use crate::workspace_scan::shown;

/// What every program needs: to start others, to end its own, to ask for versions, and to look up its user.
const START: &str = r#"(version 1)
(deny default)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-read* (literal "/"))
(allow file-read* process-exec
  (subpath "/Library/Apple/usr/libexec/oah")
  (subpath "/System/Volumes/Preboot/Cryptexes")
  (subpath "/private/var/db/dyld")
  (subpath "/private/var/db/timezone"))
(allow file-read*
  (literal "/dev/random")
  (literal "/dev/urandom")
  (subpath "/dev/fd"))
(allow file-read* file-write-data
  (literal "/dev/null")
  (literal "/dev/zero"))
"#;

/// All of the network, with names looked up and certificates checked; no socket of another program on this machine.
const ALL_OF_THE_NETWORK: &str = r#"(allow network-outbound (remote ip) (literal "/private/var/run/mDNSResponder"))
(allow network-bind (local ip))
(allow network-inbound (local ip))
(allow system-socket)
(allow mach-lookup
  (global-name "com.apple.SecurityServer")
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.dnssd.service")
  (global-name "com.apple.networkd")
  (global-name "com.apple.trustd.agent"))
"#;

/// Why a profile has no text.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum SeatbeltError {
    #[error("chosen hosts are reached through a proxy, and there is none")]
    NoProxy,
    #[error("`{}` is not a path from the root without `..`", shown(.0))]
    NotFromRoot(PathBuf),
    #[error("`{}` is no text, and has no place in a profile of macOS", shown(.0))]
    NoText(PathBuf),
    #[error("`{}` holds a control character, and has no place in a profile of macOS", shown(.0))]
    ControlCharacter(PathBuf),
}

/// The text for a profile. With chosen hosts, `proxy` is the port of this machine where the [`Proxy`](crate::proxy::Proxy) for them listens.
/// The parameter `TMP` is to be given with the text (`sandbox-exec -D TMP=/a/folder`): the real path of an empty folder.
///
/// # Errors
/// In words, for a path that cannot be written in the language, or hosts without a proxy.
pub fn profile_text(profile: &Profile, proxy: Option<u16>) -> Result<String, SeatbeltError> {
    let mut text = START.to_owned();
    let mut paths: Vec<(&PathBuf, Level)> = profile
        .paths
        .iter()
        .map(|(path, level)| (path, *level))
        .collect();
    paths.sort_by_key(|(path, _)| path.components().count());
    for (path, level) in &paths {
        rules(&mut text, profile, path, *level)?;
    }
    for folder in &profile.pinned {
        // Moved away, it would take along what is guarded in it, and that would be guarded no more.
        line(
            &mut text,
            &format!("(deny file-write-unlink (literal {}))", quoted(folder)?),
        );
    }
    line(
        &mut text,
        "(allow file-read* file-write* process-exec (subpath (param \"TMP\")))",
    );
    let mut above: BTreeSet<&Path> = BTreeSet::new();
    for (path, _) in paths.iter().filter(|(_, level)| *level >= Level::Read) {
        above.extend(
            path.ancestors()
                .skip(1)
                .filter(|above| above.parent().is_some()),
        );
    }
    for folder in above {
        line(
            &mut text,
            &format!("(allow file-read-metadata (literal {}))", quoted(folder)?),
        );
    }
    match (&profile.network, proxy) {
        (Network::Nothing, _) => {}
        (Network::Everything, _) => text.push_str(ALL_OF_THE_NETWORK),
        (Network::Hosts(_), Some(port)) => line(
            &mut text,
            &format!("(allow network-outbound (remote ip \"localhost:{port}\"))"),
        ),
        (Network::Hosts(_), None) => {
            return Err(SeatbeltError::NoProxy);
        }
    }
    Ok(text)
}

/// The rules of one path.
fn rules(
    text: &mut String,
    profile: &Profile,
    path: &Path,
    level: Level,
) -> Result<(), SeatbeltError> {
    let name = quoted(path)?;
    match level {
        Level::Hidden | Level::Private => line(
            text,
            &format!("(deny file-read* file-write* process-exec (subpath {name}))"),
        ),
        Level::Read => {
            line(
                text,
                &format!("(allow file-read* process-exec (subpath {name}))"),
            );
            line(text, &format!("(deny file-write* (subpath {name}))"));
        }
        Level::Write => line(
            text,
            &format!("(allow file-read* file-write* process-exec (subpath {name}))"),
        ),
    }
    let above = path
        .parent()
        .map_or(Level::Hidden, |above| profile.level(above));
    if level < Level::Write && above == Level::Write {
        // Where it does not exist yet, it could come to be in other letters, and be found by its name all the same.
        line(
            text,
            &format!(
                "(deny file-write* (regex #\"^{}(/|$)\"))",
                in_any_letters(path)
            ),
        );
    }
    Ok(())
}

fn line(text: &mut String, rule: &str) {
    // A string takes all that is written.
    let _ = writeln!(text, "{rule}");
}

/// A path as text of the language.
fn quoted(path: &Path) -> Result<String, SeatbeltError> {
    let odd = |part: Component<'_>| !matches!(part, Component::RootDir | Component::Normal(_));
    if !path.is_absolute() || path.components().any(odd) {
        return Err(SeatbeltError::NotFromRoot(path.to_owned()));
    }
    let name = path
        .to_str()
        .ok_or_else(|| SeatbeltError::NoText(path.to_owned()))?;
    if name.chars().any(char::is_control) {
        return Err(SeatbeltError::ControlCharacter(path.to_owned()));
    }
    Ok(format!(
        "\"{}\"",
        name.replace('\\', "\\\\").replace('"', "\\\"")
    ))
}

/// An expression for a path in small and large letters. What could mean something in it is any character: it is only denied by this.
fn in_any_letters(path: &Path) -> String {
    let mut out = String::new();
    for one in path.to_string_lossy().chars() {
        match one {
            'a'..='z' | 'A'..='Z' => {
                out.push('[');
                out.push(one.to_ascii_lowercase());
                out.push(one.to_ascii_uppercase());
                out.push(']');
            }
            '0'..='9' | '/' | '-' | '_' => out.push(one),
            _ if one.is_ascii() => out.push('.'),
            // Several bytes, and perhaps spelled in another way.
            _ => out.push_str(".+"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::profile::Limits;

    fn profile(paths: &[(&str, Level)], network: Network) -> Profile {
        Profile {
            cwd: "/w".into(),
            paths: paths
                .iter()
                .map(|(path, level)| (PathBuf::from(path), *level))
                .collect(),
            pinned: Vec::new(),
            links: BTreeMap::new(),
            placed: BTreeMap::new(),
            network,
            environment: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// What comes behind that which every profile begins with.
    fn rest(profile: &Profile, proxy: Option<u16>) -> String {
        profile_text(profile, proxy)
            .unwrap()
            .strip_prefix(START)
            .unwrap()
            .to_owned()
    }

    #[test]
    fn deeper_paths_come_behind_those_that_they_are_below() {
        let mut it = profile(
            &[
                ("/Users/u/w", Level::Write),
                ("/Users/u/w/.git", Level::Write),
                ("/Users/u/w/.git/hooks", Level::Read),
                ("/Users/u/w/.env", Level::Hidden),
                ("/tmp", Level::Private),
                ("/usr", Level::Read),
            ],
            Network::Nothing,
        );
        it.pinned.push("/Users/u/w/.git".into());
        let expected = r#"(deny file-read* file-write* process-exec (subpath "/tmp"))
(allow file-read* process-exec (subpath "/usr"))
(deny file-write* (subpath "/usr"))
(allow file-read* file-write* process-exec (subpath "/Users/u/w"))
(deny file-read* file-write* process-exec (subpath "/Users/u/w/.env"))
(deny file-write* (regex #"^/[uU][sS][eE][rR][sS]/[uU]/[wW]/.[eE][nN][vV](/|$)"))
(allow file-read* file-write* process-exec (subpath "/Users/u/w/.git"))
(allow file-read* process-exec (subpath "/Users/u/w/.git/hooks"))
(deny file-write* (subpath "/Users/u/w/.git/hooks"))
(deny file-write* (regex #"^/[uU][sS][eE][rR][sS]/[uU]/[wW]/.[gG][iI][tT]/[hH][oO][oO][kK][sS](/|$)"))
(deny file-write-unlink (literal "/Users/u/w/.git"))
(allow file-read* file-write* process-exec (subpath (param "TMP")))
(allow file-read-metadata (literal "/Users"))
(allow file-read-metadata (literal "/Users/u"))
(allow file-read-metadata (literal "/Users/u/w"))
(allow file-read-metadata (literal "/Users/u/w/.git"))
"#;
        assert_eq!(rest(&it, None), expected);
    }

    #[test]
    fn the_start_denies_and_names_no_network() {
        assert!(START.starts_with("(version 1)\n(deny default)\n"));
        assert!(!START.contains("network") && !START.contains("file-write*"));
        let balance = |text: &str| text.matches('(').count() == text.matches(')').count();
        assert!(balance(START) && balance(ALL_OF_THE_NETWORK));
    }

    #[test]
    fn the_network_is_none_the_proxy_or_all() {
        let tmp = "(allow file-read* file-write* process-exec (subpath (param \"TMP\")))\n";
        assert_eq!(rest(&profile(&[], Network::Nothing), Some(8080)), tmp);
        let hosts = profile(&[], Network::Hosts(vec!["crates.io".to_owned()]));
        assert_eq!(
            rest(&hosts, Some(8080)),
            format!("{tmp}(allow network-outbound (remote ip \"localhost:8080\"))\n")
        );
        assert!(
            profile_text(&hosts, None)
                .unwrap_err()
                .to_string()
                .contains("proxy")
        );
        assert_eq!(
            rest(&profile(&[], Network::Everything), None),
            format!("{tmp}{ALL_OF_THE_NETWORK}")
        );
    }

    #[test]
    fn a_path_stays_within_its_quotes() {
        let it = profile(
            &[("/w/a\"b\\c) (allow default)", Level::Read)],
            Network::Nothing,
        );
        assert!(rest(&it, None).starts_with(
            "(allow file-read* process-exec (subpath \"/w/a\\\"b\\\\c) (allow default)\"))\n"
        ));
        // And in the expression nothing of it means anything.
        let it = profile(
            &[("/w", Level::Write), ("/w/.*\"[^é", Level::Read)],
            Network::Nothing,
        );
        assert!(
            rest(&it, None).contains("(deny file-write* (regex #\"^/[wW]/......+(/|$)\"))\n"),
            "{}",
            rest(&it, None)
        );
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        for path in [
            "/w/a\nb",
            "/w/a\0b",
            "/w/\u{1b}[31m",
            "/w/\u{85}",
            "w",
            "/w/../etc",
            "",
        ] {
            let error = profile_text(&profile(&[(path, Level::Read)], Network::Nothing), None)
                .unwrap_err()
                .to_string();
            assert!(!error.contains(|one: char| one.is_control()), "{error:?}");
        }
        let mut it = profile(&[], Network::Nothing);
        it.paths.insert(
            PathBuf::from(std::ffi::OsStr::from_bytes(b"/w/\xff")),
            Level::Read,
        );
        assert!(
            profile_text(&it, None)
                .unwrap_err()
                .to_string()
                .contains("is no text")
        );
        let mut it = profile(&[], Network::Nothing);
        it.pinned.push("/w/\n".into());
        assert!(profile_text(&it, None).is_err());
    }
}
