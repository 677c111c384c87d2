//! Reads one plain command of literal words, and refuses everything else with the reason and the place.

use std::iter::Peekable;
use std::str::CharIndices;

/// More words than this are not read: it keeps the questions to the world few.
const MOST_WORDS: usize = 1000;

/// One plain command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// `NAME=value` before the command.
    pub(crate) assignments: Vec<(String, String)>,
    /// The words after quote removal, at least one.
    pub(crate) words: Vec<String>,
}

/// Why a text was refused, and which bytes of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) reason: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Redirects that change no file. They may only stand at the end, so that no word after them has to be judged.
const HARMLESS_REDIRECTS: [&str; 14] = [
    "2>&1",
    "1>&2",
    ">&2",
    "2>/dev/null",
    "2> /dev/null",
    "1>/dev/null",
    "1> /dev/null",
    ">/dev/null",
    "> /dev/null",
    "2>>/dev/null",
    ">>/dev/null",
    "&>/dev/null",
    "&> /dev/null",
    "</dev/null",
];

/// Words that start a construct when they are the command word and not quoted. `time` is read as a wrapper.
const RESERVED: [&str; 22] = [
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "case",
    "esac",
    "for",
    "select",
    "while",
    "until",
    "do",
    "done",
    "in",
    "function",
    "coproc",
    "foreach",
    "end",
    "repeat",
    "nocorrect",
    "noglob",
    "always",
];

/// Whether this unquoted word starts a construct.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether a character means itself outside of quotes, in every shell.
pub(crate) fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_@%+=:,./^-".contains(character)
}

/// Reads a text.
pub(crate) fn read(text: &str) -> Result<Line, Refusal> {
    let mut line = Line::default();
    let mut characters = text.char_indices().peekable();
    loop {
        while characters.next_if(|(_, character)| is_blank(*character)).is_some() {}
        let Some(&(start, _)) = characters.peek() else { break };
        if let Some(rest) = text.get(start..)
            && let Some(length) = harmless_redirect(rest)
        {
            if line.words.is_empty() {
                return refuse("a redirect stands before the command", start, start + length);
            }
            only_redirects(text, start + length)?;
            break;
        }
        let word = read_word(text, &mut characters)?;
        if line.words.is_empty() {
            if let Some(parts) = word.assignment() {
                line.assignments.push(parts);
                continue;
            }
            word.check_command_word()?;
        }
        if line.words.len() >= MOST_WORDS {
            return refuse(format!("there are more than {MOST_WORDS} words"), start, text.len());
        }
        line.words.push(word.text);
    }
    match line.words.first() {
        None if line.assignments.is_empty() => refuse("there is no command", 0, text.len()),
        None => refuse("it only sets variables of the shell", 0, text.len()),
        Some(_) => Ok(line),
    }
}

/// Whether nothing but blanks and harmless redirects follow.
fn only_redirects(text: &str, mut at: usize) -> Result<(), Refusal> {
    while let Some(rest) = text.get(at..) {
        let trimmed = rest.trim_start_matches(is_blank);
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() {
            break;
        }
        match harmless_redirect(trimmed) {
            Some(length) => at += length,
            None => return refuse("something follows a redirect", at, text.len()),
        }
    }
    Ok(())
}

/// The length of the harmless redirect that a text starts with; it must end there.
fn harmless_redirect(rest: &str) -> Option<usize> {
    let ends = |redirect: &&&str| rest.strip_prefix(**redirect).is_some_and(|after| after.is_empty() || after.starts_with(is_blank));
    HARMLESS_REDIRECTS.iter().find(ends).map(|redirect| redirect.len())
}

/// A word, and how far it stood outside of quotes.
struct Word {
    text: String,
    /// How many bytes of `text`, from its start, were written without quotes.
    bare: usize,
    start: usize,
    end: usize,
}

