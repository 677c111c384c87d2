//! What an argument of an MCP tool means, in the words of a policy file.

/// What an argument of a tool means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A file or folder that is read.
    Reads,
    /// A file or folder that is made or changed.
    Writes,
    /// A file or folder that is removed.
    Deletes,
    /// A file or folder that goes somewhere else.
    MovesAway,
    /// A file or folder that is read or changed.
    Touches,
    /// A command for a shell.
    Runs,
    /// An address or a host that is talked to.
    Connects,
    /// Nothing that has an effect by itself.
    Data,
}

const WORDS: [(Meaning, &str); 8] = [
    (Meaning::Reads, "read"),
    (Meaning::Writes, "write"),
    (Meaning::Deletes, "delete"),
    (Meaning::MovesAway, "move"),
    (Meaning::Touches, "path"),
    (Meaning::Runs, "command"),
    (Meaning::Connects, "fetch"),
    (Meaning::Data, "data"),
];

impl Meaning {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        WORDS
            .iter()
            .find(|(meaning, _)| *meaning == self)
            .map_or("data", |(_, word)| word)
    }

    /// What a word in a file means.
    pub fn from_word(word: &str) -> Option<Meaning> {
        WORDS
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(meaning, _)| *meaning)
    }

    /// All words, for messages.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(_, word)| *word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meaning_has_a_word() {
        for (meaning, word) in WORDS {
            assert_eq!(
                (meaning.word(), Meaning::from_word(word)),
                (word, Some(meaning))
            );
        }
    }
}
