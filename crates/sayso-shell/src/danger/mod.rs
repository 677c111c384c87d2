//! What destroys or takes over a machine, found in words whether or not they could be read as a command.
//!
//! Over-approximate: flags count in any order, spelling and case, and every program position is looked at. Words that are only
//! data of a known program (the text of `echo`, the message of a commit) are left out, since false alarms blunt every alarm.

mod bombs;
mod built_names;
mod call;
mod cloud;
mod code;
mod critical_paths;
mod data_texts;
mod databases;
mod disks;
mod fed;
mod files;
mod git;
mod global_options;
mod losses;
mod machine;
mod metadata;
mod network;
mod packages;
mod processes;
mod program_names;
mod requests;
mod rights;
mod secrets;
mod security;
mod sinks;
mod takeover;
mod temp_folders;
mod terminals;
mod tunnels;
mod windows;

use std::borrow::Cow;

use sayso_core::analysis::draft::{Command, Danger};
use sayso_core::analysis::risk::Tier::{self, Catastrophic, Dangerous};

use self::call::{Call, Found};
use self::code::calls;
use self::critical_paths::is_raw_device;
use self::program_names::{is_destroyer, is_like_sayso};
use crate::expand::wrappers::{identity, loose_name, takes_script};
use crate::parse::name_set::NameSet;
use crate::parse::{comments, placeholder};
use crate::programs;
use crate::unparsed::language_names::is_language;
use crate::unparsed::split::{After, Segment};
use crate::unparsed::stdin_scripts::reads_script;
use crate::unparsed::words::{self, Seen, is_assignment};
use crate::unparsed::{command_texts, other_shells};

/// The dangers in what could be seen of a text.
pub(crate) fn of_text(text: &str, seen: &Seen) -> Vec<Danger> {
    // The first line of a script names who reads it, and is no command of it.
    if text.starts_with("#!") {
        let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
        return of_text(rest, &words::look(rest));
    }
    let mut dangers = of_whole_text(text, seen, words::look);
    if text.contains('#') {
        let bare = comments::without(text);
        let more = of_whole_text(
            bare.as_deref().unwrap_or(text),
            &words::look_past_comments(text),
            words::look_past_comments,
        );
        dangers.extend(
            more.into_iter()
                .filter(|danger| !dangers.contains(danger))
                .collect::<Vec<_>>(),
        );
        dangers.sort_by_key(|danger| std::cmp::Reverse(danger.tier));
    }
    if let Some(plain) = built_names::printed_in(text) {
        let more = of_whole_text(&plain, &words::look(&plain), words::look);
        dangers.extend(
            more.into_iter()
                .filter(|danger| !dangers.contains(danger))
                .collect::<Vec<_>>(),
        );
        dangers.sort_by_key(|danger| std::cmp::Reverse(danger.tier));
    }
    dangers
}

fn of_whole_text(text: &str, seen: &Seen, look: fn(&str) -> Seen) -> Vec<Danger> {
    if let Some(bare) = data_texts::without(text) {
        let seen = look(&bare);
        if !runs_text(&seen) {
            return of_seen(&bare, &seen);
        }
    }
    of_seen(text, seen)
}

/// Whether something in the line runs texts, so that what stands in quotes is more than data.
fn runs_text(seen: &Seen) -> bool {
    let runs =
        |word: &String| takes_script(word) || other_shells::is_program(word) || is_language(word);
    let sources = |segment: &Segment| {
        matches!(words::head(&segment.words), Some("source" | ".")) && reads_script(&segment.words)
    };
    let runs_variable =
        |segment: &Segment| words::head(&segment.words).is_some_and(|head| head.starts_with('$'));
    seen.segments
        .iter()
        .any(|segment| segment.words.iter().any(runs) || runs_variable(segment) || sources(segment))
}

