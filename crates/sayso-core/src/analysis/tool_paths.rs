//! What else the path of a file tool may mean. Agents write `~/x`, `@x` and `*.md`, and some tools replace these before they open a file.
//!
//! Such a path is judged by every reading, and the strictest counts.

use crate::analysis::fact::{HOME, MANY, ONE};
use crate::paths::alternatives_of;
use crate::paths::{as_seen, looks_like_another};

/// A further meaning of a path that a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Alternative {
    /// Another path, as the world is asked for it; it counts whether or not anything is there.
    Path(String),
    /// The same path as a person would read it; it counts where something is there.
    AsSeen(String),
    /// The files of a pattern.
    Pattern(String),
}

/// A longer path is not opened as a whole, so that the world has no answer for it.
const MAX_PATH: usize = 1000;

/// Variables that tools replace, with the folder they stand for below the home.
const BELOW_HOME: [(&str, &str); 13] = [
    ("HOME", ""),
    ("USERPROFILE", ""),
    ("env:HOME", ""),
    ("env:USERPROFILE", ""),
    ("HOMEPATH", ""),
    ("XDG_CONFIG_HOME", "/.config"),
    ("XDG_STATE_HOME", "/.local/state"),
    ("XDG_DATA_HOME", "/.local/share"),
    ("XDG_CACHE_HOME", "/.cache"),
    ("APPDATA", "/.config"),
    ("LOCALAPPDATA", "/.local/share"),
    ("USER_HOME", ""),
    ("HOMEDIR", ""),
];

/// What a path may mean besides what it says.
pub(crate) fn alternatives(written: &str) -> Vec<Alternative> {
    let mut out = Vec::new();
    let plain = written
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-./+=, ".contains(&byte));
    if plain && !written.starts_with(' ') && !written.ends_with(' ')
        || written.len() > MAX_PATH
        || written.contains(HOME)
    {
        return out;
    }
    let tidied = tidied(written);
    for form in forms(written, &tidied) {
        for home in at_home(&form) {
            if home.contains(['*', '?', '[']) {
                out.push(Alternative::Pattern(pattern(&home)));
            }
            out.push(Alternative::Path(home));
        }
        if form != written {
            let path = literal(&form);
            out.push(if form == tidied {
                Alternative::Path(path)
            } else {
                Alternative::AsSeen(path)
            });
        }
    }
    // The name itself, where the text would be replaced.
    if !out.is_empty() {
        out.push(Alternative::Path(literal(written)));
    }
    if let Some(mentioned) = written.strip_prefix('@').filter(|rest| !rest.is_empty()) {
        out.push(Alternative::AsSeen(mentioned.to_owned()));
        out.extend(at_home(mentioned).into_iter().map(Alternative::Path));
    }
    let seen = as_seen(written);
    if seen != written && !seen.is_empty() {
        out.push(Alternative::AsSeen(seen.into_owned()));
    }
    // Groups of some tools (`@(a|b)`) stand for any name here.
    let plain = without_groups(&tidied);
    if plain.contains(['*', '?', '[']) {
        out.push(Alternative::Pattern(pattern(&plain)));
        out.extend(hidden(&plain));
    }
    out.retain(is_asked);
    out.dedup();
    out
}

/// The path with a `*` for each group of a pattern: `@(a|b)`, `!(x)`.
fn without_groups(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some((at, end)) = group(rest) {
        out.push_str(rest.get(..at).unwrap_or_default());
        out.push('*');
        rest = rest.get(end..).unwrap_or_default();
    }
    out + rest
}

/// Where the first group of a pattern starts and ends. A part of a route such as `(auth)` is none.
fn group(path: &str) -> Option<(usize, usize)> {
    let at = ["@(", "+(", "!(", "?(", "*("]
        .iter()
        .filter_map(|start| path.find(start))
        .min()?;
    let length = path.get(at..)?.find(')')?;
    Some((at, at + length + 1))
}

