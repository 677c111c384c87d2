//! Every word that can be seen in a text that may not be readable as a whole: over-approximate, for deny rules and danger.

use crate::wrappers;

/// Scripts inside scripts are looked into this deep; deeper ones still show as words.
const DEEPEST: usize = 4;
/// How many words follow a wrapper at least, when there are too many wrappers to show the whole rest for each.
const LEAST_SUFFIX: usize = 8;
/// Only so much of a text is split. No system takes this much as one argument, and [`crate::danger`] speaks up about the rest.
pub(crate) const MOST_TEXT: usize = 1024 * 1024;

/// Words that stood together between two operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) words: Vec<String>,
    /// What stood before it.
    pub(crate) after: After,
    /// Found without regard to quotes, so that it may be prose.
    pub(crate) rough: bool,
}

/// What stands before a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The start, or an operator that only separates.
    Separator,
    /// A `|`: it reads what the one before prints.
    Pipe,
    /// A `>`: the only word is a file that is written.
    Output,
    /// A `<`: the only word is a file or text that is read.
    Input,
    /// A wrapper, whose own words are the segment before it.
    Wrapper,
}

/// The segments of a text, also of the scripts inside it.
pub(crate) fn segments(text: &str) -> Vec<Segment> {
    let mut found = Vec::new();
    let text = text.get(..text.floor_char_boundary(MOST_TEXT)).unwrap_or(text);
    let mut level = vec![text.to_owned()];
    for _ in 0..DEEPEST {
        let mut deeper = Vec::new();
        for script in &level {
            let from = found.len();
            let doubtful = split(script, false, &mut found);
            if doubtful {
                split(script, true, &mut found);
            }
            let fresh = found.get(from..).unwrap_or(&[]);
            // What is piped into a shell is a script as well.
            let piped =
                fresh.iter().any(|segment| segment.after == After::Pipe && segment.words.iter().any(|word| wrappers::is_shell(word)));
            for segment in fresh {
                if piped || segment.words.iter().any(|word| wrappers::takes_script(word)) {
                    let scripts = segment.words.iter().filter(|word| word.contains([' ', '\t', '\n', ';', '|', '&', '\\', '$', '`']));
                    deeper.extend(scripts.filter(|word| *word != script).cloned());
                }
            }
        }
        if deeper.is_empty() {
            break;
        }
        level = deeper;
    }
    // Every wrapper shows the rest of its segment again, which must not add up to the square of the length.
    let mut budget = 4096 + 2 * found.iter().map(|segment| segment.words.len()).sum::<usize>();
    let suffixes: Vec<Segment> = found.iter().flat_map(|segment| behind_wrappers(segment, &mut budget)).collect();
    found.extend(suffixes);
    found
}

/// What stands behind each wrapper of a segment, its options skipped: `xargs -0 rm -rf` also shows `rm -rf`.
fn behind_wrappers(segment: &Segment, budget: &mut usize) -> Vec<Segment> {
    let mut rows = Vec::new();
    let words = segment.words.as_slice();
    // Where the next word stands that is no option, assignment or number; from the right, so that it is found in one pass.
    let mut next = vec![words.len(); words.len() + 2];
    for (index, word) in words.iter().enumerate().rev() {
        let own = word.starts_with('-') || is_assignment(word) || word.starts_with(|first: char| first.is_ascii_digit());
        let found = if own { next.get(index + 1).copied().unwrap_or(words.len()) } else { index };
        if let Some(slot) = next.get_mut(index) {
            *slot = found;
        }
    }
    let skip_own = |index: usize| next.get(index).copied().unwrap_or(words.len());
    for (index, word) in words.iter().enumerate() {
        let leading = index == 0 && is_assignment(word);
        if !leading && !wrappers::is_transparent(word) && !wrappers::takes_command(word) {
            continue;
        }
        let first = skip_own(index + 1);
        // The word after the options may be the value of the last one, or a host.
        for start in [first, skip_own(first + 1)] {
            let rest = words.get(start..).unwrap_or(&[]);
            let shown = if rest.len() <= *budget { rest } else { rest.get(..LEAST_SUFFIX).unwrap_or(rest) };
            // What stands behind `{` or `then` shows up by itself.
            if shown.first().is_some_and(|first| !wrappers::is_transparent(first)) {
                *budget = budget.saturating_sub(shown.len());
                rows.push(Segment { words: shown.to_vec(), after: After::Wrapper, rough: segment.rough });
            }
        }
    }
    rows
}

