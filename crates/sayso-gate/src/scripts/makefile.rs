//! The recipes that `make` runs: those of the targets, of what they need, and what runs while the file is read.
//!
//! Only plain files are read as make reads them; whatever else stands in one is told, so that nobody takes what is shown for all there is.

use std::collections::{BTreeMap, BTreeSet};

use sayso_core::paths::join;

use super::{Place, Script, UNKNOWN};

const FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// Long options; make takes the start of one for the whole.
const FILE: [&str; 2] = ["--file", "--makefile"];
const FOLDER: &str = "--directory";
const VALUED: [&str; 8] = [
    "--include-dir",
    "--old-file",
    "--assume-old",
    "--what-if",
    "--new-file",
    "--assume-new",
    "--eval",
    "--shuffle",
];
/// Names that decide how recipes run, not what is in them.
const HOW: [&str; 7] = [
    "SHELL",
    ".SHELLFLAGS",
    "MAKE",
    "MAKEFLAGS",
    "PATH",
    "BASH_ENV",
    "ENV",
];
/// Targets that mean something to make itself.
const OWN: [&str; 6] = [
    ".DEFAULT",
    ".DEFAULT_GOAL",
    ".RECIPEPREFIX",
    ".ONESHELL",
    ".SECONDEXPANSION",
    ".EXPORT_ALL_VARIABLES",
];
/// So many values stand in one another before it is taken for a circle, and so long one may get.
const DEEPEST: usize = 12;
const LONGEST: usize = 4096;
/// So many targets are followed, and so many are remembered to be.
const MOST: usize = 64;
const MOST_OPEN: usize = 1024;

const ODD: &str = "the makefile has parts that are not read as make does: look at the file";

/// What the words of the command say.
#[derive(Default)]
struct Asked<'a> {
    folder: String,
    files: Vec<&'a str>,
    targets: Vec<&'a str>,
    values: Vec<(&'a str, &'a str)>,
    odd: bool,
}

/// A rule: what it makes, what it needs, and its lines.
#[derive(Debug, Default)]
struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    lines: Vec<String>,
}

/// A file that was read.
#[derive(Debug, Default)]
struct Makefile {
    values: BTreeMap<String, String>,
    rules: Vec<Rule>,
    /// Lines that run something while the file is read, whatever the target.
    at_once: Vec<String>,
    /// Not all of it was read as make reads it.
    odd: bool,
}

/// The recipes that a command runs.
pub(super) fn recipes(place: &Place<'_>, words: &[String]) -> Vec<Script> {
    let asked = asked(place, words);
    let here = place.at(asked.folder.clone());
    let sources: Vec<_> = match asked.files.as_slice() {
        [] => FILES
            .iter()
            .find_map(|name| here.read(name))
            .into_iter()
            .collect(),
        files => files.iter().filter_map(|file| here.read(file)).collect(),
    };
    let Some(name) = sources.first().map(|source| source.name.clone()) else {
        return Vec::new();
    };
    let text = sources
        .iter()
        .map(|source| source.text.as_str())
        .collect::<Vec<_>>()
        .join("\n");
    let mut file = read(&text);
    for (name, value) in &asked.values {
        file.odd |= HOW.contains(name);
        file.values.insert((*name).to_owned(), (*value).to_owned());
    }
    let first = file
        .rules
        .iter()
        .flat_map(|rule| &rule.targets)
        .find(|target| !target.starts_with('.') && !target.contains(['%', '$']));
    let targets: Vec<&str> = if asked.targets.is_empty() {
        first.into_iter().map(String::as_str).collect()
    } else {
        asked.targets.clone()
    };
    let name = if targets.is_empty() {
        name
    } else {
        format!("{} of {name}", targets.join(" "))
    };
    let (shown, shell, cut) = lines(&file, &targets);
    if file.odd || asked.odd || cut {
        place.lacks(ODD);
    }
    if shown.is_empty() {
        return Vec::new();
    }
    let lacks = sources.iter().find_map(|source| source.lacks);
    vec![Script {
        name,
        shown,
        shell: Some(shell),
        folder: asked.folder,
        lacks,
    }]
}

