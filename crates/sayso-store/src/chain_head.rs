//! The head of the record as a text to be kept elsewhere: `1042:sha256:9f86…`.

use std::fmt;

use sayso_core::text::digest::Digest;

use crate::verify::Head;

impl Head {
    /// Reads what [`Display`](fmt::Display) writes; the word `sha256:` may be left out.
    pub fn parse(text: &str) -> Option<Head> {
        let (number, digest) = text.trim().split_once(':')?;
        let digest = digest.strip_prefix("sha256:").unwrap_or(digest);
        let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|number| plain && *number > 0)?;
        Some(Head {
            number,
            digest: Digest::from_hex(digest.to_ascii_lowercase().as_bytes())?,
        })
    }
}

impl fmt::Display for Head {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.number, self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let head = Head {
            number: 42,
            digest: Digest::of_bytes(b"x"),
        };
        let text = head.to_string();
        assert!(text.starts_with("42:sha256:"), "{text}");
        for text in [
            text.clone(),
            format!(" {text}\n"),
            text.replace("sha256:", ""),
            text.replace("sha256:", "").to_uppercase(),
        ] {
            assert_eq!(Head::parse(&text), Some(head), "{text}");
        }
        let hex = text.replace("42:sha256:", "");
        for text in [
            "",
            "42",
            ":",
            "42:",
            &hex,
            &format!("0:{hex}"),
            &format!("+1:{hex}"),
            &format!("-1:{hex}"),
            &format!("1:{hex}0"),
            &format!("1:md5:{hex}"),
        ] {
            assert_eq!(Head::parse(text), None, "{text}");
        }
    }
}
