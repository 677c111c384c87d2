//! Texts that a program is fed and obeys in a language of its own, in which a line may be a command of the shell: `ed <<< '!…'`,
//! `make -f - <<< …`, `gdb -x <(…)`.

use super::sinks::runs_input;
use crate::expand::wrappers::loose_name;
use crate::unparsed::split::{After, Segment};
use crate::unparsed::words::head;

/// Texts and lines of them that are looked at.
const MOST_TEXTS: usize = 16;
const MOST_LINES: usize = 64;

/// What the programs of a line are fed, where one of them obeys it.
pub(super) fn texts(text: &str, segments: &[Segment]) -> Vec<String> {
    if !(text.contains("<<") || text.contains("<(") || text.contains('|')) {
        return Vec::new();
    }
    let by_file = text.contains("<(");
    let obeys = by_file && text.contains("ENV=<(")
        || segments.iter().any(|segment| {
            !segment.after.is_redirect() && !segment.rough && obeys(&segment.words, by_file)
        });
    if !obeys {
        return Vec::new();
    }
    let given = |segment: &&Segment| segment.after == After::Other || prints(segment);
    let mut out: Vec<String> = segments
        .iter()
        .filter(|segment| !segment.rough)
        .filter(given)
        .take(MOST_TEXTS)
        .map(|segment| {
            let behind = usize::from(prints(segment));
            let words = segment.words.get(behind..).unwrap_or(&[]);
            words.join(" ").replace("\\n", "\n").replace("\\t", "\t")
        })
        .collect();
    out.extend(here_documents(text).into_iter().take(MOST_TEXTS));
    out
}

/// The bodies of the here-documents of a text. A body without an end goes to the end of the text, as in a shell.
fn here_documents(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        for end in line.split("<<").skip(1).filter_map(delimiter) {
            let body: Vec<&str> = lines
                .by_ref()
                .take_while(|line| line.trim_start_matches('\t') != end)
                .collect();
            out.push(body.join("\n"));
        }
    }
    out
}

/// The word behind `<<` that ends a here-document; none for a here-string.
fn delimiter(behind: &str) -> Option<String> {
    let behind = behind.strip_prefix('-').unwrap_or(behind);
    let is_end = |sign: char| sign.is_whitespace() || ";|&<>()".contains(sign);
    let word = behind
        .trim_start_matches([' ', '\t'])
        .split(is_end)
        .next()?;
    let word = word.replace(['"', '\'', '\\'], "");
    (!word.is_empty()).then_some(word)
}

fn prints(segment: &Segment) -> bool {
    head(&segment.words).is_some_and(|name| matches!(name, "echo" | "printf"))
}

/// Whether a program obeys what it reads, or a file that is named among its words.
fn obeys(words: &[String], by_file: bool) -> bool {
    let Some(first) = head(words) else {
        return false;
    };
    match &*loose_name(first) {
        "vi" | "vim" | "nvim" | "view" => words
            .iter()
            .any(|word| matches!(word.as_str(), "-e" | "-es" | "-Es" | "-E" | "-s" | "-")),
        "make" | "gmake" if !by_file => words.iter().any(|word| {
            word.starts_with('-') && (word.ends_with("f-") || word.ends_with("=-"))
                || matches!(word.as_str(), "-" | "/dev/stdin" | "/dev/fd/0")
        }),
        "cmake" => words.iter().any(|word| word == "-P"),
        "ex" | "ed" | "dc" | "ftp" | "lftp" | "sftp" | "mail" | "mailx" | "r" | "gnuplot"
        | "ansible-console" | "gdb" | "lldb" | "tclsh" | "wish" | "expect" | "sqlite3" => true,
        "make" | "gmake" | "just" | "ansible-playbook" | "psql" | "crontab" | "awk" | "gawk"
            if by_file =>
        {
            true
        }
        _ => runs_input(words),
    }
}

/// Whether lines of what a program reads may be commands of the shell.
pub(super) fn has_own_commands(name: &str) -> bool {
    matches!(
        name,
        "ex" | "ed"
            | "dc"
            | "ftp"
            | "lftp"
            | "sftp"
            | "mail"
            | "mailx"
            | "r"
            | "gnuplot"
            | "ansible-console"
            | "lldb"
            | "wish"
            | "cmake"
            | "make"
            | "view"
            | "patch"
    )
}

/// The commands that the lines of such a text may hold.
pub(super) fn commands(text: &str) -> impl Iterator<Item = String> + use<'_> {
    text.lines()
        .map(bare)
        .filter(|line| line.contains(' '))
        .take(MOST_LINES)
}

/// A line without what its language has before a command of the shell: `@`, `:%!`, `shell`, the time of a table of `cron`.
fn bare(line: &str) -> String {
    const WORDS: [&str; 8] = [
        "shell ", "system ", ".shell ", ".system ", "exec ", "r !", "sh ", "COMMAND ",
    ];
    const KEYS: [&str; 5] = ["shell:", "command:", "raw:", "cmd:", "script:"];
    let mut rest = line;
    if let Some((_, text)) = KEYS.iter().find_map(|key| rest.split_once(key)) {
        rest = text.trim_matches(|sign: char| "}]{['\" ".contains(sign));
    }
    loop {
        let next = rest.trim_start_matches(|sign: char| {
            sign.is_whitespace() || sign.is_ascii_digit() || "@-+:!%*~,$.\\\"'".contains(sign)
        });
        // The home at the start of a line is no sign before a command.
        let next = WORDS
            .iter()
            .find_map(|word| next.strip_prefix(word))
            .unwrap_or(next);
        if next.len() == rest.len() {
            break;
        }
        rest = next;
    }
    // A word of Tcl that deletes as `rm` does.
    match rest.strip_prefix("file delete -force ") {
        Some(paths) => format!("rm -rf {paths}"),
        None => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{commands, here_documents, texts};
    use crate::unparsed::words::look;

    #[test]
    fn lines_that_are_commands_of_the_shell() {
        for (line, command) in [
            ("\t@rm -rf ~", "rm -rf ~"),
            (":%!rm -rf ~", "rm -rf ~"),
            ("shell rm -rf ~", "rm -rf ~"),
            ("file delete -force ~", "rm -rf ~"),
            ("- {shell: rm -rf /}]", "rm -rf /"),
            ("* * * * * rm -rf ~", "rm -rf ~"),
        ] {
            assert_eq!(commands(line).collect::<Vec<_>>(), [command], "{line}");
        }
    }

    #[test]
    fn only_the_body_of_a_here_document_is_fed() {
        let text = "f() { ls -l; }\ncat <<-'END' >a && ed x <<B\none\n\tEND\n!ls\nB\nls -a";
        assert_eq!(here_documents(text), ["one", "!ls"]);
        assert_eq!(here_documents("ed x <<< '!ls'\nls"), Vec::<String>::new());
        assert_eq!(here_documents("ed x <<E\n!ls"), ["!ls"]);
    }

    #[test]
    fn only_a_program_that_obeys_is_fed() {
        for text in ["ed x <<< '!ls -l'", "printf 'x:;ls -l' | make -f-"] {
            assert!(!texts(text, &look(text).segments).is_empty(), "{text}");
        }
        for text in ["cat <<< '!ls -l'", "echo '!ls -l' | grep ls", "make all"] {
            assert!(texts(text, &look(text).segments).is_empty(), "{text}");
        }
    }
}
