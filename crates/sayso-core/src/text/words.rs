//! Enums whose variants are words: in policy files, in records and in messages.

/// Makes an enum and its words; the table is the only place that has both.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)? }
    ) => {
        $(#[$meta])*
        #[allow(missing_docs, reason = "the names and messages say it")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// The words of all variants, in their order.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word of it.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),* }
            }

            /// What a word means, if it is one of them.
            pub fn from_word(word: &str) -> Option<$name> {
                match word {
                    $($word => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use words;
