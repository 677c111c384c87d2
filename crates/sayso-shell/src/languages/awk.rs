//! Programs of awk that only read their input and print, as gawk, mawk, busybox and the one true awk read them.

use std::collections::HashSet;

use super::awk_tokens::{FUNCTIONS, KEYWORDS, Placed, Token, tokens};
use super::{Kind, Refusal, is_doubtful_in_other_encodings, refuse, unsure};

/// Names that show the environment or change which files are read.
pub(crate) fn is_special(name: &str) -> bool {
    matches!(name, "ENVIRON" | "PROCINFO" | "ARGV" | "ARGC" | "SYMTAB" | "FUNCTAB")
}

/// Reads a program, and answers whether it does nothing but read its input and print.
pub(crate) fn read(program: &str) -> Result<(), Refusal> {
    if is_doubtful_in_other_encodings(program) {
        return unsure("a character of the program reads differently in other encodings", 0);
    }
    let tokens = tokens(program)?;
    let mut check = Check { defined: defined(&tokens), opens: Vec::new(), parens: 0, prints: false };
    let mut before = None;
    for (index, placed) in tokens.iter().enumerate() {
        check.token(before, placed, tokens.get(index + 1).map(|next| &next.token))?;
        before = Some(&placed.token);
    }
    if check.opens.is_empty() { Ok(()) } else { unsure("a bracket has no end", program.chars().count()) }
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
    fn token(&mut self, before: Option<&Token>, placed: &Placed, next: Option<&Token>) -> Result<(), Refusal> {
        match &placed.token {
            Token::Name(name) => self.name(name, placed.at, next),
            Token::Newline => self.newline(before, placed.at),
            Token::Sign(sign) => self.sign(sign, placed.at),
            Token::Number | Token::Text | Token::Regex => Ok(()),
        }
    }

    fn name(&mut self, name: &str, at: usize, next: Option<&Token>) -> Result<(), Refusal> {
        match name {
            "system" => return refuse(Kind::Runs, "`system` of awk runs a program", at),
            "getline" => return unsure("`getline` of awk may read any file or run a program", at),
            "close" | "extension" | "bindtextdomain" | "dcgettext" | "dcngettext" | "switch" | "case" => {
                return unsure(format!("`{name}` of awk is not known"), at);
            }
            _ if is_special(name) => return unsure(format!("`{name}` of awk shows or changes more than the input"), at),
            "print" | "printf" if self.parens > 0 => return unsure(format!("`{name}` stands inside of parentheses"), at),
            "print" | "printf" => self.prints = true,
            _ => {}
        }
        let called = next == Some(&Token::Sign("("));
        if called && !KEYWORDS.contains(&name) && !FUNCTIONS.contains(&name) && !self.defined.contains(name) {
            return unsure(format!("`{name}` is no known function of awk"), at);
        }
        Ok(())
    }

    /// A newline ends a statement unless something before it asks for more.
    fn newline(&mut self, before: Option<&Token>, at: usize) -> Result<(), Refusal> {
        let goes_on = matches!(before, Some(Token::Sign("," | "&&" | "||" | "{")) | Some(Token::Newline));
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
            ">" | ">=" if self.prints && self.parens == 0 => return unsure("`>` after `print` of awk writes a file", at),
            "{" if self.prints || self.parens > 0 => return unsure("a `{` stands inside of a statement", at),
            "(" | "[" | "{" => {
                self.opens.push(sign);
                self.parens += usize::from(sign == "(");
            }
            ")" | "]" | "}" => {
                let fits = matches!((self.opens.pop(), sign), (Some("("), ")") | (Some("["), "]") | (Some("{"), "}"));
                if !fits {
                    return unsure(format!("a `{sign}` has no start"), at);
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