pub(crate) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| crate::characters::is_name(name))
}

/// The state while splitting.
struct Splitter<'a> {
    found: &'a mut Vec<Segment>,
    words: Vec<String>,
    word: String,
    in_word: bool,
    after: After,
    /// The next word is the target of a redirect.
    target: Option<After>,
    rough: bool,
}

impl Splitter<'_> {
    fn end_word(&mut self) {
        if !std::mem::take(&mut self.in_word) {
            return;
        }
        let word = std::mem::take(&mut self.word);
        match self.target.take() {
            // A redirect does not end its command: `rm > x -rf /` is `rm -rf /`.
            Some(after) => self.found.push(Segment { words: vec![word], after, rough: self.rough }),
            None => self.words.push(word),
        }
    }

    fn end_segment(&mut self, after: After) {
        self.end_word();
        self.target = None;
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.found.push(Segment { words, after: self.after, rough: self.rough });
        }
        self.after = after;
    }

    fn redirect(&mut self, direction: After) {
        // The number of a descriptor is no word of the command.
        if self.in_word && self.word.bytes().all(|byte| byte.is_ascii_digit()) {
            self.word.clear();
            self.in_word = false;
        }
        self.end_word();
        self.target = Some(direction);
    }

    fn push(&mut self, character: char) {
        self.in_word = true;
        self.word.push(character);
    }
}

/// Splits a text; `rough` pays no regard to quotes. Answers whether quotes may have been misread.
fn split(text: &str, rough: bool, found: &mut Vec<Segment>) -> bool {
    let mut doubtful = false;
    let mut quote: Option<char> = None;
    let mut state =
        Splitter { found, words: Vec::new(), word: String::new(), in_word: false, after: After::Separator, target: None, rough };
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        if let Some(open) = quote {
            match character {
                _ if character == open => quote = None,
                '\\' if open == '"' && next.is_some_and(|next| "$`\"\\\n".contains(next)) => {
                    characters.next();
                    state.word.extend(next.filter(|next| *next != '\n'));
                }
                _ => {
                    // A substitution in double quotes starts a command of its own.
                    doubtful |= open == '"' && (character == '`' || (character == '$' && next == Some('(')));
                    state.word.push(character);
                }
            }
            continue;
        }
        match character {
            '\'' | '"' if rough => state.in_word = true,
            '\'' | '"' => {
                state.in_word = true;
                quote = Some(character);
            }
            '\\' => match characters.next() {
                Some('\n') | None => {}
                Some(escaped) if rough && (escaped.is_whitespace() || escaped == '\'' || escaped == '"') => state.end_word(),
                Some(escaped) => state.push(escaped),
            },
            '>' | '<' => {
                doubtful |= character == '<' && next == Some('<');
                state.redirect(if character == '>' { After::Output } else { After::Input });
                while characters.next_if(|next| "<>&|-!".contains(*next)).is_some() {}
            }
            '&' if next == Some('>') => {}
            '|' => {
                state.end_segment(After::Pipe);
                if characters.next_if_eq(&'|').is_some() {
                    state.after = After::Separator;
                }
                characters.next_if_eq(&'&');
            }
            ';' | '&' | '(' | ')' | '\n' | '\r' | '`' => state.end_segment(After::Separator),
            '$' if next == Some('\'') || next == Some('"') => doubtful = true,
            '#' if !state.in_word => {
                doubtful = true;
                state.push(character);
            }
            _ if character.is_whitespace() || character == '\0' => state.end_word(),
            _ => state.push(character),
        }
    }
    state.end_segment(After::Separator);
    doubtful || quote.is_some()
}
