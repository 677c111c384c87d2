//! Points in time as people write them in rules, in seconds since 1970 (UTC).

/// Reads `2026-12-31` (its first second) or `2026-12-31T18:00:00Z` (also with `+02:00`).
pub fn parse(text: &str) -> Option<i64> {
    let (date, clock) = match text.split_once(['T', ' ']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let [year, month, day] = numbers::<3>(date, '-', &[4, 2, 2])?;
    if !(1970..=9999).contains(&year)
        || !(1..=12).contains(&month)
        || day < 1
        || day > days_in(year, month)
    {
        return None;
    }
    let midnight = days_from_civil(year, month, day) * 86_400;
    let Some(clock) = clock else {
        return Some(midnight);
    };
    let (clock, offset) = split_offset(clock)?;
    let [hour, minute, second] = match clock.len() {
        5 => {
            let [hour, minute] = numbers::<2>(clock, ':', &[2, 2])?;
            [hour, minute, 0]
        }
        _ => numbers::<3>(clock, ':', &[2, 2, 2])?,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(midnight + hour * 3600 + minute * 60 + second - offset)
}

fn split_offset(clock: &str) -> Option<(&str, i64)> {
    if let Some(clock) = clock.strip_suffix('Z') {
        return Some((clock, 0));
    }
    let at = clock.rfind(['+', '-'])?;
    let (clock, offset) = (clock.get(..at)?, clock.get(at..)?);
    let [hours, minutes] = numbers::<2>(offset.get(1..)?, ':', &[2, 2])?;
    if hours > 14 || minutes > 59 {
        return None;
    }
    let seconds = hours * 3600 + minutes * 60;
    Some((
        clock,
        if offset.starts_with('-') {
            -seconds
        } else {
            seconds
        },
    ))
}

fn numbers<const N: usize>(text: &str, separator: char, widths: &[usize; N]) -> Option<[i64; N]> {
    let mut out = [0; N];
    let mut parts = text.split(separator);
    for (slot, width) in out.iter_mut().zip(widths) {
        let part = parts.next()?;
        if part.len() != *width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *slot = part.parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date in the Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let leap_days = |years: i64| years / 4 - years / 100 + years / 400;
    let before = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    before + (1..month).map(|month| days_in(year, month)).sum::<i64>() + day - 1
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn times_are_read() {
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("2000-03-01", 951_868_800),
            ("2026-12-31T18:00:00Z", 1_798_740_000),
            ("2026-12-31T20:00:00+02:00", 1_798_740_000),
            ("2026-12-31 18:00Z", 1_798_740_000),
            ("2024-02-29", 1_709_164_800),
        ] {
            assert_eq!(parse(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "tomorrow",
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "2026-12-31T18:00:00",
            "2026-12-31T25:00:00Z",
            "1969-12-31",
            "2026-12-31TZ",
            "é-é-é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
