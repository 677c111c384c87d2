//! Programs that start others by name to do their one task: who could have planted those is asked as well. Of scripts the world reads it itself.

/// A program or the start of a command, and what it starts.
const HELPERS: [(&str, &[&str]); 16] = [
    (
        "tar",
        &[
            "gzip", "bzip2", "xz", "zstd", "lzip", "lzma", "lzop", "compress",
        ],
    ),
    ("cpio", &["rsh", "ssh"]),
    ("dpkg", &["dpkg-query", "dpkg-deb"]),
    ("dpkg-deb", &["tar"]),
    ("sdiff", &["diff"]),
    ("diff3", &["diff"]),
    ("wdiff", &["diff"]),
    ("gem", &["ruby"]),
    ("erl", &["dirname", "basename", "sed"]),
    ("gdb", &["iconv"]),
    (
        "go",
        &[
            "gcc",
            "cc",
            "clang",
            "g++",
            "c++",
            "clang++",
            "pkg-config",
            "git",
        ],
    ),
    (
        "man",
        &[
            "groff", "nroff", "troff", "grotty", "preconv", "tbl", "col", "gzip", "zsoelim", "cat",
            "less", "pager",
        ],
    ),
    ("apropos", &["whatis"]),
    (
        "git submodule",
        &["sh", "sed", "basename", "uname", "grep", "cat", "gettext"],
    ),
    (
        "git bisect",
        &["sh", "sed", "basename", "uname", "grep", "cat", "gettext"],
    ),
    ("cargo", &["rustc"]),
];
/// What a search in packed files starts.
const UNPACKERS: [&str; 7] = ["gzip", "bzip2", "xz", "lz4", "brotli", "zstd", "uncompress"];

/// What a command starts by name beside what its words say.
pub(crate) fn of(name: &str, arguments: &[&str]) -> impl Iterator<Item = &'static str> {
    let fits = |start: &str| {
        let mut words = start.split(' ');
        words.next() == Some(name) && words.all(|wanted| arguments.contains(&wanted))
    };
    let unpacks = |word: &&str| {
        *word == "--search-zip"
            || word.starts_with('-') && !word.starts_with("--") && word.contains('z')
    };
    let packed: &[&str] = if name == "rg" && arguments.iter().any(unpacks) {
        &UNPACKERS
    } else {
        &[]
    };
    let known = HELPERS
        .iter()
        .find(|(start, _)| fits(start))
        .map_or(&[] as &[&str], |(_, helpers)| helpers);
    known.iter().chain(packed).copied()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn helpers_are_told_by_the_start_of_a_command() {
        let helpers = |name: &str, arguments: &[&str]| of(name, arguments).collect::<Vec<_>>();
        assert!(helpers("tar", &["tzf", "x"]).contains(&"gzip"));
        assert!(helpers("git", &["submodule", "status"]).contains(&"sed"));
        assert!(
            helpers("rg", &["-iz", "x"]).contains(&"xz")
                && helpers("rg", &["--search-zip"]).contains(&"xz")
        );
        for (name, arguments) in [
            ("git", ["status"]),
            ("ls", ["x"]),
            ("rg", ["x"]),
            ("tarx", ["x"]),
        ] {
            assert!(helpers(name, &arguments).is_empty(), "{name}");
        }
    }
}
