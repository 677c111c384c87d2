//! Compares one name with a pattern in which `*` is any run of characters and `?` is any one.

use super::fold::is_folded_short_name_of;

/// Whether a folded name fits a folded pattern. Work is bounded by the product of the lengths: only the last `*` is ever tried again.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (mut wanted, mut left) = (pattern.chars(), name.chars());
    let mut retry = None;
    loop {
        let mut wanted_next = wanted.clone();
        match wanted_next.next() {
            Some('*') => {
                retry = Some((wanted_next.clone(), left.clone()));
                wanted = wanted_next;
                continue;
            }
            Some(sign) => {
                let mut left_next = left.clone();
                if left_next
                    .next()
                    .is_some_and(|character| sign == '?' || sign == character)
                {
                    (wanted, left) = (wanted_next, left_next);
                    continue;
                }
            }
            None if left.as_str().is_empty() => return true,
            None => {}
        }
        let Some((after_star, from)) = &mut retry else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        (wanted, left) = (after_star.clone(), from.clone());
    }
}

/// [`fits()`], or the name is a short name that Windows could have made for a name that fits.
pub(super) fn means(pattern: &str, name: &str) -> bool {
    fits(pattern, name) || is_folded_short_name_of(name, pattern)
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
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*.pem", "a.pem.txt"),
            ("?", ""),
            ("?", "ab"),
            ("a*b*c", "aXbY"),
            ("", "a"),
            ("a", ""),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_end_soon() {
        let pattern = "*a".repeat(60) + "b";
        assert!(!fits(&pattern, &"a".repeat(255)));
    }
}
