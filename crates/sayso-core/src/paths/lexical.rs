//! Puts a path into normal form by its text alone.

/// The absolute path that `path` means in the folder `base`: no `.`, no `..`, no double slashes.
///
/// `..` above the root stays at the root, as the kernel has it. Links are not looked at: where `a` is a link, `a/..` may be elsewhere, so the
/// world resolves links before anything is judged.
pub fn join(base: &str, path: &str) -> String {
    let mut joined = String::with_capacity(base.len() + path.len() + 2);
    if !path.starts_with('/') {
        descend(&mut joined, base);
    }
    descend(&mut joined, path);
    if joined.is_empty() {
        joined.push('/');
    }
    joined
}

/// Follows each name of `path` from `joined`, which is empty for the root.
fn descend(joined: &mut String, path: &str) {
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => joined.truncate(joined.rfind('/').unwrap_or(0)),
            _ => {
                joined.push('/');
                joined.push_str(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::join;
    use proptest::prelude::*;

    #[test]
    fn h_18_traversal_is_gone_after_joining() {
        for (base, path, wanted) in [
            ("/ws", "docs/../.env", "/ws/.env"),
            ("/ws", "tests/../main.py", "/ws/main.py"),
            (
                "/home/u/ws",
                "a/docs/../../.ssh/authorized_keys",
                "/home/u/ws/.ssh/authorized_keys",
            ),
            (
                "/home/u/ws",
                "../.ssh/authorized_keys",
                "/home/u/.ssh/authorized_keys",
            ),
            ("/ws", "../../../etc/passwd", "/etc/passwd"),
            ("/ws", "./.env", "/ws/.env"),
            ("/ws", "a//b/./c/", "/ws/a/b/c"),
            ("/ws", "//etc//passwd", "/etc/passwd"),
            ("/ws", "/..", "/"),
            ("/ws", "", "/ws"),
            ("/ws/", ".", "/ws"),
            ("/", "x", "/x"),
            ("/ws", "...", "/ws/..."),
            ("/ws", "..x/x..", "/ws/..x/x.."),
        ] {
            assert_eq!(join(base, path), wanted, "{base} + {path}");
        }
    }

    proptest! {
        #[test]
        fn the_result_is_in_normal_form(base in "[/.ab]{0,12}", path in "[/.ab\u{e9}]{0,24}") {
            let joined = join(&base, &path);
            prop_assert!(joined.starts_with('/'));
            prop_assert!(joined == "/" || joined.split('/').skip(1).all(|name| !matches!(name, "" | "." | "..")));
            prop_assert_eq!(join("/", &joined), joined);
        }
    }
}
