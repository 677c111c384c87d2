//! Spells `{a,b}` in a pattern out.

use std::fmt;

/// How many alternatives one pattern may expand to.
const MAX_ALTERNATIVES: usize = 64;

/// Why the alternatives of a pattern are refused.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BracesError {
    NotOpened,
    NotClosed,
    Nested,
    TooMany,
}

impl std::error::Error for BracesError {}

impl fmt::Display for BracesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BracesError::NotOpened => f.write_str("`}` without `{`"),
            BracesError::NotClosed => f.write_str("`{` without `}`"),
            BracesError::Nested => f.write_str("alternatives stand inside alternatives"),
            BracesError::TooMany => {
                write!(
                    f,
                    "the pattern has more than {MAX_ALTERNATIVES} alternatives"
                )
            }
        }
    }
}

/// Spells `{a,b}` out.
pub fn alternatives_of(pattern: &str) -> Result<Vec<String>, BracesError> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(text) = open.pop() {
        let Some(start) = text.find('{') else {
            if text.contains('}') {
                return Err(BracesError::NotOpened);
            }
            done.push(text);
            continue;
        };
        let Some(length) = text.get(start..).and_then(|rest| rest.find('}')) else {
            return Err(BracesError::NotClosed);
        };
        let inner = text.get(start + 1..start + length).unwrap_or_default();
        if inner.contains('{') {
            return Err(BracesError::Nested);
        }
        let (before, after) = (
            text.get(..start).unwrap_or_default(),
            text.get(start + length + 1..).unwrap_or_default(),
        );
        let choices: Vec<&str> = inner.split(',').collect();
        if open.len() + done.len() + choices.len() > MAX_ALTERNATIVES {
            return Err(BracesError::TooMany);
        }
        open.extend(
            choices
                .into_iter()
                .rev()
                .map(|choice| format!("{before}{choice}{after}")),
        );
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_have_a_bound() {
        let choices = |count: usize| format!("{{{}}}", vec!["a"; count].join(","));
        assert_eq!(
            alternatives_of(&choices(MAX_ALTERNATIVES)).unwrap().len(),
            MAX_ALTERNATIVES
        );
        assert!(alternatives_of(&choices(MAX_ALTERNATIVES + 1)).is_err());
        // Also where they come one after the other.
        assert_eq!(
            alternatives_of(&"{a,b}".repeat(6)).unwrap().len(),
            MAX_ALTERNATIVES
        );
        assert!(alternatives_of(&"{a,b}".repeat(7)).is_err());
    }
}
