//! The recipes that `make` runs: those of the targets, of what they need, and what runs while the file is read.

use std::collections::{BTreeMap, BTreeSet};

use sayso_core::paths::join;

use super::{Place, Script, UNKNOWN};

const FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// Options with a value of their own that names neither a file nor a folder to look in.
const VALUED: [&str; 10] =
    ["-I", "--include-dir", "-o", "--old-file", "--assume-old", "-W", "--what-if", "--new-file", "--assume-new", "--eval"];
/// So many values stand in one another before it is taken for a circle, and so long one may get.
const DEEPEST: usize = 12;
const LONGEST: usize = 4096;
/// So many targets are followed.
const MOST: usize = 64;

/// What the words of the command say.
#[derive(Default)]
struct Asked<'a> {
    folder: String,
    file: Option<&'a str>,
    targets: Vec<&'a str>,
    values: Vec<(&'a str, &'a str)>,
}

/// A rule: what it makes, what it needs, and its lines.
#[derive(Debug, Default)]
struct Rule<'a> {
    targets: Vec<&'a str>,
    needs: Vec<&'a str>,
    lines: Vec<String>,
}

/// A file that was read.
#[derive(Debug, Default)]
struct Makefile<'a> {
    values: BTreeMap<&'a str, String>,
    rules: Vec<Rule<'a>>,
    /// Lines that run something while the file is read, whatever the target.
    at_once: Vec<String>,
    includes: bool,
}

/// The recipes that a command runs.
pub(super) fn recipes(place: &Place<'_>, words: &[String]) -> Vec<Script> {
    let asked = asked(place, words);
    let here = Place { folder: asked.folder.clone(), ..*place };
    let source = match asked.file {
        Some(file) => here.read(file),
        None => FILES.iter().find_map(|name| here.read(name)),
    };
    let Some(source) = source else { return Vec::new() };
    let mut file = read(&source.text);
    for (name, value) in &asked.values {
        file.values.insert(name, (*value).to_owned());
    }
    let first = file.rules.iter().flat_map(|rule| &rule.targets).find(|target| !target.starts_with('.') && !target.contains(['%', '$']));
    let targets: Vec<&str> = if asked.targets.is_empty() { first.into_iter().copied().collect() } else { asked.targets.clone() };
    let name = if targets.is_empty() { source.name.clone() } else { format!("{} of {}", targets.join(" "), source.name) };
    let (shown, shell) = lines(&file, &targets);
    if shown.is_empty() {
        return Vec::new();
    }
    let lacks = source.lacks.or(file.includes.then_some("it includes other files, which are not read"));
    vec![Script { name, shown, shell: Some(shell), folder: asked.folder, lacks }]
}

fn asked<'a>(place: &Place<'_>, words: &'a [String]) -> Asked<'a> {
    let mut out = Asked { folder: place.folder.clone(), ..Asked::default() };
    let mut left = words.iter().map(String::as_str);
    while let Some(word) = left.next() {
        let short = |option: &str| word.strip_prefix(option).filter(|rest| !rest.is_empty() && !word.starts_with("--"));
        match word.split_once('=') {
            Some(("--directory", folder)) => out.folder = join(&out.folder, folder),
            Some(("--file" | "--makefile", file)) => out.file = Some(file),
            Some((option, _)) if option.starts_with('-') => {}
            Some((name, value)) => out.values.push((name.trim_end_matches([':', '?', '+']), value)),
            None if matches!(word, "-C" | "--directory") => out.folder = join(&out.folder, left.next().unwrap_or_default()),
            None if matches!(word, "-f" | "--file" | "--makefile") => out.file = left.next(),
            None if VALUED.contains(&word) => drop(left.next()),
            None => match (short("-C"), short("-f")) {
                (Some(folder), _) => out.folder = join(&out.folder, folder),
                (_, Some(file)) => out.file = Some(file),
                _ if word.starts_with('-') => {}
                _ => out.targets.push(word),
            },
        }
    }
    out
}

/// Reads a file, with both sides of its conditions.
fn read(text: &str) -> Makefile<'_> {
    let mut file = Makefile::default();
    let mut is_definition = false;
    let mut pieces = text.split('\n');
    while let Some(line) = pieces.next() {
        let (mut whole, mut last) = (line.to_owned(), line);
        // What goes on in the next line is one line.
        while last.ends_with('\\') {
            let Some(next) = pieces.next() else { break };
            whole.push('\n');
            whole.push_str(next);
            last = next;
        }
        if runs_at_once(&whole) {
            file.at_once.push(whole.trim().to_owned());
        }
        let trimmed = line.trim();
        if trimmed.starts_with("define ") {
            is_definition = true;
        }
        if is_definition {
            is_definition = trimmed != "endef";
        } else if line.starts_with('\t') {
            if let Some(rule) = file.rules.last_mut() {
                rule.lines.push(whole.trim_start().to_owned());
            }
        } else if trimmed.starts_with("include ") || trimmed.starts_with("-include ") || trimmed.starts_with("sinclude ") {
            file.includes = true;
        } else if !trimmed.starts_with('#') {
            said(&mut file, line, &whole);
        }
    }
    file
}