/// What a pattern stands for where its first wildcard fits the dot of a hidden name as well, which it does for some tools.
fn hidden(path: &str) -> Option<Alternative> {
    let (folder, name) = path
        .rfind('/')
        .map_or(("", path), |at| path.split_at(at + 1));
    let rest = match name.chars().next()? {
        '*' => name,
        '?' => name.get(1..)?,
        '[' => name.split_once(']')?.1,
        _ => return None,
    };
    let hidden = format!("{folder}.{rest}");
    Some(if hidden.contains(['*', '?', '[']) {
        Alternative::Pattern(pattern(&hidden))
    } else {
        Alternative::AsSeen(hidden)
    })
}

/// Braces that stand for more paths than this are not written out; they ask in any case.
const MOST_FORMS: usize = 16;

/// The path as it is, tidied, as a person reads it, and with its braces written out.
fn forms(written: &str, tidied: &str) -> Vec<String> {
    let mut forms = vec![written.to_owned(), tidied.to_owned()];
    let seen = as_seen(tidied).into_owned();
    // Look-alike letters are another reading of their own, which counts where something is there.
    if seen.starts_with(['~', '$', '%']) {
        forms.push(seen);
    }
    if tidied.contains('{') && !tidied.contains("${") {
        forms.extend(
            alternatives_of(tidied)
                .unwrap_or_default()
                .into_iter()
                .take(MOST_FORMS),
        );
    }
    forms.retain(|form| !form.is_empty());
    let mut known: Vec<String> = Vec::new();
    for form in forms {
        if !known.contains(&form) {
            known.push(form);
        }
    }
    known
}

/// Why a change of this path asks, although a read of it need not.
pub(crate) fn odd_to_change(written: &str) -> Option<&'static str> {
    let name = written.rsplit('/').next().unwrap_or_default();
    if written.contains(['*', '?']) {
        return Some("a wildcard in the path may stand for other files");
    }
    if written.contains(['[', ']', '{', '}']) && !is_route(written, name) {
        return Some("brackets in the path may stand for other files");
    }
    if group(written).is_some() {
        return Some("a group in the path may stand for other files");
    }
    if written.starts_with('@') || name.starts_with('@') {
        return Some("a leading @ may name another file");
    }
    if written
        .split_once(':')
        .is_some_and(|(host, _)| host.contains('@') && !host.contains('/'))
    {
        return Some("the path may name a file of another machine");
    }
    if is_quoted(written) {
        return Some("the path stands in quotes, which some tools take off");
    }
    if is_device_of_windows(name) {
        return Some("the name is a device on Windows");
    }
    looks_like_another(written)
}

