//! Splits any text into words and segments, whether or not a shell could read it. Linear, and bounded in what it keeps.

use crate::expand::wrappers::is_transparent;

/// So many words are kept of a text and of all scripts inside it. [`crate::danger`] speaks up when there are more.
const MOST_WORDS: usize = 64 * 1024;

/// Words that stood together between two operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) words: Vec<String>,
    /// What stood before it.
    pub(crate) after: After,
    /// What it reads may come from a pipe: its own, or that of a group it stands in.
    pub(crate) piped: bool,
    /// Found without regard to quotes, so that it may be prose.
    pub(crate) rough: bool,
}

/// What is done with a `#` at the start of a word. No shell reads a comment, but where it starts and ends only a whole reading could tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comments {
    /// It is a word like others.
    AreWords,
    /// It takes the rest of the line with it.
    EndLines,
    /// It takes the rest of the command with it.
    EndCommands,
}

/// What stands before a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The start, or an operator that only separates.
    Separator,
    /// A `(` or a backtick: it starts a group, which the one before may be given.
    Opened,
    /// A `|`: it reads what the one before prints.
    Pipe,
    /// A `>`: the only word is a file that is written.
    Output,
    /// A `<`: the only word is a file that is read.
    Input,
    /// A `<<` or `>&`: the only word is no file, but a text or the number of one that is open.
    Other,
    /// A wrapper, whose own words are the segment before it.
    Wrapper,
}

impl After {
    /// Whether the only word is the target of a redirect.
    pub(crate) fn is_redirect(self) -> bool {
        matches!(self, After::Output | After::Input | After::Other)
    }
}

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) segments: Vec<Segment>,
    /// How many words they have.
    pub(crate) words: usize,
    /// Something was left out.
    pub(crate) cut: bool,
}

/// The state while splitting.
struct Splitter<'a> {
    found: &'a mut Found,
    words: Vec<String>,
    word: String,
    in_word: bool,
    after: After,
    /// The next word is the target of a redirect.
    target: Option<After>,
    /// The groups that are open here.
    groups: Vec<Group>,
    /// The next group is the body of a function.
    defines: bool,
    /// All words so far are keywords.
    leading: bool,
    /// Something in the text is piped.
    pipes: bool,
    way: Way,
}

/// Commands that stand together, and by what.
struct Group {
    by: By,
    piped: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Parentheses,
    Backticks,
    /// `x=( … )`.
    List,
    /// `{ … }`, `if … fi`.
    Keywords,
}

