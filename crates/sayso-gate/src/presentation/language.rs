//! What a file is written in, by its name; a hint for highlighting and nothing more.

/// Languages with the endings and whole names they go by.
const LANGUAGES: &[(&str, &[&str])] = &[
    (
        "bash",
        &[
            "sh",
            "bash",
            "zsh",
            "ksh",
            ".bashrc",
            ".bash_profile",
            ".profile",
            ".zshrc",
        ],
    ),
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hh", "hpp", "hxx"]),
    ("csharp", &["cs"]),
    ("css", &["css", "scss", "less"]),
    ("diff", &["diff", "patch"]),
    ("dockerfile", &["dockerfile", "containerfile"]),
    ("elixir", &["ex", "exs"]),
    ("erlang", &["erl", "hrl"]),
    ("fish", &["fish"]),
    ("go", &["go"]),
    ("haskell", &["hs"]),
    ("html", &["html", "htm", "xhtml"]),
    (
        "ini",
        &["ini", "cfg", "conf", ".gitconfig", ".editorconfig"],
    ),
    ("java", &["java"]),
    ("javascript", &["js", "mjs", "cjs", "jsx"]),
    ("json", &["json", "jsonc", "json5", "jsonl"]),
    ("julia", &["jl"]),
    ("kotlin", &["kt", "kts"]),
    ("lua", &["lua"]),
    ("makefile", &["mk", "makefile", "gnumakefile"]),
    ("markdown", &["md", "markdown"]),
    ("nix", &["nix"]),
    ("ocaml", &["ml", "mli"]),
    ("perl", &["pl", "pm"]),
    ("php", &["php"]),
    ("powershell", &["ps1", "psm1"]),
    ("protobuf", &["proto"]),
    ("python", &["py", "pyi", "pyw"]),
    ("r", &["r"]),
    ("ruby", &["rb", "gemfile", "rakefile"]),
    ("rust", &["rs"]),
    ("scala", &["scala", "sc"]),
    ("sql", &["sql"]),
    ("swift", &["swift"]),
    ("terraform", &["tf", "tfvars", "hcl"]),
    ("toml", &["toml"]),
    ("typescript", &["ts", "mts", "cts", "tsx"]),
    ("vue", &["vue"]),
    ("xml", &["xml", "svg", "xsl", "plist"]),
    ("yaml", &["yaml", "yml"]),
    ("zig", &["zig"]),
];

/// The language of a file by its name.
pub fn of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let by = |part: &str| {
        LANGUAGES
            .iter()
            .find(|(_, names)| names.contains(&part))
            .map(|(language, _)| *language)
    };
    by(&name)
        .filter(|_| !is_ending(&name))
        .or_else(|| by(ending(&name)?))
}

/// The language of a name that somebody gives it: `python`, `py`, `Python`.
pub fn named(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    let found = LANGUAGES
        .iter()
        .find(|(language, names)| *language == name || names.contains(&name.as_str()));
    found.map(|(language, _)| *language)
}

/// What follows the last dot of a name that does not start with it.
pub(super) fn ending(name: &str) -> Option<&str> {
    name.rsplit_once('.')
        .filter(|(stem, ending)| !stem.is_empty() && !ending.is_empty())
        .map(|(_, ending)| ending)
}

/// A file named `c` is no C.
fn is_ending(name: &str) -> bool {
    name.len() <= 5 && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        for (path, language) in [
            ("src/main.rs", Some("rust")),
            ("A/B.PY", Some("python")),
            ("Makefile", Some("makefile")),
            ("docker/Dockerfile", Some("dockerfile")),
            ("/home/u/.bashrc", Some("bash")),
            ("c", None),
            ("rs", None),
            (".rs", None),
            ("notes", None),
            ("a.", None),
            ("dir.rs/notes", None),
            ("", None),
        ] {
            assert_eq!(of(path), language, "{path}");
        }
    }

    #[test]
    fn no_ending_has_two_languages() {
        let mut all: Vec<&str> = LANGUAGES
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
