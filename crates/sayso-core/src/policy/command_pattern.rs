//! Patterns of commands: words, matched after parsing. A pattern never spans two commands.

use std::cell::RefCell;

use crate::analysis::draft::{Command, Lead};
use crate::packed::{Packed, Packer, Unpacker, packed};
use crate::paths::alternatives_of;
use crate::policy::glob::wild;
use crate::policy::pattern_error::PatternError;
use crate::policy::safe_command::Caution;

/// Reads command text; the shell crate is the one real reader.
pub trait CommandReader {
    /// The simple commands of a text, or none where it could not be read whole.
    fn commands(&self, text: &str) -> Option<Vec<Command>>;
    /// The words that can be seen in a text that could not be read.
    fn seen(&self, text: &str) -> Vec<Vec<String>>;
    /// The normal form of a command's words.
    fn normal(&self, words: &[String]) -> Vec<String>;
    /// What is special about commands that start with these words.
    fn caution(&self, _: &[String]) -> Option<Caution> {
        None
    }
}

/// How a pattern is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Words; `*` alone at the end is any further words.
    Words,
    /// Exactly this text, word for word.
    Exact,
    /// These words and any further ones.
    Prefix,
    /// One text in which `*` spans anything, as some agents write their rules.
    Glob,
}

/// Which way doubt goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only what it names.
    Narrow,
    /// Also what means the same, through wrappers and spellings.
    Wide,
}

/// A pattern of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPattern {
    /// As it was written.
    pub written: String,
    form: Form,
    alternatives: Vec<Alternative>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Alternative {
    text: String,
    words: Vec<String>,
    /// Further words may follow.
    open: bool,
    normal: Vec<String>,
    /// The options of the normal form.
    options: Vec<String>,
    /// Its other words.
    operands: Vec<String>,
}

impl CommandPattern {
    /// Reads a pattern.
    pub fn parse(
        written: &str,
        form: Form,
        reader: &dyn CommandReader,
    ) -> Result<CommandPattern, PatternError> {
        let mut alternatives = Vec::new();
        let texts = if form == Form::Glob || form == Form::Exact {
            vec![written.to_owned()]
        } else {
            alternatives_of(written)?
        };
        for text in texts {
            alternatives.push(alternative(&text, form, reader)?);
        }
        Ok(CommandPattern {
            written: written.to_owned(),
            form,
            alternatives,
        })
    }

    /// What is special about the commands it matches, if it was an entry of `safe_commands`.
    pub fn caution(&self, reader: &dyn CommandReader) -> Option<Caution> {
        self.alternatives.iter().find_map(|alternative| {
            let end = alternative
                .words
                .iter()
                .rposition(|word| word != "*")
                .map_or(0, |last| last + 1);
            let words = alternative.words.get(..end).unwrap_or_default();
            match words.first() {
                Some(first) if !first.contains(['*', '?']) => reader.caution(words),
                _ => Some(Caution::NamesNothing),
            }
        })
    }

