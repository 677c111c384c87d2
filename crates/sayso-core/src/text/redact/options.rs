//! Passwords behind options that do not say so by their name: only those of programs where it is sure.

use super::names::Sort;
use super::values::{Scan, is_variable};
use super::{Place, REDACTED};

/// Which part of the option's value is the secret.
#[derive(Clone, Copy)]
enum Part {
    Whole,
    /// What follows this character: `user:password`.
    After(u8),
}

/// How the value is written.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    /// `-psecret` and `-p secret`.
    Both,
    /// `-psecret` only; without a value the program asks.
    Attached,
    /// `-P secret` only.
    Apart,
}

struct Row {
    programs: &'static [&'static str],
    /// A word that must come first: `docker run -p` is about ports.
    needs: Option<&'static str>,
    options: &'static [&'static str],
    written: Written,
    part: Part,
}

const fn row(
    programs: &'static [&'static str],
    options: &'static [&'static str],
    written: Written,
    part: Part,
) -> Row {
    Row {
        programs,
        needs: None,
        options,
        written,
        part,
    }
}

const ROWS: &[Row] = &[
    row(&["sshpass"], &["-p"], Written::Both, Part::Whole),
    row(
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
        ],
        &["-p"],
        Written::Attached,
        Part::Whole,
    ),
    row(
        &["7z", "7za", "7zz", "rar", "unrar"],
        &["-p"],
        Written::Attached,
        Part::Whole,
    ),
    row(&["redis-cli"], &["-a"], Written::Both, Part::Whole),
    row(
        &["mongo", "mongosh", "mongodump", "mongorestore", "cqlsh"],
        &["-p"],
        Written::Both,
        Part::Whole,
    ),
    row(
        &["sqlcmd", "bcp", "zip", "unzip"],
        &["-P"],
        Written::Both,
        Part::Whole,
    ),
    row(
        &[
            "ldapsearch",
            "ldapmodify",
            "ldapadd",
            "ldapdelete",
            "ldapwhoami",
            "ldappasswd",
        ],
        &["-w"],
        Written::Both,
        Part::Whole,
    ),
    row(&["curl"], &["-u", "-U"], Written::Both, Part::After(b':')),
    row(
        &["curl"],
        &["--user", "--proxy-user"],
        Written::Apart,
        Part::After(b':'),
    ),
    row(
        &["http", "https", "xh", "xhs"],
        &["-a", "--auth"],
        Written::Apart,
        Part::After(b':'),
    ),
    row(
        &["smbclient", "net", "rpcclient"],
        &["-U", "--user"],
        Written::Both,
        Part::After(b'%'),
    ),
    Row {
        programs: &[
            "docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "az", "oc", "argocd",
        ],
        needs: Some("login"),
        options: &["-p"],
        written: Written::Both,
        part: Part::Whole,
    },
];

/// The program that the words belong to.
#[derive(Default)]
struct Current<'a> {
    program: Option<&'a str>,
    /// Words of the command so far, as far as a row asks for them.
    login: bool,
}

pub(super) fn find(text: &str, places: &mut Vec<Place>) {
    let mut current = Current::default();
    let mut pending: Option<Part> = None;
    let mut at = 0;
    while let Some((start, end)) = next_word(text, at) {
        let written = text.get(start..end).unwrap_or_default();
        at = end;
        if text
            .get(start.saturating_sub(1)..start)
            .is_some_and(|before| before == "\n")
        {
            (current, pending) = (Current::default(), None);
        }
        if let Some(part) = pending.take() {
            if let Some(place) = secret(text, start, part) {
                at = place.1.max(end);
                places.push(place);
            }
            continue;
        }
        let word = written.trim_start_matches(['"', '\'', '`', '(', '{', '$']);
        if current.program.is_some() && word.starts_with('-') {
            let from = start + (written.len() - word.len());
            match option(&current, word) {
                Some((length, part, true)) => {
                    if let Some(place) = secret(text, from + length, part) {
                        at = place.1.max(end);
                        places.push(place);
                    }
                }
                Some((_, part, false)) => pending = Some(part),
                None => {}
            }
        } else {
            let name = word.rsplit('/').next().unwrap_or_default();
            if let Some(program) = ROWS
                .iter()
                .flat_map(|row| row.programs)
                .find(|program| **program == name)
            {
                current = Current {
                    program: Some(program),
                    login: false,
                };
            }
            current.login |= word == "login";
        }
        if written.ends_with([';', '|']) || written.ends_with("&&") {
            (current, pending) = (Current::default(), None);
        }
    }
}

/// The option of the current program that a word is: its length, its part, and whether the value is attached.
fn option(current: &Current<'_>, word: &str) -> Option<(usize, Part, bool)> {
    let program = current.program?;
    let rows = ROWS
        .iter()
        .filter(|row| row.programs.contains(&program) && row.needs.is_none_or(|_| current.login));
    for row in rows {
        for name in row.options {
            match word.strip_prefix(name) {
                Some("") if row.written != Written::Attached => {
                    return Some((name.len(), row.part, false));
                }
                Some("") | None => {}
                Some(_) if row.written != Written::Apart => {
                    return Some((name.len(), row.part, true));
                }
                Some(_) => {}
            }
        }
    }
    None
}

fn secret(text: &str, start: usize, part: Part) -> Option<Place> {
    let scan = Scan::new(text);
    let (first, end) = match scan.bytes.get(start)? {
        b'"' | b'\'' | b'`' => scan.value(start, Sort::One)?,
        _ => (start, bare_end(&scan, start)?),
    };
    let value = scan.bytes.get(first..end)?;
    match part {
        Part::Whole => (!value.is_empty() && !is_variable(value, b'"')).then_some((first, end)),
        Part::After(mark) => {
            let at = value.iter().position(|byte| *byte == mark)? + 1;
            let secret = value.get(at..)?;
            (!secret.is_empty() && !is_variable(secret, b'"')).then_some((first + at, end))
        }
    }
}

/// Behind a value without a quote before it. A quote at its end closes one around the command; one within opens a part of the value.
fn bare_end(scan: &Scan<'_>, start: usize) -> Option<usize> {
    let rest = scan.bytes.get(start..)?;
    let word = rest.get(
        ..rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len()),
    )?;
    let bare = trimmed(word);
    let opens = [b'"', b'\'', b'`']
        .iter()
        .any(|quote| bare.iter().filter(|byte| *byte == quote).count() % 2 == 1);
    if opens {
        let end = scan.word_end(start);
        return Some(start + trimmed(scan.bytes.get(start..end)?).len());
    }
    Some(start + bare.len())
}

/// Without what closes something around a word.
fn trimmed(mut word: &[u8]) -> &[u8] {
    while let Some((
        b'"' | b'\'' | b'`' | b';' | b',' | b')' | b'}' | b']' | b'|' | b'&' | b'\\',
        before,
    )) = word.split_last()
    {
        if word.ends_with(REDACTED.as_bytes()) || word.starts_with(b"${") {
            break;
        }
        word = before;
    }
    word
}

/// The next word from here, by white space alone.
fn next_word(text: &str, from: usize) -> Option<Place> {
    let rest = text.get(from..)?;
    let start = from + rest.bytes().position(|byte| !byte.is_ascii_whitespace())?;
    let length = text
        .get(start..)?
        .bytes()
        .position(|byte| byte.is_ascii_whitespace())
        .unwrap_or(text.len() - start);
    Some((start, start + length))
}
