//! Commands that stand in the words of a program, by the table in `commands.txt`.

use crate::parse::characters::last_part;
use crate::parse::placeholder;
use crate::programs::row_index::RowIndex;
use crate::unparsed::command_texts;

/// Where a carried command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the same folder.
    Here,
    /// On this machine, in another folder.
    Folder,
    /// Where paths are other files.
    Away,
}

/// A command that a program runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Carry {
    /// As the text of a script.
    pub(crate) text: String,
    /// The index of its first word, counted from the program, where it is given word by word.
    pub(crate) start: Option<usize>,
    /// The word that says that a command is run.
    pub(crate) by: usize,
    /// Who allows the program does not think of this.
    pub(crate) hidden: bool,
    pub(crate) place: Place,
    /// It is the command; otherwise one of several words may start it.
    pub(crate) certain: bool,
}

#[derive(Clone, Copy)]
enum Form {
    Option,
    Words(usize),
    Joined(usize),
    Rest,
    Each,
    Dashes,
}

struct Row {
    subcommands: &'static str,
    place: Place,
    hidden: bool,
    form: Form,
    options: Vec<&'static str>,
}

static INDEX: RowIndex<512, 1025> = RowIndex::new(include_str!("commands.txt"));

/// The rows of a program, taken apart when they are needed.
fn rows(name: &str) -> impl Iterator<Item = Row> + use<'_> {
    INDEX.lines_of(name).map(|line| {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        row(field(0), field(1), field(2), field(3))
    })
}

fn row(subcommands: &'static str, place: &str, form: &str, options: &'static str) -> Row {
    let count = form
        .rsplit(' ')
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(0);
    Row {
        subcommands,
        place: match place.split(' ').next() {
            Some("here") => Place::Here,
            Some("folder") => Place::Folder,
            _ => Place::Away,
        },
        hidden: place.ends_with("hidden"),
        form: match form.split(' ').next() {
            Some("opt") => Form::Option,
            Some("words") => Form::Words(count),
            Some("joined") => Form::Joined(count),
            Some("rest") => Form::Rest,
            Some("each") => Form::Each,
            _ => Form::Dashes,
        },
        options: options.split_ascii_whitespace().collect(),
    }
}

/// Whether the table has a row for a program.
pub(crate) fn knows(name: &str) -> bool {
    INDEX.lines_of(last_part(name)).next().is_some()
}

/// The commands in the words of a program; `words` are those behind it.
pub(crate) fn of(name: &str, words: &[&str]) -> Vec<Carry> {
    let base = last_part(name);
    let mut found: Vec<Carry> = rows(base)
        .flat_map(|row| of_row(&row, base, words))
        .collect();
    for (at, word) in words.iter().enumerate() {
        // Settings and variables that hold a command: `-c core.pager=…`, `X=$(shell …)`.
        let texts = command_texts::texts(base, word)
            .into_iter()
            .map(str::to_owned)
            .chain(of_make(base, word));
        found.extend(texts.map(|text| Carry {
            text,
            start: None,
            by: at + 1,
            hidden: true,
            place: Place::Here,
            certain: true,
        }));
    }
    // This machine is no other one.
    if base.starts_with("ansible")
        && words.iter().any(|word| {
            matches!(
                *word,
                "localhost" | "127.0.0.1" | "::1" | "local" | "--connection=local"
            )
        })
    {
        found.iter_mut().for_each(|carry| carry.place = Place::Here);
    }
    found.dedup();
    found
}