fn of_seen(text: &str, seen: &Seen) -> Vec<Danger> {
    let mut found = Vec::new();
    let quoted = runs_text(seen);
    bombs::of_text(text, quoted, &mut found);
    if seen.cut {
        found.push((
            Dangerous,
            "the command is too long to be looked through".to_owned(),
        ));
    }
    // Looking from every position could cost the square of the length; a text that makes it do so is no ordinary one.
    let mut work = 64 * 1024 + 4 * text.len().min(64 * 1024);
    of_segments(&seen.segments, &mut work, &mut found);
    network::of_line(text, &seen.segments, &mut found);
    secrets::of_line(&seen.segments, &mut found);
    files::of_line(&seen.segments, &mut found);
    processes::of_line(&seen.segments, &mut found);
    git::of_line(&seen.segments, &mut found);
    machine::of_line(&seen.segments, &mut found);
    of_input(&seen.segments, &mut found);
    code::of_seen(seen, &mut found, |words, found| {
        of_words(
            words,
            Look {
                rough: false,
                all: true,
                exact: false,
            },
            &mut work,
            found,
        );
    });
    for code in code::programs(text, &seen.segments) {
        of_code(&code, &mut work, &mut found);
    }
    for fed in fed::texts(text, &seen.segments) {
        for command in fed::commands(&fed) {
            of_script(&command, &mut work, &mut found);
        }
        of_code(&fed, &mut work, &mut found);
    }
    of_other_shell(text, &mut found);
    worst_first(found)
}

/// The dangers of a text that something else runs as a command.
fn of_script(text: &str, work: &mut usize, found: &mut Vec<Found>) {
    let segments = words::look(text).segments;
    of_segments(&segments, work, found);
    network::of_line(text, &segments, found);
    secrets::of_line(&segments, found);
    files::of_line(&segments, found);
}

/// The dangers of a program in another language, and of the commands that it runs.
fn of_code(code: &str, work: &mut usize, found: &mut Vec<Found>) {
    // A text inside of a text is looked at once; together they are no longer than what they stand in.
    let mut left = 2 * code.len();
    calls::of_code(code, found, |text, found| {
        if let Some(rest) = left.checked_sub(text.len()) {
            left = rest;
            of_script(text, work, found);
        }
    });
}

/// The dangers of each command, and of the files that redirects write.
fn of_segments(segments: &[Segment], work: &mut usize, found: &mut Vec<Found>) {
    let shell_reads = segments
        .iter()
        .any(|segment| segment.piped && reads_script(&segment.words));
    let has_language = segments
        .iter()
        .any(|segment| segment.words.iter().take(8).any(|word| is_language(word)));
    let mut before: Option<&Segment> = None;
    let fresh = temp_folders::names(segments);
    for segment in segments {
        let printed =
            segment.rough && has_language && !shell_reads && before.is_some_and(code::prints);
        before = Some(segment);
        if printed {
            continue;
        }
        if segment.after == After::Output
            && let Some(path) = segment.words.first()
        {
            of_output(path, found);
        }
        if segment.after.is_redirect() || temp_folders::removes_only(segment, &fresh) {
            continue;
        }
        // `set -- rm -rf ~; "$@"`.
        if let [first, second, rest @ ..] = segment.words.as_slice()
            && first == "set"
            && second == "--"
        {
            of_program(rest, false, found);
        }
        let look = Look {
            rough: segment.rough,
            all: shell_reads,
            exact: segment.after == After::Pipe && !segment.rough,
        };
        if !of_words(&segment.words, look, work, found) {
            found.push((
                Dangerous,
                "holds more words that look dangerous than can be looked at".to_owned(),
            ));
            break;
        }
    }
}

/// The dangers of a file that a redirect writes.
fn of_output(path: &str, found: &mut Vec<Found>) {
    if is_raw_device(path) {
        found.push((Catastrophic, format!("writes over the device `{path}`")));
    } else if terminals::is_terminal(path) {
        found.push((Dangerous, format!("writes to another terminal, `{path}`")));
    } else if security::is_kernel_file(path) {
        found.push((
            Dangerous,
            format!("writes `{path}`, which changes how the system itself works"),
        ));
    } else if security::opens_a_door(path) {
        found.push((
            Dangerous,
            format!("writes `{path}`, which says who may enter"),
        ));
    } else {
        takeover::of_output(path, found);
    }
}

