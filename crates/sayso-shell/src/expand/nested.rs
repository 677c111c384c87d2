//! Commands that stand in the words of other commands: the script of `sh -c`, and what `xargs` and `find -exec` start.
//!
//! Each is walked like any other command, for any arguments it may get. What cannot be read here is left to the table of programs, which
//! knows that such a program runs something else.

use super::commands::{Step, Walk};
use super::find_tests::bound_names;
use super::known_programs::FindProgram;
use super::wrappers::{self, identity};
use super::{file_listers, remote};
use crate::parse::bash::Refusal;
use crate::parse::characters::is_name;
use crate::parse::field::Field;
use crate::parse::placeholder::{self, HOME, LIST, PARTED, TEXT};

/// More commands than this do not stand in each other.
const DEEPEST: usize = 16;

/// Programs whose words are looked into.
const STARTERS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "eval", "xargs", "find", "watch", "flock", "script", "entr", "fd",
    "fdfind", "parallel",
];

/// Words of the shell that change variables.
const CHANGE_VARIABLES: [&str; 11] = [
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
    "let",
    "mapfile",
    "readarray",
    "getopts",
    "shift",
];

/// Words of the shell that can change anything it keeps: nothing is known behind them.
const CHANGE_ANYTHING: [&str; 16] = [
    "eval", "source", ".", "trap", "alias", "unalias", "shopt", "hash", "enable", "bind",
    "complete", "pushd", "popd", "chdir", "setopt", "zmodload",
];

