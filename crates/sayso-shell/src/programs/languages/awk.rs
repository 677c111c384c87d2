//! Programs of awk that only read their input and print, as gawk, mawk, busybox and the one true awk read them.

use std::collections::HashSet;

use super::awk_tokens::{FUNCTIONS, KEYWORDS, Placed, Token, tokens};
use super::{
    Kind, POSIX_SETS, Refusal, Sets, every_sets, is_doubtful_in_other_encodings, refuse, unsure,
};

/// Names that show the environment or change which files are read.
pub(crate) fn is_special(name: &str) -> bool {
    matches!(
        name,
        "ENVIRON" | "PROCINFO" | "ARGV" | "ARGC" | "SYMTAB" | "FUNCTAB"
    )
}

/// Reads a program, and answers whether it does nothing but read its input and print.
pub(crate) fn read(program: &str) -> Result<(), Refusal> {
    if is_doubtful_in_other_encodings(program) {
        return unsure(
            "a character of the program reads differently in other encodings",
            0,
        );
    }
    read_as(program, POSIX_SETS)?;
    if program.contains('[') {
        for sets in every_sets() {
            match read_as(program, sets) {
                // Such an awk stops before it runs anything.
                Err(refusal) if refusal.kind == Kind::Broken => {}
                Err(Refusal { at, .. }) => {
                    return unsure("not every awk finds the same end of a set in brackets", at);
                }
                Ok(()) => {}
            }
        }
    }
    Ok(())
}

fn read_as(program: &str, sets: Sets) -> Result<(), Refusal> {
    let (tokens, read) = tokens(program, sets);
    let mut check = Check {
        defined: defined(&tokens),
        opens: Vec::new(),
        parens: 0,
        prints: false,
    };
    let mut before = None;
    let mut rest = tokens.as_slice();
    while let Some((placed, after)) = rest.split_first() {
        check.token(before, placed, after)?;
        before = Some(&placed.token);
        rest = after;
    }
    read?;
    if check.opens.is_empty() {
        Ok(())
    } else {
        refuse(
            Kind::Broken,
            "a bracket has no end",
            program.chars().count(),
        )
    }
}

/// The functions that a program defines.
fn defined(tokens: &[Placed]) -> HashSet<String> {
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let names = pairs.filter_map(|(word, name)| match (&word.token, &name.token) {
        (Token::Name(word), Token::Name(name)) if word == "function" => Some(name.clone()),
        _ => None,
    });
    names.collect()
}

/// Whether a redirect goes to the output of the program itself, and nothing is added to that name.
fn is_own_output(after: &[Placed]) -> bool {
    let own = |token: &Token| matches!(token, Token::Text(path) if matches!(path.as_str(), "/dev/stderr" | "/dev/stdout"));
    let ends = |token: &Token| matches!(token, Token::Newline | Token::Sign(";" | "}"));
    after.first().is_some_and(|path| own(&path.token))
        && after.get(1).is_some_and(|end| ends(&end.token))
}

struct Check {
    defined: HashSet<String>,
    /// The brackets that are open.
    opens: Vec<&'static str>,
    /// How many of them are parentheses: inside of one, `>` compares.
    parens: usize,
    /// In the arguments of `print` or `printf`, where `>` writes a file.
    prints: bool,
}

impl Check {
    fn token(
        &mut self,
        before: Option<&Token>,
        placed: &Placed,
        after: &[Placed],
    ) -> Result<(), Refusal> {
        match &placed.token {
            Token::Name(name) => self.name(name, placed.at, after.first().map(|next| &next.token)),
            Token::Newline => self.newline(before, placed.at),
            Token::Sign(">") if self.prints && self.parens == 0 && is_own_output(after) => Ok(()),
            Token::Sign(sign) => self.sign(sign, placed.at),
            Token::Number | Token::Text(_) | Token::Regex => Ok(()),
        }
    }

    fn name(&mut self, name: &str, at: usize, next: Option<&Token>) -> Result<(), Refusal> {
        match name {
            "system" => return refuse(Kind::Runs, "`system` of awk runs a program", at),
            "getline" => return unsure("`getline` of awk may read any file or run a program", at),
            "close" | "extension" | "bindtextdomain" | "dcgettext" | "dcngettext" | "switch"
            | "case" => {
                return unsure(format!("`{name}` of awk is not known"), at);
            }
            _ if is_special(name) => {
                return unsure(
                    format!("`{name}` of awk shows or changes more than the input"),
                    at,
                );
            }
            "print" | "printf" if self.parens > 0 => {
                return unsure(format!("`{name}` stands inside of parentheses"), at);
            }
            "print" | "printf" => self.prints = true,
            _ => {}
        }
        let called = next == Some(&Token::Sign("("));
        if called
            && !KEYWORDS.contains(&name)
            && !FUNCTIONS.contains(&name)
            && !self.defined.contains(name)
        {
            return unsure(format!("`{name}` is no known function of awk"), at);
        }
        Ok(())
    }

    /// A newline ends a statement unless something before it asks for more.
    fn newline(&mut self, before: Option<&Token>, at: usize) -> Result<(), Refusal> {
        let goes_on = matches!(
            before,
            Some(Token::Sign("," | "&&" | "||" | "{")) | Some(Token::Newline)
        );
        if self.parens > 0 && !goes_on {
            return unsure("a line ends inside of parentheses", at);
        }
        let ends = match before {
            Some(Token::Sign(sign)) => matches!(*sign, ")" | "]" | "++" | "--" | "}" | ";"),
            Some(Token::Newline) | None => false,
            Some(_) => true,
        };
        self.prints &= !ends;
        Ok(())
    }

    fn sign(&mut self, sign: &'static str, at: usize) -> Result<(), Refusal> {
        match sign {
            "|" | "|&" => return refuse(Kind::Runs, format!("`{sign}` of awk runs a program"), at),
            ">>" => return unsure("`>>` of awk writes a file", at),
            ">" | ">=" if self.prints && self.parens == 0 => {
                return unsure("`>` after `print` of awk writes a file", at);
            }
            "{" if self.prints || self.parens > 0 => {
                return unsure("a `{` stands inside of a statement", at);
            }
            "(" | "[" | "{" => {
                self.opens.push(sign);
                self.parens += usize::from(sign == "(");
            }
            ")" | "]" | "}" => {
                let fits = matches!(
                    (self.opens.pop(), sign),
                    (Some("("), ")") | (Some("["), "]") | (Some("{"), "}")
                );
                if !fits {
                    return refuse(Kind::Broken, format!("a `{sign}` has no start"), at);
                }
                self.parens -= usize::from(sign == ")");
                self.prints &= sign != "}";
            }
            ";" => self.prints = false,
            _ => {}
        }
        Ok(())
    }
}
