//! Random words that let somebody in, compared without telling by the time it takes how much of one was right.

use std::fmt;

use super::error::RandomError;

/// A word that only those who were given it know.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Secret(String);

impl Secret {
    /// A new one, of 256 random bits.
    pub(super) fn fresh() -> Result<Secret, RandomError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Secret(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// The word itself, for whoever is let in by it.
    pub(super) fn word(&self) -> &str {
        &self.0
    }

    /// Whether it is this one.
    pub(super) fn is(&self, given: &str) -> bool {
        same(self.0.as_bytes(), given.as_bytes())
    }
}

/// Whether two texts are the same. How long it takes depends on the length of the given one only.
pub(super) fn same(own: &[u8], given: &[u8]) -> bool {
    let own_or_nothing = own.iter().chain(std::iter::repeat(&0));
    let differs = given.iter().zip(own_or_nothing).fold(
        u8::from(own.len() != given.len()),
        |differs, (one, other)| differs | (one ^ other),
    );
    std::hint::black_box(differs) == 0
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_word_is_the_same() {
        let secret = Secret::fresh().unwrap();
        assert!(secret.is(secret.word()) && secret.word().len() == 64);
        let mut longer = secret.word().to_owned();
        longer.push('0');
        let other = Secret::fresh().unwrap();
        for wrong in [
            "",
            "0",
            &secret.word()[1..],
            &longer,
            other.word(),
            &"\0".repeat(64),
        ] {
            assert!(!secret.is(wrong), "{wrong}");
        }
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
