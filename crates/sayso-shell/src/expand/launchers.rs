//! Walks what other programs start for each file, each change or each moment: `watch`, `flock`, `script`, `entr`, `fd -x` and `parallel`.

use super::commands::{Step, Walk};
use super::file_listers;
use super::launcher_options::{self, Carrier, Starts};
use super::wrappers::identity;
use crate::parse::bash::Refusal;
use crate::parse::field::Field;
use crate::parse::options::{self, Parsed};
use crate::parse::placeholder::{self, HERE, HOME, PARTED, TEXT};

/// The options of `fd`, but for those with a command.
pub(crate) const FD: &str = "-H,--hidden -I,--no-ignore -u,--unrestricted --no-ignore-vcs --no-ignore-parent -s,--case-sensitive -i,--ignore-case -g,--glob --regex -F,--fixed-strings \
     -a,--absolute-path -L,--follow -p,--full-path -0,--print0 -d,--max-depth= --min-depth= --exact-depth= -E,--exclude= -t,--type= -e,--extension= -S,--size= \
     --changed-within= --changed-before= --max-results= -1 -q,--quiet -c,--color={auto,never,always} -j,--threads= --prune --one-file-system --strip-cwd-prefix \
     -h,--help -V,--version";

/// Words of `parallel` that are put in one by one.
const MOST_VALUES: usize = 16;

/// Programs that do the same in a terminal as elsewhere: they start no pager there, which would take its input for commands.
const SAME_IN_TERMINAL: [&str; 26] = [
    "ls", "cat", "head", "tail", "wc", "echo", "printf", "pwd", "stat", "file", "grep", "du", "df",
    "date", "sort", "uniq", "cut", "tr", "id", "whoami", "uname", "true", "false", "basename",
    "dirname", "tty",
];

