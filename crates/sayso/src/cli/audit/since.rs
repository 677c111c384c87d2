//! Points of time as people write them: `2h`, `7d`, a date, or a time with its zone.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Milliseconds since 1970 of a time in the past: so long ago, or that date (its start, in the zone of this machine).
pub(super) fn read(text: &str) -> Result<i64, String> {
    let text = text.trim();
    if let Some(seconds) = ago(text) {
        return Ok(Timestamp::now().as_millisecond().saturating_sub(seconds.saturating_mul(1000)));
    }
    let zone = TimeZone::system();
    let here = |time: DateTime| time.to_zoned(zone.clone()).map(|zoned| zoned.timestamp()).ok();
    let found = text
        .parse::<Timestamp>()
        .ok()
        .or_else(|| text.parse::<Zoned>().ok().map(|zoned| zoned.timestamp()))
        .or_else(|| text.parse::<DateTime>().ok().and_then(here))
        .or_else(|| text.parse::<Date>().ok().and_then(|date| here(date.at(0, 0, 0, 0))));
    let shown = sayso_core::visible::visible(text);
    found
        .map(Timestamp::as_millisecond)
        .ok_or_else(|| format!("`{shown}` is no time; write `2h`, `7d`, `2026-11-01` or a time such as `2026-11-01T09:30:00Z`"))
}

/// `90s`, `15m`, `2h`, `7d` or `4w` in seconds.
fn ago(text: &str) -> Option<i64> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    let number: i64 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn times_are_read_and_other_words_are_not() {
        assert_eq!(read("1970-01-02T00:00:00Z"), Ok(86_400_000));
        assert_eq!(read("1970-01-01T02:00:00+01:00"), Ok(3_600_000));
        assert!(read("2026-11-01").is_ok() && read("2026-11-01T09:30:00").is_ok());
        assert!(read("2h").unwrap() < read("1h").unwrap() && read("1w").unwrap() < read("6d").unwrap());
        for odd in ["", "h", "-2h", "+2h", "2 h", "2y", "yesterday", "2026-13-01", "99999999999999999999d", "9223372036854775807w", "ü"] {
            assert!(read(odd).unwrap_err().contains("is no time"), "{odd}");
        }
    }
}