impl Word {
    /// Name and value, if the shell would take this for an assignment: a quoted name is none.
    fn assignment(&self) -> Option<(String, String)> {
        let (name, value) = self.text.split_once('=')?;
        let bare = name.len() < self.bare;
        let name = name.strip_suffix('+').unwrap_or(name);
        (bare && is_name(name)).then(|| (name.to_owned(), value.to_owned()))
    }

    fn check_command_word(&self) -> Result<(), Refusal> {
        let all_bare = self.bare == self.text.len();
        if all_bare && is_reserved(&self.text) {
            return refuse(format!("`{}` starts a construct of the shell", self.text), self.start, self.end);
        }
        if self.bare > 0 && (self.text.starts_with(['%', '^']) || self.text.find('=').is_some_and(|at| at < self.bare)) {
            return refuse("the command word has a form that shells read in different ways", self.start, self.end);
        }
        Ok(())
    }
}

/// Whether a text is a name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn read_word(text: &str, characters: &mut Peekable<CharIndices<'_>>) -> Result<Word, Refusal> {
    let start = characters.peek().map_or(text.len(), |(at, _)| *at);
    let mut word = Word { text: String::new(), bare: 0, start, end: text.len() };
    let mut all_bare = true;
    while let Some((at, character)) = characters.next_if(|(_, character)| !is_blank(*character)) {
        match character {
            '\'' | '"' => {
                all_bare = false;
                read_quoted(text, characters, character, at, &mut word.text)?;
            }
            '\\' => {
                all_bare = false;
                match characters.next() {
                    Some((_, escaped @ ' '..='~')) => word.text.push(escaped),
                    _ => return refuse("a backslash stands before a line end or an unusual character", at, text.len()),
                }
            }
            '=' if at == start => return refuse("a word starts with `=`, which shells read in different ways", at, at + 1),
            _ if is_plain(character) => word.text.push(character),
            _ => return refuse(unreadable(character), at, at + character.len_utf8()),
        }
        if all_bare {
            word.bare = word.text.len();
        }
    }
    word.end = characters.peek().map_or(text.len(), |(at, _)| *at);
    Ok(word)
}

fn read_quoted(
    text: &str,
    characters: &mut Peekable<CharIndices<'_>>,
    quote: char,
    opened: usize,
    word: &mut String,
) -> Result<(), Refusal> {
    for (at, character) in characters.by_ref() {
        if character == quote {
            return Ok(());
        }
        if is_hidden(character) || (quote == '"' && "$`\\!".contains(character)) {
            return refuse(unreadable(character), at, at + character.len_utf8());
        }
        word.push(character);
    }
    refuse("a quote is not closed", opened, text.len())
}

fn is_blank(character: char) -> bool {
    character == ' ' || character == '\t'
}

/// Characters that a person would not see, or not see as what they are.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(u32::from(character),
            0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x2028..=0x202e
            | 0x2060..=0x206f | 0x2800 | 0x3164 | 0xe000..=0xf8ff | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xffff
            | 0x1d173..=0x1d17a | 0xe0000..=0x10ffff)
}

/// Why a character cannot be read, in words.
fn unreadable(character: char) -> String {
    match character {
        ';' | '&' | '|' => format!("`{character}` joins several commands"),
        '<' | '>' => format!("`{character}` redirects"),
        '(' | ')' | '{' | '}' => format!("`{character}` groups or expands"),
        '$' => "`$` is only known when it runs".to_owned(),
        '`' => "a backtick runs a command inside the command".to_owned(),
        '*' | '?' | '[' | ']' => format!("`{character}` stands for file names that are only known when it runs"),
        '~' => "`~` stands for a folder that is only known when it runs".to_owned(),
        '#' => "`#` starts a comment".to_owned(),
        '!' => "`!` negates or repeats from the history".to_owned(),
        '\\' => "a backslash stands in double quotes".to_owned(),
        '\n' | '\r' => "there is more than one line".to_owned(),
        _ => format!("the character U+{:04X} is not plain text", u32::from(character)),
    }
}

fn refuse<T>(reason: impl Into<String>, start: usize, end: usize) -> Result<T, Refusal> {
    Err(Refusal { reason: reason.into(), start, end })
}