impl Walk<'_> {
    /// What `watch`, `flock`, `script` and `entr` start.
    pub(crate) fn for_carrier(
        &mut self,
        step: &Step,
        name: &str,
        arguments: &[Field],
    ) -> Result<bool, Refusal> {
        let words: Vec<&str> = arguments.iter().map(|field| field.value.as_str()).collect();
        let Some(Carrier { starts, .. }) = launcher_options::read(name, &words) else {
            return Ok(false);
        };
        // Only `flock` hands on its input.
        let feed = if name == "flock" {
            None
        } else {
            Some(self.feed.take())
        };
        let names = feed
            .iter()
            .flatten()
            .filter(|feed| !feed.by_nul)
            .flat_map(|feed| feed.names.clone())
            .collect::<Vec<_>>();
        let from = self.steps.len();
        let result = match starts {
            Starts::Words(start) => {
                let mut inner = arguments.get(start..).unwrap_or(&[]).to_vec();
                if name == "entr" {
                    let found = |field: &mut Field| match names.as_slice() {
                        // The whole path of one file, as long as no name has the end of a line in it.
                        [name] => *field = Field::names(name, step.start, step.end),
                        _ => *field = Field::hole(TEXT, "/_", step.start, step.end),
                    };
                    inner
                        .iter_mut()
                        .filter(|field| field.value == "/_")
                        .for_each(found);
                }
                self.start(step, inner)
            }
            Starts::Text(at) => match arguments.get(at) {
                // The person's shell runs it, and nobody says which that is.
                Some(text)
                    if placeholder::is_literal(&text.value)
                        && launcher_options::is_same_in_every_shell(&text.value) =>
                {
                    self.walk_inside(&text.value, (text.start, text.end), Some(&[]))
                        .map(|()| true)
                }
                _ => Ok(false),
            },
            Starts::Joined(start) => self.joined(arguments.get(start..).unwrap_or(&[])),
        };
        if let Some(feed) = feed {
            self.feed = feed;
        }
        let same = |step: &Step| {
            step.words
                .first()
                .is_none_or(|first| SAME_IN_TERMINAL.contains(&identity(&first.value)))
        };
        let known = name != "script" || self.steps.iter().skip(from).all(same);
        result.map(|read| read && known)
    }

    /// Words that are put together with blanks between them, for `sh -c`.
    pub(crate) fn joined(&mut self, words: &[Field]) -> Result<bool, Refusal> {
        if words.is_empty()
            || !words
                .iter()
                .all(|field| placeholder::is_literal(&field.value))
        {
            return Ok(false);
        }
        let text = words
            .iter()
            .map(|field| field.value.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        let place = (
            words.first().map_or(0, |field| field.start),
            words.last().map_or(0, |field| field.end),
        );
        self.walk_inside(&text, place, Some(&[])).map(|()| true)
    }

    /// `fd -x` starts a command for each file, `fd -X` one for all of them.
    pub(crate) fn for_names(&mut self, step: &Step, arguments: &[Field]) -> Result<bool, Refusal> {
        let words: Vec<&str> = arguments.iter().map(|field| field.value.as_str()).collect();
        let Some((own, commands)) = commands_of_fd(&words) else {
            return Ok(false);
        };
        let parsed = options::read(FD, &own, false);
        if commands.is_empty()
            || !parsed.unknown.is_empty()
            || words.iter().any(|word| placeholder::may_end_command(word))
        {
            return Ok(false);
        }
        let bound: Vec<String> = bound_name(&parsed)
            .and_then(|name| file_listers::name_pattern(&name))
            .into_iter()
            .collect();
        let places: Vec<String> = match parsed.operands.get(1..) {
            // Without a folder, some versions have names in the place of paths: one that starts with `-` would be an option.
            None | Some([]) => vec![format!(
                "{}{PARTED}",
                placeholder::names_below(&HERE.to_string(), &bound)
            )],
            Some(places) if places.iter().all(|place| placeholder::is_literal(place)) => places
                .iter()
                .map(|place| placeholder::names_below(place, &bound))
                .collect(),
            Some(_) => return Ok(false),
        };
        let outside = self.feed.take();
        let mut result = Ok(true);
        for (start, end, all) in commands {
            let command = arguments.get(start..end).unwrap_or(&[]);
            for place in &places {
                let Some(words) = for_name(command, place, all, step) else {
                    result = Ok(false);
                    break;
                };
                if result == Ok(true) {
                    result = self.start(step, words);
                }
            }
        }
        self.feed = outside;
        result
    }

    /// `parallel` puts words together for a shell; only plain words are what they look like then.
    pub(crate) fn for_values(&mut self, step: &Step, arguments: &[Field]) -> Result<bool, Refusal> {
        let words: Vec<&str> = arguments.iter().map(|field| field.value.as_str()).collect();
        let Some(start) = own_words_of_parallel(&words) else {
            return Ok(false);
        };
        let end = words
            .iter()
            .position(|word| *word == ":::")
            .unwrap_or(words.len());
        let given = words.get(end + 1..).unwrap_or(&[]);
        let template = words.get(start..end).unwrap_or(&[]);
        // Other makers' programs of this name part their words at `--`.
        let seen = |word: &str| {
            placeholder::is_literal(word.trim_start_matches(HOME))
                || placeholder::is_glob(word)
                    && word.bytes().any(|byte| byte.is_ascii_alphanumeric())
        };
        let odd = |word: &&str| word.starts_with(":::") || *word == "--" || !seen(word);
        if template
            .first()
            .and_then(|first| first.split(' ').next())
            .is_none_or(|first| first.is_empty() || first.contains('{'))
            || !template.iter().all(|word| is_plain_template(word))
            || given.iter().any(odd)
        {
            return Ok(false);
        }
        let feed = self.feed.take();
        let values: Vec<Field> = match &feed {
            _ if end < words.len() => arguments.get(end + 1..).unwrap_or(&[]).to_vec(),
            Some(feed) if !feed.by_nul => feed
                .names
                .iter()
                .map(|name| Field::names(name, step.start, step.end))
                .collect(),
            _ => vec![Field::hole(
                TEXT,
                "a line of its input",
                step.start,
                step.end,
            )],
        };
        let mut result = Ok(!values.is_empty() && values.len() <= MOST_VALUES);
        for value in values.iter().take(MOST_VALUES) {
            let place = |word: &str| Field::plain(word, step.start, step.end);
            let mut words: Vec<Field> = template
                .iter()
                .flat_map(|word| word.split(' '))
                .filter(|word| !word.is_empty())
                .map(place)
                .collect();
            if template.iter().any(|word| word.contains("{}")) {
                for field in &mut words {
                    if field.value == "{}" {
                        *field = value.clone();
                    } else {
                        field.fill("{}", TEXT);
                    }
                }
            } else {
                words.push(value.clone());
            }
            if result == Ok(true) {
                result = self.start(step, words);
            }
        }
        self.feed = feed;
        result
    }
}

