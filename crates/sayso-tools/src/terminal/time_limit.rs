//! Reads the time limit of a call: seconds, or milliseconds where the argument's name says so.

use std::time::Duration;

use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Role;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use thiserror::Error;

/// The time limit where the call has none.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(90);
/// No command runs longer, whatever the call says.
pub const LONGEST_TIME_LIMIT: Duration = Duration::from_secs(60 * 60);

/// The maximum number of characters shown of a value that is not a time.
const MAX_SHOWN: usize = 40;

/// What a call gives is not a time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TimeLimitError {
    #[error("`{}` has to be a number of seconds; nothing was run", visible(.0))]
    NoNumber(String),
    #[error(
        "`{}: {}` is not a time; give a number of {unit} above 0. Nothing was run",
        visible(.name), visible(.written)
    )]
    NoTime {
        name: String,
        written: String,
        unit: &'static str,
    },
}

/// The time limit that a call gives under this name, as a number or as text; `default` where it gives nothing.
///
/// # Errors
/// Where it is not a time. Then nothing may run: nobody knows what was meant.
pub fn time_limit(
    name: &str,
    value: Option<&Node>,
    default: Duration,
) -> Result<Duration, TimeLimitError> {
    let written = match value.map(|node| &node.value) {
        None | Some(Value::Null) => return Ok(default.min(LONGEST_TIME_LIMIT)),
        Some(Value::Number(written) | Value::Text(written)) => written.as_str(),
        Some(_) => {
            return Err(TimeLimitError::NoNumber(name.to_owned()));
        }
    };
    let unit = if name.ends_with("_ms") { 1e-3 } else { 1.0 };
    let plain = written
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    let seconds = written
        .parse::<f64>()
        .ok()
        .filter(|_| plain)
        .map(|number| number * unit);
    // Less than a millisecond is a slip of the pen, and so is what no number can hold.
    match seconds.filter(|seconds| seconds.is_finite() && *seconds >= 1e-3) {
        Some(seconds) => Ok(Duration::try_from_secs_f64(seconds)
            .map_or(LONGEST_TIME_LIMIT, |limit| limit.min(LONGEST_TIME_LIMIT))),
        None => Err(TimeLimitError::NoTime {
            name: name.to_owned(),
            written: written.chars().take(MAX_SHOWN).collect(),
            unit: if name.ends_with("_ms") {
                "milliseconds"
            } else {
                "seconds"
            },
        }),
    }
}

/// The time limit of a whole call, whatever its tool names it; of several the shortest.
///
/// # Errors
/// As [`time_limit`].
pub fn time_limit_of(operation: &Operation, default: Duration) -> Result<Duration, TimeLimitError> {
    let argument = operation.kind().tool().and_then(|tool| {
        tool.arguments
            .iter()
            .find(|argument| argument.role == Role::TimeLimit)
    });
    let mut shortest: Option<Duration> = None;
    for name in argument.map_or(&[][..], |argument| argument.names) {
        let given = operation
            .args()
            .get(name)
            .filter(|node| !matches!(node.value, Value::Null));
        if given.is_some() {
            let limit = time_limit(name, given, default)?;
            shortest = Some(shortest.map_or(limit, |other| other.min(limit)));
        }
    }
    Ok(shortest.unwrap_or(default.min(LONGEST_TIME_LIMIT)))
}

#[cfg(test)]
mod tests {
    use sayso_core::call::operation::Call;

    use super::*;

    #[test]
    fn the_limit_of_a_call_is_found_under_each_of_its_names() {
        let of = |name: &str, value: Value| {
            let args = Node::map([("command", Node::text("true")), (name, value.into())]);
            time_limit_of(
                &Operation::freeze(Call::new("terminal", args, "/w")).unwrap(),
                DEFAULT_TIME_LIMIT,
            )
        };
        assert_eq!(
            of("timeout", Value::Number("7".into())),
            Ok(Duration::from_secs(7))
        );
        assert_eq!(
            of("timeout_ms", Value::Number("7".into())),
            Ok(Duration::from_millis(7))
        );
        assert_eq!(of("timeout", Value::Null), Ok(DEFAULT_TIME_LIMIT));
        assert_eq!(of("description", Value::Null), Ok(DEFAULT_TIME_LIMIT));
        assert!(
            of("timeout", Value::Text("soon".into()))
                .unwrap_err()
                .to_string()
                .contains("Nothing was run")
        );
    }

    fn limit(name: &str, value: Value) -> Option<u128> {
        time_limit(name, Some(&value.into()), DEFAULT_TIME_LIMIT)
            .ok()
            .map(|limit| limit.as_millis())
    }

    #[test]
    fn numbers_and_texts_are_read() {
        let number = |text: &str| Value::Number(text.into());
        for (name, value, wanted) in [
            ("timeout", number("5"), 5_000),
            ("timeout", Value::Text("5".into()), 5_000),
            ("timeout", number("1.5"), 1_500),
            ("timeout", number("1e2"), 100_000),
            ("timeout_ms", number("1500"), 1_500),
            ("timeout_ms", Value::Text("20".into()), 20),
            ("timeout", Value::Null, 90_000),
            ("timeout", number("120000"), 3_600_000),
            ("timeout_ms", number("1e300"), 3_600_000),
        ] {
            assert_eq!(limit(name, value.clone()), Some(wanted), "{name} {value:?}");
        }
        assert_eq!(
            time_limit("timeout", None, Duration::from_secs(180)),
            Ok(Duration::from_secs(180))
        );
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "0",
            "-1",
            "nan",
            "inf",
            "1e999",
            "soon",
            "",
            " 5",
            "5s",
            "0x10",
            "0.0000001",
            "1e-400",
            "\u{202e}5",
        ] {
            assert_eq!(limit("timeout", Value::Text(text.into())), None, "{text}");
        }
        assert_eq!(limit("timeout", Value::Bool(true)), None);
        assert_eq!(limit("timeout", Value::List(Vec::new())), None);
    }
}
