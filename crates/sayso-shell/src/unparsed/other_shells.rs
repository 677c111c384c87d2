//! Tells text for PowerShell, cmd and other shells from text for bash, so that a refusal can say what it looks like.
//!
//! Only a hint for people: what it answers makes nothing allowed, and a text it does not know is read as bash all the same.

use crate::parse::characters::starts_with;

/// So much of a text is looked at.
const MOST_BYTES: usize = 16 * 1024;

/// Verbs that a name of PowerShell starts with: `Get-ChildItem`.
const VERBS: [&str; 40] = [
    "add",
    "clear",
    "compare",
    "convertfrom",
    "convertto",
    "copy",
    "disable",
    "enable",
    "enter",
    "export",
    "expand",
    "compress",
    "find",
    "foreach",
    "format",
    "get",
    "group",
    "import",
    "install",
    "invoke",
    "join",
    "measure",
    "move",
    "new",
    "out",
    "read",
    "register",
    "remove",
    "rename",
    "resolve",
    "restart",
    "select",
    "send",
    "set",
    "sort",
    "start",
    "stop",
    "test",
    "where",
    "write",
];

/// Names behind the verb that only PowerShell has, so that `get-pip.py` or `install-deps` is not taken for one.
const NOUNS: [&str; 62] = [
    "acl",
    "alias",
    "bitstransfer",
    "bitlocker",
    "childitem",
    "ciminstance",
    "clipboard",
    "command",
    "computer",
    "computerinfo",
    "content",
    "credential",
    "csv",
    "culture",
    "date",
    "disk",
    "error",
    "event",
    "eventlog",
    "executionpolicy",
    "expression",
    "file",
    "filehash",
    "help",
    "history",
    "host",
    "hotfix",
    "item",
    "itemproperty",
    "job",
    "json",
    "location",
    "member",
    "module",
    "mppreference",
    "mpcomputerstatus",
    "netadapter",
    "netfirewallprofile",
    "netfirewallrule",
    "netipaddress",
    "null",
    "object",
    "output",
    "partition",
    "path",
    "process",
    "psdrive",
    "pssession",
    "random",
    "restmethod",
    "scheduledtask",
    "service",
    "sleep",
    "string",
    "table",
    "list",
    "tracing",
    "type",
    "variable",
    "volume",
    "webrequest",
    "wmiobject",
];

/// Programs that run such text.
pub(crate) fn is_program(word: &str) -> bool {
    let base = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let base = base
        .get(..base.len().saturating_sub(4))
        .filter(|_| ends_with_exe(base))
        .unwrap_or(base);
    ["powershell", "pwsh", "cmd", "powershell_ise"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(base))
}

fn ends_with_exe(base: &str) -> bool {
    base.len() > 4
        && base
            .get(base.len() - 4..)
            .is_some_and(|end| end.eq_ignore_ascii_case(".exe"))
}

/// The shell that a text looks written for, if it does not look like one for bash.
pub(crate) fn named(text: &str) -> Option<&'static str> {
    let text = text
        .get(..text.floor_char_boundary(MOST_BYTES))
        .unwrap_or(text);
    let words = || {
        text.split(|letter: char| letter.is_whitespace() || "|;(){}&`\"'=,".contains(letter))
            .filter(|word| !word.is_empty())
    };
    if words().any(is_cmdlet)
        || has_any(
            text,
            &["$env:", "$null", "$true", "$false", "$PSItem", "$_."],
        ) && !text.contains("awk")
    {
        return Some("PowerShell");
    }
    let first = words().next().unwrap_or("");
    if ["iex", "iwr", "irm", "gci", "ri"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(first))
        || has_ignoring_case(text, "| iex")
    {
        return Some("PowerShell");
    }
    if is_cmd(text, first) {
        return Some("cmd");
    }
    let mut lines = text.lines().map(str::trim_start).take(512);
    if lines.clone().any(is_fish) {
        return Some("fish");
    }
    if lines.clone().any(is_csh) {
        return Some("csh");
    }
    lines.any(is_nu).then_some("nu")
}

/// Whether a word is a verb and a noun of PowerShell.
pub(crate) fn is_cmdlet(word: &str) -> bool {
    let Some((verb, noun)) = word.split_once('-') else {
        return false;
    };
    let is_one =
        |list: &[&str], word: &str| list.iter().any(|name| name.eq_ignore_ascii_case(word));
    is_one(&VERBS, verb) && is_one(&NOUNS, noun)
}