impl Walk<'_> {
    /// Follows what a command does to the folder and the variables of the shell.
    pub(crate) fn follow(&mut self, step: &Step) {
        let before = self.state.folders.clone();
        self.follow_words(step);
        if self.state.folders != before {
            self.state.variables.forget_places();
        }
    }

    fn follow_words(&mut self, step: &Step) {
        // Most commands change nothing that the shell keeps.
        if !step
            .words
            .first()
            .is_some_and(|first| may_change(&first.value))
        {
            return;
        }
        let words: Vec<&str> = step
            .words
            .iter()
            .map(|field| field.value.as_str())
            .collect();
        // Some shells keep a folder for `popd` with every `cd`.
        let pushed = self.state.pushed.take();
        match words.as_slice() {
            ["pushd", folder] if is_pushed(folder) => {
                // Of more than one, the order of the shell's own list would count.
                self.state.pushed = Some(self.state.folders.clone()).filter(|_| pushed.is_none());
                self.state.folders.go(folder);
            }
            ["popd"] => match pushed {
                Some(before) => self.state.folders = before,
                None => self.state.folders.lose(),
            },
            ["cd"] => match &*self.state.variables.get("HOME") {
                [home] => self.state.folders.go(home),
                _ => self.state.folders.lose(),
            },
            ["cd", top] if top.chars().eq([placeholder::TOP]) => self.state.folders.go_to_top(),
            ["cd", "--", folder] | ["cd", folder]
                if !placeholder::may_be_option(folder) && !folder.starts_with('+') =>
            {
                self.state.folders.go(folder);
            }
            ["cd", ..] => self.state.folders.lose(),
            ["eval", arguments @ ..]
                if arguments.iter().all(|word| placeholder::is_literal(word)) => {}
            ["read", "-r", name] | ["read", name]
                if is_name(name) && self.feed.as_ref().is_some_and(|feed| !feed.by_nul) =>
            {
                // A line is one name, unless a name has the end of a line in it, or blanks or a backslash that are taken off.
                let names: Vec<String> = self
                    .feed
                    .iter()
                    .flat_map(|feed| &feed.names)
                    .map(|name| name.trim_end_matches(PARTED).to_owned())
                    .collect();
                // `IFS= read -r` takes off nothing; without quotes, a shell that parts words elsewhere is not followed.
                let whole = words.len() == 3
                    && step
                        .assignments
                        .iter()
                        .any(|(name, value)| name == "IFS" && value.is_empty());
                self.hand_on(&names, whole, step);
                self.state.variables.set(name, names);
            }
            ["read", names @ ..] => {
                for name in names.iter().filter(|name| !name.starts_with('-')) {
                    if is_name(name) {
                        self.state.variables.set(name, vec![TEXT.to_string()])
                    } else {
                        self.state.variables.lose()
                    }
                }
                self.state.variables.set("REPLY", vec![TEXT.to_string()]);
            }
            ["set", "--", values @ ..] => {
                self.give_parameters(values.iter().map(|value| (*value).to_owned()).collect());
            }
            // What it sets is one word where its value is.
            ["local", assignment]
                if self.has_local.is_some()
                    && assignment.split_once('=').is_some_and(|(name, value)| {
                        is_name(name)
                            && !name.contains("PATH")
                            && !name.contains("PWD")
                            && !placeholder::may_be_several(value)
                    }) =>
            {
                self.has_local = Some(true);
                self.state.variables.lose();
                if let Some((name, value)) = assignment.split_once('=') {
                    self.state.variables.set(name, vec![value.to_owned()]);
                }
            }
            ["printf", "-v", ..] => self.state.variables.lose(),
            [first, names @ ..]
                if CHANGE_VARIABLES.contains(first)
                    && !names
                        .iter()
                        .any(|name| name.contains("PATH") || name.contains("PWD")) =>
            {
                self.state.variables.lose();
            }
            _ if changes_anything(&words) => {
                self.state.folders.lose();
                self.state.variables.lose();
            }
            _ => {}
        }
    }

    /// Names below a folder are handed to another command, which takes them for words.
    fn hand_on(&mut self, names: &[String], whole: bool, step: &Step) {
        for name in names
            .iter()
            .filter(|name| placeholder::has_names_below(name))
        {
            let hands_on = Some(name.trim_end_matches(PARTED).to_owned());
            let (start, end, folders) = (step.start, step.end, self.state.folders.clone());
            self.steps.push(Step {
                hands_on,
                whole,
                start,
                end,
                folders,
                ..Step::default()
            });
        }
    }

    /// Walks what a command starts, if that can be read. Answers whether it was.
    pub(crate) fn inner(&mut self, step: &Step) -> Result<bool, Refusal> {
        let Ok(unwrapped) = wrappers::unwrap(&step.words) else {
            return Ok(false);
        };
        let words = step.words.get(unwrapped.start..).unwrap_or(&[]);
        let Some((first, arguments)) = words.split_first() else {
            return Ok(false);
        };
        if self.depth >= DEEPEST {
            return self.refuse(
                step.start,
                step.end,
                "commands stand in each other too deep",
            );
        }
        let cut = self.cut;
        self.cut |= unwrapped
            .wrappers
            .iter()
            .any(|wrapper| wrapper == "timeout");
        let result = self.started_by(step, &unwrapped, first, arguments);
        self.cut = cut;
        result
    }

    fn started_by(
        &mut self,
        step: &Step,
        unwrapped: &wrappers::Unwrapped,
        first: &Field,
        arguments: &[Field],
    ) -> Result<bool, Refusal> {
        match identity(&first.value) {
            "sh" | "bash" | "dash" | "zsh" => match script_of_shell(arguments) {
                Some((script, own)) => self
                    .walk_inside(&script.value, (script.start, script.end), Some(own))
                    .map(|()| true),
                None => Ok(false),
            },
            "eval" if unwrapped.start == 0 && !arguments.is_empty() => self.evaluated(arguments),
            "xargs" => self.for_input(step, arguments),
            "find" => self.for_found(step, arguments),
            name @ ("watch" | "flock" | "script" | "entr") => {
                self.for_carrier(step, name, arguments)
            }
            "fd" | "fdfind" => self.for_names(step, arguments),
            "parallel" => self.for_values(step, arguments),
            name => Ok(self.for_carried(step, name, arguments)),
        }
    }

    /// The words of `eval` are put together and read again, in the same shell.
    fn evaluated(&mut self, arguments: &[Field]) -> Result<bool, Refusal> {
        if !arguments
            .iter()
            .all(|field| placeholder::is_literal(&field.value))
        {
            return Ok(false);
        }
        let text = arguments
            .iter()
            .map(|field| field.value.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        let place = (
            arguments.first().map_or(0, |field| field.start),
            arguments.last().map_or(0, |field| field.end),
        );
        self.walk_inside(&text, place, None).map(|()| true)
    }

    /// `xargs` puts words of its input behind the command, or in the places of a text.
    fn for_input(&mut self, step: &Step, arguments: &[Field]) -> Result<bool, Refusal> {
        let Some((own, replaces)) = own_words_of_xargs(arguments) else {
            return Ok(false);
        };
        let mut words: Vec<Field> = arguments.get(own..).unwrap_or(&[]).to_vec();
        if words.is_empty() {
            words.push(Field::plain("echo", step.start, step.end));
        }
        let own_words = arguments.get(..own).unwrap_or(&[]);
        let by_nul = own_words.iter().any(|field| {
            field.value == "--null" || is_flags(&field.value) && field.value.contains('0')
        });
        // Parted at another character, a name is other names.
        let parts = own_words
            .windows(2)
            .any(|pair| matches!(pair, [option, value] if option.value == "-d" && !matches!(value.value.as_str(), "\\n" | "\n")));
        let feed = self
            .feed
            .as_ref()
            .filter(|feed| feed.by_nul == by_nul && !parts);
        let mut names: Vec<String> = feed.iter().flat_map(|feed| &feed.names).cloned().collect();
        // Where they are parted by a character that no name has, only an option can come of a name, unless it starts with a folder.
        let lists_files = names.iter().all(|name| placeholder::has_names_below(name));
        if by_nul && lists_files {
            let bare: Vec<String> = names
                .iter()
                .filter(|name| !file_listers::starts_with_folder(name))
                .cloned()
                .collect();
            self.hand_on(&bare, true, step);
            names
                .iter_mut()
                .for_each(|name| *name = name.trim_end_matches(PARTED).to_owned());
        }
        let names: Vec<Field> = names
            .iter()
            .map(|name| Field::names(name, step.start, step.end))
            .collect();
        let skips_nothing = own_words.iter().any(|field| {
            field.value == "--no-run-if-empty"
                || is_flags(&field.value) && field.value.contains('r')
        });
        if replaces.is_none()
            && !names.is_empty()
            && !skips_nothing
            && looks_around(&words, self.find_program)
        {
            self.start(step, words.clone())?;
        }
        match replaces {
            Some(text) => {
                for field in &mut words {
                    match names.as_slice() {
                        [name] if field.value == text => *field = name.clone(),
                        _ => field.fill(&text, TEXT),
                    }
                }
            }
            None if names.is_empty() => words.push(Field::hole(
                LIST,
                "words of its input",
                step.start,
                step.end,
            )),
            // The second name may be an output.
            None if by_nul => words.extend(names.iter().cycle().take(3 * names.len()).cloned()),
            None => words.extend(names),
        }
        self.start(step, words)
    }

    /// `find` puts a path below one of its places wherever `{}` stands.
    fn for_found(&mut self, step: &Step, arguments: &[Field]) -> Result<bool, Refusal> {
        let mut places: Vec<&Field> = arguments
            .iter()
            .skip_while(|field| matches!(field.value.as_str(), "-H" | "-L" | "-P"))
            .take_while(|field| {
                !field.value.starts_with('-')
                    && !matches!(field.value.as_str(), "(" | ")" | "!" | ",")
            })
            .collect();
        let words: Vec<&str> = arguments.iter().map(|field| field.value.as_str()).collect();
        let only = bound_names(&words).unwrap_or_default();
        let only: Vec<String> = only
            .iter()
            .map(|name| file_listers::name_pattern(name))
            .collect::<Option<_>>()
            .unwrap_or_default();
        let walked =
            (!file_listers::follows_links(&words)).then(|| placeholder::WALKED.to_string());
        let only: Vec<String> = walked.into_iter().chain(only).collect();
        let here = Field::plain(".", step.start, step.end);
        if places.is_empty() {
            places.push(&here);
        }
        let mut rest = arguments;
        let mut found = false;
        while let Some(at) = rest.iter().position(|field| {
            matches!(
                field.value.as_str(),
                "-exec" | "-execdir" | "-ok" | "-okdir"
            )
        }) {
            let in_folder = rest
                .get(at)
                .is_some_and(|field| field.value.ends_with("dir"));
            let inner = rest.get(at + 1..).unwrap_or(&[]);
            let ends = |index: usize, field: &Field| {
                let all = field.value == "+"
                    && index
                        .checked_sub(1)
                        .and_then(|before| inner.get(before))
                        .is_some_and(|before| before.value == "{}");
                field.value == ";" || all
            };
            let Some(length) = inner
                .iter()
                .enumerate()
                .position(|(index, field)| ends(index, field))
            else {
                return Ok(false);
            };
            let command = inner.get(..length).unwrap_or(&[]);
            if command
                .iter()
                .any(|field| placeholder::may_end_command(&field.value))
            {
                return Ok(false);
            }
            // With `+` the names are several, and the second one may be an output.
            let several = inner.get(length).is_some_and(|end| end.value == "+");
            for place in &places {
                let mut words = command.to_vec();
                for field in &mut words {
                    if field.value == "{}" && !in_folder {
                        *field = Field::hole(TEXT, "{}", field.start, field.end);
                        field.value = placeholder::names_below(&place.value, &only);
                    } else {
                        field.fill("{}", TEXT);
                    }
                }
                if several && let Some(last) = words.last().cloned() {
                    words.extend([last.clone(), last]);
                }
                let before = self.state.clone();
                if in_folder {
                    self.state.folders.lose();
                    self.state.variables.forget_places();
                }
                let listed = self.start(step, words)?;
                self.state = before;
                if !listed {
                    return Ok(false);
                }
            }
            found = true;
            rest = inner.get(length + 1..).unwrap_or(&[]);
        }
        Ok(found)
    }

    /// Walks a command in a process of its own.
    pub(crate) fn start(&mut self, step: &Step, words: Vec<Field>) -> Result<bool, Refusal> {
        let before = self.state.clone();
        self.depth += 1;
        let inner = Step {
            words,
            background: step.background,
            start: step.start,
            end: step.end,
            started: true,
            ..Step::default()
        };
        let result = self.command(inner);
        self.depth -= 1;
        self.state = before;
        result.map(|()| true)
    }
}

