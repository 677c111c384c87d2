//! Commands that run what they are sent: not only shells, but filters with a command in their script, and tools that read their orders.

use crate::expand::wrappers::{is_transparent, loose_name, takes_command};
use crate::parse::name_set::NameSet;
use crate::unparsed::language_names::is_language;
use crate::unparsed::words::{head, is_assignment};

/// Names of what a program is sent.
const INPUT: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Whether a command runs what it reads, as far as no shell does.
pub(crate) fn runs_input(words: &[String]) -> bool {
    let Some(words) = behind_wrappers(words) else {
        return false;
    };
    let Some((first, arguments)) = words.split_first() else {
        return false;
    };
    // A shell by its variable, or whatever else that is.
    if first.starts_with('$') {
        return true;
    }
    let name = loose_name(first);
    let has_input = || arguments.iter().any(|word| INPUT.contains(&word.as_str()));
    match &*name {
        "sed" | "gsed" => sed_commands(arguments).iter().any(Run::is_input),
        _ if name.ends_with("awk") => arguments.iter().any(|word| awk_runs_input(word)),
        "at" | "batch" => !arguments
            .iter()
            .any(|word| matches!(word.as_str(), "-l" | "-f" | "-r" | "-d")),
        "xargs" => arguments.iter().any(|word| word == "eval"),
        "make" | "gmake" | "just" | "ansible-playbook" | "crontab" | "docker-compose" => {
            has_input()
        }
        "kubectl" | "oc" => {
            has_input()
                && arguments
                    .iter()
                    .any(|word| matches!(word.as_str(), "apply" | "create" | "replace"))
        }
        "gdb" | "vim" | "vi" | "nvim" | "ex" | "lldb" => name == "ex" || has_input(),
        "ed" | "psql" | "sqlite3" | "mysql" | "m4" | "tclsh" | "expect" | "wish" | "irb"
        | "scala" | "jshell" | "ghci" | "iex" => !arguments
            .iter()
            .any(|word| matches!(word.as_str(), "-c" | "-e" | "--command" | "-f")),
        _ if is_language(first) => {
            let each = arguments.iter().any(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.contains(['n', 'p'])
            });
            let bare = arguments.iter().all(|word| {
                INPUT.contains(&word.as_str())
                    || matches!(word.as_str(), "-u" | "-B" | "-s" | "run" | "-A")
            });
            bare || each && arguments.iter().any(|word| has_run(word))
                || arguments.iter().any(|word| runs_what_it_reads(word))
        }
        _ => false,
    }
}

/// Whether code for each line runs something.
fn has_run(code: &str) -> bool {
    ["system", "exec", "eval", "qx", "`", "popen"]
        .iter()
        .any(|name| code.contains(name))
        && code.contains(['$', '_', '`'])
}

/// Whether code reads its input and runs a text.
fn runs_what_it_reads(code: &str) -> bool {
    let small = code.to_ascii_lowercase();
    let reads = [
        "stdin",
        "input(",
        "readfilesync(0",
        "<>",
        "gets",
        "/dev/stdin",
        "argf",
        "php://input",
    ]
    .iter()
    .any(|name| small.contains(name));
    let runs = [
        "exec(",
        "eval(",
        "eval ",
        "system(",
        "popen(",
        "instance_eval",
        "function(",
    ]
    .iter()
    .any(|name| small.contains(name));
    reads && runs
}

fn awk_runs_input(code: &str) -> bool {
    let dense: String = code
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    dense.contains("system(") && !dense.contains("system(\"")
        || [
            "system($",
            "|\"sh",
            "|\"bash",
            "|\"/bin/",
            "$0|getline",
            "|&\"sh",
        ]
        .iter()
        .any(|form| dense.contains(form))
        || dense.contains("|getline") && dense.contains('$')
}

/// A command in a script of `sed`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// The line that it reads.
    Input,
    /// A text of the script.
    Text(String),
}

impl Run {
    fn is_input(&self) -> bool {
        *self == Run::Input
    }
}

