//! Every word that can be seen in a text that may not be readable as a whole: over-approximate, for deny rules and danger.

use std::collections::HashSet;

use super::language_names::is_language;
use super::split::{After, Comments, Found, Segment, Way, split};
use super::stdin_scripts::reads_script;
use super::{command_texts, other_shells};
use crate::expand::wrappers;
use crate::programs;
use crate::programs::rule_forms;

/// Scripts inside scripts are looked into this deep; deeper ones still show as words.
const DEEPEST: usize = 4;
/// Only so much of a text is split. No system takes this much as one argument, and [`crate::danger`] speaks up about the rest.
const MOST_TEXT: usize = 1024 * 1024;
/// So much is split of a text, of the scripts inside it, and of both again without regard to quotes.
const MOST_BYTES: usize = 4 * MOST_TEXT;
/// So many words are shown again behind wrappers.
const MOST_BEHIND: usize = 64 * 1024;
/// How many words follow a wrapper at least, when there are too many wrappers to show the whole rest for each.
const LEAST_BEHIND: usize = 8;
/// So many rows, and so many words in them, are shown again by the plain name of their program and in normal form.
const MOST_FORMS: usize = 4096;
const MOST_FORM_WORDS: usize = 16 * 1024;
const LONGEST_FORM: usize = 1024;

/// What can be seen in a text.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) segments: Vec<Segment>,
    /// What stands in programs of other languages, split without regard to quotes.
    pub(crate) code: Vec<Segment>,
    /// The same in other forms, for rules.
    forms: Forms,
    /// There was more than is looked at.
    pub(crate) cut: bool,
}

impl Seen {
    /// The words of all segments, in every form.
    fn rows(self) -> Vec<Vec<String>> {
        let forms = match self.forms {
            Forms::Made(forms) => forms,
            Forms::Fit(programs) => match programs {
                Some(programs) => other_forms(&self.segments, programs.into_iter(), &mut false),
                None => other_forms(&self.segments, programs_in(&self.segments), &mut false),
            },
        };
        let mut rows: Vec<Vec<String>> = self
            .segments
            .into_iter()
            .map(|segment| segment.words)
            .collect();
        rows.extend(self.code.into_iter().map(|segment| segment.words));
        rows.extend(forms);
        rows
    }
}

/// The words of all segments of a text that was looked at, with and without its comments.
pub(crate) fn rows(text: &str, seen: Seen) -> Vec<Vec<String>> {
    let mut rows = seen.rows();
    if text.contains('#') {
        let known: HashSet<Vec<String>> = rows.iter().cloned().collect();
        rows.extend(
            look_past_comments(text)
                .rows()
                .into_iter()
                .filter(|row| !known.contains(row)),
        );
    }
    rows
}

/// Looks at a text, and at the scripts inside it. The words of comments are words like others.
pub(crate) fn look(text: &str) -> Seen {
    look_at(text, false)
}

/// Looks at a text as if no script in it had comments: to [`look`] their words are arguments of the command before, and `curl … | sh # x` no
/// shell that reads a script.
pub(crate) fn look_past_comments(text: &str) -> Seen {
    look_at(text, true)
}

fn look_at(text: &str, past_comments: bool) -> Seen {
    let mut found = Found {
        cut: text.len() > MOST_TEXT,
        ..Found::default()
    };
    let whole = text
        .get(..text.floor_char_boundary(MOST_TEXT))
        .unwrap_or(text);
    scripts(whole, past_comments, &mut found);
    let Found {
        mut segments,
        mut cut,
        ..
    } = found;
    behind_wrappers(&mut segments, &mut cut);
    let code = programs_inside(&segments, &mut cut);
    let forms = Forms::of(&segments, &mut cut);
    Seen {
        segments,
        code,
        forms,
        cut,
    }
}

/// Splits one script in every way that may be the right one.
fn split_all_ways(script: &str, piped: bool, past_comments: bool, found: &mut Found) {
    let comments = if past_comments {
        Comments::EndLines
    } else {
        Comments::AreWords
    };
    let exact = Way {
        rough: false,
        comments,
        piped,
    };
    let doubtful = split(script, exact, found);
    if doubtful {
        split(
            script,
            Way {
                rough: true,
                ..exact
            },
            found,
        );
    }
    // Without regard to quotes, a sign in a text would hide the rest of its line.
    if doubtful && past_comments {
        split(
            script,
            Way {
                rough: true,
                comments: Comments::EndCommands,
                piped,
            },
            found,
        );
    }
}