fn asked<'a>(place: &Place<'_>, words: &'a [String]) -> Asked<'a> {
    let mut out = Asked {
        folder: place.folder.clone(),
        ..Asked::default()
    };
    let mut left = words.iter().map(String::as_str).peekable();
    while let Some(word) = left.next() {
        if word.starts_with("--") && word.len() > 2 {
            let (option, value) = word
                .split_once('=')
                .map_or((word, None), |(option, value)| (option, Some(value)));
            // The start of an option is enough.
            let is = |long: &str| option.len() > 3 && long.starts_with(option);
            match () {
                () if is(FOLDER) => {
                    out.folder = join(
                        &out.folder,
                        value.or_else(|| left.next()).unwrap_or_default(),
                    )
                }
                () if FILE.iter().any(|long| is(long)) => {
                    out.files.extend(value.or_else(|| left.next()))
                }
                () if VALUED.iter().any(|long| is(long)) => {
                    out.odd = true;
                    if value.is_none() {
                        left.next();
                    }
                }
                () => {}
            }
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            for (index, letter) in letters.char_indices() {
                let rest = letters.get(index + 1..).filter(|rest| !rest.is_empty());
                match letter {
                    'C' => {
                        out.folder = join(
                            &out.folder,
                            rest.or_else(|| left.next()).unwrap_or_default(),
                        )
                    }
                    'f' => out.files.extend(rest.or_else(|| left.next())),
                    'I' | 'o' | 'W' | 'E' => {
                        out.odd = true;
                        if rest.is_none() {
                            left.next();
                        }
                    }
                    // A number may follow, and is no target then.
                    'j' | 'l' | 'O' => {
                        if rest.is_none()
                            && left.peek().is_some_and(|next| next.parse::<f64>().is_ok())
                        {
                            left.next();
                        }
                    }
                    _ => continue,
                }
                break;
            }
        } else if let Some((name, value)) = word.split_once('=') {
            out.values
                .push((name.trim_end_matches([':', '?', '+', '!']), value));
        } else if word != "--" {
            out.targets.push(word);
        }
    }
    out
}

/// Reads a file, with both sides of its conditions.
fn read(text: &str) -> Makefile {
    let mut file = Makefile::default();
    let mut is_definition = false;
    let mut pieces = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    while let Some(line) = pieces.next() {
        let (mut whole, mut last) = (line.to_owned(), line);
        // What goes on in the next line is one line; a backslash before the last one is a letter.
        while (last.len() - last.trim_end_matches('\\').len()) & 1 == 1 {
            let Some(next) = pieces.next() else { break };
            whole.push('\n');
            whole.push_str(next);
            last = next;
        }
        if line.starts_with('\t') && !is_definition {
            match file.rules.last_mut() {
                Some(rule) => rule.lines.push(whole.trim_start().to_owned()),
                None => file.odd |= !whole.trim().is_empty(),
            }
            // A call in a recipe is not followed.
            file.odd |= has_call(&whole);
            continue;
        }
        if runs_at_once(&whole) {
            file.at_once.push(whole.trim().to_owned());
        }
        let joined = whole.replace("\\\n", " ");
        let trimmed = joined.trim();
        let first = trimmed.split_whitespace().next().unwrap_or_default();
        if first == "define" {
            (is_definition, file.odd) = (true, true);
        } else if is_definition {
            is_definition = first != "endef";
        } else if first.starts_with("if") || matches!(first, "else" | "endif") {
            // Both sides count, but a value of one of them is not that of the other.
            file.odd = true;
        } else if matches!(
            first,
            "include"
                | "-include"
                | "sinclude"
                | "export"
                | "unexport"
                | "override"
                | "vpath"
                | "load"
                | "-load"
                | "private"
                | "undefine"
        ) {
            file.odd = true;
            said(
                &mut file,
                trimmed.strip_prefix(first).unwrap_or_default().trim(),
            );
        } else if !trimmed.is_empty() && !trimmed.starts_with('#') {
            said(&mut file, trimmed);
        }
    }
    file
}

/// A value, or the head of a rule.
fn said(file: &mut Makefile, line: &str) {
    let (equals, colon) = (line.find('='), line.find(':'));
    let between = |colon: usize, equals: usize| {
        line.get(colon..equals)
            .is_some_and(|gap| gap.trim_matches(':').is_empty())
    };
    let is_value = equals
        .is_some_and(|equals| colon.is_none_or(|colon| equals < colon || between(colon, equals)));
    if is_value {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let adds = name.ends_with('+');
        let name = name
            .trim_end_matches([':', '?', '+', '!', ' ', '\t'])
            .trim();
        let value = value
            .split_once(" #")
            .map_or(value, |(value, _)| value)
            .trim();
        // A second value may be for another case than the first.
        file.odd |= HOW.contains(&name)
            || OWN.contains(&name)
            || has_call(line)
            || file.values.contains_key(name)
            || name.contains(char::is_whitespace);
        let before = file
            .values
            .get(name)
            .filter(|value| adds && value.len() < LONGEST)
            .map(|value| format!("{value} "));
        file.values.insert(
            name.to_owned(),
            format!("{}{value}", before.unwrap_or_default()),
        );
    } else if let Some((targets, needs)) = line.split_once(':') {
        let needs = needs.trim_start_matches(':');
        let (needs, own) = needs
            .split_once(';')
            .map_or((needs, None), |(needs, own)| (needs, Some(own)));
        let needs = needs.split_once('#').map_or(needs, |(needs, _)| needs);
        let list =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let targets = list(targets);
        // Values of one target, static patterns, targets that make knows, and calls are not followed.
        file.odd |= needs.contains(['=', ':'])
            || has_call(line)
            || targets.iter().any(|target| {
                OWN.contains(&target.as_str()) || target == "%" || FILES.contains(&target.as_str())
            });
        if targets != [".PHONY"] {
            let needs = list(needs).into_iter().filter(|need| need != "|").collect();
            file.rules.push(Rule {
                targets,
                needs,
                lines: own.map(|own| own.trim().to_owned()).into_iter().collect(),
            });
        }
    } else {
        file.odd = true;
    }
}