/// A value, or the head of a rule.
fn said<'a>(file: &mut Makefile<'a>, line: &'a str, whole: &str) {
    let line = line.split_once(" #").map_or(line, |(line, _)| line);
    let (equals, colon) = (line.find('='), line.find(':'));
    let is_value = equals.is_some_and(|equals| {
        colon.is_none_or(|colon| equals < colon || line.get(colon..equals).is_some_and(|gap| gap.trim_matches(':').is_empty()))
    });
    if is_value {
        let (name, _) = line.split_once('=').unwrap_or((line, ""));
        let name = name.trim_end_matches([':', '?', '+', '!', ' ', '\t']).trim();
        let name = name.strip_prefix("export ").or_else(|| name.strip_prefix("override ")).unwrap_or(name).trim();
        let value = whole.split_once('=').map_or("", |(_, value)| value).replace("\\\n", " ");
        let adds = line.get(..equals.unwrap_or_default()).is_some_and(|before| before.ends_with('+'));
        let before = file.values.get(name).filter(|value| adds && value.len() < LONGEST).map(|value| format!("{value} "));
        file.values.insert(name, format!("{}{}", before.unwrap_or_default(), value.trim()));
    } else if let Some((targets, needs)) = line.split_once(':') {
        let (needs, own) =
            needs.trim_start_matches(':').split_once(';').map_or((needs.trim_start_matches(':'), None), |(needs, own)| (needs, Some(own)));
        let targets: Vec<&str> = targets.split_whitespace().collect();
        if targets != [".PHONY"] {
            let needs = needs.split_whitespace().filter(|need| *need != "|" && *need != "\\").collect();
            file.rules.push(Rule { targets, needs, lines: own.map(|own| own.trim().to_owned()).into_iter().collect() });
        }
    }
}

fn runs_at_once(line: &str) -> bool {
    !line.starts_with('\t')
        && (line.contains("$(shell ") || line.contains("${shell ") || line.split_once('=').is_some_and(|(name, _)| name.ends_with('!')))
}

/// The lines that run for these targets, for a person and for a shell.
fn lines(file: &Makefile<'_>, targets: &[&str]) -> (String, String) {
    let (mut shown, mut shell) = (Vec::new(), Vec::new());
    for line in &file.at_once {
        shown.push(line.clone());
        shell.push(alone(&command_at_once(file, line)));
    }
    let mut open: Vec<String> = targets.iter().rev().map(|target| (*target).to_owned()).collect();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut order: Vec<(&Rule<'_>, String)> = Vec::new();
    let patterns: Vec<Vec<String>> =
        file.rules.iter().map(|rule| rule.targets.iter().flat_map(|target| words(&filled(file, target, None))).collect()).collect();
    while let Some(target) = open.pop() {
        if known.len() >= MOST || !known.insert(target.clone()) {
            continue;
        }
        for (rule, _) in file.rules.iter().zip(&patterns).filter(|(_, patterns)| patterns.iter().any(|pattern| makes(pattern, &target))) {
            order.push((rule, target.clone()));
            let needs = rule.needs.iter().flat_map(|need| words(&filled(file, need, None)));
            open.extend(needs.filter(|need| !need.contains('$')));
        }
    }
    // What is needed runs first.
    for (rule, target) in order.iter().rev() {
        for line in &rule.lines {
            shown.push(line.clone());
            let line = line.trim_start_matches(['@', '+', '-', ' ', '\t']);
            shell.push(alone(&filled(file, line, Some((rule, target)))));
        }
    }
    (shown.join("\n"), shell.join("\n"))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Each line has a shell of its own: where one goes, the next does not stay.
fn alone(line: &str) -> String {
    format!("(\n{line}\n)")
}

fn makes(pattern: &str, target: &str) -> bool {
    match pattern.split_once('%') {
        // A pattern for everything is for files that nobody names.
        Some(("", "")) => false,
        Some((start, end)) => target.len() >= start.len() + end.len() && target.starts_with(start) && target.ends_with(end),
        None => pattern == target,
    }
}

fn command_at_once(file: &Makefile<'_>, line: &str) -> String {
    let start = line.find("(shell ").or_else(|| line.find("{shell "));
    let command = match start.and_then(|start| line.get(start + "(shell ".len()..)) {
        // The last bracket closes it: what stands behind is read as well, which only adds.
        Some(rest) => rest.rsplit_once([')', '}']).map_or(rest, |(command, _)| command),
        None => line.split_once('=').map_or("", |(_, command)| command),
    };
    filled(file, command, None)
}

/// A text with its values put in, as far as they are known, for a shell to read.
fn filled(file: &Makefile<'_>, text: &str, rule: Option<(&Rule<'_>, &String)>) -> String {
    let mut text = text.to_owned();
    for _ in 0..DEEPEST {
        let next = fill_once(file, &text, rule);
        if next == text || next.len() > LONGEST {
            break;
        }
        text = next;
    }
    // What is left is a circle, or too long.
    text = fill_once(&Makefile::default(), &text, None);
    let mut out = String::new();
    let mut left = text.as_str();
    while let Some(start) = left.find(CALL) {
        out.push_str(left.get(..start).unwrap_or_default());
        out.push_str(UNKNOWN);
        left = left.get(start + CALL.len_utf8()..).unwrap_or_default();
    }
    out.push_str(left);
    out.replace(DOLLAR, "$")
}

/// Stands for a dollar of the shell, and for a call that is not known; neither is in a file that is read as text, or it is taken for one.
const DOLLAR: char = '\u{f8f0}';
const CALL: char = '\u{f8f1}';

fn fill_once(file: &Makefile<'_>, text: &str, rule: Option<(&Rule<'_>, &String)>) -> String {
    let mut out = String::new();
    let mut left = text;
    while let Some(start) = left.find('$') {
        out.push_str(left.get(..start).unwrap_or_default());
        let rest = left.get(start + 1..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            left = "";
            break;
        };
        let (name, behind) = match first {
            '$' => {
                out.push(DOLLAR);
                left = rest.get(1..).unwrap_or_default();
                continue;
            }
            '(' | '{' => closed(rest),
            _ => rest.split_at(first.len_utf8()),
        };
        match value(file, name, rule) {
            Some(value) => out.push_str(&value),
            // Not set here, it comes from the environment, as for a shell.
            None if is_name(name) => out.extend([DOLLAR, '{'].into_iter().chain(name.chars()).chain(['}'])),
            None => out.push(CALL),
        }
        left = behind;
    }
    out.push_str(left);
    out
}