impl Splitter<'_> {
    /// Whether what stands here may read from a pipe.
    fn is_piped(&self) -> bool {
        self.after == After::Pipe
            || self
                .groups
                .last()
                .map_or(self.way.piped, |group| group.piped)
    }

    /// What a function reads shows where it is called.
    fn open(&mut self, by: By) {
        let piped = std::mem::take(&mut self.defines) && self.pipes || self.is_piped();
        self.groups.push(Group { by, piped });
    }

    fn close(&mut self, by: By) -> bool {
        self.groups.pop_if(|group| group.by == by).is_some()
    }

    fn parenthesis(&mut self, rest: &[u8]) {
        // The values of a list are words of the assignment.
        if self.in_word
            && self.word.ends_with('=')
            && self.groups.last().is_none_or(|group| group.by != By::List)
        {
            self.end_word();
            return self.open(By::List);
        }
        self.end_word();
        let defines = !self.words.is_empty()
            && rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b')');
        self.open(By::Parentheses);
        // `>(sh)` reads what is written there.
        let written =
            self.target == Some(After::Output) && self.words.last().is_none_or(|word| word != "$");
        if let Some(group) = self.groups.last_mut() {
            group.piped |= written;
        }
        self.defines = defines;
        self.end_segment(After::Opened);
    }

    fn backtick(&mut self) {
        let piped = self.is_piped();
        self.end_segment(After::Separator);
        if !self.close(By::Backticks) {
            self.after = After::Opened;
            self.groups.push(Group {
                by: By::Backticks,
                piped,
            });
        }
    }

    /// Keeps track of groups by a word that is the next of a command.
    fn keyword(&mut self, word: &str) {
        match word {
            "{" if self.words.first().is_some_and(|first| first == "function") => {
                self.defines = true;
                self.open(By::Keywords);
            }
            _ if !self.leading => {}
            "{" | "if" | "while" | "until" | "for" | "case" | "select" => self.open(By::Keywords),
            "}" | "fi" | "done" | "esac" => drop(self.close(By::Keywords)),
            _ => {}
        }
    }

    fn end_word(&mut self) {
        if !std::mem::take(&mut self.in_word) {
            return;
        }
        if self.found.words >= MOST_WORDS {
            self.word.clear();
            self.found.cut = true;
            return;
        }
        self.found.words += 1;
        let word = std::mem::take(&mut self.word);
        match self.target.take() {
            // A redirect does not end its command: `rm > x -rf /` is `rm -rf /`.
            Some(after) => self.found.segments.push(Segment {
                words: vec![word],
                after,
                piped: false,
                rough: self.way.rough,
            }),
            None => {
                self.keyword(&word);
                self.leading &= is_transparent(&word);
                // `{rm,-rf,x}` is a whole command.
                let braces = word
                    .strip_prefix('{')
                    .and_then(|word| word.strip_suffix('}'))
                    .filter(|inside| inside.len() < 256 && inside.contains(','));
                match braces {
                    Some(inside) if self.words.is_empty() => {
                        self.words.extend(inside.split(',').map(str::to_owned))
                    }
                    _ => self.words.push(word),
                }
            }
        }
    }

    fn end_segment(&mut self, after: After) {
        self.end_word();
        self.target = None;
        if !self.words.is_empty() {
            self.leading = true;
            let words = std::mem::take(&mut self.words);
            let piped = self.is_piped();
            self.found.segments.push(Segment {
                words,
                after: self.after,
                piped,
                rough: self.way.rough,
            });
        }
        self.after = after;
    }

    /// The end of a line. What stands before an empty one still leads to the next command.
    fn end_line(&mut self) {
        self.end_word();
        let after = if self.words.is_empty() {
            self.after
        } else {
            After::Separator
        };
        self.end_segment(after);
    }

    /// A redirect, with the rest of the text behind its first character. Answers how long the rest of the operator is.
    fn redirect(&mut self, first: u8, rest: &[u8]) -> usize {
        // The number of a descriptor is no word of the command.
        if self.in_word && self.word.bytes().all(|byte| byte.is_ascii_digit()) {
            self.word.clear();
            self.in_word = false;
        }
        self.end_word();
        let length = rest
            .iter()
            .take_while(|byte| b"<>&|-!".contains(byte))
            .count();
        let (operator, target) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let number = operator.first() == Some(&b'&')
            && (operator.contains(&b'-') || target.first().is_some_and(u8::is_ascii_digit));
        self.target = Some(match first {
            _ if number => After::Other,
            b'<' if operator.first() == Some(&b'<') => After::Other,
            b'<' if operator.first() != Some(&b'>') => After::Input,
            _ => After::Output,
        });
        length
    }

    fn push(&mut self, text: &str) {
        self.in_word = true;
        self.word.push_str(text);
    }
}

/// Bytes that mean themselves everywhere outside of quotes.
fn is_ordinary(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'\''
                | b'"'
                | b'\\'
                | b'<'
                | b'>'
                | b'&'
                | b'|'
                | b';'
                | b'('
                | b')'
                | b'`'
                | b'$'
                | b'#'
        )
}

/// How a text is split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Without regard to quotes.
    pub(crate) rough: bool,
    pub(crate) comments: Comments,
    /// All of it reads from a pipe.
    pub(crate) piped: bool,
}