    /// How it is meant.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The program names it can match, for an index; none if it can match any.
    pub fn programs(&self) -> Option<Vec<&str>> {
        let mut names = Vec::new();
        for alternative in &self.alternatives {
            for words in [&alternative.words, &alternative.normal] {
                match words.first() {
                    Some(word) if !word.contains(['*', '?']) => names.push(word.as_str()),
                    _ => return None,
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        Some(names)
    }

    /// Whether it matches every command, or every command of an interpreter or wrapper.
    pub fn is_overly_broad(&self) -> bool {
        const CARRIERS: [&str; 25] = [
            "sh", "bash", "zsh", "dash", "fish", "ksh", "python", "python3", "perl", "ruby",
            "node", "php", "lua", "awk", "sudo", "env", "xargs", "eval", "exec", "npx", "uvx",
            "rm", "ssh", "docker", "make",
        ];
        self.alternatives.iter().any(|alternative| {
            let open =
                alternative.open || self.form == Form::Glob && alternative.text.ends_with('*');
            let first = alternative.words.first().map_or("", String::as_str);
            (alternative.words.is_empty() && open)
                || first.starts_with('*')
                || (alternative.words.len() <= 1 && open && CARRIERS.contains(&first))
        })
    }

    /// Whether a parsed command matches.
    pub fn matches(&self, command: &Command, reach: Reach) -> bool {
        self.matches_words(&command.words, reach)
            || reach == Reach::Wide
                && (self.matches_normal(&command.normal)
                    || command.stages.iter().any(|words| {
                        self.matches_words(words, reach) || self.matches_normal(words)
                    }))
    }

    /// Whether it matches a command narrowly and writes out every word that leads it elsewhere.
    pub fn covers(&self, command: &Command) -> bool {
        self.alternatives.iter().any(|alternative| {
            self.alternative_matches(alternative, &command.words, Reach::Narrow)
                && command
                    .leads
                    .iter()
                    .all(|lead| self.writes_out(alternative, command, lead))
        })
    }

    /// Whether an alternative has the word of a lead itself, or its option with a wildcard for the value.
    fn writes_out(&self, alternative: &Alternative, command: &Command, lead: &Lead) -> bool {
        let Some(word) = command.words.get(lead.word) else {
            return false;
        };
        let option = word.get(..lead.name).unwrap_or(word);
        let is_written = |part: &str| match part.find(['*', '?']) {
            None => part == word,
            Some(at) => {
                !option.is_empty()
                    && part
                        .get(..at)
                        .is_some_and(|literal| literal.starts_with(option))
            }
        };
        match self.form {
            // A text has no places: an option that is given twice has to be written twice.
            Form::Glob => {
                let given = command
                    .words
                    .iter()
                    .filter(|other| other.starts_with(option))
                    .count();
                alternative
                    .text
                    .split_whitespace()
                    .filter(|part| is_written(part))
                    .count()
                    >= given
            }
            _ => alternative
                .words
                .get(lead.word)
                .is_some_and(|part| is_written(part)),
        }
    }

    /// Whether it names exactly this program, without a wildcard.
    pub fn names(&self, program: &str) -> bool {
        self.alternatives.iter().any(|alternative| {
            alternative
                .words
                .first()
                .is_some_and(|word| word == program)
        })
    }

    /// Whether words that were only seen could be such a command: at their start, or behind anything.
    pub fn matches_seen(&self, words: &[String], reader: &dyn CommandReader) -> bool {
        self.starts(words).any(|rest| {
            self.matches_words(rest, Reach::Wide) || self.matches_normal(&reader.normal(rest))
        })
    }

    /// The same for words that are compared as they stand, since they come in every form there is.
    pub fn matches_seen_as_is(&self, words: &[String]) -> bool {
        self.starts(words)
            .any(|rest| self.matches_words(rest, Reach::Wide) || self.matches_normal(rest))
    }

    /// Where in a row of words such a command could start. A text that has it start in very many places is no ordinary one; it asks anyway.
    fn starts<'a>(&'a self, words: &'a [String]) -> impl Iterator<Item = &'a [String]> {
        const MOST_STARTS: usize = 256;
        let could_start = |word: &String| {
            self.alternatives.iter().any(|alternative| {
                let first = [alternative.words.first(), alternative.normal.first()];
                first
                    .iter()
                    .any(|part| part.is_none_or(|part| part == "*" || wild(part, word)))
            })
        };
        words
            .iter()
            .enumerate()
            .filter(move |(_, word)| could_start(word))
            .take(MOST_STARTS)
            .map(|(start, _)| words.get(start..).unwrap_or_default())
    }

    /// Whether every option of the command is spelled out in the pattern, and not just let in by a `*`.
    pub fn names_options(&self, command: &Command) -> bool {
        let named = |alternative: &Alternative, word: &String| alternative.words.contains(word);
        self.alternatives.iter().any(|alternative| {
            command
                .words
                .iter()
                .filter(|word| is_option(word))
                .all(|word| named(alternative, word))
        })
    }

    fn matches_words(&self, words: &[String], reach: Reach) -> bool {
        self.alternatives
            .iter()
            .any(|alternative| self.alternative_matches(alternative, words, reach))
    }

    fn alternative_matches(
        &self,
        alternative: &Alternative,
        words: &[String],
        reach: Reach,
    ) -> bool {
        match self.form {
            Form::Glob => {
                let joined = words.join(" ");
                wild(&alternative.text, &joined)
                    || alternative
                        .text
                        .strip_suffix(" *")
                        .is_some_and(|start| wild(start, &joined))
            }
            Form::Exact => alternative.words == words,
            Form::Words | Form::Prefix => {
                words_match(&alternative.words, words, alternative.open, reach)
            }
        }
    }

    fn matches_normal(&self, normal: &[String]) -> bool {
        match self.form {
            Form::Exact => self
                .alternatives
                .iter()
                .any(|alternative| alternative.normal == normal),
            // A glob is about the text as it was typed, but `rm -rf *` also means `rm -fr x`.
            Form::Glob if self.matches_words(normal, Reach::Wide) => true,
            Form::Words | Form::Prefix | Form::Glob => self
                .alternatives
                .iter()
                .any(|alternative| normal_matches(alternative, normal)),
        }
    }
}

packed! { enum Form { Words, Exact, Prefix, Glob } }

/// By what was written, and by the normal forms, which only a reader of commands can make.
impl Packed for CommandPattern {
    fn pack(&self, out: &mut Packer) {
        self.written.pack(out);
        self.form.pack(out);
        let normal = |alternative: &Alternative| {
            Some(alternative.normal.clone()).filter(|normal| *normal != alternative.words)
        };
        self.alternatives
            .iter()
            .map(normal)
            .collect::<Vec<_>>()
            .pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let (written, form) = (String::unpack(from)?, Form::unpack(from)?);
        let normal: Vec<Option<Vec<String>>> = Packed::unpack(from)?;
        let count = normal.len();
        let reader = Known(RefCell::new(normal.into_iter()));
        CommandPattern::parse(&written, form, &reader)
            .ok()
            .filter(|pattern| pattern.alternatives.len() == count)
    }
}

/// Gives the normal forms that were made before, in their order; none inside is one like the words.
struct Known(RefCell<std::vec::IntoIter<Option<Vec<String>>>>);

impl CommandReader for Known {
    fn commands(&self, _: &str) -> Option<Vec<Command>> {
        None
    }

    fn seen(&self, _: &str) -> Vec<Vec<String>> {
        Vec::new()
    }

    fn normal(&self, words: &[String]) -> Vec<String> {
        self.0
            .borrow_mut()
            .next()
            .flatten()
            .unwrap_or_else(|| words.to_vec())
    }
}

fn alternative(
    text: &str,
    form: Form,
    reader: &dyn CommandReader,
) -> Result<Alternative, PatternError> {
    let mut words = split_words(text)?;
    if words.is_empty() {
        return Err(PatternError::NoWords);
    }
    let mut open = form == Form::Prefix;
    if matches!(form, Form::Words | Form::Glob) && words.last().is_some_and(|word| word == "*") {
        words.pop();
        open = true;
    }
    let normal = reader.normal(&words);
    let (options, operands) = normal.iter().cloned().partition(|word| is_option(word));
    Ok(Alternative {
        text: text.to_owned(),
        words,
        open,
        normal,
        options,
        operands,
    })
}

/// Splits a pattern into words; quotes keep blanks together.
fn split_words(text: &str) -> Result<Vec<String>, PatternError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for character in text.chars() {
        match (quote, character) {
            (_, c) if c.is_control() && c != '\t' => {
                return Err(PatternError::ControlCharacter);
            }
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, ';' | '|' | '&' | '<' | '>' | '`' | '\\') => {
                return Err(PatternError::OperatorOfShell(character));
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(PatternError::OpenQuote);
    }
    words.extend(word);
    Ok(words)
}

/// Matches words one by one. A lone `*` is one word in a narrow reading and any run of words in a wide one.
fn words_match(pattern: &[String], words: &[String], open: bool, reach: Reach) -> bool {
    match reach {
        Reach::Narrow => {
            let fits = pattern.len() == words.len() || open && pattern.len() < words.len();
            fits && pattern
                .iter()
                .zip(words)
                .all(|(part, word)| narrow_word(part, word))
        }
        Reach::Wide => wide_match(
            pattern,
            words.iter().map(|word| (word.as_str(), false)),
            open,
        ),
    }
}

/// One word of an allow pattern. A `*` among other characters is a name: it leads into no other folder than the pattern says.
fn narrow_word(part: &str, word: &str) -> bool {
    if part == "*" || !part.contains(['*', '?']) {
        return part == "*" || part == word;
    }
    let climbs =
        word.split('/').any(|name| name == "..") && !part.split('/').any(|name| name == "..");
    let as_deep = !part.contains('/') || part.matches('/').count() == word.matches('/').count();
    wild(part, word) && !climbs && as_deep
}

/// A wide reading of words, some of which may be the values of options before them and so may be passed over.
///
/// One bit for each place in the pattern that has been reached; the cost is words × pattern, whatever stands there.
fn wide_match<'a>(
    pattern: &[String],
    words: impl Iterator<Item = (&'a str, bool)>,
    open: bool,
) -> bool {
    // Longer patterns are cut: a deny rule then matches more, which is the safe side.
    const MOST: usize = 63;
    let (pattern, open) = (
        pattern.get(..MOST).unwrap_or(pattern),
        open || pattern.len() > MOST,
    );
    let runs = |place: usize| pattern.get(place).is_some_and(|part| part == "*");
    // A `*` may stand for no word at all.
    let spread = |mut reached: u64| {
        for place in 0..pattern.len() {
            if reached >> place & 1 == 1 && runs(place) {
                reached |= 1 << (place + 1);
            }
        }
        reached
    };
    let done = 1u64 << pattern.len();
    let mut reached = spread(1);
    for (word, passes) in words {
        if open && reached & done != 0 {
            return true;
        }
        let mut next = if passes { reached } else { 0 };
        for (place, part) in pattern.iter().enumerate() {
            if reached >> place & 1 == 1 {
                if part == "*" {
                    next |= 1 << place;
                } else if wild(part, word) {
                    next |= 1 << (place + 1);
                }
            }
        }
        reached = spread(next);
        if reached == 0 {
            return false;
        }
    }
    reached & done != 0
}

/// Matches normal forms: the pattern's options must all be among the command's, its other words in their order.
///
/// Where the table does not know which options take a value, the word behind an option may be one: `kubectl -n prod delete`.
fn normal_matches(alternative: &Alternative, normal: &[String]) -> bool {
    let given = || normal.iter().filter(|word| is_option(word));
    if !alternative
        .options
        .iter()
        .all(|option| given().any(|word| wild(option, word)))
    {
        return false;
    }
    if !alternative.open && given().count() != alternative.options.len() {
        return false;
    }
    let mut behind_option = false;
    let words = normal.iter().filter_map(|word| {
        let passes = std::mem::replace(&mut behind_option, is_option(word) && !word.contains('='));
        (!is_option(word)).then_some((word.as_str(), passes))
    });
    wide_match(&alternative.operands, words, alternative.open)
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

#[cfg(test)]
pub(crate) mod tests;