fn of_row(row: &Row, name: &str, words: &[&str]) -> Vec<Carry> {
    let Some(from) = super::subcommand(row.subcommands, words) else {
        return Vec::new();
    };
    let rest = words.get(from..).unwrap_or(&[]);
    let carry = |text: String, start: Option<usize>, by: usize| {
        let start = start.map(|start| from + start + 1);
        Carry {
            text,
            start,
            by,
            hidden: row.hidden,
            place: row.place,
            certain: true,
        }
    };
    // The subcommand says that a command is run, or the program itself.
    match row.form {
        Form::Option => {
            let values = values(&row.options, words).into_iter();
            values
                .filter_map(|(at, value)| Some(carry(run_text(name, value)?, None, at + 1)))
                .collect()
        }
        Form::Rest => {
            let is_option = |word: &&str| row.options.contains(word);
            let Some(at) = words.iter().position(is_option) else {
                return Vec::new();
            };
            let inner = words.get(at + 1..).unwrap_or(&[]);
            if inner.is_empty() {
                return Vec::new();
            }
            vec![Carry {
                start: Some(at + 2),
                ..carry(quoted(inner), None, at + 1)
            }]
        }
        Form::Words(skipped) | Form::Joined(skipped) => {
            let starts = starts(rest, skipped);
            let certain = starts.len() == 1;
            let inner = |start: usize| {
                let words = rest.get(start..).unwrap_or(&[]);
                match row.form {
                    Form::Joined(_) => carry(words.join(" "), None, from),
                    _ => carry(quoted(words), Some(start), from),
                }
            };
            starts
                .into_iter()
                .map(|start| Carry {
                    certain,
                    ..inner(start)
                })
                .collect()
        }
        Form::Each => {
            let texts = rest
                .iter()
                .enumerate()
                .filter_map(|(at, word)| Some((at, run_text(name, word)?)));
            texts
                .filter(|(_, text)| text.contains(' '))
                .map(|(at, text)| carry(text, None, from + at + 1))
                .collect()
        }
        Form::Dashes => {
            let Some(dashes) = rest.iter().position(|word| *word == "--") else {
                return Vec::new();
            };
            let inner = rest.get(dashes + 1..).unwrap_or(&[]);
            if inner.is_empty() {
                Vec::new()
            } else {
                vec![carry(quoted(inner), Some(dashes + 1), from + dashes + 1)]
            }
        }
    }
}

/// Options without a value that often stand before a command.
const FLAGS: [&str; 16] = [
    "-i",
    "-t",
    "-it",
    "-ti",
    "-d",
    "-T",
    "--rm",
    "--tty",
    "--interactive",
    "--detach",
    "-y",
    "--yes",
    "-q",
    "--quiet",
    "--recursive",
    "--no-deps",
];

/// Where a command may start behind so many operands: which options take the next word is not known, so there may be several places.
fn starts(words: &[&str], skipped: usize) -> Vec<usize> {
    let mut places = Vec::new();
    let (mut least, mut most) = (0, 0);
    for (at, word) in words.iter().enumerate() {
        if *word == "--" {
            places.push(at + 1);
            break;
        }
        let is_assignment = word
            .split_once('=')
            .is_some_and(|(name, _)| crate::parse::characters::is_name(name));
        if word.starts_with('-') || is_assignment {
            continue;
        }
        if (least..=most).contains(&skipped) {
            places.push(at);
        }
        let takes_value = |before: &&str| {
            before.starts_with('-') && !before.contains('=') && !FLAGS.contains(before)
        };
        most += 1;
        least += usize::from(
            !at.checked_sub(1)
                .and_then(|before| words.get(before))
                .is_some_and(takes_value),
        );
        if least > skipped {
            break;
        }
    }
    places.retain(|at| *at < words.len());
    places
}

/// The values of these options, with the place of the option's word.
fn values<'a>(options: &[&str], words: &[&'a str]) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for option in options {
            let next = words.get(at + 1).copied();
            let attached = |rest: &'a str| rest.strip_prefix('=').unwrap_or(rest);
            let value = match word.strip_prefix(*option) {
                Some("") => next,
                Some(rest)
                    if rest.starts_with('=') || option.len() == 2 && !rest.starts_with('-') =>
                {
                    Some(attached(rest))
                }
                _ => abbreviated(option, word)
                    .map_or_else(|| in_cluster(option, word, next), |rest| rest.or(next)),
            };
            found.extend(value.map(|value| (at, value)));
        }
    }
    found
}

/// `--ext=x` for `--extcmd`: the value that is attached, if one is.
fn abbreviated<'a>(option: &str, word: &'a str) -> Option<Option<&'a str>> {
    let (name, value) = word
        .split_once('=')
        .map_or((word, None), |(name, value)| (name, Some(value)));
    (option.starts_with("--") && name.len() > 3 && option.starts_with(name)).then_some(value)
}