/// The dangers of what a database is given by a pipe or as a text behind it.
fn of_input(segments: &[Segment], found: &mut Vec<Found>) {
    flushed(segments, found);
    fn client(segment: &Segment) -> Option<Cow<'_, str>> {
        words::head(&segment.words)
            .map(loose_name)
            .filter(|name| databases::is_client(name))
    }
    let Some(name) = segments
        .iter()
        .filter(|segment| !segment.after.is_redirect())
        .find_map(client)
    else {
        return;
    };
    let pipes_in = segments
        .iter()
        .any(|segment| segment.piped && client(segment).is_some());
    for segment in segments
        .iter()
        .filter(|segment| !matches!(segment.after, After::Wrapper | After::Output | After::Input))
    {
        // A line of a text behind `<<` starts with its verb; what is printed into a pipe is a word of another command.
        let line = databases::in_sql(&segment.words.join(" "));
        let printed = || {
            segment
                .words
                .iter()
                .filter(|_| pipes_in || segment.after == After::Other)
                .find_map(|word| databases::in_sql(word))
        };
        if let Some(what) = line
            .filter(|_| client(segment).is_none() && starts_sql(&segment.words))
            .or_else(printed)
        {
            found.push((Dangerous, format!("`{name}` runs `{what}`")));
            return;
        }
    }
}

/// A store that is emptied by a plain connection: `printf 'FLUSHALL\r\n' | nc localhost 6379`.
fn flushed(segments: &[Segment], found: &mut Vec<Found>) {
    let sends = |word: &String| {
        other_shells::has_ignoring_case(word, "flushall")
            || other_shells::has_ignoring_case(word, "flush_all")
            || other_shells::has_ignoring_case(word, "flushdb")
    };
    let connects = |segment: &Segment| {
        matches!(
            words::head(&segment.words),
            Some("nc" | "ncat" | "netcat" | "telnet" | "socat")
        ) || segment
            .words
            .iter()
            .any(|word| word.starts_with("/dev/tcp/") || word.starts_with("telnet://"))
    };
    if segments.iter().any(connects)
        && segments
            .iter()
            .any(|segment| segment.words.iter().any(sends))
    {
        found.push((
            Dangerous,
            "empties a store of data by a plain connection".to_owned(),
        ));
    }
}

fn starts_sql(words: &[String]) -> bool {
    static VERBS: NameSet<8> = NameSet::new([
        "drop", "truncate", "delete", "update", "alter", "flushall", "flushdb", "begin",
    ]);
    words
        .first()
        .is_some_and(|word| word.starts_with("db.") || VERBS.has_program(word))
}

/// The dangers of a text for PowerShell or cmd, which cut names by escapes of their own.
fn of_other_shell(text: &str, found: &mut Vec<Found>) {
    const MOST_TEXT: usize = 64 * 1024;
    let text = text
        .get(..text.floor_char_boundary(MOST_TEXT))
        .unwrap_or(text);
    let meant = other_shells::named(text).is_some()
        || text
            .split_whitespace()
            .take(64)
            .any(other_shells::is_program);
    if !meant {
        return;
    }
    windows::of_text(text, found);
    if let Some(plain) = windows::without_escapes(text) {
        let mut work = MOST_TEXT;
        of_segments(&words::look(&plain).segments, &mut work, found);
    }
}