/// Whether a command is one that may start another.
pub(crate) fn may_start(step: &Step) -> bool {
    step.words.first().is_some_and(|first| {
        let name = identity(&first.value);
        STARTERS.contains(&name) || remote::NAMES.contains(&name) || wrappers::is_wrapper(name)
    })
}

/// Whether a command changes what the shell keeps, in a way that is not followed.
fn changes_anything(words: &[&str]) -> bool {
    let inner = wrappers::unwrap(words).map_or(0, |unwrapped| unwrapped.start);
    let changes = |word: &&str| matches!(*word, "cd" | "read" | "printf") || is_changer(word);
    let shell_word = matches!(
        words.first().copied(),
        Some("time" | "command" | "builtin" | "exec" | "eval" | "env")
    );
    words.first().is_some_and(|word| is_changer(word))
        || inner > 0 && words.get(inner).is_some_and(changes)
        || shell_word && words.iter().skip(1).any(changes)
}

/// Whether `pushd` goes to this folder, and does not turn its list around.
pub(crate) fn is_pushed(folder: &str) -> bool {
    placeholder::is_literal(folder) && !folder.is_empty() && !folder.starts_with(['-', '+', '~'])
}

/// Whether a command of this name may change what the shell keeps.
fn may_change(name: &str) -> bool {
    matches!(name, "cd" | "eval" | "read" | "printf" | "set")
        || is_changer(name)
        || wrappers::is_wrapper(name)
}

