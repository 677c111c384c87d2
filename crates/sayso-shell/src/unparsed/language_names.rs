//! Names of programs that run a language: `python3`, `node`, `perl5.36`.

use crate::parse::characters::last_part;
use crate::parse::name_set::NameSet;

/// Programs that run a language.
static LANGUAGES: NameSet<24> = NameSet::new([
    "python",
    "pypy",
    "node",
    "nodejs",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "luajit",
    "osascript",
    "Rscript",
    "R",
    "tclsh",
    "julia",
    "groovy",
    "elixir",
    "ipython",
    "tsx",
    "ts-node",
    "irb",
    "raku",
    "guile",
]);

/// Whether a word is the name of a program that runs a language.
pub(crate) fn is_language(word: &str) -> bool {
    let base = last_part(word);
    let version = base
        .bytes()
        .rev()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let plain = base.get(..base.len() - version).unwrap_or(base);
    LANGUAGES.has_exactly(plain)
}