/// The commands that the scripts among the arguments of `sed` run: `1e ls`, `s/x/ls/e`.
pub(crate) fn sed_commands(arguments: &[String]) -> Vec<Run> {
    let mut out = Vec::new();
    let by_option = arguments.iter().any(|word| is_script_option(word));
    let mut words = arguments.iter().map(String::as_str);
    let mut operand = !by_option;
    while let Some(word) = words.next() {
        let script = match word {
            "-e" | "--expression" => words.next(),
            _ if word.starts_with("--expression=") => {
                word.split_once('=').map(|(_, script)| script)
            }
            _ if word.starts_with("-e") => word.get(2..),
            _ if is_script_option(word) => words.next(),
            _ if word.starts_with('-') => None,
            _ => Some(word).filter(|_| std::mem::take(&mut operand)),
        };
        if let Some(script) = script {
            of_script(script, &mut out);
        }
    }
    out
}

/// `-e`, also at the end of a bundle: `-ne`.
fn is_script_option(word: &str) -> bool {
    word.starts_with("--expression")
        || word.starts_with("-e")
        || word.starts_with('-') && !word.starts_with("--") && word.ends_with('e')
}

fn of_script(script: &str, out: &mut Vec<Run>) {
    let mut rest = script;
    while !rest.is_empty() {
        rest = behind_address(rest);
        let Some(command) = rest.chars().next() else {
            return;
        };
        let after = rest.get(command.len_utf8()..).unwrap_or("");
        rest = match command {
            'e' => {
                let (text, next) = after.split_once('\n').unwrap_or((after, ""));
                let text = text.trim();
                out.push(if text.is_empty() || text.starts_with([';', '}']) {
                    Run::Input
                } else {
                    Run::Text(text.to_owned())
                });
                next
            }
            's' => of_substitution(after, out),
            // These take the rest of the line.
            'a' | 'i' | 'c' | 'r' | 'w' | 'R' | 'W' | ':' | 'b' | 't' | 'T' | '#' => {
                after.split_once('\n').map_or("", |(_, next)| next)
            }
            'y' => behind_parts(after, 2).map_or("", |(_, next)| next),
            _ => after,
        };
    }
}

/// The rest of a script behind an address: `1,$!`, `/x/,+3`.
fn behind_address(script: &str) -> &str {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|letter: char| {
            letter.is_whitespace() || letter.is_ascii_digit() || ";{}$,!~+".contains(letter)
        });
        if let Some(pattern) = rest.strip_prefix('/') {
            rest =
                until(pattern, '/').map_or("", |(_, after)| after.trim_start_matches(['I', 'M']));
        } else if let Some(pattern) = rest
            .strip_prefix('\\')
            .filter(|pattern| !pattern.is_empty())
        {
            let sign = pattern.chars().next().unwrap_or('/');
            rest = pattern
                .get(sign.len_utf8()..)
                .and_then(|pattern| until(pattern, sign))
                .map_or("", |(_, after)| after);
        } else {
            return rest;
        }
    }
}

/// A text up to a sign that no backslash stands before, and the rest behind it.
fn until(text: &str, sign: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == sign && !escaped {
            return Some((text.get(..at)?, text.get(at + sign.len_utf8()..)?));
        }
        escaped = letter == '\\' && !escaped;
    }
    None
}

/// So many parts behind a sign that the text starts with, and the rest.
fn behind_parts(text: &str, count: usize) -> Option<(Vec<&str>, &str)> {
    let sign = text.chars().next()?;
    let mut rest = text.get(sign.len_utf8()..)?;
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let (part, after) = until(rest, sign)?;
        parts.push(part);
        rest = after;
    }
    Some((parts, rest))
}