/// Splits a text. Answers whether quotes may have been misread.
pub(crate) fn split(text: &str, way: Way, found: &mut Found) -> bool {
    let mut doubtful = false;
    let mut quote: Option<u8> = None;
    let Way {
        rough, comments, ..
    } = way;
    let mut state = Splitter {
        found,
        words: Vec::new(),
        word: String::new(),
        in_word: false,
        after: After::Separator,
        target: None,
        groups: Vec::new(),
        defines: false,
        leading: true,
        pipes: text.contains('|'),
        way,
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if state.found.cut {
            break;
        }
        let rest = bytes.get(at..).unwrap_or(&[]);
        let run = match quote {
            Some(b'"') => rest
                .iter()
                .take_while(|byte| !matches!(byte, b'"' | b'\\' | b'$' | b'`'))
                .count(),
            Some(_) => rest.iter().take_while(|byte| **byte != b'\'').count(),
            None => rest.iter().take_while(|byte| is_ordinary(**byte)).count(),
        };
        if run > 0 {
            state.push(text.get(at..at + run).unwrap_or(""));
            at += run;
            continue;
        }
        let here = at;
        let next = bytes.get(at + 1).copied();
        let character = text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .unwrap_or(' ');
        at += character.len_utf8();
        if let Some(open) = quote {
            match byte {
                _ if byte == open => quote = None,
                b'\\' if next.is_some_and(|next| b"$`\"\\\n".contains(&next)) => {
                    at += 1;
                    if next != Some(b'\n') {
                        state.push(text.get(at - 1..at).unwrap_or(""));
                    }
                }
                _ => {
                    // A substitution in double quotes starts a command of its own.
                    doubtful |= byte == b'`' || (byte == b'$' && next == Some(b'('));
                    state.push(text.get(at - 1..at).unwrap_or(""));
                }
            }
            continue;
        }
        match byte {
            b'\'' | b'"' => {
                state.in_word = true;
                quote = Some(byte).filter(|_| !rough);
            }
            b'\\' => {
                let escaped = text.get(at..).and_then(|rest| rest.chars().next());
                at += escaped.map_or(0, char::len_utf8);
                match escaped {
                    Some('\n') | None => {}
                    Some(escaped)
                        if rough
                            && (escaped.is_whitespace() || escaped == '\'' || escaped == '"') =>
                    {
                        state.end_word()
                    }
                    Some(escaped) => state.push(escaped.encode_utf8(&mut [0; 4])),
                }
            }
            b'>' | b'<' => {
                doubtful |= byte == b'<' && next == Some(b'<');
                at += state.redirect(byte, bytes.get(at..).unwrap_or(&[]));
            }
            b'&' if next == Some(b'>') => {}
            b'|' => {
                let both = next == Some(b'|');
                state.end_segment(if both { After::Separator } else { After::Pipe });
                at += usize::from(both || next == Some(b'&'));
            }
            b'(' => state.parenthesis(bytes.get(at..).unwrap_or(&[])),
            b')' if state.close(By::List) => state.end_word(),
            b')' => {
                state.end_segment(After::Separator);
                state.close(By::Parentheses);
            }
            b'`' => state.backtick(),
            b'\n' | b'\r' => state.end_line(),
            b';' | b'&' => state.end_segment(After::Separator),
            b'$' if next == Some(b'\'') || next == Some(b'"') => doubtful = true,
            // It parts words as a blank does.
            b'$' if rest.starts_with(b"${IFS") || rest.starts_with(b"$IFS") => {
                let braces = rest
                    .iter()
                    .take(64)
                    .position(|byte| *byte == b'}')
                    .filter(|_| rest.starts_with(b"${"));
                at = here + braces.map_or("$IFS".len(), |end| end + 1);
                state.end_word();
            }
            b'#' if !state.in_word => {
                doubtful = true;
                let ends: &[u8] = match comments {
                    Comments::AreWords => {
                        state.push("#");
                        continue;
                    }
                    Comments::EndLines => b"\n",
                    Comments::EndCommands => b"\n;|&()`",
                };
                at += bytes
                    .get(at..)
                    .unwrap_or(&[])
                    .iter()
                    .take_while(|byte| !ends.contains(byte))
                    .count();
            }
            _ if character.is_whitespace() || character == '\0' => state.end_word(),
            _ => state.push(character.encode_utf8(&mut [0; 4])),
        }
    }
    state.end_segment(After::Separator);
    doubtful || quote.is_some()
}
