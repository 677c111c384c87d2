//! Names of folders that tools fill: what git ignores there is built or installed, and nothing of a person.

use super::relative;

/// Folders of built or installed things.
const BUILT: [&str; 26] = [
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "bin",
    "obj",
    "__pycache__",
    ".next",
    ".nuxt",
    ".cache",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    "vendor",
    "coverage",
    ".gradle",
    "Pods",
    "site-packages",
    "bower_components",
    ".turbo",
    ".svelte-kit",
    ".parcel-cache",
    "htmlcov",
    ".dart_tool",
];

/// Whether a file that git ignores is no private one: it lies among built or installed things, or is git's own data, which git ignores as
/// a matter of course. Only git's configuration may hold an address with a password.
pub fn made_or_kept_by_tools(canonical: &str, workspace: &str) -> bool {
    let inner = relative(canonical, workspace).unwrap_or(canonical);
    let built = inner
        .split('/')
        .any(|name| BUILT.contains(&name) || name.ends_with(".egg-info"));
    // What a program wrote down while it ran, and mostly what somebody asks an agent to look at.
    let log = is_log(inner);
    built || log || canonical.contains("/.git/") && !canonical.ends_with("/config")
}

/// `x.log`, and what is left of it when it grew too long: `x.log.1`, `x.log-20260131`, `x.log.2.gz`.
fn is_log(path: &str) -> bool {
    let unpacked = [".gz", ".bz2", ".xz", ".zst"]
        .iter()
        .find_map(|end| path.strip_suffix(end))
        .unwrap_or(path);
    let without_number = unpacked.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let name = without_number
        .strip_suffix(['.', '-'])
        .filter(|_| without_number.len() < unpacked.len())
        .unwrap_or(unpacked);
    name.ends_with(".log")
}

#[cfg(test)]
mod tests {
    use super::{is_log, made_or_kept_by_tools};

    #[test]
    fn old_logs_are_logs() {
        for log in [
            "a.log",
            "logs/a.log.1",
            "a.log.12.gz",
            "a.log-20260131.zst",
            "a.log.xz",
        ] {
            assert!(is_log(log), "{log}");
        }
        for other in [
            "a.logs",
            "log",
            "a.log.key",
            "a.log.",
            "a.log.gz.key",
            "a.log.1.tar",
            "a.log1",
            "dump.sql.1.gz",
            "a.log.d/x",
            "1",
        ] {
            assert!(!is_log(other), "{other}");
        }
    }

    #[test]
    fn only_folders_in_the_workspace_count() {
        for made in
            "/ws/target/x /ws/a/node_modules/b/c /ws/x.egg-info/PKG-INFO /ws/.git/HEAD /ws/dist"
                .split_whitespace()
        {
            assert!(made_or_kept_by_tools(made, "/ws"), "{made}");
        }
        for own in
            "/build/ws/local.cfg /build/ws/a/notes.txt /build/ws/.git/config".split_whitespace()
        {
            assert!(!made_or_kept_by_tools(own, "/build/ws"), "{own}");
        }
    }
}
