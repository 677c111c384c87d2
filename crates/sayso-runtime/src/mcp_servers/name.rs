//! The name of a server, by which rules know it.

use std::ffi::OsString;
use std::path::Path;

use super::error::NameError;

/// Programs that only start another one.
const RUNNERS: &[&str] = &[
    "npx", "bunx", "uvx", "pipx", "node", "bun", "deno", "python", "python3", "uv", "docker",
    "podman", "pnpm", "yarn", "npm", "env", "sh", "bash",
];
/// What stands between such a program and what it starts.
const BETWEEN: &[&str] = &["run", "exec", "dlx", "tool", "x"];

/// A name that can stand in a rule, and in no other name.
///
/// # Errors
/// What is wrong with it.
pub fn checked(name: &str) -> Result<String, NameError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
        return Err(NameError::NotPlain);
    }
    if name.contains("__") {
        // Clients join names with it, and then nobody can tell where the name ends (T04).
        return Err(NameError::Joined);
    }
    Ok(name.to_owned())
}

/// The name by the command, where nobody gave one.
///
/// # Errors
/// When it has none that could stand in a rule.
pub fn of_command(command: &[OsString]) -> Result<String, NameError> {
    let words: Vec<String> = command
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let base = |word: &str| {
        Path::new(word)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let is_runner = |word: &str| RUNNERS.contains(&base(word).as_str());
    let meant = words.iter().find(|word| {
        !is_runner(word)
            && !word.starts_with('-')
            && !BETWEEN.contains(&word.as_str())
            && !word.contains('=')
    });
    let last = meant.map(|word| base(word)).unwrap_or_default();
    // `server@1.2` and `server.py` are `server`.
    let bare = last.split('@').next().unwrap_or_default();
    let bare = [".js", ".mjs", ".cjs", ".ts", ".py", ".sh"]
        .iter()
        .find_map(|end| bare.strip_suffix(end))
        .unwrap_or(bare);
    checked(bare).map_err(|why| NameError::NotByCommand(Box::new(why)))
}

/// Server and tool of a joined name `mcp__server__tool`; none if it is no such name, or can be read in two ways.
pub fn split_mcp(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("mcp__")?;
    let places: Vec<usize> = (1..rest.len())
        .filter(|at| rest.get(*at..).is_some_and(|rest| rest.starts_with("__")))
        .collect();
    match places.as_slice() {
        [at] => Some((rest.get(..*at)?, rest.get(at + 2..)?)).filter(|(_, tool)| !tool.is_empty()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_the_name_of_what_it_starts() {
        let of =
            |words: &str| of_command(&words.split(' ').map(OsString::from).collect::<Vec<_>>());
        for (command, name) in [
            (
                "npx -y @modelcontextprotocol/server-filesystem /x",
                "server-filesystem",
            ),
            ("uvx mcp-server-git@2026.1 --repository .", "mcp-server-git"),
            ("python3 /opt/tools/server.py", "server"),
            ("/usr/local/bin/my-server --flag", "my-server"),
            ("docker run --rm image", "image"),
            ("env A=b ./x", "x"),
        ] {
            assert_eq!(of(command).as_deref(), Ok(name), "{command}");
        }
        assert!(of("npx").is_err() && of("./a__b").is_err() && of("./ü").is_err());
    }
}