/// The dangers of one command that was read whole; `known` tells that its program does not run its arguments.
pub(crate) fn of_command(words: &[String], known: bool) -> Vec<Danger> {
    let mut found = Vec::new();
    let mut work = 64 * 1024;
    let shown: Vec<String>;
    let words = if words.iter().all(|word| placeholder::is_literal(word)) {
        words
    } else {
        shown = words.iter().map(|word| placeholder::shown(word)).collect();
        &shown
    };
    let program = words
        .first()
        .map(|first| loose_name(first))
        .unwrap_or_default();
    for text in words
        .iter()
        .flat_map(|word| command_texts::texts(&program, word))
    {
        of_script(text, &mut work, &mut found);
    }
    let arguments = words.get(1..).unwrap_or(&[]);
    if words.first().is_some_and(|first| is_language(first))
        || program.ends_with("awk")
        || code::evaluates(&program)
    {
        of_code(&arguments.join("\n"), &mut work, &mut found);
    }
    if program == "osascript" {
        let told = arguments.join(" ").to_ascii_lowercase();
        if told.contains("delete") && (told.contains("of home") || told.contains("of startup disk"))
        {
            found.push((
                Catastrophic,
                "`osascript` deletes what is in the home folder or on the disk".to_owned(),
            ));
        }
    }
    if matches!(&*program, "sed" | "gsed") {
        for run in sinks::sed_commands(arguments) {
            if let sinks::Run::Text(text) = run {
                of_script(&text, &mut work, &mut found);
            }
        }
    }
    if known {
        of_program(words, true, &mut found);
    } else if !of_words(
        words,
        Look {
            rough: false,
            all: true,
            exact: true,
        },
        &mut work,
        &mut found,
    ) {
        found.push((
            Dangerous,
            "holds more words that look dangerous than can be looked at".to_owned(),
        ));
    }
    worst_first(found)
}

/// Whether one of these runs what it reads, so that the text of a here-document is more than data.
pub(crate) fn run_their_input(commands: &[Command]) -> bool {
    commands.iter().any(|command| {
        let runs = |word: &String| {
            let name = loose_name(word);
            databases::is_client(&name)
                || fed::has_own_commands(&name)
                || is_language(word)
                || code::evaluates(&name)
                || takes_script(word)
        };
        // An option such as `cut -c` runs nothing; the program that would has a name.
        command
            .words
            .iter()
            .take(16)
            .filter(|word| !word.starts_with('-'))
            .any(runs)
            || sinks::runs_input(&command.words)
    })
}

/// The dangers of what a variable is set to, if something runs its value.
pub(crate) fn of_variable(name: &str, value: &str) -> Vec<Danger> {
    let word = format!("{name}={}", placeholder::shown(value));
    let mut found = Vec::new();
    if let Some(text) = command_texts::setting(&word) {
        of_segments(&words::look(text).segments, &mut (64 * 1024), &mut found);
    }
    if code::loads_code(name) && git::is_open_folder(value) {
        found.push((
            Dangerous,
            format!(
                "`{name}` has other programs run code from a folder that everybody may write to"
            ),
        ));
    }
    worst_first(found)
}

fn worst_first(mut found: Vec<Found>) -> Vec<Danger> {
    found.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    found.dedup();
    found
        .into_iter()
        .take(16)
        .map(|(tier, what)| Danger {
            tier,
            what,
            part: None,
            shown_by_effect: false,
        })
        .collect()
}

/// How closely words are looked at.
#[derive(Clone, Copy)]
struct Look {
    /// They may be prose, so only the head counts.
    rough: bool,
    /// They may be the text of a script even where a known program holds them: `echo rm -rf / | sh`.
    all: bool,
    /// They are known to be a command.
    exact: bool,
}