fn of_substitution<'a>(text: &'a str, out: &mut Vec<Run>) -> &'a str {
    let Some((parts, rest)) = behind_parts(text, 2) else {
        return "";
    };
    let flags = rest
        .chars()
        .take_while(|letter| letter.is_ascii_alphanumeric())
        .count();
    let (flags, rest) = rest.split_at_checked(flags).unwrap_or((rest, ""));
    if flags
        .split('w')
        .next()
        .is_some_and(|flags| flags.contains('e'))
    {
        let replacement = parts.get(1).copied().unwrap_or("");
        out.push(Run::Text(replacement.to_owned()));
        // Whatever is left of the line is run with it.
        out.push(Run::Input);
    }
    // Behind `w` stands the name of a file.
    if flags.contains('w') {
        rest.split_once('\n').map_or("", |(_, next)| next)
    } else {
        rest
    }
}

/// The words of what a command starts, also behind `timeout 5` or `env A=b`.
fn behind_wrappers(words: &[String]) -> Option<&[String]> {
    let own = |word: &String| {
        is_transparent(word)
            || is_assignment(word)
            || word.starts_with(|first: char| first == '-' || first.is_ascii_digit())
    };
    let first = head(words)?;
    let at = words.iter().position(|word| word == first)?;
    if !is_wrapping(first) {
        return words.get(at..);
    }
    let inner = words
        .iter()
        .skip(at + 1)
        .position(|word| !own(word) && !is_wrapping(word))?;
    words.get(at + 1 + inner..)
}

fn is_wrapping(word: &str) -> bool {
    static WRAPPING: NameSet<12> = NameSet::new([
        "sudo", "doas", "env", "nice", "nohup", "timeout", "stdbuf", "command", "busybox",
        "setsid", "ionice", "time",
    ]);
    is_transparent(word) || WRAPPING.has_program(word) && takes_command(word)
}

/// Whether a command turns what is written in code into plain text.
pub(crate) fn decodes(words: &[String]) -> bool {
    let Some(first) = head(words) else {
        return false;
    };
    let has = |options: &[&str]| words.iter().any(|word| options.contains(&word.as_str()));
    match &*loose_name(first) {
        "base64" | "base32" | "basenc" | "gbase64" => has(&["-d", "-D", "--decode", "-di"]),
        "xxd" => words
            .iter()
            .any(|word| word.starts_with('-') && word.contains('r')),
        "openssl" | "gpg" | "age" => has(&["-d", "--decrypt"]),
        "uudecode" | "rev" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Run, runs_input, sed_commands};

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn scripts_of_sed_that_run() {
        let of = |script: &str| sed_commands(&[script.to_owned()]);
        let text = |text: &str| vec![Run::Text(text.to_owned())];
        assert_eq!(of("1e rm -rf ~"), text("rm -rf ~"));
        assert_eq!(of("/x/,$!{e ls\n}"), text("ls"));
        let both = |text: &str| vec![Run::Text(text.to_owned()), Run::Input];
        assert_eq!(of("s/x/rm -rf ~/e"), both("rm -rf ~"));
        assert_eq!(of("s/a/b/;s|x|ls|ge"), both("ls"));
        assert_eq!(of("e"), [Run::Input]);
        assert_eq!(of("s/.*/&/e"), [Run::Text("&".to_owned()), Run::Input]);
        for script in [
            "s/e/e/g",
            "/e/d",
            "s/a/b/w e",
            "a e rm -rf ~",
            "1d;$p",
            "s/x/rm -rf/g",
            "y/abc/def/",
            "\\,e,d",
            "s/a\\/e/b/",
        ] {
            assert_eq!(of(script), [], "{script}");
        }
    }

    #[test]
    fn filters_that_run_what_they_read() {
        for text in [
            "sed 1e",
            "awk {system($0)}",
            "awk {print|\"sh\"}",
            "perl -ne system($_)",
            "make -f -",
            "at now",
            "sudo sed e",
        ] {
            assert!(runs_input(&words(text)), "{text}");
        }
        for text in [
            "sed s/a/b/",
            "awk {print$1}",
            "perl -ne print",
            "make",
            "grep -e x",
            "jq .",
            "python3 x.py",
            "head -n1",
        ] {
            assert!(!runs_input(&words(text)), "{text}");
        }
    }
}
