//! `${name%pattern}` and its like, where the value is known.

use crate::parse::placeholder::{self, HERE};

/// Values that are cut have no more characters: matching is quadratic.
const LONGEST: usize = 512;

/// Each value without what the pattern takes off; none if that is not known.
pub(crate) fn values(values: &[String], operator: &str, pattern: &str) -> Option<Vec<String>> {
    values
        .iter()
        .map(|value| value_of(value, operator, pattern))
        .collect()
}

fn value_of(value: &str, operator: &str, pattern: &str) -> Option<String> {
    // The name of a folder ends with no `/`, unless it is the root: that is the same folder with one and without.
    if value.chars().eq([HERE]) {
        return (pattern == "/" && operator.starts_with('%')).then(|| value.to_owned());
    }
    if !placeholder::is_literal(value) || value.len() > LONGEST {
        return None;
    }
    let mut places: Vec<usize> = value
        .char_indices()
        .map(|(at, _)| at)
        .chain([value.len()])
        .collect();
    // From the start, the shortest piece ends first; from the end, the shortest piece starts last.
    let from_start = operator.starts_with('#');
    if from_start == (operator.len() == 2) {
        places.reverse();
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let fits = |at: &usize| {
        value
            .split_at_checked(*at)
            .is_some_and(|(start, end)| matches(if from_start { start } else { end }, &pattern))
    };
    let cut = places
        .into_iter()
        .find(fits)
        .and_then(|at| value.split_at_checked(at));
    Some(
        cut.map_or(value, |(start, end)| if from_start { end } else { start })
            .to_owned(),
    )
}

/// Whether a whole text fits a pattern of `*`, `?` and characters that mean themselves.
fn matches(text: &str, pattern: &[char]) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut fits, mut star) = (0, 0, None);
    while let Some(letter) = text.get(at) {
        match pattern.get(fits) {
            Some('*') => {
                star = Some((fits, at));
                fits += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == letter => {
                at += 1;
                fits += 1;
            }
            _ => {
                let Some((back, from)) = star else {
                    return false;
                };
                star = Some((back, from + 1));
                fits = back + 1;
                at = from + 1;
            }
        }
    }
    pattern.iter().skip(fits).all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn patterns_cut_as_in_bash() {
        for (value, operator, pattern, cut) in [
            ("a/b/c.rs", "##", "*/", "c.rs"),
            ("a/b/c.rs", "#", "*/", "b/c.rs"),
            ("a/b/c.rs", "%", "/*", "a/b"),
            ("a/b/c.rs", "%%", "/*", "a"),
            ("a.tar.gz", "%", ".*", "a.tar"),
            ("a.tar.gz", "%%", ".*", "a"),
            ("v1.2", "#", "v", "1.2"),
            ("v1.2", "#", "x", "v1.2"),
            ("abc", "%", "?", "ab"),
            ("", "%", "*", ""),
            ("é/x", "#", "?", "/x"),
        ] {
            assert_eq!(
                values(&[value.to_owned()], operator, pattern),
                Some(vec![cut.to_owned()]),
                "{value} {operator} {pattern}"
            );
        }
    }
}
