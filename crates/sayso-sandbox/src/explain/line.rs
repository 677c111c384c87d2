//! One line of an output: which trouble it tells of, what was tried, and what it may name.

/// What went wrong, by the words of the system or of a language for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    ReadOnly,
    Missing,
    Denied,
    NotPermitted,
    Busy,
    Unreached,
    NoProcess,
    NoMemory,
    NoRights,
}

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    Read,
    Write,
    Unknown,
}

/// In small letters; the first that a line holds counts.
const TROUBLES: [(&str, Trouble); 46] = [
    ("\"no new privileges\" flag is set", Trouble::NoRights),
    ("effective uid is not 0, is", Trouble::NoRights),
    ("unshare failed: operation not permitted", Trouble::NoRights),
    (
        "ptrace(ptrace_traceme, ...): operation not permitted",
        Trouble::NoRights,
    ),
    ("could not resolve host", Trouble::Unreached),
    ("unable to resolve host", Trouble::Unreached),
    ("temporary failure resolving", Trouble::Unreached),
    ("temporary failure in name resolution", Trouble::Unreached),
    ("name or service not known", Trouble::Unreached),
    ("nodename nor servname provided", Trouble::Unreached),
    ("no address associated with hostname", Trouble::Unreached),
    ("failed to lookup address information", Trouble::Unreached),
    ("getaddrinfo enotfound", Trouble::Unreached),
    ("getaddrinfo eai_again", Trouble::Unreached),
    ("unknownhostexception", Trouble::Unreached),
    ("network is unreachable", Trouble::Unreached),
    ("enetunreach", Trouble::Unreached),
    ("couldn't connect to server", Trouble::Unreached),
    ("read-only file system", Trouble::ReadOnly),
    ("erofs:", Trouble::ReadOnly),
    ("unable to create native thread", Trouble::NoProcess),
    ("can't start new thread", Trouble::NoProcess),
    ("fork: retry", Trouble::NoProcess),
    ("cannot fork", Trouble::NoProcess),
    ("spawn eagain", Trouble::NoProcess),
    ("fork: resource temporarily unavailable", Trouble::NoProcess),
    (
        "fork failed: resource temporarily unavailable",
        Trouble::NoProcess,
    ),
    ("resource temporarily unavailable", Trouble::NoProcess),
    ("cannot allocate memory", Trouble::NoMemory),
    ("enomem", Trouble::NoMemory),
    ("memoryerror", Trouble::NoMemory),
    ("memory allocation of", Trouble::NoMemory),
    ("std::bad_alloc", Trouble::NoMemory),
    ("virtual memory exhausted", Trouble::NoMemory),
    ("could not reserve enough space", Trouble::NoMemory),
    ("failed to reserve virtual memory", Trouble::NoMemory),
    ("out of memory, malloc failed", Trouble::NoMemory),
    ("device or resource busy", Trouble::Busy),
    ("permission denied", Trouble::Denied),
    ("eacces:", Trouble::Denied),
    ("accessdeniedexception", Trouble::Denied),
    ("operation not permitted", Trouble::NotPermitted),
    ("no such file or directory", Trouble::Missing),
    ("enoent:", Trouble::Missing),
    ("nosuchfileexception", Trouble::Missing),
    ("' does not exist", Trouble::Missing),
];

/// Of all that lacks processes only what says so; the words alone are also those of a socket that has nothing to read.
const MAKES_PROCESSES: [&str; 5] = ["fork", "thread", "spawn", "clone", "process"];

const WRITES: [&str; 39] = [
    "cannot create",
    "could not create",
    "couldn't create",
    "can't create",
    "failed to create",
    "unable to create",
    "cannot touch",
    "cannot remove",
    "cannot unlink",
    "cannot move",
    "cannot rename",
    "cannot make",
    "cannot write",
    "could not write",
    "failed to write",
    "unable to write",
    "cannot overwrite",
    "failed to remove",
    "could not lock",
    "unable to lock",
    "for writing",
    "output file",
    "failed to open the file",
    "temporary file",
    "setting times",
    "changing permissions",
    "changing ownership",
    ", mkdir '",
    ", rmdir '",
    ", unlink '",
    ", rename '",
    ", symlink '",
    ", link '",
    ", chmod '",
    ", copyfile '",
    "mkdir ",
    "remove ",
    "rename ",
    "createdirectory",
];

const READS: [&str; 15] = [
    "cannot access",
    "cannot stat",
    "cannot statx",
    "cannot read",
    "could not read",
    "failed to read",
    "couldn't read",
    "can't read",
    "for reading",
    "cannot open directory",
    "can't open file",
    "could not open directory",
    ", scandir '",
    ", stat '",
    ", lstat '",
];

/// Programs that only do one, by the name that their messages begin with.
const WRITERS: [&str; 10] = [
    "rm", "mkdir", "rmdir", "touch", "tee", "chmod", "chown", "mv", "ln", "truncate",
];
const READERS: [&str; 12] = [
    "cat", "ls", "head", "tail", "grep", "wc", "find", "stat", "du", "diff", "file", "sort",
];

