//! Which version of an agent there is on this machine; it need not be there.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::Who;

/// So long the agent may take to say it.
const LONGEST: Duration = Duration::from_secs(10);
/// So much is read of what it says.
const MOST: u64 = 4096;

/// The version of the agent that a shell would start; none if there is none, or if it does not say.
pub fn version(who: Who, path: &[PathBuf]) -> Option<String> {
    let is_program = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    let program = path.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(who.name())).find(is_program)?;
    let mut child =
        Command::new(program).arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let out = child.stdout.take()?;
    let (send, receive) = mpsc::sync_channel(1);
    // Whoever holds the pipe open for longer is not waited for.
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let _ = out.take(MOST).read_to_end(&mut said);
        let _ = send.send(said);
    });
    let said = receive.recv_timeout(LONGEST).ok();
    // It has nothing more to say, or has had its time.
    let _ = child.kill();
    let _ = child.wait();
    first_version(&String::from_utf8_lossy(&said?))
}

/// The first word that is a version.
fn first_version(said: &str) -> Option<String> {
    let is_version = |word: &&str| word.len() < 40 && word.contains('.') && word.starts_with(|sign: char| sign.is_ascii_digit());
    let plain = |word: &&str| word.chars().all(|sign| sign.is_ascii_alphanumeric() || ".-+".contains(sign));
    said.split_whitespace().filter(is_version).find(plain).map(str::to_owned)
}

/// Whether a version is at least this one.
pub fn is_at_least(version: &str, least: [u64; 3]) -> bool {
    let number = |part: &str| part.split(|sign: char| !sign.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
    let numbers: Vec<u64> = version.split('.').map_while(number).collect();
    numbers.as_slice() >= least.as_slice()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_compared_by_their_numbers() {
        assert_eq!(first_version("2.1.325 (Claude Code)\n").as_deref(), Some("2.1.325"));
        assert_eq!(first_version("codex-cli 0.166.0\n").as_deref(), Some("0.166.0"));
        for said in ["", "codex", "v", "1", "1.2;rm", "\u{1b}[31m2.1.1"] {
            assert_eq!(first_version(said), None, "{said}");
        }
        for (version, expected) in
            [("2.1.295", true), ("2.1.1000", true), ("3.0.0-beta", true), ("2.1.294", false), ("2.1", false), ("x", false)]
        {
            assert_eq!(is_at_least(version, [2, 1, 295]), expected, "{version}");
        }
    }
}