/// The pattern that every name fits which `fd` finds.
fn bound_name(parsed: &Parsed<'_>) -> Option<String> {
    let ends: Vec<&str> = parsed
        .options
        .iter()
        .filter(|given| given.name == "--extension")
        .filter_map(|given| given.value)
        .collect();
    match ends.as_slice() {
        [end] => {
            // It takes dots off the front.
            let end = end.trim_start_matches('.');
            return (!end.is_empty() && end.bytes().all(|byte| byte.is_ascii_alphanumeric()))
                .then(|| format!("*.{end}"));
        }
        [] => {}
        // Several of them are several kinds of names.
        _ => return None,
    }
    let pattern = parsed.operands.first()?;
    if parsed.has("--glob")
        && !["--regex", "--fixed-strings", "--full-path"]
            .iter()
            .any(|option| parsed.has(option))
    {
        return Some((*pattern).to_owned());
    }
    let end = pattern.strip_prefix("\\.")?.strip_suffix('$')?;
    (!parsed.has("--fixed-strings")
        && !end.is_empty()
        && end.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    .then(|| format!("*.{end}"))
}

/// The words of a command of `fd` with a path in its places, or behind it.
fn for_name(command: &[Field], path: &str, all: bool, step: &Step) -> Option<Vec<Field>> {
    const PLACES: [&str; 5] = ["{}", "{/}", "{//}", "{.}", "{/.}"];
    let found = Field::names(path, step.start, step.end);
    let mut words = command.to_vec();
    let mut placed = false;
    for field in &mut words {
        // Doubled, they stand for themselves in some versions.
        if field.value.contains("{{") || field.value.contains("}}") {
            return None;
        }
        if field.value == "{}" {
            *field = found.clone();
            placed = true;
            continue;
        }
        for place in PLACES {
            placed |= field.value.contains(place);
            // With `-X` it is one word for each file.
            field.fill(place, if all { placeholder::LIST } else { TEXT });
        }
    }
    if !placed {
        words.push(found);
    }
    if all && let Some(at) = words.iter().position(|field| field.value == path) {
        let more = [words.get(at).cloned()?, words.get(at).cloned()?];
        words.splice(at..at, more);
    }
    Some(words)
}

/// Where the commands of `fd` start and end, and whether each gets all names at once.
type Commands = Vec<(usize, usize, bool)>;

/// The words of `fd` without its commands, and where these stand; none if that is not known.
fn commands_of_fd<'a>(words: &[&'a str]) -> Option<(Vec<&'a str>, Commands)> {
    let mut own = Vec::new();
    let mut commands = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at).copied() {
        let all = match word {
            "-x" | "--exec" => false,
            "-X" | "--exec-batch" => true,
            // Behind this there are no options.
            "--" => return commands.is_empty().then_some((words.to_vec(), commands)),
            _ => {
                own.push(word);
                at += 1;
                continue;
            }
        };
        let rest = words.get(at + 1..)?;
        let length = rest
            .iter()
            .position(|word| *word == ";")
            .unwrap_or(rest.len());
        if rest
            .first()
            .is_none_or(|first| first.starts_with('-') || *first == ";")
        {
            return None;
        }
        commands.push((at + 1, at + 1 + length, all));
        at += 2 + length;
    }
    Some((own, commands))
}

/// The words of a program without the commands that stand in them.
pub(crate) fn without_commands<'a>(name: &str, words: Vec<&'a str>) -> Vec<&'a str> {
    match name {
        "fd" | "fdfind" => commands_of_fd(&words).map(|(own, _)| own).unwrap_or(words),
        _ => words,
    }
}

/// How many words belong to `parallel` itself, in its simplest forms.
fn own_words_of_parallel(words: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at).copied() {
        match word {
            "-k" | "--keep-order" | "--will-cite" | "-r" | "--no-run-if-empty" | "--lb"
            | "--line-buffer" | "--tag" | "--bar" | "--progress" | "--eta" => at += 1,
            // Anything but a number is the name of a file that holds it.
            "-j" | "--jobs" | "-P" if words.get(at + 1).is_some_and(|word| is_jobs(word)) => {
                at += 2
            }
            _ if ["-j", "-P", "--jobs="]
                .iter()
                .any(|option| word.strip_prefix(option).is_some_and(is_jobs)) =>
            {
                at += 1
            }
            _ => return (!placeholder::may_be_option(word) && word != ":::").then_some(at),
        }
    }
    None
}

fn is_jobs(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'%')
}

/// Whether a word of a template is plain words to every shell, with nothing in braces but the whole value.
fn is_plain_template(word: &str) -> bool {
    let without = word.replace("{}", "");
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _./,:=@+-".contains(&byte);
    // A word like `::::` has it read values from a file.
    !word.is_empty()
        && word != "--"
        && !word.contains(":::")
        && without.bytes().all(plain)
        && !word.split(' ').any(|word| word.starts_with('='))
}