/// Looks from the head, and where the head is not known to leave its arguments alone, from every word. Answers false when
/// that is too much work.
fn of_words(words: &[String], look: Look, work: &mut usize, found: &mut Vec<Found>) -> bool {
    let start = words.iter().take_while(|word| is_assignment(word)).count();
    let (before, words) = words.split_at_checked(start).unwrap_or((&[], words));
    if !look.rough
        && before
            .iter()
            .any(|word| security::is_history_variable(word, false))
    {
        found.push((
            Dangerous,
            "keeps what is done out of the history".to_owned(),
        ));
    }
    let Some(first) = words.first() else {
        return true;
    };
    of_program(words, look.exact, found);
    of_written(words, found);
    if words.len() == 1 {
        return true;
    }
    let leaves_alone = programs::find(identity(first)).is_some_and(|program| !program.interprets);
    let starts_another = words
        .iter()
        .any(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"));
    if look.rough || (leaves_alone && !starts_another && !look.all) {
        return true;
    }
    let mut cost = cost(words);
    for (index, word) in words.iter().enumerate() {
        let own = cost;
        cost = cost.saturating_sub(1 + word.len() / 16);
        let rest = words.get(index..).unwrap_or(&[]);
        // `supervisorctl shutdown` stops what it started, and no machine; `aws s3 rm` takes no files from here.
        let is_own_verb = match word.as_str() {
            "shutdown" => matches!(first.as_str(), "supervisorctl" | "redis-cli"),
            "rm" => matches!(
                first.as_str(),
                "aws" | "gcloud" | "gsutil" | "terraform" | "tofu"
            ),
            _ => false,
        };
        if index == 0 || is_own_verb || !(is_destroyer(word) || is_like_sayso(rest)) {
            continue;
        }
        let Some(left) = work.checked_sub(own) else {
            return false;
        };
        *work = left;
        of_program(rest, false, found);
        of_written(rest, found);
    }
    true
}

/// The dangers of the files that a program writes, where its effects may not be listed.
fn of_written(words: &[String], found: &mut Vec<Found>) {
    let Some((first, arguments)) = words.split_first() else {
        return;
    };
    takeover::of(
        &Call {
            name: &loose_name(first),
            arguments,
            exact: false,
        },
        found,
    );
}

/// What it costs to look through words: long ones count more.
fn cost(words: &[String]) -> usize {
    words.iter().map(|word| 1 + word.len() / 16).sum()
}

/// The dangers of a program with its arguments.
fn of_program(words: &[String], exact: bool, found: &mut Vec<Found>) {
    let Some((first, arguments)) = words.split_first() else {
        return;
    };
    let name = loose_name(first);
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let name = name
        .split('@')
        .next()
        .filter(|plain| !plain.is_empty())
        .unwrap_or(name);
    let name = [".jar", ".js", ".mjs", ".phar"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    let name = built_names::globbed(name).unwrap_or(name);
    let without = global_options::without(name, arguments);
    let call = Call {
        name,
        arguments: &without,
        exact,
    };
    if let Some(module) = code::module(name, arguments) {
        of_program(module, exact, found);
    }
    let families = [
        files::of,
        disks::of,
        processes::of,
        security::of,
        databases::of,
        cloud::of,
        network::of,
        losses::of,
        packages::of,
        requests::of,
        tunnels::of,
        rights::of,
        machine::of,
        takeover::of_unpacked,
    ];
    for family in families {
        family(&call, found);
    }
    terminals::of(&call, found);
    secrets::of(&call, found);
    windows::of(&call, found);
    let mut say = |tier: Tier, what: String| found.push((tier, what));
    match name {
        "git" | "hub" => {
            git::of_git(arguments, &mut say);
            for command in git::held_commands(arguments) {
                of_held(&command, exact, found);
            }
        }
        "sayso" if !programs::is_harmless_sayso(arguments) => {
            let subcommand = call.operand(0);
            say(
                Catastrophic,
                format!("an agent must not run `sayso {subcommand}`"),
            );
        }
        _ => {}
    }
}

/// The dangers of a command that another one holds. Git in git is looked at once, so that no text makes this go deep.
fn of_held(words: &[String], exact: bool, found: &mut Vec<Found>) {
    const MOST: usize = 16;
    let starts = (0..words.len())
        .filter_map(|at| words.get(at..))
        .filter(|rest| rest.first().is_some_and(|word| is_destroyer(word)));
    for rest in starts.take(MOST) {
        match rest.split_first() {
            Some((first, arguments)) if loose_name(first) == "git" => {
                git::of_git(arguments, &mut |tier: Tier, what: String| {
                    found.push((tier, what))
                });
            }
            _ => of_program(rest, exact, found),
        }
    }
}