/// Names that Windows takes for a device, whatever follows the first dot.
fn is_device_of_windows(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_ascii_lowercase();
    let is_port = |kind: &str| {
        stem.strip_prefix(kind)
            .is_some_and(|port| port.len() == 1 && port.bytes().all(|byte| byte.is_ascii_digit()))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || is_port("com") || is_port("lpt")
}

/// Parts of the path that frameworks put in brackets (`[slug]`, `[[...path]]`, `{{name}}`), in a file that is a source.
fn is_route(written: &str, name: &str) -> bool {
    const SOURCES: [&str; 16] = [
        "ts", "tsx", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro", "css", "scss", "py",
        "rb", "go", "rs", "php",
    ];
    let is_source = name
        .rsplit_once('.')
        .is_some_and(|(_, ending)| SOURCES.contains(&ending));
    // `[a-z]` is a class of letters, and no name.
    let is_name = |inner: &str| {
        let inner = inner.trim_start_matches("...");
        inner
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.=".contains(&byte))
            && inner.split('-').all(|word| word.len() > 1)
    };
    let is_part = |part: &str| {
        let mut rest = part;
        while let Some(start) = rest.find(['[', ']', '{', '}']) {
            let opened = rest.get(start..).unwrap_or_default();
            let open = opened
                .chars()
                .take_while(|letter| matches!(letter, '[' | '{'))
                .count();
            let close = if opened.starts_with('[') { "]" } else { "}" }.repeat(open);
            let Some((inner, after)) = opened
                .get(open..)
                .and_then(|inner| inner.split_once(&close))
            else {
                return false;
            };
            if open == 0 || open > 2 || !is_name(inner) {
                return false;
            }
            rest = after;
        }
        true
    };
    is_source && written.split('/').all(is_part)
}

fn is_quoted(written: &str) -> bool {
    ['"', '\'', '`']
        .into_iter()
        .any(|quote| written.len() > 1 && written.starts_with(quote) && written.ends_with(quote))
}

/// The path without quotes and spaces around it, without escapes of blanks, with `/` for `\`, and with `%2e` and the like written out.
fn tidied(written: &str) -> String {
    let mut text = written.trim();
    if is_quoted(text) {
        text = text.get(1..text.len() - 1).unwrap_or(text);
    }
    decoded(&text.replace('\\', "/"))
}

/// A text with `%41` written out. What would be no text, or a control character, stays as it is.
pub(crate) fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = text
            .get(at + 1..at + 3)
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        match code.filter(|code| *byte == b'%' && *code >= b' ' && *code != 0x7f) {
            Some(code) => {
                out.push(code);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Where a path leads that starts with `~`, `~name` or a variable for the home.
fn at_home(text: &str) -> Vec<String> {
    if let Some(rest) = text.strip_prefix('~') {
        let (user, below) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        return match user {
            "" => vec![format!("{HOME}{below}")],
            "+" => vec![format!(".{below}")],
            "root" => vec![format!("/root{below}"), format!("{HOME}/../root{below}")],
            user => vec![format!("{HOME}/../{user}{below}")],
        };
    }
    let from_variable = |text: &str| {
        let (name, rest) = variable(text)?;
        let below = BELOW_HOME
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, below)| format!("{HOME}{below}{rest}"));
        below.or_else(|| name.eq_ignore_ascii_case("PWD").then(|| format!(".{rest}")))
    };
    let of_user = || {
        let rest = ["/home/", "/Users/"]
            .iter()
            .find_map(|folder| text.strip_prefix(folder))?;
        let (name, rest) = variable(rest)?;
        ["USER", "LOGNAME", "USERNAME"]
            .contains(&name)
            .then(|| format!("{HOME}{rest}"))
    };
    from_variable(text)
        .or_else(of_user)
        .filter(|path| path.starts_with('.') || below_a_folder(path))
        .into_iter()
        .collect()
}

/// Whether what follows the home is a path below it, or nothing.
fn below_a_folder(path: &str) -> bool {
    path.strip_prefix(HOME)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The variable that a text starts with, and what follows it.
fn variable(text: &str) -> Option<(&str, &str)> {
    if let Some(rest) = text.strip_prefix('%') {
        return rest.split_once('%');
    }
    let rest = text.strip_prefix('$')?;
    if let Some(inner) = rest.strip_prefix('{') {
        let (inner, rest) = inner.split_once('}')?;
        // `${HOME:-x}` is the home, too.
        return Some((
            inner
                .split([':', '-', '+', '=', '?', '%', '#', '/'])
                .next()
                .filter(|name| *name != "env")
                .unwrap_or(inner),
            rest,
        ));
    }
    let end = rest
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != ':')
        .unwrap_or(rest.len());
    Some(rest.split_at(end))
}

/// A path that is a name and nothing else, even if it starts with `~`.
fn literal(written: &str) -> String {
    if written.starts_with(['/', '.']) {
        written.to_owned()
    } else {
        format!("./{written}")
    }
}

fn pattern(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        let class = (letter == '[')
            .then(|| after.get(1..)?.find(']').map(|end| end + 1))
            .flatten();
        rest = match (letter, class) {
            ('*', _) => {
                out.push(MANY);
                after.trim_start_matches('*')
            }
            ('?', _) => {
                out.push(ONE);
                after
            }
            ('[', Some(end)) => {
                out.push(ONE);
                after.get(end + 1..).unwrap_or_default()
            }
            _ => {
                out.push(letter);
                after
            }
        };
    }
    out
}

