//! A word as a program gets it, with holes for what is only known when it runs.

use std::fmt::Arguments;

use super::placeholder::{self, ANY, STAR, TEXT};

/// A word as the program gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    /// With holes.
    pub(crate) value: String,
    /// As a person reads it, where that is another text.
    shown: Option<String>,
    /// Which bytes of the text it comes from.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl AsRef<str> for Field {
    /// The word as the program gets it.
    fn as_ref(&self) -> &str {
        &self.value
    }
}

impl Field {
    /// A field that stands for itself.
    pub(crate) fn plain(value: impl Into<String>, start: usize, end: usize) -> Self {
        Field {
            value: value.into(),
            shown: None,
            start,
            end,
        }
    }

    /// A field of which nothing is known but how it is shown.
    pub(crate) fn hole(hole: char, shown: &str, start: usize, end: usize) -> Self {
        Field {
            shown: Some(shown.to_owned()),
            ..Field::plain(hole, start, end)
        }
    }

    /// Names of files that another command prints.
    pub(crate) fn names(value: &str, start: usize, end: usize) -> Self {
        Field {
            value: value.to_owned(),
            ..Field::hole(TEXT, "names from its input", start, end)
        }
    }

    /// Puts a hole wherever this text stands.
    pub(crate) fn fill(&mut self, text: &str, hole: char) {
        if self.value.contains(text) {
            self.shown = Some(self.shown());
            self.value = self.value.replace(text, &hole.to_string());
        }
    }

    /// The word as a person reads it, in the place of the field.
    pub(crate) fn into_shown(self) -> String {
        match self.shown {
            Some(shown) => shown,
            None if placeholder::is_literal(&self.value) => self.value,
            None => placeholder::shown(&self.value),
        }
    }

    /// As a person reads it.
    pub(crate) fn shown(&self) -> String {
        match &self.shown {
            Some(shown) => shown.clone(),
            None => placeholder::shown(&self.value),
        }
    }

    /// Whether it is nothing but text, and shown as such.
    pub(crate) fn is_plain(&self) -> bool {
        self.shown.is_none() && placeholder::is_literal(&self.value)
    }

    /// Adds to it; `written` shows a value of which nothing is known.
    pub(crate) fn push(&mut self, value: &str, written: Arguments<'_>) {
        let plain = placeholder::is_literal(value);
        if !plain || self.shown.is_some() {
            let shown = self.shown.get_or_insert_with(|| self.value.clone());
            if !plain && value.chars().count() == 1 {
                shown.push_str(&written.to_string());
            } else {
                shown.push_str(&placeholder::shown(value));
            }
        }
        self.value.push_str(value);
    }
}

/// The folder that the shell lists to find the names of a pattern.
pub(crate) fn listed_folder(field: &Field) -> Option<Field> {
    if !placeholder::is_glob(&field.value) {
        return None;
    }
    // Folders at any depth would be all there are; where they start is enough.
    let deep = field.value.contains(&format!("{STAR}{STAR}"));
    let start = if deep {
        field.value.find([STAR, ANY])?
    } else {
        field.value.len()
    };
    let folder = match field.value.get(..start)?.rfind('/') {
        Some(0) => "/",
        Some(end) => field.value.get(..end)?,
        // The folder it is in is listed by whoever likes.
        None => return None,
    };
    Some(Field::plain(folder, field.start, field.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_shown_as_it_is_read() {
        for (value, shown) in [("a".to_owned(), "a"), (format!("a{STAR}"), "a*")] {
            let field = Field::plain(value, 0, 1);
            assert_eq!(
                (field.shown().as_str(), field.is_plain()),
                (shown, shown == "a")
            );
            assert_eq!(field.into_shown(), shown);
        }
        let hole = Field::hole(TEXT, "$x", 0, 1);
        assert_eq!((hole.shown().as_str(), hole.is_plain()), ("$x", false));
        let named = Field {
            shown: Some("other".to_owned()),
            ..Field::plain("a", 0, 1)
        };
        assert!(!named.is_plain());
        assert_eq!(named.into_shown(), "other");
    }

    #[test]
    fn a_text_is_filled_wherever_it_stands() {
        let mut field = Field::plain("a{}b{}", 0, 1);
        field.fill("{}", TEXT);
        assert_eq!(
            (field.value.as_str(), field.shown().as_str()),
            (format!("a{TEXT}b{TEXT}").as_str(), "a{}b{}")
        );
        let mut other = Field::plain("ab", 0, 1);
        other.fill("{}", TEXT);
        assert!(other.is_plain() && other.value == "ab");
    }
}
