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
        Some((size, "day")) => format!("{} day{}", seconds / size, if seconds / size == 1 { "" } else { "s" }),
        Some((size, unit)) => format!("{} {unit}", seconds / size),
        None => format!("{seconds} s"),
    }
}

/// Reads a length of time as people write it: `90s`, `15m`, `2h`, `7d`, `4w`; in seconds.
pub fn read_length(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let size = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    let number: i64 = text.strip_suffix(unit)?.parse().ok().filter(|number| *number > 0)?;
    number.checked_mul(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_their_largest_unit() {
        for (seconds, words) in [(0, "now"), (5, "5 s ago"), (60, "1 min ago"), (7199, "1 h ago"), (86_400, "1 day ago"), (-7200, "in 2 h")]
        {
            assert_eq!(ago(0, seconds * 1000), words);
        }
    }

    #[test]
    fn lengths_are_read() {
        for (text, seconds) in [
            ("90s", Some(90)),
            ("2h", Some(7200)),
            ("7d", Some(604_800)),
            ("0h", None),
            ("-1h", None),
            ("h", None),
            ("", None),
            ("9999999999999999w", None),
        ] {
            assert_eq!(read_length(text), seconds, "{text}");
        }
    }
}