fn is_name(name: &str) -> bool {
    let starts = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    starts && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What stands in the brackets at the start, and what comes behind them.
fn closed(text: &str) -> (&str, &str) {
    let mut depth = 0usize;
    for (index, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (text.get(1..index).unwrap_or_default(), text.get(index + 1..).unwrap_or_default());
        }
    }
    (text, "")
}

fn value(file: &Makefile<'_>, name: &str, rule: Option<(&Rule<'_>, &String)>) -> Option<String> {
    match (name, rule) {
        ("@", Some((_, target))) => Some(target.clone()),
        ("<", Some((rule, _))) => Some(rule.needs.first().copied().unwrap_or_default().to_owned()),
        ("^" | "+" | "?", Some((rule, _))) => Some(rule.needs.join(" ")),
        ("MAKE", _) => Some("make".to_owned()),
        // The system's own shell and compilers have these names; what the environment says instead is not known.
        _ => file.values.get(name).cloned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{lines, read};

    fn shell(text: &str, targets: &[&str]) -> String {
        lines(&read(text), targets).1.replace("(\n", "").replace("\n)", "")
    }

    #[test]
    fn targets_bring_what_they_need_first() {
        let text = "all: test\n\t@echo done\ntest: build\n\tcargo test\nbuild:\n\tcargo build\nother:\n\trm -rf /\n";
        assert_eq!(shell(text, &["all"]), "cargo build\ncargo test\necho done");
        assert_eq!(shell(text, &["other"]), "rm -rf /");
    }

    #[test]
    fn values_are_put_in_and_the_rest_is_unknown() {
        let text = "A = one\nB := $(A)/two\nB += three\nx: a.c\n\t-cat $(B) $< $@ $$HOME $(wildcard *.c) ${C}\n";
        assert_eq!(shell(text, &["x"]), "cat one/two three a.c x $HOME ${known_when_it_runs} ${C}");
        assert_eq!(shell("A = $(A)\nx:\n\techo $(A)\n", &["x"]), "echo ${A}");
    }

    #[test]
    fn what_runs_while_the_file_is_read_is_there_for_every_target() {
        let text = "V := $(shell git describe)\nW != id\nx: ; echo hi\n";
        assert_eq!(shell(text, &["x"]), "git describe\n id\necho hi");
    }

    #[test]
    fn patterns_long_lines_and_both_sides_of_a_condition() {
        let text = "%.o: %.c\n\tcc -c $<\nifdef X\nx:\n\techo a \\\n\t  b\nelse\nx:\n\techo c\nendif\n";
        assert_eq!(shell(text, &["a.o"]), "cc -c %.c");
        let both = shell(text, &["x"]);
        assert!(both.contains("echo a") && both.contains("echo c"), "{both}");
    }

    #[test]
    fn odd_files_are_read_without_harm() {
        for text in ["", "\t", ":", "=", "$", "x:\n\t$(", "x:\n\t$(a", "a: a\n\techo\n", "define x\n", "x:\n\t$(a$(b)c", &"$(".repeat(5000)]
        {
            let _ = shell(text, &["x", "a"]);
        }
    }
}
