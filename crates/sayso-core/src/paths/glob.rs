//! Compares a text, most often one name, with a pattern in which `*` is any run of characters and `?` is any one.

use super::fold::is_folded_short_name_of;

/// Whether a text matches a pattern of `*` (any characters) and `?` (one character). Work is bounded by the product of the lengths: only
/// the last `*` is ever tried again.
pub fn wild(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut from) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), text.get(from)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                retry = Some((at + 1, from));
                at += 1;
                continue;
            }
            (Some(b'?'), Some(byte)) => {
                // One character may be several bytes.
                from += utf8_width(*byte);
                at += 1;
                continue;
            }
            (Some(one), Some(other)) if one == other => {
                at += 1;
                from += 1;
                continue;
            }
            _ => {}
        }
        match retry {
            Some((after, start)) => {
                let Some(byte) = text.get(start) else {
                    return false;
                };
                (at, from) = (after, start + utf8_width(*byte));
                retry = Some((at, from));
            }
            None => return false,
        }
    }
}

fn utf8_width(first: u8) -> usize {
    match first {
        0x00..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}

/// [`wild()`], or the name is a short name that Windows could have made for a name that fits.
pub(super) fn means(pattern: &str, name: &str) -> bool {
    wild(pattern, name) || is_folded_short_name_of(name, pattern)
}

/// Whether a pattern has a sign that is not itself.
pub(super) fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name) in [
            ("*", ""),
            ("*.pem", "a.pem"),
            ("*.pem", ".pem"),
            ("id_rsa*", "id_rsa"),
            ("a*b*c", "aXbYbZc"),
            ("?", "é"),
            ("*é?", "aéb"),
            ("a**b", "ab"),
            ("*?é*é", "漢aéé"),
        ] {
            assert!(wild(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*.pem", "a.pem.txt"),
            ("?", ""),
            ("?", "ab"),
            ("a*b*c", "aXbY"),
            ("", "a"),
            ("a", ""),
            ("*??", "漢"),
        ] {
            assert!(!wild(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_end_soon() {
        let pattern = "*a".repeat(60) + "b";
        assert!(!wild(&pattern, &"a".repeat(255)));
    }
}
