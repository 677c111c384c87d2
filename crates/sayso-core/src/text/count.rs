//! Numbers with their nouns and verbs: "1 rule asks", "2 rules ask".

use std::fmt::Display;

/// A number with its noun, which gets its plural where the number is not one.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    match number.as_str() {
        "1" => format!("1 {noun}"),
        _ => format!("{number} {}", plural(noun)),
    }
}

/// A noun or a verb for a number, both forms given: `agreed(1, "asks", "ask")`.
pub fn agreed<'a>(number: impl Display, one: &'a str, several: &'a str) -> &'a str {
    if number.to_string() == "1" {
        one
    } else {
        several
    }
}

fn plural(noun: &str) -> String {
    match noun {
        _ if ["ay", "ey", "oy", "uy"]
            .iter()
            .any(|end| noun.ends_with(end)) =>
        {
            format!("{noun}s")
        }
        _ if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => match noun.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{noun}s"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_agree_with_their_numbers() {
        let all = [
            "rule",
            "entry",
            "day",
            "match",
            "remaining operation",
            "process",
        ]
        .map(|noun| (count(1, noun), count(0, noun), count(2u64, noun)));
        assert_eq!(
            all[0],
            (
                "1 rule".to_owned(),
                "0 rules".to_owned(),
                "2 rules".to_owned()
            )
        );
        assert_eq!(all[1].2, "2 entries");
        assert_eq!(all[2].2, "2 days");
        assert_eq!(all[3].2, "2 matches");
        assert_eq!(
            (all[4].0.as_str(), all[4].2.as_str()),
            ("1 remaining operation", "2 remaining operations")
        );
        assert_eq!(all[5].2, "2 processes");
        assert_eq!(
            (agreed(1, "asks", "ask"), agreed(11, "asks", "ask")),
            ("asks", "ask")
        );
    }
}