/// Whether a function of make is called: `$(name words)`.
fn has_call(line: &str) -> bool {
    let mut left = line;
    while let Some(start) = left.find("$(").into_iter().chain(left.find("${")).min() {
        let before = left.get(..start).unwrap_or_default();
        let inner = left.get(start + 2..).unwrap_or_default();
        let end = inner.find([')', '}']).unwrap_or(inner.len());
        let is_escaped = (before.len() - before.trim_end_matches('$').len()) & 1 == 1;
        if !is_escaped
            && inner
                .get(..end)
                .is_some_and(|inner| inner.contains([' ', '\t', ':', '$', '(']))
        {
            return true;
        }
        left = inner;
    }
    false
}

fn runs_at_once(line: &str) -> bool {
    let calls = ["$(shell", "${shell"]
        .iter()
        .any(|call| line.contains(call));
    calls
        || line
            .split_once('=')
            .is_some_and(|(name, _)| name.ends_with('!'))
}

/// The lines that run for these targets, for a person and for a shell, and whether there were too many.
fn lines(file: &Makefile, targets: &[&str]) -> (String, String, bool) {
    let (mut shown, mut shell) = (Vec::new(), Vec::new());
    for line in &file.at_once {
        shown.push(line.clone());
        shell.push(alone(&command_at_once(file, line)));
    }
    let words = |list: &[String]| -> Vec<String> {
        list.iter()
            .flat_map(|word| {
                filled(file, word, None)
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let patterns: Vec<Vec<String>> = file.rules.iter().map(|rule| words(&rule.targets)).collect();
    // What is needed as it is written: the same words bring the same targets.
    let mut needed: BTreeSet<&str> = BTreeSet::new();
    let mut known: BTreeSet<String> = targets.iter().map(|target| (*target).to_owned()).collect();
    let mut open: Vec<String> = targets
        .iter()
        .rev()
        .map(|target| (*target).to_owned())
        .collect();
    let mut order: Vec<(&Rule, String)> = Vec::new();
    let (mut followed, mut cut) = (0, false);
    while let Some(target) = open.pop() {
        followed += 1;
        if followed > MOST {
            cut = true;
            break;
        }
        for (index, rule) in file.rules.iter().enumerate() {
            if !patterns
                .get(index)
                .is_some_and(|patterns| patterns.iter().any(|pattern| makes(pattern, &target)))
            {
                continue;
            }
            if order.len() >= LONGEST {
                cut = true;
                break;
            }
            order.push((rule, target.clone()));
            for need in rule
                .needs
                .iter()
                .filter(|need| needed.insert(need.as_str()))
                .flat_map(|need| words(std::slice::from_ref(need)))
            {
                if known.len() < MOST_OPEN && !need.contains('$') && known.insert(need.clone()) {
                    open.push(need);
                }
            }
            cut |= known.len() >= MOST_OPEN;
        }
    }
    // What is needed runs first.
    for (rule, target) in order.iter().rev() {
        for line in &rule.lines {
            shown.push(line.clone());
            let line = line.trim_start_matches(['@', '+', '-', ' ', '\t']);
            shell.push(alone(&filled(file, line, Some((rule, target)))));
        }
        cut |= shown.len() > LONGEST;
        if cut {
            break;
        }
    }
    (shown.join("\n"), shell.join("\n"), cut)
}

/// Each line has a shell of its own: where one goes, the next does not stay.
fn alone(line: &str) -> String {
    format!("(\n{line}\n)")
}

fn makes(pattern: &str, target: &str) -> bool {
    match pattern.split_once('%') {
        // A pattern for everything is for files that nobody names.
        Some(("", "")) => false,
        Some((start, end)) => {
            target.len() >= start.len() + end.len()
                && target.starts_with(start)
                && target.ends_with(end)
        }
        None => pattern == target,
    }
}

fn command_at_once(file: &Makefile, line: &str) -> String {
    let start = line.find("(shell").or_else(|| line.find("{shell"));
    let command = match start.and_then(|start| line.get(start + "(shell".len()..)) {
        // The last bracket closes it: what stands behind is read as well, which only adds.
        Some(rest) => rest
            .rsplit_once([')', '}'])
            .map_or(rest, |(command, _)| command),
        None => line.split_once('=').map_or("", |(_, command)| command),
    };
    filled(file, command, None)
}

/// A text with its values put in, as far as they are known, for a shell to read.
fn filled(file: &Makefile, text: &str, rule: Option<(&Rule, &String)>) -> String {
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

fn fill_once(file: &Makefile, text: &str, rule: Option<(&Rule, &String)>) -> String {
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
            None if is_name(name) => {
                out.extend([DOLLAR, '{'].into_iter().chain(name.chars()).chain(['}']))
            }
            None => out.push(CALL),
        }
        left = behind;
    }
    out.push_str(left);
    out
}

fn is_name(name: &str) -> bool {
    let starts = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    starts
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
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
            return (
                text.get(1..index).unwrap_or_default(),
                text.get(index + 1..).unwrap_or_default(),
            );
        }
    }
    (text, "")
}

