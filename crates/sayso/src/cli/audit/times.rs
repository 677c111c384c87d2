//! Times as people write and read them: `2h`, `7d`, dates and RFC 3339 in; "3 min ago" or the clock of the person out.

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use crate::cli::ArgumentError;
use crate::screen::ago::{ago, read_length};

/// Sixty days.
const LONG_AGO: i64 = 60 * 86_400_000;

/// A time on the command line, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) struct When(pub(in crate::cli) i64);

/// Reads `--since`: so long ago, or from this time or day on.
pub(in crate::cli) fn since(text: &str) -> Result<When, ArgumentError> {
    read(text, false)
}

/// Reads `--until`: so long ago, or up to this time, or to the end of this day.
pub(super) fn until(text: &str) -> Result<When, ArgumentError> {
    read(text, true)
}

fn read(text: &str, to_the_end: bool) -> Result<When, ArgumentError> {
    if let Some(ago) = read_length(text) {
        return Ok(When(now().saturating_sub(ago.saturating_mul(1000))));
    }
    let unknown = || ArgumentError::Time(text.to_owned());
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(When(time.as_millisecond()));
    }
    // A time of the day is the last one that was.
    if !text.contains('-')
        && let Ok(time) = text.parse::<Time>()
    {
        return of_last(time).ok_or_else(unknown);
    }
    let is_day = !text.contains([':', 'T', 't', ' ']);
    let mut time: DateTime = text.parse().map_err(|_| unknown())?;
    if is_day && to_the_end {
        time = time.checked_add(1.day()).map_err(|_| unknown())?;
    }
    let time = time.to_zoned(TimeZone::system()).map_err(|_| unknown())?;
    Ok(When(time.timestamp().as_millisecond()))
}

/// When the clock of the person last showed a time of the day.
fn of_last(time: Time) -> Option<When> {
    let now = Timestamp::now().to_zoned(TimeZone::system());
    let today = now
        .date()
        .to_datetime(time)
        .to_zoned(TimeZone::system())
        .ok()?;
    let last = match today > now {
        true => today.checked_sub(1.day()).ok()?,
        false => today,
    };
    Some(When(last.timestamp().as_millisecond()))
}

/// The time, in milliseconds since 1970.
pub(super) fn now() -> i64 {
    Timestamp::now().as_millisecond()
}

/// How long ago it was; the day, if that is long.
pub(super) fn relative(at: i64, now: i64) -> String {
    match now.saturating_sub(at) {
        -5000..5000 => "now".to_owned(),
        5000..LONG_AGO => ago(at, now),
        LONG_AGO.. => absolute(at)
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_owned(),
        // A clock that went back.
        _ => absolute(at),
    }
}

/// By the clock of the person.
pub(super) fn absolute(at: i64) -> String {
    zoned(at, "%Y-%m-%d %H:%M:%S")
}

/// The time of the day by the clock of the person.
pub(super) fn of_day(at: i64) -> String {
    zoned(at, "%H:%M:%S")
}

/// How far the clock of the person is from UTC.
pub(super) fn zone(at: i64) -> String {
    zoned(at, "UTC%:z").replace("UTC+00:00", "UTC")
}

fn zoned(at: i64, form: &str) -> String {
    let Ok(time) = Timestamp::from_millisecond(at) else {
        return format!("{at} ms");
    };
    time.to_zoned(TimeZone::system()).strftime(form).to_string()
}

/// A length of time.
pub(super) fn length(milliseconds: i64) -> String {
    match milliseconds {
        ..1000 => format!("{milliseconds} ms"),
        1000..60_000 => format!("{:.1} s", milliseconds as f64 / 1000.0),
        60_000..3_600_000 => format!(
            "{} min {} s",
            milliseconds / 60_000,
            milliseconds % 60_000 / 1000
        ),
        _ => format!(
            "{} h {} min",
            milliseconds / 3_600_000,
            milliseconds % 3_600_000 / 60_000
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(
            since("2026-01-31T09:00:00Z").unwrap(),
            When(1_769_850_000_000)
        );
        assert_eq!(
            since("2026-01-31T09:00:00.5+01:00").unwrap(),
            When(1_769_846_400_500)
        );
        let day = since("2026-01-31").unwrap();
        assert_eq!(
            until("2026-01-31").unwrap().0 - day.0,
            86_400_000,
            "the whole day"
        );
        assert_eq!(since("2026-01-31T00:00").unwrap(), day);
        assert_eq!(until("2026-01-31T00:00").unwrap(), day);
        let ago = now() - since("00:00").unwrap().0;
        assert!((0..90_000_000).contains(&ago), "{ago}");
        for text in [
            "",
            "yesterday",
            "25:00",
            "2026-13-01",
            "2026-02-30",
            "31.1.2026",
            "2026-01-31T25:00",
            "\u{1b}[2J",
            "999999-01-01",
        ] {
            let error = since(text).unwrap_err().to_string();
            assert!(
                error.contains("is no time") && !error.contains('\u{1b}'),
                "{error}"
            );
        }
    }

    #[test]
    fn for_people() {
        let now = 1_769_850_000_000;
        for (ago, words) in [
            (0, "now"),
            (-3000, "now"),
            (12_000, "12 s ago"),
            (200_000, "3 min ago"),
            (7_300_000, "2 h ago"),
            (90_000_000, "1 day ago"),
            (864_000_000, "10 days ago"),
        ] {
            assert_eq!(relative(now - ago, now), words);
        }
        assert_eq!(relative(now - 20_000_000_000, now).len(), 10, "a date");
        assert_eq!(
            relative(now + 60_000, now).len(),
            19,
            "a clock that went back"
        );
        assert_eq!(
            sayso_runtime::audit::rfc3339(now),
            "2026-01-31T09:00:00.000Z"
        );
        assert_eq!(
            sayso_runtime::audit::rfc3339(i64::MAX),
            format!("{} ms", i64::MAX)
        );
        assert_eq!(
            [length(12), length(1500), length(61_000), length(3_700_000)],
            ["12 ms", "1.5 s", "1 min 1 s", "1 h 1 min"]
        );
    }
}