fn is_changer(word: &str) -> bool {
    CHANGE_ANYTHING.contains(&word) || CHANGE_VARIABLES.contains(&word)
}

/// The script behind `-c` and the words behind it, with only options before it that change nothing but how errors are treated.
fn script_of_shell(arguments: &[Field]) -> Option<(&Field, &[Field])> {
    let mut rest = arguments.iter();
    let mut command = false;
    loop {
        let field = rest.next()?;
        match field.value.as_str() {
            "--norc" | "--noprofile" | "--login" if !command => {}
            "-o" => {
                let option = rest.next()?;
                if !matches!(
                    option.value.as_str(),
                    "pipefail" | "errexit" | "nounset" | "xtrace"
                ) {
                    return None;
                }
            }
            word if word.len() > 1
                && word.starts_with('-')
                && word.bytes().skip(1).all(|byte| b"celux".contains(&byte)) =>
            {
                command |= word.contains('c');
            }
            word => {
                return (command && !word.starts_with(['-', '+']) && placeholder::is_literal(word))
                    .then_some((field, rest.as_slice()));
            }
        }
    }
}

/// Whether a command may look through the folder where it is given no name, as it is where `xargs` reads none.
fn looks_around(words: &[Field], find_program: FindProgram) -> bool {
    const READ_INPUT: [&str; 34] = [
        "awk",
        "base64",
        "basename",
        "cat",
        "chmod",
        "cksum",
        "cp",
        "cut",
        "dirname",
        "echo",
        "file",
        "head",
        "jq",
        "md5sum",
        "mv",
        "nl",
        "od",
        "printf",
        "readlink",
        "realpath",
        "rm",
        "sed",
        "sha1sum",
        "sha256sum",
        "sort",
        "stat",
        "strings",
        "tac",
        "tail",
        "touch",
        "tr",
        "uniq",
        "wc",
        "xxd",
    ];
    let mut words = words.iter().map(|field| field.value.as_str());
    let Some(name) = words.next() else {
        return false;
    };
    let recursive = |word: &str| {
        word.starts_with("--") || word.starts_with('-') && word.contains(['r', 'R', 'd'])
    };
    match identity(name) {
        "grep" | "egrep" | "fgrep" => words.any(recursive),
        name => !READ_INPUT.contains(&name) && find_program(name).is_some(),
    }
}