/// `-vx cmd` for `-x`.
fn in_cluster<'a>(option: &str, word: &'a str, next: Option<&'a str>) -> Option<&'a str> {
    let letter = option
        .strip_prefix('-')
        .filter(|letter| letter.len() == 1 && *letter != "-")?;
    let letters = word
        .strip_prefix('-')
        .filter(|letters| !letters.starts_with('-'))?;
    let (before, behind) = letters.split_once(letter)?;
    let flags = !before.is_empty()
        && before.len() < 4
        && before.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !flags {
        return None;
    }
    if behind.is_empty() {
        next
    } else {
        Some(behind)
    }
}

/// The text that a program runs as a command, out of the text in its own language.
fn run_text(name: &str, value: &str) -> Option<String> {
    let behind = |signs: &[&str]| {
        signs
            .iter()
            .find_map(|sign| Some(value.split_once(sign)?.1.trim().to_owned()))
    };
    match name {
        "vim" | "vi" | "nvim" | "gvim" | "view" | "ex" | "less" | "more" | "most" => {
            behind(&["!", "system("])
        }
        "emacs" => behind(&["shell-command \"", "call-process \""])
            .map(|text| text.trim_end_matches(['"', ')']).to_owned()),
        "gdb" | "lldb" => behind(&["!", "shell "]).or_else(|| behind(&["platform "])),
        "psql" => behind(&["\\!", "PROGRAM '", "program '", "|"])
            .map(|text| text.trim_end_matches('\'').to_owned()),
        "mysql" | "mariadb" => behind(&["\\!", "system "]),
        "sqlite3" | "duckdb" => behind(&[".shell ", ".system ", ".sh ", ".sy ", "|"]),
        "tar" | "gtar" | "bsdtar" => Some(value.strip_prefix("exec=").unwrap_or(value).to_owned()),
        "ansible" | "ansible-console" => Some(
            value
                .strip_prefix("cmd=")
                .unwrap_or(value)
                .trim_matches('"')
                .to_owned(),
        ),
        // `env:command` for the environment that it runs in.
        "hatch" => Some(
            value
                .split_once(':')
                .map_or(value, |(_, text)| text)
                .to_owned(),
        ),
        "fzf" | "sk" => of_finder(value),
        // `target.x.runner="…"`, also as a list.
        "cargo" => value
            .split_once('=')
            .filter(|(name, _)| {
                ["runner", "linker", "rustc", "rustdoc", "-wrapper"]
                    .iter()
                    .any(|end| name.trim_end().ends_with(end))
            })
            .map(|(_, text)| bare_list(text)),
        "aws" => Some(
            value
                .split_once("commands=")
                .map_or_else(|| value.to_owned(), |(_, text)| bare_list(text)),
        ),
        // A name for other words of `gh`, or behind `!` for a command of the shell.
        "gh" => Some(value.strip_prefix('!').map_or_else(
            || {
                const OWN: [&str; 12] = [
                    "repo", "pr", "issue", "run", "api", "release", "gist", "secret", "cache",
                    "workflow", "label", "project",
                ];
                let first = value.split(' ').next().unwrap_or(value);
                if crate::programs::rule_forms::is_program(first) && !OWN.contains(&first) {
                    value.to_owned()
                } else {
                    format!("gh {value}")
                }
            },
            str::to_owned,
        )),
        "rails" => behind(&["system(", "`", "exec("])
            .map(|text| text.trim_matches(['\'', '"', ')', '`']).to_owned()),
        _ => Some(value.to_owned()),
    }
    .filter(|text| !text.trim().is_empty())
}

/// The words of a list in the language of settings: `["sh", "-c"]`.
fn bare_list(text: &str) -> String {
    text.replace("\",", "\" ")
        .trim_matches(|sign: char| " []\"'".contains(sign))
        .replace('"', "")
}

/// The commands in the value of an option of a finder: all of it, or in a list of keys what stands behind `execute(` and its like.
fn of_finder(value: &str) -> Option<String> {
    const ACTIONS: [&str; 6] = [
        "execute",
        "execute-silent",
        "become",
        "reload",
        "transform",
        "preview",
    ];
    let is_list = value
        .split(' ')
        .next()
        .is_some_and(|first| first.contains(':') && !first.contains('/'));
    if !is_list {
        return Some(value.to_owned());
    }
    let mut texts = Vec::new();
    for (at, _) in value.match_indices(['(', '[', '{', ':']) {
        let (before, behind) = value.split_at_checked(at)?;
        if ACTIONS.iter().any(|action| before.ends_with(action)) {
            let text = behind.get(1..)?;
            texts.push(text.split([')', ']', '}']).next().unwrap_or(text));
        }
    }
    Some(texts.join(" ; "))
}