/// Whether the world can be asked for it.
fn is_asked(alternative: &Alternative) -> bool {
    let (Alternative::Path(path) | Alternative::AsSeen(path) | Alternative::Pattern(path)) =
        alternative;
    let signs = if matches!(alternative, Alternative::Pattern(_)) {
        &[HOME, MANY, ONE][..]
    } else {
        &[HOME][..]
    };
    let short = path.split('/').all(|name| name.len() <= 255) && path.len() <= MAX_PATH;
    let is_pattern = !matches!(alternative, Alternative::Pattern(_)) || path.contains([MANY, ONE]);
    short
        && is_pattern
        && path
            .chars()
            .all(|letter| !letter.is_control() || signs.contains(&letter))
        && !path.contains("..namedfork")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn homes(written: &str) -> Vec<String> {
        let paths = alternatives(written)
            .into_iter()
            .filter_map(|alternative| match alternative {
                Alternative::Path(path) if path.starts_with(HOME) => {
                    path.strip_prefix(HOME).map(str::to_owned)
                }
                _ => None,
            });
        paths.collect()
    }

    #[test]
    fn finding_j_10_every_spelling_of_the_home_is_read() {
        for written in [
            "~/.ssh/x",
            "$HOME/.ssh/x",
            "${HOME}/.ssh/x",
            "${HOME:-/x}/.ssh/x",
            " ~/.ssh/x",
            "'~/.ssh/x'",
            "~\\.ssh\\x",
            "%HOME%/.ssh/x",
            "%USERPROFILE%\\.ssh\\x",
            "$env:USERPROFILE\\.ssh\\x",
            "@~/.ssh/x",
            "%7e/.ssh/x",
            "~/%2essh/x",
            "/home/$USER/.ssh/x",
            "/Users/${USER}/.ssh/x",
        ] {
            assert!(
                homes(written).contains(&"/.ssh/x".to_owned()),
                "{written} {:?}",
                alternatives(written)
            );
        }
        for written in ["\u{ff5e}/.ssh/x", "~/{.ssh,y}/x", "\u{200b}~/.ssh/x"] {
            assert!(
                homes(written).contains(&"/.ssh/x".to_owned()),
                "{written} {:?}",
                alternatives(written)
            );
        }
        assert!(
            alternatives("~/.s?h/x").contains(&Alternative::Pattern(format!("{HOME}/.s{ONE}h/x")))
        );
        assert_eq!(homes("~"), [""]);
        assert_eq!(homes("~u/x"), ["/../u/x"]);
        assert_eq!(
            homes("$XDG_CONFIG_HOME/sayso/policy.yaml"),
            ["/.config/sayso/policy.yaml"]
        );
        assert!(alternatives("~/x").contains(&Alternative::Path("./~/x".into())));
        for plain in [
            "a/b.c",
            "x~",
            "a/~/b",
            "./~/x",
            "$1/x",
            "cost$.txt",
            "100%",
            "a b/c d.txt",
        ] {
            assert_eq!(homes(plain), [""; 0], "{plain}");
        }
    }

    #[test]
    fn finding_j_09_changes_of_such_paths_ask() {
        for written in [
            "docs/*.md",
            "docs/?.md",
            "docs/[ab].md",
            "docs/[a-z]x.ts",
            "docs/{a}.md",
            "@docs/x.md",
            "docs/@x.md",
            "user@host:x.md",
            "'a.md'",
            "d\u{43e}cs/a.md",
            "a]b.md",
        ] {
            assert!(odd_to_change(written).is_some(), "{written}");
        }
        for written in [
            "docs/a.md",
            "app/[slug]/page.tsx",
            "app/[[...path]]/page.ts",
            "src/(group)/page.tsx",
            "packages/@scope/x/README.md",
            "{{cookiecutter.name}}/x.py",
            "app/@modal/page.tsx",
            "routes/blog/[id=integer]/+page.svelte",
            "a'b.md",
            "漢字/отчёт.md",
            "12:30.log",
            "console.md",
            "communication/aux_notes.md",
            "a@1.0.0/x.md",
        ] {
            assert_eq!(odd_to_change(written), None, "{written}");
        }
    }
}