/// Splits a text and, level by level, the words in it that may be scripts.
fn scripts(text: &str, past_comments: bool, found: &mut Found) {
    let too_long = std::mem::take(&mut found.cut);
    let mut bytes = MOST_BYTES;
    let mut level = vec![(text.to_owned(), false)];
    for _ in 0..DEEPEST {
        let mut deeper = Vec::new();
        for (script, piped) in &level {
            let from = found.segments.len();
            split_all_ways(script, *piped, past_comments, found);
            bytes = bytes.saturating_sub(2 * script.len());
            let fresh = found.segments.get(from..).unwrap_or(&[]);
            // A variable that is run was set to a script somewhere.
            let run = run_variables(fresh);
            // What is piped into a shell is a script as well.
            let piped = fresh
                .iter()
                .any(|segment| segment.piped && reads_script(&segment.words));
            // And so is what it is given by `<<<`.
            let reads = || {
                fresh
                    .iter()
                    .any(|segment| !segment.after.is_redirect() && reads_script(&segment.words))
            };
            let given = fresh.iter().any(|segment| segment.after == After::Other) && reads();
            let started = started_files(fresh);
            for (at, segment) in fresh.iter().enumerate() {
                let alias = segment.words.first().is_some_and(|word| word == "alias");
                let program = head(&segment.words)
                    .map(wrappers::loose_name)
                    .unwrap_or_default();
                let carried = segment
                    .words
                    .iter()
                    .filter(|_| !segment.rough)
                    .flat_map(|word| command_texts::texts(&program, word));
                let pairs = segment.words.iter().filter_map(|word| word.split_once('='));
                let values = pairs
                    .filter(|(name, _)| alias || run.contains(name.trim_end_matches('+')))
                    .map(|(_, value)| value);
                if let Some(text) = set_by_builtin(fresh, at, &run) {
                    bytes = bytes.saturating_sub(2 * text.len());
                    deeper.push((text, false));
                }
                let written = is_written_to(fresh, at, &started);
                for value in values.filter(|value| is_script(value)).chain(carried) {
                    if bytes < 2 * value.len() {
                        found.cut = true;
                        break;
                    }
                    bytes -= 2 * value.len();
                    deeper.push((value.to_owned(), segment.piped));
                }
                // Without quotes, what is printed are several words.
                if written && segment.words.len() > 2 {
                    let text = segment.words.get(1..).unwrap_or(&[]).join(" ");
                    bytes = bytes.saturating_sub(2 * text.len());
                    deeper.push((text, false));
                }
                if piped
                    || written
                    || given && segment.after == After::Other
                    || segment
                        .words
                        .iter()
                        .any(|word| may_take_script(segment, word))
                {
                    for word in segment
                        .words
                        .iter()
                        .filter(|word| is_script(word) && *word != script)
                    {
                        if bytes < 2 * word.len() {
                            found.cut = true;
                            break;
                        }
                        bytes -= 2 * word.len();
                        deeper.push((word.clone(), segment.piped));
                    }
                }
            }
        }
        if deeper.is_empty() {
            break;
        }
        level = deeper;
    }
    found.cut |= too_long;
}

/// Whether a word of a segment tells that another one may be a script. To a program that is known, `-c` is what its table says.
fn may_take_script(segment: &Segment, word: &str) -> bool {
    // Behind a file, a shell hands words on to that.
    if wrappers::is_shell(word) && !segment.rough {
        let mut rest = segment
            .words
            .iter()
            .skip_while(|other| *other != word)
            .skip(1);
        let takes_text = |other: &String| {
            other.starts_with('-') && !other.starts_with("--") && other.contains('c')
        };
        return rest.clone().any(takes_text)
            || rest
                .find(|other| !other.starts_with(['-', '+']))
                .is_none_or(|text| is_script(text));
    }
    if word.starts_with('-') && !segment.rough {
        let known = head(&segment.words).and_then(|name| programs::find(wrappers::identity(name)));
        return wrappers::takes_script(word) && known.is_none_or(|known| known.interprets);
    }
    wrappers::takes_script(word) || other_shells::is_program(word)
}

/// So many variables are looked for in a word that is run.
const MOST_NAMES: usize = 64;

