//! A regular expression of a policy: in linear time, of bounded size, and compiled when it is first used where it was compiled before.

use std::fmt;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use crate::packed::{Packed, Packer, Unpacker};
use crate::policy::command_pattern::Reach;

/// The compiled size of one regular expression.
const MAX_SIZE: usize = 256 * 1024;
const MAX_DEPTH: u32 = 64;

/// A regular expression with the text it was made from.
#[derive(Clone)]
pub struct Expression {
    /// As it was written.
    pub written: String,
    /// What is compiled, where it is not what was written.
    form: Option<String>,
    /// None inside if it did not compile.
    compiled: OnceLock<Option<Regex>>,
}

/// Why a regular expression is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct RegexError(regex::Error);

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.0.to_string();
        let last = lines.lines().last().unwrap_or("it cannot be read");
        f.write_str(last.trim_start_matches("error: "))
    }
}

impl std::error::Error for RegexError {}

impl Expression {
    /// Compiles `form`, the whole expression that was `written`.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn compile(written: &str, form: String) -> Result<Expression, RegexError> {
        let compiled = build(&form).map_err(RegexError)?;
        Ok(Expression {
            written: written.to_owned(),
            form: Some(form).filter(|form| form != written),
            compiled: Some(compiled).into(),
        })
    }

    /// Whether it matches somewhere in a text. One that cannot be compiled any more is in doubt, and the reach says which way that goes.
    pub fn is_match(&self, text: &str, reach: Reach) -> bool {
        let compiled = self
            .compiled
            .get_or_init(|| build(self.form.as_deref().unwrap_or(&self.written)).ok());
        compiled
            .as_ref()
            .map_or(reach == Reach::Wide, |regex| regex.is_match(text))
    }
}

fn build(form: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(form)
        .case_insensitive(true)
        .size_limit(MAX_SIZE)
        .nest_limit(MAX_DEPTH)
        .build()
}

impl fmt::Debug for Expression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Expression")
            .field(self.form.as_ref().unwrap_or(&self.written))
            .finish()
    }
}

/// Only the text is kept: compiling takes longer than all the rest, and most expressions are not asked.
impl Packed for Expression {
    fn pack(&self, out: &mut Packer) {
        self.written.pack(out);
        self.form.pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Expression {
            written: Packed::unpack(from)?,
            form: Packed::unpack(from)?,
            compiled: OnceLock::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_matches_as_before_when_it_was_packed() {
        let expression = Expression::compile("push|rm", "^(?:push|rm)$".to_owned()).unwrap();
        let mut out = Packer::new();
        expression.pack(&mut out);
        let bytes = out.finish().into();
        let back = Expression::unpack(&mut Unpacker::new(&bytes)).unwrap();
        for (text, hit) in [("push", true), ("PUSH", true), ("push x", false)] {
            assert_eq!(expression.is_match(text, Reach::Wide), hit);
            assert_eq!(back.is_match(text, Reach::Wide), hit);
        }
        assert_eq!(back.written, "push|rm");
        assert_eq!(format!("{back:?}"), "Expression(\"^(?:push|rm)$\")");
    }

    #[test]
    fn one_that_does_not_compile_is_in_doubt() {
        for form in ["(", "(?:a{1000}){1000}"] {
            assert!(Expression::compile(form, form.to_owned()).is_err());
            let broken = Expression {
                written: form.to_owned(),
                form: None,
                compiled: OnceLock::new(),
            };
            assert!(broken.is_match("x", Reach::Wide));
            assert!(!broken.is_match("x", Reach::Narrow));
        }
    }
}
