//! The files that an awk program names, for one that does more than read its input: a rule for awk covers neither those outside nor those
//! whose names are put together when it runs.

use super::awk_tokens::{Placed, Token, tokens};
use super::{POSIX_SETS, every_sets};

/// What a program does besides reading its input and printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Reads(String),
    Writes(String),
    /// It reads or writes a file whose name is put together.
    ReadsSome,
    WritesSome,
    /// It runs a program.
    Runs,
    /// The text could not be taken apart, or changes which files are its input.
    Anything,
}

/// Everything that a program does, each once. What may be one of several is taken for the worse.
pub(crate) fn all(program: &str) -> Vec<Does> {
    let (tokens, read) = tokens(program, POSIX_SETS);
    let mut found = Vec::new();
    let mut add = |does: Does| {
        if !found.contains(&does) {
            found.push(does);
        }
    };
    // Sets in brackets end at other places for other awks, and then all that follows is something else.
    if read.is_err()
        || program.contains('@')
        || program.contains('[') && other_reading(program, &tokens)
    {
        add(Does::Anything);
    }
    let mut state = State::default();
    for (at, placed) in tokens.iter().enumerate() {
        let after = tokens.get(at + 1..).unwrap_or(&[]);
        if let Some(does) = state.token(&placed.token, after) {
            add(does);
        }
    }
    found
}

/// Whether another awk finds other tokens.
fn other_reading(program: &str, known: &[Placed]) -> bool {
    every_sets().any(|sets| {
        let (tokens, read) = tokens(program, sets);
        let same = |(a, b): (&Placed, &Placed)| a.token == b.token && a.at == b.at;
        read.is_ok() && (tokens.len() != known.len() || !tokens.iter().zip(known).all(same))
    })
}

#[derive(Default)]
struct State {
    /// In the arguments of `print` or `printf`, with so many parentheses around it.
    prints: Option<usize>,
    /// Behind `getline`, where `<` reads a file.
    gets: bool,
    parens: usize,
    goes_on: bool,
}

impl State {
    fn token(&mut self, token: &Token, after: &[Placed]) -> Option<Does> {
        let goes_on = std::mem::replace(
            &mut self.goes_on,
            matches!(token, Token::Sign("," | "&&" | "||")),
        );
        match token {
            Token::Name(name) => match name.as_str() {
                "system" => return Some(Does::Runs),
                "ARGV" | "ARGC" | "SYMTAB" | "FUNCTAB" | "extension" => {
                    return Some(Does::Anything);
                }
                "print" | "printf" => self.prints = Some(self.parens),
                "getline" => self.gets = true,
                _ => {}
            },
            Token::Sign("|" | "|&") => return Some(Does::Runs),
            Token::Sign(">" | ">>") if self.prints == Some(self.parens) => {
                return match name_of(after) {
                    Some("/dev/stdout" | "/dev/stderr" | "-") => None,
                    Some(name) => Some(Does::Writes(name.to_owned())),
                    None => Some(Does::WritesSome),
                };
            }
            Token::Sign("<") if self.gets => {
                self.gets = false;
                return match name_of(after) {
                    Some("-" | "/dev/stdin") => None,
                    Some(name) => Some(Does::Reads(name.to_owned())),
                    None => Some(Does::ReadsSome),
                };
            }
            Token::Sign("(") => self.parens += 1,
            Token::Sign(")") => self.parens = self.parens.saturating_sub(1),
            Token::Newline if !goes_on => self.ends(),
            Token::Newline => self.goes_on = true,
            Token::Sign(";" | "{" | "}") => self.ends(),
            _ => {}
        }
        None
    }

    fn ends(&mut self) {
        self.prints = None;
        self.gets = false;
    }
}

/// The name that stands behind a redirect, if it is a plain text and nothing is added to it.
fn name_of(after: &[Placed]) -> Option<&str> {
    let Token::Text(name) = &after.first()?.token else {
        return None;
    };
    let ends = after.get(1).is_none_or(|next| {
        matches!(
            next.token,
            Token::Newline | Token::Sign(";" | "}" | ")" | ">" | ">=" | "==" | "!=" | "&&" | "||")
        )
    });
    (ends && !name.contains('\\')).then_some(name.as_str())
}

#[cfg(test)]
mod tests {
    use super::{Does, all};

    #[test]
    fn files_are_found_wherever_they_stand() {
        let reads = |name: &str| Does::Reads(name.to_owned());
        let writes = |name: &str| Does::Writes(name.to_owned());
        for (program, does) in [
            ("{print > \"../out\"}", vec![writes("../out")]),
            (
                "{print $1, $2 >> \"a\" ; printf(\"x\") > \"b\"}",
                vec![writes("a"), writes("b")],
            ),
            ("{print (1 > 2)}", vec![]),
            ("{print > \"a\" \"b\"}", vec![Does::WritesSome]),
            ("{print > (\"..\" \"/f\")}", vec![Does::WritesSome]),
            ("{print > $1}", vec![Does::WritesSome]),
            ("{print $1,\n$2 > \"a\"}", vec![writes("a")]),
            ("{print > \"/dev/stderr\"}", vec![]),
            ("{print > \"\\056env\"}", vec![Does::WritesSome]),
            (
                "BEGIN{while((getline l < \"a\") > 0) print l}",
                vec![reads("a")],
            ),
            (
                "BEGIN{f=\".e\" \"nv\"; while((getline l<f)>0)print l}",
                vec![Does::ReadsSome],
            ),
            ("{getline; getline x; print x}", vec![]),
            ("{getline x; system(\"id\")}", vec![Does::Runs]),
            ("{\"date\" | getline d}", vec![Does::Runs]),
            ("{print | \"sh\"}", vec![Does::Runs]),
            ("BEGIN{ARGV[1]=\"x\"}", vec![Does::Anything]),
            ("@include \"x\"", vec![Does::Anything]),
            ("$1 > 3 {print $2}", vec![]),
        ] {
            assert_eq!(all(program), does, "{program}");
        }
    }
}