/// What `make` runs in a word: `$(shell …)`, `X!=…`, and the recipes of `--eval`.
fn of_make(name: &str, word: &str) -> Vec<String> {
    if !matches!(name, "make" | "gmake" | "bmake" | "remake") {
        return Vec::new();
    }
    let mut texts = Vec::new();
    for open in ["$(shell ", "${shell "] {
        texts.extend(word.split(open).skip(1).map(|rest| closed(rest).to_owned()));
    }
    if let Some((_, text)) = word.split_once("!=").filter(|_| !word.starts_with('-')) {
        texts.push(text.to_owned());
    }
    // A recipe follows `;`, or a tab at the start of a line.
    if word.contains([';', '\t']) {
        texts.extend(
            word.split([';', '\t'])
                .skip(1)
                .map(|text| text.trim_start_matches(['@', '-', '+', ' ']).to_owned()),
        );
    }
    texts
}

/// A text up to the bracket that closes it.
fn closed(text: &str) -> &str {
    let mut open = 1;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => open += 1,
            b')' | b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return text.get(..at).unwrap_or(text);
        }
    }
    text
}

/// Words as a text that reads back to them. The home of the person stays one: `~`.
fn quoted(words: &[&str]) -> String {
    let one = |word: &&str| {
        let home = word
            .strip_prefix(placeholder::HOME)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match home.map(|rest| rest.trim_start_matches('/')) {
            Some("") => "~/".to_owned(),
            Some(rest) => format!("~/{}", crate::quote::quote(&[rest.to_owned()])),
            None => crate::quote::quote(&[(*word).to_owned()]),
        }
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::of;

    fn texts(words: &[&str]) -> Vec<String> {
        let (name, rest) = words.split_first().unwrap();
        of(name, rest).into_iter().map(|carry| carry.text).collect()
    }

    #[test]
    fn finding_j_07_the_command_is_found_where_the_program_takes_it() {
        for (words, text) in [
            (
                &["git", "submodule", "foreach", "--recursive", "rm -rf src"][..],
                "rm -rf src",
            ),
            (
                &["git", "-C", "x", "bisect", "run", "cat", ".env"],
                "cat .env",
            ),
            (&["git", "rebase", "--exec=cat .env", "main"], "cat .env"),
            (&["git", "rebase", "-ix", "cat .env", "main"], "cat .env"),
            (&["git", "difftool", "--extc=cat .env"], "cat .env"),
            (&["go", "test", "-exec", "cat .env", "./..."], "cat .env"),
            (&["make", "X=$(shell rm -rf src)"], "rm -rf src"),
            (&["make", "X!=rm x"], "rm x"),
            (
                &["docker", "exec", "-it", "web", "rm", "-rf", "/data"],
                "rm -rf /data",
            ),
            (
                &["kubectl", "-n", "x", "exec", "pod", "--", "rm", "x"],
                "rm x",
            ),
            (&["ansible", "all", "-m", "shell", "-a", "rm x"], "rm x"),
            (
                &["tar", "-cf", "x", "--checkpoint-action=exec=cat .env"],
                "cat .env",
            ),
            (&["poetry", "run", "rm", "x"], "rm x"),
            (&["aws-vault", "exec", "prod", "--", "rm", "x"], "rm x"),
            (&["vim", "-c", ":!rm x"], "rm x"),
            (&["gdb", "-ex", "shell rm x"], "rm x"),
            (&["nodemon", "--exec", "rm x"], "rm x"),
        ] {
            assert!(
                texts(words).iter().any(|found| found == text),
                "{words:?}: {:?}",
                texts(words)
            );
        }
        for words in [
            &["git", "submodule", "update"][..],
            &["git", "rebase", "main"],
            &["make", "-j8", "V=1"],
            &["docker", "ps"],
        ] {
            assert!(texts(words).is_empty(), "{words:?}: {:?}", texts(words));
        }
    }
}
