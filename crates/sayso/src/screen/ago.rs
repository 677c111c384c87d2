//! Times for people: how long ago, and how long from now.

/// How long ago something was, from milliseconds since 1970; `in …` for what is to come.
pub fn ago(at: i64, now: i64) -> String {
    let seconds = now.saturating_sub(at) / 1000;
    match seconds {
        0 => "now".to_owned(),
        past if past > 0 => format!("{} ago", length(past)),
        coming => format!("in {}", length(coming.saturating_neg())),
    }
}

/// A length of time in its largest unit.
pub fn length(seconds: i64) -> String {
    let units = [(86_400, "day"), (3600, "h"), (60, "min")];
    match units.iter().find(|(size, _)| seconds >= *size) {
        Some((size, "day")) => format!(
            "{} day{}",
            seconds / size,
            if seconds / size == 1 { "" } else { "s" }
        ),
        Some((size, unit)) => format!("{} {unit}", seconds / size),
        None => format!("{seconds} s"),
    }
}

/// Seconds of a length of time as people write it: `90s`, `15m`, `2h`, `7d`, `4w`, or several in a row: `1h30m`.
pub fn read_length(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total = 0_i64;
    while !rest.is_empty() {
        let digits = rest.len()
            - rest
                .trim_start_matches(|character: char| character.is_ascii_digit())
                .len();
        let (number, after) = rest.split_at_checked(digits)?;
        let letters = after.len()
            - after
                .trim_start_matches(|character: char| character.is_ascii_alphabetic())
                .len();
        let (unit, after) = after.split_at_checked(letters)?;
        let seconds = match unit {
            "s" | "sec" => 1,
            "m" | "min" => 60,
            "h" => 3600,
            "d" => 86_400,
            "w" => 604_800,
            _ => return None,
        };
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(seconds)?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_their_largest_unit() {
        for (seconds, words) in [
            (0, "now"),
            (5, "5 s ago"),
            (60, "1 min ago"),
            (7199, "1 h ago"),
            (86_400, "1 day ago"),
            (-7200, "in 2 h"),
        ] {
            assert_eq!(ago(0, seconds * 1000), words);
        }
    }

    #[test]
    fn lengths_are_read() {
        for (text, seconds) in [
            ("90s", 90),
            ("30m", 1800),
            ("2h", 7200),
            ("1h30m", 5400),
            ("7d", 604_800),
            ("2w", 1_209_600),
            ("0s", 0),
        ] {
            assert_eq!(read_length(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "2",
            "h",
            "2x",
            "-2h",
            "2h ",
            "99999999999999999999d",
            "9223372036854775807w",
            "2.5h",
            "½h",
        ] {
            assert_eq!(read_length(text), None, "{text}");
        }
    }
}
