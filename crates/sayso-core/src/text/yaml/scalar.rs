//! What a YAML scalar means under the core schema, and where exactly it is written.

use crate::text::node::{Span, Value};
use saphyr_parser::ScalarStyle;

/// The value of a scalar without quotes.
pub(super) fn plain(content: &str) -> Value {
    match content {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        number if is_number(number) => Value::Number(number.to_owned()),
        text => Value::Text(text.to_owned()),
    }
}

/// Whether the core schema takes it for an integer or a float.
fn is_number(content: &str) -> bool {
    if matches!(content, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if let Some(digits) = content.strip_prefix("0o") {
        return all(digits, |byte| matches!(byte, b'0'..=b'7'));
    }
    if let Some(digits) = content.strip_prefix("0x") {
        return all(digits, |byte| byte.is_ascii_hexdigit());
    }
    let unsigned = content.strip_prefix(['-', '+']).unwrap_or(content);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (
            mantissa,
            Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)),
        ),
        None => (unsigned, None),
    };
    let digit = |byte: u8| byte.is_ascii_digit();
    let mantissa_fits = match mantissa.split_once('.') {
        None => all(mantissa, digit),
        Some(("", fraction)) => all(fraction, digit),
        Some((whole, fraction)) => {
            all(whole, digit) && (fraction.is_empty() || all(fraction, digit))
        }
    };
    mantissa_fits && exponent.is_none_or(|digits| all(digits, digit))
}

fn all(text: &str, wanted: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(wanted)
}

/// The span from the first to the last character of the scalar.
///
/// The parser ends a quoted scalar behind the blanks and the comment that follow it, a block scalar behind the
/// indentation of what follows it, and gives a scalar that is not there the place of some neighbour.
pub(super) fn as_written(text: &str, style: ScalarStyle, content: &str, span: Span) -> Span {
    let (start, end) = (span.start as usize, span.end as usize);
    let written = text.get(start..end).unwrap_or("");
    if style == ScalarStyle::Plain && content.is_empty() {
        // Nothing is written; behind the colon is where it would be.
        let place = if text.as_bytes().get(start) == Some(&b':') {
            start + 1
        } else {
            start
        };
        return Span::new(place, place);
    }
    let length = match style {
        ScalarStyle::Plain => written.len(),
        ScalarStyle::SingleQuoted => quoted_length(written, b'\''),
        ScalarStyle::DoubleQuoted => quoted_length(written, b'"'),
        ScalarStyle::Literal | ScalarStyle::Folded => written.trim_end().len(),
    };
    Span::new(start, start + length)
}

fn quoted_length(written: &str, quote: u8) -> usize {
    let mut bytes = written.bytes().enumerate().skip(1).peekable();
    while let Some((at, byte)) = bytes.next() {
        let doubled = quote == b'\'' && bytes.peek().is_some_and(|(_, next)| *next == quote);
        if byte == quote && !doubled {
            return at + 1;
        }
        if byte == quote || (byte == b'\\' && quote == b'"') {
            bytes.next();
        }
    }
    written.len()
}