/// How many words belong to `xargs` itself, and the text it replaces.
fn own_words_of_xargs(arguments: &[Field]) -> Option<(usize, Option<String>)> {
    let (own, replaces) = options_of_xargs(arguments)?;
    // With a number of words or lines, some drop the text to replace and put the words at the end.
    let counts = |field: &Field| {
        ["-n", "-L", "--max-args", "--max-lines"]
            .iter()
            .any(|option| field.value.starts_with(option))
    };
    (replaces.is_none() || !arguments.iter().take(own).any(counts)).then_some((own, replaces))
}

/// The same, whatever stands together.
fn options_of_xargs(arguments: &[Field]) -> Option<(usize, Option<String>)> {
    let mut at = 0;
    let mut replaces = None;
    while let Some(field) = arguments.get(at) {
        let word = field.value.as_str();
        if !placeholder::is_literal(word) && !word.starts_with(HOME) {
            return None;
        }
        match word {
            "--" => return Some((at + 1, replaces)),
            "--null" | "--no-run-if-empty" | "--verbose" | "--exit" => at += 1,
            _ if is_flags(word) => at += 1,
            "-n" | "-L" | "-P" | "-s" => {
                let number = arguments.get(at + 1)?;
                if number.value.is_empty()
                    || !number.value.bytes().all(|byte| byte.is_ascii_digit())
                {
                    return None;
                }
                at += 2;
            }
            "-I" => {
                replaces = Some(
                    arguments
                        .get(at + 1)
                        .map(|field| field.value.clone())
                        .filter(|text| !text.is_empty() && !text.starts_with('-'))?,
                );
                at += 2;
            }
            "-d" => {
                arguments.get(at + 1).filter(|field| {
                    placeholder::is_literal(&field.value) && !field.value.starts_with('-')
                })?;
                at += 2;
            }
            _ if is_attached_number(word) => at += 1,
            _ => {
                if let Some(text) = word.strip_prefix("-I").filter(|text| !text.is_empty()) {
                    replaces = Some(text.to_owned());
                    at += 1;
                } else if word.starts_with('-') {
                    return None;
                } else {
                    return Some((at, replaces));
                }
            }
        }
    }
    Some((at, replaces))
}

/// `-0`, `-0r`: options of `xargs` without a value.
fn is_flags(word: &str) -> bool {
    word.len() > 1
        && word
            .strip_prefix('-')
            .is_some_and(|letters| letters.bytes().all(|letter| b"0rtx".contains(&letter)))
}

/// `-n1`, `-P4`, `--max-args=1`.
fn is_attached_number(word: &str) -> bool {
    const STARTS: [&str; 7] = [
        "-n",
        "-L",
        "-P",
        "-s",
        "--max-args=",
        "--max-lines=",
        "--max-procs=",
    ];
    let number = STARTS.iter().find_map(|start| word.strip_prefix(start));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