/// A line with trouble in it.
#[derive(Clone, Debug)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) small: String,
    pub(super) trouble: Trouble,
    /// Where the words for it are.
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The trouble of a line, if it tells of one.
pub(super) fn read(text: &str) -> Option<Line<'_>> {
    let small = text.to_ascii_lowercase();
    let (words, trouble) = TROUBLES.iter().find(|(words, _)| small.contains(words))?;
    let vague = *words == "resource temporarily unavailable"
        && !MAKES_PROCESSES.iter().any(|word| small.contains(word));
    let from = small.find(words)?;
    (!vague).then_some(Line {
        text,
        trouble: *trouble,
        from,
        to: from + words.len(),
        small,
    })
}

/// What a line says was tried.
pub(super) fn intent(small: &str) -> Intent {
    let holds = |list: &[&str]| list.iter().any(|words| small.contains(words));
    let program = small
        .split(':')
        .next()
        .unwrap_or_default()
        .rsplit('/')
        .next()
        .unwrap_or_default();
    match () {
        () if holds(&WRITES) => Intent::Write,
        () if holds(&READS) => Intent::Read,
        () if WRITERS.contains(&program) => Intent::Write,
        () if READERS.contains(&program) => Intent::Read,
        () => Intent::Unknown,
    }
}

/// What may be the path that a line is about, the likeliest first.
pub(super) fn paths<'t>(line: &Line<'t>) -> Vec<&'t str> {
    let quoted = quoted(line.text);
    let is_far = |name: &str| name.starts_with(['/', '~']);
    let mut found: Vec<&str> = quoted
        .iter()
        .map(|(_, name)| *name)
        .filter(|name| is_far(name))
        .collect();
    let before = line.text.get(..line.from).unwrap_or_default();
    // `tar: x: Cannot open: …`, `FileNotFoundException: x (…)`, `…: x: …`.
    let before = before.trim_end_matches([' ', ':', '(', '[']);
    let mut segments = before.rsplit(": ");
    let last = segments.next().unwrap_or_default();
    found.extend(at_end(last));
    if at_end(last).is_none() {
        found.extend(segments.next().and_then(at_end).filter(|name| is_far(name)));
    }
    let after = line
        .text
        .get(line.to..)
        .unwrap_or_default()
        .trim_start_matches([':', ' ']);
    found.extend(is_far(after).then(|| after.split(": ").next().unwrap_or_default()));
    found.extend(
        quoted
            .iter()
            .map(|(_, name)| *name)
            .filter(|name| !is_far(name)),
    );
    found.truncate(6);
    found
}

/// A path at the end of a piece of a line: from the first word that begins as one, or the last word, if it can only be one.
fn at_end(piece: &str) -> Option<&str> {
    let piece = piece.trim();
    if piece.is_empty() || piece.ends_with(['\'', '"', '`', '\u{2019}', '\u{201D}']) {
        return None;
    }
    let starts = |at: usize| {
        piece
            .get(..at)
            .is_none_or(|before| before.is_empty() || before.ends_with([' ', '\t']))
    };
    let far = piece
        .match_indices(['/', '~'])
        .map(|(at, _)| at)
        .find(|at| starts(*at));
    if let Some(name) = far.and_then(|at| piece.get(at..)) {
        return Some(name);
    }
    let last = piece.rsplit(' ').next()?;
    (last.len() == piece.len() || last.contains(['/', '.'])).then_some(last)
}

/// What stands between quotes of any kind, with where it begins; at most eight.
pub(super) fn quoted(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    // Each may be looked for to the end of the line.
    let mut tries = 32;
    while let Some((offset, opener)) = text
        .get(at..)
        .and_then(|rest| rest.char_indices().find(|(_, one)| closer(*one).is_some()))
    {
        let opens = at + offset;
        let start = opens + opener.len_utf8();
        at = start;
        // An apostrophe within a word opens nothing.
        let within = text
            .get(..opens)
            .and_then(|before| before.chars().next_back())
            .is_some_and(char::is_alphanumeric);
        let end = text
            .get(start..)
            .and_then(|rest| rest.find(closer(opener)?));
        // One without an end opens nothing either: what follows it is looked at by itself.
        if let (Some(end), false) = (end, within) {
            found.push((start, text.get(start..start + end).unwrap_or_default()));
            at = start + end + closer(opener).map_or(1, char::len_utf8);
        }
        tries -= 1;
        if tries == 0 || found.len() == 8 {
            break;
        }
    }
    found.retain(|(_, name)| !name.is_empty());
    found
}

fn closer(opener: char) -> Option<char> {
    match opener {
        '\'' | '"' | '`' => Some(opener),
        '\u{2018}' => Some('\u{2019}'),
        '\u{201C}' => Some('\u{201D}'),
        _ => None,
    }
}