/// The variables that a text runs, also by way of others: `x=…; y=$x; $y`.
fn run_variables(segments: &[Segment]) -> HashSet<&str> {
    const ROUNDS: usize = 4;
    let mut run: HashSet<&str> = segments
        .iter()
        .flat_map(|segment| run_names(&segment.words))
        .collect();
    for _ in 0..ROUNDS {
        let pairs = segments
            .iter()
            .flat_map(|segment| &segment.words)
            .filter_map(|word| word.split_once('='));
        let more: Vec<&str> = pairs
            .filter(|(name, _)| run.contains(name))
            .flat_map(|(_, value)| names_in(value))
            .collect();
        let before = run.len();
        run.extend(more);
        if run.len() == before {
            break;
        }
    }
    run
}

/// The variables in a word: `$x`, `${x}`, `${!x}`.
fn names_in(word: &str) -> impl Iterator<Item = &str> {
    word.split('$').skip(1).take(MOST_NAMES).filter_map(|rest| {
        let rest = rest.trim_start_matches(['{', '!']);
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        rest.get(..length).filter(|name| !name.is_empty())
    })
}

/// The variables that a command runs: `$x`, `eval "$x"`, `nice $x`.
fn run_names(words: &[String]) -> Vec<&str> {
    let at = words
        .iter()
        .position(|word| !is_assignment(word) && !wrappers::is_transparent(word));
    let Some((first, rest)) = at.and_then(|at| words.get(at..)?.split_first()) else {
        return Vec::new();
    };
    match first.as_str() {
        first if first.starts_with('$') => names_in(first).collect(),
        first if first == "eval" || wrappers::is_shell(first) => {
            rest.iter().flat_map(|word| names_in(word)).collect()
        }
        first if wrappers::is_wrapper(first) => {
            let own = |word: &&String| {
                is_assignment(word)
                    || word.starts_with(|first: char| first == '-' || first.is_ascii_digit())
            };
            rest.iter()
                .find(|word| !own(word))
                .filter(|word| word.starts_with('$'))
                .into_iter()
                .flat_map(|word| names_in(word))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The text that `read` or `printf -v` gives a variable that is run: `read c <<< 'rm x'; $c`.
fn set_by_builtin(segments: &[Segment], at: usize, run: &HashSet<&str>) -> Option<String> {
    if run.is_empty() {
        return None;
    }
    let (first, words) = segments.get(at)?.words.split_first()?;
    match first.as_str() {
        "read" if words.iter().any(|word| run.contains(word.as_str())) => {
            let text = segments
                .get(at + 1)
                .filter(|next| next.after == After::Other)?;
            Some(text.words.join(" "))
        }
        "printf" if words.first()? == "-v" && run.contains(words.get(1)?.as_str()) => {
            let (format, values) = words.get(2..)?.split_first()?;
            let text = values
                .iter()
                .fold(format.clone(), |text, value| text.replacen("%s", value, 1));
            Some(text)
        }
        _ => None,
    }
}

/// The files that a text starts: what a shell is given first, and paths that are commands.
fn started_files(segments: &[Segment]) -> HashSet<&str> {
    let plain = |path: &'_ str| -> usize { if path.starts_with("./") { 2 } else { 0 } };
    let started = segments
        .iter()
        .filter(|segment| !segment.after.is_redirect())
        .filter_map(|segment| {
            let name = head(&segment.words)?;
            if wrappers::is_shell(name) || matches!(name, "source" | ".") {
                return segment
                    .words
                    .iter()
                    .map(String::as_str)
                    .skip_while(|word| *word != name)
                    .skip(1)
                    .find(|word| !word.starts_with(['-', '+']));
            }
            Some(name).filter(|name| name.contains('/'))
        });
    started.filter_map(|path| path.get(plain(path)..)).collect()
}

/// Whether a segment is the text of a file that is started: `echo … > x; sh x`, `tee x <<< …; sh x`.
fn is_written_to(segments: &[Segment], at: usize, started: &HashSet<&str>) -> bool {
    let (before, after) = (
        at.checked_sub(1).and_then(|at| segments.get(at)),
        segments.get(at + 1),
    );
    let Some(segment) = segments.get(at) else {
        return false;
    };
    let is_started = |path: &String| started.contains(path.strip_prefix("./").unwrap_or(path));
    let prints = head(&segment.words).is_some_and(|name| matches!(name, "echo" | "printf"));
    let into =
        |segment: &Segment| segment.after == After::Output && segment.words.iter().any(is_started);
    let tee = |segment: &Segment| {
        segment.words.first().is_some_and(|name| name == "tee")
            && segment.words.iter().any(is_started)
    };
    prints && (before.is_some_and(into) || after.is_some_and(tee))
        || segment.after == After::Other && after.is_some_and(tee)
}

/// The scripts that languages are given as arguments: `python -c`, `node -e`.
fn programs_inside(segments: &[Segment], cut: &mut bool) -> Vec<Segment> {
    let mut code = Found::default();
    let mut bytes = MOST_TEXT;
    for segment in segments
        .iter()
        .filter(|segment| !segment.after.is_redirect() && !segment.rough)
    {
        if !segment.words.iter().take(8).any(|word| is_language(word)) {
            continue;
        }
        for word in segment
            .words
            .iter()
            .filter(|word| is_script(word) || word.contains('('))
        {
            let Some(left) = bytes.checked_sub(word.len()) else {
                *cut = true;
                return code.segments;
            };
            bytes = left;
            split(
                word,
                Way {
                    rough: true,
                    comments: Comments::AreWords,
                    piped: false,
                },
                &mut code,
            );
        }
    }
    *cut |= code.cut;
    code.segments
}

/// The first word that is not an assignment.
pub(crate) fn head(words: &[String]) -> Option<&str> {
    words
        .iter()
        .map(String::as_str)
        .find(|word| !is_assignment(word))
}

fn is_script(word: &str) -> bool {
    word.bytes().any(|byte| {
        matches!(
            byte,
            b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'\\' | b'$' | b'`'
        )
    })
}

/// Puts in what stands behind each wrapper, its options skipped: `xargs -0 rm -rf` also shows `rm -rf`.
fn behind_wrappers(segments: &mut Vec<Segment>, cut: &mut bool) {
    // Every wrapper shows the rest of its segment again, which must not add up to the square of the length.
    let mut budget = MOST_BEHIND;
    let mut rows = Vec::new();
    for segment in segments
        .iter()
        .filter(|segment| !segment.after.is_redirect())
    {
        let words = segment.words.as_slice();
        let mut next: Option<(Vec<usize>, Vec<usize>)> = None;
        for (index, word) in words.iter().enumerate() {
            let leading = index == 0 && is_assignment(word);
            if !leading && !wrappers::is_transparent(word) && !wrappers::takes_command(word) {
                continue;
            }
            let (next, costs) = next.get_or_insert_with(|| (next_words(words), costs(words)));
            let skip_own = |from: usize| next.get(from).copied().unwrap_or(words.len());
            let first = skip_own(index + 1);
            // The word after the options may be the value of the last one, or a host.
            let second = (!leading).then(|| skip_own(first + 1));
            for start in [Some(first), second].into_iter().flatten() {
                let rest = words.get(start..).unwrap_or(&[]);
                let shown = if 2 * costs.get(start).copied().unwrap_or(0) <= budget {
                    rest
                } else {
                    rest.get(..LEAST_BEHIND).unwrap_or(rest)
                };
                // What stands behind `{` or `then` shows up by itself.
                if shown
                    .first()
                    .is_none_or(|first| wrappers::is_transparent(first))
                {
                    continue;
                }
                let whole = shown.len() == rest.len();
                let cost = if whole {
                    costs.get(start).copied().unwrap_or(0)
                } else {
                    cost(shown)
                };
                let Some(left) = budget.checked_sub(cost) else {
                    *cut = true;
                    break;
                };
                budget = left;
                rows.push(Segment {
                    words: shown.to_vec(),
                    after: After::Wrapper,
                    piped: false,
                    rough: segment.rough,
                });
            }
        }
    }
    segments.extend(rows);
}

/// What it costs to show words again: long ones count more.
fn cost(words: &[String]) -> usize {
    words.iter().map(|word| 1 + word.len() / 64).sum()
}

/// For each place, what all words from there on cost; from the right, so that it is one pass.
fn costs(words: &[String]) -> Vec<usize> {
    let mut costs = vec![0; words.len() + 1];
    let mut sum = 0;
    for (slot, word) in costs.iter_mut().zip(words).rev() {
        sum += 1 + word.len() / 64;
        *slot = sum;
    }
    costs
}

/// For each place, where the next word stands that is no option, assignment or number; from the right, so that it is one pass.
fn next_words(words: &[String]) -> Vec<usize> {
    let mut next = vec![words.len(); words.len() + 1];
    let mut after = words.len();
    for (slot, (index, word)) in next.iter_mut().zip(words.iter().enumerate()).rev() {
        let own = word.starts_with('-')
            || word.starts_with(|first: char| first.is_ascii_digit())
            || is_assignment(word);
        after = if own { after } else { index };
        *slot = after;
    }
    next
}

/// A name of a program, by its segment and its place there.
type At = (usize, usize);

/// The other forms of rows, which only rules look at: most texts are looked at for danger alone.
#[derive(Debug)]
enum Forms {
    /// They all fit; these are the names of programs that they start with, where those were looked for.
    Fit(Option<Vec<At>>),
    Made(Vec<Vec<String>>),
}

impl Forms {
    /// Makes no form before it is needed, unless there may be too many of them.
    fn of(segments: &[Segment], cut: &mut bool) -> Forms {
        let commands = || {
            segments
                .iter()
                .filter(|segment| !segment.after.is_redirect())
                .map(|segment| segment.words.as_slice())
        };
        let short = commands().all(|words| words.len() <= LONGEST_FORM);
        // Each name adds two forms at most.
        let count: usize = commands().map(<[String]>::len).sum();
        if short
            && 2 * count < MOST_FORMS
            && commands()
                .map(|words| words.len() * cost(words))
                .sum::<usize>()
                <= MOST_FORM_WORDS
        {
            return Forms::Fit(None);
        }
        let mut names = programs_in(segments);
        let mut programs = Vec::new();
        let mut words_left = MOST_FORM_WORDS;
        let mut fits = |at: At| {
            programs.push(at);
            words_left
                .checked_sub(cost(behind(segments, at)))
                .map(|left| words_left = left)
                .is_some()
                && 2 * programs.len() < MOST_FORMS
        };
        if short && names.by_ref().all(&mut fits) {
            return Forms::Fit(Some(programs));
        }
        Forms::Made(other_forms(
            segments,
            programs.into_iter().chain(names),
            cut,
        ))
    }
}

/// Every name of a program in commands.
fn programs_in(segments: &[Segment]) -> impl Iterator<Item = At> + '_ {
    let commands = segments
        .iter()
        .enumerate()
        .filter(|(_, segment)| !segment.after.is_redirect());
    let names = commands.flat_map(|(number, segment)| {
        segment
            .words
            .iter()
            .enumerate()
            .map(move |(index, word)| ((number, index), word))
    });
    names
        .filter(|(_, word)| rule_forms::is_program(word))
        .map(|(at, _)| at)
}

/// The words from a place on.
fn behind(segments: &[Segment], (number, index): At) -> &[String] {
    segments
        .get(number)
        .and_then(|segment| segment.words.get(index..))
        .unwrap_or(&[])
}

/// Every row again, from each name of a program on, with its plain name and in normal form: `/bin/git -C x push -f` is also
/// `git push --force`.
fn other_forms(
    segments: &[Segment],
    programs: impl Iterator<Item = At>,
    cut: &mut bool,
) -> Vec<Vec<String>> {
    let mut made = Vec::new();
    let mut words_left = MOST_FORM_WORDS;
    for (number, index) in programs {
        let rest = behind(segments, (number, index));
        let length = rest.len().min(LONGEST_FORM).min(words_left);
        *cut |= length < rest.len();
        if length == 0 || made.len() >= MOST_FORMS {
            *cut = true;
            break;
        }
        let rest = rest.get(..length).unwrap_or(rest);
        words_left = words_left.saturating_sub(cost(rest));
        let (plain, normal) = rule_forms::plain_and_normal(rest);
        if normal != plain {
            made.push(normal);
        }
        // Rules look at the start of a row and some way into it.
        if plain.first() != rest.first() || index >= 64 {
            made.push(plain);
        }
    }
    made
}

pub(crate) fn is_assignment(word: &str) -> bool {
    let bytes = word.as_bytes();
    let length = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    bytes.get(length) == Some(&b'=')
        && bytes
            .first()
            .is_some_and(|first| !first.is_ascii_digit() && *first != b'=')
}