fn value(file: &Makefile, name: &str, rule: Option<(&Rule, &String)>) -> Option<String> {
    match (name, rule) {
        ("@", Some((_, target))) => Some(target.clone()),
        ("<", Some((rule, _))) => Some(rule.needs.first().cloned().unwrap_or_default()),
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
        lines(&read(text), targets)
            .1
            .replace("(\n", "")
            .replace("\n)", "")
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
        assert_eq!(
            shell(text, &["x"]),
            "cat one/two three a.c x $HOME ${known_when_it_runs} ${C}"
        );
        assert_eq!(shell("A = $(A)\nx:\n\techo $(A)\n", &["x"]), "echo ${A}");
    }

    #[test]
    fn what_runs_while_the_file_is_read_is_there_for_every_target() {
        let text = "V := $(shell git describe)\nW != id\nx: ; echo hi\n";
        assert_eq!(shell(text, &["x"]), " git describe\n id\necho hi");
    }

    #[test]
    fn patterns_long_lines_and_both_sides_of_a_condition() {
        let text =
            "%.o: %.c\n\tcc -c $<\nifdef X\nx:\n\techo a \\\n\t  b\nelse\nx:\n\techo c\nendif\n";
        assert_eq!(shell(text, &["a.o"]), "cc -c %.c");
        let both = shell(text, &["x"]);
        assert!(both.contains("echo a") && both.contains("echo c"), "{both}");
    }

    #[test]
    fn what_is_not_read_as_make_reads_it_is_told() {
        let plain = "A = 1\n# a\nall: test \\\n  more\n\t@echo $(A) $$x\ntest more:\n\techo ok\n";
        assert!(!read(plain).odd);
        assert_eq!(shell(plain, &["all"]), "echo ok\necho ok\necho 1 $x");
        for odd in [
            "SHELL = ./x\n",
            "include a\n",
            "ifdef X\nendif\n",
            "define a\nb\nendef\n",
            ".RECIPEPREFIX = >\n",
            "$(eval a: b)\n",
            "x: A = 1\n",
            "%: a\n",
            "export A=1\n",
            "A = 1\nA = 2\n",
            "A = $(subst a,b,c)\n",
            "x:\n\t$(call y)\n",
            "Makefile: x\n",
            "a b\n",
            ".DEFAULT:\n\tx\n",
            "a: %.o: %.c\n",
        ] {
            assert!(read(odd).odd, "{odd}");
        }
        // A recipe is one, whatever word it starts with.
        assert_eq!(
            shell("x:\n\techo ok\n\tdefine () { :; }; id\n", &["x"]),
            "echo ok\ndefine () { :; }; id"
        );
    }

    #[test]
    fn many_rules_that_need_one_another_take_no_more_than_their_length() {
        let names: Vec<String> = (0..1000)
            .map(|number| format!("{:02}x", number % 64))
            .collect();
        let text = format!("X = {}\n{}", names.join(" "), "%x: $(X)\n".repeat(5000));
        let (shown, _, cut) = lines(&read(&text), &["aax"]);
        assert!(shown.is_empty() && cut);
    }

    #[test]
    fn odd_files_are_read_without_harm() {
        for text in [
            "",
            "\t",
            ":",
            "=",
            "$",
            "x:\n\t$(",
            "x:\n\t$(a",
            "a: a\n\techo\n",
            "define x\n",
            "x:\n\t$(a$(b)c",
            &"$(".repeat(5000),
        ] {
            let _ = shell(text, &["x", "a"]);
        }
    }
}