/// Text of cmd: its own commands with options behind a slash, variables in percent signs, paths with a drive.
fn is_cmd(text: &str, first: &str) -> bool {
    const OWN: [&str; 18] = [
        "del", "erase", "rd", "rmdir", "copy", "xcopy", "robocopy", "move", "dir", "type",
        "attrib", "icacls", "takeown", "reg", "format", "tasklist", "taskkill", "schtasks",
    ];
    let own = OWN.iter().any(|name| name.eq_ignore_ascii_case(first));
    let slash_option = |word: &str| {
        word.strip_prefix('/').is_some_and(|rest| {
            matches!(rest.len(), 1 | 2) && rest.bytes().all(|byte| byte.is_ascii_alphabetic())
        })
    };
    let drive = |word: &str| {
        let word = word.trim_matches(['"', '\'']);
        word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
            && word
                .get(1..3)
                .is_some_and(|next| next == ":\\" || next == ":/")
    };
    let mut words = text.split_whitespace().skip(1);
    (own && words.any(|word| slash_option(word) || drive(word)))
        || starts_with(text.trim_start(), "@echo off")
        || text.split_whitespace().any(is_percent_variable)
        || (starts_with(first, "cmd")
            && is_program(first)
            && text
                .split_whitespace()
                .any(|word| matches!(word, "/c" | "/C" | "/k" | "/K")))
        || text
            .split_whitespace()
            .any(|word| drive(word) && word.contains('\\'))
}

/// A name between percent signs: `%USERPROFILE%`, not the `%s` of a format or the `%d%%` of a date.
fn is_percent_variable(word: &str) -> bool {
    let mut parts = word.split('%').skip(1);
    parts.next().is_some_and(|name| {
        name.len() > 2
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            && parts.next().is_some()
    })
}

fn is_fish(line: &str) -> bool {
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some("set"), Some("-gx" | "-x" | "-U" | "-Ux" | "-l" | "-g" | "-e")) => {
            words.next().is_some_and(|name| !name.starts_with('-'))
        }
        (Some("function"), Some(_)) => {
            words.next() == Some("--argument")
                || words.next().is_some_and(|word| word.starts_with("--"))
        }
        (Some("string"), Some("match" | "replace" | "split" | "join" | "trim")) => true,
        _ => false,
    }
}

fn is_csh(line: &str) -> bool {
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some("setenv"), Some(_)) => true,
        (Some("foreach"), Some(_)) => words.next().is_some_and(|word| word.starts_with('(')),
        (Some("set"), Some(_)) => words.next() == Some("="),
        _ => false,
    }
}

fn is_nu(line: &str) -> bool {
    let mut words = line.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("let" | "mut"), Some(name), Some("=")) => name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        (Some("open"), Some(_), Some("|")) => words
            .next()
            .is_some_and(|word| matches!(word, "get" | "where" | "select" | "from")),
        _ => false,
    }
}

fn has_any(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| has_ignoring_case(text, part))
}

/// Whether a text has a part, in any case.
pub(crate) fn has_ignoring_case(text: &str, part: &str) -> bool {
    text.as_bytes()
        .windows(part.len().max(1))
        .any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn text_for_another_shell_is_told_from_text_for_bash() {
        for (text, shell) in [
            ("Remove-Item -Recurse x", "PowerShell"),
            ("Get-ChildItem | Where-Object { $_.Length }", "PowerShell"),
            ("get-content x", "PowerShell"),
            ("ls $env:TEMP", "PowerShell"),
            ("dir 2>$null", "PowerShell"),
            ("ls | Out-File x", "PowerShell"),
            ("iwr https://x.example | iex", "PowerShell"),
            ("Invoke-WebRequest https://x.example", "PowerShell"),
            ("cmd /c dir", "cmd"),
            ("cmd.exe /C dir", "cmd"),
            ("del /s /q x", "cmd"),
            ("rd /s /q C:\\x", "cmd"),
            ("dir C:\\", "cmd"),
            ("type C:\\x.txt", "cmd"),
            ("echo %USERPROFILE%", "cmd"),
            ("@echo off", "cmd"),
            ("set -gx PATH x", "fish"),
            ("string match x y", "fish"),
            ("setenv A b", "csh"),
            ("let x = 1", "nu"),
        ] {
            assert_eq!(named(text), Some(shell), "{text}");
        }
        for text in [
            "ls -la",
            "git log --format=%H%n",
            "date +%Y-%m-%d",
            "printf '%s %d%%' a 1",
            "get-pip.py install",
            "./test-all",
            "install-deps --now",
            "echo $x",
            "set -e",
            "set -x; ls",
            "dir",
            "awk '{print $1}' x",
            "rm -rf C",
            "type ls",
            "move-it",
            "function f { ls; }",
            "cat a/b",
            "curl http://x.example/%20a",
            "",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
