//! Lengths of time in words for people.

/// "90 s", "10 min", "1 h 30 min".
pub fn words(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes, rest) {
        (0, 0, _) => format!("{rest} s"),
        (0, 1, rest) if rest > 0 => format!("{seconds} s"),
        (0, _, 0) => format!("{minutes} min"),
        (0, _, _) => format!("{minutes} min {rest} s"),
        (_, 0, 0) => format!("{hours} h"),
        (_, _, 0) => format!("{hours} h {minutes} min"),
        _ => format!("{hours} h {minutes} min {rest} s"),
    }
}

/// The same for milliseconds, exactly.
pub fn from_milliseconds(milliseconds: u64) -> String {
    match milliseconds % 1000 {
        0 => words(milliseconds / 1000),
        rest if milliseconds < 60_000 => format!(
            "{}.{} s",
            milliseconds / 1000,
            format!("{rest:03}").trim_end_matches('0')
        ),
        rest => format!("{} {rest} ms", words(milliseconds / 1000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_times() {
        for (milliseconds, expected) in [
            (0, "0 s"),
            (500, "0.5 s"),
            (30_000, "30 s"),
            (90_000, "90 s"),
            (600_000, "10 min"),
            (150_000, "2 min 30 s"),
            (61_500, "61 s 500 ms"),
            (3_600_000, "1 h"),
            (5_400_000, "1 h 30 min"),
            (5_401_000, "1 h 30 min 1 s"),
        ] {
            assert_eq!(from_milliseconds(milliseconds), expected);
        }
    }
}
