//! What the words of a language are, line by line, by the grammars that come with two-face; it names tones and touches no text.

use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::theme::Tone;

/// Languages whose grammar goes by another name.
const NAMES: &[(&str, &str)] = &[
    ("csharp", "cs"),
    ("protobuf", "proto"),
    ("ini", "ini"),
    ("terraform", "tf"),
    ("ocaml", "ml"),
];

/// What parts of a scope mean; the first that fits counts.
const MEANINGS: &[(&str, Option<Tone>)] = &[
    ("comment", Some(Tone::Comment)),
    ("string", Some(Tone::Quoted)),
    ("constant.character.escape", Some(Tone::Variable)),
    ("constant.numeric", Some(Tone::Number)),
    ("constant", Some(Tone::Number)),
    ("keyword.operator", Some(Tone::Operator)),
    ("keyword", Some(Tone::Keyword)),
    ("storage", Some(Tone::Keyword)),
    ("entity.name.function", Some(Tone::Name)),
    ("support.function", Some(Tone::Name)),
    ("variable.function", Some(Tone::Name)),
    ("entity.name.tag", Some(Tone::Keyword)),
    ("entity.name", Some(Tone::Type)),
    ("entity.other.attribute-name", Some(Tone::Type)),
    ("support", Some(Tone::Type)),
    ("variable.language", Some(Tone::Variable)),
    ("markup.heading", Some(Tone::Heading)),
    ("markup.raw", Some(Tone::Quoted)),
    // Inside of a text, code is code again.
    ("meta.interpolation", None),
    ("source", None),
];

fn grammars() -> &'static SyntaxSet {
    static GRAMMARS: OnceLock<SyntaxSet> = OnceLock::new();
    GRAMMARS.get_or_init(two_face::syntax::extra_newlines)
}

fn meanings() -> &'static [(Scope, Option<Tone>)] {
    static SCOPES: OnceLock<Vec<(Scope, Option<Tone>)>> = OnceLock::new();
    SCOPES.get_or_init(|| {
        MEANINGS
            .iter()
            .filter_map(|(scope, tone)| Some((Scope::new(scope).ok()?, *tone)))
            .collect()
    })
}

/// The grammar of a language.
fn grammar(language: &str) -> Option<&'static SyntaxReference> {
    let name = NAMES
        .iter()
        .find(|(ours, _)| *ours == language)
        .map_or(language, |(_, theirs)| theirs);
    grammars().find_syntax_by_token(name)
}

/// Reads the lines of one file, one after the other.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Reader {
    state: ParseState,
    stack: ScopeStack,
}

impl Reader {
    /// At the start of a file, if its language is known.
    pub fn new(language: &str) -> Option<Reader> {
        Some(Reader {
            state: ParseState::new(grammar(language)?),
            stack: ScopeStack::new(),
        })
    }

    /// The pieces of a line that mean something, by their bytes, in order; none if the grammar is at a loss.
    pub fn line(&mut self, shown: &str) -> Option<Vec<(usize, usize, Tone)>> {
        let (text, tabs) = written(shown);
        let place = |at: usize| (at + 2 * tabs.partition_point(|tab| *tab < at)).min(shown.len());
        let ops = self.state.parse_line(&text, grammars()).ok()?;
        let mut out: Vec<(usize, usize, Tone)> = Vec::new();
        let mut from = 0;
        let mut add = |from: usize, to: usize, stack: &ScopeStack| {
            if let (true, Some(tone)) = (from < to, tone(stack)) {
                out.push((place(from), place(to), tone));
            }
        };
        for (at, op) in &ops {
            add(from, *at, &self.stack);
            from = (*at).max(from);
            self.stack.apply(op).ok()?;
        }
        add(from, text.len(), &self.stack);
        out.retain(|(from, to, _)| {
            shown.is_char_boundary(*from) && shown.is_char_boundary(*to) && from < to
        });
        Some(out)
    }
}

/// The line as a grammar knows it, with its break, and where its tabs are: on the screen each of them is a picture of three bytes.
fn written(shown: &str) -> (String, Vec<usize>) {
    let mut text = String::with_capacity(shown.len() + 1);
    let mut tabs = Vec::new();
    for (index, piece) in shown.split('␉').enumerate() {
        if index > 0 {
            tabs.push(text.len());
            text.push('\t');
        }
        text.push_str(piece);
    }
    text.push('\n');
    (text, tabs)
}

fn tone(stack: &ScopeStack) -> Option<Tone> {
    let of = |scope: &Scope| {
        meanings()
            .iter()
            .find(|(meaning, _)| meaning.is_prefix_of(*scope))
            .map(|(_, tone)| *tone)
    };
    stack.as_slice().iter().rev().find_map(of).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(language: &str, line: &str) -> Vec<(String, Tone)> {
        let found = Reader::new(language).unwrap().line(line).unwrap();
        found
            .into_iter()
            .map(|(from, to, tone)| (line[from..to].to_owned(), tone))
            .collect()
    }

    #[test]
    fn words_have_their_meaning() {
        let found = pieces("rust", "␉let x = \"ä\"; // é");
        for expected in [
            ("let", Tone::Keyword),
            ("ä", Tone::Quoted),
            (" é", Tone::Comment),
        ] {
            assert!(
                found
                    .iter()
                    .any(|(text, tone)| text.contains(expected.0) && *tone == expected.1),
                "{expected:?} {found:?}"
            );
        }
        let found = pieces("python", "def f(): return 12 # x");
        for expected in [
            ("def", Tone::Keyword),
            ("f", Tone::Name),
            ("12", Tone::Number),
        ] {
            assert!(
                found
                    .iter()
                    .any(|(text, tone)| text == expected.0 && *tone == expected.1),
                "{expected:?} {found:?}"
            );
        }
    }

    #[test]
    fn every_language_of_a_presentation_has_a_grammar() {
        for language in [
            "bash",
            "c",
            "cpp",
            "csharp",
            "css",
            "diff",
            "dockerfile",
            "elixir",
            "erlang",
            "fish",
            "go",
            "haskell",
            "html",
            "ini",
            "java",
            "javascript",
            "json",
            "julia",
            "kotlin",
            "lua",
            "makefile",
            "markdown",
            "nix",
            "ocaml",
            "perl",
            "php",
            "protobuf",
            "python",
            "r",
            "ruby",
            "rust",
            "scala",
            "sql",
            "swift",
            "terraform",
            "toml",
            "typescript",
            "vue",
            "xml",
            "yaml",
            "zig",
        ] {
            assert!(
                grammar(language).is_some_and(|found| found.name != "Plain Text"),
                "{language}"
            );
        }
        // Its grammar needs a regex engine in C, so it stays plain.
        assert!(grammar("powershell").is_none() && grammar("no such language").is_none());
    }
}
